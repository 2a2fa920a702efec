#include "backend/duckdb/catalog.h"
#include "backend/duckdb/command.h"
#include "backend/duckdb/describe_files.h"
#include "backend/duckdb/explain.h"
#include "backend/duckdb/kept.h"
#include "backend/duckdb/open.h"
#include "backend/duckdb/operation.h"
#include "plan/arrow_schema.h"

#include <stdlib.h>
#include <string.h>

static bool accepts(void *self, const char *format)
{
    (void)self;
    (void)format;
    return false; /* plans only */
}

static pt_status open_session(void *self, const pt_session_request *request, void **out, pt_error *err)
{
    (void)request;
    pt__duckdb_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
    session->database = self;
    *out = session;
    return PT_OK;
}

static void close_session(void *session)
{
    free(session);
}

static pt_status describe_plan(pt__duckdb *database, pt__arena *arena, const pt_query *query, struct ArrowSchema *out,
                               pt_error *err)
{
    const char *zone = query->time_zone == NULL ? "UTC" : query->time_zone;
    if (pt__plan_is_command(query->plan)) {
        PT_TRY(pt__command_check(database, arena, query->plan, zone, err));
        return pt__arrow_schema(query->plan->columns, query->plan->column_count, zone, out, err);
    }
    pt__lowered lowered;
    PT_TRY(pt__lower_query(pt__lower_new(arena, database, zone), query->plan, &lowered, err));
    return pt__arrow_schema(lowered.columns, lowered.column_count, zone, out, err);
}

static pt_status describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    if (query->plan == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "the DuckDB backend runs plans, not queries in the format %s",
                            query->encoded.format);
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to describe a query");
    pt_status status;
    if (PT_ARENA_GUARD(arena)) {
        status = pt_error_set(err, PT_NO_MEMORY, "no memory to describe a query");
    } else {
        status = describe_plan(((pt__duckdb_session *)session)->database, arena, query, out, err);
        pt__arena_unguard(arena);
    }
    pt__arena_free(arena);
    return status;
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    return pt__operation_new(session, query, out, err);
}

static pt__duckdb *database_of(void *session)
{
    return ((pt__duckdb_session *)session)->database;
}

static pt_status get_table(void *session, const char *database, const char *name, pt__arena *arena,
                           const pt_table **out, pt_error *err)
{
    return pt__catalog_get_table(database_of(session), arena, database, name, out, err);
}

static pt_status list_tables(void *session, const char *database, pt__arena *arena, const pt_table *const **out,
                             size_t *count, pt_error *err)
{
    return pt__catalog_list_tables(database_of(session), arena, database, out, count, err);
}

static pt_status list_databases(void *session, pt__arena *arena, const pt_database **out, size_t *count, pt_error *err)
{
    return pt__catalog_list_databases(database_of(session), arena, out, count, err);
}

static pt_status describe_files(void *session, const pt_file_request *request, pt__arena *arena, const pt_type **out,
                                pt_error *err)
{
    return pt__describe_files(database_of(session), arena, request, out, err);
}

static pt_status explain(void *session, const pt_query *query, pt__arena *arena, const char **out, pt_error *err)
{
    return pt__explain(database_of(session), query, arena, out, err);
}

static pt_status keep(void *session, const pt_query *query, void **kept, pt_error *err)
{
    return pt__kept_make(database_of(session), query, kept, err);
}

const pt_backend_vtable pt_backend_duckdb = {
    .size_bytes = sizeof(pt_backend_vtable),
    .name = "duckdb",
    .open = pt__duckdb_open,
    .close = pt__duckdb_close,
    .accepts = accepts,
    .open_session = open_session,
    .close_session = close_session,
    .describe = describe,
    .execute = execute,
    .get_table = get_table,
    .list_tables = list_tables,
    .list_databases = list_databases,
    .describe_files = describe_files,
    .explain = explain,
    .keep = keep,
    .release_kept = pt__kept_release,
};

#include "backend/duckdb/catalog.h"
#include "backend/duckdb/command.h"
#include "backend/duckdb/describe_files.h"
#include "backend/duckdb/explain.h"
#include "backend/duckdb/kept.h"
#include "backend/duckdb/open.h"
#include "backend/duckdb/operation.h"
#include "backend/duckdb/proof.h"
#include "plan/arrow_schema.h"

#include <stdlib.h>
#include <string.h>

static bool accepts(void *self, const char *format)
{
    (void)self;
    return strcmp(format, PT_FORMAT_DUCKDB_SQL) == 0;
}

static pt_status open_session(void *self, const pt_session_request *request, void **out, pt_error *err)
{
    (void)request;
    pt__duckdb_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
    session->database = self;
    pt__native_init(&session->native);
    *out = session;
    return PT_OK;
}

static void close_session(void *self)
{
    pt__duckdb_session *session = self;
    pt__native_deinit(&session->native);
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

static pt_status prepare(void *self, const pt_query *query, pt_statement_info *out, pt_error *err)
{
    pt__duckdb_session *session = self;
    return pt__native_prepare(session->database, &session->native, query, out, err);
}

static bool reads_only(void *self, const pt_query *query)
{
    pt__duckdb_session *session = self;
    return pt__native_reads_only(session->database, &session->native, query);
}

static pt_status describe_native(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    pt_statement_info info;
    PT_TRY(prepare(session, query, &info, err));
    if (info.parameters.release != NULL)
        info.parameters.release(&info.parameters);
    *out = info.result;
    if (out->release != NULL)
        return PT_OK;
    return pt_error_set(err, PT_UNSUPPORTED, "the result of several statements is known once they have run");
}

static pt_status begin(void *self, void **transaction, pt_error *err)
{
    pt__duckdb_session *session = self;
    return pt__native_begin(session->database, &session->native, transaction, err);
}

static pt_status end(void *self, void *transaction, bool commit, pt_error *err)
{
    pt__duckdb_session *session = self;
    return pt__native_end(&session->native, transaction, commit, err);
}

static pt_status ingest(void *self, const pt_ingest *request, struct ArrowArrayStream *rows, int64_t *row_count,
                        pt_error *err)
{
    pt__duckdb_session *session = self;
    return pt__native_ingest(session->database, &session->native, request, rows, row_count, err);
}

static pt_status metadata(void *self, const pt_metadata_request *request, struct ArrowArrayStream *out, pt_error *err)
{
    pt__duckdb_session *session = self;
    return pt__native_metadata(session->database, &session->native, request, out, err);
}

static pt_status describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    if (query->plan == NULL)
        return describe_native(session, query, out, err);
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

static pt_status execute(void *self, const pt_query *query, pt_operation **out, pt_error *err)
{
    pt__duckdb_session *session = self;
    if (query->plan == NULL)
        return pt__native_operation_new(session->database, &session->native, query, out, err);
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

static pt_status was_committed(void *session, const char *operation_id, bool *out, pt_error *err)
{
    return pt__proof_find(database_of(session), operation_id, out, err);
}

static void forget_committed(void *self, const char *operation_id)
{
    pt__proof_forget(self, operation_id);
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
    .prepare = prepare,
    .reads_only = reads_only,
    .begin = begin,
    .end = end,
    .was_committed = was_committed,
    .ingest = ingest,
    .metadata = metadata,
    .forget_committed = forget_committed,
};

#include "backend/ballista/companion.h"
#include "backend/ballista/explain.h"
#include "backend/ballista/keep.h"
#include "backend/ballista/operation.h"
#include "backend/ballista/reads_only.h"
#include "backend/ballista/relay.h"
#include "plan/arrow_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pt_status open_cluster(const pt_config *config, pt_env *env, void **self, pt_error *err)
{
    pt__ballista *cluster = calloc(1, sizeof(*cluster));
    if (cluster == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the backend ballista");
    pt_status status = pt__ballista_options_read(config, &cluster->options, err);
    if (status != PT_OK) {
        pt__ballista_options_deinit(&cluster->options);
        free(cluster);
        return status;
    }
    cluster->env = env;
    pt__pool_init(&cluster->pool, &cluster->options);
    *self = cluster;
    return PT_OK;
}

static void close_cluster(void *self)
{
    pt__ballista *cluster = self;
    pt__pool_deinit(&cluster->pool);
    pt__ballista_options_deinit(&cluster->options);
    free(cluster);
}

static bool accepts(void *self, const char *format)
{
    (void)self;
    return strcmp(format, PT_FORMAT_DATAFUSION_LOGICAL) == 0 || strcmp(format, PT_FORMAT_DATAFUSION_PHYSICAL) == 0;
}

static pt_status open_session(void *self, const pt_session_request *request, void **out, pt_error *err)
{
    pt__ballista_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a session");
    session->cluster = self;
    pthread_mutex_init(&session->lock, NULL);
    snprintf(session->id, sizeof(session->id), "%s", request->session_id == NULL ? "" : request->session_id);
    *out = session;
    return PT_OK;
}

static void close_session(void *self)
{
    pt__ballista_session *session = self;
    pt__companion_close(session);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

/* A cluster cannot tell the columns of files. */
static pt_status describe_files(void *self, const struct pt_file_request *request, pt__arena *arena,
                                const struct pt_type **out, pt_error *err)
{
    pt_backend companion;
    PT_TRY(pt__companion_open(self, &companion, err));
    return companion.vtable->describe_files(companion.self, request, arena, out, err);
}

/* ---- tables: those of the DuckDB of the host ---- */

static pt_status get_table(void *session, const char *database, const char *name, pt__arena *arena,
                           const struct pt_table **out, pt_error *err)
{
    pt_backend companion;
    PT_TRY(pt__companion_open(session, &companion, err));
    return companion.vtable->get_table(companion.self, database, name, arena, out, err);
}

static pt_status list_tables(void *session, const char *database, pt__arena *arena, const struct pt_table *const **out,
                             size_t *count, pt_error *err)
{
    pt_backend companion;
    PT_TRY(pt__companion_open(session, &companion, err));
    return companion.vtable->list_tables(companion.self, database, arena, out, count, err);
}

static pt_status list_databases(void *session, pt__arena *arena, const struct pt_database **out, size_t *count,
                                pt_error *err)
{
    pt_backend companion;
    PT_TRY(pt__companion_open(session, &companion, err));
    return companion.vtable->list_databases(companion.self, arena, out, count, err);
}

/* ---- queries ---- */

static pt_status describe_plan(const pt__ballista *cluster, pt__arena *arena, const pt_query *query,
                               struct ArrowSchema *out, pt_error *err)
{
    pt__ballista_lowered lowered;
    const char *zone = query->time_zone == NULL ? "UTC" : query->time_zone;
    const pt__ballista_lower_options options = pt__ballista_lowering(cluster, zone);
    if (PT_ARENA_GUARD(arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to describe a query");
    pt_status status = pt__ballista_lower_query(cluster, arena, query->plan, &options, &lowered, err);
    if (status == PT_OK)
        status = pt__arrow_schema(lowered.columns, lowered.column_count, zone, out, err);
    pt__arena_unguard(arena);
    return status;
}

static pt_status describe_by_companion(pt__ballista_session *session, const pt_query *query, struct ArrowSchema *out,
                                       pt_error *err)
{
    pt_backend companion;
    PT_TRY(pt__ballista_check_companions(query->plan, err));
    PT_TRY(pt__companion_open(session, &companion, err));
    return companion.vtable->describe(companion.self, query, out, err);
}

static pt_status describe(void *self, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    pt__ballista_session *session = self;
    if (query->plan != NULL && pt__ballista_is_companions(query->plan))
        return describe_by_companion(session, query, out, err);
    if (query->plan == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "the columns of a plan of DataFusion are known once it has run");
    pt__arena *arena = pt__arena_new(0);
    if (arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to describe a query");
    pt_status status = describe_plan(session->cluster, arena, query, out, err);
    pt__arena_free(arena);
    return status;
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    pt_backend companion;
    if (query->plan == NULL || !pt__ballista_is_companions(query->plan))
        return pt__ballista_operation_new(session, query, out, err);
    PT_TRY(pt__ballista_check_companions(query->plan, err));
    PT_TRY(pt__companion_open(session, &companion, err));
    return companion.vtable->execute(companion.self, query, out, err);
}

static pt_status explain(void *session, const pt_query *query, pt__arena *arena, const char **out, pt_error *err)
{
    return pt__ballista_explain(session, query, arena, out, err);
}

static pt_status keep(void *session, const pt_query *query, void **kept, pt_error *err)
{
    return pt__ballista_keep(session, query, kept, err);
}

static void release_kept(void *self, void *kept)
{
    (void)self;
    pt__ballista_release_kept(kept);
}

static bool reads_only(void *session, const pt_query *query)
{
    (void)session;
    return query->plan == NULL && strcmp(query->encoded.format, PT_FORMAT_DATAFUSION_LOGICAL) == 0 &&
           pt__datafusion_reads_only(query->encoded.payload);
}

const pt_backend_vtable pt_backend_ballista = {
    .size_bytes = sizeof(pt_backend_vtable),
    .name = "ballista",
    .open = open_cluster,
    .close = close_cluster,
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
    .release_kept = release_kept,
    .reads_only = reads_only,
};

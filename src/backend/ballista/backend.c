#include "backend/ballista/operation.h"
#include "backend/ballista/reads_only.h"

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
    snprintf(session->id, sizeof(session->id), "%s", request->session_id == NULL ? "" : request->session_id);
    *out = session;
    return PT_OK;
}

static void close_session(void *session)
{
    free(session);
}

static pt_status describe(void *session, const pt_query *query, struct ArrowSchema *out, pt_error *err)
{
    (void)session;
    (void)out;
    if (query->plan == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "the columns of a plan of DataFusion are known once it has run");
    return pt_error_set(err, PT_UNSUPPORTED, "the backend ballista runs plans of DataFusion alone");
}

static pt_status execute(void *session, const pt_query *query, pt_operation **out, pt_error *err)
{
    return pt__ballista_operation_new(session, query, out, err);
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
    .reads_only = reads_only,
};

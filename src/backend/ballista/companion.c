#include "backend/ballista/companion.h"

#include <portico/host.h>
#include <portico/wrapper.h>

static pt_status find(const pt__ballista *cluster, pt_backend *out, pt_error *err)
{
    bool is_found =
        cluster->env->host != NULL && pt_host_backend(cluster->env->host, pt_backend_duckdb.name, out, NULL) == PT_OK;
    if (is_found && pt_backend_has(out, describe_files))
        return PT_OK;
    return pt_error_set(err, PT_UNSUPPORTED,
                        "Ballista does not tell the columns of files, and the host has no backend duckdb that would");
}

pt_status pt__companion_open(pt__ballista_session *session, pt_backend *out, pt_error *err)
{
    pt_backend found;
    PT_TRY(find(session->cluster, &found, err));
    const pt_session_request request = {sizeof(request), "", session->id};
    pthread_mutex_lock(&session->lock);
    pt_status status =
        session->companion != NULL ? PT_OK : found.vtable->open_session(found.self, &request, &session->companion, err);
    pthread_mutex_unlock(&session->lock);
    *out = found;
    out->self = session->companion;
    return status;
}

void pt__companion_close(pt__ballista_session *session)
{
    pt_backend found;
    if (session->companion != NULL && find(session->cluster, &found, NULL) == PT_OK)
        found.vtable->close_session(session->companion);
    session->companion = NULL;
}

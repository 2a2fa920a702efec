#include <portico/ballista.h>

#include "base/limit.h"
#include "front/ballista/calls.h"
#include "front/ballista/job.h"

#include <stdlib.h>

static const pt_method METHODS[] = {
#define PT_BALLISTA_METHOD(service, rpc, on_message, on_half_closed, on_writable, on_closed)                           \
    {.path = "/" service "/" #rpc,                                                                                     \
     .message = on_message,                                                                                            \
     .half_closed = on_half_closed,                                                                                    \
     .writable = on_writable,                                                                                          \
     .closed = on_closed},
#include "front/ballista/methods.def"
#undef PT_BALLISTA_METHOD
};

static pt_status read_config(pt__ballista *mount, const pt_config *config, pt_error *err)
{
#define PT_LIMIT(field, key, kind, value, reason)                                                                      \
    PT_TRY(pt__limit_read(config, key, PT_LIMIT_##kind, value, &mount->limits.field, err));
#include "front/ballista/limits.def"
#undef PT_LIMIT
    return PT_OK;
}

static pt_status open_mount(pt_host *host, const pt_config *config, void **out, pt_error *err)
{
    pt__ballista *mount = calloc(1, sizeof(*mount));
    if (mount == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the Ballista frontend");
    mount->host = host;
    pt_status status = read_config(mount, config, err);
    if (status == PT_OK)
        *out = mount;
    else
        free(mount);
    return status;
}

static void close_mount(void *state)
{
    pt__ballista *mount = state;
    pt__ballista_jobs_expire(mount, true);
    pt__ballista_sessions_expire(mount, true);
    pt__map_deinit(&mount->jobs);
    pt__map_deinit(&mount->sessions);
    free(mount);
}

static void tick(void *state, uint64_t now_ms)
{
    pt__ballista *mount = state;
    (void)now_ms;
    pt__ballista_execute_tick(mount);
    pt__ballista_jobs_expire(mount, false);
    pt__ballista_sessions_expire(mount, false);
}

const pt_frontend_vtable pt_frontend_ballista = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "ballista",
    .open = open_mount,
    .close = close_mount,
    .methods = METHODS,
    .method_count = sizeof(METHODS) / sizeof(METHODS[0]),
    .tick = tick,
    .claims = pt__ballista_claims,
};

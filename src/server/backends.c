#include "server/backends.h"

#include <string.h>

static const pt_backend_vtable *const BACKENDS[] = {&pt_backend_duckdb, &pt_backend_ballista};

pt_status pt__server_find_backend(const char *name, const pt_backend_vtable **out, pt_error *err)
{
    for (size_t i = 0; i < sizeof(BACKENDS) / sizeof(BACKENDS[0]); i++) {
        if (strcmp(BACKENDS[i]->name, name) == 0) {
            *out = BACKENDS[i];
            return PT_OK;
        }
    }
    return pt_error_set(err, PT_INVALID_ARGUMENT, "backend is duckdb or ballista, not \"%s\"", name);
}

pt_status pt__server_add_backends(pt_host *host, const pt_config *config, pt_error *err)
{
    const pt_backend_vtable *backend = NULL;
    PT_TRY(pt__server_find_backend(pt_config_string(config, "backend", "duckdb"), &backend, err));
    PT_TRY(pt_host_add_backend(host, backend, config, err));
    return backend == &pt_backend_duckdb ? PT_OK : pt_host_add_backend(host, &pt_backend_duckdb, config, err);
}

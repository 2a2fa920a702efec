#include "server/backends.h"

const pt_backend_vtable *const pt__server_backends[] = {
    &pt_backend_duckdb,
    NULL,
};

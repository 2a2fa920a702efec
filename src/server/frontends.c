#include "server/frontends.h"

const pt_frontend_vtable *const pt__server_frontends[] = {
    NULL,
};

/**
 * The frontends that the server mounts.
 */
#ifndef PT_SERVER_FRONTENDS_H
#define PT_SERVER_FRONTENDS_H

#include <portico/frontend.h>

/** Ended by NULL. */
extern const pt_frontend_vtable *const pt__server_frontends[];

#endif

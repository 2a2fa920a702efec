/**
 * The backends that the server opens.
 */
#ifndef PT_SERVER_BACKENDS_H
#define PT_SERVER_BACKENDS_H

#include <portico/backend.h>

/** Ended by NULL; the first is the default. */
extern const pt_backend_vtable *const pt__server_backends[];

#endif

/**
 * The backends that the server opens.
 */
#ifndef PT_SERVER_BACKENDS_H
#define PT_SERVER_BACKENDS_H

#include <portico/host.h>

/** The kind of that name; PT_INVALID_ARGUMENT naming those that there are. */
pt_status pt__server_find_backend(const char *name, const pt_backend_vtable **out, pt_error *err);

/**
 * Opens the backend of the option "backend", which is the default one; beside a cluster also DuckDB, which reads the
 * columns of files for it and may be a target of route. Errors: those of the backends.
 */
pt_status pt__server_add_backends(pt_host *host, const pt_config *config, pt_error *err);

#endif

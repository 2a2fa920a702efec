/**
 * Further backends and the wrappers around the default one, as the configuration names them.
 */
#ifndef PT_SERVER_WRAPPING_H
#define PT_SERVER_WRAPPING_H

#include <portico/host.h>

/** The options "backends" and "wrappers". Errors: those of their parts; PT_INVALID_ARGUMENT. */
pt_status pt__server_wrap(pt_host *host, const pt_config *config, pt_error *err);

#endif

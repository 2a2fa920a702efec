/**
 * Security: what the options tls-* ask for.
 */
#ifndef PT_SERVER_SECURITY_H
#define PT_SERVER_SECURITY_H

#include "loop/tls.h"
#include <portico/config.h>

/** `*out` stays NULL when the options do not ask for it. Errors: PT_INVALID_ARGUMENT, PT_IO naming the file. */
pt_status pt__security_open_tls(const pt_config *config, pt__tls_context **out, pt_error *err);

#endif

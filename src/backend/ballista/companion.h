/**
 * The DuckDB of the host: it tells the columns of files, and reads what a cluster does not read.
 */
#ifndef PT_BACKEND_BALLISTA_COMPANION_H
#define PT_BACKEND_BALLISTA_COMPANION_H

#include "backend/ballista/operation.h"

/**
 * The backend with `self` being the session's session there, made when it is first needed.
 * Errors: PT_UNSUPPORTED when the host has none. Threads: any.
 */
pt_status pt__companion_open(pt__ballista_session *session, pt_backend *out, pt_error *err);
void pt__companion_close(pt__ballista_session *session);

#endif

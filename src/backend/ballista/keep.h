/**
 * Rows that a session keeps, of checkpoints and caches: the cluster writes them into a folder of the shared directory,
 * which is there until they are released.
 */
#ifndef PT_BACKEND_BALLISTA_KEEP_H
#define PT_BACKEND_BALLISTA_KEEP_H

#include "backend/ballista/operation.h"

/** `*kept` is a pt__ballista_kept. Errors: those of the query; UNSUPPORTED_FEATURE without a shared directory. */
pt_status pt__ballista_keep(pt__ballista_session *session, const pt_query *query, void **kept, pt_error *err);
void pt__ballista_release_kept(void *kept);

#endif

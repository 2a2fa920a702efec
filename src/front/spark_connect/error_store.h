/**
 * Errors whose details a client may still fetch: each once, the oldest are dropped beyond a limit.
 *
 * Threads: any.
 */
#ifndef PT_FRONT_SPARK_CONNECT_ERROR_STORE_H
#define PT_FRONT_SPARK_CONNECT_ERROR_STORE_H

#include <portico/error.h>

enum { PT_ERROR_ID_BYTES = 37 };

typedef struct pt__connect_errors pt__connect_errors;

pt__connect_errors *pt__connect_errors_new(size_t limit);
void pt__connect_errors_free(pt__connect_errors *errors);

/** Keeps a copy for the session (server-side id) and names it; false when memory is exhausted. */
bool pt__connect_errors_put(pt__connect_errors *errors, const char *session_id, const pt_error *err,
                            char id[PT_ERROR_ID_BYTES]);

/** Hands the error over to `*out`; false when the session has no error of that id. */
bool pt__connect_errors_take(pt__connect_errors *errors, const char *session_id, const char *id, pt_error *out);

#endif

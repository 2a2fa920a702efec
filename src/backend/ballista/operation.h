/**
 * A query on the cluster: submitted when its first rows are asked for, in the thread that asks.
 */
#ifndef PT_BACKEND_BALLISTA_OPERATION_H
#define PT_BACKEND_BALLISTA_OPERATION_H

#include "backend/ballista/cluster.h"

#include <portico/query.h>

typedef struct pt__ballista_session {
    pt__ballista *cluster;
    char id[64];
} pt__ballista_session;

/** `*out` is the caller's, to be ended by its `free`. Errors: PT_UNSUPPORTED naming what the cluster lacks. */
pt_status pt__ballista_operation_new(pt__ballista_session *session, const pt_query *query, pt_operation **out,
                                     pt_error *err);

#endif

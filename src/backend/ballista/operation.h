/**
 * A query on the cluster: submitted when its first rows are asked for, in the thread that asks.
 */
#ifndef PT_BACKEND_BALLISTA_OPERATION_H
#define PT_BACKEND_BALLISTA_OPERATION_H

#include "backend/ballista/cluster.h"
#include "backend/ballista/lower.h"

#include <portico/query.h>

typedef struct pt__ballista_session {
    pt__ballista *cluster;
    char id[64];
    pthread_mutex_t lock;
    void *companion; /* companion.h; NULL: not needed yet */
} pt__ballista_session;

/** How plans are lowered for this cluster; what would have to be staged is not, so that the plan is for looking at. */
pt__ballista_lower_options pt__ballista_lowering(const pt__ballista *cluster, const char *time_zone);

/**
 * Lowers an analyzed plan, of a command the query; commands give no columns.
 * Errors: see pt__ballista_lower.
 */
pt_status pt__ballista_lower_query(const pt__ballista *cluster, pt__arena *arena, const pt_plan *plan,
                                   const pt__ballista_lower_options *options, pt__ballista_lowered *out, pt_error *err);

/** `*out` is the caller's, to be ended by its `free`. Errors: PT_UNSUPPORTED naming what the cluster lacks. */
pt_status pt__ballista_operation_new(pt__ballista_session *session, const pt_query *query, pt_operation **out,
                                     pt_error *err);

#endif

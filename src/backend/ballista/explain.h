/**
 * How a cluster would run a query.
 */
#ifndef PT_BACKEND_BALLISTA_EXPLAIN_H
#define PT_BACKEND_BALLISTA_EXPLAIN_H

#include "backend/ballista/operation.h"

/** DataFusion's plans of an analyzed query, as text in `arena`; the cluster is asked. */
pt_status pt__ballista_explain(pt__ballista_session *session, const pt_query *query, pt__arena *arena, const char **out,
                               pt_error *err);

#endif

/**
 * Commands that are not a cluster's: its own tables, and files that it would not write as Spark does.
 *
 * What reads no files is carried out by the companion. Otherwise the cluster runs the query, whose rows wait in a
 * folder of the shared directory for the companion, which carries out the command with them.
 */
#ifndef PT_BACKEND_BALLISTA_RELAY_H
#define PT_BACKEND_BALLISTA_RELAY_H

#include "backend/ballista/operation.h"
#include "backend/ballista/write.h"

/** Whether the companion carries out the plan as it is. */
bool pt__ballista_is_companions(const pt_plan *plan);

/** Refuses what the companion could not read of the plan. */
pt_status pt__ballista_check_companions(const pt_plan *plan, pt_error *err);

typedef struct pt__ballista_relay {
    pt__arena *arena;
    const pt_plan *command; /* NULL: there is none */
    const pt_plan *query;   /* of the command */
    pt__ballista_write write;
    _Atomic(pt_operation *) operation; /* of the companion; NULL: not begun */
} pt__ballista_relay;

/** Lowers the command's query. Errors: see pt__ballista_lower; UNSUPPORTED_FEATURE without a shared directory. */
pt_status pt__ballista_relay_prepare(pt__arena *arena, const pt__ballista *cluster, const pt_plan *command,
                                     const pt__ballista_lower_options *options, pt__ballista_relay *out, pt_error *err);

/** Carries out the command, once the rows are there. `query` is that of the operation. */
pt_status pt__ballista_relay_finish(pt__ballista_relay *relay, pt__ballista_session *session, const pt_query *query,
                                    pt_error *err);

/** Threads: any. */
void pt__ballista_relay_cancel(pt__ballista_relay *relay);
void pt__ballista_relay_deinit(pt__ballista_relay *relay);

#endif

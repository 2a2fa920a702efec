/**
 * Sender: a job's result as the messages of a DoGet, the schema first, then the batches as they lie in the spool.
 *
 * It reads no further than the client does: what is sent waits in the call's queue up to a limit.
 * Threads: the call's loop thread.
 */
#ifndef PT_FRONT_FLIGHT_SENDER_H
#define PT_FRONT_FLIGHT_SENDER_H

#include "exec/spool.h"

typedef struct pt__flight_sender pt__flight_sender;

/**
 * `end(context, failure)` runs once, when all was sent (NULL) or nothing more can be: it finishes the call. The sender
 * is then to be freed as before. Nothing is sent before the first pump.
 */
pt_status pt__flight_sender_new(pt_call *call, pt_job *job, void (*end)(void *context, const pt_error *failure),
                                void *context, pt__flight_sender **out, pt_error *err);

/** From now on what is sent is forgotten: nobody will ask for the result again. */
void pt__flight_sender_forget(pt__flight_sender *sender);

/** Sends what there is; also from the method's `writable`. */
void pt__flight_sender_pump(pt__flight_sender *sender);

/** Whether the end has been reached, good or bad. */
bool pt__flight_sender_has_ended(const pt__flight_sender *sender);

/** Sends no more. NULL is allowed. */
void pt__flight_sender_free(pt__flight_sender *sender);

#endif

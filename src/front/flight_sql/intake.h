/**
 * Intake: the rows that a DoPut brings, on their way from its call to a worker, which reads them while they come. When the
 * worker is behind, the call is paused, so that the client's window closes.
 *
 * Threads: `call` and what takes it belong to the call's loop thread, the stream to the worker; the rest to any.
 */
#ifndef PT_FRONT_FLIGHT_SQL_INTAKE_H
#define PT_FRONT_FLIGHT_SQL_INTAKE_H

#include "front/flight/message.h"

#include <portico/arrow.h>

typedef struct pt__flight_intake pt__flight_intake;

/** For the call. `timeout_ms`: how long the worker waits for the next message. NULL when memory is exhausted. */
pt__flight_intake *pt__flight_intake_new(pt_call *call, uint64_t timeout_ms);
pt__flight_intake *pt__flight_intake_ref(pt__flight_intake *intake);
void pt__flight_intake_unref(pt__flight_intake *intake);

/** Adds a message whose views point into `take_owner`. Threads: the loop thread. */
pt_status pt__flight_intake_add(pt__flight_intake *intake, pt_bytes *take_owner, const pt__flight_data *data,
                                pt_error *err);
/** Bytes that wait. */
size_t pt__flight_intake_queued_bytes(pt__flight_intake *intake);

/** The client has sent all. */
void pt__flight_intake_end(pt__flight_intake *intake);
/** There will be no more, and what came does not count: the worker's reading fails. The call is not used any more. */
void pt__flight_intake_cut(pt__flight_intake *intake);

/** The rows, once. Takes the reference. Everything in them is checked. */
pt_status pt__flight_intake_stream(pt__flight_intake *take_intake, struct ArrowArrayStream *out, pt_error *err);

#endif

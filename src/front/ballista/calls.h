/**
 * The handlers of the calls, by methods.def; and how calls are answered.
 *
 * Threads: the call's loop thread.
 */
#ifndef PT_FRONT_BALLISTA_CALLS_H
#define PT_FRONT_BALLISTA_CALLS_H

#include "base/arena.h"
#include "front/ballista/mount.h"
#include "front/flight/errors.h"

#include <portico/call.h>
#include <protobuf-c/protobuf-c.h>

/* execute.c: ExecuteQuery answers once the plan has been read. */
void pt__ballista_execute_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_execute_closed(void *mount, pt_call *call, pt_call_end end);
/** Answers calls that have waited long enough for their plan to be read. */
void pt__ballista_execute_tick(pt__ballista *mount);

/* push.c: ExecuteQueryPush tells each state of its job. */
void pt__ballista_push_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_push_closed(void *mount, pt_call *call, pt_call_end end);

/* fetch.c: DoGet with a partition's ticket. */
void pt__ballista_fetch_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_fetch_writable(void *mount, pt_call *call);
void pt__ballista_fetch_closed(void *mount, pt_call *call, pt_call_end end);
bool pt__ballista_claims(void *mount, const char *path, pt_bytes_view first_message);

/* control.c: answered at once. */
void pt__ballista_status_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_metrics_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_cancel_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_clean_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_create_session_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__ballista_remove_session_message(void *mount, pt_call *call, pt_bytes_view request);

/* answer.c */

/** half_closed of every call: a client that sends no request gets an error. */
void pt__ballista_half_closed(void *mount, pt_call *call);

/** call->state of a call that was answered and holds nothing. */
void *pt__ballista_answered(void);

/** Text about a plan that could not be read, the caller's to free; NULL: no memory. */
char *pt__ballista_parse_failure(const pt_error *err);

void pt__ballista_fail_with(pt_call *call, pt_grpc_code code, const char *message);

/** Queues a message; false when the call was failed. */
bool pt__ballista_send(pt_call *call, const ProtobufCMessage *message);
/** Sends the only message of an answer, and ends the call. */
void pt__ballista_reply(pt_call *call, const ProtobufCMessage *message);

/**
 * Reads the request of a call and works it out: `work` answers or fails. What it is given lives as long as the call of
 * this function.
 */
void pt__ballista_work(void *mount, pt_call *call, pt_bytes_view request, const ProtobufCMessageDescriptor *descriptor,
                       pt_status (*work)(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message,
                                         pt_error *err));

#endif

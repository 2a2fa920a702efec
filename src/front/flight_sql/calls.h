/**
 * The handlers of the service's calls, one file each; methods.def says which call each one serves.
 */
#ifndef PT_FRONT_FLIGHT_SQL_CALLS_H
#define PT_FRONT_FLIGHT_SQL_CALLS_H

#include "front/flight_sql/mount.h"

#include <portico/call.h>

/* Handshake: sign-in, and a token for a session. */
void pt__flight_handshake_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_handshake_half_closed(void *mount, pt_call *call);

/* GetFlightInfo and PollFlightInfo: a statement runs to its first rows, an update to its end. */
void pt__flight_info_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_poll_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_info_closed(void *mount, pt_call *call, pt_call_end end);
/** Answers polls that wait with how far their statement is; about once a second, on the loop thread. */
void pt__flight_polls_tick(pt__flight *mount);

/* GetSchema and DoAction: worked out on a worker. */
void pt__flight_schema_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_action_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_task_closed(void *mount, pt_call *call, pt_call_end end);

/* DoGet: a result. */
void pt__flight_get_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_get_writable(void *mount, pt_call *call);
void pt__flight_get_closed(void *mount, pt_call *call, pt_call_end end);

/* DoPut: updates, parameters, ingestion. */
void pt__flight_put_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_put_half_closed(void *mount, pt_call *call);
void pt__flight_put_closed(void *mount, pt_call *call, pt_call_end end);

/* Answered at once. */
void pt__flight_list_actions_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_list_flights_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__flight_exchange_started(void *mount, pt_call *call);

/** half_closed of the calls with one request: a client that sends none gets an error. */
void pt__flight_half_closed(void *mount, pt_call *call);

/** call->state of a call that was answered and holds nothing. */
void *pt__flight_answered(void);

#endif

/**
 * Calls with one request and one response that need no worker.
 */
#ifndef PT_FRONT_SPARK_CONNECT_UNARY_H
#define PT_FRONT_SPARK_CONNECT_UNARY_H

#include "front/spark_connect/mount.h"
#include "front/spark_connect/request.h"

typedef struct pt__connect_unary {
    pt__connect *mount;
    pt_call *call;
    pt__arena *arena;    /* of the call */
    pt_session *session; /* what pt__connect_unary_session found; NULL before */
} pt__connect_unary;

/** Answers a call: `*response` is packed and sent when it returns PT_OK. */
typedef pt_status (*pt__connect_answer)(pt__connect_unary *unary, pt_bytes_view request,
                                        const ProtobufCMessage **response, pt_error *err);

/** Runs `answer` and finishes the call, which must not have been answered before. */
void pt__connect_unary_run(pt__connect *mount, pt_call *call, pt_bytes_view request, pt__connect_answer answer);

/** Finds (or makes) the session; the call's errors are then kept for it. */
pt_status pt__connect_unary_session(pt__connect_unary *unary, const pt__session_key *key, bool create, pt_error *err);

/** A zeroed message of the arena: pt__connect_make(arena, Spark__Connect__X, spark__connect__x__init). */
#define pt__connect_make(arena, type, init)                                                                            \
    ((type *)pt__connect_make_with((arena), sizeof(type), (void (*)(void))(init)))
void *pt__connect_make_with(pt__arena *arena, size_t size_bytes, void (*init)(void));

/** Sends one packed message. Threads: the call's loop thread. */
pt_status pt__connect_send(pt_call *call, const ProtobufCMessage *message, pt_error *err);

/** Ends the call with an error; with a session its details are kept for FetchErrorDetails. */
void pt__connect_fail(pt__connect *mount, pt_call *call, pt_session *session, const pt_error *err);

void pt__connect_finish_ok(pt_call *call);

/** call->state of a call that was answered and holds nothing any more. */
void *pt__connect_answered(void);

/** half_closed of every method: a client that sends no request gets an error. */
void pt__connect_half_closed(void *mount, pt_call *call);

#endif

/**
 * Task: what a call asks for is worked out on a worker, and its answers are sent from the loop thread.
 */
#ifndef PT_FRONT_FLIGHT_SQL_TASK_H
#define PT_FRONT_FLIGHT_SQL_TASK_H

#include "base/list.h"
#include "front/flight_sql/session.h"

#include <portico/call.h>

#include <stdatomic.h>

typedef struct pt__flight_task {
    pt__flight *mount; /* a reference */
    pt_call *call;     /* loop thread only; NULL once the call is over */
    pt_mailbox *mailbox;
    pt__flight_session *session;
    pt_bytes *request;
    bool is_java; /* the client is JDBC */
    /* the worker's */
    pt__arena *arena;
    atomic_bool is_cancelled;     /* nobody waits for the answers any more */
    pt__list(pt_bytes *) answers; /* messages, in the arena; each a reference */
    pt_error err;
    pt_status (*work)(struct pt__flight_task *task, pt_error *err);
} pt__flight_task;

/**
 * Starts `work` for the call, whose state it becomes; answers and closing are seen to. What is quick, and waits for
 * nobody, is done by the time this returns; all else on a worker.
 */
void pt__flight_task_start(pt__flight *mount, pt_call *call, pt_bytes_view request,
                           pt_status (*work)(pt__flight_task *task, pt_error *err), bool is_quick);

/** Of a task: for pt_query and what else asks so. Any thread. */
bool pt__flight_task_is_cancelled(void *task);

/** Adds an answer; takes the message, NULL is exhausted memory. On the worker. */
pt_status pt__flight_task_answer(pt__flight_task *task, pt_bytes *take_message, pt_error *err);

#endif

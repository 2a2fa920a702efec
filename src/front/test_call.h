/**
 * A call without a transport, for tests: keeps what a handler sends and how it finishes.
 */
#ifndef PT_FRONT_TEST_CALL_H
#define PT_FRONT_TEST_CALL_H

#include "base/buffer.h"

#include <portico/frontend.h>

enum { PT_TEST_MESSAGES_MAX = 64 };

typedef struct pt__test_call {
    pt_call base; /* first: handlers see only this */
    pt_mailbox *mailbox;
    pt__buffer messages[PT_TEST_MESSAGES_MAX];
    size_t message_count;
    bool is_finished;
    pt_grpc_code code;
    pt__buffer status_message;
    pt__buffer details;
} pt__test_call;

void pt__test_call_init(pt__test_call *call, pt_mailbox *mailbox);
/** Tells the method that the call is closed, then frees what was kept. */
void pt__test_call_end(pt__test_call *call, const pt_method *method, void *mount);

/** Runs the mailbox until the call is finished, for at most ten seconds. */
bool pt__test_call_await(pt__test_call *call);

/** The method of that name: "Config". */
const pt_method *pt__test_method(const char *name);

#endif

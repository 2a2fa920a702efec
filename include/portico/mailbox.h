/**
 * Mailbox: how workers hand work to the loop thread that owns a connection.
 *
 * The embedder makes one per loop thread. A post from any thread calls `wake`, upon which the loop thread calls
 * pt_mailbox_run soon.
 */
#ifndef PORTICO_MAILBOX_H
#define PORTICO_MAILBOX_H

#include <portico/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_mailbox pt_mailbox;

/**
 * `wake(context)` runs on the posting thread, with the mailbox locked, for the first post since the last run; it must
 * only signal, e.g. by uv_async_send or an eventfd. NULL: the loop polls. `*out` is the caller's to free.
 * Errors: PT_NO_MEMORY.
 */
pt_status pt_mailbox_new(void (*wake)(void *context), void *context, pt_mailbox **out, pt_error *err);

/** Runs what is left, then frees; NULL is allowed. Nothing may post any more. Threads: the loop thread. */
void pt_mailbox_free(pt_mailbox *mailbox);

/**
 * Queues run(argument) for the loop thread. Calls run in the order of their posts.
 * Errors: none but exhausted memory, in which case the process aborts: a lost completion would hang a client.
 * Threads: any.
 */
void pt_mailbox_post(pt_mailbox *mailbox, void (*run)(void *argument), void *argument);

/** Runs all that was posted before the call; returns how many. Threads: the loop thread. */
size_t pt_mailbox_run(pt_mailbox *mailbox);

#ifdef __cplusplus
}
#endif

#endif

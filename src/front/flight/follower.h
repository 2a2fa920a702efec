/**
 * Follower: reads a job's output on the loop thread of a call, and is called when there is something.
 *
 * Threads: the loop thread.
 */
#ifndef PT_FRONT_FLIGHT_FOLLOWER_H
#define PT_FRONT_FLIGHT_FOLLOWER_H

#include "exec/spool.h"

typedef struct pt__flight_follower pt__flight_follower;

/** Each may stop the follower. */
typedef struct pt__flight_follow {
    /** The next entry, borrowed. */
    void (*entry)(void *context, const pt__spool_entry *entry);
    /** All was read, once; `failure` NULL: the job succeeded. */
    void (*end)(void *context, const pt_error *failure);
    /** Whether an entry would be welcome now; when it is again, pump. NULL: always. */
    bool (*wants)(void *context);
    void *context;
} pt__flight_follow;

/** From the entry `position` on. Nothing is called before the first pump. */
pt_status pt__flight_follower_new(pt_job *job, uint64_t position, pt_mailbox *mailbox, const pt__flight_follow *follow,
                                  pt__flight_follower **out, pt_error *err);

void pt__flight_follower_pump(pt__flight_follower *follower);

/** Nothing is called any more; the follower ends by itself. */
void pt__flight_follower_stop(pt__flight_follower *follower);

#endif

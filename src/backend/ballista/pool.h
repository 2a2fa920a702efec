/**
 * Connections that wait for their next query, by address.
 *
 * Threads: any; a channel that was taken is the taker's alone until it is given back.
 */
#ifndef PT_BACKEND_BALLISTA_POOL_H
#define PT_BACKEND_BALLISTA_POOL_H

#include "backend/ballista/channel.h"

#include <pthread.h>

typedef struct pt__pool {
    const pt__ballista_options *options;
    pthread_mutex_t lock;
    pt__channel *idle; /* the last one used first */
    size_t idle_count;
} pt__pool;

/** `options` outlive it. */
void pt__pool_init(pt__pool *pool, const pt__ballista_options *options);
void pt__pool_deinit(pt__pool *pool);

/** One that is idle and still open, or a new one; see pt__channel_open. */
pt_status pt__pool_take(pt__pool *pool, const char *address, pt__channel **out, pt_error *err);

/** Gives it back; one that is not usable any more is closed. NULL is allowed. */
void pt__pool_give(pt__pool *pool, pt__channel *take_channel);

#endif

#include "backend/ballista/pool.h"

#include <string.h>

enum { IDLE_MS = 60000 };

void pt__pool_init(pt__pool *pool, const pt__ballista_options *options)
{
    *pool = (pt__pool){.options = options};
    pthread_mutex_init(&pool->lock, NULL);
}

void pt__pool_deinit(pt__pool *pool)
{
    while (pool->idle != NULL) {
        pt__channel *next = pool->idle->next;
        pt__channel_free(pool->idle);
        pool->idle = next;
    }
    pthread_mutex_destroy(&pool->lock);
}

static pt__channel *unlink_idle(pt__pool *pool, const char *address)
{
    pthread_mutex_lock(&pool->lock);
    pt__channel **link = &pool->idle;
    while (*link != NULL && strcmp((*link)->address, address) != 0)
        link = &(*link)->next;
    pt__channel *found = *link;
    if (found != NULL) {
        *link = found->next;
        pool->idle_count--;
    }
    pthread_mutex_unlock(&pool->lock);
    return found;
}

pt_status pt__pool_take(pt__pool *pool, const char *address, pt__channel **out, pt_error *err)
{
    for (pt__channel *found; (found = unlink_idle(pool, address)) != NULL;) {
        if (pt__channel_refresh(found)) { /* sees when the peer has closed it meanwhile */
            found->heard_ms = pt__monotonic_ms();
            *out = found;
            return PT_OK;
        }
        pt__channel_free(found);
    }
    return pt__channel_open(pool->options, address, out, err);
}

/* Those at the end have waited longest. */
static pt__channel *cut_old(pt__pool *pool, uint64_t now_ms)
{
    pt__channel **link = &pool->idle;
    for (size_t i = 0; *link != NULL; i++) {
        if (i >= pool->options->idle_connections || now_ms - (*link)->idle_since_ms >= IDLE_MS) {
            pt__channel *old = *link;
            *link = NULL;
            pool->idle_count = i;
            return old;
        }
        link = &(*link)->next;
    }
    return NULL;
}

void pt__pool_give(pt__pool *pool, pt__channel *take_channel)
{
    if (take_channel == NULL)
        return;
    if (!pt__channel_refresh(take_channel)) {
        pt__channel_free(take_channel);
        return;
    }
    uint64_t now_ms = pt__monotonic_ms();
    take_channel->idle_since_ms = now_ms;
    pthread_mutex_lock(&pool->lock);
    take_channel->next = pool->idle;
    pool->idle = take_channel;
    pool->idle_count++;
    pt__channel *old = cut_old(pool, now_ms);
    pthread_mutex_unlock(&pool->lock);
    while (old != NULL) {
        pt__channel *next = old->next;
        pt__channel_free(old);
        old = next;
    }
}

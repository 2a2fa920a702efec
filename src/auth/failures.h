/**
 * Failures: who failed to sign in how often, by address and by address and user. An address of IPv6 counts with its
 * neighbours of the same /64.
 *
 * Threads: one at a time; the clerk's lock.
 */
#ifndef PT_AUTH_FAILURES_H
#define PT_AUTH_FAILURES_H

#include "auth/limits.h"
#include "base/map.h"

typedef struct pt__failure {
    uint64_t count;
    uint64_t last_ms;
    uint64_t free_at_ms; /* until then nothing more is tried */
    size_t users;        /* attempts that point to it */
} pt__failure;

typedef struct pt__failures {
    pt__map by_key; /* pt__failure, owned */
} pt__failures;

void pt__failures_deinit(pt__failures *failures);

/**
 * The record of `peer` ("address:port"), and of `name` there unless it is NULL; counted as used. NULL when there are
 * too many, or no memory: then nothing is held against it.
 */
pt__failure *pt__failures_use(pt__failures *failures, const char *peer, const char *name, uint64_t now_ms);
/** NULL is allowed. */
void pt__failures_release(pt__failure *failure);

/** One more; the delay that it costs. NULL costs the first delay. */
uint64_t pt__failures_count(pt__failure *failure, const pt__auth_limits *limits, uint64_t now_ms);

#endif

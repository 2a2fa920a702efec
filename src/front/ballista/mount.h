/**
 * What the calls of one mounted Ballista frontend share: the sessions that clients made, and their jobs.
 *
 * Threads: the loop thread of the routes, but for what says otherwise.
 */
#ifndef PT_FRONT_BALLISTA_MOUNT_H
#define PT_FRONT_BALLISTA_MOUNT_H

#include "base/map.h"

#include <portico/frontend.h>
#include <portico/host.h>
#include <portico/session.h>

/** What clients can grow, and how long it stays: limits.def. */
typedef struct pt__ballista_limits {
#define PT_LIMIT(field, key, kind, value, reason) uint64_t field;
#include "front/ballista/limits.def"
#undef PT_LIMIT
} pt__ballista_limits;

struct pt__ballista_execute;

typedef struct pt__ballista {
    pt_host *host;
    pt__map sessions; /* session.h: by user and id, a reference each */
    pt__map jobs;     /* job.h: by job id, a reference each */
    pt__ballista_limits limits;
    uint64_t fetched_bytes;                /* of results that were fetched and are kept */
    struct pt__ballista_execute *executes; /* calls that wait for their plan to be read */
} pt__ballista;

#endif

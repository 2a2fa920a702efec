/**
 * What the calls of one mounted Flight SQL service share: sessions of clients and tickets of results.
 *
 * Threads: any, but for what says otherwise; `lock` guards the maps. Work on other threads keeps the mount alive by
 * reference.
 */
#ifndef PT_FRONT_FLIGHT_SQL_MOUNT_H
#define PT_FRONT_FLIGHT_SQL_MOUNT_H

#include "base/map.h"

#include <portico/frontend.h>
#include <portico/host.h>

#include <pthread.h>
#include <stdatomic.h>

#define PT_FLIGHT_SQL_URL "type.googleapis.com/arrow.flight.protocol.sql."

/** What clients can grow, and how long it stays: limits.def. */
typedef struct pt__flight_limits {
#define PT_LIMIT(field, key, kind, value, reason) uint64_t field;
#include "front/flight_sql/limits.def"
#undef PT_LIMIT
} pt__flight_limits;

typedef struct pt__flight {
    atomic_size_t references;
    pt_host *host;
    pthread_mutex_t lock;
    pt__map sessions; /* session.h: by key, a reference each */
    pt__map tickets;  /* ticket.h: by ticket text */
    pt__flight_limits limits;
    struct pt__flight_info *polls; /* that wait for first rows; the loop thread's */
    _Atomic uint64_t now_ms;       /* as of the last tick */
    bool spark_dialect;            /* what SQL means unless a session says otherwise */
} pt__flight;

pt__flight *pt__flight_ref(pt__flight *mount);
void pt__flight_unref(pt__flight *mount);

#endif

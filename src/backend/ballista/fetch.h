/**
 * The partitions of a result, one after the other, from where they are: some are asked for ahead, as far as their
 * windows let them come.
 *
 * Threads: one at a time; another one may raise `wake`.
 */
#ifndef PT_BACKEND_BALLISTA_FETCH_H
#define PT_BACKEND_BALLISTA_FETCH_H

#include "backend/ballista/cluster.h"
#include "backend/ballista/flight_reader.h"
#include "backend/ballista/remote_job.h"

enum { PT_FETCH_CONNECTIONS_MAX = 32 };

typedef struct pt__fetch_slot {
    pt__channel *channel;
    pt__rpc_call *call;
    const pt__location *location;
} pt__fetch_slot;

typedef struct pt__fetch {
    pt__ballista *cluster;
    pt__wake *wake;
    const pt__location *locations;
    size_t location_count;
    size_t next;                                    /* that is not asked for yet */
    pt__fetch_slot slots[PT_FETCH_CONNECTIONS_MAX]; /* the first is read */
    size_t slot_count;
    pt__flight_reader *reader; /* of the first slot */
    uint64_t waiting_since_ms; /* 0: not */
} pt__fetch;

/** `locations` outlive it. */
void pt__fetch_init(pt__fetch *fetch, pt__ballista *cluster, pt__wake *wake, const pt__location *locations,
                    size_t location_count);
void pt__fetch_deinit(pt__fetch *fetch);

/**
 * The next rows, the caller's to release; `release` NULL: there are no more. `*schema` is theirs, valid until the next
 * call. Errors: PT_UNAVAILABLE, PT_TIMEOUT when an executor says nothing, PT_CANCELLED, PT_BAD_MESSAGE.
 */
pt_status pt__fetch_next(pt__fetch *fetch, struct ArrowArray *out, const struct ArrowSchema **schema, pt_error *err);

#endif

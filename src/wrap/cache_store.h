/**
 * Results under their keys, within limits of memory and age: the least recently used go first.
 *
 * Threads: any.
 */
#ifndef PT_WRAP_CACHE_STORE_H
#define PT_WRAP_CACHE_STORE_H

#include "wrap/shared_batch.h"

#include <portico/error.h>

typedef struct pt__cache_store pt__cache_store;

typedef struct pt__cache_limits {
    uint64_t memory_bytes;
    uint64_t entry_bytes;
    uint64_t max_age_ms;
} pt__cache_limits;

pt__cache_store *pt__cache_store_new(const pt__cache_limits *limits);
void pt__cache_store_free(pt__cache_store *store);

uint64_t pt__cache_store_entry_limit(const pt__cache_store *store);

/** The batches of one result; counted references. */
typedef struct pt__cache_entry {
    pt__shared_batch **batches;
    size_t batch_count;
    uint64_t bytes; /* all that it takes */
} pt__cache_entry;

/** An empty entry; NULL without memory. */
pt__cache_entry *pt__cache_entry_new(void);
/** Refers to the batch; false without memory. */
bool pt__cache_entry_add(pt__cache_entry *entry, pt__shared_batch *batch, uint64_t bytes);
void pt__cache_entry_unref(pt__cache_entry *entry);

/** A reference, or NULL. */
pt__cache_entry *pt__cache_store_find(pt__cache_store *store, const char *key);
/** Takes the entry's reference; one that is too large is dropped. */
void pt__cache_store_put(pt__cache_store *store, const char *key, pt__cache_entry *take_entry);

/** For tests and logs. */
typedef struct pt__cache_counts {
    uint64_t hits;
    uint64_t misses;
    uint64_t entries;
    uint64_t bytes;
} pt__cache_counts;
pt__cache_counts pt__cache_store_counts(pt__cache_store *store);

#endif

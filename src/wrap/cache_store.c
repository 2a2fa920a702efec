#include "wrap/cache_store.h"

#include "base/map.h"
#include "base/monotonic.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct counted_entry {
    pt__cache_entry entry;
    atomic_size_t references;
} counted_entry;

/* A place of the store, in the order of use. */
typedef struct place {
    struct place *newer;
    struct place *older;
    char *key;
    pt__cache_entry *entry; /* a reference */
    uint64_t bytes;
    uint64_t made_ms;
} place;

struct pt__cache_store {
    pthread_mutex_t lock;
    pt__cache_limits limits;
    pt__map places;
    place *newest;
    place *oldest;
    pt__cache_counts counts;
};

/* ---- entries ---- */

pt__cache_entry *pt__cache_entry_new(void)
{
    counted_entry *counted = calloc(1, sizeof(*counted));
    if (counted == NULL)
        return NULL;
    atomic_init(&counted->references, 1);
    return &counted->entry;
}

bool pt__cache_entry_add(pt__cache_entry *entry, pt__shared_batch *batch, uint64_t bytes)
{
    pt__shared_batch **larger = realloc(entry->batches, (entry->batch_count + 1) * sizeof(pt__shared_batch *));
    if (larger == NULL)
        return false;
    entry->batches = larger;
    entry->batches[entry->batch_count++] = pt__shared_batch_ref(batch);
    entry->bytes += bytes;
    return true;
}

static pt__cache_entry *ref_entry(pt__cache_entry *entry)
{
    atomic_fetch_add_explicit(&((counted_entry *)entry)->references, 1, memory_order_relaxed);
    return entry;
}

void pt__cache_entry_unref(pt__cache_entry *entry)
{
    if (entry == NULL || atomic_fetch_sub_explicit(&((counted_entry *)entry)->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < entry->batch_count; i++)
        pt__shared_batch_unref(entry->batches[i]);
    free(entry->batches);
    free(entry);
}

/* ---- places, with the store's lock ---- */

static void unlink_place(pt__cache_store *store, place *p)
{
    *(p->newer == NULL ? &store->newest : &p->newer->older) = p->older;
    *(p->older == NULL ? &store->oldest : &p->older->newer) = p->newer;
    p->newer = p->older = NULL;
}

static void link_newest(pt__cache_store *store, place *p)
{
    p->older = store->newest;
    if (store->newest != NULL)
        store->newest->newer = p;
    store->newest = p;
    if (store->oldest == NULL)
        store->oldest = p;
}

static void drop_place(pt__cache_store *store, place *p)
{
    pt__map_remove(&store->places, p->key);
    unlink_place(store, p);
    store->counts.entries--;
    store->counts.bytes -= p->bytes;
    pt__cache_entry_unref(p->entry);
    free(p->key);
    free(p);
}

static bool is_old(const pt__cache_store *store, const place *p)
{
    return pt__monotonic_ms() - p->made_ms >= store->limits.max_age_ms;
}

static place *new_place(const char *key, pt__cache_entry *entry, uint64_t bytes)
{
    place *p = calloc(1, sizeof(*p));
    char *copy = strdup(key);
    if (p == NULL || copy == NULL) {
        free(p);
        free(copy);
        return NULL;
    }
    *p = (place){.key = copy, .entry = ref_entry(entry), .bytes = bytes, .made_ms = pt__monotonic_ms()};
    return p;
}

/* ---- the store ---- */

pt__cache_store *pt__cache_store_new(const pt__cache_limits *limits)
{
    pt__cache_store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return NULL;
    store->limits = *limits;
    pthread_mutex_init(&store->lock, NULL);
    return store;
}

void pt__cache_store_free(pt__cache_store *store)
{
    if (store == NULL)
        return;
    while (store->oldest != NULL)
        drop_place(store, store->oldest);
    pt__map_deinit(&store->places);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

uint64_t pt__cache_store_entry_limit(const pt__cache_store *store)
{
    return store->limits.entry_bytes;
}

pt__cache_entry *pt__cache_store_find(pt__cache_store *store, const char *key)
{
    pt__cache_entry *out = NULL;
    pthread_mutex_lock(&store->lock);
    place *p = pt__map_get(&store->places, key);
    if (p != NULL && is_old(store, p)) {
        drop_place(store, p);
        p = NULL;
    }
    if (p != NULL) {
        unlink_place(store, p);
        link_newest(store, p);
        out = ref_entry(p->entry);
    }
    *(p != NULL ? &store->counts.hits : &store->counts.misses) += 1;
    pthread_mutex_unlock(&store->lock);
    return out;
}

static void put_locked(pt__cache_store *store, const char *key, pt__cache_entry *entry, uint64_t bytes)
{
    place *old = pt__map_get(&store->places, key);
    if (old != NULL)
        drop_place(store, old);
    while (store->oldest != NULL &&
           (store->counts.bytes + bytes > store->limits.memory_bytes || is_old(store, store->oldest)))
        drop_place(store, store->oldest);
    place *p = new_place(key, entry, bytes);
    if (p == NULL)
        return;
    link_newest(store, p);
    store->counts.entries++;
    store->counts.bytes += bytes;
    if (!pt__map_set(&store->places, p->key, p, NULL))
        drop_place(store, p);
}

void pt__cache_store_put(pt__cache_store *store, const char *key, pt__cache_entry *entry)
{
    uint64_t bytes = entry->bytes + 2 * strlen(key) + sizeof(place) + sizeof(counted_entry);
    if (bytes <= store->limits.entry_bytes && bytes <= store->limits.memory_bytes) {
        pthread_mutex_lock(&store->lock);
        put_locked(store, key, entry, bytes);
        pthread_mutex_unlock(&store->lock);
    }
    pt__cache_entry_unref(entry);
}

pt__cache_counts pt__cache_store_counts(pt__cache_store *store)
{
    pthread_mutex_lock(&store->lock);
    pt__cache_counts counts = store->counts;
    pthread_mutex_unlock(&store->lock);
    return counts;
}

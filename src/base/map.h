/**
 * A hash map from text to pointers, in heap memory of its own.
 *
 * Keys are copied; values are the caller's. Iteration order is insertion order as long as nothing is removed.
 * Threads: one at a time.
 */
#ifndef PT_BASE_MAP_H
#define PT_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pt__map_entry {
    char *key; /* NULL: removed */
    void *value;
    uint64_t hash;
} pt__map_entry;

typedef struct pt__map {
    pt__map_entry *entries;
    uint32_t *slots; /* index into entries + 1; 0 empty */
    size_t entry_count;
    size_t entry_capacity;
    size_t slot_count;
    size_t live_count;
} pt__map;

#define PT_MAP_INIT                                                                                                    \
    {                                                                                                                  \
        NULL, NULL, 0, 0, 0, 0                                                                                         \
    }

void pt__map_deinit(pt__map *map);

/** NULL when absent. */
void *pt__map_get(const pt__map *map, const char *key);

/** Sets or replaces; `*old` (may be NULL) gets the value that was there. False when memory is exhausted. */
bool pt__map_set(pt__map *map, const char *key, void *value, void **old);

/** Removes; the value that was there, or NULL. */
void *pt__map_remove(pt__map *map, const char *key);

/** Iteration: start with *position = 0; false at the end. */
bool pt__map_next(const pt__map *map, size_t *position, const char **key, void **value);

uint64_t pt__hash_bytes(const void *data, size_t size_bytes);

#endif

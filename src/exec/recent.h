/**
 * The last so many keys that were seen, each with a small number; the oldest is forgotten first.
 *
 * Threads: one at a time.
 */
#ifndef PT_EXEC_RECENT_H
#define PT_EXEC_RECENT_H

#include "base/map.h"

typedef struct pt__recent {
    pt__map map; /* key to number */
    char **ring; /* the keys, in the order they came */
    size_t capacity;
    size_t count;
    size_t oldest;
} pt__recent;

/** Nothing is allocated before the first key. */
void pt__recent_init(pt__recent *recent, size_t capacity);
void pt__recent_deinit(pt__recent *recent);

/** Remembers or renumbers; `number` is not 0. Forgets silently when memory is exhausted. */
void pt__recent_add(pt__recent *recent, const char *key, uintptr_t number);

/** 0 when the key is not remembered. */
uintptr_t pt__recent_find(const pt__recent *recent, const char *key);

#endif

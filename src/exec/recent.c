#include "exec/recent.h"

#include <stdlib.h>
#include <string.h>

void pt__recent_init(pt__recent *recent, size_t capacity)
{
    memset(recent, 0, sizeof(*recent));
    recent->capacity = capacity;
}

void pt__recent_deinit(pt__recent *recent)
{
    for (size_t i = 0; i < recent->count; i++)
        free(recent->ring[(recent->oldest + i) % recent->capacity]);
    free(recent->ring);
    pt__map_deinit(&recent->map);
    pt__recent_init(recent, recent->capacity);
}

static void forget_oldest(pt__recent *recent)
{
    char *key = recent->ring[recent->oldest];
    pt__map_remove(&recent->map, key);
    free(key);
    recent->oldest = (recent->oldest + 1) % recent->capacity;
    recent->count--;
}

/* The map holds the numbers themselves; nothing is ever read through them. */
static void *as_entry(uintptr_t number)
{
    return (void *)number; /* NOLINT(performance-no-int-to-ptr) */
}

void pt__recent_add(pt__recent *recent, const char *key, uintptr_t number)
{
    if (pt__map_get(&recent->map, key) != NULL) {
        pt__map_set(&recent->map, key, as_entry(number), NULL);
        return;
    }
    if (recent->ring == NULL)
        recent->ring = calloc(recent->capacity, sizeof(*recent->ring));
    char *copy = strdup(key);
    if (recent->ring == NULL || copy == NULL) {
        free(copy);
        return;
    }
    if (recent->count == recent->capacity)
        forget_oldest(recent);
    if (!pt__map_set(&recent->map, key, as_entry(number), NULL)) {
        free(copy);
        return;
    }
    recent->ring[(recent->oldest + recent->count++) % recent->capacity] = copy;
}

uintptr_t pt__recent_find(const pt__recent *recent, const char *key)
{
    return (uintptr_t)pt__map_get(&recent->map, key);
}

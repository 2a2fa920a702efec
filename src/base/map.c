#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 16 };

/* FNV-1a, 64 bit. */
uint64_t pt__hash_bytes(const void *data, size_t size_bytes)
{
    const uint8_t *bytes = data;
    uint64_t hash = 14695981039346656037ULL;
    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ bytes[i]) * 1099511628211ULL;
    return hash;
}

void pt__map_deinit(pt__map *map)
{
    for (size_t i = 0; i < map->entry_count; i++)
        free(map->entries[i].key);
    free(map->entries);
    free(map->slots);
    *map = (pt__map)PT_MAP_INIT;
}

static pt__map_entry *find(const pt__map *map, const char *key, uint64_t hash)
{
    if (map->slot_count == 0)
        return NULL;
    for (size_t slot = hash & (map->slot_count - 1); map->slots[slot] != 0; slot = (slot + 1) & (map->slot_count - 1)) {
        pt__map_entry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->key != NULL && entry->hash == hash && strcmp(entry->key, key) == 0)
            return entry;
    }
    return NULL;
}

void *pt__map_get(const pt__map *map, const char *key)
{
    pt__map_entry *entry = find(map, key, pt__hash_bytes(key, strlen(key)));
    return entry == NULL ? NULL : entry->value;
}

/* Drops removed entries and rebuilds the slots for at least one more entry. */
static bool rebuild(pt__map *map)
{
    size_t slot_count = FIRST_SLOTS;
    while (slot_count < (map->live_count + 1) * 2)
        slot_count *= 2;
    uint32_t *slots = calloc(slot_count, sizeof(*slots));
    pt__map_entry *entries = malloc(slot_count / 2 * sizeof(*entries));
    if (slots == NULL || entries == NULL) {
        free(slots);
        free(entries);
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < map->entry_count; i++) {
        if (map->entries[i].key == NULL)
            continue;
        entries[count] = map->entries[i];
        size_t slot = entries[count].hash & (slot_count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (slot_count - 1);
        slots[slot] = (uint32_t)++count;
    }
    free(map->entries);
    free(map->slots);
    map->entries = entries;
    map->slots = slots;
    map->entry_count = count;
    map->entry_capacity = slot_count / 2;
    map->slot_count = slot_count;
    return true;
}

bool pt__map_set(pt__map *map, const char *key, void *value, void **old)
{
    uint64_t hash = pt__hash_bytes(key, strlen(key));
    pt__map_entry *entry = find(map, key, hash);
    if (old != NULL)
        *old = entry == NULL ? NULL : entry->value;
    if (entry != NULL) {
        entry->value = value;
        return true;
    }
    if (map->entry_count == map->entry_capacity && !rebuild(map))
        return false;
    char *copy = strdup(key);
    if (copy == NULL)
        return false;
    map->entries[map->entry_count++] = (pt__map_entry){copy, value, hash};
    map->live_count++;
    size_t slot = hash & (map->slot_count - 1);
    while (map->slots[slot] != 0)
        slot = (slot + 1) & (map->slot_count - 1);
    map->slots[slot] = (uint32_t)map->entry_count;
    return true;
}

void *pt__map_remove(pt__map *map, const char *key)
{
    pt__map_entry *entry = find(map, key, pt__hash_bytes(key, strlen(key)));
    if (entry == NULL)
        return NULL;
    free(entry->key);
    entry->key = NULL;
    map->live_count--;
    return entry->value;
}

bool pt__map_next(const pt__map *map, size_t *position, const char **key, void **value)
{
    while (*position < map->entry_count) {
        pt__map_entry *entry = &map->entries[(*position)++];
        if (entry->key == NULL)
            continue;
        *key = entry->key;
        *value = entry->value;
        return true;
    }
    return false;
}

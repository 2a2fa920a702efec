#include "exec/schema_cache.h"

#include "exec/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 256, KEY_MAX = 96 };

typedef struct kept_schema {
    pt__shared_arena *memory;
    const pt_type *type;
} kept_schema;

/* 64 bits of hash twice, with sizes: schemas of files that anyone may read, so an honest accident is what counts. */
static void write_key(const pt__schema_key *key, char out[KEY_MAX])
{
    pt__buffer text = PT_BUFFER_INIT;
    const pt_file_request *request = key->request;
    pt__buffer_printf(&text, "%s", request->format);
    for (size_t i = 0; i < request->options.count; i++)
        pt__buffer_printf(&text, "|%s=%s", request->options.items[i].key, request->options.items[i].value);
    for (size_t i = 0; i < request->path_count; i++)
        pt__buffer_printf(&text, "|%s|%lld|%lld", key->files[i].path, (long long)key->files[i].size_bytes,
                          (long long)key->files[i].modified_us);
    uint64_t hash = pt__hash_bytes(text.data, text.size_bytes);
    pt__buffer_append(&text, "#", 1);
    uint64_t second = pt__hash_bytes(text.data + text.size_bytes / 2, text.size_bytes - text.size_bytes / 2);
    snprintf(out, KEY_MAX, "%016llx%016llx%zu", (unsigned long long)hash, (unsigned long long)second,
             text.failed ? 0 : text.size_bytes);
    pt__buffer_deinit(&text);
}

static void free_kept(kept_schema *kept)
{
    pt__shared_arena_unref(kept->memory);
    free(kept);
}

bool pt__schema_cache_find(pt_host *host, pt__arena *arena, const pt__schema_key *key, const pt_type **out)
{
    char text[KEY_MAX];
    write_key(key, text);
    pt__shared_arena *memory = NULL;
    const pt_type *type = NULL;
    pthread_mutex_lock(&host->lock);
    const kept_schema *kept = pt__map_get(&host->schemas, text);
    if (kept != NULL) {
        memory = pt__shared_arena_ref(kept->memory);
        type = kept->type;
    }
    pthread_mutex_unlock(&host->lock);
    if (memory == NULL)
        return false;
    *out = pt__type_copy(arena, type);
    pt__shared_arena_unref(memory);
    return true;
}

static kept_schema *copy_schema(const pt_type *schema)
{
    kept_schema *kept = calloc(1, sizeof(*kept));
    if (kept == NULL)
        return NULL;
    kept->memory = pt__shared_arena_new(0);
    if (kept->memory == NULL) {
        free(kept);
        return NULL;
    }
    kept->type = pt__type_copy(kept->memory->arena, schema);
    return kept;
}

static void clear_map(pt__map *map)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(map, &at, &key, &value);)
        free_kept(value);
    pt__map_deinit(map);
}

void pt__schema_cache_clear(pt_host *host)
{
    pthread_mutex_lock(&host->lock);
    pt__map old = host->schemas;
    host->schemas = (pt__map)PT_MAP_INIT;
    pthread_mutex_unlock(&host->lock);
    clear_map(&old);
}

void pt__schema_cache_store(pt_host *host, const pt__schema_key *key, const pt_type *schema)
{
    char text[KEY_MAX];
    write_key(key, text);
    kept_schema *kept = copy_schema(schema);
    if (kept == NULL)
        return;
    void *old = NULL;
    pt__map full = PT_MAP_INIT;
    pthread_mutex_lock(&host->lock);
    if (host->schemas.live_count >= KEPT_MAX) {
        full = host->schemas;
        host->schemas = (pt__map)PT_MAP_INIT;
    }
    bool stored = pt__map_set(&host->schemas, text, kept, &old);
    pthread_mutex_unlock(&host->lock);
    clear_map(&full);
    if (!stored)
        free_kept(kept);
    if (old != NULL)
        free_kept(old);
}

/* Counted references of what sessions, plans and jobs share. */
#include "exec/state.h"

#include <stdlib.h>

static bool drop_last(atomic_size_t *references)
{
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

pt__arena *pt__host_arena(const pt_host *host, size_t limit_bytes)
{
    return pt__arena_new_from(limit_bytes, host->allocator);
}

static pt__shared_arena *share(pt__arena *arena)
{
    pt__shared_arena *shared = calloc(1, sizeof(*shared));
    if (shared == NULL || arena == NULL) {
        free(shared);
        pt__arena_free(arena);
        return NULL;
    }
    atomic_init(&shared->references, 1);
    shared->arena = arena;
    return shared;
}

pt__shared_arena *pt__shared_arena_new(size_t limit_bytes)
{
    return share(pt__arena_new(limit_bytes));
}

pt__shared_arena *pt__host_shared_arena(const pt_host *host, size_t limit_bytes)
{
    return share(pt__host_arena(host, limit_bytes));
}

pt__shared_arena *pt__shared_arena_ref(pt__shared_arena *shared)
{
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void pt__shared_arena_unref(pt__shared_arena *shared)
{
    if (shared == NULL || !drop_last(&shared->references))
        return;
    pt__arena_free(shared->arena);
    free(shared);
}

pt__view *pt__view_ref(pt__view *view)
{
    atomic_fetch_add_explicit(&view->references, 1, memory_order_relaxed);
    return view;
}

void pt__view_unref(pt__view *view)
{
    if (view == NULL || !drop_last(&view->references))
        return;
    pt__shared_arena_unref(view->memory);
    free(view);
}

pt__function_entry *pt__function_entry_ref(pt__function_entry *entry)
{
    atomic_fetch_add_explicit(&entry->references, 1, memory_order_relaxed);
    return entry;
}

void pt__function_entry_unref(pt__function_entry *entry)
{
    if (entry == NULL || !drop_last(&entry->references))
        return;
    pt__shared_arena_unref(entry->memory);
    free(entry);
}

pt__kept *pt__kept_ref(pt__kept *kept)
{
    atomic_fetch_add_explicit(&kept->references, 1, memory_order_relaxed);
    return kept;
}

void pt__kept_unref(pt__kept *kept)
{
    if (kept == NULL || !drop_last(&kept->references))
        return;
    kept->backend->vtable->release_kept(kept->backend->self, kept->result.handle);
    pt__shared_arena_unref(kept->memory);
    free(kept);
}

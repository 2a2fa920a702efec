#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK_BYTES = 4096, LARGEST_STEP_BYTES = 1 << 20 };

typedef struct block {
    struct block *older;
    size_t size_bytes;
    size_t used_bytes;
    alignas(max_align_t) unsigned char data[];
} block;

typedef struct deferred {
    struct deferred *older;
    void (*close)(void *object);
    void *object;
} deferred;

struct pt__arena {
    block *newest;
    deferred *deferred;
    size_t limit_bytes;
    size_t total_bytes; /* of all blocks */
    pt_allocator allocator;
    bool guarded;
    jmp_buf guard;
};

static void *take_from_malloc(void *context, size_t size_bytes)
{
    (void)context;
    return malloc(size_bytes);
}

static void give_to_free(void *context, void *memory, size_t size_bytes)
{
    (void)context;
    (void)size_bytes;
    free(memory);
}

static const pt_allocator default_allocator = {take_from_malloc, give_to_free, NULL};

static block *new_block(const pt_allocator *allocator, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX - sizeof(block))
        return NULL;
    block *b = allocator->allocate(allocator->context, sizeof(block) + size_bytes);
    if (b == NULL)
        return NULL;
    b->older = NULL;
    b->size_bytes = size_bytes;
    b->used_bytes = 0;
    return b;
}

static void free_block(const pt_allocator *allocator, block *b)
{
    allocator->release(allocator->context, b, sizeof(block) + b->size_bytes);
}

pt__arena *pt__arena_new(size_t limit_bytes)
{
    return pt__arena_new_from(limit_bytes, NULL);
}

pt__arena *pt__arena_new_from(size_t limit_bytes, const pt_allocator *allocator)
{
    pt__arena *arena = calloc(1, sizeof(*arena));
    if (arena == NULL)
        return NULL;
    arena->allocator = allocator == NULL ? default_allocator : *allocator;
    arena->newest = new_block(&arena->allocator, FIRST_BLOCK_BYTES);
    if (arena->newest == NULL) {
        free(arena);
        return NULL;
    }
    arena->limit_bytes = limit_bytes;
    arena->total_bytes = FIRST_BLOCK_BYTES;
    return arena;
}

static void run_deferred(pt__arena *arena)
{
    while (arena->deferred != NULL) {
        deferred *d = arena->deferred;
        arena->deferred = d->older;
        d->close(d->object);
    }
}

void pt__arena_reset(pt__arena *arena)
{
    run_deferred(arena);
    while (arena->newest->older != NULL) {
        block *b = arena->newest;
        arena->newest = b->older;
        arena->total_bytes -= b->size_bytes;
        free_block(&arena->allocator, b);
    }
    arena->newest->used_bytes = 0;
}

void pt__arena_free(pt__arena *arena)
{
    if (arena == NULL)
        return;
    pt__arena_reset(arena);
    free_block(&arena->allocator, arena->newest);
    free(arena);
}

jmp_buf *pt__arena_guard_buffer(pt__arena *arena)
{
    arena->guarded = true;
    return &arena->guard;
}

void pt__arena_unguard(pt__arena *arena)
{
    arena->guarded = false;
}

void pt__arena_exhausted(pt__arena *arena)
{
    if (arena->guarded)
        longjmp(arena->guard, 1);
    fputs("portico: memory exhausted outside any request\n", stderr);
    abort();
}

static void add_block(pt__arena *arena, size_t at_least_bytes)
{
    size_t step = arena->newest->size_bytes * 2;
    if (step > LARGEST_STEP_BYTES)
        step = LARGEST_STEP_BYTES;
    if (step < at_least_bytes)
        step = at_least_bytes;
    if (arena->limit_bytes != 0 && step > arena->limit_bytes - arena->total_bytes)
        pt__arena_exhausted(arena);
    block *b = new_block(&arena->allocator, step);
    if (b == NULL)
        pt__arena_exhausted(arena);
    b->older = arena->newest;
    arena->newest = b;
    arena->total_bytes += step;
}

static unsigned char *take(pt__arena *arena, size_t size_bytes, size_t alignment)
{
    block *b = arena->newest;
    size_t start = (b->used_bytes + alignment - 1) & ~(alignment - 1);
    if (start > b->size_bytes || size_bytes > b->size_bytes - start) {
        add_block(arena, size_bytes);
        b = arena->newest;
        start = 0;
    }
    b->used_bytes = start + size_bytes;
    return b->data + start;
}

void *pt__arena_alloc(pt__arena *arena, size_t size_bytes)
{
    return memset(take(arena, size_bytes, alignof(max_align_t)), 0, size_bytes);
}

char *pt__arena_alloc_text(pt__arena *arena, size_t size_bytes)
{
    return (char *)take(arena, size_bytes, 1);
}

char *pt__arena_copy_text(pt__arena *arena, const char *data, size_t size_bytes)
{
    char *copy = pt__arena_alloc_text(arena, size_bytes + 1);
    if (size_bytes != 0)
        memcpy(copy, data, size_bytes);
    copy[size_bytes] = '\0';
    return copy;
}

char *pt__arena_copy_string(pt__arena *arena, const char *string)
{
    return string == NULL ? NULL : pt__arena_copy_text(arena, string, strlen(string));
}

void *pt__arena_copy(pt__arena *arena, const void *data, size_t size_bytes)
{
    void *copy = take(arena, size_bytes, alignof(max_align_t));
    if (size_bytes != 0)
        memcpy(copy, data, size_bytes);
    return copy;
}

char *pt__arena_vprintf(pt__arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = pt__arena_alloc_text(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length < 0)
        text[0] = '\0';
    else
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *pt__arena_printf(pt__arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = pt__arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}

void pt__arena_defer(pt__arena *arena, void (*close)(void *object), void *object)
{
    deferred *d = pt__arena_make(arena, deferred);
    d->older = arena->deferred;
    d->close = close;
    d->object = object;
    arena->deferred = d;
}

size_t pt__arena_used_bytes(const pt__arena *arena)
{
    size_t used = 0;
    for (const block *b = arena->newest; b != NULL; b = b->older)
        used += b->used_bytes;
    return used;
}

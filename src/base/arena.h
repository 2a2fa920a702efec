/**
 * Arena: memory of one request, freed in one call.
 *
 * An arena never hands out NULL. When memory or the arena's own limit is exhausted it jumps to the guard that
 * the owner of the request set with PT_ARENA_GUARD; without a guard the process aborts. Code between guard and
 * allocation must therefore own nothing outside the arena but what it registered with pt__arena_defer.
 *
 *     if (PT_ARENA_GUARD(arena))
 *         return pt_error_set(err, PT_LIMIT, "the plan needs more than %zu bytes", limit);
 *
 * Threads: one thread at a time.
 */
#ifndef PT_BASE_ARENA_H
#define PT_BASE_ARENA_H

#include <portico/allocator.h>
#include <portico/bytes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct pt__arena pt__arena;

/** `limit_bytes` 0: no limit. NULL when memory is exhausted. */
pt__arena *pt__arena_new(size_t limit_bytes);
/** With blocks of the allocator's, which is copied; NULL: malloc. */
pt__arena *pt__arena_new_from(size_t limit_bytes, const pt_allocator *allocator);
void pt__arena_free(pt__arena *arena);

/** Runs what was deferred, last registered first, and frees all blocks but the first. */
void pt__arena_reset(pt__arena *arena);

/** Zeroed memory, aligned for any object. */
void *pt__arena_alloc(pt__arena *arena, size_t size_bytes);

/** Unzeroed memory without alignment, for text. */
char *pt__arena_alloc_text(pt__arena *arena, size_t size_bytes);

/** Copies; the result is terminated by NUL. */
char *pt__arena_copy_text(pt__arena *arena, const char *data, size_t size_bytes);
char *pt__arena_copy_string(pt__arena *arena, const char *string);
void *pt__arena_copy(pt__arena *arena, const void *data, size_t size_bytes);

__attribute__((format(printf, 2, 3))) char *pt__arena_printf(pt__arena *arena, const char *format, ...);
char *pt__arena_vprintf(pt__arena *arena, const char *format, va_list arguments);

/** Calls close(object) on reset and free. */
void pt__arena_defer(pt__arena *arena, void (*close)(void *object), void *object);

/** Jumps to the guard, as an allocation does that finds no memory: for memory that is to go with the arena. */
_Noreturn void pt__arena_exhausted(pt__arena *arena);

size_t pt__arena_used_bytes(const pt__arena *arena);

#define pt__arena_make(arena, type) ((type *)pt__arena_alloc((arena), sizeof(type)))
#define pt__arena_array(arena, type, count) ((type *)pt__arena_alloc((arena), sizeof(type) * (size_t)(count)))

/** The innermost guard's buffer; use the macro. */
jmp_buf *pt__arena_guard_buffer(pt__arena *arena);
void pt__arena_unguard(pt__arena *arena);
#define PT_ARENA_GUARD(arena) (setjmp(*pt__arena_guard_buffer(arena)) != 0)

#endif

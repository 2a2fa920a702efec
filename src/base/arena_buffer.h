/**
 * A growing buffer that ends with an arena: for text that is built while the arena may jump to its guard.
 */
#ifndef PT_BASE_ARENA_BUFFER_H
#define PT_BASE_ARENA_BUFFER_H

#include "base/arena.h"
#include "base/buffer.h"

/** Empty; its bytes are freed when the arena is reset, unless they were taken before. */
pt__buffer *pt__arena_buffer(pt__arena *arena);

/** The text so far, terminated by NUL, as a copy of the arena's; `buffer` is left empty and its bytes are freed. */
const char *pt__arena_buffer_take(pt__arena *arena, pt__buffer *buffer);

#endif

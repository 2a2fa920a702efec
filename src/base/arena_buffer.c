#include "base/arena_buffer.h"

static void deinit(void *buffer)
{
    pt__buffer_deinit(buffer);
}

pt__buffer *pt__arena_buffer(pt__arena *arena)
{
    pt__buffer *buffer = pt__arena_make(arena, pt__buffer);
    pt__arena_defer(arena, deinit, buffer);
    return buffer;
}

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

const char *pt__arena_buffer_take(pt__arena *arena, pt__buffer *buffer)
{
    if (buffer->failed)
        pt__arena_exhausted(arena);
    const char *text = pt__arena_copy_text(arena, (const char *)buffer->data, buffer->size_bytes);
    pt__buffer_deinit(buffer);
    return text;
}

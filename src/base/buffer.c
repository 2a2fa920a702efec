#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_BYTES = 64 };

void pt__buffer_init(pt__buffer *buffer)
{
    *buffer = (pt__buffer)PT_BUFFER_INIT;
}

void pt__buffer_deinit(pt__buffer *buffer)
{
    free(buffer->data);
    pt__buffer_init(buffer);
}

void pt__buffer_reset(pt__buffer *buffer)
{
    buffer->size_bytes = 0;
    buffer->failed = false;
}

bool pt__buffer_reserve(pt__buffer *buffer, size_t extra_bytes)
{
    if (buffer->failed)
        return false;
    if (extra_bytes <= buffer->capacity_bytes - buffer->size_bytes)
        return true;
    size_t limit = buffer->limit_bytes == 0 ? SIZE_MAX : buffer->limit_bytes;
    if (extra_bytes > limit || buffer->size_bytes > limit - extra_bytes) {
        buffer->failed = true;
        return false;
    }
    size_t capacity = buffer->capacity_bytes == 0 ? SMALLEST_BYTES : buffer->capacity_bytes;
    while (capacity - buffer->size_bytes < extra_bytes && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    uint8_t *grown = capacity - buffer->size_bytes < extra_bytes ? NULL : realloc(buffer->data, capacity);
    if (grown == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->data = grown;
    buffer->capacity_bytes = capacity;
    return true;
}

void pt__buffer_append(pt__buffer *buffer, const void *data, size_t size_bytes)
{
    if (size_bytes == 0 || !pt__buffer_reserve(buffer, size_bytes))
        return;
    memcpy(buffer->data + buffer->size_bytes, data, size_bytes);
    buffer->size_bytes += size_bytes;
}

void pt__buffer_append_byte(pt__buffer *buffer, uint8_t byte)
{
    pt__buffer_append(buffer, &byte, 1);
}

void pt__buffer_append_string(pt__buffer *buffer, const char *string)
{
    pt__buffer_append(buffer, string, strlen(string));
}

void pt__buffer_vprintf(pt__buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0)
        buffer->failed = true;
    else if (pt__buffer_reserve(buffer, (size_t)length + 1)) {
        vsnprintf((char *)buffer->data + buffer->size_bytes, (size_t)length + 1, format, again);
        buffer->size_bytes += (size_t)length;
    }
    va_end(again);
}

void pt__buffer_printf(pt__buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pt__buffer_vprintf(buffer, format, arguments);
    va_end(arguments);
}

const char *pt__buffer_string(pt__buffer *buffer)
{
    if (!pt__buffer_reserve(buffer, 1))
        return "";
    buffer->data[buffer->size_bytes] = '\0';
    return (const char *)buffer->data;
}

pt_bytes_view pt__buffer_view(const pt__buffer *buffer)
{
    return (pt_bytes_view){buffer->data, buffer->size_bytes};
}

pt_bytes *pt__buffer_take(pt__buffer *buffer)
{
    bool failed = buffer->failed;
    pt__buffer taken = *buffer;
    pt__buffer_init(buffer);
    if (failed) {
        free(taken.data);
        return NULL;
    }
    return pt_bytes_wrap((pt_bytes_view){taken.data, taken.size_bytes}, free, taken.data);
}

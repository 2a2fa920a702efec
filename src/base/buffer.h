/**
 * A growing byte buffer, also used to build text.
 *
 * Growth failure sets `failed` and later appends do nothing, so that a chain of appends is checked once at its
 * end. Storage of the struct is the caller's; the bytes are freed by deinit or handed on by pt__buffer_take.
 * Threads: one at a time.
 */
#ifndef PT_BASE_BUFFER_H
#define PT_BASE_BUFFER_H

#include <portico/bytes.h>

#include <stdarg.h>
#include <stdbool.h>

typedef struct pt__buffer {
    uint8_t *data;
    size_t size_bytes;
    size_t capacity_bytes;
    bool failed;
    size_t limit_bytes; /* more is not kept but fails; 0: none */
} pt__buffer;

#define PT_BUFFER_INIT                                                                                                 \
    {                                                                                                                  \
        NULL, 0, 0, false, 0                                                                                           \
    }

void pt__buffer_init(pt__buffer *buffer);
void pt__buffer_deinit(pt__buffer *buffer);
/** Empty, memory kept. */
void pt__buffer_reset(pt__buffer *buffer);

bool pt__buffer_reserve(pt__buffer *buffer, size_t extra_bytes);
void pt__buffer_append(pt__buffer *buffer, const void *data, size_t size_bytes);
void pt__buffer_append_byte(pt__buffer *buffer, uint8_t byte);
void pt__buffer_append_string(pt__buffer *buffer, const char *string);
__attribute__((format(printf, 2, 3))) void pt__buffer_printf(pt__buffer *buffer, const char *format, ...);
void pt__buffer_vprintf(pt__buffer *buffer, const char *format, va_list arguments);

/** The text so far, terminated by NUL; valid until the next append. "" when failed. */
const char *pt__buffer_string(pt__buffer *buffer);
pt_bytes_view pt__buffer_view(const pt__buffer *buffer);

/** Hands the bytes on as a shared buffer and leaves `buffer` empty; NULL when it had failed. */
pt_bytes *pt__buffer_take(pt__buffer *buffer);

#endif

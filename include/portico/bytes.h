/**
 * Bytes: borrowed views and shared, reference-counted buffers.
 */
#ifndef PORTICO_BYTES_H
#define PORTICO_BYTES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Borrowed bytes. Whoever hands out a view says until when it is valid. */
typedef struct pt_bytes_view {
    const uint8_t *data;
    size_t size_bytes;
} pt_bytes_view;

/** Borrowed UTF-8 text, not terminated. */
typedef struct pt_text_view {
    const char *data;
    size_t size_bytes;
} pt_text_view;

/**
 * An immutable buffer shared by counting references; the last unref frees it.
 * Threads: ref and unref may be called from any thread.
 */
typedef struct pt_bytes pt_bytes;

/** Copies `view` into a new buffer; NULL when memory is exhausted. */
pt_bytes *pt_bytes_copy(pt_bytes_view view);

/**
 * Wraps memory of the caller's without copying it. `release(context)` runs once, on the thread of the last
 * unref. NULL when memory is exhausted; `release` has then run.
 */
pt_bytes *pt_bytes_wrap(pt_bytes_view view, void (*release)(void *context), void *context);

/** One more reference, for the caller; returns `bytes`. */
pt_bytes *pt_bytes_ref(pt_bytes *bytes);
/** Gives a reference back; NULL is allowed. */
void pt_bytes_unref(pt_bytes *bytes);

/** Valid while the caller holds a reference. */
pt_bytes_view pt_bytes_get_view(const pt_bytes *bytes);

#ifdef __cplusplus
}
#endif

#endif

/**
 * Memory of a result's batches: a buffer that a reader has released serves a later batch of the same result, which
 * saves the kernel from handing out zeroed pages again and again. The last buffer or the stream frees all.
 *
 * Threads: any.
 */
#ifndef PT_BACKEND_DUCKDB_BATCH_MEMORY_H
#define PT_BACKEND_DUCKDB_BATCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pt__batch_memory pt__batch_memory;

/** A growing buffer; zeroed is empty. */
typedef struct pt__batch_buffer {
    uint8_t *data;
    size_t size_bytes;
    size_t capacity_bytes;
} pt__batch_buffer;

/** NULL when memory is exhausted. The caller holds a reference. */
pt__batch_memory *pt__batch_memory_new(void);
void pt__batch_memory_ref(pt__batch_memory *memory);
void pt__batch_memory_unref(pt__batch_memory *memory);

/** Room for `capacity_bytes` in all; false when memory is exhausted. Contents are kept. */
bool pt__batch_reserve(pt__batch_memory *memory, pt__batch_buffer *buffer, size_t capacity_bytes);
/** Gives the bytes back; the buffer is empty then. */
void pt__batch_release(pt__batch_memory *memory, pt__batch_buffer *buffer);

#endif

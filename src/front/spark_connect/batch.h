/**
 * A spooled batch as the pieces of one Arrow IPC stream: schema, message header, body, end mark.
 *
 * Spec: Arrow columnar format, "IPC Streaming Format"; ExecutePlanResponse.ArrowBatch.
 */
#ifndef PT_FRONT_SPARK_CONNECT_BATCH_H
#define PT_FRONT_SPARK_CONNECT_BATCH_H

#include "base/buffer.h"
#include "exec/spool.h"

/** Bytes of the whole IPC stream of the entry. */
uint64_t pt__connect_batch_bytes(const pt__spool_entry *entry, pt_bytes *schema);

/** How many segments pt__connect_batch_slice may need. */
size_t pt__connect_batch_segments(const pt__spool_entry *entry);

/**
 * Segments for `size` bytes from `offset` of the IPC stream, each with a reference of its own; returns how many.
 */
size_t pt__connect_batch_slice(const pt__spool_entry *entry, pt_bytes *schema, uint64_t offset, uint64_t size,
                               pt_segment *out);

/**
 * Appends the arrow_batch field of an ExecutePlanResponse up to the bytes of its data, of which `size` follow.
 * `chunk_count` 0: the batch is not in chunks.
 */
void pt__connect_append_batch_header(pt__buffer *out, const pt__spool_entry *entry, uint64_t size, uint32_t chunk,
                                     uint32_t chunk_count);

#endif

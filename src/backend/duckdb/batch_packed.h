/**
 * Packed values: 64 bits instead of a value, which are 0 for NULL.
 *
 * Of a number its bits and a 1. Of a short text the text; of any other one how long it is and where it lies, which is good as
 * long as the text lies there. What is packed and what unpacks it are of one process: the bits are no format.
 *
 * Threads: any.
 */
#ifndef PT_BACKEND_DUCKDB_BATCH_PACKED_H
#define PT_BACKEND_DUCKDB_BATCH_PACKED_H

#include "backend/duckdb/batch_column.h"

enum { PT_PACKED_ROWS = 2048 }; /* of a vector, at most */

/** Whether values of the type can be packed. */
bool pt__can_pack(duckdb_logical_type type);
/**
 * Packs a plain vector; false if a value has no such bits: a decimal of more digits than its type, or far away memory. Of
 * texts `*longest_bytes` becomes no less than any is long.
 */
bool pt__pack(duckdb_logical_type type, duckdb_vector values, idx_t count, uint64_t *out, uint32_t *longest_bytes);

/** Whether the column can take them. */
bool pt__batch_can_unpack(const pt__batch_column *column);
/** Appends `count` values; false when memory is exhausted. `*has_null` becomes true if one of them is NULL. */
bool pt__batch_append_packed(pt__batch_memory *memory, pt__batch_column *column, const uint64_t *packed, idx_t count,
                             bool *has_null);
/** Bytes of packed texts. */
size_t pt__packed_text_bytes(const uint64_t *packed, idx_t count);
/** A bit for each value. */
void pt__packed_validity(const uint64_t *packed, idx_t count, uint64_t words[PT_PACKED_ROWS / 64]);

#endif

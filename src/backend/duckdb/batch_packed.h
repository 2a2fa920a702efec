/**
 * Packed values: 64 bits instead of a value, which are 0 for NULL.
 *
 * Of a number its bits and a 1, of a short text the text. Of any other value, longer texts and decimals of more digits than
 * their type has, where it lies, which is good as long as the vector that was packed, and what it holds, is there. What packs
 * and what unpacks are of one process: the bits are no format.
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
 * Packs `count` values of a plain vector, of at most PT_PACKED_ROWS, into as many; false if memory lies so far away that an
 * address has more than 48 bits. If a text is longer than `*longest_bytes`, that is raised to its length.
 */
bool pt__pack(duckdb_logical_type type, duckdb_vector values, idx_t count, uint64_t *out, uint32_t *longest_bytes);

/** Whether the column can take them. */
bool pt__batch_can_unpack(const pt__batch_column *column);
/**
 * Appends `count` values; false when memory is exhausted, or above 2 GiB of text. `*has_null`: whether one of them is NULL.
 */
bool pt__batch_append_packed(pt__batch_memory *memory, pt__batch_column *column, const uint64_t *packed, idx_t count,
                             bool *has_null);
/** Bytes of packed texts. */
size_t pt__packed_text_bytes(const uint64_t *packed, idx_t count);
/** A bit for each value. */
void pt__packed_validity(const uint64_t *packed, idx_t count, uint64_t words[PT_PACKED_ROWS / 64]);

#endif

/**
 * Text of a column, written: bytes and offsets.
 */
#ifndef PT_BACKEND_DUCKDB_BATCH_TEXT_H
#define PT_BACKEND_DUCKDB_BATCH_TEXT_H

#include "backend/duckdb/batch_column.h"

#include <string.h>

enum { PT_TEXT_SLACK_BYTES = 16 }; /* that may be written past a text's end */

/** The bytes of a column. A value, not an object: who writes bytes need not look it up again for each text. */
typedef struct pt__text_room {
    uint8_t *data; /* NULL: memory is exhausted, or there would be more than INT32_MAX bytes */
    size_t size_bytes;
    size_t max_bytes; /* that fit, besides the slack */
} pt__text_room;

/**
 * The column's, of which `size_bytes` are written, with room for a text of `extra_bytes`: texts are not looked at twice to
 * add up their lengths.
 */
pt__text_room pt__text_room_of(pt__batch_memory *memory, pt__batch_column *column, size_t size_bytes,
                               size_t extra_bytes);
/** Where each of `count` more texts ends goes here; NULL when memory is exhausted. */
int32_t *pt__text_ends(pt__batch_memory *memory, pt__batch_column *column, idx_t count);
/** `count` texts have been written, which end here; false when there are too many bytes. */
bool pt__text_finish(pt__batch_column *column, idx_t count, size_t size_bytes);

/** Appends `count` rows of texts from `first` on; false when memory is exhausted. */
bool pt__batch_append_text(pt__batch_memory *memory, pt__batch_column *column, const duckdb_string_t *strings,
                           const uint64_t *validity, idx_t first, idx_t count);
/** Bytes of the texts that rows have. */
size_t pt__batch_text_bytes(const duckdb_string_t *strings, const uint64_t *validity, idx_t first, idx_t count);

static inline const char *pt__string_bytes(const duckdb_string_t *string)
{
    return string->value.inlined.length <= 12 ? string->value.inlined.inlined : string->value.pointer.ptr;
}

/*
 * A text of one to four times `part` bytes, which is a constant. The parts overlap: a processor guesses wrong which lengths come,
 * and that takes longer than copying some bytes twice.
 */
__attribute__((always_inline)) static inline void pt__copy_parts(uint8_t *out, const char *text, uint32_t length,
                                                                 uint32_t part)
{
    uint32_t second = length < 2 * part ? length - part : part;
    uint32_t third = length < 2 * part ? 0 : length - 2 * part;
    memcpy(out, text, part);
    memcpy(out + second, text + second, part);
    memcpy(out + third, text + third, part);
    memcpy(out + length - part, text + length - part, part);
}

/** A text of 8 bytes or more. */
static inline void pt__copy_text(uint8_t *out, const char *text, uint32_t length)
{
    if (length <= 32)
        pt__copy_parts(out, text, length, 8);
    else if (length <= 64)
        pt__copy_parts(out, text, length, 16);
    else
        memcpy(out, text, length);
}

#endif

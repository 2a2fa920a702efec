/* Texts of a batch: DuckDB's strings, or where these lie. */
#include "backend/duckdb/batch_column.h"

#include <string.h>

enum { SLACK_BYTES = 16 }; /* copied past a text's end */

#define ALWAYS_INLINE __attribute__((always_inline)) inline

/* The parts overlap: a processor guesses wrong which lengths come, and that takes longer than copying some bytes twice. */
static inline void copy_16_to_64(uint8_t *out, const char *text, uint32_t length)
{
    uint32_t second = length < 32 ? length - 16 : 16;
    uint32_t third = length < 32 ? 0 : length - 32;
    memcpy(out, text, 16);
    memcpy(out + second, text + second, 16);
    memcpy(out + third, text + third, 16);
    memcpy(out + length - 16, text + length - 16, 16);
}

/* `out` has SLACK_BYTES of room past the text. */
static inline void copy_text(uint8_t *out, const duckdb_string_t *string, uint32_t length)
{
    if (length <= 12) {
        memcpy(out, string->value.inlined.inlined, 12);
        return;
    }
    const char *text = string->value.pointer.ptr;
    if (length < 16) {
        memcpy(out, text, 8);
        memcpy(out + length - 8, text + length - 8, 8);
    } else if (length <= 64) {
        copy_16_to_64(out, text, length);
    } else {
        memcpy(out, text, length);
    }
}

/* ---- where the strings are ---- */

/* Either the strings and their validity, or their addresses. */
typedef struct source {
    const duckdb_string_t *strings;
    const uint64_t *validity;
    const duckdb_string_t *const *addresses;
} source;

/* NULL: no value. */
static ALWAYS_INLINE const duckdb_string_t *string_at(const source *from, idx_t row)
{
    if (from->addresses != NULL)
        return from->addresses[row];
    return pt__batch_bit_at(from->validity, row) ? &from->strings[row] : NULL;
}

static ALWAYS_INLINE size_t bytes_of(const source *from, idx_t first, idx_t count)
{
    size_t total = 0;
    for (idx_t i = first; i < first + count; i++) {
        const duckdb_string_t *string = string_at(from, i);
        total += string == NULL ? 0 : string->value.inlined.length;
    }
    return total;
}

/* Room for `extra_bytes` behind the values, of which there are `size_bytes` by now. */
static bool make_room(pt__batch_memory *memory, pt__batch_column *column, size_t size_bytes, size_t extra_bytes)
{
    column->values.size_bytes = size_bytes;
    return size_bytes + extra_bytes <= INT32_MAX && pt__batch_reserve_values(memory, column, extra_bytes + SLACK_BYTES);
}

static size_t room_of(const pt__batch_column *column)
{
    return column->values.capacity_bytes - SLACK_BYTES;
}

/* Room is made as texts need it: to add up their lengths before would be one more pass over them. */
static ALWAYS_INLINE bool append(pt__batch_memory *memory, pt__batch_column *column, const source *from, idx_t first,
                                 idx_t count)
{
    size_t size = column->values.size_bytes;
    if (!make_room(memory, column, size, 0) || !pt__batch_reserve_offsets(memory, column, count))
        return false;
    int32_t *offsets = (int32_t *)(void *)column->offsets.data + column->length + 1;
    uint8_t *values = column->values.data;
    size_t room = room_of(column);
    for (idx_t i = 0; i < count; i++) {
        const duckdb_string_t *string = string_at(from, first + i);
        uint32_t length = string == NULL ? 0 : string->value.inlined.length;
        if (length > room - size) {
            if (!make_room(memory, column, size, length))
                return false;
            values = column->values.data;
            room = room_of(column);
        }
        if (string != NULL)
            copy_text(values + size, string, length);
        size += length;
        offsets[i] = (int32_t)size;
    }
    column->values.size_bytes = size;
    column->offsets.size_bytes = ((size_t)column->length + count + 1) * 4;
    return size <= INT32_MAX;
}

/* ---- strings ---- */

/* Loops are compiled twice: most columns have no NULL. */
size_t pt__batch_text_bytes(const duckdb_string_t *strings, const uint64_t *validity, idx_t first, idx_t count)
{
    if (validity == NULL)
        return bytes_of(&(source){.strings = strings}, first, count);
    return bytes_of(&(source){.strings = strings, .validity = validity}, first, count);
}

bool pt__batch_append_text(pt__batch_memory *memory, pt__batch_column *column, const duckdb_string_t *strings,
                           const uint64_t *validity, idx_t first, idx_t count)
{
    if (validity == NULL)
        return append(memory, column, &(source){.strings = strings}, first, count);
    return append(memory, column, &(source){.strings = strings, .validity = validity}, first, count);
}

/* ---- addresses ---- */

size_t pt__batch_addressed_bytes(const duckdb_string_t *const *addresses, idx_t first, idx_t count)
{
    return bytes_of(&(source){.addresses = addresses}, first, count);
}

bool pt__batch_append_addressed(pt__batch_memory *memory, pt__batch_column *column,
                                const duckdb_string_t *const *addresses, idx_t first, idx_t count)
{
    return append(memory, column, &(source){.addresses = addresses}, first, count);
}

static bool has_null(const duckdb_string_t *const *addresses, idx_t first, idx_t count)
{
    bool has = false;
    for (idx_t i = first; i < first + count; i++)
        has |= addresses[i] == NULL;
    return has;
}

const uint64_t *pt__batch_address_validity(const duckdb_string_t *const *addresses, idx_t first, idx_t count,
                                           uint64_t words[PT_BATCH_ADDRESS_ROWS / 64])
{
    if (!has_null(addresses, first, count))
        return NULL;
    memset(words, 0, PT_BATCH_ADDRESS_ROWS / 8);
    for (idx_t i = first; i < first + count; i++)
        words[i >> 6] |= (uint64_t)(addresses[i] != NULL) << (i & 63);
    return words;
}

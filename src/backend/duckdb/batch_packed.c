#include "backend/duckdb/batch_packed.h"
#include "backend/duckdb/batch_text.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a short text is the first bytes of 64 bits");
_Static_assert(sizeof(void *) == sizeof(uint64_t), "an address has 64 bits");

/*
 * Of texts the highest bit tells short ones. Their length is the lowest three bits of that byte, their bytes are the other
 * seven. Of others 15 bits are the length, and 48 bits where the bytes are; or, if it is LONG, where DuckDB's string is.
 *
 * Of numbers the lowest bit is 1. A decimal that has no room beside it is where it lies, which is a multiple of 8.
 */
enum { SHORT_BYTES = 7, LONG = 0x7FFF, ADDRESS_BITS = 48 };

static const uint64_t SHORT = UINT64_C(1) << 63;
static const uint64_t ADDRESS_MASK = (UINT64_C(1) << ADDRESS_BITS) - 1;

/* ---- packing ---- */

/* Of numbers; 0: they are none. */
static size_t width_of(duckdb_logical_type type)
{
    switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_UTINYINT: return 1;
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_USMALLINT: return 2;
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DATE: return 4;
    case DUCKDB_TYPE_DECIMAL: break;
    default: return 0;
    }
    switch (duckdb_decimal_internal_type(type)) {
    case DUCKDB_TYPE_SMALLINT: return 2;
    case DUCKDB_TYPE_INTEGER: return 4;
    case DUCKDB_TYPE_BIGINT: return 8;
    default: return 0;
    }
}

static bool is_text(duckdb_logical_type type)
{
    duckdb_type id = duckdb_get_type_id(type);
    return id == DUCKDB_TYPE_VARCHAR || id == DUCKDB_TYPE_BLOB;
}

bool pt__can_pack(duckdb_logical_type type)
{
    return is_text(type) || width_of(type) != 0;
}

static uint64_t pack_short(const duckdb_string_t *string)
{
    uint64_t bytes;
    memcpy(&bytes, string->value.inlined.inlined, sizeof(bytes));
    return SHORT | (uint64_t)string->value.inlined.length << 56 | (bytes & ((UINT64_C(1) << 56) - 1));
}

/* 0: it cannot be. */
static uint64_t pack_text(const duckdb_string_t *string)
{
    uint32_t length = string->value.inlined.length;
    if (length <= SHORT_BYTES)
        return pack_short(string);
    const void *at = length < LONG ? pt__string_bytes(string) : (const void *)string;
    uint64_t address = (uintptr_t)at;
    if (address > ADDRESS_MASK)
        return 0;
    return (uint64_t)(length < LONG ? length : LONG) << ADDRESS_BITS | address;
}

static bool pack_texts(const duckdb_string_t *strings, const uint64_t *validity, idx_t count, uint64_t *out,
                       uint32_t *longest_bytes)
{
    bool can = true;
    for (idx_t i = 0; i < count; i++) {
        out[i] = 0;
        if (!pt__batch_bit_at(validity, i))
            continue;
        uint32_t length = strings[i].value.inlined.length;
        *longest_bytes = length > *longest_bytes ? length : *longest_bytes;
        out[i] = pack_text(&strings[i]);
        can &= out[i] != 0;
    }
    return can;
}

#define PACK(name, type)                                                                                               \
    static void name(const type *values, idx_t count, uint64_t *out)                                                   \
    {                                                                                                                  \
        for (idx_t i = 0; i < count; i++)                                                                              \
            out[i] = (uint64_t)(int64_t)values[i] << 1 | 1;                                                            \
    }
PACK(pack8, int8_t)
PACK(pack16, int16_t)
PACK(pack32, int32_t)
#undef PACK

/* DuckDB takes what a file has for a decimal, of however many digits. */
static bool pack64(const int64_t *values, idx_t count, uint64_t *out)
{
    bool can = true;
    for (idx_t i = 0; i < count; i++) {
        out[i] = (uint64_t)values[i] << 1 | 1;
        if ((int64_t)out[i] >> 1 == values[i])
            continue;
        out[i] = (uintptr_t)&values[i];
        can &= out[i] <= ADDRESS_MASK;
    }
    return can;
}

static void clear_nulls(const uint64_t *validity, idx_t count, uint64_t *out)
{
    for (idx_t i = 0; validity != NULL && i < count; i++)
        if (!pt__batch_bit_at(validity, i))
            out[i] = 0;
}

bool pt__pack(duckdb_logical_type type, duckdb_vector values, idx_t count, uint64_t *out, uint32_t *longest_bytes)
{
    const void *data = duckdb_vector_get_data(values);
    const uint64_t *validity = duckdb_vector_get_validity(values);
    bool can = true;
    switch (width_of(type)) {
    case 0: return pack_texts(data, validity, count, out, longest_bytes);
    case 1: pack8(data, count, out); break;
    case 2: pack16(data, count, out); break;
    case 4: pack32(data, count, out); break;
    default: can = pack64(data, count, out); break;
    }
    clear_nulls(validity, count, out);
    return can;
}

/* ---- where a value lies ---- */

static inline const void *address_of(uint64_t packed)
{
    const void *address;
    uint64_t bits = packed & ADDRESS_MASK;
    memcpy(&address, &bits, sizeof(address));
    return address;
}

/* ---- numbers, unpacked ---- */

/* The lowest bit of the result tells whether all are numbers. */
#define UNPACK(name, type)                                                                                             \
    static uint64_t name(type *out, const uint64_t *packed, idx_t count)                                               \
    {                                                                                                                  \
        uint64_t all = 1;                                                                                              \
        for (idx_t i = 0; i < count; i++) {                                                                            \
            all &= packed[i];                                                                                          \
            out[i] = (type)(packed[i] >> 1);                                                                           \
        }                                                                                                              \
        return all;                                                                                                    \
    }
UNPACK(unpack8, uint8_t)
UNPACK(unpack16, uint16_t)
UNPACK(unpack32, uint32_t)
#undef UNPACK

static inline void put_decimal(int64_t *out, int64_t value)
{
    out[0] = value;
    out[1] = value >> 63;
}

/* As above: what is even is NULL, or lies elsewhere. */
static uint64_t resolve_decimals(int64_t *out, const uint64_t *packed, idx_t count)
{
    uint64_t all = 1;
    for (idx_t i = 0; i < count; i++) {
        if (packed[i] == 0)
            all = 0;
        else if ((packed[i] & 1) == 0)
            put_decimal(out + 2 * i, *(const int64_t *)address_of(packed[i]));
    }
    return all;
}

static uint64_t unpack_decimals(int64_t *out, const uint64_t *packed, idx_t count)
{
    uint64_t all = 1;
    for (idx_t i = 0; i < count; i++) {
        all &= packed[i];
        put_decimal(out + 2 * i, (int64_t)packed[i] >> 1);
    }
    return (all & 1) != 0 ? all : resolve_decimals(out, packed, count);
}

static uint64_t unpack(const pt__batch_column *column, void *out, const uint64_t *packed, idx_t count)
{
    switch (column->width_bytes) {
    case 1: return unpack8(out, packed, count);
    case 2: return unpack16(out, packed, count);
    case 4: return unpack32(out, packed, count);
    default: return unpack_decimals(out, packed, count);
    }
}

static bool append_numbers(pt__batch_memory *memory, pt__batch_column *column, const uint64_t *packed, idx_t count,
                           bool *has_null)
{
    size_t size = (size_t)count * column->width_bytes;
    if (!pt__batch_reserve_values(memory, column, size))
        return false;
    *has_null = (unpack(column, column->values.data + column->values.size_bytes, packed, count) & 1) == 0;
    column->values.size_bytes += size;
    return true;
}

/* ---- texts, unpacked ---- */

static inline const duckdb_string_t *string_of(uint64_t packed)
{
    return address_of(packed);
}

static inline bool is_long(uint64_t packed)
{
    return packed >> ADDRESS_BITS == LONG;
}

static inline uint32_t short_length_of(uint64_t packed)
{
    return (uint32_t)(packed >> 56) & SHORT_BYTES;
}

/* Of one that is not short. */
static inline uint32_t other_length_of(uint64_t packed)
{
    return is_long(packed) ? string_of(packed)->value.inlined.length : (uint32_t)(packed >> ADDRESS_BITS);
}

/* One that is neither short nor NULL. */
static inline void copy_other(uint8_t *out, uint64_t packed, uint32_t length)
{
    const char *text = is_long(packed) ? pt__string_bytes(string_of(packed)) : address_of(packed);
    pt__copy_text(out, text, length);
}

/* Room for `count` texts if they are short, which then is not asked for each of them. */
static pt__text_room room_for(pt__batch_memory *memory, pt__batch_column *column, size_t size_bytes, size_t extra_bytes,
                              idx_t count)
{
    return pt__text_room_of(memory, column, size_bytes, extra_bytes + count * SHORT_BYTES);
}

static bool append_texts(pt__batch_memory *memory, pt__batch_column *column, const uint64_t *packed, idx_t count,
                         bool *has_null)
{
    pt__text_room room = room_for(memory, column, column->values.size_bytes, 0, count);
    int32_t *ends = pt__text_ends(memory, column, count);
    if (room.data == NULL || ends == NULL)
        return false;
    size_t size = room.size_bytes;
    for (idx_t i = 0; i < count; i++) {
        uint32_t length = 0;
        if (packed[i] >= SHORT) {
            length = short_length_of(packed[i]);
            memcpy(room.data + size, &packed[i], sizeof(packed[i]));
        } else if (packed[i] == 0) {
            *has_null = true;
        } else {
            length = other_length_of(packed[i]);
            if (size + length + (count - i) * SHORT_BYTES > room.max_bytes)
                room = room_for(memory, column, size, length, count - i);
            if (room.data == NULL)
                return false;
            copy_other(room.data + size, packed[i], length);
        }
        size += length;
        ends[i] = (int32_t)size;
    }
    return pt__text_finish(column, count, size);
}

size_t pt__packed_text_bytes(const uint64_t *packed, idx_t count)
{
    size_t total = 0;
    for (idx_t i = 0; i < count; i++)
        total += packed[i] >= SHORT ? short_length_of(packed[i]) : packed[i] == 0 ? 0 : other_length_of(packed[i]);
    return total;
}

/* ---- both ---- */

bool pt__batch_can_unpack(const pt__batch_column *column)
{
    if (duckdb_vector_size() > PT_PACKED_ROWS)
        return false;
    switch (column->layout) {
    case PT_LAYOUT_FIXED: return column->width_bytes <= 4;
    case PT_LAYOUT_TEXT:
    case PT_LAYOUT_DECIMAL16:
    case PT_LAYOUT_DECIMAL32:
    case PT_LAYOUT_DECIMAL64: return true;
    default: return false;
    }
}

bool pt__batch_append_packed(pt__batch_memory *memory, pt__batch_column *column, const uint64_t *packed, idx_t count,
                             bool *has_null)
{
    *has_null = false;
    return column->layout == PT_LAYOUT_TEXT ? append_texts(memory, column, packed, count, has_null)
                                            : append_numbers(memory, column, packed, count, has_null);
}

void pt__packed_validity(const uint64_t *packed, idx_t count, uint64_t words[PT_PACKED_ROWS / 64])
{
    memset(words, 0, PT_PACKED_ROWS / 8);
    for (idx_t i = 0; i < count; i++)
        words[i >> 6] |= (uint64_t)(packed[i] != 0) << (i & 63);
}

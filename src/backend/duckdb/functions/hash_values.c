/* hash and xxhash64 of values of any type. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/decimal.h"
#include "backend/duckdb/functions/hash.h"
#include "backend/duckdb/functions/nested.h"

#include <math.h>

enum { SEED = 42, LONG_DECIMAL_WIDTH = 18 };

/** −0.0 counts as 0.0, every NaN as one. */
static int32_t float_bits(float value)
{
    int32_t bits;
    if (value == 0)
        return 0;
    if (isnan(value))
        return INT32_C(0x7fc00000);
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static int64_t double_bits(double value)
{
    int64_t bits;
    if (value == 0)
        return 0;
    if (isnan(value))
        return INT64_C(0x7ff8000000000000);
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/** The fewest bytes of two's complement, most significant first. */
static uint64_t hash_wide_decimal(const pt__hash_functions *h, pt_int128 value, uint64_t seed)
{
    char bytes[16];
    size_t size = 0;
    for (int shift = 120; shift >= 0; shift -= 8) {
        char byte = (char)(uint8_t)(value >> shift);
        pt_int128 rest = shift == 0 ? 0 : value >> (shift - 1);
        if (size > 0 || shift == 0 || (rest != 0 && rest != -1))
            bytes[size++] = byte;
    }
    return h->of_bytes((pt_text_view){bytes, size}, seed);
}

static uint64_t hash_decimal(const pt__hash_functions *h, const pt__fn_column *column, idx_t row, uint64_t seed)
{
    pt_int128 value = pt__fn_integer(column, row);
    return column->type->width <= LONG_DECIMAL_WIDTH ? h->of_long((int64_t)value, seed)
                                                     : hash_wide_decimal(h, value, seed);
}

static uint64_t hash_interval(const pt__hash_functions *h, const duckdb_interval *interval, uint64_t seed)
{
    return h->of_int(interval->months, h->of_int(interval->days, h->of_long(interval->micros, seed)));
}

static uint64_t hash_value(const pt__hash_functions *h, const pt__fn_column *column, idx_t row, uint64_t seed);

static uint64_t hash_nested(const pt__hash_functions *h, const pt__fn_column *column, idx_t row, uint64_t seed)
{
    if (column->type->id == DUCKDB_TYPE_STRUCT) {
        for (size_t i = 0; i < column->type->child_count; i++) {
            pt__fn_column field = pt__fn_field(column, column->type, i);
            seed = hash_value(h, &field, row, seed);
        }
        return seed;
    }
    duckdb_list_entry entry = pt__fn_list_entry(column, row);
    pt__fn_column elements = pt__fn_elements(column);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        if (column->type->id == DUCKDB_TYPE_LIST) {
            seed = hash_value(h, &elements, i, seed);
            continue;
        }
        for (size_t part = 0; part < 2; part++) {
            pt__fn_column field = pt__fn_field(&elements, column->type, part);
            seed = hash_value(h, &field, i, seed);
        }
    }
    return seed;
}

static uint64_t hash_value(const pt__hash_functions *h, const pt__fn_column *column, idx_t row, uint64_t seed)
{
    if (!pt__fn_bit(column->validity, row))
        return seed;
    switch (column->type->id) {
    case DUCKDB_TYPE_BOOLEAN: return h->of_int(((const bool *)column->data)[row], seed);
    case DUCKDB_TYPE_TINYINT: return h->of_int(((const int8_t *)column->data)[row], seed);
    case DUCKDB_TYPE_SMALLINT: return h->of_int(((const int16_t *)column->data)[row], seed);
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE: return h->of_int(((const int32_t *)column->data)[row], seed);
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ: return h->of_long(((const int64_t *)column->data)[row], seed);
    case DUCKDB_TYPE_FLOAT: return h->of_int(float_bits(((const float *)column->data)[row]), seed);
    case DUCKDB_TYPE_DOUBLE: return h->of_long(double_bits(((const double *)column->data)[row]), seed);
    case DUCKDB_TYPE_DECIMAL: return hash_decimal(h, column, row, seed);
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB: return h->of_bytes(pt__fn_string((const duckdb_string_t *)column->data + row), seed);
    case DUCKDB_TYPE_INTERVAL: return hash_interval(h, (const duckdb_interval *)column->data + row, seed);
    default: return hash_nested(h, column, row, seed);
    }
}

static bool is_hashable(const pt__fn_type *type)
{
    switch (type->id) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_INTERVAL:
    case DUCKDB_TYPE_SQLNULL: return true;
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_MAP:
    case DUCKDB_TYPE_STRUCT: break;
    default: return false;
    }
    bool all = true;
    for (size_t i = 0; i < type->child_count; i++)
        all = all && is_hashable(&type->children[i]);
    return all;
}

static bool check_types(pt__fn_call *call)
{
    for (size_t i = 0; i < call->column_count; i++)
        if (!is_hashable(call->columns[i].type))
            return pt__fn_fail_type(call, i);
    return true;
}

void pt__fn_hash(pt__fn_call *call)
{
    int32_t *out = call->out;
    if (!check_types(call))
        return;
    for (idx_t r = 0; r < call->row_count; r++)
        out[r] = SEED;
    for (size_t i = 0; i < call->column_count; i++)
        for (idx_t r = 0; r < call->row_count; r++)
            out[r] = (int32_t)hash_value(&pt__murmur3, &call->columns[i], r, (uint32_t)out[r]);
}

void pt__fn_xxhash64(pt__fn_call *call)
{
    uint64_t *out = call->out;
    if (!check_types(call))
        return;
    for (idx_t r = 0; r < call->row_count; r++)
        out[r] = SEED;
    for (size_t i = 0; i < call->column_count; i++)
        for (idx_t r = 0; r < call->row_count; r++)
            out[r] = hash_value(&pt__xxh64, &call->columns[i], r, out[r]);
}

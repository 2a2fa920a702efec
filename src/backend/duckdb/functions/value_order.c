#include "backend/duckdb/functions/value_order.h"

#include "backend/duckdb/functions/nested.h"

#include <math.h>

static int compare_doubles(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return (a > b) - (a < b);
}

static int compare_bytes(pt_text_view a, pt_text_view b)
{
    size_t common = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size_bytes > b.size_bytes) - (a.size_bytes < b.size_bytes);
}

static int compare_intervals(const duckdb_interval *a, const duckdb_interval *b)
{
    if (a->months != b->months)
        return a->months < b->months ? -1 : 1;
    if (a->days != b->days)
        return a->days < b->days ? -1 : 1;
    return (a->micros > b->micros) - (a->micros < b->micros);
}

static bool is_entries(const pt__fn_type *type)
{
    return type->id == DUCKDB_TYPE_LIST || type->id == DUCKDB_TYPE_MAP;
}

static int compare_structs(const pt__fn_column *a, idx_t a_row, const pt__fn_column *b, idx_t b_row,
                           const pt__fn_type *type)
{
    for (size_t i = 0; i < type->child_count; i++) {
        pt__fn_column x = pt__fn_field(a, type, i);
        pt__fn_column y = pt__fn_field(b, type, i);
        int order = pt__value_compare(&x, a_row, &y, b_row);
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare_lists(const pt__fn_column *a, idx_t a_row, const pt__fn_column *b, idx_t b_row)
{
    bool is_map = a->type->id == DUCKDB_TYPE_MAP;
    pt__fn_column x = pt__fn_elements(a);
    pt__fn_column y = pt__fn_elements(b);
    duckdb_list_entry first = pt__fn_list_entry(a, a_row);
    duckdb_list_entry second = pt__fn_list_entry(b, b_row);
    for (idx_t i = 0; i < first.length && i < second.length; i++) {
        int order = is_map ? compare_structs(&x, first.offset + i, &y, second.offset + i, a->type)
                           : pt__value_compare(&x, first.offset + i, &y, second.offset + i);
        if (order != 0)
            return order;
    }
    return (first.length > second.length) - (first.length < second.length);
}

static int compare_leaves(const pt__fn_column *a, idx_t i, const pt__fn_column *b, idx_t j)
{
    switch (a->type->physical) {
    case DUCKDB_TYPE_BOOLEAN: return ((const bool *)a->data)[i] - ((const bool *)b->data)[j];
    case DUCKDB_TYPE_FLOAT:
        return compare_doubles((double)((const float *)a->data)[i], (double)((const float *)b->data)[j]);
    case DUCKDB_TYPE_DOUBLE: return compare_doubles(((const double *)a->data)[i], ((const double *)b->data)[j]);
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
        return compare_bytes(pt__fn_string((const duckdb_string_t *)a->data + i),
                             pt__fn_string((const duckdb_string_t *)b->data + j));
    case DUCKDB_TYPE_INTERVAL:
        return compare_intervals((const duckdb_interval *)a->data + i, (const duckdb_interval *)b->data + j);
    default: break;
    }
    pt_int128 x = pt__fn_whole(a, i);
    pt_int128 y = pt__fn_whole(b, j);
    return (x > y) - (x < y);
}

int pt__value_compare(const pt__fn_column *a, idx_t a_row, const pt__fn_column *b, idx_t b_row)
{
    bool a_null = pt__value_is_null(a, a_row);
    bool b_null = pt__value_is_null(b, b_row);
    if (a_null || b_null)
        return b_null - a_null;
    if (is_entries(a->type))
        return compare_lists(a, a_row, b, b_row);
    if (a->type->id == DUCKDB_TYPE_STRUCT)
        return compare_structs(a, a_row, b, b_row, a->type);
    return compare_leaves(a, a_row, b, b_row);
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value;
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_bytes(pt_text_view text)
{
    uint64_t hash = text.size_bytes;
    for (size_t i = 0; i < text.size_bytes; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* All NaNs alike, both zeros alike. */
static uint64_t hash_double(double value)
{
    uint64_t bits;
    if (isnan(value))
        return 1;
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t hash_struct(const pt__fn_column *column, const pt__fn_type *type, idx_t row)
{
    uint64_t hash = type->child_count;
    for (size_t i = 0; i < type->child_count; i++) {
        pt__fn_column field = pt__fn_field(column, type, i);
        hash = mix(hash, pt__value_hash(&field, row));
    }
    return hash;
}

static uint64_t hash_list(const pt__fn_column *list, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(list);
    duckdb_list_entry entry = pt__fn_list_entry(list, row);
    uint64_t hash = entry.length;
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++)
        hash = mix(hash, list->type->id == DUCKDB_TYPE_MAP ? hash_struct(&elements, list->type, i)
                                                           : pt__value_hash(&elements, i));
    return hash;
}

static uint64_t hash_leaf(const pt__fn_column *column, idx_t row)
{
    switch (column->type->physical) {
    case DUCKDB_TYPE_BOOLEAN: return ((const bool *)column->data)[row];
    case DUCKDB_TYPE_FLOAT: return hash_double((double)((const float *)column->data)[row]);
    case DUCKDB_TYPE_DOUBLE: return hash_double(((const double *)column->data)[row]);
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB: return hash_bytes(pt__fn_string((const duckdb_string_t *)column->data + row));
    case DUCKDB_TYPE_INTERVAL: {
        const duckdb_interval *interval = (const duckdb_interval *)column->data + row;
        return mix(mix((uint64_t)interval->months, (uint64_t)interval->days), (uint64_t)interval->micros);
    }
    default: break;
    }
    pt_int128 value = pt__fn_whole(column, row);
    return mix((uint64_t)value, (uint64_t)(value >> 64));
}

uint64_t pt__value_hash(const pt__fn_column *column, idx_t row)
{
    if (pt__value_is_null(column, row))
        return 42;
    if (is_entries(column->type))
        return mix(3, hash_list(column, row));
    if (column->type->id == DUCKDB_TYPE_STRUCT)
        return mix(5, hash_struct(column, column->type, row));
    return mix(7, hash_leaf(column, row));
}

/* ---- keys ---- */

/* Big-endian, the sign turned, so that bytes order as numbers do. */
static void append_whole(pt__buffer *out, pt_int128 value, int bytes)
{
    pt__uint128 bits = (pt__uint128)value ^ ((pt__uint128)1 << (8 * bytes - 1));
    for (int i = bytes - 1; i >= 0; i--)
        pt__buffer_append_byte(out, (uint8_t)(bits >> (8 * i)));
}

static void append_double_key(pt__buffer *out, double value)
{
    int64_t bits;
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof(bits));
    if (isnan(value))
        bits = INT64_C(0x7FF8000000000000);
    else if (bits < 0)
        bits = bits ^ INT64_MAX;
    append_whole(out, bits, 8);
}

/* Zero bytes are followed by 255, so that the 0, 0 of the end is smaller than any continuation. */
static void append_bytes_key(pt__buffer *out, pt_text_view text)
{
    for (size_t i = 0; i < text.size_bytes; i++) {
        pt__buffer_append_byte(out, (uint8_t)text.data[i]);
        if (text.data[i] == 0)
            pt__buffer_append_byte(out, 255);
    }
    pt__buffer_append(out, "\0", 2);
}

static void append_struct_key(pt__buffer *out, const pt__fn_column *column, const pt__fn_type *type, idx_t row)
{
    for (size_t i = 0; i < type->child_count; i++) {
        pt__fn_column field = pt__fn_field(column, type, i);
        pt__value_append_key(out, &field, row);
    }
}

static void append_list_key(pt__buffer *out, const pt__fn_column *list, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(list);
    duckdb_list_entry entry = pt__fn_list_entry(list, row);
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        pt__buffer_append_byte(out, 1);
        if (list->type->id == DUCKDB_TYPE_MAP)
            append_struct_key(out, &elements, list->type, i);
        else
            pt__value_append_key(out, &elements, i);
    }
    pt__buffer_append_byte(out, 0);
}

static void append_leaf_key(pt__buffer *out, const pt__fn_column *column, idx_t row)
{
    switch (column->type->physical) {
    case DUCKDB_TYPE_BOOLEAN: pt__buffer_append_byte(out, ((const bool *)column->data)[row]); break;
    case DUCKDB_TYPE_FLOAT: append_double_key(out, (double)((const float *)column->data)[row]); break;
    case DUCKDB_TYPE_DOUBLE: append_double_key(out, ((const double *)column->data)[row]); break;
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB: append_bytes_key(out, pt__fn_string((const duckdb_string_t *)column->data + row)); break;
    case DUCKDB_TYPE_INTERVAL: {
        const duckdb_interval *interval = (const duckdb_interval *)column->data + row;
        append_whole(out, interval->months, 4);
        append_whole(out, interval->days, 4);
        append_whole(out, interval->micros, 8);
        break;
    }
    default: append_whole(out, pt__fn_whole(column, row), 16);
    }
}

void pt__value_append_key(pt__buffer *out, const pt__fn_column *column, idx_t row)
{
    bool is_null = pt__value_is_null(column, row);
    pt__buffer_append_byte(out, is_null ? 0 : 1);
    if (is_null)
        return;
    if (is_entries(column->type))
        append_list_key(out, column, row);
    else if (column->type->id == DUCKDB_TYPE_STRUCT)
        append_struct_key(out, column, column->type, row);
    else
        append_leaf_key(out, column, row);
}

/* ---- sorting ---- */

static void merge(idx_t *out, const idx_t *left, size_t left_count, const idx_t *right, size_t right_count,
                  pt__item_compare compare, void *context)
{
    size_t i = 0;
    size_t k = 0;
    while (i < left_count && k < right_count)
        *out++ = compare(context, left[i], right[k]) <= 0 ? left[i++] : right[k++];
    while (i < left_count)
        *out++ = left[i++];
    while (k < right_count)
        *out++ = right[k++];
}

void pt__stable_sort(idx_t *items, idx_t *scratch, size_t count, pt__item_compare compare, void *context)
{
    if (count < 2)
        return;
    size_t half = count / 2;
    pt__stable_sort(items, scratch, half, compare, context);
    pt__stable_sort(items + half, scratch, count - half, compare, context);
    memcpy(scratch, items, half * sizeof(*items));
    merge(items, scratch, half, items + half, count - half, compare, context);
}

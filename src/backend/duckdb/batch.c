#include "backend/duckdb/batch_packed.h"
#include "backend/duckdb/batch_text.h"

#include <stdlib.h>
#include <string.h>

/* ---- making columns ---- */

pt__batch_layout pt__batch_decimal_layout(duckdb_logical_type type)
{
    switch (duckdb_decimal_internal_type(type)) {
    case DUCKDB_TYPE_SMALLINT: return PT_LAYOUT_DECIMAL16;
    case DUCKDB_TYPE_INTEGER: return PT_LAYOUT_DECIMAL32;
    case DUCKDB_TYPE_BIGINT: return PT_LAYOUT_DECIMAL64;
    default: return PT_LAYOUT_FIXED;
    }
}

static void set_layout(pt__batch_column *column, pt__batch_layout which, size_t width_bytes)
{
    column->layout = which;
    column->width_bytes = width_bytes;
}

static bool init_column(pt__batch_column *column, const pt_type *type, duckdb_logical_type engine_type);

bool pt__batch_add_children(pt__batch_column *column, size_t count)
{
    column->children = calloc(count == 0 ? 1 : count, sizeof(*column->children));
    column->child_count = column->children == NULL ? 0 : count;
    return column->children != NULL;
}

static bool init_list(pt__batch_column *column, const pt_type *type, duckdb_logical_type engine_type)
{
    set_layout(column, PT_LAYOUT_LIST, 0);
    if (!pt__batch_add_children(column, 1))
        return false;
    duckdb_logical_type child = duckdb_list_type_child_type(engine_type);
    bool ok = init_column(&column->children[0], type->element, child);
    duckdb_destroy_logical_type(&child);
    return ok;
}

static bool init_map(pt__batch_column *column, const pt_type *type, duckdb_logical_type engine_type)
{
    set_layout(column, PT_LAYOUT_LIST, 0);
    if (!pt__batch_add_children(column, 1))
        return false;
    pt__batch_column *entries = &column->children[0];
    set_layout(entries, PT_LAYOUT_STRUCT, 0);
    if (!pt__batch_add_children(entries, 2))
        return false;
    duckdb_logical_type key = duckdb_map_type_key_type(engine_type);
    duckdb_logical_type value = duckdb_map_type_value_type(engine_type);
    bool ok =
        init_column(&entries->children[0], type->key, key) && init_column(&entries->children[1], type->element, value);
    duckdb_destroy_logical_type(&key);
    duckdb_destroy_logical_type(&value);
    return ok;
}

static bool init_struct(pt__batch_column *column, const pt_type *type, duckdb_logical_type engine_type)
{
    set_layout(column, PT_LAYOUT_STRUCT, 0);
    bool ok = pt__batch_add_children(column, type->field_count);
    for (size_t i = 0; ok && i < type->field_count; i++) {
        duckdb_logical_type child = duckdb_struct_type_child_type(engine_type, i);
        ok = init_column(&column->children[i], type->fields[i].type, child);
        duckdb_destroy_logical_type(&child);
    }
    return ok;
}

static bool init_variant(pt__batch_column *column)
{
    set_layout(column, PT_LAYOUT_STRUCT, 0);
    if (!pt__batch_add_children(column, 2))
        return false;
    set_layout(&column->children[0], PT_LAYOUT_TEXT, 0);
    set_layout(&column->children[1], PT_LAYOUT_TEXT, 0);
    return true;
}

static bool init_column(pt__batch_column *column, const pt_type *type, duckdb_logical_type engine_type)
{
    switch (type->id) {
    case PT_TYPE_VOID: set_layout(column, PT_LAYOUT_NULL, 0); return true;
    case PT_TYPE_BOOLEAN: set_layout(column, PT_LAYOUT_BOOLEAN, 0); return true;
    case PT_TYPE_BYTE: set_layout(column, PT_LAYOUT_FIXED, 1); return true;
    case PT_TYPE_SHORT: set_layout(column, PT_LAYOUT_FIXED, 2); return true;
    case PT_TYPE_INT:
    case PT_TYPE_FLOAT:
    case PT_TYPE_DATE:
    case PT_TYPE_INTERVAL_YEAR_MONTH: set_layout(column, PT_LAYOUT_FIXED, 4); return true;
    case PT_TYPE_LONG:
    case PT_TYPE_DOUBLE:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ:
    case PT_TYPE_INTERVAL_DAY_TIME: set_layout(column, PT_LAYOUT_FIXED, 8); return true;
    case PT_TYPE_DECIMAL: set_layout(column, pt__batch_decimal_layout(engine_type), 16); return true;
    case PT_TYPE_TIME: set_layout(column, PT_LAYOUT_MICROSECONDS, 8); return true;
    case PT_TYPE_INTERVAL_CALENDAR: set_layout(column, PT_LAYOUT_INTERVAL, 16); return true;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
    case PT_TYPE_BINARY: set_layout(column, PT_LAYOUT_TEXT, 0); return true;
    case PT_TYPE_UDT: return init_column(column, type->element, engine_type);
    case PT_TYPE_ARRAY: return init_list(column, type, engine_type);
    case PT_TYPE_MAP: return init_map(column, type, engine_type);
    case PT_TYPE_STRUCT: return init_struct(column, type, engine_type);
    case PT_TYPE_VARIANT: return init_variant(column);
    case PT_TYPE_COUNT: break;
    }
    return false;
}

static void deinit_column(pt__batch_memory *memory, pt__batch_column *column)
{
    pt__batch_release(memory, &column->validity);
    pt__batch_release(memory, &column->offsets);
    pt__batch_release(memory, &column->values);
    for (size_t i = 0; i < column->child_count; i++)
        deinit_column(memory, &column->children[i]);
    free(column->children);
    pt__batch_words_deinit(&column->words);
}

bool pt__batch_open(pt__batch *batch, size_t column_count)
{
    *batch = (pt__batch){.memory = pt__batch_memory_new(), .column_count = column_count};
    batch->columns = calloc(column_count + 1, sizeof(*batch->columns));
    batch->vectors = calloc(column_count + 1, sizeof(*batch->vectors));
    return batch->memory != NULL && batch->columns != NULL && batch->vectors != NULL;
}

bool pt__batch_init(pt__batch *batch, const pt_column *columns, const duckdb_logical_type *types, size_t column_count)
{
    bool ok = pt__batch_open(batch, column_count);
    for (size_t i = 0; ok && i < column_count; i++)
        ok = init_column(&batch->columns[i], columns[i].type, types[i]);
    if (!ok)
        pt__batch_deinit(batch);
    return ok;
}

void pt__batch_deinit(pt__batch *batch)
{
    for (size_t i = 0; batch->columns != NULL && i < batch->column_count; i++)
        deinit_column(batch->memory, &batch->columns[i]);
    free(batch->columns);
    free(batch->vectors);
    pt__batch_memory_unref(batch->memory);
    *batch = (pt__batch){0};
}

void pt__batch_share(pt__batch *batch, pt__batch_memory *memory)
{
    pt__batch_memory_ref(memory);
    pt__batch_memory_unref(batch->memory);
    batch->memory = memory;
}

bool pt__batch_take_packed(pt__batch *batch, size_t index)
{
    pt__batch_column *column = &batch->columns[index];
    column->is_packed = pt__batch_can_unpack(column);
    column->longest_bytes = UINT32_MAX;
    return column->is_packed;
}

void pt__batch_set_longest(pt__batch *batch, size_t index, uint32_t length_bytes)
{
    batch->columns[index].longest_bytes = length_bytes;
}

/* ---- validity ---- */

/* 64 bits from `first` on; those past `count` are 0. */
static uint64_t bits_from(const uint64_t *words, idx_t first, idx_t count)
{
    uint64_t bits = UINT64_MAX;
    if (words != NULL) {
        unsigned shift = (unsigned)(first & 63);
        bits = words[first >> 6] >> shift;
        if (shift != 0 && (first & 63) + count > 64)
            bits |= words[(first >> 6) + 1] << (64 - shift);
    }
    return count >= 64 ? bits : bits & ((UINT64_C(1) << count) - 1);
}

/* Writes the low `count` bits of `bits` at bit `at`; what lies behind is not looked at. */
static void put_bits(uint8_t *bytes, size_t at, uint64_t bits, size_t count)
{
    size_t byte = at >> 3;
    unsigned shift = (unsigned)(at & 7);
    uint64_t low = (shift == 0 ? 0 : bytes[byte] & ((1u << shift) - 1)) | bits << shift;
    memcpy(bytes + byte, &low, 8);
    if (shift != 0 && count + shift > 64)
        bytes[byte + 8] = (uint8_t)(bits >> (64 - shift));
}

static idx_t count_nulls(const uint64_t *words, idx_t first, idx_t count)
{
    idx_t valid = 0;
    if (words == NULL)
        return 0;
    for (idx_t i = 0; i < count; i += 64)
        valid += (idx_t)__builtin_popcountll(bits_from(words, first + i, count - i));
    return count - valid;
}

static bool reserve_bits(pt__batch_memory *memory, pt__batch_buffer *buffer, size_t bits)
{
    return pt__batch_reserve(memory, buffer, bits / 8 + 16); /* put_bits writes whole words */
}

static bool append_validity(pt__batch_memory *memory, pt__batch_column *column, const uint64_t *words, idx_t first,
                            idx_t count)
{
    idx_t nulls = count_nulls(words, first, count);
    size_t length = (size_t)column->length;
    if (nulls == 0 && column->validity.data == NULL)
        return true;
    bool is_new = column->validity.data == NULL;
    if (!reserve_bits(memory, &column->validity, length + count))
        return false;
    if (is_new)
        memset(column->validity.data, 0xFF, length / 8 + 1);
    for (idx_t i = 0; i < count; i += 64)
        put_bits(column->validity.data, length + i, bits_from(words, first + i, count - i), 64);
    column->validity.size_bytes = (length + count + 7) / 8;
    column->null_count += (int64_t)nulls;
    return true;
}

/* ---- values ---- */

bool pt__batch_reserve_values(pt__batch_memory *memory, pt__batch_column *column, size_t extra_bytes)
{
    size_t needed = column->values.size_bytes + extra_bytes;
    if (column->values.data == NULL && needed < column->expected_values_bytes)
        needed = column->expected_values_bytes;
    return pt__batch_reserve(memory, &column->values, needed);
}

bool pt__batch_reserve_offsets(pt__batch_memory *memory, pt__batch_column *column, idx_t count)
{
    bool is_new = column->offsets.data == NULL;
    size_t needed = ((size_t)column->length + count + 1) * 4;
    if (is_new && needed < column->expected_offsets_bytes)
        needed = column->expected_offsets_bytes;
    if (!pt__batch_reserve(memory, &column->offsets, needed))
        return false;
    if (is_new)
        memset(column->offsets.data, 0, 4);
    return true;
}

static bool append_fixed(pt__batch_memory *memory, pt__batch_column *column, const void *data, idx_t first, idx_t count)
{
    size_t size = (size_t)count * column->width_bytes;
    if (!pt__batch_reserve_values(memory, column, size))
        return false;
    memcpy(column->values.data + column->values.size_bytes, (const uint8_t *)data + first * column->width_bytes, size);
    column->values.size_bytes += size;
    return true;
}

static bool append_booleans(pt__batch_memory *memory, pt__batch_column *column, const uint8_t *data, idx_t first,
                            idx_t count)
{
    size_t length = (size_t)column->length;
    if (!reserve_bits(memory, &column->values, length + count))
        return false;
    for (idx_t i = 0; i < count; i += 64) {
        uint64_t bits = 0;
        for (idx_t k = 0; k < 64 && i + k < count; k++)
            bits |= (uint64_t)(data[first + i + k] & 1) << k;
        put_bits(column->values.data, length + i, bits, 64);
    }
    column->values.size_bytes = (length + count + 7) / 8;
    return true;
}

#define WIDEN(name, type)                                                                                              \
    static void name(int64_t *out, const type *data, idx_t count)                                                      \
    {                                                                                                                  \
        for (idx_t i = 0; i < count; i++) {                                                                            \
            int64_t value = data[i];                                                                                   \
            out[2 * i] = value;                                                                                        \
            out[2 * i + 1] = value >> 63;                                                                              \
        }                                                                                                              \
    }
WIDEN(widen16, int16_t)
WIDEN(widen32, int32_t)
WIDEN(widen64, int64_t)
#undef WIDEN

static bool append_decimals(pt__batch_memory *memory, pt__batch_column *column, const void *data, idx_t first,
                            idx_t count)
{
    if (!pt__batch_reserve_values(memory, column, (size_t)count * 16))
        return false;
    int64_t *out = (int64_t *)(void *)(column->values.data + column->values.size_bytes);
    if (column->layout == PT_LAYOUT_DECIMAL16)
        widen16(out, (const int16_t *)data + first, count);
    else if (column->layout == PT_LAYOUT_DECIMAL32)
        widen32(out, (const int32_t *)data + first, count);
    else
        widen64(out, (const int64_t *)data + first, count);
    column->values.size_bytes += (size_t)count * 16;
    return true;
}

static bool append_microseconds(pt__batch_memory *memory, pt__batch_column *column, const int64_t *data, idx_t first,
                                idx_t count)
{
    if (!pt__batch_reserve_values(memory, column, (size_t)count * 8))
        return false;
    int64_t *out = (int64_t *)(void *)(column->values.data + column->values.size_bytes);
    for (idx_t i = 0; i < count; i++)
        out[i] = (int64_t)((uint64_t)data[first + i] * 1000);
    column->values.size_bytes += (size_t)count * 8;
    return true;
}

static bool append_intervals(pt__batch_memory *memory, pt__batch_column *column, const duckdb_interval *data,
                             idx_t first, idx_t count)
{
    if (!pt__batch_reserve_values(memory, column, (size_t)count * 16))
        return false;
    duckdb_interval *out = (duckdb_interval *)(void *)(column->values.data + column->values.size_bytes);
    for (idx_t i = 0; i < count; i++) {
        out[i] = data[first + i];
        out[i].micros = (int64_t)((uint64_t)out[i].micros * 1000);
    }
    column->values.size_bytes += (size_t)count * 16;
    return true;
}

/* ---- nested ---- */

static bool append_vector(pt__batch_memory *memory, pt__batch_column *column, duckdb_vector vector, idx_t first,
                          idx_t count);

/* Runs of rows whose elements follow each other in the child vector are appended at once. */
static bool append_lists(pt__batch_memory *memory, pt__batch_column *column, duckdb_vector vector,
                         const uint64_t *validity, idx_t first, idx_t count)
{
    if (!pt__batch_reserve_offsets(memory, column, count))
        return false;
    const duckdb_list_entry *entries = duckdb_vector_get_data(vector);
    duckdb_vector child_vector = duckdb_list_vector_get_child(vector);
    pt__batch_column *child = &column->children[0];
    int32_t *offsets = (int32_t *)(void *)column->offsets.data + column->length + 1;
    int64_t end = offsets[-1];
    idx_t run_first = 0;
    idx_t run_count = 0;
    for (idx_t i = 0; i < count; i++) {
        if (pt__batch_bit_at(validity, first + i) && entries[first + i].length > 0) {
            const duckdb_list_entry *entry = &entries[first + i];
            if (run_count > 0 && entry->offset != run_first + run_count) {
                if (!append_vector(memory, child, child_vector, run_first, run_count))
                    return false;
                run_count = 0;
            }
            if (run_count == 0)
                run_first = entry->offset;
            run_count += entry->length;
            end += (int64_t)entry->length;
        }
        if (end > INT32_MAX)
            return false;
        offsets[i] = (int32_t)end;
    }
    column->offsets.size_bytes = ((size_t)column->length + count + 1) * 4;
    return run_count == 0 || append_vector(memory, child, child_vector, run_first, run_count);
}

static bool append_structs(pt__batch_memory *memory, pt__batch_column *column, duckdb_vector vector, idx_t first,
                           idx_t count)
{
    for (size_t i = 0; i < column->child_count; i++) {
        if (!append_vector(memory, &column->children[i], duckdb_struct_vector_get_child(vector, i), first, count))
            return false;
    }
    return true;
}

static bool append_values(pt__batch_memory *memory, pt__batch_column *column, duckdb_vector vector,
                          const uint64_t *validity, idx_t first, idx_t count)
{
    switch (column->layout) {
    case PT_LAYOUT_NULL: return true;
    case PT_LAYOUT_BOOLEAN: return append_booleans(memory, column, duckdb_vector_get_data(vector), first, count);
    case PT_LAYOUT_FIXED: return append_fixed(memory, column, duckdb_vector_get_data(vector), first, count);
    case PT_LAYOUT_DECIMAL16:
    case PT_LAYOUT_DECIMAL32:
    case PT_LAYOUT_DECIMAL64: return append_decimals(memory, column, duckdb_vector_get_data(vector), first, count);
    case PT_LAYOUT_MICROSECONDS:
        return append_microseconds(memory, column, duckdb_vector_get_data(vector), first, count);
    case PT_LAYOUT_INTERVAL: return append_intervals(memory, column, duckdb_vector_get_data(vector), first, count);
    case PT_LAYOUT_TEXT:
        return pt__batch_append_text(memory, column, duckdb_vector_get_data(vector), validity, first, count);
    case PT_LAYOUT_ENUM:
        return pt__batch_append_words(memory, column, duckdb_vector_get_data(vector), validity, first, count);
    case PT_LAYOUT_UUID:
        return pt__batch_append_uuids(memory, column, duckdb_vector_get_data(vector), validity, first, count);
    case PT_LAYOUT_LIST: return append_lists(memory, column, vector, validity, first, count);
    case PT_LAYOUT_ARRAY:
        return append_vector(memory, &column->children[0], duckdb_array_vector_get_child(vector),
                             first * column->width_bytes, count * column->width_bytes);
    case PT_LAYOUT_STRUCT: return append_structs(memory, column, vector, first, count);
    }
    return false;
}

static bool append_packed(pt__batch_memory *memory, pt__batch_column *column, const uint64_t *packed, idx_t count)
{
    bool has_null;
    uint64_t validity[PT_PACKED_ROWS / 64];
    if (!pt__batch_append_packed(memory, column, packed, count, &has_null))
        return false;
    if (has_null)
        pt__packed_validity(packed, count, validity);
    return append_validity(memory, column, has_null ? validity : NULL, 0, count);
}

static bool append_plain(pt__batch_memory *memory, pt__batch_column *column, duckdb_vector vector, idx_t first,
                         idx_t count)
{
    const uint64_t *validity = duckdb_vector_get_validity(vector);
    return append_values(memory, column, vector, validity, first, count) &&
           append_validity(memory, column, validity, first, count);
}

static bool append_vector(pt__batch_memory *memory, pt__batch_column *column, duckdb_vector vector, idx_t first,
                          idx_t count)
{
    if (column->layout == PT_LAYOUT_NULL) {
        column->length += (int64_t)count;
        column->null_count += (int64_t)count;
        return true;
    }
    bool has_all = column->is_packed
                       ? append_packed(memory, column, (const uint64_t *)duckdb_vector_get_data(vector) + first, count)
                       : append_plain(memory, column, vector, first, count);
    if (!has_all)
        return false;
    column->length += (int64_t)count;
    return true;
}

void pt__batch_from_chunk(pt__batch *batch, duckdb_data_chunk chunk)
{
    for (size_t i = 0; i < batch->column_count; i++)
        batch->vectors[i] = duckdb_data_chunk_get_vector(chunk, i);
}

void pt__batch_from_struct(pt__batch *batch, duckdb_vector rows)
{
    for (size_t i = 0; i < batch->column_count; i++)
        batch->vectors[i] = duckdb_struct_vector_get_child(rows, i);
}

bool pt__batch_append(pt__batch *batch, idx_t first, idx_t count)
{
    for (size_t i = 0; i < batch->column_count; i++) {
        if (!append_vector(batch->memory, &batch->columns[i], batch->vectors[i], first, count))
            return false;
    }
    batch->row_count += count;
    return true;
}

/* ---- sizes ---- */

static size_t vector_bytes(const pt__batch_column *column, duckdb_vector vector, idx_t first, idx_t count);

static size_t list_bytes(const pt__batch_column *column, duckdb_vector vector, idx_t first, idx_t count)
{
    const duckdb_list_entry *entries = duckdb_vector_get_data(vector);
    const uint64_t *validity = duckdb_vector_get_validity(vector);
    duckdb_vector child = duckdb_list_vector_get_child(vector);
    size_t size = 4 * count;
    for (idx_t i = first; i < first + count; i++) {
        if (pt__batch_bit_at(validity, i) && entries[i].length > 0)
            size += vector_bytes(&column->children[0], child, entries[i].offset, entries[i].length);
    }
    return size;
}

static size_t struct_bytes(const pt__batch_column *column, duckdb_vector vector, idx_t first, idx_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < column->child_count; i++)
        size += vector_bytes(&column->children[i], duckdb_struct_vector_get_child(vector, i), first, count);
    return size;
}

static size_t text_bytes(const pt__batch_column *column, duckdb_vector vector, idx_t first, idx_t count)
{
    const void *data = duckdb_vector_get_data(vector);
    return column->is_packed ? pt__packed_text_bytes((const uint64_t *)data + first, count)
                             : pt__batch_text_bytes(data, duckdb_vector_get_validity(vector), first, count);
}

/* What rows of a vector take as values, without validity. */
static size_t vector_bytes(const pt__batch_column *column, duckdb_vector vector, idx_t first, idx_t count)
{
    const uint64_t *validity;
    switch (column->layout) {
    case PT_LAYOUT_NULL: return 0;
    case PT_LAYOUT_BOOLEAN: return count / 8 + 1;
    case PT_LAYOUT_MICROSECONDS: return 8 * count;
    case PT_LAYOUT_DECIMAL16:
    case PT_LAYOUT_DECIMAL32:
    case PT_LAYOUT_DECIMAL64:
    case PT_LAYOUT_INTERVAL: return 16 * count;
    case PT_LAYOUT_FIXED: return column->width_bytes * count;
    case PT_LAYOUT_UUID: return (4 + 36) * count;
    case PT_LAYOUT_TEXT: return 4 * count + text_bytes(column, vector, first, count);
    case PT_LAYOUT_ENUM:
        validity = duckdb_vector_get_validity(vector);
        return 4 * count + pt__batch_words_bytes(column, duckdb_vector_get_data(vector), validity, first, count);
    case PT_LAYOUT_LIST: return list_bytes(column, vector, first, count);
    case PT_LAYOUT_ARRAY:
        return vector_bytes(&column->children[0], duckdb_array_vector_get_child(vector), first * column->width_bytes,
                            count * column->width_bytes);
    case PT_LAYOUT_STRUCT: return struct_bytes(column, vector, first, count);
    }
    return 0;
}

size_t pt__batch_rows_bytes(const pt__batch *batch, idx_t first, idx_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < batch->column_count; i++)
        size += vector_bytes(&batch->columns[i], batch->vectors[i], first, count);
    return size;
}

size_t pt__batch_rows_bytes_at_most(const pt__batch *batch, idx_t first, idx_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < batch->column_count; i++) {
        const pt__batch_column *column = &batch->columns[i];
        bool is_packed_text = column->is_packed && column->layout == PT_LAYOUT_TEXT;
        size += is_packed_text ? count * (4 + (size_t)column->longest_bytes)
                               : vector_bytes(column, batch->vectors[i], first, count);
    }
    return size;
}

static size_t column_bytes(const pt__batch_column *column)
{
    size_t size = column->validity.size_bytes + column->offsets.size_bytes + column->values.size_bytes;
    for (size_t i = 0; i < column->child_count; i++)
        size += column_bytes(&column->children[i]);
    return size;
}

size_t pt__batch_size_bytes(const pt__batch *batch)
{
    size_t size = 0;
    for (size_t i = 0; i < batch->column_count; i++)
        size += column_bytes(&batch->columns[i]);
    return size;
}

/* Columns in DuckDB's own Arrow layout. */
#include "backend/duckdb/batch_column.h"

#include <stdlib.h>
#include <string.h>

/* Types whose values are the same bytes in Arrow, or are made so by a layout; a format that ends in * is a prefix. */
static const struct plain {
    duckdb_type id;
    const char *format;
    pt__batch_layout layout;
    size_t width_bytes;
} PLAIN[] = {
    {DUCKDB_TYPE_SQLNULL, "n", PT_LAYOUT_NULL, 0},
    {DUCKDB_TYPE_BOOLEAN, "b", PT_LAYOUT_BOOLEAN, 0},
    {DUCKDB_TYPE_TINYINT, "c", PT_LAYOUT_FIXED, 1},
    {DUCKDB_TYPE_SMALLINT, "s", PT_LAYOUT_FIXED, 2},
    {DUCKDB_TYPE_INTEGER, "i", PT_LAYOUT_FIXED, 4},
    {DUCKDB_TYPE_BIGINT, "l", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_UTINYINT, "C", PT_LAYOUT_FIXED, 1},
    {DUCKDB_TYPE_USMALLINT, "S", PT_LAYOUT_FIXED, 2},
    {DUCKDB_TYPE_UINTEGER, "I", PT_LAYOUT_FIXED, 4},
    {DUCKDB_TYPE_UBIGINT, "L", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_HUGEINT, "d:38,0", PT_LAYOUT_FIXED, 16},
    {DUCKDB_TYPE_FLOAT, "f", PT_LAYOUT_FIXED, 4},
    {DUCKDB_TYPE_DOUBLE, "g", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_DATE, "tdD", PT_LAYOUT_FIXED, 4},
    {DUCKDB_TYPE_TIME, "ttu", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_TIME_NS, "ttn", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_TIMESTAMP, "tsu:", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_TIMESTAMP_S, "tss:", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_TIMESTAMP_MS, "tsm:", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_TIMESTAMP_NS, "tsn:", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_TIMESTAMP_TZ, "tsu:*", PT_LAYOUT_FIXED, 8},
    {DUCKDB_TYPE_INTERVAL, "tin", PT_LAYOUT_INTERVAL, 16},
    {DUCKDB_TYPE_VARCHAR, "u", PT_LAYOUT_TEXT, 0},
    {DUCKDB_TYPE_BLOB, "z", PT_LAYOUT_TEXT, 0},
    {DUCKDB_TYPE_UUID, "u", PT_LAYOUT_UUID, 0},
};

static bool has_format(const struct plain *plain, const char *format)
{
    size_t size = strlen(plain->format);
    if (plain->format[size - 1] == '*')
        return strncmp(format, plain->format, size - 1) == 0;
    return strcmp(format, plain->format) == 0;
}

static const struct plain *find_plain(duckdb_type id, const char *format)
{
    for (size_t i = 0; i < sizeof(PLAIN) / sizeof(PLAIN[0]); i++)
        if (PLAIN[i].id == id && has_format(&PLAIN[i], format))
            return &PLAIN[i];
    return NULL;
}

/* ---- the types inside of a type ---- */

duckdb_logical_type pt__batch_child_type(duckdb_logical_type type, int64_t index)
{
    switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_LIST: return duckdb_list_type_child_type(type);
    case DUCKDB_TYPE_ARRAY: return duckdb_array_type_child_type(type);
    case DUCKDB_TYPE_MAP: return index == 0 ? duckdb_map_type_key_type(type) : duckdb_map_type_value_type(type);
    default: return duckdb_struct_type_child_type(type, (idx_t)index);
    }
}

/* ---- what fits ---- */

static bool fits(const struct ArrowSchema *schema, duckdb_logical_type type);

static bool children_fit(const struct ArrowSchema *schema, duckdb_logical_type type, int64_t count)
{
    bool all = schema->n_children == count;
    for (int64_t i = 0; all && i < count; i++) {
        duckdb_logical_type child = pt__batch_child_type(type, i);
        all = fits(schema->children[i], child);
        duckdb_destroy_logical_type(&child);
    }
    return all;
}

/* d:PRECISION,SCALE, and 128 bits if it says how wide. */
static bool is_decimal(const char *format)
{
    const char *scale = strncmp(format, "d:", 2) == 0 ? strchr(format, ',') : NULL;
    const char *width = scale == NULL ? NULL : strchr(scale + 1, ',');
    return scale != NULL && (width == NULL || strcmp(width, ",128") == 0);
}

static bool fits(const struct ArrowSchema *schema, duckdb_logical_type type)
{
    const char *format = schema->format;
    duckdb_type id = duckdb_get_type_id(type);
    if (schema->dictionary != NULL)
        return id == DUCKDB_TYPE_ENUM && strcmp(schema->dictionary->format, "u") == 0;
    switch (id) {
    case DUCKDB_TYPE_DECIMAL: return is_decimal(format);
    case DUCKDB_TYPE_LIST: return strcmp(format, "+l") == 0 && children_fit(schema, type, 1);
    case DUCKDB_TYPE_ARRAY: return strncmp(format, "+w:", 3) == 0 && children_fit(schema, type, 1);
    case DUCKDB_TYPE_MAP:
        return strcmp(format, "+m") == 0 && schema->n_children == 1 && children_fit(schema->children[0], type, 2);
    case DUCKDB_TYPE_STRUCT:
        return strcmp(format, "+s") == 0 && children_fit(schema, type, (int64_t)duckdb_struct_type_child_count(type));
    default: return find_plain(id, format) != NULL;
    }
}

bool pt__batch_native_fits(const struct ArrowSchema *schema, const duckdb_logical_type *types)
{
    bool all = true;
    for (int64_t i = 0; all && i < schema->n_children; i++)
        all = fits(schema->children[i], types[i]);
    return all;
}

/* ---- making columns ---- */

static bool init_column(pt__batch_column *column, const struct ArrowSchema *schema, duckdb_logical_type type);

static bool init_children(pt__batch_column *column, const struct ArrowSchema *schema, duckdb_logical_type type)
{
    bool ok = pt__batch_add_children(column, (size_t)schema->n_children);
    for (int64_t i = 0; ok && i < schema->n_children; i++) {
        duckdb_logical_type child = pt__batch_child_type(type, i);
        ok = init_column(&column->children[i], schema->children[i], child);
        duckdb_destroy_logical_type(&child);
    }
    return ok;
}

static bool add_word(pt__batch_words *words, uint32_t index, const char *word)
{
    size_t start = index == 0 ? 0 : words->ends[index - 1];
    size_t size = word == NULL ? 0 : strlen(word);
    char *text = realloc(words->text, start + size + 1);
    if (text == NULL || word == NULL)
        return false;
    memcpy(text + start, word, size);
    words->text = text;
    words->ends[index] = (uint32_t)(start + size);
    return true;
}

static bool init_words(pt__batch_words *words, duckdb_logical_type type)
{
    words->index_type = duckdb_enum_internal_type(type);
    words->count = duckdb_enum_dictionary_size(type);
    words->ends = calloc((size_t)words->count + 1, sizeof(*words->ends));
    bool ok = words->ends != NULL;
    for (uint32_t i = 0; ok && i < words->count; i++) {
        char *word = duckdb_enum_dictionary_value(type, i);
        ok = add_word(words, i, word);
        duckdb_free(word);
    }
    return ok;
}

void pt__batch_words_deinit(pt__batch_words *words)
{
    free(words->text);
    free(words->ends);
}

static bool init_map(pt__batch_column *column, const struct ArrowSchema *schema, duckdb_logical_type type)
{
    column->layout = PT_LAYOUT_LIST;
    if (!pt__batch_add_children(column, 1))
        return false;
    column->children[0].layout = PT_LAYOUT_STRUCT;
    return init_children(&column->children[0], schema->children[0], type);
}

static bool init_plain(pt__batch_column *column, const struct ArrowSchema *schema, duckdb_logical_type type)
{
    const struct plain *plain = find_plain(duckdb_get_type_id(type), schema->format);
    if (plain == NULL)
        return false;
    column->layout = plain->layout;
    column->width_bytes = plain->width_bytes;
    return true;
}

static bool init_column(pt__batch_column *column, const struct ArrowSchema *schema, duckdb_logical_type type)
{
    switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_ENUM: column->layout = PT_LAYOUT_ENUM; return init_words(&column->words, type);
    case DUCKDB_TYPE_DECIMAL:
        column->layout = pt__batch_decimal_layout(type);
        column->width_bytes = 16;
        return true;
    case DUCKDB_TYPE_LIST: column->layout = PT_LAYOUT_LIST; return init_children(column, schema, type);
    case DUCKDB_TYPE_ARRAY:
        column->layout = PT_LAYOUT_ARRAY;
        column->width_bytes = duckdb_array_type_array_size(type);
        return init_children(column, schema, type);
    case DUCKDB_TYPE_MAP: return init_map(column, schema, type);
    case DUCKDB_TYPE_STRUCT: column->layout = PT_LAYOUT_STRUCT; return init_children(column, schema, type);
    default: return init_plain(column, schema, type);
    }
}

bool pt__batch_init_native(pt__batch *batch, const struct ArrowSchema *schema, const duckdb_logical_type *types)
{
    size_t count = (size_t)schema->n_children;
    bool ok = pt__batch_open(batch, count);
    for (size_t i = 0; ok && i < count; i++)
        ok = init_column(&batch->columns[i], schema->children[i], types[i]);
    if (!ok)
        pt__batch_deinit(batch);
    return ok;
}

/* ---- words ---- */

static uint32_t word_at(const pt__batch_words *words, const void *data, idx_t row)
{
    switch (words->index_type) {
    case DUCKDB_TYPE_UTINYINT: return ((const uint8_t *)data)[row];
    case DUCKDB_TYPE_USMALLINT: return ((const uint16_t *)data)[row];
    default: return ((const uint32_t *)data)[row];
    }
}

static uint32_t word_start(const pt__batch_words *words, uint32_t word)
{
    return word == 0 ? 0 : words->ends[word - 1];
}

size_t pt__batch_words_bytes(const pt__batch_column *column, const void *data, const uint64_t *validity, idx_t first,
                             idx_t count)
{
    const pt__batch_words *words = &column->words;
    size_t total = 0;
    for (idx_t i = first; i < first + count; i++) {
        if (!pt__batch_bit_at(validity, i))
            continue;
        uint32_t word = word_at(words, data, i);
        total += words->ends[word] - word_start(words, word);
    }
    return total;
}

/* Room for text; the first of the new offsets. */
static int32_t *reserve_text(pt__batch_memory *memory, pt__batch_column *column, size_t total, idx_t count)
{
    if (column->values.size_bytes + total > INT32_MAX || !pt__batch_reserve_values(memory, column, total + 16) ||
        !pt__batch_reserve_offsets(memory, column, count))
        return NULL;
    column->offsets.size_bytes = ((size_t)column->length + count + 1) * 4;
    return (int32_t *)(void *)column->offsets.data + column->length + 1;
}

bool pt__batch_append_words(pt__batch_memory *memory, pt__batch_column *column, const void *data,
                            const uint64_t *validity, idx_t first, idx_t count)
{
    const pt__batch_words *words = &column->words;
    size_t total = pt__batch_words_bytes(column, data, validity, first, count);
    int32_t *offsets = reserve_text(memory, column, total, count);
    if (offsets == NULL)
        return false;
    for (idx_t i = 0; i < count; i++) {
        if (pt__batch_bit_at(validity, first + i)) {
            uint32_t word = word_at(words, data, first + i);
            uint32_t start = word_start(words, word);
            memcpy(column->values.data + column->values.size_bytes, words->text + start, words->ends[word] - start);
            column->values.size_bytes += words->ends[word] - start;
        }
        offsets[i] = (int32_t)column->values.size_bytes;
    }
    return true;
}

/* ---- UUIDs ---- */

enum { UUID_TEXT_BYTES = 36 };

static void put_uuid(uint8_t *out, duckdb_hugeint value)
{
    static const char digits[] = "0123456789abcdef";
    /* DuckDB flips the highest bit, so that UUIDs sort as numbers. */
    uint64_t halves[2] = {(uint64_t)value.upper ^ UINT64_C(1) << 63, value.lower};
    size_t at = 0;
    for (unsigned i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20)
            out[at++] = '-';
        out[at++] = (uint8_t)digits[halves[i / 16] >> (60 - 4 * (i % 16)) & 15];
    }
}

bool pt__batch_append_uuids(pt__batch_memory *memory, pt__batch_column *column, const duckdb_hugeint *data,
                            const uint64_t *validity, idx_t first, idx_t count)
{
    int32_t *offsets = reserve_text(memory, column, (size_t)count * UUID_TEXT_BYTES, count);
    if (offsets == NULL)
        return false;
    for (idx_t i = 0; i < count; i++) {
        if (pt__batch_bit_at(validity, first + i)) {
            put_uuid(column->values.data + column->values.size_bytes, data[first + i]);
            column->values.size_bytes += UUID_TEXT_BYTES;
        }
        offsets[i] = (int32_t)column->values.size_bytes;
    }
    return true;
}

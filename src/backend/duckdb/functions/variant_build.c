#include "backend/duckdb/functions/variant.h"

#include <stdlib.h>

typedef struct field {
    uint32_t id;
    size_t offset; /* in the value, from the nest's start */
} field;

enum { PRIMITIVE_NULL, PRIMITIVE_TRUE, PRIMITIVE_FALSE, PRIMITIVE_INT8, PRIMITIVE_DOUBLE = 7, PRIMITIVE_DECIMAL4 = 8 };
enum {
    PRIMITIVE_DATE = 11,
    PRIMITIVE_TIMESTAMP,
    PRIMITIVE_TIMESTAMP_NTZ,
    PRIMITIVE_FLOAT,
    PRIMITIVE_BINARY,
    PRIMITIVE_STRING
};
enum { SHORT_STRING_MAX = 63, DECIMAL4_DIGITS = 9, DECIMAL8_DIGITS = 18 };

void pt__variant_builder_reset(pt__variant_builder *builder)
{
    pt__buffer_reset(&builder->value);
    pt__buffer_reset(&builder->names);
    pt__buffer_reset(&builder->name_ends);
    pt__buffer_reset(&builder->fields);
    builder->has_duplicate = false;
}

void pt__variant_builder_deinit(pt__variant_builder *builder)
{
    pt__buffer_deinit(&builder->value);
    pt__buffer_deinit(&builder->names);
    pt__buffer_deinit(&builder->name_ends);
    pt__buffer_deinit(&builder->fields);
}

static void append_unsigned(pt__buffer *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        pt__buffer_append_byte(out, (uint8_t)(value >> (8 * i)));
}

static void add_header(pt__variant_builder *builder, int primitive)
{
    pt__buffer_append_byte(&builder->value, (uint8_t)(primitive << 2));
}

/* ---- scalars ---- */

void pt__variant_add_null(pt__variant_builder *builder)
{
    add_header(builder, PRIMITIVE_NULL);
}

void pt__variant_add_boolean(pt__variant_builder *builder, bool value)
{
    add_header(builder, value ? PRIMITIVE_TRUE : PRIMITIVE_FALSE);
}

void pt__variant_add_long(pt__variant_builder *builder, int64_t value)
{
    int power = value == (int8_t)value ? 0 : value == (int16_t)value ? 1 : value == (int32_t)value ? 2 : 3;
    add_header(builder, PRIMITIVE_INT8 + power);
    append_unsigned(&builder->value, (uint64_t)value, 1 << power);
}

void pt__variant_add_double(pt__variant_builder *builder, double value)
{
    add_header(builder, PRIMITIVE_DOUBLE);
    pt__buffer_append(&builder->value, &value, sizeof(value));
}

void pt__variant_add_float(pt__variant_builder *builder, float value)
{
    add_header(builder, PRIMITIVE_FLOAT);
    pt__buffer_append(&builder->value, &value, sizeof(value));
}

void pt__variant_add_decimal(pt__variant_builder *builder, pt_int128 unscaled, int32_t scale)
{
    int32_t digits = pt__int128_digits(unscaled);
    digits = digits > scale ? digits : scale;
    int size = digits <= DECIMAL4_DIGITS ? 0 : digits <= DECIMAL8_DIGITS ? 1 : 2;
    add_header(builder, PRIMITIVE_DECIMAL4 + size);
    pt__buffer_append_byte(&builder->value, (uint8_t)scale);
    pt__buffer_append(&builder->value, &unscaled, (size_t)4 << size);
}

void pt__variant_add_time(pt__variant_builder *builder, pt__variant_kind kind, int64_t value)
{
    int type = kind == PT__VARIANT_DATE        ? PRIMITIVE_DATE
               : kind == PT__VARIANT_TIMESTAMP ? PRIMITIVE_TIMESTAMP
                                               : PRIMITIVE_TIMESTAMP_NTZ;
    add_header(builder, type);
    append_unsigned(&builder->value, (uint64_t)value, kind == PT__VARIANT_DATE ? 4 : 8);
}

void pt__variant_add_string(pt__variant_builder *builder, const char *data, size_t size_bytes)
{
    if (size_bytes <= SHORT_STRING_MAX) {
        pt__buffer_append_byte(&builder->value, (uint8_t)(size_bytes << 2 | 1));
    } else {
        add_header(builder, PRIMITIVE_STRING);
        append_unsigned(&builder->value, size_bytes, 4);
    }
    pt__buffer_append(&builder->value, data, size_bytes);
}

void pt__variant_add_binary(pt__variant_builder *builder, const char *data, size_t size_bytes)
{
    add_header(builder, PRIMITIVE_BINARY);
    append_unsigned(&builder->value, size_bytes, 4);
    pt__buffer_append(&builder->value, data, size_bytes);
}

/* ---- names ---- */

static size_t name_count(const pt__variant_builder *builder)
{
    return builder->name_ends.size_bytes / sizeof(size_t);
}

static pt_text_view name_at(const pt__variant_builder *builder, size_t id)
{
    const size_t *ends = (const size_t *)(const void *)builder->name_ends.data;
    size_t start = id == 0 ? 0 : ends[id - 1];
    return (pt_text_view){(const char *)builder->names.data + start, ends[id] - start};
}

static int compare_names(pt_text_view a, pt_text_view b)
{
    size_t common = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size_bytes > b.size_bytes) - (a.size_bytes < b.size_bytes);
}

static uint32_t id_of(pt__variant_builder *builder, pt_text_view name)
{
    size_t count = name_count(builder);
    for (size_t i = 0; i < count; i++)
        if (compare_names(name_at(builder, i), name) == 0)
            return (uint32_t)i;
    pt__buffer_append(&builder->names, name.data, name.size_bytes);
    size_t end = builder->names.size_bytes;
    pt__buffer_append(&builder->name_ends, &end, sizeof(end));
    return (uint32_t)count;
}

/* ---- arrays and objects ---- */

pt__variant_nest pt__variant_begin(pt__variant_builder *builder)
{
    return (pt__variant_nest){builder->value.size_bytes, builder->fields.size_bytes / sizeof(field)};
}

void pt__variant_next(pt__variant_builder *builder, const pt__variant_nest *nest, const pt_text_view *name)
{
    field added = {name == NULL ? 0 : id_of(builder, *name), builder->value.size_bytes - nest->start};
    pt__buffer_append(&builder->fields, &added, sizeof(added));
}

static int bytes_for(uint64_t value)
{
    return value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFFFF ? 3 : 4;
}

static field *fields_of(pt__variant_builder *builder, const pt__variant_nest *nest, size_t *count)
{
    *count = builder->fields.size_bytes / sizeof(field) - nest->first_field;
    return (field *)(void *)builder->fields.data + nest->first_field;
}

/* Puts the header before the elements' bytes. */
static void insert(pt__variant_builder *builder, size_t at, const pt__buffer *header)
{
    pt__buffer *value = &builder->value;
    size_t moved = value->size_bytes - at;
    if (header->failed || !pt__buffer_reserve(value, header->size_bytes)) {
        value->failed = true;
        return;
    }
    memmove(value->data + at + header->size_bytes, value->data + at, moved);
    memcpy(value->data + at, header->data, header->size_bytes);
    value->size_bytes += header->size_bytes;
}

static void end_nest(pt__variant_builder *builder, const pt__variant_nest *nest, bool is_object)
{
    size_t count;
    const field *items = fields_of(builder, nest, &count);
    pt__buffer header = PT_BUFFER_INIT;
    size_t size = builder->value.size_bytes - nest->start;
    uint32_t largest_id = 0;
    for (size_t i = 0; i < count; i++)
        largest_id = items[i].id > largest_id ? items[i].id : largest_id;
    int offset_bytes = bytes_for(size);
    int id_bytes = bytes_for(largest_id);
    bool is_large = count > 0xFF;
    unsigned bits =
        is_object ? (unsigned)is_large << 6 | (unsigned)(id_bytes - 1) << 4 | (unsigned)(offset_bytes - 1) << 2 | 2
                  : (unsigned)is_large << 4 | (unsigned)(offset_bytes - 1) << 2 | 3;
    pt__buffer_append_byte(&header, (uint8_t)bits);
    append_unsigned(&header, count, is_large ? 4 : 1);
    for (size_t i = 0; i < count && is_object; i++)
        append_unsigned(&header, items[i].id, id_bytes);
    for (size_t i = 0; i < count; i++)
        append_unsigned(&header, items[i].offset, offset_bytes);
    append_unsigned(&header, size, offset_bytes);
    insert(builder, nest->start, &header);
    pt__buffer_deinit(&header);
    builder->fields.size_bytes = nest->first_field * sizeof(field);
}

void pt__variant_end_array(pt__variant_builder *builder, const pt__variant_nest *nest)
{
    end_nest(builder, nest, false);
}

/* Insertion sort: objects are small, and often in order. */
void pt__variant_end_object(pt__variant_builder *builder, const pt__variant_nest *nest)
{
    size_t count;
    field *items = fields_of(builder, nest, &count);
    for (size_t i = 1; i < count; i++) {
        field moved = items[i];
        size_t k = i;
        for (; k > 0; k--) {
            int order = compare_names(name_at(builder, items[k - 1].id), name_at(builder, moved.id));
            builder->has_duplicate = builder->has_duplicate || order == 0;
            if (order <= 0)
                break;
            items[k] = items[k - 1];
        }
        items[k] = moved;
    }
    end_nest(builder, nest, true);
}

/* ---- JSON ---- */

static void add_number(pt__variant_builder *builder, const pt__loose_node *node)
{
    pt__decimal number;
    bool is_plain = memchr(node->text.data, 'e', node->text.size_bytes) == NULL &&
                    memchr(node->text.data, 'E', node->text.size_bytes) == NULL;
    bool is_exact = is_plain && pt__decimal_parse(node->text.data, node->text.size_bytes, &number) == PT_DECIMAL_OK &&
                    number.scale <= 38;
    if (is_exact && node->kind == PT_LOOSE_INT && number.unscaled >= INT64_MIN && number.unscaled <= INT64_MAX) {
        pt__variant_add_long(builder, (int64_t)number.unscaled);
        return;
    }
    if (is_exact) {
        pt__variant_add_decimal(builder, number.unscaled, number.scale);
        return;
    }
    pt__buffer text = PT_BUFFER_INIT;
    pt__buffer_append(&text, node->text.data, node->text.size_bytes);
    pt__variant_add_double(builder, strtod(pt__buffer_string(&text), NULL));
    pt__buffer_deinit(&text);
}

static void add_text(pt__variant_builder *builder, pt_text_view raw, bool escaped)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__loose_append_text(&text, raw, escaped);
    pt__variant_add_string(builder, (const char *)text.data, text.size_bytes);
    pt__buffer_deinit(&text);
}

static void add_nested(pt__variant_builder *builder, const pt__loose_json *json, uint32_t node)
{
    bool is_object = json->nodes[node].kind == PT_LOOSE_OBJECT;
    pt__variant_nest nest = pt__variant_begin(builder);
    PT_LOOSE_EACH(json, node, child)
    {
        pt__buffer key = PT_BUFFER_INIT;
        pt__loose_append_text(&key, json->nodes[child].key, json->nodes[child].key_escaped);
        pt_text_view name = {key.size_bytes == 0 ? "" : (const char *)key.data, key.size_bytes};
        pt__variant_next(builder, &nest, is_object ? &name : NULL);
        pt__buffer_deinit(&key);
        pt__variant_add_json(builder, json, child);
    }
    if (is_object)
        pt__variant_end_object(builder, &nest);
    else
        pt__variant_end_array(builder, &nest);
}

void pt__variant_add_json(pt__variant_builder *builder, const pt__loose_json *json, uint32_t node)
{
    const pt__loose_node *value = &json->nodes[node];
    switch (value->kind) {
    case PT_LOOSE_NULL: pt__variant_add_null(builder); break;
    case PT_LOOSE_TRUE: pt__variant_add_boolean(builder, true); break;
    case PT_LOOSE_FALSE: pt__variant_add_boolean(builder, false); break;
    case PT_LOOSE_INT:
    case PT_LOOSE_FLOAT: add_number(builder, value); break;
    case PT_LOOSE_STRING: add_text(builder, value->text, value->text_escaped); break;
    case PT_LOOSE_ARRAY:
    case PT_LOOSE_OBJECT: add_nested(builder, json, node); break;
    }
}

/* ---- out ---- */

void pt__variant_append_metadata(pt__buffer *out, const pt__variant_builder *builder)
{
    size_t count = name_count(builder);
    size_t largest = builder->names.size_bytes > count ? builder->names.size_bytes : count;
    int width = bytes_for(largest);
    pt__buffer_append_byte(out, (uint8_t)((unsigned)(width - 1) << 6 | 1));
    append_unsigned(out, count, width);
    append_unsigned(out, 0, width);
    for (size_t i = 0; i < count; i++)
        append_unsigned(out, ((const size_t *)(const void *)builder->name_ends.data)[i], width);
    pt__buffer_append(out, builder->names.data, builder->names.size_bytes);
}

void pt__variant_put_part(duckdb_vector output, idx_t row, const pt__variant *part)
{
    duckdb_vector value = duckdb_struct_vector_get_child(output, 0);
    duckdb_vector metadata = duckdb_struct_vector_get_child(output, 1);
    duckdb_unsafe_vector_assign_string_element_len(value, row, (const char *)part->value, part->value_bytes);
    duckdb_unsafe_vector_assign_string_element_len(metadata, row, (const char *)part->metadata, part->metadata_bytes);
}

bool pt__variant_put(pt__fn_call *call, idx_t row, const pt__variant_builder *builder)
{
    pt__buffer *metadata = &call->state->scratch2;
    pt__buffer_reset(metadata);
    pt__variant_append_metadata(metadata, builder);
    if (metadata->failed || builder->value.failed || builder->fields.failed || builder->names.failed)
        return pt__fn_fail_memory(call);
    pt__variant whole = {builder->value.data, builder->value.size_bytes, metadata->data, metadata->size_bytes};
    pt__variant_put_part(call->output, row, &whole);
    return true;
}

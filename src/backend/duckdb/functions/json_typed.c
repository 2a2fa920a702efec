/* from_json: JSON text to JSON that DuckDB can cast, see typed_text.h. */
#include "analyze/json_schema.h"
#include "backend/duckdb/functions/json_state.h"
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/number_text.h"
#include "backend/duckdb/functions/typed_text.h"
#include "backend/duckdb/functions/variant.h"

#include <stdlib.h>

typedef struct conversion {
    pt__typed_reader *reader;
    const pt_type *root; /* of a record */
    const pt__loose_json *json;
    pt__buffer *out;
    pt__buffer *text; /* scratch for strings without escapes */
} conversion;

/* Appends the node as a value of the type; false, with nothing that counts appended, when it does not fit. */
static bool convert(conversion *c, uint32_t node, const pt_type *type);

/* ---- leaves ---- */

static pt_text_view plain_text(conversion *c, const pt__loose_node *node)
{
    if (!node->text_escaped)
        return node->text;
    pt__buffer_reset(c->text);
    pt__loose_append_text(c->text, node->text, true);
    return (pt_text_view){c->text->size_bytes == 0 ? "" : (const char *)c->text->data, c->text->size_bytes};
}

static bool convert_integer(conversion *c, const pt__loose_node *node, int64_t least, int64_t most, bool wraps)
{
    int64_t value;
    if (node->kind != PT_LOOSE_INT || !pt__parse_long(node->text, false, &value))
        return false;
    if (wraps && value > most && value <= 255) /* Jackson takes unsigned bytes */
        value -= 256;
    if (value < least || value > most)
        return false;
    pt__buffer_printf(c->out, "%lld", (long long)value);
    return true;
}

static bool is_special_double(pt_text_view text)
{
    static const char *const WORDS[] = {"NaN", "+INF", "INF", "-INF", "Infinity", "+Infinity", "-Infinity"};
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
        if (strlen(WORDS[i]) == text.size_bytes && memcmp(WORDS[i], text.data, text.size_bytes) == 0)
            return true;
    return false;
}

static bool convert_double(conversion *c, const pt__loose_node *node, const pt_type *type)
{
    char copy[400];
    bool is_special = node->kind == PT_LOOSE_STRING && is_special_double(node->text) &&
                      pt__typed_flag(c->reader, "allownonnumericnumbers", true);
    if ((node->kind != PT_LOOSE_INT && node->kind != PT_LOOSE_FLOAT && !is_special) ||
        node->text.size_bytes >= sizeof(copy))
        return false;
    memcpy(copy, node->text.data, node->text.size_bytes);
    copy[node->text.size_bytes] = '\0';
    pt__typed_append_double(c->out, type, type->id == PT_TYPE_FLOAT ? (double)strtof(copy, NULL) : strtod(copy, NULL));
    return true;
}

static bool convert_boolean(conversion *c, const pt__loose_node *node)
{
    if (node->kind != PT_LOOSE_TRUE && node->kind != PT_LOOSE_FALSE)
        return false;
    pt__buffer_append_string(c->out, node->kind == PT_LOOSE_TRUE ? "true" : "false");
    return true;
}

/* Whatever it is becomes text. */
static bool convert_string(conversion *c, uint32_t index)
{
    const pt__loose_node *node = &c->json->nodes[index];
    if (node->kind == PT_LOOSE_STRING) {
        pt_text_view text = plain_text(c, node);
        pt__loose_append_quoted(c->out, text.data, text.size_bytes);
        return true;
    }
    pt__buffer value = PT_BUFFER_INIT;
    pt__loose_append_value(&value, c->json, index);
    pt__loose_append_quoted(c->out, (const char *)value.data, value.size_bytes);
    pt__buffer_deinit(&value);
    return true;
}

static bool convert_time(conversion *c, const pt__loose_node *node, const pt_type *type)
{
    int64_t seconds;
    if (node->kind == PT_LOOSE_INT && type->id == PT_TYPE_TIMESTAMP && pt__parse_long(node->text, false, &seconds)) {
        pt__typed_append_timestamp(c->out, (int64_t)((uint64_t)seconds * 1000000), true);
        return true;
    }
    return node->kind == PT_LOOSE_STRING && pt__typed_append_text(c->out, c->reader, type, plain_text(c, node));
}

static bool convert_decimal(conversion *c, const pt__loose_node *node, const pt_type *type)
{
    if (node->kind == PT_LOOSE_INT || node->kind == PT_LOOSE_FLOAT)
        return pt__typed_append_decimal(c->out, type, node->text);
    return node->kind == PT_LOOSE_STRING && pt__typed_append_decimal(c->out, type, plain_text(c, node));
}

static bool convert_variant(conversion *c, uint32_t index)
{
    pt__variant_builder builder = {0};
    pt__buffer metadata = PT_BUFFER_INIT;
    pt__variant_add_json(&builder, c->json, index);
    pt__variant_append_metadata(&metadata, &builder);
    pt__buffer_append_string(c->out, "{\"value\":");
    pt__typed_append_bytes(c->out, builder.value.data, builder.value.size_bytes);
    pt__buffer_append_string(c->out, ",\"metadata\":");
    pt__typed_append_bytes(c->out, metadata.data, metadata.size_bytes);
    pt__buffer_append_byte(c->out, '}');
    bool ok = !builder.has_duplicate;
    pt__buffer_deinit(&metadata);
    pt__variant_builder_deinit(&builder);
    return ok;
}

/* ---- nested ---- */

static bool is_corrupt_field(const conversion *c, const pt_type *root, size_t ordinal)
{
    return root == c->root && pt__type_is_string(root->fields[ordinal].type) &&
           strcmp(root->fields[ordinal].name, c->reader->corrupt_field) == 0;
}

static uint32_t find_member(const conversion *c, uint32_t node, const char *name)
{
    uint32_t found = 0;
    pt_text_view view = {name, strlen(name)};
    PT_LOOSE_EACH(c->json, node, child)
    found = pt__loose_key_is(&c->json->nodes[child], view) ? child : found;
    return found;
}

/* A value that does not fit leaves NULL in its place. */
static void convert_or_null(conversion *c, uint32_t node, const pt_type *type)
{
    size_t mark = c->out->size_bytes;
    if (node != 0 && convert(c, node, type))
        return;
    c->reader->is_bad = c->reader->is_bad || node != 0;
    c->out->size_bytes = mark;
    pt__buffer_append_string(c->out, "null");
}

static bool convert_struct(conversion *c, uint32_t node, const pt_type *type)
{
    if (c->json->nodes[node].kind != PT_LOOSE_OBJECT)
        return false;
    pt__buffer_append_byte(c->out, '{');
    for (size_t i = 0; i < type->field_count; i++) {
        pt__buffer_append_string(c->out, i == 0 ? "" : ",");
        pt__typed_append_name(c->out, c->reader, type, i);
        if (is_corrupt_field(c, type, i))
            pt__buffer_append_string(c->out, "null");
        else
            convert_or_null(c, find_member(c, node, type->fields[i].name), type->fields[i].type);
    }
    pt__buffer_append_string(c->out, type->field_count == 0 ? "\"f0\":null}" : "}");
    return true;
}

static bool convert_array(conversion *c, uint32_t node, const pt_type *type)
{
    if (c->json->nodes[node].kind != PT_LOOSE_ARRAY)
        return false;
    pt__buffer_append_byte(c->out, '[');
    PT_LOOSE_EACH(c->json, node, child)
    {
        pt__buffer_append_string(c->out, child == c->json->nodes[node].first ? "" : ",");
        if (!convert(c, child, type->element))
            return false;
    }
    pt__buffer_append_byte(c->out, ']');
    return true;
}

static bool is_repeated_later(const conversion *c, uint32_t member)
{
    const pt__loose_node *nodes = c->json->nodes;
    for (uint32_t later = nodes[member].next; later != 0; later = nodes[later].next)
        if (nodes[later].key.size_bytes == nodes[member].key.size_bytes &&
            memcmp(nodes[later].key.data, nodes[member].key.data, nodes[member].key.size_bytes) == 0)
            return true;
    return false;
}

static bool convert_map(conversion *c, uint32_t node, const pt_type *type)
{
    bool first = true;
    if (c->json->nodes[node].kind != PT_LOOSE_OBJECT)
        return false;
    pt__buffer_append_byte(c->out, '{');
    PT_LOOSE_EACH(c->json, node, child)
    {
        if (is_repeated_later(c, child))
            continue;
        pt__buffer_append_string(c->out, first ? "" : ",");
        pt__buffer_reset(c->text);
        pt__loose_append_text(c->text, c->json->nodes[child].key, c->json->nodes[child].key_escaped);
        pt__loose_append_quoted(c->out, (const char *)c->text->data, c->text->size_bytes);
        pt__buffer_append_byte(c->out, ':');
        if (!convert(c, child, type->element))
            return false;
        first = false;
    }
    pt__buffer_append_byte(c->out, '}');
    return true;
}

static bool convert(conversion *c, uint32_t index, const pt_type *type)
{
    const pt__loose_node *node = &c->json->nodes[index];
    if (node->kind == PT_LOOSE_NULL) {
        pt__buffer_append_string(c->out, "null");
        return true;
    }
    switch (type->id) {
    case PT_TYPE_BOOLEAN: return convert_boolean(c, node);
    case PT_TYPE_BYTE: return convert_integer(c, node, INT8_MIN, INT8_MAX, true);
    case PT_TYPE_SHORT: return convert_integer(c, node, INT16_MIN, INT16_MAX, false);
    case PT_TYPE_INT: return convert_integer(c, node, INT32_MIN, INT32_MAX, false);
    case PT_TYPE_LONG: return convert_integer(c, node, INT64_MIN, INT64_MAX, false);
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: return convert_double(c, node, type);
    case PT_TYPE_DECIMAL: return convert_decimal(c, node, type);
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return convert_string(c, index);
    case PT_TYPE_DATE:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ:
    case PT_TYPE_BINARY: return convert_time(c, node, type);
    case PT_TYPE_STRUCT: return convert_struct(c, index, type);
    case PT_TYPE_ARRAY: return convert_array(c, index, type);
    case PT_TYPE_MAP: return convert_map(c, index, type);
    case PT_TYPE_VARIANT: return convert_variant(c, index);
    default: return false;
    }
}

/* ---- records ---- */

/* A struct of NULLs, but for the field that takes the record. */
static void append_bad_struct(conversion *c, pt_text_view record)
{
    const pt_type *type = c->root;
    pt__buffer_append_byte(c->out, '{');
    for (size_t i = 0; i < type->field_count; i++) {
        pt__buffer_append_string(c->out, i == 0 ? "" : ",");
        pt__typed_append_name(c->out, c->reader, type, i);
        if (is_corrupt_field(c, type, i))
            pt__loose_append_quoted(c->out, record.data, record.size_bytes);
        else
            pt__buffer_append_string(c->out, "null");
    }
    pt__buffer_append_string(c->out, type->field_count == 0 ? "\"f0\":null}" : "}");
}

/* Fills the field that takes a bad record, which is the only one whose value is not known at first: in what begins at `mark`. */
static size_t keep_record(conversion *c, size_t mark, pt_text_view record)
{
    const pt_type *type = c->root;
    pt__buffer name = PT_BUFFER_INIT;
    for (size_t i = 0; i < type->field_count; i++) {
        if (!is_corrupt_field(c, type, i))
            continue;
        pt__typed_append_name(&name, c->reader, type, i);
        pt__buffer_append_string(&name, "null");
        uint8_t *at = memmem(c->out->data + mark, c->out->size_bytes - mark, name.data, name.size_bytes);
        if (at == NULL)
            break;
        pt__buffer rest = PT_BUFFER_INIT;
        size_t head = (size_t)(at - c->out->data) + name.size_bytes;
        pt__buffer_append(&rest, c->out->data + head, c->out->size_bytes - head);
        c->out->size_bytes = head - 4;
        pt__loose_append_quoted(c->out, record.data, record.size_bytes);
        mark = c->out->size_bytes;
        pt__buffer_append(c->out, rest.data, rest.size_bytes);
        pt__buffer_deinit(&rest);
    }
    pt__buffer_deinit(&name);
    return mark;
}

/* An array type takes a single object for an array of one. */
static bool convert_root(conversion *c)
{
    const pt_type *type = c->reader->type;
    if (type->id == PT_TYPE_ARRAY && type->element->id == PT_TYPE_STRUCT && c->json->nodes[0].kind == PT_LOOSE_OBJECT) {
        pt__buffer_append_byte(c->out, '[');
        bool ok = convert(c, 0, type->element);
        pt__buffer_append_byte(c->out, ']');
        return ok;
    }
    if (type->id == PT_TYPE_STRUCT && c->json->nodes[0].kind == PT_LOOSE_NULL)
        return false;
    return convert(c, 0, type);
}

/* ---- the records of a text: an object is one, an array has one for each of its elements ---- */

/* An element of an array of records; false: the text is no list of records. */
static bool append_record(conversion *c, uint32_t node)
{
    pt__buffer_append_string(c->out, c->out->size_bytes == 1 ? "" : ",");
    if (c->json->nodes[node].kind != PT_LOOSE_NULL)
        return convert_struct(c, node, c->root);
    append_bad_struct(c, (pt_text_view){NULL, 0});
    return true;
}

static bool append_records(conversion *c)
{
    if (c->json->nodes[0].kind != PT_LOOSE_ARRAY)
        return c->json->nodes[0].kind != PT_LOOSE_NULL && append_record(c, 0);
    PT_LOOSE_EACH(c->json, 0, child)
    {
        if (!append_record(c, child))
            return false;
    }
    return true;
}

/* All records of a text with a bad one hold the text. */
static void mark_records(conversion *c, pt_text_view record)
{
    size_t count = 0;
    size_t mark = 1;
    PT_LOOSE_EACH(c->json, 0, child)
    count++;
    count = c->json->nodes[0].kind == PT_LOOSE_ARRAY ? count : 1;
    for (size_t i = 0; i < count; i++)
        mark = keep_record(c, mark, record);
}

static bool put_records(pt__fn_call *call, idx_t row, conversion *c, pt_text_view record, bool is_read)
{
    pt__buffer_append_byte(c->out, '[');
    bool ok = is_read && append_records(c);
    if (c->reader->fails_fast && (!ok || c->reader->is_bad))
        return pt__typed_fail_record(call, record);
    if (!ok) {
        c->out->size_bytes = 1;
        append_bad_struct(c, record);
    } else if (c->reader->is_bad) {
        mark_records(c, record);
    }
    pt__buffer_append_byte(c->out, ']');
    return pt__fn_put_buffer(call, row, c->out);
}

/* (json, type, options, zone) */
static bool from_json(pt__fn_call *call, idx_t row)
{
    pt__typed_reader *reader = pt__typed_reader_of(call, 1, true);
    pt__loose_json *json = pt__json_of_call(call);
    if (reader == NULL || json == NULL)
        return json == NULL ? pt__fn_fail_memory(call) : false;
    bool has_records = pt__typed_flag(reader, PT_JSON_RECORDS_OPTION, false);
    const pt_type *root = has_records ? reader->type->element : reader->type;
    conversion c = {reader, root, json, &call->state->scratch, &call->state->scratch2};
    pt_text_view record = pt__fn_text(call, 0, row);
    pt__loose_result result = pt__loose_json_read(json, record, pt__json_features(reader->options));
    if (result == PT_LOOSE_EMPTY)
        return false;
    if (result == PT_LOOSE_NO_MEMORY)
        return pt__fn_fail_memory(call);
    pt__buffer_reset(c.out);
    reader->is_bad = false;
    if (has_records)
        return put_records(call, row, &c, record, result == PT_LOOSE_OK);
    bool ok = result == PT_LOOSE_OK && convert_root(&c);
    bool is_null_root = result == PT_LOOSE_OK && json->nodes[0].kind == PT_LOOSE_NULL;
    if (reader->fails_fast && !is_null_root && (!ok || reader->is_bad))
        return pt__typed_fail_record(call, record);
    if (!ok && reader->type->id != PT_TYPE_STRUCT)
        return false;
    if (!ok) {
        pt__buffer_reset(c.out);
        append_bad_struct(&c, record);
    } else if (reader->is_bad && reader->type->id == PT_TYPE_STRUCT) {
        keep_record(&c, 0, record);
    }
    return pt__fn_put_buffer(call, row, c.out);
}

void pt__fn_from_json(pt__fn_call *call)
{
    PT__FN_EACH(call, r, from_json(call, r));
}

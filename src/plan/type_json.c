/* Spark's schema JSON, both ways. */
#include "base/arena_buffer.h"
#include "base/json.h"
#include "plan/type_names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const NAMES[] = {
#define JSON_NAME(id, name, json) json,
    PT_TYPE_MAP(JSON_NAME)
#undef JSON_NAME
};

const char *pt__type_id_json_name(pt_type_id id)
{
    return NAMES[id];
}

/* ---- writing ---- */

static void append_field(pt__buffer *out, const pt_field *field)
{
    pt__buffer_append_string(out, "{\"name\":");
    pt__json_append_cstring(out, field->name);
    pt__buffer_append_string(out, ",\"type\":");
    pt__type_append_json(out, field->type);
    pt__buffer_printf(out, ",\"nullable\":%s,\"metadata\":", field->nullable ? "true" : "false");
    pt__buffer_append_string(out, field->metadata == NULL ? "{}" : field->metadata);
    pt__buffer_append_byte(out, '}');
}

static void append_struct(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "{\"type\":\"struct\",\"fields\":[");
    for (size_t i = 0; i < type->field_count; i++) {
        if (i != 0)
            pt__buffer_append_byte(out, ',');
        append_field(out, &type->fields[i]);
    }
    pt__buffer_append_string(out, "]}");
}

static void append_array(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "{\"type\":\"array\",\"elementType\":");
    pt__type_append_json(out, type->element);
    pt__buffer_printf(out, ",\"containsNull\":%s}", type->contains_null ? "true" : "false");
}

static void append_map(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "{\"type\":\"map\",\"keyType\":");
    pt__type_append_json(out, type->key);
    pt__buffer_append_string(out, ",\"valueType\":");
    pt__type_append_json(out, type->element);
    pt__buffer_printf(out, ",\"valueContainsNull\":%s}", type->contains_null ? "true" : "false");
}

static void append_text_member(pt__buffer *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    pt__buffer_printf(out, ",\"%s\":", key);
    pt__json_append_cstring(out, text);
}

static void append_udt(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "{\"type\":\"udt\"");
    append_text_member(out, "class", type->udt_class);
    append_text_member(out, "pyClass", type->udt_python_class);
    append_text_member(out, "serializedClass", type->udt_serialized);
    pt__buffer_append_string(out, ",\"sqlType\":");
    pt__type_append_json(out, type->element);
    pt__buffer_append_byte(out, '}');
}

static void append_atom(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_byte(out, '"');
    switch ((int)type->id) {
    case PT_TYPE_DECIMAL:
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
    case PT_TYPE_TIME:
    case PT_TYPE_INTERVAL_YEAR_MONTH:
    case PT_TYPE_INTERVAL_DAY_TIME: pt__type_append_simple(out, type); break;
    default: pt__buffer_append_string(out, NAMES[type->id]); break;
    }
    pt__buffer_append_byte(out, '"');
}

void pt__type_append_json(pt__buffer *out, const pt_type *type)
{
    switch ((int)type->id) {
    case PT_TYPE_ARRAY: append_array(out, type); return;
    case PT_TYPE_MAP: append_map(out, type); return;
    case PT_TYPE_STRUCT: append_struct(out, type); return;
    case PT_TYPE_UDT: append_udt(out, type); return;
    default: append_atom(out, type); return;
    }
}

/* ---- reading ---- */

typedef struct type_reader {
    pt__arena *arena;
    pt_error *err;
} type_reader;

static pt_status fail(const type_reader *r, const char *what, const char *name)
{
    return pt_error_set(r->err, PT_INVALID_ARGUMENT, "schema JSON: %s \"%s\"", what, name);
}

static pt_status read_type(const type_reader *r, const pt__json *json, const pt_type **out);

/* "name(12)" or "name(12,3)"; the numbers stay as they are when absent. False when malformed. */
static bool read_numbers(const char *text, size_t prefix, int32_t *first, int32_t *second)
{
    const char *at = text + prefix;
    if (*at == '\0')
        return true;
    if (*at != '(')
        return false;
    char *end;
    long value = strtol(at + 1, &end, 10);
    if (end == at + 1 || value < -1000000 || value > INT32_MAX)
        return false;
    *first = (int32_t)value;
    if (*end == ',' && second != NULL) {
        at = end + 1;
        value = strtol(at, &end, 10);
        if (end == at || value < -1000 || value > 1000)
            return false;
        *second = (int32_t)value;
    }
    return strcmp(end, ")") == 0;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int field_index(const char *const *fields, int count, const char *text, size_t size)
{
    for (int i = 0; i < count; i++) {
        if (strlen(fields[i]) == size && memcmp(fields[i], text, size) == 0)
            return i;
    }
    return -1;
}

/* "interval day to second" and its parts. */
static const pt_type *read_interval(const type_reader *r, const char *text)
{
    static const char *const FIELDS[] = {"year", "month", "day", "hour", "minute", "second"};
    const char *start_text = text + strlen("interval ");
    const char *to = strstr(start_text, " to ");
    int start = field_index(FIELDS, 6, start_text, to == NULL ? strlen(start_text) : (size_t)(to - start_text));
    int end = to == NULL ? start : field_index(FIELDS, 6, to + 4, strlen(to + 4));
    if (start < 0 || end < start || (start < 2) != (end < 2))
        return NULL;
    if (start < 2)
        return pt__type_interval(r->arena, PT_TYPE_INTERVAL_YEAR_MONTH, (uint8_t)start, (uint8_t)end);
    return pt__type_interval(r->arena, PT_TYPE_INTERVAL_DAY_TIME, (uint8_t)(start - 2), (uint8_t)(end - 2));
}

static const pt_type *read_sized(const type_reader *r, const char *text)
{
    int32_t first = 0;
    int32_t second = 0;
    if (starts_with(text, "decimal(") && read_numbers(text, 7, &first, &second) && first >= 1 &&
        first <= PT_DECIMAL_PRECISION_MAX && second >= 0 && second <= first)
        return pt__type_decimal(r->arena, first, second);
    if (starts_with(text, "char(") && read_numbers(text, 4, &first, NULL) && first > 0)
        return pt__type_char(r->arena, PT_TYPE_CHAR, first);
    if (starts_with(text, "varchar(") && read_numbers(text, 7, &first, NULL) && first > 0)
        return pt__type_char(r->arena, PT_TYPE_VARCHAR, first);
    if (starts_with(text, "time(") && read_numbers(text, 4, &first, NULL) && first >= 0 && first <= 6)
        return pt__type_time(r->arena, first);
    if (starts_with(text, "string collate "))
        return pt__type_string(r->arena, pt__arena_copy_string(r->arena, text + strlen("string collate ")));
    return starts_with(text, "interval ") ? read_interval(r, text) : NULL;
}

static bool is_atom(pt_type_id id)
{
    return id < PT_TYPE_ARRAY ? id != PT_TYPE_CHAR && id != PT_TYPE_VARCHAR : id == PT_TYPE_VARIANT;
}

static pt_status read_atom(const type_reader *r, const char *text, const pt_type **out)
{
    static const struct {
        const char *name;
        pt_type_id id;
    } ALIASES[] = {
        {"null", PT_TYPE_VOID},
        {"timestamp_ltz", PT_TYPE_TIMESTAMP},
        {"calendarinterval", PT_TYPE_INTERVAL_CALENDAR},
    };
    for (int id = 0; id < PT_TYPE_COUNT; id++) {
        if (is_atom((pt_type_id)id) && strcmp(NAMES[id], text) == 0) {
            *out = pt__type_simple((pt_type_id)id);
            return PT_OK;
        }
    }
    for (size_t i = 0; i < sizeof(ALIASES) / sizeof(ALIASES[0]); i++) {
        if (strcmp(ALIASES[i].name, text) == 0) {
            *out = pt__type_simple(ALIASES[i].id);
            return PT_OK;
        }
    }
    *out = read_sized(r, text);
    return *out == NULL ? fail(r, "there is no type", text) : PT_OK;
}

static pt_status read_member_type(const type_reader *r, const pt__json *object, const char *key, const pt_type **out)
{
    const pt__json *member = pt__json_get(object, key);
    return member == NULL ? fail(r, "there is no member", key) : read_type(r, member, out);
}

static const char *metadata_text(const type_reader *r, const pt__json *metadata)
{
    if (metadata == NULL || metadata->kind != PT_JSON_OBJECT || metadata->count == 0)
        return NULL;
    pt__buffer *text = pt__arena_buffer(r->arena);
    pt__json_append(text, metadata);
    return pt__arena_buffer_take(r->arena, text);
}

static pt_status read_struct(const type_reader *r, const pt__json *json, const pt_type **out)
{
    const pt__json *members = pt__json_get(json, "fields");
    if (members == NULL || members->kind != PT_JSON_ARRAY)
        return fail(r, "there is no array", "fields");
    pt_field *fields = pt__arena_array(r->arena, pt_field, members->count);
    for (size_t i = 0; i < members->count; i++) {
        const pt__json *member = &members->items[i];
        fields[i].name = pt__json_get_string(member, "name", NULL);
        if (fields[i].name == NULL)
            return fail(r, "a field lacks its", "name");
        PT_TRY(read_member_type(r, member, "type", &fields[i].type));
        fields[i].nullable = pt__json_get_boolean(member, "nullable", true);
        fields[i].metadata = metadata_text(r, pt__json_get(member, "metadata"));
    }
    *out = pt__type_struct(r->arena, fields, members->count);
    return PT_OK;
}

static pt_status read_array(const type_reader *r, const pt__json *json, const pt_type **out)
{
    const pt_type *element = NULL;
    PT_TRY(read_member_type(r, json, "elementType", &element));
    *out = pt__type_array(r->arena, element, pt__json_get_boolean(json, "containsNull", true));
    return PT_OK;
}

static pt_status read_map(const type_reader *r, const pt__json *json, const pt_type **out)
{
    const pt_type *key = NULL;
    const pt_type *value = NULL;
    PT_TRY(read_member_type(r, json, "keyType", &key));
    PT_TRY(read_member_type(r, json, "valueType", &value));
    *out = pt__type_map(r->arena, key, value, pt__json_get_boolean(json, "valueContainsNull", true));
    return PT_OK;
}

static pt_status read_udt(const type_reader *r, const pt__json *json, const pt_type **out)
{
    pt_type *type = pt__arena_make(r->arena, pt_type);
    type->id = PT_TYPE_UDT;
    type->udt_class = pt__json_get_string(json, "class", NULL);
    type->udt_python_class = pt__json_get_string(json, "pyClass", NULL);
    type->udt_serialized = pt__json_get_string(json, "serializedClass", NULL);
    PT_TRY(read_member_type(r, json, "sqlType", &type->element));
    *out = type;
    return PT_OK;
}

static pt_status read_type(const type_reader *r, const pt__json *json, const pt_type **out)
{
    if (json->kind == PT_JSON_STRING)
        return read_atom(r, json->text, out);
    const char *name = pt__json_get_string(json, "type", "");
    if (strcmp(name, "struct") == 0)
        return read_struct(r, json, out);
    if (strcmp(name, "array") == 0)
        return read_array(r, json, out);
    if (strcmp(name, "map") == 0)
        return read_map(r, json, out);
    if (strcmp(name, "udt") == 0)
        return read_udt(r, json, out);
    return fail(r, "there is no nested type", name);
}

pt_status pt__type_parse_json(pt__arena *arena, const char *text, size_t size_bytes, const pt_type **out, pt_error *err)
{
    const pt__json *json;
    PT_TRY(pt__json_parse(arena, text, size_bytes, &json, err));
    return read_type(&(type_reader){arena, err}, json, out);
}

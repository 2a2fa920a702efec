#include "base/arena_buffer.h"
#include "base/json.h"
#include "plan/type_names.h"

#include <ctype.h>
#include <string.h>

static const char *const NAMES[] = {
#define DDL_NAME(id, name, json) name,
    PT_TYPE_MAP(DDL_NAME)
#undef DDL_NAME
};

const char *pt__type_id_name(pt_type_id id)
{
    return NAMES[id];
}

void pt__append_quoted(pt__buffer *out, const char *name)
{
    pt__buffer_append_byte(out, '`');
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '`')
            pt__buffer_append_byte(out, '`');
        pt__buffer_append_byte(out, (uint8_t)*c);
    }
    pt__buffer_append_byte(out, '`');
}

static bool is_plain_name(const char *name)
{
    bool only_digits = true;
    for (const char *c = name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
        only_digits = only_digits && isdigit((unsigned char)*c);
    }
    return !only_digits; /* also false for the empty name */
}

void pt__append_quoted_if_needed(pt__buffer *out, const char *name)
{
    if (is_plain_name(name))
        pt__buffer_append_string(out, name);
    else
        pt__append_quoted(out, name);
}

void pt__type_append_interval_name(pt__buffer *out, const pt_type *type)
{
    static const char *const YEAR_MONTH[] = {"year", "month"};
    static const char *const DAY_TIME[] = {"day", "hour", "minute", "second"};
    const char *const *fields = type->id == PT_TYPE_INTERVAL_YEAR_MONTH ? YEAR_MONTH : DAY_TIME;
    pt__buffer_printf(out, "interval %s", fields[type->start_field]);
    if (type->end_field != type->start_field)
        pt__buffer_printf(out, " to %s", fields[type->end_field]);
}

/* ---- simpleString ---- */

static void append_fields_simple(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "struct<");
    for (size_t i = 0; i < type->field_count; i++) {
        if (i != 0)
            pt__buffer_append_byte(out, ',');
        pt__buffer_append_string(out, type->fields[i].name);
        pt__buffer_append_byte(out, ':');
        pt__type_append_simple(out, type->fields[i].type);
    }
    pt__buffer_append_byte(out, '>');
}

static void append_map_simple(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "map<");
    pt__type_append_simple(out, type->key);
    pt__buffer_append_byte(out, ',');
    pt__type_append_simple(out, type->element);
    pt__buffer_append_byte(out, '>');
}

static void append_array_simple(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "array<");
    pt__type_append_simple(out, type->element);
    pt__buffer_append_byte(out, '>');
}

static void append_string_simple(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "string");
    if (type->collation != NULL)
        pt__buffer_printf(out, " collate %s", type->collation);
}

void pt__type_append_simple(pt__buffer *out, const pt_type *type)
{
    switch ((int)type->id) {
    case PT_TYPE_DECIMAL: pt__buffer_printf(out, "decimal(%d,%d)", type->precision, type->scale); return;
    case PT_TYPE_STRING: append_string_simple(out, type); return;
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
    case PT_TYPE_TIME: pt__buffer_printf(out, "%s(%d)", NAMES[type->id], type->precision); return;
    case PT_TYPE_INTERVAL_YEAR_MONTH:
    case PT_TYPE_INTERVAL_DAY_TIME: pt__type_append_interval_name(out, type); return;
    case PT_TYPE_ARRAY: append_array_simple(out, type); return;
    case PT_TYPE_MAP: append_map_simple(out, type); return;
    case PT_TYPE_STRUCT: append_fields_simple(out, type); return;
    default: pt__buffer_append_string(out, NAMES[type->id]); return;
    }
}

/* ---- SQL ---- */

static void append_upper(pt__buffer *out, const pt_type *type)
{
    size_t start = out->size_bytes;
    pt__type_append_simple(out, type);
    for (size_t i = start; i < out->size_bytes; i++)
        out->data[i] = (uint8_t)toupper(out->data[i]);
}

/* The comment of a field's metadata as a SQL string. */
static void append_comment(pt__buffer *out, const pt_field *field)
{
    const pt__json *metadata;
    pt__arena *arena = field->metadata == NULL ? NULL : pt__arena_new(0);
    if (arena == NULL)
        return;
    const char *comment = NULL;
    if (pt__json_parse(arena, field->metadata, strlen(field->metadata), &metadata, NULL) == PT_OK)
        comment = pt__json_get_string(metadata, "comment", NULL);
    if (comment != NULL) {
        pt__buffer_append_string(out, " COMMENT '");
        for (const char *c = comment; *c != '\0'; c++) {
            if (*c == '\'' || *c == '\\')
                pt__buffer_append_byte(out, '\\');
            pt__buffer_append_byte(out, (uint8_t)*c);
        }
        pt__buffer_append_byte(out, '\'');
    }
    pt__arena_free(arena);
}

static void append_field_sql(pt__buffer *out, const pt_field *field, const char *separator)
{
    pt__append_quoted_if_needed(out, field->name);
    pt__buffer_append_string(out, separator);
    pt__type_append_sql(out, field->type);
    if (!field->nullable)
        pt__buffer_append_string(out, " NOT NULL");
    append_comment(out, field);
}

static void append_struct_sql(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "STRUCT<");
    for (size_t i = 0; i < type->field_count; i++) {
        if (i != 0)
            pt__buffer_append_string(out, ", ");
        append_field_sql(out, &type->fields[i], ": ");
    }
    pt__buffer_append_byte(out, '>');
}

static void append_map_sql(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "MAP<");
    pt__type_append_sql(out, type->key);
    pt__buffer_append_string(out, ", ");
    pt__type_append_sql(out, type->element);
    pt__buffer_append_byte(out, '>');
}

static void append_array_sql(pt__buffer *out, const pt_type *type)
{
    pt__buffer_append_string(out, "ARRAY<");
    pt__type_append_sql(out, type->element);
    pt__buffer_append_byte(out, '>');
}

void pt__type_append_sql(pt__buffer *out, const pt_type *type)
{
    switch ((int)type->id) {
    case PT_TYPE_ARRAY: append_array_sql(out, type); return;
    case PT_TYPE_MAP: append_map_sql(out, type); return;
    case PT_TYPE_STRUCT: append_struct_sql(out, type); return;
    case PT_TYPE_UDT: pt__type_append_sql(out, type->element); return;
    default: append_upper(out, type); return;
    }
}

void pt__type_append_ddl(pt__buffer *out, const pt_type *type)
{
    if (type->id != PT_TYPE_STRUCT) {
        pt__type_append_sql(out, type);
        return;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        if (i != 0)
            pt__buffer_append_byte(out, ',');
        append_field_sql(out, &type->fields[i], " ");
    }
}

/* ---- copies of the text ---- */

const char *pt__type_simple_string(pt__arena *arena, const pt_type *type)
{
    pt__buffer *out = pt__arena_buffer(arena);
    pt__type_append_simple(out, type);
    return pt__arena_buffer_take(arena, out);
}

const char *pt__type_sql(pt__arena *arena, const pt_type *type)
{
    pt__buffer *out = pt__arena_buffer(arena);
    pt__type_append_sql(out, type);
    return pt__arena_buffer_take(arena, out);
}

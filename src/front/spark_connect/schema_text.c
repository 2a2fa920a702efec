#include "front/spark_connect/schema_text.h"

#include "base/json.h"
#include "plan/type_names.h"

#include <string.h>

/* ---- tree ---- */

static void append_children(pt__buffer *out, const pt_type *type, const char *indent, int32_t depth);

static const char *type_name_of_nested(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_ARRAY: return "array";
    case PT_TYPE_MAP: return "map";
    case PT_TYPE_STRUCT: return "struct";
    default: return NULL;
    }
}

static void append_type_name(pt__buffer *out, const pt_type *type)
{
    const char *nested = type_name_of_nested(type);
    if (nested != NULL) {
        pt__buffer_append_string(out, nested);
        return;
    }
    pt__buffer json = PT_BUFFER_INIT; /* names in JSON are those of the tree, between quotes */
    pt__type_append_json(&json, type);
    if (json.size_bytes > 2 && json.data[0] == '"')
        pt__buffer_append(out, json.data + 1, json.size_bytes - 2);
    else
        pt__type_append_simple(out, type);
    pt__buffer_deinit(&json);
}

/* One line and what is below it. `note` NULL: no note on nulls. */
static void append_node(pt__buffer *out, const char *indent, const char *name, const pt_type *type, const char *note,
                        bool nullable, int32_t depth)
{
    pt__buffer_printf(out, "%s-- %s: ", indent, name);
    append_type_name(out, type);
    if (note != NULL)
        pt__buffer_printf(out, " (%s = %s)", note, nullable ? "true" : "false");
    pt__buffer_append_byte(out, '\n');
    if (type_name_of_nested(type) != NULL && depth > 1) {
        pt__buffer deeper = PT_BUFFER_INIT;
        pt__buffer_printf(&deeper, "%s    |", indent);
        append_children(out, type, pt__buffer_string(&deeper), depth - 1);
        pt__buffer_deinit(&deeper);
    }
}

static void append_children(pt__buffer *out, const pt_type *type, const char *indent, int32_t depth)
{
    if (type->id == PT_TYPE_ARRAY) {
        append_node(out, indent, "element", type->element, "containsNull", type->contains_null, depth);
    } else if (type->id == PT_TYPE_MAP) {
        append_node(out, indent, "key", type->key, NULL, false, depth);
        append_node(out, indent, "value", type->element, "valueContainsNull", type->contains_null, depth);
    } else {
        for (size_t i = 0; i < type->field_count; i++) {
            const pt_field *field = &type->fields[i];
            append_node(out, indent, field->name, field->type, "nullable", field->nullable, depth);
        }
    }
}

void pt__connect_append_tree(pt__buffer *out, const pt_type *schema, int32_t level)
{
    pt__buffer_append_string(out, "root\n");
    append_children(out, schema, " |", level > 0 ? level : INT32_MAX);
}

/* ---- DDL ---- */

/* The comment of a field, if its metadata holds one. */
static void append_comment(pt__buffer *out, pt__arena *arena, const pt_field *field)
{
    const pt__json *metadata = NULL;
    if (field->metadata == NULL ||
        pt__json_parse(arena, field->metadata, strlen(field->metadata), &metadata, NULL) != PT_OK)
        return;
    const char *comment = pt__json_get_string(metadata, "comment", NULL);
    if (comment == NULL)
        return;
    pt__buffer_append_string(out, " COMMENT '");
    for (const char *c = comment; *c != '\0'; c++) {
        if (*c == '\'' || *c == '\\')
            pt__buffer_append_byte(out, '\\');
        pt__buffer_append_byte(out, (uint8_t)*c);
    }
    pt__buffer_append_byte(out, '\'');
}

void pt__connect_append_ddl(pt__buffer *out, pt__arena *arena, const pt_type *schema)
{
    for (size_t i = 0; i < schema->field_count; i++) {
        const pt_field *field = &schema->fields[i];
        if (i > 0)
            pt__buffer_append_byte(out, ',');
        pt__append_quoted_if_needed(out, field->name);
        pt__buffer_append_byte(out, ' ');
        pt__type_append_sql(out, field->type);
        if (!field->nullable)
            pt__buffer_append_string(out, " NOT NULL");
        append_comment(out, arena, field);
    }
}

#include "backend/duckdb/catalog.h"

#include "base/arena_buffer.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_name(pt__buffer *out, const char *name)
{
    pt__buffer_append_string(out, out->size_bytes == 1 ? "" : ",");
    pt__json_append_cstring(out, name);
    pt__buffer_append_string(out, ":");
}

static void put_member(pt__buffer *out, const char *name, const char *value)
{
    if (value == NULL)
        return;
    put_name(out, name);
    pt__json_append_cstring(out, value);
}

static void put_options(pt__buffer *out, const char *name, const pt_options *options)
{
    if (options->count == 0)
        return;
    put_name(out, name);
    pt__buffer_append_string(out, "[");
    for (size_t i = 0; i < options->count; i++) {
        pt__buffer_append_string(out, i == 0 ? "[" : ",[");
        pt__json_append_cstring(out, options->items[i].key);
        pt__buffer_append_string(out, ",");
        pt__json_append_cstring(out, options->items[i].value == NULL ? "" : options->items[i].value);
        pt__buffer_append_string(out, "]");
    }
    pt__buffer_append_string(out, "]");
}

static void put_names(pt__buffer *out, const char *name, const char *const *names, size_t count)
{
    if (count == 0)
        return;
    put_name(out, name);
    pt__buffer_append_string(out, "[");
    for (size_t i = 0; i < count; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        pt__json_append_cstring(out, names[i]);
    }
    pt__buffer_append_string(out, "]");
}

static const char *finish(pt__arena *arena, pt__buffer *out)
{
    pt__buffer_append_string(out, "}");
    return pt__arena_buffer_take(arena, out);
}

static const char *const KINDS[] = {
    [PT_TABLE_MANAGED] = "MANAGED", [PT_TABLE_EXTERNAL] = "EXTERNAL", [PT_TABLE_VIEW] = "VIEW"};

const char *pt__table_to_json(pt__arena *arena, const pt_table *table)
{
    pt__buffer *out = pt__arena_buffer(arena);
    pt__buffer_append_string(out, "{");
    put_member(out, "name", table->name);
    put_member(out, "kind", KINDS[table->kind]);
    put_name(out, "schema");
    pt__type_append_json(out, table->schema);
    put_member(out, "provider", table->provider);
    put_member(out, "comment", table->comment);
    put_member(out, "location", table->location);
    put_member(out, "view_text", table->view_text);
    put_member(out, "view_database", table->view_database);
    put_options(out, "options", &table->options);
    put_options(out, "properties", &table->properties);
    put_names(out, "partition_columns", table->partition_columns, table->partition_count);
    put_member(out, "owner", table->owner);
    put_name(out, "created_us");
    pt__buffer_printf(out, "%" PRId64, table->created_us);
    return finish(arena, out);
}

const char *pt__database_to_json(pt__arena *arena, const pt_database *database)
{
    pt__buffer *out = pt__arena_buffer(arena);
    pt__buffer_append_string(out, "{");
    put_member(out, "comment", database->comment);
    put_member(out, "location", database->location);
    put_options(out, "properties", &database->properties);
    return finish(arena, out);
}

/* ---- reading ---- */

static pt_options read_options(pt__arena *arena, const pt__json *object, const char *name)
{
    const pt__json *list = pt__json_get(object, name);
    if (list == NULL || list->count == 0)
        return (pt_options){NULL, 0};
    pt_option *items = pt__arena_array(arena, pt_option, list->count);
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].count == 2)
            items[i] = (pt_option){list->items[i].items[0].text, list->items[i].items[1].text};
    }
    return (pt_options){items, list->count};
}

static const char *const *read_names(pt__arena *arena, const pt__json *object, const char *name, size_t *count)
{
    const pt__json *list = pt__json_get(object, name);
    *count = list == NULL ? 0 : list->count;
    const char **names = pt__arena_array(arena, const char *, *count + 1);
    for (size_t i = 0; i < *count; i++)
        names[i] = list->items[i].text;
    return names;
}

static pt_status read_schema(pt__arena *arena, const pt__json *object, const pt_type **out, pt_error *err)
{
    const pt__json *schema = pt__json_get(object, "schema");
    if (schema == NULL)
        return pt_error_set(err, PT_INTERNAL, "the catalog keeps no schema of a table");
    pt__buffer *text = pt__arena_buffer(arena);
    pt__json_append(text, schema);
    const char *copy = pt__arena_buffer_take(arena, text);
    return pt__type_parse_json(arena, copy, strlen(copy), out, err);
}

static pt_table_kind read_kind(const pt__json *object)
{
    const char *kind = pt__json_get_string(object, "kind", KINDS[PT_TABLE_MANAGED]);
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(*KINDS); i++) {
        if (strcmp(kind, KINDS[i]) == 0)
            return (pt_table_kind)i;
    }
    return PT_TABLE_MANAGED;
}

pt_status pt__table_from_json(pt__arena *arena, const char *database, const char *name, const char *json,
                              const pt_table **out, pt_error *err)
{
    const pt__json *object;
    PT_TRY(pt__json_parse(arena, json, strlen(json), &object, err));
    pt_table *table = pt__arena_make(arena, pt_table);
    const pt__json *created = pt__json_get(object, "created_us");
    table->catalog = "spark_catalog";
    table->database = database;
    table->name = pt__json_get_string(object, "name", name);
    table->kind = read_kind(object);
    PT_TRY(read_schema(arena, object, &table->schema, err));
    table->provider = pt__json_get_string(object, "provider", NULL);
    table->comment = pt__json_get_string(object, "comment", NULL);
    table->location = pt__json_get_string(object, "location", NULL);
    table->view_text = pt__json_get_string(object, "view_text", NULL);
    table->view_database = pt__json_get_string(object, "view_database", NULL);
    table->options = read_options(arena, object, "options");
    table->properties = read_options(arena, object, "properties");
    table->partition_columns = read_names(arena, object, "partition_columns", &table->partition_count);
    table->owner = pt__json_get_string(object, "owner", "");
    table->created_us = created == NULL || created->text == NULL ? 0 : strtoll(created->text, NULL, 10);
    *out = table;
    return PT_OK;
}

pt_status pt__database_from_json(pt__arena *arena, const char *name, const char *json, pt_database *out, pt_error *err)
{
    const pt__json *object = NULL;
    *out = (pt_database){.name = name};
    if (json == NULL)
        return PT_OK;
    PT_TRY(pt__json_parse(arena, json, strlen(json), &object, err));
    out->comment = pt__json_get_string(object, "comment", NULL);
    out->location = pt__json_get_string(object, "location", NULL);
    out->properties = read_options(arena, object, "properties");
    return PT_OK;
}

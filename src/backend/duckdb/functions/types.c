#include "backend/duckdb/functions/types.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    duckdb_type id;
} TYPE_NAMES[] = {
    {"ANY", DUCKDB_TYPE_ANY},
    {"BOOLEAN", DUCKDB_TYPE_BOOLEAN},
    {"TINYINT", DUCKDB_TYPE_TINYINT},
    {"SMALLINT", DUCKDB_TYPE_SMALLINT},
    {"INTEGER", DUCKDB_TYPE_INTEGER},
    {"BIGINT", DUCKDB_TYPE_BIGINT},
    {"HUGEINT", DUCKDB_TYPE_HUGEINT},
    {"FLOAT", DUCKDB_TYPE_FLOAT},
    {"DOUBLE", DUCKDB_TYPE_DOUBLE},
    {"VARCHAR", DUCKDB_TYPE_VARCHAR},
    {"BLOB", DUCKDB_TYPE_BLOB},
    {"DATE", DUCKDB_TYPE_DATE},
    {"TIMESTAMP", DUCKDB_TYPE_TIMESTAMP},
    {"TIMESTAMPTZ", DUCKDB_TYPE_TIMESTAMP_TZ},
    {"INTERVAL", DUCKDB_TYPE_INTERVAL},
};

static bool is_named(pt_text_view name, const char *wanted)
{
    return strlen(wanted) == name.size_bytes && memcmp(wanted, name.data, name.size_bytes) == 0;
}

/* A struct; takes the types. */
static duckdb_logical_type make_struct(duckdb_logical_type *types, const char **names, idx_t count)
{
    duckdb_logical_type made = duckdb_create_struct_type(types, names, count);
    for (idx_t i = 0; i < count; i++)
        duckdb_destroy_logical_type(&types[i]);
    return made;
}

static duckdb_logical_type make_variant(void)
{
    duckdb_logical_type types[] = {duckdb_create_logical_type(DUCKDB_TYPE_BLOB),
                                   duckdb_create_logical_type(DUCKDB_TYPE_BLOB)};
    const char *names[] = {"value", "metadata"};
    return make_struct(types, names, 2);
}

/* A row of variant_explode. */
static duckdb_logical_type make_variant_entry(void)
{
    duckdb_logical_type types[] = {duckdb_create_logical_type(DUCKDB_TYPE_INTEGER),
                                   duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR), make_variant()};
    const char *names[] = {"pos", "key", "value"};
    return make_struct(types, names, 3);
}

duckdb_logical_type pt__fn_type_make(pt_text_view name, int scale)
{
    if (is_named(name, "VARIANT"))
        return make_variant();
    if (is_named(name, "VARIANT_ENTRY"))
        return make_variant_entry();
    if (name.size_bytes > 2 && memcmp(name.data + name.size_bytes - 2, "[]", 2) == 0) {
        duckdb_logical_type element = pt__fn_type_make((pt_text_view){name.data, name.size_bytes - 2}, scale);
        duckdb_logical_type list = duckdb_create_list_type(element);
        duckdb_destroy_logical_type(&element);
        return list;
    }
    if (name.size_bytes == 20 && memcmp(name.data, "MAP(VARCHAR;VARCHAR)", 20) == 0) {
        duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
        duckdb_logical_type map = duckdb_create_map_type(text, text);
        duckdb_destroy_logical_type(&text);
        return map;
    }
    if (name.size_bytes >= 7 && memcmp(name.data, "DECIMAL", 7) == 0) {
        int width = 38;
        // NOLINTNEXTLINE(cert-err34-c): names of our own
        if (name.size_bytes > 7 && sscanf(name.data + 7, "(%d;%d)", &width, &scale) != 2)
            return NULL;
        return duckdb_create_decimal_type((uint8_t)width, (uint8_t)scale);
    }
    for (size_t i = 0; i < sizeof(TYPE_NAMES) / sizeof(TYPE_NAMES[0]); i++)
        if (strlen(TYPE_NAMES[i].name) == name.size_bytes &&
            memcmp(TYPE_NAMES[i].name, name.data, name.size_bytes) == 0)
            return duckdb_create_logical_type(TYPE_NAMES[i].id);
    return NULL;
}

static void unpack_child(pt__fn_type *parent, size_t index, duckdb_logical_type child)
{
    parent->children[index] = pt__fn_type_unpack(child);
    duckdb_destroy_logical_type(&child);
}

static void unpack_children(pt__fn_type *type, duckdb_logical_type logical)
{
    type->child_count = type->id == DUCKDB_TYPE_LIST  ? 1
                        : type->id == DUCKDB_TYPE_MAP ? 2
                                                      : duckdb_struct_type_child_count(logical);
    type->children = calloc(type->child_count + 1, sizeof(*type->children));
    if (type->children == NULL) {
        type->child_count = 0;
        return;
    }
    if (type->id == DUCKDB_TYPE_LIST) {
        unpack_child(type, 0, duckdb_list_type_child_type(logical));
    } else if (type->id == DUCKDB_TYPE_MAP) {
        unpack_child(type, 0, duckdb_map_type_key_type(logical));
        unpack_child(type, 1, duckdb_map_type_value_type(logical));
    } else {
        for (size_t i = 0; i < type->child_count; i++)
            unpack_child(type, i, duckdb_struct_type_child_type(logical, i));
    }
}

pt__fn_type pt__fn_type_unpack(duckdb_logical_type logical)
{
    pt__fn_type type = {.id = duckdb_get_type_id(logical)};
    type.physical = type.id;
    if (type.id == DUCKDB_TYPE_DECIMAL) {
        type.physical = duckdb_decimal_internal_type(logical);
        type.width = duckdb_decimal_width(logical);
        type.scale = duckdb_decimal_scale(logical);
    } else if (type.id == DUCKDB_TYPE_LIST || type.id == DUCKDB_TYPE_MAP || type.id == DUCKDB_TYPE_STRUCT) {
        unpack_children(&type, logical);
    }
    return type;
}

void pt__fn_type_free_children(pt__fn_type *type)
{
    for (size_t i = 0; i < type->child_count; i++)
        pt__fn_type_free_children(&type->children[i]);
    free(type->children);
}

void pt__fn_type_copy_children(pt__fn_type *type)
{
    const pt__fn_type *from = type->children;
    if (type->child_count == 0)
        return;
    type->children = calloc(type->child_count + 1, sizeof(*type->children));
    if (type->children == NULL) {
        type->child_count = 0;
        return;
    }
    for (size_t i = 0; i < type->child_count; i++) {
        type->children[i] = from[i];
        pt__fn_type_copy_children(&type->children[i]);
    }
}

#include "backend/duckdb/catalog.h"
#include "backend/duckdb/command.h"

#include "base/arena_buffer.h"
#include "base/json.h"

#include <string.h>
#include <strings.h>

/* A change of a table: DuckDB's own, and what the catalog says about it. */
typedef struct change {
    pt__command_run *run;
    const pt_plan_alter_table *node;
    pt_table table;   /* as it will be */
    pt_field *fields; /* of its schema, to be changed */
    size_t count;
    bool is_stored; /* DuckDB has the rows */
} change;

static pt__lower *alter_text(const change *c)
{
    pt__lower *text = pt__lower_new(c->run->arena, c->run->database, c->run->time_zone);
    pt__put(text, "ALTER TABLE ");
    pt__put_table_name(text, c->table.database, c->table.name);
    return text;
}

static pt__lower *alter_column_text(const change *c, const char *action, const char *column)
{
    pt__lower *text = alter_text(c);
    pt__put(text, action);
    pt__put_identifier(text, column);
    return text;
}

static pt_status run_text(const change *c, pt__lower *text, pt_error *err)
{
    return c->is_stored ? pt__command_sql(c->run, pt__cut(text, 0), err) : PT_OK;
}

static pt_field *find_field(const change *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++) {
        if (strcasecmp(c->fields[i].name, name) == 0)
            return &c->fields[i];
    }
    return NULL;
}

static pt_status missing(const char *name, pt_error *err)
{
    return pt_error_set(err, PT_ANALYSIS, "the table has no column %s", name);
}

/* ---- columns ---- */

static pt_status add_columns(change *c, pt_error *err)
{
    for (size_t i = 0; i < c->node->altered_column_count; i++) {
        pt_field field = c->node->columns[i];
        field.nullable = true; /* rows that are there get NULL */
        pt__lower *text = alter_column_text(c, " ADD COLUMN ", field.name);
        pt__put(text, " ");
        pt__put_type(text, field.type);
        PT_TRY(run_text(c, text, err));
        c->fields[c->count++] = field;
    }
    return PT_OK;
}

static pt_status drop_columns(change *c, pt_error *err)
{
    for (size_t i = 0; i < c->node->altered_column_count; i++) {
        pt_field *field = find_field(c, c->node->columns[i].name);
        if (field == NULL && c->node->if_exists)
            continue;
        if (field == NULL)
            return missing(c->node->columns[i].name, err);
        PT_TRY(run_text(c, alter_column_text(c, " DROP COLUMN ", field->name), err));
        memmove(field, field + 1, (size_t)(c->fields + c->count - field - 1) * sizeof(*field));
        c->count--;
    }
    return PT_OK;
}

/* The one column that the command names. */
static pt_status named_field(const change *c, pt_field **out, pt_error *err)
{
    *out = find_field(c, c->node->columns[0].name);
    return *out == NULL ? missing(c->node->columns[0].name, err) : PT_OK;
}

static pt_status rename_column(change *c, pt_error *err)
{
    pt_field *field;
    PT_TRY(named_field(c, &field, err));
    pt__lower *text = alter_column_text(c, " RENAME COLUMN ", field->name);
    pt__put(text, " TO ");
    pt__put_identifier(text, c->node->new_column_name);
    PT_TRY(run_text(c, text, err));
    field->name = c->node->new_column_name;
    return PT_OK;
}

static pt_status change_type(change *c, pt_error *err)
{
    pt_field *field;
    PT_TRY(named_field(c, &field, err));
    pt__lower *text = alter_column_text(c, " ALTER COLUMN ", field->name);
    pt__put(text, " TYPE ");
    pt__put_type(text, c->node->columns[0].type);
    PT_TRY(run_text(c, text, err));
    field->type = c->node->columns[0].type;
    return PT_OK;
}

static pt_status change_nullable(change *c, pt_error *err)
{
    pt_field *field;
    PT_TRY(named_field(c, &field, err));
    pt__lower *text = alter_column_text(c, " ALTER COLUMN ", field->name);
    pt__put(text, c->node->nullable ? " DROP NOT NULL" : " SET NOT NULL");
    PT_TRY(run_text(c, text, err));
    field->nullable = c->node->nullable;
    return PT_OK;
}

/* Spark keeps a column's comment in its metadata. */
static pt_status change_comment(change *c, pt_error *err)
{
    pt_field *field;
    PT_TRY(named_field(c, &field, err));
    pt__arena *arena = c->run->arena;
    const pt__json *old = NULL;
    if (field->metadata != NULL)
        PT_TRY(pt__json_parse(arena, field->metadata, strlen(field->metadata), &old, err));
    pt__buffer *text = pt__arena_buffer(arena);
    pt__buffer_append_string(text, "{\"comment\":");
    pt__json_append_cstring(text, c->node->comment == NULL ? "" : c->node->comment);
    for (size_t i = 0; old != NULL && i < old->count; i++) {
        if (strcmp(old->items[i].key, "comment") == 0)
            continue;
        pt__buffer_append_string(text, ",");
        pt__json_append_cstring(text, old->items[i].key);
        pt__buffer_append_string(text, ":");
        pt__json_append(text, &old->items[i]);
    }
    pt__buffer_append_string(text, "}");
    field->metadata = pt__arena_buffer_take(arena, text);
    return PT_OK;
}

/* ---- the table ---- */

static pt_status rename_table(change *c, pt_error *err)
{
    const char *database = c->node->new_name.count > 1 ? pt__database_of(&c->node->new_name) : c->table.database;
    if (strcasecmp(database, c->table.database) != 0)
        return pt__lower_unsupported(err, c->node->base.origin, "moving a table to another database");
    pt__lower *text = alter_text(c);
    pt__put(text, " RENAME TO ");
    pt__put_identifier(text, pt__object_of(&c->node->new_name));
    PT_TRY(run_text(c, text, err));
    PT_TRY(pt__catalog_forget(c->run->statement->connection, c->run->arena, c->table.database, c->table.name, err));
    c->table.name = pt__object_of(&c->node->new_name);
    return PT_OK;
}

static void set_properties(change *c)
{
    const pt_options *old = &c->table.properties;
    const pt_options *given = &c->node->properties;
    pt_option *items = pt__arena_array(c->run->arena, pt_option, old->count + given->count + 1);
    size_t count = 0;
    bool unset = c->node->alter_kind == PT_ALTER_UNSET_PROPERTIES;
    for (size_t i = 0; i < old->count; i++) {
        if (pt__options_get(given, old->items[i].key) == NULL)
            items[count++] = old->items[i];
    }
    for (size_t i = 0; i < given->count && !unset; i++)
        items[count++] = given->items[i];
    c->table.properties = (pt_options){items, count};
}

static pt_status truncate(const change *c, pt_error *err)
{
    pt__lower *text = pt__lower_new(c->run->arena, c->run->database, c->run->time_zone);
    if (!c->is_stored)
        return pt__lower_unsupported(err, c->node->base.origin, "TRUNCATE of a table that is kept in files");
    pt__put(text, "DELETE FROM ");
    pt__put_table_name(text, c->table.database, c->table.name);
    return pt__command_sql(c->run, pt__cut(text, 0), err);
}

static pt_status change_view(change *c, pt_error *err)
{
    if (c->node->text == NULL)
        return pt__lower_unsupported(err, c->node->base.origin, "a persistent view that is no SQL text");
    c->table.view_text = c->node->text;
    if (c->node->query == NULL || c->node->query->columns == NULL)
        return PT_OK;
    c->count = 0;
    c->fields = pt__arena_array(c->run->arena, pt_field, c->node->query->column_count + 1);
    for (size_t i = 0; i < c->node->query->column_count; i++) {
        const pt_column *column = &c->node->query->columns[i];
        c->fields[c->count++] = (pt_field){column->name, column->type, column->nullable, column->metadata};
    }
    return PT_OK;
}

static pt_status apply(change *c, pt_error *err)
{
    switch (c->node->alter_kind) {
    case PT_ALTER_RENAME: return rename_table(c, err);
    case PT_ALTER_ADD_COLUMNS: return add_columns(c, err);
    case PT_ALTER_DROP_COLUMNS: return drop_columns(c, err);
    case PT_ALTER_RENAME_COLUMN: return rename_column(c, err);
    case PT_ALTER_COLUMN_TYPE: return change_type(c, err);
    case PT_ALTER_COLUMN_COMMENT: return change_comment(c, err);
    case PT_ALTER_COLUMN_NULLABLE: return change_nullable(c, err);
    case PT_ALTER_COLUMN_DEFAULT: return pt__lower_unsupported(err, c->node->base.origin, "default values of columns");
    case PT_ALTER_SET_PROPERTIES:
    case PT_ALTER_UNSET_PROPERTIES: set_properties(c); return PT_OK;
    case PT_ALTER_VIEW_QUERY: return change_view(c, err);
    case PT_ALTER_COMMENT: c->table.comment = c->node->comment; return PT_OK;
    case PT_ALTER_TRUNCATE: return truncate(c, err);
    case PT_ALTER_REPAIR:
    case PT_ALTER_ANALYZE: return PT_OK;
    }
    return PT_OK;
}

static pt_status alter_database(pt__command_run *run, const pt_plan_alter_table *node, pt_error *err)
{
    const pt_database *databases;
    size_t count;
    const char *name = pt__object_of(&node->name);
    PT_TRY(pt__catalog_list_databases(run->database, run->arena, &databases, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(databases[i].name, name) != 0)
            continue;
        pt_database changed = databases[i];
        change c = {.run = run, .node = node, .table = {.properties = changed.properties}};
        if (node->alter_kind == PT_ALTER_COMMENT)
            changed.comment = node->comment;
        else
            set_properties(&c);
        changed.properties = c.table.properties;
        return pt__catalog_write_database(run->statement->connection, run->arena, &changed, err);
    }
    return pt_error_set(err, PT_NOT_FOUND, "there is no database %s", name);
}

pt_status pt__run_alter_table(pt__command_run *run, const pt_plan_alter_table *node, pt_error *err)
{
    if (node->object_kind == PT_OBJECT_DATABASE)
        return alter_database(run, node, err);
    const pt_table *table;
    const char *name = pt__object_of(&node->name);
    pt_status found = pt__catalog_read(run->database, run->statement->connection, run->arena,
                                       pt__database_of(&node->name), name, &table, err);
    if (found == PT_NOT_FOUND)
        return node->if_exists ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no table %s", name);
    PT_TRY(found);
    change c = {.run = run, .node = node, .table = *table, .count = table->schema->field_count};
    c.is_stored = table->kind == PT_TABLE_MANAGED;
    c.fields = pt__arena_array(run->arena, pt_field, c.count + node->altered_column_count + 1);
    if (c.count > 0)
        memcpy(c.fields, table->schema->fields, c.count * sizeof(*c.fields));
    PT_TRY(apply(&c, err));
    c.table.schema = pt__type_struct(run->arena, c.fields, c.count);
    return pt__catalog_write(run->statement->connection, run->arena, &c.table, err);
}

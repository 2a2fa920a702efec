#include "backend/duckdb/catalog.h"
#include "backend/duckdb/command.h"

#include <time.h>

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static pt_status drop_table(pt__command_run *run, const pt_plan_drop *node, pt_error *err)
{
    const char *database = pt__database_of(&node->name);
    const char *name = pt__object_of(&node->name);
    const pt_table *table;
    pt_status found =
        pt__catalog_read(run->database, run->statement->connection, run->arena, database, name, &table, err);
    if (found == PT_NOT_FOUND)
        return node->if_exists ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "there is no table %s", name);
    PT_TRY(found);
    PT_TRY(pt__catalog_forget(run->statement->connection, run->arena, database, name, err));
    if (table->kind != PT_TABLE_MANAGED)
        return PT_OK;
    pt__lower *text = pt__lower_new(run->arena, run->database, run->time_zone);
    pt__put(text, "DROP TABLE IF EXISTS ");
    pt__put_table_name(text, database, name);
    return pt__command_sql(run, pt__cut(text, 0), err);
}

static void put_database(pt__lower *text, const pt__duckdb *database, const char *name)
{
    pt__put_identifier(text, database->catalog_name);
    pt__put(text, ".");
    pt__put_identifier(text, name);
}

static pt_status drop_database(pt__command_run *run, const pt_plan_drop *node, pt_error *err)
{
    const char *name = pt__object_of(&node->name);
    pt__lower *text = pt__lower_new(run->arena, run->database, run->time_zone);
    PT_TRY(pt__catalog_forget_database(run->statement->connection, run->arena, name, err));
    pt__put(text, node->if_exists ? "DROP SCHEMA IF EXISTS " : "DROP SCHEMA ");
    put_database(text, run->database, name);
    pt__put(text, node->cascade ? " CASCADE" : "");
    return pt__command_sql(run, pt__cut(text, 0), err);
}

pt_status pt__run_drop(pt__command_run *run, const pt_plan_drop *node, pt_error *err)
{
    if (node->object_kind == PT_OBJECT_DATABASE)
        return drop_database(run, node, err);
    if (node->object_kind == PT_OBJECT_TABLE || node->object_kind == PT_OBJECT_VIEW)
        return drop_table(run, node, err);
    return pt__lower_unsupported(err, node->base.origin, "dropping this kind of object");
}

pt_status pt__run_create_database(pt__command_run *run, const pt_plan_create_database *node, pt_error *err)
{
    pt_database database = {pt__object_of(&node->name), node->comment, node->location, node->properties};
    pt__lower *text = pt__lower_new(run->arena, run->database, run->time_zone);
    pt__put(text, node->if_not_exists ? "CREATE SCHEMA IF NOT EXISTS " : "CREATE SCHEMA ");
    put_database(text, run->database, database.name);
    PT_TRY(pt__command_sql(run, pt__cut(text, 0), err));
    return pt__catalog_write_database(run->statement->connection, run->arena, &database, err);
}

static const pt_type *view_schema(pt__arena *arena, const pt_plan_create_view *node)
{
    pt_field *fields = pt__arena_array(arena, pt_field, node->base.column_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < node->base.column_count; i++) {
        const pt_column *column = &node->base.columns[i];
        if (column->is_hidden)
            continue;
        const char *name = count < node->column_name_count ? node->column_names[count] : column->name;
        fields[count++] = (pt_field){name, column->type, column->nullable, column->metadata};
    }
    return pt__type_struct(arena, fields, count);
}

pt_status pt__run_create_view(pt__command_run *run, const pt_plan_create_view *node, pt_error *err)
{
    if (node->text == NULL)
        return pt__lower_unsupported(err, node->base.origin, "a persistent view that is no SQL text");
    pt_table *view = pt__arena_make(run->arena, pt_table);
    view->catalog = "spark_catalog";
    view->database = pt__database_of(&node->name);
    view->name = pt__object_of(&node->name);
    view->kind = PT_TABLE_VIEW;
    view->schema = view_schema(run->arena, node);
    view->comment = node->comment;
    view->view_text = node->text;
    view->view_database = pt__database_of(&node->name);
    view->properties = node->properties;
    view->owner = "";
    view->created_us = now_us();
    return pt__catalog_write(run->statement->connection, run->arena, view, err);
}

/* SHOW TABLES, VIEWS, DATABASES, COLUMNS, FUNCTIONS and the like. */
#include "analyze/analyze.h"
#include "analyze/function.h"
#include "base/arena_buffer.h"
#include "exec/command.h"
#include "exec/run.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PARTITIONS_MAX = 100000 };

static pt_status need_scope(pt__command *c, const pt_name *scope, const char **database)
{
    *database = c->catalog->database;
    if (scope->count == 0)
        return PT_OK;
    if (scope->count == 2 && strcasecmp(scope->parts[0], pt__catalog_name) != 0)
        return pt__raise(c->err, PT_COND_CATALOG_NOT_FOUND, "catalogName",
                         pt__arena_printf(c->arena, "`%s`", scope->parts[0]), "config",
                         pt__arena_printf(c->arena, "\"spark.sql.catalog.%s\"", scope->parts[0]), NULL);
    *database = pt__name_last(scope);
    return PT_OK;
}

/* ---- tables and views ---- */

static void add_table_row(pt__rows *rows, const char *database, const char *name, bool is_temporary)
{
    pt__rows_text(rows, database);
    pt__rows_text(rows, name);
    pt__rows_boolean(rows, is_temporary);
}

static void add_temporary(pt__command *c, pt__rows *rows, const char *pattern, bool is_global)
{
    size_t count;
    pt__view **views = pt__session_list_views(c->session, c->arena, is_global, &count);
    for (size_t i = 0; i < count; i++)
        if (pt__like(pattern, views[i]->name))
            add_table_row(rows, is_global ? pt__global_temp : "", views[i]->name, true);
}

static pt_status show_tables(pt__command *c, const pt_plan_show_objects *node, bool views_only, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"namespace", text, false},
                                      {views_only ? "viewName" : "tableName", text, false},
                                      {"isTemporary", PT_T(BOOLEAN), false}};
    const char *database;
    const pt_table *const *tables;
    size_t count = 0;
    PT_TRY(need_scope(c, &node->scope, &database));
    bool is_global = pt__is_global_temp(database);
    if (!is_global)
        PT_TRY(pt__command_tables(c, database, &tables, &count));
    pt__rows *rows = pt__rows_new(c->arena, columns, 3);
    for (size_t i = 0; i < count; i++)
        if (pt__like(node->pattern, tables[i]->name) && (!views_only || tables[i]->kind == PT_TABLE_VIEW))
            add_table_row(rows, tables[i]->database, tables[i]->name, false);
    if (is_global)
        add_temporary(c, rows, node->pattern, true);
    add_temporary(c, rows, node->pattern, false);
    return pt__rows_plan(rows, out, c->err);
}

/* ---- databases and catalogs ---- */

static pt_status show_databases(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt__row_column column = {"namespace", PT_T(STRING), false};
    const pt_database *databases;
    size_t count;
    PT_TRY(pt__command_databases(c, &databases, &count));
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    for (size_t i = 0; i < count; i++)
        if (pt__like(node->pattern, databases[i].name))
            pt__rows_text(rows, databases[i].name);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status show_catalogs(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt__row_column column = {"catalog", PT_T(STRING), false};
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    if (pt__like(node->pattern, pt__catalog_name))
        pt__rows_text(rows, pt__catalog_name);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status show_current(pt__command *c, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"catalog", text, false}, {"namespace", text, false}};
    pt__rows *rows = pt__rows_new(c->arena, columns, 2);
    pt__rows_text(rows, pt__catalog_name);
    pt__rows_text(rows, c->catalog->database);
    return pt__rows_plan(rows, out, c->err);
}

/* ---- columns ---- */

static pt_status show_columns(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt__row_column column = {"col_name", PT_T(STRING), false};
    const pt_plan *table;
    PT_TRY(pt__command_columns(c, &node->scope, node->base.origin, &table));
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    for (size_t i = 0; i < table->column_count; i++)
        if (!table->columns[i].is_hidden)
            pt__rows_text(rows, table->columns[i].name);
    return pt__rows_plan(rows, out, c->err);
}

/* ---- functions ---- */

typedef pt__list(const char *) name_list;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_system(pt__command *c, const char *pattern, name_list *names)
{
    size_t count;
    const pt__function *table = pt__function_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool is_repeated = i > 0 && strcmp(table[i].name, table[i - 1].name) == 0;
        if (!is_repeated && pt__like(pattern, table[i].name) && pt__function_is_public(table[i].name))
            pt__list_push(c->arena, names, table[i].name);
    }
}

static void add_user(pt__command *c, const char *pattern, bool is_temporary, name_list *names)
{
    size_t count;
    pt__function_entry **entries = pt__session_list_functions(c->session, c->arena, is_temporary, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = entries[i]->function.name;
        if (!pt__like(pattern, name))
            continue;
        if (!is_temporary)
            name = pt__arena_printf(c->arena, "%s.%s.%s", pt__catalog_name, c->catalog->database, name);
        pt__list_push(c->arena, names, name);
    }
}

static pt_status show_functions(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt__row_column column = {"function", PT_T(STRING), false};
    const char *scope = node->function_scope == NULL ? "all" : node->function_scope;
    name_list names = {NULL, 0, 0};
    if (strcasecmp(scope, "user") != 0)
        add_system(c, node->pattern, &names);
    if (strcasecmp(scope, "system") != 0) {
        add_user(c, node->pattern, true, &names);
        add_user(c, node->pattern, false, &names);
    }
    if (names.count > 1)
        qsort(names.items, names.count, sizeof(*names.items), compare_names);
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    for (size_t i = 0; i < names.count; i++)
        pt__rows_text(rows, names.items[i]);
    return pt__rows_plan(rows, out, c->err);
}

/* ---- one table ---- */

static pt_status need_table(pt__command *c, const pt_plan_show_objects *node, const pt_table **table)
{
    pt_status status = pt__command_find_table(c, &node->scope, table);
    return status == PT_NOT_FOUND ? pt__command_not_found(c, &node->scope, node->base.origin) : status;
}

static pt_status show_properties(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"key", text, false}, {"value", text, false}};
    const pt_options none = {NULL, 0};
    const pt_options *properties = &none;
    pt__view *view = pt__session_find_view(c->session, &node->scope);
    pt__view_unref(view); /* the properties of a temporary view do not matter here: it has none */
    const pt_table *table = NULL;
    if (view == NULL) {
        PT_TRY(need_table(c, node, &table));
        properties = &table->properties;
    }
    pt__rows *rows = pt__rows_new(c->arena, columns, 2);
    for (size_t i = 0; node->property_key == NULL && i < properties->count; i++) {
        pt__rows_text(rows, properties->items[i].key);
        pt__rows_text(rows, properties->items[i].value);
    }
    if (node->property_key != NULL && table != NULL) {
        const char *value = pt__options_get(properties, node->property_key);
        pt__rows_text(rows, node->property_key);
        pt__rows_text(rows, value != NULL
                                ? value
                                : pt__arena_printf(c->arena, "Table %s.%s.%s does not have property: %s",
                                                   pt__catalog_name, table->database, table->name, node->property_key));
    }
    return pt__rows_plan(rows, out, c->err);
}

static const char *partition_text(pt__command *c, const pt_plan_scan_files *scan, size_t file)
{
    const char *text = "";
    const pt_type *schema = scan->files->partition_schema;
    for (size_t i = 0; i < schema->field_count; i++) {
        const pt_value *value = &scan->files->files[file].partition_values[i];
        const char *shown = "__HIVE_DEFAULT_PARTITION__";
        if (!value->is_null && pt__type_is_string(schema->fields[i].type))
            shown = value->as.text.data;
        else if (!value->is_null)
            shown = pt__arena_printf(c->arena, "%lld", (long long)value->as.integer);
        text = pt__arena_printf(c->arena, "%s%s%s=%s", text, i == 0 ? "" : "/", schema->fields[i].name, shown);
    }
    return text;
}

static const pt_plan_scan_files *find_scan(const pt_plan *plan)
{
    while (plan != NULL && plan->kind == PT_PLAN_PROJECT)
        plan = pt__plan_as_project(plan)->input;
    return plan != NULL && plan->kind == PT_PLAN_SCAN_FILES ? pt__plan_as_scan_files(plan) : NULL;
}

static pt_status partitions_of_files(pt__command *c, const pt_plan_scan_files *scan, pt__rows *rows)
{
    const char *last = NULL;
    for (size_t i = 0; i < scan->files->file_count; i++) {
        const char *text = partition_text(c, scan, i);
        if (last == NULL || strcmp(last, text) != 0)
            pt__rows_text(rows, text);
        last = text;
    }
    return PT_OK;
}

/* SELECT DISTINCT CAST(p AS STRING) … FROM t ORDER BY …: what a table kept by the engine is partitioned by. */
static const pt_plan *distinct_partitions(pt__command *c, const pt_table *table, const pt_name *name)
{
    pt_plan_scan_table *scan = pt__plan_make(c->arena, SCAN_TABLE, scan_table, NULL);
    pt_plan_project *project = pt__plan_make(c->arena, PROJECT, project, NULL);
    pt_plan_deduplicate *distinct = pt__plan_make(c->arena, DEDUPLICATE, deduplicate, NULL);
    pt_plan_sort *sort = pt__plan_make(c->arena, SORT, sort, NULL);
    const pt_expr **columns = pt__arena_array(c->arena, const pt_expr *, table->partition_count);
    const pt_expr **orders = pt__arena_array(c->arena, const pt_expr *, table->partition_count);
    for (size_t i = 0; i < table->partition_count; i++) {
        const pt_expr *column = pt__expr_attribute(c->arena, table->partition_columns[i], NULL);
        column = pt__expr_cast(c->arena, column, PT_T(STRING), PT_CAST_DEFAULT);
        columns[i] = pt__expr_alias(c->arena, column, table->partition_columns[i]);
        pt_expr_sort_order *order = pt__expr_make(c->arena, SORT_ORDER, sort_order, NULL);
        order->child = pt__expr_attribute(c->arena, table->partition_columns[i], NULL);
        order->nulls_first = true;
        orders[i] = &order->base;
    }
    scan->name = *name;
    project->input = &scan->base;
    project->expressions = columns;
    project->expression_count = table->partition_count;
    distinct->input = &project->base;
    sort->input = &distinct->base;
    sort->orders = orders;
    sort->order_count = table->partition_count;
    sort->is_global = true;
    return &sort->base;
}

static pt_status partitions_of_table(pt__command *c, const pt_table *table, const pt_name *name, pt__rows *rows)
{
    const pt_plan *analyzed;
    const pt_value *cells;
    size_t count;
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, distinct_partitions(c, table, name), &analyzed, c->err));
    PT_TRY(pt__collect_cells(c->session, c->job, c->arena, analyzed, PARTITIONS_MAX, &cells, &count, c->err));
    for (size_t row = 0; row < count; row++) {
        const char *text = "";
        for (size_t i = 0; i < table->partition_count; i++) {
            const pt_value *value = &cells[row * table->partition_count + i];
            text = pt__arena_printf(c->arena, "%s%s%s=%s", text, i == 0 ? "" : "/", table->partition_columns[i],
                                    value->is_null ? "__HIVE_DEFAULT_PARTITION__" : value->as.text.data);
        }
        pt__rows_text(rows, text);
    }
    return PT_OK;
}

/* Names of folders are values of columns: they are shown to whom the columns would be. */
static pt_status permit_partitions(pt__command *c, const pt_table *table, const pt_plan_scan_files *scan)
{
    const pt_type *partitions = scan->files->partition_schema;
    const char **columns = pt__arena_array(c->arena, const char *, partitions->field_count + 1);
    for (size_t i = 0; i < partitions->field_count; i++)
        columns[i] = partitions->fields[i].name;
    const pt_access access = {
        .size_bytes = sizeof(access),
        .action = "select",
        .object_kind = "table",
        .database = table->database,
        .name = table->name,
        .columns = columns,
        .column_count = partitions->field_count,
    };
    return pt__session_permit(c->session, &access, c->err);
}

static pt_status show_partitions(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt__row_column column = {"partition", PT_T(STRING), false};
    const pt_plan *plan;
    const pt_table *table = NULL;
    PT_TRY(pt__command_columns(c, &node->scope, node->base.origin, &plan));
    pt_status status = pt__command_find_table(c, &node->scope, &table);
    if (status != PT_OK && status != PT_NOT_FOUND)
        return status;
    const pt_plan_scan_files *scan = find_scan(plan);
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    if (scan != NULL && scan->table != NULL && scan->files->partition_schema != NULL)
        PT_TRY(permit_partitions(c, scan->table, scan));
    if (scan != NULL && scan->files->partition_schema != NULL)
        PT_TRY(partitions_of_files(c, scan, rows));
    else if (status == PT_OK && scan == NULL && table->partition_count > 0)
        PT_TRY(partitions_of_table(c, table, &node->scope, rows));
    else
        return pt__raise(c->err, PT_COND_PARTITION_SCHEMA_IS_EMPTY, "name", pt__command_full_name(c, &node->scope),
                         NULL);
    return pt__rows_plan(rows, out, c->err);
}

/* ---- SHOW CREATE TABLE ---- */

static void append_quoted_text(pt__buffer *out, const char *text)
{
    pt__buffer_append_byte(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            pt__buffer_append_byte(out, '\\');
        pt__buffer_append_byte(out, (uint8_t)*text);
    }
    pt__buffer_append_byte(out, '\'');
}

static void append_column(pt__command *c, pt__buffer *out, const pt_field *field, bool with_type)
{
    const char *comment = pt__column_comment(c->arena, field->metadata);
    pt__buffer_append_string(out, "  ");
    pt__append_quoted_if_needed(out, field->name);
    if (with_type) {
        pt__buffer_append_byte(out, ' ');
        pt__type_append_sql(out, field->type);
        pt__buffer_append_string(out, field->nullable ? "" : " NOT NULL");
    }
    if (comment != NULL) {
        pt__buffer_append_string(out, " COMMENT ");
        append_quoted_text(out, comment);
    }
}

static void append_columns(pt__command *c, pt__buffer *out, const pt_table *table)
{
    pt__buffer_append_string(out, " (\n");
    for (size_t i = 0; table->schema != NULL && i < table->schema->field_count; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ",\n");
        append_column(c, out, &table->schema->fields[i], table->kind != PT_TABLE_VIEW);
    }
    pt__buffer_append_string(out, ")\n");
}

static void append_options(pt__buffer *out, const char *title, const pt_options *options)
{
    if (options->count == 0)
        return;
    pt__buffer_printf(out, "%s (\n", title);
    for (size_t i = 0; i < options->count; i++) {
        pt__buffer_append_string(out, i == 0 ? "  " : ",\n  ");
        append_quoted_text(out, options->items[i].key);
        pt__buffer_append_string(out, " = ");
        append_quoted_text(out, options->items[i].value);
    }
    pt__buffer_append_string(out, ")\n");
}

static void append_clause(pt__buffer *out, const char *title, const char *text)
{
    if (text == NULL)
        return;
    pt__buffer_append_string(out, title);
    append_quoted_text(out, text);
    pt__buffer_append_byte(out, '\n');
}

static void append_create_table(pt__command *c, pt__buffer *out, const pt_table *table)
{
    pt__buffer_printf(out, "CREATE TABLE %s.%s.%s", pt__catalog_name, table->database, table->name);
    append_columns(c, out, table);
    pt__buffer_printf(out, "USING %s\n", table->provider == NULL ? "parquet" : table->provider);
    append_options(out, "OPTIONS", &table->options);
    for (size_t i = 0; i < table->partition_count; i++)
        pt__buffer_printf(out, "%s%s%s", i == 0 ? "PARTITIONED BY (" : ", ", table->partition_columns[i],
                          i + 1 == table->partition_count ? ")\n" : "");
    append_clause(out, "COMMENT ", table->comment);
    if (table->kind == PT_TABLE_EXTERNAL)
        append_clause(out, "LOCATION ", table->location);
    append_options(out, "TBLPROPERTIES", &table->properties);
}

static void append_create_view(pt__command *c, pt__buffer *out, const pt_table *table)
{
    pt__buffer_printf(out, "CREATE VIEW %s.%s", table->database, table->name);
    append_columns(c, out, table);
    append_clause(out, "COMMENT ", table->comment);
    append_options(out, "TBLPROPERTIES", &table->properties);
    pt__buffer_printf(out, "WITH SCHEMA COMPENSATION\nAS %s\n", table->view_text);
}

static pt_status show_create(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt__row_column column = {"createtab_stmt", PT_T(STRING), false};
    const pt_table *table;
    pt__view *view = pt__session_find_view(c->session, &node->scope);
    pt__view_unref(view);
    if (view != NULL)
        return pt__raise(c->err, PT_COND_EXPECT_PERMANENT_VIEW_NOT_TEMP, "operation", "SHOW CREATE TABLE", "viewName",
                         pt__command_quote(c, &node->scope), NULL);
    PT_TRY(need_table(c, node, &table));
    pt__buffer *text = pt__arena_buffer(c->arena);
    if (table->kind == PT_TABLE_VIEW)
        append_create_view(c, text, table);
    else
        append_create_table(c, text, table);
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    pt__rows_text(rows, pt__buffer_string(text));
    return pt__rows_plan(rows, out, c->err);
}

/* ---- SHOW TABLE EXTENDED ---- */

/* The first level of printSchema. */
static void append_tree(pt__buffer *out, const pt_field *field)
{
    pt__buffer json = PT_BUFFER_INIT;
    pt__buffer_printf(out, " |-- %s: ", field->name);
    pt__type_append_json(&json, field->type);
    const char *type = pt__buffer_string(&json);
    if (*type == '"')
        pt__buffer_printf(out, "%.*s", (int)strlen(type) - 2, type + 1);
    else
        pt__type_append_simple(out, field->type);
    pt__buffer_deinit(&json);
    pt__buffer_printf(out, " (nullable = %s)\n", field->nullable ? "true" : "false");
}

static const char *table_information(pt__command *c, const pt_table *table)
{
    pt__buffer *text = pt__arena_buffer(c->arena);
    size_t count;
    const pt__info_row *info = pt__table_information(c, table, &count);
    for (size_t i = 0; i < count; i++)
        pt__buffer_printf(text, "%s: %s\n", info[i].name, info[i].value);
    pt__buffer_append_string(text, "Schema: root\n");
    for (size_t i = 0; table->schema != NULL && i < table->schema->field_count; i++)
        append_tree(text, &table->schema->fields[i]);
    pt__buffer_append_string(text, "\n");
    return pt__arena_buffer_take(c->arena, text);
}

static pt_status show_extended(pt__command *c, const pt_plan_show_objects *node, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"namespace", text, false},
                                      {"tableName", text, false},
                                      {"isTemporary", PT_T(BOOLEAN), false},
                                      {"information", text, false}};
    const char *database;
    const pt_table *const *tables;
    size_t count;
    PT_TRY(need_scope(c, &node->scope, &database));
    PT_TRY(pt__command_tables(c, database, &tables, &count));
    pt__rows *rows = pt__rows_new(c->arena, columns, 4);
    for (size_t i = 0; i < count; i++) {
        if (!pt__like(node->pattern, tables[i]->name))
            continue;
        add_table_row(rows, tables[i]->database, tables[i]->name, false);
        pt__rows_text(rows, table_information(c, tables[i]));
    }
    pt__view **views = pt__session_list_views(c->session, c->arena, false, &count);
    for (size_t i = 0; i < count; i++) {
        if (!pt__like(node->pattern, views[i]->name))
            continue;
        add_table_row(rows, "", views[i]->name, true);
        pt__rows_text(rows, pt__arena_printf(c->arena, "Table: %s\nType: VIEW\n", views[i]->name));
    }
    return pt__rows_plan(rows, out, c->err);
}

static pt_status unknown(pt__command *c, const char *what)
{
    return pt__raise(c->err, PT_COND_UNSUPPORTED_FEATURE, "feature", what, NULL);
}

PT_COMMAND(show_objects)
{
    switch (node->object_kind) {
    case PT_OBJECT_TABLE: return show_tables(c, node, false, out);
    case PT_OBJECT_VIEW: return show_tables(c, node, true, out);
    case PT_OBJECT_DATABASE: return show_databases(c, node, out);
    case PT_OBJECT_FUNCTION: return show_functions(c, node, out);
    case PT_OBJECT_COLUMNS: return show_columns(c, node, out);
    case PT_OBJECT_CATALOG: return show_catalogs(c, node, out);
    case PT_OBJECT_PARTITIONS: return show_partitions(c, node, out);
    case PT_OBJECT_TABLE_EXTENDED: return show_extended(c, node, out);
    case PT_OBJECT_TABLE_PROPERTIES: return show_properties(c, node, out);
    case PT_OBJECT_CREATE_TABLE: return show_create(c, node, out);
    case PT_OBJECT_CURRENT_NAMESPACE: return show_current(c, out);
    case PT_OBJECT_QUERY: break;
    }
    return unknown(c, "SHOW of a query");
}

/* DESCRIBE of tables, columns, databases, functions and queries. */
#include "analyze/analyze.h"
#include "analyze/function.h"
#include "exec/command.h"

#include <string.h>
#include <strings.h>

/* ---- what is known about a table ---- */

typedef pt__list(pt__info_row) info_list;

static void add_info(pt__command *c, info_list *list, const char *name, const char *value)
{
    if (value == NULL || *value == '\0')
        return;
    pt__info_row row = {name, value};
    pt__list_push(c->arena, list, row);
}

static const char *kind_name(pt_table_kind kind)
{
    switch (kind) {
    case PT_TABLE_MANAGED: return "MANAGED";
    case PT_TABLE_EXTERNAL: return "EXTERNAL";
    case PT_TABLE_VIEW: break;
    }
    return "VIEW";
}

static const char *properties_text(pt__command *c, const pt_options *properties)
{
    const char *text = "";
    for (size_t i = 0; i < properties->count; i++)
        text = pt__arena_printf(c->arena, "%s%s%s=%s", text, i == 0 ? "" : ", ", properties->items[i].key,
                                properties->items[i].value);
    return pt__arena_printf(c->arena, "[%s]", text);
}

static const char *location_uri(pt__command *c, const char *path)
{
    if (path == NULL || strncmp(path, "file:", 5) == 0)
        return path;
    return pt__arena_printf(c->arena, "file:%s", path);
}

const pt__info_row *pt__table_information(pt__command *c, const pt_table *table, size_t *count)
{
    info_list list = {NULL, 0, 0};
    add_info(c, &list, "Catalog", pt__catalog_name);
    add_info(c, &list, "Database", table->database);
    add_info(c, &list, "Table", table->name);
    add_info(c, &list, "Owner", table->owner);
    if (table->created_us != 0)
        add_info(c, &list, "Created Time", pt__command_time_text(c, table->created_us));
    add_info(c, &list, "Last Access", "UNKNOWN");
    add_info(c, &list, "Created By", "Spark 4.2.0");
    add_info(c, &list, "Type", kind_name(table->kind));
    add_info(c, &list, "Provider", table->kind == PT_TABLE_VIEW ? NULL : table->provider);
    add_info(c, &list, "Comment", table->comment);
    if (table->properties.count > 0)
        add_info(c, &list, "Table Properties", properties_text(c, &table->properties));
    add_info(c, &list, "Location", location_uri(c, table->location));
    if (table->kind == PT_TABLE_VIEW) {
        add_info(c, &list, "View Text", table->view_text);
        add_info(c, &list, "View Original Text", table->view_text);
        add_info(c, &list, "View Catalog and Namespace",
                 pt__arena_printf(c->arena, "%s.%s", pt__catalog_name,
                                  table->view_database == NULL ? table->database : table->view_database));
    }
    *count = list.count;
    return list.items;
}

/* ---- tables ---- */

static pt__rows *new_columns(pt__command *c)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"col_name", text, false}, {"data_type", text, false}, {"comment", text, true}};
    return pt__rows_new(c->arena, columns, 3);
}

static void add_row(pt__rows *rows, const char *name, const char *type, const char *comment)
{
    pt__rows_text(rows, name);
    pt__rows_text(rows, type);
    pt__rows_text(rows, comment);
}

static void add_columns(pt__command *c, pt__rows *rows, const pt_plan *plan)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        const pt_column *column = &plan->columns[i];
        if (!column->is_hidden)
            add_row(rows, column->name, pt__column_type_name(c->arena, column->type, column->metadata),
                    pt__column_comment(c->arena, column->metadata));
    }
}

static void add_partitions(pt__command *c, pt__rows *rows, const pt_plan *plan, const pt_table *table)
{
    if (table == NULL || table->partition_count == 0)
        return;
    add_row(rows, "# Partition Information", "", "");
    add_row(rows, "# col_name", "data_type", "comment");
    for (size_t i = 0; i < table->partition_count; i++)
        for (size_t j = 0; j < plan->column_count; j++)
            if (strcasecmp(plan->columns[j].name, table->partition_columns[i]) == 0)
                add_row(rows, plan->columns[j].name,
                        pt__column_type_name(c->arena, plan->columns[j].type, plan->columns[j].metadata),
                        pt__column_comment(c->arena, plan->columns[j].metadata));
}

static void add_details(pt__command *c, pt__rows *rows, const pt_table *table)
{
    size_t count;
    const pt__info_row *info = pt__table_information(c, table, &count);
    add_row(rows, "", "", "");
    add_row(rows, "# Detailed Table Information", "", "");
    for (size_t i = 0; i < count; i++)
        add_row(rows, info[i].name, info[i].value, "");
}

/* The table behind a name; NULL when a temporary view of that name comes first. */
static pt_status table_behind(pt__command *c, const pt_name *name, const pt_table **table)
{
    *table = NULL;
    pt__view *view = pt__session_find_view(c->session, name);
    pt__view_unref(view);
    if (view != NULL)
        return PT_OK;
    pt_status status = pt__command_find_table(c, name, table);
    return status == PT_NOT_FOUND ? PT_OK : status;
}

static pt_status describe_column(pt__command *c, const pt_plan_describe *node, const pt_plan *plan, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"info_name", text, false}, {"info_value", text, false}};
    static const char *const unknown[] = {"min",         "max",         "num_nulls", "distinct_count",
                                          "avg_col_len", "max_col_len", "histogram"};
    const pt_column *column = NULL;
    for (size_t i = 0; i < plan->column_count; i++)
        if (strcasecmp(plan->columns[i].name, pt__name_last(&node->column)) == 0)
            column = &plan->columns[i];
    if (column == NULL)
        return pt__raise(c->err, PT_COND_UNRESOLVED_COLUMN_WITHOUT_SUGGESTION, "objectName",
                         pt__command_quote(c, &node->column), NULL);
    const char *comment = pt__column_comment(c->arena, column->metadata);
    pt__rows *rows = pt__rows_new(c->arena, columns, 2);
    pt__rows_text(rows, "col_name");
    pt__rows_text(rows, column->name);
    pt__rows_text(rows, "data_type");
    pt__rows_text(rows, pt__column_type_name(c->arena, column->type, column->metadata));
    pt__rows_text(rows, "comment");
    pt__rows_text(rows, comment == NULL ? "NULL" : comment);
    for (size_t i = 0; node->is_extended && i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        pt__rows_text(rows, unknown[i]);
        pt__rows_text(rows, "NULL");
    }
    return pt__rows_plan(rows, out, c->err);
}

static pt_status describe_table(pt__command *c, const pt_plan_describe *node, const pt_plan **out)
{
    const pt_plan *plan;
    const pt_table *table;
    if (node->as_json)
        return pt__raise(c->err, PT_COND_UNSUPPORTED_FEATURE, "feature", "DESCRIBE AS JSON", NULL);
    PT_TRY(pt__command_columns(c, &node->name, node->base.origin, &plan));
    if (node->column.count != 0)
        return describe_column(c, node, plan, out);
    PT_TRY(table_behind(c, &node->name, &table));
    pt__rows *rows = new_columns(c);
    add_columns(c, rows, plan);
    add_partitions(c, rows, plan, table);
    if (node->is_extended && table != NULL)
        add_details(c, rows, table);
    return pt__rows_plan(rows, out, c->err);
}

static pt_status describe_query(pt__command *c, const pt_plan_describe *node, const pt_plan **out)
{
    const pt_plan *plan;
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, node->query, &plan, c->err));
    pt__rows *rows = new_columns(c);
    add_columns(c, rows, plan);
    return pt__rows_plan(rows, out, c->err);
}

/* ---- databases ---- */

static pt_status describe_database(pt__command *c, const pt_plan_describe *node, const pt_plan **out)
{
    const pt_type *text = PT_T(STRING);
    const pt__row_column columns[] = {{"info_name", text, false}, {"info_value", text, true}};
    const char *name = node->name.count == 0 ? c->catalog->database : pt__name_last(&node->name);
    const pt_database *databases;
    const pt_database *found = NULL;
    size_t count;
    PT_TRY(pt__command_need_database(c, name));
    PT_TRY(pt__command_databases(c, &databases, &count));
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(databases[i].name, name) == 0)
            found = &databases[i];
    if (found == NULL)
        return pt_error_set(c->err, PT_INTERNAL, "the database %s went away", name);
    const pt__info_row rows_out[] = {{"Catalog Name", pt__catalog_name},
                                     {"Namespace Name", found->name},
                                     {"Comment", found->comment == NULL ? "" : found->comment},
                                     {"Location", location_uri(c, found->location)},
                                     {"Owner", c->session->user}};
    pt__rows *rows = pt__rows_new(c->arena, columns, 2);
    for (size_t i = 0; i < sizeof(rows_out) / sizeof(rows_out[0]); i++) {
        pt__rows_text(rows, rows_out[i].name);
        pt__rows_text(rows, rows_out[i].value);
    }
    if (node->is_extended) {
        pt__rows_text(rows, "Properties");
        pt__rows_text(rows, found->properties.count == 0 ? "" : properties_text(c, &found->properties));
    }
    return pt__rows_plan(rows, out, c->err);
}

/* ---- functions ---- */

static const char *parameter_text(pt__command *c, const pt__user_function *function)
{
    const char *text = "";
    for (size_t i = 0; i < function->parameter_count; i++)
        text = pt__arena_printf(c->arena, "%s%s%s %s", text, i == 0 ? "" : ", ", function->parameters[i].name,
                                pt__type_sql(c->arena, function->parameters[i].type));
    return function->parameter_count == 0 ? "()" : text;
}

static void describe_user(pt__command *c, pt__rows *rows, const pt__user_function *function)
{
    bool is_table = function->table_body != NULL;
    pt__rows_text(rows, pt__arena_printf(c->arena, "Function: %s", function->name));
    pt__rows_text(rows, is_table ? "Type:     TABLE" : "Type:     SCALAR");
    pt__rows_text(rows, pt__arena_printf(c->arena, "Input:    %s", parameter_text(c, function)));
    if (function->return_type != NULL)
        pt__rows_text(rows, pt__arena_printf(c->arena, "Returns:  %s", pt__type_sql(c->arena, function->return_type)));
}

static pt_status describe_function(pt__command *c, const pt_plan_describe *node, const pt_plan **out)
{
    const pt__row_column column = {"function_desc", PT_T(STRING), false};
    const char *name = pt__name_last(&node->name);
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    pt__function_entry *entry = pt__session_find_function(c->session, &node->name, c->catalog->database);
    if (entry != NULL) {
        describe_user(c, rows, &entry->function);
        pt__function_entry_unref(entry);
    } else if (pt__function_is_public(name)) {
        pt__rows_text(rows, pt__arena_printf(c->arena, "Function: %s", name));
        pt__rows_text(rows, pt__arena_printf(c->arena, "Usage: %s", name));
    } else {
        return pt__raise(c->err, PT_COND_UNRESOLVED_ROUTINE, "routineName", pt__command_quote(c, &node->name),
                         "searchPath",
                         pt__arena_printf(c->arena, "[`system`.`builtin`, `system`.`session`, `%s`.`%s`]",
                                          pt__catalog_name, c->catalog->database),
                         NULL);
    }
    return pt__rows_plan(rows, out, c->err);
}

PT_COMMAND(describe)
{
    switch (node->object_kind) {
    case PT_OBJECT_TABLE:
    case PT_OBJECT_VIEW: return describe_table(c, node, out);
    case PT_OBJECT_DATABASE: return describe_database(c, node, out);
    case PT_OBJECT_FUNCTION: return describe_function(c, node, out);
    case PT_OBJECT_QUERY: return describe_query(c, node, out);
    case PT_OBJECT_COLUMNS:
    case PT_OBJECT_CATALOG:
    case PT_OBJECT_PARTITIONS:
    case PT_OBJECT_TABLE_EXTENDED:
    case PT_OBJECT_TABLE_PROPERTIES:
    case PT_OBJECT_CREATE_TABLE:
    case PT_OBJECT_CURRENT_NAMESPACE: break;
    }
    return pt__raise(c->err, PT_COND_UNSUPPORTED_FEATURE, "feature", "this kind of DESCRIBE", NULL);
}

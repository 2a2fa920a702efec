/* Commands: their queries are analyzed, the rest is the session's and the backend's. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"

PT_ANALYZE_KIND(create_view)
{
    const pt_plan *checked;
    PT_TRY(pt__analyze_plan(a, node->query, &checked, err)); /* errors show now; the view keeps the plan as written */
    if (node->column_name_count != 0 && node->column_name_count != pt__visible_count(checked))
        return pt_error_set(err, PT_ANALYSIS, "the view names %zu columns, its query has %zu", node->column_name_count,
                            pt__visible_count(checked));
    pt_plan_create_view *view = pt__plan_make(a->arena, CREATE_VIEW, create_view, node->base.origin);
    *view = *node;
    view->base.columns = checked->columns;
    view->base.column_count = checked->column_count;
    *out = &view->base;
    return PT_OK;
}

PT_ANALYZE_KIND(create_table)
{
    pt_plan_create_table *table = pt__plan_make(a->arena, CREATE_TABLE, create_table, node->base.origin);
    *table = *node;
    if (node->query != NULL) {
        PT_TRY(pt__analyze_plan(a, node->query, &table->query, err));
        table->schema = pt__analyzed_schema(a->arena, table->query);
    }
    *out = &table->base;
    return PT_OK;
}

static void set_count_column(pt__analyzer *a, pt_plan *command)
{
    pt_column *column = pt__arena_array(a->arena, pt_column, 1);
    *column = pt__new_column(a, "count", PT_T(LONG), false);
    command->columns = column;
    command->column_count = 1;
}

PT_ANALYZE_KIND(write_files)
{
    pt_plan_write_files *write = pt__plan_make(a->arena, WRITE_FILES, write_files, node->base.origin);
    *write = *node;
    PT_TRY(pt__analyze_plan(a, node->query, &write->query, err));
    if (node->gives_count)
        set_count_column(a, &write->base);
    *out = &write->base;
    return PT_OK;
}

/* ---- INSERT ---- */

static const pt_expr *default_value(pt__analyzer *a, const pt_field *field)
{
    return pt__expr_null(a->arena, field->type);
}

static const pt_expr *stored(pt__analyzer *a, const pt_expr *value, const pt_field *field)
{
    const pt_expr *cast =
        pt__type_same_kind(value->type, field->type) ? value : pt__make_cast(a, value, field->type, PT_CAST_ANSI, true);
    return &pt__typed_alias(a, cast, field->name)->base;
}

static pt_status check_store(pt__analyzer *a, const pt_plan_insert *node, const pt_expr *value, const pt_field *field,
                             pt_error *err)
{
    bool narrows_text = pt__type_is_string(value->type) && !pt__type_is_string(field->type);
    bool bad = !pt__can_cast(a, value->type, field->type, PT_CAST_ANSI) || narrows_text ||
               (value->type->id == PT_TYPE_TIMESTAMP && pt__type_is_numeric(field->type)) ||
               (pt__type_is_numeric(value->type) && pt__type_is_datetime(field->type)) ||
               (value->type->id == PT_TYPE_BOOLEAN && pt__type_is_numeric(field->type)) ||
               (pt__type_is_numeric(value->type) && field->type->id == PT_TYPE_BOOLEAN);
    if (!bad || value->type->id == PT_TYPE_VOID)
        return PT_OK;
    return pt__raise(err, PT_COND_INCOMPATIBLE_DATA_FOR_TABLE_CANNOT_SAFELY_CAST, "tableName",
                     pt__quote_name(a->arena, &node->table), "colName", pt__quote_one(a->arena, field->name), "srcType",
                     pt__quote_type(a->arena, value->type), "targetType", pt__quote_type(a->arena, field->type), NULL);
}

/* Position in the query of a table's column; -1: not given. */
static int source_position(pt__analyzer *a, const pt_plan_insert *node, const pt_plan *query, const pt_field *field,
                           size_t index)
{
    if (node->column_name_count != 0) {
        for (size_t i = 0; i < node->column_name_count; i++) {
            if (pt__same_name(a, node->column_names[i], field->name))
                return (int)i;
        }
        return -1;
    }
    return node->by_name ? pt__find_column(a, query, field->name) : (int)index;
}

static const char *partition_value(pt__analyzer *a, const pt_plan_insert *node, const char *name)
{
    for (size_t i = 0; i < node->partition.count; i++) {
        if (pt__same_name(a, node->partition.items[i].key, name))
            return node->partition.items[i].value;
    }
    return NULL;
}

static pt_status fail_arity(pt__analyzer *a, const pt_plan_insert *node, const pt_plan *query, const pt_type *schema,
                            pt_error *err)
{
    size_t given = pt__visible_count(query);
    size_t wanted = node->column_name_count != 0 ? node->column_name_count : schema->field_count;
    pt__buffer *table = pt__arena_buffer(a->arena);
    pt__buffer *data = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < schema->field_count; i++)
        pt__buffer_printf(table, "%s%s", i == 0 ? "" : ", ", pt__quote_one(a->arena, schema->fields[i].name));
    for (size_t i = 0; i < query->column_count; i++)
        pt__buffer_printf(data, "%s%s", i == 0 ? "" : ", ", pt__quote_one(a->arena, query->columns[i].name));
    pt_status status = pt__raise(err,
                                 given > wanted ? PT_COND_INSERT_COLUMN_ARITY_MISMATCH_TOO_MANY
                                                : PT_COND_INSERT_COLUMN_ARITY_MISMATCH_NOT_ENOUGH,
                                 "tableName", pt__quote_name(a->arena, &node->table), "tableColumns",
                                 pt__buffer_string(table), "dataColumns", pt__buffer_string(data), NULL);
    return status;
}

/* The query's columns in the table's order and types. */
static pt_status fit_to_table(pt__analyzer *a, const pt_plan_insert *node, const pt_plan **query, const pt_type *schema,
                              pt_error *err)
{
    size_t count;
    const pt_expr *const *refs = pt__visible_refs(a, *query, &count);
    size_t fixed = 0;
    for (size_t i = 0; i < node->partition.count; i++)
        fixed += node->partition.items[i].value != NULL;
    size_t wanted = node->column_name_count != 0 ? node->column_name_count : schema->field_count - fixed;
    bool may_lack = node->by_name && !node->is_save_as_table;
    if (count != wanted && !(may_lack && count < wanted))
        return fail_arity(a, node, *query, schema, err);
    const pt_expr **list = pt__arena_array(a->arena, const pt_expr *, schema->field_count + 1);
    size_t next = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        const pt_field *field = &schema->fields[i];
        const char *constant = partition_value(a, node, field->name);
        int position = constant != NULL ? -1 : source_position(a, node, *query, field, next);
        next += constant == NULL;
        const pt_expr *value = constant != NULL                         ? pt__expr_string(a->arena, constant)
                               : position < 0 || position >= (int)count ? default_value(a, field)
                                                                        : refs[position];
        if (constant == NULL)
            PT_TRY(check_store(a, node, value, field, err));
        list[i] = stored(a, value, field);
    }
    *query = pt__project(a, *query, list, schema->field_count, NULL);
    return PT_OK;
}

PT_ANALYZE_KIND(insert)
{
    pt_plan_insert *insert = pt__plan_make(a->arena, INSERT, insert, node->base.origin);
    *insert = *node;
    PT_TRY(pt__analyze_plan(a, node->query, &insert->query, err));
    *out = &insert->base;
    pt__relation relation = {0};
    pt_status status = a->catalog->vtable->find_relation(a->catalog, a->arena, &node->table, &relation, err);
    if (status == PT_NOT_FOUND && node->is_save_as_table)
        return PT_OK; /* it will be created with the query's columns */
    if (status == PT_NOT_FOUND) {
        status = pt__raise(err, PT_COND_TABLE_OR_VIEW_NOT_FOUND, "relationName", pt__quote_name(a->arena, &node->table),
                           NULL);
        return pt__analyzer_fail(status, node->base.origin, err);
    }
    PT_TRY(status);
    if (relation.origin != PT_RELATION_TABLE)
        return pt_error_set(err, PT_ANALYSIS, "rows cannot be inserted into the view %s",
                            pt__quote_name(a->arena, &node->table));
    insert->target = relation.table;
    if (node->is_save_as_table && node->mode != PT_SAVE_APPEND)
        return PT_OK; /* refused, ignored or replaced as a whole */
    if (node->is_save_as_table)
        insert->by_name = true;
    return pt__analyzer_fail(fit_to_table(a, insert, &insert->query, relation.table->schema, err), node->base.origin,
                             err);
}

/* ---- DELETE, UPDATE ---- */

static pt_status scan_target(pt__analyzer *a, const pt_name *table, const char *alias, const pt_plan **out,
                             pt_error *err)
{
    pt_plan_scan_table *scan = pt__plan_make(a->arena, SCAN_TABLE, scan_table, NULL);
    scan->name = *table;
    const pt_plan *plan = &scan->base;
    (void)alias;
    PT_TRY(pt__analyze_plan(a, plan, out, err));
    if ((*out)->kind != PT_PLAN_SCAN_TABLE)
        return pt_error_set(err, PT_UNSUPPORTED, "%s is no table whose rows can be changed",
                            pt__quote_name(a->arena, table));
    if (alias != NULL) {
        pt_column *columns = pt__arena_array(a->arena, pt_column, (*out)->column_count);
        for (size_t i = 0; i < (*out)->column_count; i++) {
            columns[i] = (*out)->columns[i];
            columns[i].qualifier = pt__name_one(a->arena, alias);
        }
        ((pt_plan *)*out)->columns = columns;
    }
    return PT_OK;
}

PT_ANALYZE_KIND(delete)
{
    pt_plan_delete *copy = pt__plan_make(a->arena, DELETE, delete, node->base.origin);
    *copy = *node;
    PT_TRY(scan_target(a, &node->table, node->alias, &copy->target, err));
    pt__scope scope = pt__scope_of(a, &copy->target, 1);
    if (node->condition != NULL)
        PT_TRY(pt__analyze_condition(a, &scope, node->condition, "WHERE", &copy->condition, err));
    *out = &copy->base;
    return PT_OK;
}

static pt_status analyze_assignments(pt__analyzer *a, pt__scope *scope, const pt_plan *target,
                                     const pt_assignment *given, size_t count, const pt_assignment **out, pt_error *err)
{
    pt_assignment *assignments = pt__arena_array(a->arena, pt_assignment, count + 1);
    for (size_t i = 0; i < count; i++) {
        assignments[i] = given[i];
        const char *name = given[i].column.parts[given[i].column.count - 1];
        int index = pt__find_column(a, target, name);
        if (index < 0)
            return pt__unresolved_column(a, scope, &given[i].column, NULL, err);
        const pt_column *column = &target->columns[index];
        const pt_expr *value = pt__expr_null(a->arena, column->type);
        if (given[i].value != NULL)
            PT_TRY(pt__analyze_expr(a, scope, given[i].value, &value, err));
        assignments[i].value = pt__type_same_kind(value->type, column->type)
                                   ? value
                                   : pt__make_cast(a, value, column->type, PT_CAST_ANSI, true);
    }
    *out = assignments;
    return PT_OK;
}

PT_ANALYZE_KIND(update)
{
    pt_plan_update *copy = pt__plan_make(a->arena, UPDATE, update, node->base.origin);
    *copy = *node;
    PT_TRY(scan_target(a, &node->table, node->alias, &copy->target, err));
    pt__scope scope = pt__scope_of(a, &copy->target, 1);
    PT_TRY(analyze_assignments(a, &scope, copy->target, node->assignments, node->assignment_count, &copy->assignments,
                               err));
    if (node->condition != NULL)
        PT_TRY(pt__analyze_condition(a, &scope, node->condition, "WHERE", &copy->condition, err));
    *out = &copy->base;
    return PT_OK;
}

/* ---- commands that hold a query ---- */

PT_ANALYZE_KIND(describe)
{
    pt_plan_describe *copy = pt__plan_make(a->arena, DESCRIBE, describe, node->base.origin);
    *copy = *node;
    if (node->query != NULL)
        PT_TRY(pt__analyze_plan(a, node->query, &copy->query, err));
    *out = &copy->base;
    return PT_OK;
}

PT_ANALYZE_KIND(explain)
{
    pt_plan_explain *copy = pt__plan_make(a->arena, EXPLAIN, explain, node->base.origin);
    *copy = *node;
    PT_TRY(pt__analyze_plan(a, node->query, &copy->query, err));
    *out = &copy->base;
    return PT_OK;
}

PT_ANALYZE_KIND(cache_table)
{
    (void)err;
    pt_plan_cache_table *copy = pt__plan_make(a->arena, CACHE_TABLE, cache_table, node->base.origin);
    *copy = *node;
    *out = &copy->base;
    return PT_OK;
}

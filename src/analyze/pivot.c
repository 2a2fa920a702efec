/* PIVOT and UNPIVOT, of SQL and of DataFrames; transpose. */
#include "analyze/build.h"

#include <string.h>

/* ---- pivot ---- */

typedef struct pivot_value {
    const pt_expr *value; /* literal, or a struct of such for several columns */
    const char *name;
} pivot_value;

static const char *aggregate_name(pt__analyzer *a, const pt_expr *expr)
{
    return expr->kind == PT_EXPR_ALIAS ? pt__expr_as_alias(expr)->names[0] : pt__pretty_name(a->arena, expr);
}

/* The aggregate over the rows of one value; NULL when there are none, whatever the aggregate says then. */
static const pt_expr *restricted(pt__build *b, const pt_expr *aggregate, const pt_expr *condition)
{
    if (b->status != PT_OK)
        return NULL;
    const pt_expr *child = pt__strip_alias(aggregate);
    if (!pt__is_aggregate_call(child)) {
        b->status = pt_error_set(b->err, PT_UNSUPPORTED, "pivot takes bare aggregates, not %s",
                                 pt__pretty_name(b->a->arena, child));
        return NULL;
    }
    pt_expr_call *copy = pt__expr_make(b->a->arena, CALL, call, child->origin);
    *copy = *pt__expr_as_call(child);
    copy->filter = copy->filter == NULL ? condition : pt__build_call(b, "and", 2, copy->filter, condition);
    if (copy->base.nullable)
        return &copy->base;
    const pt_expr *count = pt__build_call(b, "count", 1, pt__expr_int(b->a->arena, 1));
    if (b->status != PT_OK)
        return NULL;
    ((pt_expr_call *)count)->filter = condition;
    return pt__build_call(b, "when", 2, pt__build_call(b, ">", 2, count, pt__expr_int(b->a->arena, 0)), &copy->base);
}

static const pt_expr *same_value(pt__build *b, const pt_expr *const *columns, size_t count, const pt_expr *value)
{
    if (count == 1)
        return pt__build_call(b, "<=>", 2, columns[0], value);
    const pt_expr *both = NULL;
    for (size_t i = 0; i < count && b->status == PT_OK; i++) {
        const pt_expr *field;
        pt__struct_field(b->a, value, value->type->fields[i].name, NULL, &field, b->err);
        const pt_expr *equal = pt__build_call(b, "<=>", 2, columns[i], field);
        both = both == NULL ? equal : pt__build_call(b, "and", 2, both, equal);
    }
    return both;
}

static const pt_expr *const *pivot_outputs(pt__build *b, const pt_expr *const *grouping, size_t grouping_count,
                                           const pt_expr *const *columns, size_t column_count,
                                           const pivot_value *values, size_t value_count,
                                           const pt_expr *const *aggregates, size_t aggregate_count, size_t *count)
{
    pt__arena *arena = b->a->arena;
    const pt_expr **outputs =
        pt__arena_array(arena, const pt_expr *, grouping_count + value_count * aggregate_count + 1);
    *count = grouping_count;
    if (grouping_count != 0)
        memcpy(outputs, grouping, grouping_count * sizeof(*outputs));
    for (size_t v = 0; v < value_count; v++) {
        const pt_expr *condition = same_value(b, columns, column_count, values[v].value);
        for (size_t i = 0; i < aggregate_count; i++) {
            const char *name = aggregate_count == 1 ? values[v].name
                                                    : pt__arena_printf(arena, "%s_%s", values[v].name,
                                                                       aggregate_name(b->a, aggregates[i]));
            outputs[(*count)++] = pt__build_alias(b, restricted(b, aggregates[i], condition), name);
        }
    }
    return outputs;
}

/* All values of the column, sorted: the query runs now. */
static pt_status distinct_values(pt__analyzer *a, const pt_plan *input, const pt_expr *column, pivot_value **out,
                                 size_t *count, pt_error *err)
{
    enum { MOST_VALUES = 10000 }; /* spark.sql.pivotMaxValues */
    const pt_plan *groups;
    PT_TRY(pt__aggregate(a, input, &column, 1, NULL, 0, &column, 1, NULL, &groups, err));
    pt_expr_sort_order *order = pt__expr_make(a->arena, SORT_ORDER, sort_order, NULL);
    order->child = pt__column_ref(a, &groups->columns[0]);
    order->nulls_first = true;
    order->base.type = order->child->type;
    const pt_expr **orders = pt__arena_array(a->arena, const pt_expr *, 1);
    orders[0] = &order->base;
    pt_plan_sort *sort = pt__plan_make(a->arena, SORT, sort, NULL);
    sort->input = groups;
    sort->orders = orders;
    sort->order_count = 1;
    sort->is_global = true;
    pt__pass_columns(&sort->base, groups);
    pt_plan_limit *limit = pt__plan_make(a->arena, LIMIT, limit, NULL);
    limit->input = &sort->base;
    limit->limit = pt__expr_int(a->arena, MOST_VALUES + 1);
    pt__pass_columns(&limit->base, limit->input);
    const pt_value *cells;
    PT_TRY(a->catalog->vtable->collect(a->catalog, a->arena, &limit->base, &cells, count, err));
    if (*count > MOST_VALUES)
        return pt_error_set(err, PT_LIMIT, "the pivot column has more than %d distinct values: name the wanted ones",
                            MOST_VALUES);
    *out = pt__arena_array(a->arena, pivot_value, *count + 1);
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = (pivot_value){pt__expr_literal(a->arena, column->type, cells[i]),
                                  pt__literal_name(a, column->type, &cells[i])};
    return PT_OK;
}

static const char *value_name(pt__analyzer *a, const pt_expr *value)
{
    if (value->kind == PT_EXPR_LITERAL)
        return pt__literal_name(a, value->type, &pt__expr_as_literal(value)->value);
    if (value->kind == PT_EXPR_CAST)
        return value_name(a, pt__expr_as_cast(value)->child);
    if (value->kind == PT_EXPR_CALL && value->type != NULL && value->type->id == PT_TYPE_STRUCT) {
        const pt_expr_call *call = pt__expr_as_call(value);
        const char *text = "{";
        for (size_t i = 0; i < call->argument_count; i++)
            text = pt__arena_printf(a->arena, "%s%s%s", text, i == 0 ? "" : ", ", value_name(a, call->arguments[i]));
        return pt__arena_printf(a->arena, "%s}", text);
    }
    return pt__pretty_name(a->arena, value);
}

static pt_status given_values(pt__analyzer *a, const pt_expr *const *values, size_t count, pivot_value **out,
                              pt_error *err)
{
    pt__scope scope = pt__scope_of(a, NULL, 0);
    *out = pt__arena_array(a->arena, pivot_value, count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt_expr *value;
        PT_TRY(pt__analyze_expr(a, &scope, values[i], &value, err));
        const char *name = value->kind == PT_EXPR_ALIAS ? pt__expr_as_alias(value)->names[0] : value_name(a, value);
        (*out)[i] = (pivot_value){pt__strip_alias(value), name};
    }
    return PT_OK;
}

pt_status pt__analyze_dataframe_pivot(pt__analyzer *a, const pt_plan_aggregate *node, const pt_plan **out,
                                      pt_error *err)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__scope scope = pt__scope_of(a, &input, 1);
    const pt_expr *column;
    const pt_expr *const *grouping;
    const pt_expr *const *aggregates;
    size_t grouping_count;
    size_t aggregate_count;
    PT_TRY(pt__analyze_expr(a, &scope, node->pivot_column, &column, err));
    PT_TRY(pt__analyze_list(a, &scope, node->grouping, node->grouping_count, &grouping, &grouping_count, err));
    PT_TRY(pt__analyze_list(a, &scope, node->aggregates, node->aggregate_count, &aggregates, &aggregate_count, err));
    pivot_value *values;
    size_t value_count = node->pivot_value_count;
    if (value_count == 0)
        PT_TRY(distinct_values(a, input, column, &values, &value_count, err));
    else
        PT_TRY(given_values(a, node->pivot_values, value_count, &values, err));
    pt__build b = {a, PT_OK, err};
    size_t count;
    const pt_expr *const *outputs = pivot_outputs(&b, grouping, grouping_count, &column, 1, values, value_count,
                                                  aggregates, aggregate_count, &count);
    PT_TRY(b.status);
    return pt__aggregate(a, input, grouping, grouping_count, NULL, 0, outputs, count, &node->base, out, err);
}

typedef struct used_ids {
    pt__analyzer *a;
    pt__list(uint32_t) ids;
} used_ids;

static bool note_columns(void *context, const pt_expr *expr)
{
    used_ids *used = context;
    if (expr->kind == PT_EXPR_COLUMN)
        pt__list_push(used->a->arena, &used->ids, pt__expr_as_column(expr)->id);
    return pt__expr_each_child(expr, note_columns, context);
}

/* SQL groups by every column that neither the aggregates nor FOR name. */
static const pt_expr *const *unused_columns(pt__analyzer *a, const pt_plan *input, used_ids *used, size_t *count)
{
    pt__list(const pt_expr *) list = {0};
    for (size_t i = 0; i < input->column_count; i++) {
        bool is_used = input->columns[i].is_hidden;
        for (size_t k = 0; k < used->ids.count; k++)
            is_used |= used->ids.items[k] == input->columns[i].id;
        if (!is_used)
            pt__list_push(a->arena, &list, pt__column_ref(a, &input->columns[i]));
    }
    *count = list.count;
    return list.items;
}

PT_ANALYZE_KIND(pivot)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__scope scope = pt__scope_of(a, &input, 1);
    const pt_expr *const *columns;
    const pt_expr *const *aggregates;
    size_t column_count;
    size_t aggregate_count;
    PT_TRY(pt__analyze_list(a, &scope, node->columns, node->column_expr_count, &columns, &column_count, err));
    PT_TRY(pt__analyze_list(a, &scope, node->aggregates, node->aggregate_count, &aggregates, &aggregate_count, err));
    used_ids used = {a, {0}};
    for (size_t i = 0; i < column_count; i++)
        note_columns(&used, columns[i]);
    for (size_t i = 0; i < aggregate_count; i++)
        note_columns(&used, aggregates[i]);
    pivot_value *values;
    PT_TRY(given_values(a, node->values, node->value_count, &values, err));
    size_t grouping_count;
    const pt_expr *const *grouping = unused_columns(a, input, &used, &grouping_count);
    pt__build b = {a, PT_OK, err};
    size_t count;
    const pt_expr *const *outputs = pivot_outputs(&b, grouping, grouping_count, columns, column_count, values,
                                                  node->value_count, aggregates, aggregate_count, &count);
    PT_TRY(b.status);
    return pt__aggregate(a, input, grouping, grouping_count, NULL, 0, outputs, count, &node->base, out, err);
}

/* ---- unpivot ---- */

static bool in_list(const pt_expr *const *items, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind == PT_EXPR_COLUMN && pt__expr_as_column(items[i])->id == id)
            return true;
    }
    return false;
}

static const pt_expr *const *other_columns(pt__analyzer *a, const pt_plan *input, const pt_expr *const *taken,
                                           size_t taken_count, size_t *count)
{
    pt__list(const pt_expr *) list = {0};
    for (size_t i = 0; i < input->column_count; i++) {
        if (!input->columns[i].is_hidden && !in_list(taken, taken_count, input->columns[i].id))
            pt__list_push(a->arena, &list, pt__column_ref(a, &input->columns[i]));
    }
    *count = list.count;
    return list.items;
}

static pt_status fail_value_types(const pt_plan_unpivot *node, pt_error *err)
{
    return pt__analyzer_fail(
        pt__raise(err, PT_COND_UNPIVOT_VALUE_DATA_TYPE_MISMATCH, "types", "the value columns", NULL), node->base.origin,
        err);
}

static const char *group_name(pt__analyzer *a, const pt_plan_unpivot *node, const pt_expr *const *values, size_t group)
{
    if (node->value_aliases != NULL && node->value_aliases[group] != NULL)
        return node->value_aliases[group];
    const char *text = "";
    for (size_t i = 0; i < node->value_width; i++) {
        const pt_expr *value = values[group * node->value_width + i];
        text = pt__arena_printf(a->arena, "%s%s%s", text, i == 0 ? "" : "_", pt__output_columns(a, &value, 1)->name);
    }
    return text;
}

/* array(named_struct(variable, …, value, …), …): one element per group of values. */
static const pt_expr *value_rows(pt__build *b, const pt_plan_unpivot *node, const pt_expr *const *values,
                                 size_t value_count, const pt_type *const *types)
{
    pt__arena *arena = b->a->arena;
    size_t width = node->value_width;
    size_t groups = value_count / width;
    const pt_expr **rows = pt__arena_array(arena, const pt_expr *, groups + 1);
    for (size_t g = 0; g < groups && b->status == PT_OK; g++) {
        const pt_expr **fields = pt__arena_array(arena, const pt_expr *, 2 * (width + 1));
        fields[0] = pt__expr_string(arena, "variable");
        fields[1] = pt__expr_string(arena, group_name(b->a, node, values, g));
        for (size_t i = 0; i < width; i++) {
            fields[2 * (i + 1)] = pt__expr_string(arena, pt__arena_printf(arena, "v%zu", i));
            fields[2 * (i + 1) + 1] = pt__implicit_cast(b->a, pt__strip_alias(values[g * width + i]), types[i]);
        }
        rows[g] = pt__build_call_list(b, "named_struct", fields, 2 * (width + 1));
    }
    return pt__build_call(b, "explode", 1, pt__build_call_list(b, "array", rows, groups));
}

static pt_status unpivot_rows(pt__analyzer *a, const pt_plan_unpivot *node, const pt_plan *input,
                              const pt_expr *const *ids, size_t id_count, const pt_expr *const *values,
                              size_t value_count, const pt_plan **out, pt_error *err)
{
    size_t width = node->value_width;
    const pt_type **types = pt__arena_array(a->arena, const pt_type *, width + 1);
    for (size_t i = 0; i < value_count; i++) {
        const pt_type **type = &types[i % width];
        *type = *type == NULL ? values[i]->type : pt__common_type(a, *type, values[i]->type);
        if (*type == NULL)
            return fail_value_types(node, err);
    }
    pt__build b = {a, PT_OK, err};
    const pt_expr **list = pt__arena_array(a->arena, const pt_expr *, id_count + 1);
    if (id_count != 0)
        memcpy(list, ids, id_count * sizeof(*list));
    list[id_count] = value_rows(&b, node, values, value_count, types);
    PT_TRY(b.status);
    const pt_plan *rows;
    PT_TRY(pt__select(a, input, list, id_count + 1, NULL, &rows, err));
    const pt_expr *row = pt__column_ref(a, &rows->columns[id_count]);
    const pt_expr **outputs = pt__arena_array(a->arena, const pt_expr *, id_count + width + 1);
    for (size_t i = 0; i < id_count; i++)
        outputs[i] = pt__column_ref(a, &rows->columns[i]);
    outputs[id_count] = pt__build_alias(&b, pt__build_field(&b, row, "variable"), node->variable_name);
    for (size_t i = 0; i < width; i++)
        outputs[id_count + 1 + i] =
            pt__build_alias(&b, pt__build_field(&b, row, pt__arena_printf(a->arena, "v%zu", i)), node->value_names[i]);
    PT_TRY(b.status);
    *out = pt__project(a, rows, outputs, id_count + width + 1, &node->base);
    return PT_OK;
}

/* SQL drops rows all of whose values are NULL unless told otherwise. */
static pt_status without_nulls(pt__analyzer *a, const pt_plan_unpivot *node, const pt_plan **plan, pt_error *err)
{
    pt__build b = {a, PT_OK, err};
    size_t first = (*plan)->column_count - node->value_width;
    const pt_expr *condition = NULL;
    for (size_t i = first; i < (*plan)->column_count; i++) {
        const pt_expr *present = pt__build_call(&b, "isnotnull", 1, pt__column_ref(a, &(*plan)->columns[i]));
        condition = condition == NULL ? present : pt__build_call(&b, "or", 2, condition, present);
    }
    PT_TRY(b.status);
    *plan = pt__filter(a, *plan, condition, &node->base);
    return PT_OK;
}

PT_ANALYZE_KIND(unpivot)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__scope scope = pt__scope_of(a, &input, 1);
    const pt_expr *const *ids;
    const pt_expr *const *values;
    size_t id_count;
    size_t value_count;
    PT_TRY(pt__analyze_list(a, &scope, node->ids, node->id_count, &ids, &id_count, err));
    PT_TRY(pt__analyze_list(a, &scope, node->values, node->value_count, &values, &value_count, err));
    if (!node->values_given)
        values = other_columns(a, input, ids, id_count, &value_count);
    if (!node->ids_given)
        ids = other_columns(a, input, values, value_count, &id_count);
    if (value_count == 0)
        return pt__analyzer_fail(pt__raise(err, PT_COND_UNPIVOT_REQUIRES_VALUE_COLUMNS, NULL), node->base.origin, err);
    PT_TRY(unpivot_rows(a, node, input, ids, id_count, values, value_count, out, err));
    return node->include_nulls ? PT_OK : without_nulls(a, node, out, err);
}

/* ---- transpose ---- */

/* A transposed relation: `others` are all columns but the index, `common` the type that all of them are cast to. */
typedef struct transposition {
    const pt_plan_transpose *node;
    const pt_expr *index;
    const pt_expr *const *others;
    size_t count;
    const pt_type *common;
} transposition;

static pt_status find_common(pt__analyzer *a, transposition *t, pt_error *err)
{
    t->common = PT_T(VOID);
    for (size_t i = 0; i < t->count && t->common != NULL; i++)
        t->common = pt__common_type(a, t->common, t->others[i]->type);
    if (t->common != NULL)
        return PT_OK;
    pt_status status =
        pt__raise(err, PT_COND_TRANSPOSE_NO_LEAST_COMMON_TYPE, "dt1", pt__quote_type(a->arena, t->others[0]->type),
                  "dt2", pt__quote_type(a->arena, t->others[t->count - 1]->type), NULL);
    return pt__analyzer_fail(status, t->node->base.origin, err);
}

/* Rows of the index as text and the other columns, in the order of the index. */
static pt_status rows_by_index(pt__analyzer *a, const transposition *t, const pt_plan *input, const pt_plan **out,
                               pt_error *err)
{
    pt__build b = {a, PT_OK, err};
    const pt_expr **list = pt__arena_array(a->arena, const pt_expr *, t->count + 1);
    list[0] = pt__build_alias(&b, pt__build_cast(&b, t->index, PT_T(STRING)), "key");
    for (size_t i = 0; i < t->count; i++)
        list[i + 1] =
            pt__build_alias(&b, pt__implicit_cast(a, t->others[i], t->common), pt__expr_as_column(t->others[i])->name);
    PT_TRY(b.status);
    const pt_plan *rows = pt__filter(a, input, pt__build_call(&b, "isnotnull", 1, t->index), NULL);
    rows = pt__project(a, rows, list, t->count + 1, NULL);
    pt_plan_sort *sort = pt__plan_make(a->arena, SORT, sort, NULL);
    pt_expr_sort_order *order = pt__expr_make(a->arena, SORT_ORDER, sort_order, NULL);
    order->child = pt__column_ref(a, &rows->columns[0]);
    order->nulls_first = true;
    const pt_expr **orders = pt__arena_array(a->arena, const pt_expr *, 1);
    orders[0] = &order->base;
    sort->input = rows;
    sort->orders = orders;
    sort->order_count = 1;
    sort->is_global = true;
    pt__pass_columns(&sort->base, rows);
    *out = &sort->base;
    return PT_OK;
}

/* The cells, `row_count` rows of 1 + t->count, turned: a row for each of the other columns. */
static const pt_plan *turned(pt__analyzer *a, const transposition *t, const pt_value *cells, size_t row_count)
{
    size_t height = t->count;
    size_t width = row_count + 1;
    const pt_expr **made = pt__arena_array(a->arena, const pt_expr *, height *width + 1);
    pt_column *columns = pt__arena_array(a->arena, pt_column, width);
    columns[0] = pt__new_column(a, "key", PT_T(STRING), false);
    for (size_t r = 0; r < row_count; r++)
        columns[r + 1] =
            pt__new_column(a, pt__literal_name(a, PT_T(STRING), &cells[r * (height + 1)]), t->common, true);
    for (size_t i = 0; i < height; i++) {
        made[i * width] = pt__expr_string(a->arena, pt__expr_as_column(t->others[i])->name);
        for (size_t r = 0; r < row_count; r++)
            made[i * width + r + 1] = pt__expr_literal(a->arena, t->common, cells[r * (height + 1) + i + 1]);
    }
    pt_plan_values *values = pt__plan_make(a->arena, VALUES, values, t->node->base.origin);
    pt__inherit(&values->base, &t->node->base);
    values->cells = made;
    values->row_count = height;
    values->width = width;
    values->base.columns = columns;
    values->base.column_count = width;
    return &values->base;
}

/* The values of the index column become names of columns: the rows are read now. */
PT_ANALYZE_KIND(transpose)
{
    enum { MOST_ROWS = 500 }; /* spark.sql.transposeMaxValues */
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__scope scope = pt__scope_of(a, &input, 1);
    transposition t = {.node = node};
    if (node->index_count != 0)
        PT_TRY(pt__analyze_expr(a, &scope, node->index_columns[0], &t.index, err));
    else
        t.index = pt__column_ref(a, &input->columns[0]);
    t.others = other_columns(a, input, &t.index, 1, &t.count);
    PT_TRY(find_common(a, &t, err));
    const pt_plan *rows;
    PT_TRY(rows_by_index(a, &t, input, &rows, err));
    const pt_value *cells;
    size_t row_count;
    PT_TRY(a->catalog->vtable->collect(a->catalog, a->arena, rows, &cells, &row_count, err));
    if (row_count > MOST_ROWS)
        return pt__analyzer_fail(pt__raise(err, PT_COND_TRANSPOSE_EXCEED_ROW_LIMIT, "maxValues", "500", "config",
                                           "spark.sql.transposeMaxValues", NULL),
                                 node->base.origin, err);
    *out = turned(a, &t, cells, row_count);
    return PT_OK;
}

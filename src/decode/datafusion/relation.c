/* Relations but for scans, joins, groups and unnest. */
#include "decode/datafusion/internal.h"

#include <string.h>

#define PLAN(name) DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_##name

typedef pt__df_relation relation;

/* ---- builders ---- */

static bool is_taken(const pt__df_column *columns, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].id == id)
            return true;
    return false;
}

pt_status pt__df_project(pt__df *d, const pt_plan *input, pt__df_column *columns, const pt_expr *const *exprs,
                         size_t count, relation *out)
{
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++) {
        items[i] = exprs[i];
        if (exprs[i]->kind == PT_EXPR_ATTRIBUTE) /* keeps its name, unless it stands here twice */
            columns[i].id = pt__expr_as_attribute(exprs[i])->name.parts[0];
        if (exprs[i]->kind == PT_EXPR_ATTRIBUTE && !is_taken(columns, i, columns[i].id))
            continue;
        columns[i].id = pt__df_new_id(d);
        items[i] = pt__expr_alias(d->arena, exprs[i], columns[i].id);
    }
    pt_plan_project *made = pt__plan_make(d->arena, PROJECT, project, NULL);
    made->input = input;
    made->expressions = items;
    made->expression_count = count;
    if (count == 0) { /* rows without columns are rows of one that nobody asks for */
        items[0] = pt__expr_alias(d->arena, pt__expr_int(d->arena, 1), pt__df_new_id(d));
        made->expression_count = 1;
    }
    *out = (relation){&made->base, columns, count};
    return PT_OK;
}

pt_status pt__df_filter(pt__df *d, const pt_expr *condition, relation *r)
{
    pt_plan_filter *made = pt__plan_make(d->arena, FILTER, filter, NULL);
    made->input = r->plan;
    made->condition = condition;
    r->plan = &made->base;
    return PT_OK;
}

static pt_status input_of(pt__df *d, const Datafusion__LogicalPlanNode *node, const char *field, relation *out)
{
    if (node == NULL)
        return pt__df_bad(d, "%s is missing", field);
    return pt__df_relation_of(d, node, out);
}

/* Rows of expressions over `in`, named as DataFusion names them. */
static pt_status project_exprs(pt__df *d, const relation *in, Datafusion__LogicalExprNode *const *exprs, size_t count,
                               relation *out)
{
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, count);
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, count);
    for (size_t i = 0; i < count; i++) {
        pt__df_value value;
        const pt__df_column *passed;
        PT_TRY(pt__df_expr(d, in, exprs[i], &value));
        items[i] = value.expr;
        columns[i].type = value.type;
        columns[i].name = pt__df_expr_name(d, exprs[i], &columns[i].qualifier);
        if (exprs[i]->expr_type_case != DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_COLUMN)
            continue;
        PT_TRY(pt__df_find_column(d, in, exprs[i]->column, &passed));
        columns[i].qualifier = passed->qualifier;
    }
    return pt__df_project(d, in->plan, columns, items, count, out);
}

static bool has_name_before(const pt__df_column *columns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0)
            return true;
    return false;
}

/* Under another table's name; columns of one name are told apart by ":1", ":2" … */
static void requalify(pt__df *d, const char *alias, relation *r)
{
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, r->count);
    for (size_t i = 0; i < r->count; i++) {
        columns[i] = r->columns[i];
        columns[i].qualifier = alias;
        for (int n = 1; has_name_before(columns, i, columns[i].name); n++)
            columns[i].name = pt__arena_printf(d->arena, "%s:%d", r->columns[i].name, n);
    }
    r->columns = columns;
}

/* ---- one input ---- */

static pt_status projection(pt__df *d, const Datafusion__ProjectionNode *m, relation *out)
{
    relation in;
    PT_TRY(input_of(d, m->input, "ProjectionNode.input", &in));
    PT_TRY(project_exprs(d, &in, m->expr, m->n_expr, out));
    if (m->optional_alias_case != 0)
        requalify(d, m->alias, out);
    return PT_OK;
}

static pt_status selection(pt__df *d, const Datafusion__SelectionNode *m, relation *out)
{
    const pt_expr *condition;
    PT_TRY(input_of(d, m->input, "SelectionNode.input", out));
    PT_TRY(pt__df_condition(d, out, m->expr, &condition));
    if (condition == NULL)
        return pt__df_bad(d, "SelectionNode.expr is missing");
    return pt__df_filter(d, condition, out);
}

static pt_status row_count(pt__df *d, const char *field, int64_t count, const pt_expr **out)
{
    *out = NULL;
    if (count > INT32_MAX)
        return pt__df_refuse(d, "%s above 2147483647", field);
    *out = pt__expr_int(d->arena, (int32_t)count);
    return PT_OK;
}

static pt_status add_limit(pt__df *d, const char *fetch_field, int64_t skip, int64_t fetch, relation *r)
{
    if (skip <= 0 && fetch < 0)
        return PT_OK;
    pt_plan_limit *made = pt__plan_make(d->arena, LIMIT, limit, NULL);
    made->input = r->plan;
    if (fetch >= 0)
        PT_TRY(row_count(d, fetch_field, fetch, &made->limit));
    if (skip > 0)
        PT_TRY(row_count(d, "LimitNode.skip", skip, &made->offset));
    r->plan = &made->base;
    return PT_OK;
}

static pt_status limit(pt__df *d, const Datafusion__LimitNode *m, relation *out)
{
    PT_TRY(input_of(d, m->input, "LimitNode.input", out));
    return add_limit(d, "LimitNode.fetch", m->skip, m->fetch, out);
}

static pt_status sort(pt__df *d, const Datafusion__SortNode *m, relation *out)
{
    PT_TRY(input_of(d, m->input, "SortNode.input", out));
    pt_plan_sort *made = pt__plan_make(d->arena, SORT, sort, NULL);
    if (m->n_expr != 0) {
        PT_TRY(pt__df_sorts(d, out, m->expr, m->n_expr, &made->orders, NULL));
        made->input = out->plan;
        made->order_count = m->n_expr;
        made->is_global = true;
        out->plan = &made->base;
    }
    return add_limit(d, "SortNode.fetch", 0, m->fetch, out);
}

static pt_status repartition(pt__df *d, const Datafusion__RepartitionNode *m, relation *out)
{
    return input_of(d, m->input, "RepartitionNode.input", out); /* where rows are does not change them */
}

static pt_status subquery_alias(pt__df *d, const Datafusion__SubqueryAliasNode *m, relation *out)
{
    const char *alias = pt__df_table_name(d, m->alias);
    if (alias == NULL)
        return pt__df_bad(d, "SubqueryAliasNode.alias is missing");
    PT_TRY(input_of(d, m->input, "SubqueryAliasNode.input", out));
    requalify(d, alias, out);
    return PT_OK;
}

static pt_status distinct(pt__df *d, const Datafusion__DistinctNode *m, relation *out)
{
    PT_TRY(input_of(d, m->input, "DistinctNode.input", out));
    pt_plan_deduplicate *made = pt__plan_make(d->arena, DEDUPLICATE, deduplicate, NULL);
    made->input = out->plan;
    out->plan = &made->base;
    return PT_OK;
}

/* All of the input's columns, with room for more. */
static const pt_expr **all_columns(pt__df *d, const relation *in, size_t more, pt__df_column **columns)
{
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, in->count + more);
    *columns = pt__arena_array(d->arena, pt__df_column, in->count + more);
    for (size_t i = 0; i < in->count; i++) {
        (*columns)[i] = in->columns[i];
        items[i] = pt__df_attribute(d, in->columns[i].id);
    }
    return items;
}

static pt_status window(pt__df *d, const Datafusion__WindowNode *m, relation *out)
{
    relation in;
    pt__df_column *columns;
    PT_TRY(input_of(d, m->input, "WindowNode.input", &in));
    const pt_expr **items = all_columns(d, &in, m->n_window_expr, &columns);
    for (size_t i = 0; i < m->n_window_expr; i++) {
        pt__df_value value;
        PT_TRY(pt__df_expr(d, &in, m->window_expr[i], &value));
        items[in.count + i] = value.expr;
        columns[in.count + i].type = value.type;
        columns[in.count + i].name = pt__df_expr_name(d, m->window_expr[i], &columns[in.count + i].qualifier);
    }
    return pt__df_project(d, in.plan, columns, items, in.count + m->n_window_expr, out);
}

/* DISTINCT ON: the first row of each group. */
static pt_status number_rows(pt__df *d, const relation *in, const Datafusion__DistinctOnNode *m, const pt_expr **out)
{
    pt__df_value *keys;
    const pt_expr *const *orders;
    pt_expr_window *made = pt__expr_make(d->arena, WINDOW, window, NULL);
    const pt_expr **partition = pt__arena_array(d->arena, const pt_expr *, m->n_on_expr);
    PT_TRY(pt__df_exprs(d, in, m->on_expr, m->n_on_expr, &keys));
    PT_TRY(pt__df_sorts(d, in, m->sort_expr, m->n_sort_expr, &orders, NULL));
    for (size_t i = 0; i < m->n_on_expr; i++)
        partition[i] = keys[i].expr;
    made->function = pt__expr_call(d->arena, NULL, "row_number", 0);
    made->partition = partition;
    made->partition_count = m->n_on_expr;
    made->order = orders;
    made->order_count = m->n_sort_expr;
    if (m->n_sort_expr == 0) {
        pt_expr_sort_order *order = pt__expr_make(d->arena, SORT_ORDER, sort_order, NULL);
        const pt_expr **any = pt__arena_array(d->arena, const pt_expr *, 1);
        order->child = pt__expr_int(d->arena, 1);
        any[0] = &order->base;
        made->order = any;
        made->order_count = 1;
    }
    *out = &made->base;
    return PT_OK;
}

static pt_status distinct_on(pt__df *d, const Datafusion__DistinctOnNode *m, relation *out)
{
    relation in;
    relation numbered;
    pt__df_column *columns;
    PT_TRY(input_of(d, m->input, "DistinctOnNode.input", &in));
    const pt_expr **items = all_columns(d, &in, 1, &columns);
    PT_TRY(number_rows(d, &in, m, &items[in.count]));
    columns[in.count] = (pt__df_column){.name = "", .type = PT_DF(INT32)};
    PT_TRY(pt__df_project(d, in.plan, columns, items, in.count + 1, &numbered));
    const pt_expr *number = pt__df_attribute(d, numbered.columns[in.count].id);
    PT_TRY(pt__df_filter(d, pt__expr_call(d->arena, NULL, "=", 2, number, pt__expr_int(d->arena, 1)), &numbered));
    numbered.count--;
    return project_exprs(d, &numbered, m->select_expr, m->n_select_expr, out);
}

/* ---- several inputs, or none ---- */

static pt_status cast_columns(pt__df *d, const pt__df_type *const *types, relation *r)
{
    bool all_same = true;
    pt__df_column *columns;
    const pt_expr **items = all_columns(d, r, 0, &columns);
    for (size_t i = 0; i < r->count; i++) {
        pt__df_value value = {items[i], columns[i].type};
        PT_TRY(pt__df_cast_to(d, value, types[i], false, &value));
        all_same = all_same && value.expr == items[i];
        items[i] = value.expr;
        columns[i].type = value.type;
    }
    return all_same ? PT_OK : pt__df_project(d, r->plan, columns, items, r->count, r);
}

/* The common type of column `at`, with as many digits as the widest input has. */
static pt_status union_type(pt__df *d, const relation *inputs, size_t count, size_t at, const pt__df_type **out)
{
    pt__df_value *values = pt__arena_array(d->arena, pt__df_value, count);
    for (size_t i = 0; i < count; i++)
        values[i] = (pt__df_value){pt__df_attribute(d, inputs[i].columns[at].id), inputs[i].columns[at].type};
    PT_TRY(pt__df_unify(d, values, count, "UNION"));
    *out = values[0].type;
    return PT_OK;
}

static const pt_plan *union_all(pt__df *d, const relation *inputs, size_t count)
{
    if (count == 1)
        return inputs[0].plan;
    pt_plan_set_operation *made = pt__plan_make(d->arena, SET_OPERATION, set_operation, NULL);
    made->set_kind = PT_SET_UNION;
    made->is_all = true;
    made->left = union_all(d, inputs, count / 2);
    made->right = union_all(d, inputs + count / 2, count - count / 2);
    return &made->base;
}

/* Names are those of the first input, without its tables; a name that is there again gets a number. */
static pt__df_column *union_columns(pt__df *d, const relation *first, const pt__df_type *const *types)
{
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, first->count);
    for (size_t i = 0; i < first->count; i++) {
        int before = 0;
        for (size_t k = 0; k < i; k++)
            before += strcmp(first->columns[k].name, first->columns[i].name) == 0;
        columns[i] = (pt__df_column){NULL, first->columns[i].name, first->columns[i].id, types[i]};
        if (before != 0)
            columns[i].name = pt__arena_printf(d->arena, "%s_%d", columns[i].name, before);
    }
    return columns;
}

static pt_status union_of(pt__df *d, const Datafusion__UnionNode *m, relation *out)
{
    relation *inputs = pt__arena_array(d->arena, relation, m->n_inputs);
    if (m->n_inputs == 0)
        return pt__df_bad(d, "UnionNode.inputs is empty");
    for (size_t i = 0; i < m->n_inputs; i++) {
        PT_TRY(pt__df_relation_of(d, m->inputs[i], &inputs[i]));
        if (inputs[i].count != inputs[0].count)
            return pt__df_bad(d, "UnionNode.inputs have %zu and %zu columns", inputs[0].count, inputs[i].count);
    }
    const pt__df_type **types = pt__arena_array(d->arena, const pt__df_type *, inputs[0].count);
    for (size_t at = 0; at < inputs[0].count; at++)
        PT_TRY(union_type(d, inputs, m->n_inputs, at, &types[at]));
    for (size_t i = 0; i < m->n_inputs; i++)
        PT_TRY(cast_columns(d, types, &inputs[i]));
    *out = (relation){union_all(d, inputs, m->n_inputs), union_columns(d, &inputs[0], types), inputs[0].count};
    return PT_OK;
}

static pt_status empty_relation(pt__df *d, const Datafusion__EmptyRelationNode *m, relation *out)
{
    PT_TRY(pt__df_project(d, NULL, NULL, NULL, 0, out));
    return m->produce_one_row ? PT_OK : pt__df_filter(d, pt__expr_boolean(d->arena, false), out);
}

static pt_status values(pt__df *d, const Datafusion__ValuesNode *m, relation *out)
{
    relation nothing = {0};
    size_t width = (size_t)m->n_cols;
    size_t count = m->n_values_list;
    if (width == 0 || width > count || count % width != 0)
        return pt__df_bad(d, "ValuesNode: %zu values are no rows of %zu columns", count, width);
    pt__df_value *cells;
    const pt_expr **exprs = pt__arena_array(d->arena, const pt_expr *, count);
    pt__df_value *column = pt__arena_array(d->arena, pt__df_value, count / width);
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, width);
    const char **names = pt__arena_array(d->arena, const char *, width);
    PT_TRY(pt__df_exprs(d, &nothing, m->values_list, count, &cells));
    for (size_t i = 0; i < width; i++) {
        for (size_t row = 0; row < count / width; row++)
            column[row] = cells[row * width + i];
        PT_TRY(pt__df_unify(d, column, count / width, "VALUES"));
        for (size_t row = 0; row < count / width; row++)
            exprs[row * width + i] = column[row].expr;
        names[i] = pt__df_new_id(d);
        columns[i] = (pt__df_column){NULL, pt__arena_printf(d->arena, "column%zu", i + 1), names[i], column[0].type};
    }
    pt_plan_values *made = pt__plan_make(d->arena, VALUES, values, NULL);
    made->cells = exprs;
    made->row_count = count / width;
    made->width = width;
    pt_plan_to_df *named = pt__plan_make(d->arena, TO_DF, to_df, NULL);
    named->input = &made->base;
    named->names = names;
    named->name_count = width;
    *out = (relation){&named->base, columns, width};
    return PT_OK;
}

/* ---- dispatch ---- */

static pt_status decode(pt__df *d, const Datafusion__LogicalPlanNode *n, relation *out)
{
    switch ((int)n->logical_plan_type_case) {
    case PLAN(LISTING_SCAN): return pt__df_listing_scan(d, n->listing_scan, out);
    case PLAN(PROJECTION): return projection(d, n->projection, out);
    case PLAN(SELECTION): return selection(d, n->selection, out);
    case PLAN(LIMIT): return limit(d, n->limit, out);
    case PLAN(AGGREGATE): return pt__df_grouping(d, n->aggregate, out);
    case PLAN(JOIN): return pt__df_join(d, n->join, out);
    case PLAN(SORT): return sort(d, n->sort, out);
    case PLAN(REPARTITION): return repartition(d, n->repartition, out);
    case PLAN(EMPTY_RELATION): return empty_relation(d, n->empty_relation, out);
    case PLAN(WINDOW): return window(d, n->window, out);
    case PLAN(CROSS_JOIN): return pt__df_cross_join(d, n->cross_join, out);
    case PLAN(VALUES): return values(d, n->values, out);
    case PLAN(EXTENSION): return pt__df_extension(d, n->extension, out);
    case PLAN(UNION_ALL): return union_of(d, n->union_all, out);
    case PLAN(SUBQUERY_ALIAS): return subquery_alias(d, n->subquery_alias, out);
    case PLAN(DISTINCT): return distinct(d, n->distinct, out);
    case PLAN(VIEW_SCAN): return pt__df_view_scan(d, n->view_scan, out);
    case PLAN(CUSTOM_SCAN): return pt__df_custom_scan(d, n->custom_scan, out);
    case PLAN(DISTINCT_ON): return distinct_on(d, n->distinct_on, out);
    case PLAN(UNNEST): return pt__df_unnest(d, n->unnest, out);
    case PLAN(EMPTY_TABLE_SCAN): return pt__df_empty_scan(d, n->empty_table_scan, out);
    case PLAN(_NOT_SET): return pt__df_not_set(d, &n->base);
    default: return pt__df_refuse_member(d, &n->base, n->logical_plan_type_case);
    }
}

pt_status pt__df_relation_of(pt__df *d, const Datafusion__LogicalPlanNode *node, relation *out)
{
    if (node == NULL)
        return pt__df_bad(d, "LogicalPlanNode is missing");
    PT_TRY(pt__df_enter(d));
    pt_status status = decode(d, node, out);
    d->depth--;
    return status;
}

const pt_plan *pt__df_named(pt__df *d, const relation *r)
{
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, r->count);
    for (size_t i = 0; i < r->count; i++) {
        const pt__df_type *type = r->columns[i].type;
        items[i] = pt__df_attribute(d, r->columns[i].id);
        if (type->kind == PT_DF_DECIMAL && type->held != type->precision)
            items[i] = pt__df_cast_expr(d, items[i], pt__df_plan_type(d->arena, type));
        items[i] = pt__expr_alias(d->arena, items[i], r->columns[i].name);
    }
    pt_plan_project *made = pt__plan_make(d->arena, PROJECT, project, NULL);
    made->input = r->plan;
    made->expressions = items;
    made->expression_count = r->count;
    return &made->base;
}

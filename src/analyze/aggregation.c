#include "analyze/aggregate.h"

#include <string.h>
#include <strings.h>

static const pt_column *group_columns(pt__analyzer *a, const pt_plan *input, const pt_expr *const *grouping,
                                      size_t count, bool with_sets)
{
    pt_column *columns = pt__arena_array(a->arena, pt_column, count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt_plan *projected = pt__project(a, input, &grouping[i], 1, NULL);
        columns[i] = projected->columns[0];
        if (!with_sets)
            continue;
        columns[i].id = a->next_id++; /* NULL where the column is not grouped by */
        columns[i].nullable = true;
    }
    return columns;
}

void pt__aggregation_init(pt__aggregation *g, pt__analyzer *a, const pt_plan *input, const pt_expr *const *grouping,
                          size_t grouping_count, const pt_grouping_set *sets, size_t set_count)
{
    *g = (pt__aggregation){.a = a,
                           .input = input,
                           .grouping = grouping,
                           .grouping_count = grouping_count,
                           .sets = sets,
                           .set_count = set_count};
    const pt_expr **plain = pt__arena_array(a->arena, const pt_expr *, grouping_count + 1);
    for (size_t i = 0; i < grouping_count; i++)
        plain[i] = pt__strip_alias(grouping[i]);
    g->grouping = plain;
    g->grouping_columns = group_columns(a, input, plain, grouping_count, set_count != 0);
}

void pt__aggregation_resume(pt__aggregation *g, pt__analyzer *a, const pt_plan_aggregate *node)
{
    *g = (pt__aggregation){.a = a,
                           .input = node->input,
                           .grouping = node->grouping,
                           .grouping_count = node->grouping_count,
                           .sets = node->sets,
                           .set_count = node->set_count};
    g->grouping_columns = node->base.columns;
    for (size_t i = 0; i < node->aggregate_count; i++) {
        pt__list_push(a->arena, &g->aggregates, node->aggregates[i]);
        pt__list_push(a->arena, &g->aggregate_columns, node->base.columns[node->grouping_count + i]);
    }
    if (node->has_grouping_id)
        g->grouping_id = node->base.columns[node->base.column_count - 1];
}

/* ---- grouping() and grouping_id() ---- */

static const pt_expr *grouping_id_ref(pt__aggregation *g)
{
    if (g->grouping_id.id == 0)
        g->grouping_id = pt__new_column(g->a, "grouping_id", PT_T(LONG), false);
    return pt__column_ref(g->a, &g->grouping_id);
}

static int grouping_position(const pt__aggregation *g, const pt_expr *expr)
{
    for (size_t i = 0; i < g->grouping_count; i++) {
        if (pt__expr_equal(g->grouping[i], expr))
            return (int)i;
    }
    return -1;
}

static const pt_expr *fail_rewrite(pt__aggregation *g, pt_status status)
{
    if (g->status == PT_OK)
        g->status = status;
    return pt__expr_null(g->a->arena, PT_T(VOID));
}

static const pt_expr *call_or_fail(pt__aggregation *g, const char *name, const pt_expr *x, const pt_expr *y)
{
    const pt_expr **arguments = pt__arena_array(g->a->arena, const pt_expr *, 2);
    arguments[0] = x;
    arguments[1] = y;
    const pt_expr *made = NULL;
    pt_status status = pt__call(g->a, name, arguments, 2, &made, g->err);
    return status == PT_OK ? made : fail_rewrite(g, status);
}

/* The bit of a grouping column in the grouping id: the first column has the highest. */
static const pt_expr *grouping_bit(pt__aggregation *g, size_t position)
{
    pt__arena *arena = g->a->arena;
    int64_t weight = (int64_t)1 << (g->grouping_count - 1 - position);
    const pt_expr *shifted = call_or_fail(g, "div", grouping_id_ref(g), pt__expr_long(arena, weight));
    return call_or_fail(g, "%", shifted, pt__expr_long(arena, 2));
}

static const pt_expr *rewrite_grouping(pt__aggregation *g, const pt_expr_call *call)
{
    bool is_id = strcasecmp(call->name.parts[0], "grouping_id") == 0;
    if (g->set_count == 0)
        return fail_rewrite(g, pt__analyzer_fail(pt__raise(g->err, PT_COND_UNSUPPORTED_GROUPING_EXPRESSION, NULL),
                                                 call->base.origin, g->err));
    if (is_id && call->argument_count == 0)
        return grouping_id_ref(g);
    const pt_expr *sum = NULL;
    for (size_t i = 0; i < call->argument_count; i++) {
        int position = grouping_position(g, call->arguments[i]);
        if (position < 0)
            return fail_rewrite(g, pt__analyzer_fail(pt__raise(g->err, PT_COND_GROUPING_COLUMN_MISMATCH, "grouping",
                                                               pt__quote_expr(g->a->arena, call->arguments[i]),
                                                               "groupingColumns", "", NULL),
                                                     call->base.origin, g->err));
        const pt_expr *bit = grouping_bit(g, (size_t)position);
        sum = sum == NULL ? bit : call_or_fail(g, "+", call_or_fail(g, "*", sum, pt__expr_long(g->a->arena, 2)), bit);
    }
    return pt__make_cast(g->a, sum, call->base.type, PT_CAST_ANSI, true);
}

/* ---- rewriting ---- */

static bool is_grouping_function(const pt_expr_call *call)
{
    return strcasecmp(call->name.parts[0], "grouping") == 0 || strcasecmp(call->name.parts[0], "grouping_id") == 0;
}

static const pt_expr *aggregate_ref(pt__aggregation *g, const pt_expr *call)
{
    for (size_t i = 0; i < g->aggregates.count; i++) {
        if (pt__expr_equal(g->aggregates.items[i], call))
            return pt__column_ref(g->a, &g->aggregate_columns.items[i]);
    }
    pt_column column = pt__new_column(g->a, "aggregate", call->type, call->nullable);
    pt__list_push(g->a->arena, &g->aggregates, call);
    pt__list_push(g->a->arena, &g->aggregate_columns, column);
    return pt__column_ref(g->a, &column);
}

static bool has_nested_aggregate(const pt_expr_call *call)
{
    for (size_t i = 0; i < call->argument_count; i++) {
        if (pt__contains_aggregate(call->arguments[i]))
            return true;
    }
    return false;
}

static const pt_expr *rewrite(void *context, const pt_expr *expr);

/* The window's own function runs over groups; what it takes in is rewritten. */
static const pt_expr *rewrite_window(pt__aggregation *g, const pt_expr_window *window)
{
    pt_expr_window *copy = (pt_expr_window *)pt__expr_make(g->a->arena, WINDOW, window, window->base.origin);
    *copy = *window;
    copy->function = pt__expr_map_children(g->a->arena, window->function, rewrite, g);
    const pt_expr **partition = pt__arena_array(g->a->arena, const pt_expr *, window->partition_count + 1);
    const pt_expr **order = pt__arena_array(g->a->arena, const pt_expr *, window->order_count + 1);
    for (size_t i = 0; i < window->partition_count; i++)
        partition[i] = rewrite(g, window->partition[i]);
    for (size_t i = 0; i < window->order_count; i++)
        order[i] = rewrite(g, window->order[i]);
    copy->partition = partition;
    copy->order = order;
    return &copy->base;
}

static const pt_expr *group_ref(pt__aggregation *g, size_t position, const pt_expr *expr)
{
    pt_expr_column *ref = (pt_expr_column *)pt__column_ref(g->a, &g->grouping_columns[position]);
    ref->base.origin = expr->origin;
    if (expr->kind == PT_EXPR_COLUMN)
        ref->name = pt__expr_as_column(expr)->name;
    return &ref->base;
}

static bool is_own_column(const pt__aggregation *g, uint32_t id)
{
    for (size_t i = 0; i < g->aggregate_columns.count; i++) {
        if (g->aggregate_columns.items[i].id == id)
            return true;
    }
    for (size_t i = 0; i < g->grouping_count; i++) {
        if (g->grouping_columns[i].id == id)
            return true;
    }
    return g->grouping_id.id != 0 && g->grouping_id.id == id;
}

static const pt_expr *rewrite(void *context, const pt_expr *expr)
{
    pt__aggregation *g = context;
    if (g->status != PT_OK)
        return expr;
    int position = grouping_position(g, expr);
    if (position >= 0)
        return group_ref(g, (size_t)position, expr);
    if (pt__is_aggregate_call(expr)) {
        const pt_expr_call *call = pt__expr_as_call(expr);
        if (is_grouping_function(call))
            return rewrite_grouping(g, call);
        if (has_nested_aggregate(call))
            return fail_rewrite(
                g, pt__analyzer_fail(pt__raise(g->err, PT_COND_NESTED_AGGREGATE_FUNCTION, NULL), expr->origin, g->err));
        return aggregate_ref(g, expr);
    }
    if (expr->kind == PT_EXPR_WINDOW)
        return rewrite_window(g, pt__expr_as_window(expr));
    if (expr->kind == PT_EXPR_COLUMN) {
        const pt_expr_column *column = pt__expr_as_column(expr);
        if (!column->is_outer && !is_own_column(g, column->id) && g->outside == NULL)
            g->outside = expr;
        return expr;
    }
    return pt__expr_map_children(g->a->arena, expr, rewrite, g);
}

static pt_status fail_outside(pt__aggregation *g, pt_error *err)
{
    const char *name = pt__quote_expr(g->a->arena, g->outside);
    pt_status status =
        g->grouping_count == 0 && g->set_count == 0
            ? pt__raise(err, PT_COND_MISSING_GROUP_BY, NULL)
            : pt__raise(err, PT_COND_MISSING_AGGREGATION, "expression", name, "expressionAnyValue",
                        pt__arena_printf(g->a->arena, "\"any_value(%s)\"", pt__pretty_name(g->a->arena, g->outside)),
                        NULL);
    return pt__analyzer_fail(status, g->outside->origin, err);
}

pt_status pt__aggregation_rewrite(pt__aggregation *g, const pt_expr *expr, const pt_expr **out, pt_error *err)
{
    g->status = PT_OK;
    g->err = err;
    g->outside = NULL;
    *out = rewrite(g, expr);
    PT_TRY(g->status);
    return g->outside == NULL ? PT_OK : fail_outside(g, err);
}

static bool has_subquery_argument(const pt_expr *aggregate)
{
    const pt_expr_call *call = pt__expr_as_call(aggregate);
    for (size_t i = 0; i < call->argument_count; i++) {
        if (call->arguments[i]->kind != PT_EXPR_LAMBDA && pt__contains_subquery(call->arguments[i]))
            return true;
    }
    return false;
}

/* Engines look at an argument more than once, which a subquery need not survive: it is computed below the aggregate. */
static void project_subqueries(pt__aggregation *g)
{
    pt__analyzer *a = g->a;
    for (size_t i = 0; i < g->aggregates.count; i++) {
        if (!has_subquery_argument(g->aggregates.items[i]))
            continue;
        pt_expr_call *call = (pt_expr_call *)pt__expr_make(a->arena, CALL, call, NULL);
        *call = *pt__expr_as_call(g->aggregates.items[i]);
        const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, call->argument_count);
        for (size_t k = 0; k < call->argument_count; k++) {
            arguments[k] = call->arguments[k];
            if (arguments[k]->kind == PT_EXPR_LAMBDA || !pt__contains_subquery(arguments[k]))
                continue;
            size_t count = g->input == NULL ? 0 : g->input->column_count;
            const pt_expr **items = pt__arena_array(a->arena, const pt_expr *, count + 1);
            for (size_t c = 0; c < count; c++)
                items[c] = pt__column_ref(a, &g->input->columns[c]);
            items[count] = arguments[k];
            g->input = pt__project(a, g->input, items, count + 1, NULL);
            arguments[k] = pt__column_ref(a, &g->input->columns[count]);
        }
        call->arguments = arguments;
        g->aggregates.items[i] = &call->base;
    }
}

const pt_plan *pt__aggregation_finish(pt__aggregation *g)
{
    pt__arena *arena = g->a->arena;
    project_subqueries(g);
    pt_plan_aggregate *node = pt__plan_make(arena, AGGREGATE, aggregate, NULL);
    node->input = g->input;
    node->group_kind = g->set_count != 0 ? PT_GROUP_SETS : PT_GROUP_BY;
    node->grouping = g->grouping;
    node->grouping_count = g->grouping_count;
    node->sets = g->sets;
    node->set_count = g->set_count;
    node->aggregates = g->aggregates.items;
    node->aggregate_count = g->aggregates.count;
    node->has_grouping_id = g->grouping_id.id != 0;
    size_t count = g->grouping_count + g->aggregates.count;
    pt_column *columns = pt__arena_array(arena, pt_column, count + 1);
    if (g->grouping_count != 0)
        memcpy(columns, g->grouping_columns, g->grouping_count * sizeof(*columns));
    if (g->aggregates.count != 0)
        memcpy(columns + g->grouping_count, g->aggregate_columns.items, g->aggregates.count * sizeof(*columns));
    if (node->has_grouping_id)
        columns[count++] = g->grouping_id;
    node->base.columns = columns;
    node->base.column_count = count;
    return &node->base;
}

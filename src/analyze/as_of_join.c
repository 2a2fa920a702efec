/*
 * As-of joins: for each row on the left the one row on the right that is closest in time, as a lateral join with the
 * sorted right side cut to one row.
 */
#include "analyze/analyzer.h"
#include "plan/walk.h"

#include <string.h>

static pt_status call_two(pt__analyzer *a, const char *name, const pt_expr *x, const pt_expr *y, const pt_expr **out,
                          pt_error *err)
{
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 2);
    arguments[0] = x;
    arguments[1] = y;
    return pt__call(a, name, arguments, 2, out, err);
}

/* ---- columns of the left seen from within the right side ---- */

typedef struct outer_marks {
    pt__analyzer *a;
    const pt_plan *left;
} outer_marks;

static const pt_expr *mark_outer(void *context, const pt_expr *expr)
{
    const outer_marks *marks = context;
    if (expr->kind != PT_EXPR_COLUMN)
        return expr;
    for (size_t i = 0; i < marks->left->column_count; i++) {
        if (marks->left->columns[i].id != pt__expr_as_column(expr)->id)
            continue;
        pt_expr_column *outer = pt__expr_make(marks->a->arena, COLUMN, column, expr->origin);
        *outer = *pt__expr_as_column(expr);
        outer->is_outer = true;
        return &outer->base;
    }
    return expr;
}

static const pt_expr *from_left(pt__analyzer *a, const pt_plan *left, const pt_expr *expr)
{
    outer_marks marks = {a, left};
    const pt__rewriter rewriter = {.expr = mark_outer, .context = &marks};
    return pt__expr_rewrite(a->arena, expr, &rewriter);
}

/* ---- conditions ---- */

typedef struct as_of {
    pt__analyzer *a;
    const pt_plan_as_of_join *node;
    const pt_plan *left;
    const pt_plan *right;
    const pt_expr *left_as_of; /* its columns are outer ones */
    const pt_expr *right_as_of;
    const pt_expr *condition; /* so far; NULL: none */
} as_of;

static bool goes(const as_of *j, const char *direction)
{
    return strcmp(j->node->direction, direction) == 0;
}

static pt_status add(as_of *j, const pt_expr *condition, pt_error *err)
{
    if (j->condition == NULL) {
        j->condition = condition;
        return PT_OK;
    }
    return call_two(j->a, "and", j->condition, condition, &j->condition, err);
}

static pt_status add_comparison(as_of *j, const char *comparison, const pt_expr *x, const pt_expr *y, pt_error *err)
{
    const pt_expr *condition;
    PT_TRY(call_two(j->a, comparison, x, y, &condition, err));
    return add(j, condition, err);
}

static pt_status add_order(as_of *j, pt_error *err)
{
    bool exact = j->node->allow_exact_matches;
    if (goes(j, "backward"))
        return add_comparison(j, exact ? ">=" : ">", j->left_as_of, j->right_as_of, err);
    if (goes(j, "forward"))
        return add_comparison(j, exact ? "<=" : "<", j->left_as_of, j->right_as_of, err);
    return exact ? PT_OK : add_comparison(j, "!=", j->left_as_of, j->right_as_of, err);
}

static pt_status add_tolerance(as_of *j, pt_error *err)
{
    if (j->node->tolerance == NULL)
        return PT_OK;
    pt__scope scope = pt__scope_of(j->a, NULL, 0);
    const pt_expr *tolerance;
    const pt_expr *bound;
    PT_TRY(pt__analyze_expr(j->a, &scope, j->node->tolerance, &tolerance, err));
    if (!goes(j, "forward")) {
        PT_TRY(call_two(j->a, "-", j->left_as_of, tolerance, &bound, err));
        PT_TRY(add_comparison(j, ">=", j->right_as_of, bound, err));
    }
    if (goes(j, "backward"))
        return PT_OK;
    PT_TRY(call_two(j->a, "+", j->left_as_of, tolerance, &bound, err));
    return add_comparison(j, "<=", j->right_as_of, bound, err);
}

static pt_status column_named(as_of *j, const pt_plan *side, const char *name, const pt_expr **out, pt_error *err)
{
    pt_expr_attribute *attribute = (pt_expr_attribute *)pt__expr_attribute(j->a->arena, name, NULL);
    attribute->base.origin = j->node->base.origin;
    pt__scope scope = pt__scope_of(j->a, &side, 1);
    return pt__analyze_expr(j->a, &scope, &attribute->base, out, err);
}

static pt_status add_keys(as_of *j, pt_error *err)
{
    for (size_t i = 0; i < j->node->using_count; i++) {
        const pt_expr *left;
        const pt_expr *right;
        PT_TRY(column_named(j, j->left, j->node->using_columns[i], &left, err));
        PT_TRY(column_named(j, j->right, j->node->using_columns[i], &right, err));
        PT_TRY(add_comparison(j, "=", from_left(j->a, j->left, left), right, err));
    }
    if (j->node->condition == NULL)
        return PT_OK;
    const pt_plan *sides[2] = {j->left, j->right};
    pt__scope scope = pt__scope_of(j->a, sides, 2);
    const pt_expr *condition;
    PT_TRY(pt__analyze_condition(j->a, &scope, j->node->condition, "ON", &condition, err));
    return add(j, from_left(j->a, j->left, condition), err);
}

/* ---- the closest row ---- */

/* |left - right|, for times as well as for numbers. */
static pt_status distance(as_of *j, const pt_expr **out, pt_error *err)
{
    const pt_expr **parts = pt__arena_array(j->a->arena, const pt_expr *, 3);
    PT_TRY(call_two(j->a, ">", j->left_as_of, j->right_as_of, &parts[0], err));
    PT_TRY(call_two(j->a, "-", j->left_as_of, j->right_as_of, &parts[1], err));
    PT_TRY(call_two(j->a, "-", j->right_as_of, j->left_as_of, &parts[2], err));
    return pt__call(j->a, "when", parts, 3, out, err);
}

static pt_status closest(as_of *j, const pt_plan *input, const pt_plan **out, pt_error *err)
{
    pt_expr_sort_order *order = pt__expr_make(j->a->arena, SORT_ORDER, sort_order, NULL);
    order->is_descending = goes(j, "backward");
    order->child = j->right_as_of;
    if (goes(j, "nearest"))
        PT_TRY(distance(j, &order->child, err));
    order->base.type = order->child->type;
    order->base.nullable = order->child->nullable;
    pt_plan_sort *sort = pt__plan_make(j->a->arena, SORT, sort, NULL);
    const pt_expr **orders = pt__arena_array(j->a->arena, const pt_expr *, 1);
    orders[0] = &order->base;
    sort->input = input;
    sort->orders = orders;
    sort->order_count = 1;
    sort->is_global = true;
    pt__pass_columns(&sort->base, input);
    pt_plan_limit *limit = pt__plan_make(j->a->arena, LIMIT, limit, NULL);
    limit->input = &sort->base;
    limit->limit = pt__expr_int(j->a->arena, 1);
    pt__pass_columns(&limit->base, input);
    *out = &limit->base;
    return PT_OK;
}

PT_ANALYZE_KIND(as_of_join)
{
    as_of j = {.a = a, .node = node};
    PT_TRY(pt__analyze_plan(a, node->left, &j.left, err));
    PT_TRY(pt__analyze_plan(a, node->right, &j.right, err));
    pt__scope left_scope = pt__scope_of(a, &j.left, 1);
    pt__scope right_scope = pt__scope_of(a, &j.right, 1);
    PT_TRY(pt__analyze_expr(a, &left_scope, node->left_as_of, &j.left_as_of, err));
    PT_TRY(pt__analyze_expr(a, &right_scope, node->right_as_of, &j.right_as_of, err));
    j.left_as_of = from_left(a, j.left, j.left_as_of);
    PT_TRY(add_keys(&j, err));
    PT_TRY(add_order(&j, err));
    PT_TRY(add_tolerance(&j, err));
    const pt_plan *candidates = j.condition == NULL ? j.right : pt__filter(a, j.right, j.condition, NULL);
    const pt_plan *closest_row;
    PT_TRY(closest(&j, candidates, &closest_row, err));
    *out = pt__lateral_join(a, node->join_kind, j.left, closest_row, &node->base);
    return PT_OK;
}

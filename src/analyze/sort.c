/* ORDER BY and SORT BY: positions, ALL, and columns that only the sort needs. */
#include "analyze/analyzer.h"

/* A whole number in ORDER BY is the position of an output column. */
static pt_status replace_ordinal(pt__analyzer *a, const pt_plan *input, const pt_expr *order, const pt_expr **out,
                                 pt_error *err)
{
    *out = order;
    const pt_expr *child = order->kind == PT_EXPR_SORT_ORDER ? pt__expr_as_sort_order(order)->child : order;
    if (child->kind != PT_EXPR_LITERAL || child->type->id != PT_TYPE_INT || pt__expr_as_literal(child)->value.is_null)
        return PT_OK;
    int64_t position = pt__expr_as_literal(child)->value.as.integer;
    size_t count;
    const pt_expr *const *refs = pt__visible_refs(a, input, &count);
    if (position < 1 || position > (int64_t)count)
        return pt__analyzer_fail(pt__raise(err, PT_COND_ORDER_BY_POS_OUT_OF_RANGE, "index",
                                           pt__arena_printf(a->arena, "%lld", (long long)position), "size",
                                           pt__arena_printf(a->arena, "%zu", count), NULL),
                                 child->origin, err);
    pt_expr_sort_order *copy = pt__expr_make(a->arena, SORT_ORDER, sort_order, order->origin);
    if (order->kind == PT_EXPR_SORT_ORDER)
        *copy = *pt__expr_as_sort_order(order);
    else
        copy->nulls_first = true;
    copy->child = refs[position - 1];
    *out = &copy->base;
    return PT_OK;
}

static const pt_expr *const *order_by_all(pt__analyzer *a, const pt_plan *input, size_t *count)
{
    const pt_expr *const *refs = pt__visible_refs(a, input, count);
    const pt_expr **orders = pt__arena_array(a->arena, const pt_expr *, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        pt_expr_sort_order *order = pt__expr_make(a->arena, SORT_ORDER, sort_order, NULL);
        order->child = refs[i];
        order->nulls_first = true;
        orders[i] = &order->base;
    }
    return orders;
}

static const pt_expr *as_sort_order(pt__analyzer *a, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_SORT_ORDER)
        return expr;
    pt_expr_sort_order *order = pt__expr_make(a->arena, SORT_ORDER, sort_order, expr->origin);
    order->child = expr;
    order->nulls_first = true;
    order->base.type = expr->type;
    order->base.nullable = expr->nullable;
    return &order->base;
}

PT_ANALYZE_KIND(sort)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    size_t count = node->order_count;
    const pt_expr **orders = pt__arena_array(a->arena, const pt_expr *, count + 1);
    const pt_expr *const *wanted = orders;
    for (size_t i = 0; i < count; i++)
        PT_TRY(replace_ordinal(a, input, node->orders[i], &orders[i], err));
    if (node->order_by_all)
        wanted = order_by_all(a, input, &count);
    const pt_plan *extended;
    const pt_expr *const *analyzed;
    PT_TRY(pt__analyze_over_select(a, input, wanted, count, &extended, &analyzed, err));
    const pt_expr **sorted = pt__arena_array(a->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        sorted[i] = as_sort_order(a, analyzed[i]);
    pt_plan_sort *sort = pt__plan_make(a->arena, SORT, sort, node->base.origin);
    pt__inherit(&sort->base, &node->base);
    sort->input = extended;
    sort->orders = sorted;
    sort->order_count = count;
    sort->is_global = node->is_global;
    pt__pass_columns(&sort->base, extended);
    *out = &sort->base;
    if (extended != input) {
        size_t kept;
        const pt_expr *const *refs = pt__visible_refs(a, input, &kept);
        *out = pt__project(a, &sort->base, refs, kept, &node->base);
    }
    return PT_OK;
}

/* What organizes the rows of a query: ORDER BY, SORT BY, DISTRIBUTE BY, CLUSTER BY, WINDOW, LIMIT, OFFSET. */
#include "decode/spark_sql/internal.h"

static pt_status parse_sort(pt__sql_parser *p, bool is_global, const pt_plan **in_out)
{
    size_t first = p->position;
    pt__sql_expr_list orders = {0};
    pt__sql_skip(p, 2);
    bool all = pt__sql_at(p, PT_KW_ALL);
    PT_TRY(pt__sql_sort_orders(p, &orders));
    pt_plan_sort *sort = pt__plan_make(p->arena, SORT, sort, pt__sql_origin(p, first));
    const pt_expr *only = pt__expr_as_sort_order(orders.items[0])->child;
    bool one_word = only->kind == PT_EXPR_ATTRIBUTE && pt__expr_as_attribute(only)->name.count == 1;
    sort->input = *in_out;
    sort->orders = orders.items;
    sort->order_count = orders.count;
    sort->is_global = is_global;
    sort->order_by_all = is_global && all && orders.count == 1 && one_word;
    *in_out = &sort->base;
    return PT_OK;
}

/* DISTRIBUTE BY and CLUSTER BY spread rows, which changes no result; CLUSTER BY also sorts each part. */
static pt_status parse_distribution(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    bool cluster = pt__sql_at(p, PT_KW_CLUSTER);
    pt__sql_expr_list keys = {0};
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expression_list(p, &keys));
    pt_plan_hint *hint = pt__plan_make(p->arena, HINT, hint, pt__sql_origin(p, first));
    hint->input = *in_out;
    hint->name = "repartition";
    hint->parameters = keys.items;
    hint->parameter_count = keys.count;
    *in_out = &hint->base;
    if (!cluster)
        return PT_OK;
    const pt_expr **orders = pt__arena_array(p->arena, const pt_expr *, keys.count);
    for (size_t i = 0; i < keys.count; i++) {
        pt_expr_sort_order *order = pt__expr_make(p->arena, SORT_ORDER, sort_order, keys.items[i]->origin);
        order->child = keys.items[i];
        order->nulls_first = true;
        order->is_plain = true;
        orders[i] = &order->base;
    }
    pt_plan_sort *sort = pt__plan_make(p->arena, SORT, sort, hint->base.origin);
    sort->input = *in_out;
    sort->orders = orders;
    sort->order_count = keys.count;
    *in_out = &sort->base;
    return PT_OK;
}

static pt_status parse_limit(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    pt_plan_limit *limit = pt__plan_make(p->arena, LIMIT, limit, NULL);
    limit->input = *in_out;
    bool some = false;
    for (int i = 0; i < 2; i++) {
        if (limit->limit == NULL && pt__sql_at(p, PT_KW_LIMIT) && pt__sql_continues_query(p)) {
            pt__sql_skip(p, 1);
            if (!pt__sql_accept(p, PT_KW_ALL)) {
                PT_TRY(pt__sql_expression(p, &limit->limit));
                some = true;
            }
        } else if (limit->offset == NULL && pt__sql_at(p, PT_KW_OFFSET) && pt__sql_continues_query(p)) {
            pt__sql_skip(p, 1);
            PT_TRY(pt__sql_expression(p, &limit->offset));
            some = true;
        }
    }
    limit->base.origin = pt__sql_origin(p, first);
    if (some)
        *in_out = &limit->base;
    return PT_OK;
}

static pt_status refuse_combination(pt__sql_parser *p, size_t first)
{
    pt_status status = pt__raise(p->err, PT_COND_UNSUPPORTED_FEATURE_COMBINATION_QUERY_RESULT_CLAUSES, NULL);
    return pt__sql_locate_error(p, first, status);
}

pt_status pt__sql_organization_since(pt__sql_parser *p, size_t mark, const pt_plan **in_out)
{
    size_t first = p->position;
    bool ordered = pt__sql_at_two(p, PT_KW_ORDER, PT_KW_BY);
    if (ordered)
        PT_TRY(parse_sort(p, true, in_out));
    bool distributed = pt__sql_at_two(p, PT_KW_DISTRIBUTE, PT_KW_BY);
    bool clustered = pt__sql_at_two(p, PT_KW_CLUSTER, PT_KW_BY);
    if (distributed || clustered)
        PT_TRY(parse_distribution(p, in_out));
    if (clustered && pt__sql_at_two(p, PT_KW_DISTRIBUTE, PT_KW_BY))
        return refuse_combination(p, first);
    bool sorted = pt__sql_at_two(p, PT_KW_SORT, PT_KW_BY);
    if (sorted)
        PT_TRY(parse_sort(p, false, in_out));
    if ((ordered && (distributed || clustered || sorted)) || (clustered && sorted))
        return refuse_combination(p, first);
    if (pt__sql_at(p, PT_KW_WINDOW) && pt__sql_starts_clause(p))
        PT_TRY(pt__sql_window_clause(p, mark));
    return parse_limit(p, in_out);
}

pt_status pt__sql_organization(pt__sql_parser *p, const pt_plan **in_out)
{
    return pt__sql_organization_since(p, p->named_windows.count, in_out);
}

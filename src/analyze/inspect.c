/* Questions about analyzed expressions: what kinds of calls are in them. */
#include "analyze/analyzer.h"

#include "plan/walk.h"

bool pt__is_aggregate_call(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
           pt__expr_as_call(expr)->function->kind == PT_FUNCTION_AGGREGATE;
}

bool pt__is_generator_call(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
           pt__expr_as_call(expr)->function->kind == PT_FUNCTION_GENERATOR;
}

const pt_expr *pt__strip_alias(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_ALIAS)
        expr = pt__expr_as_alias(expr)->child;
    return expr;
}

/* Whether no node of the tree satisfies is(node); the walk does not enter what enter(node) refuses. */
typedef struct search {
    bool (*is)(const pt_expr *expr);
    bool into_windows;
} search;

static bool search_child(void *context, const pt_expr *child)
{
    const search *s = context;
    if (s->is(child))
        return false;
    if (child->kind == PT_EXPR_WINDOW && !s->into_windows) {
        /* The function itself is the window's; aggregates among its arguments and keys count. */
        const pt_expr_window *window = pt__expr_as_window(child);
        bool none = pt__expr_each_child(window->function, search_child, context);
        for (size_t i = 0; none && i < window->partition_count; i++)
            none = search_child(context, window->partition[i]);
        for (size_t i = 0; none && i < window->order_count; i++)
            none = search_child(context, window->order[i]);
        return none;
    }
    return pt__expr_each_child(child, search_child, context);
}

static bool contains(const pt_expr *expr, bool (*is)(const pt_expr *), bool into_windows)
{
    search s = {is, into_windows};
    return !search_child(&s, expr);
}

static bool is_window(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_WINDOW;
}

static bool is_subquery(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_SUBQUERY;
}

static bool is_volatile(const pt_expr *expr)
{
    return (expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
            pt__expr_as_call(expr)->function->kind == PT_FUNCTION_VOLATILE) ||
           (expr->kind == PT_EXPR_PYTHON_UDF && !pt__expr_as_python_udf(expr)->is_deterministic);
}

bool pt__contains_aggregate(const pt_expr *expr)
{
    return contains(expr, pt__is_aggregate_call, false);
}

bool pt__contains_window(const pt_expr *expr)
{
    return contains(expr, is_window, true);
}

bool pt__contains_generator(const pt_expr *expr)
{
    return contains(expr, pt__is_generator_call, true);
}

bool pt__contains_subquery(const pt_expr *expr)
{
    return contains(expr, is_subquery, true);
}

bool pt__is_deterministic(const pt_expr *expr)
{
    return !contains(expr, is_volatile, true);
}

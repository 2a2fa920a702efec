#include "wrap/tree.h"

#include "plan/walk.h"

typedef struct walk {
    const pt__tree_visitor *visitor;
    uint32_t depth;
} walk;

static bool visit_plan(void *context, const pt_plan *plan);

static bool visit_expr(void *context, const pt_expr *expr)
{
    walk *w = context;
    if (w->visitor->expr != NULL && !w->visitor->expr(w->visitor->context, expr, w->depth + 1))
        return false;
    walk inner = {w->visitor, w->depth + 1};
    if (expr->kind == PT_EXPR_SUBQUERY && !visit_plan(&inner, pt__expr_as_subquery(expr)->plan))
        return false;
    return pt__expr_each_child(expr, visit_expr, &inner);
}

static bool visit_plan(void *context, const pt_plan *plan)
{
    walk *w = context;
    if (w->visitor->plan != NULL && !w->visitor->plan(w->visitor->context, plan, w->depth + 1))
        return false;
    walk inner = {w->visitor, w->depth + 1};
    return pt__plan_each_expr(plan, visit_expr, &inner) && pt__plan_each_child(plan, visit_plan, &inner);
}

bool pt__tree_walk(const pt_plan *plan, const pt__tree_visitor *visitor)
{
    walk w = {visitor, 0};
    return visit_plan(&w, plan);
}

bool pt__tree_walk_expr(const pt_expr *expr, const pt__tree_visitor *visitor)
{
    walk w = {visitor, 0};
    return visit_expr(&w, expr);
}

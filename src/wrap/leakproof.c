/* Engines move conditions down to the rows. Comparisons never fail; whatever is not known not to is taken to. */
#include "wrap/leakproof.h"

#include "wrap/tree.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static bool never_fails(const pt_expr_call *call)
{
    static const char *const names[] = {
        "=", "==",     "<",         ">",       "<=",       ">=",         "<=>",      "and",      "or",    "not",
        "!", "isnull", "isnotnull", "between", "coalesce", "startswith", "endswith", "contains", "upper", "lower"};
    const char *name = call->name.parts[call->name.count - 1];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_safe(void *context, const pt_expr *expr, uint32_t depth)
{
    (void)context;
    (void)depth;
    switch ((int)expr->kind) {
    case PT_EXPR_LITERAL:
    case PT_EXPR_COLUMN:
    case PT_EXPR_FIELD:
    case PT_EXPR_ALIAS:
    case PT_EXPR_IN:
    case PT_EXPR_CASE:
    case PT_EXPR_SUBQUERY: return true; /* their parts are looked at by themselves */
    case PT_EXPR_CALL: return never_fails(pt__expr_as_call(expr));
    case PT_EXPR_CAST: return pt__expr_is_constant(pt__expr_as_cast(expr)->child);
    default: return false;
    }
}

static bool is_safe_condition(const pt_expr *condition)
{
    return condition == NULL || pt__tree_walk_expr(condition, &(pt__tree_visitor){NULL, is_safe, NULL});
}

static bool has_safe_condition(void *context, const pt_plan *plan, uint32_t depth)
{
    (void)context;
    (void)depth;
    if (plan->kind == PT_PLAN_FILTER)
        return is_safe_condition(pt__plan_as_filter(plan)->condition);
    return plan->kind != PT_PLAN_JOIN || is_safe_condition(pt__plan_as_join(plan)->condition);
}

bool pt__has_leaky_condition(const pt_plan *plan)
{
    return !pt__tree_walk(plan, &(pt__tree_visitor){has_safe_condition, NULL, NULL});
}

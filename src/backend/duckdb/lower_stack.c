/*
 * Stacks of aggregates. DuckDB pushes filters down twice below each aggregate, and a scalar subquery is one as well: a
 * stack of n takes 2^n steps, during which the query cannot be interrupted. What lies below is therefore cut off from
 * time to time and becomes a materialized WITH clause of the whole statement.
 */
#include "backend/duckdb/block.h"

#include "plan/members.h"

enum {
    STACK_CUT = 8, /* aggregates between two cuts */
    STACK_MAX = 20 /* of what cannot be cut, because it refers to rows around it: about a second */
};

typedef struct stack {
    uint32_t height; /* on the way to the node at hand */
    uint32_t highest;
    bool stands_alone; /* means the same in any place of the statement */
} stack;

static void enter(stack *s)
{
    if (++s->height > s->highest)
        s->highest = s->height;
}

static bool measure_plan(void *context, const pt_plan *plan);

static bool measure_expr(void *context, const pt_expr *expr)
{
    stack *s = context;
    bool counts = expr->kind == PT_EXPR_SUBQUERY;
    if (expr->kind == PT_EXPR_COLUMN && pt__expr_as_column(expr)->is_outer)
        s->stands_alone = false;
    if (counts)
        enter(s);
    pt__visitor visitor = {measure_expr, measure_plan, context};
    pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
    s->height -= counts;
    return true;
}

static bool measure_plan(void *context, const pt_plan *plan)
{
    stack *s = context;
    bool counts = plan->kind == PT_PLAN_AGGREGATE;
    if (plan->kind == PT_PLAN_REFERENCE)
        s->stands_alone = false;
    if (counts)
        enter(s);
    pt__visitor visitor = {measure_expr, measure_plan, context};
    pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
    s->height -= counts;
    return true;
}

static stack measure(const pt_plan *plan)
{
    stack s = {.stands_alone = true};
    measure_plan(&s, plan);
    return s;
}

static pt_status too_high(const pt_origin *origin, pt_error *err)
{
    pt_error_set(err, PT_LIMIT, "aggregates and subqueries nest more than %d levels", STACK_MAX);
    pt__origin_add_context(origin, err);
    return PT_LIMIT;
}

static void cut_off(pt__lower *lower, const pt_plan *plan, pt__block *block)
{
    uint32_t alias = ++lower->next_alias;
    size_t mark = lower->text.size_bytes;
    pt__putf(lower, "h%u AS MATERIALIZED (", alias);
    pt__put_select(lower, block, plan->columns, plan->column_count, true);
    pt__put(lower, ")");
    pt__list_push(lower->arena, &lower->hoisted, pt__cut(lower, mark));
    *block = pt__block_from(pt__arena_printf(lower->arena, "h%u", alias));
    for (size_t i = 0; i < plan->column_count; i++)
        pt__bind_text(lower, plan->columns[i].id, pt__arena_printf(lower->arena, "h%u.c%u", alias, plan->columns[i].id),
                      PT_TEXT_COLUMN, 0);
}

pt_status pt__lower_cut_stack(pt__lower *lower, const pt_plan *plan, pt__block *block, pt_error *err)
{
    stack s = measure(plan);
    if (s.highest == 0 || s.highest % STACK_CUT != 0)
        return !s.stands_alone && s.highest > STACK_MAX ? too_high(plan->origin, err) : PT_OK;
    if (s.stands_alone)
        cut_off(lower, plan, block);
    else if (s.highest > STACK_MAX)
        return too_high(plan->origin, err);
    return PT_OK;
}

pt_status pt__lower_check_stack(const pt_expr_subquery *subquery, pt_error *err)
{
    return measure(subquery->plan).highest > STACK_MAX ? too_high(subquery->base.origin, err) : PT_OK;
}

void pt__put_hoisted(pt__lower *lower)
{
    for (size_t i = 0; i < lower->hoisted.count; i++)
        pt__putf(lower, "%s%s", i == 0 ? "WITH " : ", ", lower->hoisted.items[i]);
    pt__put(lower, lower->hoisted.count == 0 ? "" : " ");
}

#include "backend/duckdb/block.h"

#include "plan/members.h"

#include <inttypes.h>
#include <string.h>

/* ---- set operations ---- */

static const char *set_words(const pt_plan_set_operation *set)
{
    switch (set->set_kind) {
    case PT_SET_UNION: return set->is_all ? " UNION ALL " : " UNION ";
    case PT_SET_INTERSECT: return set->is_all ? " INTERSECT ALL " : " INTERSECT ";
    case PT_SET_EXCEPT: return set->is_all ? " EXCEPT ALL " : " EXCEPT ";
    }
    return " UNION ";
}

static bool is_same_operation(const pt_plan *plan, const pt_plan_set_operation *set)
{
    if (plan->kind != PT_PLAN_SET_OPERATION || set->set_kind != PT_SET_UNION)
        return false;
    const pt_plan_set_operation *other = pt__plan_as_set_operation(plan);
    return other->set_kind == PT_SET_UNION && other->is_all == set->is_all;
}

static pt_status put_operand(pt__lower *lower, const pt_plan *plan, pt_error *err)
{
    const char *text;
    PT_TRY(pt__lower_select_text(lower, plan, &text, err));
    pt__putf(lower, "(%s)", text);
    return PT_OK;
}

/* A left-deep chain of one kind of UNION is written flat. */
static pt_status put_operands(pt__lower *lower, const pt_plan_set_operation *set, pt_error *err)
{
    pt__list(const pt_plan *) rights = {0};
    const pt_plan_set_operation *node = set;
    pt__list_push(lower->arena, &rights, node->right);
    while (is_same_operation(node->left, set)) {
        node = pt__plan_as_set_operation(node->left);
        pt__list_push(lower->arena, &rights, node->right);
    }
    PT_TRY(put_operand(lower, node->left, err));
    for (size_t i = rights.count; i-- > 0;) {
        pt__put(lower, set_words(set));
        PT_TRY(put_operand(lower, rights.items[i], err));
    }
    return PT_OK;
}

static void put_column_names(pt__lower *lower, const pt_plan *plan)
{
    pt__put(lower, "(");
    for (size_t i = 0; i < plan->column_count; i++)
        pt__putf(lower, "%sc%u", i == 0 ? "" : ", ", plan->columns[i].id);
    pt__put(lower, plan->column_count == 0 ? "c0)" : ")");
}

static void bind_columns(pt__lower *lower, const pt_plan *plan, uint32_t alias)
{
    for (size_t i = 0; i < plan->column_count; i++)
        pt__bind_text(lower, plan->columns[i].id, pt__arena_printf(lower->arena, "q%u.c%u", alias, plan->columns[i].id),
                      PT_TEXT_COLUMN, 0);
}

pt_status pt__lower_set_operation(pt__lower *lower, const pt_plan_set_operation *set, pt__block *out, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    uint32_t alias = ++lower->next_alias;
    pt__put(lower, "(");
    PT_TRY(put_operands(lower, set, err));
    pt__putf(lower, ") AS q%u", alias);
    put_column_names(lower, &set->base);
    *out = pt__block_from(pt__cut(lower, mark));
    bind_columns(lower, &set->base, alias);
    return PT_OK;
}

/* ---- common table expressions ---- */

static bool find_volatile(void *context, const pt_plan *plan);

static bool expr_is_steady(void *context, const pt_expr *expr)
{
    (void)context;
    return !pt__expr_is_volatile(expr);
}

static bool find_volatile(void *context, const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_SAMPLE)
        return false;
    pt__visitor visitor = {expr_is_steady, find_volatile, context};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

static const pt_plan *find_cte(const pt__lower *lower, uint32_t id)
{
    for (size_t i = lower->ctes.count; i-- > 0;) {
        if (lower->ctes.items[i].id == id)
            return lower->ctes.items[i].plan;
    }
    return NULL;
}

/* Of anchor UNION ALL step alone; other shapes are not counted. */
static bool has_levels(const pt_cte *cte, int64_t limit)
{
    if (limit < 0 || cte->plan->kind != PT_PLAN_SET_OPERATION || cte->plan->column_count == 0)
        return false;
    const pt_plan_set_operation *set = pt__plan_as_set_operation(cte->plan);
    return set->set_kind == PT_SET_UNION && set->is_all && !is_same_operation(set->left, set);
}

/* Rows carry the level that made them; one beyond the limit ends the query. */
static pt_status put_levels(pt__lower *lower, const pt_cte *cte, int64_t limit, pt_error *err)
{
    const pt_plan_set_operation *set = pt__plan_as_set_operation(cte->plan);
    pt__put(lower, "SELECT *, 0 FROM ");
    PT_TRY(put_operand(lower, set->left, err));
    pt__putf(lower,
             " AS a%u UNION ALL SELECT s%u.*, CASE WHEN v.n >= %" PRId64
             " THEN error('[RECURSION_LEVEL_LIMIT_EXCEEDED]{\"levelLimit\":\"%" PRId64
             "\"}')::INTEGER ELSE v.n END FROM ",
             cte->id, cte->id, limit, limit);
    PT_TRY(put_operand(lower, set->right, err));
    pt__putf(lower, " AS s%u, (SELECT max(level) + 1 AS n FROM t%u) AS v", cte->id, cte->id);
    return PT_OK;
}

static void put_recursive_names(pt__lower *lower, const pt_plan *plan)
{
    pt__put(lower, "(");
    for (size_t i = 0; i < plan->column_count; i++)
        pt__putf(lower, "c%u, ", plan->columns[i].id);
    pt__put(lower, "level)");
}

static pt_status put_cte(pt__lower *lower, const pt_cte *cte, bool is_recursive, int64_t limit, pt_error *err)
{
    pt__lowered_cte known = {cte->id, cte->plan};
    if (is_recursive)
        pt__list_push(lower->arena, &lower->ctes, known);
    pt__putf(lower, "t%u", cte->id);
    bool is_counted = is_recursive && has_levels(cte, limit);
    if (is_counted)
        put_recursive_names(lower, cte->plan);
    else
        put_column_names(lower, cte->plan);
    /* What is computed twice must come out the same. */
    pt__put(lower, !is_recursive && !find_volatile(NULL, cte->plan) ? " AS MATERIALIZED (" : " AS (");
    const char *text;
    if (is_counted)
        PT_TRY(put_levels(lower, cte, limit, err));
    else if (is_recursive && cte->plan->kind == PT_PLAN_SET_OPERATION)
        PT_TRY(put_operands(lower, pt__plan_as_set_operation(cte->plan), err));
    else {
        PT_TRY(pt__lower_select_text(lower, cte->plan, &text, err));
        pt__put(lower, text);
    }
    pt__put(lower, ")");
    if (!is_recursive)
        pt__list_push(lower->arena, &lower->ctes, known);
    return PT_OK;
}

pt_status pt__lower_with(pt__lower *lower, const pt_plan_with *with, pt__block *out, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    pt__put(lower, with->is_recursive ? "(WITH RECURSIVE " : "(WITH ");
    for (size_t i = 0; i < with->cte_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        PT_TRY(put_cte(lower, &with->ctes[i], with->is_recursive, with->recursion_limit, err));
    }
    const char *head = pt__cut(lower, mark);
    const char *body;
    PT_TRY(pt__lower_select_text(lower, with->input, &body, err));
    uint32_t alias = ++lower->next_alias;
    *out = pt__block_from(pt__arena_printf(lower->arena, "%s %s) AS q%u", head, body, alias));
    bind_columns(lower, with->input, alias);
    return PT_OK;
}

pt_status pt__lower_reference(pt__lower *lower, const pt_plan_reference *reference, pt__block *out, pt_error *err)
{
    const pt_plan *plan = find_cte(lower, reference->cte_id);
    if (plan == NULL)
        return pt_error_set(err, PT_INTERNAL, "the plan refers to a WITH clause %u that is not there",
                            reference->cte_id);
    uint32_t alias = ++lower->next_alias;
    *out = pt__block_from(pt__arena_printf(lower->arena, "t%u AS r%u", reference->cte_id, alias));
    for (size_t i = 0; i < reference->base.column_count && i < plan->column_count; i++)
        pt__bind_text(lower, reference->base.columns[i].id,
                      pt__arena_printf(lower->arena, "r%u.c%u", alias, plan->columns[i].id), PT_TEXT_COLUMN, 0);
    return PT_OK;
}

/* ---- subqueries in expressions ---- */

typedef struct outer_state {
    unsigned seen;
    uint32_t deepest;
    uint32_t nesting;
    bool in_filter;
    const pt_plan_aggregate *aggregate;
} outer_state;

static outer_state leave_expression(pt__lower *lower)
{
    outer_state state = {lower->seen, lower->deepest, lower->nesting, lower->in_filter, lower->aggregate};
    lower->seen = 0;
    lower->deepest = 0;
    lower->nesting = 0;
    lower->in_filter = false;
    lower->aggregate = NULL;
    return state;
}

static void return_to_expression(pt__lower *lower, const outer_state *state)
{
    lower->seen = state->seen | PT_TEXT_SUBQUERY;
    lower->deepest = state->deepest;
    lower->nesting = state->nesting;
    lower->in_filter = state->in_filter;
    lower->aggregate = state->aggregate;
}

static pt_status put_values(pt__lower *lower, const pt_expr_subquery *subquery, pt_error *err)
{
    pt__put(lower, subquery->value_count > 1 ? "(" : "");
    for (size_t i = 0; i < subquery->value_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        PT_TRY(pt__lower_expr(lower, subquery->values[i], err));
    }
    pt__put(lower, subquery->value_count > 1 ? ")" : "");
    return PT_OK;
}

static pt_status subquery_text(pt__lower *lower, const pt_expr_subquery *subquery, const char **out, pt_error *err)
{
    PT_TRY(pt__lower_check_stack(subquery, err));
    outer_state state = leave_expression(lower);
    pt_status status = pt__lower_select_text(lower, subquery->plan, out, err);
    return_to_expression(lower, &state);
    return status;
}

/* In Spark `x IN (subquery)` as a value is never NULL; as a condition that makes no difference. */
static pt_status lower_in(pt__lower *lower, const pt_expr_subquery *subquery, bool negated, pt_error *err)
{
    bool as_value = !lower->in_filter;
    lower->in_filter = false;
    pt__put(lower, as_value ? "coalesce(" : "(");
    PT_TRY(put_values(lower, subquery, err));
    const char *text;
    PT_TRY(subquery_text(lower, subquery, &text, err));
    pt__putf(lower, "%s IN (%s)%s", negated ? " NOT" : "", text, as_value ? ", false)" : ")");
    return PT_OK;
}

pt_status pt__lower_subquery(pt__lower *lower, const pt_expr_subquery *subquery, bool negated, pt_error *err)
{
    if (subquery->subquery_kind == PT_SUBQUERY_IN)
        return lower_in(lower, subquery, negated, err);
    if (subquery->subquery_kind == PT_SUBQUERY_TABLE)
        return pt__lower_unsupported(err, subquery->base.origin, "a table argument of a function");
    const char *text;
    PT_TRY(subquery_text(lower, subquery, &text, err));
    if (subquery->subquery_kind == PT_SUBQUERY_EXISTS)
        pt__putf(lower, negated ? "(NOT EXISTS (%s))" : "EXISTS (%s)", text);
    else
        pt__putf(lower, negated ? "(NOT (%s))" : "(%s)", text);
    return PT_OK;
}

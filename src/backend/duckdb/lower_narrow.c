#include "backend/duckdb/lower_narrow.h"

#include "plan/members.h"

#include <string.h>

enum { NARROW_DIGITS = 18 }; /* what 64 bits hold */

static int width_of(const pt__lower *lower, const pt_expr *expr);

static bool is_sum(const pt_expr_call *call)
{
    return pt__is_call_of(&call->base, "+") || pt__is_call_of(&call->base, "-");
}

bool pt__narrow_fits(const pt__lower *lower, const pt_expr_call *call)
{
    bool is_product = pt__is_call_of(&call->base, "*");
    if (!lower->in_narrow || call->mode != PT_CAST_ANSI || call->base.type->id != PT_TYPE_DECIMAL ||
        call->argument_count != 2 || (!is_product && !is_sum(call)))
        return false;
    const pt_type *a = call->arguments[0]->type;
    const pt_type *b = call->arguments[1]->type;
    if (a->id != PT_TYPE_DECIMAL || b->id != PT_TYPE_DECIMAL)
        return false;
    int scale = is_product ? a->scale + b->scale : a->scale > b->scale ? a->scale : b->scale;
    return scale < NARROW_DIGITS && scale == call->base.type->scale &&
           width_of(lower, call->arguments[0]) <= NARROW_DIGITS && width_of(lower, call->arguments[1]) <= NARROW_DIGITS;
}

static int width_of_case(const pt__lower *lower, const pt_expr_case *expr)
{
    int width = expr->otherwise == NULL ? 0 : width_of(lower, expr->otherwise);
    for (size_t i = 0; i < expr->branch_count; i++) {
        int branch = width_of(lower, expr->branches[i].value);
        width = branch > width ? branch : width;
    }
    return width;
}

/* Digits of the DuckDB type that a decimal expression gets. */
static int width_of(const pt__lower *lower, const pt_expr *expr)
{
    int width = expr->type->precision;
    if (expr->kind == PT_EXPR_ALIAS)
        return width_of(lower, pt__expr_as_alias(expr)->child);
    if (expr->kind == PT_EXPR_CASE)
        return width_of_case(lower, pt__expr_as_case(expr));
    if (expr->kind == PT_EXPR_CALL && pt__narrow_fits(lower, pt__expr_as_call(expr)))
        return width < NARROW_DIGITS ? width : NARROW_DIGITS;
    if (expr->kind == PT_EXPR_COLUMN && pt__expr_as_column(expr)->id < lower->binding_count &&
        lower->bindings[pt__expr_as_column(expr)->id].narrow_text != NULL)
        return width < NARROW_DIGITS ? width : NARROW_DIGITS;
    return width;
}

/* ---- when it is safe ---- */

static bool find_union(void *context, const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_AGGREGATE || (plan->kind == PT_PLAN_SORT && pt__plan_as_sort(plan)->is_global))
        return true; /* gives its first row when it has seen all of its input */
    if (plan->kind == PT_PLAN_SET_OPERATION)
        return false;
    pt__visitor visitor = {NULL, find_union, context};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

bool pt__narrow_is_safe(const pt_plan *plan)
{
    return find_union(NULL, plan);
}

/* ---- columns ---- */

static bool has_no_product(void *context, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_CALL && pt__is_call_of(expr, "*") && expr->type->id == PT_TYPE_DECIMAL)
        return false;
    if (expr->kind == PT_EXPR_COLUMN && expr->type->id == PT_TYPE_DECIMAL) {
        const pt__lower *lower = context;
        uint32_t id = pt__expr_as_column(expr)->id;
        return id >= lower->binding_count || lower->bindings[id].narrow_text == NULL;
    }
    pt__visitor visitor = {has_no_product, NULL, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

pt_status pt__narrow_text(pt__lower *lower, const pt_expr *expr, const char **out, pt_error *err)
{
    *out = NULL;
    if (!lower->may_narrow || expr->type->id != PT_TYPE_DECIMAL || has_no_product(lower, expr))
        return PT_OK;
    bool used = lower->used_narrow;
    lower->in_narrow = true;
    pt_status status = pt__lower_expr_text(lower, expr, out, err);
    lower->in_narrow = false;
    lower->used_narrow = used;
    return status;
}

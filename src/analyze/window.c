/* Window expressions: their frames, and what may stand in them. */
#include "analyze/analyzer.h"

#include <string.h>
#include <strings.h>

static pt_status analyze_bound(pt__analyzer *a, pt__scope *scope, pt_frame_bound *bound, pt_error *err)
{
    if (bound->offset == NULL)
        return PT_OK;
    return pt__analyze_expr(a, scope, bound->offset, &bound->offset, err);
}

static bool is_offset_function(const pt_expr *function)
{
    if (function->kind != PT_EXPR_CALL)
        return false;
    const char *name = pt__expr_as_call(function)->name.parts[0];
    return strcasecmp(name, "lag") == 0 || strcasecmp(name, "lead") == 0;
}

/* Spark spells the row before as the one that follows by -1. */
static const pt_expr *negated_offset(pt__analyzer *a, const pt_expr *offset)
{
    if (offset->kind != PT_EXPR_LITERAL || !pt__type_is_integral(offset->type)) {
        pt_expr *negative = (pt_expr *)pt__expr_call(a->arena, offset->origin, "negative", 1, offset);
        negative->type = offset->type;
        negative->nullable = offset->nullable;
        return negative;
    }
    pt_value value = pt__expr_as_literal(offset)->value;
    value.as.integer = value.as.integer == INT64_MIN ? INT64_MAX : -value.as.integer;
    return pt__expr_literal(a->arena, offset->type, value);
}

/* lag and lead run over the one row that they name. */
static void offset_frame(pt__analyzer *a, pt_expr_window *window)
{
    const pt_expr_call *call = pt__expr_as_call(window->function);
    bool is_lag = strcasecmp(call->name.parts[0], "lag") == 0;
    const pt_expr *offset = call->argument_count > 1 ? call->arguments[1] : pt__expr_int(a->arena, 1);
    pt_frame_bound bound = {PT_BOUND_FOLLOWING, is_lag ? negated_offset(a, offset) : offset};
    window->unit = PT_FRAME_ROWS;
    window->lower = window->upper = bound;
}

/* Functions of a row's number; nth_value and cume_dist look at peers as aggregates do. */
static bool is_row_function(const pt_expr *function)
{
    if (function->kind != PT_EXPR_CALL || pt__expr_as_call(function)->function == NULL)
        return false;
    const pt__function *row = pt__expr_as_call(function)->function;
    return row->kind == PT_FUNCTION_WINDOW && strcmp(row->name, "nth_value") != 0 &&
           strcmp(row->name, "cume_dist") != 0;
}

static void default_frame(pt__analyzer *a, pt_expr_window *window)
{
    bool window_function = is_row_function(window->function);
    if (is_offset_function(window->function)) {
        offset_frame(a, window);
        return;
    }
    window->lower.kind = PT_BOUND_UNBOUNDED_PRECEDING;
    window->upper.kind = window->order_count != 0 ? PT_BOUND_CURRENT_ROW : PT_BOUND_UNBOUNDED_FOLLOWING;
    window->unit = window->order_count != 0 && !window_function ? PT_FRAME_RANGE : PT_FRAME_ROWS;
    if (window_function)
        window->upper.kind = PT_BOUND_CURRENT_ROW;
}

static pt_status check_window(pt__analyzer *a, const pt_expr_window *window, pt_error *err)
{
    const pt_expr *function = window->function;
    if (function->kind != PT_EXPR_CALL)
        return PT_OK;
    const pt_expr_call *call = pt__expr_as_call(function);
    pt_status status = PT_OK;
    if (call->is_distinct)
        status = pt__raise(err, PT_COND_DISTINCT_WINDOW_FUNCTION_UNSUPPORTED, "windowExpr",
                           pt__quote_expr(a->arena, &window->base), NULL);
    else if (call->function->kind == PT_FUNCTION_WINDOW && window->order_count == 0)
        status = pt__raise(err, PT_COND_WINDOW_FUNCTION_FRAME_NOT_ORDERED, "wf",
                           pt__arena_printf(a->arena, "%s()", call->name.parts[0]), NULL);
    else if (call->function->kind != PT_FUNCTION_WINDOW && call->function->kind != PT_FUNCTION_AGGREGATE)
        status =
            pt__raise(err, PT_COND_UNSUPPORTED_EXPR_FOR_WINDOW, "sqlExpr", pt__quote_expr(a->arena, function), NULL);
    return pt__analyzer_fail(status, window->base.origin, err);
}

pt_status pt__analyze_window(pt__analyzer *a, pt__scope *scope, const pt_expr_window *window, const pt_expr **out,
                             pt_error *err)
{
    pt_expr_window *copy = pt__expr_make(a->arena, WINDOW, window, window->base.origin);
    *copy = *window;
    const pt_expr *outer = a->windowed;
    a->windowed = window->function;
    pt_status status = pt__analyze_expr(a, scope, window->function, &copy->function, err);
    a->windowed = outer;
    PT_TRY(status);
    PT_TRY(pt__analyze_all(a, scope, window->partition, window->partition_count, &copy->partition, err));
    PT_TRY(pt__analyze_all(a, scope, window->order, window->order_count, &copy->order, err));
    PT_TRY(analyze_bound(a, scope, &copy->lower, err));
    PT_TRY(analyze_bound(a, scope, &copy->upper, err));
    if (copy->unit == PT_FRAME_NONE)
        default_frame(a, copy);
    copy->base.type = copy->function->type;
    copy->base.nullable = copy->function->nullable;
    if (is_offset_function(copy->function) && pt__expr_as_call(copy->function)->argument_count == 3)
        copy->base.nullable = pt__expr_as_call(copy->function)->arguments[0]->nullable ||
                              pt__expr_as_call(copy->function)->arguments[2]->nullable;
    *out = &copy->base;
    return check_window(a, copy, err);
}

#include "backend/duckdb/block.h"

#include <string.h>

/* A negative constant counts in the other direction, which DuckDB wants said in the word behind it. */
static pt_frame_bound without_sign(pt__lower *lower, pt_frame_bound bound)
{
    bool counts = bound.kind == PT_BOUND_PRECEDING || bound.kind == PT_BOUND_FOLLOWING;
    if (!counts || bound.offset->kind != PT_EXPR_LITERAL)
        return bound;
    pt_value value = pt__expr_as_literal(bound.offset)->value;
    const pt_type *type = bound.offset->type;
    bool is_real = type->id == PT_TYPE_DOUBLE || type->id == PT_TYPE_FLOAT;
    bool is_integer = pt__type_is_integral(type) || pt__type_is_interval(type);
    bool is_decimal = type->id == PT_TYPE_DECIMAL;
    bool negative = (is_real && value.as.real < 0) || (is_decimal && value.as.decimal < 0) ||
                    (is_integer && value.as.integer < 0 && value.as.integer > INT64_MIN);
    if (value.is_null || !negative || type->id == PT_TYPE_INTERVAL_CALENDAR)
        return bound;
    if (is_real)
        value.as.real = -value.as.real;
    else if (is_decimal)
        value.as.decimal = -value.as.decimal;
    else
        value.as.integer = -value.as.integer;
    bound.kind = bound.kind == PT_BOUND_PRECEDING ? PT_BOUND_FOLLOWING : PT_BOUND_PRECEDING;
    bound.offset = pt__expr_literal(lower->arena, type, value);
    return bound;
}

static pt_status put_bound(pt__lower *lower, const pt_frame_bound *given, pt_error *err)
{
    pt_frame_bound unsigned_bound = without_sign(lower, *given);
    const pt_frame_bound *bound = &unsigned_bound;
    switch (bound->kind) {
    case PT_BOUND_UNBOUNDED_PRECEDING: pt__put(lower, "UNBOUNDED PRECEDING"); return PT_OK;
    case PT_BOUND_UNBOUNDED_FOLLOWING: pt__put(lower, "UNBOUNDED FOLLOWING"); return PT_OK;
    case PT_BOUND_CURRENT_ROW: pt__put(lower, "CURRENT ROW"); return PT_OK;
    case PT_BOUND_PRECEDING:
    case PT_BOUND_FOLLOWING: break;
    }
    PT_TRY(pt__lower_expr(lower, bound->offset, err));
    pt__put(lower, bound->kind == PT_BOUND_PRECEDING ? " PRECEDING" : " FOLLOWING");
    return PT_OK;
}

static pt_status put_frame(pt__lower *lower, const pt_expr_window *window, pt_error *err)
{
    if (window->unit == PT_FRAME_NONE)
        return PT_OK;
    pt__put(lower, window->unit == PT_FRAME_ROWS ? " ROWS BETWEEN " : " RANGE BETWEEN ");
    PT_TRY(put_bound(lower, &window->lower, err));
    pt__put(lower, " AND ");
    return put_bound(lower, &window->upper, err);
}

static pt_status over_text(pt__lower *lower, const pt_expr_window *window, const char **out, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    for (size_t i = 0; i < window->partition_count; i++) {
        pt__put(lower, i == 0 ? "PARTITION BY " : ", ");
        PT_TRY(pt__lower_expr(lower, window->partition[i], err));
    }
    if (window->order_count > 0) {
        pt__put(lower, window->partition_count > 0 ? " ORDER BY " : "ORDER BY ");
        PT_TRY(pt__lower_orders(lower, window->order, window->order_count, err));
    }
    /* lag, rank and their like know no frame. */
    const pt_expr_call *call = pt__expr_as_call(window->function);
    if (call->function == NULL || call->function->kind != PT_FUNCTION_WINDOW ||
        pt__is_call_of(&call->base, "nth_value"))
        PT_TRY(put_frame(lower, window, err));
    *out = pt__cut(lower, mark);
    return PT_OK;
}

pt_status pt__lower_window(pt__lower *lower, const pt_expr_window *window, pt_error *err)
{
    if (window->function->kind != PT_EXPR_CALL)
        return pt__lower_unsupported(err, window->base.origin, "this window expression");
    const pt_expr_call *call = pt__expr_as_call(window->function);
    pt__aggregate_form form = {.is_distinct = call->is_distinct, .ignore_nulls = call->ignore_nulls};
    if (call->filter != NULL)
        PT_TRY(pt__lower_condition(lower, call->filter, &form.filter, err));
    PT_TRY(over_text(lower, window, &form.over, err));
    PT_TRY(pt__lower_call(lower, call, &form, err));
    lower->seen |= PT_TEXT_WINDOW;
    return PT_OK;
}

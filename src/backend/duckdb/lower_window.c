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
    pt_type_id type = bound->offset->type->id; /* intervals of one kind are numbers: DuckDB's own are meant */
    bool is_interval = type == PT_TYPE_INTERVAL_YEAR_MONTH || type == PT_TYPE_INTERVAL_DAY_TIME;
    if (is_interval)
        pt__put(lower, type == PT_TYPE_INTERVAL_YEAR_MONTH ? "to_months(" : "to_microseconds(");
    PT_TRY(pt__lower_expr(lower, bound->offset, err));
    pt__put(lower, is_interval ? ")" : "");
    pt__put(lower, bound->kind == PT_BOUND_PRECEDING ? " PRECEDING" : " FOLLOWING");
    return PT_OK;
}

/* Whether the call becomes an aggregate that we registered, and not one of DuckDB's. */
static bool is_own_aggregate(const pt_expr_call *call)
{
    static const char *const rules[] = {"@histogram_numeric", "@median", "@percentile", "@percentile_approx",
                                        "@percentile_within"};
    const char *lowering = call->function == NULL ? "" : call->function->lowering;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i], lowering) == 0)
            return true;
    return strstr(lowering, "spark_agg_") != NULL;
}

static bool spans_partition(const pt_expr_window *window)
{
    bool no_order = window->order_count == 0 && window->unit == PT_FRAME_RANGE;
    bool from_start =
        window->lower.kind == PT_BOUND_UNBOUNDED_PRECEDING || (no_order && window->lower.kind == PT_BOUND_CURRENT_ROW);
    bool to_end =
        window->upper.kind == PT_BOUND_UNBOUNDED_FOLLOWING || (no_order && window->upper.kind == PT_BOUND_CURRENT_ROW);
    return window->unit == PT_FRAME_NONE ? window->order_count == 0 : from_start && to_end;
}

/* Whether DuckDB computes our aggregate once for each partition. Analysis refuses DISTINCT in windows. */
static bool is_whole(const pt_expr_window *window)
{
    return spans_partition(window) && is_own_aggregate(pt__expr_as_call(window->function));
}

static pt_status put_frame(pt__lower *lower, const pt_expr_window *window, pt_error *err)
{
    if (is_whole(window)) { /* which must leave no doubt that it is */
        pt__put(lower, " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING");
        return PT_OK;
    }
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
    pt__aggregate_form form = {
        .is_distinct = call->is_distinct, .ignore_nulls = call->ignore_nulls, .is_whole = is_whole(window)};
    if (call->filter != NULL)
        PT_TRY(pt__lower_condition(lower, call->filter, &form.filter, err));
    PT_TRY(over_text(lower, window, &form.over, err));
    PT_TRY(pt__lower_call(lower, call, &form, err));
    lower->seen |= PT_TEXT_WINDOW;
    return PT_OK;
}

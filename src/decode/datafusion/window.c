/* Window functions. */
#include "decode/datafusion/functions.h"

#include <string.h>

typedef pt_status handler(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out);

/* ---- frames ---- */

static bool is_unbounded(const Datafusion__WindowFrameBound *bound)
{
    return bound->bound_value == NULL ||
           bound->bound_value->value_case == DATAFUSION_COMMON__SCALAR_VALUE__VALUE_NULL_VALUE;
}

/* The plan's frames take intervals of one kind. */
static pt_status interval_offset(pt__df *d, pt__df_value *value)
{
    pt_interval interval = pt__expr_as_literal(value->expr)->value.as.interval;
    int64_t micros;
    if (interval.months != 0 && (interval.days != 0 || interval.microseconds != 0))
        return pt__df_refuse(d, "a window frame of months and days");
    if (__builtin_mul_overflow((int64_t)interval.days, INT64_C(86400000000), &micros) ||
        __builtin_add_overflow(micros, interval.microseconds, &micros))
        return pt__df_bad(d, "WindowFrameBound.bound_value is out of range");
    bool is_months = interval.months != 0;
    value->expr = pt__expr_literal(d->arena, is_months ? PT_T(INTERVAL_YEAR_MONTH) : PT_T(INTERVAL_DAY_TIME),
                                   (pt_value){.as.integer = is_months ? interval.months : micros});
    return PT_OK;
}

static pt_status frame_bound(pt__df *d, const Datafusion__WindowFrameBound *bound, bool is_rows, pt_frame_bound *out)
{
    pt__df_value value;
    int64_t rows;
    if (bound == NULL || bound->window_frame_bound_type == DATAFUSION__WINDOW_FRAME_BOUND_TYPE__CURRENT_ROW) {
        out->kind = PT_BOUND_CURRENT_ROW;
        return PT_OK;
    }
    bool is_preceding = bound->window_frame_bound_type == DATAFUSION__WINDOW_FRAME_BOUND_TYPE__PRECEDING;
    if (!is_preceding && bound->window_frame_bound_type != DATAFUSION__WINDOW_FRAME_BOUND_TYPE__FOLLOWING)
        return pt__df_bad(d, "WindowFrameBound: there is no bound %d", (int)bound->window_frame_bound_type);
    if (is_unbounded(bound)) {
        out->kind = is_preceding ? PT_BOUND_UNBOUNDED_PRECEDING : PT_BOUND_UNBOUNDED_FOLLOWING;
        return PT_OK;
    }
    PT_TRY(pt__df_literal(d, bound->bound_value, &value));
    if (is_rows && (!pt__df_literal_integer(value.expr, &rows) || rows < 0 || rows > INT32_MAX))
        return pt__df_bad(d, "WindowFrameBound.bound_value is no number of rows");
    if (value.type->kind == PT_DF_STRING)
        return pt__df_refuse(d, "a window frame whose bound is text");
    if (value.type->kind == PT_DF_INTERVAL)
        PT_TRY(interval_offset(d, &value));
    out->kind = is_preceding ? PT_BOUND_PRECEDING : PT_BOUND_FOLLOWING;
    out->offset = is_rows ? pt__expr_int(d->arena, (int32_t)rows) : value.expr;
    return PT_OK;
}

static pt_status frame(pt__df *d, const Datafusion__WindowFrame *m, pt__df_over *out)
{
    if (m == NULL)
        return pt__df_bad(d, "WindowExprNode.window_frame is missing");
    if (m->start_bound == NULL)
        return pt__df_bad(d, "WindowFrame.start_bound is missing");
    if (m->window_frame_units == DATAFUSION__WINDOW_FRAME_UNITS__GROUPS)
        return pt__df_refuse(d, "a window frame of GROUPS");
    bool is_rows = m->window_frame_units == DATAFUSION__WINDOW_FRAME_UNITS__ROWS;
    if (!is_rows && m->window_frame_units != DATAFUSION__WINDOW_FRAME_UNITS__RANGE)
        return pt__df_bad(d, "WindowFrame: there are no units %d", (int)m->window_frame_units);
    out->unit = is_rows ? PT_FRAME_ROWS : PT_FRAME_RANGE;
    PT_TRY(frame_bound(d, m->start_bound, is_rows, &out->lower));
    PT_TRY(frame_bound(d, m->end_bound_case == 0 ? NULL : m->bound, is_rows, &out->upper));
    bool spans_all = out->lower.kind != PT_BOUND_PRECEDING && out->lower.kind != PT_BOUND_FOLLOWING &&
                     out->upper.kind != PT_BOUND_PRECEDING && out->upper.kind != PT_BOUND_FOLLOWING;
    if (!is_rows && out->order_count == 0 && spans_all) { /* all rows are peers */
        out->unit = PT_FRAME_ROWS;
        out->lower = (pt_frame_bound){PT_BOUND_UNBOUNDED_PRECEDING, NULL};
        out->upper = (pt_frame_bound){PT_BOUND_UNBOUNDED_FOLLOWING, NULL};
    }
    return PT_OK;
}

/* ---- handlers ---- */

static const pt_expr *make_window(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                                  const pt__df_over *over)
{
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, a->count);
    for (size_t i = 0; i < a->count; i++)
        arguments[i] = a->arguments[i].expr;
    pt_expr_call *call = pt__expr_make(d->arena, CALL, call, NULL);
    call->name = pt__name_one(d->arena, function->plan);
    call->arguments = arguments;
    call->argument_count = a->count;
    call->ignore_nulls = a->ignore_nulls;
    pt_expr_window *made = pt__expr_make(d->arena, WINDOW, window, NULL);
    made->function = &call->base;
    made->partition = over->partition;
    made->partition_count = over->partition_count;
    made->order = over->order;
    made->order_count = over->order_count;
    made->unit = over->unit;
    made->lower = over->lower;
    made->upper = over->upper;
    return &made->base;
}

/* Ranks do not look at the frame; Spark's want an order. */
static pt__df_over without_frame(pt__df *d, const pt__df_over *over)
{
    pt__df_over made = *over;
    made.unit = PT_FRAME_NONE;
    made.lower = (pt_frame_bound){0};
    made.upper = (pt_frame_bound){0};
    if (made.order_count != 0)
        return made;
    pt_expr_sort_order *order = pt__expr_make(d->arena, SORT_ORDER, sort_order, NULL);
    order->child = pt__expr_int(d->arena, 1);
    const pt_expr **orders = pt__arena_array(d->arena, const pt_expr *, 1);
    orders[0] = &order->base;
    made.order = orders;
    made.order_count = 1;
    return made;
}

static pt_status run_rank(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out)
{
    pt__df_over over = without_frame(d, a->over);
    *out = pt__df_give_result(d, function, NULL, make_window(d, function, a, &over));
    return PT_OK;
}

static pt_status run_neighbour(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                               pt__df_value *out)
{
    pt__df_over over = without_frame(d, a->over);
    int64_t rows = 1;
    if (a->count > 1 && (!pt__df_literal_integer(a->arguments[1].expr, &rows) || rows > INT32_MAX || rows < -INT32_MAX))
        return pt__df_refuse(d, "the function %s with an offset that is no literal", a->name);
    if (a->count > 1)
        a->arguments[1].expr = pt__expr_int(d->arena, (int32_t)rows);
    if (a->count > 2)
        PT_TRY(pt__df_cast_to(d, a->arguments[2], a->arguments[0].type, false, &a->arguments[2]));
    *out = pt__df_give_result(d, function, a->arguments[0].type, make_window(d, function, a, &over));
    if (a->count > 2 && out->type->kind == PT_DF_DECIMAL)
        out->type = pt__df_decimal(d->arena, out->type->precision, out->type->scale, out->type->precision);
    return PT_OK;
}

static pt_status run_framed(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out)
{
    int64_t position;
    if (a->count == 2 && (!pt__df_literal_integer(a->arguments[1].expr, &position) || position < 1))
        return pt__df_refuse(d, "the function %s with a position that is no literal of 1 or more", a->name);
    *out = pt__df_give_result(d, function, a->arguments[0].type, make_window(d, function, a, a->over));
    return PT_OK;
}

/* ---- the table ---- */

static const struct window_row {
    pt__df_function function;
    handler *handle;
} rows[] = {
#define PT_DF_SCALAR(name, fewest, most, types, plan, result, handle)
#define PT_DF_AGGREGATE(name, fewest, most, types, plan, result, handle)
#define PT_DF_WINDOW(name, fewest, most, types, plan, result, handle)                                                  \
    {{name, fewest, most, types, plan, PT_DF_RESULT_##result}, run_##handle},
#include "decode/datafusion/functions.def"
#undef PT_DF_SCALAR
#undef PT_DF_AGGREGATE
#undef PT_DF_WINDOW
};

static pt_status run_window_function(pt__df *d, pt__df_aggregation *a, pt__df_value *out)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].function.name, a->name) != 0)
            continue;
        if (a->is_distinct || a->filter != NULL)
            return pt__df_refuse(d, "the window function %s with DISTINCT or FILTER", a->name);
        PT_TRY(pt__df_check_arguments(d, &rows[i].function, a->arguments, a->count));
        return rows[i].handle(d, &rows[i].function, a, out);
    }
    return pt__df_refuse(d, "the window function %s of DataFusion", a->name);
}

static pt_status partition(pt__df *d, const pt__df_relation *in, const Datafusion__WindowExprNode *node,
                           pt__df_over *out)
{
    pt__df_value *values;
    const pt_expr **exprs = pt__arena_array(d->arena, const pt_expr *, node->n_partition_by);
    PT_TRY(pt__df_exprs(d, in, node->partition_by, node->n_partition_by, &values));
    for (size_t i = 0; i < node->n_partition_by; i++)
        exprs[i] = values[i].expr;
    out->partition = exprs;
    out->partition_count = node->n_partition_by;
    return PT_OK;
}

pt_status pt__df_window(pt__df *d, const pt__df_relation *in, const Datafusion__WindowExprNode *node, pt__df_value *out)
{
    bool is_aggregate = node->window_function_case == DATAFUSION__WINDOW_EXPR_NODE__WINDOW_FUNCTION_UDAF;
    pt__df_over over = {.order_count = node->n_order_by};
    pt__df_aggregation a = {.count = node->n_exprs,
                            .is_distinct = node->distinct,
                            .ignore_nulls = node->null_treatment_given_case != 0 &&
                                            node->null_treatment == DATAFUSION__NULL_TREATMENT__IGNORE_NULLS,
                            .over = &over};
    if (node->window_function_case == 0)
        return pt__df_not_set(d, &node->base);
    a.name = is_aggregate ? node->udaf : node->udwf;
    if (node->fun_definition_given_case != 0 && node->fun_definition.len != 0)
        return pt__df_refuse(d, "the window function %s by a definition of its own", a.name);
    PT_TRY(pt__df_exprs(d, in, node->exprs, node->n_exprs, &a.arguments));
    PT_TRY(pt__df_condition(d, in, node->filter, &a.filter));
    PT_TRY(partition(d, in, node, &over));
    PT_TRY(pt__df_sorts(d, in, node->order_by, node->n_order_by, &over.order, NULL));
    PT_TRY(frame(d, node->window_frame, &over));
    return is_aggregate ? pt__df_aggregation_of(d, &a, out) : run_window_function(d, &a, out);
}

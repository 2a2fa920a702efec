/* Aggregates, plain and over windows. */
#include "decode/datafusion/functions.h"

#include <string.h>

typedef pt_status handler(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out);

/* ---- builders ---- */

static const pt_expr *over(pt__df *d, const pt__df_over *window, const pt_expr *call)
{
    if (window == NULL)
        return call;
    pt_expr_window *made = pt__expr_make(d->arena, WINDOW, window, NULL);
    made->function = call;
    made->partition = window->partition;
    made->partition_count = window->partition_count;
    made->order = window->order;
    made->order_count = window->order_count;
    made->unit = window->unit;
    made->lower = window->lower;
    made->upper = window->upper;
    return &made->base;
}

static pt_expr_call *make_call(pt__df *d, const pt__df_aggregation *a, const char *name,
                               const pt_expr *const *arguments, size_t count)
{
    pt_expr_call *call = pt__expr_make(d->arena, CALL, call, NULL);
    call->name = pt__name_one(d->arena, name);
    call->arguments = arguments;
    call->argument_count = count;
    call->is_distinct = a->is_distinct;
    call->filter = a->filter;
    return call;
}

static const pt_expr *make1(pt__df *d, const pt__df_aggregation *a, const char *name, const pt_expr *argument)
{
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, 1);
    arguments[0] = argument;
    return over(d, a->over, &make_call(d, a, name, arguments, 1)->base);
}

static const pt_expr *make2(pt__df *d, const pt__df_aggregation *a, const char *name, const pt_expr *x,
                            const pt_expr *y)
{
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, 2);
    arguments[0] = x;
    arguments[1] = y;
    return over(d, a->over, &make_call(d, a, name, arguments, 2)->base);
}

static pt_status refuse_aggregate(pt__df *d, const pt__df_aggregation *a, const char *what)
{
    return pt__df_refuse(d, "the aggregate %s with %s", a->name, what);
}

static pt_status refuse_type(pt__df *d, const pt__df_aggregation *a)
{
    return pt__df_refuse(d, "the aggregate %s of %s", a->name, pt__df_type_text(d->arena, a->arguments[0].type));
}

static pt_status give(const pt_expr *expr, const pt__df_type *type, pt__df_value *out)
{
    *out = (pt__df_value){expr, type};
    return PT_OK;
}

/* ---- handlers ---- */

/* The order of the rows makes no difference. */
static pt_status take_simple(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out)
{
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, a->count);
    for (size_t i = 0; i < a->count; i++)
        arguments[i] = a->arguments[i].expr;
    const pt_expr *call = over(d, a->over, &make_call(d, a, function->plan, arguments, a->count)->base);
    *out = pt__df_give_result(d, function, a->arguments[0].type, call);
    return PT_OK;
}

static pt_status take_extreme(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                              pt__df_value *out)
{
    if (a->arguments[0].type->kind >= PT_DF_INTERVAL_YEAR_MONTH)
        return refuse_type(d, a);
    return take_simple(d, function, a, out);
}

static pt_status take_sum(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out)
{
    const pt__df_type *type = a->arguments[0].type;
    const pt_expr *argument = a->arguments[0].expr;
    (void)function;
    if (pt__df_is_integer(type))
        return give(make1(d, a, "sum", argument), pt__df_is_unsigned(type) ? PT_DF(UINT64) : PT_DF(INT64), out);
    if (pt__df_is_float(type))
        return give(make1(d, a, "sum", pt__df_cast_expr(d, argument, PT_T(DOUBLE))), PT_DF(FLOAT64), out);
    if (type->kind == PT_DF_DECIMAL)
        return give(make1(d, a, "sum", argument),
                    pt__df_decimal(d->arena, type->precision + 10, type->scale,
                                   type->held + 10 < PT_DECIMAL_PRECISION_MAX ? type->held + 10 : 38),
                    out);
    return refuse_type(d, a);
}

/* Of decimals: the sum by the count, cut to four digits more, where Spark's average is rounded. */
static pt_status take_average(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                              pt__df_value *out)
{
    const pt__df_type *type = a->arguments[0].type;
    const pt_expr *argument = a->arguments[0].expr;
    (void)function;
    if (pt__df_is_integer(type) || pt__df_is_float(type))
        return give(make1(d, a, "avg", pt__df_cast_expr(d, argument, PT_T(DOUBLE))), PT_DF(FLOAT64), out);
    if (type->kind != PT_DF_DECIMAL)
        return refuse_type(d, a);
    int32_t scale = type->scale + 4 < PT_DECIMAL_PRECISION_MAX ? type->scale + 4 : PT_DECIMAL_PRECISION_MAX;
    const pt_expr *sum = make1(d, a, "sum", argument);
    const pt_expr *count = make1(d, a, "count", argument);
    count = pt__df_cast_expr(d, count, pt__type_decimal(d->arena, 19, 0));
    const pt_expr *average = pt__expr_call(d->arena, NULL, "divide_down", 3, sum, count, pt__expr_int(d->arena, scale));
    return give(average, pt__df_decimal(d->arena, type->precision + 4, scale, PT_DECIMAL_PRECISION_MAX), out);
}

static pt_status take_bits(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out)
{
    return take_simple(d, function, a, out);
}

static pt_status take_median(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a, pt__df_value *out)
{
    if (a->arguments[0].type->kind != PT_DF_FLOAT64)
        return refuse_type(d, a);
    return take_simple(d, function, a, out);
}

static pt_status take_percentile(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                                 pt__df_value *out)
{
    bool ascending = a->order_count == 1 && !pt__expr_as_sort_order(a->order[0])->is_descending;
    if (a->order_count > 1 || (a->order_count == 1 && !ascending))
        return refuse_aggregate(d, a, "a descending order");
    pt__df_aggregation unordered = *a;
    unordered.order_count = 0;
    return take_simple(d, function, &unordered, out);
}

static const pt_expr *named_struct(pt__df *d, const pt_expr *const *values, size_t count)
{
    const pt_expr **pairs = pt__arena_array(d->arena, const pt_expr *, 2 * count);
    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = pt__expr_string(d->arena, pt__arena_printf(d->arena, "v%zu", i));
        pairs[2 * i + 1] = values[i];
    }
    return pt__expr_call_list(d->arena, NULL, "named_struct", pairs, 2 * count);
}

static const pt_expr *first_field(pt__df *d, const pt_expr *from)
{
    pt_expr_extract *made = pt__expr_make(d->arena, EXTRACT, extract, NULL);
    made->child = from;
    made->key = pt__expr_string(d->arena, "v0");
    return &made->base;
}

static const pt__df_type *full_type(pt__df *d, const pt__df_type *type)
{
    return type->kind == PT_DF_DECIMAL ? pt__df_decimal(d->arena, type->precision, type->scale, type->precision) : type;
}

/* Spark's lists leave NULLs out and are empty where there are no rows; DataFusion's keep them, and are NULL. */
static pt_status take_array_agg(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                                pt__df_value *out)
{
    pt__df_aggregation counted = *a;
    const pt__df_type *type = full_type(d, a->arguments[0].type);
    if (a->order_count != 0)
        return refuse_aggregate(d, a, "ORDER BY");
    if (a->ignore_nulls)
        return refuse_aggregate(d, a, "IGNORE NULLS");
    const pt_expr *value = pt__df_cast_expr(d, a->arguments[0].expr, pt__df_plan_type(d->arena, type));
    const pt_expr *list = first_field(d, make1(d, a, function->plan, named_struct(d, &value, 1)));
    counted.is_distinct = false;
    const pt_expr *rows = make1(d, &counted, "count", pt__expr_int(d->arena, 1));
    const pt__df_type *result = pt__df_list(d->arena, type);
    const pt_expr *is_empty = pt__expr_call(d->arena, NULL, "=", 2, rows, pt__expr_long(d->arena, 0));
    list = pt__df_if(d, is_empty, pt__expr_null(d->arena, pt__df_plan_type(d->arena, result)), list);
    return give(list, result, out);
}

/* A key that is in the order of the others though it is sorted the other way round. */
static pt_status turned_key(pt__df *d, const pt__df_aggregation *a, const pt__df_type *type, const pt_expr **key)
{
    if (type->kind == PT_DF_BOOLEAN)
        *key = pt__df_not(d, *key, true);
    else if (type->kind == PT_DF_DATE)
        *key = pt__expr_call(d->arena, NULL, "negative", 1, pt__expr_call(d->arena, NULL, "unix_date", 1, *key));
    else if (pt__df_is_numeric(type))
        *key = pt__expr_call(d->arena, NULL, "negative", 1, *key);
    else
        return pt__df_refuse(d, "the aggregate %s with %s sorted against the other keys", a->name,
                             pt__df_type_text(d->arena, type));
    return PT_OK;
}

/*
 * first_value(x ORDER BY k): the x of the smallest (k is NULL, k). Rows are compared as structs, so that a NULL among
 * the keys and a NULL as the value are what they should be.
 */
static pt_status take_ordered_end(pt__df *d, const pt__df_aggregation *a, bool is_last, pt__df_value *out)
{
    const pt_expr **keys = pt__arena_array(d->arena, const pt_expr *, 2 * a->order_count);
    bool descending = pt__expr_as_sort_order(a->order[0])->is_descending;
    for (size_t i = 0; i < a->order_count; i++) {
        const pt_expr_sort_order *order = pt__expr_as_sort_order(a->order[i]);
        PT_TRY(pt__df_repeatable(d, order->child, a->name));
        bool nulls_are_small = order->nulls_first != descending;
        keys[2 * i] = pt__expr_call(d->arena, NULL, nulls_are_small ? "isnotnull" : "isnull", 1, order->child);
        keys[2 * i + 1] = order->child;
        if (order->is_descending != descending)
            PT_TRY(turned_key(d, a, a->order_types[i], &keys[2 * i + 1]));
    }
    pt__df_aggregation kept = *a;
    const pt__df_value *x = &a->arguments[0];
    if (a->ignore_nulls) {
        const pt_expr *is_there = pt__expr_call(d->arena, NULL, "isnotnull", 1, x->expr);
        kept.filter = a->filter == NULL ? is_there : pt__expr_call(d->arena, NULL, "and", 2, a->filter, is_there);
    }
    const pt__df_type *type = full_type(d, x->type);
    const pt_expr *value = pt__df_cast_expr(d, x->expr, pt__df_plan_type(d->arena, type));
    const pt_expr *found = make2(d, &kept, descending == is_last ? "min_by" : "max_by", named_struct(d, &value, 1),
                                 named_struct(d, keys, 2 * a->order_count));
    return give(first_field(d, found), type, out);
}

static pt_status take_end_value(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                                pt__df_value *out)
{
    if (a->order_count != 0 && a->over == NULL)
        return take_ordered_end(d, a, strcmp(function->plan, "last") == 0, out);
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, 1);
    arguments[0] = a->arguments[0].expr;
    pt_expr_call *call = make_call(d, a, function->plan, arguments, 1);
    call->ignore_nulls = a->ignore_nulls;
    return give(over(d, a->over, &call->base), a->arguments[0].type, out);
}

static pt_status take_string_agg(pt__df *d, const pt__df_function *function, const pt__df_aggregation *a,
                                 pt__df_value *out)
{
    const pt_expr **arguments = pt__arena_array(d->arena, const pt_expr *, 2);
    if (pt__df_literal_text(a->arguments[1].expr) == NULL)
        return refuse_aggregate(d, a, "a delimiter that is no literal");
    arguments[0] = a->arguments[0].expr;
    arguments[1] = a->arguments[1].expr;
    pt_expr_call *call = make_call(d, a, function->plan, arguments, 2);
    call->within_group = a->order;
    call->within_group_count = a->order_count;
    return give(over(d, a->over, &call->base), PT_DF(STRING), out);
}

/* ---- the table ---- */

static const struct aggregate_row {
    pt__df_function function;
    handler *handle;
} rows[] = {
#define PT_DF_SCALAR(name, fewest, most, types, plan, result, handle)
#define PT_DF_AGGREGATE(name, fewest, most, types, plan, result, handle)                                               \
    {{name, fewest, most, types, plan, PT_DF_RESULT_##result}, take_##handle},
#define PT_DF_WINDOW(name, fewest, most, types, plan, result, handle)
#include "decode/datafusion/functions.def"
#undef PT_DF_SCALAR
#undef PT_DF_AGGREGATE
#undef PT_DF_WINDOW
};

pt_status pt__df_aggregation_of(pt__df *d, pt__df_aggregation *a, pt__df_value *out)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].function.name, a->name) != 0)
            continue;
        PT_TRY(pt__df_check_arguments(d, &rows[i].function, a->arguments, a->count));
        return rows[i].handle(d, &rows[i].function, a, out);
    }
    return pt__df_refuse(d, "the aggregate %s of DataFusion", a->name);
}

pt_status pt__df_aggregate(pt__df *d, const pt__df_relation *in, const Datafusion__AggregateUDFExprNode *node,
                           pt__df_value *out)
{
    pt__df_aggregation a = {.name = node->fun_name,
                            .count = node->n_args,
                            .is_distinct = node->distinct,
                            .ignore_nulls = node->null_treatment_given_case != 0 &&
                                            node->null_treatment == DATAFUSION__NULL_TREATMENT__IGNORE_NULLS,
                            .order_count = node->n_order_by};
    if (node->fun_definition_given_case != 0 && node->fun_definition.len != 0)
        return pt__df_refuse(d, "the aggregate %s by a definition of its own", node->fun_name);
    PT_TRY(pt__df_exprs(d, in, node->args, node->n_args, &a.arguments));
    PT_TRY(pt__df_condition(d, in, node->filter, &a.filter));
    PT_TRY(pt__df_sorts(d, in, node->order_by, node->n_order_by, &a.order, &a.order_types));
    return pt__df_aggregation_of(d, &a, out);
}

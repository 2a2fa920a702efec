/* Types of aggregate functions that a signature cannot say. */
#include "analyze/type_rules.h"

PT_RULE(first_argument)
{
    (void)a;
    (void)call;
    (void)err;
    match->type = pt__argument_type(match, 0);
    return PT_OK;
}

/* ---- percentiles ---- */

static bool is_interval(const pt_type *type)
{
    return type->id == PT_TYPE_INTERVAL_YEAR_MONTH || type->id == PT_TYPE_INTERVAL_DAY_TIME;
}

static bool is_ranked(const pt_type *type)
{
    return pt__type_is_numeric(type) || is_interval(type) || pt__type_is_string(type) || type->id == PT_TYPE_VOID;
}

/* The percentage, one or an array; so is the answer, of values of type `value`. */
static pt_status take_percentage(pt__analyzer *a, const pt_expr_call *call, pt__match *match, size_t index,
                                 const pt_type *value, pt_error *err)
{
    const pt_type *type = pt__argument_type(match, index);
    bool is_array = type->id == PT_TYPE_ARRAY;
    const pt_type *number = is_array ? type->element : type;
    if (!pt__type_is_numeric(number) && !pt__type_is_string(number) && number->id != PT_TYPE_VOID)
        return pt__mismatch(a, call, index, "(\"DOUBLE\" or \"ARRAY<DOUBLE>\")", err);
    const pt_type *wanted = is_array ? pt__type_array(a->arena, PT_T(DOUBLE), type->contains_null) : PT_T(DOUBLE);
    pt__cast_argument(a, match, index, wanted);
    match->type = is_array ? pt__type_array(a->arena, value, false) : value;
    match->nullable = true;
    return PT_OK;
}

static const pt_type *percentile_type(const pt_type *child)
{
    return is_interval(child) ? pt__type_simple(child->id) : PT_T(DOUBLE);
}

static void cast_to_double(pt__analyzer *a, pt__match *match, size_t index)
{
    if (!is_interval(pt__argument_type(match, index)))
        pt__cast_argument(a, match, index, PT_T(DOUBLE));
}

static const char PERCENTILE_INPUT[] = "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\")";

/* percentile(x, percentage[, frequency]) */
PT_RULE(percentile)
{
    if (!is_ranked(pt__argument_type(match, 0)))
        return pt__mismatch(a, call, 0, PERCENTILE_INPUT, err);
    const pt_type *type = percentile_type(pt__argument_type(match, 0));
    cast_to_double(a, match, 0);
    if (call->argument_count > 2) {
        if (!pt__type_is_integral(pt__argument_type(match, 2)))
            return pt__mismatch(a, call, 2, "\"INTEGRAL\"", err);
        pt__cast_argument(a, match, 2, PT_T(LONG));
    }
    return take_percentage(a, call, match, 1, type, err);
}

PT_RULE(median)
{
    if (!is_ranked(pt__argument_type(match, 0)))
        return pt__mismatch(a, call, 0, PERCENTILE_INPUT, err);
    match->type = percentile_type(pt__argument_type(match, 0));
    match->nullable = true;
    cast_to_double(a, match, 0);
    return PT_OK;
}

static pt_status fail_within_group(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_INVALID_WITHIN_GROUP_MISSING, "funcName", pt__quote_name(a->arena, &call->name), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* percentile_cont and percentile_disc: the values are ordered WITHIN GROUP. */
PT_RULE(percentile_within)
{
    if (call->within_group_count != 1)
        return fail_within_group(a, call, err);
    const pt_type *type = pt__expr_as_sort_order(call->within_group[0])->child->type;
    if (!is_ranked(type))
        return pt__mismatch(a, call, 0, PERCENTILE_INPUT, err);
    return take_percentage(a, call, match, 0, percentile_type(type), err);
}

/* The first argument, of a type that has an order with distances; text is read as numbers. */
static pt_status take_ordered(pt__analyzer *a, const pt_expr_call *call, pt__match *match, bool fits, pt_error *err)
{
    const pt_type *type = pt__argument_type(match, 0);
    if (!fits)
        return pt__mismatch(
            a, call, 0,
            "(\"NUMERIC\" or \"DATE\" or \"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"INTERVAL YEAR TO MONTH\" "
            "or \"INTERVAL DAY TO SECOND\")",
            err);
    if (pt__type_is_string(type) || type->id == PT_TYPE_VOID)
        pt__cast_argument(a, match, 0, PT_T(DOUBLE));
    return PT_OK;
}

/* percentile_approx(x, percentage[, accuracy]) keeps the type of x. */
PT_RULE(percentile_approx)
{
    const pt_type *type = pt__argument_type(match, 0);
    PT_TRY(
        take_ordered(a, call, match, is_ranked(type) || (pt__type_is_datetime(type) && type->id != PT_TYPE_TIME), err));
    if (call->argument_count > 2) {
        if (!pt__type_is_integral(pt__argument_type(match, 2)))
            return pt__mismatch(a, call, 2, "\"INTEGRAL\"", err);
        pt__cast_argument(a, match, 2, PT_T(INT));
    }
    return take_percentage(a, call, match, 1, pt__argument_type(match, 0), err);
}

/* ---- others ---- */

/* mode(x), mode(x, deterministic), mode() WITHIN GROUP (ORDER BY x) */
PT_RULE(mode)
{
    bool within = call->argument_count == 0;
    if (within && call->within_group_count != 1)
        return fail_within_group(a, call, err);
    match->type = within ? pt__expr_as_sort_order(call->within_group[0])->child->type : pt__argument_type(match, 0);
    match->nullable = true;
    return PT_OK;
}

static const pt_type *pair_array(pt__analyzer *a, pt_field first, pt_field second, bool contains_null)
{
    pt_field *fields = pt__arena_array(a->arena, pt_field, 2);
    fields[0] = first;
    fields[1] = second;
    return pt__type_array(a->arena, pt__type_struct(a->arena, fields, 2), contains_null);
}

PT_RULE(histogram_numeric)
{
    const pt_type *type = pt__argument_type(match, 0);
    PT_TRY(take_ordered(a, call, match, is_ranked(type) || pt__type_is_datetime(type), err));
    pt__cast_argument(a, match, 1, PT_T(INT));
    match->type = pair_array(a, (pt_field){"x", pt__argument_type(match, 0), true, NULL},
                             (pt_field){"y", PT_T(DOUBLE), true, NULL}, true);
    match->nullable = true;
    return PT_OK;
}

/* ---- sums of decimals ---- */

PT_RULE(decimal_sum)
{
    (void)call;
    (void)err;
    const pt_type *type = match->arguments[0]->type;
    match->type = pt__bounded_decimal(a, type->precision + 10, type->scale);
    return PT_OK;
}

PT_RULE(decimal_average)
{
    (void)call;
    (void)err;
    const pt_type *type = match->arguments[0]->type;
    match->type = pt__bounded_decimal(a, type->precision + 4, type->scale + 4);
    return PT_OK;
}

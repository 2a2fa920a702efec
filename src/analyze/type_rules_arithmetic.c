/* Types of + - * / % DIV and of the bitwise operators. */
#include "analyze/type_rules.h"

#include <stdio.h>

static bool is_real(const pt_expr *expr)
{
    return pt__has_type(expr, PT_TYPE_FLOAT) || pt__has_type(expr, PT_TYPE_DOUBLE);
}

/* Operands stay decimals of their own precision; whole numbers become the decimals that hold them. */
static bool cast_to_decimals(pt__analyzer *a, pt__match *match)
{
    const pt_expr *x = match->arguments[0];
    const pt_expr *y = match->arguments[1];
    if ((!pt__has_type(x, PT_TYPE_DECIMAL) && !pt__has_type(y, PT_TYPE_DECIMAL)) || is_real(x) || is_real(y) ||
        pt__type_is_string(x->type) || pt__type_is_string(y->type))
        return false;
    for (size_t i = 0; i < 2; i++) {
        const pt_expr *other = match->arguments[1 - i];
        if (pt__has_type(match->arguments[i], PT_TYPE_VOID))
            pt__cast_argument(a, match, i, other->type);
        else
            pt__cast_argument(a, match, i, pt__decimal_for(a, match->arguments[i]));
    }
    return true;
}

/* The common type of numbers, strings read as numbers. */
static pt_status number_type(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    const pt_type *x = match->arguments[0]->type;
    const pt_type *y = match->arguments[1]->type;
    bool no_number = !pt__type_is_numeric(x) && !pt__type_is_numeric(y);
    const pt_type *common = no_number ? PT_T(DOUBLE) : pt__common_type(a, x, y);
    if (!a->ansi && (pt__type_is_string(x) || pt__type_is_string(y)))
        common = PT_T(DOUBLE);
    if (common == NULL || !pt__type_is_numeric(common))
        return pt__fail_differing(a, call, err);
    pt__cast_both(a, match, common);
    return PT_OK;
}

/* What an operator is defined for, as errors tell it. */
static const char *operand_types(const pt_expr_call *call)
{
    static const struct {
        const char *names;
        const char *types;
    } TYPES[] = {
        {" + - try_add try_subtract ",
         "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL\")"},
        {" / try_divide ", "(\"DOUBLE\" or \"DECIMAL\")"},
        {" div ", "(\"BIGINT\" or \"DECIMAL\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL DAY TO SECOND\")"},
    };
    char name[40];
    snprintf(name, sizeof(name), " %s ", pt__name_last(&call->name));
    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        if (strcasestr(TYPES[i].names, name) != NULL)
            return TYPES[i].types;
    }
    return "\"NUMERIC\"";
}

static pt_status require_numbers(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    bool are_numbers = pt__is_numberish(x) && pt__is_numberish(y);
    const pt_type *text = pt__type_is_string(x->type) ? x->type : pt__type_is_string(y->type) ? y->type : NULL;
    if (are_numbers && a->ansi && text != NULL && !pt__type_is_numeric(x->type) && !pt__type_is_numeric(y->type))
        return pt__fail_wrong_type(a, call, operand_types(call), text, err);
    if (are_numbers)
        return PT_OK;
    if (!pt__type_same_kind(x->type, y->type))
        return pt__fail_differing(a, call, err);
    return pt__fail_wrong_type(a, call, operand_types(call), x->type, err);
}

static void note_mode(const pt_expr_call *call, pt__match *match)
{
    bool may_overflow_to_null =
        call->mode == PT_CAST_TRY || (call->mode == PT_CAST_LEGACY && match->type->id == PT_TYPE_DECIMAL);
    match->nullable |= may_overflow_to_null;
}

static pt_status sum_of_numbers(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match)) {
        PT_TRY(number_type(a, call, match, err));
        note_mode(call, match);
        return PT_OK;
    }
    const pt_type *x = match->arguments[0]->type;
    const pt_type *y = match->arguments[1]->type;
    int32_t scale = x->scale > y->scale ? x->scale : y->scale;
    int32_t digits =
        x->precision - x->scale > y->precision - y->scale ? x->precision - x->scale : y->precision - y->scale;
    match->type = pt__adjusted_decimal(a, digits + scale + 1, scale);
    note_mode(call, match);
    return PT_OK;
}

static bool is_interval(const pt_expr *expr)
{
    return pt__type_is_interval(expr->type);
}

/* Text that is read as a timestamp; what it gives is text, too. */
static pt_status moved_text(pt__analyzer *a, const pt_expr_call *call, pt__match *match, size_t at, pt_error *err)
{
    if (match->arguments[1 - at]->type->id == PT_TYPE_INTERVAL_YEAR_MONTH)
        return pt__fail_differing(a, call, err);
    const pt_expr *moved;
    pt__cast_argument(a, match, at, PT_T(TIMESTAMP));
    PT_TRY(pt__call(a, match->function->name, match->arguments, 2, &moved, err));
    match->folded = pt__make_cast(a, moved, PT_T(STRING), PT_CAST_ANSI, true);
    match->type = PT_T(STRING);
    match->nullable = true;
    return PT_OK;
}

/* date or timestamp, plus or minus an interval. */
static pt_status moved_datetime(pt__analyzer *a, const pt_expr_call *call, pt__match *match, size_t at, pt_error *err)
{
    if (pt__type_is_string(match->arguments[at]->type))
        return moved_text(a, call, match, at, err);
    const pt_type *moved = match->arguments[at]->type;
    const pt_type *interval = match->arguments[1 - at]->type;
    if (!pt__type_is_datetime(moved))
        return pt__fail_differing(a, call, err);
    match->type = moved;
    bool has_time = interval->id == PT_TYPE_INTERVAL_DAY_TIME && interval->end_field != 0;
    if (moved->id == PT_TYPE_DATE && has_time)
        match->type = PT_T(TIMESTAMP);
    return PT_OK;
}

/* A date and what are no days. */
static pt_status fail_days(pt__analyzer *a, const pt_expr_call *call, const char *function, pt_error *err)
{
    pt_expr_call *days = pt__expr_make(a->arena, CALL, call, call->base.origin);
    *days = *call;
    days->name = pt__name_one(a->arena, function);
    return pt__mismatch(a, days, 1, "", err);
}

static bool is_days(const pt_expr *expr)
{
    return pt__has_type(expr, PT_TYPE_INT) || pt__has_type(expr, PT_TYPE_SHORT) || pt__has_type(expr, PT_TYPE_BYTE) ||
           pt__has_type(expr, PT_TYPE_VOID);
}

PT_RULE(add)
{
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    if (is_interval(x) && is_interval(y)) {
        const pt_type *common = pt__common_type(a, x->type, y->type);
        if (common == NULL)
            return pt__fail_differing(a, call, err);
        pt__cast_both(a, match, common);
        return PT_OK;
    }
    if (is_interval(y) && !pt__has_type(x, PT_TYPE_VOID))
        return moved_datetime(a, call, match, 0, err);
    if (is_interval(x) && !pt__has_type(y, PT_TYPE_VOID))
        return moved_datetime(a, call, match, 1, err);
    for (size_t i = 0; i < 2; i++) {
        const pt_expr *other = call->arguments[1 - i];
        if (pt__has_type(call->arguments[i], PT_TYPE_DATE) && is_days(other)) {
            pt__cast_argument(a, match, 1 - i, PT_T(INT));
            match->type = PT_T(DATE);
            return PT_OK;
        }
    }
    if (pt__has_type(x, PT_TYPE_DATE) && !pt__type_is_string(y->type) && !pt__type_same_kind(x->type, y->type))
        return fail_days(a, call, "date_add", err);
    return sum_of_numbers(a, call, match, err);
}

PT_RULE(subtract)
{
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    if ((pt__type_is_datetime(x->type) && (pt__type_is_datetime(y->type) || pt__type_is_string(y->type))) ||
        (pt__type_is_string(x->type) && pt__type_is_datetime(y->type))) {
        const pt_type *common = pt__common_type(a, x->type, y->type);
        if (common == NULL)
            return pt__fail_differing(a, call, err);
        pt__cast_both(a, match, common);
        match->type = common->id == PT_TYPE_DATE ? pt__type_interval(a->arena, PT_TYPE_INTERVAL_DAY_TIME, 0, 0)
                                                 : PT_T(INTERVAL_DAY_TIME);
        return PT_OK;
    }
    if (pt__type_is_datetime(y->type) && !pt__has_type(x, PT_TYPE_VOID))
        return pt__fail_differing(a, call, err);
    if (is_interval(x))
        return is_interval(y) || pt__has_type(y, PT_TYPE_VOID) ? pt__rule_add(a, call, match, err)
                                                               : pt__fail_differing(a, call, err);
    if (pt__has_type(x, PT_TYPE_DATE) && !is_days(y) && !is_interval(y))
        return fail_days(a, call, "date_sub", err);
    return pt__rule_add(a, call, match, err);
}

static pt_status scaled_interval(pt__analyzer *a, const pt_expr_call *call, pt__match *match, size_t at, pt_error *err)
{
    const pt_expr *number = call->arguments[1 - at];
    if (pt__type_is_string(number->type))
        pt__cast_argument(a, match, 1 - at, PT_T(DOUBLE));
    else if (!pt__type_is_numeric(number->type))
        return pt__mismatch(a, call, 1 - at, "\"NUMERIC\"", err);
    const pt_type *type = call->arguments[at]->type;
    match->type = type->id == PT_TYPE_INTERVAL_CALENDAR ? type : pt__type_simple(type->id);
    return PT_OK;
}

PT_RULE(multiply)
{
    for (size_t i = 0; i < 2; i++) {
        if (is_interval(call->arguments[i]))
            return scaled_interval(a, call, match, i, err);
    }
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match))
        PT_TRY(number_type(a, call, match, err));
    else
        match->type =
            pt__adjusted_decimal(a, match->arguments[0]->type->precision + match->arguments[1]->type->precision + 1,
                                 match->arguments[0]->type->scale + match->arguments[1]->type->scale);
    note_mode(call, match);
    return PT_OK;
}

PT_RULE(divide)
{
    match->nullable = true;
    if (is_interval(call->arguments[0]))
        return scaled_interval(a, call, match, 0, err);
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match)) {
        pt__cast_both(a, match, PT_T(DOUBLE));
        return PT_OK;
    }
    const pt_type *x = match->arguments[0]->type;
    const pt_type *y = match->arguments[1]->type;
    int32_t scale = x->scale + y->precision + 1 > 6 ? x->scale + y->precision + 1 : 6;
    match->type = pt__adjusted_decimal(a, x->precision - x->scale + y->scale + scale, scale);
    return PT_OK;
}

/* divide_down(x, y, scale): other dialects' quotient of decimals, cut to `scale` digits instead of rounded. */
PT_RULE(divide_down)
{
    bool has_scale = call->argument_count == 3 && call->arguments[2]->kind == PT_EXPR_LITERAL &&
                     call->arguments[2]->type->id == PT_TYPE_INT;
    bool has_decimals =
        has_scale && call->arguments[0]->type->id == PT_TYPE_DECIMAL && call->arguments[1]->type->id == PT_TYPE_DECIMAL;
    int64_t scale = has_decimals ? pt__expr_as_literal(call->arguments[2])->value.as.integer : -1;
    if (scale < 0 || scale > PT_DECIMAL_PRECISION_MAX)
        return pt__fail_differing(a, call, err);
    match->type = pt__type_decimal(a->arena, PT_DECIMAL_PRECISION_MAX, (int32_t)scale);
    return PT_OK;
}

PT_RULE(remainder)
{
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match)) {
        PT_TRY(number_type(a, call, match, err));
    } else {
        const pt_type *x = match->arguments[0]->type;
        const pt_type *y = match->arguments[1]->type;
        int32_t scale = x->scale > y->scale ? x->scale : y->scale;
        int32_t dx = x->precision - x->scale;
        int32_t dy = y->precision - y->scale;
        match->type = pt__adjusted_decimal(a, (dx < dy ? dx : dy) + scale, scale);
    }
    match->nullable = true;
    return PT_OK;
}

PT_RULE(integral_divide)
{
    match->nullable = true;
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    match->type = PT_T(LONG);
    if (is_interval(x) && x->type->id == y->type->id)
        return PT_OK;
    PT_TRY(require_numbers(a, call, err));
    if (is_real(x) || is_real(y))
        return pt__fail_wrong_type(a, call, operand_types(call), is_real(x) ? x->type : y->type, err);
    if (!cast_to_decimals(a, match)) {
        pt__cast_argument(a, match, 0, PT_T(LONG));
        pt__cast_argument(a, match, 1, PT_T(LONG));
    }
    return PT_OK;
}

PT_RULE(bitwise)
{
    const pt_type *common = pt__common_type(a, call->arguments[0]->type, call->arguments[1]->type);
    if (common != NULL && common->id == PT_TYPE_VOID)
        common = PT_T(INT);
    if (common == NULL)
        return pt__fail_differing(a, call, err);
    if (!pt__type_is_integral(common))
        return pt__fail_wrong_type(a, call, "\"INTEGRAL\"", common, err);
    pt__cast_both(a, match, common);
    return PT_OK;
}

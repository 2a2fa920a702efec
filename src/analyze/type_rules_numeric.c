/* Types of functions of one number: signs, rounding, and numbers read by a pattern. */
#include "analyze/constant.h"
#include "analyze/type_rules.h"

#include <string.h>

PT_RULE(same_numeric)
{
    const pt_type *type = call->arguments[0]->type;
    if (pt__type_is_string(type) || type->id == PT_TYPE_VOID)
        pt__cast_argument(a, match, 0, PT_T(DOUBLE));
    else if (!pt__type_is_numeric(type) && !pt__type_is_interval(type))
        return pt__mismatch(a, call, 0,
                            "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL\")",
                            err);
    match->type = match->arguments[0]->type;
    return PT_OK;
}

/* The digits to keep: a constant. */
static bool is_scale(const pt_expr *expr)
{
    return pt__expr_is_constant(expr) && (pt__type_is_integral(expr->type) || pt__has_type(expr, PT_TYPE_VOID));
}

/* How many: only the type of a decimal depends on it. NULL keeps none. */
static pt_status read_digits(const pt_expr_call *call, const pt_expr *scale, const pt_type *type, int64_t *out,
                             pt_error *err)
{
    const pt_expr *plain = scale->kind == PT_EXPR_CAST ? pt__expr_as_cast(scale)->child : scale;
    bool is_null = plain->kind == PT_EXPR_LITERAL && pt__expr_as_literal(plain)->value.is_null;
    *out = 0;
    if (pt__constant_integer(scale, out) || is_null || type->id != PT_TYPE_DECIMAL)
        return PT_OK;
    return pt__analyzer_fail(
        pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", "rounding a decimal to digits that are computed", NULL),
        call->base.origin, err);
}

PT_RULE(ceil)
{
    const pt_type *type = call->arguments[0]->type;
    if (!pt__is_numberish(call->arguments[0]))
        return pt__mismatch(a, call, 0, "(\"DECIMAL\" or \"DOUBLE\" or \"BIGINT\")", err);
    if (call->argument_count == 2) {
        const pt_type *decimal = pt__decimal_of(a, call->arguments[0]->type);
        const pt_expr *scale = call->arguments[1];
        if (!is_scale(scale))
            return pt__mismatch(a, call, 1, "\"INT\"", err);
        int64_t digits;
        PT_TRY(read_digits(call, scale, decimal, &digits, err));
        pt__cast_argument(a, match, 0, decimal);
        int32_t kept = digits < 0 ? 0 : digits < decimal->scale ? (int32_t)digits : decimal->scale;
        int32_t precision = decimal->precision - decimal->scale + kept + 1;
        if (digits < 0 && -digits + 1 > precision) /* what rounding up to a power of ten may need */
            precision = digits < -PT_DECIMAL_PRECISION_MAX ? PT_DECIMAL_PRECISION_MAX : (int32_t)-digits + 1;
        match->type = pt__bounded_decimal(a, precision, kept);
        return PT_OK;
    }
    if (type->id == PT_TYPE_DECIMAL) {
        match->type = pt__bounded_decimal(a, type->precision - type->scale + (type->scale > 0), 0);
    } else {
        if (!pt__type_is_integral(type))
            pt__cast_argument(a, match, 0, PT_T(DOUBLE));
        else
            pt__cast_argument(a, match, 0, PT_T(LONG));
        match->type = PT_T(LONG);
    }
    return PT_OK;
}

PT_RULE(round)
{
    if (!pt__is_numberish(call->arguments[0]))
        return pt__mismatch(a, call, 0, "\"NUMERIC\"", err);
    if (pt__type_is_string(call->arguments[0]->type) || pt__has_type(call->arguments[0], PT_TYPE_VOID))
        pt__cast_argument(a, match, 0, PT_T(DOUBLE));
    const pt_type *type = match->arguments[0]->type;
    int64_t digits = 0;
    if (call->argument_count == 2) {
        const pt_expr *scale = call->arguments[1];
        if (!pt__is_numberish(scale))
            return pt__mismatch(a, call, 1, "\"INT\"", err);
        pt__cast_argument(a, match, 1, PT_T(INT));
        PT_TRY(read_digits(call, match->arguments[1], type, &digits, err));
    }
    match->type = type;
    if (type->id == PT_TYPE_DECIMAL) {
        int32_t integer_digits = type->precision - type->scale + 1;
        if (digits < 0) {
            int32_t kept = (int32_t)-digits + 1 > integer_digits ? (int32_t)-digits + 1 : integer_digits;
            match->type = pt__bounded_decimal(a, kept, 0);
        } else {
            int32_t scale = digits < type->scale ? (int32_t)digits : type->scale;
            match->type = pt__bounded_decimal(a, integer_digits + scale, scale);
        }
    }
    return PT_OK;
}

/* The digits of the pattern make the decimal. */
PT_RULE(to_number)
{
    const pt_expr *pattern = call->arguments[1];
    if (pattern->kind != PT_EXPR_LITERAL || !pt__type_is_string(pattern->type))
        return pt__mismatch(a, call, 1, "\"STRING\"", err);
    pt__cast_argument(a, match, 0, PT_T(STRING));
    pt_text_view text = pt__expr_as_literal(pattern)->value.as.text;
    int32_t digits = 0;
    int32_t scale = 0;
    bool fraction = false;
    for (size_t i = 0; i < text.size_bytes; i++) {
        char c = text.data[i];
        fraction |= c == '.' || c == 'D' || c == 'd';
        digits += c == '0' || c == '9';
        scale += fraction && (c == '0' || c == '9');
    }
    match->type = pt__bounded_decimal(a, digits == 0 ? 1 : digits, scale);
    return PT_OK;
}

/* uniform(least, most, seed): the numbers become doubles for the computation. */
PT_RULE(uniform)
{
    size_t overloads;
    const pt_type *common = pt__common_type(a, call->arguments[0]->type, call->arguments[1]->type);
    bool is_plain = common != NULL && (common->id == PT_TYPE_INT || common->id == PT_TYPE_LONG ||
                                       common->id == PT_TYPE_FLOAT || common->id == PT_TYPE_DOUBLE);
    for (size_t i = 0; i < 3; i++) {
        if (!pt__expr_is_constant(call->arguments[i]))
            return pt__mismatch(a, call, i, "a constant", err);
    }
    bool has_void = call->arguments[0]->type->id == PT_TYPE_VOID || call->arguments[1]->type->id == PT_TYPE_VOID;
    if (!is_plain || has_void || !pt__type_is_integral(call->arguments[2]->type))
        return pt__analyzer_fail(pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                                           "uniform of other types than INT, BIGINT, FLOAT and DOUBLE", NULL),
                                 call->base.origin, err);
    for (size_t i = 0; i < 2; i++)
        match->arguments[i] = pt__make_cast(a, match->arguments[i], PT_T(DOUBLE), PT_CAST_ANSI, true);
    match->arguments[2] = pt__make_cast(a, match->arguments[2], PT_T(LONG), PT_CAST_ANSI, true);
    if (common->id == PT_TYPE_FLOAT)
        match->function = pt__function_find("uniform float", &overloads);
    else if (common->id != PT_TYPE_DOUBLE)
        match->function = pt__function_find(common->id == PT_TYPE_INT ? "uniform int" : "uniform integral", &overloads);
    match->type = common;
    match->nullable = false;
    return PT_OK;
}

/* The number or 0: of the type that holds both, a DOUBLE for a FLOAT. */
PT_RULE(zeroifnull)
{
    const pt_type *type = call->arguments[0]->type;
    if (!pt__is_numberish(call->arguments[0]))
        return pt__fail_data_differ(a, call, 0, PT_TYPES_WITH_COMMAS, err);
    if (type->id == PT_TYPE_VOID)
        type = PT_T(INT);
    else if (type->id == PT_TYPE_FLOAT)
        type = PT_T(DOUBLE);
    else
        type = pt__common_type(a, type, PT_T(INT));
    pt__cast_argument(a, match, 0, type);
    match->type = type;
    match->nullable = false;
    return PT_OK;
}

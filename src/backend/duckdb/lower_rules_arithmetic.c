/* Arithmetic, rounding and comparison in Spark's types, by DuckDB's operators where they give the same. */
#include "backend/duckdb/block.h"
#include "backend/duckdb/lower_datetime.h"
#include "backend/duckdb/lower_narrow.h"
#include "backend/duckdb/lower_rules.h"

#include <string.h>

/* ---- operators ---- */

static bool is_nonzero_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = pt__literal_below_casts(expr);
    if (literal == NULL || literal->value.is_null)
        return false;
    if (pt__type_is_integral(literal->base.type))
        return literal->value.as.integer != 0 && literal->value.as.integer != -1;
    if (literal->base.type->id == PT_TYPE_DECIMAL)
        return literal->value.as.decimal != 0;
    return (literal->base.type->id == PT_TYPE_DOUBLE || literal->base.type->id == PT_TYPE_FLOAT) &&
           literal->value.as.real != 0;
}

/* spark_decimal_<name>_<precision>_<scale>, which gives exactly the type of the result. */
static pt_status by_decimal_function(pt__lower *lower, const pt_expr_call *call, const char *name, pt_error *err)
{
    const pt_type *type = call->base.type;
    return pt__by_template(lower, call,
                           pt__arena_printf(lower->arena, "spark_decimal_%s_%d_%d({0}, {1}, %s)", name, type->precision,
                                            type->scale, pt__fails_to_null(call) ? "true" : "false"),
                           err);
}

/* Whether DuckDB's + and - give exactly Spark's type. */
static bool sum_is_native(const pt_type *a, const pt_type *b, const pt_type *result)
{
    if (a->id != PT_TYPE_DECIMAL || b->id != PT_TYPE_DECIMAL)
        return false;
    int scale = a->scale > b->scale ? a->scale : b->scale;
    int whole = a->precision - a->scale > b->precision - b->scale ? a->precision - a->scale : b->precision - b->scale;
    return whole + scale + 1 < PT_DECIMAL_PRECISION_MAX && result->scale == scale;
}

/* DuckDB keeps a product of two short decimals in 18 digits; of longer ones ours is the faster, too. */
static pt_status multiply_decimals(pt__lower *lower, const pt_expr_call *call, pt_error *err)
{
    const pt_type *a = pt__type_of_argument(call, 0);
    const pt_type *b = pt__type_of_argument(call, 1);
    bool exact = call->base.type->scale == a->scale + b->scale;
    if (exact && a->precision + b->precision <= 18)
        return pt__by_template(lower, call, "CAST(({0} * {1}) AS {r})", err);
    return by_decimal_function(lower, call, "multiply", err);
}

/* The operator that a function of the table stands for. */
static const char *operator_of(const pt_expr_call *call)
{
    static const struct {
        const char *name;
        const char *op;
    } NAMES[] = {{"try_add", "+"}, {"try_subtract", "-"}, {"try_multiply", "*"}, {"try_divide", "/"}, {"try_mod", "%"}};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (pt__is_function(call, NAMES[i].name))
            return NAMES[i].op;
    }
    return call->function->name;
}

static pt_status by_datetime(pt__lower *lower, const pt_expr_call *call, const char *template, pt_error *err)
{
    if (call->mode == PT_CAST_TRY)
        template = pt__arena_printf(lower->arena, "TRY(%s)", template);
    return pt__by_template(lower, call, template, err);
}

PT_LOWERING(arithmetic)
{
    (void)form;
    const char *op = operator_of(call);
    const char *datetime = pt__datetime_template(lower, call, op);
    if (datetime != NULL)
        return by_datetime(lower, call, datetime, err);
    bool is_multiply = strcmp(op, "*") == 0;
    const char *name = is_multiply ? "multiply" : strcmp(op, "+") == 0 ? "add" : "subtract";
    if (pt__gives_decimal(call)) {
        if (pt__narrow_fits(lower, call)) {
            lower->used_narrow = true;
            return pt__by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
        }
        if (is_multiply && pt__type_of_argument(call, 0)->id == PT_TYPE_DECIMAL &&
            pt__type_of_argument(call, 1)->id == PT_TYPE_DECIMAL)
            return multiply_decimals(lower, call, err);
        if (!is_multiply &&
            sum_is_native(pt__type_of_argument(call, 0), pt__type_of_argument(call, 1), call->base.type))
            return pt__by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
        return by_decimal_function(lower, call, name, err);
    }
    bool wraps = pt__type_is_integral(call->base.type) && call->mode != PT_CAST_ANSI;
    if (wraps)
        return pt__by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s_{m}({0}, {1})", name), err);
    return pt__by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
}

PT_LOWERING(divide)
{
    (void)form;
    const char *datetime = pt__datetime_template(lower, call, "/");
    if (datetime != NULL)
        return by_datetime(lower, call, datetime, err);
    if (pt__gives_decimal(call))
        return by_decimal_function(lower, call, "divide", err);
    if (is_nonzero_literal(call->arguments[1]))
        return pt__by_template(lower, call, "({0} / {1})", err);
    if (pt__fails_to_null(call))
        return pt__by_template(lower, call, "({0} / nullif({1}, 0))", err);
    return pt__by_template(lower, call, "spark_divide_ansi({0}, {1})", err);
}

PT_LOWERING(divide_down)
{
    (void)form;
    return by_decimal_function(lower, call, "divide_down", err);
}

PT_LOWERING(integral_divide)
{
    (void)form;
    if (pt__type_of_argument(call, 0)->id == PT_TYPE_DECIMAL)
        return pt__by_template(lower, call, "spark_decimal_integral_divide_{m}({0}, {1})", err);
    if (is_nonzero_literal(call->arguments[1]))
        return pt__by_template(lower, call, "({0}::BIGINT // {1}::BIGINT)", err);
    return pt__by_template(lower, call, "spark_integral_divide_{m}({0}::BIGINT, {1}::BIGINT)", err);
}

PT_LOWERING(remainder)
{
    (void)form;
    const char *name = pt__is_function(call, "pmod") ? "pmod" : "remainder";
    if (pt__gives_decimal(call))
        return by_decimal_function(lower, call, name, err);
    if (name[0] == 'r' && pt__type_is_integral(call->base.type) && is_nonzero_literal(call->arguments[1]))
        return pt__by_template(lower, call, "({0} % {1})", err);
    return pt__by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s_{m}({0}, {1})", name), err);
}

/* ---- rounding ---- */

/* The digits, when DuckDB's own rounding of decimals, half away from zero, is what is asked for; else -1. */
static int native_digits(const pt_expr_call *call)
{
    int scale = pt__type_of_argument(call, 0)->scale;
    if (call->argument_count == 1)
        return scale > 0 ? 0 : -1;
    const pt_expr_literal *digits = pt__literal_below_casts(call->arguments[1]);
    if (digits == NULL || digits->value.is_null || !pt__type_is_integral(digits->base.type))
        return -1;
    int64_t value = digits->value.as.integer;
    return value >= 0 && value < scale && call->base.type->scale == value ? (int)value : -1;
}

PT_LOWERING(round)
{
    (void)form;
    bool has_digits = call->argument_count > 1;
    const char *digits = has_digits ? "{1}::INTEGER" : "0::INTEGER";
    bool half_even = pt__is_function(call, "bround");
    if (pt__type_of_argument(call, 0)->id == PT_TYPE_DECIMAL) {
        const pt_type *type = call->base.type;
        int native = half_even ? -1 : native_digits(call);
        if (native >= 0)
            return pt__by_template(lower, call, pt__arena_printf(lower->arena, "CAST(round({0}, %d) AS {r})", native),
                                   err);
        return pt__by_template(lower, call,
                               pt__arena_printf(lower->arena, "spark_decimal_round_%d_%d({0}, %s, %d::TINYINT)",
                                                type->precision, type->scale, digits, half_even ? 2 : 3),
                               err);
    }
    const char *name = half_even ? "bround" : "round";
    return pt__by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s_{m}({0}, %s)", name, digits), err);
}

PT_LOWERING(ceil)
{
    (void)form;
    bool is_floor = pt__is_function(call, "floor");
    if (pt__type_of_argument(call, 0)->id == PT_TYPE_DECIMAL) {
        const pt_type *type = call->base.type;
        if (call->argument_count == 1 && pt__type_of_argument(call, 0)->scale > 0)
            return pt__by_template(lower, call, is_floor ? "CAST(floor({0}) AS {r})" : "CAST(ceil({0}) AS {r})", err);
        const char *digits = call->argument_count > 1 ? "{1}::INTEGER" : "0::INTEGER";
        return pt__by_template(lower, call,
                               pt__arena_printf(lower->arena, "spark_decimal_round_%d_%d({0}, %s, %d::TINYINT)",
                                                type->precision, type->scale, digits, is_floor ? 11 : 10),
                               err);
    }
    if (pt__type_is_integral(pt__type_of_argument(call, 0)))
        return pt__by_template(lower, call, "CAST({0} AS {r})", err);
    return pt__by_template(lower, call, is_floor ? "spark_floor({0}::DOUBLE)" : "spark_ceil({0}::DOUBLE)", err);
}

/* ---- comparison, numbers out of text ---- */

PT_LOWERING(compare)
{
    (void)form;
    const char *op = call->function->name;
    if (strcmp(op, "<=>") == 0)
        op = "IS NOT DISTINCT FROM";
    else if (strcmp(op, "==") == 0)
        op = "=";
    else if (strcmp(op, "!=") == 0)
        op = "<>";
    if (pt__orders_by_key(pt__type_of_argument(call, 0)) && (op[0] == '<' || op[0] == '>') && strcmp(op, "<>") != 0)
        return pt__by_template(lower, call, pt__arena_printf(lower->arena, "(spark_compare({0}, {1}) %s 0)", op), err);
    return pt__by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
}

PT_LOWERING(to_number)
{
    (void)form;
    return pt__by_template(lower, call, "CAST(spark_to_number_{m}({0}, {1}) AS {r})", err);
}

/*
 * Arithmetic in Spark's types. DataFusion's integers wrap around, so that a result that may not fit is computed in a
 * wider type and cast back, which fails as it should. Decimals are computed in 128 bits where every digit fits, else
 * in 256, and rounded half up by a cast.
 */
#include "backend/ballista/lower_rules.h"

#include <string.h>

enum { DECIMAL_MAX = 38, DIVISION_DIGITS = 4 /* that Arrow's division adds to the dividend's scale */ };

bool pt__bl_fails_to_null(const pt_expr_call *call)
{
    return call->mode == PT_CAST_TRY || call->mode == PT_CAST_LEGACY;
}

static bool is_function(const pt_expr_call *call, const char *name)
{
    return pt__bl_is_call(&call->base, name);
}

/* The operator that a function stands for: '+', '-', '*', '/', '%', or 'p' for pmod. */
static char operator_of(const pt_expr_call *call)
{
    const char *name = call->function->name;
    if (strncmp(name, "try_", 4) == 0)
        name += 4;
    if (strcmp(name, "pmod") == 0)
        return 'p';
    if (strcmp(name, "mod") == 0)
        return '%';
    if (strcmp(name, "add") == 0)
        return '+';
    if (strcmp(name, "subtract") == 0)
        return '-';
    if (strcmp(name, "multiply") == 0)
        return '*';
    return strcmp(name, "divide") == 0 ? '/' : name[0];
}

static const char *word_of(char op)
{
    return op == '+' ? "Plus" : op == '-' ? "Minus" : op == '*' ? "Multiply" : op == '/' ? "Divide" : "Modulo";
}

/* ---- integers ---- */

static int type_bits(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_BYTE: return 7;
    case PT_TYPE_SHORT: return 15;
    case PT_TYPE_INT: return 31;
    default: return 63;
    }
}

static int value_bits(int64_t value)
{
    uint64_t size = value < 0 ? (uint64_t)~value : (uint64_t)value;
    int bits = 0;
    for (; size != 0; size >>= 1)
        bits++;
    return bits;
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static int largest_of(const pt_expr *const *items, size_t count, size_t first, size_t step)
{
    int most = 0;
    for (size_t i = first; i < count; i += step) {
        int bits = pt__bl_bits(items[i]);
        most = bits > most ? bits : most;
    }
    return most;
}

static int case_bits(const pt_expr_case *expr)
{
    int most = expr->otherwise == NULL ? 0 : pt__bl_bits(expr->otherwise);
    for (size_t i = 0; i < expr->branch_count; i++) {
        int bits = pt__bl_bits(expr->branches[i].value);
        most = bits > most ? bits : most;
    }
    return most;
}

static int call_bits(const pt_expr_call *call, int most)
{
    if (is_function(call, "when")) {
        int bits = largest_of(call->arguments, call->argument_count - 1, 1, 2);
        int last = pt__bl_bits(call->arguments[call->argument_count - 1]);
        return at_most(most, bits > last ? bits : last);
    }
    if (is_function(call, "if"))
        return at_most(most, largest_of(call->arguments, call->argument_count, 1, 1));
    if (is_function(call, "coalesce"))
        return at_most(most, largest_of(call->arguments, call->argument_count, 0, 1));
    if (call->mode == PT_CAST_LEGACY || call->argument_count != 2)
        return most;
    char op = operator_of(call);
    int a = pt__bl_bits(call->arguments[0]);
    int b = pt__bl_bits(call->arguments[1]);
    if ((op == '+' || op == '-') && call->function->name[1] == '\0')
        return at_most(most, (a > b ? a : b) + 1);
    if (op == '*' && call->function->name[1] == '\0')
        return at_most(most, a + b);
    return most;
}

int pt__bl_bits(const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_ALIAS)
        return pt__bl_bits(pt__expr_as_alias(expr)->child);
    if (!pt__type_is_integral(expr->type))
        return 63;
    int most = type_bits(expr->type);
    if (expr->kind == PT_EXPR_LITERAL) {
        const pt_value *value = &pt__expr_as_literal(expr)->value;
        return value->is_null ? 0 : value_bits(value->as.integer);
    }
    if (expr->kind == PT_EXPR_CAST && pt__type_is_integral(pt__expr_as_cast(expr)->child->type))
        return at_most(most, pt__bl_bits(pt__expr_as_cast(expr)->child));
    if (expr->kind == PT_EXPR_CASE)
        return case_bits(pt__expr_as_case(expr));
    return expr->kind == PT_EXPR_CALL ? call_bits(pt__expr_as_call(expr), most) : most;
}

/* Down to the type of the result; what does not fit fails, or is NULL. */
static const pt__bx *narrow(pt__bl *bl, const pt_expr_call *call, const pt__bx *x)
{
    pt__btype *type = pt__btype_of(bl->arena, call->base.type);
    return call->mode == PT_CAST_TRY ? pt__bx_try_cast(bl->arena, x, type) : pt__bx_cast(bl->arena, x, type);
}

static const pt__bx *integers(pt__bl *bl, const pt_expr_call *call, char op, const pt__bx *a, const pt__bx *b)
{
    int x = pt__bl_bits(call->arguments[0]);
    int y = pt__bl_bits(call->arguments[1]);
    int need = op == '*' ? x + y : (x > y ? x : y) + 1;
    const char *word = word_of(op);
    if (call->mode == PT_CAST_LEGACY || need <= type_bits(call->base.type))
        return pt__bx_binary(bl->arena, word, a, b);
    pt__btype *wide = pt__btype_named(bl->arena, need <= 63 ? "int64" : "decimal20");
    const pt__bx *wide_a = pt__bx_cast(bl->arena, a, wide);
    const pt__bx *wide_b = pt__bx_cast(bl->arena, b, wide);
    return narrow(bl, call, pt__bx_binary(bl->arena, word, wide_a, wide_b));
}

/* ---- decimals ---- */

typedef struct digits {
    int whole;
    int scale;
} digits;

static digits digits_of(const pt_type *type)
{
    return (digits){type->precision - type->scale, type->scale};
}

static const pt__bx *to_decimal(pt__bl *bl, const pt__bx *x, int precision, int scale)
{
    if (precision > DECIMAL_MAX)
        return pt__bx_cast(bl->arena, x, pt__btype_decimal256(bl->arena, precision, scale));
    return pt__bx_cast(bl->arena, x, pt__btype_of(bl->arena, pt__type_decimal(bl->arena, precision, scale)));
}

static const pt__bx *fit(pt__bl *bl, const pt__bx *x, const pt_type *type, bool to_null)
{
    pt__btype *arrow = pt__btype_of(bl->arena, type);
    return to_null ? pt__bx_try_cast(bl->arena, x, arrow) : pt__bx_cast(bl->arena, x, arrow);
}

static const pt__bx *in_256(pt__bl *bl, const pt__bx *x, const pt_type *type)
{
    return pt__bx_cast(bl->arena, x, pt__btype_decimal256(bl->arena, type->precision, type->scale));
}

static pt_status decimals(pt__bl *bl, const pt_expr_call *call, char op, const pt__bx *a, const pt__bx *b,
                          const pt__bx **out, pt_error *err)
{
    const pt_type *x = pt__bl_type_of(call, 0);
    const pt_type *y = pt__bl_type_of(call, 1);
    if (x->id != PT_TYPE_DECIMAL || y->id != PT_TYPE_DECIMAL)
        return pt__bl_refuse(err, call->base.origin, "arithmetic of a decimal with another type");
    digits m = digits_of(x);
    digits n = digits_of(y);
    int scale = op == '*' ? m.scale + n.scale : m.scale > n.scale ? m.scale : n.scale;
    int whole = op == '*' ? m.whole + n.whole : (m.whole > n.whole ? m.whole : n.whole) + 1;
    bool fits = whole + scale <= DECIMAL_MAX;
    const pt__bx *value = fits ? pt__bx_binary(bl->arena, word_of(op), a, b)
                               : pt__bx_binary(bl->arena, word_of(op), in_256(bl, a, x), in_256(bl, b, y));
    *out = fit(bl, value, call->base.type, pt__bl_fails_to_null(call));
    return PT_OK;
}

/* One digit more than the result has is computed and cut off, then the cast rounds. */
const pt__bx *pt__bl_divide_decimals(pt__bl *bl, const pt__bx *a, const pt_type *a_type, const pt__bx *b,
                                     const pt_type *b_type, const pt_type *result, bool to_null)
{
    int scale = result->scale + 1 - DIVISION_DIGITS;
    scale = scale < a_type->scale ? a_type->scale : scale;
    int whole = a_type->precision - a_type->scale;
    /* The dividend times a power of ten: its own digits, those of the division and the divisor's scale. */
    bool fits = whole + scale + DIVISION_DIGITS + b_type->scale <= DECIMAL_MAX &&
                whole + b_type->scale + scale + DIVISION_DIGITS <= DECIMAL_MAX;
    if (!fits) {
        a = pt__bx_cast(bl->arena, a, pt__btype_decimal256(bl->arena, whole + scale, scale));
        b = in_256(bl, b, b_type);
    } else if (scale != a_type->scale) {
        a = to_decimal(bl, a, whole + scale, scale);
    }
    return fit(bl, pt__bx_binary(bl->arena, "Divide", a, b), result, to_null);
}

/* ---- dates and times ---- */

static bool literal_integer(const pt_expr *expr, int64_t *out)
{
    const pt_expr_literal *literal = pt__bl_literal(expr);
    if (literal == NULL || literal->value.is_null ||
        !(pt__type_is_integral(literal->base.type) || pt__type_is_interval(literal->base.type)) ||
        literal->base.type->id == PT_TYPE_INTERVAL_CALENDAR)
        return false;
    *out = literal->value.as.integer;
    return true;
}

/* A date plus or minus a number of days. */
static const pt__bx *move_days(pt__bl *bl, const pt__bx *date, const pt__bx *days, const char *word)
{
    pt__arena *arena = bl->arena;
    pt__btype *wide = pt__btype_named(arena, "int64");
    const pt__bx *number = pt__bx_cast(arena, date, pt__btype_named(arena, "int32"));
    number = pt__bx_binary(arena, word, pt__bx_cast(arena, number, wide), pt__bx_cast(arena, days, wide));
    return pt__bx_cast(arena, pt__bx_cast(arena, number, pt__btype_named(arena, "int32")),
                       pt__btype_named(arena, "date32"));
}

static const pt__bx *move_months(pt__bl *bl, const pt__bx *date, int64_t months, const pt_type *type)
{
    const pt__bx *moved = pt__bx_binary(bl->arena, "Plus", date, pt__bx_interval(bl->arena, (int32_t)months, 0));
    return pt__bx_cast(bl->arena, moved, pt__btype_of(bl->arena, type));
}

static const pt__bx *move_instant(pt__bl *bl, const pt__bx *x, const pt__bx *us, const char *word, const pt_type *type)
{
    pt__arena *arena = bl->arena;
    pt__btype *wide = pt__btype_named(arena, "decimal20");
    const pt__bx *number = pt__bx_cast(arena, pt__bx_cast(arena, x, pt__btype_named(arena, "int64")), wide);
    number = pt__bx_binary(arena, word, number, pt__bx_cast(arena, us, wide));
    return pt__bx_cast(arena, pt__bx_cast(arena, number, pt__btype_named(arena, "int64")), pt__btype_of(arena, type));
}

static pt_status move(pt__bl *bl, const pt_expr_call *call, char op, size_t at, const pt__bx *const *x,
                      const pt__bx **out, pt_error *err)
{
    const pt_type *type = pt__bl_type_of(call, at);
    const pt_type *interval = pt__bl_type_of(call, 1 - at);
    int64_t amount = 0;
    bool is_known = literal_integer(call->arguments[1 - at], &amount);
    int64_t sign = op == '-' ? -1 : 1;
    bool is_local = type->id != PT_TYPE_TIMESTAMP || bl->is_utc;
    if (interval->id == PT_TYPE_INTERVAL_YEAR_MONTH && is_known && is_local) {
        *out = move_months(bl, x[at], sign * amount, call->base.type);
        return PT_OK;
    }
    bool whole_days = is_known && amount % INT64_C(86400000000) == 0;
    if (interval->id == PT_TYPE_INTERVAL_DAY_TIME && type->id == PT_TYPE_DATE && whole_days &&
        call->base.type->id == PT_TYPE_DATE) {
        *out = move_days(bl, x[at], pt__bx_int64(bl->arena, sign * (amount / INT64_C(86400000000))), "Plus");
        return PT_OK;
    }
    if (interval->id == PT_TYPE_INTERVAL_DAY_TIME && type->id != PT_TYPE_DATE && is_local) {
        *out = move_instant(bl, x[at], x[1 - at], word_of(op), call->base.type);
        return PT_OK;
    }
    return pt__bl_refuse(err, call->base.origin, "this arithmetic of a date or timestamp with an interval");
}

static pt_status difference(pt__bl *bl, const pt_expr_call *call, const pt__bx *const *x, const pt__bx **out,
                            pt_error *err)
{
    pt__arena *arena = bl->arena;
    pt__btype *wide = pt__btype_named(arena, "int64");
    pt_type_id a = pt__bl_type_of(call, 0)->id;
    if (a != pt__bl_type_of(call, 1)->id || call->base.type->id != PT_TYPE_INTERVAL_DAY_TIME ||
        (a == PT_TYPE_TIMESTAMP && !bl->is_utc))
        return pt__bl_refuse(err, call->base.origin, "this difference of dates or timestamps");
    bool is_date = a == PT_TYPE_DATE;
    const pt__bx *sides[2];
    for (int i = 0; i < 2; i++) {
        sides[i] = is_date ? pt__bx_cast(arena, x[i], pt__btype_named(arena, "int32")) : x[i];
        sides[i] = pt__bx_cast(arena, sides[i], wide);
    }
    *out = pt__bx_binary(arena, "Minus", sides[0], sides[1]);
    if (is_date)
        *out = pt__bx_binary(arena, "Multiply", *out, pt__bx_int64(arena, INT64_C(86400000000)));
    return PT_OK;
}

static bool has_time(const pt_expr_call *call)
{
    for (size_t i = 0; i < call->argument_count; i++) {
        const pt_type *type = pt__bl_type_of(call, i);
        if (pt__type_is_datetime(type) || pt__type_is_interval(type))
            return true;
    }
    return false;
}

static pt_status times(pt__bl *bl, const pt_expr_call *call, char op, const pt__bx *const *x, const pt__bx **out,
                       pt_error *err)
{
    const pt_type *a = pt__bl_type_of(call, 0);
    const pt_type *b = pt__bl_type_of(call, 1);
    bool moves = op == '+' || op == '-';
    if (moves && pt__type_is_datetime(a) && pt__type_is_interval(b))
        return move(bl, call, op, 0, x, out, err);
    if (op == '+' && pt__type_is_interval(a) && pt__type_is_datetime(b))
        return move(bl, call, op, 1, x, out, err);
    if (op == '-' && pt__type_is_datetime(a) && pt__type_is_datetime(b))
        return difference(bl, call, x, out, err);
    if (moves && a->id == PT_TYPE_DATE && pt__type_is_integral(b) && call->base.type->id == PT_TYPE_DATE) {
        *out = move_days(bl, x[0], x[1], word_of(op));
        return PT_OK;
    }
    return pt__bl_refuse(err, call->base.origin, "arithmetic of intervals");
}

PT_BL_LOWERING(arithmetic)
{
    char op = operator_of(call);
    if (has_time(call))
        return times(bl, call, op, x, out, err);
    if (call->base.type->id == PT_TYPE_DECIMAL)
        return decimals(bl, call, op, x[0], x[1], out, err);
    if (pt__type_is_integral(call->base.type))
        *out = integers(bl, call, op, x[0], x[1]);
    else
        *out = pt__bx_binary(bl->arena, word_of(op), x[0], x[1]);
    return PT_OK;
}

/* ---- division ---- */

static bool is_nonzero(const pt_expr *expr)
{
    const pt_expr_literal *literal = pt__bl_literal(expr);
    if (literal == NULL || literal->value.is_null)
        return false;
    if (pt__type_is_integral(literal->base.type))
        return literal->value.as.integer != 0 && literal->value.as.integer != -1;
    if (literal->base.type->id == PT_TYPE_DECIMAL)
        return literal->value.as.decimal != 0;
    return pt__bl_is_float(literal->base.type) && literal->value.as.real != 0;
}

static const pt__bx *zero_of(pt__bl *bl, const pt_type *type)
{
    return pt__bx_cast(bl->arena, pt__bx_int32(bl->arena, 0), pt__btype_of(bl->arena, type));
}

/* -0.0 is no 0.0 for DataFusion. */
static const pt__bx *is_zero(pt__bl *bl, const pt__bx *x, const pt_type *type)
{
    if (!pt__bl_is_float(type))
        return pt__bx_binary(bl->arena, "Eq", x, zero_of(bl, type));
    return pt__bx_binary(bl->arena, "Eq", pt__bx_call1(bl->arena, "abs", x), zero_of(bl, type));
}

/* `value` where the divisor is not zero; else the error, or NULL. */
static const pt__bx *guard_zero(pt__bl *bl, const pt_expr_call *call, const pt__bx *divisor, const pt__bx *value,
                                const char *condition)
{
    if (is_nonzero(call->arguments[1]))
        return value;
    pt__btype *type = pt__btype_of(bl->arena, call->base.type);
    const pt__bx *other =
        pt__bl_fails_to_null(call)
            ? pt__bx_null(bl->arena, type)
            : pt__bx_raise(bl->arena, condition, "{\"config\":\"\\\"spark.sql.ansi.enabled\\\"\"}", divisor, type);
    return pt__bx_if(bl->arena, is_zero(bl, divisor, pt__bl_type_of(call, 1)), other, value);
}

PT_BL_LOWERING(divide)
{
    const pt_type *a = pt__bl_type_of(call, 0);
    const pt_type *b = pt__bl_type_of(call, 1);
    const pt__bx *value;
    if (has_time(call))
        return times(bl, call, '/', x, out, err);
    if (call->base.type->id == PT_TYPE_DECIMAL) {
        if (a->id != PT_TYPE_DECIMAL || b->id != PT_TYPE_DECIMAL)
            return pt__bl_refuse(err, call->base.origin, "division of a decimal by another type");
        value = pt__bl_divide_decimals(bl, x[0], a, x[1], b, call->base.type, pt__bl_fails_to_null(call));
    } else {
        value = pt__bx_binary(bl->arena, "Divide", x[0], x[1]);
    }
    *out = guard_zero(bl, call, x[1], value, "DIVIDE_BY_ZERO");
    return PT_OK;
}

PT_BL_LOWERING(integral_divide)
{
    if (!pt__type_is_integral(pt__bl_type_of(call, 0)) || !pt__type_is_integral(pt__bl_type_of(call, 1)) ||
        call->mode == PT_CAST_LEGACY)
        return pt__bl_refuse(err, call->base.origin, "div of other types than integers");
    pt__btype *wide = pt__btype_named(bl->arena, "int64");
    const pt__bx *value = pt__bx_binary(bl->arena, "Divide", pt__bx_cast(bl->arena, x[0], wide),
                                        pt__bx_cast(bl->arena, x[1], wide)); /* MIN div -1 fails */
    *out = guard_zero(bl, call, x[1], value, "DIVIDE_BY_ZERO");
    return PT_OK;
}

/* The smallest number % -1 fails for DataFusion and is 0. */
static const pt__bx *integer_remainder(pt__bl *bl, const pt_expr *divisor, const pt_type *type, const pt__bx *a,
                                       const pt__bx *b)
{
    const pt__bx *plain = pt__bx_binary(bl->arena, "Modulo", a, b);
    if (is_nonzero(divisor))
        return plain;
    const pt__bx *minus = pt__bx_cast(bl->arena, pt__bx_int32(bl->arena, -1), pt__btype_of(bl->arena, type));
    return pt__bx_if(bl->arena, pt__bx_binary(bl->arena, "Eq", b, minus), zero_of(bl, type), plain);
}

static pt_status decimal_remainder(pt__bl *bl, const pt_expr_call *call, const pt__bx *const *x, const pt__bx **out,
                                   pt_error *err)
{
    const pt_type *a = pt__bl_type_of(call, 0);
    const pt_type *b = pt__bl_type_of(call, 1);
    if (a->id != PT_TYPE_DECIMAL || b->id != PT_TYPE_DECIMAL)
        return pt__bl_refuse(err, call->base.origin, "the remainder of a decimal and another type");
    int scale = a->scale > b->scale ? a->scale : b->scale;
    bool fits = a->precision - a->scale + scale <= DECIMAL_MAX && b->precision - b->scale + scale <= DECIMAL_MAX;
    const pt__bx *value = fits ? pt__bx_binary(bl->arena, "Modulo", x[0], x[1])
                               : pt__bx_binary(bl->arena, "Modulo", in_256(bl, x[0], a), in_256(bl, x[1], b));
    *out = fit(bl, value, call->base.type, pt__bl_fails_to_null(call));
    return PT_OK;
}

/* Of a negative remainder r: (r + n) % n; the sum has no more bits than n. */
static const pt__bx *positive_part(pt__bl *bl, const pt_expr_call *call, const pt__bx *r, const pt__bx *n)
{
    const pt_type *type = call->base.type;
    const pt__bx *sum = pt__bx_binary(bl->arena, "Plus", r, n);
    bool is_integer = pt__type_is_integral(type);
    const pt__bx *again = is_integer ? integer_remainder(bl, call->arguments[1], type, sum, n)
                                     : pt__bx_binary(bl->arena, "Modulo", sum, n);
    return pt__bx_if(bl->arena, pt__bx_binary(bl->arena, "Lt", r, zero_of(bl, type)), again, r);
}

PT_BL_LOWERING(remainder)
{
    const pt_type *type = call->base.type;
    bool is_pmod = operator_of(call) == 'p';
    if (pt__bl_is_float(type) && is_pmod)
        return pt__bl_refuse(err, call->base.origin, "pmod of floating-point numbers");
    if (type->id == PT_TYPE_DECIMAL) {
        if (is_pmod)
            return pt__bl_refuse(err, call->base.origin, "pmod of decimals");
        PT_TRY(decimal_remainder(bl, call, x, out, err));
    } else if (pt__type_is_integral(type)) {
        *out = integer_remainder(bl, call->arguments[1], type, x[0], x[1]);
    } else {
        *out = pt__bx_binary(bl->arena, "Modulo", x[0], x[1]);
    }
    if (is_pmod && pt__bl_bits(call->arguments[1]) < type_bits(type))
        *out = positive_part(bl, call, *out, x[1]);
    else if (is_pmod)
        return pt__bl_refuse(err, call->base.origin, "pmod by a number that is no small literal");
    *out = guard_zero(bl, call, x[1], *out, "REMAINDER_BY_ZERO");
    return PT_OK;
}

/* ---- one operand ---- */

PT_BL_LOWERING(negative)
{
    const pt_type *type = call->base.type;
    if (!pt__type_is_integral(type) || call->mode == PT_CAST_LEGACY ||
        pt__bl_bits(call->arguments[0]) < type_bits(type)) {
        (void)err;
        *out = pt__bx_negative(bl->arena, x[0]);
        return PT_OK;
    }
    pt__btype *wide = pt__btype_named(bl->arena, "decimal20");
    const pt__bx *zero = pt__bx_cast(bl->arena, pt__bx_int32(bl->arena, 0), wide);
    *out = narrow(bl, call, pt__bx_binary(bl->arena, "Minus", zero, pt__bx_cast(bl->arena, x[0], wide)));
    return PT_OK;
}

PT_BL_LOWERING(abs)
{
    if (call->mode == PT_CAST_LEGACY)
        return pt__bl_refuse(err, call->base.origin, "abs of integers without ANSI mode");
    *out = pt__bx_call1(bl->arena, "abs", x[0]);
    return PT_OK;
}

/* Counts are taken modulo the width. */
PT_BL_LOWERING(shift)
{
    (void)err;
    const char *name = call->function->name;
    bool is_left = strcmp(name, "<<") == 0 || strcmp(name, "shiftleft") == 0;
    bool is_long = call->base.type->id == PT_TYPE_LONG;
    pt__btype *type = pt__btype_of(bl->arena, call->base.type);
    const pt__bx *count = pt__bx_binary(bl->arena, "BitwiseAnd", x[1], pt__bx_int32(bl->arena, is_long ? 63 : 31));
    *out = pt__bx_binary(bl->arena, is_left ? "BitwiseShiftLeft" : "BitwiseShiftRight", x[0],
                         pt__bx_cast(bl->arena, count, type));
    return PT_OK;
}

/* ---- rounding ---- */

static bool digits_given(const pt_expr_call *call, int64_t *out)
{
    *out = 0;
    return call->argument_count < 2 || literal_integer(call->arguments[1], out);
}

/*
 * By the shortest text of the number, half up. Arrow writes it without an exponent from 10^-5 to 10^16: what is
 * smaller rounds to 0, what is larger has no fraction.
 */
static const pt__bx *round_real(pt__bl *bl, const pt__bx *x, int places)
{
    pt__arena *arena = bl->arena;
    pt__btype *text = pt__btype_named(arena, "utf8");
    const pt__bx *size = pt__bx_call1(arena, "abs", x);
    const pt__bx *rounded = to_decimal(bl, pt__bx_cast(arena, x, text), DECIMAL_MAX, places);
    rounded = pt__bx_cast(arena, pt__bx_cast(arena, rounded, text), pt__btype_named(arena, "float64"));
    /* NaN and infinities are not below the limit. */
    const pt__bx *pairs[] = {pt__bx_is_null(arena, x),
                             x,
                             pt__bx_call1(arena, "isnan", x),
                             x,
                             pt__bx_binary(arena, "GtEq", size, pt__bx_double(arena, 1e15)),
                             x,
                             pt__bx_binary(arena, "Lt", size, pt__bx_double(arena, 1e-5)),
                             pt__bx_double(arena, 0)};
    return pt__bx_case(arena, pairs, 4, rounded);
}

PT_BL_LOWERING(round)
{
    const pt_type *from = pt__bl_type_of(call, 0);
    const pt_type *type = call->base.type;
    int64_t places;
    if (!digits_given(call, &places) || places < 0)
        return pt__bl_refuse(err, call->base.origin, "round to a number of digits that is negative or no literal");
    if (pt__type_is_integral(from) && pt__type_same_kind(from, type)) {
        *out = x[0];
        return PT_OK;
    }
    if (from->id == PT_TYPE_DECIMAL && type->id == PT_TYPE_DECIMAL &&
        (type->scale == places || places >= from->scale)) {
        *out = fit(bl, x[0], type, pt__bl_fails_to_null(call));
        return PT_OK;
    }
    if (from->id == PT_TYPE_DOUBLE && type->id == PT_TYPE_DOUBLE && places <= 4) {
        *out = round_real(bl, x[0], (int)places);
        return PT_OK;
    }
    return pt__bl_refuse(err, call->base.origin, "this rounding of a floating-point number");
}

/* The nearest whole number, and one to the other side where that is on the wrong one. */
static pt_status whole_decimal(pt__bl *bl, const pt_expr_call *call, const pt__bx *x, bool is_floor, const pt__bx **out,
                               pt_error *err)
{
    const pt_type *from = pt__bl_type_of(call, 0);
    if (call->argument_count > 1 || call->base.type->id != PT_TYPE_DECIMAL || call->base.type->scale != 0)
        return pt__bl_refuse(err, call->base.origin, "ceil or floor to a number of digits");
    pt__arena *arena = bl->arena;
    const pt__bx *nearest = to_decimal(bl, x, at_most(from->precision - from->scale + 1, DECIMAL_MAX), 0);
    const pt__bx *one = pt__bx_cast(arena, pt__bx_int32(arena, 1), pt__btype_named(arena, "decimal20"));
    int precision = at_most(from->precision + 1, DECIMAL_MAX);
    const pt__bx *same_scale = to_decimal(bl, nearest, precision, from->scale);
    const pt__bx *wrong =
        pt__bx_binary(arena, is_floor ? "Gt" : "Lt", same_scale, to_decimal(bl, x, precision, from->scale));
    const pt__bx *moved = pt__bx_binary(arena, is_floor ? "Minus" : "Plus", nearest, one);
    *out = pt__bx_if(arena, wrong, fit(bl, moved, call->base.type, false), fit(bl, nearest, call->base.type, false));
    return PT_OK;
}

PT_BL_LOWERING(ceil)
{
    const pt_type *from = pt__bl_type_of(call, 0);
    bool is_floor = is_function(call, "floor");
    if (from->id == PT_TYPE_DECIMAL)
        return whole_decimal(bl, call, x[0], is_floor, out, err);
    if (call->argument_count > 1)
        return pt__bl_refuse(err, call->base.origin, "ceil or floor to a number of digits");
    if (pt__type_is_integral(from)) {
        *out = pt__bx_cast(bl->arena, x[0], pt__btype_of(bl->arena, call->base.type));
        return PT_OK;
    }
    const char *template = is_floor ? "(case (isnan {0}) 0 (>= {0} 9223372036854775807.0) 9223372036854775807 (<= {0} "
                                      "-9223372036854775808.0) -9223372036854775808 (cast int64 (floor {0})))"
                                    : "(case (isnan {0}) 0 (>= {0} 9223372036854775807.0) 9223372036854775807 (<= {0} "
                                      "-9223372036854775808.0) -9223372036854775808 (cast int64 (ceil {0})))";
    return pt__bl_template(bl, template, call, x, 1, out, err);
}

/* Casts and common types, as DataFusion's analysis sets them. */
#include "decode/datafusion/internal.h"

#include "base/int128.h"

#include <string.h>

/* ---- what may be cast ---- */

static bool is_plain_timestamp(const pt__df_type *type)
{
    return type->kind == PT_DF_TIMESTAMP && type->zone == NULL;
}

static bool castable_to_timestamp(const pt__df_type *from, const pt__df_type *to)
{
    if (from->kind == PT_DF_TIMESTAMP) /* to a coarser unit digits are cut, which the plan does not do */
        return (from->zone == NULL) == (to->zone == NULL) &&
               (to->unit >= from->unit || to->unit >= DATAFUSION_COMMON__TIME_UNIT__Microsecond);
    if (to->zone != NULL)
        return false;
    return from->kind == PT_DF_DATE ||
           (from->kind == PT_DF_STRING && to->unit >= DATAFUSION_COMMON__TIME_UNIT__Microsecond);
}

static bool castable_to_text(const pt__df_type *from)
{
    return pt__df_is_integer(from) || from->kind == PT_DF_DECIMAL || from->kind == PT_DF_BOOLEAN ||
           from->kind == PT_DF_DATE || from->kind == PT_DF_STRING || from->kind == PT_DF_BINARY;
}

/* Where both sides give the same value, or an error. */
static bool castable(const pt__df_type *from, const pt__df_type *to)
{
    if (from->kind == PT_DF_NULL || pt__df_same(from, to))
        return true;
    if (pt__df_is_numeric(to) || to->kind == PT_DF_BOOLEAN)
        return pt__df_is_numeric(from) || from->kind == PT_DF_BOOLEAN || from->kind == PT_DF_STRING;
    switch ((int)to->kind) {
    case PT_DF_STRING: return castable_to_text(from);
    case PT_DF_BINARY: return from->kind == PT_DF_STRING;
    case PT_DF_DATE: return from->kind == PT_DF_STRING || is_plain_timestamp(from);
    case PT_DF_TIMESTAMP: return castable_to_timestamp(from, to);
    case PT_DF_LIST: return from->kind == PT_DF_LIST && castable(from->fields[0].type, to->fields[0].type);
    default: return false;
    }
}

/* ---- numbers ---- */

static int32_t integer_digits(const pt__df_type *type)
{
    switch (pt__df_integer_bits(type)) {
    case 8: return 3;
    case 16: return 5;
    case 32: return 10;
    default: return pt__df_is_unsigned(type) ? 20 : 19;
    }
}

/* A literal of the decimal with as many digits as it needs; false: it is no number, or does not fit. */
static bool fold_decimal(pt__df *d, const pt__df_value *value, const pt__df_type *to, pt__df_value *out)
{
    if (value->expr->kind != PT_EXPR_LITERAL || pt__expr_as_literal(value->expr)->value.is_null)
        return false;
    pt_value constant = pt__expr_as_literal(value->expr)->value;
    bool is_integer = pt__df_is_integer(value->type);
    if (!is_integer && value->type->kind != PT_DF_DECIMAL)
        return false;
    pt_int128 number = is_integer ? (pt_int128)constant.as.integer : constant.as.decimal;
    int32_t scale = is_integer ? 0 : value->type->scale;
    if (pt__decimal_rescale(number, scale, to->precision, to->scale, &number) != PT_DECIMAL_OK)
        return false;
    int32_t digits = pt__int128_digits(number);
    int32_t held = digits > to->scale ? digits : to->scale > 0 ? to->scale : 1;
    out->type = pt__df_decimal(d->arena, to->precision, to->scale, held);
    out->expr =
        pt__expr_literal(d->arena, pt__type_decimal(d->arena, held, to->scale), (pt_value){.as.decimal = number});
    return true;
}

/* Only as many digits as the operand can fill, so that what is computed with it stays narrow. */
static const pt__df_type *held_decimal(pt__df *d, const pt__df_type *from, const pt__df_type *to)
{
    int32_t needed = to->precision;
    if (pt__df_is_integer(from))
        needed = integer_digits(from) + to->scale;
    else if (from->kind == PT_DF_DECIMAL)
        needed = from->held - from->scale + to->scale + (to->scale < from->scale);
    if (needed > to->precision)
        needed = to->precision;
    if (needed < to->scale || needed < 1)
        needed = to->scale > 0 ? to->scale : 1;
    return pt__df_decimal(d->arena, to->precision, to->scale, needed);
}

static pt_status cast_to_decimal(pt__df *d, pt__df_value value, const pt__df_type *to, bool is_try, pt__df_value *out)
{
    if (fold_decimal(d, &value, to, out))
        return PT_OK;
    out->type = held_decimal(d, value.type, to);
    out->expr = value.expr;
    if (value.type->kind != PT_DF_DECIMAL || value.type->held != out->type->held || value.type->scale != to->scale)
        out->expr = pt__expr_cast(d->arena, value.expr, pt__type_decimal(d->arena, out->type->held, to->scale),
                                  is_try ? PT_CAST_TRY : PT_CAST_ANSI);
    return PT_OK;
}

static int64_t unsigned_max(const pt__df_type *type)
{
    int bits = pt__df_integer_bits(type);
    return bits == 64 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

static bool fits_unsigned(const pt__df_value *value, const pt__df_type *to)
{
    int64_t number;
    if (pt__df_is_unsigned(value->type) && pt__df_integer_bits(value->type) <= pt__df_integer_bits(to))
        return true;
    if (value->type->kind == PT_DF_BOOLEAN || value->type->kind == PT_DF_NULL)
        return true;
    return pt__df_literal_integer(value->expr, &number) && number >= 0 && number <= unsigned_max(to);
}

/* The plan's type of an unsigned number takes more values than it has. */
static pt_status cast_to_unsigned(pt__df *d, pt__df_value value, const pt__df_type *to, bool is_try, pt__df_value *out)
{
    const pt_type *target = pt__df_plan_type(d->arena, to);
    const char *name = pt__df_type_text(d->arena, to);
    out->type = to;
    out->expr = pt__expr_cast(d->arena, value.expr, target, is_try ? PT_CAST_TRY : PT_CAST_ANSI);
    if (fits_unsigned(&value, to))
        return PT_OK;
    if (!pt__df_is_integer(value.type))
        return pt__df_refuse(d, "a cast of %s to %s", pt__df_type_text(d->arena, value.type), name);
    PT_TRY(pt__df_repeatable(d, value.expr, pt__arena_printf(d->arena, "a cast to %s", name)));
    const pt_expr *inside = pt__expr_call(d->arena, NULL, "between", 3, value.expr, pt__expr_long(d->arena, 0),
                                          pt__expr_long(d->arena, unsigned_max(to)));
    const char *text = pt__arena_printf(d->arena, "the number is out of range of %s", name);
    const pt_expr *otherwise =
        is_try ? pt__expr_null(d->arena, target)
               : pt__df_cast_expr(d, pt__expr_call(d->arena, NULL, "raise_error", 1, pt__expr_string(d->arena, text)),
                                  target);
    out->expr = pt__df_if(d, pt__df_not(d, inside, true), otherwise, out->expr);
    return PT_OK;
}

/* A literal integer in another integer type that holds it. */
static bool fold_integer(pt__df *d, const pt__df_value *value, const pt__df_type *to, pt__df_value *out)
{
    int64_t number;
    if (!pt__df_is_integer(to) || pt__df_is_unsigned(to) || !pt__df_literal_integer(value->expr, &number))
        return false;
    int64_t most = INT64_MAX >> (64 - pt__df_integer_bits(to));
    if (number > most || number < -most - 1)
        return false;
    *out = (pt__df_value){pt__expr_literal(d->arena, pt__df_plan_type(d->arena, to), (pt_value){.as.integer = number}),
                          to};
    return true;
}

/* ---- entry points ---- */

pt_status pt__df_cast_to(pt__df *d, pt__df_value value, const pt__df_type *to, bool is_try, pt__df_value *out)
{
    if (!castable(value.type, to))
        return pt__df_refuse(d, "a cast of %s to %s", pt__df_type_text(d->arena, value.type),
                             pt__df_type_text(d->arena, to));
    if (value.type->kind == PT_DF_NULL && value.expr->kind == PT_EXPR_LITERAL) {
        *out = (pt__df_value){pt__expr_null(d->arena, pt__df_plan_type(d->arena, to)), to};
        return PT_OK;
    }
    if (to->kind == PT_DF_DECIMAL)
        return cast_to_decimal(d, value, to, is_try, out);
    if (fold_integer(d, &value, to, out))
        return PT_OK;
    if (pt__df_is_unsigned(to) && value.type->kind != to->kind)
        return cast_to_unsigned(d, value, to, is_try, out);
    *out = (pt__df_value){value.expr, to};
    const pt_type *target = pt__df_plan_type(d->arena, to);
    if (!pt__type_same_kind(target, pt__df_plan_type(d->arena, value.type)))
        out->expr = pt__expr_cast(d->arena, value.expr, target, is_try ? PT_CAST_TRY : PT_CAST_ANSI);
    return PT_OK;
}

/* ---- common types ---- */

static const pt__df_type *common_integer(pt__df *d, const pt__df_type *a, const pt__df_type *b)
{
    int a_bits = pt__df_integer_bits(a);
    int b_bits = pt__df_integer_bits(b);
    if (pt__df_is_unsigned(a) == pt__df_is_unsigned(b))
        return a_bits >= b_bits ? a : b;
    int bits = pt__df_is_unsigned(a) ? 2 * a_bits : a_bits;
    int other = pt__df_is_unsigned(b) ? 2 * b_bits : b_bits;
    bits = bits > other ? bits : other;
    if (bits > 64)
        return pt__df_decimal(d->arena, 20, 0, 20);
    return pt__df_simple(bits == 16 ? PT_DF_INT16 : bits == 32 ? PT_DF_INT32 : PT_DF_INT64);
}

static const pt__df_type *as_decimal(pt__df *d, const pt__df_type *type)
{
    if (type->kind == PT_DF_DECIMAL)
        return type;
    int32_t digits = pt__df_integer_bits(type) == 64 ? 20 : integer_digits(type);
    return pt__df_decimal(d->arena, digits, 0, digits);
}

static const pt__df_type *common_decimal(pt__df *d, const pt__df_type *a, const pt__df_type *b)
{
    a = as_decimal(d, a);
    b = as_decimal(d, b);
    int32_t scale = a->scale > b->scale ? a->scale : b->scale;
    int32_t whole =
        a->precision - a->scale > b->precision - b->scale ? a->precision - a->scale : b->precision - b->scale;
    return pt__df_decimal(d->arena, whole + scale, scale, whole + scale);
}

static const pt__df_type *common_number(pt__df *d, const pt__df_type *a, const pt__df_type *b)
{
    if (a->kind == PT_DF_FLOAT64 || b->kind == PT_DF_FLOAT64)
        return PT_DF(FLOAT64);
    if (a->kind == PT_DF_FLOAT32 || b->kind == PT_DF_FLOAT32)
        return PT_DF(FLOAT32);
    if (a->kind == PT_DF_DECIMAL || b->kind == PT_DF_DECIMAL)
        return common_decimal(d, a, b);
    return common_integer(d, a, b);
}

static const pt__df_type *common_timestamp(pt__df *d, const pt__df_type *a, const pt__df_type *b)
{
    if (b->kind == PT_DF_DATE || b->kind == PT_DF_STRING)
        return b->kind == PT_DF_DATE && a->zone != NULL ? NULL : a;
    if (b->kind != PT_DF_TIMESTAMP || (a->zone == NULL) != (b->zone == NULL))
        return NULL;
    return pt__df_timestamp(d->arena, a->unit > b->unit ? a->unit : b->unit, a->zone);
}

static const pt__df_type *common_type(pt__df *d, const pt__df_type *a, const pt__df_type *b)
{
    if (b->kind == PT_DF_NULL || pt__df_same(a, b))
        return a->kind == PT_DF_DECIMAL && b->held > a->held ? b : a;
    if (a->kind == PT_DF_NULL)
        return b;
    if (pt__df_is_numeric(a) && pt__df_is_numeric(b))
        return common_number(d, a, b);
    if (a->kind == PT_DF_TIMESTAMP)
        return common_timestamp(d, a, b);
    if (b->kind == PT_DF_TIMESTAMP)
        return common_timestamp(d, b, a);
    if ((a->kind == PT_DF_DATE && b->kind == PT_DF_STRING) || (a->kind == PT_DF_STRING && b->kind == PT_DF_DATE))
        return PT_DF(DATE);
    if (a->kind == PT_DF_LIST && b->kind == PT_DF_LIST) {
        const pt__df_type *element = common_type(d, a->fields[0].type, b->fields[0].type);
        return element == NULL ? NULL : pt__df_list(d->arena, element);
    }
    return NULL;
}

pt_status pt__df_unify(pt__df *d, pt__df_value *values, size_t count, const char *what)
{
    const pt__df_type *common = values[0].type;
    for (size_t i = 1; i < count; i++) {
        const pt__df_type *next = common_type(d, common, values[i].type);
        if (next == NULL)
            return pt__df_refuse(d, "%s of %s and %s", what, pt__df_type_text(d->arena, common),
                                 pt__df_type_text(d->arena, values[i].type));
        common = next;
    }
    int32_t held = 0;
    for (size_t i = 0; i < count; i++) {
        PT_TRY(pt__df_cast_to(d, values[i], common, false, &values[i]));
        held = values[i].type->held > held ? values[i].type->held : held;
    }
    if (common->kind == PT_DF_DECIMAL)
        common = pt__df_decimal(d->arena, common->precision, common->scale, held);
    for (size_t i = 0; i < count; i++)
        values[i].type = common;
    return PT_OK;
}

/* Binary operators. */
#include "decode/datafusion/operators.h"

#include "decode/datafusion/internal.h"

#include <string.h>

/** A chain of one operator other than AND and OR nests as deep as it is long. */
enum { CHAIN_MAX = 200 };

const pt__df_operator *pt__df_find_operator(const char *word)
{
    static const pt__df_operator table[] = {
#define PT_DF_OPERATOR(word, sign, precedence, family, plan) {word, sign, precedence, PT_DF_##family, plan},
#include "decode/datafusion/operators.def"
#undef PT_DF_OPERATOR
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].word, word) == 0)
            return &table[i];
    return NULL;
}

static const pt_expr *call2(pt__df *d, const char *name, const pt_expr *a, const pt_expr *b)
{
    return pt__expr_call(d->arena, NULL, name, 2, a, b);
}

static pt_status not_for(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b)
{
    return pt__df_refuse(d, "the operator %s of %s and %s", op->word, pt__df_type_text(d->arena, a.type),
                         pt__df_type_text(d->arena, b.type));
}

static pt_status give(const pt_expr *expr, const pt__df_type *type, pt__df_value *out)
{
    *out = (pt__df_value){expr, type};
    return PT_OK;
}

/* ---- decimals ---- */

typedef struct digits {
    int32_t precision;
    int32_t scale;
} digits;

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* What an operation of the plan needs before it is cut to 38 digits. */
static digits plan_digits(char sign, digits a, digits b)
{
    int32_t scale = larger(a.scale, b.scale);
    int32_t whole = larger(a.precision - a.scale, b.precision - b.scale);
    switch (sign) {
    case '*': return (digits){a.precision + b.precision + 1, a.scale + b.scale};
    case '%': return (digits){smaller(a.precision - a.scale, b.precision - b.scale) + scale, scale};
    default: return (digits){whole + scale + 1, scale};
    }
}

/*
 * Beyond 38 digits the plan would give up digits after the point, where more than 6 are asked for; DataFusion keeps
 * them. The operands are narrowed then: a value that needs the digits is an error.
 */
static void narrow(pt__df *d, char sign, pt__df_value *a, pt__df_value *b)
{
    int32_t whole = 37 - (sign == '*' ? a->type->scale + b->type->scale : larger(a->type->scale, b->type->scale));
    int32_t a_whole = a->type->held - a->type->scale;
    int32_t b_whole = b->type->held - b->type->scale;
    if (sign == '*') {
        int32_t half = whole / 2;
        a_whole = smaller(a_whole, larger(half, whole - b_whole));
        b_whole = smaller(b_whole, whole - a_whole);
    } else {
        a_whole = smaller(a_whole, whole);
        b_whole = smaller(b_whole, whole);
    }
    pt__df_value *operands[] = {a, b};
    int32_t wholes[] = {a_whole, b_whole};
    for (int i = 0; i < 2; i++) {
        const pt__df_type *type = operands[i]->type;
        int32_t held = larger(larger(wholes[i], 0) + type->scale, 1);
        if (held >= type->held)
            continue;
        operands[i]->expr = pt__df_cast_expr(d, operands[i]->expr, pt__type_decimal(d->arena, held, type->scale));
        operands[i]->type = pt__df_decimal(d->arena, type->precision, type->scale, held);
    }
}

static digits held_digits(const pt__df_type *type)
{
    return (digits){type->held, type->scale};
}

static digits full_digits(const pt__df_type *type)
{
    return (digits){type->precision, type->scale};
}

/* Spec: arrow-arith, decimal_op. Its quotient has four digits more than the dividend, and is cut, not rounded. */
static pt_status divide_decimals(pt__df *d, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    int32_t scale = smaller(a.type->scale + 4, PT_DECIMAL_PRECISION_MAX);
    int32_t precision = smaller(scale - a.type->scale + b.type->scale + a.type->precision, PT_DECIMAL_PRECISION_MAX);
    const pt_expr *quotient =
        pt__expr_call(d->arena, NULL, "divide_down", 3, a.expr, b.expr, pt__expr_int(d->arena, scale));
    return give(quotient, pt__df_decimal(d->arena, precision, scale, PT_DECIMAL_PRECISION_MAX), out);
}

static pt_status operate_decimals(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b,
                                  pt__df_value *out)
{
    char sign = *op->sign;
    if (sign == '/')
        return divide_decimals(d, a, b, out);
    digits full = plan_digits(sign, full_digits(a.type), full_digits(b.type));
    digits held = plan_digits(sign, held_digits(a.type), held_digits(b.type));
    if (full.scale > PT_DECIMAL_PRECISION_MAX)
        return not_for(d, op, a, b);
    if (held.precision > PT_DECIMAL_PRECISION_MAX && held.scale > 6) {
        if (sign == '%')
            return not_for(d, op, a, b);
        narrow(d, sign, &a, &b);
        held = plan_digits(sign, held_digits(a.type), held_digits(b.type));
        if (held.precision > PT_DECIMAL_PRECISION_MAX)
            return not_for(d, op, a, b);
    }
    return give(call2(d, op->plan, a.expr, b.expr),
                pt__df_decimal(d->arena, full.precision, full.scale, smaller(held.precision, 38)), out);
}

/* ---- other numbers ---- */

static pt_status operate_integers(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b,
                                  pt__df_value *out)
{
    char sign = *op->sign;
    bool may_wrap = sign == '-' || ((sign == '+' || sign == '*') && a.type->kind != PT_DF_UINT64);
    if (pt__df_is_unsigned(a.type) && may_wrap)
        return not_for(d, op, a, b);
    if (sign != '/')
        return give(call2(d, op->plan, a.expr, b.expr), a.type, out);
    const pt_expr *quotient = call2(d, "div", a.expr, b.expr);
    return give(pt__df_cast_expr(d, quotient, pt__df_plan_type(d->arena, a.type)), a.type, out);
}

static pt_status operate_floats(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    const pt_expr *result = call2(d, op->plan, a.expr, b.expr);
    if (a.type->kind == PT_DF_FLOAT32 && *op->sign == '/')
        result = pt__df_cast_expr(d, result, PT_T(FLOAT));
    return give(result, a.type, out);
}

static pt_status operate_numbers(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b,
                                 pt__df_value *out)
{
    bool is_decimal = a.type->kind == PT_DF_DECIMAL || b.type->kind == PT_DF_DECIMAL;
    bool is_float = pt__df_is_float(a.type) || pt__df_is_float(b.type);
    if (is_decimal && !is_float) { /* each keeps its own digits */
        pt__df_value *operands[] = {&a, &b};
        for (int i = 0; i < 2; i++) {
            pt__df_value pair[] = {*operands[i], *operands[i]};
            if (operands[i]->type->kind == PT_DF_DECIMAL)
                continue;
            pair[1].type = pt__df_decimal(d->arena, 1, 0, 1);
            pair[1].expr = pt__expr_literal(d->arena, pt__type_decimal(d->arena, 1, 0), (pt_value){0});
            PT_TRY(pt__df_unify(d, pair, 2, op->word));
            *operands[i] = pair[0];
        }
        return operate_decimals(d, op, a, b, out);
    }
    pt__df_value both[] = {a, b};
    PT_TRY(pt__df_unify(d, both, 2, op->word));
    if (pt__df_is_float(both[0].type))
        return operate_floats(d, op, both[0], both[1], out);
    if (both[0].type->kind == PT_DF_DECIMAL)
        return operate_decimals(d, op, both[0], both[1], out);
    return operate_integers(d, op, both[0], both[1], out);
}

/* ---- dates and times ---- */

static const pt_interval *literal_interval(const pt_expr *expr)
{
    if (expr->kind != PT_EXPR_LITERAL || pt__expr_as_literal(expr)->value.is_null)
        return NULL;
    return &pt__expr_as_literal(expr)->value.as.interval;
}

static const pt_expr *literal_of(pt__df *d, pt_type_id id, int64_t value)
{
    return pt__expr_literal(d->arena, pt__type_simple(id), (pt_value){.as.integer = value});
}

/* Spec: arrow-array, Date32Type::add_month_day_nano: months, then days; the time of day is left out. */
static pt_status shift_date(pt__df *d, pt__df_value date, const pt_interval *by, bool subtract, pt__df_value *out)
{
    const int64_t day_us = INT64_C(86400000000);
    if (by->microseconds % day_us != 0)
        return pt__df_refuse(d, "an interval of less than a day added to a Date32");
    int64_t months = subtract ? -(int64_t)by->months : by->months;
    int64_t days = by->days + by->microseconds / day_us;
    days = subtract ? -days : days;
    if (months != (int32_t)months || days != (int32_t)days)
        return pt__df_bad(d, "an interval is out of range");
    *out = date;
    if (months != 0)
        out->expr = call2(d, "add_months", out->expr, pt__expr_int(d->arena, (int32_t)months));
    if (days != 0)
        out->expr = call2(d, "date_add", out->expr, pt__expr_int(d->arena, (int32_t)days));
    return PT_OK;
}

static pt_status shift_timestamp(pt__df *d, pt__df_value time, const pt_interval *by, const char *sign,
                                 pt__df_value *out)
{
    int64_t micros;
    if (time.type->zone != NULL && (by->months != 0 || by->days != 0))
        return pt__df_refuse(d, "an interval of days or months added to a timestamp with time zone");
    if (__builtin_mul_overflow((int64_t)by->days, INT64_C(86400000000), &micros) ||
        __builtin_add_overflow(micros, by->microseconds, &micros))
        return pt__df_bad(d, "an interval is out of range");
    *out = time;
    if (by->months != 0)
        out->expr = call2(d, sign, out->expr, literal_of(d, PT_TYPE_INTERVAL_YEAR_MONTH, by->months));
    if (micros != 0)
        out->expr = call2(d, sign, out->expr, literal_of(d, PT_TYPE_INTERVAL_DAY_TIME, micros));
    return PT_OK;
}

static bool is_time(const pt__df_type *type)
{
    return type->kind == PT_DF_DATE || type->kind == PT_DF_TIMESTAMP;
}

static pt_status shift(pt__df *d, const pt__df_operator *op, pt__df_value time, pt__df_value by, pt__df_value *out)
{
    bool is_date = time.type->kind == PT_DF_DATE;
    if (by.type->kind == PT_DF_INTERVAL) {
        const pt_interval *interval = literal_interval(by.expr);
        if (interval == NULL)
            return pt__df_refuse(d, "adding an interval that is no literal");
        return is_date ? shift_date(d, time, interval, *op->sign == '-', out)
                       : shift_timestamp(d, time, interval, op->plan, out);
    }
    bool fits = by.type->kind == PT_DF_INTERVAL_YEAR_MONTH ? time.type->zone == NULL
                                                           : by.type->kind == PT_DF_DURATION && !is_date;
    if (!fits)
        return not_for(d, op, time, by);
    return give(call2(d, op->plan, time.expr, by.expr), time.type, out);
}

static pt_status between_times(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    if (a.type->kind == PT_DF_DATE && b.type->kind == PT_DF_DATE)
        return give(pt__df_cast_expr(d, call2(d, "datediff", a.expr, b.expr), PT_T(LONG)), PT_DF(INT64), out);
    pt__df_value both[] = {a, b};
    PT_TRY(pt__df_unify(d, both, 2, op->word));
    pt__df_type *type = pt__arena_make(d->arena, pt__df_type);
    *type = (pt__df_type){.kind = PT_DF_DURATION, .unit = both[0].type->unit};
    return give(call2(d, "-", both[0].expr, both[1].expr), type, out);
}

static pt_status arithmetic(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    bool is_sum = *op->sign == '+' || *op->sign == '-';
    bool numbers = (pt__df_is_numeric(a.type) || a.type->kind == PT_DF_NULL) &&
                   (pt__df_is_numeric(b.type) || b.type->kind == PT_DF_NULL);
    if (numbers && (a.type->kind != PT_DF_NULL || b.type->kind != PT_DF_NULL))
        return operate_numbers(d, op, a, b, out);
    if (is_time(a.type) && is_time(b.type) && *op->sign == '-')
        return between_times(d, op, a, b, out);
    if (is_time(a.type) && is_sum)
        return shift(d, op, a, b, out);
    if (is_time(b.type) && *op->sign == '+')
        return shift(d, op, b, a, out);
    return not_for(d, op, a, b);
}

/* ---- the other families ---- */

static pt_status logic(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    PT_TRY(pt__df_cast_to(d, a, PT_DF(BOOLEAN), false, &a));
    PT_TRY(pt__df_cast_to(d, b, PT_DF(BOOLEAN), false, &b));
    return give(call2(d, op->plan, a.expr, b.expr), PT_DF(BOOLEAN), out);
}

static pt_status compare(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    pt__df_value both[] = {a, b};
    PT_TRY(pt__df_unify(d, both, 2, op->word));
    if (both[0].type->kind >= PT_DF_LIST || both[0].type->kind == PT_DF_INTERVAL)
        return not_for(d, op, both[0], both[1]);
    bool negated = *op->plan == '!';
    const pt_expr *result = call2(d, op->plan + negated, both[0].expr, both[1].expr);
    return give(pt__df_not(d, result, negated), PT_DF(BOOLEAN), out);
}

static pt_status bits(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    pt__df_value both[] = {a, b};
    PT_TRY(pt__df_unify(d, both, 2, op->word));
    if (!pt__df_is_integer(both[0].type))
        return not_for(d, op, a, b);
    return give(call2(d, op->plan, both[0].expr, both[1].expr), both[0].type, out);
}

/* Of 32 and 64 bits, where both sides take the count modulo the width; unsigned numbers to the right only. */
static pt_status shift_bits(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    bool is_left = strcmp(op->sign, "<<") == 0;
    int64_t count;
    if (!pt__df_is_integer(a.type) || !pt__df_is_integer(b.type))
        return not_for(d, op, a, b);
    bool is_unsigned = pt__df_is_unsigned(a.type);
    bool is_small = pt__df_literal_integer(b.expr, &count) && count >= 0 && count < pt__df_integer_bits(a.type);
    if (is_unsigned ? is_left || !is_small : pt__df_integer_bits(a.type) < 32)
        return not_for(d, op, a, b);
    PT_TRY(pt__df_cast_to(d, b, PT_DF(INT32), false, &b));
    const pt_type *type = pt__df_plan_type(d->arena, a.type);
    const pt_expr *moved = type->id == PT_TYPE_SHORT ? pt__df_cast_expr(d, a.expr, PT_T(INT)) : a.expr;
    moved = call2(d, op->plan, moved, b.expr);
    return give(type->id == PT_TYPE_SHORT ? pt__df_cast_expr(d, moved, type) : moved, a.type, out);
}

static pt_status like(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    if (a.type->kind != PT_DF_STRING || b.type->kind != PT_DF_STRING)
        return not_for(d, op, a, b);
    bool negated = *op->plan == '!';
    const pt_expr *result = call2(d, op->plan + negated, a.expr, b.expr);
    return give(pt__df_not(d, result, negated), PT_DF(BOOLEAN), out);
}

static pt_status concat(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    PT_TRY(pt__df_cast_to(d, a, PT_DF(STRING), false, &a));
    PT_TRY(pt__df_cast_to(d, b, PT_DF(STRING), false, &b));
    return give(call2(d, op->plan, a.expr, b.expr), PT_DF(STRING), out);
}

static pt_status operate(pt__df *d, const pt__df_operator *op, pt__df_value a, pt__df_value b, pt__df_value *out)
{
    switch (op->family) {
    case PT_DF_LOGIC: return logic(d, op, a, b, out);
    case PT_DF_COMPARE: return compare(d, op, a, b, out);
    case PT_DF_ARITHMETIC: return arithmetic(d, op, a, b, out);
    case PT_DF_BITS: return bits(d, op, a, b, out);
    case PT_DF_SHIFT: return shift_bits(d, op, a, b, out);
    case PT_DF_LIKE: return like(d, op, a, b, out);
    case PT_DF_REGEX: return pt__df_regex(d, a, b, strchr(op->plan, 'i') != NULL, *op->plan == '!', out);
    case PT_DF_CONCAT: return concat(d, op, a, b, out);
    case PT_DF_REFUSED: break;
    }
    return pt__df_refuse(d, "the operator %s", op->word);
}

pt_status pt__df_operate(pt__df *d, const char *word, pt__df_value left, pt__df_value right, pt__df_value *out)
{
    const pt__df_operator *op = pt__df_find_operator(word);
    if (op == NULL)
        return pt__df_bad(d, "BinaryExprNode.op: there is no operator \"%s\"", word);
    return operate(d, op, left, right, out);
}

/* AND and OR of many make a tree of little depth. */
static pt_status balance(pt__df *d, const pt__df_operator *op, const pt__df_value *operands, size_t count,
                         pt__df_value *out)
{
    if (count == 1) {
        *out = operands[0];
        return PT_OK;
    }
    pt__df_value left;
    pt__df_value right;
    PT_TRY(balance(d, op, operands, count / 2, &left));
    PT_TRY(balance(d, op, operands + count / 2, count - count / 2, &right));
    return operate(d, op, left, right, out);
}

pt_status pt__df_binary(pt__df *d, const pt__df_relation *in, const Datafusion__BinaryExprNode *node, pt__df_value *out)
{
    const pt__df_operator *op = pt__df_find_operator(node->op);
    pt__df_value *operands;
    if (op == NULL)
        return pt__df_bad(d, "BinaryExprNode.op: there is no operator \"%s\"", node->op);
    if (node->n_operands < 2)
        return pt__df_bad(d, "BinaryExprNode.operands: %s has fewer than two", node->op);
    if (op->family != PT_DF_LOGIC && node->n_operands > CHAIN_MAX)
        return pt_error_set(d->err, PT_LIMIT, "BinaryExprNode.operands: a chain of %s has more than %d", node->op,
                            CHAIN_MAX);
    PT_TRY(pt__df_exprs(d, in, node->operands, node->n_operands, &operands));
    if (op->family == PT_DF_LOGIC)
        return balance(d, op, operands, node->n_operands, out);
    *out = operands[0];
    for (size_t i = 1; i < node->n_operands; i++)
        PT_TRY(operate(d, op, *out, operands[i], out));
    return PT_OK;
}

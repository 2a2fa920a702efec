/* + - * / % and friends of decimals, with the result types of Spark. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/decimal.h"

/** Products and quotients are made to this many digits, or digits after the point, before they are rounded. */
enum { INTERMEDIATE_DIGITS = 39 };

typedef struct operands {
    pt_int128 a;
    pt_int128 b;
    int a_scale;
    int b_scale;
    bool null_on_error;
} operands;

/** False: not that simple; the general way is needed. */
typedef bool (*quick_operation)(const operands *in, int scale, pt_int128 *out);
typedef pt__exact (*exact_operation)(const operands *in, int scale);

static bool fits_64(pt_int128 value)
{
    return value == (int64_t)value;
}

/** value / 10^digits, half up; `digits` is at most 38. */
static pt_int128 round_half_up(pt_int128 value, int digits)
{
    pt__uint128 power = pt__power_of_ten(digits);
    pt__uint128 magnitude = pt__magnitude(value);
    pt__uint128 quotient;
    pt__uint128 rest;
    if ((uint64_t)(magnitude >> 64) == 0 && digits < 20) {
        quotient = (uint64_t)magnitude / (uint64_t)power;
        rest = (uint64_t)magnitude % (uint64_t)power;
    } else {
        quotient = magnitude / power;
        rest = magnitude % power;
    }
    quotient += rest >= power - rest && rest != 0;
    return value < 0 ? -(pt_int128)quotient : (pt_int128)quotient;
}

/* Multiplication. */

static bool quick_multiply(const operands *in, int scale, pt_int128 *out)
{
    int cut = in->a_scale + in->b_scale - scale;
    if (cut < 0 || cut > 38 || !fits_64(in->a) || !fits_64(in->b))
        return false;
    pt_int128 product = (pt_int128)(int64_t)in->a * (int64_t)in->b;
    *out = cut == 0 ? product : round_half_up(product, cut);
    return true;
}

static pt__exact exact_multiply(const operands *in, int scale)
{
    (void)scale;
    pt__exact product = {pt__wide_multiply(pt__magnitude(in->a), pt__magnitude(in->b)), (in->a < 0) != (in->b < 0),
                         in->a_scale + in->b_scale};
    int extra = pt__wide_digits(&product.magnitude) - INTERMEDIATE_DIGITS;
    if (extra > 0) {
        product.magnitude = pt__wide_scale_down(product.magnitude, extra, PT__ROUND_HALF_DOWN);
        product.scale -= extra;
    }
    return product;
}

/* Division. */

/**
 * Rounding first to 39 digits after the point and then to the scale differs from rounding once only when the rest
 * comes within half of 10^-39 of a half; divisors of less than 10^(39 - scale) are too small for that.
 */
static bool quick_divide(const operands *in, int scale, pt_int128 *out)
{
    int more = scale - in->a_scale + in->b_scale;
    pt__uint128 a = pt__magnitude(in->a);
    pt__uint128 b = pt__magnitude(in->b);
    if (more < 0 || more > 38 || scale > 20 || (uint64_t)(b >> 64) != 0 || b >= pt__power_of_ten(18))
        return false;
    if (__builtin_mul_overflow(a, pt__power_of_ten(more), &a) || a >> 127 != 0)
        return false;
    pt__uint128 quotient;
    uint64_t rest;
    if ((uint64_t)(a >> 64) == 0) {
        quotient = (uint64_t)a / (uint64_t)b;
        rest = (uint64_t)a % (uint64_t)b;
    } else {
        quotient = a / (uint64_t)b;
        rest = (uint64_t)(a % (uint64_t)b);
    }
    quotient += rest >= (uint64_t)b - rest && rest != 0;
    *out = (in->a < 0) != (in->b < 0) ? -(pt_int128)quotient : (pt_int128)quotient;
    return true;
}

static pt__exact exact_divide(const operands *in, int scale)
{
    (void)scale;
    pt__wide a = pt__wide_from(pt__magnitude(in->a));
    pt__wide b = pt__wide_from(pt__magnitude(in->b));
    int more = INTERMEDIATE_DIGITS - in->a_scale + in->b_scale;
    a = pt__wide_scale_up(a, more);
    pt__wide rest;
    pt__exact result = {pt__wide_divide(&a, &b, &rest), (in->a < 0) != (in->b < 0), INTERMEDIATE_DIGITS};
    pt__wide left = b;
    pt__wide_subtract(&left, &rest);
    if (pt__wide_compare(&rest, &left) > 0) {
        pt__wide one = pt__wide_from(1);
        pt__wide_add(&result.magnitude, &one);
    }
    return result;
}

/** The quotient in the digits of `scale`, what is behind them cut off. */
static pt__exact exact_divide_down(const operands *in, int scale)
{
    int more = scale - in->a_scale + in->b_scale;
    pt__wide a = pt__wide_scale_up(pt__wide_from(pt__magnitude(in->a)), more > 0 ? more : 0);
    pt__wide b = pt__wide_scale_up(pt__wide_from(pt__magnitude(in->b)), more < 0 ? -more : 0);
    pt__wide rest;
    return (pt__exact){pt__wide_divide(&a, &b, &rest), (in->a < 0) != (in->b < 0), scale};
}

/* Addition and subtraction. */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static bool quick_sum(const operands *in, int scale, bool subtract, pt_int128 *out)
{
    int common = larger(in->a_scale, in->b_scale);
    pt_int128 a;
    pt_int128 b;
    if (scale != common || __builtin_mul_overflow(in->a, (pt_int128)pt__power_of_ten(common - in->a_scale), &a) ||
        __builtin_mul_overflow(in->b, (pt_int128)pt__power_of_ten(common - in->b_scale), &b))
        return false;
    return subtract ? !__builtin_sub_overflow(a, b, out) : !__builtin_add_overflow(a, b, out);
}

static bool quick_add(const operands *in, int scale, pt_int128 *out)
{
    return quick_sum(in, scale, false, out);
}

static bool quick_subtract(const operands *in, int scale, pt_int128 *out)
{
    return quick_sum(in, scale, true, out);
}

static pt__exact signed_sum(const operands *in, bool b_negative)
{
    int common = larger(in->a_scale, in->b_scale);
    pt__wide a = pt__wide_scale_up(pt__wide_from(pt__magnitude(in->a)), common - in->a_scale);
    pt__wide b = pt__wide_scale_up(pt__wide_from(pt__magnitude(in->b)), common - in->b_scale);
    bool negative = in->a < 0;
    if (negative == b_negative) {
        pt__wide_add(&a, &b);
    } else if (pt__wide_compare(&a, &b) >= 0) {
        pt__wide_subtract(&a, &b);
    } else {
        pt__wide_subtract(&b, &a);
        a = b;
        negative = b_negative;
    }
    return (pt__exact){a, negative, common};
}

static pt__exact exact_add(const operands *in, int scale)
{
    (void)scale;
    return signed_sum(in, in->b < 0);
}

static pt__exact exact_subtract(const operands *in, int scale)
{
    (void)scale;
    return signed_sum(in, in->b >= 0);
}

/* Remainders. */

static bool no_quick_way(const operands *in, int scale, pt_int128 *out)
{
    (void)in, (void)scale, (void)out;
    return false;
}

/** The remainder of a and b brought to a common scale, both as magnitudes. */
static pt__wide remainder_of(const operands *in, pt__wide *divisor, int *common)
{
    *common = larger(in->a_scale, in->b_scale);
    pt__wide a = pt__wide_scale_up(pt__wide_from(pt__magnitude(in->a)), *common - in->a_scale);
    *divisor = pt__wide_scale_up(pt__wide_from(pt__magnitude(in->b)), *common - in->b_scale);
    pt__wide rest;
    pt__wide_divide(&a, divisor, &rest);
    return rest;
}

static bool quick_remainder(const operands *in, int scale, pt_int128 *out)
{
    if (in->a_scale != in->b_scale || scale != in->a_scale || !fits_64(in->a) || !fits_64(in->b) || in->b == -1)
        return false;
    *out = (int64_t)in->a % (int64_t)in->b;
    return true;
}

static pt__exact exact_remainder(const operands *in, int scale)
{
    (void)scale;
    pt__wide divisor;
    int common;
    pt__wide rest = remainder_of(in, &divisor, &common);
    return (pt__exact){rest, in->a < 0, common};
}

/** r = a % b, and where r is negative (r + b) % b. */
static pt__exact exact_pmod(const operands *in, int scale)
{
    (void)scale;
    pt__wide divisor;
    int common;
    pt__wide rest = remainder_of(in, &divisor, &common);
    if (in->a >= 0 || pt__wide_is_zero(&rest) || in->b < 0)
        return (pt__exact){rest, in->a < 0, common};
    pt__wide_subtract(&divisor, &rest);
    return (pt__exact){divisor, false, common};
}

/* Kernels. */

typedef struct operation {
    quick_operation quick;
    exact_operation exact;
    bool divides;
    pt__condition_id by_zero;
} operation;

static const operation OPERATIONS[] = {
    [PT__DECIMAL_ADD] = {quick_add, exact_add, false, PT_COND_COUNT},
    [PT__DECIMAL_SUBTRACT] = {quick_subtract, exact_subtract, false, PT_COND_COUNT},
    [PT__DECIMAL_MULTIPLY] = {quick_multiply, exact_multiply, false, PT_COND_COUNT},
    [PT__DECIMAL_DIVIDE] = {quick_divide, exact_divide, true, PT_COND_DIVIDE_BY_ZERO},
    [PT__DECIMAL_DIVIDE_DOWN] = {no_quick_way, exact_divide_down, true, PT_COND_DIVIDE_BY_ZERO},
    [PT__DECIMAL_REMAINDER] = {quick_remainder, exact_remainder, true, PT_COND_REMAINDER_BY_ZERO},
    [PT__DECIMAL_PMOD] = {no_quick_way, exact_pmod, true, PT_COND_REMAINDER_BY_ZERO},
};

static bool compute(pt__fn_call *call, const operation *op, idx_t row, const operands *in)
{
    pt_int128 value;
    if (op->divides && in->b == 0)
        return !in->null_on_error && pt__fn_raise(call, op->by_zero, "config", PT__ANSI_CONFIG, NULL);
    if (!op->quick(in, call->scale, &value) || !pt__decimal_fits(value, call->precision)) {
        pt__exact number = op->exact(in, call->scale);
        if (!pt__exact_to_decimal(&number, call->precision, call->scale, &value))
            return !in->null_on_error && pt__decimal_raise(call, &number, call->precision, call->scale);
    }
    pt__fn_put_decimal(call, row, value);
    return true;
}

static bool compute_row(pt__fn_call *call, const operation *op, idx_t row)
{
    const pt__fn_column *columns = call->columns;
    const operands in = {pt__fn_integer(&columns[0], row), pt__fn_integer(&columns[1], row), columns[0].type->scale,
                         columns[1].type->scale, PT__FN_IN(call, 2, bool)[row]};
    return compute(call, op, row, &in);
}

static bool is_decimal_of_64_bits(const pt__fn_type *type)
{
    return type->id == DUCKDB_TYPE_DECIMAL && type->physical == DUCKDB_TYPE_BIGINT;
}

/** Products of two 64-bit columns that need no rounding and no check, as their digits fit the result's. */
static bool multiply_plainly(pt__fn_call *call)
{
    const pt__fn_type *a = call->columns[0].type;
    const pt__fn_type *b = call->columns[1].type;
    if (call->row->option != PT__DECIMAL_MULTIPLY || !is_decimal_of_64_bits(a) || !is_decimal_of_64_bits(b) ||
        a->scale + b->scale != call->scale || call->precision < a->width + b->width)
        return false;
    const int64_t *left = PT__FN_IN(call, 0, int64_t);
    const int64_t *right = PT__FN_IN(call, 1, int64_t);
    for (idx_t r = 0; r < call->row_count; r++)
        pt__fn_put_int128((char *)call->out + 16 * r, (pt_int128)left[r] * right[r]);
    return true;
}

static inline pt_int128 load_wide(const pt__fn_column *column, bool narrow, idx_t row)
{
    return narrow ? ((const int64_t *)column->data)[row] : pt__fn_load_int128((const char *)column->data + 16 * row);
}

/** Products of values that mostly have 64 bits, into 38 digits, which any two such values fit. */
static bool multiply_wide(pt__fn_call *call)
{
    const pt__fn_column *a = &call->columns[0];
    const pt__fn_column *b = &call->columns[1];
    bool a_narrow = is_decimal_of_64_bits(a->type);
    bool b_narrow = is_decimal_of_64_bits(b->type);
    if (call->row->option != PT__DECIMAL_MULTIPLY || a->type->scale + b->type->scale != call->scale ||
        call->precision != PT_DECIMAL_DIGITS_MAX || (!a_narrow && a->type->physical != DUCKDB_TYPE_HUGEINT) ||
        (!b_narrow && b->type->physical != DUCKDB_TYPE_HUGEINT))
        return false;
    for (idx_t r = 0; r < call->row_count; r++) {
        pt_int128 left = load_wide(a, a_narrow, r);
        pt_int128 right = load_wide(b, b_narrow, r);
        if (fits_64(left) && fits_64(right))
            pt__fn_put_int128((char *)call->out + 16 * r, (pt_int128)(int64_t)left * (int64_t)right);
        else if (pt__fn_live(call, r) && !compute_row(call, &OPERATIONS[PT__DECIMAL_MULTIPLY], r)) {
            if (call->failed)
                return true;
            pt__fn_set_null(call, r);
        }
    }
    return true;
}

void pt__fn_decimal_arithmetic(pt__fn_call *call)
{
    const operation *op = &OPERATIONS[call->row->option];
    if (multiply_plainly(call) || multiply_wide(call))
        return;
    PT__FN_EACH(call, r, compute_row(call, op, r));
}

/** The whole part of a quotient, as a bigint. */
static bool integral_divide(pt__fn_call *call, idx_t row)
{
    const pt__fn_column *columns = call->columns;
    const operands in = {.a = pt__fn_integer(&columns[0], row), .b = pt__fn_integer(&columns[1], row)};
    if (in.b == 0)
        return pt__fn_reject(call, PT_COND_DIVIDE_BY_ZERO, "config", PT__ANSI_CONFIG, NULL);
    int common = larger(columns[0].type->scale, columns[1].type->scale);
    pt__wide a = pt__wide_scale_up(pt__wide_from(pt__magnitude(in.a)), common - columns[0].type->scale);
    pt__wide b = pt__wide_scale_up(pt__wide_from(pt__magnitude(in.b)), common - columns[1].type->scale);
    pt__wide rest;
    pt__exact quotient = {pt__wide_divide(&a, &b, &rest), (in.a < 0) != (in.b < 0), 0};
    if (pt__wide_digits(&quotient.magnitude) > 38)
        return call->mode == PT__FN_ANSI && pt__decimal_raise(call, &quotient, 38, 0);
    /* Spark keeps the low 64 bits of a quotient that is larger than a bigint. */
    uint64_t magnitude = quotient.magnitude.limbs[0];
    PT__FN_OUT(call, int64_t)[row] = (int64_t)(quotient.negative ? -magnitude : magnitude);
    return true;
}

void pt__fn_decimal_integral_divide(pt__fn_call *call)
{
    PT__FN_EACH(call, r, integral_divide(call, r));
}

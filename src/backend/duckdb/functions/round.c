/* round, bround, ceil and floor. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/decimal.h"
#include "base/format_double.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Floating point: by the decimal text of the number. */

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/** digits × 10^exponent, rounded right. */
static double compose(uint64_t digits, int exponent)
{
    if (digits < (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)digits / POWERS[-exponent] : (double)digits * POWERS[exponent];
    char text[48];
    snprintf(text, sizeof(text), "%llue%d", (unsigned long long)digits, exponent);
    return strtod(text, NULL);
}

/**
 * Rounds without looking at the decimal text where that cannot matter: the scaled number is far from the middle
 * between two whole ones, and both it and the power of ten are exact enough.
 */
static bool round_clear(double value, int32_t scale, double *out)
{
    double magnitude = fabs(value);
    if (scale < 0 || scale > 15 || magnitude >= 1e15)
        return false;
    double scaled = magnitude * POWERS[scale];
    double whole = floor(scaled);
    double rest = scaled - whole;
    if (scaled >= 1e13 || (rest > 0.49 && rest < 0.51))
        return false;
    double rounded = (rest > 0.5 ? whole + 1 : whole) / POWERS[scale];
    *out = rounded == 0 ? 0 : copysign(rounded, value);
    return true;
}

static double round_double(double value, int32_t scale, pt__rounding rounding)
{
    double clear;
    if (round_clear(value, scale, &clear))
        return clear;
    if (!isfinite(value) || value == 0)
        return value == 0 ? 0 : value;
    pt__shortest_digits shortest = pt__double_digits(fabs(value));
    uint64_t digits = 0;
    for (int32_t i = 0; i < shortest.count; i++)
        digits = digits * 10 + (uint64_t)(shortest.digits[i] - '0');
    int64_t cut = (int64_t)shortest.count - shortest.exponent - scale;
    if (cut <= 0)
        return value;
    if (cut > 18)
        return 0;
    pt__wide rounded = pt__wide_scale_down(pt__wide_from(digits), (int)cut, rounding);
    return copysign(compose(rounded.limbs[0], -scale), rounded.limbs[0] == 0 ? 1 : value);
}

static bool put_double(double value, double *out)
{
    *out = value;
    return true;
}

void pt__fn_round_double(pt__fn_call *call)
{
    pt__rounding rounding = (pt__rounding)call->row->option;
    const double *in = PT__FN_IN(call, 0, double);
    const int32_t *scale = PT__FN_IN(call, 1, int32_t);
    PT__FN_EACH(call, r, put_double(round_double(in[r], scale[r], rounding), &PT__FN_OUT(call, double)[r]));
}

static bool put_float(double value, float *out)
{
    *out = (float)value;
    return true;
}

void pt__fn_round_float(pt__fn_call *call)
{
    pt__rounding rounding = (pt__rounding)call->row->option;
    const float *in = PT__FN_IN(call, 0, float);
    const int32_t *scale = PT__FN_IN(call, 1, int32_t);
    PT__FN_EACH(call, r, put_float(round_double((double)in[r], scale[r], rounding), &PT__FN_OUT(call, float)[r]));
}

/* Integers: only digits before the point can be rounded away. */

static bool round_integer(int64_t value, int32_t scale, pt__rounding rounding, pt_int128 *out)
{
    if (scale >= 0) {
        *out = value;
        return true;
    }
    if (scale < -20) {
        *out = 0;
        return true;
    }
    pt__wide magnitude = pt__wide_from(pt__magnitude(value));
    magnitude = pt__wide_scale_up(pt__wide_scale_down(magnitude, -scale, rounding), -scale);
    *out = (pt_int128)((pt__uint128)magnitude.limbs[1] << 64 | magnitude.limbs[0]);
    if (value < 0)
        *out = -*out;
    return true;
}

// NOLINTBEGIN(bugprone-macro-parentheses): arguments are types and parts of names
#define DEFINE_ROUND(suffix, type)                                                                                     \
    static bool round_##suffix(pt__fn_call *call, type value, int32_t scale, type *out)                                \
    {                                                                                                                  \
        pt_int128 rounded;                                                                                             \
        round_integer(value, scale, (pt__rounding)call->row->option, &rounded);                                        \
        *out = (type)rounded;                                                                                          \
        return *out == rounded || call->mode == PT__FN_LEGACY ||                                                       \
               pt__fn_reject(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "Overflow", "alternative", "", "config",    \
                             PT__ANSI_CONFIG, NULL);                                                                   \
    }                                                                                                                  \
    void pt__fn_round_##suffix(pt__fn_call *call)                                                                      \
    {                                                                                                                  \
        const type *in = PT__FN_IN(call, 0, type);                                                                     \
        const int32_t *scale = PT__FN_IN(call, 1, int32_t);                                                            \
        PT__FN_EACH(call, r, round_##suffix(call, in[r], scale[r], &PT__FN_OUT(call, type)[r]));                       \
    }
DEFINE_ROUND(int8, int8_t)
DEFINE_ROUND(int16, int16_t)
DEFINE_ROUND(int32, int32_t)
DEFINE_ROUND(int64, int64_t)
// NOLINTEND(bugprone-macro-parentheses)

/* Decimals. */

enum { DECIMAL_CEIL = 10, DECIMAL_FLOOR = 11 };

/** Towards the infinity that `up` names. */
static pt__wide round_towards(const pt__wide *magnitude, int cut, bool away)
{
    pt__wide down = pt__wide_scale_down(*magnitude, cut, PT__ROUND_DOWN);
    pt__wide back = pt__wide_scale_up(down, cut);
    if (away && pt__wide_compare(&back, magnitude) != 0) {
        pt__wide one = pt__wide_from(1);
        pt__wide_add(&down, &one);
    }
    return down;
}

static pt__wide round_magnitude(const pt__wide *magnitude, int cut, bool negative, int how)
{
    if (how == DECIMAL_CEIL || how == DECIMAL_FLOOR)
        return round_towards(magnitude, cut, negative == (how == DECIMAL_FLOOR));
    return pt__wide_scale_down(*magnitude, cut, (pt__rounding)how);
}

static bool round_decimal(pt__fn_call *call, idx_t row)
{
    const pt__fn_column *in = &call->columns[0];
    int32_t scale = PT__FN_IN(call, 1, int32_t)[row];
    pt_int128 value = pt__fn_integer(in, row);
    pt__exact number = {pt__wide_from(pt__magnitude(value)), value < 0, in->type->scale};
    int cut = scale < -38 ? 39 + in->type->scale : in->type->scale - scale;
    if (cut > 0) {
        number.magnitude = round_magnitude(&number.magnitude, cut, number.negative, PT__FN_IN(call, 2, int8_t)[row]);
        number.scale = in->type->scale - cut;
    }
    if (!pt__exact_to_decimal(&number, call->precision, call->scale, &value))
        return pt__decimal_raise(call, &number, call->precision, call->scale);
    pt__fn_put_decimal(call, row, value);
    return true;
}

void pt__fn_round_decimal(pt__fn_call *call)
{
    PT__FN_EACH(call, r, round_decimal(call, r));
}

/* To a bigint. */

static bool put_bigint(double value, int64_t *out)
{
    *out = isnan(value) ? 0 : value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : (int64_t)value;
    return true;
}

void pt__fn_ceil(pt__fn_call *call)
{
    PT__FN_EACH(call, r, put_bigint(ceil(PT__FN_IN(call, 0, double)[r]), &PT__FN_OUT(call, int64_t)[r]));
}

void pt__fn_floor(pt__fn_call *call)
{
    PT__FN_EACH(call, r, put_bigint(floor(PT__FN_IN(call, 0, double)[r]), &PT__FN_OUT(call, int64_t)[r]));
}

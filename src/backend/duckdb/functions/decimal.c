#include "backend/duckdb/functions/decimal.h"

#include "base/format_double.h"

#include <stdio.h>

static bool is_short(const pt__wide *value)
{
    uint64_t high = 0;
    for (int i = 1; i < PT__WIDE_LIMBS; i++)
        high |= value->limbs[i];
    return high == 0 && value->limbs[0] >> 63 == 0;
}

bool pt__exact_to_decimal(const pt__exact *number, int precision, int scale, pt_int128 *out)
{
    pt__wide magnitude = number->magnitude;
    int more = scale - number->scale;
    if (pt__wide_is_zero(&magnitude)) {
        *out = 0;
        return true;
    }
    if (more >= 0 && more < 20 && is_short(&magnitude)) {
        pt__uint128 product = (pt__uint128)magnitude.limbs[0] * (uint64_t)pt__power_of_ten(more);
        *out = number->negative ? -(pt_int128)product : (pt_int128)product;
        return product < pt__power_of_ten(precision);
    }
    if (more > 0) {
        if (pt__wide_digits(&magnitude) + more > precision)
            return false;
        magnitude = pt__wide_scale_up(magnitude, more);
    } else if (more < -PT__WIDE_DIGITS_MAX) {
        magnitude = pt__wide_from(0);
    } else if (more < 0) {
        magnitude = pt__wide_scale_down(magnitude, -more, PT__ROUND_HALF_UP);
    }
    pt__uint128 value;
    if (!pt__wide_to_uint128(&magnitude, &value) || value >= pt__power_of_ten(precision))
        return false;
    *out = number->negative ? -(pt_int128)value : (pt_int128)value;
    return true;
}

/* Parsing. */

/** Digits beyond these change nothing: the value is cut to them, with a last digit 1 standing for what follows. */
enum { DIGITS_KEPT = 120, EXPONENT_LIMIT = 1000000000 };

typedef struct digit_run {
    pt__wide magnitude;
    int kept;    /* digits in `magnitude` */
    int64_t cut; /* digits before the point that were not kept */
    int scale;   /* digits after the point in `magnitude` */
    bool any;
} digit_run;

static void take_digit(digit_run *run, int digit, bool fraction)
{
    run->any = true;
    if (run->kept < DIGITS_KEPT) {
        run->magnitude = pt__wide_scale_up(run->magnitude, 1);
        pt__wide addend = pt__wide_from((pt__uint128)digit);
        pt__wide_add(&run->magnitude, &addend);
        run->kept += run->kept > 0 || digit != 0;
        run->scale += fraction;
        return;
    }
    if (digit != 0)
        run->magnitude.limbs[0] |= 1;
    run->cut += !fraction;
}

static bool parse_exponent(const char **at, const char *end, int64_t *exponent)
{
    const char *p = *at;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end)
        return false;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (*exponent < EXPONENT_LIMIT)
            *exponent = *exponent * 10 + (*p - '0');
    if (negative)
        *exponent = -*exponent;
    *at = p;
    return true;
}

static bool parse_digits(const char **at, const char *end, digit_run *run)
{
    const char *p = *at;
    bool fraction = false;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !fraction)); p++) {
        if (*p == '.')
            fraction = true;
        else
            take_digit(run, *p - '0', fraction);
    }
    *at = p;
    return run->any;
}

/** Up to 18 digits with a point, no exponent: what nearly all texts are. */
static bool parse_short(pt_text_view text, pt__exact *out)
{
    size_t i = text.size_bytes > 0 && (text.data[0] == '-' || text.data[0] == '+');
    uint64_t value = 0;
    size_t first = i;
    size_t point = 0;
    if (text.size_bytes - i > 18)
        return false;
    for (; i < text.size_bytes; i++) {
        char c = text.data[i];
        if (c == '.' && point == 0)
            point = i + 1;
        else if (c >= '0' && c <= '9')
            value = value * 10 + (uint64_t)(c - '0');
        else
            return false;
    }
    if (text.size_bytes - first <= (size_t)(point > 0))
        return false;
    *out = (pt__exact){pt__wide_from(value), text.data[0] == '-', point == 0 ? 0 : (int)(text.size_bytes - point)};
    return true;
}

bool pt__exact_parse(pt_text_view text, pt__exact *out, bool *too_large)
{
    *too_large = false;
    if (parse_short(text, out))
        return true;
    const char *at = text.data;
    const char *end = at + text.size_bytes;
    digit_run run = {.any = false};
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (!parse_digits(&at, end, &run))
        return false;
    int64_t exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (!parse_exponent(&at, end, &exponent))
            return false;
    }
    if (at != end)
        return false;
    int64_t scale = run.scale - run.cut - exponent;
    if (pt__wide_is_zero(&run.magnitude))
        scale = 0;
    *too_large = run.kept - scale > 38;
    if (scale > EXPONENT_LIMIT)
        scale = EXPONENT_LIMIT;
    *out = (pt__exact){run.magnitude, negative, *too_large ? 0 : (int)scale};
    return true;
}

static pt__exact from_digits(const pt__shortest_digits *digits, bool negative)
{
    uint64_t value = 0;
    for (int32_t i = 0; i < digits->count; i++)
        value = value * 10 + (uint64_t)(digits->digits[i] - '0');
    return (pt__exact){pt__wide_from(value), negative, digits->count - digits->exponent};
}

pt__exact pt__exact_from_double(double value)
{
    if (value == 0)
        return (pt__exact){.scale = 0};
    pt__shortest_digits digits = pt__double_digits(value < 0 ? -value : value);
    return from_digits(&digits, value < 0);
}

pt__exact pt__exact_from_float(float value)
{
    if (value == 0)
        return (pt__exact){.scale = 0};
    pt__shortest_digits digits = pt__float_digits(value < 0 ? -value : value);
    return from_digits(&digits, value < 0);
}

/* Text. */

void pt__decimal_append(pt__buffer *out, pt_int128 value, int scale)
{
    pt__wide magnitude = pt__wide_from(pt__magnitude(value));
    pt__wide_append(out, &magnitude, value < 0, scale);
}

static void append_exact(pt__buffer *out, const pt__exact *number)
{
    pt__wide magnitude = number->magnitude;
    int scale = number->scale;
    if (scale >= 0 && scale <= PT__WIDE_DIGITS_MAX) {
        pt__wide_append(out, &magnitude, number->negative, scale);
        return;
    }
    pt__wide_append(out, &magnitude, number->negative, 0);
    for (; scale < 0 && scale > -400; scale++)
        pt__buffer_append_byte(out, '0');
}

bool pt__decimal_raise(pt__fn_call *call, const pt__exact *number, int precision, int scale)
{
    pt__buffer value = PT_BUFFER_INIT;
    append_exact(&value, number);
    char precision_text[16];
    char scale_text[16];
    snprintf(precision_text, sizeof(precision_text), "%d", precision);
    snprintf(scale_text, sizeof(scale_text), "%d", scale);
    pt__fn_raise(call, PT_COND_NUMERIC_VALUE_OUT_OF_RANGE_WITH_SUGGESTION, "value", pt__buffer_string(&value),
                 "precision", precision_text, "scale", scale_text, "config", PT__ANSI_CONFIG, NULL);
    pt__buffer_deinit(&value);
    return false;
}

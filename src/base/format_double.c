#include "base/format_double.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double POWERS_OF_TEN[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static void strip_zeros(pt__shortest_digits *digits)
{
    while (digits->count > 1 && digits->digits[digits->count - 1] == '0')
        digits->count--;
}

static void set_from_integer(pt__shortest_digits *out, uint64_t mantissa, int32_t scale)
{
    char text[24];
    int length = snprintf(text, sizeof(text), "%llu", (unsigned long long)mantissa);
    memcpy(out->digits, text, (size_t)length);
    out->count = length;
    out->exponent = length - scale;
    strip_zeros(out);
}

/*
 * Numbers with few decimals, which are most: mantissa / 10^scale is one correctly rounded division when both are
 * exact, so it is the number itself exactly when the decimal text reads back as it.
 */
static bool try_few_decimals(double value, pt__shortest_digits *out)
{
    if (value >= 1e15 || value < 1e-5)
        return false;
    for (int32_t scale = 0; scale <= 9; scale++) {
        double scaled = value * POWERS_OF_TEN[scale];
        if (scaled >= 1e15)
            return false;
        uint64_t mantissa = (uint64_t)(scaled + 0.5);
        if ((double)mantissa / POWERS_OF_TEN[scale] == value) {
            set_from_integer(out, mantissa, scale);
            return true;
        }
    }
    return false;
}

/* Fills from "d.ddde±xx". */
static void set_from_scientific(pt__shortest_digits *out, const char *text)
{
    const char *exponent = strchr(text, 'e');
    out->count = 0;
    for (const char *c = text; c < exponent; c++) {
        if (*c >= '0' && *c <= '9')
            out->digits[out->count++] = *c;
    }
    out->exponent = (int32_t)strtol(exponent + 1, NULL, 10) + 1;
    strip_zeros(out);
}

pt__shortest_digits pt__double_digits(double value)
{
    pt__shortest_digits out = {"", 0, 0};
    if (try_few_decimals(value, &out))
        return out;
    char text[40];
    /* 15 digits always survive the way there and back, but for subnormal numbers, which have fewer. */
    for (int precision = value < 2.3e-308 ? 2 : 15; precision <= 17; precision++) {
        snprintf(text, sizeof(text), "%.*e", precision - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    set_from_scientific(&out, text);
    return out;
}

pt__shortest_digits pt__float_digits(float value)
{
    pt__shortest_digits out = {"", 0, 0};
    char text[40];
    for (int precision = value < 1.2e-38F ? 2 : 6; precision <= 9; precision++) {
        snprintf(text, sizeof(text), "%.*e", precision - 1, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    set_from_scientific(&out, text);
    return out;
}

static size_t copy_text(char *out, const char *text)
{
    size_t length = strlen(text);
    memcpy(out, text, length + 1);
    return length;
}

static char *append_digits(char *out, const pt__shortest_digits *digits, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++)
        *out++ = i >= 0 && i < digits->count ? digits->digits[i] : '0';
    return out;
}

/* 10^-3 ≤ value < 10^7: exponent is from -2 to 7. */
static char *write_plain(char *out, const pt__shortest_digits *digits)
{
    int32_t point = digits->exponent;
    if (point <= 0)
        *out++ = '0';
    else
        out = append_digits(out, digits, 0, point);
    *out++ = '.';
    int32_t end = digits->count > point + 1 ? digits->count : point + 1;
    return append_digits(out, digits, point, end);
}

static char *write_scientific(char *out, const pt__shortest_digits *digits)
{
    *out++ = digits->digits[0];
    *out++ = '.';
    out = append_digits(out, digits, 1, digits->count > 2 ? digits->count : 2);
    return out + snprintf(out, 8, "E%d", digits->exponent - 1);
}

static size_t write_number(bool negative, const pt__shortest_digits *digits, char out[PT_DOUBLE_TEXT_MAX])
{
    char *end = out;
    if (negative)
        *end++ = '-';
    bool plain = digits->exponent >= -2 && digits->exponent <= 7;
    end = plain ? write_plain(end, digits) : write_scientific(end, digits);
    *end = '\0';
    return (size_t)(end - out);
}

static const char *special_text(double value)
{
    if (isnan(value))
        return "NaN";
    if (isinf(value))
        return value < 0 ? "-Infinity" : "Infinity";
    if (value == 0)
        return signbit(value) ? "-0.0" : "0.0";
    return NULL;
}

size_t pt__format_double(double value, char out[PT_DOUBLE_TEXT_MAX])
{
    const char *special = special_text(value);
    if (special != NULL)
        return copy_text(out, special);
    pt__shortest_digits digits = pt__double_digits(fabs(value));
    return write_number(value < 0, &digits, out);
}

size_t pt__format_float(float value, char out[PT_DOUBLE_TEXT_MAX])
{
    const char *special = special_text((double)value);
    if (special != NULL)
        return copy_text(out, special);
    pt__shortest_digits digits = pt__float_digits(fabsf(value));
    return write_number(value < 0, &digits, out);
}

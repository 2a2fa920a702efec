#include "base/int128.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { EXPONENT_LIMIT = 10000 };

static uint128 magnitude(pt_int128 value)
{
    return value < 0 ? -(uint128)value : (uint128)value;
}

pt_int128 pt__int128_power_of_ten(int32_t exponent)
{
    assert(exponent >= 0 && exponent <= PT_DECIMAL_DIGITS_MAX);
    pt_int128 power = 1;
    for (int32_t i = 0; i < exponent; i++)
        power *= 10;
    return power;
}

int32_t pt__int128_digits(pt_int128 value)
{
    int32_t digits = 1;
    for (uint128 rest = magnitude(value) / 10; rest != 0; rest /= 10)
        digits++;
    return digits;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

typedef struct scanner {
    const char *next;
    const char *end;
} scanner;

static bool accept_sign(scanner *s)
{
    if (s->next == s->end || (*s->next != '-' && *s->next != '+'))
        return false;
    return *s->next++ == '-';
}

/* Digits of the coefficient: leading zeros do not count towards the 38. */
typedef struct coefficient {
    uint128 value;
    int32_t digits; /* significant ones */
    size_t seen;    /* all of them */
} coefficient;

static void scan_digits(scanner *s, coefficient *c)
{
    for (; s->next != s->end && is_digit(*s->next); s->next++) {
        c->seen++;
        if (c->digits != 0 || *s->next != '0')
            c->digits++;
        if (c->digits <= PT_DECIMAL_DIGITS_MAX)
            c->value = c->value * 10 + (uint128)(*s->next - '0');
    }
}

static bool scan_exponent(scanner *s, int32_t *exponent)
{
    *exponent = 0;
    if (s->next == s->end || (*s->next != 'e' && *s->next != 'E'))
        return true;
    s->next++;
    bool negative = accept_sign(s);
    const char *start = s->next;
    for (; s->next != s->end && is_digit(*s->next); s->next++) {
        if (*exponent <= EXPONENT_LIMIT)
            *exponent = *exponent * 10 + (*s->next - '0');
    }
    if (negative)
        *exponent = -*exponent;
    return s->next != start;
}

pt__decimal_result pt__decimal_parse(const char *text, size_t size_bytes, pt__decimal *out)
{
    scanner s = {text, text + size_bytes};
    bool negative = accept_sign(&s);
    coefficient c = {0, 0, 0};
    scan_digits(&s, &c);
    size_t whole = c.seen;
    if (s.next != s.end && *s.next == '.') {
        s.next++;
        scan_digits(&s, &c);
    }
    size_t fraction = c.seen - whole;
    int32_t exponent;
    if (c.seen == 0 || !scan_exponent(&s, &exponent) || s.next != s.end)
        return PT_DECIMAL_MALFORMED;
    if (c.digits > PT_DECIMAL_DIGITS_MAX || fraction > EXPONENT_LIMIT || abs(exponent) > EXPONENT_LIMIT)
        return PT_DECIMAL_TOO_LARGE;
    out->unscaled = negative ? -(pt_int128)c.value : (pt_int128)c.value;
    out->precision = c.digits == 0 ? 1 : c.digits;
    out->scale = (int32_t)fraction - exponent;
    return PT_DECIMAL_OK;
}

static bool multiply(uint128 *value, int32_t zeros)
{
    for (; zeros > 0 && *value != 0; zeros--) {
        if (pt__int128_digits((pt_int128)*value) >= PT_DECIMAL_DIGITS_MAX)
            return false;
        *value *= 10;
    }
    return true;
}

static uint128 divide_half_up(uint128 value, int32_t zeros)
{
    if (zeros > PT_DECIMAL_DIGITS_MAX)
        return 0;
    uint128 divisor = (uint128)pt__int128_power_of_ten(zeros);
    uint128 quotient = value / divisor;
    uint128 rest = value % divisor;
    return rest >= divisor - rest ? quotient + 1 : quotient;
}

pt__decimal_result pt__decimal_rescale(pt_int128 unscaled, int32_t from_scale, int32_t precision, int32_t scale,
                                       pt_int128 *out)
{
    uint128 value = magnitude(unscaled);
    if (scale >= from_scale) {
        if (!multiply(&value, scale - from_scale))
            return PT_DECIMAL_TOO_LARGE;
    } else {
        value = divide_half_up(value, from_scale - scale);
    }
    if (value != 0 && pt__int128_digits((pt_int128)value) > precision)
        return PT_DECIMAL_TOO_LARGE;
    *out = unscaled < 0 ? -(pt_int128)value : (pt_int128)value;
    return PT_DECIMAL_OK;
}

size_t pt__decimal_format(pt_int128 unscaled, int32_t scale, char out[PT_DECIMAL_TEXT_BYTES])
{
    assert(scale >= -PT_DECIMAL_DIGITS_MAX && scale <= PT_DECIMAL_DIGITS_MAX);
    char reversed[PT_DECIMAL_TEXT_BYTES];
    size_t size = 0;
    uint128 rest = magnitude(unscaled);
    for (int32_t zeros = scale; zeros < 0 && rest != 0; zeros++)
        reversed[size++] = '0';
    int32_t fraction = scale;
    while (rest != 0 || fraction >= 0) {
        if (fraction == 0 && scale > 0)
            reversed[size++] = '.';
        if (fraction <= 0 && rest == 0 && size != 0 && reversed[size - 1] != '.')
            break;
        reversed[size++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
        fraction--;
    }
    if (size == 0)
        reversed[size++] = '0';
    if (unscaled < 0)
        reversed[size++] = '-';
    for (size_t i = 0; i < size; i++)
        out[i] = reversed[size - 1 - i];
    out[size] = '\0';
    return size;
}

double pt__decimal_to_double(pt_int128 unscaled, int32_t scale)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt__decimal_format(unscaled, scale, text);
    return strtod(text, NULL);
}

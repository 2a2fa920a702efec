#include "backend/duckdb/functions/number_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f;
}

pt_text_view pt__trim_text(pt_text_view text)
{
    while (text.size_bytes > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size_bytes--;
    }
    while (text.size_bytes > 0 && is_blank(text.data[text.size_bytes - 1]))
        text.size_bytes--;
    return text;
}

static bool only_digits(const char *at, const char *end)
{
    for (; at < end; at++)
        if (*at < '0' || *at > '9')
            return false;
    return true;
}

bool pt__parse_long(pt_text_view text, bool fraction, int64_t *out)
{
    text = pt__trim_text(text);
    const char *at = text.data;
    const char *end = at + text.size_bytes;
    if (at == end)
        return false;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (at == end)
        return false;
    int64_t value = 0; /* negated, so that the smallest value fits */
    for (; at < end && !(fraction && *at == '.'); at++) {
        if (*at < '0' || *at > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *at - '0', &value))
            return false;
    }
    if (at < end && !only_digits(at + 1, end))
        return false;
    if (!negative && value == INT64_MIN)
        return false;
    *out = negative ? value : -value;
    return true;
}

/* Floating point. */

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/** Both the digits and the power of ten are exact as doubles, so one operation rounds right. */
static bool parse_simple(const char *at, const char *end, double *out)
{
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    uint64_t digits = 0;
    int count = 0;
    int scale = 0;
    bool point = false;
    for (; at < end; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (*at < '0' || *at > '9' || ++count > 15)
            return false;
        digits = digits * 10 + (uint64_t)(*at - '0');
        scale += point;
    }
    if (count == 0)
        return false;
    double value = (double)digits / POWERS[scale];
    *out = negative ? -value : value;
    return true;
}

static bool matches_any(pt_text_view text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strlen(*words) == text.size_bytes && strncasecmp(*words, text.data, text.size_bytes) == 0)
            return true;
    return false;
}

static bool parse_special(pt_text_view text, double *out)
{
    static const char *const INFINITE[] = {"inf", "+inf", "infinity", "+infinity", NULL};
    static const char *const NEGATIVE[] = {"-inf", "-infinity", NULL};
    static const char *const NOT_A_NUMBER[] = {"nan", "+nan", "-nan", NULL};
    if (matches_any(text, INFINITE))
        *out = INFINITY;
    else if (matches_any(text, NEGATIVE))
        *out = -INFINITY;
    else if (matches_any(text, NOT_A_NUMBER) && (text.size_bytes == 3 || memcmp(text.data + 1, "NaN", 3) == 0))
        *out = NAN;
    else
        return false;
    return true;
}

/** Whether `text` is a number that strtod reads as Java would; `*size_bytes` is left without Java's suffix. */
static bool check_grammar(const char *text, size_t *size_bytes)
{
    size_t size = *size_bytes;
    size_t at = size > 0 && (text[0] == '-' || text[0] == '+');
    bool hex = size > at + 1 && text[at] == '0' && (text[at + 1] | 0x20) == 'x';
    bool exponent = false;
    size_t digits = 0;
    if (size > 0 && strchr("dDfF", text[size - 1]) != NULL &&
        (!hex || memchr(text, 'p', size) || memchr(text, 'P', size)))
        size--;
    for (at += hex ? 2 : 0; at < size; at++) {
        char c = text[at];
        char mark = hex ? 'p' : 'e';
        if (isdigit((unsigned char)c) || (hex && !exponent && isxdigit((unsigned char)c)))
            digits++;
        else if ((c | 0x20) == mark && !exponent && digits > 0)
            exponent = true, digits = 0, at += at + 1 < size && (text[at + 1] == '-' || text[at + 1] == '+');
        else if (c != '.' || exponent)
            return false;
    }
    *size_bytes = size;
    return digits > 0 && (!hex || exponent);
}

typedef union parsed {
    double wide;
    float narrow;
} parsed;

/** Rare: what is longer than this is cut to it, as digits so far behind change nothing. */
enum { LONGEST_BYTES = 1100 };

static bool parse_general(pt_text_view text, bool narrow, parsed *out)
{
    char copy[LONGEST_BYTES + 1];
    size_t size = text.size_bytes;
    if (!check_grammar(text.data, &size) || size > LONGEST_BYTES)
        return false;
    memcpy(copy, text.data, size);
    copy[size] = '\0';
    char *end;
    if (narrow)
        out->narrow = strtof(copy, &end);
    else
        out->wide = strtod(copy, &end);
    return end == copy + size;
}

bool pt__parse_double(pt_text_view text, double *out)
{
    text = pt__trim_text(text);
    if (parse_simple(text.data, text.data + text.size_bytes, out))
        return true;
    parsed value;
    if (parse_general(text, false, &value)) {
        *out = value.wide;
        return true;
    }
    return parse_special(text, out);
}

bool pt__parse_float(pt_text_view text, float *out)
{
    text = pt__trim_text(text);
    parsed value;
    double special;
    if (parse_general(text, true, &value)) {
        *out = value.narrow;
        return true;
    }
    if (!parse_special(text, &special))
        return false;
    *out = (float)special;
    return true;
}

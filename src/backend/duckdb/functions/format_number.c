/* format_number(number, decimals) and format_number(number, pattern), as java.text.DecimalFormat. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/decimal.h"
#include "backend/duckdb/functions/unicode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRACTION_MAX = 340, PATTERN_SLOT = 0 };

typedef struct number_pattern {
    pt__buffer prefix;
    pt__buffer suffix;
    pt__buffer negative_prefix; /* with has_negative */
    pt__buffer negative_suffix;
    bool has_negative;
    int least_whole;
    int least_fraction;
    int most_fraction;
    int group;    /* digits between commas; 0: none */
    int multiply; /* power of ten: 2 for percent */
} number_pattern;

/** The digits of a number: before the point without leading zeros, after it exactly `fraction` of them. */
typedef struct digits {
    pt__buffer text;
    size_t whole;
    bool negative;
    bool zero;
} digits;

/** printf rounds the exact value half to even, as DecimalFormat does. */
static void take_double(digits *out, double value, int fraction, int multiply)
{
    out->negative = signbit(value) != 0;
    pt__buffer_printf(&out->text, "%.*f", fraction, fabs(value) * (multiply == 2 ? 100 : multiply == 3 ? 1000 : 1));
}

static void take_exact(digits *out, pt_int128 value, int scale, int fraction, int multiply)
{
    pt__wide magnitude = pt__wide_scale_up(pt__wide_from(pt__magnitude(value)), multiply);
    out->negative = value < 0;
    if (scale > fraction) {
        magnitude = pt__wide_scale_down(magnitude, scale - fraction, PT__ROUND_HALF_EVEN);
        scale = fraction;
    }
    pt__wide_append(&out->text, &magnitude, false, scale);
    if (scale == 0 && fraction > 0)
        pt__buffer_append_byte(&out->text, '.');
    for (; scale < fraction; scale++)
        pt__buffer_append_byte(&out->text, '0');
}

static void take_digits(digits *out, const pt__fn_column *column, idx_t row, int fraction, int multiply)
{
    pt__buffer_reset(&out->text);
    if (column->type->id == DUCKDB_TYPE_DOUBLE)
        take_double(out, ((const double *)column->data)[row], fraction, multiply);
    else if (column->type->id == DUCKDB_TYPE_FLOAT)
        take_double(out, (double)((const float *)column->data)[row], fraction, multiply);
    else
        take_exact(out, pt__fn_integer(column, row), column->type->scale, fraction, multiply);
    const char *text = pt__buffer_string(&out->text);
    out->whole = strcspn(text, ".");
    out->zero = strspn(text, "0.") == strlen(text);
}

static bool special_value(const pt__fn_column *column, idx_t row, double *value)
{
    if (column->type->id == DUCKDB_TYPE_DOUBLE)
        *value = ((const double *)column->data)[row];
    else if (column->type->id == DUCKDB_TYPE_FLOAT)
        *value = (double)((const float *)column->data)[row];
    else
        return false;
    return !isfinite(*value);
}

static void append_whole(pt__buffer *out, const char *text, size_t whole, int least, int group)
{
    bool only_zero = whole == 1 && text[0] == '0';
    size_t count = only_zero ? 0 : whole;
    size_t total = count < (size_t)least ? (size_t)least : count;
    for (size_t i = 0; i < total; i++) {
        size_t left = total - i;
        if (group > 0 && i > 0 && left % (size_t)group == 0)
            pt__buffer_append_byte(out, ',');
        pt__buffer_append_byte(out, left > count ? '0' : (uint8_t)text[whole - left]);
    }
}

/** Fraction digits beyond the least go when they are zeros at the end. */
static void append_fraction(pt__buffer *out, const char *fraction, int least)
{
    size_t size = strlen(fraction);
    while (size > 0 && size > (size_t)least && fraction[size - 1] == '0')
        size--;
    if (size == 0)
        return;
    pt__buffer_append_byte(out, '.');
    pt__buffer_append(out, fraction, size);
}

static void append_buffer(pt__buffer *out, const pt__buffer *piece)
{
    pt__buffer_append(out, piece->data, piece->size_bytes);
}

static void append_formatted(pt__buffer *out, const number_pattern *p, const digits *d)
{
    const char *text = (const char *)d->text.data;
    const char *fraction = text[d->whole] == '.' ? text + d->whole + 1 : "";
    bool negative = d->negative;
    int least = p->least_whole;
    if (negative && !p->has_negative)
        pt__buffer_append_byte(out, '-');
    append_buffer(out, negative && p->has_negative ? &p->negative_prefix : &p->prefix);
    if (least == 0 && p->most_fraction == 0 && d->zero)
        least = 1;
    append_whole(out, text, d->whole, least, p->group);
    append_fraction(out, fraction, p->least_fraction);
    append_buffer(out, negative && p->has_negative ? &p->negative_suffix : &p->suffix);
}

static void append_special(pt__buffer *out, double value)
{
    pt__buffer_append_string(out, isnan(value) ? "NaN" : value > 0 ? "\u221e" : "-\u221e");
}

static bool put_formatted(pt__fn_call *call, idx_t row, const number_pattern *pattern)
{
    double special;
    digits d = {.text = call->state->scratch2};
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    if (special_value(&call->columns[0], row, &special)) {
        append_special(out, special);
        return pt__fn_put_buffer(call, row, out);
    }
    take_digits(&d, &call->columns[0], row, pattern->most_fraction, pattern->multiply);
    append_formatted(out, pattern, &d);
    call->state->scratch2 = d.text;
    return pt__fn_put_buffer(call, row, out);
}

/* By number of decimals. */

static bool by_decimals(pt__fn_call *call, idx_t row)
{
    int32_t decimals = PT__FN_IN(call, 1, int32_t)[row];
    int fraction = decimals > FRACTION_MAX ? FRACTION_MAX : decimals;
    const number_pattern pattern = {
        .least_whole = 1, .least_fraction = fraction, .most_fraction = fraction, .group = 3};
    return decimals >= 0 && put_formatted(call, row, &pattern);
}

void pt__fn_format_number(pt__fn_call *call)
{
    PT__FN_EACH(call, r, by_decimals(call, r));
}

/* By pattern. */

static void free_pattern(void *object)
{
    number_pattern *p = object;
    pt__buffer_deinit(&p->prefix);
    pt__buffer_deinit(&p->suffix);
    pt__buffer_deinit(&p->negative_prefix);
    pt__buffer_deinit(&p->negative_suffix);
    free(p);
}

/** Text around the digits, with quotes, up to a character of `stops`. False: a quote does not end. */
static bool read_affix(const char **at, const char *stops, pt__buffer *out, int *multiply)
{
    const char *p = *at;
    for (; *p != '\0' && strchr(stops, *p) == NULL; p++) {
        if (*p == '\'' && p[1] == '\'') {
            p++;
        } else if (*p == '\'') {
            for (p++; *p != '\'' && *p != '\0'; p++)
                pt__buffer_append_byte(out, (uint8_t)*p);
            if (*p == '\0')
                return false;
            continue;
        }
        if (*p == '%')
            *multiply = 2;
        pt__buffer_append_byte(out, (uint8_t)*p);
    }
    *at = p;
    return true;
}

static void read_digits(const char **at, number_pattern *p)
{
    bool fraction = false;
    for (; **at != '\0' && strchr("#0,.", **at) != NULL; ++*at) {
        char c = **at;
        if (c == '.') {
            fraction = true;
        } else if (c == ',') {
            p->group = 0;
        } else if (fraction) {
            p->most_fraction++;
            p->least_fraction += c == '0';
        } else {
            p->least_whole += c == '0';
            p->group = p->group < 0 ? p->group : p->group + 1;
        }
    }
}

static bool parse_pattern(const char *text, number_pattern *p)
{
    static const char STOPS[] = "#0,.;";
    bool grouped = strchr(text, ',') != NULL;
    bool pointed = strchr(text, '.') != NULL;
    if (!read_affix(&text, STOPS, &p->prefix, &p->multiply))
        return false;
    read_digits(&text, p);
    if (pointed && p->least_whole == 0 && p->least_fraction == 0) {
        /* No 0 at all: one digit is shown before the point, or after it when the pattern begins with the point. */
        bool before = p->group > 0 || grouped;
        p->least_whole = before;
        p->least_fraction = !before && p->most_fraction > 0;
    }
    if (!grouped)
        p->group = 0;
    if (*text == 'E' || !read_affix(&text, ";", &p->suffix, &p->multiply))
        return false;
    if (*text != ';')
        return true;
    int ignored;
    number_pattern negative = {.group = 0};
    p->has_negative = true;
    text++;
    if (!read_affix(&text, STOPS, &p->negative_prefix, &ignored))
        return false;
    read_digits(&text, &negative);
    return read_affix(&text, ";", &p->negative_suffix, &ignored);
}

static const number_pattern *need_pattern(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 1, row);
    const number_pattern *kept = pt__fn_recall(call->state, PATTERN_SLOT, text);
    if (kept != NULL)
        return kept;
    pt__buffer copy = PT_BUFFER_INIT;
    number_pattern *made = calloc(1, sizeof(*made));
    pt__buffer_append(&copy, text.data, text.size_bytes);
    bool ok = made != NULL &&
              parse_pattern(text.size_bytes == 0 ? "#,###,###,###,###,###,##0" : pt__buffer_string(&copy), made);
    pt__buffer_deinit(&copy);
    if (!ok) {
        if (made != NULL)
            free_pattern(made);
        pt__fn_raise(call, PT_COND_UNSUPPORTED_FEATURE, "feature", "this pattern in format_number", NULL);
        return NULL;
    }
    if (!pt__fn_remember(call->state, PATTERN_SLOT, text, made, free_pattern))
        return (pt__fn_fail_memory(call), NULL);
    return made;
}

static bool by_pattern(pt__fn_call *call, idx_t row)
{
    const number_pattern *pattern = need_pattern(call, row);
    return pattern != NULL && put_formatted(call, row, pattern);
}

void pt__fn_format_number_pattern(pt__fn_call *call)
{
    PT__FN_EACH(call, r, by_pattern(call, r));
}

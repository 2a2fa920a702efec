/* to_number and to_char of numbers. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/decimal.h"
#include "backend/duckdb/functions/number_pattern.h"
#include "backend/duckdb/functions/value_text.h"

#include <ctype.h>
#include <stdlib.h>

enum { PATTERN_SLOT = 0, DIGITS_MAX = 38 };

static bool raise_pattern(pt__fn_call *call, pt_text_view pattern, const pt__number_pattern_error *error)
{
    pt__buffer upper = PT_BUFFER_INIT;
    pt__buffer quoted = PT_BUFFER_INIT;
    for (size_t i = 0; i < pattern.size_bytes; i++)
        pt__buffer_append_byte(&upper, (uint8_t)toupper((unsigned char)pattern.data[i]));
    pt__append_text_literal(&quoted, (pt_text_view){pt__buffer_string(&upper), upper.size_bytes});
    if (error->token[0] == '\0')
        pt__fn_raise(call, error->condition, "format", pt__buffer_string(&quoted), NULL);
    else
        pt__fn_raise(call, error->condition, "format", pt__buffer_string(&quoted), "token", error->token, NULL);
    pt__buffer_deinit(&upper);
    pt__buffer_deinit(&quoted);
    return false;
}

/** NULL after raising an error. */
static const pt__number_pattern *need_pattern(pt__fn_call *call, idx_t row)
{
    pt__number_pattern_error error;
    pt_text_view text = pt__fn_text(call, 1, row);
    const pt__number_pattern *kept = pt__fn_recall(call->state, PATTERN_SLOT, text);
    if (kept != NULL)
        return kept;
    pt__number_pattern *made = malloc(sizeof(*made));
    if (made == NULL)
        return (pt__fn_fail_memory(call), NULL);
    if (!pt__number_pattern_parse(text.data, text.size_bytes, made, &error)) {
        free(made);
        return (raise_pattern(call, text, &error), NULL);
    }
    if (!pt__fn_remember(call->state, PATTERN_SLOT, text, made, free))
        return (pt__fn_fail_memory(call), NULL);
    return made;
}

/* to_number. */

typedef struct reader {
    const char *at;
    const char *end;
    const pt__number_pattern *pattern;
    size_t token;
    char digits[DIGITS_MAX + 1];
    int digit_count;
    int fraction_digits;
    bool in_fraction;
    bool negative;
} reader;

static bool take(reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/** How many digits stand here, white space left out; kept as digits of the number. -1: too many. */
static int take_digits(reader *r)
{
    int count = 0;
    for (; r->at < r->end && (isdigit((unsigned char)*r->at) || isspace((unsigned char)*r->at)); r->at++) {
        if (!isdigit((unsigned char)*r->at))
            continue;
        if (r->digit_count == DIGITS_MAX)
            return -1;
        r->digits[r->digit_count++] = *r->at;
        count++;
    }
    return count;
}

static bool fits_group(const pt__number_token *group, int count)
{
    return count >= 0 && (group->exact ? count == group->digits : count <= group->digits);
}

/** The groups from the current token on; those of the text are matched from the last, the first may be missing. */
static bool take_groups(reader *r)
{
    int counts[PT__NUMBER_TOKENS_MAX];
    size_t first = r->token;
    size_t groups = 0;
    size_t found = 0;
    while (r->token < r->pattern->token_count && r->pattern->tokens[r->token].kind <= PT__TOKEN_COMMA)
        groups += r->pattern->tokens[r->token++].kind == PT__TOKEN_DIGITS;
    do {
        if (found == groups)
            return false;
        counts[found++] = take_digits(r);
    } while (!r->in_fraction && take(r, ','));
    if (r->in_fraction)
        r->fraction_digits = counts[0];
    for (size_t i = 0; i < groups; i++) {
        const pt__number_token *group = &r->pattern->tokens[first + 2 * (groups - 1 - i)];
        if (!fits_group(group, i < found ? counts[found - 1 - i] : 0))
            return false;
    }
    return true;
}

static bool take_token(reader *r)
{
    switch (r->pattern->tokens[r->token].kind) {
    case PT__TOKEN_DIGITS:
    case PT__TOKEN_COMMA: return take_groups(r);
    case PT__TOKEN_POINT: r->in_fraction = take(r, '.'); break;
    case PT__TOKEN_DOLLAR:
        if (!take(r, '$'))
            return false;
        break;
    case PT__TOKEN_SIGN:
        if (!take(r, '+'))
            r->negative ^= take(r, '-');
        break;
    case PT__TOKEN_MINUS: r->negative ^= take(r, '-'); break;
    case PT__TOKEN_OPENING: take(r, '<'); break;
    case PT__TOKEN_CLOSING: r->negative ^= take(r, '>'); break;
    }
    r->token++;
    return true;
}

static bool read_number(pt_text_view text, const pt__number_pattern *pattern, pt__exact *out)
{
    reader r = {.at = text.data, .end = text.data + text.size_bytes, .pattern = pattern};
    if (text.size_bytes == 0)
        return false;
    while (r.token < pattern->token_count)
        if (!take_token(&r))
            return false;
    if (r.at != r.end)
        return false;
    pt_int128 value = 0;
    for (int i = 0; i < r.digit_count; i++)
        value = value * 10 + (r.digits[i] - '0');
    *out = (pt__exact){pt__wide_from((pt__uint128)value), r.negative, r.fraction_digits};
    return true;
}

static bool reject_number(pt__fn_call *call, idx_t row)
{
    if (call->mode != PT__FN_ANSI)
        return false;
    pt__buffer copies[2] = {PT_BUFFER_INIT, PT_BUFFER_INIT};
    for (size_t i = 0; i < 2; i++) {
        pt_text_view text = pt__fn_text(call, i, row);
        pt__buffer_append(&copies[i], text.data, text.size_bytes);
    }
    pt__fn_raise(call, PT_COND_INVALID_FORMAT_MISMATCH_INPUT, "inputType", "\"STRING\"", "input",
                 pt__buffer_string(&copies[0]), "format", pt__buffer_string(&copies[1]), NULL);
    pt__buffer_deinit(&copies[0]);
    pt__buffer_deinit(&copies[1]);
    return false;
}

/** The number as plain text, for DuckDB's cast to the decimal type that the pattern gives. */
static bool to_number(pt__fn_call *call, idx_t row)
{
    pt__exact number;
    const pt__number_pattern *pattern = need_pattern(call, row);
    if (pattern == NULL)
        return false;
    if (!read_number(pt__fn_text(call, 0, row), pattern, &number))
        return reject_number(call, row);
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    pt__wide_append(out, &number.magnitude, number.negative, number.scale);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_to_number(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_number(call, r));
}

/* to_char. */

typedef struct painter {
    pt__buffer *out;
    const char *whole; /* digits before the point, spaces in front of them up to the width of the pattern */
    const char *fraction;
    bool in_fraction;
    bool negative;
} painter;

static char last_of(const pt__buffer *out)
{
    return out->size_bytes == 0 ? '\0' : (char)out->data[out->size_bytes - 1];
}

/** A sign moves in front of the spaces that end the text. */
static void paint_sign(pt__buffer *out, char sign)
{
    pt__buffer_append_byte(out, (uint8_t)sign);
    for (size_t i = out->size_bytes - 1; !out->failed && i > 0 && out->data[i - 1] == ' '; i--) {
        out->data[i - 1] = (uint8_t)sign;
        out->data[i] = ' ';
    }
}

/** A space moves in front of the signs that end the text. */
static void paint_space(pt__buffer *out)
{
    pt__buffer_append_byte(out, ' ');
    for (size_t i = out->size_bytes - 1; !out->failed && i > 0 && (out->data[i - 1] == '+' || out->data[i - 1] == '-');
         i--) {
        out->data[i] = out->data[i - 1];
        out->data[i - 1] = ' ';
    }
}

static void paint_digits(painter *p, const pt__number_token *token)
{
    for (int i = 0; i < token->digits; i++) {
        char c = p->in_fraction ? *p->fraction++ : *p->whole++;
        if (c != ' ')
            pt__buffer_append_byte(p->out, (uint8_t)c);
        else if (token->exact)
            pt__buffer_append_byte(p->out, '0');
        else
            paint_space(p->out);
    }
}

static void paint_point(painter *p)
{
    if (last_of(p->out) == ' ')
        p->out->data[p->out->size_bytes - 1] = '0';
    pt__buffer_append_byte(p->out, '.');
    p->in_fraction = true;
}

static void paint_token(painter *p, const pt__number_token *token)
{
    char last = last_of(p->out);
    switch (token->kind) {
    case PT__TOKEN_DIGITS: paint_digits(p, token); break;
    case PT__TOKEN_COMMA:
        if ((last >= '0' && last <= '9') || last == '#')
            pt__buffer_append_byte(p->out, ',');
        else
            paint_space(p->out);
        break;
    case PT__TOKEN_POINT: paint_point(p); break;
    case PT__TOKEN_DOLLAR: pt__buffer_append_byte(p->out, '$'); break;
    case PT__TOKEN_SIGN: paint_sign(p->out, p->negative ? '-' : '+'); break;
    case PT__TOKEN_MINUS:
        if (p->negative)
            paint_sign(p->out, '-');
        else
            pt__buffer_append_byte(p->out, ' ');
        break;
    case PT__TOKEN_OPENING: pt__buffer_append_string(p->out, p->negative ? "<" : ""); break;
    case PT__TOKEN_CLOSING:
        if (p->negative)
            paint_sign(p->out, '>');
        else
            pt__buffer_append_string(p->out, "  ");
        break;
    }
}

/** Digits of a decimal as the pattern wants them, `#` where it has too few places. */
static void split_digits(pt_int128 value, int scale, const pt__number_pattern *pattern, char *whole, char *fraction)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt__decimal_format(value, scale, text);
    char *point = strchr(text, '.');
    const char *after = point == NULL ? "" : point + 1;
    size_t after_size = strlen(after);
    size_t before_size = point == NULL ? strlen(text) : (size_t)(point - text);
    const char *before = text;
    while (before_size > 0 && (*before == '-' || *before == '0'))
        before++, before_size--;
    while (after_size > 0 && after[after_size - 1] == '0')
        after_size--;
    size_t places = (size_t)pattern->whole_digits;
    size_t fraction_places = (size_t)pattern->fraction_digits;
    bool fits = before_size <= places && after_size <= fraction_places;
    memset(whole, fits ? ' ' : '#', places);
    memset(fraction, fits ? '0' : '#', fraction_places);
    if (fits) {
        memcpy(whole + places - before_size, before, before_size);
        memcpy(fraction, after, after_size);
    }
}

static bool to_char(pt__fn_call *call, idx_t row)
{
    char whole[512];
    char fraction[512];
    const pt__number_pattern *pattern = need_pattern(call, row);
    if (pattern == NULL)
        return false;
    if (pattern->whole_digits > (int)sizeof(whole) || pattern->fraction_digits > (int)sizeof(fraction))
        return pt__fn_raise(call, PT_COND_UNSUPPORTED_FEATURE, "feature", "a number format of more than 512 digits",
                            NULL);
    pt_int128 value = pt__fn_integer(&call->columns[0], row);
    split_digits(value, call->columns[0].type->scale, pattern, whole, fraction);
    painter p = {&call->state->scratch, whole, fraction, false, value < 0};
    pt__buffer_reset(p.out);
    for (size_t i = 0; i < pattern->token_count; i++)
        paint_token(&p, &pattern->tokens[i]);
    if (p.out->size_bytes == 1 && (last_of(p.out) == '+' || last_of(p.out) == '-'))
        p.out->data[0] = ' ';
    return pt__fn_put_buffer(call, row, p.out);
}

void pt__fn_to_char(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_char(call, r));
}

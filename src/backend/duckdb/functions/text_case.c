/* upper, lower, initcap, mask, soundex. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/unicode.h"
#include "base/utf8.h"

#include <utf8proc.h>

static bool upper(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    pt__append_upper(out, pt__fn_text(call, 0, row));
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_upper(pt__fn_call *call)
{
    PT__FN_EACH(call, r, upper(call, r));
}

static bool lower(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    pt__append_lower(out, pt__fn_text(call, 0, row));
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_lower(pt__fn_call *call)
{
    PT__FN_EACH(call, r, lower(call, r));
}

static void append_code_point(pt__buffer *out, uint32_t code_point)
{
    char encoded[4];
    pt__buffer_append(out, encoded, pt__utf8_encode(code_point, encoded));
}

static void append_title(pt__buffer *out, uint32_t c)
{
    if (c == 0xdf)
        pt__buffer_append_string(out, "Ss");
    else
        append_code_point(out, (uint32_t)utf8proc_totitle((utf8proc_int32_t)c));
}

/** Words are what spaces separate. */
static bool initcap(pt__fn_call *call, idx_t row)
{
    pt__buffer *low = &call->state->scratch2;
    pt__buffer *out = &call->state->scratch;
    uint32_t c;
    pt__buffer_reset(low);
    pt__buffer_reset(out);
    pt__append_lower(low, pt__fn_text(call, 0, row));
    bool first = true;
    for (size_t at = 0; pt__utf8_next((const char *)low->data, low->size_bytes, &at, &c); first = c == ' ') {
        if (first)
            append_title(out, c);
        else
            append_code_point(out, c);
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_initcap(pt__fn_call *call)
{
    PT__FN_EACH(call, r, initcap(call, r));
}

/* mask(text, upper, lower, digit, other): NULL keeps the characters of its kind. */

static size_t mask_column(uint32_t c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU: return 1;
    case UTF8PROC_CATEGORY_LL: return 2;
    case UTF8PROC_CATEGORY_ND: return 3;
    default: return 4;
    }
}

static bool mask(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    pt_text_view text = pt__fn_text(call, 0, row);
    uint32_t c;
    pt__buffer_reset(out);
    if (!pt__fn_bit(call->columns[0].validity, row))
        return false;
    for (size_t at = 0; pt__utf8_next(text.data, text.size_bytes, &at, &c);) {
        size_t column = mask_column(c);
        if (!pt__fn_bit(call->columns[column].validity, row)) {
            append_code_point(out, c);
            continue;
        }
        pt_text_view replacement = pt__fn_text(call, column, row);
        pt__buffer_append(out, replacement.data, replacement.size_bytes);
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_mask(pt__fn_call *call)
{
    PT__FN_EACH(call, r, mask(call, r));
}

/* soundex: text that does not begin with a letter stays as it is. */

static char upper_letter(char c)
{
    if (c >= 'a' && c <= 'z')
        return (char)(c - 32);
    return c >= 'A' && c <= 'Z' ? c : '\0';
}

static void soundex_code(pt_text_view text, char code[4])
{
    static const char CODES[] = "01230127022455012623017202"; /* 7: H and W, which do not part equal codes */
    size_t count = 1;
    char last = CODES[code[0] - 'A'];
    for (size_t i = 1; i < text.size_bytes && count < 4; i++) {
        char letter = upper_letter(text.data[i]);
        char digit = letter == '\0' ? '0' : CODES[letter - 'A'];
        if (digit == '7')
            continue;
        if (digit != '0' && digit != last)
            code[count++] = digit;
        last = digit;
    }
}

static bool soundex(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    char code[4] = {text.size_bytes == 0 ? '\0' : upper_letter(text.data[0]), '0', '0', '0'};
    if (code[0] == '\0') {
        pt__fn_put_text(call, row, text.data, text.size_bytes);
        return true;
    }
    soundex_code(text, code);
    pt__fn_put_text(call, row, code, sizeof(code));
    return true;
}

void pt__fn_soundex(pt__fn_call *call)
{
    PT__FN_EACH(call, r, soundex(call, r));
}

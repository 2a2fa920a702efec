/* base64, unbase64 and to_binary. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/value_text.h"

#include <strings.h>

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { LINE_LETTERS = 76, OTHER = -1, PAD = -2 };

/** Lines of 76 letters, as Spark writes them. */
static bool encode(pt__fn_call *call, idx_t row)
{
    pt_text_view bytes = pt__fn_text(call, 0, row);
    const unsigned char *in = (const unsigned char *)bytes.data;
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    for (size_t i = 0; i < bytes.size_bytes; i += 3) {
        size_t left = bytes.size_bytes - i;
        uint32_t word = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        const char letters[4] = {ALPHABET[word >> 18], ALPHABET[word >> 12 & 63],
                                 left > 1 ? ALPHABET[word >> 6 & 63] : '=', left > 2 ? ALPHABET[word & 63] : '='};
        if (i > 0 && i % (LINE_LETTERS / 4 * 3) == 0)
            pt__buffer_append(out, "\r\n", 2);
        pt__buffer_append(out, letters, sizeof(letters));
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_base64(pt__fn_call *call)
{
    PT__FN_EACH(call, r, encode(call, r));
}

static int letter_value(char c)
{
    if (c == '=')
        return PAD;
    const char *at = c == '\0' ? NULL : strchr(ALPHABET, c);
    return at == NULL ? OTHER : (int)(at - ALPHABET);
}

/** As the MIME decoder: other characters are skipped; `strict` allows only white space among them. */
static bool decode(pt_text_view text, bool strict, pt__buffer *out)
{
    uint32_t word = 0;
    int letters = 0;
    int pads = 0;
    for (size_t i = 0; i < text.size_bytes; i++) {
        int value = letter_value(text.data[i]);
        if (value == OTHER && strict && strchr(" \t\r\n\f\v", text.data[i]) == NULL)
            return false;
        if (value == OTHER)
            continue;
        if (value == PAD) {
            pads++;
            continue;
        }
        if (pads > 0)
            return false;
        word = word << 6 | (uint32_t)value;
        if (++letters % 4 == 0) {
            const uint8_t bytes[3] = {(uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};
            pt__buffer_append(out, bytes, sizeof(bytes));
            word = 0;
        }
    }
    int rest = letters % 4;
    if (rest == 1 || (pads > 0 && (rest == 0 || rest + pads != 4)))
        return false;
    const uint8_t bytes[2] = {(uint8_t)(rest == 2 ? word >> 4 : word >> 10), (uint8_t)(word >> 2)};
    pt__buffer_append(out, bytes, rest == 0 ? 0 : (size_t)rest - 1);
    return true;
}

/** Names of the conversion in messages are in capitals. */
static bool reject(pt__fn_call *call, pt_text_view text, const char *format)
{
    if (call->mode != PT__FN_ANSI)
        return false;
    pt__buffer quoted = PT_BUFFER_INIT;
    pt__append_text_literal(&quoted, text);
    pt__fn_raise(call, PT_COND_CONVERSION_INVALID_INPUT, "str", pt__buffer_string(&quoted), "fmt", format, "targetType",
                 "\"BINARY\"", "suggestion", "`try_to_binary`", NULL);
    pt__buffer_deinit(&quoted);
    return false;
}

static bool unbase64(pt__fn_call *call, idx_t row)
{
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    pt_text_view text = pt__fn_text(call, 0, row);
    return decode(text, false, out) ? pt__fn_put_buffer(call, row, out) : reject(call, text, "'BASE64'");
}

void pt__fn_unbase64(pt__fn_call *call)
{
    PT__FN_EACH(call, r, unbase64(call, r));
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool decode_hex(pt_text_view text, pt__buffer *out)
{
    int high = 0;
    for (size_t i = 0; i < text.size_bytes; i++) {
        int digit = hex_value(text.data[i]);
        if (digit < 0)
            return false;
        if ((text.size_bytes - i) % 2 == 0) {
            high = digit;
            continue;
        }
        pt__buffer_append_byte(out, (uint8_t)(high << 4 | digit));
        high = 0;
    }
    return true;
}

static bool is_name(pt_text_view text, const char *name)
{
    return strlen(name) == text.size_bytes && strncasecmp(name, text.data, text.size_bytes) == 0;
}

static bool to_binary(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view format = pt__fn_text(call, 1, row);
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    if (is_name(format, "base64"))
        return decode(text, true, out) ? pt__fn_put_buffer(call, row, out) : reject(call, text, "'BASE64'");
    if (is_name(format, "hex"))
        return decode_hex(text, out) ? pt__fn_put_buffer(call, row, out) : reject(call, text, "'HEX'");
    if (call->mode == PT__FN_TRY && !is_name(format, "utf-8") && !is_name(format, "utf8"))
        return false;
    pt__fn_put_text(call, row, text.data, text.size_bytes);
    return true;
}

void pt__fn_to_binary(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_binary(call, r));
}

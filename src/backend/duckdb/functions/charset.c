/* encode and decode between text and bytes of a character set. */
#include "backend/duckdb/functions/kernels.h"

#include "base/utf8.h"

#include <strings.h>

typedef enum charset { UTF_8, US_ASCII, ISO_8859_1, UTF_16, UTF_16BE, UTF_16LE, UTF_32, CHARSETS } charset;

static const char *const NAMES[CHARSETS] = {"utf-8",    "us-ascii", "iso-8859-1", "utf-16",
                                            "utf-16be", "utf-16le", "utf-32"};

#define ALL_NAMES "iso-8859-1, us-ascii, utf-16, utf-16be, utf-16le, utf-32, utf-8"

static charset find_charset(pt_text_view name)
{
    int found = 0;
    while (found < CHARSETS &&
           (strlen(NAMES[found]) != name.size_bytes || strncasecmp(NAMES[found], name.data, name.size_bytes) != 0))
        found++;
    return (charset)found;
}

static bool raise_about(pt__fn_call *call, pt__condition_id condition, pt_text_view name, const char *function)
{
    pt__buffer copy = PT_BUFFER_INIT;
    pt__buffer_append(&copy, name.data, name.size_bytes);
    if (condition == PT_COND_MALFORMED_CHARACTER_CODING)
        pt__fn_raise(call, condition, "function", function, "charset", pt__buffer_string(&copy), NULL);
    else
        pt__fn_raise(call, condition, "functionName", function, "parameter", "`charset`", "charset",
                     pt__buffer_string(&copy), "charsets", ALL_NAMES, NULL);
    pt__buffer_deinit(&copy);
    return false;
}

static void append_unit(pt__buffer *out, uint32_t unit, bool little)
{
    const uint8_t bytes[2] = {(uint8_t)(little ? unit : unit >> 8), (uint8_t)(little ? unit >> 8 : unit)};
    pt__buffer_append(out, bytes, sizeof(bytes));
}

static void append_utf16(pt__buffer *out, uint32_t code_point, bool little)
{
    if (code_point < 0x10000) {
        append_unit(out, code_point, little);
        return;
    }
    append_unit(out, 0xd800 + ((code_point - 0x10000) >> 10), little);
    append_unit(out, 0xdc00 + ((code_point - 0x10000) & 0x3ff), little);
}

static void append_utf32(pt__buffer *out, uint32_t code_point)
{
    append_unit(out, code_point >> 16, false);
    append_unit(out, code_point & 0xffff, false);
}

/** False: the set does not have the character. */
static bool append_encoded(pt__buffer *out, charset set, uint32_t code_point)
{
    switch (set) {
    case US_ASCII:
    case ISO_8859_1:
        pt__buffer_append_byte(out, (uint8_t)code_point);
        return code_point < (set == US_ASCII ? 0x80u : 0x100u);
    case UTF_16:
    case UTF_16BE: append_utf16(out, code_point, false); break;
    case UTF_16LE: append_utf16(out, code_point, true); break;
    case UTF_32: append_utf32(out, code_point); break;
    case UTF_8:
    case CHARSETS: break;
    }
    return true;
}

static bool encode(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view name = pt__fn_text(call, 1, row);
    charset set = find_charset(name);
    pt__buffer *out = &call->state->scratch;
    uint32_t code_point;
    if (set == CHARSETS)
        return raise_about(call, PT_COND_INVALID_PARAMETER_VALUE_CHARSET, name, "`encode`");
    pt__buffer_reset(out);
    if (set == UTF_8)
        pt__buffer_append(out, text.data, text.size_bytes);
    if (set == UTF_16 && text.size_bytes > 0)
        append_unit(out, 0xfeff, false);
    for (size_t at = 0; set != UTF_8 && pt__utf8_next(text.data, text.size_bytes, &at, &code_point);)
        if (!append_encoded(out, set, code_point))
            return raise_about(call, PT_COND_MALFORMED_CHARACTER_CODING, name, "`encode`");
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_encode(pt__fn_call *call)
{
    PT__FN_EACH(call, r, encode(call, r));
}

/* Decoding. */

static bool append_character(pt__buffer *out, uint32_t code_point)
{
    char encoded[4];
    if (code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000))
        return false;
    pt__buffer_append(out, encoded, pt__utf8_encode(code_point, encoded));
    return true;
}

static uint32_t unit_at(const unsigned char *bytes, bool little)
{
    return little ? (uint32_t)bytes[1] << 8 | bytes[0] : (uint32_t)bytes[0] << 8 | bytes[1];
}

static bool decode_utf16(pt__buffer *out, pt_text_view bytes, charset set)
{
    const unsigned char *in = (const unsigned char *)bytes.data;
    bool little = set == UTF_16LE;
    size_t at = 0;
    if (set == UTF_16 && bytes.size_bytes >= 2 && (unit_at(in, false) == 0xfeff || unit_at(in, true) == 0xfeff)) {
        little = unit_at(in, true) == 0xfeff;
        at = 2;
    }
    for (; at + 2 <= bytes.size_bytes; at += 2) {
        uint32_t unit = unit_at(in + at, little);
        if (unit >= 0xd800 && unit < 0xdc00 && at + 4 <= bytes.size_bytes) {
            uint32_t low = unit_at(in + at + 2, little);
            if (low < 0xdc00 || low >= 0xe000)
                return false;
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            at += 2;
        }
        if (!append_character(out, unit))
            return false;
    }
    return at == bytes.size_bytes;
}

static bool decode_utf32(pt__buffer *out, pt_text_view bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.data;
    size_t at = 0;
    for (; at + 4 <= bytes.size_bytes; at += 4) {
        uint32_t code_point = unit_at(in + at, false) << 16 | unit_at(in + at + 2, false);
        if (!(at == 0 && code_point == 0xfeff) && !append_character(out, code_point))
            return false;
    }
    return at == bytes.size_bytes;
}

static bool decode_single_bytes(pt__buffer *out, pt_text_view bytes, charset set)
{
    for (size_t i = 0; i < bytes.size_bytes; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];
        if (set == US_ASCII && byte >= 0x80)
            return false;
        append_character(out, byte);
    }
    return true;
}

static bool decode_bytes(pt__buffer *out, pt_text_view bytes, charset set)
{
    switch (set) {
    case UTF_8:
        pt__buffer_append(out, bytes.data, bytes.size_bytes);
        return pt__utf8_valid(bytes.data, bytes.size_bytes);
    case US_ASCII:
    case ISO_8859_1: return decode_single_bytes(out, bytes, set);
    case UTF_16:
    case UTF_16BE:
    case UTF_16LE: return decode_utf16(out, bytes, set);
    case UTF_32: return decode_utf32(out, bytes);
    case CHARSETS: break;
    }
    return false;
}

static bool decode(pt__fn_call *call, idx_t row)
{
    pt_text_view name = pt__fn_text(call, 1, row);
    charset set = find_charset(name);
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    if (set == CHARSETS)
        return raise_about(call, PT_COND_INVALID_PARAMETER_VALUE_CHARSET, name, "`decode`");
    if (!decode_bytes(out, pt__fn_text(call, 0, row), set))
        return raise_about(call, PT_COND_MALFORMED_CHARACTER_CODING, name, "`decode`");
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_decode(pt__fn_call *call)
{
    PT__FN_EACH(call, r, decode(call, r));
}

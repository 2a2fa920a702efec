#include "backend/duckdb/functions/unicode.h"

#include "base/utf8.h"

#include <utf8proc.h>

size_t pt__character_count(pt_text_view text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size_bytes; i++)
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return count;
}

size_t pt__character_offset(pt_text_view text, int64_t index)
{
    size_t at = 0;
    for (; index > 0 && at < text.size_bytes; index--)
        at += pt__character_size(text, at);
    return at;
}

static void append_code_point(pt__buffer *out, uint32_t code_point)
{
    char encoded[4];
    pt__buffer_append(out, encoded, pt__utf8_encode(code_point, encoded));
}

/* Upper case. */

/* Characters whose upper case is several, from Unicode's SpecialCasing. */
static const struct {
    uint32_t from;
    const char *to;
} LONG_UPPER[] = {
    {0xdf, "SS"},
    {0x149, "\u02bcN"},
    {0x1f0, "J\u030c"},
    {0x390, "\u0399\u0308\u0301"},
    {0x3b0, "\u03a5\u0308\u0301"},
    {0x587, "\u0535\u0552"},
    {0x1e96, "H\u0331"},
    {0x1e97, "T\u0308"},
    {0x1e98, "W\u030a"},
    {0x1e99, "Y\u030a"},
    {0x1e9a, "A\u02be"},
    {0x1f50, "\u03a5\u0313"},
    {0x1f52, "\u03a5\u0313\u0300"},
    {0x1f54, "\u03a5\u0313\u0301"},
    {0x1f56, "\u03a5\u0313\u0342"},
    {0x1fb2, "\u1fba\u0399"},
    {0x1fb3, "\u0391\u0399"},
    {0x1fb4, "\u0386\u0399"},
    {0x1fb6, "\u0391\u0342"},
    {0x1fb7, "\u0391\u0342\u0399"},
    {0x1fbc, "\u0391\u0399"},
    {0x1fc2, "\u1fca\u0399"},
    {0x1fc3, "\u0397\u0399"},
    {0x1fc4, "\u0389\u0399"},
    {0x1fc6, "\u0397\u0342"},
    {0x1fc7, "\u0397\u0342\u0399"},
    {0x1fcc, "\u0397\u0399"},
    {0x1fd2, "\u0399\u0308\u0300"},
    {0x1fd3, "\u0399\u0308\u0301"},
    {0x1fd6, "\u0399\u0342"},
    {0x1fd7, "\u0399\u0308\u0342"},
    {0x1fe2, "\u03a5\u0308\u0300"},
    {0x1fe3, "\u03a5\u0308\u0301"},
    {0x1fe4, "\u03a1\u0313"},
    {0x1fe6, "\u03a5\u0342"},
    {0x1fe7, "\u03a5\u0308\u0342"},
    {0x1ff2, "\u1ffa\u0399"},
    {0x1ff3, "\u03a9\u0399"},
    {0x1ff4, "\u038f\u0399"},
    {0x1ff6, "\u03a9\u0342"},
    {0x1ff7, "\u03a9\u0342\u0399"},
    {0x1ffc, "\u03a9\u0399"},
    {0xfb00, "FF"},
    {0xfb01, "FI"},
    {0xfb02, "FL"},
    {0xfb03, "FFI"},
    {0xfb04, "FFL"},
    {0xfb05, "ST"},
    {0xfb06, "ST"},
    {0xfb13, "\u0544\u0546"},
    {0xfb14, "\u0544\u0535"},
    {0xfb15, "\u0544\u053b"},
    {0xfb16, "\u054e\u0546"},
    {0xfb17, "\u0544\u053d"},
};

/** Greek vowels with iota below: the capital with its marks, then a capital iota. */
static bool append_upper_iota(pt__buffer *out, uint32_t c)
{
    if (c < 0x1f80 || c > 0x1faf)
        return false;
    static const uint32_t BASES[] = {0x1f08, 0x1f28, 0x1f68};
    append_code_point(out, BASES[(c - 0x1f80) / 16] + (c & 7));
    append_code_point(out, 0x399);
    return true;
}

static void append_upper_character(pt__buffer *out, uint32_t c)
{
    for (size_t i = 0; c >= 0xdf && i < sizeof(LONG_UPPER) / sizeof(LONG_UPPER[0]); i++) {
        if (LONG_UPPER[i].from == c) {
            pt__buffer_append_string(out, LONG_UPPER[i].to);
            return;
        }
    }
    if (!append_upper_iota(out, c))
        append_code_point(out, (uint32_t)utf8proc_toupper((utf8proc_int32_t)c));
}

/** ASCII in the other case, where it is a letter from `first` on. */
static void append_ascii(pt__buffer *out, pt_text_view text, char first)
{
    uint8_t *into = out->data + out->size_bytes;
    for (size_t i = 0; i < text.size_bytes; i++) {
        uint8_t c = (uint8_t)text.data[i];
        into[i] = (uint8_t)(c - first) < 26 ? c ^ 0x20 : c;
    }
    out->size_bytes += text.size_bytes;
}

void pt__append_upper(pt__buffer *out, pt_text_view text)
{
    uint32_t c;
    if (!pt__buffer_reserve(out, text.size_bytes))
        return;
    if (pt__utf8_is_ascii(text.data, text.size_bytes)) {
        append_ascii(out, text, 'a');
        return;
    }
    for (size_t at = 0; at < text.size_bytes;) {
        unsigned char byte = (unsigned char)text.data[at];
        if (byte < 0x80) {
            pt__buffer_append_byte(out, byte >= 'a' && byte <= 'z' ? byte - 32 : byte);
            at++;
        } else if (pt__utf8_next(text.data, text.size_bytes, &at, &c)) {
            append_upper_character(out, c);
        }
    }
}

/* Lower case. */

static bool is_cased(uint32_t c)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT;
}

/** Marks, modifiers and the punctuation that stands inside words. */
static bool is_ignored_in_words(uint32_t c)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_LM || category == UTF8PROC_CATEGORY_SK || c == '\'' || c == '.' || c == ':' ||
           c == 0xb7 || c == 0x2019;
}

/** Whether the nearest character after `at` that counts is a cased letter. */
static bool cased_follows(pt_text_view text, size_t at)
{
    uint32_t c;
    while (pt__utf8_next(text.data, text.size_bytes, &at, &c))
        if (!is_ignored_in_words(c))
            return is_cased(c);
    return false;
}

static bool cased_precedes(pt_text_view text, size_t at)
{
    while (at > 0) {
        uint32_t c;
        size_t start = at - 1;
        while (start > 0 && ((unsigned char)text.data[start] & 0xc0) == 0x80)
            start--;
        at = start;
        if (pt__utf8_next(text.data, text.size_bytes, &start, &c) && !is_ignored_in_words(c))
            return is_cased(c);
    }
    return false;
}

static void append_lower_character(pt__buffer *out, pt_text_view text, size_t start, size_t next, uint32_t c)
{
    if (c == 0x130)
        pt__buffer_append_string(out, "i\u0307");
    else if (c == 0x3a3 && cased_precedes(text, start) && !cased_follows(text, next))
        append_code_point(out, 0x3c2);
    else
        append_code_point(out, (uint32_t)utf8proc_tolower((utf8proc_int32_t)c));
}

void pt__append_lower(pt__buffer *out, pt_text_view text)
{
    uint32_t c;
    if (!pt__buffer_reserve(out, text.size_bytes))
        return;
    if (pt__utf8_is_ascii(text.data, text.size_bytes)) {
        append_ascii(out, text, 'A');
        return;
    }
    for (size_t at = 0; at < text.size_bytes;) {
        unsigned char byte = (unsigned char)text.data[at];
        size_t start = at;
        if (byte < 0x80) {
            pt__buffer_append_byte(out, byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
            at++;
        } else if (pt__utf8_next(text.data, text.size_bytes, &at, &c)) {
            append_lower_character(out, text, start, at, c);
        }
    }
}

/* Repair. */

/** How many of the bytes from `at` on begin a character; `*whole`: they are all of it. */
static size_t prefix_size(pt_text_view bytes, size_t at, bool *whole)
{
    const unsigned char *p = (const unsigned char *)bytes.data + at;
    size_t left = bytes.size_bytes - at;
    size_t size = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    unsigned char smallest = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char largest = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    *whole = false;
    if (p[0] < 0xc2 || p[0] > 0xf4 || left < 2 || p[1] < smallest || p[1] > largest)
        return 1;
    size_t count = 2;
    while (count < size && count < left && (p[count] & 0xc0) == 0x80)
        count++;
    *whole = count == size;
    return count;
}

void pt__append_valid(pt__buffer *out, pt_text_view bytes)
{
    if (pt__utf8_valid(bytes.data, bytes.size_bytes)) {
        pt__buffer_append(out, bytes.data, bytes.size_bytes);
        return;
    }
    for (size_t at = 0; at < bytes.size_bytes;) {
        bool whole = (unsigned char)bytes.data[at] < 0x80;
        size_t size = whole ? 1 : prefix_size(bytes, at, &whole);
        if (whole)
            pt__buffer_append(out, bytes.data + at, size);
        else
            pt__buffer_append_string(out, "\ufffd");
        at += size;
    }
}

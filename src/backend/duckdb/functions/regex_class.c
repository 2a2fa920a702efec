#include "backend/duckdb/functions/regex_translate.h"

/* Escapes that stand for one character. */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char *at, const char *end, int digits, uint32_t *value)
{
    *value = 0;
    if (end - at < digits)
        return false;
    for (int i = 0; i < digits; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/** Behind \u; two surrogates make one character. */
static bool read_unicode(pt__regex_translator *t, uint32_t *value)
{
    uint32_t low;
    if (!read_hex(t->at, t->end, 4, value))
        return false;
    t->at += 4;
    if (*value >= 0xd800 && *value < 0xdc00 && t->end - t->at >= 6 && t->at[0] == '\\' && t->at[1] == 'u' &&
        read_hex(t->at + 2, t->end, 4, &low) && low >= 0xdc00 && low < 0xe000) {
        *value = 0x10000 + ((*value - 0xd800) << 10) + (low - 0xdc00);
        t->at += 6;
    }
    return true;
}

/** Behind \x: two digits or {digits}. */
static bool read_hex_escape(pt__regex_translator *t, uint32_t *value)
{
    if (t->at < t->end && *t->at == '{') {
        *value = 0;
        for (t->at++; t->at < t->end && *t->at != '}'; t->at++) {
            int digit = hex_digit(*t->at);
            if (digit < 0 || *value > 0x10ffff)
                return false;
            *value = *value << 4 | (uint32_t)digit;
        }
        return t->at++ < t->end && *value <= 0x10ffff;
    }
    if (!read_hex(t->at, t->end, 2, value))
        return false;
    t->at += 2;
    return true;
}

/** Behind \0: one to three octal digits. */
static bool read_octal(pt__regex_translator *t, uint32_t *value)
{
    int digits = 0;
    *value = 0;
    for (; digits < 3 && t->at < t->end && *t->at >= '0' && *t->at <= '7'; digits++, t->at++) {
        if (digits == 2 && *value > 037)
            break;
        *value = *value << 3 | (uint32_t)(*t->at - '0');
    }
    return digits > 0;
}

bool pt__regex_character_escape(pt__regex_translator *t, char letter, uint32_t *value)
{
    switch (letter) {
    case 'a': *value = 7; return true;
    case 'e': *value = 27; return true;
    case 'f': *value = '\f'; return true;
    case 'n': *value = '\n'; return true;
    case 'r': *value = '\r'; return true;
    case 't': *value = '\t'; return true;
    case '0': return read_octal(t, value);
    case 'x': return read_hex_escape(t, value);
    case 'u': return read_unicode(t, value);
    case 'c':
        if (t->at == t->end)
            return false;
        *value = (uint32_t)(unsigned char)*t->at++ ^ 64;
        return true;
    default: break;
    }
    *value = (uint32_t)(unsigned char)letter;
    return !isalnum((unsigned char)letter) && (unsigned char)letter < 0x80;
}

/* Properties: \p{Name}. */

static const struct {
    const char *name;
    const char *set; /* inside brackets */
} PROPERTIES[] = {
    {"Lower", "a-z"},
    {"Upper", "A-Z"},
    {"ASCII", "\\x00-\\x7f"},
    {"Alpha", "a-zA-Z"},
    {"Digit", "0-9"},
    {"Alnum", "a-zA-Z0-9"},
    {"Punct", "!-\\/:-@\\[-`{-~"},
    {"Graph", "!-~"},
    {"Print", " -~"},
    {"Blank", " \\t"},
    {"Cntrl", "\\x00-\\x1f\\x7f"},
    {"XDigit", "0-9a-fA-F"},
    {"Space", " \\t\\n\\x0b\\f\\r"},
    {"javaLowerCase", "\\p{Ll}"},
    {"javaUpperCase", "\\p{Lu}"},
    {"javaWhitespace",
     "\\t-\\r\\x1c-\\x20\\x{1680}\\x{2000}-\\x{2006}\\x{2008}-\\x{200a}\\x{2028}\\x{2029}\\x{205f}\\x{3000}"},
    {"javaLetter", "\\p{L}"},
    {"javaDigit", "\\p{Nd}"},
    {"javaLetterOrDigit", "\\p{L}\\p{Nd}"},
    {"javaAlphabetic", "\\p{L}\\p{Nl}"},
    {"IsAlphabetic", "\\p{L}\\p{Nl}"},
    {"IsLetter", "\\p{L}"},
    {"IsDigit", "\\p{Nd}"},
    {"IsUppercase", "\\p{Lu}"},
    {"IsLowercase", "\\p{Ll}"},
    {"IsPunctuation", "\\p{P}"},
    {"IsControl", "\\p{Cc}"},
    {"IsWhite_Space", "\\p{Z}\\t-\\r\\x{85}"},
    {"IsIdeographic", "\\x{3006}\\x{3007}\\p{Han}"},
    {"InGreek", "\\x{370}-\\x{3ff}"},
    {"InCyrillic", "\\x{400}-\\x{4ff}"},
    {"InHebrew", "\\x{590}-\\x{5ff}"},
    {"InArabic", "\\x{600}-\\x{6ff}"},
    {"InThai", "\\x{e00}-\\x{e7f}"},
    {"InHiragana", "\\x{3040}-\\x{309f}"},
    {"InKatakana", "\\x{30a0}-\\x{30ff}"},
    {"InBasicLatin", "\\x00-\\x7f"},
    {"InLatin-1Supplement", "\\x{80}-\\x{ff}"},
    {"InCJKUnifiedIdeographs", "\\x{4e00}-\\x{9fff}"},
};

bool pt__regex_property(pt__regex_translator *t, pt__buffer *set)
{
    char name[64];
    size_t size = 0;
    if (t->at < t->end && *t->at != '{') {
        pt__buffer_printf(set, "\\p{%c}", *t->at++);
        return true;
    }
    for (t->at += t->at < t->end; t->at < t->end && *t->at != '}'; t->at++) {
        if (size == sizeof(name) - 1 || !(isalnum((unsigned char)*t->at) || strchr("_-=", *t->at) != NULL))
            return false;
        name[size++] = *t->at;
    }
    name[size] = '\0';
    if (t->at++ >= t->end || size == 0)
        return false;
    for (size_t i = 0; i < sizeof(PROPERTIES) / sizeof(PROPERTIES[0]); i++) {
        if (strcmp(PROPERTIES[i].name, name) == 0) {
            pt__buffer_append_string(set, PROPERTIES[i].set);
            return true;
        }
    }
    const char *value = strchr(name, '=');
    bool prefixed = name[0] == 'I' && name[1] == 's';
    pt__buffer_printf(set, "\\p{%s}", value != NULL ? value + 1 : prefixed ? name + 2 : name);
    return true;
}

/* Classes. A class is a union of items, or several joined by &&. */

/** One character of a class, or an escape; `*is_set`: it was a whole set, written to `set` already. */
static bool read_class_character(pt__regex_translator *t, pt__buffer *set, uint32_t *character, bool *is_set)
{
    *is_set = false;
    unsigned char c = (unsigned char)*t->at++;
    if (c >= 0xc0) {
        int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        *character = (uint32_t)(c & (0x3f >> more));
        for (; more > 0 && t->at < t->end; more--)
            *character = *character << 6 | (uint32_t)(*t->at++ & 0x3f);
        return true;
    }
    *character = c;
    if (c != '\\')
        return true;
    if (t->at == t->end)
        return false;
    char letter = *t->at++;
    *is_set = true;
    if (strchr("dDhHsSvVwW", letter) != NULL) {
        pt__buffer_printf(set, "\\%c", letter);
        return true;
    }
    if (letter == 'p')
        return pt__regex_property(t, set);
    *is_set = false;
    return pt__regex_character_escape(t, letter, character);
}

static void put_range(const pt__regex_translator *t, pt__buffer *set, uint32_t first, uint32_t last)
{
    pt__buffer_printf(set, first == last ? "\\x{%x}" : "\\x{%x}-\\x{%x}", first, last);
    if (!pt__regex_folds_ascii(t))
        return;
    for (uint32_t c = first; c <= last && c < 0x80; c++)
        if (pt__regex_is_letter(c))
            pt__buffer_printf(set, "\\x{%x}", (uint32_t)(unsigned char)pt__regex_other_case((char)c));
}

/** \P inside a class and nested classes become alternatives of their own. */
typedef struct class_parts {
    pt__buffer set;          /* what stands inside one pair of brackets */
    pt__buffer alternatives; /* "|[...]" each */
} class_parts;

static bool read_range(pt__regex_translator *t, class_parts *parts)
{
    uint32_t first;
    uint32_t last;
    bool is_set;
    if (!read_class_character(t, &parts->set, &first, &is_set))
        return false;
    if (is_set)
        return true;
    last = first;
    if (t->end - t->at >= 2 && t->at[0] == '-' && t->at[1] != ']' && t->at[1] != '[') {
        t->at++;
        if (!read_class_character(t, &parts->set, &last, &is_set) || is_set || last < first)
            return false;
    }
    put_range(t, &parts->set, first, last);
    return true;
}

static bool read_negated_property(pt__regex_translator *t, class_parts *parts)
{
    pt__buffer set = PT_BUFFER_INIT;
    t->at += 2;
    bool ok = pt__regex_property(t, &set);
    pt__buffer_printf(&parts->alternatives, "|[^%s]", pt__buffer_string(&set));
    pt__buffer_deinit(&set);
    return ok;
}

static bool read_nested(pt__regex_translator *t, class_parts *parts)
{
    pt__regex_translator inner = *t;
    pt__buffer nested = PT_BUFFER_INIT;
    inner.out = &nested;
    inner.depth++;
    inner.at++;
    bool ok = inner.depth < PT__REGEX_DEPTH_MAX && pt__regex_class(&inner);
    t->at = inner.at;
    pt__buffer_printf(&parts->alternatives, "|%s", pt__buffer_string(&nested));
    pt__buffer_deinit(&nested);
    return ok;
}

static bool at_intersection(const pt__regex_translator *t)
{
    return t->end - t->at >= 2 && t->at[0] == '&' && t->at[1] == '&';
}

static bool read_item(pt__regex_translator *t, class_parts *parts)
{
    if (*t->at == '[')
        return read_nested(t, parts);
    if (t->end - t->at >= 2 && t->at[0] == '\\' && t->at[1] == 'P')
        return read_negated_property(t, parts);
    if (t->flags.comments && isspace((unsigned char)*t->at)) {
        t->at++;
        return true;
    }
    return read_range(t, parts);
}

/** One operand of &&: appended as something that matches one character. */
static bool read_operand(pt__regex_translator *t, bool first, pt__buffer *out)
{
    class_parts parts = {PT_BUFFER_INIT, PT_BUFFER_INIT};
    bool ok = true;
    const char *start = t->at;
    while (ok && t->at < t->end && !at_intersection(t) && !(*t->at == ']' && !(first && t->at == start)))
        ok = read_item(t, &parts);
    ok = ok && t->at < t->end;
    const char *set = pt__buffer_string(&parts.set);
    const char *alternatives = pt__buffer_string(&parts.alternatives);
    if (parts.alternatives.size_bytes == 0)
        pt__buffer_printf(out, *set == '\0' ? "(?!)" : "[%s]", set);
    else if (*set == '\0')
        pt__buffer_printf(out, "(?:%s)", alternatives + 1);
    else
        pt__buffer_printf(out, "(?:[%s]%s)", set, alternatives);
    pt__buffer_deinit(&parts.set);
    pt__buffer_deinit(&parts.alternatives);
    return ok;
}

/** A plain class stays plain. */
bool pt__regex_class(pt__regex_translator *t)
{
    pt__buffer body = PT_BUFFER_INIT;
    bool negated = t->at < t->end && *t->at == '^';
    t->at += negated;
    bool ok = read_operand(t, true, &body);
    bool plain = ok && *t->at == ']' && body.size_bytes > 1 && body.data[0] == '[';
    if (plain && negated) {
        pt__buffer_printf(t->out, "[^%s", pt__buffer_string(&body) + 1);
    } else if (plain) {
        pt__buffer_append_string(t->out, pt__buffer_string(&body));
    } else {
        pt__buffer operands = PT_BUFFER_INIT;
        while (ok && at_intersection(t)) {
            t->at += 2;
            pt__buffer_printf(&operands, "(?=%s)", pt__buffer_string(&body));
            pt__buffer_reset(&body);
            ok = read_operand(t, false, &body);
        }
        pt__buffer_printf(t->out, negated ? "(?:(?!%s%s)(?s:.))" : "(?:%s%s)", pt__buffer_string(&operands),
                          pt__buffer_string(&body));
        pt__buffer_deinit(&operands);
    }
    pt__buffer_deinit(&body);
    ok = ok && t->at < t->end && *t->at == ']';
    t->at++;
    return ok;
}

#include "backend/duckdb/functions/regex_java.h"

#include "backend/duckdb/functions/regex_translate.h"

#include <stdio.h>

#define LINE_ENDS "\\n\\r\\x{85}\\x{2028}\\x{2029}"

static bool translate_alternatives(pt__regex_translator *t);

static void put(pt__regex_translator *t, const char *text)
{
    pt__buffer_append_string(t->out, text);
}

static void put_code_point(pt__regex_translator *t, uint32_t code_point)
{
    pt__buffer_printf(t->out, "\\x{%x}", code_point);
}

/* Characters and escapes. */

/** \p and \P outside a class. */
static bool translate_property(pt__regex_translator *t, bool negated)
{
    pt__buffer set = PT_BUFFER_INIT;
    bool ok = pt__regex_property(t, &set);
    if (ok)
        pt__buffer_printf(t->out, "[%s%s]", negated ? "^" : "", pt__buffer_string(&set));
    pt__buffer_deinit(&set);
    return ok;
}

static void put_character(pt__regex_translator *t, uint32_t c)
{
    if (pt__regex_is_letter(c) && pt__regex_folds_ascii(t))
        pt__buffer_printf(t->out, "[%c%c]", (char)c, pt__regex_other_case((char)c));
    else if (c < 0x80 && isalnum((int)c))
        pt__buffer_append_byte(t->out, (uint8_t)c);
    else
        put_code_point(t, c);
}

/** \Q up to \E or the end. */
static void translate_quoted(pt__regex_translator *t)
{
    while (t->at < t->end) {
        if (t->end - t->at >= 2 && t->at[0] == '\\' && t->at[1] == 'E') {
            t->at += 2;
            return;
        }
        unsigned char c = (unsigned char)*t->at++;
        if (c < 0x80)
            put_character(t, c);
        else
            pt__buffer_append_byte(t->out, c);
    }
}

static bool translate_back_reference(pt__regex_translator *t, char first)
{
    pt__buffer_printf(t->out, "\\g{%c}", first);
    return true;
}

static bool translate_named_reference(pt__regex_translator *t)
{
    const char *start = t->at + 1;
    const char *stop = t->at < t->end && *t->at == '<' ? memchr(start, '>', (size_t)(t->end - start)) : NULL;
    if (stop == NULL)
        return false;
    pt__buffer_printf(t->out, "\\k<%.*s>", (int)(stop - start), start);
    t->at = stop + 1;
    return true;
}

#define BEFORE_LAST_LINE_END "(?=(?:\\r\\n|(?<!\\r)\\n|[\\r\\x{85}\\x{2028}\\x{2029}])?\\z)"

static bool translate_escape(pt__regex_translator *t)
{
    if (t->at == t->end)
        return false;
    char letter = *t->at++;
    uint32_t character;
    if (letter >= '1' && letter <= '9')
        return translate_back_reference(t, letter);
    switch (letter) {
    case 'A':
    case 'b':
    case 'B':
    case 'd':
    case 'D':
    case 'G':
    case 'h':
    case 'H':
    case 'R':
    case 's':
    case 'S':
    case 'v':
    case 'V':
    case 'w':
    case 'W':
    case 'X':
    case 'z': pt__buffer_printf(t->out, "\\%c", letter); return true;
    case 'Z': put(t, BEFORE_LAST_LINE_END); return true;
    case 'k': return translate_named_reference(t);
    case 'p':
    case 'P': return translate_property(t, letter == 'P');
    case 'Q': translate_quoted(t); return true;
    default: break;
    }
    if ((unsigned char)letter >= 0x80) {
        pt__buffer_append_byte(t->out, (uint8_t)letter);
        return true;
    }
    if (!pt__regex_character_escape(t, letter, &character))
        return false;
    put_character(t, character);
    return true;
}

/* Groups. */

static bool set_flag(pt__regex_flags *f, char letter, bool on)
{
    switch (letter) {
    case 'i': f->fold = on; return true;
    case 'u':
    case 'U': f->fold_unicode = on; return true;
    case 'm': f->multiline = on; return true;
    case 's': f->dot_all = on; return true;
    case 'd': f->unix_lines = on; return true;
    case 'x': f->comments = on; return true;
    default: return false;
    }
}

/** Behind "(?", flags like i-m, up to `)` or `:`. */
static bool read_flags(pt__regex_translator *t, pt__regex_flags *f)
{
    bool on = true;
    for (; t->at < t->end && *t->at != ')' && *t->at != ':'; t->at++) {
        if (*t->at == '-' && on)
            on = false;
        else if (!set_flag(f, *t->at, on))
            return false;
    }
    return t->at < t->end;
}

static bool translate_body(pt__regex_translator *t, const char *opening)
{
    pt__regex_flags outside = t->flags;
    put(t, opening);
    if (++t->depth >= PT__REGEX_DEPTH_MAX || !translate_alternatives(t) || t->at == t->end)
        return false;
    t->depth--;
    t->at++;
    t->flags = outside;
    put(t, ")");
    return true;
}

static bool translate_flag_group(pt__regex_translator *t)
{
    pt__regex_flags outside = t->flags;
    pt__regex_flags inside = t->flags;
    if (!read_flags(t, &inside))
        return false;
    t->flags = inside;
    bool fold = inside.fold && inside.fold_unicode;
    if (*t->at++ == ')') {
        put(t, fold ? "(?i)" : "(?-i)");
        return true;
    }
    bool ok = translate_body(t, fold ? "(?i:" : "(?-i:");
    t->flags = outside;
    return ok;
}

static bool translate_named_group(pt__regex_translator *t)
{
    char opening[80];
    const char *start = t->at;
    while (t->at < t->end && isalnum((unsigned char)*t->at))
        t->at++;
    size_t size = (size_t)(t->at - start);
    if (size == 0 || size > 32 || !isalpha((unsigned char)*start) || t->at == t->end || *t->at != '>')
        return false;
    t->at++;
    snprintf(opening, sizeof(opening), "(?<%.*s>", (int)size, start);
    return translate_body(t, opening);
}

/** Behind the opening parenthesis. */
static bool translate_group(pt__regex_translator *t)
{
    static const char *const SPECIAL[] = {"?:", "?=", "?!", "?<=", "?<!", "?>"};
    char opening[8];
    size_t left = (size_t)(t->end - t->at);
    for (size_t i = 0; i < sizeof(SPECIAL) / sizeof(SPECIAL[0]); i++) {
        size_t size = strlen(SPECIAL[i]);
        if (left < size || memcmp(t->at, SPECIAL[i], size) != 0)
            continue;
        t->at += size;
        snprintf(opening, sizeof(opening), "(%s", SPECIAL[i]);
        return translate_body(t, opening);
    }
    if (left == 0 || *t->at != '?')
        return translate_body(t, "(");
    t->at++;
    if (t->at < t->end && *t->at == '<') {
        t->at++;
        return translate_named_group(t);
    }
    return translate_flag_group(t);
}

/* Sequences. */

static void translate_dollar(pt__regex_translator *t)
{
    if (t->flags.unix_lines)
        put(t, t->flags.multiline ? "(?=\\n|\\z)" : "(?=\\n?\\z)");
    else if (t->flags.multiline)
        put(t, "(?=\\r\\n|(?<!\\r)\\n|[\\r\\x{85}\\x{2028}\\x{2029}]|\\z)");
    else
        put(t, BEFORE_LAST_LINE_END);
}

static void translate_caret(pt__regex_translator *t)
{
    if (!t->flags.multiline)
        put(t, "\\A");
    else if (t->flags.unix_lines)
        put(t, "(?:\\A|(?<=\\n)(?!\\z))");
    else
        put(t, "(?:\\A|(?:(?<=[\\n\\x{85}\\x{2028}\\x{2029}])|(?<=\\r)(?!\\n))(?!\\z))");
}

static void translate_dot(pt__regex_translator *t)
{
    if (t->flags.dot_all)
        put(t, "(?s:.)");
    else
        put(t, t->flags.unix_lines ? "[^\\n]" : "[^" LINE_ENDS "]");
}

/** {n}, {n,} or {n,m} behind an atom. */
static bool translate_repetition(pt__regex_translator *t)
{
    const char *p = t->at;
    const char *start = p - 1;
    while (p < t->end && isdigit((unsigned char)*p))
        p++;
    if (p == t->at)
        return false;
    if (p < t->end && *p == ',')
        for (p++; p < t->end && isdigit((unsigned char)*p);)
            p++;
    if (p == t->end || *p != '}')
        return false;
    t->at = p + 1;
    pt__buffer_append(t->out, start, (size_t)(t->at - start));
    return true;
}

static void skip_comment(pt__regex_translator *t)
{
    while (t->at < t->end && *t->at != '\n' && *t->at != '\r')
        t->at++;
}

static bool translate_one(pt__regex_translator *t)
{
    char c = *t->at++;
    if (t->flags.comments && isspace((unsigned char)c))
        return true;
    if (t->flags.comments && c == '#') {
        skip_comment(t);
        return true;
    }
    switch (c) {
    case '\\': return translate_escape(t);
    case '[': return pt__regex_class(t);
    case '(': return translate_group(t);
    case '{': return translate_repetition(t);
    case '$': translate_dollar(t); return true;
    case '^': translate_caret(t); return true;
    case '.': translate_dot(t); return true;
    case '*':
    case '+':
    case '?':
    case '|': pt__buffer_append_byte(t->out, (uint8_t)c); return true;
    default: break;
    }
    if ((unsigned char)c >= 0x80)
        pt__buffer_append_byte(t->out, (uint8_t)c);
    else
        put_character(t, (uint32_t)c);
    return true;
}

/** Up to the end or a closing parenthesis, which is left. */
static bool translate_alternatives(pt__regex_translator *t)
{
    while (t->at < t->end && *t->at != ')')
        if (!translate_one(t))
            return false;
    return true;
}

bool pt__regex_from_java(const char *pattern, size_t size_bytes, pt__buffer *out)
{
    pt__regex_translator t = {.at = pattern, .end = pattern + size_bytes, .out = out};
    return translate_alternatives(&t) && t.at == t.end && !out->failed;
}

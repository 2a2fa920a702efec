#include "base/json.h"

#include "base/list.h"
#include "base/utf8.h"

#include <string.h>

typedef struct reader {
    pt__arena *arena;
    const char *text;
    size_t size;
    size_t at;
    int depth;
    pt_error *err;
} reader;

typedef pt__list(pt__json) json_list;

static pt_status fail(reader *r, const char *what)
{
    return pt_error_set(r->err, PT_INVALID_ARGUMENT, "JSON text, byte %zu: %s", r->at, what);
}

static int peek(const reader *r)
{
    return r->at < r->size ? (unsigned char)r->text[r->at] : -1;
}

static void skip_space(reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r')
        r->at++;
}

static bool accept(reader *r, char c)
{
    skip_space(r);
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static pt_status expect_word(reader *r, const char *word)
{
    size_t size = strlen(word);
    if (size > r->size - r->at || memcmp(r->text + r->at, word, size) != 0)
        return fail(r, "unknown word");
    r->at += size;
    return PT_OK;
}

/* ---- strings ---- */

static bool read_hex4(reader *r, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(r);
        int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c - 'A' + 10;
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F'))
            return false;
        *out = *out << 4 | (uint32_t)value;
        r->at++;
    }
    return true;
}

/* Spec: RFC 8259, section 7: characters above U+FFFF are two escapes. */
static pt_status read_unicode_escape(reader *r, char *out, size_t *size)
{
    uint32_t unit;
    if (!read_hex4(r, &unit))
        return fail(r, "four hexadecimal digits expected");
    uint32_t code_point = unit;
    if (unit >= 0xD800 && unit <= 0xDBFF) {
        uint32_t low = 0;
        if (r->size - r->at < 6 || r->text[r->at] != '\\' || r->text[r->at + 1] != 'u')
            return fail(r, "lone surrogate");
        r->at += 2;
        if (!read_hex4(r, &low) || low < 0xDC00 || low > 0xDFFF)
            return fail(r, "lone surrogate");
        code_point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    } else if (unit >= 0xDC00 && unit <= 0xDFFF) {
        return fail(r, "lone surrogate");
    }
    *size += pt__utf8_encode(code_point, out + *size);
    return PT_OK;
}

static pt_status read_escape(reader *r, char *out, size_t *size)
{
    static const char FROM[] = "\"\\/bfnrt";
    static const char TO[] = "\"\\/\b\f\n\r\t";
    int c = peek(r);
    r->at++;
    if (c == 'u')
        return read_unicode_escape(r, out, size);
    const char *found = c > 0 ? strchr(FROM, c) : NULL;
    if (found == NULL)
        return fail(r, "unknown escape");
    out[(*size)++] = TO[found - FROM];
    return PT_OK;
}

/* Bytes up to the closing quote; SIZE_MAX when there is none. The decoded text is never longer. */
static size_t written_size(const reader *r)
{
    for (size_t i = r->at; i < r->size; i++) {
        if (r->text[i] == '"')
            return i - r->at;
        if (r->text[i] == '\\')
            i++;
    }
    return SIZE_MAX;
}

/* Behind the opening quote. */
static pt_status read_string(reader *r, const char **text, size_t *text_bytes)
{
    size_t written = written_size(r);
    if (written == SIZE_MAX)
        return fail(r, "string without end");
    char *out = pt__arena_alloc_text(r->arena, written + 1);
    size_t size = 0;
    while (peek(r) != '"') {
        int c = peek(r);
        if (c < 0x20)
            return fail(r, "control character within a string");
        r->at++;
        if (c == '\\')
            PT_TRY(read_escape(r, out, &size));
        else
            out[size++] = (char)c;
    }
    r->at++;
    out[size] = '\0';
    if (!pt__utf8_valid(out, size))
        return fail(r, "string is not UTF-8");
    *text = out;
    *text_bytes = size;
    return PT_OK;
}

/* ---- other values ---- */

static size_t skip_digits(reader *r)
{
    size_t start = r->at;
    while (peek(r) >= '0' && peek(r) <= '9')
        r->at++;
    return r->at - start;
}

static pt_status read_number(reader *r, pt__json *out)
{
    size_t start = r->at;
    if (peek(r) == '-')
        r->at++;
    bool leading_zero = peek(r) == '0';
    size_t whole = skip_digits(r);
    if (whole == 0 || (leading_zero && whole > 1))
        return fail(r, "malformed number");
    if (peek(r) == '.') {
        r->at++;
        if (skip_digits(r) == 0)
            return fail(r, "malformed number");
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        r->at++;
        if (peek(r) == '+' || peek(r) == '-')
            r->at++;
        if (skip_digits(r) == 0)
            return fail(r, "malformed number");
    }
    out->kind = PT_JSON_NUMBER;
    out->text_bytes = r->at - start;
    out->text = pt__arena_copy_text(r->arena, r->text + start, out->text_bytes);
    return PT_OK;
}

static pt_status read_value(reader *r, pt__json *out);

static pt_status read_array(reader *r, pt__json *out)
{
    json_list list = {0};
    out->kind = PT_JSON_ARRAY;
    if (accept(r, ']'))
        return PT_OK;
    do {
        pt__json item = {0};
        PT_TRY(read_value(r, &item));
        pt__list_push(r->arena, &list, item);
    } while (accept(r, ','));
    if (!accept(r, ']'))
        return fail(r, "',' or ']' expected");
    out->items = list.items;
    out->count = list.count;
    return PT_OK;
}

static pt_status read_member(reader *r, pt__json *out)
{
    const char *key;
    size_t key_bytes;
    if (!accept(r, '"'))
        return fail(r, "a key expected");
    PT_TRY(read_string(r, &key, &key_bytes));
    if (!accept(r, ':'))
        return fail(r, "':' expected");
    PT_TRY(read_value(r, out));
    out->key = key;
    return PT_OK;
}

static pt_status read_object(reader *r, pt__json *out)
{
    json_list list = {0};
    out->kind = PT_JSON_OBJECT;
    if (accept(r, '}'))
        return PT_OK;
    do {
        pt__json item = {0};
        PT_TRY(read_member(r, &item));
        pt__list_push(r->arena, &list, item);
    } while (accept(r, ','));
    if (!accept(r, '}'))
        return fail(r, "',' or '}' expected");
    out->items = list.items;
    out->count = list.count;
    return PT_OK;
}

static pt_status read_nested(reader *r, pt__json *out)
{
    if (r->depth == PT_JSON_DEPTH_MAX)
        return fail(r, "nested too deeply");
    r->depth++;
    bool is_array = r->text[r->at++] == '[';
    PT_TRY(is_array ? read_array(r, out) : read_object(r, out));
    r->depth--;
    return PT_OK;
}

static pt_status read_value(reader *r, pt__json *out)
{
    skip_space(r);
    switch (peek(r)) {
    case '[':
    case '{': return read_nested(r, out);
    case '"':
        r->at++;
        out->kind = PT_JSON_STRING;
        return read_string(r, &out->text, &out->text_bytes);
    case 't':
        out->kind = PT_JSON_BOOLEAN;
        out->boolean = true;
        return expect_word(r, "true");
    case 'f': out->kind = PT_JSON_BOOLEAN; return expect_word(r, "false");
    case 'n': return expect_word(r, "null");
    default: return read_number(r, out);
    }
}

pt_status pt__json_parse(pt__arena *arena, const char *text, size_t size_bytes, const pt__json **out, pt_error *err)
{
    reader r = {arena, text, size_bytes, 0, 0, err};
    pt__json *value = pt__arena_make(arena, pt__json);
    PT_TRY(read_value(&r, value));
    skip_space(&r);
    if (r.at != r.size)
        return fail(&r, "text behind the value");
    *out = value;
    return PT_OK;
}

/* ---- look-up ---- */

const pt__json *pt__json_get(const pt__json *object, const char *key)
{
    if (object == NULL || object->kind != PT_JSON_OBJECT)
        return NULL;
    for (size_t i = object->count; i > 0; i--) {
        if (strcmp(object->items[i - 1].key, key) == 0)
            return &object->items[i - 1];
    }
    return NULL;
}

const char *pt__json_get_string(const pt__json *object, const char *key, const char *fallback)
{
    const pt__json *member = pt__json_get(object, key);
    return member != NULL && member->kind == PT_JSON_STRING ? member->text : fallback;
}

bool pt__json_get_boolean(const pt__json *object, const char *key, bool fallback)
{
    const pt__json *member = pt__json_get(object, key);
    return member != NULL && member->kind == PT_JSON_BOOLEAN ? member->boolean : fallback;
}

/* ---- writing ---- */

static const char *short_escape(uint32_t c)
{
    switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return NULL;
    }
}

void pt__json_append_string(pt__buffer *out, const char *text, size_t size_bytes)
{
    pt__buffer_append_byte(out, '"');
    size_t position = 0;
    uint32_t c;
    while (pt__utf8_next(text, size_bytes, &position, &c)) {
        char bytes[4];
        const char *escape = short_escape(c);
        if (escape != NULL)
            pt__buffer_append_string(out, escape);
        else if (c < 0x20)
            pt__buffer_printf(out, "\\u%04x", (unsigned)c);
        else
            pt__buffer_append(out, bytes, pt__utf8_encode(c, bytes));
    }
    pt__buffer_append_byte(out, '"');
}

void pt__json_append_cstring(pt__buffer *out, const char *text)
{
    pt__json_append_string(out, text, strlen(text));
}

static void append_items(pt__buffer *out, const pt__json *value, char open, char close)
{
    pt__buffer_append_byte(out, (uint8_t)open);
    for (size_t i = 0; i < value->count; i++) {
        if (i != 0)
            pt__buffer_append_byte(out, ',');
        if (value->kind == PT_JSON_OBJECT) {
            pt__json_append_cstring(out, value->items[i].key);
            pt__buffer_append_byte(out, ':');
        }
        pt__json_append(out, &value->items[i]);
    }
    pt__buffer_append_byte(out, (uint8_t)close);
}

void pt__json_append(pt__buffer *out, const pt__json *value)
{
    switch (value->kind) {
    case PT_JSON_NULL: pt__buffer_append_string(out, "null"); return;
    case PT_JSON_BOOLEAN: pt__buffer_append_string(out, value->boolean ? "true" : "false"); return;
    case PT_JSON_NUMBER: pt__buffer_append(out, value->text, value->text_bytes); return;
    case PT_JSON_STRING: pt__json_append_string(out, value->text, value->text_bytes); return;
    case PT_JSON_ARRAY: append_items(out, value, '[', ']'); return;
    case PT_JSON_OBJECT: append_items(out, value, '{', '}'); return;
    }
}

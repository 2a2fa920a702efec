#include "base/loose_json.h"

#include "base/format_double.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    pt__loose_json *json;
    const char *at;
    const char *end;
    unsigned allowed;
    unsigned depth;
    bool no_memory;
} reader;

void pt__loose_json_deinit(pt__loose_json *json)
{
    free(json->nodes);
    *json = (pt__loose_json)PT_LOOSE_JSON_INIT;
}

/* ---- characters ---- */

static bool allows(const reader *r, unsigned feature)
{
    return (r->allowed & feature) != 0;
}

/* From the slash on to after the comment; false when it is none or has no end. */
static bool skip_comment(reader *r)
{
    if (!allows(r, PT_LOOSE_COMMENTS) || r->end - r->at < 2)
        return false;
    if (r->at[1] == '/') {
        while (r->at < r->end && *r->at != '\n')
            r->at++;
        return true;
    }
    if (r->at[1] != '*')
        return false;
    for (r->at += 2; r->end - r->at >= 2; r->at++) {
        if (r->at[0] == '*' && r->at[1] == '/') {
            r->at += 2;
            return true;
        }
    }
    return false;
}

static void skip_space(reader *r)
{
    while (r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')
            r->at++;
        else if (*r->at != '/' || !skip_comment(r))
            return;
    }
}

static bool accept(reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool accept_word(reader *r, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* ---- strings ---- */

static bool skip_escape(reader *r)
{
    if (++r->at == r->end)
        return false;
    if (*r->at == 'u') {
        for (int i = 1; i <= 4; i++)
            if (r->end - r->at <= i || !is_hex(r->at[i]))
                return false;
        r->at += 5;
        return true;
    }
    if (strchr("\"\\/bfnrt", *r->at) == NULL && !allows(r, PT_LOOSE_BACKSLASH_ANY) &&
        !(*r->at == '\'' && allows(r, PT_LOOSE_SINGLE_QUOTES)))
        return false;
    r->at++;
    return true;
}

/* At the opening quote. */
static bool read_string(reader *r, pt_text_view *text, bool *escaped)
{
    char quote = *r->at++;
    const char *start = r->at;
    *escaped = false;
    while (r->at < r->end && *r->at != quote) {
        if (*r->at == '\\') {
            *escaped = true;
            if (!skip_escape(r))
                return false;
        } else if ((unsigned char)*r->at < 0x20 && !allows(r, PT_LOOSE_CONTROL_CHARACTERS)) {
            return false;
        } else {
            r->at++;
        }
    }
    if (r->at == r->end)
        return false;
    *text = (pt_text_view){start, (size_t)(r->at - start)};
    r->at++;
    return true;
}

static bool is_quote(const reader *r)
{
    return r->at < r->end && (*r->at == '"' || (*r->at == '\'' && allows(r, PT_LOOSE_SINGLE_QUOTES)));
}

static bool is_name_character(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80) != 0;
}

static bool read_key(reader *r, pt_text_view *key, bool *escaped)
{
    skip_space(r);
    if (is_quote(r))
        return read_string(r, key, escaped);
    if (!allows(r, PT_LOOSE_UNQUOTED_NAMES))
        return false;
    const char *start = r->at;
    while (r->at < r->end && is_name_character(*r->at))
        r->at++;
    *key = (pt_text_view){start, (size_t)(r->at - start)};
    *escaped = false;
    return r->at > start;
}

/* ---- numbers ---- */

static bool read_non_numeric(reader *r)
{
    if (!allows(r, PT_LOOSE_NON_NUMERIC))
        return false;
    return accept_word(r, "NaN") || accept_word(r, "Infinity") || accept_word(r, "INF") ||
           accept_word(r, "-Infinity") || accept_word(r, "-INF") || accept_word(r, "+Infinity") ||
           accept_word(r, "+INF");
}

static bool skip_digits(reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && is_digit(*r->at))
        r->at++;
    return r->at > start;
}

static bool read_number(reader *r, pt__loose_node *node)
{
    const char *start = r->at;
    node->kind = PT_LOOSE_INT;
    if (*r->at == '-')
        r->at++;
    const char *digits = r->at;
    if (!skip_digits(r))
        return false;
    if (*digits == '0' && r->at - digits > 1 && !allows(r, PT_LOOSE_LEADING_ZEROS))
        return false;
    if (r->at < r->end && *r->at == '.') {
        node->kind = PT_LOOSE_FLOAT;
        r->at++;
        if (!skip_digits(r))
            return false;
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        node->kind = PT_LOOSE_FLOAT;
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        if (!skip_digits(r))
            return false;
    }
    node->text = (pt_text_view){start, (size_t)(r->at - start)};
    return r->at == r->end || strchr(" \t\r\n,]}:/", *r->at) != NULL; /* a number ends where something else may stand */
}

/* ---- values ---- */

static uint32_t add_node(reader *r)
{
    pt__loose_json *json = r->json;
    if (json->count == json->capacity) {
        uint32_t capacity = json->capacity == 0 ? 64 : json->capacity * 2;
        pt__loose_node *grown = capacity > UINT32_MAX / 2 ? NULL : realloc(json->nodes, capacity * sizeof(*grown));
        if (grown == NULL) {
            r->no_memory = true;
            return UINT32_MAX;
        }
        json->nodes = grown;
        json->capacity = capacity;
    }
    json->nodes[json->count] = (pt__loose_node){0};
    return json->count++;
}

static bool read_value(reader *r, uint32_t index);

/* Links a new node behind `last`, or as the first child. */
static uint32_t add_child(reader *r, uint32_t parent, uint32_t last)
{
    uint32_t child = add_node(r);
    if (child == UINT32_MAX)
        return child;
    if (last == 0)
        r->json->nodes[parent].first = child;
    else
        r->json->nodes[last].next = child;
    return child;
}

static bool read_members(reader *r, uint32_t index, char close)
{
    uint32_t last = 0;
    bool is_object = close == '}';
    r->at++;
    if (accept(r, close))
        return true;
    do {
        uint32_t child = add_child(r, index, last);
        if (child == UINT32_MAX)
            return false;
        if (is_object) {
            pt_text_view key;
            bool escaped;
            if (!read_key(r, &key, &escaped) || !accept(r, ':'))
                return false;
            r->json->nodes[child].key = key;
            r->json->nodes[child].key_escaped = escaped;
        }
        if (!read_value(r, child))
            return false;
        last = child;
    } while (accept(r, ','));
    return accept(r, close);
}

static bool read_nested(reader *r, uint32_t index)
{
    const char *start = r->at;
    bool is_object = *r->at == '{';
    if (++r->depth > PT_LOOSE_DEPTH_MAX)
        return false;
    r->json->nodes[index].kind = is_object ? PT_LOOSE_OBJECT : PT_LOOSE_ARRAY;
    bool ok = read_members(r, index, is_object ? '}' : ']');
    r->json->nodes[index].text = (pt_text_view){start, (size_t)(r->at - start)};
    r->depth--;
    return ok;
}

static bool read_value(reader *r, uint32_t index)
{
    skip_space(r);
    if (r->at == r->end)
        return false;
    if (*r->at == '{' || *r->at == '[')
        return read_nested(r, index);
    pt__loose_node *node = &r->json->nodes[index];
    if (is_quote(r)) {
        node->kind = PT_LOOSE_STRING;
        return read_string(r, &node->text, &node->text_escaped);
    }
    const char *start = r->at;
    if (accept_word(r, "true"))
        node->kind = PT_LOOSE_TRUE;
    else if (accept_word(r, "false"))
        node->kind = PT_LOOSE_FALSE;
    else if (accept_word(r, "null"))
        node->kind = PT_LOOSE_NULL;
    else if (read_non_numeric(r))
        node->kind = PT_LOOSE_FLOAT;
    else
        return read_number(r, node);
    node->text = (pt_text_view){start, (size_t)(r->at - start)};
    return true;
}

pt__loose_result pt__loose_json_read(pt__loose_json *json, pt_text_view text, unsigned allowed)
{
    reader r = {.json = json, .at = text.data, .end = text.data + text.size_bytes, .allowed = allowed};
    json->count = 0;
    skip_space(&r);
    if (r.at == r.end)
        return PT_LOOSE_EMPTY;
    if (add_node(&r) != UINT32_MAX && read_value(&r, 0))
        return PT_LOOSE_OK;
    return r.no_memory ? PT_LOOSE_NO_MEMORY : PT_LOOSE_MALFORMED;
}

/* ---- text out ---- */

static uint32_t hex_value(const char *digits)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        value = value * 16 + (uint32_t)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

/* Behind `\u`; takes the second half of a pair, too. Returns how many characters were taken. */
static size_t append_unicode(pt__buffer *out, const char *at, const char *end)
{
    uint32_t code = hex_value(at);
    size_t taken = 4;
    if (code >= 0xD800 && code < 0xDC00 && end - at >= 10 && at[4] == '\\' && at[5] == 'u') {
        uint32_t low = hex_value(at + 6);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            taken = 10;
        }
    }
    if (code >= 0xD800 && code < 0xE000)
        code = '?'; /* half a pair, as Java encodes it */
    char encoded[4];
    pt__buffer_append(out, encoded, pt__utf8_encode(code, encoded));
    return taken;
}

void pt__loose_append_text(pt__buffer *out, pt_text_view raw, bool escaped)
{
    if (!escaped) {
        pt__buffer_append(out, raw.data, raw.size_bytes);
        return;
    }
    const char *end = raw.data + raw.size_bytes;
    for (const char *at = raw.data; at < end; at++) {
        if (*at != '\\') {
            pt__buffer_append_byte(out, (uint8_t)*at);
            continue;
        }
        switch (*++at) {
        case 'b': pt__buffer_append_byte(out, '\b'); break;
        case 'f': pt__buffer_append_byte(out, '\f'); break;
        case 'n': pt__buffer_append_byte(out, '\n'); break;
        case 'r': pt__buffer_append_byte(out, '\r'); break;
        case 't': pt__buffer_append_byte(out, '\t'); break;
        case 'u': at += append_unicode(out, at + 1, end); break;
        default: pt__buffer_append_byte(out, (uint8_t)*at);
        }
    }
}

bool pt__loose_key_is(const pt__loose_node *member, pt_text_view name)
{
    if (!member->key_escaped)
        return member->key.size_bytes == name.size_bytes && memcmp(member->key.data, name.data, name.size_bytes) == 0;
    pt__buffer key = PT_BUFFER_INIT;
    pt__loose_append_text(&key, member->key, true);
    bool same = key.size_bytes == name.size_bytes && memcmp(key.data, name.data, name.size_bytes) == 0;
    pt__buffer_deinit(&key);
    return same;
}

void pt__loose_append_quoted(pt__buffer *out, const char *data, size_t size_bytes)
{
    static const char SHORT[] = "\bb\tt\nn\ff\rr\"\"\\\\";
    pt__buffer_append_byte(out, '"');
    for (size_t i = 0; i < size_bytes; i++) {
        unsigned char c = (unsigned char)data[i];
        const char *form = NULL;
        for (const char *s = SHORT; *s != '\0' && form == NULL; s += 2)
            form = (unsigned char)*s == c ? s : NULL;
        if (form != NULL) {
            pt__buffer_append_byte(out, '\\');
            pt__buffer_append_byte(out, (uint8_t)form[1]);
        } else if (c < 0x20) {
            pt__buffer_printf(out, "\\u%04X", c);
        } else {
            pt__buffer_append_byte(out, c);
        }
    }
    pt__buffer_append_byte(out, '"');
}

void pt__loose_append_double(pt__buffer *out, double value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    size_t size = pt__format_double(value, text);
    bool is_number = isfinite(value);
    pt__buffer_append_string(out, is_number ? "" : "\"");
    pt__buffer_append(out, text, size);
    pt__buffer_append_string(out, is_number ? "" : "\"");
}

static void append_float(pt__buffer *out, pt_text_view text)
{
    char copy[64];
    if (text.size_bytes >= sizeof(copy)) {
        pt__buffer wide = PT_BUFFER_INIT;
        pt__buffer_append(&wide, text.data, text.size_bytes);
        pt__loose_append_double(out, strtod(pt__buffer_string(&wide), NULL));
        pt__buffer_deinit(&wide);
        return;
    }
    memcpy(copy, text.data, text.size_bytes);
    copy[text.size_bytes] = '\0';
    pt__loose_append_double(out, strtod(copy, NULL));
}

static void append_string_node(pt__buffer *out, pt_text_view raw, bool escaped)
{
    pt__buffer plain = PT_BUFFER_INIT;
    pt__loose_append_text(&plain, raw, escaped);
    pt__loose_append_quoted(out, (const char *)plain.data, plain.size_bytes);
    pt__buffer_deinit(&plain);
}

static void append_nested(pt__buffer *out, const pt__loose_json *json, uint32_t node)
{
    bool is_object = json->nodes[node].kind == PT_LOOSE_OBJECT;
    pt__buffer_append_byte(out, is_object ? '{' : '[');
    PT_LOOSE_EACH(json, node, child)
    {
        if (child != json->nodes[node].first)
            pt__buffer_append_byte(out, ',');
        if (is_object) {
            append_string_node(out, json->nodes[child].key, json->nodes[child].key_escaped);
            pt__buffer_append_byte(out, ':');
        }
        pt__loose_append_value(out, json, child);
    }
    pt__buffer_append_byte(out, is_object ? '}' : ']');
}

void pt__loose_append_value(pt__buffer *out, const pt__loose_json *json, uint32_t node)
{
    const pt__loose_node *value = &json->nodes[node];
    switch (value->kind) {
    case PT_LOOSE_NULL: pt__buffer_append_string(out, "null"); break;
    case PT_LOOSE_TRUE: pt__buffer_append_string(out, "true"); break;
    case PT_LOOSE_FALSE: pt__buffer_append_string(out, "false"); break;
    case PT_LOOSE_INT: pt__buffer_append(out, value->text.data, value->text.size_bytes); break;
    case PT_LOOSE_FLOAT: append_float(out, value->text); break;
    case PT_LOOSE_STRING: append_string_node(out, value->text, value->text_escaped); break;
    case PT_LOOSE_ARRAY:
    case PT_LOOSE_OBJECT: append_nested(out, json, node); break;
    }
}

/* Strings, numbers and typed literals. */
#include "decode/spark_sql/internal.h"

#include "base/utf8.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const pt_expr *make_literal(pt__sql_parser *p, size_t first, const pt_type *type, pt_value value)
{
    pt_expr_literal *literal = pt__expr_make(p->arena, LITERAL, literal, pt__sql_origin(p, first));
    literal->base.type = type;
    literal->base.nullable = value.is_null;
    literal->value = value;
    return &literal->base;
}

const pt_expr *pt__sql_make_string(pt__sql_parser *p, size_t first, const char *text)
{
    pt_value value = {.as.text = {text, strlen(text)}};
    return make_literal(p, first, PT_T(STRING), value);
}

/* ---- strings ---- */

typedef struct string_builder {
    char *text;
    size_t size;
} string_builder;

static void put_code_point(string_builder *out, uint32_t c)
{
    bool is_half = c >= 0xD800 && c <= 0xDFFF; /* of a pair: has no UTF-8 form, Java writes a question mark */
    out->size += pt__utf8_encode(is_half ? '?' : c, out->text + out->size);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `count` hexadecimal digits; false when there are fewer. */
static bool read_hex(const char *text, const char *end, int count, uint32_t *out)
{
    uint32_t value = 0;
    if (end - text < count)
        return false;
    for (int i = 0; i < count; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
    }
    *out = value;
    return true;
}

/* \uXXXX, perhaps the first half of a pair, and \UXXXXXXXX; returns bytes taken after the backslash, 0: no such. */
static size_t unescape_unicode(string_builder *out, const char *c, const char *end)
{
    uint32_t code = 0;
    uint32_t low = 0;
    if (*c == 'U' && read_hex(c + 1, end, 8, &code) && code <= 0x10FFFF) {
        put_code_point(out, code);
        return 9;
    }
    if (*c != 'u' || !read_hex(c + 1, end, 4, &code))
        return 0;
    bool pair = code >= 0xD800 && code <= 0xDBFF && end - c > 7 && c[5] == '\\' && c[6] == 'u' &&
                read_hex(c + 7, end, 4, &low) && low >= 0xDC00 && low <= 0xDFFF;
    put_code_point(out, pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : code);
    return pair ? 11 : 5;
}

/* What stands after a backslash; returns bytes taken. */
static size_t unescape(string_builder *out, const char *c, const char *end)
{
    static const char FROM[] = "0bnrtZ";
    static const char TO[] = "\0\b\n\r\t\x1a";
    size_t taken = unescape_unicode(out, c, end);
    if (taken > 0)
        return taken;
    if (end - c >= 3 && (*c == '0' || *c == '1') && c[1] >= '0' && c[1] <= '7' && c[2] >= '0' && c[2] <= '7') {
        put_code_point(out, (uint32_t)((c[0] - '0') << 6 | (c[1] - '0') << 3 | (c[2] - '0')));
        return 3;
    }
    const char *known = strchr(FROM, *c);
    if (*c != '\0' && known != NULL) {
        out->text[out->size++] = TO[known - FROM];
        return 1;
    }
    if (*c == '%' || *c == '_')
        out->text[out->size++] = '\\'; /* kept for LIKE */
    out->text[out->size++] = *c;
    return 1;
}

static void append_token(pt__sql_parser *p, const pt__sql_token *token, string_builder *out)
{
    const char *c = p->sql + token->start_byte;
    const char *end = p->sql + token->end_byte - 1;
    bool raw = *c == 'r' || *c == 'R';
    char quote = c[raw ? 1 : 0];
    c += raw ? 2 : 1;
    while (c < end) {
        if (*c == '\\' && !raw && !p->options->escaped_string_literals && c + 1 < end) {
            c++;
            c += unescape(out, c, end);
        } else {
            out->text[out->size++] = *c;
            c += *c == quote && !raw ? 2 : 1;
        }
    }
}

/* Joins up to `max` adjacent strings. */
static pt_status read_strings(pt__sql_parser *p, size_t max, pt_text_view *out)
{
    size_t capacity = 1;
    size_t count = 0;
    while (count < max && pt__sql_peek(p, count) == PT_TOKEN_STRING) {
        const pt__sql_token *token = pt__sql_token_at(p, count++);
        capacity += token->end_byte - token->start_byte;
    }
    if (count == 0)
        return pt__sql_syntax_error(p);
    string_builder text = {pt__arena_alloc_text(p->arena, capacity), 0};
    for (size_t i = 0; i < count; i++)
        append_token(p, pt__sql_token_at(p, i), &text);
    text.text[text.size] = '\0';
    p->position += count;
    *out = (pt_text_view){text.text, text.size};
    return PT_OK;
}

pt_status pt__sql_string(pt__sql_parser *p, pt_text_view *out)
{
    return read_strings(p, SIZE_MAX, out);
}

pt_status pt__sql_one_string(pt__sql_parser *p, const char **out)
{
    pt_text_view text = {0};
    PT_TRY(read_strings(p, 1, &text));
    *out = text.data;
    return PT_OK;
}

pt_status pt__sql_string_text(pt__sql_parser *p, const char **out)
{
    pt_text_view text = {0};
    PT_TRY(pt__sql_string(p, &text));
    *out = text.data;
    return PT_OK;
}

pt_status pt__sql_string_literal(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt_value value = {0};
    PT_TRY(pt__sql_string(p, &value.as.text));
    *out = make_literal(p, first, PT_T(STRING), value);
    return PT_OK;
}

/* ---- numbers ---- */

pt_status pt__sql_integer(pt__sql_parser *p, int64_t *out)
{
    if (!pt__sql_at(p, PT_TOKEN_INTEGER))
        return pt__sql_syntax_error(p);
    const pt__sql_token *token = pt__sql_token_at(p, 0);
    int64_t value = 0;
    for (uint32_t i = token->start_byte; i < token->end_byte; i++) {
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, p->sql[i] - '0', &value))
            return pt__sql_syntax_error(p);
    }
    p->position++;
    *out = value;
    return PT_OK;
}

static pt_status too_precise(pt__sql_parser *p, int64_t precision)
{
    return pt__raise(p->err, PT_COND_DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION, "precision",
                     pt__arena_printf(p->arena, "%lld", (long long)precision), "maxPrecision", "38", NULL);
}

/* The exponent of a number text such as "1.5e-3"; digits end at `*digits_end`. Far exponents saturate. */
static int64_t read_exponent(const char *text, size_t size, size_t *digits_end)
{
    size_t i = 0;
    while (i < size && (text[i] | 0x20) != 'e')
        i++;
    *digits_end = i;
    bool negative = i + 1 < size && text[i + 1] == '-';
    int64_t exponent = 0;
    for (i++; i < size; i++) {
        if (text[i] >= '0' && text[i] <= '9' && exponent < 1000000)
            exponent = exponent * 10 + (text[i] - '0');
    }
    return negative ? -exponent : exponent;
}

/* The exact decimal of a number text without suffix. */
static pt_status decimal_literal(pt__sql_parser *p, size_t first, pt_text_view text, bool negative, const pt_expr **out)
{
    pt_int128 unscaled = 0;
    int64_t digits = 0; /* significant ones */
    int64_t scale = 0;
    bool in_fraction = false;
    size_t digits_end = 0;
    int64_t exponent = read_exponent(text.data, text.size_bytes, &digits_end);
    for (size_t i = 0; i < digits_end; i++) {
        if (text.data[i] == '.') {
            in_fraction = true;
            continue;
        }
        scale += in_fraction;
        digits += digits > 0 || text.data[i] != '0';
        if (digits <= PT_DECIMAL_PRECISION_MAX)
            unscaled = unscaled * 10 + (text.data[i] - '0');
    }
    for (scale -= exponent; scale < 0 && digits > 0 && digits <= PT_DECIMAL_PRECISION_MAX; scale++, digits++)
        unscaled *= 10;
    scale = scale < 0 ? 0 : scale;
    int64_t precision = digits > scale ? digits : scale;
    precision = precision == 0 ? 1 : precision;
    if (precision > PT_DECIMAL_PRECISION_MAX)
        return too_precise(p, precision);
    pt_value value = {.as.decimal = negative ? -unscaled : unscaled};
    *out = make_literal(p, first, pt__type_decimal(p->arena, (int32_t)precision, (int32_t)scale), value);
    return PT_OK;
}

static pt_status out_of_range(pt__sql_parser *p, size_t first, const char *text, const char *type, const char *low,
                              const char *high)
{
    pt_status status = pt__raise(p->err, PT_COND_INVALID_NUMERIC_LITERAL_RANGE, "rawStrippedQualifier", text,
                                 "typeName", type, "minValue", low, "maxValue", high, NULL);
    return pt__sql_locate_error(p, first, status);
}

/* Reads digits as an integer of either sign; false when it does not fit a long. */
static bool read_long(pt_text_view digits, bool negative, int64_t *out)
{
    int64_t value = 0;
    for (size_t i = 0; i < digits.size_bytes; i++) {
        int64_t digit = digits.data[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return false;
    }
    *out = value;
    return true;
}

static pt_status integer_literal(pt__sql_parser *p, size_t first, pt_text_view digits, bool negative,
                                 const pt_expr **out)
{
    pt_value value = {0};
    if (!read_long(digits, negative, &value.as.integer))
        return decimal_literal(p, first, digits, negative, out);
    bool is_int = value.as.integer >= INT32_MIN && value.as.integer <= INT32_MAX;
    *out = make_literal(p, first, is_int ? PT_T(INT) : PT_T(LONG), value);
    return PT_OK;
}

static pt_status sized_integer(pt__sql_parser *p, size_t first, pt_text_view digits, bool negative, char suffix,
                               const pt_expr **out)
{
    static const struct sized {
        char suffix;
        pt_type_id type;
        int64_t low;
        int64_t high;
        const char *low_text;
        const char *high_text;
    } SIZES[] = {
        {'Y', PT_TYPE_BYTE, INT8_MIN, INT8_MAX, "-128", "127"},
        {'S', PT_TYPE_SHORT, INT16_MIN, INT16_MAX, "-32768", "32767"},
        {'L', PT_TYPE_LONG, INT64_MIN, INT64_MAX, "-9223372036854775808", "9223372036854775807"},
    };
    const struct sized *size = &SIZES[suffix == 'Y' ? 0 : suffix == 'S' ? 1 : 2];
    pt_value value = {0};
    const pt_type *type = pt__type_simple(size->type);
    bool fits = read_long(digits, negative, &value.as.integer) && value.as.integer >= size->low &&
                value.as.integer <= size->high;
    if (!fits) {
        const char *text = pt__arena_copy_text(p->arena, digits.data, digits.size_bytes);
        text = negative ? pt__arena_printf(p->arena, "-%s", text) : text;
        return out_of_range(p, first, text, pt__type_simple_string(p->arena, type), size->low_text, size->high_text);
    }
    *out = make_literal(p, first, type, value);
    return PT_OK;
}

static pt_status real_literal(pt__sql_parser *p, size_t first, pt_text_view text, bool negative, bool is_float,
                              const pt_expr **out)
{
    const char *copy = pt__arena_copy_text(p->arena, text.data, text.size_bytes);
    double number = is_float ? (double)strtof(copy, NULL) : strtod(copy, NULL);
    if (!isfinite(number)) {
        copy = negative ? pt__arena_printf(p->arena, "-%s", copy) : copy;
        return out_of_range(p, first, copy, is_float ? "float" : "double",
                            is_float ? "-3.4028234663852886E+38" : "-1.7976931348623157E+308",
                            is_float ? "3.4028234663852886E+38" : "1.7976931348623157E+308");
    }
    pt_value value = {.as.real = negative ? -number : number};
    *out = make_literal(p, first, is_float ? PT_T(FLOAT) : PT_T(DOUBLE), value);
    return PT_OK;
}

pt_status pt__sql_number_literal(pt__sql_parser *p, size_t first, bool negative, const pt_expr **out)
{
    const pt__sql_token *token = pt__sql_token_at(p, 0);
    pt_text_view text = {p->sql + token->start_byte, token->end_byte - token->start_byte};
    p->position++;
    if (token->kind == PT_TOKEN_INTEGER)
        return integer_literal(p, first, text, negative, out);
    char suffix = text.data[text.size_bytes - 1];
    suffix = (char)(suffix >= 'a' && suffix <= 'z' ? suffix - 'a' + 'A' : suffix);
    pt_text_view stripped = {text.data, text.size_bytes - 1};
    if (suffix == 'D' && text.size_bytes > 2 && (text.data[text.size_bytes - 2] | 0x20) == 'b') {
        stripped.size_bytes--;
        return decimal_literal(p, first, stripped, negative, out);
    }
    if (suffix == 'D' || suffix == 'F')
        return real_literal(p, first, stripped, negative, suffix == 'F', out);
    if (suffix == 'L' || suffix == 'S' || suffix == 'Y')
        return sized_integer(p, first, stripped, negative, suffix, out);
    if (memchr(text.data, 'e', text.size_bytes) != NULL || memchr(text.data, 'E', text.size_bytes) != NULL)
        return real_literal(p, first, text, negative, false, out);
    return decimal_literal(p, first, text, negative, out);
}

/* ---- DATE '…', X'…' ---- */

static pt_status invalid_typed_literal(pt__sql_parser *p, size_t first, const char *type)
{
    const pt__sql_token *token = &p->tokens[p->position - 1];
    const char *value = pt__arena_copy_text(p->arena, p->sql + token->start_byte, token->end_byte - token->start_byte);
    pt_status status = pt__raise(p->err, PT_COND_INVALID_TYPED_LITERAL, "valueType",
                                 pt__arena_printf(p->arena, "\"%s\"", type), "value", value, NULL);
    return pt__sql_locate_error(p, first, status);
}

/* An odd count of digits has a zero put before it. */
static pt_status binary_literal(pt__sql_parser *p, size_t first, pt_text_view hex, const pt_expr **out)
{
    size_t size = (hex.size_bytes + 1) / 2;
    char *bytes = pt__arena_alloc_text(p->arena, size + 1);
    size_t odd = hex.size_bytes % 2;
    memset(bytes, 0, size + 1);
    for (size_t i = 0; i < hex.size_bytes; i++) {
        int digit = hex_digit(hex.data[i]);
        if (digit < 0)
            return invalid_typed_literal(p, first, "X");
        size_t at = (i + odd) / 2;
        bytes[at] = (char)((unsigned char)bytes[at] << 4 | digit);
    }
    pt_value value = {.as.text = {bytes, size}};
    *out = make_literal(p, first, PT_T(BINARY), value);
    return PT_OK;
}

static const char *upper_text(pt__sql_parser *p, size_t token)
{
    const pt__sql_token *t = &p->tokens[token];
    char *text = pt__arena_copy_text(p->arena, p->sql + t->start_byte, t->end_byte - t->start_byte);
    for (char *c = text; *c != '\0'; c++)
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    return text;
}

static const char *literal_function(const pt__sql_parser *p, int32_t kind)
{
    switch (kind) {
    case PT_KW_DATE: return "date_literal";
    case PT_KW_TIME: return "time_literal";
    case PT_KW_TIMESTAMP: return p->options->timestamp_is_ntz ? "timestamp_ntz_literal" : "timestamp_literal";
    case PT_KW_TIMESTAMP_NTZ: return "timestamp_ntz_literal";
    case PT_KW_TIMESTAMP_LTZ: return "timestamp_ltz_literal";
    default: return NULL;
    }
}

pt_status pt__sql_typed_literal(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    int32_t kind = p->tokens[first].kind;
    const char *function = literal_function(p, kind);
    pt__sql_skip(p, 1);
    size_t at = p->position;
    pt_text_view text = {0};
    PT_TRY(read_strings(p, 1, &text));
    if (function != NULL) {
        pt_value value = {.as.text = text};
        *out = pt__sql_make_call(p, first, function, 1, make_literal(p, at, PT_T(STRING), value));
        return PT_OK;
    }
    if (kind == PT_KW_X)
        return binary_literal(p, first, text, out);
    if (kind == PT_KW_INTERVAL) {
        pt_status status = PT_OK;
        if (!pt__sql_interval_from_text(p, first, text, out, &status))
            return invalid_typed_literal(p, first, "INTERVAL");
        return status;
    }
    pt_status status =
        pt__raise(p->err, PT_COND_UNSUPPORTED_TYPED_LITERAL, "unsupportedType",
                  pt__arena_printf(p->arena, "\"%s\"", upper_text(p, first)), "supportedTypes",
                  "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\"", NULL);
    return pt__sql_locate_error(p, first, status);
}

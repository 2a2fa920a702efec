/* format_string: the conversions of java.util.Formatter, but for dates. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/decimal.h"
#include "backend/duckdb/functions/functions.h"
#include "backend/duckdb/functions/hash.h"
#include "backend/duckdb/functions/unicode.h"
#include "base/format_double.h"
#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct conversion {
    bool left;      /* - */
    bool alternate; /* # */
    bool plus;
    bool space;
    bool zero;
    bool group;    /* , */
    bool brackets; /* ( */
    int width;     /* 0: none */
    int precision; /* -1: none */
    char letter;
    size_t column;
} conversion;

typedef struct formatter {
    pt__fn_call *call;
    idx_t row;
    const char *at;
    const char *end;
    pt__buffer *out;
    size_t ordinary; /* the next argument without index */
    size_t last;     /* the one used before, for < */
} formatter;

/** Java's message about it; no condition of Spark's has that. */
__attribute__((format(printf, 2, 3))) static bool fail(formatter *f, const char *format, ...)
{
    char message[160] = PT__ILLEGAL_FORMAT;
    const size_t said = sizeof(PT__ILLEGAL_FORMAT) - 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + said, sizeof(message) - said, format, arguments);
    va_end(arguments);
    duckdb_scalar_function_set_error(f->call->info, message);
    f->call->failed = true;
    return false;
}

/* Padding. */

static void append_padded(formatter *f, const conversion *c, pt_text_view text)
{
    int64_t missing = c->width - (int64_t)pt__character_count(text);
    for (; !c->left && missing > 0; missing--)
        pt__buffer_append_byte(f->out, ' ');
    if (c->letter >= 'A' && c->letter <= 'Z')
        pt__append_upper(f->out, text);
    else
        pt__buffer_append(f->out, text.data, text.size_bytes);
    for (; missing > 0; missing--)
        pt__buffer_append_byte(f->out, ' ');
}

static void append_padded_string(formatter *f, const conversion *c, const char *text)
{
    append_padded(f, c, (pt_text_view){text, strlen(text)});
}

static void append_grouped(pt__buffer *out, const char *digits, size_t whole_digits, bool group)
{
    for (size_t i = 0; i < whole_digits; i++) {
        if (group && i > 0 && (whole_digits - i) % 3 == 0)
            pt__buffer_append_byte(out, ',');
        pt__buffer_append_byte(out, (uint8_t)digits[i]);
    }
}

/** Sign, digits with grouping, the rest as it is, zeros up to the width. */
static void append_number(formatter *f, const conversion *c, bool negative, const char *digits)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__buffer sign = PT_BUFFER_INIT;
    size_t whole = strspn(digits, "0123456789");
    pt__buffer_append_string(&sign, negative ? (c->brackets ? "(" : "-") : c->plus ? "+" : c->space ? " " : "");
    append_grouped(&text, digits, whole, c->group);
    pt__buffer_append_string(&text, digits + whole);
    if (negative && c->brackets)
        pt__buffer_append_byte(&text, ')');
    for (size_t size = sign.size_bytes + text.size_bytes; c->zero && size < (size_t)c->width; size++)
        pt__buffer_append_byte(&sign, '0');
    pt__buffer_append(&sign, text.data, text.size_bytes);
    append_padded_string(f, c, pt__buffer_string(&sign));
    pt__buffer_deinit(&text);
    pt__buffer_deinit(&sign);
}

/* Integers. */

static int bits_of(duckdb_type id)
{
    switch (id) {
    case DUCKDB_TYPE_TINYINT: return 8;
    case DUCKDB_TYPE_SMALLINT: return 16;
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE: return 32;
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ: return 64;
    default: return 0;
    }
}

/** Of a column that bits_of knows; dates and timestamps as Spark keeps them. */
static int64_t whole_value(const pt__fn_column *column, idx_t row)
{
    return (int64_t)pt__fn_whole(column, row);
}

static const char *java_class(const pt__fn_type *type)
{
    switch (type->id) {
    case DUCKDB_TYPE_BOOLEAN: return "java.lang.Boolean";
    case DUCKDB_TYPE_TINYINT: return "java.lang.Byte";
    case DUCKDB_TYPE_SMALLINT: return "java.lang.Short";
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE: return "java.lang.Integer";
    case DUCKDB_TYPE_FLOAT: return "java.lang.Float";
    case DUCKDB_TYPE_DOUBLE: return "java.lang.Double";
    case DUCKDB_TYPE_DECIMAL: return "org.apache.spark.sql.types.Decimal";
    case DUCKDB_TYPE_VARCHAR: return "org.apache.spark.unsafe.types.UTF8String";
    default: return "java.lang.Long";
    }
}

static bool fail_class(formatter *f, const conversion *c)
{
    return fail(f, "%c != %s", c->letter, java_class(f->call->columns[c->column].type));
}

static bool format_integer(formatter *f, const conversion *c)
{
    char digits[32];
    const pt__fn_column *column = &f->call->columns[c->column];
    int bits = bits_of(column->type->id);
    if (bits == 0)
        return fail_class(f, c);
    int64_t value = whole_value(column, f->row);
    if (c->letter == 'd') {
        snprintf(digits, sizeof(digits), "%" PRIu64, value < 0 ? -(uint64_t)value : (uint64_t)value);
        append_number(f, c, value < 0, digits);
        return true;
    }
    uint64_t pattern = bits == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    bool octal = c->letter == 'o';
    snprintf(digits, sizeof(digits), octal ? "%s%" PRIo64 : "%s%" PRIx64, c->alternate ? octal ? "0" : "0x" : "",
             pattern);
    pt__buffer padded = PT_BUFFER_INIT;
    for (size_t size = strlen(digits); c->zero && size < (size_t)c->width; size++)
        pt__buffer_append_byte(&padded, '0');
    pt__buffer_append_string(&padded, digits);
    append_padded_string(f, c, pt__buffer_string(&padded));
    pt__buffer_deinit(&padded);
    return true;
}

/* Floating point: half up, by the shortest digits of the number. */

static bool format_special(formatter *f, const conversion *c, double value)
{
    conversion plain = *c;
    plain.zero = false;
    if (isnan(value))
        append_padded_string(f, &plain, "NaN");
    else
        append_padded_string(f, &plain,
                             value > 0     ? (c->plus ? "+Infinity" : "Infinity")
                             : c->brackets ? "(Infinity)"
                                           : "-Infinity");
    return true;
}

/** Digits after the point: `precision`. */
static void append_fixed(pt__buffer *out, double magnitude, bool narrow, int precision)
{
    pt__exact number = narrow ? pt__exact_from_float((float)magnitude) : pt__exact_from_double(magnitude);
    int cut = number.scale - precision;
    pt__wide digits = number.magnitude;
    if (cut > 0)
        digits = cut > 40 ? pt__wide_from(0) : pt__wide_scale_down(digits, cut, PT__ROUND_HALF_UP);
    int scale = cut > 0 ? precision : number.scale;
    if (scale >= 0) {
        pt__wide_append(out, &digits, false, scale);
    } else {
        pt__wide_append(out, &digits, false, 0);
        for (int i = scale; i < 0 && !pt__wide_is_zero(&digits); i++)
            pt__buffer_append_byte(out, '0');
    }
    if (precision > 0 && scale <= 0)
        pt__buffer_append_byte(out, '.');
    for (int i = scale < 0 ? 0 : scale; i < precision; i++)
        pt__buffer_append_byte(out, '0');
}

static void append_scientific(pt__buffer *out, double magnitude, bool narrow, int precision)
{
    pt__shortest_digits shortest = {"0", 1, 1};
    if (magnitude != 0)
        shortest = narrow ? pt__float_digits((float)magnitude) : pt__double_digits(magnitude);
    uint64_t value = 0;
    for (int32_t i = 0; i < shortest.count; i++)
        value = value * 10 + (uint64_t)(shortest.digits[i] - '0');
    int exponent = shortest.exponent - 1;
    pt__wide digits = pt__wide_from(value);
    int cut = shortest.count - 1 - precision;
    if (cut > 0)
        digits = pt__wide_scale_down(digits, cut, PT__ROUND_HALF_UP);
    if (cut > 0 && pt__wide_digits(&digits) > precision + 1) {
        digits = pt__wide_scale_down(digits, 1, PT__ROUND_DOWN);
        exponent++;
    }
    pt__wide_append(out, &digits, false, cut > 0 ? precision : shortest.count - 1);
    if (precision > 0 && cut <= 0 && shortest.count == 1)
        pt__buffer_append_byte(out, '.');
    for (int i = cut > 0 ? precision : shortest.count - 1; i < precision; i++)
        pt__buffer_append_byte(out, '0');
    pt__buffer_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

/** %g: plain from 10^-4 to below 10^precision, after rounding. */
static void append_general(pt__buffer *out, double magnitude, bool narrow, int precision)
{
    int digits = precision == 0 ? 1 : precision;
    if (magnitude == 0) {
        append_fixed(out, 0, narrow, digits - 1);
        return;
    }
    if (magnitude < 1e-4 || magnitude >= pow(10, digits)) {
        append_scientific(out, magnitude, narrow, digits - 1);
        return;
    }
    int before = magnitude >= 1 ? (int)floor(log10(magnitude)) + 1 : 0;
    int leading = magnitude < 1 ? -(int)ceil(log10(magnitude)) : 0;
    append_fixed(out, magnitude, narrow, digits - before + leading < 0 ? 0 : digits - before + leading);
}

static bool format_real(formatter *f, const conversion *c)
{
    const pt__fn_column *column = &f->call->columns[c->column];
    bool narrow = column->type->id == DUCKDB_TYPE_FLOAT;
    if (!narrow && column->type->id != DUCKDB_TYPE_DOUBLE)
        return fail_class(f, c);
    double value = narrow ? (double)((const float *)column->data)[f->row] : ((const double *)column->data)[f->row];
    if (!isfinite(value))
        return format_special(f, c, value);
    int precision = c->precision < 0 ? 6 : c->precision > 300 ? 300 : c->precision;
    pt__buffer digits = PT_BUFFER_INIT;
    char letter = (char)(c->letter | 0x20);
    if (letter == 'f')
        append_fixed(&digits, fabs(value), narrow, precision);
    else if (letter == 'e')
        append_scientific(&digits, fabs(value), narrow, precision);
    else
        append_general(&digits, fabs(value), narrow, precision);
    append_number(f, c, signbit(value) != 0, pt__buffer_string(&digits));
    pt__buffer_deinit(&digits);
    return true;
}

/* Text, characters, booleans, hashes. */

static void append_any(pt__buffer *out, const pt__fn_column *column, idx_t row)
{
    char text[PT_DOUBLE_TEXT_MAX];
    switch (column->type->id) {
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB: {
        pt_text_view view = pt__fn_string((const duckdb_string_t *)column->data + row);
        pt__buffer_append(out, view.data, view.size_bytes);
        break;
    }
    case DUCKDB_TYPE_BOOLEAN:
        pt__buffer_append_string(out, ((const bool *)column->data)[row] ? "true" : "false");
        break;
    case DUCKDB_TYPE_FLOAT:
        pt__buffer_append(out, text, pt__format_float(((const float *)column->data)[row], text));
        break;
    case DUCKDB_TYPE_DOUBLE:
        pt__buffer_append(out, text, pt__format_double(((const double *)column->data)[row], text));
        break;
    default: pt__decimal_append(out, pt__fn_whole(column, row), column->type->scale);
    }
}

static bool is_scalar(const pt__fn_type *type)
{
    return type->id != DUCKDB_TYPE_LIST && type->id != DUCKDB_TYPE_MAP && type->id != DUCKDB_TYPE_STRUCT &&
           type->id != DUCKDB_TYPE_INTERVAL && type->id != DUCKDB_TYPE_BLOB;
}

static bool format_text(formatter *f, const conversion *c)
{
    const pt__fn_column *column = &f->call->columns[c->column];
    pt__buffer text = PT_BUFFER_INIT;
    if (!is_scalar(column->type))
        return pt__fn_fail_type(f->call, c->column);
    append_any(&text, column, f->row);
    pt_text_view view = {pt__buffer_string(&text), text.size_bytes};
    if (c->precision >= 0)
        view.size_bytes = pt__character_offset(view, c->precision);
    append_padded(f, c, view);
    pt__buffer_deinit(&text);
    return true;
}

static bool format_character(formatter *f, const conversion *c)
{
    char encoded[4];
    const pt__fn_column *column = &f->call->columns[c->column];
    int bits = bits_of(column->type->id);
    if (bits == 0 || bits > 32)
        return fail_class(f, c);
    int64_t code_point = whole_value(column, f->row);
    if (code_point < 0 || code_point > 0x10ffff)
        return fail(f, "Code point = 0x%x", (unsigned)code_point);
    append_padded(f, c, (pt_text_view){encoded, pt__utf8_encode((uint32_t)code_point, encoded)});
    return true;
}

static bool format_boolean(formatter *f, const conversion *c)
{
    const pt__fn_column *column = &f->call->columns[c->column];
    bool value = pt__fn_bit(column->validity, f->row);
    if (value && column->type->id == DUCKDB_TYPE_BOOLEAN)
        value = ((const bool *)column->data)[f->row];
    const char *text = value ? "true" : "false";
    size_t size = strlen(text);
    append_padded(f, c,
                  (pt_text_view){text, c->precision >= 0 && (size_t)c->precision < size ? (size_t)c->precision : size});
    return true;
}

static bool format_hash(formatter *f, const conversion *c)
{
    char text[16];
    const pt__fn_column *column = &f->call->columns[c->column];
    if (column->type->id != DUCKDB_TYPE_VARCHAR)
        return fail(f, "%%h is supported for strings only");
    pt_text_view view = pt__fn_string((const duckdb_string_t *)column->data + f->row);
    snprintf(text, sizeof(text), "%x", (uint32_t)pt__murmur3.of_bytes(view, 42));
    append_padded_string(f, c, text);
    return true;
}

/* The pattern. */

static bool read_flag(conversion *c, char letter)
{
    switch (letter) {
    case '-': c->left = true; return true;
    case '#': c->alternate = true; return true;
    case '+': c->plus = true; return true;
    case ' ': c->space = true; return true;
    case '0': c->zero = true; return true;
    case ',': c->group = true; return true;
    case '(': c->brackets = true; return true;
    default: return false;
    }
}

static int read_digits(formatter *f)
{
    int value = 0;
    for (; f->at < f->end && isdigit((unsigned char)*f->at); f->at++)
        value = value < 100000000 ? value * 10 + (*f->at - '0') : value;
    return value;
}

/** index$ or <; `*column` stays 0 without one. */
static void read_index(formatter *f, size_t *column)
{
    const char *start = f->at;
    if (f->at < f->end && *f->at == '<') {
        f->at++;
        *column = f->last;
        return;
    }
    int index = f->at < f->end && *f->at != '0' ? read_digits(f) : 0;
    if (index > 0 && f->at < f->end && *f->at == '$') {
        f->at++;
        *column = (size_t)index;
    } else {
        f->at = start;
    }
}

static bool read_conversion(formatter *f, conversion *c)
{
    const char *start = f->at;
    *c = (conversion){.precision = -1};
    read_index(f, &c->column);
    while (f->at < f->end && read_flag(c, *f->at))
        f->at++;
    c->width = read_digits(f);
    if (c->width > 0 && !pt__fn_may_make(f->call, (uint64_t)c->width))
        return false;
    if (f->at < f->end && *f->at == '.') {
        f->at++;
        c->precision = read_digits(f);
    }
    if (f->at == f->end)
        return fail(f, "Conversion = '%%'");
    c->letter = *f->at++;
    if (strchr("%nbBhHsScCdoxXeEfgG", c->letter) == NULL)
        return fail(f, "Unknown format conversion: %.*s", (int)(f->at - start), start);
    if (c->letter == '%' || c->letter == 'n')
        return true;
    if (c->column == 0)
        c->column = ++f->ordinary;
    f->last = c->column;
    return c->column < f->call->column_count || fail(f, "Format specifier '%%%.*s'", (int)(f->at - start), start);
}

static bool format_argument(formatter *f, const conversion *c)
{
    char letter = (char)(c->letter | 0x20);
    if (letter != 'b' && !pt__fn_bit(f->call->columns[c->column].validity, f->row)) {
        append_padded_string(f, c, "null");
        return true;
    }
    switch (letter) {
    case 'b': return format_boolean(f, c);
    case 'c': return format_character(f, c);
    case 'd':
    case 'o':
    case 'x': return format_integer(f, c);
    case 'e':
    case 'f':
    case 'g': return format_real(f, c);
    case 'h': return format_hash(f, c);
    default: return format_text(f, c);
    }
}

static bool format_all(formatter *f)
{
    while (f->at < f->end) {
        conversion c;
        if (*f->at != '%') {
            pt__buffer_append_byte(f->out, (uint8_t)*f->at++);
            continue;
        }
        f->at++;
        if (!read_conversion(f, &c))
            return false;
        if (c.letter == 'n')
            pt__buffer_append_byte(f->out, '\n');
        else if (c.letter == '%')
            append_padded_string(f, &c, "%");
        else if (!format_argument(f, &c))
            return false;
    }
    return true;
}

static bool format_string(pt__fn_call *call, idx_t row)
{
    if (!pt__fn_bit(call->columns[0].validity, row))
        return false;
    pt_text_view pattern = pt__fn_text(call, 0, row);
    formatter f = {call, row, pattern.data, pattern.data + pattern.size_bytes, &call->state->scratch, 0, 0};
    pt__buffer_reset(f.out);
    return format_all(&f) && pt__fn_put_buffer(call, row, f.out);
}

void pt__fn_format_string(pt__fn_call *call)
{
    PT__FN_EACH(call, r, format_string(call, r));
}

/* Casts: Arrow's where they give what Spark's do, others by terms around them; what is left is refused. */
#include "backend/ballista/lower_rules.h"
#include "backend/ballista/time_literal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct cast {
    pt__bl *bl;
    pt_cast_mode mode;
    const pt_type *from;
    const pt_type *to;
    const pt_origin *origin;
    pt_error *err;
} cast;

static pt_status refuse(const cast *c)
{
    pt__arena *arena = c->bl->arena;
    return pt__bl_refuse(
        c->err, c->origin,
        pt__arena_printf(arena, "casting %s to %s", pt__type_sql(arena, c->from), pt__type_sql(arena, c->to)));
}

static const pt__bx *plain(const cast *c, const pt__bx *x, const pt_type *to)
{
    pt__btype *type = pt__btype_of(c->bl->arena, to);
    return c->mode == PT_CAST_TRY ? pt__bx_try_cast(c->bl->arena, x, type) : pt__bx_cast(c->bl->arena, x, type);
}

static int integer_digits(const pt_type *type)
{
    return type->id == PT_TYPE_BYTE ? 3 : type->id == PT_TYPE_SHORT ? 5 : type->id == PT_TYPE_INT ? 10 : 19;
}

static const pt__bx *named(const cast *c, const pt__bx *x, const char *type)
{
    return pt__bx_cast(c->bl->arena, x, pt__btype_named(c->bl->arena, type));
}

/* ---- text to others ---- */

/* All that Spark trims of a text before it reads it: space and control characters. */
static const pt__bx *trimmed(const cast *c, const pt__bx *x)
{
    char set[34];
    size_t size = 0;
    for (char ch = 1; ch <= 32; ch++)
        set[size++] = ch;
    set[size] = '\0';
    return pt__bx_call2(c->bl->arena, "btrim", x, pt__bx_text(c->bl->arena, set));
}

static const pt__bx *matches(const cast *c, const pt__bx *x, const char *pattern)
{
    return pt__bx_call2(c->bl->arena, "regexp_like", x, pt__bx_text(c->bl->arena, pattern));
}

/* The error that names the text and the type; or NULL. */
static const pt__bx *invalid(const cast *c, const pt__bx *x)
{
    pt__arena *arena = c->bl->arena;
    pt__btype *type = pt__btype_of(arena, c->to);
    if (c->mode != PT_CAST_ANSI)
        return pt__bx_null(arena, type);
    const char *suffix = pt__arena_printf(
        arena, "'\",\"sourceType\":\"\\\"STRING\\\"\",\"targetType\":\"\\\"%s\\\"\"}]", pt__type_sql(arena, c->to));
    return pt__bx_raise_text(arena, PT_BALLISTA_RAISED "CAST_INVALID_INPUT:{\"expression\":\"'", x, suffix, type);
}

/* What matches is cast, what is NULL stays so, all else is invalid. */
static const pt__bx *guarded(const cast *c, const pt__bx *x, const pt__bx *text, const char *pattern,
                             const pt__bx *value)
{
    pt__arena *arena = c->bl->arena;
    const pt__bx *pairs[] = {matches(c, text, pattern), value, pt__bx_is_null(arena, x),
                             pt__bx_null(arena, pt__btype_of(arena, c->to))};
    return pt__bx_case(arena, pairs, 2, invalid(c, x));
}

/* Arrow reads no exponents. */
static pt_status text_to_decimal(const cast *c, const pt__bx *x, const pt__bx *text, const pt__bx *value,
                                 const pt__bx **out)
{
    const pt__bx *unknown = pt__bx_raise(c->bl->arena, "UNSUPPORTED_FEATURE.NOT_IN_PORTICO",
                                         "{\"feature\":\"casting a text with an exponent to a decimal on a Ballista "
                                         "cluster\"}",
                                         x, pt__btype_of(c->bl->arena, c->to));
    const char *exponent = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)[eE][+-]?[0-9]+$";
    *out = guarded(c, x, text, "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)$", value);
    *out = pt__bx_if(c->bl->arena, matches(c, text, exponent), unknown, *out);
    return PT_OK;
}

/* By the shortest text, as Spark does; where that has an exponent it is refused at run time. */
static pt_status real_to_decimal(const cast *c, const pt__bx *x, const pt__bx **out)
{
    pt__arena *arena = c->bl->arena;
    pt__btype *type = pt__btype_of(arena, c->to);
    const pt__bx *size = pt__bx_call1(arena, "abs", x);
    const pt__bx *unknown = pt__bx_raise(arena, "UNSUPPORTED_FEATURE.NOT_IN_PORTICO",
                                         "{\"feature\":\"casting such a floating-point number to a decimal on a "
                                         "Ballista cluster\"}",
                                         x, type);
    const pt__bx *low = pt__bx_binary(arena, "GtEq", size, pt__bx_double(arena, 1e-5));
    const pt__bx *high = pt__bx_binary(arena, "Lt", size, pt__bx_double(arena, 1e15));
    const pt__bx *zero = pt__bx_cast(arena, pt__bx_int32(arena, 0), type);
    const pt__bx *pairs[] = {pt__bx_is_null(arena, x),
                             pt__bx_null(arena, type),
                             pt__bx_binary(arena, "Eq", size, pt__bx_double(arena, 0)),
                             zero,
                             pt__bx_binary(arena, "And", low, high),
                             plain(c, named(c, x, "utf8"), c->to)};
    *out = pt__bx_case(arena, pairs, 3, unknown);
    return PT_OK;
}

static pt_status text_to_number(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (c->mode == PT_CAST_LEGACY)
        return refuse(c);
    const pt__bx *text = trimmed(c, x);
    bool is_integer = pt__type_is_integral(c->to);
    /* A suffix of d or f, and the words for what is no number, are left to the refusal below. */
    const char *pattern = is_integer ? "^[+-]?[0-9]+$" : "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$";
    if (c->to->id == PT_TYPE_DECIMAL)
        return refuse(c);
    const pt__bx *value =
        is_integer ? plain(c, pt__bx_call2(c->bl->arena, "ltrim", text, pt__bx_text(c->bl->arena, "+")), c->to)
                   : plain(c, text, c->to);
    *out = guarded(c, x, text, pattern, value);
    if (is_integer)
        return PT_OK;
    if (c->to->id == PT_TYPE_DECIMAL)
        return text_to_decimal(c, x, text, value, out);
    const char *other = "^[+-]?(([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?[dDfF]|[iI][nN][fF]|[iI][nN][fF][iI][nN]"
                        "[iI][tT][yY]|[nN][aA][nN])$";
    pt__btype *type = pt__btype_of(c->bl->arena, c->to);
    const pt__bx *unknown = pt__bx_raise(c->bl->arena, "UNSUPPORTED_FEATURE.NOT_IN_PORTICO",
                                         "{\"feature\":\"casting such a text to a floating-point number on a Ballista "
                                         "cluster\"}",
                                         x, type);
    *out = pt__bx_if(c->bl->arena, matches(c, text, other), unknown, *out);
    return PT_OK;
}

static pt_status text_to_boolean(const cast *c, const pt__bx *x, const pt__bx **out)
{
    static const char *const WORDS[] = {"t", "true", "y", "yes", "1", "f", "false", "n", "no", "0"};
    pt__arena *arena = c->bl->arena;
    const pt__bx *items[10];
    const pt__bx *text = pt__bx_call1(arena, "lower", trimmed(c, x));
    for (size_t i = 0; i < 10; i++)
        items[i] = pt__bx_text(arena, WORDS[i]);
    const pt__bx *pairs[] = {pt__bx_in(arena, text, items, 5, false),
                             pt__bx_bool(arena, true),
                             pt__bx_in(arena, text, items + 5, 5, false),
                             pt__bx_bool(arena, false),
                             pt__bx_is_null(arena, x),
                             pt__bx_null(arena, pt__btype_of(arena, c->to))};
    *out = pt__bx_case(arena, pairs, 3, invalid(c, x));
    return PT_OK;
}

/* Dates in full; the shorter and longer forms that Spark reads fail with a name of their own. */
static pt_status text_to_date(const cast *c, const pt__bx *x, const pt__bx **out)
{
    const pt__bx *text = trimmed(c, x);
    pt__arena *arena = c->bl->arena;
    pt__btype *type = pt__btype_of(arena, c->to);
    const char *other = "^[+-]?[0-9]{4,7}(-[0-9]{1,2}(-[0-9]{1,2}([ T].*)?)?)?$";
    const char *full = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?$"; /* whatever follows is of no interest */
    const pt__bx *day = pt__bx_call2(arena, "left", text, pt__bx_int64(arena, 10));
    *out = guarded(c, x, text, full, plain(c, day, c->to));
    const pt__bx *unknown =
        pt__bx_raise(arena, "UNSUPPORTED_FEATURE.NOT_IN_PORTICO",
                     "{\"feature\":\"casting a text that is no plain date to DATE on a Ballista cluster\"}", x, type);
    const pt__bx *is_plain = matches(c, text, full);
    const pt__bx *is_other = pt__bx_binary(arena, "And", matches(c, text, other), pt__bx_not(arena, is_plain));
    *out = pt__bx_if(arena, is_other, unknown, *out);
    return PT_OK;
}

static pt_status text_to_timestamp(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (c->to->id == PT_TYPE_TIMESTAMP && !c->bl->is_utc)
        return refuse(c);
    const pt__bx *text = trimmed(c, x);
    pt__arena *arena = c->bl->arena;
    const char *full = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?)?$";
    const char *other = "^([+-]?[0-9]{4,7}(-[0-9]{1,2}(-[0-9]{1,2}([ T].*)?)?)?|T?[0-9]{1,2}:.*)$";
    const pt__bx *local =
        c->mode == PT_CAST_TRY ? pt__bx_try_cast(arena, text, pt__btype_named(arena, "ntz")) : named(c, text, "ntz");
    *out = guarded(c, x, text, full, plain(c, local, c->to));
    const pt__bx *unknown =
        pt__bx_raise(arena, "UNSUPPORTED_FEATURE.NOT_IN_PORTICO",
                     "{\"feature\":\"casting a text that is no plain timestamp to TIMESTAMP on a Ballista cluster\"}",
                     x, pt__btype_of(arena, c->to));
    const pt__bx *is_other =
        pt__bx_binary(arena, "And", matches(c, text, other), pt__bx_not(arena, matches(c, text, full)));
    *out = pt__bx_if(arena, is_other, unknown, *out);
    return PT_OK;
}

/* ---- others to text ---- */

/*
 * Java writes an exponent from 10^7 on and below 10^-3, Rust beyond 10^16 and 10^-5 alone. {1} is Rust's text, {2} that
 * of the size, {3} its digits without the point, {4} those behind the zeros of a fraction.
 */
#define REST(digits) "(if (= (substr " digits " 2) '') '0' (substr " digits " 2))"
#define SIGN "(if (< {0} 0.0) '-' '')"
#define LARGE_REAL                                                                                                     \
    "(concat " SIGN " (left {3} 1) '.' " REST("{3}") " 'E' (cast utf8 (- (character_length (split_part {2} '.' 1)) "   \
                                                     "1)))"
#define SMALL_REAL                                                                                                     \
    "(concat " SIGN " (left {4} 1) '.' " REST("{4}") " 'E-' (cast utf8 (+ (- (character_length (split_part {2} '.' "   \
                                                     "2)) (character_length {4})) 1)))"
#define REAL_TEXT                                                                                                      \
    "(case (isnull {0}) null (isnan {0}) 'NaN' (= {1} 'inf') 'Infinity' (= {1} '-inf') '-Infinity' (contains {1} "     \
    "'e') (concat (split_part {1} 'e' 1) (if (contains (split_part {1} 'e' 1) '.') '' '.0') 'E' (split_part {1} 'e' "  \
    "2)) (or (= (abs {0}) 0.0) (and (>= (abs {0}) 0.001) (< (abs {0}) 10000000.0))) {1} (>= (abs {0}) "                \
    "10000000.0) " LARGE_REAL " " SMALL_REAL ")"

static pt_status real_to_text(const cast *c, const pt__bx *x, const pt__bx **out)
{
    static const pt__function NAME = {.name = "cast"};
    pt__bl *bl = c->bl;
    pt_expr_call call = {.base = {.kind = PT_EXPR_CALL, .type = c->to, .origin = c->origin}, .function = &NAME};
    const pt__bx *terms[5] = {x};
    terms[1] = named(c, x, "utf8");
    terms[2] = named(c, pt__bx_call1(bl->arena, "abs", x), "utf8");
    PT_TRY(pt__bl_template(bl, "(rtrim (concat (split_part {2} '.' 1) (split_part {2} '.' 2)) '0')", &call, terms, 3,
                           &terms[3], c->err));
    PT_TRY(pt__bl_template(bl, "(ltrim (split_part {2} '.' 2) '0')", &call, terms, 3, &terms[4], c->err));
    /* Of subnormal numbers Java and Rust take other digits. */
    const char *template =
        pt__arena_printf(bl->arena,
                         "(if (and (> (abs {0}) 0.0) (< (abs {0}) %s)) (raise UNSUPPORTED_FEATURE.NOT_IN_PORTICO "
                         "'{\"feature\":\"the text of a subnormal number on a Ballista cluster\"}') %s)",
                         c->from->id == PT_TYPE_FLOAT ? "1.17549435E-38" : "2.2250738585072014E-308", REAL_TEXT);
    PT_TRY(pt__bl_template(bl, template, &call, terms, 5, out, c->err));
    *out = named(c, *out, "utf8");
    return PT_OK;
}

/* The fraction without trailing zeros, and without its point when nothing is left of it. */
static const pt__bx *timestamp_to_text(const cast *c, const pt__bx *x)
{
    pt__arena *arena = c->bl->arena;
    const pt__bx *local = c->from->id == PT_TYPE_TIMESTAMP ? pt__bl_local_time(c->bl, x) : x;
    const pt__bx *text = pt__bx_call2(arena, "to_char", local, pt__bx_text(arena, "%Y-%m-%d %H:%M:%S%.6f"));
    text = pt__bx_call2(arena, "rtrim", text, pt__bx_text(arena, "0"));
    text = pt__bx_call2(arena, "rtrim", text, pt__bx_text(arena, "."));
    return named(c, text, "utf8");
}

static pt_status to_text(const cast *c, const pt__bx *x, const pt__bx **out)
{
    pt_type_id from = c->from->id;
    if (pt__type_is_integral(c->from) || from == PT_TYPE_BOOLEAN || from == PT_TYPE_DATE || pt__type_is_string(c->from))
        *out = named(c, x, "utf8");
    else if (from == PT_TYPE_BINARY || (from == PT_TYPE_DECIMAL && c->mode != PT_CAST_LEGACY))
        *out = named(c, x, "utf8");
    else if (pt__bl_is_float(c->from))
        return real_to_text(c, x, out);
    else if (from == PT_TYPE_TIMESTAMP || from == PT_TYPE_TIMESTAMP_NTZ)
        *out = timestamp_to_text(c, x);
    else
        return refuse(c);
    return PT_OK;
}

/* ---- numbers ---- */

static pt_status to_integer(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (pt__type_is_string(c->from))
        return text_to_number(c, x, out);
    bool widens = pt__type_is_integral(c->from) && integer_digits(c->from) <= integer_digits(c->to);
    if (c->from->id == PT_TYPE_BOOLEAN || widens) {
        *out = plain(c, x, c->to);
        return PT_OK;
    }
    if (c->mode == PT_CAST_LEGACY)
        return refuse(c);
    if (pt__type_is_numeric(c->from)) {
        *out = plain(c, x, c->to);
        return PT_OK;
    }
    if (c->from->id != PT_TYPE_TIMESTAMP || c->to->id != PT_TYPE_LONG)
        return refuse(c);
    /* Seconds, down. */
    pt__arena *arena = c->bl->arena;
    const pt__bx *us = named(c, x, "int64");
    const pt__bx *million = pt__bx_int64(arena, 1000000);
    const pt__bx *rest = pt__bx_binary(arena, "Modulo", us, million);
    rest = pt__bx_binary(arena, "Modulo", pt__bx_binary(arena, "Plus", rest, million), million);
    *out = pt__bx_binary(arena, "Divide", pt__bx_binary(arena, "Minus", us, rest), million);
    return PT_OK;
}

static pt_status to_real(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (pt__type_is_string(c->from))
        return text_to_number(c, x, out);
    if (c->from->id == PT_TYPE_DECIMAL && c->from->precision > 15)
        x = named(c, x, "utf8"); /* read again, which rounds once */
    else if (!pt__type_is_numeric(c->from) && c->from->id != PT_TYPE_BOOLEAN)
        return refuse(c);
    *out = plain(c, x, c->to);
    return PT_OK;
}

static pt_status to_decimal(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (pt__type_is_string(c->from))
        return text_to_number(c, x, out);
    if (c->from->id == PT_TYPE_DOUBLE && c->mode != PT_CAST_LEGACY)
        return real_to_decimal(c, x, out);
    if (c->from->id == PT_TYPE_BOOLEAN)
        x = named(c, x, "int32");
    else if (!pt__type_is_integral(c->from) && c->from->id != PT_TYPE_DECIMAL)
        return refuse(c);
    cast checked = *c;
    checked.mode = c->mode == PT_CAST_LEGACY ? PT_CAST_TRY : c->mode;
    /* A number that may be too long in between: exact in 256 bits. */
    if (c->from->id == PT_TYPE_DECIMAL && c->from->precision - c->from->scale + c->to->scale > PT_DECIMAL_PRECISION_MAX)
        x = pt__bx_cast(c->bl->arena, x, pt__btype_decimal256(c->bl->arena, 76, c->from->scale));
    *out = plain(&checked, x, c->to);
    return PT_OK;
}

static pt_status to_boolean(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (pt__type_is_string(c->from))
        return text_to_boolean(c, x, out);
    if (!pt__type_is_integral(c->from))
        return refuse(c);
    pt__btype *type = pt__btype_of(c->bl->arena, c->from);
    *out = pt__bx_binary(c->bl->arena, "NotEq", x, pt__bx_cast(c->bl->arena, pt__bx_int32(c->bl->arena, 0), type));
    return PT_OK;
}

/* ---- dates and times ---- */

static pt_status to_date(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (pt__type_is_string(c->from))
        return text_to_date(c, x, out);
    if (c->from->id == PT_TYPE_TIMESTAMP_NTZ || (c->from->id == PT_TYPE_TIMESTAMP && c->bl->is_utc)) {
        *out = named(c, x, "date32");
        return PT_OK;
    }
    if (c->from->id != PT_TYPE_TIMESTAMP)
        return refuse(c);
    *out = named(c, pt__bx_call1(c->bl->arena, "to_local_time", pt__bl_local_time(c->bl, x)), "date32");
    return PT_OK;
}

static pt_status to_timestamp(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (pt__type_is_string(c->from))
        return text_to_timestamp(c, x, out);
    bool is_ntz = c->to->id == PT_TYPE_TIMESTAMP_NTZ;
    if (c->from->id == PT_TYPE_DATE && (is_ntz || c->bl->is_utc))
        x = named(c, x, "ntz");
    else if (c->from->id == PT_TYPE_TIMESTAMP && is_ntz)
        x = pt__bx_call1(c->bl->arena, "to_local_time", pt__bl_local_time(c->bl, x));
    else if (c->from->id != PT_TYPE_TIMESTAMP_NTZ || is_ntz || !c->bl->is_utc)
        return refuse(c);
    *out = plain(c, x, c->to);
    return PT_OK;
}

static pt_status to_binary(const cast *c, const pt__bx *x, const pt__bx **out)
{
    if (!pt__type_is_string(c->from))
        return refuse(c);
    *out = named(c, x, "binary");
    return PT_OK;
}

/* ---- all ---- */

static pt_status convert(const cast *c, const pt__bx *x, const pt__bx **out)
{
    switch (c->to->id) {
    case PT_TYPE_BOOLEAN: return to_boolean(c, x, out);
    case PT_TYPE_BYTE:
    case PT_TYPE_SHORT:
    case PT_TYPE_INT:
    case PT_TYPE_LONG: return to_integer(c, x, out);
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: return to_real(c, x, out);
    case PT_TYPE_DECIMAL: return to_decimal(c, x, out);
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return to_text(c, x, out);
    case PT_TYPE_BINARY: return to_binary(c, x, out);
    case PT_TYPE_DATE: return to_date(c, x, out);
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ: return to_timestamp(c, x, out);
    default: return refuse(c);
    }
}

static bool is_same(const pt_type *from, const pt_type *to)
{
    return pt__type_same_kind(from, to) || (pt__type_is_string(from) && pt__type_is_string(to)) ||
           (from->id == to->id && from->id == PT_TYPE_INTERVAL_DAY_TIME && to->end_field == 3);
}

pt_status pt__bl_cast_to(pt__bl *bl, pt_cast_mode mode, const pt__bx *x, const pt_type *from, const pt_type *to,
                         const pt_origin *origin, const pt__bx **out, pt_error *err)
{
    pt__btype *type;
    cast c = {bl, mode, from, to, origin, err};
    PT_TRY(pt__bl_type(bl, to, origin, &type, err));
    *out = x;
    if (is_same(from, to))
        return PT_OK;
    if (from->id == PT_TYPE_VOID) {
        *out = pt__bx_null(bl->arena, type);
        return PT_OK;
    }
    /* Without ANSI mode a text that is none is NULL; numbers of such a text are refused. */
    if (mode == PT_CAST_LEGACY && pt__type_is_string(from) && !pt__type_is_numeric(to))
        c.mode = PT_CAST_TRY;
    return convert(&c, x, out);
}

/* ---- literals: their casts are carried out here, as far as that is plain ---- */

static bool read_real(const char *text, double *out)
{
    static const struct {
        const char *word;
        double value;
    } WORDS[] = {{"nan", NAN},           {"inf", INFINITY},       {"+inf", INFINITY},      {"-inf", -INFINITY},
                 {"infinity", INFINITY}, {"+infinity", INFINITY}, {"-infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        *out = WORDS[i].value;
        if (strcasecmp(WORDS[i].word, text) == 0)
            return true;
    }
    /* Digits, a point, an exponent: no hexadecimal numbers, which strtod() would take. */
    if (text[0] == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    char *end;
    *out = strtod(text, &end);
    return *end == '\0';
}

static const pt__bx *text_as_other(pt__bl *bl, const pt_expr_cast *node, const pt_value *given)
{
    const char *text = pt__arena_copy_text(bl->arena, given->as.text.data, given->as.text.size_bytes);
    pt_value value = {0};
    if (node->target->id == PT_TYPE_DOUBLE && read_real(text, &value.as.real))
        return pt__bx_literal(bl->arena, node->target, &value);
    if (pt__type_is_datetime(node->target) && pt__time_literal(bl->arena, text, node->target, bl->time_zone, &value))
        return pt__bx_literal(bl->arena, node->target, &value);
    return NULL;
}

/* In another integer type: plans stay short, and filters can prune files. */
static const pt__bx *integer_as_other(pt__bl *bl, const pt_expr_cast *node, const pt_type *from, const pt_value *given)
{
    bool widens = pt__type_is_integral(node->target) && integer_digits(from) <= integer_digits(node->target);
    if (!widens && node->target->id != PT_TYPE_DOUBLE)
        return NULL;
    pt_value value = *given;
    if (node->target->id == PT_TYPE_DOUBLE)
        value.as.real = (double)given->as.integer;
    return pt__bx_literal(bl->arena, node->target, &value);
}

static const pt__bx *decimal_as_other(pt__bl *bl, const pt_expr_cast *node, const pt_type *from, const pt_value *given)
{
    pt_value value = {0};
    if (node->target->id == PT_TYPE_DECIMAL &&
        pt__decimal_rescale(given->as.decimal, from->scale, node->target->precision, node->target->scale,
                            &value.as.decimal) == PT_DECIMAL_OK)
        return pt__bx_literal(bl->arena, node->target, &value);
    return NULL;
}

static const pt__bx *cast_literal(pt__bl *bl, const pt_expr_cast *node)
{
    if (node->child->kind != PT_EXPR_LITERAL || pt__expr_as_literal(node->child)->value.is_null)
        return NULL;
    const pt_type *from = node->child->type;
    const pt_value *value = &pt__expr_as_literal(node->child)->value;
    if (pt__type_is_string(from))
        return text_as_other(bl, node, value);
    if (pt__type_is_integral(from))
        return integer_as_other(bl, node, from, value);
    return from->id == PT_TYPE_DECIMAL ? decimal_as_other(bl, node, from, value) : NULL;
}

/* to_date(x), to_timestamp(x): a cast by another name. */
PT_BL_LOWERING(cast)
{
    const pt_expr *made = pt__expr_cast(bl->arena, call->arguments[0], call->base.type, call->mode);
    (void)x;
    return pt__bl_cast(bl, pt__expr_as_cast(made), out, err);
}

pt_status pt__bl_cast(pt__bl *bl, const pt_expr_cast *node, const pt__bx **out, pt_error *err)
{
    *out = cast_literal(bl, node);
    if (*out != NULL)
        return PT_OK;
    const pt__bx *x;
    PT_TRY(pt__bl_expr(bl, node->child, &x, err));
    return pt__bl_cast_to(bl, node->mode, x, node->child->type, node->target, node->base.origin, out, err);
}

/* Text, patterns, dates by name. */
#include "backend/ballista/lower_rules.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const pt_value *text_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = pt__bl_literal(expr);
    return literal == NULL || literal->value.is_null || !pt__type_is_string(literal->base.type) ? NULL
                                                                                                : &literal->value;
}

static const char *text_of(pt__bl *bl, const pt_value *value)
{
    return pt__arena_copy_text(bl->arena, value->as.text.data, value->as.text.size_bytes);
}

static bool small_integer(const pt_expr *expr, int64_t *out)
{
    const pt_expr_literal *literal = pt__bl_literal(expr);
    if (literal == NULL || literal->value.is_null || !pt__type_is_integral(literal->base.type))
        return false;
    *out = literal->value.as.integer;
    return true;
}

/* ---- LIKE ---- */

/* Arrow's LIKE knows the backslash alone: other escapes are rewritten to it. False: one stands where none may. */
static bool rewrite_pattern(pt__bl *bl, const char *pattern, char escape, const char **out)
{
    char *made = pt__arena_alloc_text(bl->arena, 2 * strlen(pattern) + 1);
    char *end = made;
    for (const char *c = pattern; *c != '\0'; c++) {
        if (*c == escape) {
            c++;
            if (*c == '\0' || (*c != '_' && *c != '%' && *c != escape))
                return false;
            if (*c == '_' || *c == '%' || *c == '\\')
                *end++ = '\\';
            *end++ = *c;
            continue;
        }
        if (*c == '\\')
            *end++ = '\\';
        *end++ = *c;
    }
    *end = '\0';
    *out = made;
    return true;
}

PT_BL_LOWERING(like)
{
    bool ignores_case = pt__bl_is_call(&call->base, "ilike");
    const pt_value *pattern = text_literal(call->arguments[1]);
    const pt_value *escape = call->argument_count > 2 ? text_literal(call->arguments[2]) : NULL;
    if (pattern == NULL || (call->argument_count > 2 && (escape == NULL || escape->as.text.size_bytes != 1)))
        return pt__bl_refuse(err, call->base.origin, "LIKE with a pattern that is no literal");
    const char *text = text_of(bl, pattern);
    const char *rewritten;
    if (!rewrite_pattern(bl, text, escape == NULL ? '\\' : escape->as.text.data[0], &rewritten))
        return pt__bl_refuse(err, call->base.origin, "LIKE with a pattern whose escapes are malformed");
    if (ignores_case && !pt__utf8_is_ascii(text, strlen(text)))
        return pt__bl_refuse(err, call->base.origin, "ILIKE with a pattern beyond ASCII");
    *out = pt__bx_like(bl->arena, x[0], pt__bx_text(bl->arena, rewritten), "", ignores_case);
    return PT_OK;
}

/* ---- regular expressions ---- */

typedef struct translation {
    const char *at;
    char *end;
    bool in_class;
} translation;

static void put(translation *t, const char *text)
{
    size_t size = strlen(text);
    memcpy(t->end, text, size);
    t->end += size;
}

/* Java's classes are ASCII, Rust's are not. */
static bool translate_escape(translation *t)
{
    char c = t->at[1];
    t->at += 2;
    const char *inside = c == 'd' ? "0-9" : c == 'w' ? "0-9A-Za-z_" : c == 's' ? " \\t\\n\\x0B\\f\\r" : NULL;
    const char *outside = c == 'D' ? "[^0-9]" : c == 'W' ? "[^0-9A-Za-z_]" : c == 'S' ? "[^ \\t\\n\\x0B\\f\\r]" : NULL;
    if (inside != NULL) {
        put(t, t->in_class ? "" : "[");
        put(t, inside);
        put(t, t->in_class ? "" : "]");
        return true;
    }
    if (outside != NULL && !t->in_class) {
        put(t, outside);
        return true;
    }
    if (c == '\0' || (isalnum((unsigned char)c) && strchr("tnrf", c) == NULL))
        return false;
    *t->end++ = '\\';
    *t->end++ = c;
    return true;
}

static bool translate_one(translation *t)
{
    char c = *t->at;
    if (c == '\\')
        return translate_escape(t);
    if ((unsigned char)c >= 0x80 || c == '$')
        return false;
    if (t->in_class) {
        if (c == '[' || (c == '&' && t->at[1] == '&') || (c == '-' && t->at[1] == '-') || (c == '~' && t->at[1] == '~'))
            return false;
        t->in_class = c != ']';
    } else if (c == '[') {
        t->in_class = true;
        if (t->at[1] == ']' || (t->at[1] == '^' && t->at[2] == ']'))
            return false;
    } else if (c == '(' && t->at[1] == '?' && t->at[2] != ':') {
        return false;
    } else if (strchr("*+?}", c) != NULL && t->at[1] == '+') {
        return false;
    } else if (c == '.') {
        put(t, "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]");
        t->at++;
        return true;
    } else if (c == '{' && !isdigit((unsigned char)t->at[1])) {
        return false;
    }
    *t->end++ = c;
    t->at++;
    return true;
}

/* The pattern as Rust reads it, where both mean the same; NULL: not known to. */
static const char *translate(pt__bl *bl, const pt_expr *expr)
{
    const pt_value *value = text_literal(expr);
    if (value == NULL)
        return NULL;
    const char *pattern = text_of(bl, value);
    char *made = pt__arena_alloc_text(bl->arena, 40 * strlen(pattern) + 1);
    translation t = {pattern, made, false};
    while (*t.at != '\0') {
        if (!translate_one(&t))
            return NULL;
    }
    *t.end = '\0';
    return t.in_class ? NULL : made;
}

static pt_status refuse_pattern(const pt_expr_call *call, pt_error *err)
{
    return pt__bl_refuse(err, call->base.origin, "a regular expression that is not known to mean the same");
}

PT_BL_LOWERING(rlike)
{
    const char *pattern = translate(bl, call->arguments[1]);
    if (pattern == NULL)
        return refuse_pattern(call, err);
    *out = pt__bx_call2(bl->arena, "regexp_like", x[0], pt__bx_text(bl->arena, pattern));
    return PT_OK;
}

PT_BL_LOWERING(regexp_replace)
{
    const char *pattern = translate(bl, call->arguments[1]);
    const pt_value *by = text_literal(call->arguments[2]);
    if (pattern == NULL || by == NULL || strpbrk(text_of(bl, by), "$\\") != NULL)
        return refuse_pattern(call, err);
    const pt__bx *arguments[] = {x[0], pt__bx_text(bl->arena, pattern), x[2], pt__bx_text(bl->arena, "g")};
    *out = pt__bx_call(bl->arena, "regexp_replace", arguments, 4);
    return PT_OK;
}

PT_BL_LOWERING(regexp_count)
{
    const char *pattern = translate(bl, call->arguments[1]);
    if (pattern == NULL)
        return refuse_pattern(call, err);
    /* Of NULL DataFusion counts 0. */
    const pt__bx *count = pt__bx_call2(bl->arena, "regexp_count", x[0], pt__bx_text(bl->arena, pattern));
    *out = pt__bx_if(bl->arena, pt__bx_is_not_null(bl->arena, x[0]), count, NULL);
    return PT_OK;
}

/* Groups that capture, of a pattern that translate() has passed. */
static int64_t count_groups(const char *pattern)
{
    int64_t count = 0;
    bool in_class = false;
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '\\' && pattern[1] != '\0')
            pattern++;
        else if (*pattern == '[' || *pattern == ']')
            in_class = *pattern == '[';
        else if (*pattern == '(' && !in_class && pattern[1] != '?')
            count++;
    }
    return count;
}

/* All around the first match is replaced by nothing. */
PT_BL_LOWERING(regexp_extract)
{
    pt__arena *arena = bl->arena;
    const char *pattern = translate(bl, call->arguments[1]);
    bool is_substr = pt__bl_is_call(&call->base, "regexp_substr");
    int64_t group = is_substr ? 0 : 1;
    if (pattern == NULL || (call->argument_count > 2 && !small_integer(call->arguments[2], &group)) || group < 0 ||
        group > count_groups(pattern))
        return refuse_pattern(call, err);
    const char *around = pt__arena_printf(arena, "(?s)^.*?((?-s:%s)).*$", pattern);
    const char *by = pt__arena_printf(arena, "${%lld}", (long long)group + 1);
    const pt__bx *arguments[] = {x[0], pt__bx_text(arena, around), pt__bx_text(arena, by)};
    const pt__bx *matches = pt__bx_call2(arena, "regexp_like", x[0], pt__bx_text(arena, pattern));
    const pt__bx *other = is_substr ? pt__bx_null(arena, pt__btype_named(arena, "utf8")) : pt__bx_text(arena, "");
    const pt__bx *pairs[] = {pt__bx_is_null(arena, x[0]), pt__bx_null(arena, pt__btype_named(arena, "utf8")), matches,
                             pt__bx_call(arena, "regexp_replace", arguments, 3)};
    *out = pt__bx_case(arena, pairs, 2, other);
    return PT_OK;
}

/* ---- parts and concatenations ---- */

PT_BL_LOWERING(elt)
{
    int64_t place;
    (void)bl;
    if (!small_integer(call->arguments[0], &place) || place < 1 || place >= (int64_t)call->argument_count)
        return pt__bl_refuse(err, call->base.origin, "elt of a place that is no literal within the list");
    *out = x[place];
    return PT_OK;
}

/* Spark counts 0 as 1 and negative places from the end; what lies before the start still takes from the length. */
static const pt__bx *start_of(pt__bl *bl, const pt_expr_call *call, const pt__bx *const *x)
{
    pt__arena *arena = bl->arena;
    pt__btype *wide = pt__btype_named(arena, "int64");
    int64_t known;
    const pt__bx *place = pt__bx_cast(arena, x[1], wide);
    if (small_integer(call->arguments[1], &known) && known >= 0)
        return pt__bx_int64(arena, known == 0 ? 1 : known);
    const pt__bx *size = pt__bx_cast(arena, pt__bx_call1(arena, "character_length", x[0]), wide);
    const pt__bx *terms[] = {size, place, pt__bx_int64(arena, 1)};
    const pt__bx *zero = pt__bx_int64(arena, 0);
    const pt__bx *pairs[] = {pt__bx_binary(arena, "Eq", place, zero), pt__bx_int64(arena, 1),
                             pt__bx_binary(arena, "Lt", place, zero), pt__bx_chain(arena, "Plus", terms, 3)};
    return pt__bx_case(arena, pairs, 2, place);
}

PT_BL_LOWERING(substring)
{
    pt__arena *arena = bl->arena;
    (void)err;
    const pt__bx *arguments[3] = {x[0], start_of(bl, call, x), NULL};
    int64_t known;
    if (call->argument_count < 3) {
        *out = pt__bx_call(arena, "substr", arguments, 2);
        return PT_OK;
    }
    pt__btype *wide = pt__btype_named(arena, "int64");
    const pt__bx *length = pt__bx_cast(arena, x[2], wide);
    if (small_integer(call->arguments[2], &known))
        arguments[2] = pt__bx_int64(arena, known < 0 ? 0 : known);
    else
        arguments[2] = pt__bx_if(arena, pt__bx_binary(arena, "Lt", length, pt__bx_int64(arena, 0)),
                                 pt__bx_int64(arena, 0), length);
    *out = pt__bx_call(arena, "substr", arguments, 3);
    return PT_OK;
}

PT_BL_LOWERING(concat)
{
    (void)err;
    *out = call->argument_count == 0 ? pt__bx_text(bl->arena, "")
                                     : pt__bx_chain(bl->arena, "StringConcat", x, call->argument_count);
    return PT_OK;
}

PT_BL_LOWERING(sha2)
{
    int64_t bits;
    const char *name = NULL;
    if (small_integer(call->arguments[1], &bits))
        name = bits == 224                ? "sha224"
               : bits == 256 || bits == 0 ? "sha256"
               : bits == 384              ? "sha384"
               : bits == 512              ? "sha512"
                                          : NULL;
    if (name == NULL)
        return pt__bl_refuse(err, call->base.origin, "sha2 of other lengths than 0, 224, 256, 384 and 512");
    *out = pt__bx_call2(bl->arena, "encode", pt__bx_call1(bl->arena, name, x[0]), pt__bx_text(bl->arena, "hex"));
    return PT_OK;
}

/* ---- dates ---- */

/* On days, not by date_trunc, whose nanoseconds end in 2262. */
#define FIRST_OF_MONTH "(cast date32 (- (cast int32 {0}) (- (cast int32 (date_part 'day' {0})) 1i)))"
#define FIRST_OF_YEAR "(cast date32 (- (cast int32 {0}) (- (cast int32 (date_part 'doy' {0})) 1i)))"
#define FIRST_OF_WEEK "(cast date32 (- (cast int32 {0}) (% (+ (cast int32 (date_part 'dow' {0})) 6i) 7i)))"
#define FIRST_OF_QUARTER                                                                                               \
    "(make_date (cast int32 (date_part 'year' {0})) (- (* (cast int32 (date_part 'quarter' {0})) 3i) 2i) 1i)"

PT_BL_LOWERING(trunc)
{
    static const char *const UNITS[][2] = {
        {"year", FIRST_OF_YEAR},   {"yyyy", FIRST_OF_YEAR}, {"yy", FIRST_OF_YEAR},   {"quarter", FIRST_OF_QUARTER},
        {"month", FIRST_OF_MONTH}, {"mm", FIRST_OF_MONTH},  {"mon", FIRST_OF_MONTH}, {"week", FIRST_OF_WEEK}};
    const pt_value *unit = text_literal(call->arguments[1]);
    if (unit == NULL)
        return pt__bl_refuse(err, call->base.origin, "trunc to a unit that is no literal");
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        if (strcasecmp(UNITS[i][0], text_of(bl, unit)) == 0)
            return pt__bl_template(bl, UNITS[i][1], call, x, 1, out, err);
    }
    *out = pt__bx_null(bl->arena, pt__btype_named(bl->arena, "date32"));
    return PT_OK;
}

/* Of instants in UTC alone: the start of an hour or day of another zone may come twice, or not at all. */
PT_BL_LOWERING(date_trunc)
{
    static const char *const UNITS[][2] = {{"year", "year"},     {"yyyy", "year"},
                                           {"yy", "year"},       {"quarter", "quarter"},
                                           {"month", "month"},   {"mm", "month"},
                                           {"mon", "month"},     {"week", "week"},
                                           {"day", "day"},       {"dd", "day"},
                                           {"hour", "hour"},     {"minute", "minute"},
                                           {"second", "second"}, {"millisecond", "millisecond"}};
    const pt_value *unit = text_literal(call->arguments[0]);
    if (unit == NULL || (pt__bl_type_of(call, 1)->id == PT_TYPE_TIMESTAMP && !bl->is_utc))
        return pt__bl_refuse(err, call->base.origin, "date_trunc in this zone, or to a unit that is no literal");
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        if (strcasecmp(UNITS[i][0], text_of(bl, unit)) != 0)
            continue;
        *out = pt__bx_call2(bl->arena, "date_trunc", pt__bx_text(bl->arena, UNITS[i][1]), x[1]);
        return PT_OK;
    }
    return pt__bl_refuse(err, call->base.origin, "date_trunc to this unit");
}

/* Java's letters as those of chrono; NULL: not known to mean the same. */
static const char *translate_format(pt__bl *bl, const char *format)
{
    static const char *const LETTERS[][2] = {{"yyyy", "%Y"}, {"MM", "%m"}, {"dd", "%d"},
                                             {"HH", "%H"},   {"mm", "%M"}, {"ss", "%S"}};
    char *made = pt__arena_alloc_text(bl->arena, 2 * strlen(format) + 1);
    char *end = made;
    while (*format != '\0') {
        size_t run = 1;
        while (isalpha((unsigned char)*format) && format[run] == *format)
            run++;
        if (strchr(" -/:.,", *format) != NULL) {
            *end++ = *format++;
            continue;
        }
        const char *word = NULL;
        for (size_t i = 0; i < sizeof(LETTERS) / sizeof(LETTERS[0]) && word == NULL; i++) {
            if (strlen(LETTERS[i][0]) == run && strncmp(LETTERS[i][0], format, run) == 0)
                word = LETTERS[i][1];
        }
        if (word == NULL)
            return NULL;
        *end++ = word[0];
        *end++ = word[1];
        format += run;
    }
    *end = '\0';
    return made;
}

PT_BL_LOWERING(date_format)
{
    const pt_value *given = text_literal(call->arguments[1]);
    const char *format = given == NULL ? NULL : translate_format(bl, text_of(bl, given));
    if (format == NULL)
        return pt__bl_refuse(err, call->base.origin, "date_format with this pattern");
    *out = pt__bx_call2(bl->arena, "to_char", pt__bl_local_time(bl, x[0]), pt__bx_text(bl->arena, format));
    *out = pt__bx_cast(bl->arena, *out, pt__btype_named(bl->arena, "utf8"));
    return PT_OK;
}

PT_BL_LOWERING(add_months)
{
    int64_t months;
    if (!small_integer(call->arguments[1], &months))
        return pt__bl_refuse(err, call->base.origin, "add_months of a number that is no literal");
    *out = pt__bx_binary(bl->arena, "Plus", x[0], pt__bx_interval(bl->arena, (int32_t)months, 0));
    *out = pt__bx_cast(bl->arena, *out, pt__btype_named(bl->arena, "date32"));
    return PT_OK;
}

PT_BL_LOWERING(make_date)
{
    if (call->mode != PT_CAST_ANSI)
        return pt__bl_refuse(err, call->base.origin, "make_date without ANSI mode");
    *out = pt__bx_call(bl->arena, "make_date", x, 3);
    return PT_OK;
}

/* DATE '…', TIMESTAMP '…' */
PT_BL_LOWERING(cast_literal)
{
    const pt_expr *cast = pt__expr_cast(bl->arena, call->arguments[0], call->base.type, PT_CAST_ANSI);
    (void)x;
    return pt__bl_cast(bl, pt__expr_as_cast(cast), out, err);
}

const pt__bx *pt__bl_local_time(pt__bl *bl, const pt__bx *x)
{
    if (bl->is_utc)
        return x;
    return pt__bx_cast(bl->arena, x, pt__btype_timestamp(bl->arena, bl->time_zone));
}

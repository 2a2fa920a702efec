/*
 * Interval literals: INTERVAL 1 DAY 2 HOURS, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 day 2 hours'.
 * Source: Apache Spark SQL reference, "Interval Literal".
 */
#include "decode/spark_sql/internal.h"

#include <string.h>

enum { YEAR_FIELD = 0, MONTH_FIELD = 1, DAY_FIELD = 0, HOUR_FIELD = 1, MINUTE_FIELD = 2, SECOND_FIELD = 3 };

#define MICROS_PER_SECOND INT64_C(1000000)
#define MICROS_PER_MINUTE (60 * MICROS_PER_SECOND)
#define MICROS_PER_HOUR (60 * MICROS_PER_MINUTE)
#define MICROS_PER_DAY (24 * MICROS_PER_HOUR)

typedef struct unit {
    const char *word;
    int32_t keyword;
    int32_t plural;
    bool is_year_month;
    uint8_t field;
    int64_t factor; /* months or microseconds; 0: nanoseconds */
} unit;

static const unit UNITS[] = {
    {"year", PT_KW_YEAR, PT_KW_YEARS, true, YEAR_FIELD, 12},
    {"month", PT_KW_MONTH, PT_KW_MONTHS, true, MONTH_FIELD, 1},
    {"week", PT_KW_WEEK, PT_KW_WEEKS, false, DAY_FIELD, 7 * MICROS_PER_DAY},
    {"day", PT_KW_DAY, PT_KW_DAYS, false, DAY_FIELD, MICROS_PER_DAY},
    {"hour", PT_KW_HOUR, PT_KW_HOURS, false, HOUR_FIELD, MICROS_PER_HOUR},
    {"minute", PT_KW_MINUTE, PT_KW_MINUTES, false, MINUTE_FIELD, MICROS_PER_MINUTE},
    {"second", PT_KW_SECOND, PT_KW_SECONDS, false, SECOND_FIELD, MICROS_PER_SECOND},
    {"millisecond", PT_KW_MILLISECOND, PT_KW_MILLISECONDS, false, SECOND_FIELD, 1000},
    {"microsecond", PT_KW_MICROSECOND, PT_KW_MICROSECONDS, false, SECOND_FIELD, 1},
    {"nanosecond", PT_KW_NANOSECOND, PT_KW_NANOSECONDS, false, SECOND_FIELD, 0},
};

enum { UNIT_COUNT = sizeof(UNITS) / sizeof(UNITS[0]) };

typedef struct accumulator {
    int64_t months;
    int64_t micros;
    bool has_months;
    bool has_micros;
    uint8_t first_field; /* of the kind that is there */
    uint8_t last_field;
    bool overflow;
    bool malformed;
} accumulator;

static const unit *unit_of_keyword(int32_t keyword)
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (UNITS[i].keyword == keyword || UNITS[i].plural == keyword)
            return &UNITS[i];
    }
    return NULL;
}

/* ---- values ---- */

/* A number as text: sign, digits, and up to nine digits of fraction in nanos. */
typedef struct number {
    bool negative;
    int64_t whole;
    int64_t nanos;
    bool has_fraction;
    bool overflow;
} number;

static bool read_number(const char **text, const char *end, number *out)
{
    const char *c = *text;
    *out = (number){0};
    if (c < end && (*c == '+' || *c == '-'))
        out->negative = *c++ == '-';
    const char *digits = c;
    for (; c < end && *c >= '0' && *c <= '9'; c++) {
        if (__builtin_mul_overflow(out->whole, 10, &out->whole) ||
            __builtin_add_overflow(out->whole, *c - '0', &out->whole)) {
            out->overflow = true;
            out->whole = 0;
        }
    }
    bool any = c > digits;
    if (c < end && *c == '.') {
        int64_t scale = 100000000;
        out->has_fraction = true;
        for (c++; c < end && *c >= '0' && *c <= '9'; c++, scale /= 10) {
            any = true;
            if (scale == 0)
                return false;
            out->nanos += (*c - '0') * scale;
        }
    }
    *text = c;
    return any;
}

static void note_unit(accumulator *sum, const unit *u)
{
    bool *has = u->is_year_month ? &sum->has_months : &sum->has_micros;
    if (!*has || u->field < sum->first_field)
        sum->first_field = u->field;
    if (!*has || u->field > sum->last_field)
        sum->last_field = u->field;
    *has = true;
}

static void add_number(accumulator *sum, number n, bool negate, const unit *u)
{
    int64_t value = 0;
    int64_t *total = u->is_year_month ? &sum->months : &sum->micros;
    note_unit(sum, u);
    if (n.has_fraction && !(u->field == SECOND_FIELD && u->factor == MICROS_PER_SECOND && !u->is_year_month))
        sum->malformed = true;
    if (u->factor == 0)
        value = n.whole / 1000;
    else if (__builtin_mul_overflow(n.whole, u->factor, &value) ||
             __builtin_add_overflow(value, n.nanos / 1000, &value))
        sum->overflow = true;
    if (n.negative != negate)
        value = -value;
    sum->overflow |= n.overflow || __builtin_add_overflow(*total, value, total);
}

/* ---- results ---- */

static const char *source_text(pt__sql_parser *p, size_t first)
{
    return pt__sql_text_from(p, first);
}

static pt_status invalid_interval(pt__sql_parser *p, size_t first, pt__condition_id condition)
{
    pt_status status = pt__raise(p->err, condition, "input", source_text(p, first), NULL);
    return pt__sql_locate_error(p, first, status);
}

static pt_status make_interval(pt__sql_parser *p, size_t first, const accumulator *sum, const pt_expr **out)
{
    if (sum->has_months && sum->has_micros) {
        pt_status status = pt__raise(p->err, PT_COND_MIXED_INTERVAL_UNITS, "literal", source_text(p, first), NULL);
        return pt__sql_locate_error(p, first, status);
    }
    if (sum->overflow || sum->months > INT32_MAX || sum->months < INT32_MIN)
        return invalid_interval(p, first, PT_COND_INVALID_INTERVAL_FORMAT_ARITHMETIC_EXCEPTION);
    pt_type_id id = sum->has_months ? PT_TYPE_INTERVAL_YEAR_MONTH : PT_TYPE_INTERVAL_DAY_TIME;
    pt_expr_literal *literal = pt__expr_make(p->arena, LITERAL, literal, pt__sql_origin(p, first));
    literal->base.type = pt__type_interval(p->arena, id, sum->first_field, sum->last_field);
    literal->value.as.integer = sum->has_months ? sum->months : sum->micros;
    *out = &literal->base;
    return PT_OK;
}

/* ---- INTERVAL 'text' ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0D);
}

static const char *skip_space(const char *c, const char *end)
{
    while (c < end && is_space(*c))
        c++;
    return c;
}

/* A word at `*text` that is a unit, singular or plural, in any case. */
static const unit *read_unit(const char **text, const char *end)
{
    char word[16];
    size_t size = 0;
    const char *c = *text;
    for (; c < end && !is_space(*c) && size < sizeof(word) - 1; c++)
        word[size++] = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    word[size] = '\0';
    *text = c;
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        size_t length = strlen(UNITS[i].word);
        if (strncmp(word, UNITS[i].word, length) == 0 &&
            (word[length] == '\0' || (word[length] == 's' && word[length + 1] == '\0')))
            return &UNITS[i];
    }
    return NULL;
}

static bool read_units(pt_text_view text, accumulator *sum)
{
    const char *c = skip_space(text.data, text.data + text.size_bytes);
    const char *end = text.data + text.size_bytes;
    static const char PREFIX[] = "interval";
    size_t i = 0;
    while (c + i < end && i < sizeof(PREFIX) - 1 && (c[i] | 0x20) == PREFIX[i])
        i++;
    if (i == sizeof(PREFIX) - 1)
        c = skip_space(c + i, end);
    if (c == end)
        return false;
    while (c < end) {
        number n;
        bool negative = *c == '-' && c + 1 < end && is_space(c[1]);
        if ((*c == '-' || *c == '+') && c + 1 < end && is_space(c[1]))
            c = skip_space(c + 1, end);
        if (!read_number(&c, end, &n))
            return false;
        c = skip_space(c, end);
        const unit *u = read_unit(&c, end);
        if (u == NULL)
            return false;
        add_number(sum, n, negative, u);
        c = skip_space(c, end);
    }
    return !sum->malformed;
}

bool pt__sql_interval_from_text(pt__sql_parser *p, size_t first, pt_text_view text, const pt_expr **out,
                                pt_status *status)
{
    accumulator sum = {0};
    if (!read_units(text, &sum))
        return false;
    *status = make_interval(p, first, &sum, out);
    return true;
}

/* ---- INTERVAL 'text' unit TO unit ---- */

/* Reads `n` with `separator` after it, or at the end of the text. */
static bool read_part(const char **text, const char *end, char separator, int64_t max, number *n)
{
    if (*text < end && (**text == '+' || **text == '-'))
        return false;
    if (!read_number(text, end, n) || n->overflow || n->whole > max)
        return false;
    if (*text == end)
        return separator == '\0';
    if (**text != separator)
        return false;
    (*text)++;
    return true;
}

static bool read_range(pt_text_view view, const unit *from, const unit *to, bool negate, accumulator *sum)
{
    static const char SEPARATORS[] = {' ', ':', ':', '\0'};
    static const int64_t LIMITS[] = {INT32_MAX, 23, 59, 59};
    const char *end = view.data + view.size_bytes;
    const char *c = skip_space(view.data, end);
    while (end > c && is_space(end[-1]))
        end--;
    if (c < end && (*c == '-' || *c == '+'))
        negate ^= *c++ == '-';
    bool year_month = from->is_year_month;
    for (uint8_t field = from->field; field <= to->field; field++) {
        number n;
        char separator = field == to->field ? '\0' : year_month ? '-' : SEPARATORS[field];
        int64_t max = year_month ? (field == YEAR_FIELD ? INT32_MAX : 11) : LIMITS[field];
        if (!read_part(&c, end, separator, field == from->field ? INT32_MAX : max, &n))
            return false;
        for (size_t i = 0; i < UNIT_COUNT; i++) {
            if (UNITS[i].is_year_month == year_month && UNITS[i].field == field && UNITS[i].keyword != PT_KW_WEEK) {
                add_number(sum, n, negate, &UNITS[i]);
                break;
            }
        }
    }
    return !sum->malformed;
}

static pt_status unit_to_unit(pt__sql_parser *p, size_t first, bool negate, pt_text_view text, const unit *from,
                              const pt_expr **out)
{
    const unit *to = unit_of_keyword(pt__sql_peek(p, 0));
    if (to == NULL)
        return pt__sql_syntax_error(p);
    pt__sql_skip(p, 1);
    bool fits = from->is_year_month == to->is_year_month && from->field < to->field && from->keyword != PT_KW_WEEK &&
                (to->is_year_month || to->factor >= MICROS_PER_SECOND);
    if (!fits) {
        pt_status status = pt__raise(p->err, PT_COND_INVALID_INTERVAL_FORMAT_UNSUPPORTED_FROM_TO_EXPRESSION, "input",
                                     pt__arena_copy_text(p->arena, text.data, text.size_bytes), "from", from->word,
                                     "to", to->word, NULL);
        return pt__sql_locate_error(p, first, status);
    }
    accumulator sum = {0};
    if (!read_range(text, from, to, negate, &sum)) {
        pt_status status = pt__raise(p->err, PT_COND_INVALID_INTERVAL_FORMAT_UNMATCHED_FORMAT_STRING, "input",
                                     pt__arena_copy_text(p->arena, text.data, text.size_bytes), "typeName",
                                     pt__arena_printf(p->arena, "interval %s to %s", from->word, to->word), NULL);
        return pt__sql_locate_error(p, first, status);
    }
    return make_interval(p, first, &sum, out);
}

/* ---- INTERVAL value unit … ---- */

/* [sign] number or string, then a unit. */
static size_t value_tokens(const pt__sql_parser *p, size_t ahead)
{
    size_t sign = pt__sql_peek(p, ahead) == '+' || pt__sql_peek(p, ahead) == '-' ? 1 : 0;
    int32_t kind = pt__sql_peek(p, ahead + sign);
    bool value = kind == PT_TOKEN_INTEGER || kind == PT_TOKEN_NUMBER || kind == PT_TOKEN_STRING;
    if (!value || unit_of_keyword(pt__sql_peek(p, ahead + sign + 1)) == NULL)
        return 0;
    return sign + 1;
}

bool pt__sql_at_interval_literal(const pt__sql_parser *p)
{
    if (!pt__sql_at(p, PT_KW_INTERVAL))
        return false;
    int32_t next = pt__sql_peek(p, 1);
    return next == PT_TOKEN_INTEGER || next == PT_TOKEN_STRING || value_tokens(p, 1) > 0;
}

/* The value before a unit, as text: a number or what a string holds. */
static pt_status interval_value(pt__sql_parser *p, pt_text_view *out)
{
    if (pt__sql_at(p, PT_TOKEN_STRING))
        return pt__sql_string(p, out);
    const char *text = pt__sql_token_text(p, 0);
    *out = (pt_text_view){text, strlen(text)};
    pt__sql_skip(p, 1);
    return PT_OK;
}

static pt_status multi_unit(pt__sql_parser *p, size_t first, const pt_expr **out)
{
    accumulator sum = {0};
    do {
        bool negate = pt__sql_at(p, '-');
        if (pt__sql_at(p, '+') || pt__sql_at(p, '-'))
            pt__sql_skip(p, 1);
        pt_text_view text = {0};
        PT_TRY(interval_value(p, &text));
        const unit *u = unit_of_keyword(pt__sql_peek(p, 0));
        if (u == NULL)
            return pt__sql_syntax_error(p);
        pt__sql_skip(p, 1);
        if (pt__sql_at(p, PT_KW_TO) && !sum.has_months && !sum.has_micros &&
            unit_of_keyword(pt__sql_peek(p, 1)) != NULL) {
            pt__sql_skip(p, 1);
            return unit_to_unit(p, first, negate, text, u, out);
        }
        number n;
        const char *end = text.data + text.size_bytes;
        const char *c = skip_space(text.data, end);
        bool read = read_number(&c, end, &n);
        if (!read || skip_space(c, end) != end)
            return invalid_interval(p, first, PT_COND_INVALID_INTERVAL_FORMAT_INVALID_VALUE);
        add_number(&sum, n, negate, u);
        if (sum.malformed)
            return invalid_interval(p, first, PT_COND_INVALID_INTERVAL_FORMAT_INVALID_FRACTION);
    } while (value_tokens(p, 0) > 0);
    return make_interval(p, first, &sum, out);
}

pt_status pt__sql_interval_literal(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    if (pt__sql_peek(p, 1) == PT_TOKEN_STRING && value_tokens(p, 1) == 0)
        return pt__sql_typed_literal(p, out);
    pt__sql_skip(p, 1);
    return multi_unit(p, first, out);
}

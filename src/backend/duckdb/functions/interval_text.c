#include "backend/duckdb/functions/interval_text.h"

#include "backend/duckdb/functions/number_text.h"
#include "base/civil.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct scanner {
    const char *at;
    const char *end;
} scanner;

static bool take(scanner *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool take_spaces(scanner *s)
{
    const char *start = s->at;
    while (s->at < s->end && is_space(*s->at))
        s->at++;
    return s->at > start;
}

static bool take_word(scanner *s, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(s->end - s->at) < size || strncasecmp(s->at, word, size) != 0)
        return false;
    s->at += size;
    return true;
}

/** 1, or -1 after a minus. */
static int take_sign(scanner *s)
{
    if (take(s, '-'))
        return -1;
    take(s, '+');
    return 1;
}

/** Digits, at least one and at most `most`; false on overflow too. */
static bool take_number(scanner *s, int most, int64_t *value)
{
    int count = 0;
    *value = 0;
    for (; s->at < s->end && isdigit((unsigned char)*s->at) && count < most; s->at++, count++)
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *s->at - '0', value))
            return false;
    return count > 0;
}

const char *pt__interval_field_name(bool day_time, int field)
{
    static const char *const DAY_TIME[] = {"DAY", "HOUR", "MINUTE", "SECOND"};
    static const char *const YEAR_MONTH[] = {"YEAR", "MONTH"};
    return day_time ? DAY_TIME[field & 3] : YEAR_MONTH[field & 1];
}

/* The literal around the fields: INTERVAL ±'…' DAY TO SECOND. */

typedef struct framed {
    scanner body;
    int sign;
} framed;

static bool take_fields(scanner *s, bool day_time, int start_field, int end_field)
{
    if (!take_spaces(s) || !take_word(s, pt__interval_field_name(day_time, start_field)))
        return false;
    if (start_field != end_field && (!take_spaces(s) || !take_word(s, "TO") || !take_spaces(s) ||
                                     !take_word(s, pt__interval_field_name(day_time, end_field))))
        return false;
    return s->at == s->end;
}

/** Without the literal the text is the body itself. */
static bool open_frame(pt_text_view text, bool day_time, int start_field, int end_field, framed *out)
{
    text = pt__trim_text(text);
    scanner s = {text.data, text.data + text.size_bytes};
    out->sign = 1;
    if (!take_word(&s, "INTERVAL")) {
        out->body = s;
        return true;
    }
    if (!take_spaces(&s))
        return false;
    out->sign = take_sign(&s);
    if (!take(&s, '\''))
        return false;
    const char *quote = memchr(s.at, '\'', (size_t)(s.end - s.at));
    if (quote == NULL)
        return false;
    out->body = (scanner){s.at, quote};
    s.at = quote + 1;
    return take_fields(&s, day_time, start_field, end_field);
}

/* Year and month. */

pt__interval_result pt__parse_year_month(pt_text_view text, int start_field, int end_field, int32_t *months)
{
    framed f;
    int64_t first;
    int64_t second = 0;
    if (!open_frame(text, false, start_field, end_field, &f))
        return PT__INTERVAL_UNMATCHED;
    scanner *s = &f.body;
    f.sign *= take_sign(s);
    if (!take_number(s, 18, &first) || (start_field != end_field && (!take(s, '-') || !take_number(s, 18, &second))) ||
        s->at != s->end)
        return PT__INTERVAL_UNMATCHED;
    if (second > 11 || first > INT32_MAX)
        return PT__INTERVAL_OUT_OF_RANGE;
    int64_t total = f.sign * (start_field == 0 ? first * 12 + second : first);
    *months = (int32_t)total;
    return *months == total ? PT__INTERVAL_OK : PT__INTERVAL_OUT_OF_RANGE;
}

/* Day and time. */

static const int64_t UNITS[] = {PT_MICROS_PER_DAY, PT_MICROS_PER_HOUR, PT_MICROS_PER_MINUTE, PT_MICROS_PER_SECOND};
static const int64_t LARGEST[] = {INT64_MAX, 23, 59, 59};

/** `.` and one to nine digits, of which six count. */
static bool take_fraction(scanner *s, int64_t *micros)
{
    int digits = 0;
    *micros = 0;
    if (!take(s, '.'))
        return true;
    for (; s->at < s->end && isdigit((unsigned char)*s->at) && digits < 9; s->at++, digits++)
        if (digits < 6)
            *micros = *micros * 10 + (*s->at - '0');
    for (int i = digits; i < 6; i++)
        *micros *= 10;
    return digits > 0;
}

static pt__interval_result take_day_time_field(scanner *s, int field, bool first, int64_t *total)
{
    int64_t value;
    int64_t fraction = 0;
    int64_t micros;
    if (!first && !take(s, field == 1 ? ' ' : ':'))
        return PT__INTERVAL_UNMATCHED;
    if (!take_number(s, first ? 18 : 2, &value) || (field == 3 && !take_fraction(s, &fraction)))
        return PT__INTERVAL_UNMATCHED;
    if (!first && value > LARGEST[field])
        return PT__INTERVAL_OUT_OF_RANGE;
    bool fits = !__builtin_mul_overflow(value, UNITS[field], &micros) &&
                !__builtin_add_overflow(micros, fraction, &micros) && !__builtin_add_overflow(*total, micros, total);
    return fits ? PT__INTERVAL_OK : PT__INTERVAL_OUT_OF_RANGE;
}

pt__interval_result pt__parse_day_time(pt_text_view text, int start_field, int end_field, int64_t *micros)
{
    framed f;
    int64_t total = 0;
    if (!open_frame(text, true, start_field, end_field, &f))
        return PT__INTERVAL_UNMATCHED;
    f.sign *= take_sign(&f.body);
    for (int field = start_field; field <= end_field && field <= 3; field++) {
        pt__interval_result result = take_day_time_field(&f.body, field, field == start_field, &total);
        if (result != PT__INTERVAL_OK)
            return result;
    }
    if (f.body.at != f.body.end)
        return PT__INTERVAL_UNMATCHED;
    *micros = f.sign * total;
    return PT__INTERVAL_OK;
}

/* Calendar intervals. */

typedef enum calendar_part { MONTHS, DAYS, MICROS } calendar_part;

static const struct {
    const char *name;
    calendar_part part;
    int64_t size;
    bool fraction;
} CALENDAR_UNITS[] = {
    {"year", MONTHS, 12, false},
    {"month", MONTHS, 1, false},
    {"week", DAYS, 7, false},
    {"day", DAYS, 1, false},
    {"hour", MICROS, PT_MICROS_PER_HOUR, false},
    {"minute", MICROS, PT_MICROS_PER_MINUTE, false},
    {"second", MICROS, PT_MICROS_PER_SECOND, true},
    {"millisecond", MICROS, 1000, false},
    {"microsecond", MICROS, 1, false},
};

/** The unit's row, or their number. */
static size_t take_unit(scanner *s)
{
    size_t count = sizeof(CALENDAR_UNITS) / sizeof(CALENDAR_UNITS[0]);
    for (size_t i = 0; i < count; i++) {
        scanner ahead = *s;
        if (!take_word(&ahead, CALENDAR_UNITS[i].name))
            continue;
        take_word(&ahead, "s");
        if (ahead.at == ahead.end || is_space(*ahead.at)) {
            *s = ahead;
            return i;
        }
    }
    return count;
}

static bool add_to(pt__calendar_interval *out, calendar_part part, int64_t amount)
{
    int64_t sum;
    switch (part) {
    case MICROS: return !__builtin_add_overflow(out->micros, amount, &out->micros);
    case DAYS:
        sum = out->days + amount;
        out->days = (int32_t)sum;
        return sum == out->days;
    case MONTHS:
        sum = out->months + amount;
        out->months = (int32_t)sum;
        return sum == out->months;
    }
    return false;
}

static bool take_calendar_part(scanner *s, pt__calendar_interval *out)
{
    int sign = take_sign(s);
    int64_t value = 0;
    int64_t fraction = 0;
    take_spaces(s);
    bool whole = s->at < s->end && *s->at != '.';
    if (whole && !take_number(s, 19, &value))
        return false;
    bool fractional = s->at < s->end && *s->at == '.';
    if (fractional && !take_fraction(s, &fraction))
        return false;
    if (!take_spaces(s))
        return false;
    size_t unit = take_unit(s);
    if (unit == sizeof(CALENDAR_UNITS) / sizeof(CALENDAR_UNITS[0]) || (fractional && !CALENDAR_UNITS[unit].fraction))
        return false;
    return !__builtin_mul_overflow(value, CALENDAR_UNITS[unit].size, &value) &&
           !__builtin_add_overflow(value, fraction, &value) &&
           (CALENDAR_UNITS[unit].part == MICROS || (value <= INT32_MAX)) &&
           add_to(out, CALENDAR_UNITS[unit].part, sign * value);
}

bool pt__parse_calendar_interval(pt_text_view text, pt__calendar_interval *out)
{
    text = pt__trim_text(text);
    scanner s = {text.data, text.data + text.size_bytes};
    *out = (pt__calendar_interval){0, 0, 0};
    if (take_word(&s, "interval") && !take_spaces(&s))
        return false;
    if (s.at == s.end)
        return false;
    while (s.at < s.end) {
        if (!take_calendar_part(&s, out))
            return false;
        take_spaces(&s);
    }
    return true;
}

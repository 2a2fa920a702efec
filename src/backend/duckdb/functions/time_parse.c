/* Text to dates and times by a pattern. */
#include "backend/duckdb/functions/time_pattern.h"

#include "backend/duckdb/functions/time_names.h"
#include "base/civil.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEXT_SHOWN_MAX = 64 };

typedef struct parser {
    const pt__time_pattern *pattern;
    pt__zones *zones;
    const char *text;
    size_t size;
    size_t at;
    int64_t values[PT__FIELD_COUNT];
    uint32_t known; /* bits of fields */
    const pt__zone *zone;
    int32_t offset_seconds;
    bool has_offset;
} parser;

static bool is_known(const parser *p, pt__time_field field)
{
    return (p->known >> field & 1) != 0;
}

/** A field given twice must say the same. */
static bool set_field(parser *p, pt__time_field field, int64_t value)
{
    if (is_known(p, field) && p->values[field] != value)
        return false;
    p->values[field] = value;
    p->known |= 1u << field;
    return true;
}

static size_t count_digits(const parser *p, size_t at, size_t most)
{
    size_t count = 0;
    while (count < most && at + count < p->size && p->text[at + count] >= '0' && p->text[at + count] <= '9')
        count++;
    return count;
}

static int64_t digits_value(const parser *p, size_t at, size_t count)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, p->text[at + i] - '0', &value))
            return INT64_MAX;
    return value;
}

/* Items. Each leaves p->at alone when it does not fit. */

static bool take_sign(parser *p, const pt__time_item *item, bool *positive, bool *negative)
{
    char c = p->at < p->size ? p->text[p->at] : '\0';
    *positive = c == '+';
    *negative = c == '-';
    if (*positive)
        return item->sign == PT__SIGN_EXCEEDS_PAD;
    return !*negative || item->sign != PT__SIGN_NEVER;
}

static bool parse_number(parser *p, const pt__time_item *item)
{
    bool positive;
    bool negative;
    if (!take_sign(p, item, &positive, &negative))
        return false;
    size_t start = p->at + (positive || negative);
    size_t least = (size_t)item->min_width;
    size_t reserved = item->subsequent_width > 0 ? (size_t)item->subsequent_width : 0;
    size_t count = count_digits(p, start, (size_t)item->max_width + reserved);
    if (count < least)
        return false;
    if (reserved > 0)
        count = count >= reserved + least ? count - reserved : least;
    int64_t value = digits_value(p, start, count);
    if (negative && value == 0)
        return false;
    if (!negative && item->sign == PT__SIGN_EXCEEDS_PAD && positive == (count <= least))
        return false;
    if (!set_field(p, item->field, negative ? -value : value))
        return false;
    p->at = start + count;
    return true;
}

static bool parse_reduced_year(parser *p, const pt__time_item *item)
{
    size_t count = count_digits(p, p->at, 2);
    if (count < 2 || !set_field(p, item->field, 2000 + digits_value(p, p->at, 2)))
        return false;
    p->at += 2;
    return true;
}

static bool parse_fraction(parser *p, const pt__time_item *item)
{
    size_t count = count_digits(p, p->at, (size_t)item->max_width);
    if (count < (size_t)item->min_width)
        return false;
    int64_t nanos = digits_value(p, p->at, count);
    for (size_t i = count; i < 9; i++)
        nanos *= 10;
    if (!set_field(p, PT__FIELD_NANO, nanos))
        return false;
    p->at += count;
    return true;
}

static bool parse_text(parser *p, const pt__time_item *item)
{
    for (int64_t value = 0; value <= 12; value++) {
        const char *name = pt__time_name(item->field, value, item->full);
        size_t length = name == NULL ? 0 : strlen(name);
        if (length == 0 || p->size - p->at < length || strncasecmp(p->text + p->at, name, length) != 0)
            continue;
        if (!set_field(p, item->field, value))
            return false;
        p->at += length;
        return true;
    }
    return false;
}

static bool parse_literal(parser *p, const pt__time_item *item)
{
    const char *literal = (const char *)p->pattern->text.data + item->literal;
    if (p->size - p->at < item->literal_bytes || strncasecmp(p->text + p->at, literal, item->literal_bytes) != 0)
        return false;
    p->at += item->literal_bytes;
    return true;
}

/** The longest piece that names a zone. */
static bool parse_zone(parser *p)
{
    char name[PT_ZONE_NAME_MAX];
    size_t most = p->size - p->at < sizeof(name) - 1 ? p->size - p->at : sizeof(name) - 1;
    size_t length = 0;
    while (length < most && (unsigned char)p->text[p->at + length] > ' ')
        length++;
    for (; length > 0; length--) {
        memcpy(name, p->text + p->at, length);
        name[length] = '\0';
        p->zone = pt__zones_find(p->zones, name);
        if (p->zone != NULL) {
            p->at += length;
            return true;
        }
    }
    return false;
}

static bool take_two_digits(const parser *p, size_t *at, int *value)
{
    if (count_digits(p, *at, 2) < 2)
        return false;
    *value = (int)digits_value(p, *at, 2);
    *at += 2;
    return true;
}

static bool set_offset(parser *p, bool negative, const int parts[3], size_t at)
{
    int32_t offset = parts[0] * 3600 + parts[1] * 60 + parts[2];
    if (parts[1] > 59 || parts[2] > 59 || offset > 18 * 3600)
        return false;
    p->offset_seconds = negative ? -offset : offset;
    p->has_offset = true;
    p->at = at;
    return true;
}

static bool parse_offset(parser *p, const pt__time_item *item)
{
    int letters = abs(item->letters);
    bool colon = letters == 3 || letters == 5;
    int parts[3] = {0, 0, 0};
    size_t at = p->at + 1;
    if (p->at == p->size)
        return false;
    char sign = p->text[p->at];
    if (item->letters > 0 && (sign | 0x20) == 'z')
        return set_offset(p, false, parts, at);
    if ((sign != '+' && sign != '-') || !take_two_digits(p, &at, &parts[0]))
        return false;
    for (int part = 1; part < (letters > 3 ? 3 : 2); part++) {
        size_t next = at + (colon && at < p->size && p->text[at] == ':');
        bool needed = part == 1 && letters > 1;
        if ((colon && next == at) || !take_two_digits(p, &next, &parts[part])) {
            if (needed)
                return false;
            break;
        }
        at = next;
    }
    return set_offset(p, sign == '-', parts, at);
}

/** GMT, then nothing or +1, +01:00. */
static bool parse_localized_offset(parser *p)
{
    int parts[3] = {0, 0, 0};
    if (p->size - p->at < 3 || strncasecmp(p->text + p->at, "GMT", 3) != 0)
        return false;
    size_t at = p->at + 3;
    char sign = at < p->size ? p->text[at] : '\0';
    if (sign != '+' && sign != '-')
        return set_offset(p, false, parts, at);
    size_t digits = count_digits(p, ++at, 2);
    parts[0] = (int)digits_value(p, at, digits);
    at += digits;
    for (int part = 1; part < 3; part++) {
        size_t next = at + 1;
        if (at >= p->size || p->text[at] != ':' || !take_two_digits(p, &next, &parts[part]))
            break;
        at = next;
    }
    return digits > 0 && set_offset(p, sign == '-', parts, at);
}

static bool parse_item(parser *p, const pt__time_item *item)
{
    switch (item->kind) {
    case PT__ITEM_LITERAL: return parse_literal(p, item);
    case PT__ITEM_NUMBER: return parse_number(p, item);
    case PT__ITEM_REDUCED_YEAR: return parse_reduced_year(p, item);
    case PT__ITEM_FRACTION: return parse_fraction(p, item);
    case PT__ITEM_TEXT: return parse_text(p, item);
    case PT__ITEM_ZONE_ID:
    case PT__ITEM_ZONE_NAME: return parse_zone(p);
    case PT__ITEM_OFFSET: return parse_offset(p, item);
    case PT__ITEM_LOCALIZED_OFFSET: return parse_localized_offset(p);
    case PT__ITEM_OPTIONAL:
    case PT__ITEM_OPTIONAL_END: return true;
    }
    return false;
}

/** An optional part that does not fit leaves everything as it was. Nesting is bounded by the compiler. */
static bool parse_items(parser *p, size_t from, size_t to) // NOLINT(misc-no-recursion)
{
    for (size_t i = from; i < to; i++) {
        const pt__time_item *item = &p->pattern->items[i];
        if (item->kind != PT__ITEM_OPTIONAL) {
            if (!parse_item(p, item))
                return false;
            continue;
        }
        parser saved = *p;
        if (!parse_items(p, i + 1, item->end))
            *p = saved;
        i = item->end;
    }
    return true;
}

/* From fields to a local time. */

static const struct {
    pt__time_field field;
    const char *name;
    int64_t smallest;
    int64_t largest;
} RANGES[] = {
    {PT__FIELD_YEAR, "Year", -999999999, 999999999},
    {PT__FIELD_YEAR_OF_ERA, "YearOfEra", 1, 999999999},
    {PT__FIELD_MONTH, "MonthOfYear", 1, 12},
    {PT__FIELD_DAY, "DayOfMonth", 1, 31},
    {PT__FIELD_DAY_OF_YEAR, "DayOfYear", 1, 366},
    {PT__FIELD_CLOCK_HOUR_OF_AMPM, "ClockHourOfAmPm", 1, 12},
    {PT__FIELD_HOUR_OF_AMPM, "HourOfAmPm", 0, 11},
    {PT__FIELD_CLOCK_HOUR, "ClockHourOfDay", 1, 24},
    {PT__FIELD_HOUR, "HourOfDay", 0, 23},
    {PT__FIELD_MINUTE, "MinuteOfHour", 0, 59},
    {PT__FIELD_SECOND, "SecondOfMinute", 0, 59},
};

static bool check_ranges(const parser *p, char *why, size_t why_max)
{
    for (size_t i = 0; i < sizeof(RANGES) / sizeof(RANGES[0]); i++) {
        int64_t value = p->values[RANGES[i].field];
        if (!is_known(p, RANGES[i].field) || (value >= RANGES[i].smallest && value <= RANGES[i].largest))
            continue;
        if (RANGES[i].field == PT__FIELD_DAY || RANGES[i].field == PT__FIELD_DAY_OF_YEAR)
            snprintf(why, why_max, "Invalid value for %s (valid values 1 - %s): %" PRId64, RANGES[i].name,
                     RANGES[i].field == PT__FIELD_DAY ? "28/31" : "365/366", value);
        else
            snprintf(why, why_max, "Invalid value for %s (valid values %" PRId64 " - %" PRId64 "): %" PRId64,
                     RANGES[i].name, RANGES[i].smallest, RANGES[i].largest, value);
        return false;
    }
    return true;
}

static int64_t value_or(const parser *p, pt__time_field field, int64_t otherwise)
{
    return is_known(p, field) ? p->values[field] : otherwise;
}

static int64_t resolve_year(const parser *p)
{
    if (is_known(p, PT__FIELD_YEAR_OF_ERA) && is_known(p, PT__FIELD_ERA))
        return p->values[PT__FIELD_ERA] == 1 ? p->values[PT__FIELD_YEAR_OF_ERA] : 1 - p->values[PT__FIELD_YEAR_OF_ERA];
    return value_or(p, PT__FIELD_YEAR, 1970);
}

static void explain_date(int64_t year, int64_t month, int64_t day, char *why, size_t why_max)
{
    char name[16];
    snprintf(name, sizeof(name), "%s", pt__time_name(PT__FIELD_MONTH, month, true));
    if (day == 29) {
        snprintf(why, why_max, "Invalid date 'February 29' as '%" PRId64 "' is not a leap year", year);
        return;
    }
    for (char *c = name; *c != '\0'; c++)
        if (*c >= 'a')
            *c = (char)(*c - 'a' + 'A');
    snprintf(why, why_max, "Invalid date '%s %" PRId64 "'", name, day);
}

static bool resolve_days(const parser *p, int64_t *days, char *why, size_t why_max)
{
    int64_t year = resolve_year(p);
    int64_t month = value_or(p, PT__FIELD_MONTH, 1);
    int64_t day = value_or(p, PT__FIELD_DAY, 1);
    if (is_known(p, PT__FIELD_DAY_OF_YEAR) && is_known(p, PT__FIELD_YEAR) && !is_known(p, PT__FIELD_MONTH)) {
        int64_t day_of_year = p->values[PT__FIELD_DAY_OF_YEAR];
        *days = pt__civil_to_days(year, 1, 1) + day_of_year - 1;
        if (day_of_year == 366 && !pt__civil_is_leap_year(year))
            snprintf(why, why_max, "Invalid date 'DayOfYear 366' as '%" PRId64 "' is not a leap year", year);
        return day_of_year < 366 || pt__civil_is_leap_year(year);
    }
    if (year < INT_MIN || year > INT_MAX || !pt__civil_is_date(year, month, day)) {
        explain_date(year, month, day, why, why_max);
        return false;
    }
    *days = pt__civil_to_days(year, (int32_t)month, (int32_t)day);
    return true;
}

static int64_t resolve_hour(const parser *p)
{
    int64_t half = value_or(p, PT__FIELD_AMPM, 0);
    if (is_known(p, PT__FIELD_HOUR))
        return p->values[PT__FIELD_HOUR];
    if (is_known(p, PT__FIELD_CLOCK_HOUR))
        return p->values[PT__FIELD_CLOCK_HOUR] % 24;
    if (is_known(p, PT__FIELD_HOUR_OF_AMPM))
        return p->values[PT__FIELD_HOUR_OF_AMPM] + 12 * half;
    if (is_known(p, PT__FIELD_CLOCK_HOUR_OF_AMPM))
        return p->values[PT__FIELD_CLOCK_HOUR_OF_AMPM] % 12 + 12 * half;
    return 12 * half;
}

static bool resolve(const parser *p, int64_t *local_us, char *why, size_t why_max)
{
    int64_t days;
    if (!check_ranges(p, why, why_max) || !resolve_days(p, &days, why, why_max))
        return false;
    int64_t seconds = resolve_hour(p) * 3600 + value_or(p, PT__FIELD_MINUTE, 0) * 60 + value_or(p, PT__FIELD_SECOND, 0);
    int64_t in_day = seconds * PT_MICROS_PER_SECOND + value_or(p, PT__FIELD_NANO, 0) / 1000;
    if (!__builtin_mul_overflow(days, PT_MICROS_PER_DAY, local_us) &&
        !__builtin_add_overflow(*local_us, in_day, local_us))
        return true;
    snprintf(why, why_max, "long overflow");
    return false;
}

__attribute__((format(printf, 3, 4))) static bool explain(const parser *p, pt__time_parsed *out, const char *format,
                                                          ...)
{
    bool cut = p->size > TEXT_SHOWN_MAX;
    int length = snprintf(out->problem, sizeof(out->problem), "Text '%.*s%s' could not be parsed",
                          (int)(cut ? TEXT_SHOWN_MAX : p->size), p->text, cut ? "..." : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->problem + length, sizeof(out->problem) - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

bool pt__time_pattern_parse(const pt__time_pattern *pattern, pt__zones *zones, const char *text, size_t size_bytes,
                            pt__time_parsed *out)
{
    char why[PT__TIME_PROBLEM_MAX / 2];
    parser p = {.pattern = pattern, .zones = zones, .text = text, .size = size_bytes};
    if (!parse_items(&p, 0, pattern->item_count))
        return explain(&p, out, " at index %zu", p.at);
    if (p.at < size_bytes)
        return explain(&p, out, ", unparsed text found at index %zu", p.at);
    if (!resolve(&p, &out->local_us, why, sizeof(why)))
        return explain(&p, out, ": %s", why);
    out->zone = p.zone;
    out->offset_seconds = p.offset_seconds;
    out->has_offset = p.has_offset;
    return true;
}

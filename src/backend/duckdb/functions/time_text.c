#include "backend/duckdb/functions/time_text.h"

#include "backend/duckdb/functions/number_text.h"
#include "base/civil.h"

#include <string.h>
#include <time.h>

enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, FRACTION, ZONE };

/* Dates. */

static bool is_date_length(int segment, int digits)
{
    return segment == YEAR ? digits >= 4 && digits <= 7 : digits > 0 && digits <= 2;
}

static bool take_sign(const char **at, const char *end, bool *negative)
{
    *negative = *at < end && **at == '-';
    if (*at == end || (**at != '-' && **at != '+'))
        return false;
    ++*at;
    return true;
}

bool pt__parse_date(pt_text_view text, int32_t *days)
{
    text = pt__trim_text(text);
    const char *at = text.data;
    const char *end = at + text.size_bytes;
    int64_t fields[3] = {1, 1, 1};
    int segment = YEAR;
    int digits = 0;
    int64_t value = 0;
    bool negative;
    take_sign(&at, end, &negative);
    for (; at < end && *at != ' ' && *at != 'T'; at++) {
        if (segment < DAY && *at == '-') {
            if (!is_date_length(segment, digits))
                return false;
            fields[segment++] = value;
            value = digits = 0;
        } else if (*at >= '0' && *at <= '9' && digits < 8) {
            value = value * 10 + (*at - '0');
            digits++;
        } else {
            return false;
        }
    }
    if (!is_date_length(segment, digits) || (segment < DAY && at < end))
        return false;
    fields[segment] = value;
    int64_t year = negative ? -fields[YEAR] : fields[YEAR];
    if (!pt__civil_is_date(year, fields[MONTH], fields[DAY]))
        return false;
    int64_t count = pt__civil_to_days(year, (int32_t)fields[MONTH], (int32_t)fields[DAY]);
    *days = (int32_t)count;
    return count == *days;
}

/* Timestamps. */

typedef struct scanner {
    const char *start;
    const char *at;
    const char *end;
    int segment;
    int digits;
    int32_t value;
    bool signed_year;
    pt__parsed_time *out;
} scanner;

static bool is_length(int segment, int digits)
{
    switch (segment) {
    case YEAR: return digits >= 4 && digits <= 6;
    case FRACTION: return true;
    case ZONE: return digits <= 2;
    default: return digits > 0 && digits <= 2;
    }
}

/** Ends the segment `as`; the next one is `next`. */
static bool end_segment(scanner *s, int as, int next)
{
    if (!is_length(as, s->digits))
        return false;
    if (as < ZONE)
        s->out->fields[as] = s->value;
    s->segment = next;
    s->digits = s->value = 0;
    return true;
}

static bool begin_zone(scanner *s, int as)
{
    if (!end_segment(s, as, ZONE))
        return false;
    s->out->zone = pt__trim_text((pt_text_view){s->at, (size_t)(s->end - s->at)});
    s->out->has_zone = true;
    s->at = s->end - 1;
    return true;
}

static bool take_mark(scanner *s, char c)
{
    switch (s->segment) {
    case YEAR:
        if (c == 'T' && s->at == s->start) {
            s->out->time_only = true;
            s->segment = HOUR;
            return true;
        }
        if (c == ':' && !s->signed_year) {
            s->out->time_only = true;
            return end_segment(s, HOUR, MINUTE);
        }
        return c == '-' && end_segment(s, YEAR, MONTH);
    case MONTH: return c == '-' && end_segment(s, MONTH, DAY);
    case DAY: return (c == ' ' || c == 'T') && end_segment(s, DAY, HOUR);
    case HOUR:
    case MINUTE: return c == ':' && end_segment(s, s->segment, s->segment + 1);
    case SECOND: return c == '.' ? end_segment(s, SECOND, FRACTION) : begin_zone(s, SECOND);
    case FRACTION: return begin_zone(s, FRACTION);
    default: return false;
    }
}

/** Digits of a fraction behind the sixth are dropped. */
static bool take_digit(scanner *s, int digit)
{
    if (s->segment != FRACTION && s->digits > 6)
        return false;
    if (s->segment != FRACTION || s->digits < 6)
        s->value = s->value * 10 + digit;
    s->digits++;
    return true;
}

static bool finish(scanner *s)
{
    if (s->segment == ZONE)
        return true;
    int digits = s->digits;
    if (s->segment == FRACTION)
        for (; digits < 6; digits++)
            s->value *= 10;
    return end_segment(s, s->segment, ZONE);
}

bool pt__parse_time_fields(pt_text_view text, pt__parsed_time *out)
{
    text = pt__trim_text(text);
    *out = (pt__parsed_time){.fields = {1, 1, 1, 0, 0, 0, 0}};
    scanner s = {.start = text.data, .at = text.data, .end = text.data + text.size_bytes, .out = out};
    if (s.at == s.end)
        return false;
    bool negative;
    s.signed_year = take_sign(&s.at, s.end, &negative);
    for (; s.at < s.end; s.at++) {
        int digit = *s.at - '0';
        int fraction_digits = s.segment == FRACTION ? s.digits : -1;
        bool ok = digit >= 0 && digit <= 9 ? take_digit(&s, digit) : take_mark(&s, *s.at);
        if (!ok)
            return false;
        if (fraction_digits >= 0 && s.segment == ZONE)
            for (; fraction_digits < 6; fraction_digits++)
                out->fields[FRACTION] *= 10;
    }
    if (!finish(&s))
        return false;
    if (negative)
        out->fields[YEAR] = -out->fields[YEAR];
    return true;
}

static bool to_local(const pt__parsed_time *parsed, int64_t *local_us)
{
    const int32_t *f = parsed->fields;
    if (!pt__civil_is_date(f[YEAR], f[MONTH], f[DAY]) || f[HOUR] > 23 || f[MINUTE] > 59 || f[SECOND] > 59)
        return false;
    const pt__civil_time time = {{f[YEAR], f[MONTH], f[DAY]}, f[HOUR], f[MINUTE], f[SECOND], f[FRACTION]};
    return pt__civil_to_micros(&time, local_us);
}

const pt__zone *pt__find_zone(pt__zones *zones, pt_text_view name)
{
    char copy[PT_ZONE_NAME_MAX];
    if (name.size_bytes >= sizeof(copy))
        return NULL;
    memcpy(copy, name.data, name.size_bytes);
    copy[name.size_bytes] = '\0';
    return pt__zones_find(zones, copy);
}

static void set_today(pt__parsed_time *parsed, const pt__zone *zone)
{
    int64_t now_us = (int64_t)time(NULL) * PT_MICROS_PER_SECOND;
    pt__civil_time now = pt__civil_from_micros(pt__zone_to_local(zone, now_us));
    parsed->fields[YEAR] = (int32_t)now.date.year;
    parsed->fields[MONTH] = now.date.month;
    parsed->fields[DAY] = now.date.day;
}

bool pt__parse_timestamp(pt_text_view text, pt__zones *zones, const pt__zone *zone, int64_t *micros)
{
    pt__parsed_time parsed;
    int64_t local_us;
    if (!pt__parse_time_fields(text, &parsed))
        return false;
    if (parsed.has_zone)
        zone = pt__find_zone(zones, parsed.zone);
    if (zone == NULL)
        return false;
    if (parsed.time_only)
        set_today(&parsed, zone);
    if (!to_local(&parsed, &local_us))
        return false;
    *micros = pt__zone_to_instant(zone, local_us);
    return true;
}

bool pt__parse_timestamp_ntz(pt_text_view text, pt__zones *zones, int64_t *micros)
{
    pt__parsed_time parsed;
    return pt__parse_time_fields(text, &parsed) && !parsed.time_only &&
           (!parsed.has_zone || pt__find_zone(zones, parsed.zone) != NULL) && to_local(&parsed, micros);
}

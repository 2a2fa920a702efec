#include "backend/ballista/time_literal.h"

#include "base/civil.h"
#include "base/timezone.h"

#include <ctype.h>
#include <string.h>

static bool read_digits(const char **at, size_t count, int32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < count; i++, (*at)++) {
        if (!isdigit((unsigned char)**at))
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return true;
}

static bool read_char(const char **at, char c)
{
    return *(*at)++ == c;
}

static bool read_date(const char **at, int64_t *days)
{
    int32_t year;
    int32_t month;
    int32_t day;
    if (!read_digits(at, 4, &year) || !read_char(at, '-') || !read_digits(at, 2, &month) || !read_char(at, '-') ||
        !read_digits(at, 2, &day) || !pt__civil_is_date(year, month, day))
        return false;
    *days = pt__civil_to_days(year, month, day);
    return true;
}

/* One to six digits behind the point. */
static bool read_fraction(const char **at, int64_t *us)
{
    int64_t unit = 100000;
    *us = 0;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at) && unit > 0; (*at)++, unit /= 10)
        *us += unit * (**at - '0');
    return true;
}

static bool read_time(const char **at, int64_t *us)
{
    int32_t hour;
    int32_t minute;
    int32_t second;
    int64_t fraction = 0;
    if (!read_digits(at, 2, &hour) || !read_char(at, ':') || !read_digits(at, 2, &minute) || !read_char(at, ':') ||
        !read_digits(at, 2, &second) || hour > 23 || minute > 59 || second > 59)
        return false;
    if (**at == '.') {
        (*at)++;
        if (!read_fraction(at, &fraction))
            return false;
    }
    *us = hour * PT_MICROS_PER_HOUR + minute * PT_MICROS_PER_MINUTE + second * PT_MICROS_PER_SECOND + fraction;
    return true;
}

static void free_zones(void *zones)
{
    pt__zones_free(zones);
}

static bool to_instant(pt__arena *arena, const char *name, int64_t local, int64_t *out)
{
    pt__zones *zones = pt__zones_new(NULL);
    if (zones == NULL)
        return false;
    pt__arena_defer(arena, free_zones, zones);
    const pt__zone *zone = pt__zones_find(zones, name);
    if (zone == NULL)
        return false;
    *out = pt__zone_to_instant(zone, local);
    return true;
}

bool pt__time_literal(pt__arena *arena, const char *text, const pt_type *type, const char *time_zone, pt_value *out)
{
    int64_t days;
    int64_t time_us = 0;
    *out = (pt_value){0};
    if (!read_date(&text, &days))
        return false;
    if (type->id == PT_TYPE_DATE) {
        out->as.integer = days;
        return *text == '\0';
    }
    if (*text == ' ' || *text == 'T') {
        text++;
        if (!read_time(&text, &time_us))
            return false;
    }
    int64_t local = days * PT_MICROS_PER_DAY + time_us;
    out->as.integer = local;
    if (*text != '\0' || type->id == PT_TYPE_TIMESTAMP_NTZ)
        return *text == '\0';
    return type->id == PT_TYPE_TIMESTAMP && to_instant(arena, time_zone, local, &out->as.integer);
}

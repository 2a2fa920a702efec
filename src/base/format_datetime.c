#include "base/format_datetime.h"

#include "base/civil.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DAY, HOUR, MINUTE, SECOND };
enum { YEAR, MONTH };

/* Two digits of 0 to 99. */
static void write_pair(char *out, int32_t value)
{
    out[0] = (char)('0' + value / 10);
    out[1] = (char)('0' + value % 10);
}

/* "2024-01-02" of years with four digits, which nearly all have. */
static size_t write_usual_date(pt__civil_date date, char *out)
{
    write_pair(out, (int32_t)(date.year / 100));
    write_pair(out + 2, (int32_t)(date.year % 100));
    out[4] = '-';
    write_pair(out + 5, date.month);
    out[7] = '-';
    write_pair(out + 8, date.day);
    out[10] = '\0';
    return 10;
}

static size_t write_date(pt__civil_date date, char *out, size_t size)
{
    if (date.year >= 0 && date.year <= 9999)
        return write_usual_date(date, out);
    const char *sign = "";
    int64_t year = date.year;
    if (year < 0) {
        sign = "-";
        year = -year;
    } else if (year > 9999) {
        sign = "+";
    }
    return (size_t)snprintf(out, size, "%s%04lld-%02d-%02d", sign, (long long)year, date.month, date.day);
}

size_t pt__format_date(int64_t days, char out[PT_DATETIME_TEXT_MAX])
{
    return write_date(pt__civil_from_days(days), out, PT_DATETIME_TEXT_MAX);
}

/* ".678" from a fraction with that many digits; nothing for 0. */
static size_t write_fraction(int64_t fraction, int digits, char *out, size_t size)
{
    if (fraction == 0) {
        *out = '\0';
        return 0;
    }
    while (fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    return (size_t)snprintf(out, size, ".%0*lld", digits, (long long)fraction);
}

size_t pt__format_timestamp(int64_t local_us, char out[PT_DATETIME_TEXT_MAX])
{
    pt__civil_time time = pt__civil_from_micros(local_us);
    size_t used = write_date(time.date, out, PT_DATETIME_TEXT_MAX);
    char *clock = out + used;
    clock[0] = ' ';
    write_pair(clock + 1, time.hour);
    clock[3] = ':';
    write_pair(clock + 4, time.minute);
    clock[6] = ':';
    write_pair(clock + 7, time.second);
    clock[9] = '\0';
    used += 9;
    return used + write_fraction(time.microsecond, 6, out + used, PT_DATETIME_TEXT_MAX - used);
}

size_t pt__format_time(int64_t nanoseconds, char out[PT_DATETIME_TEXT_MAX])
{
    int64_t seconds = nanoseconds / 1000000000;
    size_t used = (size_t)snprintf(out, PT_DATETIME_TEXT_MAX, "%02lld:%02lld:%02lld", (long long)(seconds / 3600),
                                   (long long)(seconds / 60 % 60), (long long)(seconds % 60));
    return used + write_fraction(nanoseconds % 1000000000, 9, out + used, PT_DATETIME_TEXT_MAX - used);
}

/* ---- intervals ---- */

typedef struct text {
    char *data;
    size_t used;
} text;

static void add(text *out, const char *piece)
{
    size_t length = strlen(piece);
    if (length >= PT_INTERVAL_TEXT_MAX - out->used)
        length = PT_INTERVAL_TEXT_MAX - 1 - out->used;
    memcpy(out->data + out->used, piece, length);
    out->used += length;
    out->data[out->used] = '\0';
}

static void add_number(text *out, const char *before, int width, uint64_t number)
{
    char piece[40];
    snprintf(piece, sizeof(piece), "%s%0*llu", before, width, (unsigned long long)number);
    add(out, piece);
}

static void add_seconds(text *out, const char *before, uint64_t microseconds)
{
    char fraction[16];
    add_number(out, before, 2, microseconds / 1000000);
    write_fraction((int64_t)(microseconds % 1000000), 6, fraction, sizeof(fraction));
    add(out, fraction);
}

static void add_fields(text *out, const char *const *names, uint8_t start_field, uint8_t end_field)
{
    add(out, "' ");
    add(out, names[start_field]);
    if (start_field != end_field) {
        add(out, " TO ");
        add(out, names[end_field]);
    }
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The first field holds all that is larger, the others what remains. */
static void add_day_time_field(text *out, uint8_t field, uint64_t microseconds, bool is_first)
{
    static const uint64_t UNITS[] = {PT_MICROS_PER_DAY, PT_MICROS_PER_HOUR, PT_MICROS_PER_MINUTE, 1};
    uint64_t rest = is_first ? microseconds : microseconds % UNITS[field - 1];
    const char *before = is_first ? "" : field == HOUR ? " " : ":";
    if (field == SECOND)
        add_seconds(out, before, rest);
    else
        add_number(out, before, field == DAY ? 1 : 2, rest / UNITS[field]);
}

size_t pt__format_day_time_interval(int64_t microseconds, uint8_t start_field, uint8_t end_field,
                                    char out[PT_INTERVAL_TEXT_MAX])
{
    static const char *const NAMES[] = {"DAY", "HOUR", "MINUTE", "SECOND"};
    text t = {out, 0};
    add(&t, microseconds < 0 ? "INTERVAL '-" : "INTERVAL '");
    for (uint8_t field = start_field; field <= end_field && field <= SECOND; field++)
        add_day_time_field(&t, field, magnitude(microseconds), field == start_field);
    add_fields(&t, NAMES, start_field & 3, end_field & 3);
    return t.used;
}

size_t pt__format_year_month_interval(int32_t months, uint8_t start_field, uint8_t end_field,
                                      char out[PT_INTERVAL_TEXT_MAX])
{
    static const char *const NAMES[] = {"YEAR", "MONTH"};
    text t = {out, 0};
    uint64_t total = magnitude(months);
    add(&t, months < 0 ? "INTERVAL '-" : "INTERVAL '");
    if (start_field == MONTH)
        add_number(&t, "", 1, total);
    else
        add_number(&t, "", 1, total / 12);
    if (start_field == YEAR && end_field == MONTH)
        add_number(&t, "-", 1, total % 12);
    add_fields(&t, NAMES, start_field & 1, end_field & 1);
    return t.used;
}

static void add_unit(text *out, int64_t count, const char *unit)
{
    if (count == 0)
        return;
    if (out->used > 0)
        add(out, " ");
    add_number(out, count < 0 ? "-" : "", 1, magnitude(count));
    add(out, unit);
}

static void add_calendar_seconds(text *out, int64_t microseconds)
{
    if (microseconds == 0)
        return;
    char fraction[16];
    if (out->used > 0)
        add(out, " ");
    add_number(out, microseconds < 0 ? "-" : "", 1, magnitude(microseconds) / 1000000);
    write_fraction((int64_t)(magnitude(microseconds) % 1000000), 6, fraction, sizeof(fraction));
    add(out, fraction);
    add(out, " seconds");
}

size_t pt__format_calendar_interval(int32_t months, int32_t days, int64_t microseconds, char out[PT_INTERVAL_TEXT_MAX])
{
    text t = {out, 0};
    add_unit(&t, months / 12, " years");
    add_unit(&t, months % 12, " months");
    add_unit(&t, days, " days");
    add_unit(&t, microseconds / PT_MICROS_PER_HOUR, " hours");
    add_unit(&t, microseconds % PT_MICROS_PER_HOUR / PT_MICROS_PER_MINUTE, " minutes");
    add_calendar_seconds(&t, microseconds % PT_MICROS_PER_MINUTE);
    if (t.used == 0)
        add(&t, "0 seconds");
    return t.used;
}

/* make_date, make_timestamp and the makers of intervals. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/time_names.h"
#include "backend/duckdb/functions/zones.h"
#include "base/civil.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_MAX = 128 };

static bool out_of_bounds(pt__fn_call *call, const char *message)
{
    return pt__fn_reject(call, PT_COND_DATETIME_FIELD_OUT_OF_BOUNDS_WITH_SUGGESTION, "rangeMessage", message,
                         "ansiConfig", PT__ANSI_CONFIG, NULL);
}

static bool check_field(pt__fn_call *call, const char *name, int64_t value, int64_t smallest, const char *range)
{
    char message[MESSAGE_MAX];
    int64_t largest = strtoll(range, NULL, 10);
    if (value >= smallest && value <= largest)
        return true;
    const char *shown = strchr(range, ' ');
    snprintf(message, sizeof(message), "Invalid value for %s (valid values %" PRId64 " - %s): %" PRId64, name, smallest,
             shown == NULL ? range : shown + 1, value);
    return out_of_bounds(call, message);
}

static bool check_date(pt__fn_call *call, int64_t year, int64_t month, int64_t day)
{
    char message[MESSAGE_MAX];
    char name[16];
    if (!check_field(call, "Year", year, -999999999, "999999999") ||
        !check_field(call, "MonthOfYear", month, 1, "12") || !check_field(call, "DayOfMonth", day, 1, "31 28/31"))
        return false;
    if (pt__civil_is_date(year, month, day))
        return true;
    snprintf(name, sizeof(name), "%s", pt__time_name(PT__FIELD_MONTH, month, true));
    for (char *c = name; day != 29 && *c != '\0'; c++)
        *c = *c >= 'a' ? (char)(*c - 'a' + 'A') : *c;
    if (day == 29)
        snprintf(message, sizeof(message), "Invalid date 'February 29' as '%" PRId64 "' is not a leap year", year);
    else
        snprintf(message, sizeof(message), "Invalid date '%s %" PRId64 "'", name, day);
    return out_of_bounds(call, message);
}

static bool overflow(pt__fn_call *call)
{
    return pt__fn_reject(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "overflow", "alternative", "", "config",
                         PT__ANSI_CONFIG, NULL);
}

static bool make_date(pt__fn_call *call, idx_t row)
{
    int32_t year = PT__FN_IN(call, 0, int32_t)[row];
    int32_t month = PT__FN_IN(call, 1, int32_t)[row];
    int32_t day = PT__FN_IN(call, 2, int32_t)[row];
    if (!check_date(call, year, month, day))
        return false;
    int64_t days = pt__civil_to_days(year, month, day);
    PT__FN_OUT(call, int32_t)[row] = (int32_t)days;
    return days == (int32_t)days || overflow(call);
}

void pt__fn_make_date(pt__fn_call *call)
{
    PT__FN_EACH(call, r, make_date(call, r));
}

/* make_timestamp(year, month, day, hour, minute, seconds with microseconds [, zone]). */

static bool check_seconds(pt__fn_call *call, int64_t micros, int64_t *carry_us)
{
    char value[32];
    int64_t seconds = pt__floor_divide(micros, PT_MICROS_PER_SECOND);
    *carry_us = 0;
    if (seconds == 60 && micros % PT_MICROS_PER_SECOND == 0) {
        *carry_us = PT_MICROS_PER_MINUTE;
        return true;
    }
    if (seconds != 60)
        return check_field(call, "SecondOfMinute", seconds, 0, "59");
    int length = snprintf(value, sizeof(value), "60.%06d", (int)(micros % PT_MICROS_PER_SECOND));
    while (value[length - 1] == '0')
        value[--length] = '\0';
    return pt__fn_reject(call, PT_COND_INVALID_FRACTION_OF_SECOND, "secAndMicros", value, NULL);
}

static bool make_local(pt__fn_call *call, idx_t row, int64_t *local_us)
{
    int64_t fields[5];
    int64_t seconds_us = (int64_t)pt__fn_integer(&call->columns[5], row);
    int64_t carry_us;
    for (size_t i = 0; i < 5; i++)
        fields[i] = PT__FN_IN(call, i, int32_t)[row];
    if (!check_seconds(call, seconds_us, &carry_us) || !check_date(call, fields[0], fields[1], fields[2]) ||
        !check_field(call, "HourOfDay", fields[3], 0, "23") || !check_field(call, "MinuteOfHour", fields[4], 0, "59"))
        return false;
    if (carry_us != 0)
        seconds_us = 0;
    const pt__civil_time time = {.date = {fields[0], (int32_t)fields[1], (int32_t)fields[2]},
                                 .hour = (int32_t)fields[3],
                                 .minute = (int32_t)fields[4],
                                 .second = (int32_t)(seconds_us / PT_MICROS_PER_SECOND),
                                 .microsecond = (int32_t)(seconds_us % PT_MICROS_PER_SECOND)};
    return (pt__civil_to_micros(&time, local_us) && !__builtin_add_overflow(*local_us, carry_us, local_us)) ||
           overflow(call);
}

static bool make_timestamp(pt__fn_call *call, idx_t row)
{
    int64_t local_us;
    if (!make_local(call, row, &local_us))
        return false;
    const pt__zone *zone = call->column_count > 6 ? pt__fn_zone(call, 6, row) : NULL;
    if (call->failed)
        return false;
    PT__FN_OUT(call, int64_t)[row] = zone == NULL ? local_us : pt__zone_to_instant(zone, local_us);
    return true;
}

void pt__fn_make_timestamp(pt__fn_call *call)
{
    PT__FN_EACH(call, r, make_timestamp(call, r));
}

/* Intervals. */

static bool fits_int(int64_t value)
{
    return value == (int32_t)value;
}

static bool interval_overflow(pt__fn_call *call)
{
    return pt__fn_reject(call, PT_COND_INTERVAL_ARITHMETIC_OVERFLOW_WITHOUT_SUGGESTION, NULL);
}

/** hours, minutes and seconds of three columns from `first` on, in microseconds. */
static bool clock_micros(const pt__fn_call *call, size_t first, idx_t row, int64_t *out)
{
    pt_int128 micros = (pt_int128)PT__FN_IN(call, first, int32_t)[row] * PT_MICROS_PER_HOUR +
                       (pt_int128)PT__FN_IN(call, first + 1, int32_t)[row] * PT_MICROS_PER_MINUTE +
                       pt__fn_integer(&call->columns[first + 2], row);
    *out = (int64_t)micros;
    return *out == micros;
}

/** make_interval(years, months, weeks, days, hours, minutes, seconds). */
static bool make_interval(pt__fn_call *call, idx_t row)
{
    int64_t months = (int64_t)PT__FN_IN(call, 0, int32_t)[row] * 12 + PT__FN_IN(call, 1, int32_t)[row];
    int64_t days = (int64_t)PT__FN_IN(call, 2, int32_t)[row] * 7 + PT__FN_IN(call, 3, int32_t)[row];
    int64_t micros;
    if (!fits_int(months) || !fits_int(days) || !clock_micros(call, 4, row, &micros))
        return overflow(call);
    PT__FN_OUT(call, duckdb_interval)[row] = (duckdb_interval){(int32_t)months, (int32_t)days, micros};
    return true;
}

void pt__fn_make_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, make_interval(call, r));
}

static bool make_dt_interval(pt__fn_call *call, idx_t row)
{
    int64_t days_us;
    int64_t micros;
    if (__builtin_mul_overflow((int64_t)PT__FN_IN(call, 0, int32_t)[row], PT_MICROS_PER_DAY, &days_us) ||
        !clock_micros(call, 1, row, &micros) || __builtin_add_overflow(days_us, micros, &micros))
        return interval_overflow(call);
    PT__FN_OUT(call, int64_t)[row] = micros;
    return true;
}

void pt__fn_make_dt_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, make_dt_interval(call, r));
}

static bool make_ym_interval(pt__fn_call *call, idx_t row)
{
    int64_t months = (int64_t)PT__FN_IN(call, 0, int32_t)[row] * 12 + PT__FN_IN(call, 1, int32_t)[row];
    PT__FN_OUT(call, int32_t)[row] = (int32_t)months;
    return fits_int(months) || interval_overflow(call);
}

void pt__fn_make_ym_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, make_ym_interval(call, r));
}

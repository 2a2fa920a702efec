/**
 * Days and times of the proleptic Gregorian calendar, without zones.
 *
 * Days count from 1970-01-01, microseconds from its midnight. Everything is plain arithmetic: years from -290000 to
 * 290000 are exact, and years before 1 are numbered 0, -1, … as in ISO 8601.
 */
#ifndef PT_BASE_CIVIL_H
#define PT_BASE_CIVIL_H

#include <stdbool.h>
#include <stdint.h>

#define PT_MICROS_PER_SECOND INT64_C(1000000)
#define PT_MICROS_PER_MINUTE INT64_C(60000000)
#define PT_MICROS_PER_HOUR INT64_C(3600000000)
#define PT_MICROS_PER_DAY INT64_C(86400000000)

typedef struct pt__civil_date {
    int64_t year;
    int32_t month; /* 1 to 12 */
    int32_t day;   /* 1 to 31 */
} pt__civil_date;

typedef struct pt__civil_time {
    pt__civil_date date;
    int32_t hour;
    int32_t minute;
    int32_t second;
    int32_t microsecond;
} pt__civil_time;

/** Quotient and remainder that round towards minus infinity; `divisor` is positive. */
int64_t pt__floor_divide(int64_t value, int64_t divisor);
int64_t pt__floor_modulo(int64_t value, int64_t divisor);

bool pt__civil_is_leap_year(int64_t year);
int32_t pt__civil_days_in_month(int64_t year, int32_t month);
/** Whether the fields name a day of the calendar. */
bool pt__civil_is_date(int64_t year, int64_t month, int64_t day);

int64_t pt__civil_to_days(int64_t year, int32_t month, int32_t day);
pt__civil_date pt__civil_from_days(int64_t days);

/** Monday 1 to Sunday 7. */
int32_t pt__civil_weekday(int64_t days);
/** 1 to 366. */
int32_t pt__civil_day_of_year(int64_t days);
/** ISO 8601 week, 1 to 53, and the year it belongs to (may be NULL). */
int32_t pt__civil_iso_week(int64_t days, int64_t *week_year);

/** The same day of another month; the last one of a month that is too short. */
int64_t pt__civil_add_months(int64_t days, int64_t months);

/** Of a local time in microseconds. */
pt__civil_time pt__civil_from_micros(int64_t micros);
/** False when the result does not fit. */
bool pt__civil_to_micros(const pt__civil_time *time, int64_t *micros);

#endif

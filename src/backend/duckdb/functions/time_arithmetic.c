/* Adding to timestamps, differences, truncation, windows. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/time_units.h"
#include "backend/duckdb/functions/zones.h"
#include "base/civil.h"
#include "base/format_datetime.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/** The zone of `column`, or UTC for local timestamps, which have none; NULL after raising an error. */
static const pt__zone *zone_of(pt__fn_call *call, size_t column, idx_t row)
{
    return column < call->column_count ? pt__fn_zone(call, column, row) : pt__zones_find(call->zones, "UTC");
}

/* Steps of a zoned time; each goes through the local time and back, as java.time does. False on overflow. */

static bool in_range(int64_t days)
{
    return days > INT64_MIN / PT_MICROS_PER_DAY && days < INT64_MAX / PT_MICROS_PER_DAY;
}

static bool move_days(const pt__zone *zone, int64_t *instant_us, int64_t days, int64_t months)
{
    if (days == 0 && months == 0)
        return true;
    int64_t local_us = pt__zone_to_local(zone, *instant_us);
    int64_t day = pt__floor_divide(local_us, PT_MICROS_PER_DAY);
    int64_t in_day = local_us - day * PT_MICROS_PER_DAY;
    if (months > 10000000 || months < -10000000 || __builtin_add_overflow(day, days, &day))
        return false;
    if (months != 0)
        day = pt__civil_add_months(day, months);
    if (!in_range(day))
        return false;
    *instant_us = pt__zone_to_instant(zone, day * PT_MICROS_PER_DAY + in_day);
    return true;
}

static bool add_parts(const pt__zone *zone, int64_t *instant_us, int64_t months, int64_t days, int64_t micros)
{
    return move_days(zone, instant_us, 0, months) && move_days(zone, instant_us, days, 0) &&
           !__builtin_add_overflow(*instant_us, micros, instant_us);
}

static bool raise_overflow(pt__fn_call *call)
{
    return pt__fn_raise(call, PT_COND_DATETIME_OVERFLOW, "operation", "add an interval to a timestamp", NULL);
}

/* timestamp + interval; options: 1 adds, -1 subtracts. */

static bool add_interval(pt__fn_call *call, idx_t row)
{
    const duckdb_interval *interval = PT__FN_IN(call, 1, duckdb_interval) + row;
    const pt__zone *zone = zone_of(call, 2, row);
    int64_t instant_us = PT__FN_IN(call, 0, int64_t)[row];
    int64_t sign = call->row->option;
    if (zone == NULL)
        return false;
    if (!add_parts(zone, &instant_us, sign * interval->months, sign * interval->days, sign * interval->micros))
        return raise_overflow(call);
    PT__FN_OUT(call, int64_t)[row] = instant_us;
    return true;
}

void pt__fn_timestamp_add_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, add_interval(call, r));
}

/** Whole days are calendar days, the rest is elapsed time. */
static bool add_day_time(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = zone_of(call, 2, row);
    int64_t instant_us = PT__FN_IN(call, 0, int64_t)[row];
    int64_t amount = PT__FN_IN(call, 1, int64_t)[row];
    int64_t sign = call->row->option;
    if (zone == NULL)
        return false;
    int64_t days = amount / PT_MICROS_PER_DAY;
    if (!add_parts(zone, &instant_us, 0, sign * days, sign * (amount - days * PT_MICROS_PER_DAY)))
        return raise_overflow(call);
    PT__FN_OUT(call, int64_t)[row] = instant_us;
    return true;
}

void pt__fn_timestamp_add_day_time(pt__fn_call *call)
{
    PT__FN_EACH(call, r, add_day_time(call, r));
}

static bool add_year_month(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = zone_of(call, 2, row);
    int64_t instant_us = PT__FN_IN(call, 0, int64_t)[row];
    int64_t months = (int64_t)call->row->option * PT__FN_IN(call, 1, int32_t)[row];
    if (zone == NULL)
        return false;
    if (!move_days(zone, &instant_us, 0, months))
        return raise_overflow(call);
    PT__FN_OUT(call, int64_t)[row] = instant_us;
    return true;
}

void pt__fn_timestamp_add_year_month(pt__fn_call *call)
{
    PT__FN_EACH(call, r, add_year_month(call, r));
}

/* timestampadd(unit, count, timestamp). */

static bool raise_add_overflow(pt__fn_call *call, idx_t row)
{
    char operation[160];
    char time[PT_DATETIME_TEXT_MAX];
    const pt__zone *zone = zone_of(call, 3, row);
    pt_text_view unit = pt__fn_text(call, 0, row);
    pt__format_timestamp(pt__zone_to_local(zone, PT__FN_IN(call, 2, int64_t)[row]), time);
    snprintf(operation, sizeof(operation), "add %" PRId64 "L %.*s to TIMESTAMP%s '%s'",
             PT__FN_IN(call, 1, int64_t)[row], (int)unit.size_bytes, unit.data, call->column_count > 3 ? "" : "_NTZ",
             time);
    return pt__fn_raise(call, PT_COND_DATETIME_OVERFLOW, "operation", operation, NULL);
}

static bool fail_unit(pt__fn_call *call)
{
    duckdb_scalar_function_set_error(call->info, "unknown unit of time");
    call->failed = true;
    return false;
}

static bool add_units(const pt__zone *zone, int64_t *instant_us, pt__time_unit unit, int64_t count)
{
    int64_t amount;
    if (__builtin_mul_overflow(count, pt__time_unit_size(unit), &amount))
        return false;
    if (unit >= PT__UNIT_MONTH)
        return move_days(zone, instant_us, 0, amount);
    if (unit >= PT__UNIT_DAY)
        return move_days(zone, instant_us, amount / PT_MICROS_PER_DAY, 0);
    return !__builtin_add_overflow(*instant_us, amount, instant_us);
}

static bool timestampadd(pt__fn_call *call, idx_t row)
{
    pt__time_unit unit = pt__time_unit_find(pt__fn_text(call, 0, row));
    const pt__zone *zone = zone_of(call, 3, row);
    int64_t instant_us = PT__FN_IN(call, 2, int64_t)[row];
    if (zone == NULL)
        return false;
    if (unit == PT__UNIT_NONE)
        return fail_unit(call);
    if (!add_units(zone, &instant_us, unit, PT__FN_IN(call, 1, int64_t)[row]))
        return raise_add_overflow(call, row);
    PT__FN_OUT(call, int64_t)[row] = instant_us;
    return true;
}

void pt__fn_timestampadd(pt__fn_call *call)
{
    PT__FN_EACH(call, r, timestampadd(call, r));
}

/* timestampdiff(unit, start, end): whole units between local times. */

static int64_t whole_months(int64_t start_us, int64_t end_us)
{
    pt__civil_time start = pt__civil_from_micros(start_us);
    pt__civil_time end = pt__civil_from_micros(end_us);
    int64_t months = (end.date.year - start.date.year) * 12 + end.date.month - start.date.month;
    int64_t start_rest = start.date.day * PT_MICROS_PER_DAY + pt__floor_modulo(start_us, PT_MICROS_PER_DAY);
    int64_t end_rest = end.date.day * PT_MICROS_PER_DAY + pt__floor_modulo(end_us, PT_MICROS_PER_DAY);
    if (months > 0 && end_rest < start_rest)
        months--;
    else if (months < 0 && end_rest > start_rest)
        months++;
    return months;
}

static bool timestampdiff(pt__fn_call *call, idx_t row)
{
    pt__time_unit unit = pt__time_unit_find(pt__fn_text(call, 0, row));
    const pt__zone *zone = zone_of(call, 3, row);
    if (zone == NULL)
        return false;
    if (unit == PT__UNIT_NONE)
        return fail_unit(call);
    int64_t start_us = pt__zone_to_local(zone, PT__FN_IN(call, 1, int64_t)[row]);
    int64_t end_us = pt__zone_to_local(zone, PT__FN_IN(call, 2, int64_t)[row]);
    int64_t size = pt__time_unit_size(unit);
    PT__FN_OUT(call, int64_t)
    [row] = unit >= PT__UNIT_MONTH ? whole_months(start_us, end_us) / size : (end_us - start_us) / size;
    return true;
}

void pt__fn_timestampdiff(pt__fn_call *call)
{
    PT__FN_EACH(call, r, timestampdiff(call, r));
}

/** end - start as a day-time interval of local times. */
static bool subtract(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = zone_of(call, 2, row);
    if (zone == NULL)
        return false;
    int64_t end_us = pt__zone_to_local(zone, PT__FN_IN(call, 0, int64_t)[row]);
    int64_t start_us = pt__zone_to_local(zone, PT__FN_IN(call, 1, int64_t)[row]);
    return !__builtin_sub_overflow(end_us, start_us, &PT__FN_OUT(call, int64_t)[row]) ||
           pt__fn_raise(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "long overflow", "alternative", "", "config",
                        PT__ANSI_CONFIG, NULL);
}

void pt__fn_timestamp_subtract(pt__fn_call *call)
{
    PT__FN_EACH(call, r, subtract(call, r));
}

/* months_between(a, b, round). */

static double months_between(int64_t a_us, int64_t b_us, bool rounded)
{
    pt__civil_time a = pt__civil_from_micros(a_us);
    pt__civil_time b = pt__civil_from_micros(b_us);
    double months = (double)((a.date.year - b.date.year) * 12 + a.date.month - b.date.month);
    bool both_last = a.date.day == pt__civil_days_in_month(a.date.year, a.date.month) &&
                     b.date.day == pt__civil_days_in_month(b.date.year, b.date.month);
    if (a.date.day == b.date.day || both_last)
        return months;
    int64_t seconds = pt__floor_modulo(a_us, PT_MICROS_PER_DAY) / PT_MICROS_PER_SECOND -
                      pt__floor_modulo(b_us, PT_MICROS_PER_DAY) / PT_MICROS_PER_SECOND;
    double difference = months + ((double)(a.date.day - b.date.day) * 86400.0 + (double)seconds) / (31.0 * 86400.0);
    return rounded ? round(difference * 1e8) / 1e8 : difference;
}

static bool months_between_row(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = zone_of(call, 3, row);
    if (zone == NULL)
        return false;
    int64_t a_us = pt__zone_to_local(zone, PT__FN_IN(call, 0, int64_t)[row]);
    int64_t b_us = pt__zone_to_local(zone, PT__FN_IN(call, 1, int64_t)[row]);
    PT__FN_OUT(call, double)[row] = months_between(a_us, b_us, PT__FN_IN(call, 2, bool)[row]);
    return true;
}

void pt__fn_months_between(pt__fn_call *call)
{
    PT__FN_EACH(call, r, months_between_row(call, r));
}

/* Truncation. */

static int64_t truncate_days(int64_t days, pt__time_unit unit)
{
    pt__civil_date date = pt__civil_from_days(days);
    switch (unit) {
    case PT__UNIT_WEEK: return days - (pt__civil_weekday(days) - 1);
    case PT__UNIT_MONTH: return pt__civil_to_days(date.year, date.month, 1);
    case PT__UNIT_QUARTER: return pt__civil_to_days(date.year, (date.month - 1) / 3 * 3 + 1, 1);
    case PT__UNIT_YEAR: return pt__civil_to_days(date.year, 1, 1);
    default: return days;
    }
}

/** Units below a day are cut from the instant where the offset is a whole number of them. */
static int64_t truncate_instant(const pt__zone *zone, int64_t instant_us, pt__time_unit unit)
{
    int64_t local_us = pt__zone_to_local(zone, instant_us);
    if (unit >= PT__UNIT_DAY) {
        int64_t days = truncate_days(pt__floor_divide(local_us, PT_MICROS_PER_DAY), unit);
        return pt__zone_to_instant(zone, days * PT_MICROS_PER_DAY);
    }
    return instant_us - pt__floor_modulo(local_us, pt__time_unit_size(unit));
}

static bool date_trunc(pt__fn_call *call, idx_t row)
{
    pt__time_unit unit = pt__trunc_unit_find(pt__fn_text(call, 0, row));
    const pt__zone *zone = zone_of(call, 2, row);
    if (unit == PT__UNIT_NONE || zone == NULL)
        return false;
    PT__FN_OUT(call, int64_t)[row] = truncate_instant(zone, PT__FN_IN(call, 1, int64_t)[row], unit);
    return true;
}

void pt__fn_date_trunc(pt__fn_call *call)
{
    PT__FN_EACH(call, r, date_trunc(call, r));
}

/** trunc(date, unit): NULL for units below a week. */
static bool trunc_date(pt__fn_call *call, idx_t row)
{
    pt__time_unit unit = pt__trunc_unit_find(pt__fn_text(call, 1, row));
    if (unit == PT__UNIT_NONE || unit < PT__UNIT_WEEK)
        return false;
    PT__FN_OUT(call, int32_t)[row] = (int32_t)truncate_days(PT__FN_IN(call, 0, int32_t)[row], unit);
    return true;
}

void pt__fn_trunc_date(pt__fn_call *call)
{
    PT__FN_EACH(call, r, trunc_date(call, r));
}

/* Dates. */

static bool add_months(pt__fn_call *call, int32_t days, int64_t months, int32_t *out)
{
    int64_t moved = pt__civil_add_months(days, months);
    *out = (int32_t)moved;
    return moved == *out || pt__fn_raise(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "overflow", "alternative", "",
                                         "config", PT__ANSI_CONFIG, NULL);
}

/** Option: 1 adds, -1 subtracts. */
void pt__fn_add_months(pt__fn_call *call)
{
    const int32_t *months = PT__FN_IN(call, 1, int32_t);
    PT__FN_EACH(call, r,
                add_months(call, PT__FN_IN(call, 0, int32_t)[r], (int64_t)call->row->option * months[r],
                           &PT__FN_OUT(call, int32_t)[r]));
}

static bool add_date_interval(pt__fn_call *call, idx_t row)
{
    const duckdb_interval *interval = PT__FN_IN(call, 1, duckdb_interval) + row;
    int64_t sign = call->row->option;
    int32_t days;
    if (interval->micros != 0)
        return pt__fn_reject(call, PT_COND_INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION, NULL);
    if (!add_months(call, PT__FN_IN(call, 0, int32_t)[row], sign * interval->months, &days))
        return false;
    PT__FN_OUT(call, int32_t)[row] = (int32_t)(days + sign * interval->days);
    return true;
}

void pt__fn_date_add_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, add_date_interval(call, r));
}

/* next_day. */

static int find_weekday(pt_text_view name)
{
    static const char *const NAMES[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
    for (int i = 0; i < 7; i++) {
        size_t length = strlen(NAMES[i]);
        bool fits = name.size_bytes == 2 || name.size_bytes == 3 || name.size_bytes == length;
        if (fits && strncasecmp(name.data, NAMES[i], name.size_bytes) == 0)
            return i + 1;
    }
    return 0;
}

static bool next_day(pt__fn_call *call, idx_t row)
{
    pt_text_view name = pt__fn_text(call, 1, row);
    int32_t days = PT__FN_IN(call, 0, int32_t)[row];
    int weekday = find_weekday(name);
    if (weekday == 0) {
        pt__buffer copy = PT_BUFFER_INIT;
        pt__buffer_append(&copy, name.data, name.size_bytes);
        pt__fn_reject(call, PT_COND_ILLEGAL_DAY_OF_WEEK, "string", pt__buffer_string(&copy), NULL);
        pt__buffer_deinit(&copy);
        return false;
    }
    PT__FN_OUT(call, int32_t)[row] = days + (weekday - pt__civil_weekday(days) + 6) % 7 + 1;
    return true;
}

void pt__fn_next_day(pt__fn_call *call)
{
    PT__FN_EACH(call, r, next_day(call, r));
}

/* Zones. */

/** convert_timezone(from, to, local). */
static bool convert_timezone(pt__fn_call *call, idx_t row)
{
    const pt__zone *from = pt__fn_zone(call, 0, row);
    const pt__zone *to = from == NULL ? NULL : pt__fn_zone(call, 1, row);
    if (to == NULL)
        return false;
    int64_t instant_us = pt__zone_to_instant(from, PT__FN_IN(call, 2, int64_t)[row]);
    PT__FN_OUT(call, int64_t)[row] = pt__zone_to_local(to, instant_us);
    return true;
}

void pt__fn_convert_timezone(pt__fn_call *call)
{
    PT__FN_EACH(call, r, convert_timezone(call, r));
}

/** Option 1: the clock of the zone, read as UTC; 0: the other way. */
static bool shift_zone(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = pt__fn_zone(call, 1, row);
    int64_t micros = PT__FN_IN(call, 0, int64_t)[row];
    if (zone != NULL)
        PT__FN_OUT(call, int64_t)
    [row] = call->row->option == 1 ? pt__zone_to_local(zone, micros) : pt__zone_to_instant(zone, micros);
    return zone != NULL;
}

void pt__fn_shift_zone(pt__fn_call *call)
{
    PT__FN_EACH(call, r, shift_zone(call, r));
}

/* Windows: (time, length, slide, offset) in microseconds; the last window that begins at or before the time. */

static int64_t last_start(int64_t time_us, int64_t slide_us, int64_t offset_us)
{
    return time_us - pt__floor_modulo(time_us - offset_us, slide_us);
}

static bool window_start(pt__fn_call *call, idx_t row)
{
    int64_t slide_us = PT__FN_IN(call, 1, int64_t)[row];
    PT__FN_OUT(call, int64_t)
    [row] = last_start(PT__FN_IN(call, 0, int64_t)[row], slide_us, PT__FN_IN(call, 2, int64_t)[row]);
    return slide_us > 0;
}

void pt__fn_window_start(pt__fn_call *call)
{
    PT__FN_EACH(call, r, window_start(call, r));
}

enum { WINDOWS_MAX = 1 << 20 };

/** All windows that hold the time, the latest first. */
static bool window_starts(pt__fn_call *call, idx_t row, duckdb_vector child, idx_t *total)
{
    int64_t time_us = PT__FN_IN(call, 0, int64_t)[row];
    int64_t length_us = PT__FN_IN(call, 1, int64_t)[row];
    int64_t slide_us = PT__FN_IN(call, 2, int64_t)[row];
    if (slide_us <= 0 || length_us / slide_us > WINDOWS_MAX)
        return false;
    int64_t start_us = last_start(time_us, slide_us, PT__FN_IN(call, 3, int64_t)[row]);
    idx_t first = *total;
    duckdb_list_vector_reserve(call->output, *total + (idx_t)(length_us / slide_us) + 1);
    int64_t *out = duckdb_vector_get_data(child);
    for (; start_us + length_us > time_us; start_us -= slide_us)
        out[(*total)++] = start_us;
    PT__FN_OUT(call, duckdb_list_entry)[row] = (duckdb_list_entry){first, *total - first};
    return true;
}

void pt__fn_window_starts(pt__fn_call *call)
{
    idx_t total = 0;
    duckdb_vector child = duckdb_list_vector_get_child(call->output);
    PT__FN_EACH(call, r, window_starts(call, r, child, &total));
    duckdb_list_vector_set_size(call->output, total);
}

/* time_bucket(size, time, origin): the last start of a bucket at or before the time. */

static bool time_bucket(pt__fn_call *call, idx_t row)
{
    int64_t size_us = PT__FN_IN(call, 0, int64_t)[row];
    if (size_us <= 0)
        return false;
    PT__FN_OUT(call, int64_t)
    [row] = last_start(PT__FN_IN(call, 1, int64_t)[row], size_us, PT__FN_IN(call, 2, int64_t)[row]);
    return true;
}

void pt__fn_time_bucket(pt__fn_call *call)
{
    PT__FN_EACH(call, r, time_bucket(call, r));
}

static int64_t add_local_months(int64_t local_us, int64_t months)
{
    int64_t day = pt__floor_divide(local_us, PT_MICROS_PER_DAY);
    return pt__civil_add_months(day, months) * PT_MICROS_PER_DAY + (local_us - day * PT_MICROS_PER_DAY);
}

static bool time_bucket_months(pt__fn_call *call, idx_t row)
{
    int64_t size = PT__FN_IN(call, 0, int32_t)[row];
    const pt__zone *zone = zone_of(call, 3, row);
    if (zone == NULL || size <= 0)
        return false;
    int64_t time_us = pt__zone_to_local(zone, PT__FN_IN(call, 1, int64_t)[row]);
    int64_t origin_us = pt__zone_to_local(zone, PT__FN_IN(call, 2, int64_t)[row]);
    int64_t bucket = pt__floor_divide(whole_months(origin_us, time_us), size);
    int64_t start_us = add_local_months(origin_us, bucket * size);
    if (start_us > time_us)
        start_us = add_local_months(origin_us, (bucket - 1) * size);
    PT__FN_OUT(call, int64_t)[row] = pt__zone_to_instant(zone, start_us);
    return true;
}

void pt__fn_time_bucket_months(pt__fn_call *call)
{
    PT__FN_EACH(call, r, time_bucket_months(call, r));
}

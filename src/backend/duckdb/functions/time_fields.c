/* Fields of dates and timestamps: year, month, dayofweek … */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/zones.h"
#include "base/civil.h"

typedef int32_t (*day_field)(int64_t days);

static int32_t year_of(int64_t days)
{
    return (int32_t)pt__civil_from_days(days).year;
}

static int32_t quarter_of(int64_t days)
{
    return (pt__civil_from_days(days).month + 2) / 3;
}

static int32_t month_of(int64_t days)
{
    return pt__civil_from_days(days).month;
}

static int32_t day_of(int64_t days)
{
    return pt__civil_from_days(days).day;
}

/** Sunday 1. */
static int32_t day_of_week(int64_t days)
{
    return pt__civil_weekday(days) % 7 + 1;
}

/** Monday 0. */
static int32_t weekday_of(int64_t days)
{
    return pt__civil_weekday(days) - 1;
}

static int32_t week_of(int64_t days)
{
    return pt__civil_iso_week(days, NULL);
}

static int32_t week_year_of(int64_t days)
{
    int64_t year;
    pt__civil_iso_week(days, &year);
    return (int32_t)year;
}

static const day_field DAY_FIELDS[] = {
    [PT__DATE_YEAR] = year_of,
    [PT__DATE_QUARTER] = quarter_of,
    [PT__DATE_MONTH] = month_of,
    [PT__DATE_DAY] = day_of,
    [PT__DATE_DAY_OF_YEAR] = pt__civil_day_of_year,
    [PT__DATE_DAY_OF_WEEK] = day_of_week,
    [PT__DATE_WEEKDAY] = weekday_of,
    [PT__DATE_WEEK] = week_of,
    [PT__DATE_WEEK_YEAR] = week_year_of,
};

/** Local microseconds of a TIMESTAMP, or of a TIMESTAMPTZ in the zone of column 1. */
static bool local_time(pt__fn_call *call, idx_t row, int64_t *local_us)
{
    *local_us = PT__FN_IN(call, 0, int64_t)[row];
    if (call->columns[0].type->id != DUCKDB_TYPE_TIMESTAMP_TZ)
        return true;
    const pt__zone *zone = pt__fn_zone(call, 1, row);
    if (zone != NULL)
        *local_us = pt__zone_to_local(zone, *local_us);
    return zone != NULL;
}

static bool date_field(pt__fn_call *call, idx_t row, day_field field)
{
    int64_t local_us;
    if (!local_time(call, row, &local_us))
        return false;
    PT__FN_OUT(call, int32_t)[row] = field(pt__floor_divide(local_us, PT_MICROS_PER_DAY));
    return true;
}

static bool put(int32_t value, int32_t *out)
{
    *out = value;
    return true;
}

void pt__fn_date_field(pt__fn_call *call)
{
    day_field field = DAY_FIELDS[call->row->option];
    if (call->columns[0].type->id == DUCKDB_TYPE_DATE) {
        PT__FN_EACH(call, r, put(field(PT__FN_IN(call, 0, int32_t)[r]), &PT__FN_OUT(call, int32_t)[r]));
    } else {
        PT__FN_EACH(call, r, date_field(call, r, field));
    }
}

/** Options: the unit's length in microseconds is 10^6 × option, of which `count` make the next one. */
static bool time_field(pt__fn_call *call, idx_t row, int64_t unit_us, int64_t count)
{
    int64_t local_us;
    if (!local_time(call, row, &local_us))
        return false;
    PT__FN_OUT(call, int32_t)[row] = (int32_t)pt__floor_modulo(pt__floor_divide(local_us, unit_us), count);
    return true;
}

void pt__fn_time_field(pt__fn_call *call)
{
    int64_t unit_us = call->row->option * PT_MICROS_PER_SECOND;
    int64_t count = call->row->option == 3600 ? 24 : 60;
    PT__FN_EACH(call, r, time_field(call, r, unit_us, count));
}

/** Seconds and their fraction as DECIMAL(8,6). */
static bool second_fraction(pt__fn_call *call, idx_t row)
{
    int64_t local_us;
    if (!local_time(call, row, &local_us))
        return false;
    PT__FN_OUT(call, int32_t)[row] = (int32_t)pt__floor_modulo(local_us, PT_MICROS_PER_MINUTE);
    return true;
}

void pt__fn_second_fraction(pt__fn_call *call)
{
    PT__FN_EACH(call, r, second_fraction(call, r));
}

static bool put_seconds(int64_t micros, int64_t unit_us, int64_t *out)
{
    *out = pt__floor_divide(micros, unit_us);
    return true;
}

/** Option: microseconds of the unit. */
void pt__fn_unix_units(pt__fn_call *call)
{
    PT__FN_EACH(call, r, put_seconds(PT__FN_IN(call, 0, int64_t)[r], call->row->option, &PT__FN_OUT(call, int64_t)[r]));
}

static bool from_units(pt__fn_call *call, int64_t value, int64_t unit_us, int64_t *out)
{
    return !__builtin_mul_overflow(value, unit_us, out) ||
           pt__fn_raise(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "long overflow", "alternative", "", "config",
                        PT__ANSI_CONFIG, NULL);
}

void pt__fn_from_unix_units(pt__fn_call *call)
{
    PT__FN_EACH(call, r,
                from_units(call, PT__FN_IN(call, 0, int64_t)[r], call->row->option, &PT__FN_OUT(call, int64_t)[r]));
}

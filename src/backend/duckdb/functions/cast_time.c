/* Casts to dates and timestamps. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/time_text.h"
#include "backend/duckdb/functions/value_text.h"
#include "backend/duckdb/functions/zones.h"
#include "base/civil.h"

#include <math.h>

static bool text_to_date(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    return pt__parse_date(text, &PT__FN_OUT(call, int32_t)[row]) || pt__fn_reject_cast(call, text, "\"DATE\"");
}

static bool instant_to_date(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = pt__fn_zone(call, 1, row);
    if (zone == NULL)
        return false;
    int64_t local_us = pt__zone_to_local(zone, PT__FN_IN(call, 0, int64_t)[row]);
    PT__FN_OUT(call, int32_t)[row] = (int32_t)pt__floor_divide(local_us, PT_MICROS_PER_DAY);
    return true;
}

static bool local_to_date(pt__fn_call *call, idx_t row)
{
    PT__FN_OUT(call, int32_t)[row] = (int32_t)pt__floor_divide(PT__FN_IN(call, 0, int64_t)[row], PT_MICROS_PER_DAY);
    return true;
}

void pt__fn_cast_date(pt__fn_call *call)
{
    switch (call->columns[0].type->id) {
    case DUCKDB_TYPE_VARCHAR: PT__FN_EACH(call, r, text_to_date(call, r)); break;
    case DUCKDB_TYPE_TIMESTAMP_TZ: PT__FN_EACH(call, r, instant_to_date(call, r)); break;
    case DUCKDB_TYPE_TIMESTAMP: PT__FN_EACH(call, r, local_to_date(call, r)); break;
    default: pt__fn_fail_type(call, 0);
    }
}

/* To timestamps. */

static bool text_to_timestamp(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = pt__fn_zone(call, 1, row);
    pt_text_view text = pt__fn_text(call, 0, row);
    return zone != NULL && (pt__parse_timestamp(text, call->zones, zone, &PT__FN_OUT(call, int64_t)[row]) ||
                            pt__fn_reject_cast(call, text, "\"TIMESTAMP\""));
}

static bool put_instant(pt__fn_call *call, idx_t row, int64_t local_us)
{
    const pt__zone *zone = pt__fn_zone(call, 1, row);
    if (zone != NULL)
        PT__FN_OUT(call, int64_t)[row] = pt__zone_to_instant(zone, local_us);
    return zone != NULL;
}

/** Days outside the range of timestamps fail as Spark's multiplication does. */
static bool days_to_local(pt__fn_call *call, int32_t days, int64_t *local_us)
{
    return !__builtin_mul_overflow((int64_t)days, PT_MICROS_PER_DAY, local_us) ||
           pt__fn_raise(call, PT_COND_ARITHMETIC_OVERFLOW, "message", "long overflow", "alternative", "", "config",
                        PT__ANSI_CONFIG, NULL);
}

static bool date_to_timestamp(pt__fn_call *call, idx_t row)
{
    int64_t local_us;
    return days_to_local(call, PT__FN_IN(call, 0, int32_t)[row], &local_us) && put_instant(call, row, local_us);
}

static bool reject_special(pt__fn_call *call, double value, bool narrow)
{
    if (call->mode != PT__FN_ANSI)
        return false;
    return pt__fn_raise(call, PT_COND_CAST_INVALID_INPUT, "expression",
                        isnan(value) ? "NaN"
                        : value > 0  ? "Infinity"
                                     : "-Infinity",
                        "sourceType", narrow ? "\"FLOAT\"" : "\"DOUBLE\"", "targetType", "\"TIMESTAMP\"", "ansiConfig",
                        PT__ANSI_CONFIG, NULL);
}

/** Seconds with fractions, saturating. */
static bool seconds_to_timestamp(pt__fn_call *call, idx_t row, double seconds, bool narrow)
{
    if (!isfinite(seconds))
        return reject_special(call, seconds, narrow);
    double micros = seconds * 1e6;
    PT__FN_OUT(call, int64_t)[row] = micros >= 0x1p63 ? INT64_MAX : micros <= -0x1p63 ? INT64_MIN : (int64_t)micros;
    return true;
}

static bool integer_to_timestamp(pt__fn_call *call, idx_t row)
{
    pt_int128 seconds = pt__fn_integer(&call->columns[0], row);
    pt_int128 micros = seconds * 1000000;
    for (uint8_t i = 0; i < call->columns[0].type->scale; i++)
        micros /= 10;
    PT__FN_OUT(call, int64_t)[row] = micros > INT64_MAX ? INT64_MAX : micros < INT64_MIN ? INT64_MIN : (int64_t)micros;
    return true;
}

static bool boolean_to_timestamp(pt__fn_call *call, idx_t row)
{
    PT__FN_OUT(call, int64_t)[row] = PT__FN_IN(call, 0, bool)[row];
    return true;
}

static bool copy_local(pt__fn_call *call, idx_t row)
{
    return put_instant(call, row, PT__FN_IN(call, 0, int64_t)[row]);
}

void pt__fn_cast_timestamp(pt__fn_call *call)
{
    switch (call->columns[0].type->id) {
    case DUCKDB_TYPE_VARCHAR: PT__FN_EACH(call, r, text_to_timestamp(call, r)); break;
    case DUCKDB_TYPE_DATE: PT__FN_EACH(call, r, date_to_timestamp(call, r)); break;
    case DUCKDB_TYPE_TIMESTAMP: PT__FN_EACH(call, r, copy_local(call, r)); break;
    case DUCKDB_TYPE_BOOLEAN: PT__FN_EACH(call, r, boolean_to_timestamp(call, r)); break;
    case DUCKDB_TYPE_FLOAT:
        PT__FN_EACH(call, r, seconds_to_timestamp(call, r, (double)PT__FN_IN(call, 0, float)[r], true));
        break;
    case DUCKDB_TYPE_DOUBLE:
        PT__FN_EACH(call, r, seconds_to_timestamp(call, r, PT__FN_IN(call, 0, double)[r], false));
        break;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_DECIMAL: PT__FN_EACH(call, r, integer_to_timestamp(call, r)); break;
    default: pt__fn_fail_type(call, 0);
    }
}

/* To local timestamps. */

static bool text_to_timestamp_ntz(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    return pt__parse_timestamp_ntz(text, call->zones, &PT__FN_OUT(call, int64_t)[row]) ||
           pt__fn_reject_cast(call, text, "\"TIMESTAMP_NTZ\"");
}

static bool instant_to_local(pt__fn_call *call, idx_t row)
{
    const pt__zone *zone = pt__fn_zone(call, 1, row);
    if (zone != NULL)
        PT__FN_OUT(call, int64_t)[row] = pt__zone_to_local(zone, PT__FN_IN(call, 0, int64_t)[row]);
    return zone != NULL;
}

void pt__fn_cast_timestamp_ntz(pt__fn_call *call)
{
    switch (call->columns[0].type->id) {
    case DUCKDB_TYPE_VARCHAR: PT__FN_EACH(call, r, text_to_timestamp_ntz(call, r)); break;
    case DUCKDB_TYPE_DATE:
        PT__FN_EACH(call, r, days_to_local(call, PT__FN_IN(call, 0, int32_t)[r], &PT__FN_OUT(call, int64_t)[r]));
        break;
    case DUCKDB_TYPE_TIMESTAMP_TZ: PT__FN_EACH(call, r, instant_to_local(call, r)); break;
    default: pt__fn_fail_type(call, 0);
    }
}

/* sequence(): arrays of numbers, days and times at equal distances. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "backend/duckdb/functions/zones.h"
#include "base/civil.h"

#include <stdio.h>

static bool fail_boundaries(pt__fn_call *call, const char *start, const char *stop, const char *step)
{
    return pt__fn_raise(call, PT_COND_ILLEGAL_SEQUENCE_BOUNDARIES, "start", start, "stop", stop, "step", step, NULL);
}

static bool fail_numbers(pt__fn_call *call, int64_t start, int64_t stop, int64_t step)
{
    char texts[3][24];
    snprintf(texts[0], sizeof(texts[0]), "%lld", (long long)start);
    snprintf(texts[1], sizeof(texts[1]), "%lld", (long long)stop);
    snprintf(texts[2], sizeof(texts[2]), "%lld", (long long)step);
    return fail_boundaries(call, texts[0], texts[1], texts[2]);
}

static bool is_reachable(pt_int128 start, pt_int128 stop, pt_int128 step)
{
    return step > 0 ? start <= stop : step < 0 ? start >= stop : start == stop;
}

/* ---- whole numbers ---- */

static void put_number(pt__list_out *out, duckdb_type type, idx_t position, int64_t value)
{
    switch (type) {
    case DUCKDB_TYPE_TINYINT: PT__LIST_OUT(out, int8_t)[position] = (int8_t)value; break;
    case DUCKDB_TYPE_SMALLINT: PT__LIST_OUT(out, int16_t)[position] = (int16_t)value; break;
    case DUCKDB_TYPE_INTEGER: PT__LIST_OUT(out, int32_t)[position] = (int32_t)value; break;
    default: PT__LIST_OUT(out, int64_t)[position] = value;
    }
}

/* (start, stop) or (start, stop, step) */
static bool number_sequence(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    pt_int128 start = pt__fn_integer(&call->columns[0], row);
    pt_int128 stop = pt__fn_integer(&call->columns[1], row);
    pt_int128 step = call->column_count > 2 ? pt__fn_integer(&call->columns[2], row) : start <= stop ? 1 : -1;
    if (!is_reachable(start, stop, step))
        return fail_numbers(call, (int64_t)start, (int64_t)stop, (int64_t)step);
    pt_int128 steps = step == 0 ? 0 : (stop - start) / step;
    idx_t length = steps >= INT64_MAX ? INT64_MAX : (idx_t)steps + 1;
    idx_t first;
    pt__list_out_begin(out);
    if (!pt__list_out_grow(out, length, &first))
        return false;
    for (idx_t i = 0; i < length; i++)
        put_number(out, call->columns[0].type->id, first + i, (int64_t)(start + (pt_int128)i * step));
    return pt__list_out_end(out, row);
}

void pt__fn_sequence(pt__fn_call *call)
{
    pt__list_out out;
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, number_sequence(call, &out, r));
    pt__list_out_close(&out);
}

/* ---- times ---- */

/** A step of months, days and microseconds; instants are moved in the local time of `zone`. */
typedef struct stride {
    int64_t months;
    int64_t days;
    int64_t micros;
    const pt__zone *zone; /* NULL: local times */
} stride;

static int64_t add_stride(const stride *step, int64_t start, int64_t times)
{
    int64_t local = step->zone == NULL ? start : pt__zone_to_local(step->zone, start);
    if (step->months != 0 || step->days != 0) {
        int64_t days = pt__floor_divide(local, PT_MICROS_PER_DAY);
        int64_t rest = pt__floor_modulo(local, PT_MICROS_PER_DAY);
        days = pt__civil_add_months(days, step->months * times) + step->days * times;
        local = days * PT_MICROS_PER_DAY + rest;
        start = step->zone == NULL ? local : pt__zone_to_instant(step->zone, local);
    }
    return start + step->micros * times;
}

static bool fail_stride(pt__fn_call *call, const stride *step, int64_t start, int64_t stop)
{
    char text[80];
    snprintf(text, sizeof(text), "%lld months %lld days %lld microseconds", (long long)step->months,
             (long long)step->days, (long long)step->micros);
    char from[24];
    char to[24];
    snprintf(from, sizeof(from), "%lld", (long long)start);
    snprintf(to, sizeof(to), "%lld", (long long)stop);
    return fail_boundaries(call, from, to, text);
}

static bool push_times(pt__fn_call *call, pt__list_out *out, int64_t start, int64_t stop, const stride *step,
                       int64_t unit)
{
    pt_int128 size =
        (pt_int128)step->months * 28 * PT_MICROS_PER_DAY + (pt_int128)step->days * PT_MICROS_PER_DAY + step->micros;
    if (!is_reachable(start, stop, size))
        return fail_stride(call, step, start, stop);
    pt_int128 steps = size == 0 ? 0 : ((pt_int128)stop - start) / size;
    if (!pt__list_out_may_hold(out, (idx_t)steps + 1))
        return false;
    for (int64_t i = 0;; i++) {
        int64_t at = add_stride(step, start, i);
        if (size > 0 ? at > stop : size < 0 ? at < stop : i > 0)
            return true;
        idx_t position;
        if (!pt__list_out_grow(out, 1, &position))
            return false;
        if (unit == 1)
            PT__LIST_OUT(out, int64_t)[position] = at;
        else
            PT__LIST_OUT(out, int32_t)[position] = (int32_t)pt__floor_divide(at, unit);
    }
}

/* The step is a calendar interval; a day-time interval counts whole days in its microseconds, which the lowering splits. */
static stride stride_of(const pt__fn_call *call, size_t column, idx_t row)
{
    const duckdb_interval *interval = PT__FN_IN(call, column, duckdb_interval) + row;
    return (stride){interval->months, interval->days, interval->micros, NULL};
}

/* (start, stop, step) */
static bool date_sequence(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    int64_t start = PT__FN_IN(call, 0, int32_t)[row] * PT_MICROS_PER_DAY;
    int64_t stop = PT__FN_IN(call, 1, int32_t)[row] * PT_MICROS_PER_DAY;
    stride step = stride_of(call, 2, row);
    if (step.micros % PT_MICROS_PER_DAY != 0)
        return pt__fn_raise(call, PT_COND_SEQUENCE_STEP_NOT_DAYS, NULL);
    pt__list_out_begin(out);
    return push_times(call, out, start, stop, &step, PT_MICROS_PER_DAY) && pt__list_out_end(out, row);
}

void pt__fn_sequence_date(pt__fn_call *call)
{
    pt__list_out out;
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, date_sequence(call, &out, r));
    pt__list_out_close(&out);
}

/* (start, stop, step) of local times, (start, stop, step, zone) of instants */
static bool time_sequence(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    stride step = stride_of(call, 2, row);
    if (call->column_count > 3 && (step.zone = pt__fn_zone(call, 3, row)) == NULL)
        return false;
    pt__list_out_begin(out);
    return push_times(call, out, PT__FN_IN(call, 0, int64_t)[row], PT__FN_IN(call, 1, int64_t)[row], &step, 1) &&
           pt__list_out_end(out, row);
}

void pt__fn_sequence_time(pt__fn_call *call)
{
    pt__list_out out;
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, time_sequence(call, &out, r));
    pt__list_out_close(&out);
}

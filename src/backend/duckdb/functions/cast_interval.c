/* Casts to intervals. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/interval_text.h"
#include "backend/duckdb/functions/value_text.h"
#include "backend/duckdb/functions/wide.h"
#include "base/civil.h"

#include <ctype.h>
#include <stdio.h>

enum { TEXT_MAX = 96, FORM_MAX = 32 };

/* Errors name the form that would have been right. */

/** y-m, d h:m:s.n … */
static void append_form(char *out, size_t size, bool day_time, int start_field, int end_field)
{
    static const char *const DAY_TIME[] = {"d", "h", "m", "s.n"};
    static const char *const YEAR_MONTH[] = {"y", "m"};
    int used = 0;
    for (int field = start_field; field <= end_field && field <= (day_time ? 3 : 1); field++) {
        const char *separator = field == start_field ? "" : !day_time ? "-" : field == 1 ? " " : ":";
        used += snprintf(out + used, size - (size_t)used, "%s%s", separator,
                         day_time ? DAY_TIME[field] : YEAR_MONTH[field]);
    }
}

static void append_fields(char *out, size_t size, bool day_time, int start_field, int end_field)
{
    if (start_field == end_field)
        snprintf(out, size, "%s", pt__interval_field_name(day_time, start_field));
    else
        snprintf(out, size, "%s TO %s", pt__interval_field_name(day_time, start_field),
                 pt__interval_field_name(day_time, end_field));
}

static bool raise_unmatched(pt__fn_call *call, const char *input, bool day_time, int start_field, int end_field)
{
    char form[FORM_MAX];
    char fields[FORM_MAX];
    char supported[3 * TEXT_MAX];
    char type[TEXT_MAX + 16];
    append_form(form, sizeof(form), day_time, start_field, end_field);
    append_fields(fields, sizeof(fields), day_time, start_field, end_field);
    snprintf(supported, sizeof(supported), "`[+|-]%s`, `INTERVAL [+|-]'[+|-]%s' %s`", form, form, fields);
    int length = snprintf(type, sizeof(type), "interval %s", fields);
    for (int i = 0; i < length; i++)
        type[i] = (char)tolower((unsigned char)type[i]);
    pt__condition_id condition = day_time ? PT_COND_INVALID_INTERVAL_FORMAT_UNMATCHED_FORMAT_STRING_WITH_NOTICE
                                          : PT_COND_INVALID_INTERVAL_FORMAT_UNMATCHED_FORMAT_STRING;
    return pt__fn_raise(call, condition, "input", input, "typeName", type, "intervalStr",
                        day_time ? "day-time" : "year-month", "supportedFormat", supported, NULL);
}

static bool reject(pt__fn_call *call, idx_t row, pt__interval_result result, bool day_time)
{
    if (call->mode != PT__FN_ANSI)
        return false;
    pt__buffer input = PT_BUFFER_INIT;
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__buffer_append(&input, text.data, text.size_bytes);
    if (result == PT__INTERVAL_OUT_OF_RANGE)
        pt__fn_raise(call, PT_COND_INVALID_INTERVAL_FORMAT_INTERVAL_PARSING, "input", pt__buffer_string(&input),
                     "interval", day_time ? "day-time" : "year-month", NULL);
    else
        raise_unmatched(call, pt__buffer_string(&input), day_time, PT__FN_IN(call, 1, int32_t)[row],
                        PT__FN_IN(call, 2, int32_t)[row]);
    pt__buffer_deinit(&input);
    return false;
}

static bool to_year_month(pt__fn_call *call, idx_t row)
{
    pt__interval_result result =
        pt__parse_year_month(pt__fn_text(call, 0, row), PT__FN_IN(call, 1, int32_t)[row],
                             PT__FN_IN(call, 2, int32_t)[row], &PT__FN_OUT(call, int32_t)[row]);
    return result == PT__INTERVAL_OK || reject(call, row, result, false);
}

void pt__fn_cast_ym_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_year_month(call, r));
}

static bool to_day_time(pt__fn_call *call, idx_t row)
{
    pt__interval_result result = pt__parse_day_time(pt__fn_text(call, 0, row), PT__FN_IN(call, 1, int32_t)[row],
                                                    PT__FN_IN(call, 2, int32_t)[row], &PT__FN_OUT(call, int64_t)[row]);
    return result == PT__INTERVAL_OK || reject(call, row, result, true);
}

void pt__fn_cast_dt_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_day_time(call, r));
}

/** NULL for what is none, in every mode. */
static bool to_calendar(pt__fn_call *call, idx_t row)
{
    pt__calendar_interval parsed;
    if (!pt__parse_calendar_interval(pt__fn_text(call, 0, row), &parsed))
        return false;
    PT__FN_OUT(call, duckdb_interval)[row] = (duckdb_interval){parsed.months, parsed.days, parsed.micros};
    return true;
}

void pt__fn_cast_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_calendar(call, r));
}

/* From numbers: so many of the last field. */

static bool reject_number(pt__fn_call *call, idx_t row, bool day_time)
{
    if (call->mode != PT__FN_ANSI)
        return false;
    char target[TEXT_MAX];
    pt__buffer value = PT_BUFFER_INIT;
    pt__buffer source = PT_BUFFER_INIT;
    snprintf(target, sizeof(target), "\"INTERVAL %s\"",
             pt__interval_field_name(day_time, PT__FN_IN(call, 1, int32_t)[row]));
    pt__append_number_literal(&value, &call->columns[0], row);
    pt__fn_append_type(&source, call->columns[0].type);
    pt__fn_raise(call, PT_COND_CAST_OVERFLOW, "value", pt__buffer_string(&value), "sourceType",
                 pt__buffer_string(&source), "targetType", target, "ansiConfig", PT__ANSI_CONFIG, NULL);
    pt__buffer_deinit(&value);
    pt__buffer_deinit(&source);
    return false;
}

/** Half up where the unit has a fraction that microseconds do not hold. */
static bool scale_number(const pt__fn_column *column, idx_t row, int64_t unit, pt_int128 *out)
{
    pt_int128 value = pt__fn_integer(column, row);
    pt__uint128 magnitude = value < 0 ? -(pt__uint128)value : (pt__uint128)value;
    pt__wide product = pt__wide_multiply(magnitude, (pt__uint128)unit);
    product = pt__wide_scale_down(product, column->type->scale, PT__ROUND_HALF_UP);
    if (!pt__wide_to_uint128(&product, &magnitude))
        return false;
    *out = value < 0 ? -(pt_int128)magnitude : (pt_int128)magnitude;
    return true;
}

static bool number_to_day_time(pt__fn_call *call, idx_t row)
{
    static const int64_t UNITS[] = {PT_MICROS_PER_DAY, PT_MICROS_PER_HOUR, PT_MICROS_PER_MINUTE, PT_MICROS_PER_SECOND};
    pt_int128 micros;
    int64_t unit = UNITS[PT__FN_IN(call, 1, int32_t)[row] & 3];
    if (!scale_number(&call->columns[0], row, unit, &micros) || micros != (int64_t)micros)
        return reject_number(call, row, true);
    PT__FN_OUT(call, int64_t)[row] = (int64_t)micros;
    return true;
}

void pt__fn_number_dt_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, number_to_day_time(call, r));
}

static bool number_to_year_month(pt__fn_call *call, idx_t row)
{
    pt_int128 months;
    int64_t unit = PT__FN_IN(call, 1, int32_t)[row] == 0 ? 12 : 1;
    if (!scale_number(&call->columns[0], row, unit, &months) || months != (int32_t)months)
        return reject_number(call, row, false);
    PT__FN_OUT(call, int32_t)[row] = (int32_t)months;
    return true;
}

void pt__fn_number_ym_interval(pt__fn_call *call)
{
    PT__FN_EACH(call, r, number_to_year_month(call, r));
}

/* date_format, to_timestamp and other functions that take a pattern. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/time_pattern.h"
#include "backend/duckdb/functions/value_text.h"
#include "backend/duckdb/functions/zones.h"
#include "base/civil.h"

enum { PATTERN_SLOT = 0 };

#define DOCUMENTATION "https://spark.apache.org/docs/latest"

static bool raise_pattern(pt__fn_call *call, pt_text_view pattern, const pt__time_pattern_error *problem)
{
    pt__buffer plain = PT_BUFFER_INIT;
    pt__buffer quoted = PT_BUFFER_INIT;
    const char letter[2] = {problem->letter, '\0'};
    pt__buffer_append(&plain, pattern.data, pattern.size_bytes);
    pt__append_text_literal(&quoted, pattern);
    switch ((int)problem->condition) {
    case PT_COND_COUNT: pt__fn_fail_memory(call); break;
    case PT_COND_INCONSISTENT_BEHAVIOR_CROSS_VERSION_DATETIME_WEEK_BASED_PATTERN:
        pt__fn_raise(call, problem->condition, "c", letter, NULL);
        break;
    case PT_COND_INVALID_DATETIME_PATTERN_ILLEGAL_CHARACTER:
        pt__fn_raise(call, problem->condition, "c", letter, "pattern", pt__buffer_string(&plain), NULL);
        break;
    case PT_COND_INVALID_DATETIME_PATTERN_LENGTH:
        pt__fn_raise(call, problem->condition, "pattern", pt__buffer_string(&plain), NULL);
        break;
    default:
        pt__fn_raise(call, problem->condition, "pattern", pt__buffer_string(&quoted), "docroot", DOCUMENTATION,
                     "config", "\"spark.sql.legacy.timeParserPolicy\"", NULL);
    }
    pt__buffer_deinit(&plain);
    pt__buffer_deinit(&quoted);
    return false;
}

/** NULL after raising an error. */
static const pt__time_pattern *need_pattern(pt__fn_call *call, size_t column, idx_t row, bool parsing)
{
    pt_text_view text = pt__fn_text(call, column, row);
    const pt__time_pattern *kept = pt__fn_recall(call->state, PATTERN_SLOT, text);
    if (kept != NULL)
        return kept;
    pt__buffer copy = PT_BUFFER_INIT;
    pt__buffer_append(&copy, text.data, text.size_bytes);
    pt__time_pattern_error problem;
    pt__time_pattern *made = pt__time_pattern_new(pt__buffer_string(&copy), parsing, &problem);
    pt__buffer_deinit(&copy);
    if (made == NULL)
        raise_pattern(call, text, &problem);
    else if (!pt__fn_remember(call->state, PATTERN_SLOT, text, made, pt__time_pattern_free))
        return (pt__fn_fail_memory(call), NULL);
    return made;
}

/* To text. */

static bool format_instant(pt__fn_call *call, idx_t row, int64_t instant_us)
{
    const pt__time_pattern *pattern = need_pattern(call, 1, row, false);
    const pt__zone *zone = pattern == NULL ? NULL : pt__fn_zone(call, 2, row);
    if (zone == NULL)
        return false;
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    if (!pt__time_pattern_format(pattern, instant_us, zone, out))
        return pt__fn_raise(call, PT_COND_UNSUPPORTED_FEATURE, "feature", "the long name of this time zone (zzzz)",
                            NULL);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_date_format(pt__fn_call *call)
{
    PT__FN_EACH(call, r, format_instant(call, r, PT__FN_IN(call, 0, int64_t)[r]));
}

/** Seconds beyond the range of timestamps wrap around as in Spark. */
void pt__fn_from_unixtime(pt__fn_call *call)
{
    PT__FN_EACH(call, r,
                format_instant(call, r, (int64_t)((uint64_t)PT__FN_IN(call, 0, int64_t)[r] * UINT64_C(1000000))));
}

/* From text. */

static bool parse_row(pt__fn_call *call, idx_t row, const char *try_function, pt__time_parsed *parsed)
{
    const pt__time_pattern *pattern = need_pattern(call, 1, row, true);
    pt_text_view text = pt__fn_text(call, 0, row);
    if (pattern == NULL)
        return false;
    if (pt__time_pattern_parse(pattern, call->zones, text.data, text.size_bytes, parsed))
        return true;
    return pt__fn_reject(call, PT_COND_CANNOT_PARSE_TIMESTAMP, "message", parsed->problem, "func", try_function, NULL);
}

static bool parse_instant(pt__fn_call *call, idx_t row, const char *try_function, int64_t *out)
{
    pt__time_parsed parsed;
    const pt__zone *zone = pt__fn_zone(call, 2, row);
    if (zone == NULL || !parse_row(call, row, try_function, &parsed))
        return false;
    if (parsed.has_offset)
        *out = parsed.local_us - parsed.offset_seconds * PT_MICROS_PER_SECOND;
    else
        *out = pt__zone_to_instant(parsed.zone == NULL ? zone : parsed.zone, parsed.local_us);
    return true;
}

void pt__fn_to_timestamp(pt__fn_call *call)
{
    PT__FN_EACH(call, r, parse_instant(call, r, "`try_to_timestamp`", &PT__FN_OUT(call, int64_t)[r]));
}

static bool to_timestamp_ntz(pt__fn_call *call, idx_t row)
{
    pt__time_parsed parsed;
    if (!parse_row(call, row, "`try_to_timestamp`", &parsed))
        return false;
    PT__FN_OUT(call, int64_t)[row] = parsed.local_us;
    return true;
}

void pt__fn_to_timestamp_ntz(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_timestamp_ntz(call, r));
}

static bool to_date(pt__fn_call *call, idx_t row)
{
    int64_t instant_us;
    if (!parse_instant(call, row, "`try_to_date`", &instant_us))
        return false;
    int64_t local_us = pt__zone_to_local(pt__fn_zone(call, 2, row), instant_us);
    PT__FN_OUT(call, int32_t)[row] = (int32_t)pt__floor_divide(local_us, PT_MICROS_PER_DAY);
    return true;
}

void pt__fn_to_date(pt__fn_call *call)
{
    PT__FN_EACH(call, r, to_date(call, r));
}

static bool unix_timestamp(pt__fn_call *call, idx_t row)
{
    int64_t instant_us;
    if (!parse_instant(call, row, "`try_to_timestamp`", &instant_us))
        return false;
    PT__FN_OUT(call, int64_t)[row] = pt__floor_divide(instant_us, PT_MICROS_PER_SECOND);
    return true;
}

void pt__fn_unix_timestamp(pt__fn_call *call)
{
    PT__FN_EACH(call, r, unix_timestamp(call, r));
}

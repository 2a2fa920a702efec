/**
 * Intervals in text, as Spark's casts read them.
 *
 * Fields are those of pt_type: YEAR 0, MONTH 1; DAY 0, HOUR 1, MINUTE 2, SECOND 3.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_INTERVAL_TEXT_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_INTERVAL_TEXT_H

#include <portico/bytes.h>

#include <stdbool.h>

typedef enum pt__interval_result {
    PT__INTERVAL_OK,
    PT__INTERVAL_UNMATCHED,   /* of another form */
    PT__INTERVAL_OUT_OF_RANGE /* a field holds too much */
} pt__interval_result;

/** `1-2`, or `INTERVAL '1-2' YEAR TO MONTH` with just these fields. */
pt__interval_result pt__parse_year_month(pt_text_view text, int start_field, int end_field, int32_t *months);

/** `1 02:03:04.5`, or the literal, likewise. */
pt__interval_result pt__parse_day_time(pt_text_view text, int start_field, int end_field, int64_t *micros);

typedef struct pt__calendar_interval {
    int32_t months;
    int32_t days;
    int64_t micros;
} pt__calendar_interval;

/** `1 year -2 days 3.5 seconds`, with or without `interval` in front. */
bool pt__parse_calendar_interval(pt_text_view text, pt__calendar_interval *out);

/** "DAY TO SECOND" of such fields. */
const char *pt__interval_field_name(bool day_time, int field);

#endif

/**
 * Dates, times and intervals as Spark spells them in results and in casts to text.
 *
 * Each function writes text terminated by NUL and returns its length.
 */
#ifndef PT_BASE_FORMAT_DATETIME_H
#define PT_BASE_FORMAT_DATETIME_H

#include <stddef.h>
#include <stdint.h>

enum { PT_DATETIME_TEXT_MAX = 48, PT_INTERVAL_TEXT_MAX = 112 };

/** Days since 1970: "2024-01-02", "+12024-01-02", "-0001-01-02". */
size_t pt__format_date(int64_t days, char out[PT_DATETIME_TEXT_MAX]);

/** Local microseconds: "2024-01-02 03:04:05.678", the fraction without trailing zeros. */
size_t pt__format_timestamp(int64_t local_us, char out[PT_DATETIME_TEXT_MAX]);

/** Nanoseconds since midnight: "01:02:03.12". */
size_t pt__format_time(int64_t nanoseconds, char out[PT_DATETIME_TEXT_MAX]);

/** Fields as in pt_type: "INTERVAL '4 03' DAY TO HOUR". */
size_t pt__format_day_time_interval(int64_t microseconds, uint8_t start_field, uint8_t end_field,
                                    char out[PT_INTERVAL_TEXT_MAX]);

/** "INTERVAL '1-2' YEAR TO MONTH". */
size_t pt__format_year_month_interval(int32_t months, uint8_t start_field, uint8_t end_field,
                                      char out[PT_INTERVAL_TEXT_MAX]);

/** The units that are not zero, each with its sign: "1 months 2 days -59.75 seconds"; none: "0 seconds". */
size_t pt__format_calendar_interval(int32_t months, int32_t days, int64_t microseconds, char out[PT_INTERVAL_TEXT_MAX]);

#endif

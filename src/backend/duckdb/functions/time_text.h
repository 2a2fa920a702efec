/**
 * Dates and timestamps in text, as Spark reads them in casts.
 *
 * Source: behaviour of Spark's casts: [+-]yyyy*, yyyy-[m]m, yyyy-[m]m-[d]d, for timestamps followed by ` ` or `T`,
 * [h]h[:[m]m[:[s]s[.fraction]]] and a time zone; a time alone means today.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TIME_TEXT_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TIME_TEXT_H

#include "base/timezone.h"

#include <portico/bytes.h>

#include <stdbool.h>

/** Days since 1970. */
bool pt__parse_date(pt_text_view text, int32_t *days);

typedef struct pt__parsed_time {
    int32_t fields[7]; /* year, month, day, hour, minute, second, microsecond: not checked */
    pt_text_view zone; /* empty: none given */
    bool has_zone;
    bool time_only;
} pt__parsed_time;

bool pt__parse_time_fields(pt_text_view text, pt__parsed_time *out);

/** The instant; `zone` counts where the text names none. */
bool pt__parse_timestamp(pt_text_view text, pt__zones *zones, const pt__zone *zone, int64_t *micros);

/** A local time; a zone in the text is read and dropped. */
bool pt__parse_timestamp_ntz(pt_text_view text, pt__zones *zones, int64_t *micros);

/** Looks a zone up by a name that is not terminated. NULL when there is none. */
const pt__zone *pt__find_zone(pt__zones *zones, pt_text_view name);

#endif

/** English names in dates. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TIME_NAMES_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TIME_NAMES_H

#include "backend/duckdb/functions/time_pattern.h"

/** The name of a field's value (months from 1, weekdays from Monday 1, AM 0), or NULL when it has none. */
const char *pt__time_name(pt__time_field field, int64_t value, bool full);

/** "Central European Summer Time"; NULL when it is not known here. */
const char *pt__zone_full_name(const pt__zone *zone, int64_t instant_us);

#endif

/** Units of time by name. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TIME_UNITS_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TIME_UNITS_H

#include <portico/bytes.h>

#include <stdbool.h>

typedef enum pt__time_unit {
    PT__UNIT_MICROSECOND,
    PT__UNIT_MILLISECOND,
    PT__UNIT_SECOND,
    PT__UNIT_MINUTE,
    PT__UNIT_HOUR,
    PT__UNIT_DAY,
    PT__UNIT_WEEK,
    PT__UNIT_MONTH,
    PT__UNIT_QUARTER,
    PT__UNIT_YEAR,
    PT__UNIT_NONE
} pt__time_unit;

/** As timestampadd and timestampdiff take them, in any case. */
pt__time_unit pt__time_unit_find(pt_text_view name);

/** As trunc and date_trunc take them: also yy, mon, dd … */
pt__time_unit pt__trunc_unit_find(pt_text_view name);

/** Microseconds of units up to a week; months of the others. */
int64_t pt__time_unit_size(pt__time_unit unit);

#endif

#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

#define CALENDAR(text) "spark_cast_string(spark_cast_interval('" text "'))"

static const pt__fn_case CASTS[] = {
    {CALENDAR("1 day") ", " CALENDAR("interval 1 year 2 months") ", " CALENDAR(" 1  Day 2 HOURS ") ", " CALENDAR(
         "+1 "
         "day "
         "-2 "
         "hour"
         "s") ", " CALENDAR("- 1 day") ", " CALENDAR("1.123456789 seconds") ", " CALENDAR(".5 seconds") ", " CALENDAR("1 millisecond 1 "
                                                                                                                      "microsecond"),
     "1 days | 1 years 2 months | 1 days 2 hours | 1 days -2 hours | -1 days | 1.123456 seconds | 0.5 seconds | "
     "0.001001 seconds"},
    {CALENDAR("1.5 days") ", " CALENDAR("1") ", " CALENDAR("day") ", " CALENDAR("") ", " CALENDAR(
         "interval") ", " CALENDAR("1day") ", " CALENDAR("99999999999 day") ", " CALENDAR("0.1234567891 seconds"),
     "NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL"},
    {"spark_cast_ym_interval_ansi('1-2', 0, 1), spark_cast_ym_interval_ansi(' -1-2 ', 0, 1), "
     "spark_cast_ym_interval_ansi('INTERVAL -''1-2'' YEAR TO MONTH', 0, 1), "
     "spark_cast_ym_interval_ansi('interval ''-1-2'' year to month', 0, 1), spark_cast_ym_interval_ansi('-5', 0, 0), "
     "spark_cast_ym_interval_try('1-12', 0, 1)",
     "14 | -14 | -14 | -14 | -60 | NULL"},
    {"spark_cast_ym_interval_ansi('5-1', 1, 1)",
     "! [INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING]{\"input\":\"5-1\",\"typeName\":\"interval "
     "month\",\"intervalStr\":\"year-month\","
     "\"supportedFormat\":\"`[+|-]m`, `INTERVAL [+|-]'[+|-]m' MONTH`\"}"},
    {"spark_cast_dt_interval_ansi('1 02', 0, 1), spark_cast_dt_interval_ansi('1 2:3:4.5', 0, 3), "
     "spark_cast_dt_interval_ansi('-1 02:03:04', 0, 3), "
     "spark_cast_dt_interval_ansi('02:03', 1, 2), spark_cast_dt_interval_ansi('65', 3, 3), "
     "spark_cast_dt_interval_ansi('INTERVAL ''100'' HOUR', 1, 1), "
     "spark_cast_dt_interval_try('1 25:03:04', 0, 3)",
     "93600000000 | 93784500000 | -93784000000 | 7380000000 | 65000000 | 360000000000 | NULL"},
    {"spark_cast_dt_interval_ansi('1 02:03', 0, 3)",
     "! [INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE]{\"input\":\"1 02:03\",\"typeName\":\"interval "
     "day to second\",\"intervalStr\":"
     "\"day-time\",\"supportedFormat\":\"`[+|-]d h:m:s.n`, `INTERVAL [+|-]'[+|-]d h:m:s.n' DAY TO SECOND`\"}"},
    {"spark_number_dt_interval_ansi(5, 0), spark_number_dt_interval_ansi(5.5, 3), "
     "spark_number_ym_interval_ansi(2::BIGINT, 0), "
     "spark_number_ym_interval_try(3000000000, 1)",
     "432000000000 | 5500000 | 24 | NULL"},
    {"spark_bit_get(11::INT, 0), spark_bit_get(11::BIGINT, 63)", "1 | 0"},
    {"spark_bit_get(1::TINYINT, 8)", "! "
                                     "[INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE]{\"parameter\":\"`pos`\","
                                     "\"functionName\":\"`bit_get`\",\"upper\":\"8\",\"invalidValue\":\"8\"}"},
};

PT_TEST(casts_to_intervals_follow_spark)
{
    PT__FN_CHECK(CASTS);
}

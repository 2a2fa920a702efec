#include "base/format_datetime.h"

#include "base/civil.h"
#include "base/test.h"

PT_TEST(format_datetime_dates_and_timestamps)
{
    char text[PT_DATETIME_TEXT_MAX];
    pt__format_date(pt__civil_to_days(1, 1, 1), text);
    PT_CHECK_STR(text, "0001-01-01");
    pt__format_date(pt__civil_to_days(-1, 1, 2), text);
    PT_CHECK_STR(text, "-0001-01-02");
    pt__format_timestamp(pt__civil_to_days(12024, 1, 1) * PT_MICROS_PER_DAY, text);
    PT_CHECK_STR(text, "+12024-01-01 00:00:00");
    pt__format_timestamp(INT64_C(1704164645678000), text);
    PT_CHECK_STR(text, "2024-01-02 03:04:05.678");
    pt__format_timestamp(INT64_MIN, text);
    PT_CHECK_STR(text, "-290308-12-21 19:59:05.224192");
    pt__format_time(INT64_C(3723120000000), text);
    PT_CHECK_STR(text, "01:02:03.12");
}

static const char *day_time(int64_t microseconds, uint8_t start, uint8_t end)
{
    static _Thread_local char text[PT_INTERVAL_TEXT_MAX];
    pt__format_day_time_interval(microseconds, start, end, text);
    return text;
}

PT_TEST(format_datetime_day_time_intervals)
{
    PT_CHECK_STR(day_time(PT_MICROS_PER_DAY, 0, 3), "INTERVAL '1 00:00:00' DAY TO SECOND");
    PT_CHECK_STR(day_time(4 * PT_MICROS_PER_DAY + 3 * PT_MICROS_PER_HOUR, 0, 1), "INTERVAL '4 03' DAY TO HOUR");
    PT_CHECK_STR(day_time(-PT_MICROS_PER_DAY, 0, 0), "INTERVAL '-1' DAY");
    PT_CHECK_STR(day_time(5 * PT_MICROS_PER_HOUR, 1, 1), "INTERVAL '05' HOUR");
    PT_CHECK_STR(day_time(1500000, 3, 3), "INTERVAL '01.5' SECOND");
    PT_CHECK_STR(day_time(90 * PT_MICROS_PER_HOUR + 61000001, 1, 3), "INTERVAL '90:01:01.000001' HOUR TO SECOND");
    PT_CHECK_STR(day_time(INT64_MIN, 0, 3), "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND");
}

PT_TEST(format_datetime_other_intervals)
{
    char text[PT_INTERVAL_TEXT_MAX];
    pt__format_year_month_interval(24, 0, 0, text);
    PT_CHECK_STR(text, "INTERVAL '2' YEAR");
    pt__format_year_month_interval(-3, 1, 1, text);
    PT_CHECK_STR(text, "INTERVAL '-3' MONTH");
    pt__format_year_month_interval(-14, 0, 1, text);
    PT_CHECK_STR(text, "INTERVAL '-1-2' YEAR TO MONTH");
    pt__format_calendar_interval(1, 2, 0, text);
    PT_CHECK_STR(text, "1 months 2 days");
    pt__format_calendar_interval(0, 0, -(6 * PT_MICROS_PER_HOUR + 59 * PT_MICROS_PER_MINUTE + 59750000), text);
    PT_CHECK_STR(text, "-6 hours -59 minutes -59.75 seconds");
    pt__format_calendar_interval(0, 0, 0, text);
    PT_CHECK_STR(text, "0 seconds");
    pt__format_calendar_interval(INT32_MIN, INT32_MIN, INT64_MIN, text);
    PT_CHECK_STR(text, "-178956970 years -8 months -2147483648 days -2562047788 hours -54.775808 seconds");
}

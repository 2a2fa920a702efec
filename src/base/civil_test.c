#include "base/civil.h"

#include "base/test.h"

PT_TEST(civil_days_and_dates_are_inverse)
{
    for (int64_t days = -120000000; days < 120000000; days += 99991) {
        pt__civil_date date = pt__civil_from_days(days);
        PT_REQUIRE(pt__civil_to_days(date.year, date.month, date.day) == days);
        PT_REQUIRE(pt__civil_is_date(date.year, date.month, date.day));
    }
}

PT_TEST(civil_knows_the_calendar)
{
    PT_CHECK_EQ(pt__civil_to_days(1970, 1, 1), 0);
    PT_CHECK_EQ(pt__civil_to_days(2000, 2, 29), 11016);
    PT_CHECK_EQ(pt__civil_to_days(1, 1, 1), -719162);
    PT_CHECK_EQ(pt__civil_from_days(-719163).year, 0);
    PT_CHECK(!pt__civil_is_date(1900, 2, 29));
    PT_CHECK_EQ(pt__civil_weekday(0), 4);
    PT_CHECK_EQ(pt__civil_weekday(-1), 3);
    PT_CHECK_EQ(pt__civil_day_of_year(pt__civil_to_days(2024, 12, 31)), 366);
}

PT_TEST(civil_iso_weeks_belong_to_the_year_of_their_thursday)
{
    int64_t year = 0;
    PT_CHECK_EQ(pt__civil_iso_week(pt__civil_to_days(2021, 1, 3), &year), 53);
    PT_CHECK_EQ(year, 2020);
    PT_CHECK_EQ(pt__civil_iso_week(pt__civil_to_days(2024, 12, 30), &year), 1);
    PT_CHECK_EQ(year, 2025);
}

PT_TEST(civil_adding_months_keeps_within_the_month)
{
    PT_CHECK_EQ(pt__civil_add_months(pt__civil_to_days(2024, 1, 31), 1), pt__civil_to_days(2024, 2, 29));
    PT_CHECK_EQ(pt__civil_add_months(pt__civil_to_days(2024, 3, 15), -27), pt__civil_to_days(2021, 12, 15));
}

PT_TEST(civil_times_of_negative_micros)
{
    pt__civil_time time = pt__civil_from_micros(-1);
    PT_CHECK_EQ(time.date.year, 1969);
    PT_CHECK_EQ(time.hour, 23);
    PT_CHECK_EQ(time.microsecond, 999999);
    int64_t micros = 0;
    PT_CHECK(pt__civil_to_micros(&time, &micros));
    PT_CHECK_EQ(micros, -1);
    time.date.year = 300000;
    PT_CHECK(!pt__civil_to_micros(&time, &micros));
}

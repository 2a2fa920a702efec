#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

#define WHEN "timestamptz '2024-03-05 14:07:09.123456+00'"
#define AUTUMN "timestamptz '2024-10-26 12:00:00+00', "

static const pt__fn_case FORMATS[] = {
    {"spark_date_format(" WHEN ", 'a h hh H HH K KK k kk m mm s ss S SS SSS SSSSSS SSSSSSSSS', 'UTC')",
     "PM 2 02 14 14 2 02 14 14 7 07 9 09 1 12 123 123456 123456000"},
    {"spark_date_format(" WHEN ", 'VV z zzzz X XX XXX x xx xxx O OOOO Z ZZZZ ZZZZZ', 'UTC')",
     "UTC UTC Coordinated Universal Time Z Z Z +00 +0000 +00:00 GMT GMT +0000 GMT Z"},
    {"spark_date_format(" WHEN ", 'VV z zzzz X XX XXX XXXX XXXXX x O OOOO Z ZZZZ ZZZZZ', 'America/New_York')",
     "America/New_York EST Eastern Standard Time -05 -0500 -05:00 -0500 -05:00 -05 GMT-5 GMT-05:00 -0500 GMT-05:00 "
     "-05:00"},
    {"spark_date_format(" WHEN ", 'VV z zzzz X x O OOOO Z', '+05:30')",
     "+05:30 +05:30 +05:30 +0530 +0530 GMT+5:30 GMT+05:30 +0530"},
    {"spark_date_format(" WHEN ", 'yyyy ''at'' HH '''' [HH] Q QQ QQQ QQQQ q qq F', 'UTC')",
     "2024 at 14 ' 14 1 01 Q1 1st quarter 1 01 5"},
    {"spark_date_format(" WHEN ", 'G GGGG y yy yyy yyyy yyyyy M MM MMM MMMM L LLL d dd D DDD E EEEE', 'UTC')",
     "AD Anno Domini 2024 24 2024 2024 02024 3 03 Mar March 3 Mar 5 05 65 065 Tue Tuesday"},
    {"spark_date_format(timestamptz '12024-03-05 14:07:09+00', 'yyyy y yy', 'UTC')", "+12024 12024 24"},
    {"spark_from_unixtime(-1, 'yyyy-MM-dd HH:mm:ss', 'UTC')", "1969-12-31 23:59:59"},
    {"spark_date_format(" WHEN ", 'YYYY', 'UTC')",
     "! [INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION]{\"pattern\":\"'YYYY'\",\"docroot\":"
     "\"https://spark.apache.org/docs/latest\",\"config\":\"\\\"spark.sql.legacy.timeParserPolicy\\\"\"}"},
    {"spark_date_format(" WHEN ", 'e', 'UTC')",
     "! [INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN]{\"c\":\"e\"}"},
    {"spark_date_format(" WHEN ", 'n', 'UTC')",
     "! [INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER]{\"c\":\"n\",\"pattern\":\"n\"}"},
};

PT_TEST(date_format_follows_spark)
{
    PT__FN_CHECK(FORMATS);
}

#define PARSED(text, pattern) "epoch_us(spark_to_timestamp_ansi('" text "', '" pattern "', 'UTC'))"
#define REFUSED(text, pattern) "spark_to_timestamp_try('" text "', '" pattern "', 'UTC')"

static const pt__fn_case
    PARSING[] =
        {
            {PARSED("20200127101112", "yyyyMMddHHmmss") ", " PARSED("2020-01-27 10", "yyyy-MM-dd hh") ", " PARSED(
                 "2020-01-27 10 pm", "yyyy-MM-dd hh a") ", " PARSED("2020-01-27 12 am",
                                                                    "yyyy-MM-dd hh a") ", " PARSED("2020-01-27 pm",
                                                                                                   "yyyy-MM-dd a"),
             "1580119872000000 | 1580119200000000 | 1580162400000000 | 1580083200000000 | 1580126400000000"},
            {PARSED("05", "dd") ", " PARSED("2020-060", "yyyy-DDD") ", " PARSED(
                 "march 5, 2020", "MMMM d, yyyy") ", " PARSED("70-1-1", "yy-M-d") ", " PARSED("2020-01-01 24:00",
                                                                                              "yyyy-MM-dd kk:mm"),
             "345600000000 | 1582934400000000 | 1583366400000000 | 3155760000000000 | 1577836800000000"},
            {PARSED("2020-01-01 10:00+01:00", "yyyy-MM-dd HH:mmXXX") ", " PARSED(
                 "2020-01-01 10:00 Europe/Paris",
                 "yyyy"
                 "-MM-"
                 "dd "
                 "HH:"
                 "mm "
                 "VV") ", " PARSED("2020-01-01 10:00 PST",
                                   "yyyy-MM-dd HH:mm z") ", " PARSED("2020-01-01 10:00 GMT+2",
                                                                     "yyyy-MM-dd HH:mm O") ", " PARSED("2020-01-01 "
                                                                                                       "10:00 +0200",
                                                                                                       "yyyy-MM-dd "
                                                                                                       "HH:mm Z"),
             "1577869200000000 | 1577869200000000 | 1577901600000000 | 1577865600000000 | 1577865600000000"},
            {PARSED("2020-01-01", "yyyy-MM-dd[ HH:mm:ss]") ", " PARSED("2020-01-01 10:11:12", "yyyy-MM-dd[ HH:mm:ss]") ", " PARSED(
                 "2020-01-01 10:11:12.1",
                 "yyyy-MM-dd HH:mm:ss.SSS") ", " PARSED("2020-01-01 10:11:12.12",
                                                        "yyyy-MM-dd HH:mm:ss.[SSS][SS]") ", " PARSED("2020 AD",
                                                                                                     "yyyy G"),
             "1577836800000000 | 1577873472000000 | 1577873472100000 | 1577873472120000 | 1577836800000000"},
            {REFUSED("2020-1-5", "yyyy-MM-dd") ", " REFUSED("20200127101112345", "yyyyMMddHHmmssSSS") ", " REFUSED(
                 "12020-01-01", "yyyy-MM-dd") ", " REFUSED("", "yyyy") ", " REFUSED("2020-01-01 24:00",
                                                                                    "yyyy-MM-dd HH:mm"),
             "NULL | NULL | NULL | NULL | NULL"},
            {"spark_to_timestamp_ansi('2020-01-27T20:06:11.847', 'yyyy-MM-dd HH:mm:ss.SSS', 'UTC')",
             "! [CANNOT_PARSE_TIMESTAMP]{\"message\":\"Text '2020-01-27T20:06:11.847' could not be parsed at index "
             "10\",\"func\":"
             "\"`try_to_timestamp`\"}"},
            {"spark_to_date_ansi('2016-12-31 foo', 'yyyy-MM-dd', 'UTC')",
             "! [CANNOT_PARSE_TIMESTAMP]{\"message\":\"Text '2016-12-31 foo' could not be parsed, unparsed text found "
             "at index "
             "10\",\"func\":\"`try_to_date`\"}"},
            {"spark_to_date_ansi('2020-02-30', 'yyyy-MM-dd', 'UTC')",
             "! [CANNOT_PARSE_TIMESTAMP]{\"message\":\"Text '2020-02-30' could not be parsed: Invalid date 'FEBRUARY "
             "30'\",\"func\":"
             "\"`try_to_date`\"}"},
            {"spark_to_date_ansi('2016-12-31', 'yyyy-MM-dd', 'Asia/Tokyo'), spark_unix_timestamp_ansi('2016-04-08', "
             "'yyyy-MM-dd', 'UTC'), "
             "spark_to_timestamp_ntz_ansi('2020-01-01 10:00 +0200', 'yyyy-MM-dd HH:mm Z')",
             "2016-12-31 | 1460073600 | 2020-01-01 10:00:00"},
};

PT_TEST(to_timestamp_follows_spark)
{
    PT__FN_CHECK(PARSING);
}

static const pt__fn_case FIELDS[] = {
    {"spark_year(d), spark_quarter(d), spark_month(d), spark_day(d), spark_dayofyear(d), spark_dayofweek(d), "
     "spark_weekday(d), spark_weekofyear(d), spark_yearofweek(d) FROM (SELECT date '2024-12-30' d)",
     "2024 | 4 | 12 | 30 | 365 | 2 | 0 | 1 | 2025"},
    {"spark_day(t, 'Asia/Tokyo'), spark_hour(t, 'Asia/Kolkata'), spark_minute(t, 'Asia/Kolkata'), spark_second(t, "
     "'UTC'), "
     "spark_second_fraction(t, 'UTC') FROM (SELECT timestamptz '1969-12-31 23:59:58.5+00' t)",
     "1 | 5 | 29 | 58 | 58.500000"},
    {"spark_hour(timestamp '1969-12-31 23:59:58.5'), spark_unix_seconds(timestamptz '1969-12-31 23:59:59.5+00'), "
     "epoch_us(spark_timestamp_millis(5))",
     "23 | -1 | 5000"},
};

PT_TEST(fields_of_times_follow_spark)
{
    PT__FN_CHECK(FIELDS);
}

static const pt__fn_case ARITHMETIC[] = {
    {"spark_cast_string(spark_timestamp_add_interval(timestamptz '2024-01-31 12:00:00+00', INTERVAL '1 month 1 day 2 "
     "hours', 'UTC'), 'UTC')",
     "2024-03-01 14:00:00"},
    {"spark_cast_string(spark_timestamp_add_dt(" AUTUMN "86400000000, 'Europe/Paris'), 'Europe/Paris'), "
     "spark_cast_string(spark_timestamp_add_dt(" AUTUMN "90000000000, 'Europe/Paris'), 'Europe/Paris')",
     "2024-10-27 14:00:00 | 2024-10-27 15:00:00"},
    {"spark_timestampadd('MONTH', 1, timestamp '2024-01-31 00:00:00'), spark_timestampadd('quarter', 1, timestamp "
     "'2024-01-31 00:00:00'), "
     "spark_timestampadd('HOUR', -1, timestamp '2024-01-31 00:00:00')",
     "2024-02-29 00:00:00 | 2024-04-30 00:00:00 | 2024-01-30 23:00:00"},
    {"spark_timestampadd('YEAR', 1000000, timestamptz '2024-01-31 00:00:00+00', 'UTC')",
     "! [DATETIME_OVERFLOW]{\"operation\":\"add 1000000L YEAR to TIMESTAMP '2024-01-31 00:00:00'\"}"},
    {"spark_timestampdiff('MONTH', timestamp '2024-01-31 00:00:00', timestamp '2024-02-29 00:00:00'), "
     "spark_timestampdiff('HOUR', timestamp '2024-01-31 00:30:00', timestamp '2024-01-31 02:00:00'), "
     "spark_timestampdiff('YEAR', timestamp '2024-01-31 00:30:00', timestamp '2022-02-01 02:00:00'), "
     "spark_timestampdiff('QUARTER', timestamp '2024-01-31 00:30:00', timestamp '2024-07-31 00:30:00')",
     "0 | 1 | -1 | 2"},
    {"spark_months_between(timestamptz '1997-02-28 10:30:00+00', timestamptz '1996-10-30 00:00:00+00', true, 'UTC'), "
     "spark_months_between(timestamptz '2024-02-29 00:00:00+00', timestamptz '2024-01-31 00:00:00+00', true, 'UTC')",
     "3.94959677 | 1.0"},
    {"spark_date_trunc('foo', timestamp '2015-03-05 09:32:05.359'), spark_date_trunc('week', timestamp '2015-03-05 "
     "09:32:05.359'), "
     "spark_date_trunc('quarter', timestamp '2015-05-05 09:32:05'), spark_date_trunc('MINUTE', timestamp '1915-03-05 "
     "09:32:05.359')",
     "NULL | 2015-03-02 00:00:00 | 2015-04-01 00:00:00 | 1915-03-05 09:32:00"},
    {"spark_trunc(date '2015-03-05', 'day'), spark_trunc(date '2015-03-05', 'mon'), spark_trunc(date '2019-08-04', "
     "'week')",
     "NULL | 2015-03-01 | 2019-07-29"},
    {"spark_next_day_ansi(date '2015-01-14', 'TU'), spark_next_day_ansi(date '2015-01-14', 'WEDNESDAY'), "
     "spark_next_day_try(date '2015-01-14', 'xx'), "
     "spark_add_months(date '2016-08-31', 1), spark_date_subtract_interval_ansi(date '2024-03-31', INTERVAL '1 month')",
     "2015-01-20 | 2015-01-21 | NULL | 2016-09-30 | 2024-02-29"},
    {"spark_next_day_ansi(date '2015-01-14', 'xx')", "! [ILLEGAL_DAY_OF_WEEK]{\"string\":\"xx\"}"},
    {"spark_date_add_interval_ansi(date '2024-03-31', INTERVAL '1 hour')",
     "! [INVALID_INTERVAL_WITH_MICROSECONDS_ADDITION]{}"},
    {"spark_convert_timezone('Europe/Brussels', 'America/Los_Angeles', timestamp '2021-12-06 00:00:00'), "
     "spark_cast_string(spark_from_utc_timestamp(timestamptz '2016-08-31 00:00:00+00', 'Asia/Seoul'), 'UTC'), "
     "spark_cast_string(spark_to_utc_timestamp(timestamptz '2016-08-31 00:00:00+00', 'Asia/Seoul'), 'UTC')",
     "2021-12-05 15:00:00 | 2016-08-31 09:00:00 | 2016-08-30 15:00:00"},
    {"spark_window_start(timestamp '2021-01-01 00:04:30', 300000000, 0), "
     "spark_window_starts(timestamp '2021-01-01 00:04:30', 600000000, 300000000, 0)::VARCHAR",
     "2021-01-01 00:00:00 | ['2021-01-01 00:00:00', '2020-12-31 23:55:00']"},
    {"spark_timestamp_minus_timestamp(timestamp '2024-03-01 12:00:00', timestamp '2024-02-01 00:00:00')",
     "2548800000000"},
};

PT_TEST(time_arithmetic_follows_spark)
{
    PT__FN_CHECK(ARITHMETIC);
}

static const pt__fn_case MAKERS[] = {
    {"spark_make_date_ansi(2013, 7, 15), spark_make_date_legacy(2013, 13, 15)", "2013-07-15 | NULL"},
    {"spark_make_date_ansi(2023, 2, 29)", "! [DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION]{\"rangeMessage\":\"Invalid "
                                          "date 'February 29' as '2023' is not a leap "
                                          "year\",\"ansiConfig\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_make_date_ansi(2013, 2, 32)", "! [DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION]{\"rangeMessage\":\"Invalid "
                                          "value for DayOfMonth (valid values 1 - "
                                          "28/31): 32\",\"ansiConfig\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_make_timestamp_ntz_ansi(2019, 6, 30, 23, 59, 60), spark_make_timestamp_ntz_try(2014, 12, 28, 6, 30, "
     "60.887), "
     "spark_cast_string(spark_make_timestamp_ansi(2014, 12, 28, 6, 30, 45.887, 'CET'), 'UTC')",
     "2019-07-01 00:00:00 | NULL | 2014-12-28 05:30:45.887"},
    {"spark_make_timestamp_ntz_ansi(2014, 12, 28, 6, 30, 60.887)",
     "! [INVALID_FRACTION_OF_SECOND]{\"secAndMicros\":\"60.887\"}"},
    {"spark_cast_string(spark_make_interval_ansi(100, 11, 1, 1, 12, 30, 1.001001)), spark_make_dt_interval_ansi(1, 12, "
     "30, -1.5), "
     "spark_make_ym_interval_ansi(-1, 1), spark_make_ym_interval_try(2147483647, 1)",
     "100 years 11 months 8 days 12 hours 30 minutes 1.001001 seconds | 131398500000 | -11 | NULL"},
};

PT_TEST(makers_of_times_follow_spark)
{
    PT__FN_CHECK(MAKERS);
}

#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case TO_TIME[] = {
    {"spark_cast_date_ansi(' 2020-1-1 junk'), spark_cast_date_ansi('2020'), spark_cast_date_ansi('+2020-06'), "
     "spark_cast_date_try('2020-1-1junk'), spark_cast_date_try('2020-02-30'), spark_cast_date_try('5881580-07-12')",
     "2020-01-01 | 2020-01-01 | 2020-06-01 | NULL | NULL | NULL"},
    {"spark_cast_date_ansi(timestamptz '2020-01-01 23:30:00+00', 'Europe/Paris')", "2020-01-02"},
    {"spark_cast_date_ansi('x')", "! [CAST_INVALID_INPUT]{\"expression\":\"'x'\",\"sourceType\":\"\\\"STRING\\\"\","
                                  "\"targetType\":\"\\\"DATE\\\"\",\"ansiConfig\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"epoch_us(spark_cast_timestamp_ansi('2020-01-01T10:11:12.1234567Z', 'Europe/Paris'))", "1577873472123456"},
    {"epoch_us(spark_cast_timestamp_ansi('2020-01-01 10:11:12.5', 'Europe/Paris'))", "1577869872500000"},
    {"(epoch_us(spark_cast_timestamp_ansi(s, 'UTC')) - 1577873472000000) // 60000000 FROM (VALUES "
     "('2020-01-01 10:11:12+5'), ('2020-01-01 10:11:12 +5:3'), ('2020-01-01 10:11:12UTC+1'), "
     "('2020-01-01 10:11:12 Europe/Paris'), ('2020-01-01 10:11:12 PST'), ('2020-01-01 10:11:12.Z')) t(s)",
     "-300 / -303 / -60 / -60 / 480 / 0"},
    {"epoch_us(spark_cast_timestamp_ansi(s, 'UTC')) // 1000000 FROM (VALUES ('2020-01-01 10'), ('2020-01-01 1:2:3'), "
     "('2020-01-01 '), ('2020')) t(s)",
     "1577872800 / 1577840523 / 1577836800 / 1577836800"},
    {"spark_cast_timestamp_try(s, 'UTC') IS NULL FROM (VALUES ('2020-01-01 10:11Z'), ('2020-01-01 24:00:00'), "
     "('2020-01-01 10:11:12 europe/paris'), ('+294248-01-01'), ('2020-01-01T'), ('+10:11:12'), ('')) t(s)",
     "true / true / true / true / true / true / true"},
    {"epoch_us(spark_cast_timestamp_ansi('2020-03-29 02:30:00', 'Europe/Paris')), "
     "epoch_us(spark_cast_timestamp_ansi('2020-10-25 02:30:00', 'Europe/Paris'))",
     "1585445400000000 | 1603585800000000"},
    {"spark_cast_timestamp_ntz_ansi('2020-01-01 10:11:12 Europe/Paris'), spark_cast_timestamp_ntz_try('10:11:12')",
     "2020-01-01 10:11:12 | NULL"},
    {"epoch_us(spark_cast_timestamp_ansi(1.5, 'UTC')), epoch_us(spark_cast_timestamp_ansi(1e10::DOUBLE, 'UTC')), "
     "spark_cast_timestamp_try('nan'::DOUBLE, 'UTC')",
     "1500000 | 10000000000000000 | NULL"},
    {"spark_cast_timestamp_ansi('2020', 'Nowhere')", "! [INVALID_TIMEZONE]{\"timeZone\":\"Nowhere\"}"},
};

PT_TEST(casts_to_dates_and_timestamps_follow_spark)
{
    PT__FN_CHECK(TO_TIME);
}

static const pt__fn_case TO_TEXT[] = {
    {"spark_cast_string(1e10::DOUBLE), spark_cast_string(1e-5::FLOAT), spark_cast_string(1.50), "
     "spark_cast_string(-5::TINYINT), spark_cast_string(true), spark_cast_string('nan'::DOUBLE)",
     "1.0E10 | 1.0E-5 | 1.50 | -5 | true | NaN"},
    {"spark_cast_string([1, NULL]), spark_cast_string(MAP {'a': 1, 'b': NULL}), spark_cast_string({'a': 1, 'b': 'x', "
     "'c': NULL::INT})",
     "[1, null] | {a -> 1, b -> null} | {1, x, null}"},
    {"spark_cast_string([[1.5::DOUBLE], NULL, []]), spark_cast_string([{'a': MAP {1: date '2020-01-01'}}])",
     "[[1.5], null, []] | [{{1 -> 2020-01-01}}]"},
    {"spark_cast_string(timestamptz '2020-01-01 00:00:00.5+00', 'Europe/Paris'), spark_cast_string([timestamptz "
     "'2020-01-01 00:00:00+00'], 'UTC')",
     "2020-01-01 01:00:00.5 | [2020-01-01 00:00:00]"},
    {"spark_cast_string({'a': 86400000000, 'b': [14::INT, NULL], 'c': 5}, 'UTC', 'd00y01.')",
     "{INTERVAL '1' DAY, [INTERVAL '1-2' YEAR TO MONTH, null], 5}"},
    {"spark_cast_string('\\x80A'::BLOB), spark_cast_string(interval '14 months -5 days')",
     "\xEF\xBF\xBD"
     "A | 1 years 2 months -5 days"},
    {"spark_ym_interval_string(14, 0, 1), spark_dt_interval_string(93784500000, 0, 3)",
     "INTERVAL '1-2' YEAR TO MONTH | INTERVAL '1 02:03:04.5' DAY TO SECOND"},
    {"spark_cast_string(list_filter([i, i + 1, i + 2], lambda x: x % 2 = 0)), spark_cast_string(list_reverse([i, i + "
     "1])) FROM range(3) t(i)",
     "[0, 2] | [1, 0] / [2] | [2, 1] / [2, 4] | [3, 2]"},
    {"spark_cast_string(list_select(a, [2, 1])), spark_cast_string(list_sort(a, 'DESC')), spark_cast_string(a[2:]) "
     "FROM (VALUES ([1, 2, 3]), ([4, 5])) t(a)",
     "[2, 1] | [3, 2, 1] | [2, 3] / [5, 4] | [5, 4] | [5]"},
    {"spark_cast_string({'a': i, 'b': [i]}) FROM range(2) t(i)", "{0, [0]} / {1, [1]}"},
    {"spark_cast_string(list_zip(a, a)), spark_cast_string(list_transform(a, lambda x: {'v': x})) FROM (VALUES ([1, "
     "2]), ([3])) t(a)",
     "[{1, 1}, {2, 2}] | [{1}, {2}] / [{3, 3}] | [{3}]"},
    {"spark_cast_string(a) FROM (SELECT array_agg(i ORDER BY i DESC) a FROM range(4) t(i) GROUP BY i % 2 ORDER BY i % "
     "2)",
     "[2, 0] / [3, 1]"},
};

PT_TEST(casts_to_text_follow_spark)
{
    PT__FN_CHECK(TO_TEXT);
}

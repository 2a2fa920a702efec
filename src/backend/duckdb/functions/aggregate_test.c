#include "backend/duckdb/functions/test_functions.h"
#include "base/test.h"

static const pt__fn_case MOMENTS[] = {
    {"round(spark_agg_skewness(x), 12), round(spark_agg_kurtosis(x), 12) FROM (VALUES (-10.0::DOUBLE), (-20), (100), "
     "(1000)) AS t(x)",
     "1.113565746902 | -0.701436804753"},
    {"spark_agg_skewness(x), spark_agg_var_samp(x), spark_agg_var_pop(x), spark_agg_stddev_pop(x) FROM (VALUES "
     "(1.0::DOUBLE)) AS t(x)",
     "NULL | NULL | 0.0 | 0.0"},
    {"spark_agg_stddev_samp(x) FROM (VALUES (1.0::DOUBLE), ('nan'::DOUBLE)) AS t(x)", "nan"},
    {"spark_agg_var_samp(x) FROM (SELECT x::DOUBLE AS x FROM range(100000) AS t(x))", "833341666.6666666"},
    {"spark_agg_covar_samp(x, y), spark_agg_covar_pop(x, y), spark_agg_corr(x, y) FROM "
     "(VALUES (1.0::DOUBLE, 2.0::DOUBLE), (2, 4), (NULL, 7), (3, 6)) AS t(x, y)",
     "2.0 | 1.3333333333333333 | 1.0"},
    {"spark_agg_corr(x, y) FROM (VALUES (1.0::DOUBLE, 2.0::DOUBLE), (1, 4)) AS t(x, y)",
     "! [DIVIDE_BY_ZERO]{\"config\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"round(spark_agg_regr_r2(y, x), 12), spark_agg_regr_avgx(y, x), spark_agg_regr_sxx(y, x), spark_agg_regr_slope(y, "
     "x) "
     "FROM (VALUES (1.0::DOUBLE, 2.0::DOUBLE), (2, 2), (2, 3), (2, 4)) AS t(y, x)",
     "0.272727272727 | 2.75 | 2.75 | 0.2727272727272727"},
    {"spark_agg_regr_slope(y, x), spark_agg_regr_intercept(y, x) FROM (VALUES (1.0::DOUBLE, 2.0::DOUBLE)) AS t(y, x)",
     "NULL | NULL"},
};

PT_TEST(moments_are_those_of_spark)
{
    PT__FN_CHECK(MOMENTS);
}

static const pt__fn_case PERCENTILES[] = {
    {"spark_agg_percentile(x, [0.25, 0.75, 1.0]::DOUBLE[], 1) FROM (VALUES (0.0::DOUBLE), (10)) AS t(x)",
     "[2.5, 7.5, 10.0]"},
    {"spark_agg_percentile(x, [0.5]::DOUBLE[], n) FROM (VALUES (1.0::DOUBLE, 5), (2, 0), (3, 2)) AS t(x, n)", "[1.0]"},
    {"spark_agg_percentile_disc(x, [0.25, 0.5, 0.75]::DOUBLE[], 1) FROM (VALUES (1.0::DOUBLE), (2), (3), (4)) AS t(x)",
     "[1.0, 2.0, 3.0]"},
    {"spark_agg_percentile(x, [0.5]::DOUBLE[], 1) FROM (SELECT NULL::DOUBLE AS x)", "NULL"},
    {"g, spark_agg_percentile(x, [0.5]::DOUBLE[], 1) FROM (SELECT x % 3 AS g, x::DOUBLE AS x FROM range(9000) AS t(x)) "
     "GROUP BY g ORDER BY g",
     "0 | [4498.5] / 1 | [4499.5] / 2 | [4500.5]"},
    {"spark_agg_percentile_approx(x, [0.5, 0.4, 0.1]::DOUBLE[], 100) FROM (VALUES (0.0::DOUBLE), (1), (2), (10)) AS "
     "t(x)",
     "[1.0, 1.0, 0.0]"},
    {"abs(spark_agg_percentile_approx(x, [0.5]::DOUBLE[], 100)[1] - 100000) < 2000 FROM (SELECT x::DOUBLE AS x FROM "
     "range(200000) AS t(x))",
     "true"},
    {"spark_agg_percentile(x, [0.5]::DOUBLE[], 1) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM "
     "(VALUES (1.0::DOUBLE), (2), (4)) AS t(x)",
     "[1.0] / [1.5] / [3.0]"},
};

PT_TEST(percentiles_are_those_of_spark)
{
    PT__FN_CHECK(PERCENTILES);
}

static const pt__fn_case SKETCHES[] = {
    {"spark_agg_histogram_numeric(x, 5) FROM (VALUES (0.0::DOUBLE), (1), (2), (10)) AS t(x)",
     "[0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 10.0, 1.0]"},
    {"spark_agg_histogram_numeric(x, 2) FROM (VALUES (0.0::DOUBLE), (1), (10), (11)) AS t(x)", "[0.5, 2.0, 10.5, 2.0]"},
    {"spark_agg_count_distinct(spark_xxhash64(x), 0.05::DOUBLE) FROM (VALUES (1), (1), (2), (2), (3)) AS t(x)", "3"},
    {"spark_agg_count_distinct(spark_xxhash64(x), 0.05::DOUBLE) FROM (SELECT 1 AS x WHERE false)", "0"},
    {"abs(spark_agg_count_distinct(spark_xxhash64(x), 0.01::DOUBLE) - 100000) < 3000 FROM range(100000) AS t(x)",
     "true"},
    {"hex(spark_agg_count_min_sketch(x, 0.5::DOUBLE, 0.5::DOUBLE, 1::BIGINT)) FROM (VALUES (1::BIGINT), (2), (1)) AS "
     "t(x)",
     "0000000100000000000000030000000100000004000000005D8D6AB9000000000000000000000000000000020000000000000001000000000"
     "000"
     "0000"},
    {"hex(spark_agg_bitmap_construct(x))[:6] FROM (VALUES (0::BIGINT), (1), (2)) AS t(x)", "070000"},
    {"hex(spark_agg_bitmap_and(x))[:6], hex(spark_agg_bitmap_or(x))[:6] FROM (VALUES ('\\xF0'::BLOB), ('\\x70'), "
     "('\\x30')) AS t(x)",
     "300000 | F00000"},
};

PT_TEST(sketches_have_sparks_bytes)
{
    PT__FN_CHECK(SKETCHES);
}

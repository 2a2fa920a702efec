#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case INTEGERS[] = {
    {"spark_cast_int_ansi(' 12 '), spark_cast_int_ansi('-7'), spark_cast_bigint_ansi('-9223372036854775808')",
     "12 | -7 | -9223372036854775808"},
    {"spark_cast_int_ansi('abc')", "! [CAST_INVALID_INPUT]{\"expression\":\"'abc'\",\"sourceType\":\"\\\"STRING\\\"\","
                                   "\"targetType\":\"\\\"INT\\\"\",\"ansiConfig\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_cast_int_try('1.9'), spark_cast_int_legacy('1.9'), spark_cast_int_legacy('.'), spark_cast_int_try('')",
     "NULL | 1 | 0 | NULL"},
    {"spark_cast_int_ansi(2.5), spark_cast_int_ansi(-1.9::DOUBLE), spark_cast_int_ansi(true)", "2 | -1 | 1"},
    {"spark_cast_int_try(1e10), spark_cast_int_legacy(1e10), spark_cast_bigint_legacy(1e30), "
     "spark_cast_smallint_legacy(-1e10), spark_cast_int_legacy('nan'::DOUBLE)",
     "NULL | 2147483647 | 9223372036854775807 | 0 | 0"},
    {"spark_cast_tinyint_legacy(12345678901234567890::DECIMAL(20,0)), "
     "spark_cast_int_legacy(12345678901234567890::DECIMAL(20,0))",
     "-46 | -350287150"},
    {"spark_cast_int_ansi(1e10::DOUBLE)",
     "! [CAST_OVERFLOW]{\"value\":\"1.0E10D\",\"sourceType\":\"\\\"DOUBLE\\\"\",\"targetType\":\"\\\"INT\\\"\","
     "\"ansiConfig\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_cast_bigint_ansi(timestamptz '1969-12-31 23:59:59.5+00')", "-1"},
    {"sum(spark_cast_int_ansi(i::VARCHAR)) FROM range(5000) t(i)", "12497500"},
    {"spark_cast_int_ansi(s) FROM (VALUES ('1'), (NULL), ('3')) t(s)", "1 / NULL / 3"},
};

PT_TEST(casts_to_integers_follow_spark)
{
    PT__FN_CHECK(INTEGERS);
}

static const pt__fn_case REALS[] = {
    {"spark_cast_double_ansi(' 1.5d '), spark_cast_double_ansi('1e400'), spark_cast_double_ansi('-Infinity'), "
     "spark_cast_double_ansi('+NaN'), spark_cast_double_ansi('0x1p3'), spark_cast_double_ansi('inF')",
     "1.5 | inf | -inf | nan | 8.0 | inf"},
    {"spark_cast_double_try('0x1F'), spark_cast_double_try('1_0'), spark_cast_double_try('e5'), "
     "spark_cast_double_try('.'), spark_cast_double_try('1e'), spark_cast_double_try('')",
     "NULL | NULL | NULL | NULL | NULL | NULL"},
    {"spark_cast_float_ansi('0.1f'), spark_cast_double_ansi('123456789012345678'), spark_cast_double_ansi('.5')",
     "0.1 | 1.2345678901234568e+17 | 0.5"},
    {"spark_cast_boolean_ansi(' YES '), spark_cast_boolean_ansi('f'), spark_cast_boolean_try('on')",
     "true | false | NULL"},
};

PT_TEST(casts_to_floating_point_and_boolean_follow_spark)
{
    PT__FN_CHECK(REALS);
}

static const pt__fn_case DECIMALS[] = {
    {"spark_cast_decimal_ansi_3_2('1.505'), spark_cast_decimal_ansi_3_2(1.005::DOUBLE), "
     "spark_cast_decimal_try_3_2('15.55')",
     "1.51 | 1.01 | NULL"},
    {"spark_cast_decimal_ansi_20_15(0.1::FLOAT), spark_cast_decimal_ansi_3_0('nan'::DOUBLE), "
     "spark_cast_decimal_ansi_10_2('1e-400')",
     "0.100000001490116 | NULL | 0.00"},
    {"spark_cast_decimal_ansi_3_2(155)",
     "! [NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION]{\"value\":\"155\","
     "\"precision\":\"3\",\"scale\":\"2\",\"config\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_cast_decimal_ansi_10_2('1e400')", "! [NUMERIC_OUT_OF_SUPPORTED_RANGE]{\"value\":\"1e400\"}"},
    {"spark_cast_decimal_ansi_38_38('.12345678901234567890123456789012345678')",
     ".12345678901234567890123456789012345678"},
    {"spark_cast_decimal_ansi_5_1(12.345::DECIMAL(10,3)), spark_cast_decimal_ansi_10_4(-12.35)", "12.3 | -12.3500"},
};

PT_TEST(casts_to_decimal_follow_spark)
{
    PT__FN_CHECK(DECIMALS);
}

#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case INTEGERS[] = {
    {"spark_add_ansi(2147483647::INT, 1::INT)", "! [ARITHMETIC_OVERFLOW]{\"message\":\"overflow\",\"alternative\":\" "
                                                "Use 'try_add' to tolerate overflow and return "
                                                "NULL instead.\",\"config\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_add_ansi(127::TINYINT, 1::TINYINT)", "! "
                                                 "[BINARY_ARITHMETIC_OVERFLOW]{\"value1\":\"127S\",\"symbol\":\"+\","
                                                 "\"value2\":\"1S\",\"functionName\":\"`try_add`\"}"},
    {"spark_add_try(2147483647::INT, 1::INT), spark_add_legacy(2147483647::INT, 1::INT), "
     "spark_multiply_legacy(9223372036854775807, 2::BIGINT), spark_subtract_try(5::SMALLINT, 7::SMALLINT)",
     "NULL | -2147483648 | -2 | -2"},
    {"spark_abs_legacy((-128)::TINYINT), spark_abs_try((-128)::TINYINT), spark_negate_ansi(5::INT)",
     "-128 | NULL | -5"},
    {"spark_integral_divide_ansi(7::BIGINT, -2::BIGINT), spark_integral_divide_try(7::BIGINT, 0::BIGINT), "
     "spark_integral_divide_legacy((-9223372036854775808)::BIGINT, -1::BIGINT)",
     "-3 | NULL | -9223372036854775808"},
    {"spark_remainder_ansi(-7::INT, 3::INT), spark_pmod_ansi(-7::INT, 3::INT), spark_pmod_ansi(-7::INT, -2::INT), "
     "spark_pmod_ansi((-7.5)::DOUBLE, 2::DOUBLE)",
     "-1 | 2 | -1 | 0.5"},
    {"spark_remainder_ansi(1::INT, 0::INT)", "! [REMAINDER_BY_ZERO]{\"config\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_shiftleft(1::INT, 33::INT), spark_shiftrightunsigned(-1::INT, 1::INT), spark_shiftright(-1::BIGINT, "
     "1::INT)",
     "2 | 2147483647 | -1"},
};

PT_TEST(integer_arithmetic_follows_spark)
{
    PT__FN_CHECK(INTEGERS);
}

static const pt__fn_case DECIMALS[] = {
    {"spark_decimal_multiply_15_4(12345.67::DECIMAL(10,2), 0.05::DECIMAL(4,2), false)", "617.2835"},
    {"spark_decimal_multiply_38_6(1234567890123456789.0123456789::DECIMAL(38,10), "
     "9876543210.9876543210::DECIMAL(38,10), "
     "false)",
     "12193263113702179522496570642.237464"},
    {"spark_decimal_multiply_38_0(99999999999999999999999999999999999999::DECIMAL(38,0), 10, false)",
     "! "
     "[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION]{\"value\":\"999999999999999999999999999999999999990\",\"precision\":"
     "\"38\",\"scale\":\"0\",\"config\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_decimal_multiply_38_0(99999999999999999999999999999999999999::DECIMAL(38,0), 10, true)", "NULL"},
    {"spark_decimal_multiply_38_6(x, y, true) FROM (VALUES (1234567890123456789.0123::DECIMAL(30,4), "
     "2.5::DECIMAL(12,2)), "
     "(NULL, 1), (1.5, -0.25), (99999999999999999999999999, 9999999999.99)) t(x, y)",
     "3086419725308641972.530750 / NULL / -0.375000 / NULL"},
    {"spark_decimal_divide_14_6(10::DECIMAL(4,2), 3::DECIMAL(10,0), false), "
     "spark_decimal_divide_14_6((-2)::DECIMAL(4,2), 3::DECIMAL(10,0), false), "
     "spark_decimal_divide_38_6(1.5::DECIMAL(38,18), 0.000000000000000007::DECIMAL(38,18), false)",
     "3.333333 | -0.666667 | 214285714285714285.714286"},
    {"spark_decimal_divide_down_38_4(2.0, 3.0, false), spark_decimal_divide_down_38_4((-2)::DECIMAL(38,8), "
     "3::DECIMAL(20,0), false), spark_decimal_divide_down_38_1(1.25::DECIMAL(38,8), 1::DECIMAL(38,0), false)",
     "0.6666 | -0.6666 | 1.2"},
    {"spark_decimal_divide_8_6(1.0, 0.0, false)", "! [DIVIDE_BY_ZERO]{\"config\":\"\\\"spark.sql.ansi.enabled\\\"\"}"},
    {"spark_decimal_add_5_1(1.25, -0.4, false), spark_decimal_subtract_5_2(1.25, 0.4, false), "
     "spark_decimal_subtract_5_0(0.4, 9.9, false)",
     "0.9 | 0.85 | -10"},
    {"spark_decimal_remainder_3_1((-7.5)::DECIMAL(3,1), 2::DECIMAL(3,1), false), "
     "spark_decimal_pmod_3_1((-7.5)::DECIMAL(3,1), 2::DECIMAL(3,1), false), "
     "spark_decimal_pmod_3_1((-7.5)::DECIMAL(3,1), (-2)::DECIMAL(3,1), false), "
     "spark_decimal_remainder_4_3(5.5, 0.123, false)",
     "-1.5 | 0.5 | -1.5 | 0.088"},
    {"spark_decimal_integral_divide_ansi(7.5, 2), "
     "spark_decimal_integral_divide_ansi(99999999999999999999::DECIMAL(20,0), 1)",
     "3 | 7766279631452241919"},
};

PT_TEST(decimal_arithmetic_follows_spark)
{
    PT__FN_CHECK(DECIMALS);
}

static const pt__fn_case ROUNDING[] = {
    {"spark_round_ansi(2.5::DOUBLE, 0), spark_bround_ansi(2.5::DOUBLE, 0), spark_round_ansi(1.005::DOUBLE, 2), "
     "spark_round_ansi(1.005::FLOAT, 2), spark_round_ansi(125.5::DOUBLE, -1), spark_round_ansi(-0.4::DOUBLE, 0)",
     "3.0 | 2.0 | 1.01 | 1.0 | 130.0 | 0.0"},
    {"spark_round_ansi(1e300::DOUBLE, -299), spark_round_ansi(1.23456789e-10::DOUBLE, 12), "
     "spark_round_ansi(5.015::DOUBLE, 2)",
     "1e+300 | 1.23e-10 | 5.02"},
    {"spark_round_ansi(25::INT, -1), spark_bround_ansi(25::INT, -1), spark_round_try(127::TINYINT, -1), "
     "spark_round_legacy(2147483647::INT, -1), spark_round_ansi(5::INT, -30)",
     "30 | 20 | NULL | -2147483646 | 0"},
    {"spark_decimal_round_3_1(2.55, 1, 3), spark_decimal_round_3_1(2.45, 1, 2), spark_decimal_round_6_0(12345.678, -2, "
     "3), "
     "spark_decimal_round_6_0(12345.678, -2, 10), spark_decimal_round_3_1((-1.234)::DECIMAL(4,3), 1, 11)",
     "2.6 | 2.4 | 12300 | 12400 | -1.3"},
    {"spark_ceil(1e30::DOUBLE), spark_floor('nan'::DOUBLE), spark_floor(-2.5::DOUBLE), spark_ceil(-0.5::DOUBLE)",
     "9223372036854775807 | 0 | -3 | 0"},
};

PT_TEST(rounding_follows_spark)
{
    PT__FN_CHECK(ROUNDING);
}

static const pt__fn_case MATH[] = {
    {"spark_divide_ansi(1::DOUBLE, 4::DOUBLE), spark_divide_try(1::DOUBLE, 0::DOUBLE)", "0.25 | NULL"},
    {"spark_cbrt(27.0), spark_rint(2.5::DOUBLE), spark_cot(0::DOUBLE), spark_acos(2::DOUBLE), spark_hypot(3, 4)",
     "3.0 | 2.0 | inf | nan | 5.0"},
    {"spark_log(0::DOUBLE), spark_log(1), spark_log_base(10, 100), spark_log_base(1, 5), spark_log_base(-1, 5), "
     "spark_log1p(-1)",
     "NULL | 0.0 | 2.0 | inf | NULL | NULL"},
    {"spark_width_bucket(5.3, 0.2, 10.6, 5), spark_width_bucket(-0.9, 5.2, 0.5, 2), spark_width_bucket(1, 1, 1, 5)",
     "3 | 3 | NULL"},
    {"spark_factorial(20::INT), spark_factorial(21::INT)", "2432902008176640000 | NULL"},
    {"spark_conv_ansi('100', 2, 10), spark_conv_ansi('-10', 16, -10), spark_conv_ansi('-1', 10, 16), "
     "spark_conv_ansi('x', 10, 2), "
     "spark_conv_ansi('', 10, 2), spark_conv_ansi('-9223372036854775809', 10, -10), "
     "spark_conv_legacy('18446744073709551616', 10, 16)",
     "4 | -16 | FFFFFFFFFFFFFFFF | 0 | NULL | -9223372036854775807 | FFFFFFFFFFFFFFFF"},
    {"spark_unhex('537'), spark_unhex('5Z'), spark_unhex('')", "\\x057 | NULL | "},
};

PT_TEST(mathematical_functions_follow_spark)
{
    PT__FN_CHECK(MATH);
}

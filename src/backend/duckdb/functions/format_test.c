#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case STRINGS[] = {
    {"spark_format_string('%d %s %5d|%-5d|%05d|%+d|%,d|%x|%X|%o|%c|%b|%e|%.2f|%10.3f|%g|%%|%h', 1, 'a', 42, 42, 42, "
     "42, 1234567, 255, 255, 8, 65, "
     "true, 12345.678::DOUBLE, 3.14159::DOUBLE, 2.5::DOUBLE, 0.00012345::DOUBLE, 'hi')",
     "1 a    42|42   |00042|+42|1,234,567|ff|FF|10|A|true|1.234568e+04|3.14|     2.500|0.000123450|%|dff4c098"},
    {"spark_format_string('%s %s %s %s %s', 1.0::DOUBLE, 1.5, true, NULL, date '2020-01-01')",
     "1.0 1.5 true null 18262"},
    {"spark_format_string('%2$s %1$s %<s', 'a', 'b'), spark_format_string('%10s|%-10s|%.2s', 'abc', 'abc', 'abc'), "
     "spark_format_string('%S', 'abc')",
     "b a a |        abc|abc       |ab | ABC"},
    {"spark_format_string('%(,.2f % d %#x', -1234.567::DOUBLE, 5, 255)", "(1,234.57)  5 0xff"},
    {"spark_format_string('%.1f %.1f %.0f %.0f %.3f', 0.25::DOUBLE, 0.35::DOUBLE, 0.5::DOUBLE, 1.5::DOUBLE, "
     "1.0005::DOUBLE)",
     "0.3 0.4 1 2 1.001"},
    {"spark_format_string('%f %f %f', 'nan'::DOUBLE, 'inf'::DOUBLE, 1e10::DOUBLE)", "NaN Infinity 10000000000.000000"},
    {"spark_format_string('%08.2f|%+.1e|%,.3f', 3.14159::DOUBLE, 12345.678::DOUBLE, 1234567.891::DOUBLE)",
     "00003.14|+1.2e+04|1,234,567.891"},
    {"spark_format_string('%x', -1), spark_format_string('%x', -1::BIGINT), spark_format_string('%b %b', NULL, 'x'), "
     "spark_format_string('%d', NULL), "
     "spark_format_string(NULL, 1)",
     "ffffffff | ffffffffffffffff | false true | null | NULL"},
    {"spark_format_string('%d', 'a')",
     "! Invalid Input Error: illegal format: d != org.apache.spark.unsafe.types.UTF8String"},
    {"spark_format_string('%s')", "! Invalid Input Error: illegal format: Format specifier '%s'"},
};

PT_TEST(format_string_follows_spark)
{
    PT__FN_CHECK(STRINGS);
}

static const pt__fn_case NUMBERS[] = {
    {"spark_format_number(12332.123456, 4), spark_format_number(5, 0), spark_format_number(1234567, 2), "
     "spark_format_number(12332.5::DOUBLE, 0), "
     "spark_format_number(12333.5::DOUBLE, 0), spark_format_number(-12332.123456, 2), "
     "spark_format_number('nan'::DOUBLE, 2)",
     "12,332.1235 | 5 | 1,234,567.00 | 12,332 | 12,334 | -12,332.12 | NaN"},
    {"spark_format_number('inf'::DOUBLE, 2), spark_format_number(-0.0::DOUBLE, 1), spark_format_number(0.125::DOUBLE, "
     "2), "
     "spark_format_number(12345678901234567890.125, 2), spark_format_number(1.005::DOUBLE, 2), spark_format_number(5, "
     "-1)",
     "∞ | -0.0 | 0.12 | 12,345,678,901,234,567,890.12 | 1.00 | NULL"},
    {"spark_format_number(12332.123456, '##################.###'), spark_format_number(1234.5, '#,##0.00'), "
     "spark_format_number(0.5, '#.##'), "
     "spark_format_number(1234.5, '000000.0'), spark_format_number(0.256, '0.0%'), spark_format_number(-5, '0;(0)'), "
     "spark_format_number(1234567.891, '$#,##0.0#')",
     "12332.123 | 1,234.50 | 0.5 | 001234.5 | 25.6% | (5) | $1,234,567.89"},
};

PT_TEST(format_number_follows_spark)
{
    PT__FN_CHECK(NUMBERS);
}

static const pt__fn_case PATTERNS[] = {
    {"spark_to_char(454, '999'), spark_to_char(454, '000099'), spark_to_char(454.00, '000D00'), spark_to_char(12454, "
     "'99G999'), spark_to_char(78.12, '$99.99'), "
     "spark_to_char(-12454.8, '99G999D9S'), spark_to_char(12454.8, '99G999D9S'), spark_to_char(-12.5, 'S99.9'), "
     "spark_to_char(12.5, 'MI99.9')",
     "454 | 000454 | 454.00 | 12,454 | $78.12 | 12,454.8- | 12,454.8+ | -12.5 |  12.5"},
    {"'[' || concat_ws('|', spark_to_char(-12.5, '99.9PR'), spark_to_char(12.5, '99.9PR'), spark_to_char(1234, '999'), "
     "spark_to_char(0.5, '9.9'), spark_to_char(5, '999'), "
     "spark_to_char(0, '999'), spark_to_char(1.23, '9.9'), spark_to_char(34, '9,999'), spark_to_char(34, '0,000'), "
     "spark_to_char(12.5, '99.9MI')) || ']'",
     "[<12.5>|12.5  |###|0.5|  5|   |#.#|   34|0,034|12.5 ]"},
    {"'[' || concat_ws('|', spark_to_char(-0.5, 'S9.9'), spark_to_char(5, '$999'), spark_to_char(5, 'S999'), "
     "spark_to_char(-5, '999S'), spark_to_char(-5, '$9,999PR'), "
     "spark_to_char(5, 'MI$999'), spark_to_char(-5, 'MI$999'), spark_to_char(0.1, '.99'), spark_to_char(0.1, '0.99'), "
     "spark_to_char(-1.5, 'S$9.9')) || ']'",
     "[ -.5|$  5|  +5|  5-|<$    5>| $  5|-$  5|.10|0.10|-$1.5]"},
    {"spark_to_number_ansi('454', '999')::DECIMAL(38,0), spark_to_number_ansi('$78.12', '$99.99')::DECIMAL(38,2), "
     "spark_to_number_ansi('12,454.8-', '99,999.9S')::DECIMAL(38,1), "
     "spark_to_number_ansi('-12', 'S99')::DECIMAL(38,0), spark_to_number_ansi('<12>', '99PR')::DECIMAL(38,0), "
     "spark_to_number_ansi('12', "
     "'99PR')::DECIMAL(38,0), spark_to_number_ansi('12-', '99MI')::DECIMAL(38,0)",
     "454 | 78.12 | -12454.8 | -12 | -12 | 12 | -12"},
    {"spark_to_number_ansi('1,2', '99,9')::DECIMAL(38,0), spark_to_number_try('12', '99,9')::DECIMAL(38,0), "
     "spark_to_number_try('4540', "
     "'999')::DECIMAL(38,0), spark_to_number_try('', '9')::DECIMAL(38,0), "
     "spark_to_number_ansi(' 12', '999')::DECIMAL(38,0), spark_to_number_ansi('12.3', '99.99')::DECIMAL(38,2), "
     "spark_to_number_ansi('12', "
     "'99D99')::DECIMAL(38,2), spark_to_number_ansi('5', '99,0')::DECIMAL(38,0)",
     "12 | NULL | NULL | NULL | 12 | 12.30 | 12.00 | 5"},
    {"spark_to_number_ansi('5', '009')::DECIMAL(38,0)",
     "! [INVALID_FORMAT.MISMATCH_INPUT]{\"inputType\":\"\\\"STRING\\\"\",\"input\":\"5\",\"format\":\"009\"}"},
    {"spark_to_number_ansi('5', '9x9')::DECIMAL(38,0)",
     "! [INVALID_FORMAT.UNEXPECTED_TOKEN]{\"format\":\"'9X9'\",\"token\":\"character 'X''\"}"},
    {"spark_to_number_ansi('5', '9.9.9')::DECIMAL(38,0)",
     "! [INVALID_FORMAT.WRONG_NUM_TOKEN]{\"format\":\"'9.9.9'\",\"token\":\". or D\"}"},
    {"spark_to_number_ansi('5', '9,')::DECIMAL(38,0)", "! [INVALID_FORMAT.CONT_THOUSANDS_SEPS]{\"format\":\"'9,'\"}"},
};

PT_TEST(number_patterns_follow_spark)
{
    PT__FN_CHECK(PATTERNS);
}

static const pt__fn_case RANDOM[] = {
    {"spark_rand(0), spark_rand(42), spark_randn(0), spark_randn(42), spark_rand(-5), spark_rand(NULL)",
     "0.7604953758285915 | 0.619189370225301 | 1.6034991609278433 | 2.384479054241165 | 0.7332337014740989 | "
     "0.7604953758285915"},
    {"spark_randstr(3, 0), spark_randstr(10, 5), spark_uuid(5)",
     "ceV | R0Tmgfhbai | 99b370cd-2be6-4419-b53a-bf23bbe7c58b"},
    {"count(DISTINCT x) FROM (SELECT spark_rand(1) x FROM range(5000))", "5000"},
};

PT_TEST(random_numbers_are_those_of_spark)
{
    PT__FN_CHECK(RANDOM);
}

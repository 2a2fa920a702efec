#include "base/int128.h"

#include "base/test.h"

#include <string.h>

static pt__decimal_result parse(const char *text, pt__decimal *out)
{
    return pt__decimal_parse(text, strlen(text), out);
}

static const char *format(pt_int128 value, int32_t scale)
{
    static char text[PT_DECIMAL_TEXT_BYTES];
    pt__decimal_format(value, scale, text);
    return text;
}

PT_TEST(decimal_text_gives_precision_and_scale)
{
    static const struct {
        const char *text;
        int64_t unscaled;
        int32_t precision;
        int32_t scale;
    } CASES[] = {
        {"1.20", 120, 3, 2}, {"-0.001", -1, 1, 3},
        {"1E+3", 1, 1, -3},  {"0", 0, 1, 0},
        {"0.00", 0, 1, 2},   {".5", 5, 1, 1},
        {"7.", 7, 1, 0},     {"12e-2", 12, 2, 2},
        {"+007", 7, 1, 0},   {"-9223372036854775808", INT64_MIN, 19, 0},
    };
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        pt__decimal d = {0, 0, 0};
        PT_CHECK_EQ(parse(CASES[i].text, &d), PT_DECIMAL_OK);
        PT_CHECK_EQ(d.unscaled, CASES[i].unscaled);
        PT_CHECK_EQ(d.precision, CASES[i].precision);
        PT_CHECK_EQ(d.scale, CASES[i].scale);
    }
}

PT_TEST(decimal_text_is_refused_when_malformed_or_long)
{
    static const char *const MALFORMED[] = {"", "-", ".", "1a", "1e", "1e+", " 1", "1 ", "1.2.3", "NaN", "--1"};
    pt__decimal d;
    for (size_t i = 0; i < sizeof(MALFORMED) / sizeof(MALFORMED[0]); i++)
        PT_CHECK_EQ(parse(MALFORMED[i], &d), PT_DECIMAL_MALFORMED);
    PT_CHECK_EQ(parse("99999999999999999999999999999999999999", &d), PT_DECIMAL_OK);
    PT_CHECK_EQ(parse("100000000000000000000000000000000000000", &d), PT_DECIMAL_TOO_LARGE);
    PT_CHECK_EQ(parse("1e999999999999", &d), PT_DECIMAL_TOO_LARGE);
}

PT_TEST(decimal_format_is_plain_with_the_full_scale)
{
    PT_CHECK_STR(format(120, 2), "1.20");
    PT_CHECK_STR(format(-1, 3), "-0.001");
    PT_CHECK_STR(format(0, 2), "0.00");
    PT_CHECK_STR(format(0, 0), "0");
    PT_CHECK_STR(format(1, -3), "1000");
    PT_CHECK_STR(format(100, 2), "1.00");
    PT_CHECK_STR(format(100, 0), "100");
    PT_CHECK_STR(format(-pt__int128_power_of_ten(38), 38), "-1.00000000000000000000000000000000000000");
}

PT_TEST(decimal_rescale_rounds_half_away_from_zero)
{
    pt_int128 out = 0;
    PT_CHECK_EQ(pt__decimal_rescale(125, 2, 10, 1, &out), PT_DECIMAL_OK);
    PT_CHECK_EQ(out, 13);
    PT_CHECK_EQ(pt__decimal_rescale(-125, 2, 10, 1, &out), PT_DECIMAL_OK);
    PT_CHECK_EQ(out, -13);
    PT_CHECK_EQ(pt__decimal_rescale(1, 0, 5, 3, &out), PT_DECIMAL_OK);
    PT_CHECK_EQ(out, 1000);
    PT_CHECK_EQ(pt__decimal_rescale(999, 1, 2, 0, &out), PT_DECIMAL_TOO_LARGE);
    PT_CHECK_EQ(pt__decimal_rescale(1, 0, 38, 38, &out), PT_DECIMAL_TOO_LARGE);
    PT_CHECK_EQ(pt__decimal_rescale(5, 40, 38, 0, &out), PT_DECIMAL_OK);
    PT_CHECK_EQ(out, 0);
}

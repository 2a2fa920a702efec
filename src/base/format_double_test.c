#include "base/format_double.h"

#include "base/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(double value)
{
    static _Thread_local char text[PT_DOUBLE_TEXT_MAX];
    size_t length = pt__format_double(value, text);
    PT_CHECK_EQ(length, strlen(text));
    return text;
}

static const char *float_text_of(float value)
{
    static _Thread_local char text[PT_DOUBLE_TEXT_MAX];
    pt__format_float(value, text);
    return text;
}

PT_TEST(format_double_spells_like_java)
{
    PT_CHECK_STR(text_of(0), "0.0");
    PT_CHECK_STR(text_of(-0.0), "-0.0");
    PT_CHECK_STR(text_of(1), "1.0");
    PT_CHECK_STR(text_of(-1.5), "-1.5");
    PT_CHECK_STR(text_of(0.001), "0.001");
    PT_CHECK_STR(text_of(0.00099), "9.9E-4");
    PT_CHECK_STR(text_of(9999999), "9999999.0");
    PT_CHECK_STR(text_of(1e7), "1.0E7");
    PT_CHECK_STR(text_of(12345678.9), "1.23456789E7");
    PT_CHECK_STR(text_of(1e300), "1.0E300");
    PT_CHECK_STR(text_of(0.1 + 0.2), "0.30000000000000004");
    PT_CHECK_STR(text_of(1.5811388300841898), "1.5811388300841898");
    PT_CHECK_STR(text_of(1.7976931348623157e308), "1.7976931348623157E308");
    PT_CHECK_STR(text_of(4.9e-324), "4.9E-324");
    PT_CHECK_STR(text_of(2.2250738585072014E-308), "2.2250738585072014E-308");
    PT_CHECK_STR(text_of(9007199254740993.0), "9.007199254740992E15");
    PT_CHECK_STR(text_of(123456.789), "123456.789");
    PT_CHECK_STR(text_of(NAN), "NaN");
    PT_CHECK_STR(text_of(-INFINITY), "-Infinity");
}

PT_TEST(format_float_spells_like_java)
{
    PT_CHECK_STR(float_text_of(0.1F), "0.1");
    PT_CHECK_STR(float_text_of(1.2345679e-5F), "1.2345679E-5");
    PT_CHECK_STR(float_text_of(16777216.0F), "1.6777216E7");
    PT_CHECK_STR(float_text_of(3.4028235e38F), "3.4028235E38");
    PT_CHECK_STR(float_text_of(1.4e-45F), "1.4E-45");
}

PT_TEST(format_double_reads_back_as_the_same_number)
{
    uint64_t state = 88172645463325252U;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        double value;
        memcpy(&value, &state, sizeof(value));
        if (isfinite(value))
            PT_REQUIRE(strtod(text_of(value), NULL) == value);
        double price = (double)(state % 100000000) / 100;
        PT_REQUIRE(strtod(text_of(price), NULL) == price);
    }
}

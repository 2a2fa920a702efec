#include "base/format_decimal.h"

#include "base/test.h"

static const char *text_of(__int128 unscaled, int32_t scale)
{
    static _Thread_local char text[PT_DECIMAL_TEXT_MAX];
    pt__format_decimal(unscaled, scale, text);
    return text;
}

PT_TEST(format_decimal_keeps_the_scale)
{
    PT_CHECK_STR(text_of(0, 0), "0");
    PT_CHECK_STR(text_of(0, 8), "0.00000000");
    PT_CHECK_STR(text_of(-5, 2), "-0.05");
    PT_CHECK_STR(text_of(12345, 2), "123.45");
    PT_CHECK_STR(text_of(1000, 3), "1.000");
    __int128 largest = 1;
    for (int i = 0; i < 38; i++)
        largest *= 10;
    PT_CHECK_STR(text_of(1 - largest, 38), "-0.99999999999999999999999999999999999999");
    PT_CHECK_STR(text_of(largest - 1, 0), "99999999999999999999999999999999999999");
}

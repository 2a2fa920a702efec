#include "base/utf8.h"

#include "base/test.h"

#include <string.h>

PT_TEST(utf8_accepts_well_formed_text_only)
{
    PT_CHECK(pt__utf8_valid("", 0));
    PT_CHECK(pt__utf8_valid("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82", 10));
    PT_CHECK(!pt__utf8_valid("\xC0\x80", 2));         /* overlong */
    PT_CHECK(!pt__utf8_valid("\xE0\x9F\xBF", 3));     /* overlong */
    PT_CHECK(!pt__utf8_valid("\xED\xA0\x80", 3));     /* surrogate */
    PT_CHECK(!pt__utf8_valid("\xF4\x90\x80\x80", 4)); /* above U+10FFFF */
    PT_CHECK(!pt__utf8_valid("\xE2\x82", 2));         /* cut */
    PT_CHECK(!pt__utf8_valid("\x80", 1));
}

PT_TEST(utf8_decodes_what_it_encodes)
{
    static const uint32_t POINTS[] = {0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFD, 0x10000, 0x10FFFF};
    for (size_t i = 0; i < sizeof(POINTS) / sizeof(POINTS[0]); i++) {
        char bytes[4];
        size_t size = pt__utf8_encode(POINTS[i], bytes);
        size_t position = 0;
        uint32_t back = 0;
        PT_CHECK(pt__utf8_valid(bytes, size));
        PT_CHECK(pt__utf8_next(bytes, size, &position, &back));
        PT_CHECK_EQ(back, POINTS[i]);
        PT_CHECK_EQ(position, size);
    }
}

PT_TEST(utf8_counts_utf16_units)
{
    PT_CHECK_EQ(pt__utf8_utf16_length("a\xC3\xA9\xF0\x9F\x99\x82", 7), 4);
}

PT_TEST(utf8_tells_ascii_whatever_the_length)
{
    char text[600];
    memset(text, 'a', sizeof(text));
    for (size_t size = 0; size <= sizeof(text); size++)
        PT_CHECK(pt__utf8_is_ascii(text, size));
    for (size_t at = 0; at < sizeof(text); at += 7) {
        text[at] = (char)0x80;
        PT_CHECK(pt__utf8_is_ascii(text, at));
        PT_CHECK(!pt__utf8_is_ascii(text, at + 1));
        PT_CHECK(!pt__utf8_is_ascii(text, sizeof(text)));
        text[at] = 'a';
    }
}

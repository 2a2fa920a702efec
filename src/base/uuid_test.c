#include "base/uuid.h"

#include "base/test.h"

#include <string.h>

PT_TEST(uuid_text_round_trips)
{
    const char *text = "0123abcd-4567-89ef-0123-456789abcdef";
    pt__uuid uuid;
    char back[PT_UUID_TEXT_BYTES];
    PT_CHECK(pt__uuid_parse(text, strlen(text), &uuid));
    pt__uuid_format(&uuid, back);
    PT_CHECK_STR(back, text);
    PT_CHECK(!pt__uuid_parse("0123abcd-4567-89ef-0123-456789abcdeg", 36, NULL));
    PT_CHECK(!pt__uuid_parse("0123abcd4567-89ef-0123--456789abcdef", 36, NULL));
    PT_CHECK(!pt__uuid_parse("", 0, NULL));
}

PT_TEST(uuid_v4_carries_version_and_variant)
{
    char text[PT_UUID_TEXT_BYTES];
    pt__uuid_v4_text(text);
    PT_CHECK_EQ(text[14], '4');
    PT_CHECK(strchr("89ab", text[19]) != NULL);
}

PT_TEST(uuid_v7_grows_though_the_clock_does_not)
{
    pt__uuid_sequence sequence = {0, 0};
    pt__uuid last;
    pt__uuid_v7(&sequence, 1700000000000, &last);
    for (int i = 0; i < 1000; i++) {
        pt__uuid next;
        pt__uuid_v7(&sequence, i % 2 == 0 ? 1700000000000 : 1699999999999, &next);
        PT_CHECK(memcmp(&last, &next, sizeof(last)) < 0);
        PT_CHECK_EQ(next.bytes[6] >> 4, 7);
        last = next;
    }
}

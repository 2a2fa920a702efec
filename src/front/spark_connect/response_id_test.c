#include "front/spark_connect/response_id.h"

#include "base/test.h"

static const char OPERATION[] = "0190b8a2-5c3e-7d4f-8a6b-1c2d3e4f5a6b";

PT_TEST(response_id_gives_back_its_position)
{
    char text[PT_RESPONSE_ID_TEXT_BYTES];
    pt__connect_position in = {.entry = 0x12345678AB, .chunk = 513, .chunk_exponent = 22, .is_complete = true};
    pt__connect_position out;
    pt__connect_response_id_write(OPERATION, &in, 7, text);
    PT_REQUIRE(pt__connect_response_id_read(OPERATION, text, &out));
    PT_CHECK_EQ(out.entry, in.entry);
    PT_CHECK_EQ(out.chunk, 513);
    PT_CHECK_EQ(out.chunk_exponent, 22);
    PT_CHECK(out.is_complete);
    PT_CHECK_EQ(text[14], '8');
}

PT_TEST(response_id_of_another_operation_is_refused)
{
    char text[PT_RESPONSE_ID_TEXT_BYTES];
    pt__connect_position position = {.entry = 3};
    pt__connect_response_id_write(OPERATION, &position, 0, text);
    PT_CHECK(!pt__connect_response_id_read("0190b8a2-5c3e-7d4f-8a6b-1c2d3e4f5a6c", text, &position));
    PT_CHECK(!pt__connect_response_id_read(OPERATION, "not a uuid", &position));
    PT_CHECK(!pt__connect_response_id_read(OPERATION, "0190b8a2-5c3e-7d4f-8a6b-1c2d3e4f5a6b", &position));
}

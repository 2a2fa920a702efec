#include "wire/proto.h"

#include "base/test.h"

#include <string.h>

PT_TEST(proto_reads_what_it_writes)
{
    pt__buffer out = PT_BUFFER_INIT;
    pt__proto_append_integer(&out, 1, 300);
    pt__proto_append_string(&out, 16, "text");
    pt__proto_append_integer(&out, 999, UINT64_MAX);
    pt_bytes_view rest = pt__buffer_view(&out);
    pt__proto_field field;
    PT_CHECK_EQ(pt__proto_next(&rest, &field), PT_PROTO_FIELD);
    PT_CHECK_EQ(field.integer, 300);
    PT_CHECK_EQ(pt__proto_next(&rest, &field), PT_PROTO_FIELD);
    PT_CHECK_EQ(field.number, 16);
    PT_CHECK(field.bytes.size_bytes == 4 && memcmp(field.bytes.data, "text", 4) == 0);
    PT_CHECK_EQ(pt__proto_next(&rest, &field), PT_PROTO_FIELD);
    PT_CHECK(field.number == 999 && field.integer == UINT64_MAX);
    PT_CHECK_EQ(pt__proto_varint_size(UINT64_MAX), 10);
    PT_CHECK_EQ(pt__proto_next(&rest, &field), PT_PROTO_END);
    pt__buffer_deinit(&out);
}

PT_TEST(proto_refuses_malformed_fields)
{
    static const char *const BAD[] = {
        "\x0a\x05xyz", "\x08", "\x0b", "\x02", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x09\x01\x02", "\x0e"};
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        pt_bytes_view rest = {(const uint8_t *)BAD[i], strlen(BAD[i])};
        pt__proto_field field;
        PT_CHECK_EQ(pt__proto_next(&rest, &field), PT_PROTO_MALFORMED);
    }
}

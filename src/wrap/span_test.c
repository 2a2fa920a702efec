#include "base/test.h"
#include "wrap/span.h"

#include <string.h>

static const char parent[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

PT_TEST(span_is_a_child_of_a_well_formed_context)
{
    pt__span span;
    char own[PT_TRACEPARENT_TEXT_BYTES];
    pt__span_start(&span, "query", parent);
    PT_CHECK(span.has_parent && span.is_sampled);
    pt__span_traceparent(&span, own);
    PT_CHECK_EQ(strncmp(own, parent, 36), 0);
    PT_CHECK(strcmp(own, parent) != 0);
    PT_CHECK_EQ(strlen(own), 55);
}

PT_TEST(span_without_a_context_starts_a_trace)
{
    static const char *const bad[] = {NULL,
                                      "",
                                      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                                      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                                      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                                      "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                      "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
                                      "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        pt__span span;
        pt__span_start(&span, "query", bad[i]);
        PT_CHECK(!span.has_parent && span.is_sampled);
    }
}

PT_TEST(span_texts_are_cut_between_characters)
{
    char text[PT_SPAN_TEXT_BYTES];
    char value[PT_SPAN_TEXT_BYTES + 2];
    memset(value, 'a', sizeof(value));
    memcpy(value + PT_SPAN_TEXT_BYTES - 2, "\xc3\xa9", 3);
    pt__span_set(text, value);
    PT_CHECK_EQ(strlen(text), PT_SPAN_TEXT_BYTES - 2);
    pt__span_set(text, NULL);
    PT_CHECK_STR(text, "");
}

PT_TEST(spans_are_json)
{
    pt__span span;
    pt__buffer out = PT_BUFFER_INIT;
    pt__span_start(&span, "query", parent);
    pt__span_set(span.user, "an \"n\"");
    span.rows = 3;
    span.start_ns = 1;
    span.end_ns = 2;
    memset(span.span_id, 0xab, sizeof(span.span_id));
    pt__spans_append_json(&out, "shop", &span, 1);
    PT_CHECK_STR(
        pt__buffer_string(&out),
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
        "\"shop\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"portico\"},\"spans\":[{\"traceId\":"
        "\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"abababababababab\",\"parentSpanId\":"
        "\"b7ad6b7169203331\",\"name\":\"query\",\"kind\":2,\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":"
        "\"2\",\"status\":{\"code\":1},\"attributes\":[{\"key\":\"enduser.id\",\"value\":{\"stringValue\":"
        "\"an \\\"n\\\"\"}},{\"key\":\"portico.rows\",\"value\":{\"intValue\":\"3\"}},{\"key\":"
        "\"portico.batches\",\"value\":{\"intValue\":\"0\"}}]}]}]}]}");
    pt__buffer_deinit(&out);
}

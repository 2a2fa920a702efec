#include "wire/trailers.h"

#include "base/test.h"

#include <string.h>

static const pt_bytes_view none = {(const uint8_t *)"", 0};

static void encode(pt__trailers *out, const char *message, pt_bytes_view details)
{
    *out = (pt__trailers){0};
    PT_CHECK(pt__trailers_encode(out, &(pt_call_status){PT_GRPC_INTERNAL, message, details}));
}

static void fill(char *out, size_t size, const char *unit)
{
    size_t unit_size = strlen(unit);
    for (size_t i = 0; i < size; i++)
        out[i] = unit[i % unit_size];
    out[size] = '\0';
}

PT_TEST(trailers_keep_what_fits)
{
    pt__trailers trailers;
    encode(&trailers, "plain ~ text", (pt_bytes_view){(const uint8_t *)"abcd", 4});
    PT_CHECK_STR(pt__buffer_string(&trailers.message), "plain ~ text");
    PT_CHECK_STR(pt__buffer_string(&trailers.details), "YWJjZA");
    pt__trailers_deinit(&trailers);
    encode(&trailers, NULL, none);
    PT_CHECK_EQ(trailers.message.size_bytes, 0);
    pt__trailers_deinit(&trailers);
}

PT_TEST(trailers_size_counts_encoded_bytes)
{
    pt_call_status status = {PT_GRPC_INTERNAL, "a\xC3\xA9", {(const uint8_t *)"abcd", 4}};
    PT_CHECK_EQ(pt_call_status_encoded_bytes(&status), 1 + 6 + 6);
}

PT_TEST(trailers_cut_the_message_at_a_character)
{
    static char message[9001];
    pt__trailers trailers;
    fill(message, 9000, "\xE2\x82\xAC"); /* three bytes, nine encoded */
    encode(&trailers, message, none);
    const char *text = pt__buffer_string(&trailers.message);
    size_t size = strlen(text);
    PT_CHECK(size <= PT_CALL_STATUS_BUDGET_BYTES && size > PT_CALL_STATUS_BUDGET_BYTES - 12);
    PT_CHECK_STR(text + size - 3, "...");
    PT_CHECK_EQ((size - 3) % 9, 0);
    pt__trailers_deinit(&trailers);
}

PT_TEST(trailers_keep_details_before_the_whole_message)
{
    static char message[9001];
    static const uint8_t details[4500]; /* 6000 encoded */
    pt__trailers trailers;
    fill(message, 9000, "m");
    encode(&trailers, message, (pt_bytes_view){details, sizeof(details)});
    PT_CHECK_EQ(trailers.details.size_bytes, 6000);
    PT_CHECK_EQ(trailers.message.size_bytes, PT_CALL_STATUS_BUDGET_BYTES - 6000);
    pt__trailers_deinit(&trailers);
}

PT_TEST(trailers_drop_details_that_do_not_fit)
{
    static char message[2001];
    static const uint8_t details[5400]; /* 7200 encoded */
    pt__trailers trailers;
    fill(message, 2000, "m");
    encode(&trailers, message, (pt_bytes_view){details, sizeof(details)});
    PT_CHECK_EQ(trailers.details.size_bytes, 0);
    PT_CHECK_EQ(trailers.message.size_bytes, 2000);
    pt__trailers_deinit(&trailers);
}

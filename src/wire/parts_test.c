/* The small parts of the wire. */
#include "base/test.h"
#include "wire/base64.h"
#include "wire/limits.h"
#include "wire/message_reader.h"
#include "wire/outbox.h"
#include "wire/rate.h"
#include "wire/timeout.h"

#include <string.h>

static pt_bytes_view view_of(const char *text)
{
    return (pt_bytes_view){(const uint8_t *)text, strlen(text)};
}

static bool decodes(const char *text, const char *want)
{
    pt__buffer out = PT_BUFFER_INIT;
    bool valid = pt__base64_decode(&out, (pt_text_view){text, strlen(text)});
    bool same = valid && strcmp(pt__buffer_string(&out), want) == 0;
    pt__buffer_deinit(&out);
    return same;
}

PT_TEST(base64_reads_and_writes)
{
    static const char *const pairs[][2] = {{"", ""}, {"f", "Zg"}, {"fo", "Zm8"}, {"foo", "Zm9v"}, {"foob", "Zm9vYg"}};
    for (size_t i = 0; i < 5; i++) {
        pt__buffer out = PT_BUFFER_INIT;
        pt__base64_encode(&out, view_of(pairs[i][0]));
        PT_CHECK_STR(pt__buffer_string(&out), pairs[i][1]);
        PT_CHECK_EQ(pt__base64_encoded_size(strlen(pairs[i][0])), strlen(pairs[i][1]));
        PT_CHECK(decodes(pairs[i][1], pairs[i][0]));
        pt__buffer_deinit(&out);
    }
    PT_CHECK(decodes("Zg==", "f") && decodes("Zm8=", "fo"));
    PT_CHECK(!decodes("Z", "") && !decodes("Zg=", "f") && !decodes("Zg===", "f") && !decodes("Z-8", ""));
}

static uint64_t timeout_ms(const char *text)
{
    uint64_t out;
    return pt__timeout_parse(view_of(text), &out) ? out : UINT64_MAX;
}

PT_TEST(timeout_has_units)
{
    PT_CHECK_EQ(timeout_ms("2H"), 7200000);
    PT_CHECK_EQ(timeout_ms("3M"), 180000);
    PT_CHECK_EQ(timeout_ms("10S"), 10000);
    PT_CHECK_EQ(timeout_ms("99999999m"), 99999999);
    PT_CHECK_EQ(timeout_ms("1u"), 1);
    PT_CHECK_EQ(timeout_ms("1000001n"), 2);
    PT_CHECK_EQ(timeout_ms("0n"), 0);
    PT_CHECK(timeout_ms("") == UINT64_MAX && timeout_ms("5") == UINT64_MAX && timeout_ms("5s") == UINT64_MAX);
    PT_CHECK(timeout_ms("123456789S") == UINT64_MAX && timeout_ms("-1S") == UINT64_MAX);
}

PT_TEST(rate_allows_a_burst_and_refills)
{
    pt__rate rate;
    pt__rate_init(&rate, 2, 0);
    for (int i = 0; i < 20; i++)
        PT_CHECK(pt__rate_take(&rate, 0));
    PT_CHECK(!pt__rate_take(&rate, 0));
    PT_CHECK(!pt__rate_take(&rate, 499));
    PT_CHECK(pt__rate_take(&rate, 500));
    PT_CHECK(!pt__rate_take(&rate, 500));
    pt__rate_return(&rate);
    PT_CHECK(pt__rate_take(&rate, 500));
    PT_CHECK(pt__rate_take(&rate, UINT64_MAX));
    for (int i = 0; i < 19; i++)
        PT_CHECK(pt__rate_take(&rate, UINT64_MAX));
    PT_CHECK(!pt__rate_take(&rate, UINT64_MAX));
}

static void count_release(void *context)
{
    ++*(int *)context;
}

PT_TEST(outbox_keeps_large_pieces_by_reference)
{
    static const uint8_t large[5000];
    int released = 0;
    pt__outbox outbox = {0};
    pt_bytes *owner = pt_bytes_wrap((pt_bytes_view){large, sizeof(large)}, count_release, &released);
    PT_CHECK(pt__outbox_copy(&outbox, "abc", 3));
    PT_CHECK(pt__outbox_copy(&outbox, "def", 3));
    PT_CHECK(pt__outbox_add(&outbox, owner, pt_bytes_get_view(owner)));
    PT_CHECK(pt__outbox_copy(&outbox, "ghi", 3));
    struct iovec pieces[8];
    PT_CHECK_EQ(pt__outbox_peek(&outbox, pieces, 8), 3);
    PT_CHECK_EQ(pieces[0].iov_len, 6);
    PT_CHECK(memcmp(pieces[0].iov_base, "abcdef", 6) == 0);
    PT_CHECK(pieces[1].iov_base == large);
    pt__outbox_drop(&outbox, 5005);
    PT_CHECK_EQ(released, 0);
    PT_CHECK_EQ(pt__outbox_peek(&outbox, pieces, 8), 2);
    PT_CHECK_EQ(pieces[0].iov_len, 1);
    pt__outbox_drop(&outbox, 1);
    PT_CHECK_EQ(released, 1);
    PT_CHECK_EQ(outbox.size_bytes, 3);
    pt__outbox_deinit(&outbox);
}

PT_TEST(outbox_moves_a_part_to_another)
{
    static const uint8_t large[5000];
    int released = 0;
    pt__outbox from = {0};
    pt__outbox to = {0};
    pt_bytes *owner = pt_bytes_wrap((pt_bytes_view){large, sizeof(large)}, count_release, &released);
    PT_CHECK(pt__outbox_copy(&from, "12345", 5));
    PT_CHECK(pt__outbox_add(&from, owner, pt_bytes_get_view(owner)));
    PT_CHECK(pt__outbox_move(&to, &from, 3005));
    PT_CHECK_EQ(from.size_bytes, 2000);
    PT_CHECK_EQ(to.size_bytes, 3005);
    pt__outbox_deinit(&from);
    PT_CHECK_EQ(released, 0);
    pt__outbox_deinit(&to);
    PT_CHECK_EQ(released, 1);
}

PT_TEST(outbox_copies_more_than_a_block)
{
    uint8_t bytes[10000];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7);
    pt__outbox outbox = {0};
    PT_CHECK(pt__outbox_copy(&outbox, bytes, sizeof(bytes)));
    struct iovec pieces[8];
    size_t count = pt__outbox_peek(&outbox, pieces, 8);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        PT_CHECK(memcmp(pieces[i].iov_base, bytes + at, pieces[i].iov_len) == 0);
        at += pieces[i].iov_len;
    }
    PT_CHECK_EQ(at, sizeof(bytes));
    pt__outbox_deinit(&outbox);
}

PT_TEST(message_reader_joins_what_came_in_parts)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'd'};
    for (size_t step = 1; step <= sizeof(bytes); step++) {
        pt__message_reader reader = {.limit_bytes = 10};
        pt__buffer seen = PT_BUFFER_INIT;
        for (size_t at = 0; at < sizeof(bytes); at += step) {
            pt_bytes_view input = {bytes + at, sizeof(bytes) - at < step ? sizeof(bytes) - at : step};
            pt_bytes_view message;
            while (pt__message_reader_next(&reader, &input, &message, NULL) == PT_OK) {
                pt__buffer_append(&seen, message.data, message.size_bytes);
                pt__buffer_append_byte(&seen, '|');
            }
        }
        PT_CHECK_STR(pt__buffer_string(&seen), "abc||d|");
        PT_CHECK(pt__message_reader_is_between(&reader));
        pt__message_reader_deinit(&reader);
        pt__buffer_deinit(&seen);
    }
}

static void check_kept(const uint8_t *bytes, size_t size_bytes, size_t first_bytes)
{
    pt__message_reader reader = {.limit_bytes = 100};
    pt_bytes_view input = {bytes, first_bytes};
    pt_bytes_view message;
    if (pt__message_reader_next(&reader, &input, &message, NULL) != PT_OK) {
        input = (pt_bytes_view){bytes + first_bytes, size_bytes - first_bytes};
        PT_CHECK_EQ(pt__message_reader_next(&reader, &input, &message, NULL), PT_OK);
    }
    pt_bytes *kept = pt__message_reader_keep(&reader, &message);
    pt__message_reader_deinit(&reader);
    PT_CHECK(kept != NULL);
    PT_CHECK_EQ(message.size_bytes, size_bytes - PT_MESSAGE_PREFIX_BYTES);
    PT_CHECK(memcmp(message.data, bytes + PT_MESSAGE_PREFIX_BYTES, message.size_bytes) == 0);
    PT_CHECK_EQ((uintptr_t)(message.data + message.size_bytes) % 8, 0);
    pt_bytes_unref(kept);
}

PT_TEST(message_reader_keeps_messages_so_that_they_end_aligned)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 11, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'};
    for (size_t first = 1; first <= sizeof(bytes); first++)
        check_kept(bytes, sizeof(bytes), first);
}

PT_TEST(message_reader_does_not_trust_announced_sizes)
{
    static const uint8_t bytes[] = {0, 0x10, 0, 0, 0, 'a'};
    pt__message_reader reader = {.limit_bytes = 1u << 30};
    pt_bytes_view input = {bytes, sizeof(bytes)};
    pt_bytes_view message;
    PT_CHECK_EQ(pt__message_reader_next(&reader, &input, &message, NULL), PT_NEED_MORE);
    PT_CHECK(pt__message_reader_held_bytes(&reader) <= 1024 * 1024);
    pt__message_reader_deinit(&reader);
}

PT_TEST(message_reader_refuses_unknown_flags)
{
    pt__message_reader reader = {.limit_bytes = 10};
    pt_bytes_view input = {(const uint8_t *)"\2\0\0\0\0", 5};
    pt_bytes_view message;
    PT_CHECK_EQ(pt__message_reader_next(&reader, &input, &message, NULL), PT_BAD_MESSAGE);
    pt__message_reader_deinit(&reader);
}

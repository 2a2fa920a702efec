/* Compressed messages, in and out. */
#include "wire/compress.h"

#include "base/test.h"
#include "wire/message_reader.h"
#include "wire/test_fixture.h"

#include <string.h>
#include <zlib.h>

static const pt__test_header gzip_headers[] = {{"grpc-encoding", "gzip"}, {NULL, NULL}};
static const pt__test_header deflate_headers[] = {{"grpc-encoding", "deflate"}, {NULL, NULL}};

static void send_compressed(pt__test_client *client, int32_t id, pt_bytes_view bytes)
{
    uint8_t prefix[PT_MESSAGE_PREFIX_BYTES] = {1, 0, (uint8_t)(bytes.size_bytes >> 16),
                                               (uint8_t)(bytes.size_bytes >> 8), (uint8_t)bytes.size_bytes};
    pt__test_client_body(client, id, (pt_bytes_view){prefix, sizeof(prefix)}, false);
    pt__test_client_body(client, id, bytes, true);
    pt__test_client_run(client);
}

static pt_segment segment_of(const char *text)
{
    return (pt_segment){NULL, {(const uint8_t *)text, strlen(text)}};
}

PT_TEST(compress_takes_gzip_messages)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__buffer packed = PT_BUFFER_INIT;
    pt_segment segments[] = {segment_of("one "), segment_of("message")};
    PT_CHECK_EQ(pt__compress_gzip(segments, 2, &packed, NULL), PT_OK);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Unary", gzip_headers);
    f->client.step_bytes = 7;
    send_compressed(&f->client, id, pt__buffer_view(&packed));
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "one message");
    pt__buffer_deinit(&packed);
    pt__test_fixture_close(f);
}

PT_TEST(compress_takes_deflate_messages)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    uint8_t packed[100];
    uLongf size = sizeof(packed);
    PT_CHECK_EQ(compress(packed, &size, (const Bytef *)"deflated", 8), Z_OK);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Unary", deflate_headers);
    send_compressed(&f->client, id, (pt_bytes_view){packed, size});
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "deflated");
    pt__test_fixture_close(f);
}

PT_TEST(compress_takes_plain_messages_of_a_compressing_client)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", gzip_headers, "plain");
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "plain");
    pt__test_fixture_close(f);
}

PT_TEST(compress_refuses_damaged_messages)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Unary", gzip_headers);
    send_compressed(&f->client, id, (pt_bytes_view){(const uint8_t *)"no gzip", 7});
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "13");
    PT_CHECK_STR(pt__buffer_string(&reply->message), "the compressed message is damaged");
    pt__test_fixture_close(f);
}

PT_TEST(compress_refuses_compressed_messages_that_were_not_announced)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Unary", NULL);
    send_compressed(&f->client, id, (pt_bytes_view){(const uint8_t *)"x", 1});
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "13");
    pt__test_fixture_close(f);
}

PT_TEST(compress_refuses_unknown_encodings_by_name)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    const pt__test_header headers[] = {{"grpc-encoding", "snappy"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", headers, "x");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "12");
    PT_CHECK_STR(pt__buffer_string(&reply->message), "messages encoded by \"snappy\" are not supported");
    pt__test_fixture_close(f);
}

PT_TEST(compress_limits_what_a_message_grows_to)
{
    static const uint8_t zeros[10000000];
    pt_segment segment = {NULL, {zeros, sizeof(zeros)}};
    pt__buffer packed = PT_BUFFER_INIT;
    pt__buffer unpacked = PT_BUFFER_INIT;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__compress_gzip(&segment, 1, &packed, NULL), PT_OK);
    PT_CHECK(packed.size_bytes < 100000);
    PT_CHECK_EQ(pt__decompress(PT_ENCODING_GZIP, pt__buffer_view(&packed), 1000000, &unpacked, &err), PT_LIMIT);
    PT_CHECK(unpacked.capacity_bytes < 4000000);
    pt__buffer_reset(&unpacked);
    PT_CHECK_EQ(pt__decompress(PT_ENCODING_GZIP, pt__buffer_view(&packed), sizeof(zeros), &unpacked, &err), PT_OK);
    PT_CHECK_EQ(unpacked.size_bytes, sizeof(zeros));
    pt_error_clear(&err);
    pt__buffer_deinit(&packed);
    pt__buffer_deinit(&unpacked);
}

/* Length and flag of the first message of a download. */
static void check_download(const char *config, const char *accepted, const char *encoding)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.response-compression", config);
    const pt__test_header headers[] = {{"grpc-accept-encoding", accepted}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Download", headers, "3");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    bool compressed = encoding[0] != '\0';
    PT_CHECK_STR(reply->encoding, encoding);
    PT_CHECK_STR(reply->grpc_status, "0");
    PT_REQUIRE(reply->body.size_bytes > 5);
    PT_CHECK_EQ(reply->body.data[0], compressed);
    PT_CHECK_EQ(reply->body.size_bytes < 100000, compressed);
    pt__test_fixture_close(f);
}

PT_TEST(compress_answers_as_configured_and_accepted)
{
    check_download("gzip", "identity, deflate, gzip", "gzip");
    check_download("gzip", "identity,deflate", "");
    check_download("identity", "gzip", "");
}

PT_TEST(compress_leaves_short_answers_plain)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.response-compression", "gzip");
    const pt__test_header headers[] = {{"grpc-accept-encoding", "gzip"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", headers, "short");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->encoding, "gzip");
    PT_CHECK_STR(pt__test_reply_text(reply, 0), "short");
    pt__test_fixture_close(f);
}

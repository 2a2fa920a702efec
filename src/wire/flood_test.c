/* What a hostile client may try: each flood ends its own connection, and only past the limit. */
#include "base/test.h"
#include "wire/test_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_HEADER_BYTES = 9 };

static void frame_header(uint8_t out[FRAME_HEADER_BYTES], size_t length, uint8_t type, uint8_t flags, uint32_t stream)
{
    const uint8_t bytes[FRAME_HEADER_BYTES] = {
        (uint8_t)(length >> 16), (uint8_t)(length >> 8),  (uint8_t)length,        type,           flags,
        (uint8_t)(stream >> 24), (uint8_t)(stream >> 16), (uint8_t)(stream >> 8), (uint8_t)stream};
    memcpy(out, bytes, sizeof(bytes));
}

/* `count` frames of zeros, one after another; time stands still. */
static void flood(pt__test_client *client, size_t count, size_t length, uint8_t type, uint8_t flags, uint32_t stream)
{
    uint8_t frame[FRAME_HEADER_BYTES + 64] = {0};
    frame_header(frame, length, type, flags, stream);
    for (size_t i = 0; i < count && client->feed_status == PT_OK; i++) {
        pt__test_client_raw(client, frame, FRAME_HEADER_BYTES + length);
        if (i % 64 == 0)
            pt__test_client_run(client);
    }
    pt__test_client_run(client);
}

static void check_calmed(pt__test_fixture *f, const char *limit)
{
    PT_CHECK_EQ(f->client.feed_status, PT_LIMIT);
    PT_CHECK(strstr(f->client.feed_error.message, limit) != NULL);
    PT_CHECK_EQ(f->client.goaways, 1);
    PT_CHECK_EQ(f->client.goaway_code, NGHTTP2_ENHANCE_YOUR_CALM);
    PT_CHECK(pt_connection_is_done(f->client.connection));
    pt__test_fixture_close(f);
}

PT_TEST(flood_of_pings_ends_the_connection)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-pings-per-second", "20");
    pt__test_client_run(&f->client);
    flood(&f->client, 200, 8, NGHTTP2_PING, 0, 0);
    PT_CHECK_EQ(f->client.feed_status, PT_OK);
    PT_CHECK_EQ(f->client.pings_answered, 200);
    flood(&f->client, 1, 8, NGHTTP2_PING, 0, 0);
    check_calmed(f, "http2.max-pings-per-second");
}

PT_TEST(flood_is_not_what_keepalive_does)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-pings-per-second", "1");
    pt__test_client_run(&f->client);
    for (int second = 0; second < 3600; second++) {
        f->client.now_ms += 1000;
        (void)pt_connection_tick(f->client.connection, f->client.now_ms, NULL);
        flood(&f->client, 1, 8, NGHTTP2_PING, 0, 0);
    }
    PT_CHECK_EQ(f->client.pings_answered, 3600);
    PT_CHECK_EQ(f->client.goaways, 0);
    pt__test_fixture_close(f);
}

PT_TEST(flood_of_settings_ends_the_connection)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_run(&f->client);
    f->client.deaf = true; /* our client does not expect acknowledgements of what it never sent */
    flood(&f->client, 600, 0, NGHTTP2_SETTINGS, 0, 0);
    PT_CHECK_EQ(f->client.feed_status, PT_LIMIT);
    PT_CHECK(strstr(f->client.feed_error.message, "http2.max-settings-per-second") != NULL);
    pt__test_fixture_close(f);
}

PT_TEST(flood_of_priorities_ends_the_connection)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_run(&f->client);
    flood(&f->client, 1100, 5, NGHTTP2_PRIORITY, 0, 1);
    check_calmed(f, "http2.max-empty-frames-per-second");
}

PT_TEST(flood_of_empty_data_ends_the_connection)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Collect", NULL);
    pt__test_client_run(&f->client);
    flood(&f->client, 1100, 0, NGHTTP2_DATA, 0, (uint32_t)id);
    check_calmed(f, "http2.max-empty-frames-per-second");
}

PT_TEST(flood_of_calls_that_are_reset_ends_the_connection)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-resets-per-second", "2");
    for (int i = 0; i < 21; i++) {
        int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Never", NULL, "x");
        pt__test_client_reset(&f->client, id, NGHTTP2_CANCEL);
        pt__test_client_run(&f->client);
    }
    check_calmed(f, "http2.max-resets-per-second");
}

PT_TEST(flood_of_errors_that_the_server_must_reset_ends_the_connection)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-resets-per-second", "1");
    for (int i = 0; i < 40 && f->client.feed_status == PT_OK; i++) {
        int32_t id = pt__test_client_open(&f->client, "/test.Echo/Never", NULL);
        pt__test_client_run(&f->client);
        uint8_t frame[FRAME_HEADER_BYTES + 4] = {0};
        frame_header(frame, 4, NGHTTP2_WINDOW_UPDATE, 0, (uint32_t)id); /* an increment of 0 is an error */
        pt__test_client_raw(&f->client, frame, sizeof(frame));
        pt__test_client_run(&f->client);
    }
    PT_CHECK(f->client.goaways > 0);
    PT_CHECK(pt_connection_is_done(f->client.connection));
    pt__test_fixture_close(f);
}

/* HEADERS without END_HEADERS, then CONTINUATION frames without end. */
static void flood_continuation(size_t length)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_run(&f->client);
    uint8_t head[FRAME_HEADER_BYTES + 1] = {0};
    frame_header(head, 1, NGHTTP2_HEADERS, 0, 1);
    head[FRAME_HEADER_BYTES] = 0x83; /* :method: POST */
    pt__test_client_raw(&f->client, head, sizeof(head));
    uint8_t *more = calloc(1, FRAME_HEADER_BYTES + length);
    PT_REQUIRE(more != NULL);
    frame_header(more, length, NGHTTP2_CONTINUATION, 0, 1);
    memset(more + FRAME_HEADER_BYTES, 0x84, length); /* :path: / */
    for (int i = 0; i < 10000 && f->client.feed_status == PT_OK; i++)
        pt__test_client_raw(&f->client, more, FRAME_HEADER_BYTES + length);
    free(more);
    PT_CHECK(f->client.feed_status != PT_OK);
    pt__test_client_run(&f->client);
    PT_CHECK(pt_connection_is_done(f->client.connection));
    pt__test_fixture_close(f);
}

PT_TEST(flood_of_empty_continuations_ends_the_connection)
{
    flood_continuation(0);
}

PT_TEST(flood_of_continuations_ends_the_connection)
{
    flood_continuation(16000);
}

PT_TEST(limit_of_header_bytes_fails_the_call_only)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-header-bytes", "4KiB");
    char value[8000];
    memset(value, 'v', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    const pt__test_header large[] = {{"large", value}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", large, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "8");
    id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "0");
    pt__test_fixture_close(f);
}

PT_TEST(limit_of_message_bytes_fails_the_call_only)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-message-bytes", "4");
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "12345");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "8");
    PT_CHECK_STR(pt__buffer_string(&reply->message), "a message of 5 bytes is larger than the limit of 4 bytes");
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_RESET);
    id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "1234");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "0");
    pt__test_fixture_close(f);
}

PT_TEST(limit_of_message_bytes_can_be_the_methods_own)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Collect", NULL);
    pt__test_client_body(&f->client, id, (pt_bytes_view){(const uint8_t *)"\0\0\x0F\x42\x41", 5}, false);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "8");
    pt__test_fixture_close(f);
}

PT_TEST(limit_of_receive_bytes_counts_what_arrived_in_part)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-receive-bytes", "1000");
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Unary", NULL);
    uint8_t part[2000] = {0, 0, 0, 0x20, 0};
    pt__test_client_body(&f->client, id, (pt_bytes_view){part, sizeof(part)}, false);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "8");
    id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "0");
    pt__test_fixture_close(f);
}

PT_TEST(limit_of_queued_bytes_fails_the_send)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-queued-bytes", "100");
    pt__test_client_run(&f->client);
    f->client.deaf = true;
    pt__test_client_unary(&f->client, "/test.Echo/Never", NULL, "x");
    pt_error err = PT_ERROR_INIT;
    static const uint8_t bytes[200];
    pt_segment segment = {NULL, {bytes, sizeof(bytes)}};
    PT_CHECK_EQ(pt_call_send(f->echo.never, &segment, 1, &err), PT_OK);
    PT_CHECK_EQ(pt_call_send(f->echo.never, &segment, 1, &err), PT_LIMIT);
    pt_error_clear(&err);
    pt__test_fixture_close(f);
}

PT_TEST(limit_of_streams_is_told_to_the_client)
{
    pt__test_fixture *f = pt__test_fixture_open_with("http2.max-streams", "2");
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(nghttp2_session_get_remote_settings(f->client.session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS), 2);
    pt__test_fixture_close(f);
}

PT_TEST(limit_of_unknown_form_is_refused_by_name)
{
    pt_config *config;
    PT_REQUIRE(pt_config_new(&config, NULL) == PT_OK);
    pt_config_set(config, "http2.max-streams", "many", NULL);
    pt_error err = PT_ERROR_INIT;
    pt_connection *connection = NULL;
    pt_connection_info info = {.size_bytes = sizeof(info), .limits = config};
    PT_CHECK_EQ(pt_connection_new(NULL, NULL, &info, &connection, &err), PT_INVALID_ARGUMENT);
    PT_CHECK_STR(err.message, "http2.max-streams = \"many\" is not a whole number");
    pt_error_clear(&err);
    pt_config_free(config);
}

PT_TEST(connection_refuses_a_client_of_another_protocol)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_raw(&f->client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27);
    PT_CHECK_EQ(f->client.feed_status, PT_BAD_MESSAGE);
    PT_CHECK_STR(f->client.feed_error.message, "the peer does not speak HTTP/2");
    pt__test_fixture_close(f);
}

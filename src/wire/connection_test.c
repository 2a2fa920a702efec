/* Whole connections in memory: calls as a client sees them. */
#include "base/test.h"
#include "wire/test_fixture.h"

PT_TEST(connection_answers_a_unary_call)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "hello");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->http_status, "200");
    PT_CHECK_STR(reply->grpc_status, "0");
    PT_CHECK_STR(pt__test_reply_text(reply, 0), "hello");
    PT_CHECK(pt__test_reply_text(reply, 1) == NULL);
    PT_CHECK(reply->closed);
    PT_CHECK_EQ(reply->error_code, NGHTTP2_NO_ERROR);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_FINISHED);
    PT_CHECK_EQ(pt_connection_call_count(f->client.connection), 0);
    pt__test_fixture_close(f);
}

PT_TEST(connection_answers_when_bytes_come_one_by_one)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    f->client.step_bytes = 1;
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "hello");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(pt__test_reply_text(reply, 0), "hello");
    PT_CHECK_STR(reply->grpc_status, "0");
    pt__test_fixture_close(f);
}

PT_TEST(connection_streams_answers)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Stream", NULL, "3");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(pt__test_reply_text(reply, 0), "0");
    PT_CHECK_STR(pt__test_reply_text(reply, 2), "2");
    PT_CHECK(pt__test_reply_text(reply, 3) == NULL);
    PT_CHECK_STR(reply->grpc_status, "0");
    pt__test_fixture_close(f);
}

PT_TEST(connection_finishes_without_messages)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Stream", NULL, "0");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "0");
    PT_CHECK_EQ(reply->header_frames, 1);
    PT_CHECK_EQ(reply->data_frames, 0);
    pt__test_fixture_close(f);
}

PT_TEST(connection_collects_messages_of_a_client_stream)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Collect", NULL);
    pt__test_client_message(&f->client, id, "a", false);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(f->echo.messages, 1);
    pt__test_client_message(&f->client, id, "b", false);
    pt__test_client_message(&f->client, id, "", true);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "ab");
    PT_CHECK_EQ(f->echo.messages, 3);
    pt__test_fixture_close(f);
}

PT_TEST(connection_runs_calls_side_by_side)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t never = pt__test_client_open(&f->client, "/test.Echo/Never", NULL);
    pt__test_client_message(&f->client, never, "x", true);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "hello");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "0");
    PT_CHECK(!pt__test_client_reply(&f->client, never)->closed);
    PT_CHECK_EQ(pt_connection_call_count(f->client.connection), 1);
    pt__test_fixture_close(f);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_DISCONNECTED);
}

PT_TEST(connection_says_which_method_is_missing)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Absent", NULL, "x");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "12");
    PT_CHECK_STR(pt__buffer_string(&reply->message), "there is no method /test.Echo/Absent here");
    pt__test_fixture_close(f);
}

PT_TEST(connection_refuses_what_is_not_grpc)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    const pt__test_header get[] = {{":method", "GET"}, {NULL, NULL}};
    const pt__test_header json[] = {{"content-type", "application/json"}, {NULL, NULL}};
    const pt__test_header web[] = {{"content-type", "application/grpcweb"}, {NULL, NULL}};
    const pt__test_header proto[] = {{"content-type", "application/grpc+proto"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", get, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->http_status, "405");
    id = pt__test_client_unary(&f->client, "/test.Echo/Unary", json, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->http_status, "415");
    id = pt__test_client_unary(&f->client, "/test.Echo/Unary", web, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->http_status, "415");
    id = pt__test_client_unary(&f->client, "/test.Echo/Unary", proto, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "0");
    PT_CHECK_EQ(pt_connection_call_count(f->client.connection), 0);
    pt__test_fixture_close(f);
}

PT_TEST(connection_decodes_binary_metadata_with_and_without_padding)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    const pt__test_header padded[] = {{"details-bin", "CAMSAQ=="}, {NULL, NULL}};
    const pt__test_header bare[] = {{"details-bin", "CAMSAQ"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Fail", padded, "broken");
    PT_CHECK_STR(pt__buffer_string(&pt__test_client_reply(&f->client, id)->details), "CAMSAQ");
    id = pt__test_client_unary(&f->client, "/test.Echo/Fail", bare, "broken");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(pt__buffer_string(&reply->details), "CAMSAQ");
    PT_CHECK_STR(reply->grpc_status, "3");
    PT_CHECK_STR(pt__buffer_string(&reply->message), "broken");
    PT_CHECK_EQ(reply->header_frames, 1);
    pt__test_fixture_close(f);
}

PT_TEST(connection_refuses_metadata_that_is_no_base64)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    const pt__test_header bad[] = {{"details-bin", "!!!"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Fail", bad, "x");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "13");
    PT_CHECK_STR(pt__buffer_string(&reply->message), "metadata \"details-bin\" is not valid base64");
    pt__test_fixture_close(f);
}

PT_TEST(connection_percent_encodes_the_status_message)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Fail", NULL, "100% \xC3\xA9\n");
    PT_CHECK_STR(pt__buffer_string(&pt__test_client_reply(&f->client, id)->message), "100%25 %C3%A9%0A");
    pt__test_fixture_close(f);
}

PT_TEST(connection_fails_a_message_that_is_cut_off)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Unary", NULL);
    pt__test_client_body(&f->client, id, (pt_bytes_view){(const uint8_t *)"\0\0\0\0\5abc", 8}, true);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "13");
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_RESET);
    PT_CHECK_EQ(f->echo.closed, 1);
    pt__test_fixture_close(f);
}

PT_TEST(connection_answers_before_the_client_has_sent_all)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Unary", NULL);
    pt__test_client_message(&f->client, id, "first", false);
    pt__test_client_message(&f->client, id, "ignored", false);
    pt__test_client_run(&f->client);
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(pt__test_reply_text(reply, 0), "first");
    PT_CHECK_STR(reply->grpc_status, "0");
    PT_CHECK(reply->closed);
    PT_CHECK_EQ(reply->error_code, NGHTTP2_NO_ERROR);
    PT_CHECK_EQ(f->echo.messages, 1);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_FINISHED);
    pt__test_fixture_close(f);
}

PT_TEST(connection_tells_the_handler_of_a_reset)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Never", NULL, "x");
    pt_call *call = f->echo.never;
    PT_CHECK(call != NULL);
    pt__test_client_reset(&f->client, id, NGHTTP2_CANCEL);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(f->echo.closed, 1);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_RESET);
    PT_CHECK(f->echo.never == NULL);
    PT_CHECK_EQ(pt_connection_call_count(f->client.connection), 0);
    pt__test_fixture_close(f);
}

PT_TEST(connection_ends_a_call_at_its_deadline)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    const pt__test_header timeout[] = {{"grpc-timeout", "250m"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Never", timeout, "x");
    PT_CHECK_EQ(pt_call_deadline_ms(f->echo.never), f->client.now_ms + 250);
    PT_CHECK_EQ(pt_connection_next_tick_ms(f->client.connection), f->client.now_ms + 250);
    f->client.now_ms += 249;
    (void)pt_connection_tick(f->client.connection, f->client.now_ms, NULL);
    PT_CHECK_EQ(f->echo.closed, 0);
    f->client.now_ms += 1;
    (void)pt_connection_tick(f->client.connection, f->client.now_ms, NULL);
    PT_CHECK_EQ(f->echo.closed, 1);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_DEADLINE);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "4");
    PT_CHECK_EQ(pt_connection_call_count(f->client.connection), 0);
    pt__test_fixture_close(f);
}

PT_TEST(connection_resets_a_download_at_its_deadline)
{
    pt__test_fixture *f =
        pt__test_fixture_open(&(pt__test_client_options){.stream_window_bytes = 65535, .no_auto_window = true});
    const pt__test_header timeout[] = {{"grpc-timeout", "1S"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Download", timeout, "100");
    f->client.now_ms += 1000;
    (void)pt_connection_tick(f->client.connection, f->client.now_ms, NULL);
    pt__test_client_run(&f->client);
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK(reply->closed);
    PT_CHECK_EQ(reply->error_code, NGHTTP2_CANCEL);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_DEADLINE);
    PT_CHECK_EQ(pt_connection_call_count(f->client.connection), 0);
    pt__test_fixture_close(f);
}

PT_TEST(connection_refuses_a_malformed_timeout)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    const pt__test_header timeout[] = {{"grpc-timeout", "soon"}, {NULL, NULL}};
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", timeout, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "13");
    pt__test_fixture_close(f);
}

PT_TEST(connection_sends_what_a_worker_made_and_says_so)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Never", NULL, "x");
    PT_CHECK_EQ(f->client.ready_count, 0);
    pt_segment segment = {NULL, {(const uint8_t *)"late", 4}};
    PT_CHECK_EQ(pt_call_send(f->echo.never, &segment, 1, NULL), PT_OK);
    pt_call_finish(f->echo.never, &(pt_call_status){PT_GRPC_OK, NULL, {NULL, 0}});
    PT_CHECK_EQ(f->client.ready_count, 1);
    PT_CHECK_EQ(pt_call_send(f->echo.never, &segment, 1, NULL), PT_INTERNAL);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "late");
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_FINISHED);
    pt__test_fixture_close(f);
}

PT_TEST(connection_downloads_with_bounded_queue)
{
    pt__test_fixture *f = pt__test_fixture_open(&(pt__test_client_options){.frame_bytes_max = 1 << 20});
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Download", NULL, "100");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "0");
    PT_CHECK_EQ(reply->body.size_bytes, 100 * (PT_TEST_DOWNLOAD_BYTES + 5));
    PT_CHECK(f->echo.queued_most_bytes < 3 * 1024 * 1024);
    PT_CHECK(reply->data_frames < 300);
    pt__test_fixture_close(f);
}

PT_TEST(connection_downloads_through_a_small_window)
{
    pt__test_fixture *f = pt__test_fixture_open(&(pt__test_client_options){.stream_window_bytes = 1000});
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Download", NULL, "3");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "0");
    PT_CHECK_EQ(reply->body.size_bytes, 3 * (PT_TEST_DOWNLOAD_BYTES + 5));
    pt__test_fixture_close(f);
}

PT_TEST(connection_holds_little_for_a_client_that_does_not_read)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_run(&f->client);
    f->client.deaf = true;
    pt__test_client_unary(&f->client, "/test.Echo/Download", NULL, "10000");
    struct iovec pieces[64];
    pt_connection_pending(f->client.connection, pieces, 64);
    PT_CHECK(f->echo.queued_most_bytes < 3 * 1024 * 1024);
    PT_CHECK_EQ(f->echo.closed, 0);
    /* The limit counts from the first look. */
    (void)pt_connection_tick(f->client.connection, f->client.now_ms += 1, NULL);
    PT_CHECK_EQ(pt_connection_tick(f->client.connection, f->client.now_ms += 600000, NULL), PT_TIMEOUT);
    pt__test_fixture_close(f);
    PT_CHECK_EQ(f->echo.closed, 1);
}

PT_TEST(connection_resets_a_call_whose_client_stalls)
{
    pt__test_fixture *f =
        pt__test_fixture_open(&(pt__test_client_options){.stream_window_bytes = 65535, .no_auto_window = true});
    int32_t stalled = pt__test_client_unary(&f->client, "/test.Echo/Download", NULL, "10");
    uint64_t tick_ms = pt_connection_next_tick_ms(f->client.connection);
    PT_CHECK(tick_ms < f->client.now_ms + 600000);
    (void)pt_connection_tick(f->client.connection, f->client.now_ms += 1, NULL);
    (void)pt_connection_tick(f->client.connection, f->client.now_ms += 599999, NULL);
    PT_CHECK_EQ(f->echo.closed, 0);
    (void)pt_connection_tick(f->client.connection, f->client.now_ms += 1, NULL);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_RESET);
    PT_CHECK_EQ(pt__test_client_reply(&f->client, stalled)->error_code, NGHTTP2_REFUSED_STREAM);
    PT_CHECK_EQ(f->client.goaways, 0);
    pt__test_fixture_close(f);
}

PT_TEST(connection_drains)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    int32_t never = pt__test_client_unary(&f->client, "/test.Echo/Never", NULL, "x");
    pt_connection_drain(f->client.connection, f->client.now_ms);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(f->client.goaways, 2);
    PT_CHECK(!pt_connection_is_done(f->client.connection));
    pt_call_finish(f->echo.never, &(pt_call_status){PT_GRPC_OK, NULL, {NULL, 0}});
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_client_reply(&f->client, never)->grpc_status, "0");
    PT_CHECK(pt_connection_is_done(f->client.connection));
    pt__test_fixture_close(f);
}

PT_TEST(connection_drains_when_the_client_does_not_answer_its_ping)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "x");
    f->client.deaf = true;
    pt_connection_drain(f->client.connection, f->client.now_ms);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(pt_connection_next_tick_ms(f->client.connection), f->client.now_ms + 1000);
    PT_CHECK_EQ(pt_connection_tick(f->client.connection, f->client.now_ms += 1000, NULL), PT_OK);
    f->client.deaf = false;
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(f->client.goaways, 2);
    PT_CHECK(pt_connection_is_done(f->client.connection));
    pt__test_fixture_close(f);
}

PT_TEST(connection_that_is_idle_for_long_says_goodbye)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "x");
    PT_CHECK_EQ(pt_connection_next_tick_ms(f->client.connection), f->client.now_ms + 3600000);
    (void)pt_connection_tick(f->client.connection, f->client.now_ms += 3600000, NULL);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(f->client.goaways, 1);
    PT_CHECK_EQ(f->client.goaway_code, NGHTTP2_NO_ERROR);
    PT_CHECK(pt_connection_is_done(f->client.connection));
    pt__test_fixture_close(f);
}

PT_TEST(connection_gives_up_on_a_peer_that_says_nothing)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    PT_CHECK_EQ(pt_connection_next_tick_ms(f->client.connection), f->client.now_ms + 20000);
    PT_CHECK_EQ(pt_connection_tick(f->client.connection, f->client.now_ms += 20000, NULL), PT_TIMEOUT);
    pt__test_fixture_close(f);
}

static pt_status sign_in(void *context, pt_call *call, pt_principal *out, pt_error *err)
{
    (void)context;
    pt_bytes_view value;
    if (!pt_call_metadata(call, "authorization", &value))
        return pt_error_set(err, PT_UNAUTHENTICATED, "sign in first");
    *out = (pt_principal){"someone", true};
    return PT_OK;
}

PT_TEST(connection_asks_its_authenticator)
{
    const pt_authenticator authenticator = {sign_in, NULL};
    pt__test_fixture *f = pt__test_fixture_open(&(pt__test_client_options){.authenticator = &authenticator});
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "x");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "16");
    PT_CHECK_EQ(f->echo.started, 0);
    const pt__test_header signed_in[] = {{"authorization", "yes"}, {NULL, NULL}};
    pt__test_client_unary(&f->client, "/test.Echo/Never", signed_in, "x");
    PT_REQUIRE(f->echo.never != NULL);
    PT_CHECK_STR(pt_call_principal(f->echo.never)->name, "someone");
    pt__test_fixture_close(f);
}

PT_TEST(connection_starts_calls_with_the_peer_that_the_transport_named)
{
    pt__test_fixture *f = pt__test_fixture_open(NULL);
    PT_CHECK_EQ(pt_connection_set_principal(f->client.connection, "CN of a certificate", NULL), PT_OK);
    pt__test_client_unary(&f->client, "/test.Echo/Never", NULL, "x");
    PT_REQUIRE(f->echo.never != NULL);
    PT_CHECK(pt_call_principal(f->echo.never)->authenticated);
    PT_CHECK_STR(pt_call_principal(f->echo.never)->name, "CN of a certificate");
    pt__test_fixture_close(f);
}

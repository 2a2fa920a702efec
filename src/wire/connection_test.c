/* Whole connections in memory: calls as a client sees them. */
#include "base/test.h"
#include "wire/test_client.h"
#include "wire/test_echo.h"

#include <string.h>

typedef struct fixture {
    pt__test_echo echo;
    pt_routes *routes;
    pt__test_client client;
} fixture;

static fixture *open_fixture(const pt__test_client_options *options)
{
    static fixture f;
    memset(&f, 0, sizeof(f));
    f.routes = pt__test_echo_routes(&f.echo);
    pt__test_client_init(&f.client, f.routes, options);
    return &f;
}

static void close_fixture(fixture *f)
{
    pt__test_client_deinit(&f->client);
    pt_routes_free(f->routes);
    PT_CHECK_EQ(f->echo.started, f->echo.closed);
}

PT_TEST(connection_answers_a_unary_call)
{
    fixture *f = open_fixture(NULL);
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
    close_fixture(f);
}

PT_TEST(connection_answers_when_bytes_come_one_by_one)
{
    fixture *f = open_fixture(NULL);
    f->client.step_bytes = 1;
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "hello");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(pt__test_reply_text(reply, 0), "hello");
    PT_CHECK_STR(reply->grpc_status, "0");
    close_fixture(f);
}

PT_TEST(connection_streams_answers)
{
    fixture *f = open_fixture(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Stream", NULL, "3");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(pt__test_reply_text(reply, 0), "0");
    PT_CHECK_STR(pt__test_reply_text(reply, 2), "2");
    PT_CHECK(pt__test_reply_text(reply, 3) == NULL);
    PT_CHECK_STR(reply->grpc_status, "0");
    close_fixture(f);
}

PT_TEST(connection_finishes_without_messages)
{
    fixture *f = open_fixture(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Stream", NULL, "0");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "0");
    PT_CHECK_EQ(reply->header_frames, 1);
    PT_CHECK_EQ(reply->data_frames, 0);
    close_fixture(f);
}

PT_TEST(connection_collects_messages_of_a_client_stream)
{
    fixture *f = open_fixture(NULL);
    int32_t id = pt__test_client_open(&f->client, "/test.Echo/Collect", NULL);
    pt__test_client_message(&f->client, id, "a", false);
    pt__test_client_run(&f->client);
    PT_CHECK_EQ(f->echo.messages, 1);
    pt__test_client_message(&f->client, id, "b", false);
    pt__test_client_message(&f->client, id, "", true);
    pt__test_client_run(&f->client);
    PT_CHECK_STR(pt__test_reply_text(pt__test_client_reply(&f->client, id), 0), "ab");
    PT_CHECK_EQ(f->echo.messages, 3);
    close_fixture(f);
}

PT_TEST(connection_runs_calls_side_by_side)
{
    fixture *f = open_fixture(NULL);
    int32_t never = pt__test_client_open(&f->client, "/test.Echo/Never", NULL);
    pt__test_client_message(&f->client, never, "x", true);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Unary", NULL, "hello");
    PT_CHECK_STR(pt__test_client_reply(&f->client, id)->grpc_status, "0");
    PT_CHECK(!pt__test_client_reply(&f->client, never)->closed);
    PT_CHECK_EQ(pt_connection_call_count(f->client.connection), 1);
    close_fixture(f);
    PT_CHECK_EQ(f->echo.last_end, PT_CALL_DISCONNECTED);
}

PT_TEST(connection_says_which_method_is_missing)
{
    fixture *f = open_fixture(NULL);
    int32_t id = pt__test_client_unary(&f->client, "/test.Echo/Absent", NULL, "x");
    pt__test_reply *reply = pt__test_client_reply(&f->client, id);
    PT_CHECK_STR(reply->grpc_status, "12");
    PT_CHECK_STR(pt__buffer_string(&reply->message), "there is no method /test.Echo/Absent here");
    close_fixture(f);
}

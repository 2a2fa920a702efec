/* The client of gRPC against our own server, in memory. */
#include "wire/rpc_client.h"

#include "base/test.h"
#include "base/test_memory.h"
#include "wire/test_echo.h"

#include <portico/connection.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IOVECS = 8, NOW_MS = 1000000, LIMIT_BYTES = 1 << 20 };

typedef struct pair {
    pt__test_echo echo;
    pt_routes *routes;
    pt_connection *server;
    pt__rpc_client *client;
    uint64_t now_ms;
    size_t step_bytes; /* what a side is fed at once; 0: all */
    pt_status fed;
} pair;

static bool open_pair(pair *p, uint32_t window_bytes)
{
    memset(p, 0, sizeof(*p));
    p->now_ms = NOW_MS;
    p->routes = pt__test_echo_routes(&p->echo);
    pt_connection_info info = {.size_bytes = sizeof(info), .peer = "test", .now_ms = p->now_ms};
    pt__rpc_client_options options = {"test:1", LIMIT_BYTES, window_bytes};
    return p->routes != NULL && pt_connection_new(NULL, p->routes, &info, &p->server, NULL) == PT_OK &&
           pt__rpc_client_new(&options, &p->client, NULL) == PT_OK;
}

static void close_pair(pair *p)
{
    pt__rpc_client_free(p->client);
    pt_connection_free(p->server);
    pt_routes_free(p->routes);
    PT_CHECK_EQ(p->echo.started, p->echo.closed);
}

static void feed_server(pair *p, const uint8_t *data, size_t size)
{
    size_t step = p->step_bytes == 0 ? size : p->step_bytes;
    for (size_t at = 0; at < size; at += step)
        pt_connection_feed(p->server, (pt_bytes_view){data + at, size - at < step ? size - at : step}, p->now_ms, NULL);
}

static void feed_client(pair *p, const uint8_t *data, size_t size)
{
    size_t step = p->step_bytes == 0 ? size : p->step_bytes;
    for (size_t at = 0; at < size; at += step) {
        pt_bytes_view view = {data + at, size - at < step ? size - at : step};
        p->fed = pt__rpc_client_feed(p->client, view, p->now_ms, NULL);
    }
}

static bool to_server(pair *p)
{
    struct iovec pieces[IOVECS];
    size_t size = 0;
    size_t count = pt__rpc_client_pending(p->client, pieces, IOVECS);
    for (size_t i = 0; i < count; i++) {
        feed_server(p, pieces[i].iov_base, pieces[i].iov_len);
        size += pieces[i].iov_len;
    }
    pt__rpc_client_sent(p->client, size);
    return size != 0;
}

static bool to_client(pair *p)
{
    struct iovec pieces[IOVECS];
    size_t size = 0;
    size_t count = pt_connection_pending(p->server, pieces, IOVECS);
    for (size_t i = 0; i < count; i++) {
        feed_client(p, pieces[i].iov_base, pieces[i].iov_len);
        size += pieces[i].iov_len;
    }
    pt_connection_sent(p->server, size, p->now_ms);
    return size != 0;
}

static void run(pair *p)
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = to_server(p);
        goes_on |= to_client(p);
    }
}

static pt__rpc_call *start(pair *p, const char *path, const char *text, uint64_t deadline_ms)
{
    pt__rpc_call *call = NULL;
    pt__rpc_request request = {path, {(const uint8_t *)text, strlen(text)}, p->now_ms, deadline_ms};
    PT_CHECK_EQ(pt__rpc_call_new(p->client, &request, &call, NULL), PT_OK);
    return call;
}

/* Takes one message and compares it. */
static void check_message(pt__rpc_call *call, const char *want)
{
    char got[64] = "";
    pt_bytes *bytes = NULL;
    PT_CHECK_EQ(pt__rpc_call_next(call, &bytes), PT_RPC_MESSAGE);
    if (bytes != NULL) {
        pt_bytes_view view = pt_bytes_get_view(bytes);
        snprintf(got, sizeof(got), "%.*s", (int)view.size_bytes, (const char *)view.data);
    }
    PT_CHECK_STR(got, want);
    pt_bytes_unref(bytes);
}

static void check_end(pt__rpc_call *call, pt_status want, const char *message)
{
    pt_error err = PT_ERROR_INIT;
    pt_bytes *bytes = NULL;
    PT_CHECK_EQ(pt__rpc_call_next(call, &bytes), PT_RPC_END);
    PT_CHECK_EQ(pt__rpc_call_failure(call, &err), want);
    PT_CHECK_STR(err.message, message);
    pt_error_clear(&err);
}

PT_TEST(rpc_client_makes_a_unary_call)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    pt__rpc_call *call = start(&p, "/test.Echo/Unary", "hello", 0);
    pt_bytes *none = NULL;
    PT_CHECK_EQ(pt__rpc_call_next(call, &none), PT_RPC_WAIT);
    run(&p);
    check_message(call, "hello");
    check_end(call, PT_OK, "");
    pt__rpc_call_free(call);
    PT_CHECK(pt__rpc_client_is_usable(p.client));
    close_pair(&p);
}

PT_TEST(rpc_client_takes_bytes_one_by_one)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    p.step_bytes = 1;
    pt__rpc_call *call = start(&p, "/test.Echo/Stream", "3", 0);
    run(&p);
    check_message(call, "0");
    check_message(call, "1");
    check_message(call, "2");
    check_end(call, PT_OK, "");
    pt__rpc_call_free(call);
    close_pair(&p);
}

PT_TEST(rpc_client_gives_the_servers_status_and_text)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    pt__rpc_call *call = start(&p, "/test.Echo/Fail", "100 % wrong: \xc3\xa4\n", 0);
    pt__rpc_call *unknown = start(&p, "/test.Echo/Nothing", "", 0);
    run(&p);
    check_end(call, PT_INVALID_ARGUMENT, "100 % wrong: \xc3\xa4\n");
    pt_bytes *none = NULL;
    PT_CHECK_EQ(pt__rpc_call_next(unknown, &none), PT_RPC_END);
    PT_CHECK_EQ(pt__rpc_call_failure(unknown, NULL), PT_UNSUPPORTED);
    pt__rpc_call_free(call);
    pt__rpc_call_free(unknown);
    close_pair(&p);
}

/* Each message is larger than the window, and the server is stopped until they are taken. */
PT_TEST(rpc_client_slows_the_server_down)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 100000));
    pt__rpc_call *call = start(&p, "/test.Echo/Download", "20", 0);
    run(&p);
    PT_CHECK(p.echo.closed == 0);
    size_t taken = 0;
    pt_bytes *bytes = NULL;
    for (int i = 0; i < 100 && taken < 20; i++) {
        run(&p);
        size_t waiting = 0;
        while (pt__rpc_call_next(call, &bytes) == PT_RPC_MESSAGE) {
            PT_CHECK_EQ(pt_bytes_get_view(bytes).size_bytes, PT_TEST_DOWNLOAD_BYTES);
            pt_bytes_unref(bytes);
            waiting++;
        }
        PT_CHECK(waiting <= 1);
        taken += waiting;
    }
    PT_CHECK_EQ(taken, 20);
    run(&p);
    check_end(call, PT_OK, "");
    pt__rpc_call_free(call);
    close_pair(&p);
}

PT_TEST(rpc_client_cancels)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    pt__rpc_call *call = start(&p, "/test.Echo/Never", "x", 0);
    pt__rpc_call *other = start(&p, "/test.Echo/Never", "y", 0);
    run(&p);
    PT_CHECK_EQ(p.echo.closed, 0);
    pt__rpc_call_cancel(call);
    pt__rpc_call_free(other); /* likewise */
    run(&p);
    check_end(call, PT_CANCELLED, "the call was cancelled");
    PT_CHECK_EQ(p.echo.closed, 2);
    pt__rpc_call_free(call);
    close_pair(&p);
}

PT_TEST(rpc_client_frees_a_call_that_was_not_sent)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    pt__rpc_call_free(start(&p, "/test.Echo/Unary", "x", 0));
    run(&p);
    pt__rpc_call *call = start(&p, "/test.Echo/Unary", "y", 0);
    run(&p);
    check_message(call, "y");
    pt__rpc_call_free(call);
    close_pair(&p);
}

PT_TEST(rpc_client_ends_calls_at_their_deadline)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    PT_CHECK(pt__rpc_client_next_tick_ms(p.client) == UINT64_MAX);
    pt__rpc_call *call = start(&p, "/test.Echo/Never", "x", NOW_MS + 500);
    run(&p);
    PT_CHECK_EQ(pt__rpc_client_next_tick_ms(p.client), NOW_MS + 500);
    pt__rpc_client_tick(p.client, NOW_MS + 499);
    pt_bytes *none = NULL;
    PT_CHECK_EQ(pt__rpc_call_next(call, &none), PT_RPC_WAIT);
    pt__rpc_client_tick(p.client, NOW_MS + 500);
    check_end(call, PT_TIMEOUT, "the server did not answer in time");
    run(&p);
    PT_CHECK_EQ(p.echo.closed, 1);
    pt__rpc_call_free(call);
    close_pair(&p);
}

PT_TEST(rpc_client_bounds_messages)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    char *text = malloc(LIMIT_BYTES + 2);
    PT_REQUIRE(text != NULL);
    memset(text, 'x', LIMIT_BYTES + 1);
    text[LIMIT_BYTES + 1] = '\0';
    pt__rpc_call *call = start(&p, "/test.Echo/Unary", text, 0);
    run(&p);
    pt_bytes *none = NULL;
    PT_CHECK_EQ(pt__rpc_call_next(call, &none), PT_RPC_END);
    PT_CHECK_EQ(pt__rpc_call_failure(call, NULL), PT_LIMIT);
    pt__rpc_call_free(call);
    free(text);
    close_pair(&p);
}

PT_TEST(rpc_client_ends_calls_with_the_connection)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    pt__rpc_call *call = start(&p, "/test.Echo/Never", "x", 0);
    run(&p);
    pt__rpc_client_lost(p.client, "the connection was lost");
    check_end(call, PT_UNAVAILABLE, "the connection was lost");
    PT_CHECK(!pt__rpc_client_is_usable(p.client));
    pt__rpc_request request = {"/test.Echo/Unary", {NULL, 0}, 0, 0};
    pt__rpc_call *none = NULL;
    PT_CHECK_EQ(pt__rpc_call_new(p.client, &request, &none, NULL), PT_UNAVAILABLE);
    pt__rpc_call_free(call);
    close_pair(&p);
}

PT_TEST(rpc_client_makes_no_calls_after_goaway)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    pt__rpc_call *call = start(&p, "/test.Echo/Never", "x", 0);
    run(&p);
    pt_connection_drain(p.server, p.now_ms);
    run(&p);
    PT_CHECK(!pt__rpc_client_is_usable(p.client));
    pt__rpc_call_free(call);
    run(&p);
    close_pair(&p);
}

PT_TEST(rpc_client_refuses_what_is_no_http2)
{
    pair p;
    PT_REQUIRE(open_pair(&p, 65535));
    pt__rpc_call *call = start(&p, "/test.Echo/Unary", "x", 0);
    feed_client(&p, (const uint8_t *)"HTTP/1.1 400 Bad Request\r\n\r\n", 28);
    struct iovec pieces[IOVECS];
    pt__rpc_client_pending(p.client, pieces, IOVECS);
    feed_client(&p, (const uint8_t *)"x", 1);
    PT_CHECK_EQ(p.fed, PT_BAD_MESSAGE);
    pt_bytes *none = NULL;
    PT_CHECK_EQ(pt__rpc_call_next(call, &none), PT_RPC_END);
    PT_CHECK(pt__rpc_call_failure(call, NULL) != PT_OK);
    pt__rpc_call_free(call);
    close_pair(&p);
}

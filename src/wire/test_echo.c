#include "wire/test_echo.h"

#include "base/buffer.h"
#include "wire/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUED_MOST_BYTES = 2 * 1024 * 1024 };

/* What a call keeps between its messages. */
typedef struct echo_call {
    pt__buffer collected;
    uint64_t left; /* answers of Download */
    pt_bytes *piece;
} echo_call;

static void on_started(void *mount, pt_call *call)
{
    pt__test_echo *echo = mount;
    echo->started++;
    call->state = calloc(1, sizeof(echo_call));
    if (call->state == NULL)
        pt_call_finish(call, &(pt_call_status){PT_GRPC_RESOURCE_EXHAUSTED, "no memory", {NULL, 0}});
}

static void send_text(pt_call *call, const char *text)
{
    pt_segment segment = {NULL, {(const uint8_t *)text, strlen(text)}};
    (void)pt_call_send(call, &segment, 1, NULL);
}

static void finish_ok(pt_call *call)
{
    pt_call_finish(call, &(pt_call_status){PT_GRPC_OK, NULL, {NULL, 0}});
}

static uint64_t number_in(pt_bytes_view message)
{
    char text[24] = "";
    memcpy(text, message.data, message.size_bytes < sizeof(text) - 1 ? message.size_bytes : sizeof(text) - 1);
    return strtoull(text, NULL, 10);
}

static void unary_message(void *mount, pt_call *call, pt_bytes_view message)
{
    pt__test_echo *echo = mount;
    echo->messages++;
    pt_segment segment = {NULL, message};
    (void)pt_call_send(call, &segment, 1, NULL);
    finish_ok(call);
}

static void stream_message(void *mount, pt_call *call, pt_bytes_view message)
{
    pt__test_echo *echo = mount;
    echo->messages++;
    uint64_t count = number_in(message);
    for (uint64_t i = 0; i < count && i < 1000; i++) {
        char text[24];
        snprintf(text, sizeof(text), "%llu", (unsigned long long)i);
        send_text(call, text);
    }
    finish_ok(call);
}

static void collect_message(void *mount, pt_call *call, pt_bytes_view message)
{
    pt__test_echo *echo = mount;
    echo_call *state = call->state;
    echo->messages++;
    pt__buffer_append(&state->collected, message.data, message.size_bytes);
}

static void collect_half_closed(void *mount, pt_call *call)
{
    pt__test_echo *echo = mount;
    echo_call *state = call->state;
    echo->half_closed++;
    pt_segment segment = {NULL, pt__buffer_view(&state->collected)};
    (void)pt_call_send(call, &segment, 1, NULL);
    finish_ok(call);
}

static void fail_message(void *mount, pt_call *call, pt_bytes_view message)
{
    pt__test_echo *echo = mount;
    echo->messages++;
    pt__buffer text = PT_BUFFER_INIT;
    pt__buffer_append(&text, message.data, message.size_bytes);
    pt_call_status status = {PT_GRPC_INVALID_ARGUMENT, pt__buffer_string(&text), {NULL, 0}};
    pt_call_metadata(call, "details-bin", &status.details);
    pt_call_finish(call, &status);
    pt__buffer_deinit(&text);
}

static void never_message(void *mount, pt_call *call, pt_bytes_view message)
{
    (void)message;
    pt__test_echo *echo = mount;
    echo->messages++;
    echo->never = call;
}

static void download_writable(void *mount, pt_call *call)
{
    pt__test_echo *echo = mount;
    echo_call *state = call->state;
    if (state->piece == NULL)
        return;
    while (state->left > 0 && pt_call_queued_bytes(call) < QUEUED_MOST_BYTES) {
        pt_segment segment = {pt_bytes_ref(state->piece), pt_bytes_get_view(state->piece)};
        if (pt_call_send(call, &segment, 1, NULL) != PT_OK)
            return;
        state->left--;
        if (pt_call_queued_bytes(call) > echo->queued_most_bytes)
            echo->queued_most_bytes = pt_call_queued_bytes(call);
    }
    if (state->left == 0)
        finish_ok(call);
}

static void download_message(void *mount, pt_call *call, pt_bytes_view message)
{
    static const uint8_t zeros[PT_TEST_DOWNLOAD_BYTES];
    pt__test_echo *echo = mount;
    echo_call *state = call->state;
    echo->messages++;
    if (state->piece != NULL)
        return;
    state->left = number_in(message);
    state->piece = pt_bytes_wrap((pt_bytes_view){zeros, sizeof(zeros)}, NULL, NULL);
    download_writable(mount, call);
}

static void on_closed(void *mount, pt_call *call, pt_call_end end)
{
    pt__test_echo *echo = mount;
    echo_call *state = call->state;
    echo->closed++;
    echo->last_end = end;
    if (echo->never == call)
        echo->never = NULL;
    if (state == NULL)
        return;
    pt__buffer_deinit(&state->collected);
    pt_bytes_unref(state->piece);
    free(state);
}

static const pt_method methods[] = {
    {.path = "/test.Echo/Unary", .started = on_started, .message = unary_message, .closed = on_closed},
    {.path = "/test.Echo/Stream", .started = on_started, .message = stream_message, .closed = on_closed},
    {.path = "/test.Echo/Collect",
     .started = on_started,
     .message = collect_message,
     .half_closed = collect_half_closed,
     .closed = on_closed,
     .message_limit_bytes = 1000000},
    {.path = "/test.Echo/Fail", .started = on_started, .message = fail_message, .closed = on_closed},
    {.path = "/test.Echo/Never", .started = on_started, .message = never_message, .closed = on_closed},
    {.path = "/test.Echo/Download",
     .started = on_started,
     .message = download_message,
     .writable = download_writable,
     .closed = on_closed},
};

const pt_frontend_vtable pt__test_echo_frontend = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "echo",
    .methods = methods,
    .method_count = sizeof(methods) / sizeof(methods[0]),
};

pt_routes *pt__test_echo_routes(pt__test_echo *echo)
{
    pt_routes *routes;
    if (pt_routes_new(NULL, &routes, NULL) != PT_OK)
        return NULL;
    if (pt__routes_add(routes, &pt__test_echo_frontend, echo, NULL) == PT_OK)
        return routes;
    pt_routes_free(routes);
    return NULL;
}

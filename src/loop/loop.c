#include "loop/internal.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUTES_TICK_MS = 1000, MESSAGE_BYTES = 1024 };

static void on_timer(uv_timer_t *timer);

uint64_t pt__loop_now_ms(const pt__loop *loop)
{
    return uv_now(&loop->uv);
}

void pt__loop_log(const pt__loop *loop, pt_log_level level, const char *format, ...)
{
    if (loop->options.log == NULL)
        return;
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    loop->options.log(loop->options.log_context, level, "loop", message);
}

void pt__loop_tick_by(pt__loop *loop, uint64_t when_ms)
{
    if (when_ms >= loop->next_tick_ms)
        return;
    loop->next_tick_ms = when_ms;
    uint64_t now_ms = pt__loop_now_ms(loop);
    uv_timer_start(&loop->timer, on_timer, when_ms > now_ms ? when_ms - now_ms : 0, 0);
}

static void close_connections(pt__loop *loop)
{
    pt__listener_close_all(loop);
    for (pt__socket *socket = loop->sockets; socket != NULL; socket = pt__socket_next(socket))
        pt__socket_close(socket);
}

void pt__loop_check_drained(pt__loop *loop)
{
    if (loop->draining && loop->sockets == NULL)
        uv_stop(&loop->uv);
}

static void tick_routes(pt__loop *loop, uint64_t now_ms)
{
    if (now_ms >= loop->routes_tick_ms) {
        pt_routes_tick(loop->options.routes, now_ms);
        loop->routes_tick_ms = now_ms + ROUTES_TICK_MS;
    }
    pt__loop_tick_by(loop, loop->routes_tick_ms);
}

static void check_drain_limit(pt__loop *loop, uint64_t now_ms)
{
    if (!loop->draining)
        return;
    if (now_ms < loop->drain_end_ms) {
        pt__loop_tick_by(loop, loop->drain_end_ms);
        return;
    }
    pt__loop_log(loop, PT_LOG_WARN, "calls still run after the drain timeout; they are cut off");
    uv_stop(&loop->uv);
}

static void on_timer(uv_timer_t *timer)
{
    pt__loop *loop = timer->data;
    uint64_t now_ms = pt__loop_now_ms(loop);
    loop->next_tick_ms = UINT64_MAX;
    tick_routes(loop, now_ms);
    for (pt__socket *socket = loop->sockets; socket != NULL; socket = pt__socket_next(socket))
        pt__socket_tick(socket, now_ms);
    pt__socket_flush_ready(loop);
    check_drain_limit(loop, now_ms);
}

static void on_wake(uv_async_t *wake)
{
    pt__loop *loop = wake->data;
    pt_mailbox_run(loop->mailbox);
    pt__socket_flush_ready(loop);
}

/* Called by whatever thread posts to the mailbox. */
static void signal_wake(void *context)
{
    pt__loop *loop = context;
    uv_async_send(&loop->wake);
}

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    pt__loop *loop = handle->data;
    if (loop->draining) {
        pt__loop_log(loop, PT_LOG_WARN, "stopping at once");
        uv_stop(&loop->uv);
        return;
    }
    pt__loop_log(loop, PT_LOG_INFO, "draining: no new calls, running ones may end");
    pt__loop_drain(loop);
}

static void on_hang_up(uv_signal_t *handle, int number)
{
    (void)number;
    pt__loop *loop = handle->data;
    loop->options.reload(loop->options.reload_context);
}

void pt__loop_drain(pt__loop *loop)
{
    loop->draining = true;
    loop->drain_end_ms = pt__loop_now_ms(loop) + loop->options.drain_timeout_ms;
    pt__loop_tick_by(loop, loop->drain_end_ms);
    pt__listener_close_all(loop);
    pt_routes_set_serving(loop->options.routes, false);
    if (loop->options.draining != NULL)
        loop->options.draining(loop->options.draining_context);
    for (pt__socket *socket = loop->sockets; socket != NULL; socket = pt__socket_next(socket))
        pt__socket_drain(socket);
    pt__socket_flush_ready(loop);
    pt__loop_check_drained(loop);
}

static int open_handles(pt__loop *loop)
{
    int result = uv_async_init(&loop->uv, &loop->wake, on_wake);
    if (result == 0)
        result = uv_timer_init(&loop->uv, &loop->timer);
    if (result == 0)
        result = uv_signal_init(&loop->uv, &loop->terminate);
    if (result == 0)
        result = uv_signal_init(&loop->uv, &loop->interrupt);
    if (result == 0)
        result = uv_signal_init(&loop->uv, &loop->hang_up);
    if (result == 0)
        result = uv_signal_start(&loop->terminate, on_signal, SIGTERM);
    if (result == 0)
        result = uv_signal_start(&loop->interrupt, on_signal, SIGINT);
    if (result == 0 && loop->options.reload != NULL)
        result = uv_signal_start(&loop->hang_up, on_hang_up, SIGHUP);
    loop->wake.data = loop->timer.data = loop->terminate.data = loop->interrupt.data = loop->hang_up.data = loop;
    return result;
}

pt_status pt__loop_new(const pt__loop_options *options, pt__loop **out, pt_error *err)
{
    pt__loop *loop = calloc(1, sizeof(*loop));
    if (loop == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the event loop");
    loop->options = *options;
    loop->next_tick_ms = UINT64_MAX;
    signal(SIGPIPE, SIG_IGN);
    int result = uv_loop_init(&loop->uv);
    if (result == 0) {
        loop->opened = true;
        result = open_handles(loop);
    }
    pt_status status = result == 0 ? PT_OK : pt_error_set(err, PT_IO, "the event loop: %s", uv_strerror(result));
    if (status == PT_OK)
        status = pt_mailbox_new(signal_wake, loop, &loop->mailbox, err);
    if (status != PT_OK) {
        pt__loop_free(loop);
        return status;
    }
    *out = loop;
    return PT_OK;
}

void pt__loop_run(pt__loop *loop)
{
    tick_routes(loop, pt__loop_now_ms(loop));
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    close_connections(loop);
    while (loop->sockets != NULL)
        uv_run(&loop->uv, UV_RUN_ONCE);
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void pt__loop_free(pt__loop *loop)
{
    if (loop == NULL)
        return;
    pt_mailbox_free(loop->mailbox);
    if (loop->opened) {
        close_connections(loop); /* those of a loop that never ran */
        uv_walk(&loop->uv, close_handle, NULL);
        uv_run(&loop->uv, UV_RUN_DEFAULT);
        uv_loop_close(&loop->uv);
    }
    free(loop);
}

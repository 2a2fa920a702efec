/*
 * A libuv program of somebody else's that takes Spark Connect in. It owns the loop: the library is one user of it among
 * others, here a timer that counts the seconds. On one port it serves
 *
 *     GET /hello             by HTTP/1.1, its own: how long it has been up
 *     acme.Greeter/Greet     by gRPC, its own, mounted beside
 *     Spark Connect          by gRPC, the library's
 *
 *     embed_uv [PORT]        at 127.0.0.1; without PORT a free one
 *
 * embed_epoll.c does the same with several threads and without libuv.
 */
#include <portico/connection.h>
#include <portico/host.h>
#include <portico/spark_connect.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    IOVECS = 64,
    READ_BYTES = 256 * 1024,
    REQUEST_BYTES_MAX = 8 * 1024,
    REQUEST_LIMIT_MS = 10 * 1000,
    HALF_CLOSED_LIMIT_MS = 5 * 1000,
    LINGER_MS = 1000,
    STALL_LIMIT_MS = 60 * 1000, /* a peer takes no bytes of what is being written */
    DRAIN_LIMIT_MS = 10 * 1000,
    TICK_MS = 250
};

typedef enum protocol { UNKNOWN, HTTP1, HTTP2 } protocol;

typedef struct peer_socket {
    uv_tcp_t handle;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct server *server;
    struct peer_socket *next;
    struct peer_socket *next_ready;
    protocol speaks;
    pt_connection *connection;       /* HTTP2 */
    char request[REQUEST_BYTES_MAX]; /* what came before the protocol was known; the request of HTTP1 */
    size_t request_bytes;
    char reply[256]; /* HTTP1; "": not answered yet */
    bool replied;
    size_t writing_bytes; /* of the write under way; 0: none */
    uint64_t stalled_ms;  /* closed then if the write has not ended */
    uint64_t end_ms;      /* closed then, whatever there is to do; UINT64_MAX: never */
    bool input_over;
    bool failed;
    bool shut;
    bool is_ready;
    bool closing;
} peer_socket;

typedef struct server {
    uv_loop_t *loop;
    uv_tcp_t listener;
    uv_async_t wake;
    uv_timer_t ticker; /* of the library, and of the sockets' own limits */
    uv_timer_t seconds;
    uv_signal_t terminate;
    uv_signal_t interrupt;
    pt_host *host;
    pt_config *config;
    pt_mailbox *mailbox;
    pt_routes *routes;
    peer_socket *sockets;
    peer_socket *ready;
    bool draining;
    int uptime_seconds;
    uint8_t input[READ_BYTES];
} server;

static void flush(peer_socket *s);

/* ---- our own gRPC method ---- */

static void greet(void *mount, pt_call *call, pt_bytes_view message)
{
    (void)mount;
    char text[160] = "\x0a"; /* request and response: a message with a string as field 1 */
    if (message.size_bytes < 2 || message.data[0] != 0x0a || message.data[1] > 100 ||
        message.data[1] != message.size_bytes - 2) {
        pt_call_finish(call, &(pt_call_status){PT_GRPC_INVALID_ARGUMENT, "a name of up to 100 bytes is wanted", {0}});
        return;
    }
    int size =
        snprintf(text + 2, sizeof(text) - 2, "Hello, %.*s!", (int)message.data[1], (const char *)message.data + 2);
    text[1] = (char)size;
    pt_segment answer = {NULL, {(const uint8_t *)text, (size_t)size + 2}};
    if (pt_call_send(call, &answer, 1, NULL) == PT_OK)
        pt_call_finish(call, &(pt_call_status){PT_GRPC_OK, NULL, {0}});
}

static const pt_method greeter_methods[] = {{.path = "/acme.Greeter/Greet", .message = greet}};

static const pt_frontend_vtable greeter = {
    .size_bytes = sizeof(pt_frontend_vtable),
    .name = "greeter",
    .methods = greeter_methods,
    .method_count = 1,
};

/* ---- sockets ---- */

static uint64_t now_ms(const peer_socket *s)
{
    return uv_now(s->server->loop);
}

static void end_by(peer_socket *s, uint64_t span_ms)
{
    uint64_t when_ms = now_ms(s) + span_ms;
    if (when_ms < s->end_ms)
        s->end_ms = when_ms;
}

static void on_closed(uv_handle_t *handle)
{
    peer_socket *s = handle->data;
    peer_socket **at = &s->server->sockets;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    for (at = &s->server->ready; *at != NULL; at = &(*at)->next_ready) {
        if (*at == s) {
            *at = s->next_ready;
            break;
        }
    }
    pt_connection_free(s->connection); /* not before libuv has let go of the pieces that it writes */
    free(s);
}

static void close_socket(peer_socket *s)
{
    if (!s->closing)
        uv_close((uv_handle_t *)&s->handle, on_closed);
    s->closing = true;
}

static size_t get_pending(peer_socket *s, struct iovec *pieces)
{
    if (s->speaks == HTTP2)
        return pt_connection_pending(s->connection, pieces, IOVECS);
    if (s->reply[0] == '\0' || s->replied)
        return 0;
    pieces[0] = (struct iovec){s->reply, strlen(s->reply)};
    return 1;
}

static void on_written(uv_write_t *write, int status)
{
    peer_socket *s = write->data;
    size_t size_bytes = s->writing_bytes;
    s->writing_bytes = 0;
    if (status < 0)
        close_socket(s);
    if (s->closing)
        return;
    if (s->speaks == HTTP2)
        pt_connection_sent(s->connection, size_bytes, now_ms(s));
    else
        s->replied = true;
    flush(s);
}

static bool is_done(const peer_socket *s)
{
    if (s->speaks != HTTP2)
        return s->replied || s->input_over;
    return pt_connection_is_done(s->connection) || (s->input_over && pt_connection_call_count(s->connection) == 0);
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    (void)shutdown;
    (void)status;
}

/* Closing with bytes of the peer unread would reset the connection, and our last words might be lost. */
static void finish(peer_socket *s)
{
    if (s->input_over) {
        close_socket(s);
    } else if (!s->shut) {
        s->shut = true;
        uv_shutdown(&s->shutdown, (uv_stream_t *)&s->handle, on_shutdown);
        end_by(s, LINGER_MS);
    }
}

/* One write at a time: libuv sends all of it, and what becomes pending meanwhile waits in the connection. */
static void flush(peer_socket *s)
{
    struct iovec pieces[IOVECS];
    uv_buf_t buffers[IOVECS];
    if (s->closing || s->writing_bytes != 0)
        return;
    size_t count = get_pending(s, pieces);
    for (size_t i = 0; i < count; i++) {
        buffers[i] = uv_buf_init(pieces[i].iov_base, (unsigned)pieces[i].iov_len);
        s->writing_bytes += pieces[i].iov_len;
    }
    if (count != 0) {
        s->write.data = s;
        if (uv_write(&s->write, (uv_stream_t *)&s->handle, buffers, (unsigned)count, on_written) != 0)
            close_socket(s);
        s->stalled_ms = now_ms(s) + STALL_LIMIT_MS;
    } else if (is_done(s)) {
        finish(s);
    }
}

static void fail(peer_socket *s, const pt_error *err)
{
    if (!s->failed)
        fprintf(stderr, "embed_uv: a connection ends: %s\n", pt_error_full_message(err));
    s->failed = true;
    end_by(s, LINGER_MS);
}

static void feed(peer_socket *s, const void *data, size_t size)
{
    pt_error err = PT_ERROR_INIT;
    if (!s->failed && pt_connection_feed(s->connection, (pt_bytes_view){data, size}, now_ms(s), &err) != PT_OK)
        fail(s, &err);
    pt_error_clear(&err);
}

/* ---- what a connection speaks ---- */

static void answer_http1(peer_socket *s)
{
    s->request[s->request_bytes] = '\0';
    bool whole = strstr(s->request, "\r\n\r\n") != NULL;
    if (s->reply[0] != '\0' || (!whole && s->request_bytes < REQUEST_BYTES_MAX - 1))
        return;
    char body[64] = "";
    const char *status = whole ? "404 Not Found" : "431 Request Header Fields Too Large";
    if (whole && strncmp(s->request, "GET /hello ", 11) == 0) {
        status = "200 OK";
        snprintf(body, sizeof(body), "hello, up for %d s\n", s->server->uptime_seconds);
    }
    snprintf(s->reply, sizeof(s->reply), "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s", status,
             strlen(body), body);
}

/* Called from inside of the mailbox and of ticks: flushed afterwards. */
static void on_ready(void *context, pt_connection *connection)
{
    (void)connection;
    peer_socket *s = context;
    if (s->is_ready || s->closing)
        return;
    s->is_ready = true;
    s->next_ready = s->server->ready;
    s->server->ready = s;
}

static void start_http2(peer_socket *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_connection_info info = {
        .size_bytes = sizeof(info),
        .mailbox = s->server->mailbox,
        .limits = s->server->config,
        .now_ms = now_ms(s),
        .ready = on_ready,
        .ready_context = s,
    };
    if (pt_connection_new(s->server->host, s->server->routes, &info, &s->connection, &err) != PT_OK) {
        fprintf(stderr, "embed_uv: %s\n", pt_error_full_message(&err));
        close_socket(s);
    } else {
        s->speaks = HTTP2;
        s->end_ms = UINT64_MAX;
        feed(s, s->request, s->request_bytes);
    }
    pt_error_clear(&err);
}

/* HTTP/2 begins with "PRI * HTTP/2.0" (RFC 9113 section 3.4), which is no request of HTTP/1.1. */
static void look_at_first_bytes(peer_socket *s)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    size_t size = s->request_bytes < sizeof(preface) - 1 ? s->request_bytes : sizeof(preface) - 1;
    if (memcmp(s->request, preface, size) != 0)
        s->speaks = HTTP1;
    else if (size == sizeof(preface) - 1)
        start_http2(s);
}

static void take_first_bytes(peer_socket *s, const char *data, size_t size)
{
    size_t taken = REQUEST_BYTES_MAX - 1 - s->request_bytes;
    if (taken > size)
        taken = size;
    memcpy(s->request + s->request_bytes, data, taken);
    s->request_bytes += taken;
    if (s->speaks == UNKNOWN)
        look_at_first_bytes(s);
    if (s->speaks == HTTP1)
        answer_http1(s);
    else if (s->speaks == HTTP2 && size > taken)
        feed(s, data + taken, size - taken);
}

static void on_read(uv_stream_t *handle, ssize_t size, const uv_buf_t *buffer)
{
    peer_socket *s = handle->data;
    if (size == UV_EOF) {
        s->input_over = true; /* it may read on: answers that it waits for are still sent, for a while */
        end_by(s, HALF_CLOSED_LIMIT_MS);
    } else if (size < 0) {
        close_socket(s);
    } else if (s->speaks == HTTP2) {
        feed(s, buffer->base, (size_t)size);
    } else {
        take_first_bytes(s, buffer->base, (size_t)size);
    }
    flush(s);
}

/* What is read is consumed before the next read, so that all sockets share one buffer. */
static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)suggested;
    peer_socket *s = handle->data;
    *buffer = uv_buf_init((char *)s->server->input, READ_BYTES);
}

static void on_connection(uv_stream_t *listener, int status)
{
    server *v = listener->data;
    peer_socket *s = status < 0 ? NULL : calloc(1, sizeof(*s));
    if (s == NULL || uv_tcp_init(v->loop, &s->handle) != 0) {
        free(s);
        return;
    }
    s->server = v;
    s->handle.data = s;
    s->next = v->sockets;
    v->sockets = s;
    s->end_ms = uv_now(v->loop) + REQUEST_LIMIT_MS;
    if (uv_accept(listener, (uv_stream_t *)&s->handle) != 0 || v->draining) {
        close_socket(s);
        return;
    }
    uv_tcp_nodelay(&s->handle, 1);
    uv_tcp_keepalive(&s->handle, 1, 30);
    uv_read_start((uv_stream_t *)&s->handle, on_allocate, on_read);
}

/* ---- the library's turns on the loop ---- */

static void flush_ready(server *v)
{
    while (v->ready != NULL) {
        peer_socket *s = v->ready;
        v->ready = s->next_ready;
        s->is_ready = false;
        flush(s);
    }
}

/* Called by whatever thread posts to the mailbox. */
static void wake(void *context)
{
    server *v = context;
    uv_async_send(&v->wake);
}

static void on_wake(uv_async_t *handle)
{
    server *v = handle->data;
    pt_mailbox_run(v->mailbox);
    flush_ready(v);
}

/*
 * Limits are seconds, and pings may wait, so four looks a second do; embed_epoll.c sleeps until
 * pt_connection_next_tick_ms instead.
 */
static void on_tick(uv_timer_t *timer)
{
    server *v = timer->data;
    pt_error err = PT_ERROR_INIT;
    uint64_t now = uv_now(v->loop);
    pt_routes_tick(v->routes, now);
    for (peer_socket *s = v->sockets; s != NULL; s = s->next) {
        if (s->end_ms <= now || (s->writing_bytes != 0 && s->stalled_ms <= now))
            close_socket(s);
        else if (!s->closing && !s->failed && s->connection != NULL &&
                 pt_connection_tick(s->connection, now, &err) != PT_OK)
            fail(s, &err);
        flush(s);
    }
    flush_ready(v);
    pt_error_clear(&err);
    if (v->draining && v->sockets == NULL)
        uv_stop(v->loop);
}

static void on_second(uv_timer_t *timer)
{
    server *v = timer->data;
    v->uptime_seconds++;
}

/* Refuses what is new; calls that run may end. */
static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    server *v = handle->data;
    if (v->draining)
        return;
    v->draining = true;
    uv_close((uv_handle_t *)&v->listener, NULL);
    pt_routes_set_serving(v->routes, false);
    pt_host_drain(v->host, DRAIN_LIMIT_MS);
    for (peer_socket *s = v->sockets; s != NULL; s = s->next) {
        end_by(s, DRAIN_LIMIT_MS);
        if (s->connection != NULL)
            pt_connection_drain(s->connection, uv_now(v->loop));
        flush(s);
    }
}

/* ---- set-up ---- */

static pt_status listen_at(server *v, int port, pt_error *err)
{
    struct sockaddr_in at;
    int size = sizeof(at);
    uv_ip4_addr("127.0.0.1", port, &at);
    int result = uv_tcp_init(v->loop, &v->listener);
    if (result == 0)
        result = uv_tcp_bind(&v->listener, (const struct sockaddr *)&at, 0);
    if (result == 0)
        result = uv_listen((uv_stream_t *)&v->listener, 512, on_connection);
    if (result == 0)
        result = uv_tcp_getsockname(&v->listener, (struct sockaddr *)&at, &size);
    v->listener.data = v;
    if (result != 0)
        return pt_error_set(err, PT_IO, "cannot listen at port %d: %s", port, uv_strerror(result));
    printf("embed_uv listening on 127.0.0.1:%d\n", ntohs(at.sin_port));
    fflush(stdout);
    return PT_OK;
}

static void start_handles(server *v)
{
    uv_async_init(v->loop, &v->wake, on_wake);
    uv_timer_init(v->loop, &v->ticker);
    uv_timer_init(v->loop, &v->seconds);
    uv_signal_init(v->loop, &v->terminate);
    uv_signal_init(v->loop, &v->interrupt);
    v->wake.data = v->ticker.data = v->seconds.data = v->terminate.data = v->interrupt.data = v;
    uv_timer_start(&v->ticker, on_tick, TICK_MS, TICK_MS);
    uv_timer_start(&v->seconds, on_second, 1000, 1000);
    uv_signal_start(&v->terminate, on_signal, SIGTERM);
    uv_signal_start(&v->interrupt, on_signal, SIGINT);
}

static pt_status mount(server *v, pt_error *err)
{
    pt_host_options options = {.size_bytes = sizeof(options)};
    PT_TRY(pt_host_new(&options, &v->host, err));
    PT_TRY(pt_host_add_backend(v->host, &pt_backend_duckdb, v->config, err));
    PT_TRY(pt_mailbox_new(wake, v, &v->mailbox, err));
    PT_TRY(pt_routes_new(v->host, &v->routes, err));
    PT_TRY(pt_frontend_mount(v->host, &pt_frontend_spark_connect, v->config, v->routes, err));
    PT_TRY(pt_frontend_mount(v->host, &greeter, NULL, v->routes, err));
    return pt_routes_add_health(v->routes, err);
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* Connections go before routes, routes before the host; workers post to the mailbox until the host is gone. */
static void end(server *v)
{
    for (peer_socket *s = v->sockets; s != NULL; s = s->next)
        close_socket(s);
    while (v->sockets != NULL)
        uv_run(v->loop, UV_RUN_ONCE);
    pt_routes_free(v->routes);
    pt_host_free(v->host);
    pt_mailbox_free(v->mailbox);
    pt_config_free(v->config);
    uv_walk(v->loop, close_handle, NULL);
    uv_run(v->loop, UV_RUN_DEFAULT);
    uv_loop_close(v->loop);
}

int main(int argc, char **argv)
{
    static server v;
    static uv_loop_t loop;
    pt_error err = PT_ERROR_INIT;
    signal(SIGPIPE, SIG_IGN); /* libuv writes by write(2) */
    uv_loop_init(&loop);
    v.loop = &loop;
    start_handles(&v);
    pt_status status = mount(&v, &err);
    if (status == PT_OK)
        status = listen_at(&v, argc > 1 ? atoi(argv[1]) : 0, &err);
    if (status == PT_OK)
        uv_run(&loop, UV_RUN_DEFAULT);
    end(&v);
    if (status != PT_OK)
        fprintf(stderr, "embed_uv: %s\n", pt_error_full_message(&err));
    pt_error_clear(&err);
    return status == PT_OK ? 0 : 1;
}

/* One TCP connection: bytes from the socket to pt_connection, and its pending bytes back. */
#include "loop/internal.h"
#include "loop/tls.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURN_BYTES_MAX = 8 * 1024 * 1024, /* then other sockets have their turn */
    STALL_LOOKS = 4,                  /* how often a stall is looked for within its limit */
    LINGER_MS = 1000                  /* a peer we gave up on gets this long to read why (RFC 9112 section 9.6) */
};

struct pt__socket {
    uv_tcp_t handle;
    uv_write_t write;
    uv_shutdown_t shutdown;
    pt__loop *loop;
    pt_connection *connection;
    pt__tls *tls; /* NULL: plain text */
    pt__socket *previous;
    pt__socket *next;
    pt__socket *next_ready;
    size_t writing_bytes;   /* of the write that is under way; 0: none */
    size_t unwritten_bytes; /* what of it was left when it last moved */
    uint64_t moved_ms;
    uint64_t linger_end_ms;
    bool is_ready;
    bool failed;     /* nothing more is read; what is pending is still written, until linger_end_ms */
    bool shut;       /* all is written, and the peer was told so */
    bool tls_failed; /* what the connection has pending cannot be written */
    bool named;      /* the peer's certificate was looked at */
    bool closing;
    char peer[PT_ADDRESS_BYTES];
};

_Static_assert(sizeof(uv_buf_t) == sizeof(struct iovec) && offsetof(uv_buf_t, len) == offsetof(struct iovec, iov_len),
               "libuv's buffers are iovecs on POSIX systems");

static void flush(pt__socket *socket);

pt__socket *pt__socket_next(const pt__socket *socket)
{
    return socket->next;
}

static void unlink_ready(pt__socket *socket)
{
    pt__socket **at = &socket->loop->first_ready;
    while (*at != NULL && *at != socket)
        at = &(*at)->next_ready;
    if (*at != NULL)
        *at = socket->next_ready;
    socket->is_ready = false;
}

static void on_closed(uv_handle_t *handle)
{
    pt__socket *socket = handle->data;
    pt__loop *loop = socket->loop;
    pt_connection_free(socket->connection);
    pt__tls_free(socket->tls);
    if (socket->is_ready)
        unlink_ready(socket);
    if (socket->next != NULL)
        socket->next->previous = socket->previous;
    *(socket->previous != NULL ? &socket->previous->next : &loop->sockets) = socket->next;
    free(socket);
    loop->socket_count--;
    pt__loop_check_drained(loop);
}

void pt__socket_close(pt__socket *socket)
{
    if (socket->closing)
        return;
    socket->closing = true;
    uv_close((uv_handle_t *)&socket->handle, on_closed);
}

static void on_shutdown(uv_shutdown_t *request, int status)
{
    (void)request;
    (void)status;
}

/* All is written. Closing at once with bytes unread would reset the connection and lose our last words. */
static void finish_writing(pt__socket *socket)
{
    if (!socket->failed) {
        pt__socket_close(socket);
        return;
    }
    if (socket->shut)
        return;
    socket->shut = true;
    uv_shutdown(&socket->shutdown, (uv_stream_t *)&socket->handle, on_shutdown);
}

/* Bytes for the socket: the connection's own, or what TLS made of them. */
static size_t get_pending(pt__socket *socket, struct iovec *pieces)
{
    if (socket->tls == NULL)
        return pt_connection_pending(socket->connection, pieces, PT_IOVECS);
    size_t count = pt__tls_pending(socket->tls, pieces, PT_IOVECS);
    if (count != 0 || socket->tls_failed)
        return count;
    count = pt_connection_pending(socket->connection, pieces, PT_IOVECS);
    size_t taken = pt__tls_write(socket->tls, pieces, count);
    pt_connection_sent(socket->connection, taken, pt__loop_now_ms(socket->loop));
    return pt__tls_pending(socket->tls, pieces, PT_IOVECS);
}

static void drop_sent(pt__socket *socket, size_t size_bytes)
{
    if (socket->tls == NULL)
        pt_connection_sent(socket->connection, size_bytes, pt__loop_now_ms(socket->loop));
    else
        pt__tls_sent(socket->tls, size_bytes);
}

static void on_written(uv_write_t *request, int status)
{
    pt__socket *socket = request->data;
    size_t size_bytes = socket->writing_bytes;
    socket->writing_bytes = 0;
    if (socket->closing)
        return;
    if (status < 0) {
        pt__socket_close(socket);
        return;
    }
    drop_sent(socket, size_bytes);
    flush(socket);
}

/* The rest goes when the socket takes it. */
static void write_later(pt__socket *socket, const struct iovec *pieces, size_t count)
{
    size_t size_bytes = 0;
    for (size_t i = 0; i < count; i++)
        size_bytes += pieces[i].iov_len;
    socket->writing_bytes = socket->unwritten_bytes = size_bytes;
    socket->moved_ms = pt__loop_now_ms(socket->loop);
    socket->write.data = socket;
    pt__loop_tick_by(socket->loop, socket->moved_ms + socket->loop->options.stall_timeout_ms / STALL_LOOKS + 1);
    int result =
        uv_write(&socket->write, (uv_stream_t *)&socket->handle, (const uv_buf_t *)pieces, (unsigned)count, on_written);
    if (result != 0)
        pt__socket_close(socket);
}

static void flush(pt__socket *socket)
{
    struct iovec pieces[PT_IOVECS];
    size_t turn_bytes = 0;
    while (!socket->closing && socket->writing_bytes == 0) {
        size_t count = get_pending(socket, pieces);
        if (count == 0) {
            if (socket->tls_failed || pt_connection_is_done(socket->connection))
                finish_writing(socket);
            break;
        }
        int written = turn_bytes > TURN_BYTES_MAX
                          ? UV_EAGAIN
                          : uv_try_write((uv_stream_t *)&socket->handle, (const uv_buf_t *)pieces, (unsigned)count);
        if (written == UV_EAGAIN) {
            write_later(socket, pieces, count);
        } else if (written < 0) {
            pt__socket_close(socket);
        } else {
            turn_bytes += (size_t)written;
            drop_sent(socket, (size_t)written);
        }
    }
    if (!socket->closing)
        pt__loop_tick_by(socket->loop, pt_connection_next_tick_ms(socket->connection));
}

static void on_ready(void *context, pt_connection *connection)
{
    (void)connection;
    pt__socket *socket = context;
    if (socket->is_ready || socket->closing)
        return;
    socket->is_ready = true;
    socket->next_ready = socket->loop->first_ready;
    socket->loop->first_ready = socket;
}

void pt__socket_flush_ready(pt__loop *loop)
{
    while (loop->first_ready != NULL) {
        pt__socket *socket = loop->first_ready;
        loop->first_ready = socket->next_ready;
        socket->is_ready = false;
        flush(socket);
    }
}

static void fail(pt__socket *socket, const pt_error *err)
{
    if (socket->failed)
        return;
    pt__loop_log(socket->loop, PT_LOG_WARN, "connection of %s ends: %s", socket->peer, err->message);
    socket->failed = true;
    socket->linger_end_ms = pt__loop_now_ms(socket->loop) + LINGER_MS;
    pt__loop_tick_by(socket->loop, socket->linger_end_ms);
}

static void feed(pt__socket *socket, pt_bytes_view input)
{
    pt_error err = PT_ERROR_INIT;
    if (pt_connection_feed(socket->connection, input, pt__loop_now_ms(socket->loop), &err) != PT_OK)
        fail(socket, &err);
    pt_error_clear(&err);
}

/* The client's certificate is known once its first bytes can be read. */
static void name_peer(pt__socket *socket)
{
    if (socket->named)
        return;
    socket->named = true;
    const char *name = pt__tls_peer_name(socket->tls);
    if (name != NULL && pt_connection_set_principal(socket->connection, name, NULL) != PT_OK)
        pt__socket_close(socket);
}

static void feed_encrypted(pt__socket *socket, pt_bytes_view input)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    uint8_t *plain = socket->loop->plain_buffer;
    pt__tls_feed(socket->tls, input);
    while (!socket->failed) {
        size_t size_bytes;
        status = pt__tls_read(socket->tls, plain, PT_READ_BYTES, &size_bytes, &err);
        if (status != PT_OK)
            break;
        name_peer(socket);
        feed(socket, (pt_bytes_view){plain, size_bytes});
    }
    if (status == PT_UNAVAILABLE) {
        pt__socket_close(socket);
    } else if (status != PT_OK && status != PT_NEED_MORE) {
        fail(socket, &err);
        socket->tls_failed = true;
    }
    pt_error_clear(&err);
}

static void on_read(uv_stream_t *handle, ssize_t size, const uv_buf_t *buffer)
{
    pt__socket *socket = handle->data;
    if (size < 0) {
        pt__socket_close(socket);
        return;
    }
    if (size == 0 || socket->failed)
        return;
    pt_bytes_view input = {(const uint8_t *)buffer->base, (size_t)size};
    if (socket->tls != NULL)
        feed_encrypted(socket, input);
    else
        feed(socket, input);
    flush(socket);
}

static void on_allocate(uv_handle_t *handle, size_t suggested_bytes, uv_buf_t *buffer)
{
    (void)suggested_bytes;
    pt__socket *socket = handle->data;
    *buffer = uv_buf_init((char *)socket->loop->read_buffer, PT_READ_BYTES);
}

static void describe_peer(pt__socket *socket)
{
    struct sockaddr_storage address = {0};
    int size = sizeof(address);
    char host[NI_MAXHOST] = "?";
    char port[NI_MAXSERV] = "?";
    if (uv_tcp_getpeername(&socket->handle, (struct sockaddr *)&address, &size) == 0)
        getnameinfo((struct sockaddr *)&address, (socklen_t)size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(socket->peer, sizeof(socket->peer), "%.60s:%.8s", host, port);
}

static pt_status open_connection(pt__socket *socket, pt_error *err)
{
    pt__loop *loop = socket->loop;
    describe_peer(socket);
    if (loop->options.tls != NULL)
        PT_TRY(pt__tls_new(loop->options.tls, &socket->tls, err));
    pt_connection_info info = {
        .size_bytes = sizeof(info),
        .mailbox = loop->mailbox,
        .peer = socket->peer,
        .authenticator = loop->options.authenticator,
        .limits = loop->options.limits,
        .now_ms = pt__loop_now_ms(loop),
        .ready = on_ready,
        .ready_context = socket,
    };
    return pt_connection_new(loop->options.host, loop->options.routes, &info, &socket->connection, err);
}

static void start(pt__socket *socket)
{
    pt_error err = PT_ERROR_INIT;
    if (open_connection(socket, &err) != PT_OK) {
        pt__loop_log(socket->loop, PT_LOG_ERROR, "cannot serve %s: %s", socket->peer, err.message);
        pt_error_clear(&err);
        pt__socket_close(socket);
        return;
    }
    uv_tcp_nodelay(&socket->handle, 1);
    uv_read_start((uv_stream_t *)&socket->handle, on_allocate, on_read);
    flush(socket);
}

static void refuse(pt__socket *socket)
{
    pt__loop_log(socket->loop, PT_LOG_WARN, "a connection is refused: %zu are open (max-connections)",
                 socket->loop->options.max_connections);
    pt__socket_close(socket);
}

void pt__socket_accept(pt__loop *loop, uv_stream_t *listening)
{
    pt__socket *socket = calloc(1, sizeof(*socket));
    if (socket == NULL || uv_tcp_init(&loop->uv, &socket->handle) != 0) {
        free(socket);
        pt__loop_log(loop, PT_LOG_ERROR, "no memory for a connection");
        return;
    }
    socket->loop = loop;
    socket->handle.data = socket;
    socket->next = loop->sockets;
    if (socket->next != NULL)
        socket->next->previous = socket;
    loop->sockets = socket;
    loop->socket_count++;
    if (uv_accept(listening, (uv_stream_t *)&socket->handle) != 0)
        pt__socket_close(socket);
    else if (loop->socket_count > loop->options.max_connections)
        refuse(socket);
    else
        start(socket);
}

void pt__socket_drain(pt__socket *socket)
{
    if (socket->closing)
        return;
    pt_connection_drain(socket->connection, pt__loop_now_ms(socket->loop));
    flush(socket);
}

/* Whether the peer has taken nothing of the write that is under way for too long. */
static bool is_stalled(pt__socket *socket, uint64_t now_ms)
{
    uint64_t limit_ms = socket->loop->options.stall_timeout_ms;
    if (socket->writing_bytes == 0)
        return false;
    size_t unwritten_bytes = uv_stream_get_write_queue_size((uv_stream_t *)&socket->handle);
    if (unwritten_bytes != socket->unwritten_bytes) {
        socket->unwritten_bytes = unwritten_bytes;
        socket->moved_ms = now_ms;
    }
    pt__loop_tick_by(socket->loop, now_ms + limit_ms / STALL_LOOKS + 1);
    return now_ms - socket->moved_ms >= limit_ms;
}

static void tick_connection(pt__socket *socket, uint64_t now_ms)
{
    pt_error err = PT_ERROR_INIT;
    uint64_t next_ms = pt_connection_next_tick_ms(socket->connection);
    if (next_ms > now_ms) {
        pt__loop_tick_by(socket->loop, next_ms);
        return;
    }
    if (pt_connection_tick(socket->connection, now_ms, &err) != PT_OK)
        fail(socket, &err);
    pt_error_clear(&err);
    flush(socket);
}

void pt__socket_tick(pt__socket *socket, uint64_t now_ms)
{
    if (socket->closing)
        return;
    if (socket->failed && now_ms < socket->linger_end_ms) {
        pt__loop_tick_by(socket->loop, socket->linger_end_ms);
    } else if (socket->failed) {
        pt__socket_close(socket);
    } else if (is_stalled(socket, now_ms)) {
        pt__loop_log(socket->loop, PT_LOG_WARN, "connection of %s ends: it takes no bytes (http2.stall-timeout)",
                     socket->peer);
        pt__socket_close(socket);
    } else {
        tick_connection(socket, now_ms);
    }
}

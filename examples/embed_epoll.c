/*
 * A server of somebody else's that takes Spark Connect in.
 *
 * It owns its sockets (epoll), its threads and its policies, and serves on one port:
 *
 *     GET /hello             by HTTP/1.1, its own, told apart by the first bytes of a connection
 *     acme.Greeter/Greet     by gRPC, its own, mounted beside
 *     Spark Connect          by gRPC, the library's
 *
 *     embed_epoll [ADDRESS [PORT [LOOPS]]]      127.0.0.1, a free port, 2 loop threads
 *
 * Threads: main() sets up and then waits for signals. Every loop thread has an epoll instance, a listening socket
 * (SO_REUSEPORT), a mailbox and routes of its own, and shares the host. The host runs queries on threads that this
 * program limits.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <portico/connection.h>
#include <portico/host.h>
#include <portico/spark_connect.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOPS_MAX = 16,
    EVENTS = 64,
    IOVECS = 64,
    READ_BYTES = 256 * 1024,
    TURN_BYTES_MAX = 8 * 1024 * 1024, /* then other sockets have their turn */
    REQUEST_BYTES_MAX = 8 * 1024,     /* of HTTP/1.1 */
    REQUEST_LIMIT_MS = 10 * 1000,     /* until a new connection has said what it speaks and wants */
    HALF_CLOSED_LIMIT_MS = 5 * 1000,  /* a peer that sends no more may wait so long for answers */
    LINGER_MS = 1000,                 /* a peer that we gave up on may read so long why */
    VANISHED_LIMIT_MS = 60 * 1000,    /* what we sent is not acknowledged, or keep-alive is not answered */
    ROUTES_TICK_MS = 1000,
    DRAIN_LIMIT_MS = 10 * 1000
};

typedef enum protocol { UNKNOWN, HTTP1, HTTP2 } protocol;

typedef struct peer_socket {
    struct loop *loop;
    struct peer_socket *next; /* of all of the loop, or of those to be freed */
    struct peer_socket *next_ready;
    int fd;
    protocol speaks;
    pt_connection *connection; /* HTTP2 */
    char request[REQUEST_BYTES_MAX];
    size_t request_bytes; /* what came while the protocol is unknown; then the request of HTTP1 */
    const char *reply;    /* HTTP1: what is left of it; NULL: not answered yet */
    uint64_t end_ms;      /* closed then, whatever there is to do; UINT64_MAX: never */
    bool reads;           /* EPOLLIN is asked for */
    bool waits;           /* EPOLLOUT likewise: the socket takes no more now */
    bool input_over;      /* the peer sends no more */
    bool failed;          /* what it sends is thrown away; it may read our last words */
    bool shut;            /* it has all of them */
    bool is_ready;        /* in the list of those with bytes to send */
    bool closed;
} peer_socket;

typedef struct loop {
    pthread_t thread;
    int epoll_fd;
    int listen_fd; /* -1: draining */
    int wake_fd;
    pt_host *host;
    const pt_config *config;
    pt_mailbox *mailbox;
    pt_routes *routes;
    peer_socket *sockets;
    peer_socket *dead; /* freed at the end of the turn: events of this turn may still name them */
    peer_socket *ready;
    atomic_bool drain;
    bool draining;
    uint64_t drain_end_ms;
    uint64_t routes_tick_ms;
    uint8_t input[READ_BYTES];
} loop;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- our own gRPC method ---- */

/* The request is a name, the response a greeting; both are messages with a string as field 1, of 127 bytes at most. */
static void greet(void *mount, pt_call *call, pt_bytes_view message)
{
    (void)mount;
    char text[160] = "\x0a";
    bool valid = message.size_bytes >= 2 && message.data[0] == 0x0a && message.data[1] <= 100 &&
                 message.data[1] == message.size_bytes - 2;
    if (!valid) {
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

static void watch(peer_socket *s, bool reads, bool waits)
{
    if (s->reads == reads && s->waits == waits)
        return;
    struct epoll_event event = {.events = (reads ? EPOLLIN : 0u) | (waits ? EPOLLOUT : 0u), .data = {.ptr = s}};
    s->reads = reads;
    s->waits = waits;
    epoll_ctl(s->loop->epoll_fd, EPOLL_CTL_MOD, s->fd, &event);
}

static void end_by(peer_socket *s, uint64_t when_ms)
{
    if (when_ms < s->end_ms)
        s->end_ms = when_ms;
}

/* The calls of the connection end as PT_CALL_DISCONNECTED. */
static void close_socket(peer_socket *s)
{
    if (s->closed)
        return;
    s->closed = true;
    pt_connection_free(s->connection);
    close(s->fd);
    peer_socket **at = &s->loop->sockets;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->next = s->loop->dead;
    s->loop->dead = s;
}

static size_t get_pending(peer_socket *s, struct iovec *pieces)
{
    if (s->speaks == HTTP2)
        return pt_connection_pending(s->connection, pieces, IOVECS);
    if (s->reply == NULL || *s->reply == '\0')
        return 0;
    pieces[0] = (struct iovec){(void *)(uintptr_t)s->reply, strlen(s->reply)};
    return 1;
}

static void drop_sent(peer_socket *s, size_t size_bytes)
{
    if (s->speaks == HTTP2)
        pt_connection_sent(s->connection, size_bytes, now_ms());
    else
        s->reply += size_bytes;
}

/* Whether nothing will be sent any more, now that nothing is pending. */
static bool is_done(const peer_socket *s)
{
    if (s->speaks != HTTP2)
        return s->reply != NULL || s->input_over;
    return pt_connection_is_done(s->connection) || (s->input_over && pt_connection_call_count(s->connection) == 0);
}

/* Closing with bytes of the peer unread would reset the connection, and our last words might be lost. */
static void finish(peer_socket *s)
{
    if (s->input_over) {
        close_socket(s);
    } else if (!s->shut) {
        s->shut = true;
        shutdown(s->fd, SHUT_WR);
        end_by(s, now_ms() + LINGER_MS);
    }
}

/* Sends what is pending until there is nothing, or the socket is full: then EPOLLOUT brings us back. */
static void flush(peer_socket *s)
{
    size_t turn_bytes = 0;
    while (!s->closed && turn_bytes < TURN_BYTES_MAX) {
        struct iovec pieces[IOVECS];
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = get_pending(s, pieces)};
        if (message.msg_iovlen == 0) {
            watch(s, s->reads, false);
            if (is_done(s))
                finish(s);
            return;
        }
        ssize_t sent = sendmsg(s->fd, &message, MSG_NOSIGNAL); /* a part of it, often */
        if (sent >= 0) {
            drop_sent(s, (size_t)sent);
            turn_bytes += (size_t)sent;
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            close_socket(s); /* the peer has gone */
        }
    }
    if (!s->closed)
        watch(s, s->reads, true);
}

static void fail(peer_socket *s, const pt_error *err)
{
    if (s->failed)
        return;
    fprintf(stderr, "embed_epoll: a connection ends: %s\n", pt_error_full_message(err));
    s->failed = true;
    end_by(s, now_ms() + LINGER_MS);
}

static void feed(peer_socket *s, const void *data, size_t size)
{
    pt_error err = PT_ERROR_INIT;
    if (!s->failed && pt_connection_feed(s->connection, (pt_bytes_view){data, size}, now_ms(), &err) != PT_OK)
        fail(s, &err);
    pt_error_clear(&err);
}

/* ---- what a connection speaks ---- */

static void answer_http1(peer_socket *s)
{
    s->request[s->request_bytes] = '\0';
    if (s->reply != NULL)
        return;
    if (strstr(s->request, "\r\n\r\n") == NULL) {
        if (s->request_bytes == REQUEST_BYTES_MAX - 1)
            s->reply = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n";
    } else if (strncmp(s->request, "GET /hello ", 11) == 0) {
        s->reply =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n";
    } else {
        s->reply = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    }
}

/* Called from inside of the mailbox and of ticks: flushed afterwards. */
static void on_ready(void *context, pt_connection *connection)
{
    (void)connection;
    peer_socket *s = context;
    if (s->is_ready)
        return;
    s->is_ready = true;
    s->next_ready = s->loop->ready;
    s->loop->ready = s;
}

static void start_http2(peer_socket *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_connection_info info = {
        .size_bytes = sizeof(info),
        .mailbox = s->loop->mailbox,
        .limits = s->loop->config,
        .now_ms = now_ms(),
        .ready = on_ready,
        .ready_context = s,
    };
    if (pt_connection_new(s->loop->host, s->loop->routes, &info, &s->connection, &err) != PT_OK) {
        fprintf(stderr, "embed_epoll: %s\n", pt_error_full_message(&err));
        close_socket(s);
    } else {
        s->speaks = HTTP2;
        s->end_ms = UINT64_MAX; /* from now on the connection has limits of its own */
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

/* Bytes of a connection that is not HTTP/2, or not yet known to be. */
static void take_first_bytes(peer_socket *s, const uint8_t *data, size_t size)
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

static void on_input_over(peer_socket *s)
{
    s->input_over = true; /* it may read on: answers that it waits for are still sent, for a while */
    watch(s, false, s->waits);
    end_by(s, now_ms() + HALF_CLOSED_LIMIT_MS);
}

static void on_readable(peer_socket *s)
{
    ssize_t size = recv(s->fd, s->loop->input, READ_BYTES, 0);
    if (size < 0) {
        if (errno != EAGAIN && errno != EINTR)
            close_socket(s);
        return;
    }
    if (size == 0)
        on_input_over(s);
    else if (s->speaks == HTTP2)
        feed(s, s->loop->input, (size_t)size);
    else
        take_first_bytes(s, s->loop->input, (size_t)size);
    flush(s);
}

static void on_event(peer_socket *s, uint32_t events)
{
    if (!s->closed && s->reads && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0)
        on_readable(s);
    else if (!s->closed && !s->reads && (events & (EPOLLERR | EPOLLHUP)) != 0)
        close_socket(s);
    if (!s->closed && (events & EPOLLOUT) != 0)
        flush(s);
}

static void set_options(int fd)
{
    const int yes = 1;
    const int idle_s = VANISHED_LIMIT_MS / 2000;
    const int vanished_ms = VANISHED_LIMIT_MS;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &vanished_ms, sizeof(vanished_ms));
}

static void on_accept(loop *l)
{
    int fd = accept4(l->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    peer_socket *s = fd < 0 ? NULL : calloc(1, sizeof(*s));
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = s}};
    if (s == NULL || epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
        if (fd >= 0)
            close(fd);
        free(s);
        return;
    }
    set_options(fd);
    *s = (peer_socket){.loop = l, .fd = fd, .next = l->sockets, .reads = true, .end_ms = now_ms() + REQUEST_LIMIT_MS};
    l->sockets = s;
}

/* ---- the loop ---- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How long epoll may sleep; with thousands of sockets a heap would do instead of looking at each. */
static int sleep_ms(const loop *l)
{
    uint64_t next_ms = l->routes_tick_ms;
    for (const peer_socket *s = l->sockets; s != NULL; s = s->next) {
        next_ms = earlier(next_ms, s->end_ms);
        if (s->connection != NULL && !s->failed && !s->shut)
            next_ms = earlier(next_ms, pt_connection_next_tick_ms(s->connection));
    }
    uint64_t now = now_ms();
    return next_ms <= now ? 0 : (int)(next_ms - now);
}

static void tick_socket(peer_socket *s, uint64_t now)
{
    pt_error err = PT_ERROR_INIT;
    if (s->end_ms <= now) {
        close_socket(s);
    } else if (s->connection != NULL && !s->failed && !s->shut && pt_connection_next_tick_ms(s->connection) <= now) {
        if (pt_connection_tick(s->connection, now, &err) != PT_OK)
            fail(s, &err);
        flush(s);
    }
    pt_error_clear(&err);
}

static void tick(loop *l)
{
    uint64_t now = now_ms();
    if (now >= l->routes_tick_ms) {
        pt_routes_tick(l->routes, now);
        l->routes_tick_ms = now + ROUTES_TICK_MS;
    }
    for (peer_socket *s = l->sockets, *next; s != NULL; s = next) {
        next = s->next;
        tick_socket(s, now);
    }
}

/* Refuses what is new; calls that run may end. */
static void start_draining(loop *l)
{
    l->draining = true;
    l->drain_end_ms = now_ms() + DRAIN_LIMIT_MS;
    close(l->listen_fd);
    l->listen_fd = -1;
    pt_routes_set_serving(l->routes, false);
    for (peer_socket *s = l->sockets, *next; s != NULL; s = next) {
        next = s->next;
        end_by(s, l->drain_end_ms);
        if (s->connection != NULL)
            pt_connection_drain(s->connection, now_ms());
        flush(s);
    }
}

/* Somebody wrote to the eventfd: a worker has posted, or main() wants us to end. */
static void on_wake(loop *l)
{
    uint64_t count;
    if (read(l->wake_fd, &count, sizeof(count)) < 0)
        return;
    pt_mailbox_run(l->mailbox);
    if (atomic_load(&l->drain) && !l->draining)
        start_draining(l);
}

static void flush_ready(loop *l)
{
    while (l->ready != NULL) {
        peer_socket *s = l->ready;
        l->ready = s->next_ready;
        s->is_ready = false;
        flush(s);
    }
}

static void free_dead(loop *l)
{
    while (l->dead != NULL) {
        peer_socket *s = l->dead;
        l->dead = s->next;
        free(s);
    }
}

static void *run_loop(void *argument)
{
    loop *l = argument;
    struct epoll_event events[EVENTS];
    while (!l->draining || l->sockets != NULL) {
        int count = epoll_wait(l->epoll_fd, events, EVENTS, sleep_ms(l));
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == &l->listen_fd)
                on_accept(l);
            else if (events[i].data.ptr == &l->wake_fd)
                on_wake(l);
            else
                on_event(events[i].data.ptr, events[i].events);
        }
        tick(l);
        flush_ready(l);
        free_dead(l);
    }
    return NULL;
}

/* Called by whatever thread posts to the mailbox. */
static void wake(void *context)
{
    const loop *l = context;
    const uint64_t one = 1;
    ssize_t written = write(l->wake_fd, &one, sizeof(one)); /* fails only when it is signalled already */
    (void)written;
}

/* ---- set-up ---- */

/* `port` 0 takes a free one, and gets it. */
static bool listen_at(loop *l, const char *address, in_port_t *port)
{
    const int yes = 1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t size = sizeof(at);
    l->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (l->listen_fd < 0 || inet_pton(AF_INET, address, &at.sin_addr) != 1 ||
        setsockopt(l->listen_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        setsockopt(l->listen_fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) != 0 ||
        bind(l->listen_fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(l->listen_fd, 512) != 0 ||
        getsockname(l->listen_fd, (struct sockaddr *)&at, &size) != 0)
        return false;
    *port = ntohs(at.sin_port);
    return true;
}

static bool add_descriptor(loop *l, int *fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = fd}};
    return *fd >= 0 && epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, *fd, &event) == 0;
}

static pt_status open_loop(loop *l, pt_host *host, const pt_config *config, const char *address, in_port_t *port,
                           pt_error *err)
{
    l->host = host;
    l->config = config;
    l->listen_fd = -1;
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    l->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (l->epoll_fd < 0 || !listen_at(l, address, port) || !add_descriptor(l, &l->wake_fd) ||
        !add_descriptor(l, &l->listen_fd))
        return pt_error_set(err, PT_IO, "cannot listen at %s:%d: %s", address, *port, strerror(errno));
    PT_TRY(pt_mailbox_new(wake, l, &l->mailbox, err));
    PT_TRY(pt_routes_new(host, &l->routes, err));
    PT_TRY(pt_frontend_mount(host, &pt_frontend_spark_connect, config, l->routes, err));
    PT_TRY(pt_frontend_mount(host, &greeter, NULL, l->routes, err));
    return pt_routes_add_health(l->routes, err);
}

/* Connections go before routes, routes before the host; workers post to mailboxes until the host is gone. */
static void close_loop(loop *l)
{
    while (l->sockets != NULL)
        close_socket(l->sockets);
    free_dead(l);
    pt_routes_free(l->routes);
}

static void free_loop(loop *l)
{
    pt_mailbox_free(l->mailbox);
    close(l->wake_fd);
    close(l->epoll_fd);
    if (l->listen_fd >= 0)
        close(l->listen_fd);
    free(l);
}

static void log_line(void *context, pt_log_level level, const char *component, const char *message)
{
    (void)context;
    fprintf(stderr, "embed_epoll: %s%s: %s\n", level == PT_LOG_ERROR ? "error: " : "", component, message);
}

static pt_status open_host(pt_config *config, pt_host **host, pt_error *err)
{
    pt_host_options options = {
        .size_bytes = sizeof(options), .config = config, .log = log_line, .log_level = PT_LOG_WARN};
    PT_TRY(pt_config_set(config, "host.max-workers", "32", err)); /* threads that wait for the engine or a client */
    PT_TRY(pt_config_set(config, "duckdb.threads", "2", err));    /* threads that compute */
    PT_TRY(pt_host_new(&options, host, err));
    return pt_host_add_backend(*host, &pt_backend_duckdb, config, err);
}

static pt_status serve(loop **loops, int count, const char *address, in_port_t port, pt_error *err)
{
    int number;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    for (int i = 0; i < count; i++)
        if (pthread_create(&loops[i]->thread, NULL, run_loop, loops[i]) != 0)
            return pt_error_set(err, PT_UNAVAILABLE, "a loop thread could not be made");
    printf("embed_epoll listening on %s:%d\n", address, port);
    fflush(stdout);
    sigwait(&signals, &number);
    pt_host_drain(loops[0]->host, DRAIN_LIMIT_MS);
    for (int i = 0; i < count; i++) {
        atomic_store(&loops[i]->drain, true);
        wake(loops[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(loops[i]->thread, NULL);
    return PT_OK;
}

/* All threads that are made from now on leave these signals to main(), which waits for them. */
static void block_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

int main(int argc, char **argv)
{
    const char *address = argc > 1 ? argv[1] : "127.0.0.1";
    in_port_t port = (in_port_t)(argc > 2 ? atoi(argv[2]) : 0);
    int wanted = argc > 3 ? atoi(argv[3]) : 2;
    loop *loops[LOOPS_MAX];
    int count = 0;
    pt_error err = PT_ERROR_INIT;
    pt_config *config = NULL;
    pt_host *host = NULL;
    block_signals();
    pt_status status = pt_config_new(&config, &err);
    if (status == PT_OK)
        status = open_host(config, &host, &err);
    while (status == PT_OK && count < wanted && count < LOOPS_MAX && (loops[count] = calloc(1, sizeof(loop))) != NULL)
        status = open_loop(loops[count++], host, config, address, &port, &err);
    if (status == PT_OK)
        status = count > 0 ? serve(loops, count, address, port, &err) : pt_error_set(&err, PT_NO_MEMORY, "no loop");
    for (int i = 0; i < count; i++)
        close_loop(loops[i]);
    pt_host_free(host);
    for (int i = 0; i < count; i++)
        free_loop(loops[i]);
    pt_config_free(config);
    if (status != PT_OK)
        fprintf(stderr, "embed_epoll: %s\n", pt_error_full_message(&err));
    pt_error_clear(&err);
    return status == PT_OK ? 0 : 1;
}

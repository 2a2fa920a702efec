#include "server/status_listener.h"

#include "exec/host.h"
#include "server/status_http.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 16, PATIENCE_MS = 5000, BACKLOG = 16, NO_DESCRIPTORS_MS = 200 };

typedef struct connection {
    int fd; /* -1: free */
    uint64_t deadline_ms;
    size_t read_size;
    size_t sent_size;
    bool answers;
    pt__buffer answer;
    char request[PT_STATUS_REQUEST_MAX];
} connection;

struct pt__status_listener {
    pt__status_source source;
    bool is_public;
    int fd;
    int wake[2]; /* closed at its writing end when the thread is to end */
    pthread_t thread;
    bool runs;
    connection connections[CONNECTIONS_MAX];
};

/* ---- connections ---- */

static void hang_up(connection *c)
{
    close(c->fd);
    c->fd = -1;
    pt__buffer_deinit(&c->answer);
}

static connection *free_place(pt__status_listener *l)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (l->connections[i].fd < 0)
            return &l->connections[i];
    }
    return NULL;
}

/* The client waits still: asking again at once would be all that the thread does. */
static void pause_accepting(const pt__status_listener *l)
{
    struct pollfd end = {.fd = l->wake[0], .events = POLLIN};
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        poll(&end, 1, NO_DESCRIPTORS_MS);
}

static void accept_one(pt__status_listener *l)
{
    int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        pause_accepting(l);
        return;
    }
    connection *c = free_place(l);
    if (c == NULL) {
        close(fd);
        return;
    }
    c->fd = fd;
    c->deadline_ms = pt__host_now_ms(l->source.host) + PATIENCE_MS;
    c->read_size = c->sent_size = 0;
    c->answers = false;
    pt__buffer_init(&c->answer);
}

static void send_some(connection *c)
{
    ssize_t sent = send(c->fd, c->answer.data + c->sent_size, c->answer.size_bytes - c->sent_size, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->sent_size += sent > 0 ? (size_t)sent : 0;
    if (sent <= 0 || c->sent_size == c->answer.size_bytes)
        hang_up(c);
}

static void read_some(pt__status_listener *l, connection *c)
{
    ssize_t got = recv(c->fd, c->request + c->read_size, sizeof(c->request) - c->read_size, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        hang_up(c);
        return;
    }
    c->read_size += (size_t)got;
    if (!pt__status_is_complete(c->request, c->read_size))
        return;
    pt__status_answer(&l->source, l->is_public, c->request, c->read_size, &c->answer);
    c->answers = true;
    send_some(c);
}

static void serve_connection(pt__status_listener *l, connection *c, short events)
{
    if (pt__host_now_ms(l->source.host) >= c->deadline_ms)
        hang_up(c);
    else if (events != 0 && c->answers)
        send_some(c);
    else if (events != 0)
        read_some(l, c);
}

static void *run(void *context)
{
    pt__status_listener *l = context;
    for (;;) {
        struct pollfd polled[CONNECTIONS_MAX + 2] = {{.fd = l->wake[0], .events = POLLIN},
                                                     {.fd = l->fd, .events = POLLIN}};
        bool any = false;
        for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
            const connection *c = &l->connections[i];
            polled[i + 2] = (struct pollfd){.fd = c->fd, .events = c->answers ? POLLOUT : POLLIN};
            any = any || c->fd >= 0;
        }
        if (poll(polled, CONNECTIONS_MAX + 2, any ? 1000 : -1) < 0 && errno != EINTR)
            return NULL;
        if (polled[0].revents != 0)
            return NULL;
        for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
            if (l->connections[i].fd >= 0 && l->connections[i].fd == polled[i + 2].fd)
                serve_connection(l, &l->connections[i], polled[i + 2].revents);
        }
        if (polled[1].revents != 0)
            accept_one(l);
    }
}

/* ---- listening ---- */

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return (ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24) == 127;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

/* "HOST:PORT" or "[HOST]:PORT"; to be freed by freeaddrinfo. */
static pt_status resolve(const char *address, struct addrinfo **out, pt_error *err)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    size_t size = colon == NULL ? 0 : (size_t)(colon - address);
    const char *start = address;
    if (size > 1 && address[0] == '[' && address[size - 1] == ']') {
        start++;
        size -= 2;
    }
    if (size == 0 || size >= sizeof(host))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "status-listen: \"%s\" is no address; write 127.0.0.1:15003",
                            address);
    memcpy(host, start, size);
    host[size] = '\0';
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    int result = getaddrinfo(host, colon + 1, &hints, out);
    return result == 0 ? PT_OK
                       : pt_error_set(err, PT_INVALID_ARGUMENT, "status-listen: %s: %s", address, gai_strerror(result));
}

static pt_status listen_at(pt__status_listener *l, const struct addrinfo *found, const char *address, pt_error *err)
{
    const int on = 1;
    if (!l->is_public && !is_loopback(found->ai_addr))
        return pt_error_set(err, PT_INVALID_ARGUMENT,
                            "status-listen: other machines reach %s; turn status-public on if they are to see the page",
                            address);
    l->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0 || setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        bind(l->fd, found->ai_addr, found->ai_addrlen) != 0 || listen(l->fd, BACKLOG) != 0)
        return pt_error_set(err, PT_IO, "cannot show the status at %s: %s", address, strerror(errno));
    return PT_OK;
}

static void say_where(const pt__status_listener *l)
{
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof(bound);
    char host[NI_MAXHOST] = "?";
    char port[NI_MAXSERV] = "?";
    if (getsockname(l->fd, (struct sockaddr *)&bound, &size) == 0)
        getnameinfo((struct sockaddr *)&bound, size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV);
    bool is_long = bound.ss_family == AF_INET6;
    printf("portico shows its status at http://%s%s%s:%s/status\n", is_long ? "[" : "", host, is_long ? "]" : "", port);
    fflush(stdout);
}

static pt_status start(pt__status_listener *l, const char *address, pt_error *err)
{
    struct addrinfo *found = NULL;
    PT_TRY(resolve(address, &found, err));
    pt_status status = listen_at(l, found, address, err);
    freeaddrinfo(found);
    PT_TRY(status);
    if (pipe2(l->wake, O_CLOEXEC) != 0)
        return pt_error_set(err, PT_IO, "cannot show the status: %s", strerror(errno));
    if (pthread_create(&l->thread, NULL, run, l) != 0)
        return pt_error_set(err, PT_NO_MEMORY, "no thread to show the status");
    l->runs = true;
    say_where(l);
    return PT_OK;
}

pt_status pt__status_listener_new(pt_host *host, const pt_config *config, pt__status_listener **out, pt_error *err)
{
    const char *address = pt_config_string(config, "status-listen", NULL);
    *out = NULL;
    if (address == NULL)
        return PT_OK;
    pt__status_listener *l = calloc(1, sizeof(*l));
    if (l == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to show the status");
    l->source = (pt__status_source){host, config, pt__host_now_ms(host)};
    l->fd = l->wake[0] = l->wake[1] = -1;
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        l->connections[i].fd = -1;
    pt_status status = pt_config_boolean(config, "status-public", false, &l->is_public, err);
    if (status == PT_OK)
        status = start(l, address, err);
    if (status == PT_OK)
        *out = l;
    else
        pt__status_listener_free(l);
    return status;
}

void pt__status_listener_free(pt__status_listener *l)
{
    if (l == NULL)
        return;
    if (l->wake[1] >= 0)
        close(l->wake[1]);
    if (l->runs)
        pthread_join(l->thread, NULL);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (l->connections[i].fd >= 0)
            hang_up(&l->connections[i]);
    }
    if (l->wake[0] >= 0)
        close(l->wake[0]);
    if (l->fd >= 0)
        close(l->fd);
    free(l);
}

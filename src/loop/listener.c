#include "loop/internal.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BACKLOG = 512, HOST_BYTES = 256 };

struct pt__listener {
    uv_tcp_t handle;
    pt__loop *loop;
    pt__listener *next;
};

/* "host:port" or "[host]:port" into two strings. */
static bool split_address(const char *address, char host[HOST_BYTES], const char **port)
{
    const char *colon = strrchr(address, ':');
    if (colon == NULL || colon[1] == '\0')
        return false;
    const char *start = address;
    const char *end = colon;
    if (*start == '[') {
        if (end == start || end[-1] != ']')
            return false;
        start++;
        end--;
    } else if (memchr(start, ':', (size_t)(end - start)) != NULL) {
        return false;
    }
    size_t size = (size_t)(end - start);
    if (size >= HOST_BYTES)
        return false;
    memcpy(host, start, size);
    host[size] = '\0';
    *port = colon + 1;
    return true;
}

/* getaddrinfo takes larger numbers and cuts them. */
static bool is_port(const char *text)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && port <= UINT16_MAX;
}

/* To be freed by freeaddrinfo; NULL: no such address, and `err` is set. */
static struct addrinfo *resolve(const char *address, pt_error *err)
{
    char host[HOST_BYTES];
    const char *port;
    if (!split_address(address, host, &port) || !is_port(port)) {
        pt_error_set(err, PT_INVALID_ARGUMENT,
                     "\"%s\" is no address to listen at; write 127.0.0.1:15002 or [::1]:15002", address);
        return NULL;
    }
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    int result = getaddrinfo(host[0] == '\0' ? NULL : host, port, &hints, &found);
    if (result == 0)
        return found;
    pt_error_set(err, PT_INVALID_ARGUMENT, "cannot listen at %s: %s", address, gai_strerror(result));
    return NULL;
}

static void on_connection(uv_stream_t *listening, int status)
{
    pt__listener *listener = (pt__listener *)listening;
    if (listener->loop->draining)
        return;
    if (status < 0)
        pt__loop_log(listener->loop, PT_LOG_WARN, "cannot accept a connection: %s", uv_strerror(status));
    else
        pt__socket_accept(listener->loop, listening);
}

static void on_closed(uv_handle_t *handle)
{
    free(handle);
}

static void describe_bound(const uv_tcp_t *handle, char bound[PT_ADDRESS_BYTES])
{
    struct sockaddr_storage address = {0};
    int size = sizeof(address);
    char host[NI_MAXHOST] = "?";
    char port[NI_MAXSERV] = "?";
    if (uv_tcp_getsockname(handle, (struct sockaddr *)&address, &size) == 0)
        getnameinfo((struct sockaddr *)&address, (socklen_t)size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(bound, PT_ADDRESS_BYTES, address.ss_family == AF_INET6 ? "[%.60s]:%.8s" : "%.60s:%.8s", host, port);
}

static int bind_and_listen(pt__listener *listener, const struct sockaddr *address)
{
    int result = uv_tcp_bind(&listener->handle, address, 0);
    return result != 0 ? result : uv_listen((uv_stream_t *)&listener->handle, BACKLOG, on_connection);
}

pt_status pt__loop_listen(pt__loop *loop, const char *address, char bound[PT_ADDRESS_BYTES], pt_error *err)
{
    struct addrinfo *found = resolve(address, err);
    if (found == NULL)
        return PT_INVALID_ARGUMENT;
    pt__listener *listener = calloc(1, sizeof(*listener));
    int result = listener == NULL ? UV_ENOMEM : uv_tcp_init(&loop->uv, &listener->handle);
    if (result != 0) {
        free(listener);
        freeaddrinfo(found);
        return pt_error_set(err, PT_IO, "cannot listen at %s: %s", address, uv_strerror(result));
    }
    listener->loop = loop;
    result = bind_and_listen(listener, found->ai_addr);
    freeaddrinfo(found);
    if (result != 0) {
        uv_close((uv_handle_t *)&listener->handle, on_closed);
        return pt_error_set(err, PT_IO, "cannot listen at %s: %s", address, uv_strerror(result));
    }
    listener->next = loop->listeners;
    loop->listeners = listener;
    describe_bound(&listener->handle, bound);
    return PT_OK;
}

void pt__listener_close_all(pt__loop *loop)
{
    while (loop->listeners != NULL) {
        pt__listener *listener = loop->listeners;
        loop->listeners = listener->next;
        uv_close((uv_handle_t *)&listener->handle, on_closed);
    }
}

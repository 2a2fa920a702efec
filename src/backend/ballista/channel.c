#include "backend/ballista/channel.h"

#include "base/buffer.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    INPUT_BYTES = 256 * 1024,
    TURN_BYTES = 2 * 1024 * 1024, /* what is read of one before the others have their turn */
    IOVECS = 16,
    CHANNELS_MAX = 64,
    CALL_WINDOW_BYTES_MIN = 65535
};

/* ---- losing it ---- */

static void lose(pt__channel *channel, const char *what, int error)
{
    char reason[PT_CHANNEL_ADDRESS_BYTES + PT_ERROR_MESSAGE_MAX + 200];
    if (channel->is_lost)
        return;
    channel->is_lost = true;
    snprintf(reason, sizeof(reason), "%s %s%s%s", channel->address, what, error == 0 ? "" : ": ",
             error == 0 ? "" : strerror(error));
    pt__rpc_client_lost(channel->rpc, reason);
}

/* ---- connecting ---- */

static bool begin_connect(pt__channel *channel, const struct addrinfo *address, int *error)
{
    int one = 1;
    if (channel->fd >= 0)
        close(channel->fd);
    channel->fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (channel->fd >= 0)
        setsockopt(channel->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (channel->fd >= 0 &&
        (connect(channel->fd, address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS || errno == EINTR))
        return true;
    *error = errno;
    return false;
}

static void connect_next(pt__channel *channel, int error)
{
    while (channel->next_address != NULL) {
        const struct addrinfo *address = channel->next_address;
        channel->next_address = address->ai_next;
        if (begin_connect(channel, address, &error))
            return;
    }
    lose(channel, "cannot be reached", error);
}

static void finish_connect(pt__channel *channel)
{
    int error = 0;
    socklen_t size = sizeof(error);
    struct pollfd entry = {.fd = channel->fd, .events = POLLOUT};
    if (poll(&entry, 1, 0) <= 0) {
        if (pt__monotonic_ms() >= channel->connect_by_ms)
            lose(channel, "cannot be reached in time (ballista.connect-timeout)", 0);
        return;
    }
    if (getsockopt(channel->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    if (error == 0)
        channel->is_connected = true;
    else
        connect_next(channel, error);
}

static pt_status look_up(pt__channel *channel, pt_error *err)
{
    char host[PT_CHANNEL_ADDRESS_BYTES];
    const char *colon = strrchr(channel->address, ':');
    if (colon == NULL || colon == channel->address)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "\"%s\" is no address of the form HOST:PORT", channel->address);
    bool is_v6 = channel->address[0] == '[' && colon[-1] == ']';
    snprintf(host, sizeof(host), "%.*s", (int)(colon - channel->address) - (is_v6 ? 2 : 0),
             channel->address + (is_v6 ? 1 : 0));
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    int result = getaddrinfo(host, colon + 1, &hints, &channel->addresses);
    if (result != 0)
        return pt_error_set(err, PT_UNAVAILABLE, "%s cannot be looked up: %s", channel->address, gai_strerror(result));
    channel->next_address = channel->addresses;
    return PT_OK;
}

static pt_status open_rpc(pt__channel *channel, const pt__ballista_options *options, pt_error *err)
{
    uint64_t window = options->fetch_window_bytes;
    window = window < CALL_WINDOW_BYTES_MIN ? CALL_WINDOW_BYTES_MIN : window > INT32_MAX ? INT32_MAX : window;
    const pt__rpc_client_options rpc = {channel->address, options->max_message_bytes, (uint32_t)window};
    channel->input = malloc(INPUT_BYTES);
    if (channel->input == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a connection");
    return pt__rpc_client_new(&rpc, &channel->rpc, err);
}

pt_status pt__channel_open(const pt__ballista_options *options, const char *address, pt__channel **out, pt_error *err)
{
    pt__channel *channel = calloc(1, sizeof(*channel));
    if (channel == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a connection");
    channel->fd = -1;
    channel->heard_ms = pt__monotonic_ms();
    channel->connect_by_ms = pt__ms_from_now(options->connect_timeout_ms);
    snprintf(channel->address, sizeof(channel->address), "%s", address);
    pt_status status = open_rpc(channel, options, err);
    if (status == PT_OK)
        status = look_up(channel, err);
    if (status != PT_OK) {
        pt__channel_free(channel);
        return status;
    }
    connect_next(channel, 0);
    *out = channel;
    return PT_OK;
}

void pt__channel_free(pt__channel *channel)
{
    if (channel == NULL)
        return;
    pt__rpc_call_free(channel->forgotten);
    pt__rpc_client_free(channel->rpc);
    if (channel->addresses != NULL)
        freeaddrinfo(channel->addresses);
    if (channel->fd >= 0)
        close(channel->fd);
    free(channel->input);
    free(channel);
}

/* ---- bytes ---- */

static bool is_passing(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static void write_out(pt__channel *channel)
{
    struct iovec pieces[IOVECS];
    size_t count;
    while (!channel->is_lost && (count = pt__rpc_client_pending(channel->rpc, pieces, IOVECS)) != 0) {
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
        ssize_t size = sendmsg(channel->fd, &message, MSG_NOSIGNAL);
        if (size < 0 && is_passing(errno))
            return;
        if (size < 0)
            lose(channel, "closed the connection", errno);
        else
            pt__rpc_client_sent(channel->rpc, (size_t)size);
    }
}

/* A scheduler writes headers and body apart and waits for our acknowledgement in between. */
static void acknowledge_soon(const pt__channel *channel)
{
    int one = 1;
    setsockopt(channel->fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one));
}

static void read_in(pt__channel *channel)
{
    for (size_t taken = 0; !channel->is_lost && taken < TURN_BYTES;) {
        ssize_t size = recv(channel->fd, channel->input, INPUT_BYTES, 0);
        if (size < 0 && is_passing(errno))
            return;
        if (size <= 0) {
            lose(channel, "closed the connection", size < 0 ? errno : 0);
            return;
        }
        taken += (size_t)size;
        channel->heard_ms = pt__monotonic_ms();
        acknowledge_soon(channel);
        pt_error err = PT_ERROR_INIT;
        if (pt__rpc_client_feed(channel->rpc, (pt_bytes_view){channel->input, (size_t)size}, channel->heard_ms, &err) !=
            PT_OK)
            lose(channel, err.message, 0);
        pt_error_clear(&err);
        if (size < INPUT_BYTES)
            return;
    }
}

/* An answer that nobody waits for. */
static void drop_forgotten(pt__channel *channel)
{
    pt_bytes *message = NULL;
    pt__rpc_event event = PT_RPC_MESSAGE;
    while (channel->forgotten != NULL && event == PT_RPC_MESSAGE) {
        event = pt__rpc_call_next(channel->forgotten, &message);
        if (event == PT_RPC_MESSAGE)
            pt_bytes_unref(message);
    }
    if (channel->forgotten != NULL && event == PT_RPC_END) {
        pt__rpc_call_free(channel->forgotten);
        channel->forgotten = NULL;
    }
}

bool pt__channel_refresh(pt__channel *channel)
{
    if (!channel->is_lost && !channel->is_connected)
        finish_connect(channel);
    if (!channel->is_lost && channel->is_connected) {
        read_in(channel);
        write_out(channel);
    }
    pt__rpc_client_tick(channel->rpc, pt__monotonic_ms());
    drop_forgotten(channel);
    return !channel->is_lost && pt__rpc_client_is_usable(channel->rpc);
}

/* ---- calls ---- */

pt_status pt__channel_call(pt__channel *channel, const char *path, pt_bytes_view message, uint64_t deadline_ms,
                           pt__rpc_call **out, pt_error *err)
{
    const pt__rpc_request request = {path, message, pt__monotonic_ms(), deadline_ms == UINT64_MAX ? 0 : deadline_ms};
    PT_TRY(pt__rpc_call_new(channel->rpc, &request, out, err));
    if (channel->is_connected)
        write_out(channel);
    return PT_OK;
}

pt_status pt__channel_call_message(pt__channel *channel, const char *path, const ProtobufCMessage *message,
                                   uint64_t deadline_ms, pt__rpc_call **out, pt_error *err)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = malloc(size + 1);
    if (packed == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a request of %zu bytes", size);
    protobuf_c_message_pack(message, packed);
    pt_status status = pt__channel_call(channel, path, (pt_bytes_view){packed, size}, deadline_ms, out, err);
    free(packed);
    return status;
}

void pt__channel_forget(pt__channel *channel, pt__rpc_call *take_call)
{
    pt__rpc_call_free(channel->forgotten);
    channel->forgotten = take_call;
    if (channel->is_connected)
        write_out(channel);
}

/* ---- waiting ---- */

static uint64_t next_tick_ms(const pt__channel *channel)
{
    uint64_t next_ms = pt__rpc_client_next_tick_ms(channel->rpc);
    return !channel->is_connected && channel->connect_by_ms < next_ms ? channel->connect_by_ms : next_ms;
}

static short wanted_events(pt__channel *channel)
{
    struct iovec piece;
    if (!channel->is_connected)
        return POLLOUT;
    return (short)(POLLIN | (pt__rpc_client_pending(channel->rpc, &piece, 1) != 0 ? POLLOUT : 0));
}

static int timeout_of(uint64_t until_ms)
{
    uint64_t now_ms = pt__monotonic_ms();
    if (until_ms <= now_ms)
        return 0;
    return until_ms - now_ms > INT_MAX ? INT_MAX : (int)(until_ms - now_ms);
}

pt_status pt__channels_wait(pt__channel *const *channels, size_t count, pt__wake *wake, uint64_t until_ms,
                            pt_error *err)
{
    struct pollfd entries[CHANNELS_MAX + 1] = {{.fd = wake == NULL ? -1 : wake->fd, .events = POLLIN}};
    size_t used = count < CHANNELS_MAX ? count : CHANNELS_MAX;
    for (size_t i = 0; i < used; i++) {
        bool is_lost = channels[i]->is_lost;
        entries[i + 1] = (struct pollfd){.fd = is_lost ? -1 : channels[i]->fd, .events = wanted_events(channels[i])};
        uint64_t tick_ms = is_lost ? UINT64_MAX : next_tick_ms(channels[i]);
        until_ms = tick_ms < until_ms ? tick_ms : until_ms;
    }
    poll(entries, used + 1, timeout_of(until_ms));
    for (size_t i = 0; i < used; i++)
        if (!channels[i]->is_lost)
            pt__channel_refresh(channels[i]);
    if (wake != NULL && pt__wake_is_raised(wake))
        return pt_error_set(err, PT_CANCELLED, "the query was cancelled");
    return PT_OK;
}

static pt_status await_answer(pt__channel *channel, pt__rpc_call *call, pt__wake *wake, pt_bytes **out, pt_error *err)
{
    pt_bytes *message = NULL;
    for (;;) {
        switch (pt__rpc_call_next(call, &message)) {
        case PT_RPC_WAIT: PT_TRY(pt__channels_wait(&channel, 1, wake, UINT64_MAX, err)); break;
        case PT_RPC_MESSAGE:
            pt_bytes_unref(*out);
            *out = message;
            break;
        case PT_RPC_END:
            PT_TRY(pt__rpc_call_failure(call, err));
            return *out != NULL ? PT_OK : pt_error_set(err, PT_INTERNAL, "%s gave no answer", channel->address);
        }
    }
}

pt_status pt__channel_unary(pt__channel *channel, const char *path, const ProtobufCMessage *message,
                            uint64_t timeout_ms, pt__wake *wake, pt_bytes **out, pt_error *err)
{
    pt__rpc_call *call = NULL;
    pt_bytes *answer = NULL;
    PT_TRY(pt__channel_call_message(channel, path, message, pt__ms_from_now(timeout_ms), &call, err));
    pt_status status = await_answer(channel, call, wake, &answer, err);
    pt__rpc_call_free(call);
    if (status == PT_OK)
        *out = answer;
    else
        pt_bytes_unref(answer);
    return status;
}

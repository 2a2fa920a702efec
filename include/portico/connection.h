/**
 * Connection: HTTP/2 and gRPC without sockets, so that any loop can carry it. Bytes and the time come in as
 * arguments, bytes go out as views.
 *
 *     pt_connection_feed(c, bytes, now, &err);              on readable
 *     n = pt_connection_pending(c, iovecs, 64);             then writev, then
 *     pt_connection_sent(c, written_bytes, now);
 *     pt_connection_tick(c, now);                           when pt_connection_next_tick_ms has come
 *
 * Threads: one loop thread owns the connection and its calls.
 * Spec:    RFC 9113 (HTTP/2), gRPC over HTTP/2 (grpc.io PROTOCOL-HTTP2).
 */
#ifndef PORTICO_CONNECTION_H
#define PORTICO_CONNECTION_H

#include <portico/bytes.h>
#include <portico/config.h>
#include <portico/frontend.h>
#include <portico/mailbox.h>

#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_connection pt_connection;

typedef struct pt_connection_info {
    size_t size_bytes;
    pt_mailbox *mailbox;                   /* of the loop thread; borrowed */
    const char *peer;                      /* for logs; copied */
    const pt_authenticator *authenticator; /* borrowed; NULL: everyone is anonymous */
    const pt_config *limits;               /* keys "http2.*", see docs; NULL: defaults; read during the call only */
    uint64_t now_ms;                       /* monotonic */
    /** Bytes became pending outside feed, sent and tick (a worker's result): flush soon. NULL: the embedder polls. */
    void (*ready)(void *context, pt_connection *connection);
    void *ready_context;
} pt_connection_info;

/**
 * `*out` is the caller's to free; host, routes and mailbox outlive it.
 * Errors: PT_NO_MEMORY; PT_INVALID_ARGUMENT naming a limit.
 */
pt_status pt_connection_new(pt_host *host, pt_routes *routes, const pt_connection_info *info, pt_connection **out,
                            pt_error *err);

/**
 * Names the peer as the transport knows it (the subject of a client certificate): later calls start with this
 * principal, which an authenticator may replace. Copied. Errors: PT_NO_MEMORY.
 */
pt_status pt_connection_set_principal(pt_connection *connection, const char *name, pt_error *err);

/** Ends every call as PT_CALL_DISCONNECTED; NULL is allowed. */
void pt_connection_free(pt_connection *connection);

/**
 * Takes bytes that were read; `input` is borrowed for the call, `now_ms` monotonic. On failure the connection is to be
 * closed once pending bytes are sent. Errors: PT_BAD_MESSAGE, PT_LIMIT, PT_NO_MEMORY.
 */
pt_status pt_connection_feed(pt_connection *connection, pt_bytes_view input, uint64_t now_ms, pt_error *err);

/** Fills up to `max` views of bytes to be sent, valid until the next call of pt_connection_sent or _free. */
size_t pt_connection_pending(pt_connection *connection, struct iovec *out, size_t max);
/** The first `size_bytes` of what is pending have been written. */
void pt_connection_sent(pt_connection *connection, size_t size_bytes, uint64_t now_ms);

/**
 * Deadlines, idle and stall limits, and answers to pings, for which peers that look whether the connection lives do not
 * wait long; to be called when pt_connection_next_tick_ms is due (UINT64_MAX: not needed).
 * Errors: PT_TIMEOUT; the connection is then to be closed as after a failure of feed.
 */
pt_status pt_connection_tick(pt_connection *connection, uint64_t now_ms, pt_error *err);
uint64_t pt_connection_next_tick_ms(const pt_connection *connection);

/** Refuses new calls with GOAWAY and lets the running ones end. */
void pt_connection_drain(pt_connection *connection, uint64_t now_ms);

/** Nothing more will be read or written: close the socket when nothing is pending. */
bool pt_connection_is_done(const pt_connection *connection);

/** Calls that have not closed yet. */
size_t pt_connection_call_count(const pt_connection *connection);

#ifdef __cplusplus
}
#endif

#endif

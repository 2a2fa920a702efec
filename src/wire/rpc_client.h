/**
 * A gRPC client without sockets: calls of one connection to a server. Bytes and the time come in as arguments, bytes
 * go out as views; who carries them is told what to do by no callback.
 *
 *     pt__rpc_call_new(client, &request, &call, &err);
 *     n = pt__rpc_client_pending(client, iovecs, 8);   then writev, then pt__rpc_client_sent
 *     pt__rpc_client_feed(client, bytes, now_ms, &err) on readable
 *     pt__rpc_call_next(call, &message)                until it says PT_RPC_END, then pt__rpc_call_failure
 *
 * A call whose messages are not taken stops its server by its window; the other calls go on.
 *
 * Ownership: calls are freed before their client.
 * Threads:   one at a time.
 * Spec:      RFC 9113 (HTTP/2), gRPC over HTTP/2 (grpc.io PROTOCOL-HTTP2).
 */
#ifndef PT_WIRE_RPC_CLIENT_H
#define PT_WIRE_RPC_CLIENT_H

#include <portico/bytes.h>
#include <portico/call.h>
#include <portico/error.h>

#include <stdbool.h>
#include <sys/uio.h>

typedef struct pt__rpc_client pt__rpc_client;
typedef struct pt__rpc_call pt__rpc_call;

typedef struct pt__rpc_client_options {
    const char *authority;        /* host:port of the server; copied */
    uint64_t message_limit_bytes; /* of one message that comes in */
    uint32_t window_bytes;        /* what a server may send ahead of what is taken, for each call */
} pt__rpc_client_options;

/** Errors: PT_NO_MEMORY. */
pt_status pt__rpc_client_new(const pt__rpc_client_options *options, pt__rpc_client **out, pt_error *err);
void pt__rpc_client_free(pt__rpc_client *client);

/**
 * Takes bytes that were read. On failure every call has ended with it, and the connection is to be closed.
 * Errors: PT_BAD_MESSAGE, PT_NO_MEMORY.
 */
pt_status pt__rpc_client_feed(pt__rpc_client *client, pt_bytes_view input, uint64_t now_ms, pt_error *err);

/** Up to `max` views of bytes to be sent, valid until the next call of pt__rpc_client_sent or _free. */
size_t pt__rpc_client_pending(pt__rpc_client *client, struct iovec *out, size_t max);
void pt__rpc_client_sent(pt__rpc_client *client, size_t size_bytes);

/** Ends calls whose deadline has passed; to be called when pt__rpc_client_next_tick_ms is due (UINT64_MAX: never). */
void pt__rpc_client_tick(pt__rpc_client *client, uint64_t now_ms);
uint64_t pt__rpc_client_next_tick_ms(const pt__rpc_client *client);

/** The connection is gone: calls that run end with PT_UNAVAILABLE and `reason`. */
void pt__rpc_client_lost(pt__rpc_client *client, const char *reason);

/** Whether further calls may be made: not after a loss, a failure or the server's GOAWAY. */
bool pt__rpc_client_is_usable(const pt__rpc_client *client);

/** Borrowed for the call. */
typedef struct pt__rpc_request {
    const char *path; /* "/package.Service/Method" */
    pt_bytes_view message;
    uint64_t now_ms;
    uint64_t deadline_ms; /* absolute; 0: none */
} pt__rpc_request;

/**
 * Starts a call of one request message; the server answers with one message or many.
 * Ownership: `*out` is the caller's. Errors: PT_UNAVAILABLE when the client is not usable, PT_NO_MEMORY.
 */
pt_status pt__rpc_call_new(pt__rpc_client *client, const pt__rpc_request *request, pt__rpc_call **out, pt_error *err);

/** Cancels what still runs. NULL is allowed. */
void pt__rpc_call_free(pt__rpc_call *call);

/** The server is told to stop; the call ends with PT_CANCELLED. */
void pt__rpc_call_cancel(pt__rpc_call *call);

typedef enum pt__rpc_event {
    PT_RPC_WAIT,    /* nothing yet */
    PT_RPC_MESSAGE, /* `*message` is the caller's reference */
    PT_RPC_END      /* see pt__rpc_call_failure */
} pt__rpc_event;

pt__rpc_event pt__rpc_call_next(pt__rpc_call *call, pt_bytes **message);

/** Why the call has ended: PT_OK, or the status that fits the server's. The message is the server's own. */
pt_status pt__rpc_call_failure(const pt__rpc_call *call, pt_error *err);

/** The status that a code of gRPC means. */
pt_status pt__rpc_status(uint64_t grpc_code);

#endif

/**
 * Call: one RPC as a handler sees it. It is not HTTP/2: a host whose own gRPC server carries the bytes implements
 * pt_call_vtable and never meets ours.
 *
 * Threads: everything here belongs to the loop thread that owns the call, except where said otherwise. Workers
 * reach it by posting to pt_call_mailbox(call).
 */
#ifndef PORTICO_CALL_H
#define PORTICO_CALL_H

#include <portico/bytes.h>
#include <portico/error.h>
#include <portico/mailbox.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_call pt_call;

/** A call that is not let in yet; portico/authenticator.h. */
typedef struct pt_admission pt_admission;

/** gRPC status codes (grpc.io, "Status codes and their use in gRPC"). */
typedef enum pt_grpc_code {
    PT_GRPC_OK = 0,
    PT_GRPC_CANCELLED = 1,
    PT_GRPC_UNKNOWN = 2,
    PT_GRPC_INVALID_ARGUMENT = 3,
    PT_GRPC_DEADLINE_EXCEEDED = 4,
    PT_GRPC_NOT_FOUND = 5,
    PT_GRPC_ALREADY_EXISTS = 6,
    PT_GRPC_PERMISSION_DENIED = 7,
    PT_GRPC_RESOURCE_EXHAUSTED = 8,
    PT_GRPC_FAILED_PRECONDITION = 9,
    PT_GRPC_ABORTED = 10,
    PT_GRPC_OUT_OF_RANGE = 11,
    PT_GRPC_UNIMPLEMENTED = 12,
    PT_GRPC_INTERNAL = 13,
    PT_GRPC_UNAVAILABLE = 14,
    PT_GRPC_DATA_LOSS = 15,
    PT_GRPC_UNAUTHENTICATED = 16
} pt_grpc_code;

/** How a call ends. Borrowed for the call of pt_call_finish. */
typedef struct pt_call_status {
    pt_grpc_code code;
    const char *message;   /* NULL or UTF-8; percent-encoded and cut to the trailer budget by the transport */
    pt_bytes_view details; /* serialized google.rpc.Status for grpc-status-details-bin; empty: none */
} pt_call_status;

/**
 * What message and details of a status may take together in trailers, counted as encoded. Clients refuse calls
 * whose trailers pass 8 KiB; 256 bytes are left for names and the code. Details that do not fit beside 1 KiB of the
 * message are left out, and the message is cut to what then remains.
 */
enum { PT_CALL_STATUS_BUDGET_BYTES = 8192 - 256 };

/** Message and details as encoded: percent-encoding makes up to three bytes of one, base64 four of three. */
size_t pt_call_status_encoded_bytes(const pt_call_status *status);

/** One piece of a message: `view` points into `owner`, or is copied when `owner` is NULL. */
typedef struct pt_segment {
    pt_bytes *owner; /* a reference that the receiver takes */
    pt_bytes_view view;
} pt_segment;

/** Who calls, as the connection's authentication found. Borrowed from the call. */
typedef struct pt_principal {
    const char *name; /* "" when anonymous */
    bool authenticated;
} pt_principal;

/** Implemented by the transport. Members beyond size_bytes are unknown to it: append only. */
typedef struct pt_call_vtable {
    size_t size_bytes;
    /** First value of a metadata key (lower case); binary values of "-bin" keys come decoded. False: absent. */
    bool (*metadata)(pt_call *call, const char *key, pt_bytes_view *value);
    const pt_principal *(*principal)(pt_call *call);
    pt_mailbox *(*mailbox)(pt_call *call);
    /**
     * Queues one message; takes the references of the segments, success or failure. Look at queued_bytes before, and
     * go on in the handler's `writable`: nothing else slows a sender down.
     * Errors: PT_CANCELLED (the call is over, `closed` has run or is about to), PT_LIMIT (the message is 4 GiB, or too
     * much waits on the connection), PT_NO_MEMORY (the call is reset then).
     */
    pt_status (*send)(pt_call *call, const pt_segment *segments, size_t count, pt_error *err);
    /** Bytes queued and not yet handed to the peer's flow control. */
    size_t (*queued_bytes)(pt_call *call);
    /** Sends trailers after what is queued. The call stays valid until the handler's `closed` has run. */
    void (*finish)(pt_call *call, const pt_call_status *status);
    /** Absolute deadline in the connection's clock, 0 none. */
    uint64_t (*deadline_ms)(pt_call *call);
    /**
     * Adds a header to the response; `name` is a static lower-case text, `value` is copied. Before the first message.
     * Errors: PT_LIMIT beyond PT_CALL_HEADERS_MAX, PT_INVALID_ARGUMENT when the response has begun.
     */
    pt_status (*add_header)(pt_call *call, const char *name, const char *value, pt_error *err);
    /** UUID text of the connection: the same for all its calls, and never again. Lives as long as the connection. */
    const char *(*connection_id)(pt_call *call);
    /** Where the call comes from, "address:port". Lives as long as the call. */
    const char *(*peer)(pt_call *call);
    /** Copies a text, which then lives as long as the call; NULL when memory is exhausted. */
    const char *(*keep_text)(pt_call *call, const char *text);
    /** For an authenticator that cannot answer at once: nothing of the call reaches its handler until it is let in. */
    pt_status (*put_off)(pt_call *call, pt_admission **out, pt_error *err);
    /**
     * Within the handler's `message`: makes the message outlive it, and moves `*message` into the bytes that are
     * returned, a reference. It ends at a multiple of 8. NULL when memory is exhausted.
     */
    pt_bytes *(*keep_message)(pt_call *call, pt_bytes_view *message);
    /**
     * While paused, the peer's window for this call is not opened again: a window's worth of messages may still come.
     */
    void (*pause)(pt_call *call, bool paused);
} pt_call_vtable;

enum { PT_CALL_HEADERS_MAX = 4 };

/** A transport's call starts with this. */
struct pt_call {
    const pt_call_vtable *vtable;
    void *state; /* the handler's own */
};

static inline bool pt_call_metadata(pt_call *call, const char *key, pt_bytes_view *value)
{
    return call->vtable->metadata(call, key, value);
}

static inline const pt_principal *pt_call_principal(pt_call *call)
{
    return call->vtable->principal(call);
}

static inline pt_mailbox *pt_call_mailbox(pt_call *call)
{
    return call->vtable->mailbox(call);
}

static inline pt_status pt_call_send(pt_call *call, const pt_segment *segments, size_t count, pt_error *err)
{
    return call->vtable->send(call, segments, count, err);
}

static inline size_t pt_call_queued_bytes(pt_call *call)
{
    return call->vtable->queued_bytes(call);
}

static inline void pt_call_finish(pt_call *call, const pt_call_status *status)
{
    call->vtable->finish(call, status);
}

static inline uint64_t pt_call_deadline_ms(pt_call *call)
{
    return call->vtable->deadline_ms(call);
}

/** Whether the transport is new enough for a member, and has it. */
#define PT_CALL_HAS(call, member)                                                                                      \
    ((call)->vtable->size_bytes >= offsetof(pt_call_vtable, member) + sizeof((call)->vtable->member) &&                \
     (call)->vtable->member != NULL)

/** A copy when the transport cannot do better. */
static inline pt_bytes *pt_call_keep_message(pt_call *call, pt_bytes_view *message)
{
    if (PT_CALL_HAS(call, keep_message))
        return call->vtable->keep_message(call, message);
    pt_bytes *copy = pt_bytes_copy(*message);
    if (copy != NULL)
        *message = pt_bytes_get_view(copy);
    return copy;
}

/** Nothing happens when the transport cannot. */
static inline void pt_call_pause(pt_call *call, bool paused)
{
    if (PT_CALL_HAS(call, pause))
        call->vtable->pause(call, paused);
}

/** PT_UNSUPPORTED when the transport is older than response headers. */
static inline pt_status pt_call_add_header(pt_call *call, const char *name, const char *value, pt_error *err)
{
    if (!PT_CALL_HAS(call, add_header))
        return pt_error_set(err, PT_UNSUPPORTED, "the transport sends no headers of the handler's");
    return call->vtable->add_header(call, name, value, err);
}

/** "" when the transport does not tell connections apart. */
static inline const char *pt_call_connection_id(pt_call *call)
{
    return PT_CALL_HAS(call, connection_id) ? call->vtable->connection_id(call) : "";
}

/** "" when the transport does not know. */
static inline const char *pt_call_peer(pt_call *call)
{
    return PT_CALL_HAS(call, peer) ? call->vtable->peer(call) : "";
}

/** NULL when memory is exhausted, or the transport does not keep texts. */
static inline const char *pt_call_keep_text(pt_call *call, const char *text)
{
    return PT_CALL_HAS(call, keep_text) ? call->vtable->keep_text(call, text) : NULL;
}

/** PT_UNSUPPORTED when the transport cannot make calls wait. */
static inline pt_status pt_call_put_off(pt_call *call, pt_admission **out, pt_error *err)
{
    if (!PT_CALL_HAS(call, put_off))
        return pt_error_set(err, PT_UNSUPPORTED, "the transport does not make calls wait for a sign-in");
    return call->vtable->put_off(call, out, err);
}

#ifdef __cplusplus
}
#endif

#endif

/**
 * The inside of a connection, shared by the files that implement it.
 *
 * connection.c: the public functions. session.c: nghttp2 and its callbacks. stream.c: calls and their handlers.
 */
#ifndef PT_WIRE_CONNECTION_H
#define PT_WIRE_CONNECTION_H

#include "base/uuid.h"
#include "wire/limits.h"
#include "wire/outbox.h"
#include "wire/rate.h"
#include "wire/stream.h"

#include <portico/connection.h>

#include <nghttp2/nghttp2.h>

enum {
    PT_LOW_MARK_BYTES = 1024 * 1024,      /* of a call's queue */
    PT_OUTBOX_TARGET_BYTES = 1024 * 1024, /* how much is framed ahead of the socket */
    PT_RECEIVE_WINDOW_BYTES = 16 * 1024 * 1024,
    PT_FRAME_BYTES_MAX = 256 * 1024 /* larger ones would make other calls wait */
};

struct pt_connection {
    nghttp2_session *session;
    pt_routes *routes;
    pt_connection *previous; /* of those that use the routes */
    pt_connection *next;
    bool is_listed;
    pt_mailbox *mailbox;
    const pt_authenticator *authenticator;
    void (*ready)(void *context, pt_connection *connection);
    void *ready_context;
    char *peer;
    char id[PT_UUID_TEXT_BYTES]; /* "" until it is asked for */
    char *principal_name;        /* as the transport knows the peer; NULL: it does not */
    pt__limits limits;
    uint64_t now_ms;

    pt__outbox outbox;
    pt__stream *streams;
    size_t stream_count;
    pt__stream *first_event; /* streams with something to tell to their handlers */
    pt__stream *last_event;
    size_t queued_bytes;  /* of all streams */
    size_t receive_bytes; /* held by all streams for messages that arrived in part */

    pt__rate resets;
    pt__rate pings;
    pt__rate settings;
    pt__rate empty_frames;
    uint64_t header_block_bytes; /* of the block that is arriving, as sent */

    /*
     * gRPC clients send a ping with each answer they get, to measure their window. What answers it goes with the next
     * thing that is written, behind it: that wakes neither side for the ping alone, and halves their number.
     */
    bool ping_waits;
    uint8_t ping[8];      /* what the answer repeats */
    uint64_t ping_due_ms; /* by then it is answered in any case */

    uint64_t started_ms;
    uint64_t heard_ms;         /* last bytes from the peer */
    uint64_t waiting_since_ms; /* if waiting: a tick found the outbox filled, and it has not moved since */
    bool waiting;
    uint64_t next_expiry_ms; /* no deadline is earlier */
    uint64_t ticked_ms;
    uint64_t drain_ms; /* when draining started */
    bool greeted;      /* the peer's SETTINGS came */
    bool draining;
    bool goaway_sent;
    bool entered; /* inside a public function: pending bytes are looked at afterwards */
    bool told_ready;
    bool failed;
    bool broken; /* failed, and nghttp2 cannot even write GOAWAY */
    pt_error failure;
};

/** Makes the nghttp2 session and queues our SETTINGS. */
pt_status pt__session_open(pt_connection *connection, pt_error *err);

/** Hands bytes to nghttp2. */
void pt__session_feed(pt_connection *connection, pt_bytes_view input);

/** Lets nghttp2 write frames to the outbox, until that holds its target. */
void pt__session_fill_outbox(pt_connection *connection);

/** Queues the answer to the ping that waits for one, if any. */
void pt__session_answer_ping(pt_connection *connection);

/** The connection cannot go on: GOAWAY with `code`, and feed returns the error from now on. */
__attribute__((format(printf, 4, 5))) void pt__connection_fail(pt_connection *connection, pt_status status,
                                                               uint32_t code, const char *format, ...);

/** The calls that were on their way when draining started are here: no later one is served. */
void pt__connection_finish_drain(pt_connection *connection);

/** Something was queued: tells the embedder when it is not looking anyway. */
void pt__connection_wants_write(pt_connection *connection);

/** Registers that the stream owes its handler something. */
void pt__connection_add_event(pt_connection *connection, pt__stream *stream);

/* What stream.c asks of nghttp2; names and values are copied where they are not static. */
void pt__session_submit_headers(pt__stream *stream);
void pt__session_submit_trailers_only(pt__stream *stream);
void pt__session_submit_http_error(pt__stream *stream, const char *http_status);
void pt__session_submit_trailers(pt__stream *stream);
void pt__session_resume(pt__stream *stream);
void pt__session_reset(pt__stream *stream, uint32_t code);
/** Gives back to the peer what of the stream's window was kept during a pause. */
void pt__session_reopen_window(pt__stream *stream);

#endif

/**
 * Stream: one HTTP/2 stream of a connection as a gRPC call.
 *
 * A stream lives until both sides let go of it: the handler (its `closed` has run, or it never started) and
 * nghttp2. The handler is only told of the end between calls into nghttp2, never from inside.
 */
#ifndef PT_WIRE_STREAM_H
#define PT_WIRE_STREAM_H

#include "wire/message_reader.h"
#include "wire/metadata.h"
#include "wire/outbox.h"
#include "wire/trailers.h"

#include <portico/frontend.h>

struct pt_connection;

enum { PT_KEPT_TEXTS_MAX = 2 }; /* of a call: the name of who calls */

typedef struct pt__stream {
    pt_call call; /* first: the handler's view of this */
    struct pt_connection *connection;
    struct pt__stream *previous; /* of all streams of the connection */
    struct pt__stream *next;
    struct pt__stream *next_event;
    int32_t id;

    /* The request. */
    const pt_method *method; /* NULL: no handler */
    void *mount;
    pt_mount *entered; /* NULL: no handler */
    pt_principal principal;
    struct pt_admission *admission; /* the call waits to be let in; NULL: it does not */
    pt__buffer held;                /* of the body, meanwhile */
    char *kept_texts[PT_KEPT_TEXTS_MAX];
    size_t kept_text_count;
    pt__metadata metadata;
    size_t header_bytes;
    pt__message_reader reader;
    uint64_t deadline_ms; /* 0: none */
    pt_error refusal;     /* what was wrong with the headers */
    bool headers_done;
    bool has_message; /* the first one, which tells whose call it is */
    bool input_ended;
    bool is_paused;          /* the handler wants no more for now */
    size_t unconsumed_bytes; /* of the peer's window, which it gets back when the pause ends */

    /* The answer. */
    pt__outbox queue; /* framed messages, not yet taken by the peer's flow control */
    pt__trailers trailers;
    const char *header_names[PT_CALL_HEADERS_MAX]; /* of the response, besides the protocol's own */
    char *header_values[PT_CALL_HEADERS_MAX];
    size_t header_count;
    uint64_t waiting_since_ms; /* if waiting: a tick found the queue filled, and it has not moved since */
    bool waiting;
    bool gzip;
    bool answered; /* response headers were submitted */
    bool finished; /* the status is known */
    bool trailers_sent;

    /* The end. */
    pt_call_end end;
    bool handler_attached; /* started, and not closed yet */
    bool ended;            /* `end` is known */
    bool in_transport;     /* nghttp2 knows the stream */
    bool has_event;
} pt__stream;

/** NULL when memory is exhausted. */
pt__stream *pt__stream_new(struct pt_connection *connection, int32_t id);
void pt__stream_free(pt__stream *stream);

/** One header of the request. */
pt_status pt__stream_header(pt__stream *stream, pt_text_view name, pt_text_view value, pt_error *err);

/** The header block is whole: finds the method and starts the handler, or refuses. */
void pt__stream_headers_done(pt__stream *stream);

/** Bytes of the request's body. */
void pt__stream_body(pt__stream *stream, pt_bytes_view bytes);

/** The client sends no more. */
void pt__stream_half_close(pt__stream *stream);

/** nghttp2 let go of the stream. */
void pt__stream_left_transport(pt__stream *stream, uint32_t error_code);

/** Its deadline passed, or its client does not read. */
void pt__stream_expire(pt__stream *stream);
void pt__stream_stalled(pt__stream *stream);

/** A call that was put off is let in as `take_name`, or refused with `err` (`take_name` is then NULL). */
void pt__stream_admit(pt__stream *stream, char *take_name, pt_error *err);

/** Its mount is gone. */
void pt__stream_cut(pt__stream *stream);

/** Ends the handler's part; `closed` runs with the connection's events. */
void pt__stream_end(pt__stream *stream, pt_call_end end);

/** Runs what is owed to the handler; may free the stream. */
void pt__stream_run_event(pt__stream *stream);

/** Takes `size_bytes` of the queue to the connection's outbox; false when memory is exhausted. */
bool pt__stream_move_body(pt__stream *stream, size_t size_bytes);

static inline pt__stream *pt__stream_of(pt_call *call)
{
    return (pt__stream *)call;
}

#endif

/**
 * A gRPC client for tests: an nghttp2 client session that talks to a pt_connection in memory.
 *
 * Storage of the struct is the caller's. Time stands still unless a test moves `now_ms`.
 */
#ifndef PT_WIRE_TEST_CLIENT_H
#define PT_WIRE_TEST_CLIENT_H

#include "base/buffer.h"

#include <portico/connection.h>

#include <nghttp2/nghttp2.h>

enum { PT_TEST_REPLIES_MAX = 64 };

/** What came back for one call. Texts are terminated and as they stood in the headers. */
typedef struct pt__test_reply {
    int32_t id;
    char http_status[8];
    char grpc_status[8]; /* "" until it came */
    char encoding[16];
    pt__buffer message; /* grpc-message */
    pt__buffer details; /* grpc-status-details-bin */
    pt__buffer body;    /* framed messages */
    int data_frames;
    int header_frames;
    bool closed;
    uint32_t error_code;
} pt__test_reply;

typedef struct pt__test_client {
    nghttp2_session *session;
    pt_connection *connection; /* owned */
    uint64_t now_ms;
    size_t step_bytes; /* what the connection is fed at once; 0: all */
    bool deaf;         /* takes no bytes of the connection */
    pt_status feed_status;
    pt_error feed_error;
    pt__test_reply replies[PT_TEST_REPLIES_MAX];
    size_t reply_count;
    int goaways;
    uint32_t goaway_code;
    int pings_answered;
    uint8_t last_ping[8]; /* what the last answer to one repeated */
    int ready_count;
    size_t received_bytes;
} pt__test_client;

/** What a test may want other than usual; zeroed is usual. */
typedef struct pt__test_client_options {
    const pt_config *limits;
    const pt_authenticator *authenticator;
    pt_mailbox *mailbox;
    uint32_t stream_window_bytes; /* 0: large */
    uint32_t frame_bytes_max;     /* 0: the smallest allowed */
    bool no_auto_window;          /* the client does not give back what it received */
} pt__test_client_options;

bool pt__test_client_init(pt__test_client *client, pt_routes *routes, const pt__test_client_options *options);
void pt__test_client_deinit(pt__test_client *client);

typedef struct pt__test_header {
    const char *name;
    const char *value;
} pt__test_header;

/** Starts a call with the usual headers and `extra` ones (ended by a NULL name, or NULL). */
int32_t pt__test_client_open(pt__test_client *client, const char *path, const pt__test_header *extra);

/** Bytes of the request's body as they are; `end` half-closes. */
void pt__test_client_body(pt__test_client *client, int32_t id, pt_bytes_view bytes, bool end);

/** One framed message. */
void pt__test_client_message(pt__test_client *client, int32_t id, const char *text, bool end);

/** A whole unary call: open, one message, half-close, run. */
int32_t pt__test_client_unary(pt__test_client *client, const char *path, const pt__test_header *extra,
                              const char *text);

/** Exchanges bytes until both sides are silent. */
void pt__test_client_run(pt__test_client *client);

/** Raw bytes to the connection, past the client session. */
void pt__test_client_raw(pt__test_client *client, const void *bytes, size_t size_bytes);

void pt__test_client_reset(pt__test_client *client, int32_t id, uint32_t code);

pt__test_reply *pt__test_client_reply(pt__test_client *client, int32_t id);

/** Message `index` of a reply as terminated text; NULL when there is none. Valid until the next call. */
const char *pt__test_reply_text(pt__test_reply *reply, size_t index);

#endif

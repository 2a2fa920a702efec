/* nghttp2 and its callbacks: frames to streams, streams to frames. */
#include "wire/connection.h"

#include "base/unconst.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_BYTES_IN_MAX = 1024 * 1024,
    /* A header block that goes so far over the limit ends the connection, not only its call. */
    HEADER_EXCESS_FACTOR = 16,
    ACKNOWLEDGEMENTS_QUEUED_MAX = 10000,
    PING_SLOT_MS = 16 /* the pings of all connections fall due at its end, so that one tick serves them */
};

static pt__stream *find_stream(pt_connection *connection, int32_t id)
{
    return nghttp2_session_get_stream_user_data(connection->session, id);
}

/* What a callback returns to stop nghttp2 when the connection has failed in it. */
static int verdict(const pt_connection *connection)
{
    return connection->failed ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

static void fail_flood(pt_connection *connection, const char *what)
{
    pt__connection_fail(connection, PT_LIMIT, NGHTTP2_ENHANCE_YOUR_CALM, "the peer sends too many %s", what);
}

static void count_reset(pt_connection *connection)
{
    if (!pt__rate_take(&connection->resets, connection->now_ms))
        fail_flood(connection, "resets (http2.max-resets-per-second)");
}

static void count_empty_frame(pt_connection *connection)
{
    if (!pt__rate_take(&connection->empty_frames, connection->now_ms))
        fail_flood(connection, "frames without content (http2.max-empty-frames-per-second)");
}

static void count_header_block(pt_connection *connection, const nghttp2_frame_hd *header)
{
    if (header->type == NGHTTP2_HEADERS)
        connection->header_block_bytes = 0;
    else if (header->length == 0)
        count_empty_frame(connection);
    connection->header_block_bytes += header->length;
    if (connection->header_block_bytes > connection->limits.max_header_bytes * HEADER_EXCESS_FACTOR)
        fail_flood(connection, "header bytes (http2.max-header-bytes)");
}

static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *header, void *user_data)
{
    (void)session;
    pt_connection *connection = user_data;
    if (header->type == NGHTTP2_HEADERS || header->type == NGHTTP2_CONTINUATION)
        count_header_block(connection, header);
    return verdict(connection);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    pt_connection *connection = user_data;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    pt__stream *stream = pt__stream_new(connection, frame->hd.stream_id);
    if (stream == NULL)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user_data)
{
    (void)session;
    (void)flags;
    pt_connection *connection = user_data;
    pt__stream *stream = find_stream(connection, frame->hd.stream_id);
    if (stream == NULL || stream->headers_done) /* gRPC gives no meaning to trailers of a request */
        return 0;
    pt_error err = PT_ERROR_INIT;
    pt_text_view name_text = {(const char *)name, name_size};
    pt_text_view value_text = {(const char *)value, value_size};
    pt__stream_header(stream, name_text, value_text, &err);
    if (stream->refusal.status == PT_OK)
        pt_error_move(&stream->refusal, &err);
    pt_error_clear(&err);
    if (stream->header_bytes > connection->limits.max_header_bytes * HEADER_EXCESS_FACTOR)
        fail_flood(connection, "header bytes (http2.max-header-bytes)");
    return verdict(connection);
}

static void received_headers(pt_connection *connection, const nghttp2_frame *frame)
{
    pt__stream *stream = find_stream(connection, frame->hd.stream_id);
    if (stream == NULL)
        return;
    if (!stream->headers_done)
        pt__stream_headers_done(stream);
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        pt__stream_half_close(stream);
}

static void received_data(pt_connection *connection, const nghttp2_frame *frame)
{
    pt__stream *stream = find_stream(connection, frame->hd.stream_id);
    bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.length == 0 && !ends)
        count_empty_frame(connection);
    if (stream != NULL && ends)
        pt__stream_half_close(stream);
}

static void received_settings(pt_connection *connection, const nghttp2_frame *frame)
{
    if (frame->hd.flags & NGHTTP2_FLAG_ACK)
        return;
    connection->greeted = true;
    if (!pt__rate_take(&connection->settings, connection->now_ms))
        fail_flood(connection, "SETTINGS frames (http2.max-settings-per-second)");
}

static void received_ping(pt_connection *connection, const nghttp2_frame *frame)
{
    if (frame->hd.flags & NGHTTP2_FLAG_ACK) {
        pt__connection_finish_drain(connection); /* draining alone sends pings */
        return;
    }
    if (!pt__rate_take(&connection->pings, connection->now_ms))
        fail_flood(connection, "PING frames (http2.max-pings-per-second)");
    pt__session_answer_ping(connection); /* one waits at most: answers keep their order */
    memcpy(connection->ping, frame->ping.opaque_data, sizeof(connection->ping));
    connection->ping_waits = true;
    connection->ping_due_ms = (connection->now_ms / PING_SLOT_MS + 1) * PING_SLOT_MS;
}

void pt__session_answer_ping(pt_connection *connection)
{
    if (!connection->ping_waits)
        return;
    connection->ping_waits = false;
    int result = nghttp2_submit_ping(connection->session, NGHTTP2_FLAG_ACK, connection->ping);
    if (result == NGHTTP2_ERR_FLOODED)
        fail_flood(connection, "PING frames, and does not take the answers");
    else if (result != 0)
        pt__connection_fail(connection, PT_NO_MEMORY, NGHTTP2_INTERNAL_ERROR, "HTTP/2: %s", nghttp2_strerror(result));
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    (void)session;
    pt_connection *connection = user_data;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS: received_headers(connection, frame); break;
    case NGHTTP2_DATA: received_data(connection, frame); break;
    case NGHTTP2_SETTINGS: received_settings(connection, frame); break;
    case NGHTTP2_PING: received_ping(connection, frame); break;
    case NGHTTP2_RST_STREAM: count_reset(connection); break;
    case NGHTTP2_PRIORITY: count_empty_frame(connection); break;
    default: break;
    }
    return verdict(connection);
}

/* The window is given back as bytes are handled, but for calls that are paused. */
static void give_back(pt_connection *connection, pt__stream *stream, int32_t stream_id, size_t size)
{
    if (stream == NULL || !stream->is_paused) {
        (void)nghttp2_session_consume(connection->session, stream_id, size);
        return;
    }
    stream->unconsumed_bytes += size;
    (void)nghttp2_session_consume_connection(connection->session, size);
}

static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *data, size_t size,
                         void *user_data)
{
    (void)session;
    (void)flags;
    pt_connection *connection = user_data;
    pt__stream *stream = find_stream(connection, stream_id);
    if (stream != NULL)
        pt__stream_body(stream, (pt_bytes_view){data, size});
    give_back(connection, stream, stream_id, size);
    return verdict(connection);
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t error_code, void *user_data)
{
    (void)session;
    pt__stream *stream = find_stream(user_data, stream_id);
    if (stream != NULL)
        pt__stream_left_transport(stream, error_code);
    return 0;
}

/* RFC 9113 section 8.1: a server that has answered in full may tell the client to stop sending. */
static void sent_last_headers(pt_connection *connection, const nghttp2_frame *frame)
{
    pt__stream *stream = find_stream(connection, frame->hd.stream_id);
    if (stream == NULL)
        return;
    stream->trailers_sent = true;
    if (!stream->input_ended)
        pt__session_reset(stream, NGHTTP2_NO_ERROR);
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    (void)session;
    pt_connection *connection = user_data;
    if (frame->hd.type == NGHTTP2_DATA)
        pt__rate_return(&connection->pings); /* clients measure their window by a ping for data that comes in */
    else if (frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        sent_last_headers(connection, frame);
    else if (frame->hd.type == NGHTTP2_RST_STREAM && frame->rst_stream.error_code != NGHTTP2_NO_ERROR)
        count_reset(connection); /* a peer can provoke them by breaking the protocol on a stream */
    return 0;
}

static ssize_t body_length(nghttp2_session *session, uint8_t frame_type, int32_t stream_id, int32_t connection_window,
                           int32_t stream_window, uint32_t peer_frame_bytes_max, void *user_data)
{
    (void)session;
    (void)frame_type;
    (void)stream_id;
    (void)user_data;
    int32_t length = connection_window < stream_window ? connection_window : stream_window;
    if (length > PT_FRAME_BYTES_MAX)
        length = PT_FRAME_BYTES_MAX;
    return (uint32_t)length > peer_frame_bytes_max ? (ssize_t)peer_frame_bytes_max : length;
}

static ssize_t read_body(nghttp2_session *session, int32_t stream_id, uint8_t *buffer, size_t length, uint32_t *flags,
                         nghttp2_data_source *source, void *user_data)
{
    (void)session;
    (void)stream_id;
    (void)buffer;
    (void)user_data;
    pt__stream *stream = source->ptr;
    size_t count = stream->queue.size_bytes < length ? stream->queue.size_bytes : length;
    if (count == 0 && !stream->finished)
        return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (count == stream->queue.size_bytes && stream->finished) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        pt__session_submit_trailers(stream);
    }
    return (ssize_t)count;
}

static int send_body(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *frame_header, size_t length,
                     nghttp2_data_source *source, void *user_data)
{
    enum { FRAME_HEADER_BYTES = 9 };
    (void)session;
    (void)frame;
    pt_connection *connection = user_data;
    pt__stream *stream = source->ptr;
    if (connection->outbox.size_bytes >= PT_OUTBOX_TARGET_BYTES)
        return NGHTTP2_ERR_WOULDBLOCK;
    if (length > stream->queue.size_bytes) /* the queue was dropped since; the stream is being reset */
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (!pt__outbox_copy(&connection->outbox, frame_header, FRAME_HEADER_BYTES) ||
        !pt__stream_move_body(stream, length))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return 0;
}

static pt_status make_callbacks(nghttp2_session_callbacks **out, pt_error *err)
{
    nghttp2_session_callbacks *callbacks = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an HTTP/2 session");
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, body_length);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_body);
    *out = callbacks;
    return PT_OK;
}

static pt_status make_session(pt_connection *connection, pt_error *err)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    PT_TRY(make_callbacks(&callbacks, err));
    int result = nghttp2_option_new(&option);
    if (result == 0) {
        nghttp2_option_set_no_closed_streams(option, 1);
        nghttp2_option_set_no_auto_window_update(option, 1);
        nghttp2_option_set_no_auto_ping_ack(option, 1);
        nghttp2_option_set_max_outbound_ack(option, ACKNOWLEDGEMENTS_QUEUED_MAX);
        /* Ours is the limit that is configured: see count_reset. */
        nghttp2_option_set_stream_reset_rate_limit(option, UINT32_MAX, UINT32_MAX);
        result = nghttp2_session_server_new2(&connection->session, callbacks, connection, option);
        nghttp2_option_del(option);
    }
    nghttp2_session_callbacks_del(callbacks);
    return result == 0 ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for an HTTP/2 session");
}

pt_status pt__session_open(pt_connection *connection, pt_error *err)
{
    PT_TRY(make_session(connection, err));
    const pt__limits *limits = &connection->limits;
    uint64_t header_bytes = limits->max_header_bytes < UINT32_MAX ? limits->max_header_bytes : UINT32_MAX;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)limits->max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, PT_RECEIVE_WINDOW_BYTES},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, FRAME_BYTES_IN_MAX},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)header_bytes},
    };
    size_t count = sizeof(settings) / sizeof(settings[0]);
    if (nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, count) != 0 ||
        nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, PT_RECEIVE_WINDOW_BYTES) != 0)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an HTTP/2 session");
    return PT_OK;
}

/* What a peer that does not speak HTTP/2 seems to speak. */
static const char *other_protocol(pt_bytes_view first)
{
    bool handshake = first.size_bytes >= 2 && first.data[0] == 0x16 && first.data[1] == 0x03; /* RFC 8446, 5.1 */
    return handshake ? "the peer speaks TLS, and this address does not" : "the peer does not speak HTTP/2";
}

void pt__session_feed(pt_connection *connection, pt_bytes_view input)
{
    ssize_t taken = nghttp2_session_mem_recv(connection->session, input.data, input.size_bytes);
    if (taken >= 0)
        return;
    if (taken == NGHTTP2_ERR_BAD_CLIENT_MAGIC)
        pt__connection_fail(connection, PT_BAD_MESSAGE, NGHTTP2_PROTOCOL_ERROR, "%s", other_protocol(input));
    pt__connection_fail(connection, taken == NGHTTP2_ERR_NOMEM ? PT_NO_MEMORY : PT_BAD_MESSAGE, NGHTTP2_PROTOCOL_ERROR,
                        "HTTP/2: %s", nghttp2_strerror((int)taken));
}

void pt__session_fill_outbox(pt_connection *connection)
{
    while (connection->outbox.size_bytes < PT_OUTBOX_TARGET_BYTES) {
        const uint8_t *frame;
        ssize_t size = nghttp2_session_mem_send(connection->session, &frame);
        if (size == 0)
            return;
        if (size < 0 || !pt__outbox_copy(&connection->outbox, frame, (size_t)size)) {
            pt__connection_fail(connection, PT_NO_MEMORY, NGHTTP2_INTERNAL_ERROR, "HTTP/2: %s",
                                size < 0 ? nghttp2_strerror((int)size) : "no memory for a frame");
            connection->broken = true;
            return;
        }
    }
}

void pt__connection_fail(pt_connection *connection, pt_status status, uint32_t code, const char *format, ...)
{
    if (connection->failed)
        return;
    char message[PT_ERROR_MESSAGE_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    connection->failed = true;
    pt_error_set(&connection->failure, status, "%s", message);
    nghttp2_session_terminate_session(connection->session, code);
    pt__connection_wants_write(connection);
}

static nghttp2_nv field(const char *name, const char *value, size_t value_size)
{
    return (nghttp2_nv){pt__unconst(name), pt__unconst(value), strlen(name), value_size, NGHTTP2_NV_FLAG_NO_COPY_NAME};
}

static nghttp2_nv text_field(const char *name, const char *value)
{
    return field(name, value, strlen(value));
}

static nghttp2_nv buffer_field(const char *name, const pt__buffer *buffer)
{
    return field(name, (const char *)buffer->data, buffer->size_bytes);
}

enum { HEAD_FIELDS_MAX = 4 + PT_CALL_HEADERS_MAX, STATUS_FIELDS_MAX = 3 };

static size_t add_head(const pt__stream *stream, nghttp2_nv *fields)
{
    size_t count = 0;
    fields[count++] = text_field(":status", "200");
    fields[count++] = text_field("content-type", "application/grpc");
    if (stream->gzip)
        fields[count++] = text_field("grpc-encoding", "gzip");
    fields[count++] = text_field("grpc-accept-encoding", "identity,deflate,gzip");
    for (size_t i = 0; i < stream->header_count; i++)
        fields[count++] = text_field(stream->header_names[i], stream->header_values[i]);
    return count;
}

static size_t add_status(const pt__stream *stream, nghttp2_nv *fields)
{
    static const char *const codes[] = {"0", "1",  "2",  "3",  "4",  "5",  "6",  "7", "8",
                                        "9", "10", "11", "12", "13", "14", "15", "16"};
    const pt__trailers *trailers = &stream->trailers;
    size_t code = (size_t)trailers->code < sizeof(codes) / sizeof(codes[0]) ? (size_t)trailers->code : PT_GRPC_UNKNOWN;
    size_t count = 0;
    fields[count++] = text_field("grpc-status", codes[code]);
    if (trailers->message.size_bytes != 0)
        fields[count++] = buffer_field("grpc-message", &trailers->message);
    if (trailers->details.size_bytes != 0)
        fields[count++] = buffer_field("grpc-status-details-bin", &trailers->details);
    return count;
}

static void check_submit(pt__stream *stream, int result)
{
    if (nghttp2_is_fatal(result))
        pt__connection_fail(stream->connection, PT_NO_MEMORY, NGHTTP2_INTERNAL_ERROR, "HTTP/2: %s",
                            nghttp2_strerror(result));
    pt__connection_wants_write(stream->connection);
}

void pt__session_submit_headers(pt__stream *stream)
{
    nghttp2_nv fields[HEAD_FIELDS_MAX];
    size_t count = add_head(stream, fields);
    nghttp2_data_provider provider = {.source.ptr = stream, .read_callback = read_body};
    stream->answered = true;
    check_submit(stream, nghttp2_submit_response(stream->connection->session, stream->id, fields, count, &provider));
}

void pt__session_submit_trailers_only(pt__stream *stream)
{
    nghttp2_nv fields[HEAD_FIELDS_MAX + STATUS_FIELDS_MAX];
    size_t count = add_head(stream, fields);
    count += add_status(stream, fields + count);
    stream->answered = true;
    check_submit(stream, nghttp2_submit_response(stream->connection->session, stream->id, fields, count, NULL));
}

void pt__session_submit_http_error(pt__stream *stream, const char *http_status)
{
    nghttp2_nv fields[] = {text_field(":status", http_status)};
    stream->answered = true;
    stream->finished = true;
    check_submit(stream, nghttp2_submit_response(stream->connection->session, stream->id, fields, 1, NULL));
}

void pt__session_submit_trailers(pt__stream *stream)
{
    nghttp2_nv fields[STATUS_FIELDS_MAX];
    size_t count = add_status(stream, fields);
    check_submit(stream, nghttp2_submit_trailer(stream->connection->session, stream->id, fields, count));
}

void pt__session_resume(pt__stream *stream)
{
    /* It fails when the body is not deferred, and then goes on by itself. */
    if (stream->in_transport)
        (void)nghttp2_session_resume_data(stream->connection->session, stream->id);
    pt__connection_wants_write(stream->connection);
}

void pt__session_reset(pt__stream *stream, uint32_t code)
{
    if (stream->in_transport)
        check_submit(stream,
                     nghttp2_submit_rst_stream(stream->connection->session, NGHTTP2_FLAG_NONE, stream->id, code));
}

void pt__session_reopen_window(pt__stream *stream)
{
    size_t size = stream->unconsumed_bytes;
    stream->unconsumed_bytes = 0;
    if (stream->in_transport && size != 0)
        check_submit(stream, nghttp2_session_consume_stream(stream->connection->session, stream->id, size));
}

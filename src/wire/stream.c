#include "wire/stream.h"

#include "wire/admission.h"
#include "wire/connection.h"
#include "wire/routes.h"
#include "wire/timeout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Below this gzip makes messages slower and hardly smaller. */
enum { COMPRESSED_MESSAGE_BYTES_MIN = 1024 };

/* Of a body, while its sender waits to be let in: what one message of a sign-in may take, and more. */
enum { PT_HELD_BYTES_MAX = 4 * 1024 * 1024 };

static const pt_call_vtable stream_call;

pt__stream *pt__stream_new(pt_connection *connection, int32_t id)
{
    pt__stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return NULL;
    stream->call.vtable = &stream_call;
    stream->connection = connection;
    stream->id = id;
    bool named = connection->principal_name != NULL;
    stream->principal = (pt_principal){named ? connection->principal_name : "", named};
    stream->in_transport = true;
    stream->next = connection->streams;
    if (stream->next != NULL)
        stream->next->previous = stream;
    connection->streams = stream;
    connection->stream_count++;
    return stream;
}

static void drop_queue(pt__stream *stream)
{
    stream->connection->queued_bytes -= stream->queue.size_bytes;
    pt__outbox_clear(&stream->queue);
}

/* The mount may be closed by it. */
static void leave_mount(pt__stream *stream)
{
    if (stream->entered != NULL)
        pt_routes_leave(stream->entered);
    stream->entered = NULL;
    stream->principal = (pt_principal){"", false};
}

/* The call waits no longer; what was held of its body is gone. */
static void drop_admission(pt__stream *stream)
{
    if (stream->admission == NULL)
        return;
    pt__admission_forget(stream->admission);
    stream->admission = NULL;
    stream->connection->receive_bytes -= stream->held.size_bytes;
    pt__buffer_deinit(&stream->held);
    leave_mount(stream);
}

void pt__stream_free(pt__stream *stream)
{
    pt_connection *connection = stream->connection;
    drop_admission(stream);
    drop_queue(stream);
    connection->receive_bytes -= pt__message_reader_held_bytes(&stream->reader);
    connection->stream_count--;
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    *(stream->previous != NULL ? &stream->previous->next : &connection->streams) = stream->next;
    pt__outbox_deinit(&stream->queue);
    pt__trailers_deinit(&stream->trailers);
    pt__message_reader_deinit(&stream->reader);
    pt__metadata_deinit(&stream->metadata);
    pt_error_clear(&stream->refusal);
    for (size_t i = 0; i < stream->header_count; i++)
        free(stream->header_values[i]);
    for (size_t i = 0; i < stream->kept_text_count; i++)
        free(stream->kept_texts[i]);
    free(stream);
}

static void free_if_over(pt__stream *stream)
{
    if (!stream->in_transport && !stream->handler_attached && !stream->has_event)
        pt__stream_free(stream);
}

/* Writes the status where the answer stands: alone, or after what is queued. */
static void finish(pt__stream *stream, const pt_call_status *status)
{
    if (stream->finished || stream->ended)
        return;
    stream->finished = true;
    if (!pt__trailers_encode(&stream->trailers, status))
        stream->trailers.code = PT_GRPC_RESOURCE_EXHAUSTED;
    if (stream->answered)
        pt__session_resume(stream);
    else
        pt__session_submit_trailers_only(stream);
}

void pt__stream_end(pt__stream *stream, pt_call_end end)
{
    if (stream->ended)
        return;
    stream->ended = true;
    stream->end = end;
    pt__connection_add_event(stream->connection, stream);
}

/* The transport itself ends the call with a status. */
static void refuse(pt__stream *stream, pt_grpc_code code, const char *message)
{
    finish(stream, &(pt_call_status){code, message, {NULL, 0}});
    if (stream->handler_attached)
        pt__stream_end(stream, PT_CALL_RESET);
}

static pt_grpc_code code_of(pt_status status)
{
    switch (status) {
    case PT_LIMIT:
    case PT_NO_MEMORY: return PT_GRPC_RESOURCE_EXHAUSTED;
    case PT_UNSUPPORTED: return PT_GRPC_UNIMPLEMENTED;
    case PT_UNAUTHENTICATED: return PT_GRPC_UNAUTHENTICATED;
    case PT_PERMISSION_DENIED: return PT_GRPC_PERMISSION_DENIED;
    case PT_UNAVAILABLE: return PT_GRPC_UNAVAILABLE;
    default: return PT_GRPC_INTERNAL;
    }
}

static void refuse_with(pt__stream *stream, pt_error *err)
{
    refuse(stream, code_of(err->status), pt_error_full_message(err));
    pt_error_clear(err);
}

pt_status pt__stream_header(pt__stream *stream, pt_text_view name, pt_text_view value, pt_error *err)
{
    /* RFC 9113 section 6.5.2 counts a field as its name, its value and 32 bytes. */
    stream->header_bytes += name.size_bytes + value.size_bytes + 32;
    uint64_t limit = stream->connection->limits.max_header_bytes;
    if (stream->header_bytes > limit)
        return pt_error_set(err, PT_LIMIT, "the metadata of the call is larger than the limit of %llu bytes",
                            (unsigned long long)limit);
    return pt__metadata_add(&stream->metadata, name, value, err);
}

static bool header_is(const pt__stream *stream, const char *name, const char *value)
{
    pt_bytes_view got;
    return pt__metadata_get(&stream->metadata, name, &got) && got.size_bytes == strlen(value) &&
           memcmp(got.data, value, got.size_bytes) == 0;
}

static bool is_grpc(const pt__stream *stream)
{
    static const char type[] = "application/grpc";
    size_t size = sizeof(type) - 1;
    pt_bytes_view got;
    if (!pt__metadata_get(&stream->metadata, "content-type", &got) || got.size_bytes < size ||
        memcmp(got.data, type, size) != 0)
        return false;
    return got.size_bytes == size || got.data[size] == '+' || got.data[size] == ';';
}

static pt_status read_encodings(pt__stream *stream, pt_error *err)
{
    pt_bytes_view value;
    if (pt__metadata_get(&stream->metadata, "grpc-encoding", &value) &&
        !pt__encoding_from_name(value, &stream->reader.encoding))
        return pt_error_set(err, PT_UNSUPPORTED, "messages encoded by \"%.*s\" are not supported",
                            (int)value.size_bytes, (const char *)value.data);
    stream->gzip = stream->connection->limits.compress_answers &&
                   pt__metadata_get(&stream->metadata, "grpc-accept-encoding", &value) &&
                   pt__encoding_list_has_gzip(value);
    return PT_OK;
}

static void set_deadline(pt__stream *stream, uint64_t timeout_ms)
{
    pt_connection *connection = stream->connection;
    stream->deadline_ms = connection->now_ms + timeout_ms;
    if (stream->deadline_ms < connection->next_expiry_ms)
        connection->next_expiry_ms = stream->deadline_ms;
}

/* The client's, or the mount's if that is earlier. */
static pt_status read_deadline(pt__stream *stream, pt_error *err)
{
    pt_bytes_view value;
    uint64_t timeout_ms = 0;
    uint64_t limit_ms = stream->entered->call_timeout_ms;
    bool limited = pt__metadata_get(&stream->metadata, "grpc-timeout", &value);
    if (limited && !pt__timeout_parse(value, &timeout_ms))
        return pt_error_set(err, PT_BAD_MESSAGE, "grpc-timeout is malformed");
    if (limit_ms != 0 && (!limited || timeout_ms > limit_ms))
        set_deadline(stream, limit_ms);
    else if (limited)
        set_deadline(stream, timeout_ms);
    return PT_OK;
}

static pt_status find_method(pt__stream *stream, pt_error *err)
{
    pt_bytes_view path = {NULL, 0};
    pt__metadata_get(&stream->metadata, ":path", &path);
    pt_text_view text = {(const char *)path.data, path.size_bytes};
    PT_TRY(pt_routes_enter(stream->connection->routes, text, &stream->method, &stream->mount, &stream->entered, err));
    uint64_t limit = stream->method->message_limit_bytes;
    if (limit == 0)
        limit = stream->entered->max_message_bytes;
    stream->reader.spare = stream->connection->routes->spare;
    stream->reader.limit_bytes = limit != 0 ? limit : stream->connection->limits.max_message_bytes;
    return PT_OK;
}

static pt_status authenticate(pt__stream *stream, pt_error *err)
{
    const pt_mount *mount = stream->entered;
    const pt_authenticator *authenticator =
        mount->authenticator != NULL ? mount->authenticator : stream->connection->authenticator;
    if (authenticator != NULL && !stream->method->open_to_all)
        PT_TRY(authenticator->authenticate(authenticator->context, &stream->call, &stream->principal, err));
    if (!stream->principal.authenticated && mount->principal[0] != '\0')
        stream->principal = (pt_principal){mount->principal, true};
    return PT_OK;
}

static pt_status accept_headers(pt__stream *stream, pt_error *err)
{
    if (stream->refusal.status != PT_OK) {
        pt_error_move(err, &stream->refusal);
        return err->status;
    }
    PT_TRY(find_method(stream, err));
    PT_TRY(read_encodings(stream, err));
    PT_TRY(read_deadline(stream, err));
    return authenticate(stream, err);
}

static void start_handler(pt__stream *stream)
{
    stream->handler_attached = true;
    if (stream->method->started != NULL)
        stream->method->started(stream->mount, &stream->call);
}

static void turn_away(pt__stream *stream, pt_error *err)
{
    stream->method = NULL;
    leave_mount(stream);
    refuse_with(stream, err);
}

static void answer_headers(pt__stream *stream)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = accept_headers(stream, &err);
    if (status == PT_OK)
        start_handler(stream);
    else if (status != PT_NEED_MORE || stream->admission == NULL)
        turn_away(stream, &err);
    pt_error_clear(&err);
}

void pt__stream_headers_done(pt__stream *stream)
{
    stream->headers_done = true;
    if (stream->refusal.status == PT_OK && !header_is(stream, ":method", "POST"))
        pt__session_submit_http_error(stream, "405");
    else if (stream->refusal.status == PT_OK && !is_grpc(stream))
        pt__session_submit_http_error(stream, "415");
    else
        answer_headers(stream);
}

static bool takes_input(const pt__stream *stream)
{
    return stream->handler_attached && !stream->finished && !stream->ended;
}

static pt_status give_message(pt__stream *stream, pt_bytes_view message, pt_error *err)
{
    if (!stream->has_message)
        PT_TRY(pt_routes_claim(message, &stream->method, &stream->mount, &stream->entered, err));
    stream->has_message = true;
    stream->method->message(stream->mount, &stream->call, message);
    return PT_OK;
}

static void read_messages(pt__stream *stream, pt_bytes_view bytes)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    while (status == PT_OK && takes_input(stream)) {
        pt_bytes_view message;
        status = pt__message_reader_next(&stream->reader, &bytes, &message, &err);
        if (status == PT_OK)
            status = give_message(stream, message, &err);
    }
    if (status != PT_OK && status != PT_NEED_MORE)
        refuse_with(stream, &err);
}

static void receive(pt__stream *stream, pt_bytes_view bytes)
{
    pt_connection *connection = stream->connection;
    size_t held_before = pt__message_reader_held_bytes(&stream->reader);
    read_messages(stream, bytes);
    connection->receive_bytes += pt__message_reader_held_bytes(&stream->reader) - held_before;
    if (connection->receive_bytes > connection->limits.max_receive_bytes && takes_input(stream))
        refuse(stream, PT_GRPC_RESOURCE_EXHAUSTED,
               "the messages that this connection is sending are too large together");
}

/* Of a caller who is not known yet, little is kept. */
static void hold(pt__stream *stream, pt_bytes_view bytes)
{
    size_t before = stream->held.size_bytes;
    if (bytes.size_bytes <= PT_HELD_BYTES_MAX - before)
        pt__buffer_append(&stream->held, bytes.data, bytes.size_bytes);
    else
        stream->held.failed = true;
    stream->connection->receive_bytes += stream->held.size_bytes - before;
    if (!stream->held.failed)
        return;
    drop_admission(stream);
    refuse(stream, PT_GRPC_RESOURCE_EXHAUSTED, "the call sends too much before it is signed in");
}

void pt__stream_body(pt__stream *stream, pt_bytes_view bytes)
{
    if (stream->admission != NULL)
        hold(stream, bytes);
    else
        receive(stream, bytes);
}

/* What came while the call waited. */
static void release_held(pt__stream *stream)
{
    pt__buffer held = stream->held;
    stream->held = (pt__buffer)PT_BUFFER_INIT;
    stream->connection->receive_bytes -= held.size_bytes;
    receive(stream, pt__buffer_view(&held));
    pt__buffer_deinit(&held);
    if (stream->input_ended)
        pt__stream_half_close(stream);
}

void pt__stream_admit(pt__stream *stream, char *take_name, pt_error *err)
{
    stream->admission = NULL;
    if (take_name == NULL) {
        stream->connection->receive_bytes -= stream->held.size_bytes;
        pt__buffer_deinit(&stream->held);
        turn_away(stream, err);
        return;
    }
    stream->kept_texts[stream->kept_text_count++] = take_name;
    stream->principal = (pt_principal){take_name, true};
    start_handler(stream);
    release_held(stream);
}

void pt__stream_half_close(pt__stream *stream)
{
    stream->input_ended = true;
    if (!takes_input(stream))
        return;
    if (!pt__message_reader_is_between(&stream->reader))
        refuse(stream, PT_GRPC_INTERNAL, "the request ends inside of a message");
    else if (stream->method->half_closed != NULL)
        stream->method->half_closed(stream->mount, &stream->call);
}

void pt__stream_left_transport(pt__stream *stream, uint32_t error_code)
{
    stream->in_transport = false;
    drop_queue(stream);
    drop_admission(stream);
    if (!stream->handler_attached) {
        free_if_over(stream);
        return;
    }
    bool whole = stream->trailers_sent || (stream->finished && error_code == NGHTTP2_NO_ERROR);
    pt__stream_end(stream, whole ? PT_CALL_FINISHED : PT_CALL_RESET);
    pt__connection_add_event(stream->connection, stream);
}

/* Ends a call that is neither over nor has only its last trailers on their way. */
static void end_early(pt__stream *stream, const pt_call_status *status, pt_call_end end)
{
    if (!takes_input(stream) && stream->queue.size_bytes == 0 && stream->admission == NULL)
        return;
    if (stream->admission != NULL) {
        drop_admission(stream);
        finish(stream, status);
        return;
    }
    bool cut = stream->queue.size_bytes != 0;
    drop_queue(stream);
    if (cut)
        pt__session_reset(stream, NGHTTP2_CANCEL);
    finish(stream, status);
    pt__stream_end(stream, end);
}

void pt__stream_expire(pt__stream *stream)
{
    stream->deadline_ms = 0;
    end_early(stream, &(pt_call_status){PT_GRPC_DEADLINE_EXCEEDED, "the deadline of the call passed", {NULL, 0}},
              PT_CALL_DEADLINE);
}

void pt__stream_cut(pt__stream *stream)
{
    end_early(stream, &(pt_call_status){PT_GRPC_UNAVAILABLE, "the service is not served here any more", {NULL, 0}},
              PT_CALL_UNMOUNTED);
}

/* Clients make UNAVAILABLE of this code; those that can resume a result then do, when they read on. */
void pt__stream_stalled(pt__stream *stream)
{
    drop_queue(stream);
    pt__session_reset(stream, NGHTTP2_REFUSED_STREAM);
    pt__stream_end(stream, PT_CALL_RESET);
}

static void tell_writable(pt__stream *stream)
{
    bool wants = takes_input(stream) && stream->method->writable != NULL;
    if (wants && stream->queue.size_bytes < PT_LOW_MARK_BYTES)
        stream->method->writable(stream->mount, &stream->call);
}

void pt__stream_run_event(pt__stream *stream)
{
    stream->has_event = false;
    if (!stream->ended) {
        tell_writable(stream);
    } else if (stream->handler_attached) {
        stream->handler_attached = false;
        if (stream->method->closed != NULL)
            stream->method->closed(stream->mount, &stream->call, stream->end);
        leave_mount(stream);
    }
    free_if_over(stream);
}

bool pt__stream_move_body(pt__stream *stream, size_t size_bytes)
{
    size_t before = stream->queue.size_bytes;
    bool moved = pt__outbox_move(&stream->connection->outbox, &stream->queue, size_bytes);
    size_t after = stream->queue.size_bytes;
    stream->connection->queued_bytes -= before - after;
    stream->waiting = false;
    bool fell = before >= PT_LOW_MARK_BYTES && after < PT_LOW_MARK_BYTES;
    if ((fell || after == 0) && takes_input(stream))
        pt__connection_add_event(stream->connection, stream);
    return moved;
}

/* The call as its handler sees it. */

static bool call_metadata(pt_call *call, const char *key, pt_bytes_view *value)
{
    return pt__metadata_get(&pt__stream_of(call)->metadata, key, value);
}

static const pt_principal *call_principal(pt_call *call)
{
    return &pt__stream_of(call)->principal;
}

static pt_mailbox *call_mailbox(pt_call *call)
{
    return pt__stream_of(call)->connection->mailbox;
}

static size_t call_queued_bytes(pt_call *call)
{
    return pt__stream_of(call)->queue.size_bytes;
}

static uint64_t call_deadline_ms(pt_call *call)
{
    return pt__stream_of(call)->deadline_ms;
}

static pt_status call_add_header(pt_call *call, const char *name, const char *value, pt_error *err)
{
    pt__stream *stream = pt__stream_of(call);
    if (stream->answered || stream->ended)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the response has begun without the header %s", name);
    if (stream->header_count == PT_CALL_HEADERS_MAX)
        return pt_error_set(err, PT_LIMIT, "a response takes %d headers", PT_CALL_HEADERS_MAX);
    char *copy = strdup(value);
    if (copy == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the header %s", name);
    stream->header_names[stream->header_count] = name;
    stream->header_values[stream->header_count++] = copy;
    return PT_OK;
}

static const char *call_connection_id(pt_call *call)
{
    pt_connection *connection = pt__stream_of(call)->connection;
    if (connection->id[0] == '\0')
        pt__uuid_v4_text(connection->id);
    return connection->id;
}

static const char *call_peer(pt_call *call)
{
    return pt__stream_of(call)->connection->peer;
}

/* The last one is kept free for the name of who is let in. */
static const char *call_keep_text(pt_call *call, const char *text)
{
    pt__stream *stream = pt__stream_of(call);
    char *copy = stream->kept_text_count + 1 < PT_KEPT_TEXTS_MAX ? strdup(text) : NULL;
    if (copy != NULL)
        stream->kept_texts[stream->kept_text_count++] = copy;
    return copy;
}

static pt_status call_put_off(pt_call *call, pt_admission **out, pt_error *err)
{
    pt__stream *stream = pt__stream_of(call);
    assert(stream->admission == NULL && !stream->handler_attached);
    PT_TRY(pt__admission_new(stream, stream->connection->mailbox, out, err));
    stream->admission = *out;
    return PT_OK;
}

static void call_finish(pt_call *call, const pt_call_status *status)
{
    finish(pt__stream_of(call), status);
}

static pt_bytes *call_keep_message(pt_call *call, pt_bytes_view *message)
{
    return pt__message_reader_keep(&pt__stream_of(call)->reader, message);
}

static void call_pause(pt_call *call, bool paused)
{
    pt__stream *stream = pt__stream_of(call);
    stream->is_paused = paused;
    if (!paused)
        pt__session_reopen_window(stream);
}

static void unref_segments(const pt_segment *segments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pt_bytes_unref(segments[i].owner);
}

static pt_status check_may_send(const pt__stream *stream, uint64_t size_bytes, pt_error *err)
{
    const pt_connection *connection = stream->connection;
    if (stream->ended)
        return pt_error_set(err, PT_CANCELLED, "the call is over");
    if (stream->finished)
        return pt_error_set(err, PT_INTERNAL, "a message was sent after the call's status");
    if (size_bytes > UINT32_MAX)
        return pt_error_set(err, PT_LIMIT, "a message of %llu bytes is too large for gRPC",
                            (unsigned long long)size_bytes);
    if (connection->queued_bytes > connection->limits.max_queued_bytes)
        return pt_error_set(err, PT_LIMIT, "%zu bytes wait for a client that does not read them",
                            connection->queued_bytes);
    return PT_OK;
}

static bool queue_prefix(pt__stream *stream, bool compressed, size_t size)
{
    uint8_t prefix[PT_MESSAGE_PREFIX_BYTES] = {compressed, (uint8_t)(size >> 24), (uint8_t)(size >> 16),
                                               (uint8_t)(size >> 8), (uint8_t)size};
    return pt__outbox_copy(&stream->queue, prefix, sizeof(prefix));
}

static bool queue_segment(pt__stream *stream, const pt_segment *segment)
{
    pt_bytes *owner = segment->owner != NULL ? segment->owner : pt_bytes_copy(segment->view);
    if (owner == NULL)
        return false;
    pt_bytes_view view = segment->owner != NULL ? segment->view : pt_bytes_get_view(owner);
    return pt__outbox_add(&stream->queue, owner, view);
}

static bool queue_plain(pt__stream *stream, const pt_segment *segments, size_t count, size_t size)
{
    bool queued = queue_prefix(stream, false, size);
    for (size_t i = 0; i < count; i++) {
        if (queued)
            queued = queue_segment(stream, &segments[i]);
        else
            pt_bytes_unref(segments[i].owner);
    }
    return queued;
}

static bool queue_compressed(pt__stream *stream, const pt_segment *segments, size_t count)
{
    pt__buffer compressed = PT_BUFFER_INIT;
    pt_status status = pt__compress_gzip(segments, count, &compressed, NULL);
    unref_segments(segments, count);
    size_t size = compressed.size_bytes;
    pt_bytes *owner = pt__buffer_take(&compressed);
    if (status != PT_OK || owner == NULL || !queue_prefix(stream, true, size)) {
        pt_bytes_unref(owner);
        return false;
    }
    return pt__outbox_add(&stream->queue, owner, pt_bytes_get_view(owner));
}

static bool queue_message(pt__stream *stream, const pt_segment *segments, size_t count, size_t size)
{
    size_t before = stream->queue.size_bytes;
    bool compress = stream->gzip && size >= COMPRESSED_MESSAGE_BYTES_MIN;
    bool queued = compress ? queue_compressed(stream, segments, count) : queue_plain(stream, segments, count, size);
    stream->connection->queued_bytes += stream->queue.size_bytes - before;
    return queued;
}

static pt_status call_send(pt_call *call, const pt_segment *segments, size_t count, pt_error *err)
{
    pt__stream *stream = pt__stream_of(call);
    uint64_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += segments[i].view.size_bytes;
    pt_status status = check_may_send(stream, size, err);
    if (status != PT_OK) {
        unref_segments(segments, count);
        return status;
    }
    if (!queue_message(stream, segments, count, (size_t)size)) {
        /* Part of a message may be queued already, so no status can follow it. */
        drop_queue(stream);
        pt__session_reset(stream, NGHTTP2_INTERNAL_ERROR);
        pt__stream_end(stream, PT_CALL_RESET);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to queue a message");
    }
    if (stream->answered)
        pt__session_resume(stream);
    else
        pt__session_submit_headers(stream);
    return PT_OK;
}

static const pt_call_vtable stream_call = {
    .size_bytes = sizeof(pt_call_vtable),
    .metadata = call_metadata,
    .principal = call_principal,
    .mailbox = call_mailbox,
    .send = call_send,
    .queued_bytes = call_queued_bytes,
    .finish = call_finish,
    .deadline_ms = call_deadline_ms,
    .add_header = call_add_header,
    .connection_id = call_connection_id,
    .keep_message = call_keep_message,
    .pause = call_pause,
    .peer = call_peer,
    .keep_text = call_keep_text,
    .put_off = call_put_off,
};

#include "wire/rpc_client.h"

#include "base/unconst.h"
#include "wire/message_reader.h"
#include "wire/outbox.h"

#include <nghttp2/nghttp2.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECTION_WINDOW_BYTES = 256 * 1024 * 1024, /* calls are slowed down each by its own window */
    FRAME_BYTES_MAX = 1024 * 1024,
    OUTBOX_TARGET_BYTES = 1024 * 1024,
    STATUS_TEXT_BYTES_MAX = 65536, /* of an encoded grpc-message */
    NO_STATUS = 255
};

typedef struct message {
    pt_bytes *bytes;
    struct message *next;
} message;

struct pt__rpc_call {
    pt__rpc_client *client;
    pt__rpc_call *previous;
    pt__rpc_call *next;
    int32_t id;
    bool in_transport; /* nghttp2 knows it */
    bool ended;
    pt_error failure;
    uint64_t deadline_ms;
    pt_bytes *request; /* framed */
    size_t sent_bytes;
    pt__message_reader reader;
    message *first; /* messages not taken yet */
    message **last;
    size_t unconsumed_bytes; /* of the stream's window */
    char http_status[4];
    uint64_t grpc_code; /* NO_STATUS until it came */
    pt__buffer status_text;
};

struct pt__rpc_client {
    nghttp2_session *session;
    char *authority;
    uint64_t message_limit_bytes;
    uint32_t window_bytes;
    pt__outbox outbox;
    pt__rpc_call *calls;
    uint64_t now_ms;
    bool is_closing; /* lost, failed or told to go away */
    bool is_failed;
    pt_error failure;
};

/* ---- the end of a call ---- */

static void end_call(pt__rpc_call *call, pt_error *take_failure)
{
    if (!call->ended) {
        call->ended = true;
        pt_error_move(&call->failure, take_failure);
    }
    pt_error_clear(take_failure);
}

__attribute__((format(printf, 3, 4))) static void end_call_with(pt__rpc_call *call, pt_status status,
                                                                const char *format, ...)
{
    char text[PT_ERROR_MESSAGE_MAX + 1];
    pt_error err = PT_ERROR_INIT;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    pt_error_set(&err, status, "%s", text);
    end_call(call, &err);
}

static void reset_call(pt__rpc_call *call)
{
    if (call->in_transport)
        (void)nghttp2_submit_rst_stream(call->client->session, NGHTTP2_FLAG_NONE, call->id, NGHTTP2_CANCEL);
}

pt_status pt__rpc_status(uint64_t grpc_code)
{
    static const pt_status statuses[] = {
        [PT_GRPC_OK] = PT_OK,
        [PT_GRPC_CANCELLED] = PT_CANCELLED,
        [PT_GRPC_UNKNOWN] = PT_EXECUTION,
        [PT_GRPC_INVALID_ARGUMENT] = PT_INVALID_ARGUMENT,
        [PT_GRPC_DEADLINE_EXCEEDED] = PT_TIMEOUT,
        [PT_GRPC_NOT_FOUND] = PT_NOT_FOUND,
        [PT_GRPC_ALREADY_EXISTS] = PT_ALREADY_EXISTS,
        [PT_GRPC_PERMISSION_DENIED] = PT_PERMISSION_DENIED,
        [PT_GRPC_RESOURCE_EXHAUSTED] = PT_LIMIT,
        [PT_GRPC_FAILED_PRECONDITION] = PT_EXECUTION,
        [PT_GRPC_ABORTED] = PT_UNAVAILABLE,
        [PT_GRPC_OUT_OF_RANGE] = PT_LIMIT,
        [PT_GRPC_UNIMPLEMENTED] = PT_UNSUPPORTED,
        [PT_GRPC_INTERNAL] = PT_INTERNAL,
        [PT_GRPC_UNAVAILABLE] = PT_UNAVAILABLE,
        [PT_GRPC_DATA_LOSS] = PT_IO,
        [PT_GRPC_UNAUTHENTICATED] = PT_UNAUTHENTICATED,
    };
    return grpc_code < sizeof(statuses) / sizeof(statuses[0]) ? statuses[grpc_code] : PT_EXECUTION;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decoding in place; what is no escape stands for itself, as the specification asks. */
static const char *decode_text(pt__buffer *text)
{
    size_t size = 0;
    for (size_t i = 0; i < text->size_bytes; i++) {
        int high = text->data[i] == '%' && i + 2 < text->size_bytes ? hex_digit(text->data[i + 1]) : -1;
        int low = high < 0 ? -1 : hex_digit(text->data[i + 2]);
        text->data[size++] = low < 0 ? text->data[i] : (uint8_t)(high * 16 + low);
        i += low < 0 ? 0 : 2;
    }
    text->size_bytes = size;
    return pt__buffer_string(text);
}

static void end_by_status(pt__rpc_call *call)
{
    if (call->http_status[0] != '\0' && strcmp(call->http_status, "200") != 0)
        end_call_with(call, PT_UNAVAILABLE, "the server answered with HTTP status %s", call->http_status);
    else if (call->grpc_code == NO_STATUS)
        end_call_with(call, PT_INTERNAL, "the server ended the call without a status");
    else if (call->grpc_code == PT_GRPC_OK && !pt__message_reader_is_between(&call->reader))
        end_call_with(call, PT_BAD_MESSAGE, "the server's last message is cut off");
    else if (call->grpc_code != PT_GRPC_OK)
        end_call_with(call, pt__rpc_status(call->grpc_code), "%s", decode_text(&call->status_text));
    call->ended = true;
}

/* ---- what comes in ---- */

static pt__rpc_call *find_call(nghttp2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session, id);
}

static bool is_name(const char *wanted, const uint8_t *name, size_t size)
{
    return strlen(wanted) == size && memcmp(wanted, name, size) == 0;
}

static uint64_t parse_code(const uint8_t *value, size_t size)
{
    uint64_t code = 0;
    if (size == 0 || size > 3)
        return PT_GRPC_UNKNOWN;
    for (size_t i = 0; i < size; i++) {
        if (value[i] < '0' || value[i] > '9')
            return PT_GRPC_UNKNOWN;
        code = code * 10 + (uint64_t)(value[i] - '0');
    }
    return code == NO_STATUS ? PT_GRPC_UNKNOWN : code;
}

static void take_encoding(pt__rpc_call *call, pt_bytes_view name)
{
    if (pt__encoding_from_name(name, &call->reader.encoding))
        return;
    end_call_with(call, PT_UNSUPPORTED, "the server's messages have the encoding %.*s, which is not known here",
                  (int)(name.size_bytes < 64 ? name.size_bytes : 64), (const char *)name.data);
    reset_call(call);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user_data)
{
    (void)flags;
    (void)user_data;
    pt__rpc_call *call = find_call(session, frame->hd.stream_id);
    if (call == NULL)
        return 0;
    if (is_name(":status", name, name_size))
        snprintf(call->http_status, sizeof(call->http_status), "%.*s", (int)value_size, (const char *)value);
    else if (is_name("grpc-status", name, name_size))
        call->grpc_code = parse_code(value, value_size);
    else if (is_name("grpc-message", name, name_size) && value_size <= STATUS_TEXT_BYTES_MAX) {
        pt__buffer_reset(&call->status_text);
        pt__buffer_append(&call->status_text, value, value_size);
    } else if (is_name("grpc-encoding", name, name_size))
        take_encoding(call, (pt_bytes_view){value, value_size});
    return 0;
}

static bool keep_message(pt__rpc_call *call, pt_bytes_view view)
{
    message *kept = calloc(1, sizeof(*kept));
    if (kept == NULL)
        return false;
    /* What was put together from parts is handed on as it is. */
    bool is_own = view.size_bytes != 0 && view.data == call->reader.body.data;
    kept->bytes = is_own ? pt__buffer_take(&call->reader.body) : pt_bytes_copy(view);
    if (kept->bytes == NULL) {
        free(kept);
        return false;
    }
    *call->last = kept;
    call->last = &kept->next;
    return true;
}

static void read_messages(pt__rpc_call *call, pt_bytes_view input)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = PT_OK;
    while (status == PT_OK && !call->ended) {
        pt_bytes_view view = {NULL, 0};
        status = pt__message_reader_next(&call->reader, &input, &view, &err);
        if (status == PT_OK && !keep_message(call, view))
            status = pt_error_set(&err, PT_NO_MEMORY, "no memory for a message");
    }
    if (status != PT_OK && status != PT_NEED_MORE) {
        end_call(call, &err);
        reset_call(call);
    }
    pt_error_clear(&err);
}

/* While no message waits, the server may go on: the one that is arriving may be larger than the window. */
static void open_window(pt__rpc_call *call)
{
    if (call->in_transport && call->first == NULL && call->unconsumed_bytes != 0) {
        (void)nghttp2_session_consume_stream(call->client->session, call->id, call->unconsumed_bytes);
        call->unconsumed_bytes = 0;
    }
}

static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size,
                         void *user_data)
{
    (void)flags;
    (void)user_data;
    pt__rpc_call *call = find_call(session, id);
    (void)nghttp2_session_consume_connection(session, size);
    if (call == NULL || call->ended)
        return 0;
    call->unconsumed_bytes += size;
    read_messages(call, (pt_bytes_view){data, size});
    open_window(call);
    return 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    pt__rpc_client *client = user_data;
    if (frame->hd.type == NGHTTP2_GOAWAY)
        client->is_closing = true;
    if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        return 0;
    pt__rpc_call *call = find_call(session, frame->hd.stream_id);
    if (call != NULL)
        end_by_status(call);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *user_data)
{
    (void)user_data;
    pt__rpc_call *call = find_call(session, id);
    if (call == NULL)
        return 0;
    call->in_transport = false;
    if (code == NGHTTP2_REFUSED_STREAM)
        end_call_with(call, PT_UNAVAILABLE, "the server refused the call");
    else
        end_call_with(call, PT_INTERNAL, "the server reset the call: %s", nghttp2_http2_strerror(code));
    return 0;
}

/* ---- what goes out ---- */

static ssize_t read_request(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t length, uint32_t *flags,
                            nghttp2_data_source *source, void *user_data)
{
    (void)session;
    (void)id;
    (void)user_data;
    pt__rpc_call *call = source->ptr;
    pt_bytes_view request = pt_bytes_get_view(call->request);
    size_t left = request.size_bytes - call->sent_bytes;
    size_t count = left < length ? left : length;
    memcpy(buffer, request.data + call->sent_bytes, count);
    call->sent_bytes += count;
    if (call->sent_bytes == request.size_bytes)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)count;
}

static int make_session(pt__rpc_client *client)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    int result = nghttp2_session_callbacks_new(&callbacks);
    if (result == 0)
        result = nghttp2_option_new(&option);
    if (result == 0) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
        nghttp2_option_set_no_auto_window_update(option, 1);
        nghttp2_option_set_no_closed_streams(option, 1);
        result = nghttp2_session_client_new2(&client->session, callbacks, client, option);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return result;
}

static pt_status open_session(pt__rpc_client *client, pt_error *err)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, client->window_bytes},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, FRAME_BYTES_MAX},
    };
    size_t count = sizeof(settings) / sizeof(settings[0]);
    if (make_session(client) != 0 ||
        nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, settings, count) != 0 ||
        nghttp2_session_set_local_window_size(client->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW_BYTES) != 0)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an HTTP/2 session");
    return PT_OK;
}

pt_status pt__rpc_client_new(const pt__rpc_client_options *options, pt__rpc_client **out, pt_error *err)
{
    pt__rpc_client *client = calloc(1, sizeof(*client));
    if (client == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a client");
    client->message_limit_bytes = options->message_limit_bytes;
    client->window_bytes = options->window_bytes;
    client->authority = strdup(options->authority);
    pt_status status = client->authority == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for a client")
                                                 : open_session(client, err);
    if (status == PT_OK)
        *out = client;
    else
        pt__rpc_client_free(client);
    return status;
}

void pt__rpc_client_free(pt__rpc_client *client)
{
    if (client == NULL)
        return;
    nghttp2_session_del(client->session);
    pt__outbox_deinit(&client->outbox);
    pt_error_clear(&client->failure);
    free(client->authority);
    free(client);
}

/* ---- the connection ---- */

static void end_all(pt__rpc_client *client, pt_status status, const char *reason)
{
    client->is_closing = true;
    for (pt__rpc_call *call = client->calls; call != NULL; call = call->next)
        end_call_with(call, status, "%s", reason);
}

void pt__rpc_client_lost(pt__rpc_client *client, const char *reason)
{
    end_all(client, PT_UNAVAILABLE, reason);
}

static void fail(pt__rpc_client *client, pt_status status, const char *reason)
{
    if (client->is_failed)
        return;
    client->is_failed = true;
    pt_error_set(&client->failure, status, "HTTP/2: %s", reason);
    end_all(client, status, client->failure.message);
}

pt_status pt__rpc_client_feed(pt__rpc_client *client, pt_bytes_view input, uint64_t now_ms, pt_error *err)
{
    client->now_ms = now_ms;
    if (!client->is_failed) {
        ssize_t taken = nghttp2_session_mem_recv(client->session, input.data, input.size_bytes);
        if (taken < 0)
            fail(client, taken == NGHTTP2_ERR_NOMEM ? PT_NO_MEMORY : PT_BAD_MESSAGE, nghttp2_strerror((int)taken));
    }
    if (client->is_failed && err != NULL)
        pt_error_copy(err, &client->failure);
    return client->is_failed ? client->failure.status : PT_OK;
}

size_t pt__rpc_client_pending(pt__rpc_client *client, struct iovec *out, size_t max)
{
    while (!client->is_failed && client->outbox.size_bytes < OUTBOX_TARGET_BYTES) {
        const uint8_t *frame;
        ssize_t size = nghttp2_session_mem_send(client->session, &frame);
        if (size == 0)
            break;
        if (size < 0 || !pt__outbox_copy(&client->outbox, frame, (size_t)size))
            fail(client, PT_NO_MEMORY, size < 0 ? nghttp2_strerror((int)size) : "no memory for a frame");
    }
    /* nghttp2 has just written its last GOAWAY. */
    if (!client->is_closing && !nghttp2_session_want_read(client->session))
        fail(client, PT_BAD_MESSAGE, "the server broke the protocol");
    return pt__outbox_peek(&client->outbox, out, max);
}

void pt__rpc_client_sent(pt__rpc_client *client, size_t size_bytes)
{
    pt__outbox_drop(&client->outbox, size_bytes);
}

void pt__rpc_client_tick(pt__rpc_client *client, uint64_t now_ms)
{
    client->now_ms = now_ms;
    for (pt__rpc_call *call = client->calls; call != NULL; call = call->next) {
        if (call->ended || call->deadline_ms == 0 || call->deadline_ms > now_ms)
            continue;
        end_call_with(call, PT_TIMEOUT, "the server did not answer in time");
        reset_call(call);
    }
}

uint64_t pt__rpc_client_next_tick_ms(const pt__rpc_client *client)
{
    uint64_t next_ms = UINT64_MAX;
    for (const pt__rpc_call *call = client->calls; call != NULL; call = call->next)
        if (!call->ended && call->deadline_ms != 0 && call->deadline_ms < next_ms)
            next_ms = call->deadline_ms;
    return next_ms;
}

bool pt__rpc_client_is_usable(const pt__rpc_client *client)
{
    return !client->is_closing;
}

/* ---- calls ---- */

static bool frame_request(pt__rpc_call *call, pt_bytes_view view)
{
    pt__buffer framed = PT_BUFFER_INIT;
    uint8_t prefix[PT_MESSAGE_PREFIX_BYTES] = {0, (uint8_t)(view.size_bytes >> 24), (uint8_t)(view.size_bytes >> 16),
                                               (uint8_t)(view.size_bytes >> 8), (uint8_t)view.size_bytes};
    pt__buffer_append(&framed, prefix, sizeof(prefix));
    pt__buffer_append(&framed, view.data, view.size_bytes);
    call->request = pt__buffer_take(&framed);
    pt__buffer_deinit(&framed);
    return call->request != NULL;
}

static nghttp2_nv field(const char *name, const char *value)
{
    return (nghttp2_nv){pt__unconst(name), pt__unconst(value), strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

/* Eight digits at most, so that long times are given in seconds. */
static const char *timeout_text(const pt__rpc_request *request, char *out, size_t size_bytes)
{
    enum { MOST = 99999999 };
    uint64_t left_ms = request->deadline_ms > request->now_ms ? request->deadline_ms - request->now_ms : 1;
    if (left_ms <= MOST)
        snprintf(out, size_bytes, "%llum", (unsigned long long)left_ms);
    else
        snprintf(out, size_bytes, "%lluS", (unsigned long long)(left_ms / 1000 < MOST ? left_ms / 1000 : MOST));
    return out;
}

static pt_status submit(pt__rpc_call *call, const pt__rpc_request *request, pt_error *err)
{
    char timeout[32];
    nghttp2_nv fields[9];
    size_t count = 0;
    fields[count++] = field(":method", "POST");
    fields[count++] = field(":scheme", "http");
    fields[count++] = field(":path", request->path);
    fields[count++] = field(":authority", call->client->authority);
    fields[count++] = field("te", "trailers");
    fields[count++] = field("content-type", "application/grpc");
    fields[count++] = field("user-agent", "portico");
    fields[count++] = field("grpc-accept-encoding", "identity,deflate,gzip");
    if (request->deadline_ms != 0)
        fields[count++] = field("grpc-timeout", timeout_text(request, timeout, sizeof(timeout)));
    nghttp2_data_provider provider = {.source.ptr = call, .read_callback = read_request};
    call->id = nghttp2_submit_request(call->client->session, NULL, fields, count, &provider, call);
    if (call->id < 0)
        return pt_error_set(err, call->id == NGHTTP2_ERR_NOMEM ? PT_NO_MEMORY : PT_UNAVAILABLE, "HTTP/2: %s",
                            nghttp2_strerror(call->id));
    call->in_transport = true;
    return PT_OK;
}

pt_status pt__rpc_call_new(pt__rpc_client *client, const pt__rpc_request *request, pt__rpc_call **out, pt_error *err)
{
    if (client->is_closing)
        return pt_error_set(err, PT_UNAVAILABLE, "the connection to %s is closing", client->authority);
    if (request->message.size_bytes > UINT32_MAX)
        return pt_error_set(err, PT_LIMIT, "a request of %zu bytes is too large for gRPC", request->message.size_bytes);
    pt__rpc_call *call = calloc(1, sizeof(*call));
    if (call == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a call");
    call->client = client;
    call->deadline_ms = request->deadline_ms;
    call->grpc_code = NO_STATUS;
    call->reader.limit_bytes = client->message_limit_bytes;
    call->last = &call->first;
    call->next = client->calls;
    if (call->next != NULL)
        call->next->previous = call;
    client->calls = call;
    pt_status status = frame_request(call, request->message)
                           ? submit(call, request, err)
                           : pt_error_set(err, PT_NO_MEMORY, "no memory for a request");
    if (status == PT_OK)
        *out = call;
    else
        pt__rpc_call_free(call);
    return status;
}

static void unlist(pt__rpc_call *call)
{
    if (call->next != NULL)
        call->next->previous = call->previous;
    *(call->previous != NULL ? &call->previous->next : &call->client->calls) = call->next;
}

void pt__rpc_call_free(pt__rpc_call *call)
{
    if (call == NULL)
        return;
    if (call->in_transport) {
        reset_call(call);
        nghttp2_session_set_stream_user_data(call->client->session, call->id, NULL);
    }
    unlist(call);
    while (call->first != NULL) {
        message *next = call->first->next;
        pt_bytes_unref(call->first->bytes);
        free(call->first);
        call->first = next;
    }
    pt__message_reader_deinit(&call->reader);
    pt__buffer_deinit(&call->status_text);
    pt_bytes_unref(call->request);
    pt_error_clear(&call->failure);
    free(call);
}

void pt__rpc_call_cancel(pt__rpc_call *call)
{
    end_call_with(call, PT_CANCELLED, "the call was cancelled");
    reset_call(call);
}

pt__rpc_event pt__rpc_call_next(pt__rpc_call *call, pt_bytes **out)
{
    message *first = call->first;
    if (first == NULL)
        return call->ended ? PT_RPC_END : PT_RPC_WAIT;
    *out = first->bytes;
    call->first = first->next;
    if (call->first == NULL)
        call->last = &call->first;
    free(first);
    open_window(call);
    return PT_RPC_MESSAGE;
}

pt_status pt__rpc_call_failure(const pt__rpc_call *call, pt_error *err)
{
    if (call->failure.status != PT_OK && err != NULL)
        pt_error_copy(err, &call->failure);
    return call->failure.status;
}

#include "wire/test_client.h"

#include "base/test_memory.h"
#include "base/unconst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_WINDOW_BYTES = 64 * 1024 * 1024, IOVECS = 8, PREFIX_BYTES = 5, HEADERS_MAX = 24 };

/* What waits to be sent as a request's body. */
typedef struct request {
    pt__buffer body;
    size_t sent_bytes;
    bool ended;
} request;

static request requests[PT_TEST_REPLIES_MAX * 2 + 2]; /* by stream id; tests run one after another */

static request *request_of(int32_t id)
{
    return &requests[(size_t)id % (sizeof(requests) / sizeof(requests[0]))];
}

pt__test_reply *pt__test_client_reply(pt__test_client *client, int32_t id)
{
    for (size_t i = 0; i < client->reply_count; i++)
        if (client->replies[i].id == id)
            return &client->replies[i];
    static pt__test_reply none;
    return &none;
}

static void copy_value(char *out, size_t out_bytes, const uint8_t *value, size_t size)
{
    snprintf(out, out_bytes, "%.*s", (int)size, (const char *)value);
}

static void set_buffer(pt__buffer *out, const uint8_t *value, size_t size)
{
    pt__buffer_reset(out);
    pt__buffer_append(out, value, size);
}

static bool is_name(const char *wanted, const uint8_t *name, size_t size)
{
    return strlen(wanted) == size && memcmp(wanted, name, size) == 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user_data)
{
    (void)session;
    (void)flags;
    pt__test_reply *reply = pt__test_client_reply(user_data, frame->hd.stream_id);
    if (is_name(":status", name, name_size))
        copy_value(reply->http_status, sizeof(reply->http_status), value, value_size);
    else if (is_name("grpc-status", name, name_size))
        copy_value(reply->grpc_status, sizeof(reply->grpc_status), value, value_size);
    else if (is_name("grpc-encoding", name, name_size))
        copy_value(reply->encoding, sizeof(reply->encoding), value, value_size);
    else if (is_name("grpc-message", name, name_size))
        set_buffer(&reply->message, value, value_size);
    else if (is_name("grpc-status-details-bin", name, name_size))
        set_buffer(&reply->details, value, value_size);
    return 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    (void)session;
    pt__test_client *client = user_data;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        client->goaways++;
        client->goaway_code = frame->goaway.error_code;
    } else if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK)) {
        client->pings_answered++;
        memcpy(client->last_ping, frame->ping.opaque_data, sizeof(client->last_ping));
    } else if (frame->hd.type == NGHTTP2_DATA) {
        pt__test_client_reply(client, frame->hd.stream_id)->data_frames++;
    } else if (frame->hd.type == NGHTTP2_HEADERS) {
        pt__test_client_reply(client, frame->hd.stream_id)->header_frames++;
    }
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size,
                   void *user_data)
{
    (void)session;
    (void)flags;
    pt__buffer_append(&pt__test_client_reply(user_data, id)->body, data, size);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *user_data)
{
    (void)session;
    pt__test_reply *reply = pt__test_client_reply(user_data, id);
    reply->closed = true;
    reply->error_code = code;
    return 0;
}

static void on_ready(void *context, pt_connection *connection)
{
    (void)connection;
    pt__test_client *client = context;
    client->ready_count++;
}

static bool open_session(pt__test_client *client, const pt__test_client_options *options)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0)
        return false;
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_option_set_no_auto_window_update(option, options->no_auto_window);
    int result = nghttp2_session_client_new2(&client->session, callbacks, client, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    uint32_t window = options->stream_window_bytes != 0 ? options->stream_window_bytes : LARGE_WINDOW_BYTES;
    uint32_t frame = options->frame_bytes_max != 0 ? options->frame_bytes_max : 16384;
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window},
                                         {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, frame}};
    return result == 0 && nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, settings, 2) == 0 &&
           nghttp2_session_set_local_window_size(client->session, NGHTTP2_FLAG_NONE, 0, LARGE_WINDOW_BYTES) == 0;
}

bool pt__test_client_init(pt__test_client *client, pt_routes *routes, const pt__test_client_options *options)
{
    static const pt__test_client_options usual;
    memset(client, 0, sizeof(*client));
    client->now_ms = 1000000;
    options = options != NULL ? options : &usual;
    if (!open_session(client, options))
        return false;
    pt_connection_info info = {
        .size_bytes = sizeof(info),
        .peer = "test",
        .authenticator = options->authenticator,
        .mailbox = options->mailbox,
        .limits = options->limits,
        .now_ms = client->now_ms,
        .ready = on_ready,
        .ready_context = client,
    };
    return pt_connection_new(NULL, routes, &info, &client->connection, NULL) == PT_OK;
}

void pt__test_client_deinit(pt__test_client *client)
{
    pt_connection_free(client->connection);
    nghttp2_session_del(client->session);
    pt_error_clear(&client->feed_error);
    for (size_t i = 0; i < client->reply_count; i++) {
        pt__buffer_deinit(&client->replies[i].message);
        pt__buffer_deinit(&client->replies[i].details);
        pt__buffer_deinit(&client->replies[i].body);
    }
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        pt__buffer_deinit(&requests[i].body);
        requests[i] = (request){0};
    }
}

static nghttp2_nv field(const char *name, const char *value)
{
    return (nghttp2_nv){pt__unconst(name), pt__unconst(value), strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static ssize_t read_request(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t length, uint32_t *flags,
                            nghttp2_data_source *source, void *user_data)
{
    (void)session;
    (void)source;
    (void)user_data;
    request *sent = request_of(id);
    size_t left = sent->body.size_bytes - sent->sent_bytes;
    size_t count = left < length ? left : length;
    if (count == 0 && !sent->ended)
        return NGHTTP2_ERR_DEFERRED;
    if (count != 0)
        memcpy(buffer, sent->body.data + sent->sent_bytes, count);
    sent->sent_bytes += count;
    if (sent->ended && sent->sent_bytes == sent->body.size_bytes)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)count;
}

static bool replaces(const pt__test_header *extra, const char *name)
{
    for (; extra != NULL && extra->name != NULL; extra++)
        if (strcmp(extra->name, name) == 0)
            return true;
    return false;
}

int32_t pt__test_client_open(pt__test_client *client, const char *path, const pt__test_header *extra)
{
    static const pt__test_header usual[] = {{":method", "POST"},
                                            {":scheme", "http"},
                                            {":authority", "test"},
                                            {"content-type", "application/grpc"},
                                            {"te", "trailers"}};
    nghttp2_nv fields[HEADERS_MAX];
    size_t count = 0;
    fields[count++] = field(":path", path);
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (!replaces(extra, usual[i].name))
            fields[count++] = field(usual[i].name, usual[i].value);
    for (; extra != NULL && extra->name != NULL && count < HEADERS_MAX; extra++) {
        nghttp2_nv one = field(extra->name, extra->value);
        if (one.name[0] == ':') {
            memmove(fields + 1, fields, count * sizeof(fields[0]));
            fields[0] = one;
            count++;
        } else {
            fields[count++] = one;
        }
    }
    nghttp2_data_provider provider = {.read_callback = read_request};
    int32_t id = nghttp2_submit_request(client->session, NULL, fields, count, &provider, NULL);
    if (id > 0 && client->reply_count < PT_TEST_REPLIES_MAX) {
        client->replies[client->reply_count++].id = id;
        pt__buffer_deinit(&request_of(id)->body);
        *request_of(id) = (request){0};
    }
    return id;
}

void pt__test_client_body(pt__test_client *client, int32_t id, pt_bytes_view bytes, bool end)
{
    request *sent = request_of(id);
    pt__buffer_append(&sent->body, bytes.data, bytes.size_bytes);
    sent->ended = end;
    nghttp2_session_resume_data(client->session, id);
}

void pt__test_client_message(pt__test_client *client, int32_t id, const char *text, bool end)
{
    size_t size = strlen(text);
    uint8_t prefix[PREFIX_BYTES] = {0, (uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8),
                                    (uint8_t)size};
    pt__test_client_body(client, id, (pt_bytes_view){prefix, sizeof(prefix)}, false);
    pt__test_client_body(client, id, (pt_bytes_view){(const uint8_t *)text, size}, end);
}

int32_t pt__test_client_unary(pt__test_client *client, const char *path, const pt__test_header *extra, const char *text)
{
    int32_t id = pt__test_client_open(client, path, extra);
    pt__test_client_message(client, id, text, true);
    pt__test_client_run(client);
    return id;
}

void pt__test_client_raw(pt__test_client *client, const void *bytes, size_t size_bytes)
{
    const uint8_t *at = bytes;
    size_t step = client->step_bytes != 0 ? client->step_bytes : size_bytes;
    while (size_bytes > 0) {
        size_t count = size_bytes < step ? size_bytes : step;
        pt_error err = PT_ERROR_INIT;
        pt__test_memory_watch(true);
        pt_status status = pt_connection_feed(client->connection, (pt_bytes_view){at, count}, client->now_ms, &err);
        pt__test_memory_watch(false);
        if (status != PT_OK && client->feed_status == PT_OK) {
            client->feed_status = status;
            pt_error_move(&client->feed_error, &err);
        }
        pt_error_clear(&err);
        at += count;
        size_bytes -= count;
    }
}

static bool client_to_server(pt__test_client *client)
{
    const uint8_t *bytes;
    ssize_t size = nghttp2_session_mem_send(client->session, &bytes);
    if (size <= 0)
        return false;
    pt__test_client_raw(client, bytes, (size_t)size);
    return true;
}

static bool server_to_client(pt__test_client *client)
{
    struct iovec pieces[IOVECS];
    pt__test_memory_watch(true);
    size_t count = pt_connection_pending(client->connection, pieces, IOVECS);
    pt__test_memory_watch(false);
    if (client->deaf)
        return false;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        nghttp2_session_mem_recv(client->session, pieces[i].iov_base, pieces[i].iov_len);
        size += pieces[i].iov_len;
    }
    client->received_bytes += size;
    pt_connection_sent(client->connection, size, client->now_ms);
    return count != 0;
}

void pt__test_client_run(pt__test_client *client)
{
    bool moved = true;
    while (moved) {
        moved = client_to_server(client);
        moved = server_to_client(client) || moved;
    }
}

void pt__test_client_reset(pt__test_client *client, int32_t id, uint32_t code)
{
    nghttp2_submit_rst_stream(client->session, NGHTTP2_FLAG_NONE, id, code);
}

const char *pt__test_reply_text(pt__test_reply *reply, size_t index)
{
    static char text[256];
    size_t at = 0;
    const pt__buffer *body = &reply->body;
    while (at + PREFIX_BYTES <= body->size_bytes) {
        const uint8_t *p = body->data + at;
        size_t size = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
        if (index-- == 0) {
            snprintf(text, sizeof(text), "%.*s", (int)size, (const char *)p + PREFIX_BYTES);
            return text;
        }
        at += PREFIX_BYTES + size;
    }
    return NULL;
}

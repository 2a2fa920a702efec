#include "wire/connection.h"

#include "base/has.h"
#include "wire/routes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECOND_GOAWAY_MS = 1000, /* after the first one of a drain, when the peer does not answer its ping */
    STALL_LOOKS = 4          /* how often a stall is looked for within its limit */
};

/* Runs what is owed to handlers, which may make more of it; whether there was any. */
static bool run_events(pt_connection *connection)
{
    bool any = connection->first_event != NULL;
    while (connection->first_event != NULL) {
        pt__stream *stream = connection->first_event;
        connection->first_event = stream->next_event;
        if (connection->first_event == NULL)
            connection->last_event = NULL;
        stream->next_event = NULL;
        pt__stream_run_event(stream);
    }
    return any;
}

void pt__connection_add_event(pt_connection *connection, pt__stream *stream)
{
    if (stream->has_event)
        return;
    stream->has_event = true;
    *(connection->last_event != NULL ? &connection->last_event->next_event : &connection->first_event) = stream;
    connection->last_event = stream;
    pt__connection_wants_write(connection);
}

void pt__connection_wants_write(pt_connection *connection)
{
    if (connection->entered || connection->told_ready || connection->ready == NULL)
        return;
    connection->told_ready = true;
    connection->ready(connection->ready_context, connection);
}

static void init_rates(pt_connection *connection)
{
    const pt__limits *limits = &connection->limits;
    pt__rate_init(&connection->resets, limits->max_resets_per_second, connection->now_ms);
    pt__rate_init(&connection->pings, limits->max_pings_per_second, connection->now_ms);
    pt__rate_init(&connection->settings, limits->max_settings_per_second, connection->now_ms);
    pt__rate_init(&connection->empty_frames, limits->max_empty_frames_per_second, connection->now_ms);
}

static pt_status init_connection(pt_connection *connection, pt_routes *routes, const pt_connection_info *info,
                                 pt_error *err)
{
    connection->routes = routes;
    connection->mailbox = info->mailbox;
    connection->authenticator = info->authenticator;
    connection->ready = info->ready;
    connection->ready_context = info->ready_context;
    connection->now_ms = connection->started_ms = connection->heard_ms = info->now_ms;
    connection->ticked_ms = info->now_ms;
    connection->next_expiry_ms = UINT64_MAX;
    PT_TRY(pt__limits_read(info->limits, &connection->limits, err));
    init_rates(connection);
    connection->peer = strdup(info->peer != NULL ? info->peer : "");
    if (connection->peer == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a connection");
    return pt__session_open(connection, err);
}

static void list_connection(pt_connection *connection)
{
    connection->is_listed = true;
    connection->next = connection->routes->connections;
    if (connection->next != NULL)
        connection->next->previous = connection;
    connection->routes->connections = connection;
}

static void unlist_connection(pt_connection *connection)
{
    if (!connection->is_listed)
        return;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    *(connection->previous != NULL ? &connection->previous->next : &connection->routes->connections) = connection->next;
    if (connection->routes->connections == NULL)
        pt__spare_trim(connection->routes->spare);
}

pt_connection *pt__connection_next(const pt_connection *connection)
{
    return connection->next;
}

void pt__connection_cut(pt_connection *connection, const pt_mount *mount)
{
    for (pt__stream *stream = connection->streams; stream != NULL; stream = stream->next)
        if (stream->entered == mount)
            pt__stream_cut(stream);
}

pt_status pt_connection_new(pt_host *host, pt_routes *routes, const pt_connection_info *given, pt_connection **out,
                            pt_error *err)
{
    (void)host;
    pt_connection_info info = {0};
    pt__copy_known(&info, sizeof(info), given);
    pt_connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a connection");
    connection->entered = true;
    pt_status status = init_connection(connection, routes, &info, err);
    connection->entered = false;
    if (status != PT_OK) {
        pt_connection_free(connection);
        return status;
    }
    list_connection(connection);
    *out = connection;
    return PT_OK;
}

pt_status pt_connection_set_principal(pt_connection *connection, const char *name, pt_error *err)
{
    assert(connection->principal_name == NULL); /* calls that run point to it */
    connection->principal_name = strdup(name);
    return connection->principal_name != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a name");
}

void pt_connection_free(pt_connection *connection)
{
    if (connection == NULL)
        return;
    connection->entered = true;
    connection->failed = true;
    for (pt__stream *stream = connection->streams; stream != NULL; stream = stream->next)
        pt__stream_end(stream, PT_CALL_DISCONNECTED);
    run_events(connection);
    nghttp2_session_del(connection->session);
    while (connection->streams != NULL)
        pt__stream_free(connection->streams);
    if (connection->is_listed && connection->id[0] != '\0')
        pt__routes_connection_closed(connection->routes, connection->id);
    unlist_connection(connection);
    pt__outbox_deinit(&connection->outbox);
    pt_error_clear(&connection->failure);
    free(connection->principal_name);
    free(connection->peer);
    free(connection);
}

static pt_status report_failure(const pt_connection *connection, pt_error *err)
{
    if (!connection->failed)
        return PT_OK;
    if (err != NULL)
        pt_error_copy(err, &connection->failure);
    return connection->failure.status;
}

pt_status pt_connection_feed(pt_connection *connection, pt_bytes_view input, uint64_t now_ms, pt_error *err)
{
    connection->now_ms = now_ms;
    connection->entered = true;
    if (!connection->failed && input.size_bytes != 0) {
        connection->heard_ms = now_ms;
        pt__session_feed(connection, input);
    }
    run_events(connection);
    connection->entered = false;
    return report_failure(connection, err);
}

/* Behind what is written anyway; whether that adds to it. */
static bool answer_ping(pt_connection *connection)
{
    if (!connection->ping_waits || connection->outbox.size_bytes == 0)
        return false;
    pt__session_answer_ping(connection);
    return true;
}

size_t pt_connection_pending(pt_connection *connection, struct iovec *out, size_t max)
{
    connection->entered = true;
    connection->told_ready = false;
    do {
        if (!connection->broken)
            pt__session_fill_outbox(connection);
    } while (run_events(connection) || answer_ping(connection));
    connection->entered = false;
    return pt__outbox_peek(&connection->outbox, out, max);
}

void pt_connection_sent(pt_connection *connection, size_t size_bytes, uint64_t now_ms)
{
    connection->now_ms = now_ms;
    connection->waiting = false;
    pt__outbox_drop(&connection->outbox, size_bytes);
}

static void expire_calls(pt_connection *connection)
{
    if (connection->now_ms < connection->next_expiry_ms)
        return;
    connection->next_expiry_ms = UINT64_MAX;
    for (pt__stream *stream = connection->streams; stream != NULL; stream = stream->next) {
        if (stream->deadline_ms != 0 && stream->deadline_ms <= connection->now_ms)
            pt__stream_expire(stream);
        if (stream->deadline_ms != 0 && stream->deadline_ms < connection->next_expiry_ms)
            connection->next_expiry_ms = stream->deadline_ms;
    }
}

/* Whether what waits has waited too long; the wait counts from the first look. */
static bool is_stalled(const pt_connection *connection, bool *waiting, uint64_t *since_ms)
{
    if (!*waiting) {
        *waiting = true;
        *since_ms = connection->now_ms;
    }
    return connection->now_ms - *since_ms >= connection->limits.stall_timeout_ms;
}

static void check_stalls(pt_connection *connection)
{
    if (connection->outbox.size_bytes != 0 &&
        is_stalled(connection, &connection->waiting, &connection->waiting_since_ms))
        pt__connection_fail(connection, PT_TIMEOUT, NGHTTP2_NO_ERROR, "the peer takes no bytes (http2.stall-timeout)");
    for (pt__stream *stream = connection->streams; stream != NULL; stream = stream->next)
        if (stream->queue.size_bytes != 0 && is_stalled(connection, &stream->waiting, &stream->waiting_since_ms))
            pt__stream_stalled(stream);
}

static void check_silence(pt_connection *connection)
{
    const pt__limits *limits = &connection->limits;
    if (!connection->greeted && connection->now_ms - connection->started_ms >= limits->handshake_timeout_ms)
        pt__connection_fail(connection, PT_TIMEOUT, NGHTTP2_SETTINGS_TIMEOUT,
                            "the peer did not start HTTP/2 (http2.handshake-timeout)");
    else if (connection->stream_count == 0 && connection->now_ms - connection->heard_ms >= limits->idle_timeout_ms)
        nghttp2_session_terminate_session(connection->session, NGHTTP2_NO_ERROR);
}

/* RFC 9113 section 6.8: the first GOAWAY only announces; the second names the last call that is served. */
void pt__connection_finish_drain(pt_connection *connection)
{
    if (!connection->draining || connection->goaway_sent)
        return;
    connection->goaway_sent = true;
    nghttp2_submit_goaway(connection->session, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(connection->session), NGHTTP2_NO_ERROR, NULL, 0);
}

pt_status pt_connection_tick(pt_connection *connection, uint64_t now_ms, pt_error *err)
{
    connection->now_ms = connection->ticked_ms = now_ms;
    connection->entered = true;
    expire_calls(connection);
    check_stalls(connection);
    check_silence(connection);
    if (connection->now_ms >= connection->ping_due_ms)
        pt__session_answer_ping(connection);
    if (connection->now_ms - connection->drain_ms >= SECOND_GOAWAY_MS)
        pt__connection_finish_drain(connection);
    run_events(connection);
    connection->entered = false;
    return report_failure(connection, err);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t later_by(uint64_t time_ms, uint64_t span_ms)
{
    return span_ms > UINT64_MAX - time_ms ? UINT64_MAX : time_ms + span_ms;
}

uint64_t pt_connection_next_tick_ms(const pt_connection *connection)
{
    const pt__limits *limits = &connection->limits;
    uint64_t next_ms = connection->next_expiry_ms;
    if (!connection->greeted)
        next_ms = earlier(next_ms, later_by(connection->started_ms, limits->handshake_timeout_ms));
    if (connection->stream_count == 0)
        next_ms = earlier(next_ms, later_by(connection->heard_ms, limits->idle_timeout_ms));
    if (connection->outbox.size_bytes != 0 || connection->queued_bytes != 0)
        next_ms = earlier(next_ms, later_by(connection->ticked_ms, limits->stall_timeout_ms / STALL_LOOKS + 1));
    if (connection->ping_waits)
        next_ms = earlier(next_ms, connection->ping_due_ms);
    if (connection->draining && !connection->goaway_sent)
        next_ms = earlier(next_ms, connection->drain_ms + SECOND_GOAWAY_MS);
    return next_ms;
}

void pt_connection_drain(pt_connection *connection, uint64_t now_ms)
{
    if (connection->draining)
        return;
    connection->now_ms = now_ms;
    connection->draining = true;
    connection->drain_ms = now_ms;
    nghttp2_submit_shutdown_notice(connection->session);
    /* Its answer comes after the calls that were on their way. */
    nghttp2_submit_ping(connection->session, NGHTTP2_FLAG_NONE, NULL);
    pt__connection_wants_write(connection);
}

bool pt_connection_is_done(const pt_connection *connection)
{
    if (connection->outbox.size_bytes != 0)
        return false;
    if (connection->broken)
        return true;
    return !nghttp2_session_want_write(connection->session) &&
           (connection->failed || !nghttp2_session_want_read(connection->session));
}

size_t pt_connection_call_count(const pt_connection *connection)
{
    return connection->stream_count;
}

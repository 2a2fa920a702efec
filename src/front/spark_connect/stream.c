#include "front/spark_connect/stream.h"

#include "base/condition.h"
#include "front/spark_connect/batch.h"
#include "front/spark_connect/notes.h"
#include "front/spark_connect/unary.h"
#include "wire/proto.h"

#include <stdlib.h>

/* Unsent bytes above which reading of the spool pauses until the peer has taken some. */
enum { QUEUE_HIGH_BYTES = 8 * 1024 * 1024, PROGRESS_TASKS = 100 };

struct pt__connect_stream {
    size_t references; /* the call's, and one per wake-up on its way */
    pt__connect *mount;
    pt_call *call;       /* NULL once the call is over */
    pt_mailbox *mailbox; /* the call's */
    pt_session *session;
    pt_job *job;
    pt__reader *reader;     /* NULL once the last message was sent */
    pt_bytes *schema;       /* of the batches; NULL before the first */
    pt__spool_entry *entry; /* sent in part: chunks are left */
    pt__connect_position position;
    bool is_reattachable;
    bool is_waiting;       /* a wake-up will come */
    atomic_bool was_woken; /* set by the waking thread before it posts */
    uint8_t counter;
    uint64_t progress_due_ms;
    bool has_shown_progress;
    pt__connect_stream *previous; /* in mount->streams */
    pt__connect_stream *next;
};

/* ---- list of the mount ---- */

static void link_stream(pt__connect_stream *s)
{
    s->next = s->mount->streams;
    if (s->next != NULL)
        s->next->previous = s;
    s->mount->streams = s;
}

static void unlink_stream(pt__connect_stream *s)
{
    if (s->previous != NULL)
        s->previous->next = s->next;
    else if (s->mount->streams == s)
        s->mount->streams = s->next;
    if (s->next != NULL)
        s->next->previous = s->previous;
    s->previous = NULL;
    s->next = NULL;
}

static void unref_stream(pt__connect_stream *s)
{
    if (--s->references > 0)
        return;
    if (s->entry != NULL)
        pt__spool_entry_unref(s->entry);
    pt_bytes_unref(s->schema);
    pt_job_unref(s->job);
    pt_session_unref(s->session);
    pt__connect_unref(s->mount);
    free(s);
}

/* ---- messages ---- */

static void append_ids(pt__connect_stream *s, pt__buffer *out, const pt__connect_position *position)
{
    char id[PT_RESPONSE_ID_TEXT_BYTES];
    pt__connect_response_id_write(pt_job_id(s->job), position, s->counter++, id);
    pt__proto_append_string(out, PT_CONNECT_SESSION_ID, pt__session_client_id(s->session));
    pt__proto_append_string(out, PT_CONNECT_SERVER_SESSION_ID, pt_session_id(s->session));
    pt__proto_append_string(out, PT_CONNECT_OPERATION_ID, pt_job_id(s->job));
    pt__proto_append_string(out, PT_CONNECT_RESPONSE_ID, id);
}

/* Sends `prefix`, which is taken, and behind it the segments, for whose owners segments[0] leaves room. */
static pt_status send_prefixed(pt__connect_stream *s, pt__buffer *prefix, pt_segment *segments, size_t count,
                               pt_error *err)
{
    pt_bytes *bytes = pt__buffer_take(prefix);
    if (bytes == NULL) {
        for (size_t i = 1; i <= count; i++)
            pt_bytes_unref(segments[i].owner);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a response");
    }
    segments[0] = (pt_segment){bytes, pt_bytes_get_view(bytes)};
    return pt_call_send(s->call, segments, count + 1, err);
}

static pt_status send_fields(pt__connect_stream *s, const pt__connect_position *position, pt_bytes *fields,
                             pt_error *err)
{
    pt__buffer prefix = PT_BUFFER_INIT;
    append_ids(s, &prefix, position);
    pt_segment segments[2];
    if (fields == NULL)
        return send_prefixed(s, &prefix, segments, 0, err);
    segments[1] = (pt_segment){pt_bytes_ref(fields), pt_bytes_get_view(fields)};
    return send_prefixed(s, &prefix, segments, 1, err);
}

/* A piece of the batch as one message. `chunk_count` 0: the client did not ask for chunks. */
static pt_status send_chunk(pt__connect_stream *s, const pt__connect_position *after, uint32_t chunk,
                            uint32_t chunk_count, uint64_t offset, uint64_t size, pt_error *err)
{
    pt_segment *segments = malloc((pt__connect_batch_segments(s->entry) + 1) * sizeof(*segments));
    if (segments == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a response");
    pt__buffer prefix = PT_BUFFER_INIT;
    append_ids(s, &prefix, after);
    pt__connect_append_batch_header(&prefix, s->entry, size, chunk, chunk_count);
    size_t count = pt__connect_batch_slice(s->entry, s->schema, offset, size, segments + 1);
    pt_status status = send_prefixed(s, &prefix, segments, count, err);
    free(segments);
    return status;
}

/* ---- entries ---- */

static void finish_entry(pt__connect_stream *s)
{
    s->position.entry = s->entry->index + 1;
    s->position.chunk = 0;
    pt__spool_entry_unref(s->entry);
    s->entry = NULL;
}

/* The chunk size that gives no more chunks than can be counted. */
static uint64_t chunk_bytes(const pt__connect_stream *s, uint64_t total)
{
    uint64_t size = UINT64_C(1) << s->position.chunk_exponent;
    while (total / size >= PT_RESPONSE_CHUNKS_MAX)
        size *= 2;
    return size;
}

/* Sends the next chunk of the entry; a whole batch counts as one. */
static pt_status send_batch_part(pt__connect_stream *s, pt_error *err)
{
    uint64_t total = pt__connect_batch_bytes(s->entry, s->schema);
    bool is_chunked = s->position.chunk_exponent != 0;
    uint64_t size = is_chunked ? chunk_bytes(s, total) : total;
    uint32_t count = (uint32_t)((total + size - 1) / size);
    uint32_t chunk = s->position.chunk;
    uint64_t offset = (uint64_t)chunk * size;
    uint64_t left = offset < total ? total - offset : 0;
    pt__connect_position after = s->position;
    after.entry = chunk + 1 < count ? s->entry->index : s->entry->index + 1;
    after.chunk = chunk + 1 < count ? chunk + 1 : 0;
    PT_TRY(send_chunk(s, &after, chunk, is_chunked ? count : 0, offset, left < size ? left : size, err));
    s->position.chunk = chunk + 1;
    if (chunk + 1 >= count)
        finish_entry(s);
    return PT_OK;
}

static pt_status send_batch(pt__connect_stream *s, pt_error *err)
{
    if (s->schema == NULL)
        s->schema = pt__job_schema_message(s->job);
    if (s->schema == NULL)
        return pt_error_set(err, PT_INTERNAL, "a batch has no schema");
    return send_batch_part(s, err);
}

static pt_status send_note(pt__connect_stream *s, pt_error *err)
{
    pt_status status = PT_OK;
    if (s->entry->note == PT_CONNECT_NOTE_OPTIONS) {
        s->position.chunk_exponent = pt_bytes_get_view(s->entry->bytes).data[0];
    } else {
        pt__connect_position after = s->position;
        after.entry = s->entry->index + 1;
        after.chunk = 0;
        status = send_fields(s, &after, s->entry->bytes, err);
    }
    finish_entry(s);
    return status;
}

static pt_status send_entry(pt__connect_stream *s, pt_error *err)
{
    return s->entry->kind == PT_SPOOL_BATCH ? send_batch(s, err) : send_note(s, err);
}

/* ---- the end ---- */

static void stop_reading(pt__connect_stream *s)
{
    pt__reader_close(s->reader);
    s->reader = NULL;
    unlink_stream(s);
    if (s->is_waiting && !atomic_load(&s->was_woken)) {
        s->is_waiting = false; /* closing the reader means that no wake-up will come */
        unref_stream(s);
    }
}

static void finish_failed(pt__connect_stream *s, const pt_error *err)
{
    stop_reading(s);
    pt__connect_fail(s->mount, s->call, s->session, err);
}

static pt_status send_progress(pt__connect_stream *s, bool is_done, pt_error *err);

/* A map entry of MetricObject.execution_metrics: key 1, value 2 {name 1, value 2, metric_type 3}. */
static void append_metric(pt__buffer *out, const char *key, const char *name, uint64_t number, const char *type)
{
    pt__buffer value = PT_BUFFER_INIT;
    pt__proto_append_string(&value, 1, name);
    pt__proto_append_integer(&value, 2, number);
    pt__proto_append_string(&value, 3, type);
    pt__buffer entry = PT_BUFFER_INIT;
    pt__proto_append_string(&entry, 1, key);
    pt__proto_append_bytes(&entry, 2, pt__buffer_view(&value));
    pt__proto_append_bytes(out, 4, pt__buffer_view(&entry));
    pt__buffer_deinit(&value);
    pt__buffer_deinit(&entry);
}

/* Metrics {metrics 1 {name 1, plan_id 2, parent 3, execution_metrics 4}}: one object for the whole result. */
static void append_metrics(pt__connect_stream *s, pt__buffer *out)
{
    pt__buffer object = PT_BUFFER_INIT;
    pt__proto_append_string(&object, 1, "Result");
    pt__proto_append_integer(&object, 2, 0);
    pt__proto_append_integer(&object, 3, 0);
    append_metric(&object, "numOutputRows", "number of output rows", (uint64_t)pt__job_rows_written(s->job), "sum");
    append_metric(&object, "duration", "duration", pt__job_elapsed_ms(s->job), "timing");
    pt__buffer metrics = PT_BUFFER_INIT;
    pt__proto_append_bytes(&metrics, 1, pt__buffer_view(&object));
    pt__proto_append_bytes(out, PT_CONNECT_METRICS, pt__buffer_view(&metrics));
    pt__buffer_deinit(&object);
    pt__buffer_deinit(&metrics);
}

/*
 * Metrics and result_complete share a message: each message costs its client a call of ReleaseExecute. Commands have
 * no metrics, and the last message of what cannot be reattached to is the metrics alone.
 */
static pt_status send_complete(pt__connect_stream *s, pt_error *err)
{
    if (s->has_shown_progress)
        PT_TRY(send_progress(s, true, err));
    bool has_metrics = s->schema != NULL;
    if (!s->is_reattachable && !has_metrics)
        return PT_OK;
    pt__buffer prefix = PT_BUFFER_INIT;
    pt_segment segment;
    s->position.is_complete = s->is_reattachable;
    append_ids(s, &prefix, &s->position);
    if (has_metrics)
        append_metrics(s, &prefix);
    if (s->is_reattachable)
        pt__proto_append_header(&prefix, PT_CONNECT_RESULT_COMPLETE, 0);
    return send_prefixed(s, &prefix, &segment, 0, err);
}

static void finish_succeeded(pt__connect_stream *s)
{
    pt_error err = PT_ERROR_INIT;
    if (send_complete(s, &err) != PT_OK) {
        finish_failed(s, &err);
    } else {
        stop_reading(s);
        pt__connect_finish_ok(s->call);
    }
    pt_error_clear(&err);
}

static void finish_with_failure_of_job(pt__connect_stream *s)
{
    pt_error err = PT_ERROR_INIT;
    if (pt_job_failure(s->job, &err) == PT_OK)
        pt__raise(&err, PT_COND_OPERATION_CANCELED, NULL);
    finish_failed(s, &err);
    pt_error_clear(&err);
}

static void finish_with_cursor_error(pt__connect_stream *s, pt__read_state state)
{
    pt_error err = PT_ERROR_INIT;
    if (state == PT_READ_DISCONNECTED)
        pt__raise(&err, PT_COND_INVALID_CURSOR_DISCONNECTED, NULL);
    else
        pt__raise(&err, PT_COND_INVALID_CURSOR_POSITION_NOT_FOUND, "responseId", "", NULL);
    finish_failed(s, &err);
    pt_error_clear(&err);
}

/* ---- reading ---- */

static void run_after_wake(void *state)
{
    pt__connect_stream *s = state;
    s->is_waiting = false;
    if (s->call != NULL && s->reader != NULL)
        pt__connect_stream_pump(s);
    unref_stream(s);
}

/* On any thread, with locks held. */
static void wake(void *state)
{
    pt__connect_stream *s = state;
    atomic_store(&s->was_woken, true);
    pt_mailbox_post(s->mailbox, run_after_wake, s);
}

/* Takes the next entry; false when there is none for now, or none any more. */
static bool read_entry(pt__connect_stream *s)
{
    if (s->entry != NULL)
        return true;
    if (s->is_waiting)
        return false;
    s->references++; /* for the wake-up: it may come before this call returns */
    atomic_store(&s->was_woken, false);
    pt__read_state state = pt__reader_next(s->reader, &s->entry);
    if (state == PT_READ_WAIT) {
        s->is_waiting = true;
        return false;
    }
    s->references--;
    switch (state) {
    case PT_READ_ENTRY: return true;
    case PT_READ_WAIT: return false;
    case PT_READ_END: finish_succeeded(s); return false;
    case PT_READ_FAILED: finish_with_failure_of_job(s); return false;
    case PT_READ_FILE:
    case PT_READ_DISCONNECTED:
    case PT_READ_GONE: finish_with_cursor_error(s, state); return false;
    }
    return false;
}

void pt__connect_stream_pump(pt__connect_stream *s)
{
    pt_error err = PT_ERROR_INIT;
    s->references++; /* finishing the call may end it */
    while (s->reader != NULL && pt_call_queued_bytes(s->call) < QUEUE_HIGH_BYTES && read_entry(s)) {
        if (send_entry(s, &err) != PT_OK) {
            finish_failed(s, &err);
            break;
        }
    }
    pt_error_clear(&err);
    unref_stream(s);
}

/* ---- progress ---- */

static void append_progress(pt__connect_stream *s, pt__buffer *out, bool is_done)
{
    double share = pt__job_progress(s->job);
    uint64_t completed = share <= 0 ? 0 : (uint64_t)(share * PROGRESS_TASKS);
    if (is_done || completed > PROGRESS_TASKS)
        completed = PROGRESS_TASKS;
    pt__buffer stage = PT_BUFFER_INIT;
    pt__proto_append_integer(&stage, 1, 0);              /* stage_id */
    pt__proto_append_integer(&stage, 2, PROGRESS_TASKS); /* num_tasks */
    pt__proto_append_integer(&stage, 3, completed);      /* num_completed_tasks */
    pt__proto_append_integer(&stage, 5, is_done);        /* done */
    pt__buffer progress = PT_BUFFER_INIT;
    pt__proto_append_bytes(&progress, 1, pt__buffer_view(&stage));
    pt__proto_append_integer(&progress, 2, is_done ? 0 : 1); /* num_inflight_tasks */
    pt__proto_append_bytes(out, PT_CONNECT_EXECUTION_PROGRESS, pt__buffer_view(&progress));
    pt__buffer_deinit(&stage);
    pt__buffer_deinit(&progress);
}

static pt_status send_progress(pt__connect_stream *s, bool is_done, pt_error *err)
{
    pt__buffer message = PT_BUFFER_INIT;
    pt_segment segment;
    append_ids(s, &message, &s->position);
    append_progress(s, &message, is_done);
    s->has_shown_progress = true;
    return send_prefixed(s, &message, &segment, 0, err);
}

/* Chunks of one batch stay together. A client that does not read is not sent any more. */
static bool wants_progress(const pt__connect_stream *s, uint64_t now_ms)
{
    return s->entry == NULL && now_ms >= s->progress_due_ms && pt_call_queued_bytes(s->call) < QUEUE_HIGH_BYTES &&
           pt_job_state(s->job) <= PT_OPERATION_RUNNING;
}

void pt__connect_streams_tick(pt__connect *mount, uint64_t now_ms)
{
    for (pt__connect_stream *s = mount->streams, *next; s != NULL; s = next) {
        next = s->next;
        if (s->progress_due_ms == 0)
            s->progress_due_ms = now_ms + mount->progress_interval_ms / 2;
        if (!wants_progress(s, now_ms))
            continue;
        s->progress_due_ms = now_ms + mount->progress_interval_ms;
        pt_error err = PT_ERROR_INIT;
        if (send_progress(s, false, &err) != PT_OK)
            finish_failed(s, &err);
        pt_error_clear(&err);
    }
}

/* ---- start and end of the call ---- */

static pt__connect_stream *new_stream(pt__connect *mount, pt_call *call, const pt__connect_stream_start *start)
{
    pt__connect_stream *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return NULL;
    s->references = 1;
    s->mount = pt__connect_ref(mount);
    s->call = call;
    s->mailbox = pt_call_mailbox(call);
    s->session = start->session;
    s->job = start->job;
    s->position = start->position;
    s->is_reattachable = start->is_reattachable;
    atomic_init(&s->was_woken, false);
    return s;
}

pt_status pt__connect_stream_open(pt__connect *mount, pt_call *call, const pt__connect_stream_start *start,
                                  pt_error *err)
{
    pt__connect_stream *s = new_stream(mount, call, start);
    if (s == NULL) {
        pt_job_unref(start->job);
        pt_session_unref(start->session);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a result stream");
    }
    pt__reader_options options = {start->position.entry, true, wake, s};
    pt_status status = pt__reader_open(s->job, &options, &s->reader, err);
    if (status != PT_OK) {
        unref_stream(s);
        return status;
    }
    call->state = s;
    link_stream(s);
    pt__connect_stream_pump(s);
    return PT_OK;
}

void pt__connect_stream_close(pt__connect_stream *s)
{
    if (s == NULL)
        return;
    if (s->reader != NULL)
        stop_reading(s);
    s->call = NULL;
    if (!pt__job_is_resumable(s->job))
        pt__session_release_job(s->session, pt_job_id(s->job));
    unref_stream(s);
}

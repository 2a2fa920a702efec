/* What becomes of a result's rows: batches in the spool, one IPC stream in memory, or calls. */
#include "base/buffer.h"
#include "exec/durable.h"
#include "exec/ipc_writer.h"
#include "exec/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- cutting into batches ---- */

typedef pt_status (*entry_taker)(void *context, pt__spool_entry *take_entry, pt_error *err);

typedef struct cutter {
    const struct ArrowSchema *schema;
    pt__shared_array *shared;
    uint64_t batch_bytes;
    entry_taker take;
    void *context;
    pt_error *err;
} cutter;

/* How many rows make a batch of the wanted size, a multiple of 8 so that bits need no shifting. */
static int64_t rows_per_batch(const cutter *c, int64_t rows)
{
    uint64_t bytes = pt__ipc_body_bytes(c->schema, pt__shared_array_get(c->shared));
    if (bytes <= c->batch_bytes || rows <= 8)
        return rows;
    int64_t step = (int64_t)((double)rows * (double)c->batch_bytes / (double)bytes) / 8 * 8;
    return step < 8 ? 8 : step;
}

/* Cuts in halves until a piece is small enough, as rows may differ a lot in size. */
static pt_status send_rows(cutter *c, int64_t first, int64_t count)
{
    pt__spool_entry *entry = NULL;
    PT_TRY(pt__ipc_batch(c->schema, c->shared, first, count, &entry, c->err));
    if (entry->body_bytes <= c->batch_bytes + c->batch_bytes / 8 || count <= 1)
        return c->take(c->context, entry, c->err);
    pt__spool_entry_unref(entry);
    int64_t half = count > 16 ? count / 2 / 8 * 8 : count / 2;
    PT_TRY(send_rows(c, first, half));
    return send_rows(c, first + half, count - half);
}

static pt_status send_all(cutter *c)
{
    int64_t rows = pt__shared_array_get(c->shared)->length;
    int64_t step = rows_per_batch(c, rows);
    for (int64_t first = 0; first < rows; first += step)
        PT_TRY(send_rows(c, first, rows - first < step ? rows - first : step));
    return PT_OK;
}

/* Batches without rows are passed over: the end adds one when there was none. */
static pt_status cut(cutter *c, struct ArrowArray *batch, bool is_borrowed)
{
    if (batch->length == 0) {
        if (!is_borrowed)
            batch->release(batch);
        return PT_OK;
    }
    c->shared = is_borrowed ? pt__shared_array_borrow(batch) : pt__shared_array_new(batch);
    if (c->shared == NULL)
        return pt_error_set(c->err, PT_NO_MEMORY, "no memory for a batch");
    pt_status status = send_all(c);
    pt__shared_array_unref(c->shared);
    return status;
}

/* ---- an array without rows ---- */

static void release_empty(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

static bool make_empty(const struct ArrowSchema *schema, struct ArrowArray *out)
{
    memset(out, 0, sizeof(*out));
    out->release = release_empty;
    out->buffers = calloc(3, sizeof(void *));
    out->children = calloc((size_t)schema->n_children + 1, sizeof(struct ArrowArray *));
    if (out->buffers == NULL || out->children == NULL)
        return false;
    out->n_buffers = 1;
    for (int64_t i = 0; i < schema->n_children; i++) {
        out->children[i] = calloc(1, sizeof(struct ArrowArray));
        if (out->children[i] == NULL)
            return false;
        out->n_children = i + 1;
        if (!make_empty(schema->children[i], out->children[i]))
            return false;
    }
    return true;
}

static pt_status empty_entry(const struct ArrowSchema *schema, pt__spool_entry **out, pt_error *err)
{
    struct ArrowArray empty;
    if (!make_empty(schema, &empty)) {
        release_empty(&empty);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an empty batch");
    }
    pt__shared_array *shared = pt__shared_array_new(&empty);
    if (shared == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an empty batch");
    pt_status status = pt__ipc_batch(schema, shared, 0, 0, out, err);
    pt__shared_array_unref(shared);
    return status;
}

/* ---- into the spool ---- */

static pt_status spool_begin(void *context, const struct ArrowSchema *schema, pt_error *err)
{
    pt__spool_sink *rows = context;
    pt_bytes *message;
    PT_TRY(pt__ipc_schema_message(schema, &message, err));
    rows->schema = schema;
    pt_status status = pt__durable_set_schema(rows->job, message, err);
    if (status != PT_OK) {
        pt_bytes_unref(message);
        return status;
    }
    pthread_mutex_lock(&rows->job->lock);
    pt_bytes *old = rows->job->schema_message;
    rows->job->schema_message = message;
    pthread_mutex_unlock(&rows->job->lock);
    pt_bytes_unref(old);
    return PT_OK;
}

static pt_status spool_entry(void *context, pt__spool_entry *entry, pt_error *err)
{
    pt__spool_sink *rows = context;
    rows->wrote = true;
    return pt__spool_append(rows->job, entry, err);
}

static pt_status spool_batch(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    pt__spool_sink *rows = context;
    cutter c = {
        .schema = rows->schema,
        .batch_bytes = rows->job->session->host->limits.batch_bytes,
        .take = spool_entry,
        .context = rows,
        .err = err,
    };
    return cut(&c, batch, is_borrowed);
}

static pt_status spool_end(void *context, pt_error *err)
{
    pt__spool_sink *rows = context;
    if (rows->wrote)
        return PT_OK;
    pt__spool_entry *entry = NULL;
    PT_TRY(empty_entry(rows->schema, &entry, err));
    return spool_entry(rows, entry, err);
}

pt__row_sink pt__spool_sink_init(pt__spool_sink *rows, pt_job *job)
{
    *rows = (pt__spool_sink){.job = job};
    return (pt__row_sink){spool_begin, spool_batch, spool_end, rows};
}

pt_status pt__job_execute(pt_job *job, const pt_plan *relation, pt_error *err)
{
    pt__spool_sink rows;
    pt__row_sink sink = pt__spool_sink_init(&rows, job);
    return pt__run_relation(job->session, job, relation, &sink, err);
}

/* ---- into memory ---- */

typedef struct collector {
    const struct ArrowSchema *schema;
    pt__buffer stream;
    int64_t row_count;
    bool wrote;
    uint64_t limit_bytes;
} collector;

static void append_view(pt__buffer *out, pt_bytes_view view)
{
    if (view.size_bytes != 0)
        pt__buffer_append(out, view.data, view.size_bytes);
}

static pt_status collect_begin(void *context, const struct ArrowSchema *schema, pt_error *err)
{
    collector *c = context;
    pt_bytes *message;
    c->schema = schema;
    PT_TRY(pt__ipc_schema_message(schema, &message, err));
    append_view(&c->stream, pt_bytes_get_view(message));
    pt_bytes_unref(message);
    return PT_OK;
}

static pt_status collect_entry(void *context, pt__spool_entry *entry, pt_error *err)
{
    collector *c = context;
    append_view(&c->stream, pt_bytes_get_view(entry->header));
    for (size_t i = 0; i < entry->body_count; i++)
        append_view(&c->stream, entry->body[i].view);
    c->row_count += entry->row_count;
    c->wrote = true;
    pt__spool_entry_unref(entry);
    if (c->stream.failed)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the result");
    if (c->stream.size_bytes > c->limit_bytes)
        return pt_error_set(err, PT_LIMIT, "the result takes more than %llu bytes (result.collect-limit)",
                            (unsigned long long)c->limit_bytes);
    return PT_OK;
}

static pt_status collect_batch(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    collector *c = context;
    cutter cut_up = {
        .schema = c->schema, .batch_bytes = UINT64_MAX / 2, .take = collect_entry, .context = c, .err = err};
    return cut(&cut_up, batch, is_borrowed);
}

static pt_status collect_end(void *context, pt_error *err)
{
    collector *c = context;
    pt__spool_entry *entry = NULL;
    if (!c->wrote) {
        PT_TRY(empty_entry(c->schema, &entry, err));
        PT_TRY(collect_entry(c, entry, err));
    }
    append_view(&c->stream, pt__ipc_end_of_stream());
    return PT_OK;
}

static pt_status finish_collecting(collector *c, pt_status status, pt_bytes **ipc_stream, pt_error *err)
{
    if (status == PT_OK) {
        *ipc_stream = pt__buffer_take(&c->stream);
        if (*ipc_stream == NULL)
            status = pt_error_set(err, PT_NO_MEMORY, "no memory for the result");
    }
    pt__buffer_deinit(&c->stream);
    return status;
}

pt_status pt__job_collect(pt_job *job, const pt_plan *relation, pt_bytes **ipc_stream, int64_t *row_count,
                          pt_error *err)
{
    collector c = {.stream = PT_BUFFER_INIT, .limit_bytes = job->session->host->limits.collect_bytes};
    const pt__row_sink sink = {collect_begin, collect_batch, collect_end, &c};
    pt_status status = pt__run_relation(job->session, job, relation, &sink, err);
    *row_count = c.row_count;
    return finish_collecting(&c, status, ipc_stream, err);
}

pt_status pt__job_collect_statement(pt_job *job, const pt__statement_request *request, pt_bytes **ipc_stream,
                                    pt_error *err)
{
    collector c = {.stream = PT_BUFFER_INIT, .limit_bytes = job->session->host->limits.collect_bytes};
    const pt__row_sink sink = {collect_begin, collect_batch, collect_end, &c};
    pt_status status = pt__run_encoded(job, request, NULL, &sink, err);
    return finish_collecting(&c, status, ipc_stream, err);
}

/* ---- to a function ---- */

typedef struct caller {
    const struct ArrowSchema *schema;
    pt_status (*row_batch)(void *context, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                           pt_error *err);
    void *context;
} caller;

static pt_status call_begin(void *context, const struct ArrowSchema *schema, pt_error *err)
{
    (void)err;
    ((caller *)context)->schema = schema;
    return PT_OK;
}

static pt_status call_batch(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err)
{
    caller *c = context;
    pt_status status = c->row_batch(c->context, c->schema, batch, err);
    if (!is_borrowed)
        batch->release(batch);
    return status;
}

pt_status pt__job_each_batch(pt_job *job, const pt_plan *relation,
                             pt_status (*row_batch)(void *context, const struct ArrowSchema *schema,
                                                    const struct ArrowArray *batch, pt_error *err),
                             void *context, pt_error *err)
{
    caller c = {NULL, row_batch, context};
    const pt__row_sink sink = {call_begin, call_batch, NULL, &c};
    return pt__run_relation(job->session, job, relation, &sink, err);
}

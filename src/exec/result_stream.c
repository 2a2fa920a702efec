/* The spool of a job as an Arrow C stream, for embedders. */
#include "exec/ipc_reader.h"
#include "exec/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct result_stream {
    pt__reader *reader;
    pt_job *job;             /* a reference */
    pt__ipc_reader *decoder; /* made once the schema is there */
    pt__spool_entry *first;  /* read while waiting for the schema */
    pt_error err;
    char *last_error;
} result_stream;

static int fail(result_stream *s)
{
    free(s->last_error);
    s->last_error = strdup(pt_error_full_message(&s->err));
    return EIO;
}

/* The next batch; NULL at the end. Notes are passed over: they are for frontends. */
static pt_status next_batch(result_stream *s, pt__spool_entry **entry)
{
    for (;;) {
        *entry = NULL;
        switch (pt__reader_next_blocking(s->reader, 0, entry)) {
        case PT_READ_ENTRY:
            if ((*entry)->kind == PT_SPOOL_BATCH)
                return PT_OK;
            pt__spool_entry_unref(*entry);
            break;
        case PT_READ_END: return PT_OK;
        case PT_READ_FAILED: return pt_job_failure(s->job, &s->err);
        case PT_READ_WAIT: break;
        case PT_READ_FILE:
        case PT_READ_DISCONNECTED:
        case PT_READ_GONE: return pt_error_set(&s->err, PT_CANCELLED, "the result is not kept any more");
        }
    }
}

static pt_status need_decoder(result_stream *s)
{
    if (s->decoder != NULL)
        return PT_OK;
    PT_TRY(next_batch(s, &s->first));
    pt_bytes *schema = pt__job_schema_message(s->job);
    if (schema == NULL)
        return pt_error_set(&s->err, PT_NOT_FOUND, "the job has no rows to give");
    pt_status status = pt__ipc_reader_new(pt_bytes_get_view(schema), &s->decoder, &s->err);
    pt_bytes_unref(schema);
    return status;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    result_stream *s = stream->private_data;
    if (need_decoder(s) != PT_OK || pt__ipc_reader_schema(s->decoder, out, &s->err) != PT_OK)
        return fail(s);
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    result_stream *s = stream->private_data;
    memset(out, 0, sizeof(*out));
    if (need_decoder(s) != PT_OK)
        return fail(s);
    pt__spool_entry *entry = s->first;
    s->first = NULL;
    if (entry == NULL && next_batch(s, &entry) != PT_OK)
        return fail(s);
    if (entry == NULL)
        return 0;
    pt_status status = pt__ipc_reader_entry(s->decoder, entry, out, &s->err);
    pt__spool_entry_unref(entry);
    return status == PT_OK ? 0 : fail(s);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((result_stream *)stream->private_data)->last_error;
}

static void release(struct ArrowArrayStream *stream)
{
    result_stream *s = stream->private_data;
    pt__spool_entry_unref(s->first);
    pt__ipc_reader_free(s->decoder);
    pt__reader_close(s->reader);
    pt_job_unref(s->job);
    pt_error_clear(&s->err);
    free(s->last_error);
    free(s);
    stream->release = NULL;
}

/* Where the batch of that index stands among all entries, notes included; where the next one will, for the index
   after the last. */
static pt_status find_batch(pt_job *job, uint64_t batch, uint64_t *position, pt_error *err)
{
    pthread_mutex_lock(&job->lock);
    bool is_known = batch <= job->batches_written && pt__spool_find_batch_locked(job, batch, position);
    pthread_mutex_unlock(&job->lock);
    return is_known ? PT_OK : pt__raise(err, PT_COND_INVALID_CURSOR_POSITION_NOT_FOUND, NULL);
}

pt_status pt_job_result_from(pt_job *job, uint64_t batch_index, struct ArrowArrayStream *out, pt_error *err)
{
    pt__reader_options options = {.position = 0};
    if (batch_index > 0)
        PT_TRY(find_batch(job, batch_index, &options.position, err));
    result_stream *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a result stream");
    pt_status status = pt__reader_open(job, &options, &s->reader, err);
    if (status != PT_OK) {
        free(s);
        return status;
    }
    s->job = pt_job_ref(job);
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, s};
    return PT_OK;
}

pt_status pt_job_result(pt_job *job, struct ArrowArrayStream *out, pt_error *err)
{
    return pt_job_result_from(job, 0, out, err);
}

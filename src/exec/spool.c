#include "exec/durable.h"

#include "base/monotonic.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What an entry costs beyond its bytes: the structs that describe it. */
enum { ENTRY_OVERHEAD_BYTES = 256 };

typedef struct counted_entry {
    pt__spool_entry entry; /* first, so that a pointer to it is one to the whole */
    atomic_size_t references;
} counted_entry;

pt__spool_entry *pt__spool_entry_new(void)
{
    counted_entry *counted = calloc(1, sizeof(*counted));
    if (counted == NULL)
        return NULL;
    atomic_init(&counted->references, 1);
    return &counted->entry;
}

pt__spool_entry *pt__spool_entry_ref(pt__spool_entry *entry)
{
    atomic_fetch_add_explicit(&((counted_entry *)entry)->references, 1, memory_order_relaxed);
    return entry;
}

void pt__spool_entry_unref(pt__spool_entry *entry)
{
    if (entry == NULL || atomic_fetch_sub_explicit(&((counted_entry *)entry)->references, 1, memory_order_acq_rel) != 1)
        return;
    pt_bytes_unref(entry->bytes);
    pt_bytes_unref(entry->header);
    for (size_t i = 0; i < entry->body_count; i++)
        pt_bytes_unref(entry->body[i].owner);
    free((void *)entry->body);
    free(entry);
}

static uint64_t cost(const pt__spool_entry *entry)
{
    uint64_t bytes = ENTRY_OVERHEAD_BYTES + entry->body_bytes;
    if (entry->header != NULL)
        bytes += pt_bytes_get_view(entry->header).size_bytes;
    if (entry->bytes != NULL)
        bytes += pt_bytes_get_view(entry->bytes).size_bytes;
    return bytes;
}

static pt__slot *slot_at(pt_job *job, uint64_t index)
{
    return &job->slots[(job->slot_first + (size_t)(index - job->base)) % job->slot_capacity];
}

static uint64_t end_index(const pt_job *job)
{
    return job->base + job->slot_count;
}

/* Cost of the entries from `index` on. */
static uint64_t bytes_from(pt_job *job, uint64_t index)
{
    if (index >= end_index(job))
        return 0;
    return job->total_bytes - slot_at(job, index < job->base ? job->base : index)->start_bytes;
}

/* The entry that the slowest reader wants next; without readers, the first that none ever got. */
static uint64_t low_mark(const pt_job *job)
{
    uint64_t low = job->sent;
    bool attached = false;
    for (const pt__reader *r = job->readers; r != NULL; r = r->next) {
        if (r->is_disconnected)
            continue;
        low = !attached || r->position < low ? r->position : low;
        attached = true;
    }
    return low;
}

static void drop_first(pt_job *job)
{
    pt__spool_entry *entry = job->slots[job->slot_first].entry;
    job->base_batch += entry->kind == PT_SPOOL_BATCH;
    pt__spool_entry_unref(entry);
    job->slot_first = (job->slot_first + 1) % job->slot_capacity;
    job->slot_count--;
    job->base++;
}

/* Drops what was read and need not be kept: all of it, or what goes beyond the limit but the last one read. */
static void trim(pt_job *job)
{
    uint64_t low = low_mark(job);
    uint64_t keep = job->is_resumable ? job->session->host->limits.spool_retain : 0;
    uint64_t last_kept = job->is_resumable ? 1 : 0;
    while (job->slot_count > 0 && job->base + last_kept < low &&
           bytes_from(job, job->base) - bytes_from(job, low) > keep)
        drop_first(job);
}

void pt__spool_clear_locked(pt_job *job)
{
    while (job->slot_count > 0)
        drop_first(job);
}

void pt__spool_deinit(pt_job *job)
{
    pt__spool_clear_locked(job);
    free(job->slots);
    pt_bytes_unref(job->schema_message);
}

void pt__spool_wake_locked(pt_job *job)
{
    pthread_cond_broadcast(&job->changed);
    for (pt__reader *r = job->readers; r != NULL; r = r->next) {
        if (!r->is_waiting)
            continue;
        r->is_waiting = false;
        if (r->wake != NULL)
            r->wake(r->wake_context);
    }
}

bool pt__spool_find_batch_locked(pt_job *job, uint64_t batch, uint64_t *position)
{
    if (batch < job->base_batch) {
        *position = job->output == NULL ? 0 : pt__output_batch_position(job->output, batch);
        return job->output != NULL;
    }
    uint64_t seen = job->base_batch;
    for (*position = job->base; *position < end_index(job); ++*position)
        if (slot_at(job, *position)->entry->kind == PT_SPOOL_BATCH && seen++ == batch)
            break;
    return true;
}

/* ---- writing ---- */

static bool grow(pt_job *job)
{
    size_t capacity = job->slot_capacity == 0 ? 8 : job->slot_capacity * 2;
    pt__slot *slots = calloc(capacity, sizeof(*slots));
    if (slots == NULL)
        return false;
    for (size_t i = 0; i < job->slot_count; i++)
        slots[i] = job->slots[(job->slot_first + i) % job->slot_capacity];
    free(job->slots);
    job->slots = slots;
    job->slot_capacity = capacity;
    job->slot_first = 0;
    return true;
}

static bool has_ended(const pt_job *job)
{
    return job->state != PT_OPERATION_PENDING && job->state != PT_OPERATION_RUNNING;
}

static bool is_full(pt_job *job)
{
    return bytes_from(job, low_mark(job)) > job->session->host->limits.spool_memory;
}

static void wait_for_room(pt_job *job)
{
    while (!has_ended(job) && is_full(job))
        pthread_cond_wait(&job->changed, &job->lock);
}

/* Readers get what is dropped here from the file. */
static void make_room(pt_job *job)
{
    while (job->slot_count > 0 && bytes_from(job, job->base) > job->session->host->limits.spool_memory)
        drop_first(job);
}

static pt_status append_locked(pt_job *job, pt__spool_entry *entry, bool is_quiet, pt_error *err)
{
    if (job->output == NULL)
        wait_for_room(job);
    else
        make_room(job);
    if (has_ended(job))
        return pt__raise(err, PT_COND_OPERATION_CANCELED, NULL);
    if (job->slot_count == job->slot_capacity && !grow(job))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to keep the result");
    entry->index = end_index(job);
    if (entry->kind == PT_SPOOL_BATCH) {
        entry->start_offset = job->rows_written;
        job->rows_written += entry->row_count;
        job->bytes_written += (int64_t)entry->body_bytes;
        pt__event_add_locked(job, PT_JOB_BATCH, job->batches_written++, entry->row_count, 0);
    }
    job->slots[(job->slot_first + job->slot_count++) % job->slot_capacity] = (pt__slot){entry, job->total_bytes};
    job->total_bytes += cost(entry);
    if (!is_quiet)
        pt__spool_wake_locked(job);
    return PT_OK;
}

static pt_status append(pt_job *job, pt__spool_entry *entry, bool is_quiet, pt_error *err)
{
    bool is_batch = entry->kind == PT_SPOOL_BATCH; /* a reader may have freed it by then */
    pt_status status = pt__durable_append(job, entry, err);
    pthread_mutex_lock(&job->lock);
    if (status == PT_OK)
        status = append_locked(job, entry, is_quiet, err);
    pthread_mutex_unlock(&job->lock);
    if (status != PT_OK)
        pt__spool_entry_unref(entry);
    else if (is_batch)
        pt__events_deliver(job);
    return status;
}

pt_status pt__spool_append(pt_job *job, pt__spool_entry *entry, pt_error *err)
{
    return append(job, entry, false, err);
}

static pt_status write_note(pt_job *job, int note, pt_bytes *bytes, bool is_quiet, pt_error *err)
{
    pt__spool_entry *entry = pt__spool_entry_new();
    if (entry == NULL) {
        pt_bytes_unref(bytes);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to keep a note");
    }
    entry->kind = PT_SPOOL_NOTE;
    entry->note = note;
    entry->bytes = bytes;
    return append(job, entry, is_quiet, err);
}

pt_status pt__job_write_note(pt_job *job, int note, pt_bytes *bytes, pt_error *err)
{
    return write_note(job, note, bytes, false, err);
}

pt_status pt__job_write_quiet_note(pt_job *job, int note, pt_bytes *bytes, pt_error *err)
{
    return write_note(job, note, bytes, true, err);
}

pt_bytes *pt__job_schema_message(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    pt_bytes *message = job->schema_message == NULL ? NULL : pt_bytes_ref(job->schema_message);
    pthread_mutex_unlock(&job->lock);
    return message;
}

bool pt__job_waits_for_readers(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    bool waits = !has_ended(job) && job->output == NULL && is_full(job);
    pthread_mutex_unlock(&job->lock);
    return waits;
}

void pt__job_release_until(pt_job *job, uint64_t index)
{
    pthread_mutex_lock(&job->lock);
    uint64_t low = low_mark(job);
    while (job->slot_count > 0 && job->base <= index && job->base < low)
        drop_first(job);
    pthread_mutex_unlock(&job->lock);
}

/* ---- reading ---- */

static void disconnect_others(pt_job *job)
{
    for (pt__reader *r = job->readers; r != NULL; r = r->next)
        r->is_disconnected = true;
    pt__spool_wake_locked(job);
}

pt_status pt__reader_open(pt_job *job, const pt__reader_options *options, pt__reader **out, pt_error *err)
{
    pt__reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a reader");
    reader->job = pt_job_ref(job);
    reader->position = options->position;
    reader->wake = options->wake;
    reader->wake_context = options->wake_context;
    pthread_mutex_lock(&job->lock);
    bool is_kept = (options->position >= job->base || job->output != NULL || job->state == PT_OPERATION_CANCELLED) &&
                   options->position <= end_index(job);
    if (is_kept) {
        if (options->is_exclusive)
            disconnect_others(job);
        reader->next = job->readers;
        job->readers = reader;
        job->was_attended = true;
    }
    pthread_mutex_unlock(&job->lock);
    if (is_kept) {
        *out = reader;
        return PT_OK;
    }
    pt_job_unref(job);
    free(reader);
    return pt__raise(err, PT_COND_INVALID_CURSOR_POSITION_NOT_FOUND, NULL);
}

void pt__reader_close(pt__reader *reader)
{
    if (reader == NULL)
        return;
    pt_job *job = reader->job;
    pthread_mutex_lock(&job->lock);
    pt__reader **link = &job->readers;
    while (*link != reader)
        link = &(*link)->next;
    *link = reader->next;
    bool is_last = job->readers == NULL;
    if (is_last)
        job->unattended_ms = pt__host_now_ms(job->session->host);
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
    if (is_last && !job->is_resumable && !pt__job_has_ended(job))
        pt_job_cancel(job, NULL);
    free(reader);
    pt_job_unref(job);
}

uint64_t pt__reader_position(const pt__reader *reader)
{
    return reader->position;
}

static pt__spool_entry *take_next(pt__reader *reader)
{
    pt_job *job = reader->job;
    pt__spool_entry *entry = pt__spool_entry_ref(slot_at(job, reader->position)->entry);
    reader->position++;
    if (reader->position > job->sent)
        job->sent = reader->position;
    trim(job);
    pthread_cond_broadcast(&job->changed);
    return entry;
}

static pt__read_state next_locked(pt__reader *reader, pt__spool_entry **entry)
{
    pt_job *job = reader->job;
    if (reader->is_disconnected)
        return PT_READ_DISCONNECTED;
    if (job->state == PT_OPERATION_CANCELLED)
        return PT_READ_FAILED;
    if (reader->position < job->base)
        return job->output == NULL ? PT_READ_GONE : PT_READ_FILE;
    if (reader->position < end_index(job)) {
        *entry = take_next(reader);
        return PT_READ_ENTRY;
    }
    if (has_ended(job))
        return job->state == PT_OPERATION_SUCCEEDED ? PT_READ_END : PT_READ_FAILED;
    reader->is_waiting = true;
    return PT_READ_WAIT;
}

/* Without the lock: the output of a job stays as long as the job. */
static pt__read_state read_file(pt__reader *reader, pt__spool_entry **entry)
{
    pt_job *job = reader->job;
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt__output_read(job->output, reader->position, entry, &err);
    if (status != PT_OK)
        pt__host_log(job->session->host, PT_LOG_ERROR, "job", "%s: %s", job->id, err.message);
    pt_error_clear(&err);
    if (status != PT_OK)
        return PT_READ_GONE;
    pthread_mutex_lock(&job->lock);
    reader->position++;
    if (reader->position > job->sent)
        job->sent = reader->position;
    pthread_mutex_unlock(&job->lock);
    return PT_READ_ENTRY;
}

pt__read_state pt__reader_next(pt__reader *reader, pt__spool_entry **entry)
{
    pthread_mutex_lock(&reader->job->lock);
    pt__read_state state = next_locked(reader, entry);
    pthread_mutex_unlock(&reader->job->lock);
    return state == PT_READ_FILE ? read_file(reader, entry) : state;
}

/* Waits for a change; false when the deadline (NULL: none) has passed. */
static bool wait_change(pt_job *job, const struct timespec *deadline)
{
    if (deadline == NULL)
        return pthread_cond_wait(&job->changed, &job->lock) == 0;
    return pthread_cond_timedwait(&job->changed, &job->lock, deadline) == 0;
}

pt__read_state pt__reader_next_blocking(pt__reader *reader, uint64_t timeout_ms, pt__spool_entry **entry)
{
    struct timespec at = pt__monotonic_in_ms(timeout_ms);
    pt_job *job = reader->job;
    pthread_mutex_lock(&job->lock);
    pt__read_state state = next_locked(reader, entry);
    while (state == PT_READ_WAIT && wait_change(job, timeout_ms == 0 ? NULL : &at))
        state = next_locked(reader, entry);
    reader->is_waiting = false;
    pthread_mutex_unlock(&job->lock);
    return state == PT_READ_FILE ? read_file(reader, entry) : state;
}

pt_status pt_job_wait(pt_job *job, uint64_t timeout_ms, pt_error *err)
{
    struct timespec at = pt__monotonic_in_ms(timeout_ms);
    pthread_mutex_lock(&job->lock);
    bool in_time = true;
    job->waiter_count++;
    while (!has_ended(job) && in_time)
        in_time = wait_change(job, timeout_ms == 0 ? NULL : &at);
    job->waiter_count--;
    job->unattended_ms = pt__host_now_ms(job->session->host);
    bool ended = has_ended(job);
    pthread_mutex_unlock(&job->lock);
    return ended ? PT_OK : pt_error_set(err, PT_TIMEOUT, "the job has not ended in time");
}

#include "exec/durable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RECORD_TRIES = 5, RETRY_NAP_MS = 200, OUTPUT_NAME_BYTES = 80, NEEDS_MAX = 100 };

/* ---- taking down a request ---- */

typedef struct snapshot {
    pt__job_request_record record;
    pt__record_pair *conf;
    pt__record_view *views;
} snapshot;

/* With the session's lock held: texts are the session's. */
static bool take_state_locked(pt_session *session, snapshot *s)
{
    const char *key;
    void *value;
    s->conf = calloc(session->conf.live_count + 1, sizeof(*s->conf));
    s->views = calloc(session->views.live_count + 1, sizeof(*s->views));
    if (s->conf == NULL || s->views == NULL)
        return false;
    for (size_t at = 0; pt__map_next(&session->conf, &at, &key, &value);)
        s->conf[s->record.conf_count++] = (pt__record_pair){key, value};
    for (size_t at = 0; pt__map_next(&session->views, &at, &key, &value);) {
        const pt__view *v = value;
        if (v->text != NULL)
            s->views[s->record.view_count++] =
                (pt__record_view){v->name, v->text, v->database, v->column_names, v->column_count};
    }
    s->record.conf = s->conf;
    s->record.views = s->views;
    s->record.database = session->database;
    return true;
}

static pt_bytes *encode_request(pt_session *session, const pt__job_request *request)
{
    pt__buffer bytes = PT_BUFFER_INIT;
    snapshot s = {.record = {.query = *request->query, .tags = request->tags, .tag_count = request->tag_count}};
    pthread_mutex_lock(&session->lock);
    bool is_taken = take_state_locked(session, &s);
    s.record.server_session_id = session->id;
    if (is_taken)
        pt__job_request_encode(&bytes, &s.record);
    pthread_mutex_unlock(&session->lock);
    free(s.conf);
    free(s.views);
    pt_bytes *out = is_taken ? pt__buffer_take(&bytes) : NULL;
    pt__buffer_deinit(&bytes);
    return out;
}

static pt__durable *make_durable(const char *session_id, const char *user, pt_bytes *take_request)
{
    pt__durable *d = calloc(1, sizeof(*d));
    if (d == NULL) {
        pt_bytes_unref(take_request);
        return NULL;
    }
    d->request = take_request;
    d->session_id = strdup(session_id);
    d->user = strdup(user);
    if (d->request != NULL && d->session_id != NULL && d->user != NULL)
        return d;
    pt__durable_free(d);
    return NULL;
}

pt_status pt__durable_new(pt_session *session, const pt__job_request *request, pt__durable **out, pt_error *err)
{
    *out = make_durable(session->client_id, session->user, encode_request(session, request));
    return *out != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
}

pt_status pt__durable_from_record(const pt_job_record *record, pt__durable **out, pt_error *err)
{
    *out = make_durable(record->session_id, record->user, pt_bytes_copy(record->request));
    if (*out == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
    (*out)->fence = record->fence;
    (*out)->recorded = record->state;
    atomic_store(&(*out)->is_over, record->ended_us != 0); /* the housekeeper must not renew what has ended */
    return PT_OK;
}

void pt__durable_free(pt__durable *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; i < d->need_count; i++)
        free(d->needs[i]);
    free(d->needs);
    pt_bytes_unref(d->request);
    free(d->session_id);
    free(d->user);
    free(d->output_name);
    free(d->backend);
    free(d->handle);
    free(d);
}

/* ---- recording ---- */

static size_t take_parameters(const pt_error *err, pt__record_pair **out)
{
    size_t count = err == NULL ? 0 : pt_error_parameter_count(err);
    *out = calloc(count + 1, sizeof(**out));
    if (*out == NULL)
        return 0;
    for (size_t i = 0; i < count; i++)
        pt_error_parameter(err, i, &(*out)[i].key, &(*out)[i].value);
    return count;
}

static int percent_of(const pt_job *job)
{
    return (int)(job->events.progress * 100);
}

/* `err` NULL: no error. */
static pt_bytes *encode_outcome(pt_job *job, const pt_error *err)
{
    pt__durable *d = job->durable;
    pt__buffer bytes = PT_BUFFER_INIT;
    pt__record_pair *parameters;
    size_t count = take_parameters(err, &parameters);
    pthread_mutex_lock(&job->lock);
    pt__job_outcome_record outcome = {
        .status = err == NULL ? PT_OK : err->status,
        .sqlstate = err == NULL ? NULL : err->sqlstate,
        .condition = err == NULL ? NULL : err->condition,
        .message = err == NULL ? NULL : pt_error_full_message(err),
        .parameters = parameters,
        .parameter_count = count,
        .output = d->output_name,
        .backend = job->backend,
        .handle = d->handle,
        .batch_count = job->batches_written,
        .progress_percent = percent_of(job),
        .attempt = job->attempt,
        .needs = (const char *const *)d->needs,
        .need_count = d->need_count,
    };
    pt__job_outcome_encode(&bytes, &outcome);
    pthread_mutex_unlock(&job->lock);
    free(parameters);
    pt_bytes *out = pt__buffer_take(&bytes);
    pt__buffer_deinit(&bytes);
    return out;
}

static pt_job_record make_record(pt_job *job, pt_operation_state state)
{
    pt__durable *d = job->durable;
    pthread_mutex_lock(&job->lock);
    pt_job_record record = {
        .size_bytes = sizeof(record),
        .id = job->id,
        .session_id = d->session_id,
        .user = d->user,
        .state = state,
        .kind = job->kind,
        .owner = job->session->host->node,
        .fence = d->fence,
        .created_us = job->created_us,
        .started_us = job->started_us,
        .ended_us = state > PT_OPERATION_RUNNING ? job->ended_us : 0,
        .rows = job->rows_written,
        .bytes = job->bytes_written,
        .request = pt_bytes_get_view(d->request),
    };
    pthread_mutex_unlock(&job->lock);
    return record;
}

pt_status pt__durable_insert(pt_job *job, pt_operation_state state, pt_error *err)
{
    pt_host *host = job->session->host;
    pt_job_record record = make_record(job, state);
    PT_TRY(host->store->insert(host->store_self, &record, host->limits.lease, err));
    job->durable->fence = 1;
    job->durable->recorded = state;
    return PT_OK;
}

static pt_status lost(pt_job *job, pt_error *err)
{
    atomic_store(&job->durable->is_lost, true);
    return pt_error_set(err, PT_UNAVAILABLE, "another node has taken the job %s over", job->id);
}

static pt_status record_state(pt_job *job, pt_operation_state state, const pt_error *failure, uint64_t lease_ms,
                              pt_error *err)
{
    pt_host *host = job->session->host;
    pt_job_record record = make_record(job, state);
    pt_bytes *outcome = encode_outcome(job, failure);
    if (outcome == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
    record.outcome = pt_bytes_get_view(outcome);
    pt_status status = host->store->update(host->store_self, &record, lease_ms, err);
    pt_bytes_unref(outcome);
    if (status == PT_NOT_FOUND)
        return lost(job, err);
    if (status == PT_OK)
        job->durable->recorded = state;
    return status;
}

bool pt__durable_is_on_record(const pt_job *job)
{
    return job != NULL && job->durable != NULL && job->durable->fence != 0;
}

void pt__durable_withdraw(pt_job *job)
{
    pt_host *host = job->session->host;
    if (job->durable == NULL || job->durable->fence == 0)
        return;
    pthread_mutex_lock(&job->lock);
    job->ended_us = pt__host_now_us(host);
    pthread_mutex_unlock(&job->lock);
    if (record_state(job, PT_OPERATION_CANCELLED, NULL, 0, NULL) == PT_OK)
        host->store->remove(host->store_self, job->id, NULL);
}

/* ---- beginning ---- */

static bool raise_kind(pt_job *job, pt_job_kind kind)
{
    pthread_mutex_lock(&job->lock);
    bool is_more = kind > job->kind;
    if (is_more)
        job->kind = kind;
    pthread_mutex_unlock(&job->lock);
    return is_more;
}

pt_status pt__job_begin(pt_job *job, pt_job_kind kind, pt_error *err)
{
    if (!raise_kind(job, kind) || job->durable == NULL || job->durable->fence == 0)
        return PT_OK;
    bool is_known = job->durable->recorded == PT_OPERATION_RUNNING && job->durable->need_count == 0;
    if (kind == PT_JOB_READ && is_known)
        return PT_OK; /* to run it again is the same as to run one that has touched nothing */
    return record_state(job, PT_OPERATION_RUNNING, NULL, job->session->host->limits.lease, err);
}

void pt__durable_announce(void *context, const char *handle)
{
    pt_job *job = context;
    pt_error err = PT_ERROR_INIT;
    char *copy = strdup(handle);
    pthread_mutex_lock(&job->lock);
    free(job->durable->handle);
    job->durable->handle = copy;
    pthread_mutex_unlock(&job->lock);
    pt_status status = record_state(job, PT_OPERATION_RUNNING, NULL, job->session->host->limits.lease, &err);
    if (status != PT_OK) /* the job goes on, and would be run again from its beginning */
        pt__host_log(job->session->host, PT_LOG_WARN, "job", "the handle of %s is not on record: %s", job->id,
                     err.message);
    pt_error_clear(&err);
}

void pt__job_needs(pt_job *job, const char *what, const char *name)
{
    if (job == NULL || job->durable == NULL)
        return;
    pt__durable *d = job->durable;
    pthread_mutex_lock(&job->lock);
    char **needs = d->need_count >= NEEDS_MAX ? NULL : realloc(d->needs, (d->need_count + 1) * sizeof(char *));
    if (needs != NULL) {
        d->needs = needs;
        if (asprintf(&needs[d->need_count], "%s %s", what, name) >= 0)
            d->need_count++;
    }
    pthread_mutex_unlock(&job->lock);
}

/* ---- output ---- */

static pt_status need_output(pt_job *job, pt_error *err)
{
    char name[OUTPUT_NAME_BYTES];
    pt__output *output = NULL;
    if (job->output != NULL)
        return PT_OK;
    snprintf(name, sizeof(name), "%s-%lld.arrows", job->id, (long long)job->durable->fence);
    PT_TRY(pt__output_create(job->session->host->output_folder, name, &output, err));
    pthread_mutex_lock(&job->lock);
    job->output = output;
    pthread_mutex_unlock(&job->lock);
    return PT_OK;
}

static bool keeps_output(const pt_job *job)
{
    return job->durable != NULL && job->durable->fence != 0 && job->is_resumable &&
           job->session->host->output_folder != NULL;
}

pt_status pt__durable_set_schema(pt_job *job, pt_bytes *schema_message, pt_error *err)
{
    if (!keeps_output(job))
        return PT_OK;
    PT_TRY(need_output(job, err));
    return pt__output_set_schema(job->output, schema_message, err);
}

pt_status pt__durable_append(pt_job *job, const pt__spool_entry *entry, pt_error *err)
{
    if (!keeps_output(job))
        return PT_OK;
    PT_TRY(need_output(job, err));
    return pt__output_append(job->output, entry, err);
}

static pt_status seal_output(pt_job *job, pt_error *err)
{
    char name[OUTPUT_NAME_BYTES];
    if (job->output == NULL)
        return PT_OK;
    PT_TRY(pt__output_seal(job->output, err));
    snprintf(name, sizeof(name), "%s-%lld.arrows", job->id, (long long)job->durable->fence);
    pthread_mutex_lock(&job->lock);
    bool is_named = (job->durable->output_name = strdup(name)) != NULL;
    pthread_mutex_unlock(&job->lock);
    return is_named ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a name");
}

/* A write that was carried out has succeeded, also when what it said cannot be kept. */
static pt_status seal(pt_job *job, pt_error *err)
{
    pt_error inner = PT_ERROR_INIT;
    pt_status status = seal_output(job, &inner);
    if (status != PT_OK && job->kind == PT_JOB_WRITE) {
        pt__host_log(job->session->host, PT_LOG_ERROR, "job", "%s: %s", job->id, inner.message);
        status = PT_OK;
    } else if (status != PT_OK && err != NULL) {
        pt_error_move(err, &inner);
    }
    pt_error_clear(&inner);
    return status;
}

/* ---- the end ---- */

static pt_operation_state end_state(pt_job *job, pt_status status)
{
    pthread_mutex_lock(&job->lock);
    pt_operation_state state = job->state;
    if (job->ended_us == 0)
        job->ended_us = pt__host_now_us(job->session->host);
    pthread_mutex_unlock(&job->lock);
    if (state > PT_OPERATION_RUNNING)
        return state;
    if (status == PT_OK)
        return PT_OPERATION_SUCCEEDED;
    return status == PT_CANCELLED ? PT_OPERATION_CANCELLED : PT_OPERATION_FAILED;
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, RETRY_NAP_MS * 1000000L}, NULL);
}

/* The store may be busy for a while: the end is worth some tries. */
static pt_status record_end(pt_job *job, pt_status status, pt_error *err)
{
    pt_error inner = PT_ERROR_INIT;
    pt_operation_state state = end_state(job, status);
    pt_status recorded = PT_INTERNAL;
    for (int i = 0; i < RECORD_TRIES; i++) {
        recorded = record_state(job, state, status == PT_OK ? NULL : err, 0, &inner);
        if (recorded == PT_OK || atomic_load(&job->durable->is_lost))
            break;
        nap();
    }
    if (recorded != PT_OK) {
        pt__host_log(job->session->host, PT_LOG_ERROR, "job", "%s: its end is not on record: %s", job->id,
                     inner.message);
        pt_error_set(err, recorded, "the job has ended, but that is not on record: %s", inner.message);
        status = recorded;
    }
    pt_error_clear(&inner);
    return status;
}

/* The host ends, and the job with it, though nobody wanted that: another node may go on at once. */
static bool is_to_be_handed_on(pt_job *job, pt_status status)
{
    pthread_mutex_lock(&job->lock);
    bool is_handed_on = job->is_stopped_by_host && status == PT_CANCELLED && job->kind != PT_JOB_WRITE;
    pthread_mutex_unlock(&job->lock);
    return is_handed_on;
}

pt_status pt__durable_end(pt_job *job, pt_status status, pt_error *err)
{
    pt__durable *d = job->durable;
    if (d == NULL || d->fence == 0)
        return status;
    if (atomic_load(&d->is_lost))
        return lost(job, err); /* the housekeeper may not have stopped it yet */
    if (is_to_be_handed_on(job, status)) {
        atomic_store(&d->is_over, true);
        record_state(job, PT_OPERATION_PENDING, NULL, 0, NULL);
        return status;
    }
    if (status == PT_OK)
        status = seal(job, err);
    atomic_store(&d->is_over, true);
    return record_end(job, status, err);
}

static void discard(void *argument)
{
    pt_job *job = argument;
    pt_host *host = job->session->host;
    bool is_removed = host->store->remove(host->store_self, job->id, NULL) == PT_OK;
    if (is_removed && job->durable->output_name != NULL)
        pt__output_remove(host->output_folder, job->durable->output_name);
    if (is_removed && job->kind == PT_JOB_WRITE)
        pt__host_forget_proof(host, job->id);
    pt_job_unref(job);
}

void pt__host_forget_proof(pt_host *host, const char *job_id)
{
    for (size_t i = 0; i < host->backend_count; i++)
        if (pt__backend_has(&host->backends[i], forget_committed))
            host->backends[i].vtable->forget_committed(host->backends[i].self, job_id);
}

void pt__durable_discard(pt_job *job)
{
    if (job->durable == NULL || job->durable->fence == 0 || !atomic_load(&job->durable->is_over))
        return; /* what still runs is recorded as cancelled, and goes by its age */
    if (pt__host_run(job->session->host, discard, pt_job_ref(job), NULL) != PT_OK)
        pt_job_unref(job);
}

/* ---- the lease ---- */

/* Renews the lease, and lets those who follow the job know how far it is. */
static pt_status tell_progress(pt_job *job, int percent, pt_error *err)
{
    pt_host *host = job->session->host;
    pt_job_record record = make_record(job, PT_OPERATION_RUNNING);
    pt_bytes *outcome = encode_outcome(job, NULL);
    if (outcome == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
    record.outcome = pt_bytes_get_view(outcome);
    pt_status status = host->store->update(host->store_self, &record, host->limits.lease, err);
    pt_bytes_unref(outcome);
    if (status == PT_OK) {
        job->durable->told_rows = record.rows;
        job->durable->told_percent = percent;
    }
    return status;
}

static pt_status renew(pt_job *job, pt_error *err)
{
    pt_host *host = job->session->host;
    const pt__durable *d = job->durable;
    pthread_mutex_lock(&job->lock);
    int percent = percent_of(job);
    bool is_news =
        job->state == PT_OPERATION_RUNNING && (job->rows_written != d->told_rows || percent != d->told_percent);
    pthread_mutex_unlock(&job->lock);
    if (is_news)
        return tell_progress(job, percent, err);
    return host->store->renew(host->store_self, job->id, host->node, d->fence, host->limits.lease, err);
}

void pt__durable_renew(pt_job *job)
{
    pt__durable *d = job->durable;
    pt_host *host = job->session->host;
    if (d == NULL || d->fence == 0 || atomic_load(&d->is_over) || atomic_load(&d->is_lost))
        return;
    pt_error err = PT_ERROR_INIT;
    pt_status status = renew(job, &err);
    if (status == PT_NOT_FOUND && !atomic_load(&d->is_over)) {
        lost(job, &err);
        pt__host_log(host, PT_LOG_WARN, "job", "%s", err.message);
        pt__job_stop(job, PT_OPERATION_FAILED, &err);
    } else if (status != PT_OK && status != PT_NOT_FOUND) {
        pt__host_log(host, PT_LOG_WARN, "job", "the lease of %s is not renewed: %s", job->id, err.message);
    }
    pt_error_clear(&err);
}

/* ---- loading ---- */

static void load_failure(const pt__job_outcome_record *outcome, pt_error *err)
{
    pt_error_set(err, outcome->status, "%s", outcome->message);
    snprintf(err->sqlstate, sizeof(err->sqlstate), "%s", outcome->sqlstate);
    snprintf(err->condition, sizeof(err->condition), "%s", outcome->condition);
    for (size_t i = 0; i < outcome->parameter_count; i++)
        pt_error_add_parameter(err, outcome->parameters[i].key, outcome->parameters[i].value);
}

/* A file that is not kept any more is no error: the job is still known. */
static pt_status load_output(pt_job *job, const char *name, pt__output **out, pt_error *err)
{
    *out = NULL;
    if (name == NULL || job->session->host->output_folder == NULL)
        return PT_OK;
    pt_status status = pt__output_open(job->session->host->output_folder, name, out, err);
    return status == PT_NOT_FOUND ? PT_OK : status;
}

static void look_locked(pt_job *job, const pt_job_record *record, const pt__job_outcome_record *outcome)
{
    job->kind = record->kind;
    job->created_us = record->created_us;
    job->started_us = record->started_us;
    job->rows_written = record->rows;
    job->bytes_written = record->bytes;
    job->batches_written = outcome->batch_count;
    job->attempt = (int32_t)outcome->attempt;
    if (job->backend == NULL && outcome->backend != NULL)
        job->backend = job->durable->backend = strdup(outcome->backend);
}

void pt__durable_look(pt_job *job, const pt_job_record *record, const pt__job_outcome_record *outcome)
{
    pthread_mutex_lock(&job->lock);
    look_locked(job, record, outcome);
    pthread_mutex_unlock(&job->lock);
}

static void load_locked(pt_job *job, const pt_job_record *record, const pt__job_outcome_record *outcome)
{
    look_locked(job, record, outcome);
    if (job->started_us == 0)
        job->started_us = record->created_us;
    job->ended_us = record->ended_us;
    job->base_batch = outcome->batch_count;
    job->base = job->sent = outcome->batch_count;
}

/* Readers may wait for it already, of a job that was followed. */
static void take_output_locked(pt_job *job, pt__output *take_output, const char *name)
{
    job->output = take_output;
    job->durable->output_name = strdup(name);
    job->schema_message = pt__output_schema(take_output);
    job->base = job->sent = pt__output_entry_count(take_output);
}

pt_status pt__durable_load(pt_job *job, const pt_job_record *record, const pt__job_outcome_record *outcome,
                           pt_error *err)
{
    pt_error failure = PT_ERROR_INIT;
    pt__output *output;
    PT_TRY(load_output(job, outcome->output, &output, err));
    pthread_mutex_lock(&job->lock);
    load_locked(job, record, outcome);
    if (output != NULL)
        take_output_locked(job, output, outcome->output);
    pt__events_load_locked(job);
    pthread_mutex_unlock(&job->lock);
    atomic_store(&job->durable->is_over, true);
    if (outcome->status != PT_OK)
        load_failure(outcome, &failure);
    pt__job_end(job, record->state, &failure);
    pt_error_clear(&failure);
    return PT_OK;
}

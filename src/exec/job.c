#include "exec/durable.h"

#include "base/has.h"
#include "base/monotonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static void free_tags(pt_job *job)
{
    for (size_t i = 0; i < job->tag_count; i++)
        free(job->tags[i]);
    free(job->tags);
}

static bool copy_tags(pt_job *job, const pt__job_request *request)
{
    if (request->tag_count == 0)
        return true;
    job->tags = calloc(request->tag_count, sizeof(char *));
    if (job->tags == NULL)
        return false;
    for (size_t i = 0; i < request->tag_count; i++) {
        job->tags[i] = strdup(request->tags[i]);
        if (job->tags[i] == NULL)
            return false;
        job->tag_count++;
    }
    return true;
}

static void init_locks(pt_job *job)
{
    pthread_mutex_init(&job->lock, NULL);
    pt__monotonic_condition_init(&job->changed);
    pthread_mutex_init(&job->operation_lock, NULL);
}

static void end_context(pt_job *job)
{
    void (*end)(void *context) = job->free_context;
    job->free_context = NULL;
    if (end != NULL)
        end(job->context);
}

static void free_details(pt_job *job)
{
    for (pt__detail *detail = job->detail, *next; detail != NULL; detail = next) {
        next = detail->earlier;
        free(detail);
    }
}

static void destroy(pt_job *job)
{
    end_context(job);
    pt__spool_deinit(job);
    pt__events_deinit(job);
    pt__durable_free(job->durable);
    pt__output_free(job->output);
    pt_error_clear(&job->failure);
    pt__shared_arena_unref(job->memory);
    free_tags(job);
    free_details(job);
    pthread_mutex_destroy(&job->lock);
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->operation_lock);
    pt_session_unref(job->session);
    free(job);
}

static pt_job *new_job(pt_session *session, const pt__job_request *request)
{
    pt_job *job = calloc(1, sizeof(*job));
    if (job == NULL)
        return NULL;
    atomic_init(&job->references, 1);
    init_locks(job);
    job->session = pt_session_ref(session);
    if (request->id == NULL)
        pt__host_job_id(session->host, job->id);
    else
        snprintf(job->id, sizeof(job->id), "%s", request->id);
    job->fingerprint = pt__hash_bytes(request->fingerprint.data, request->fingerprint.size_bytes);
    job->fingerprint_bytes = request->fingerprint.size_bytes;
    job->is_resumable = request->is_resumable;
    if (request->traceparent.size_bytes < sizeof(job->traceparent))
        snprintf(job->traceparent, sizeof(job->traceparent), "%.*s", (int)request->traceparent.size_bytes,
                 (const char *)request->traceparent.data);
    job->is_detached = request->is_detached;
    job->is_recorded_first = request->is_recorded_first;
    job->run = request->run;
    job->free_context = request->free_context;
    job->context = request->context;
    job->attempt = 1;
    job->created_us = pt__host_now_us(session->host);
    job->started_ms = job->unattended_ms = pt__host_now_ms(session->host);
    size_t limit = request->arena_limit_bytes;
    job->memory = pt__host_shared_arena(session->host, limit == 0 ? (size_t)session->host->limits.plan_bytes : limit);
    if (job->memory == NULL || !copy_tags(job, request) || !pt__events_init(job)) {
        job->free_context = NULL; /* still the caller's */
        destroy(job);
        return NULL;
    }
    return job;
}

pt_job *pt_job_ref(pt_job *job)
{
    atomic_fetch_add_explicit(&job->references, 1, memory_order_relaxed);
    return job;
}

void pt_job_unref(pt_job *job)
{
    if (job != NULL && atomic_fetch_sub_explicit(&job->references, 1, memory_order_acq_rel) == 1)
        destroy(job);
}

/* ---- running ---- */

void pt__job_mark_running(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    if (job->state == PT_OPERATION_PENDING) {
        job->state = PT_OPERATION_RUNNING;
        if (job->started_us == 0)
            job->started_us = pt__host_now_us(job->session->host);
        pt__event_add_locked(job, PT_JOB_STARTED, 0, 0, 0);
    }
    pthread_mutex_unlock(&job->lock);
    pt__events_deliver(job);
}

static bool has_ended_locked(const pt_job *job)
{
    return job->state != PT_OPERATION_PENDING && job->state != PT_OPERATION_RUNNING;
}

bool pt__job_has_ended(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    bool ended = has_ended_locked(job);
    pthread_mutex_unlock(&job->lock);
    return ended;
}

static pt_job_event_kind event_of_end(pt_operation_state state)
{
    if (state == PT_OPERATION_SUCCEEDED)
        return PT_JOB_FINISHED;
    return state == PT_OPERATION_CANCELLED ? PT_JOB_CANCELLED : PT_JOB_FAILED;
}

void pt__job_end(pt_job *job, pt_operation_state state, pt_error *failure)
{
    pthread_mutex_lock(&job->lock);
    if (!has_ended_locked(job)) {
        job->state = state;
        if (failure != NULL)
            pt_error_move(&job->failure, failure);
        job->ended_ms = pt__host_now_ms(job->session->host);
        if (job->ended_us == 0)
            job->ended_us = pt__host_now_us(job->session->host);
        if (state == PT_OPERATION_CANCELLED)
            pt__spool_clear_locked(job);
        pt__event_add_locked(job, event_of_end(state), 0, job->rows_written, state == PT_OPERATION_SUCCEEDED);
        pt__spool_wake_locked(job);
    }
    pthread_mutex_unlock(&job->lock);
    pt__events_deliver(job);
}

/* A frame of its own, so that nothing of the caller's is live across the guard's longjmp. */
static pt_status run_guarded(pt_job *job, pt_error *err)
{
    if (PT_ARENA_GUARD(job->memory->arena))
        return pt_error_set(err, PT_LIMIT, "the request needs more memory than plan.memory-limit allows");
    return job->run(job, job->context, err);
}

void pt__job_leave(pt_job *job)
{
    pt__shared_arena *memory = job->memory;
    pt__arena_unguard(memory->arena);
    end_context(job);
    pthread_mutex_lock(&job->lock);
    job->memory = NULL;
    job->is_done = true;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->lock);
    pt__shared_arena_unref(memory);
}

/* Where a worker and not the caller waits for the store. */
static pt_status put_on_record(pt_job *job, pt_error *err)
{
    if (job->durable == NULL || job->durable->fence != 0)
        return PT_OK;
    pt_error inner = PT_ERROR_INIT;
    pt_status status = pt__durable_insert(job, PT_OPERATION_RUNNING, &inner);
    if (status == PT_ALREADY_EXISTS)
        status = pt__raise(err, PT_COND_INVALID_HANDLE_OPERATION_ALREADY_EXISTS, "handle", job->id, NULL);
    else if (status != PT_OK)
        pt_error_move(err, &inner);
    pt_error_clear(&inner);
    return status;
}

static void run_job(void *context)
{
    pt_job *job = context;
    pt_error err = PT_ERROR_INIT;
    pt__job_mark_running(job);
    pt_status status = pt__job_check(job, &err);
    if (status == PT_OK)
        status = put_on_record(job, &err);
    if (status == PT_OK)
        status = run_guarded(job, &err);
    status = pt__durable_end(job, status, &err);
    if (status == PT_OK)
        pt__job_end(job, PT_OPERATION_SUCCEEDED, NULL);
    else
        pt__job_end(job, status == PT_CANCELLED ? PT_OPERATION_CANCELLED : PT_OPERATION_FAILED, &err);
    pt_error_clear(&err);
    pt__job_leave(job);
    pt_job_unref(job);
}

/* ---- starting ---- */

bool pt__job_is_repeat(const pt_job *job, const pt__job_request *request)
{
    pt_bytes_view print = request->fingerprint;
    return job->fingerprint_bytes == print.size_bytes &&
           job->fingerprint == pt__hash_bytes(print.data, print.size_bytes);
}

static pt_status repeated(pt_job *job, const pt__job_request *request, pt_error *err)
{
    if (pt__job_is_repeat(job, request))
        return PT_OK;
    return pt__raise(err, PT_COND_INVALID_HANDLE_OPERATION_ALREADY_EXISTS, "handle", job->id, NULL);
}

/* With the session's lock held. */
static pt_status may_start(pt_session *session, const pt__job_request *request, pt_error *err)
{
    if (session->is_closed)
        return pt__session_closed_error(session, err);
    if (request->id != NULL && pt__recent_find(&session->ended, request->id) != 0)
        return pt__raise(err, PT_COND_INVALID_HANDLE_OPERATION_ABANDONED, "handle", request->id, NULL);
    if (session->jobs.live_count >= session->host->limits.session_jobs)
        return pt_error_set(err, PT_LIMIT, "the session keeps %zu operations already (session.job-limit)",
                            session->jobs.live_count);
    return PT_OK;
}

/* With the session's lock held. A reference of the caller's. */
static pt_status list_new(pt_session *session, const pt__job_request *request, pt_job **out, pt_error *err)
{
    PT_TRY(may_start(session, request, err));
    pt_job *job = new_job(session, request);
    if (job != NULL && pt__map_set(&session->jobs, job->id, job, NULL)) {
        session->last_seen_ms = job->started_ms;
        *out = pt_job_ref(job);
        return PT_OK;
    }
    if (job != NULL) {
        job->free_context = NULL;
        pt_job_unref(job);
    }
    return pt_error_set(err, PT_NO_MEMORY, "no memory for the operation");
}

/* With the session's lock held: lists a new job, or finds the one of that id. A reference of the caller's. */
static pt_status list_job(pt_session *session, const pt__job_request *request, bool *is_new, pt_job **out,
                          pt_error *err)
{
    pt_job *job = request->id == NULL ? NULL : pt__map_get(&session->jobs, request->id);
    *is_new = job == NULL;
    if (job == NULL)
        return list_new(session, request, out, err);
    PT_TRY(repeated(job, request, err));
    *out = pt_job_ref(job);
    return PT_OK;
}

static void drop_context(const pt__job_request *request)
{
    if (request->free_context != NULL)
        request->free_context(request->context);
}

static void unlist(pt_job *job)
{
    pthread_mutex_lock(&job->session->lock);
    bool listed = pt__map_get(&job->session->jobs, job->id) == job;
    if (listed)
        pt__map_remove(&job->session->jobs, job->id);
    pthread_mutex_unlock(&job->session->lock);
    if (listed)
        pt_job_unref(job);
}

pt_status pt__job_make(pt_session *session, const pt__job_request *request, pt__durable *take_durable, pt_job **out,
                       pt_error *err)
{
    pthread_mutex_lock(&session->lock);
    pt_status status = list_new(session, request, out, err);
    if (status == PT_OK)
        (*out)->durable = take_durable;
    pthread_mutex_unlock(&session->lock);
    if (status != PT_OK)
        pt__durable_free(take_durable);
    return status;
}

pt_status pt__job_make_apart(pt_session *session, const pt__job_request *request, pt__durable *take_durable,
                             pt_job **out, pt_error *err)
{
    pt_job *job = new_job(session, request);
    if (job == NULL) {
        pt__durable_free(take_durable);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the operation");
    }
    job->durable = take_durable;
    *out = job;
    return PT_OK;
}

pt_status pt__job_post(pt_job *job, pt_error *err)
{
    pt_job_ref(job); /* the worker's */
    pt_status status = pt__host_run(job->session->host, run_job, job, err);
    if (status == PT_OK)
        return PT_OK;
    unlist(job);
    pt_job_unref(job);
    return status;
}

/* The caller is told that it has a job once that is on record. */
static pt_status record_first(pt_job *job, pt_error *err)
{
    if (job->durable == NULL || !job->is_recorded_first)
        return PT_OK;
    pt_status status = pt__durable_insert(job, PT_OPERATION_PENDING, err);
    if (status != PT_OK)
        unlist(job);
    return status;
}

/* Lists the job with what is to go on record, or finds the one of that id. */
static pt_status find_or_make(pt_session *session, const pt__job_request *request, bool *is_new, pt_job **out,
                              pt_error *err)
{
    pt__durable *durable = NULL;
    if (request->query != NULL && session->host->store != NULL)
        PT_TRY(pt__durable_new(session, request, &durable, err));
    pthread_mutex_lock(&session->lock);
    pt_status status = list_job(session, request, is_new, out, err);
    if (status == PT_OK && *is_new)
        (*out)->durable = durable;
    pthread_mutex_unlock(&session->lock);
    if (status != PT_OK || !*is_new)
        pt__durable_free(durable);
    return status;
}

pt_status pt__job_start(pt_session *session, const pt__job_request *request, bool *is_new, pt_job **out, pt_error *err)
{
    pt_job *job = NULL;
    bool made = false;
    pt_status status = request->id == NULL || pt__is_uuid(request->id)
                           ? find_or_make(session, request, &made, &job, err)
                           : pt__raise(err, PT_COND_INVALID_HANDLE_FORMAT, "handle", request->id, NULL);
    if (status != PT_OK || !made)
        drop_context(request);
    if (status == PT_OK && made) {
        status = record_first(job, err);
        if (status == PT_OK && (status = pt__job_post(job, err)) != PT_OK)
            pt__durable_withdraw(job);
        if (status != PT_OK)
            pt_job_unref(job);
    }
    if (status != PT_OK)
        return status;
    if (is_new != NULL)
        *is_new = made;
    *out = job;
    return PT_OK;
}

/* ---- cancelling ---- */

pt_status pt__job_check(pt_job *job, pt_error *err)
{
    pthread_mutex_lock(&job->lock);
    pt_operation_state state = job->state;
    pthread_mutex_unlock(&job->lock);
    if (state == PT_OPERATION_CANCELLED)
        return pt__raise(err, PT_COND_OPERATION_CANCELED, NULL);
    return state == PT_OPERATION_FAILED ? pt_job_failure(job, err) : PT_OK; /* while it runs: another node has it */
}

static const char *detail_of(pt_operation *operation)
{
    bool has = pt__has(operation->vtable, detail);
    return has ? operation->vtable->detail(operation) : NULL;
}

/* Earlier ones stay, as reports point to them. */
static void add_detail(pt_job *job, const char *text)
{
    size_t size = strlen(text) + 1;
    pt__detail *detail = malloc(sizeof(*detail) + size);
    if (detail == NULL)
        return;
    detail->earlier = job->detail;
    memcpy(detail->text, text, size);
    job->detail = detail;
}

pt_status pt__job_set_operation(pt_job *job, pt_operation *operation, pt_error *err)
{
    const char *detail = operation == NULL ? NULL : detail_of(operation);
    pthread_mutex_lock(&job->operation_lock);
    job->operation = operation;
    if (detail != NULL && (job->detail == NULL || strcmp(job->detail->text, detail) != 0))
        add_detail(job, detail);
    pthread_mutex_unlock(&job->operation_lock);
    return operation == NULL ? PT_OK : pt__job_check(job, err);
}

pt_status pt__job_stop(pt_job *job, pt_operation_state state, pt_error *failure)
{
    pt_status status = PT_OK;
    pt__job_end(job, state, failure);
    pthread_mutex_lock(&job->operation_lock);
    if (job->operation != NULL)
        status = job->operation->vtable->cancel(job->operation, failure);
    pthread_mutex_unlock(&job->operation_lock);
    return status;
}

pt_status pt_job_cancel(pt_job *job, pt_error *err)
{
    if (job->is_followed)
        return pt__followed_cancel(job, err);
    pt_error reason = PT_ERROR_INIT;
    pt__raise(&reason, PT_COND_OPERATION_CANCELED, NULL);
    pt_status status = pt__job_stop(job, PT_OPERATION_CANCELLED, &reason);
    if (status != PT_OK && err != NULL)
        pt_error_move(err, &reason);
    pt_error_clear(&reason);
    return status;
}

void pt__job_forget(pt_job *job, bool abandoned)
{
    intptr_t state = (intptr_t)pt_job_state(job) + 1;
    pthread_mutex_lock(&job->session->lock);
    bool listed = pt__map_get(&job->session->jobs, job->id) == job;
    if (listed) {
        pt__map_remove(&job->session->jobs, job->id);
        pt__recent_add(&job->session->ended, job->id, (uintptr_t)(abandoned ? -state : state));
    }
    pthread_mutex_unlock(&job->session->lock);
    if (!listed)
        return;
    pt_job_cancel(job, NULL);
    pthread_mutex_lock(&job->lock);
    pt__spool_clear_locked(job);
    pt__spool_wake_locked(job);
    pthread_mutex_unlock(&job->lock);
    pt_job_report report = {.size_bytes = sizeof(report)};
    if (pt_job_status(job, &report, NULL) == PT_OK)
        pt__past_jobs_add(&job->session->host->past_jobs, &report);
    pt_job_unref(job);
}

bool pt__job_is_abandoned(pt_job *job, uint64_t now_ms, uint64_t limit_ms)
{
    pthread_mutex_lock(&job->lock);
    bool may_be = !job->is_detached || job->durable == NULL || has_ended_locked(job);
    bool is_abandoned = may_be && job->readers == NULL && job->waiter_count == 0 && now_ms >= job->unattended_ms &&
                        now_ms - job->unattended_ms >= limit_ms;
    pthread_mutex_unlock(&job->lock);
    return is_abandoned;
}

/* ---- asking ---- */

const char *pt_job_id(const pt_job *job)
{
    return job->id;
}

pt_operation_state pt_job_state(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    pt_operation_state state = job->state;
    pthread_mutex_unlock(&job->lock);
    return state;
}

pt_status pt_job_failure(pt_job *job, pt_error *err)
{
    pthread_mutex_lock(&job->lock);
    pt_status status = job->failure.status;
    if (status != PT_OK && err != NULL)
        pt_error_copy(err, &job->failure);
    pthread_mutex_unlock(&job->lock);
    return status;
}

pt_session *pt__job_session(pt_job *job)
{
    return job->session;
}

pt__arena *pt__job_arena(pt_job *job)
{
    return job->memory->arena;
}

bool pt__job_is_resumable(const pt_job *job)
{
    return job->is_resumable;
}

int64_t pt__job_rows_written(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    int64_t rows = job->rows_written;
    pthread_mutex_unlock(&job->lock);
    return rows;
}

const char *pt__job_detail(pt_job *job, pt__arena *arena)
{
    pthread_mutex_lock(&job->operation_lock);
    char *copy = job->detail == NULL ? NULL : strdup(job->detail->text);
    pthread_mutex_unlock(&job->operation_lock);
    const char *out = copy == NULL ? NULL : pt__arena_copy_string(arena, copy);
    free(copy);
    return out;
}

double pt__job_progress(pt_job *job)
{
    double progress = -1;
    if (job->is_followed)
        return pt__followed_progress(job);
    pthread_mutex_lock(&job->operation_lock);
    pt_operation *operation = job->operation;
    if (operation != NULL && operation->vtable->progress != NULL)
        progress = operation->vtable->progress(operation);
    pthread_mutex_unlock(&job->operation_lock);
    return pt_job_state(job) == PT_OPERATION_SUCCEEDED ? 1 : progress;
}

uint64_t pt__job_elapsed_ms(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    uint64_t end = has_ended_locked(job) ? job->ended_ms : pt__host_now_ms(job->session->host);
    uint64_t elapsed = end - job->started_ms;
    pthread_mutex_unlock(&job->lock);
    return elapsed;
}

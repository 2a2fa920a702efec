/* Jobs on record: reading them, taking them over, listing them. */
#include "exec/durable.h"

#include "analyze/catalog.h"
#include "exec/decode.h"
#include "exec/session_catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static pt_bytes_view copy_view(pt__arena *arena, pt_bytes_view view)
{
    return (pt_bytes_view){pt__arena_copy(arena, view.data, view.size_bytes), view.size_bytes};
}

static pt_status take_record(void *context, const pt_job_record *record, pt_error *err)
{
    pt__stored_job *out = context;
    pt__arena *arena = out->arena;
    (void)err;
    out->record = *record;
    out->record.id = pt__arena_copy_string(arena, record->id);
    out->record.session_id = pt__arena_copy_string(arena, record->session_id);
    out->record.user = pt__arena_copy_string(arena, record->user);
    out->record.owner = pt__arena_copy_string(arena, record->owner);
    out->record.request = copy_view(arena, record->request);
    out->record.outcome = copy_view(arena, record->outcome);
    return PT_OK;
}

static pt_status read_stored(pt_host *host, const char *id, pt__stored_job *out, pt_error *err)
{
    PT_TRY(host->store->get(host->store_self, id, take_record, out, err));
    PT_TRY(pt__job_request_decode(out->arena, out->record.request, &out->request, err));
    return pt__job_outcome_decode(out->arena, out->record.outcome, &out->outcome, err);
}

pt_status pt__stored_job_read(pt_host *host, const char *id, pt__stored_job *out, pt_error *err)
{
    memset(out, 0, sizeof(*out));
    out->arena = pt__arena_new(0); /* without a limit it aborts rather than to jump, with the store's lock held */
    if (out->arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the record of a job");
    pt_status status = read_stored(host, id, out, err);
    if (status != PT_OK) {
        pt__arena_free(out->arena);
        out->arena = NULL;
    }
    return status;
}

/* ---- the session that a job is given ---- */

static pt_status parse_view(pt_session *session, pt__arena *arena, const pt__record_view *from, const pt_plan **out,
                            pt_error *err)
{
    pt__session_catalog *catalog = pt__session_catalog_new(session, NULL, arena);
    pt__sql_options options = pt__session_sql_options(catalog);
    return pt__sql_parse_statement(arena, (pt_text_view){from->text, strlen(from->text)}, &options, out, err);
}

static pt_status fill_view(pt_session *session, pt__view *view, const pt__record_view *from, pt_error *err)
{
    pt__arena *arena = view->memory->arena;
    if (PT_ARENA_GUARD(arena))
        return pt_error_set(err, PT_LIMIT, "a temporary view needs more memory than plan.memory-limit allows");
    const char **names = pt__arena_array(arena, const char *, from->column_count + 1);
    for (size_t i = 0; i < from->column_count; i++)
        names[i] = pt__arena_copy_string(arena, from->column_names[i]);
    pt__record_view copy = {.text = pt__arena_copy_string(arena, from->text)};
    view->name = pt__arena_copy_string(arena, from->name);
    view->text = copy.text;
    view->database = from->database == NULL ? NULL : pt__arena_copy_string(arena, from->database);
    view->column_names = names;
    view->column_count = from->column_count;
    pt_status status = parse_view(session, arena, &copy, &view->plan, err);
    pt__arena_unguard(arena);
    return status;
}

static pt_status restore_view(pt_session *session, const pt__record_view *from, pt_error *err)
{
    pt__view *view = calloc(1, sizeof(*view));
    if (view == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a view");
    atomic_init(&view->references, 1);
    view->memory = pt__host_shared_arena(session->host, (size_t)session->host->limits.plan_bytes);
    if (view->memory == NULL) {
        free(view);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a view");
    }
    pt_status status = fill_view(session, view, from, err);
    if (status == PT_OK)
        return pt__session_put_view(session, view, false, true, err);
    pt__view_unref(view);
    return status;
}

static pt_status restore_state(pt_session *session, const pt__job_request_record *request, pt_error *err)
{
    for (size_t i = 0; i < request->conf_count; i++)
        PT_TRY(pt__session_conf_set(session, request->conf[i].key, request->conf[i].value, err));
    for (size_t i = 0; i < request->view_count; i++)
        PT_TRY(restore_view(session, &request->views[i], err));
    if (request->database != NULL)
        PT_TRY(pt__session_set_database(session, request->database, err));
    return PT_OK;
}

static pt_status list_session(pt_host *host, pt_session *session, pt_error *err)
{
    pthread_mutex_lock(&host->lock);
    bool is_closing = host->draining || pt__host_is_closing(host);
    bool is_listed = !is_closing && pt__map_get(&host->sessions, session->key) == NULL &&
                     pt__map_set(&host->sessions, session->key, session, NULL);
    if (is_listed)
        pt_session_ref(session);
    pthread_mutex_unlock(&host->lock);
    return is_listed ? PT_OK : pt_error_set(err, PT_UNAVAILABLE, "the job is being recovered, or the host ends");
}

/*
 * A session of the job's own, that answers to the names of the one that is lost but is not found under them: a client
 * that comes back has to learn that its views and artifacts are gone.
 */
static pt_status make_unlisted_session(pt_host *host, const pt__stored_job *stored, pt_session **out, pt_error *err)
{
    char key_text[PT_UUID_TEXT_BYTES + 16];
    snprintf(key_text, sizeof(key_text), "job/%.36s", stored->record.id);
    pt__session_key key = {.user = stored->record.user, .session_id = stored->record.session_id};
    PT_TRY(pt__session_make(host, &key, key_text, out, err));
    if (stored->request.server_session_id != NULL)
        snprintf((*out)->id, sizeof((*out)->id), "%.36s", stored->request.server_session_id);
    return PT_OK;
}

static pt_status make_session(pt_host *host, const pt__stored_job *stored, pt_session **out, pt_error *err)
{
    PT_TRY(make_unlisted_session(host, stored, out, err));
    pt_status status = list_session(host, *out, err);
    if (status != PT_OK)
        pt_session_unref(*out);
    return status;
}

/* ---- jobs that have ended ---- */

static pt_status never_run(pt_job *job, void *context, pt_error *err)
{
    (void)job;
    (void)context;
    return pt_error_set(err, PT_INTERNAL, "a job that has ended is run");
}

static pt__job_request request_of(const pt__stored_job *stored)
{
    return (pt__job_request){
        .id = stored->record.id,
        .fingerprint = {NULL, 0},
        .tags = stored->request.tags,
        .tag_count = stored->request.tag_count,
        .is_resumable = true,
        .is_detached = true,
        .query = &stored->request.query,
        .run = never_run,
    };
}

typedef pt_status (*job_maker)(pt_session *session, const pt__job_request *request, pt__durable *take_durable,
                               pt_job **out, pt_error *err);

static pt_status make_job_by(job_maker make, pt_session *session, pt__job_request *request,
                             const pt__stored_job *stored, pt_job **out, pt_error *err)
{
    pt__durable *durable = NULL;
    pt_bytes *fingerprint = pt__request_fingerprint(&stored->request);
    if (fingerprint == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a job");
    request->fingerprint = pt_bytes_get_view(fingerprint);
    pt_status status = pt__durable_from_record(&stored->record, &durable, err);
    if (status == PT_OK)
        status = make(session, request, durable, out, err);
    pt_bytes_unref(fingerprint);
    return status;
}

static pt_status make_job(pt_session *session, pt__job_request *request, const pt__stored_job *stored, pt_job **out,
                          pt_error *err)
{
    return make_job_by(pt__job_make, session, request, stored, out, err);
}

pt_status pt__stored_job_make_apart(pt_host *host, const pt__stored_job *stored, pt_job **out, pt_error *err)
{
    pt_session *session = NULL;
    pt__job_request request = request_of(stored);
    PT_TRY(make_unlisted_session(host, stored, &session, err));
    pt_status status = make_job_by(pt__job_make_apart, session, &request, stored, out, err);
    pt_session_unref(session);
    return status;
}

static pt_status load_job(pt_host *host, const pt__stored_job *stored, pt_job **out, pt_error *err)
{
    pt_session *session = NULL;
    pt__job_request request = request_of(stored);
    PT_TRY(make_session(host, stored, &session, err));
    pt_status status = make_job(session, &request, stored, out, err);
    if (status == PT_OK) {
        status = pt__durable_load(*out, &stored->record, &stored->outcome, err);
        pt__job_leave(*out);
        if (status != PT_OK) {
            pt__job_forget(*out, false);
            pt_job_unref(*out);
        }
    }
    pt_session_unref(session);
    return status;
}

/* ---- jobs that go on ---- */

static bool is_to_be_proven(const pt__stored_job *stored)
{
    return stored->record.kind == PT_JOB_WRITE && stored->record.state == PT_OPERATION_RUNNING;
}

/* Whether the backend knows that the write was carried out. */
static pt_status is_proven(pt_session *session, const char *id, bool *out, pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    *out = false;
    PT_TRY(pt__session_backend(session, &slot, &backend_session, err));
    if (!pt__backend_has(slot, was_committed))
        return PT_OK;
    return slot->vtable->was_committed(backend_session, id, out, err);
}

/* Why the job cannot be run again; PT_OK when it can, or when it need not: then what it answers is made again. */
static pt_status may_run(pt_job *job, const pt__stored_job *stored, pt_error *err)
{
    if (is_to_be_proven(stored)) {
        PT_TRY(is_proven(job->session, job->id, &job->is_proven, err));
        return job->is_proven
                   ? PT_OK
                   : pt_error_set(err, PT_INTERRUPTED,
                                  "the job %s was writing when its node ended; whether that took effect is not "
                                  "known, and it is not run twice",
                                  job->id);
    }
    if (stored->outcome.need_count == 0)
        return PT_OK;
    return pt_error_set(err, PT_UNAVAILABLE,
                        "the job %s cannot be run again: it uses %s of the session %s, which ended with its node",
                        job->id, stored->outcome.needs[0], stored->record.session_id);
}

static pt_status prepare(pt_host *host, const pt_encoded_query *query, pt__job_request *request, pt_error *err)
{
    pt__job_runner runner = {0};
    pthread_mutex_lock(&host->lock);
    for (size_t i = 0; i < host->runner_count; i++)
        if (strcmp(host->runners[i].format, query->format) == 0)
            runner = host->runners[i];
    pthread_mutex_unlock(&host->lock);
    return runner.prepare != NULL ? runner.prepare(runner.mount, query, request, err)
                                  : pt__submission_prepare(query, request, err);
}

static void set_numbers(pt_job *job, const pt__stored_job *stored)
{
    pthread_mutex_lock(&job->lock);
    job->created_us = stored->record.created_us;
    job->attempt = (int32_t)stored->outcome.attempt + 1;
    job->kind = is_to_be_proven(stored) ? PT_JOB_WRITE : PT_JOB_UNKNOWN;
    job->events.items[0].time_us = job->created_us;
    pthread_mutex_unlock(&job->lock);
}

static void end_job(pt_job *job, pt_status status, pt_error *err)
{
    pt__job_mark_running(job);
    status = pt__durable_end(job, status, err);
    pt__job_end(job, status == PT_OK ? PT_OPERATION_SUCCEEDED : PT_OPERATION_FAILED, err);
    pt__job_leave(job);
}

/* Files of earlier owners: what they wrote is of no use any more. */
static void remove_outputs(pt_host *host, const pt__stored_job *stored)
{
    char name[80];
    for (int64_t fence = 1; host->output_folder != NULL && fence < stored->record.fence; fence++) {
        snprintf(name, sizeof(name), "%.36s-%lld.arrows", stored->record.id, (long long)fence);
        pt__output_remove(host->output_folder, name);
    }
}

static pt_status go_on(pt_job *job, const pt__stored_job *stored, pt_error *err)
{
    pt_error why = PT_ERROR_INIT;
    set_numbers(job, stored);
    if (stored->outcome.handle != NULL)
        job->durable->handle = strdup(stored->outcome.handle);
    remove_outputs(job->session->host, stored);
    pt_status status = restore_state(job->session, &stored->request, &why);
    if (status == PT_OK)
        status = may_run(job, stored, &why);
    if (status != PT_OK)
        end_job(job, status, &why);
    pt_error_clear(&why);
    return status != PT_OK ? PT_OK : pt__job_post(job, err);
}

static pt_status make_again(pt_host *host, pt_session *session, const pt__stored_job *stored, pt_job **out,
                            pt_error *err)
{
    pt__job_request request = request_of(stored);
    PT_TRY(prepare(host, &stored->request.query, &request, err));
    pt_status status = make_job(session, &request, stored, out, err);
    if (status != PT_OK && request.free_context != NULL)
        request.free_context(request.context);
    PT_TRY(status);
    status = go_on(*out, stored, err);
    if (status != PT_OK)
        pt_job_unref(*out);
    return status;
}

static pt_status run_again(pt_host *host, const pt__stored_job *stored, pt_job **out, pt_error *err)
{
    pt_session *session = NULL;
    PT_TRY(make_session(host, stored, &session, err));
    pt_status status = make_again(host, session, stored, out, err);
    pt_session_unref(session);
    return status;
}

/* ---- taking over ---- */

static pt_status held(const pt__stored_job *stored, pt_error *err)
{
    return pt_error_set(err, PT_UNAVAILABLE, "the job %s is held by the node %s, for %lld ms unless that renews it",
                        stored->record.id, stored->record.owner, (long long)stored->record.lease_left_ms);
}

/* Claims; what is on record is read again after that, as its owner may have gone on until then. */
static pt_status claim(pt_host *host, pt__stored_job *stored, pt_error *err)
{
    int64_t fence;
    char id[PT_UUID_TEXT_BYTES];
    snprintf(id, sizeof(id), "%.36s", stored->record.id);
    if (stored->record.lease_left_ms > 0)
        return held(stored, err);
    pt_status status = host->store->claim(host->store_self, id, host->node, host->limits.lease, &fence, err);
    if (status != PT_OK && status != PT_NOT_FOUND)
        return status;
    pt__arena_free(stored->arena);
    PT_TRY(pt__stored_job_read(host, id, stored, err));
    return status == PT_OK || stored->record.ended_us != 0 ? PT_OK : held(stored, err);
}

static pt_status take_over(pt_host *host, pt__stored_job *stored, bool may_claim, pt_job **out, pt_error *err)
{
    if (stored->record.ended_us == 0 && !may_claim)
        return held(stored, err);
    if (stored->record.ended_us == 0)
        PT_TRY(claim(host, stored, err));
    return stored->record.ended_us != 0 ? load_job(host, stored, out, err) : run_again(host, stored, out, err);
}

static pt_status not_found(const char *id, pt_error *err)
{
    return pt_error_set(err, PT_NOT_FOUND, "there is no job %s", id);
}

static bool is_of(const pt__stored_job *stored, const char *user, const char *session_id)
{
    return user == NULL ||
           (strcmp(stored->record.user, user) == 0 && strcmp(stored->record.session_id, session_id) == 0);
}

static pt_status find_on_record(pt_host *host, const char *id, const char *user, const char *session_id, bool may_claim,
                                pt_job **out, pt_error *err)
{
    pt__stored_job stored;
    if (host->store == NULL)
        return not_found(id, err);
    PT_TRY(pt__stored_job_read(host, id, &stored, err));
    pt_status status =
        is_of(&stored, user, session_id) ? take_over(host, &stored, may_claim, out, err) : not_found(id, err);
    pt__arena_free(stored.arena);
    return status;
}

pt_job *pt__host_find_job(pt_host *host, const char *id)
{
    pt_job *found = NULL;
    const char *key;
    void *value;
    pthread_mutex_lock(&host->lock);
    for (size_t at = 0; found == NULL && pt__map_next(&host->sessions, &at, &key, &value);) {
        pt_session *session = value;
        pthread_mutex_lock(&session->lock);
        found = pt__map_get(&session->jobs, id);
        if (found != NULL)
            pt_job_ref(found);
        pthread_mutex_unlock(&session->lock);
    }
    pthread_mutex_unlock(&host->lock);
    return found;
}

static bool is_lost(pt_job *job)
{
    return job->durable != NULL && atomic_load(&job->durable->is_lost);
}

/* A job that another node took from this one is to be looked for on record; the remains of it are in the way. */
static pt_job *find_own(pt_host *host, const char *id)
{
    pt_job *job = pt__host_find_job(host, id);
    if (job == NULL || !is_lost(job))
        return job;
    pt__job_forget(job, false);
    pt_job_unref(job);
    return NULL;
}

pt_status pt_host_job(pt_host *host, const char *job_id, pt_job **out, pt_error *err)
{
    *out = find_own(host, job_id);
    return *out != NULL ? PT_OK : find_on_record(host, job_id, NULL, NULL, false, out, err);
}

pt_status pt_host_recover(pt_host *host, const char *job_id, pt_job **out, pt_error *err)
{
    *out = find_own(host, job_id);
    return *out != NULL ? PT_OK : find_on_record(host, job_id, NULL, NULL, true, out, err);
}

pt_status pt__host_recover_for(pt_host *host, const char *user, const char *session_id, const char *job_id,
                               pt_job **out, pt_error *err)
{
    pt_job *job = find_own(host, job_id);
    if (job == NULL)
        return find_on_record(host, job_id, user, session_id, true, out, err);
    if (strcmp(job->session->user, user) == 0 && strcmp(job->session->client_id, session_id) == 0) {
        *out = job;
        return PT_OK;
    }
    pt_job_unref(job);
    return not_found(job_id, err);
}

/* ---- runners ---- */

pt_status pt__host_add_runner(pt_host *host, const pt__job_runner *runner, pt_error *err)
{
    pthread_mutex_lock(&host->lock);
    size_t at = 0;
    while (at < host->runner_count && strcmp(host->runners[at].format, runner->format) != 0)
        at++;
    bool has_room = at < PT_RUNNERS_MAX;
    if (has_room) {
        host->runners[at] = *runner;
        host->runner_count = at < host->runner_count ? host->runner_count : at + 1;
    }
    pthread_mutex_unlock(&host->lock);
    return has_room ? PT_OK : pt_error_set(err, PT_LIMIT, "a host has %d job runners at most", PT_RUNNERS_MAX);
}

void pt__host_remove_runner(pt_host *host, const void *mount)
{
    pthread_mutex_lock(&host->lock);
    for (size_t i = host->runner_count; i > 0; i--)
        if (host->runners[i - 1].mount == mount)
            host->runners[i - 1] = host->runners[--host->runner_count];
    pthread_mutex_unlock(&host->lock);
}

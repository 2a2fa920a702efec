#include "front/ballista/job.h"

#include "exec/session.h"
#include "exec/statement.h"

#include <stdlib.h>
#include <string.h>

/* What the worker runs. */
typedef struct order {
    pt__ballista_job *job; /* a reference */
    char *format;
    pt_bytes *payload;
    pt_query_option *options;
    size_t option_count;
} order;

/* ---- on the worker ---- */

static pt_status note_read(pt_job *job, void *context, pt_error *err)
{
    const order *o = context;
    atomic_store(&o->job->was_read, true);
    return pt__job_write_note(job, PT_BALLISTA_NOTE_READ, NULL, err);
}

static pt_status run(pt_job *job, void *context, pt_error *err)
{
    const order *o = context;
    pt__statement_request request = {
        .query = {o->format, pt_bytes_get_view(o->payload), o->options, o->option_count},
        .was_read = note_read,
        .was_read_context = context,
    };
    return pt__job_run_statement(job, &request, err);
}

static void free_order(void *context)
{
    order *o = context;
    if (o == NULL)
        return;
    for (size_t i = 0; i < o->option_count; i++) {
        free((char *)o->options[i].name);
        free((char *)o->options[i].value);
    }
    free(o->options);
    free(o->format);
    pt_bytes_unref(o->payload);
    pt__ballista_job_unref(o->job);
    free(o);
}

/* ---- starting ---- */

static bool add_option(order *o, const char *name, const char *value)
{
    pt_query_option *option = &o->options[o->option_count++];
    option->name = strdup(name);
    option->value = strdup(value);
    return option->name != NULL && option->value != NULL;
}

/* The session's settings, and after them those of the query, which then count. */
static bool copy_settings(order *o, const pt__ballista_settings *settings, const pt__map *of_session)
{
    const char *name;
    void *value;
    o->options = calloc(settings->count + (of_session == NULL ? 0 : of_session->live_count) + 1, sizeof(*o->options));
    bool copied = o->options != NULL;
    for (size_t at = 0; copied && of_session != NULL && pt__map_next(of_session, &at, &name, &value);)
        copied = add_option(o, name, value);
    for (size_t i = 0; copied && i < settings->count; i++)
        if (settings->items[i]->presence_case != 0)
            copied = add_option(o, settings->items[i]->key, settings->items[i]->value);
    return copied;
}

static bool copy_options(order *o, const pt__ballista_job *job, const pt__ballista_request *request)
{
    const pt_encoded_query *query = &request->query;
    if (request->takes_settings && pt__session_backend_accepts(job->session, query->format))
        return copy_settings(o, &request->settings,
                             pt__ballista_session_settings(job->mount, request->user, request->session_id));
    o->options = calloc(query->option_count + 1, sizeof(*o->options));
    bool copied = o->options != NULL;
    for (size_t i = 0; copied && i < query->option_count; i++)
        copied = add_option(o, query->options[i].name, query->options[i].value);
    return copied;
}

static order *new_order(pt__ballista_job *job, const pt__ballista_request *request)
{
    const pt_encoded_query *query = &request->query;
    order *o = calloc(1, sizeof(*o));
    if (o == NULL)
        return NULL;
    o->job = pt__ballista_job_ref(job);
    o->format = strdup(query->format);
    o->payload = pt_bytes_copy(query->payload);
    if (o->format != NULL && o->payload != NULL && copy_options(o, job, request))
        return o;
    free_order(o);
    return NULL;
}

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a job");
}

static pt_status new_job(pt__ballista *mount, const pt__ballista_request *request, pt__ballista_job **out,
                         pt_error *err)
{
    const char *name = pt__ballista_setting(&request->settings, "ballista.job.name");
    pt__ballista_job *job = calloc(1, sizeof(*job));
    if (job == NULL)
        return no_memory(err);
    atomic_init(&job->references, 1);
    job->mount = mount;
    job->last_seen_ms = pt__host_now_ms(mount->host);
    job->name = strdup(name == NULL ? "" : name);
    job->user = strdup(request->user);
    if (job->name == NULL || job->user == NULL) {
        pt__ballista_job_unref(job);
        return no_memory(err);
    }
    *out = job;
    return PT_OK;
}

static bool has_ended(const pt__ballista_job *job)
{
    pt_operation_state state = pt_job_state(job->job);
    return state != PT_OPERATION_PENDING && state != PT_OPERATION_RUNNING;
}

/* The first that has ended, or was fetched, in the order of their beginning; NULL: none. */
static pt__ballista_job *find_oldest(pt__ballista *mount, bool fetched_only)
{
    const char *id;
    void *value;
    for (size_t at = 0; pt__map_next(&mount->jobs, &at, &id, &value);) {
        pt__ballista_job *job = value;
        if (job->watchers == 0 && (fetched_only ? job->kept_bytes != 0 : has_ended(job)))
            return job;
    }
    return NULL;
}

static pt_status make_room(pt__ballista *mount, pt_error *err)
{
    if (mount->jobs.live_count < mount->limits.max_jobs)
        return PT_OK;
    pt__ballista_job *oldest = find_oldest(mount, false);
    if (oldest == NULL)
        return pt_error_set(err, PT_LIMIT, "%zu jobs run already (ballista.max-jobs)", mount->jobs.live_count);
    pt__ballista_job_forget(oldest);
    return PT_OK;
}

static pt_status begin(pt__ballista_job *job, const pt__ballista_request *request, pt_error *err)
{
    pt__ballista *mount = job->mount;
    PT_TRY(pt__ballista_session_for(mount, request->user, request->session_id, &request->settings, &job->session,
                                    &job->owns_session, err));
    order *o = new_order(job, request);
    if (o == NULL)
        return no_memory(err);
    pt__job_request start = {
        .is_resumable = true,
        .traceparent = request->traceparent,
        .run = run,
        .free_context = free_order,
        .context = o,
    };
    PT_TRY(pt__job_start(job->session, &start, NULL, &job->job, err));
    if (!pt__map_set(&mount->jobs, pt_job_id(job->job), job, NULL)) {
        pt__session_release_job(job->session, pt_job_id(job->job));
        return no_memory(err);
    }
    pt__ballista_job_ref(job); /* the map's */
    return PT_OK;
}

pt_status pt__ballista_job_start(pt__ballista *mount, const pt__ballista_request *request, pt__ballista_job **out,
                                 pt_error *err)
{
    pt__ballista_job *job = NULL;
    PT_TRY(make_room(mount, err));
    PT_TRY(new_job(mount, request, &job, err));
    pt_status status = begin(job, request, err);
    if (status == PT_OK) {
        *out = job;
        return PT_OK;
    }
    if (job->session != NULL && job->owns_session)
        pt__ballista_session_end(mount, pt_session_ref(job->session));
    pt__ballista_job_unref(job);
    return status;
}

/* ---- references ---- */

pt__ballista_job *pt__ballista_job_ref(pt__ballista_job *job)
{
    atomic_fetch_add(&job->references, 1);
    return job;
}

void pt__ballista_job_unref(pt__ballista_job *job)
{
    if (job == NULL || atomic_fetch_sub(&job->references, 1) != 1)
        return;
    pt_job_unref(job->job);
    pt_session_unref(job->session);
    free(job->name);
    free(job->user);
    free(job);
}

/* ---- known jobs ---- */

/* The host cancels a job that nobody has read for job.abandon-after; who asks for it will read it. */
static void attend(const pt__ballista_job *job)
{
    const pt__reader_options from_start = {.position = 0};
    pt__reader *reader = NULL;
    pt__session_touch(job->session);
    if (pt__reader_open(job->job, &from_start, &reader, NULL) == PT_OK)
        pt__reader_close(reader);
}

pt__ballista_job *pt__ballista_job_find(pt__ballista *mount, const char *user, const char *id)
{
    pt__ballista_job *job = pt__map_get(&mount->jobs, id);
    if (job == NULL || strcmp(job->user, user) != 0)
        return NULL;
    job->last_seen_ms = pt__host_now_ms(mount->host);
    attend(job);
    return job;
}

void pt__ballista_job_release(pt__ballista_job *job)
{
    job->mount->fetched_bytes -= job->kept_bytes;
    job->kept_bytes = 0;
    job->is_released = true;
    pt__session_release_job(job->session, pt_job_id(job->job));
}

void pt__ballista_job_fetched(pt__ballista_job *job)
{
    pt__ballista *mount = job->mount;
    pt__ballista_job *oldest;
    pt_job_report report = {.size_bytes = sizeof(report)};
    if (job->is_released || job->kept_bytes != 0 || pt_job_status(job->job, &report, NULL) != PT_OK)
        return;
    job->kept_bytes = (uint64_t)report.bytes + 1;
    mount->fetched_bytes += job->kept_bytes;
    while (mount->fetched_bytes > mount->limits.keep_fetched_bytes && (oldest = find_oldest(mount, true)) != NULL)
        pt__ballista_job_release(oldest);
}

void pt__ballista_job_abandon(pt__ballista_job *job)
{
    if (!has_ended(job))
        pt_job_cancel(job->job, NULL);
}

void pt__ballista_job_forget(pt__ballista_job *job)
{
    pt__ballista *mount = job->mount;
    pt__ballista_job_release(job);
    pt__map_remove(&mount->jobs, pt_job_id(job->job));
    if (job->owns_session)
        pt__ballista_session_end(mount, pt_session_ref(job->session));
    pt__ballista_job_unref(job);
}

static bool has_expired(const pt__ballista_job *job)
{
    const pt__ballista *mount = job->mount;
    return job->watchers == 0 && pt__host_now_ms(mount->host) > job->last_seen_ms + mount->limits.job_lifetime_ms;
}

void pt__ballista_jobs_expire(pt__ballista *mount, bool all)
{
    const char *id;
    void *value;
    for (size_t at = 0; pt__map_next(&mount->jobs, &at, &id, &value);) {
        if (!all && !has_expired(value))
            continue;
        pt__ballista_job_forget(value);
    }
}

/*
 * Jobs that other nodes run: followed by looking at their records, cancelled by a note there. The host's housekeeper
 * looks, about once a second, and at the notes for its own jobs.
 */
#include "base/has.h"
#include "exec/durable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One job that is followed; as long as somebody else has a reference to it. */
typedef struct pt__followed {
    struct pt__followed *next; /* under the host's lock */
    pt_job *job;               /* a reference */
} pt__followed;

/* ---- looking ---- */

static void note_progress(pt_job *job, double progress)
{
    pthread_mutex_lock(&job->lock);
    bool is_more = job->state == PT_OPERATION_RUNNING && progress > job->events.progress;
    if (is_more) {
        job->events.progress = progress;
        pt__event_add_locked(job, PT_JOB_PROGRESS, 0, job->rows_written, progress);
    }
    pthread_mutex_unlock(&job->lock);
    if (is_more)
        pt__events_deliver(job);
}

static pt_status look_at(pt_job *job, const pt__stored_job *stored, pt_error *err)
{
    if (stored->record.ended_us != 0)
        return pt__durable_load(job, &stored->record, &stored->outcome, err);
    pt__durable_look(job, &stored->record, &stored->outcome);
    if (stored->record.state == PT_OPERATION_RUNNING)
        pt__job_mark_running(job);
    note_progress(job, stored->outcome.progress_percent / 100.0);
    return PT_OK;
}

/* A store that cannot be reached is asked again; a job that is off the record will not be heard of again. */
static void look(pt_host *host, pt_job *job)
{
    pt__stored_job stored;
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt__stored_job_read(host, job->id, &stored, &err);
    if (status == PT_OK) {
        status = look_at(job, &stored, &err);
        pt__arena_free(stored.arena);
    }
    if (status == PT_NOT_FOUND)
        pt__job_end(job, PT_OPERATION_FAILED, &err);
    else if (status != PT_OK)
        pt__host_log(host, PT_LOG_WARN, "job", "%s cannot be followed: %s", job->id, err.message);
    pt_error_clear(&err);
}

double pt__followed_progress(pt_job *job)
{
    pthread_mutex_lock(&job->lock);
    double progress = job->state == PT_OPERATION_SUCCEEDED ? 1 : job->events.progress > 0 ? job->events.progress : -1;
    pthread_mutex_unlock(&job->lock);
    return progress;
}

/* ---- the list ---- */

static void free_list(pt__followed *f)
{
    while (f != NULL) {
        pt__followed *next = f->next;
        pt_job_unref(f->job);
        free(f);
        f = next;
    }
}

/* Takes out what has ended, and what nobody but the list has; the rest a reference each. */
static pt_job **take_list(pt_host *host, size_t *count)
{
    pt__followed *over = NULL;
    size_t room = 1;
    *count = 0;
    pthread_mutex_lock(&host->lock);
    for (const pt__followed *f = host->followed; f != NULL; f = f->next)
        room++;
    pt_job **list = calloc(room, sizeof(*list));
    for (pt__followed **at = &host->followed; list != NULL && *at != NULL;) {
        pt__followed *f = *at;
        bool is_over = atomic_load(&f->job->references) == 1 || pt__job_has_ended(f->job);
        if (!is_over) {
            list[(*count)++] = pt_job_ref(f->job);
            at = &f->next;
            continue;
        }
        *at = f->next;
        f->next = over;
        over = f;
    }
    pthread_mutex_unlock(&host->lock);
    free_list(over);
    return list;
}

static void look_at_followed(pt_host *host)
{
    size_t count;
    pt_job **list = take_list(host, &count);
    for (size_t i = 0; i < count; i++) {
        look(host, list[i]);
        pt_job_unref(list[i]);
    }
    free(list);
}

/* With the host's lock held: a reference, or NULL. */
static pt_job *find_locked(pt_host *host, const char *id)
{
    for (const pt__followed *f = host->followed; f != NULL; f = f->next)
        if (strcmp(f->job->id, id) == 0 && !pt__job_has_ended(f->job))
            return pt_job_ref(f->job);
    return NULL;
}

/* Lists a job, or gives the one that another thread has listed meanwhile. */
static pt_status list_job(pt_host *host, pt_job **job, pt_error *err)
{
    pt__followed *f = malloc(sizeof(*f));
    if (f == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to follow a job");
    pthread_mutex_lock(&host->lock);
    pt_job *known = find_locked(host, (*job)->id);
    if (known == NULL) {
        *f = (pt__followed){host->followed, pt_job_ref(*job)};
        host->followed = f;
    }
    pthread_mutex_unlock(&host->lock);
    if (known != NULL) {
        free(f);
        pt_job_unref(*job);
        *job = known;
    }
    return PT_OK;
}

void pt__host_forget_followed(pt_host *host)
{
    free_list(host->followed);
}

/* ---- following ---- */

static pt_status follow_stored(pt_host *host, const pt__stored_job *stored, pt_job **out, pt_error *err)
{
    PT_TRY(pt__stored_job_make_apart(host, stored, out, err));
    (*out)->is_followed = true;
    pt__job_leave(*out);
    pt_status status = look_at(*out, stored, err);
    if (status == PT_OK)
        status = list_job(host, out, err);
    if (status != PT_OK)
        pt_job_unref(*out);
    return status;
}

static pt_job *find_followed(pt_host *host, const char *id)
{
    pthread_mutex_lock(&host->lock);
    pt_job *job = find_locked(host, id);
    pthread_mutex_unlock(&host->lock);
    return job;
}

pt_status pt_host_follow(pt_host *host, const char *job_id, pt_job **out, pt_error *err)
{
    pt__stored_job stored;
    pt_error why = PT_ERROR_INIT;
    pt_status status = pt_host_job(host, job_id, out, &why);
    bool is_elsewhere = status == PT_UNAVAILABLE && host->store != NULL;
    if (status != PT_OK && !is_elsewhere && err != NULL)
        pt_error_move(err, &why);
    pt_error_clear(&why);
    if (!is_elsewhere)
        return status;
    *out = find_followed(host, job_id);
    if (*out != NULL)
        return PT_OK;
    PT_TRY(pt__stored_job_read(host, job_id, &stored, err));
    status = follow_stored(host, &stored, out, err);
    pt__arena_free(stored.arena);
    return status;
}

/* ---- cancelling ---- */

pt_status pt__followed_cancel(pt_job *job, pt_error *err)
{
    const pt_host *host = job->session->host;
    if (pt__job_has_ended(job))
        return PT_OK;
    if (!pt__has(host->store, ask_to_cancel))
        return pt_error_set(err, PT_UNSUPPORTED, "the job store %s takes no notes to cancel jobs", host->store->name);
    pt_status status = host->store->ask_to_cancel(host->store_self, job->id, err);
    return status == PT_NOT_FOUND ? PT_OK : status; /* it has ended meanwhile */
}

typedef struct to_cancel {
    char (*ids)[PT_UUID_TEXT_BYTES];
    size_t count;
} to_cancel;

static void add_id(void *context, const char *id)
{
    to_cancel *list = context;
    void *ids = realloc(list->ids, (list->count + 1) * sizeof(*list->ids));
    if (ids == NULL)
        return; /* the note stays */
    list->ids = ids;
    snprintf(list->ids[list->count++], sizeof(*list->ids), "%.36s", id);
}

/* A job that is not here is one that this host has just been given, or is through with. */
static void cancel_own(pt_host *host)
{
    to_cancel list = {NULL, 0};
    if (!pt__has(host->store, list_to_cancel))
        return;
    host->store->list_to_cancel(host->store_self, host->node, add_id, &list, NULL);
    for (size_t i = 0; i < list.count; i++) {
        pt_job *job = pt__host_find_job(host, list.ids[i]);
        if (job != NULL)
            pt_job_cancel(job, NULL);
        pt_job_unref(job);
    }
    free(list.ids);
}

void pt__host_follow_all(pt_host *host)
{
    cancel_own(host);
    look_at_followed(host);
}

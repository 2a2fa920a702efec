/* What is told about jobs: of one, and of all that are here or on record. */
#include "exec/durable.h"

#include <stdlib.h>
#include <string.h>

/* ---- one job ---- */

/* Fills as much as the caller's struct has room for. */
static void give_report(const pt_job_report *report, pt_job_report *out)
{
    size_t size = out->size_bytes < sizeof(*report) ? out->size_bytes : sizeof(*report);
    size_t told = out->size_bytes;
    memcpy(out, report, size);
    out->size_bytes = told;
}

static const char *detail_of(pt_job *job)
{
    pthread_mutex_lock(&job->operation_lock);
    const char *text = job->detail == NULL ? NULL : job->detail->text;
    pthread_mutex_unlock(&job->operation_lock);
    return text;
}

static pt_job_report report_job(pt_job *job)
{
    double progress = pt__job_progress(job);
    const char *detail = detail_of(job);
    pthread_mutex_lock(&job->lock);
    pt_job_report report = {
        .size_bytes = sizeof(report),
        .id = job->id,
        .session_id = job->session->client_id,
        .state = job->state,
        .kind = job->kind,
        .created_us = job->created_us,
        .started_us = job->started_us,
        .ended_us = job->state > PT_OPERATION_RUNNING ? job->ended_us : 0,
        .rows = job->rows_written,
        .bytes = job->bytes_written,
        .batches = (int64_t)job->batches_written,
        .progress = progress,
        .backend = job->backend,
        .attempt = job->attempt,
        .detail = detail,
        .user = job->session->user,
        .is_output_kept = job->durable != NULL && job->durable->output_name != NULL,
    };
    pthread_mutex_unlock(&job->lock);
    return report;
}

pt_status pt_job_status(pt_job *job, pt_job_report *out, pt_error *err)
{
    if (out->size_bytes < sizeof(size_t))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "size_bytes of the report is not set");
    const pt_job_report report = report_job(job);
    give_report(&report, out);
    return PT_OK;
}

/* ---- all jobs of the host ---- */

typedef struct job_list {
    pt_job **items;
    size_t count;
    size_t capacity;
    bool failed;
} job_list;

static void add_job(job_list *list, pt_job *job)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        pt_job **items = realloc(list->items, capacity * sizeof(*items));
        list->failed = list->failed || items == NULL;
        if (items == NULL)
            return;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = pt_job_ref(job);
}

static bool job_has_tag(const char *const *tags, size_t count, const char *tag)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tags[i], tag) == 0)
            return true;
    return tag == NULL;
}

/* All but the state, which changes. */
static bool is_wanted(const pt_job *job, const pt_job_filter *f)
{
    return (f->session_id == NULL || strcmp(f->session_id, job->session->client_id) == 0) &&
           (f->user == NULL || strcmp(f->user, job->session->user) == 0) &&
           (f->tag == NULL || job_has_tag((const char *const *)job->tags, job->tag_count, f->tag));
}

static void add_jobs_of(job_list *list, pt_session *session, const pt_job_filter *filter)
{
    const char *key;
    void *value;
    pthread_mutex_lock(&session->lock);
    for (size_t at = 0; pt__map_next(&session->jobs, &at, &key, &value);)
        if (is_wanted(value, filter))
            add_job(list, value);
    pthread_mutex_unlock(&session->lock);
}

static int compare_ages(const void *a, const void *b)
{
    int64_t x = (*(pt_job *const *)a)->created_us;
    int64_t y = (*(pt_job *const *)b)->created_us;
    return x < y ? -1 : x > y;
}

static job_list list_own(pt_host *host, const pt_job_filter *filter)
{
    job_list list = {NULL, 0, 0, false};
    const char *key;
    void *value;
    pthread_mutex_lock(&host->lock);
    for (size_t at = 0; pt__map_next(&host->sessions, &at, &key, &value);)
        add_jobs_of(&list, value, filter);
    pthread_mutex_unlock(&host->lock);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof(*list.items), compare_ages);
    return list;
}

/* ---- those on record ---- */

typedef struct listing {
    pt_host *host;
    const pt_job_filter *filter;
    pt_job_visitor visit;
    void *context;
    pt__map own; /* ids that were told */
    pt__arena *arena;
} listing;

static pt_job_report report_record(const pt_job_record *record, const pt__job_outcome_record *outcome)
{
    return (pt_job_report){
        .size_bytes = sizeof(pt_job_report),
        .id = record->id,
        .session_id = record->session_id,
        .state = record->state,
        .kind = record->kind,
        .created_us = record->created_us,
        .started_us = record->started_us,
        .ended_us = record->ended_us,
        .rows = record->rows,
        .bytes = record->bytes,
        .batches = (int64_t)outcome->batch_count,
        .progress = record->state == PT_OPERATION_SUCCEEDED ? 1 : -1,
        .backend = outcome->backend,
        .attempt = (int32_t)outcome->attempt,
        .is_output_kept = outcome->output != NULL,
        .user = record->user,
    };
}

static pt_status tell_record(void *context, const pt_job_record *record, pt_error *err)
{
    listing *l = context;
    pt__job_request_record request;
    pt__job_outcome_record outcome;
    if (pt__map_get(&l->own, record->id) != NULL)
        return PT_OK;
    pt__arena_reset(l->arena);
    /* A record that this version cannot read must not hide the others: it is told without what cannot be read. */
    if (pt__job_request_decode(l->arena, record->request, &request, NULL) != PT_OK)
        request = (pt__job_request_record){0};
    if (pt__job_outcome_decode(l->arena, record->outcome, &outcome, NULL) != PT_OK)
        outcome = (pt__job_outcome_record){0};
    if (l->filter->tag != NULL && !job_has_tag(request.tags, request.tag_count, l->filter->tag))
        return PT_OK;
    pt_job_report report = report_record(record, &outcome);
    return l->visit(l->context, &report, err);
}

static pt_status tell_own(listing *l, pt_job *job, pt_error *err)
{
    pt_job_report report = report_job(job);
    if (!pt__map_set(&l->own, job->id, job, NULL))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to list jobs");
    if (l->filter->state >= 0 && l->filter->state != (int)report.state)
        return PT_OK;
    return l->visit(l->context, &report, err);
}

static pt_status tell_all_own(listing *l, pt_error *err)
{
    job_list list = list_own(l->host, l->filter);
    pt_status status = list.failed ? pt_error_set(err, PT_NO_MEMORY, "no memory to list jobs") : PT_OK;
    for (size_t i = 0; i < list.count; i++) {
        if (status == PT_OK)
            status = tell_own(l, list.items[i], err);
        pt_job_unref(list.items[i]);
    }
    free(list.items);
    return status;
}

static pt_status tell_records(listing *l, pt_error *err)
{
    pt_job_record_filter filter = {sizeof(filter), l->filter->session_id, l->filter->user, l->filter->state};
    if (l->host->store == NULL)
        return PT_OK;
    l->arena = pt__arena_new(0);
    if (l->arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to list jobs");
    pt_status status = l->host->store->list(l->host->store_self, &filter, tell_record, l, err);
    pt__arena_free(l->arena);
    return status;
}

pt_status pt_host_jobs(pt_host *host, const pt_job_filter *filter, pt_job_visitor visit, void *context, pt_error *err)
{
    static const pt_job_filter all = {sizeof(all), NULL, NULL, -1, NULL};
    listing l = {.host = host, .filter = filter == NULL ? &all : filter, .visit = visit, .context = context};
    pt_status status = tell_all_own(&l, err);
    if (status == PT_OK)
        status = tell_records(&l, err);
    pt__map_deinit(&l.own);
    return status;
}

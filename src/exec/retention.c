/*
 * How long jobs stay on record: by age since their end, and by the size of all output that is kept. A job whose node
 * has died and that nobody has recovered for as long goes, too.
 */
#include "exec/durable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY_MS = 60000 };

typedef struct ended_job {
    char id[PT_UUID_TEXT_BYTES];
    char *output;     /* NULL: none */
    int64_t ended_us; /* 0: it has not ended, but its node has */
    int64_t bytes;
    bool is_write;
} ended_job;

typedef struct ended_jobs {
    pt__arena *arena;
    int64_t age_ms;
    ended_job *items;
    size_t count;
    size_t capacity;
} ended_jobs;

static bool grow(ended_jobs *jobs)
{
    if (jobs->count < jobs->capacity)
        return true;
    size_t capacity = jobs->capacity == 0 ? 64 : jobs->capacity * 2;
    ended_job *items = realloc(jobs->items, capacity * sizeof(*items));
    if (items == NULL)
        return false;
    jobs->items = items;
    jobs->capacity = capacity;
    return true;
}

static pt_status take_ended(void *context, const pt_job_record *record, pt_error *err)
{
    ended_jobs *jobs = context;
    pt__job_outcome_record outcome;
    if (record->ended_us == 0 && record->lease_left_ms > -jobs->age_ms)
        return PT_OK;
    pt__arena_reset(jobs->arena);
    if (pt__job_outcome_decode(jobs->arena, record->outcome, &outcome, NULL) != PT_OK)
        outcome = (pt__job_outcome_record){0}; /* by another version: it goes by its age */
    if (!grow(jobs))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to look through jobs");
    ended_job *job = &jobs->items[jobs->count++];
    *job = (ended_job){.ended_us = record->ended_us,
                       .bytes = outcome.output == NULL ? 0 : record->bytes,
                       .is_write = record->kind == PT_JOB_WRITE};
    size_t size = strnlen(record->id, sizeof(job->id) - 1);
    memcpy(job->id, record->id, size);
    job->output = outcome.output == NULL ? NULL : strdup(outcome.output);
    return PT_OK;
}

static int compare_ends(const void *a, const void *b)
{
    int64_t x = ((const ended_job *)a)->ended_us;
    int64_t y = ((const ended_job *)b)->ended_us;
    return x < y ? -1 : x > y;
}

static void remove_job(pt_host *host, const ended_job *job)
{
    if (host->store->remove(host->store_self, job->id, NULL) != PT_OK)
        return;
    if (job->output != NULL && host->output_folder != NULL)
        pt__output_remove(host->output_folder, job->output);
    if (job->is_write)
        pt__host_forget_proof(host, job->id);
}

/* Of a job that never ended: it is taken over, so that its node cannot come back to it, and ended. */
static void end_dead_job(pt_host *host, const ended_job *job)
{
    pt__stored_job stored;
    int64_t fence;
    char name[80];
    if (host->store->claim(host->store_self, job->id, host->node, host->limits.lease, &fence, NULL) != PT_OK ||
        pt__stored_job_read(host, job->id, &stored, NULL) != PT_OK)
        return;
    stored.record.state = PT_OPERATION_CANCELLED;
    stored.record.ended_us = pt__host_now_us(host);
    host->store->update(host->store_self, &stored.record, 0, NULL);
    for (; fence > 0 && host->output_folder != NULL; fence--) {
        snprintf(name, sizeof(name), "%.36s-%lld.arrows", job->id, (long long)fence);
        pt__output_remove(host->output_folder, name);
    }
    pt__arena_free(stored.arena);
}

/* Oldest first: those that are too old, and those beyond which there is too much. */
static void remove_some(pt_host *host, ended_jobs *jobs)
{
    int64_t oldest_us = pt__host_now_us(host) - (int64_t)host->limits.retention_age * 1000;
    uint64_t total = 0;
    for (size_t i = 0; i < jobs->count; i++)
        total += (uint64_t)jobs->items[i].bytes;
    if (jobs->count > 1)
        qsort(jobs->items, jobs->count, sizeof(*jobs->items), compare_ends);
    for (size_t i = 0; i < jobs->count; i++) {
        ended_job *job = &jobs->items[i];
        if (job->ended_us == 0)
            end_dead_job(host, job);
        if (job->ended_us < oldest_us || (total > host->limits.retention_bytes && job->bytes > 0)) {
            remove_job(host, job);
            total -= (uint64_t)job->bytes;
        }
        free(job->output);
    }
}

void pt__host_retain_now(pt_host *host)
{
    const pt_job_record_filter all = {sizeof(all), NULL, NULL, -1};
    ended_jobs jobs = {.arena = pt__arena_new(0), .age_ms = (int64_t)host->limits.retention_age};
    pt_error err = PT_ERROR_INIT;
    if (jobs.arena == NULL)
        return;
    if (host->store->list(host->store_self, &all, take_ended, &jobs, &err) != PT_OK)
        pt__host_log(host, PT_LOG_WARN, "job", "old jobs stay on record: %s", err.message);
    remove_some(host, &jobs);
    free(jobs.items);
    pt__arena_free(jobs.arena);
    pt_error_clear(&err);
}

void pt__host_retain(pt_host *host)
{
    uint64_t now_ms = pt__host_now_ms(host);
    if (now_ms < host->retention_due_ms)
        return;
    host->retention_due_ms = now_ms + EVERY_MS;
    pt__host_retain_now(host);
}

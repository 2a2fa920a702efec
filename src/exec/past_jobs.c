#include "exec/past_jobs.h"

#include <string.h>

void pt__past_jobs_init(pt__past_jobs *jobs)
{
    *jobs = (pt__past_jobs){.added = 0};
    pthread_mutex_init(&jobs->lock, NULL);
}

void pt__past_jobs_deinit(pt__past_jobs *jobs)
{
    pthread_mutex_destroy(&jobs->lock);
}

/* Cut before a character, not within one. */
static void copy_text(char *out, size_t room, const char *text)
{
    size_t size = text == NULL ? 0 : strlen(text);
    if (size >= room) {
        size = room - 1;
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
            size--;
    }
    if (size > 0)
        memcpy(out, text, size);
    out[size] = '\0';
}

void pt__past_jobs_add(pt__past_jobs *jobs, const pt_job_report *report)
{
    pthread_mutex_lock(&jobs->lock);
    pt__past_job *job = &jobs->items[jobs->added++ % PT_PAST_JOBS_MAX];
    job->report = *report;
    copy_text(job->id, sizeof(job->id), report->id);
    copy_text(job->user, sizeof(job->user), report->user);
    copy_text(job->backend, sizeof(job->backend), report->backend);
    if (report->state <= PT_OPERATION_RUNNING)
        job->report.state = PT_OPERATION_CANCELLED;
    job->report.session_id = "";
    job->report.detail = NULL;
    pthread_mutex_unlock(&jobs->lock);
}

void pt__past_jobs_each(pt__past_jobs *jobs, void (*visit)(void *context, const pt_job_report *report), void *context)
{
    pthread_mutex_lock(&jobs->lock);
    for (size_t i = 0; i < jobs->added && i < PT_PAST_JOBS_MAX; i++) {
        pt_job_report report = jobs->items[i].report;
        report.id = jobs->items[i].id;
        report.user = jobs->items[i].user;
        report.backend = jobs->items[i].backend;
        visit(context, &report);
    }
    pthread_mutex_unlock(&jobs->lock);
}

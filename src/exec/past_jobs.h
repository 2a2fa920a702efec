/**
 * The last jobs that clients have let go of: what is told about them once they are gone. A ring; no result, no text.
 */
#ifndef PT_EXEC_PAST_JOBS_H
#define PT_EXEC_PAST_JOBS_H

#include "base/uuid.h"

#include <portico/job.h>

#include <pthread.h>

enum { PT_PAST_JOBS_MAX = 100, PT_PAST_TEXT_BYTES = 64 };

typedef struct pt__past_job {
    pt_job_report report; /* its texts are the ones below, set when it is told */
    char id[PT_UUID_TEXT_BYTES];
    char user[PT_PAST_TEXT_BYTES];
    char backend[PT_PAST_TEXT_BYTES];
} pt__past_job;

typedef struct pt__past_jobs {
    pthread_mutex_t lock; /* nothing else is taken under it */
    pt__past_job items[PT_PAST_JOBS_MAX];
    size_t added; /* ever */
} pt__past_jobs;

void pt__past_jobs_init(pt__past_jobs *jobs);
void pt__past_jobs_deinit(pt__past_jobs *jobs);

/** Keeps the report. One that had not ended is told as cancelled. */
void pt__past_jobs_add(pt__past_jobs *jobs, const pt_job_report *report);

/** Calls `visit`, which must not come back here, for each. */
void pt__past_jobs_each(pt__past_jobs *jobs, void (*visit)(void *context, const pt_job_report *report), void *context);

#endif

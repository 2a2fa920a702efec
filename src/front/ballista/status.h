/**
 * The status of a job as clients are told it: JobStatus within GetJobStatusResult.
 *
 * Results have one partition, and are fetched from us: flight_proxy is local. Executor and port are those that the
 * client itself called us by, so that clients that dial an executor come here, too.
 *
 * Threads: the loop thread of the routes.
 */
#ifndef PT_FRONT_BALLISTA_STATUS_H
#define PT_FRONT_BALLISTA_STATUS_H

#include "front/ballista/job.h"

#include <portico/call.h>

typedef enum pt__ballista_state {
    PT_BALLISTA_QUEUED,
    PT_BALLISTA_RUNNING,
    PT_BALLISTA_FAILED,
    PT_BALLISTA_SUCCESSFUL
} pt__ballista_state;

/** What the job's state counts as. */
pt__ballista_state pt__ballista_job_state(pt__ballista_job *job);

/** Sends the status in that state; false when the call was failed. */
bool pt__ballista_status_send(pt_call *call, pt__ballista_job *job, pt__ballista_state state);

/** Answers GetJobMetrics: one stage. */
pt_status pt__ballista_metrics_reply(pt_call *call, pt__arena *arena, pt__ballista_job *job, pt_error *err);

#endif

/**
 * Job: an operation as the host keeps it: id, status, events, output.
 *
 * Threads: any, except that callbacks of a subscription run on worker threads and must only signal.
 */
#ifndef PORTICO_JOB_H
#define PORTICO_JOB_H

#include <portico/session.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_job pt_job;

typedef struct pt_submit_request {
    size_t size_bytes;
    pt_session *session;
    const char *requested_job_id; /* any UUID; NULL: a UUIDv7 is made */
    pt_encoded_query query;
    const char *const *tags;
    size_t tag_count;
} pt_submit_request;

/** Errors: PT_ALREADY_EXISTS when the id is taken by another request (the same request gives the same job). */
pt_status pt_host_submit(pt_host *host, const pt_submit_request *request, pt_job **out, pt_error *err);

/** PT_NOT_FOUND when the host keeps no such job. */
pt_status pt_host_job(pt_host *host, const char *job_id, pt_job **out, pt_error *err);

pt_job *pt_job_ref(pt_job *job);
void pt_job_unref(pt_job *job);

const char *pt_job_id(const pt_job *job);
pt_operation_state pt_job_state(pt_job *job);

/** Why it failed; PT_OK when it did not. */
pt_status pt_job_failure(pt_job *job, pt_error *err);

/** Idempotent. */
pt_status pt_job_cancel(pt_job *job, pt_error *err);

/** Waits until the job has ended or `timeout_ms` have passed (0: no limit): PT_TIMEOUT. */
pt_status pt_job_wait(pt_job *job, uint64_t timeout_ms, pt_error *err);

/** The result from its first batch on; blocks while the job runs. */
pt_status pt_job_result(pt_job *job, struct ArrowArrayStream *out, pt_error *err);

#ifdef __cplusplus
}
#endif

#endif

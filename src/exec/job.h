/**
 * Jobs as frontends start them: a function that decodes, settles and executes a request on a worker and writes what
 * the client shall read into the job's spool.
 */
#ifndef PT_EXEC_JOB_H
#define PT_EXEC_JOB_H

#include "analyze/catalog.h"
#include "exec/spool.h"
#include "plan/plan.h"

#include <portico/job.h>

/** Longest W3C trace context that is kept, with its terminator; versions to come may add to today's 55 characters. */
enum { PT_TRACEPARENT_BYTES = 128 };

typedef struct pt__job_request {
    const char *id; /* UUID text; NULL: a version 7 one is made */
    /**
     * What the request asked, to tell a repeated request from another one with the same id: any bytes, such as
     * the serialized plan or a hash of it; borrowed.
     */
    pt_bytes_view fingerprint;
    const char *const *tags; /* copied */
    size_t tag_count;
    /** Lives on without readers for job.abandon-after, its output kept for re-reading; else it ends with its reader. */
    bool is_resumable;
    pt_bytes_view traceparent; /* W3C trace context of the call; copied; what is longer is dropped */
    /** Goes on without readers, when it is on record. */
    bool is_detached;
    /**
     * What is to be put on record, so that a node that has a runner or decoder of the format can run it again;
     * borrowed. NULL: nothing.
     */
    const pt_encoded_query *query;
    /** It is on record when pt__job_start returns, which then waits for the store; else when the worker begins. */
    bool is_recorded_first;
    size_t arena_limit_bytes; /* of pt__job_arena; 0: host's plan.memory-limit */
    /**
     * Runs on a worker. The job succeeds when it returns PT_OK. Arena exhaustion inside is caught by the caller.
     */
    pt_status (*run)(pt_job *job, void *context, pt_error *err);
    /** Ends `context`, always, when the job has ended or was refused. NULL: nothing to do. Threads: any. */
    void (*free_context)(void *context);
    void *context; /* the job's from the call on, success or failure */
} pt__job_request;

/**
 * Queues a job of the session. A request whose id and fingerprint are those of a job that is kept gives that job,
 * `*is_new` false, and frees its context.
 *
 * Ownership: `*out` is a reference of the caller's.
 * Errors:    INVALID_HANDLE.FORMAT, .OPERATION_ALREADY_EXISTS, .OPERATION_ABANDONED; PT_LIMIT when host.max-queued
 *            jobs wait; PT_UNAVAILABLE while the host drains; SESSION_CLOSED.
 * Threads:   any; does not block.
 */
pt_status pt__job_start(pt_session *session, const pt__job_request *request, bool *is_new, pt_job **out, pt_error *err);

/**
 * How jobs of one format that were on record run again: a frontend whose jobs write more than batches registers one.
 * Formats without runner run as pt_host_submit runs them.
 */
typedef struct pt__job_runner {
    const char *format;
    void *mount;
    /** Sets run, free_context and context. */
    pt_status (*prepare)(void *mount, const pt_encoded_query *query, pt__job_request *out, pt_error *err);
} pt__job_runner;

/** Replaces one of the same format. PT_LIMIT when there are too many. */
pt_status pt__host_add_runner(pt_host *host, const pt__job_runner *runner, pt_error *err);
void pt__host_remove_runner(pt_host *host, const void *mount);

/** The `run` of a query that was submitted; takes nothing of `query`. */
pt_status pt__submission_prepare(const pt_encoded_query *query, pt__job_request *out, pt_error *err);

/* ---- for `run`, on the worker ---- */

pt_session *pt__job_session(pt_job *job);

/**
 * Memory of the request, freed when nothing needs the job's plan any more. All that a plan given to this job refers to
 * must lie in it: temporary views keep the arena beyond the job.
 */
pt__arena *pt__job_arena(pt_job *job);

/** PT_CANCELLED with OPERATION_CANCELED once the job has been cancelled; to be asked in long loops. */
pt_status pt__job_check(pt_job *job, pt_error *err);

/**
 * Runs an analyzed relation on the session's backend and spools its rows as batches: at least one, even without rows.
 *
 * Errors: the backend's, PT_CANCELLED.
 */
pt_status pt__job_execute(pt_job *job, const pt_plan *relation, pt_error *err);

/** Runs an analyzed relation; its rows as one whole IPC stream in memory. PT_LIMIT beyond result.collect-limit. */
pt_status pt__job_collect(pt_job *job, const pt_plan *relation, pt_bytes **ipc_stream, int64_t *row_count,
                          pt_error *err);

/** Runs an analyzed relation and hands each batch (struct array, borrowed) to `row_batch`. */
pt_status pt__job_each_batch(pt_job *job, const pt_plan *relation,
                             pt_status (*row_batch)(void *context, const struct ArrowSchema *schema,
                                                    const struct ArrowArray *batch, pt_error *err),
                             void *context, pt_error *err);

/** What one DataFrame.observe() of a plan came to. */
typedef struct pt__observation {
    const char *name;
    int64_t plan_id;          /* of the collect_metrics node */
    const pt_column *columns; /* names and types of the metrics */
    size_t column_count;
    const pt_value *values; /* one per column */
} pt__observation;

/** Computes the observed metrics of the *unanalyzed* plan by queries of their own; none: count 0. Arena: the job's. */
pt_status pt__job_observe(pt_job *job, const pt_plan *plan, const pt__observation **out, size_t *count, pt_error *err);

/* ---- for frontends, on any thread ---- */

bool pt__job_is_resumable(const pt_job *job);

/** What wrappers said of the operation that ran last, such as the backend that was chosen; NULL: nothing. */
const char *pt__job_detail(pt_job *job, pt__arena *arena);

/** Share of the work done, 0 to 1; negative: unknown. Rows spooled so far. */
double pt__job_progress(pt_job *job);
int64_t pt__job_rows_written(pt_job *job);

/** Milliseconds from start to now, or to the end of the job. */
uint64_t pt__job_elapsed_ms(pt_job *job);

/**
 * The job of that id. Counts as a sign of life of both.
 * Errors: INVALID_HANDLE.FORMAT, .OPERATION_NOT_FOUND, .OPERATION_ABANDONED.
 */
pt_status pt__session_job(pt_session *session, const char *id, pt_job **out, pt_error *err);

/** Forgets a job and its output, cancelling it when it runs; false when the session has no such job. */
bool pt__session_release_job(pt_session *session, const char *id);

typedef enum pt__interrupt_kind { PT_INTERRUPT_ALL, PT_INTERRUPT_TAG, PT_INTERRUPT_ID } pt__interrupt_kind;

/** Cancels what runs or waits; ids of what was hit, in `arena`. `value`: tag or id; NULL for ALL. */
void pt__session_interrupt(pt_session *session, pt__interrupt_kind kind, const char *value, pt__arena *arena,
                           const char *const **ids, size_t *count);

typedef struct pt__job_info {
    const char *id;
    pt_operation_state state;
} pt__job_info;

/** State of a job that is kept or was released not long ago; false when the id is not known. */
bool pt__session_job_state(pt_session *session, const char *id, pt_operation_state *state);

/** All jobs that the session keeps, oldest first. */
void pt__session_jobs(pt_session *session, pt__arena *arena, const pt__job_info **out, size_t *count);

#endif

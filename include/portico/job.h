/**
 * Job: an operation as the host keeps it: id, status, events, output.
 *
 * With a job store that lasts (configuration jobs.store) a job is on record before pt_host_submit returns, its finished
 * output is a file of Arrow IPC in jobs.output-directory, and another node, or this one after a crash, picks it up by
 * pt_host_recover. What only read is run again under the same id; what may have written is not: it is reported as
 * failed with PT_INTERRUPTED, unless the backend proves that it was carried out.
 *
 * Threads: any, except that callbacks of a subscription run on worker threads and must only signal.
 */
#ifndef PORTICO_JOB_H
#define PORTICO_JOB_H

#include <portico/mailbox.h>
#include <portico/session.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_job pt_job;

typedef struct pt_submit_request {
    size_t size_bytes;
    pt_session *session;
    const char *requested_job_id; /* any UUID; NULL: a UUIDv7 is made */
    pt_encoded_query query;       /* a format that the backend takes as it is, or one that has a decoder */
    const char *const *tags;
    size_t tag_count;
} pt_submit_request;

/**
 * Starts a job. A request that is identical to that of the job with the requested id gives that job.
 *
 * Ownership: `*out` is a reference of the caller's.
 * Errors:    PT_ALREADY_EXISTS when the id is taken by another request; PT_UNSUPPORTED for a format that nobody knows;
 *            PT_IO when the job store cannot be written; PT_UNAVAILABLE while the host drains; PT_LIMIT.
 * Threads:   any; waits for the job store, if there is one that lasts.
 */
pt_status pt_host_submit(pt_host *host, const pt_submit_request *request, pt_job **out, pt_error *err);

/**
 * The job of that id: of this host, or one that ended elsewhere or before and is on record.
 * Errors: PT_NOT_FOUND when there is none; PT_UNAVAILABLE when the job has not ended and is not this node's.
 */
pt_status pt_host_job(pt_host *host, const char *job_id, pt_job **out, pt_error *err);

/**
 * Takes over a job whose node is gone, or gives the job as pt_host_job does. A job that only read, or had not begun,
 * runs again, with the configuration, current database and temporary views of SQL text that its session had; what else
 * of its session it used (other views, uploaded data) is lost, and then it fails with a text that says so.
 *
 * Errors:  PT_NOT_FOUND; PT_UNAVAILABLE as long as another node holds the job: at most jobs.lease after it has died.
 * Threads: any; waits for the job store.
 */
pt_status pt_host_recover(pt_host *host, const char *job_id, pt_job **out, pt_error *err);

/**
 * The job of that id, wherever it runs: as pt_host_job, but a job that another node runs is given as well. Its status,
 * rows and progress then are those on record, which its node writes down once a second; its events are STARTED and
 * PROGRESS, and with the end those of its batches and the end itself; pt_job_cancel asks its node, which stops it within
 * two seconds; its result can be read from when it has ended. When its node dies it stays running until some node
 * recovers it, and then goes on to be followed.
 *
 * Errors:  PT_NOT_FOUND.
 * Threads: any; waits for the job store.
 */
pt_status pt_host_follow(pt_host *host, const char *job_id, pt_job **out, pt_error *err);

/** What is to be told about a job: filled in by pt_job_status as far as the caller's size_bytes goes. */
typedef struct pt_job_report {
    size_t size_bytes; /* set by the caller */
    const char *id;
    const char *session_id; /* the client's */
    pt_operation_state state;
    pt_job_kind kind;
    int64_t created_us;  /* since 1970 */
    int64_t started_us;  /* 0: not yet */
    int64_t ended_us;    /* 0: not yet */
    int64_t rows;        /* of the output so far */
    int64_t bytes;       /* of the output so far, as Arrow */
    int64_t batches;     /* of the output so far */
    double progress;     /* 0 to 1; negative: unknown */
    const char *backend; /* that was chosen; NULL: not yet */
    int32_t attempt;     /* 1, and one more with each recovery */
    bool is_output_kept; /* in a file */
    const char *detail;  /* what wrappers decided, such as the backend that was chosen; NULL: nothing */
    const char *user;    /* who asked; "" or NULL when anonymous */
} pt_job_report;

/** Texts live as long as the job. */
pt_status pt_job_status(pt_job *job, pt_job_report *out, pt_error *err);

/** All that is set has to fit. */
typedef struct pt_job_filter {
    size_t size_bytes;
    const char *session_id; /* the client's; NULL: any */
    const char *user;       /* NULL: any */
    int state;              /* a pt_operation_state; -1: any */
    const char *tag;        /* NULL: any */
} pt_job_filter;

/** `report` is borrowed for the call. Anything but PT_OK ends the listing. */
typedef pt_status (*pt_job_visitor)(void *context, const pt_job_report *report, pt_error *err);

/**
 * Calls `visit` for the jobs of this host and for those on record, of every node. `filter` may be NULL: all.
 * Threads: any; `visit` must not call the host.
 */
pt_status pt_host_jobs(pt_host *host, const pt_job_filter *filter, pt_job_visitor visit, void *context, pt_error *err);

pt_job *pt_job_ref(pt_job *job);
void pt_job_unref(pt_job *job);

const char *pt_job_id(const pt_job *job);
pt_operation_state pt_job_state(pt_job *job);

/** Why it failed; PT_OK when it did not. */
pt_status pt_job_failure(pt_job *job, pt_error *err);

/** Stops the job within a second. Idempotent. Errors: those of the job store, for a job that is followed. */
pt_status pt_job_cancel(pt_job *job, pt_error *err);

/** Waits until the job has ended or `timeout_ms` have passed (0: no limit): PT_TIMEOUT. */
pt_status pt_job_wait(pt_job *job, uint64_t timeout_ms, pt_error *err);

/* ---- events ---- */

typedef enum pt_job_event_kind {
    PT_JOB_ACCEPTED,
    PT_JOB_STARTED,
    PT_JOB_PROGRESS,
    PT_JOB_BATCH, /* available to readers */
    PT_JOB_FINISHED,
    PT_JOB_FAILED,
    PT_JOB_CANCELLED
} pt_job_event_kind;

typedef struct pt_job_event {
    size_t size_bytes;
    uint64_t number; /* 0, 1, 2, … without gaps; the last one is FINISHED, FAILED or CANCELLED */
    pt_job_event_kind kind;
    int64_t time_us; /* since 1970 */
    uint64_t batch;  /* BATCH: its index */
    int64_t rows;    /* BATCH: of it; PROGRESS and later: so far */
    double progress; /* PROGRESS: 0 to 1 */
} pt_job_event;

typedef struct pt_job_subscription pt_job_subscription;

typedef struct pt_job_subscribe_options {
    size_t size_bytes;
    /**
     * Gets every event of the job in order, the past ones first, one call at a time. On a worker, or on the caller's
     * thread within pt_job_subscribe: it must only signal. With a mailbox it runs on the thread of that.
     */
    void (*event)(void *context, const pt_job_event *event);
    void *context;
    pt_mailbox *mailbox; /* NULL: none; has to outlive the subscription */
} pt_job_subscribe_options;

/** Ownership: end `*out` by pt_job_unsubscribe; it holds a reference to the job. */
pt_status pt_job_subscribe(pt_job *job, const pt_job_subscribe_options *options, pt_job_subscription **out,
                           pt_error *err);

/** No event is delivered after it; waits for one that is being delivered by another thread. NULL is allowed. */
void pt_job_unsubscribe(pt_job_subscription *subscription);

/** Copies events from number `first` on, at most `max`; how many. */
size_t pt_job_events(pt_job *job, uint64_t first, pt_job_event *out, size_t max);

/* ---- output ---- */

/** The result from its first batch on; blocks while the job runs. */
pt_status pt_job_result(pt_job *job, struct ArrowArrayStream *out, pt_error *err);

/**
 * The result from the batch of that index (0: the first) on; again and again while it is kept: in a file, or as far as
 * spool.retain goes.
 * Errors: INVALID_CURSOR.POSITION_NOT_FOUND when that batch is not kept, or lies beyond what was written.
 */
pt_status pt_job_result_from(pt_job *job, uint64_t batch_index, struct ArrowArrayStream *out, pt_error *err);

#ifdef __cplusplus
}
#endif

#endif

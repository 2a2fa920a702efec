/**
 * Jobs of this frontend: what a client asked for by ExecuteQuery, known by its id until it is forgotten.
 *
 * A job's output waits in its spool. It counts as successful, and can be fetched, when the job has succeeded, or when
 * the spool is full and the job goes on as its rows are fetched.
 *
 * Threads: the loop thread of the routes, but for what says otherwise.
 */
#ifndef PT_FRONT_BALLISTA_JOB_H
#define PT_FRONT_BALLISTA_JOB_H

#include "exec/host.h"
#include "exec/job.h"
#include "front/ballista/session.h"

#include <stdatomic.h>

/** The spool's first entry: the plan was read. */
enum { PT_BALLISTA_NOTE_READ = 1 };

typedef struct pt__ballista_job {
    atomic_size_t references; /* that of the worker among them */
    pt__ballista *mount;
    pt_job *job;
    pt_session *session;
    bool owns_session; /* it is closed with the job */
    char *name;        /* ballista.job.name; "" none */
    char *user;
    atomic_bool was_read;  /* its plan; set by the worker */
    uint64_t last_seen_ms; /* a client asked for it */
    size_t watchers;       /* calls that follow it */
    uint64_t kept_bytes;   /* counted in mount->fetched_bytes */
    bool was_announced;    /* as successful, which it stays as long as it runs */
    bool is_released;      /* its output */
} pt__ballista_job;

/** Borrowed; what a worker needs of it is copied. */
typedef struct pt__ballista_request {
    const char *user;
    const char *session_id;
    pt__ballista_settings settings;
    pt_encoded_query query;
    bool takes_settings;       /* as options, for a backend that takes the query as it is */
    pt_bytes_view traceparent; /* empty: none */
} pt__ballista_request;

/** Starts a job, known from now on. A reference of the caller's. */
pt_status pt__ballista_job_start(pt__ballista *mount, const pt__ballista_request *request, pt__ballista_job **out,
                                 pt_error *err);

pt__ballista_job *pt__ballista_job_ref(pt__ballista_job *job);
/** Threads: any. */
void pt__ballista_job_unref(pt__ballista_job *job);

/** The user's job of that id, a sign of life; borrowed. NULL: there is none. */
pt__ballista_job *pt__ballista_job_find(pt__ballista *mount, const char *user, const char *id);

/** Drops the output; the job stays known. */
void pt__ballista_job_release(pt__ballista_job *job);
/** Its output was fetched to the end: kept as far as ballista.keep-fetched goes. */
void pt__ballista_job_fetched(pt__ballista_job *job);
/** Nobody fetches any more: cancels it if it runs. */
void pt__ballista_job_abandon(pt__ballista_job *job);
/** Forgets the job and cancels it. */
void pt__ballista_job_forget(pt__ballista_job *job);

/** Forgets jobs that nobody has asked for in a long time, or all. */
void pt__ballista_jobs_expire(pt__ballista *mount, bool all);

#endif

/**
 * A job on the cluster from its submission to the list of what it gave: submitted to one of several schedulers, asked
 * about or told of, submitted anew when it is lost and only reads, cancelled when its time is over.
 *
 * Threads: one at a time; another one may raise `wake`.
 */
#ifndef PT_BACKEND_BALLISTA_REMOTE_JOB_H
#define PT_BACKEND_BALLISTA_REMOTE_JOB_H

#include "backend/ballista/cluster.h"
#include "backend/ballista/scheduler.h"
#include "base/arena.h"

/** A partition of the result. */
typedef struct pt__location {
    uint32_t partition;
    int64_t row_count;    /* -1: not known */
    const char *address;  /* host:port of whoever serves it */
    pt_bytes_view ticket; /* a Flight Ticket message */
} pt__location;

typedef struct pt__remote_job {
    pt__ballista *cluster;
    pt__wake *wake;
    const pt__remote_query *query;                       /* outlives the job */
    bool reads_only;                                     /* may be submitted again */
    char id[PT_REMOTE_JOB_ID_BYTES];                     /* "" until it is known */
    size_t scheduler;                                    /* the position of the one that has it */
    pt__channel *channel;                                /* to that one; NULL: none is open */
    pt__rpc_call *push;                                  /* tells how it goes; NULL: it is asked about */
    bool was_lost;                                       /* it is submitted anew */
    bool is_over;                                        /* it has ended on the cluster */
    bool has_results;                                    /* there is something to be cleaned up */
    bool may_be_elsewhere;                               /* a request was sent, and whether it arrived is not known */
    bool is_resumed;                                     /* another node has submitted it, and not all is known */
    void (*announce)(void *context, const char *handle); /* pt_query; NULL: nobody asks, or it has been called */
    void *announce_context;
    uint64_t announce_ms; /* when it has run long enough to be worth it */
    uint64_t give_up_ms;  /* ballista.job-timeout */
    uint64_t nudge_ms;
    const pt__location *locations; /* by partition */
    size_t location_count;
} pt__remote_job;

void pt__remote_job_init(pt__remote_job *job, pt__ballista *cluster, pt__wake *wake, const pt__remote_query *query,
                         bool reads_only);

/** Cancels it when it still runs, and deletes its results; gives the connection back. */
void pt__remote_job_deinit(pt__remote_job *job);

/**
 * Submits it and waits for its end; `locations` are in `arena`. A job that has an id already is waited for alone.
 * Errors: PT_BAD_PLAN; what the job failed with; PT_TIMEOUT; PT_CANCELLED; PT_UNAVAILABLE; PT_INTERRUPTED when a job
 * that writes was lost.
 */
pt_status pt__remote_job_run(pt__remote_job *job, pt__arena *arena, pt_error *err);

/**
 * Goes on with the job of a handle that another node announced, if it is of the same query and its scheduler is one of
 * ours. False: it is to be submitted.
 */
bool pt__remote_job_resume(pt__remote_job *job, const char *handle);

/** What it gave is lost: it is as if it had not been submitted. */
void pt__remote_job_forget(pt__remote_job *job);

#endif

/**
 * What of a job outlives its node: its record in the host's store, and its output in a file.
 *
 * The job's worker records: the request, that it begins (before anything is touched), and the end, with the output
 * sealed before. The housekeeper renews the lease; a job whose lease another node has got stops and records nothing.
 */
#ifndef PT_EXEC_DURABLE_H
#define PT_EXEC_DURABLE_H

#include "exec/output_file.h"
#include "exec/recover.h"
#include "exec/state.h"
#include "store/job_record.h"

struct pt__durable {
    pt_bytes *request; /* pt__job_request_encode */
    char *session_id;  /* the client's */
    char *user;
    _Atomic int64_t fence;       /* 0: not on record */
    pt_operation_state recorded; /* the state that is on record */
    char *backend;               /* of a job that is read from its record; NULL: not known */
    int64_t told_rows;           /* on record of a job that runs; the housekeeper's, as is: */
    int told_percent;
    char *output_name;   /* of the sealed file; NULL: none; under the job's lock */
    atomic_bool is_lost; /* another node has the job */
    atomic_bool is_over; /* the end is being recorded, or was */
    char *handle;        /* of the backend's operation, for the next node; NULL: none; under the job's lock */
    char **needs;        /* under the job's lock */
    size_t need_count;
};

/** Takes the request down with what a session elsewhere needs to run it again. */
pt_status pt__durable_new(pt_session *session, const pt__job_request *request, pt__durable **out, pt_error *err);
/** Of a record that was read; takes over at `fence`. */
pt_status pt__durable_from_record(const pt_job_record *record, pt__durable **out, pt_error *err);
void pt__durable_free(pt__durable *durable);

/** Puts a new job on record. Errors: PT_ALREADY_EXISTS. */
pt_status pt__durable_insert(pt_job *job, pt_operation_state state, pt_error *err);

/**
 * Notes under which handle another node may go on with the operation that the job's worker waits for (pt_query).
 * `context` is the job.
 */
void pt__durable_announce(void *context, const char *handle);

/** Whether the job is on record: `job` may be NULL. */
bool pt__durable_is_on_record(const pt_job *job);

/** Nobody will ask the host's backends any more whether the write of that job was carried out. */
void pt__host_forget_proof(pt_host *host, const char *job_id);

/** Off the record again: the job could not be started. */
void pt__durable_withdraw(pt_job *job);

/** Takes a job that has ended off the record, with its output, on a worker: its client has all of it. */
void pt__durable_discard(pt_job *job);

/** Before an entry goes into the spool; the job's worker. */
pt_status pt__durable_append(pt_job *job, const pt__spool_entry *entry, pt_error *err);
pt_status pt__durable_set_schema(pt_job *job, pt_bytes *schema_message, pt_error *err);

/** The worker is done with `status` and `err`; what is to become of the job then. */
pt_status pt__durable_end(pt_job *job, pt_status status, pt_error *err);

/** Renews the lease, and stops the job when it is gone. */
void pt__durable_renew(pt_job *job);

/** The state, error and output that are on record, into a job that does not run here and then counts as ended. */
pt_status pt__durable_load(pt_job *job, const pt_job_record *record, const pt__job_outcome_record *outcome,
                           pt_error *err);

/** What tells requests apart: query and tags, and nothing of the session (submit.c). NULL without memory. */
pt_bytes *pt__request_fingerprint(const pt__job_request_record *request);

/* jobs on record (recover.c) */

/** A record in an arena of its own. */
typedef struct pt__stored_job {
    pt__arena *arena;
    pt_job_record record;
    pt__job_request_record request;
    pt__job_outcome_record outcome;
} pt__stored_job;

/** End `*out` by freeing its arena. Errors: PT_NOT_FOUND. */
pt_status pt__stored_job_read(pt_host *host, const char *id, pt__stored_job *out, pt_error *err);

/** A job of that record which nobody will run here, in a session of its own. */
pt_status pt__stored_job_make_apart(pt_host *host, const pt__stored_job *stored, pt_job **out, pt_error *err);

/** A reference, or NULL. */
pt_job *pt__host_find_job(pt_host *host, const char *id);

/** Numbers and state on record, into a job that does not run here. */
void pt__durable_look(pt_job *job, const pt_job_record *record, const pt__job_outcome_record *outcome);

/* jobs of other nodes (follow.c) */

/** Looks what has become of jobs that are followed, and at which of its own the host is to cancel; for the housekeeper. */
void pt__host_follow_all(pt_host *host);
void pt__host_forget_followed(pt_host *host);
pt_status pt__followed_cancel(pt_job *job, pt_error *err);
double pt__followed_progress(pt_job *job);

/** Removes what is older or more than jobs.retention-* allows, once a minute; for the housekeeper. */
void pt__host_retain(pt_host *host);
void pt__host_retain_now(pt_host *host);

#endif

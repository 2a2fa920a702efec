/**
 * The calls of a Ballista scheduler that a client makes.
 *
 * Errors: those of pt__channel_unary, and what is said at each.
 */
#ifndef PT_BACKEND_BALLISTA_SCHEDULER_H
#define PT_BACKEND_BALLISTA_SCHEDULER_H

#include "backend/ballista/channel.h"

#include <ballista/ballista.pb-c.h>
#include <portico/query.h>

enum { PT_REMOTE_JOB_ID_BYTES = 128 };

/** A query to be submitted; borrowed. */
typedef struct pt__remote_query {
    bool is_physical;
    pt_bytes_view plan;
    const char *session_id;
    const char *operation_id;
    const char *job_name;
    const char *time_zone;           /* NULL: the cluster's */
    const pt_query_option *settings; /* of this query alone; they win over those of the options */
    size_t setting_count;
} pt__remote_query;

/** Errors: PT_BAD_PLAN when the scheduler cannot read the plan. */
pt_status pt__scheduler_submit(pt__channel *channel, const pt__ballista_options *options, const pt__remote_query *query,
                               pt__wake *wake, char job_id[PT_REMOTE_JOB_ID_BYTES], pt_error *err);

/** The same, with the scheduler telling how the job goes: a GetJobStatusResult with each message of `*out`. */
pt_status pt__scheduler_submit_push(pt__channel *channel, const pt__ballista_options *options,
                                    const pt__remote_query *query, pt__rpc_call **out, pt_error *err);

/** `*out` is the caller's, to be freed by ballista__protobuf__get_job_status_result__free_unpacked(out, NULL). */
pt_status pt__scheduler_status(pt__channel *channel, const pt__ballista_options *options, const char *job_id,
                               pt__wake *wake, Ballista__Protobuf__GetJobStatusResult **out, pt_error *err);
pt_status pt__scheduler_read_status(const pt_bytes *message, Ballista__Protobuf__GetJobStatusResult **out,
                                    pt_error *err);

/** Waits for the answer. */
pt_status pt__scheduler_cancel(pt__channel *channel, const pt__ballista_options *options, const char *job_id,
                               pt_error *err);

/** Deletes the results of a job; does not wait for the answer. */
void pt__scheduler_clean(pt__channel *channel, const pt__ballista_options *options, const char *job_id);

/** Starts a job of no work and does not wait for it: a scheduler that gets one looks after its other jobs. */
void pt__scheduler_nudge(pt__channel *channel, const pt__ballista_options *options);

#endif

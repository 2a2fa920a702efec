/* Calls about jobs and sessions that are answered at once. */
#include "front/ballista/calls.h"
#include "front/ballista/status.h"

static const char *caller(pt_call *call)
{
    return pt_call_principal(call)->name;
}

/* ---- jobs ---- */

/* A job that nobody knows has no status, as when a scheduler was restarted. */
static pt_status get_status(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Ballista__Protobuf__GetJobStatusParams *m = message;
    Ballista__Protobuf__GetJobStatusResult unknown = BALLISTA__PROTOBUF__GET_JOB_STATUS_RESULT__INIT;
    pt__ballista_job *job = pt__ballista_job_find(mount, caller(call), m->job_id);
    (void)arena;
    (void)err;
    if (job == NULL)
        pt__ballista_reply(call, &unknown.base);
    else if (pt__ballista_status_send(call, job, pt__ballista_job_state(job)))
        pt__flight_finish_ok(call);
    return PT_OK;
}

void pt__ballista_status_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__get_job_status_params__descriptor, get_status);
}

/* One stage, and what is known of it as a whole. */
static pt_status get_metrics(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Ballista__Protobuf__GetJobMetricsParams *m = message;
    pt__ballista_job *job = pt__ballista_job_find(mount, caller(call), m->job_id);
    if (job == NULL)
        return pt_error_set(err, PT_NOT_FOUND, "there is no job %s", m->job_id);
    return pt__ballista_metrics_reply(call, arena, job, err);
}

void pt__ballista_metrics_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__get_job_metrics_params__descriptor, get_metrics);
}

/* As schedulers do, the answer is yes also for a job that has ended, or that nobody knows. */
static pt_status cancel(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Ballista__Protobuf__CancelJobParams *m = message;
    Ballista__Protobuf__CancelJobResult result = BALLISTA__PROTOBUF__CANCEL_JOB_RESULT__INIT;
    pt__ballista_job *job = pt__ballista_job_find(mount, caller(call), m->job_id);
    (void)arena;
    if (job != NULL)
        PT_TRY(pt_job_cancel(job->job, err));
    result.cancelled = true;
    pt__ballista_reply(call, &result.base);
    return PT_OK;
}

void pt__ballista_cancel_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__cancel_job_params__descriptor, cancel);
}

/* The status stays. What runs goes on: there is nothing yet to be cleaned. */
static pt_status clean(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Ballista__Protobuf__CleanJobDataParams *m = message;
    Ballista__Protobuf__CleanJobDataResult result = BALLISTA__PROTOBUF__CLEAN_JOB_DATA_RESULT__INIT;
    pt__ballista_job *job = pt__ballista_job_find(mount, caller(call), m->job_id);
    (void)arena;
    (void)err;
    if (job != NULL && pt__ballista_job_state(job) != PT_BALLISTA_QUEUED &&
        pt__ballista_job_state(job) != PT_BALLISTA_RUNNING)
        pt__ballista_job_release(job);
    pt__ballista_reply(call, &result.base);
    return PT_OK;
}

void pt__ballista_clean_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__clean_job_data_params__descriptor, clean);
}

/* ---- sessions ---- */

static pt_status create_session(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Ballista__Protobuf__CreateUpdateSessionParams *m = message;
    Ballista__Protobuf__CreateUpdateSessionResult result = BALLISTA__PROTOBUF__CREATE_UPDATE_SESSION_RESULT__INIT;
    pt__ballista_settings settings = {m->settings, m->n_settings};
    const char *id;
    PT_TRY(pt__ballista_session_update(mount, caller(call), m->session_id, &settings, &id, err));
    result.session_id = pt__arena_copy_string(arena, id);
    pt__ballista_reply(call, &result.base);
    return PT_OK;
}

void pt__ballista_create_session_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__create_update_session_params__descriptor,
                      create_session);
}

static pt_status remove_session(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Ballista__Protobuf__RemoveSessionParams *m = message;
    Ballista__Protobuf__RemoveSessionResult result = BALLISTA__PROTOBUF__REMOVE_SESSION_RESULT__INIT;
    (void)arena;
    (void)err;
    result.success = pt__ballista_session_remove(mount, caller(call), m->session_id);
    pt__ballista_reply(call, &result.base);
    return PT_OK;
}

void pt__ballista_remove_session_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__remove_session_params__descriptor, remove_session);
}

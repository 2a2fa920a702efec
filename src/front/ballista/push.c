/*
 * ExecuteQueryPush: starts a job and tells its states, the last of which is failed or successful. The first message goes
 * out at once, and headers with it: clients wait 20 seconds for those. A client that is gone before the end has
 * abandoned its query, which is cancelled.
 */
#include "front/ballista/calls.h"
#include "front/ballista/request.h"
#include "front/ballista/status.h"

#include <stdlib.h>

typedef struct push {
    pt_call *call;
    pt__ballista_job *job; /* a reference; NULL: none was started */
    pt_job_subscription *subscription;
    pt__reader *attendance; /* reads nothing; the job has not been left alone as long as it is open */
    bool is_over;           /* the last state was told */
} push;

/* ---- the job's states ---- */

static void tell_last(push *p, pt__ballista_state state)
{
    p->is_over = true;
    if (pt__ballista_status_send(p->call, p->job, state))
        pt__flight_finish_ok(p->call);
}

/* A plan that cannot be read is an error of the call. */
static void tell_failure(push *p)
{
    pt_error err = PT_ERROR_INIT;
    if (atomic_load(&p->job->was_read) || pt_job_state(p->job->job) != PT_OPERATION_FAILED ||
        pt_job_failure(p->job->job, &err) == PT_OK) {
        tell_last(p, PT_BALLISTA_FAILED);
        return;
    }
    char *text = pt__ballista_parse_failure(&err);
    p->is_over = true;
    pt__ballista_fail_with(p->call, PT_GRPC_INVALID_ARGUMENT, text);
    free(text);
    pt_error_clear(&err);
}

static void on_event(void *context, const pt_job_event *event)
{
    push *p = context;
    if (p->is_over)
        return;
    switch (event->kind) {
    case PT_JOB_ACCEPTED:
    case PT_JOB_PROGRESS: return;
    case PT_JOB_STARTED: pt__ballista_status_send(p->call, p->job, PT_BALLISTA_RUNNING); return;
    case PT_JOB_BATCH:
        if (pt__ballista_job_state(p->job) == PT_BALLISTA_SUCCESSFUL)
            tell_last(p, PT_BALLISTA_SUCCESSFUL);
        return;
    case PT_JOB_FINISHED: tell_last(p, PT_BALLISTA_SUCCESSFUL); return;
    case PT_JOB_FAILED:
    case PT_JOB_CANCELLED: tell_failure(p); return;
    }
}

/* ---- starting ---- */

static pt_status follow(push *p, pt_error *err)
{
    const pt__reader_options attend = {.position = 0};
    const pt_job_subscribe_options subscribe = {
        .size_bytes = sizeof(subscribe), .event = on_event, .context = p, .mailbox = pt_call_mailbox(p->call)};
    p->job->watchers++;
    PT_TRY(pt__reader_open(p->job->job, &attend, &p->attendance, err));
    pt__ballista_status_send(p->call, p->job, PT_BALLISTA_QUEUED);
    return pt_job_subscribe(p->job->job, &subscribe, &p->subscription, err);
}

static pt_status start(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    pt__ballista_request request;
    PT_TRY(pt__ballista_request_read(call, arena, message, &request, err));
    push *p = calloc(1, sizeof(*p));
    if (p == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a request");
    p->call = call;
    call->state = p; /* ended by `closed` from here on */
    PT_TRY(pt__ballista_job_start(mount, &request, &p->job, err));
    return follow(p, err);
}

void pt__ballista_push_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__execute_query_params__descriptor, start);
}

void pt__ballista_push_closed(void *mount, pt_call *call, pt_call_end end)
{
    push *p = call->state;
    pt__ballista *m = mount;
    (void)end;
    if (p == NULL || call->state == pt__ballista_answered())
        return;
    pt_job_unsubscribe(p->subscription);
    if (p->job != NULL) {
        p->job->watchers -= p->job->watchers != 0;
        p->job->last_seen_ms = pt__host_now_ms(m->host);
        if (!p->is_over)
            pt_job_cancel(p->job->job, NULL);
    }
    pt__reader_close(p->attendance);
    pt__ballista_job_unref(p->job);
    free(p);
}

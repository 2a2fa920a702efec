/* ExecuteQuery: starts a job, and answers with its id once the plan has been read, or with what is wrong with it. */
#include "base/unconst.h"
#include "front/ballista/calls.h"
#include "front/ballista/request.h"
#include "front/flight/follower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After which a job that waits for a worker is answered for, too: clients want headers within 20 seconds. */
enum { READ_LIMIT_MS = 5000 };

typedef struct pt__ballista_execute {
    pt__ballista *mount; /* lives as long as its calls */
    pt_call *call;
    pt__ballista_job *job;         /* a reference; NULL: none was started */
    pt__flight_follower *follower; /* NULL: answered */
    char *session_id;              /* to be echoed */
    char *operation_id;
    uint64_t since_ms;
    struct pt__ballista_execute *next; /* of those that wait */
} execute;

/* ---- answering ---- */

static void stop(execute *e)
{
    execute **at = &e->mount->executes;
    while (*at != NULL && *at != e)
        at = &(*at)->next;
    if (*at == e)
        *at = e->next;
    if (e->follower != NULL)
        pt__flight_follower_stop(e->follower);
    e->follower = NULL;
}

static void answer(execute *e)
{
    char id[PT_UUID_TEXT_BYTES];
    Ballista__Protobuf__ExecuteQueryResult result = BALLISTA__PROTOBUF__EXECUTE_QUERY_RESULT__INIT;
    Ballista__Protobuf__ExecuteQuerySuccess success = BALLISTA__PROTOBUF__EXECUTE_QUERY_SUCCESS__INIT;
    stop(e);
    snprintf(id, sizeof(id), "%s", pt_job_id(e->job->job));
    success.job_id = id;
    success.session_id = e->session_id;
    result.operation_id = e->operation_id;
    result.result_case = BALLISTA__PROTOBUF__EXECUTE_QUERY_RESULT__RESULT_SUCCESS;
    result.success = &success;
    pt__ballista_reply(e->call, &result.base);
}

/* Takes `text`. */
static void refuse(execute *e, char *text)
{
    static const char no_memory[] = "Could not parse plan: out of memory";
    Ballista__Protobuf__ExecuteQueryResult result = BALLISTA__PROTOBUF__EXECUTE_QUERY_RESULT__INIT;
    Ballista__Protobuf__ExecuteQueryFailure failure = BALLISTA__PROTOBUF__EXECUTE_QUERY_FAILURE__INIT;
    failure.failure_case = BALLISTA__PROTOBUF__EXECUTE_QUERY_FAILURE__FAILURE_PLAN_PARSING_FAILURE;
    failure.plan_parsing_failure = text == NULL ? pt__unconst(no_memory) : text;
    result.operation_id = e->operation_id;
    result.result_case = BALLISTA__PROTOBUF__EXECUTE_QUERY_RESULT__RESULT_FAILURE;
    result.failure = &failure;
    pt__ballista_reply(e->call, &result.base);
    free(text);
}

/* ---- following the job ---- */

static void on_entry(void *context, const pt__spool_entry *entry)
{
    (void)entry; /* the note that the plan was read */
    answer(context);
}

static void on_end(void *context, const pt_error *failure)
{
    execute *e = context;
    e->follower = NULL;
    stop(e);
    if (failure == NULL || atomic_load(&e->job->was_read) || failure->status == PT_CANCELLED) {
        answer(e);
        return;
    }
    refuse(e, pt__ballista_parse_failure(failure));
    pt__ballista_job_forget(e->job);
}

/* ---- starting ---- */

static void free_execute(execute *e)
{
    stop(e);
    pt__ballista_job_unref(e->job);
    free(e->session_id);
    free(e->operation_id);
    free(e);
}

static pt_status make(pt__ballista *mount, pt_call *call, const Ballista__Protobuf__ExecuteQueryParams *m,
                      execute **out, pt_error *err)
{
    execute *e = calloc(1, sizeof(*e));
    if (e == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a request");
    *e = (execute){.mount = mount, .call = call, .since_ms = pt__host_now_ms(mount->host)};
    e->session_id = strdup(m->session_id);
    e->operation_id = strdup(m->operation_id);
    if (e->session_id != NULL && e->operation_id != NULL) {
        *out = e;
        return PT_OK;
    }
    free_execute(e);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a request");
}

static pt_status follow(execute *e, pt_error *err)
{
    const pt__flight_follow follow = {.entry = on_entry, .end = on_end, .context = e};
    PT_TRY(pt__flight_follower_new(e->job->job, 0, pt_call_mailbox(e->call), &follow, &e->follower, err));
    e->next = e->mount->executes;
    e->mount->executes = e;
    pt__flight_follower_pump(e->follower);
    return PT_OK;
}

static pt_status start(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err)
{
    const Ballista__Protobuf__ExecuteQueryParams *m = message;
    pt__ballista_request request;
    execute *e = NULL;
    PT_TRY(pt__ballista_request_read(call, arena, m, &request, err));
    PT_TRY(make(mount, call, m, &e, err));
    call->state = e; /* ended by `closed` from here on */
    PT_TRY(pt__ballista_job_start(mount, &request, &e->job, err));
    return follow(e, err);
}

void pt__ballista_execute_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__ballista_work(mount, call, request, &ballista__protobuf__execute_query_params__descriptor, start);
}

void pt__ballista_execute_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    if (call->state != NULL && call->state != pt__ballista_answered())
        free_execute(call->state);
}

void pt__ballista_execute_tick(pt__ballista *mount)
{
    for (execute *next, *e = mount->executes; e != NULL; e = next) {
        next = e->next;
        if (pt__host_now_ms(mount->host) > e->since_ms + READ_LIMIT_MS)
            answer(e);
    }
}

#include "front/flight_sql/task.h"

#include "front/flight/errors.h"
#include "front/flight/message.h"
#include "front/flight_sql/calls.h"

#include <stdlib.h>
#include <string.h>

static void free_task(pt__flight_task *task)
{
    for (size_t i = 0; i < task->answers.count; i++)
        pt_bytes_unref(task->answers.items[i]);
    pt__flight_session_unref(task->session);
    pt_bytes_unref(task->request);
    pt__arena_free(task->arena);
    pt_error_clear(&task->err);
    pt__flight_unref(task->mount);
    free(task);
}

pt_status pt__flight_task_answer(pt__flight_task *task, pt_bytes *message, pt_error *err)
{
    if (message == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an answer");
    pt__list_push(task->arena, &task->answers, message);
    return PT_OK;
}

/* ---- on the worker ---- */

static pt_status work_guarded(pt__flight_task *task, pt_error *err)
{
    if (PT_ARENA_GUARD(task->arena))
        return pt_error_set(err, PT_LIMIT, "the request needs more memory than one may have (plan.memory-limit)");
    pt_status status = task->work(task, err);
    pt__arena_unguard(task->arena);
    return status;
}

/* ---- on the loop thread ---- */

static pt_status send_answers(pt__flight_task *task, pt_error *err)
{
    for (size_t i = 0; i < task->answers.count; i++)
        PT_TRY(pt__flight_send(task->call, pt_bytes_ref(task->answers.items[i]), err));
    return PT_OK;
}

static void finish(void *state)
{
    pt__flight_task *task = state;
    if (task->call != NULL) {
        task->call->state = pt__flight_answered();
        if (task->err.status == PT_OK && send_answers(task, &task->err) == PT_OK)
            pt__flight_finish_ok(task->call);
        else
            pt__flight_fail(task->call, &task->err);
    }
    free_task(task);
}

static void run(void *state)
{
    pt__flight_task *task = state;
    work_guarded(task, &task->err);
    pt_mailbox_post(task->mailbox, finish, task);
}

static pt_status run_now(pt__flight_task *task)
{
    work_guarded(task, &task->err);
    finish(task);
    return PT_OK;
}

static bool is_java(pt_call *call)
{
    static const char agent[] = "grpc-java";
    pt_bytes_view value;
    return pt_call_metadata(call, "user-agent", &value) && value.size_bytes >= sizeof(agent) - 1 &&
           memcmp(value.data, agent, sizeof(agent) - 1) == 0;
}

static pt_status start(pt__flight_task *task, pt_bytes_view request, bool is_quick, pt_error *err)
{
    task->request = pt_bytes_copy(request);
    task->arena = pt__arena_new(pt__host_plan_limit_bytes(task->mount->host));
    if (task->request == NULL || task->arena == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a request");
    task->is_java = is_java(task->call);
    PT_TRY(pt__flight_session_of(task->mount, task->call, &task->session, err));
    return is_quick ? run_now(task) : pt__host_run(task->mount->host, run, task, err);
}

void pt__flight_task_start(pt__flight *mount, pt_call *call, pt_bytes_view request,
                           pt_status (*work)(pt__flight_task *task, pt_error *err), bool is_quick)
{
    pt_error err = PT_ERROR_INIT;
    if (call->state != NULL)
        return; /* a second request of a unary call */
    pt__flight_task *task = calloc(1, sizeof(*task));
    if (task != NULL) {
        task->mount = pt__flight_ref(mount);
        task->call = call;
        task->mailbox = pt_call_mailbox(call);
        task->work = work;
        atomic_init(&task->is_cancelled, false);
    }
    call->state = task != NULL ? (void *)task : pt__flight_answered();
    pt_status status = task != NULL ? start(task, request, is_quick, &err)
                                    : pt_error_set(&err, PT_NO_MEMORY, "no memory for a request");
    if (status != PT_OK) {
        call->state = pt__flight_answered();
        if (task != NULL)
            free_task(task);
        pt__flight_fail(call, &err);
    }
    pt_error_clear(&err);
}

bool pt__flight_task_is_cancelled(void *context)
{
    pt__flight_task *task = context;
    return atomic_load(&task->is_cancelled);
}

void pt__flight_task_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    pt__flight_task *task = call->state;
    if (task == NULL || call->state == pt__flight_answered())
        return;
    task->call = NULL;
    atomic_store(&task->is_cancelled, true);
}

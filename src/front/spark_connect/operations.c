/* Interrupt, ReleaseExecute, GetStatus: calls about operations that run or are kept. */
#include "front/spark_connect/calls.h"

#include "base/condition.h"
#include "base/uuid.h"
#include "front/spark_connect/response_id.h"

#include <string.h>
#include <strings.h>

static char *server_session_id(pt__connect_unary *unary)
{
    return pt__arena_copy_string(unary->arena, pt_session_id(unary->session));
}

/* ---- Interrupt ---- */

typedef struct interruption {
    pt__interrupt_kind kind;
    const char *value;
} interruption;

static pt_status read_interruption(const Spark__Connect__InterruptRequest *request, interruption *out, pt_error *err)
{
    switch (request->interrupt_type) {
    case SPARK__CONNECT__INTERRUPT_REQUEST__INTERRUPT_TYPE__INTERRUPT_TYPE_ALL:
        *out = (interruption){PT_INTERRUPT_ALL, NULL};
        return PT_OK;
    case SPARK__CONNECT__INTERRUPT_REQUEST__INTERRUPT_TYPE__INTERRUPT_TYPE_TAG:
        *out = (interruption){PT_INTERRUPT_TAG, request->operation_tag};
        if (request->interrupt_case == SPARK__CONNECT__INTERRUPT_REQUEST__INTERRUPT_OPERATION_TAG)
            return PT_OK;
        return pt_error_set(err, PT_INVALID_ARGUMENT, "Interrupt by tag names no operation_tag.");
    case SPARK__CONNECT__INTERRUPT_REQUEST__INTERRUPT_TYPE__INTERRUPT_TYPE_OPERATION_ID:
        *out = (interruption){PT_INTERRUPT_ID, request->operation_id};
        if (request->interrupt_case == SPARK__CONNECT__INTERRUPT_REQUEST__INTERRUPT_OPERATION_ID)
            return PT_OK;
        return pt_error_set(err, PT_INVALID_ARGUMENT, "Interrupt by operation id names no operation_id.");
    default:
        return pt_error_set(err, PT_UNSUPPORTED, "The interrupt_type %d is not known.", (int)request->interrupt_type);
    }
}

pt_status pt__connect_interrupt(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out,
                                pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(unary->arena, &spark__connect__interrupt_request__descriptor, bytes, &message, err));
    const Spark__Connect__InterruptRequest *request = (const Spark__Connect__InterruptRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(unary->call), request);
    PT_TRY(pt__connect_unary_session(unary, &key, true, err));
    interruption what = {PT_INTERRUPT_ALL, NULL};
    PT_TRY(read_interruption(request, &what, err));
    const char *const *ids = NULL;
    size_t count = 0;
    pt__session_interrupt(unary->session, what.kind, what.value, unary->arena, &ids, &count);
    Spark__Connect__InterruptResponse *response =
        pt__connect_make(unary->arena, Spark__Connect__InterruptResponse, spark__connect__interrupt_response__init);
    response->session_id = request->session_id;
    response->server_side_session_id = server_session_id(unary);
    response->n_interrupted_ids = count;
    response->interrupted_ids = pt__arena_array(unary->arena, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        response->interrupted_ids[i] = pt__arena_copy_string(unary->arena, ids[i]);
    *out = &response->base;
    return PT_OK;
}

/* ---- ReleaseExecute: comes after every message, in any order, also when all is over ---- */

/* Whether the operation was there. */
static bool release_until(pt_session *session, const char *operation_id, const char *response_id)
{
    pt_job *job = NULL;
    if (pt__session_job(session, operation_id, &job, NULL) != PT_OK)
        return false;
    pt__connect_position position;
    if (pt__connect_response_id_read(pt_job_id(job), response_id, &position) && position.entry > 0)
        pt__job_release_until(job, position.entry - 1);
    pt_job_unref(job);
    return true;
}

static bool release(pt_session *session, const Spark__Connect__ReleaseExecuteRequest *request)
{
    switch (request->release_case) {
    case SPARK__CONNECT__RELEASE_EXECUTE_REQUEST__RELEASE_RELEASE_ALL:
        return pt__session_release_job(session, request->operation_id);
    case SPARK__CONNECT__RELEASE_EXECUTE_REQUEST__RELEASE_RELEASE_UNTIL:
        return release_until(session, request->operation_id, request->release_until->response_id);
    case _SPARK__CONNECT__RELEASE_EXECUTE_REQUEST__RELEASE__CASE_IS_INT_SIZE: /* no member */
    case SPARK__CONNECT__RELEASE_EXECUTE_REQUEST__RELEASE__NOT_SET: break;
    }
    return false;
}

pt_status pt__connect_release_execute(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out,
                                      pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(
        pt__connect_unpack(unary->arena, &spark__connect__release_execute_request__descriptor, bytes, &message, err));
    const Spark__Connect__ReleaseExecuteRequest *request = (const Spark__Connect__ReleaseExecuteRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(unary->call), request);
    PT_TRY(pt__connect_unary_session(unary, &key, false, err));
    if (!pt__uuid_parse(request->operation_id, strlen(request->operation_id), NULL))
        return pt__raise(err, PT_COND_INVALID_HANDLE_FORMAT, "handle", request->operation_id, NULL);
    if (request->release_case == SPARK__CONNECT__RELEASE_EXECUTE_REQUEST__RELEASE__NOT_SET)
        return pt_error_set(err, PT_UNSUPPORTED, "ReleaseExecute says neither release_all nor release_until.");
    Spark__Connect__ReleaseExecuteResponse *response = pt__connect_make(
        unary->arena, Spark__Connect__ReleaseExecuteResponse, spark__connect__release_execute_response__init);
    response->session_id = request->session_id;
    response->server_side_session_id = server_session_id(unary);
    if (release(unary->session, request)) {
        response->_operation_id_case = SPARK__CONNECT__RELEASE_EXECUTE_RESPONSE___OPERATION_ID_OPERATION_ID;
        response->operation_id = request->operation_id;
    }
    *out = &response->base;
    return PT_OK;
}

/* ---- GetStatus ---- */

typedef Spark__Connect__GetStatusResponse__OperationStatus operation_status;
typedef Spark__Connect__GetStatusResponse__OperationStatus__OperationState operation_state;
#define PT_CONNECT_STATE(name)                                                                                         \
    SPARK__CONNECT__GET_STATUS_RESPONSE__OPERATION_STATUS__OPERATION_STATE__OPERATION_STATE_##name

static operation_state state_of(pt_operation_state state)
{
    switch (state) {
    case PT_OPERATION_PENDING:
    case PT_OPERATION_RUNNING: return PT_CONNECT_STATE(RUNNING);
    case PT_OPERATION_SUCCEEDED: return PT_CONNECT_STATE(SUCCEEDED);
    case PT_OPERATION_FAILED: return PT_CONNECT_STATE(FAILED);
    case PT_OPERATION_CANCELLED: return PT_CONNECT_STATE(CANCELLED);
    }
    return PT_CONNECT_STATE(UNKNOWN);
}

static void add_status(pt__arena *arena, Spark__Connect__GetStatusResponse *response, const char *id,
                       operation_state state)
{
    operation_status *status =
        pt__connect_make(arena, operation_status, spark__connect__get_status_response__operation_status__init);
    status->operation_id = pt__arena_copy_string(arena, id);
    status->state = state;
    response->operation_statuses[response->n_operation_statuses++] = status;
}

static operation_state find_state(const pt__job_info *jobs, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(jobs[i].id, id) == 0)
            return state_of(jobs[i].state);
    }
    return PT_CONNECT_STATE(UNKNOWN);
}

static void add_statuses(pt__connect_unary *unary, const Spark__Connect__GetStatusRequest *request,
                         Spark__Connect__GetStatusResponse *response)
{
    const pt__job_info *jobs = NULL;
    size_t count = 0;
    pt__session_jobs(unary->session, unary->arena, &jobs, &count);
    size_t wanted = request->operation_status->n_operation_ids;
    response->operation_statuses = pt__arena_array(unary->arena, operation_status *, count + wanted + 1);
    for (size_t i = 0; i < wanted; i++) {
        const char *id = request->operation_status->operation_ids[i];
        add_status(unary->arena, response, id, find_state(jobs, count, id));
    }
    for (size_t i = 0; wanted == 0 && i < count; i++)
        add_status(unary->arena, response, jobs[i].id, state_of(jobs[i].state));
}

pt_status pt__connect_get_status(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out,
                                 pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(unary->arena, &spark__connect__get_status_request__descriptor, bytes, &message, err));
    const Spark__Connect__GetStatusRequest *request = (const Spark__Connect__GetStatusRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(unary->call), request);
    PT_TRY(pt__connect_unary_session(unary, &key, false, err));
    Spark__Connect__GetStatusResponse *response =
        pt__connect_make(unary->arena, Spark__Connect__GetStatusResponse, spark__connect__get_status_response__init);
    response->session_id = request->session_id;
    response->server_side_session_id = server_session_id(unary);
    if (request->_operation_status_case != 0)
        add_statuses(unary, request, response);
    *out = &response->base;
    return PT_OK;
}

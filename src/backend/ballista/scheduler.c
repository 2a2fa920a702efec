#include "backend/ballista/scheduler.h"

#include "base/unconst.h"
#include "decode/protobuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVICE "/ballista.protobuf.SchedulerGrpc/"

enum { OWN_SETTINGS_MAX = 3, NUMBER_BYTES = 24, CANCEL_TIMEOUT_MS = 5000 };

typedef Ballista__Protobuf__KeyValuePair pair;

/* ---- a query's request ---- */

typedef struct request {
    Ballista__Protobuf__ExecuteQueryParams params;
    pair *pairs;
    pair **pointers;
    size_t count;
    char partitions[NUMBER_BYTES];
} request;

/* The protocol's messages do not say const. */
static void add_setting(request *r, const char *key, const char *value)
{
    size_t at = 0;
    while (at < r->count && strcmp(r->pairs[at].key, key) != 0)
        at++;
    pair *item = &r->pairs[at];
    ballista__protobuf__key_value_pair__init(item);
    item->key = pt__unconst(key);
    item->presence_case = BALLISTA__PROTOBUF__KEY_VALUE_PAIR__PRESENCE_VALUE;
    item->value = pt__unconst(value);
    r->pointers[at] = item;
    r->count += at == r->count;
}

static void add_settings(request *r, const pt__ballista_options *options, const pt__remote_query *query)
{
    snprintf(r->partitions, sizeof(r->partitions), "%llu", (unsigned long long)options->target_partitions);
    add_setting(r, "datafusion.execution.target_partitions", r->partitions);
    if (query->job_name != NULL && *query->job_name != '\0')
        add_setting(r, "ballista.job.name", query->job_name);
    if (query->time_zone != NULL && *query->time_zone != '\0')
        add_setting(r, "datafusion.execution.time_zone", query->time_zone);
    for (size_t i = 0; i < options->setting_count; i++)
        add_setting(r, options->settings[i].key, options->settings[i].value);
    for (size_t i = 0; i < query->setting_count; i++)
        add_setting(r, query->settings[i].name, query->settings[i].value);
}

static void set_plan(Ballista__Protobuf__ExecuteQueryParams *params, const pt__remote_query *query)
{
    ProtobufCBinaryData plan = {query->plan.size_bytes, pt__unconst((const char *)query->plan.data)};
    if (query->is_physical) {
        params->query_case = BALLISTA__PROTOBUF__EXECUTE_QUERY_PARAMS__QUERY_PHYSICAL_PLAN;
        params->physical_plan = plan;
    } else {
        params->query_case = BALLISTA__PROTOBUF__EXECUTE_QUERY_PARAMS__QUERY_LOGICAL_PLAN;
        params->logical_plan = plan;
    }
}

static pt_status make_request(request *r, const pt__ballista_options *options, const pt__remote_query *query,
                              pt_error *err)
{
    size_t most = OWN_SETTINGS_MAX + options->setting_count + query->setting_count;
    if (query->plan.size_bytes > options->max_plan_bytes)
        return pt_error_set(err, PT_LIMIT, "the plan has %zu bytes, and a cluster takes %llu (ballista.max-plan-size)",
                            query->plan.size_bytes, (unsigned long long)options->max_plan_bytes);
    r->pairs = calloc(most, sizeof(*r->pairs));
    r->pointers = calloc(most, sizeof(pair *));
    if (r->pairs == NULL || r->pointers == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a request");
    ballista__protobuf__execute_query_params__init(&r->params);
    set_plan(&r->params, query);
    add_settings(r, options, query);
    r->params.session_id = pt__unconst(query->session_id == NULL ? "" : query->session_id);
    r->params.operation_id = pt__unconst(query->operation_id == NULL ? "" : query->operation_id);
    r->params.settings = r->pointers;
    r->params.n_settings = r->count;
    return PT_OK;
}

static void end_request(request *r)
{
    free(r->pairs);
    free(r->pointers);
}

/* ---- submitting ---- */

static const char *failure_text(const Ballista__Protobuf__ExecuteQueryFailure *failure)
{
    switch (failure->failure_case) {
    case BALLISTA__PROTOBUF__EXECUTE_QUERY_FAILURE__FAILURE_SESSION_NOT_FOUND: return failure->session_not_found;
    case BALLISTA__PROTOBUF__EXECUTE_QUERY_FAILURE__FAILURE_PLAN_PARSING_FAILURE: return failure->plan_parsing_failure;
    case BALLISTA__PROTOBUF__EXECUTE_QUERY_FAILURE__FAILURE_SQL_PARSING_FAILURE: return failure->sql_parsing_failure;
    default: return "the scheduler does not say why";
    }
}

static pt_status take_job_id(const Ballista__Protobuf__ExecuteQueryResult *result, char job_id[PT_REMOTE_JOB_ID_BYTES],
                             pt_error *err)
{
    if (result->result_case == BALLISTA__PROTOBUF__EXECUTE_QUERY_RESULT__RESULT_FAILURE)
        return pt_error_set(err, PT_BAD_PLAN, "Ballista refuses the plan: %s", failure_text(result->failure));
    if (result->result_case != BALLISTA__PROTOBUF__EXECUTE_QUERY_RESULT__RESULT_SUCCESS ||
        result->success->job_id[0] == '\0' || strlen(result->success->job_id) >= PT_REMOTE_JOB_ID_BYTES)
        return pt_error_set(err, PT_BAD_MESSAGE, "Ballista's scheduler took the query without naming the job");
    snprintf(job_id, PT_REMOTE_JOB_ID_BYTES, "%s", result->success->job_id);
    return PT_OK;
}

static pt_status malformed(pt_error *err)
{
    return pt_error_set(err, PT_BAD_MESSAGE, "an answer of Ballista's scheduler is malformed");
}

static pt_status read_submitted(pt_bytes *take_answer, char job_id[PT_REMOTE_JOB_ID_BYTES], pt_error *err)
{
    pt_bytes_view view = pt_bytes_get_view(take_answer);
    Ballista__Protobuf__ExecuteQueryResult *result = NULL;
    if (pt__protobuf_check(&ballista__protobuf__execute_query_result__descriptor, view, NULL) == PT_OK)
        result = ballista__protobuf__execute_query_result__unpack(NULL, view.size_bytes, view.data);
    pt_bytes_unref(take_answer);
    if (result == NULL)
        return malformed(err);
    pt_status status = take_job_id(result, job_id, err);
    ballista__protobuf__execute_query_result__free_unpacked(result, NULL);
    return status;
}

pt_status pt__scheduler_submit(pt__channel *channel, const pt__ballista_options *options, const pt__remote_query *query,
                               pt__wake *wake, char job_id[PT_REMOTE_JOB_ID_BYTES], pt_error *err)
{
    request r = {0};
    pt_bytes *answer = NULL;
    pt_status status = make_request(&r, options, query, err);
    if (status == PT_OK)
        status = pt__channel_unary(channel, SERVICE "ExecuteQuery", &r.params.base, options->call_timeout_ms, wake,
                                   &answer, err);
    end_request(&r);
    return status == PT_OK ? read_submitted(answer, job_id, err) : status;
}

pt_status pt__scheduler_submit_push(pt__channel *channel, const pt__ballista_options *options,
                                    const pt__remote_query *query, pt__rpc_call **out, pt_error *err)
{
    request r = {0};
    pt_status status = make_request(&r, options, query, err);
    if (status == PT_OK)
        status = pt__channel_call_message(channel, SERVICE "ExecuteQueryPush", &r.params.base, UINT64_MAX, out, err);
    end_request(&r);
    return status;
}

/* ---- a job ---- */

pt_status pt__scheduler_read_status(const pt_bytes *message, Ballista__Protobuf__GetJobStatusResult **out,
                                    pt_error *err)
{
    pt_bytes_view view = pt_bytes_get_view(message);
    *out = NULL;
    if (pt__protobuf_check(&ballista__protobuf__get_job_status_result__descriptor, view, NULL) == PT_OK)
        *out = ballista__protobuf__get_job_status_result__unpack(NULL, view.size_bytes, view.data);
    return *out != NULL ? PT_OK : malformed(err);
}

pt_status pt__scheduler_status(pt__channel *channel, const pt__ballista_options *options, const char *job_id,
                               pt__wake *wake, Ballista__Protobuf__GetJobStatusResult **out, pt_error *err)
{
    Ballista__Protobuf__GetJobStatusParams params = BALLISTA__PROTOBUF__GET_JOB_STATUS_PARAMS__INIT;
    pt_bytes *answer = NULL;
    params.job_id = pt__unconst(job_id);
    PT_TRY(
        pt__channel_unary(channel, SERVICE "GetJobStatus", &params.base, options->call_timeout_ms, wake, &answer, err));
    pt_status status = pt__scheduler_read_status(answer, out, err);
    pt_bytes_unref(answer);
    return status;
}

pt_status pt__scheduler_cancel(pt__channel *channel, const pt__ballista_options *options, const char *job_id,
                               pt_error *err)
{
    Ballista__Protobuf__CancelJobParams params = BALLISTA__PROTOBUF__CANCEL_JOB_PARAMS__INIT;
    pt_bytes *answer = NULL;
    params.job_id = pt__unconst(job_id);
    uint64_t limit_ms = options->call_timeout_ms < CANCEL_TIMEOUT_MS ? options->call_timeout_ms : CANCEL_TIMEOUT_MS;
    PT_TRY(pt__channel_unary(channel, SERVICE "CancelJob", &params.base, limit_ms, NULL, &answer, err));
    pt_bytes_unref(answer);
    return PT_OK;
}

static void call_and_forget(pt__channel *channel, const pt__ballista_options *options, const char *path,
                            const ProtobufCMessage *message)
{
    pt__rpc_call *call = NULL;
    if (pt__channel_call_message(channel, path, message, pt__ms_from_now(options->call_timeout_ms), &call, NULL) ==
        PT_OK)
        pt__channel_forget(channel, call);
}

void pt__scheduler_clean(pt__channel *channel, const pt__ballista_options *options, const char *job_id)
{
    Ballista__Protobuf__CleanJobDataParams params = BALLISTA__PROTOBUF__CLEAN_JOB_DATA_PARAMS__INIT;
    params.job_id = pt__unconst(job_id);
    call_and_forget(channel, options, SERVICE "CleanJobData", &params.base);
}

void pt__scheduler_nudge(pt__channel *channel, const pt__ballista_options *options)
{
    static const uint8_t one_empty_row[] = {0x52, 0x02, 0x08, 0x01}; /* LogicalPlanNode { empty_relation { true } } */
    const pt__remote_query query = {
        .plan = {one_empty_row, sizeof(one_empty_row)}, .session_id = "", .operation_id = "", .job_name = "portico"};
    request r = {0};
    if (make_request(&r, options, &query, NULL) == PT_OK)
        call_and_forget(channel, options, SERVICE "ExecuteQuery", &r.params.base);
    end_request(&r);
}

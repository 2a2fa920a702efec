#include "front/ballista/status.h"
#include "base/unconst.h"

#include "front/ballista/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_BYTES = 256, STAGE = 1 };

typedef struct address {
    char host[HOST_BYTES];
    uint32_t port;
} address;

/* "host:port", "[::1]:port": what the client called us by. */
static address called_by(pt_call *call)
{
    address out = {"localhost", 0};
    char text[HOST_BYTES];
    pt_bytes_view value;
    if (!pt_call_metadata(call, ":authority", &value) || value.size_bytes >= sizeof(text))
        return out;
    snprintf(text, sizeof(text), "%.*s", (int)value.size_bytes, (const char *)value.data);
    char *colon = strrchr(text, ':');
    if (colon == NULL || strchr(colon, ']') != NULL)
        return out;
    out.port = (uint32_t)strtoul(colon + 1, NULL, 10);
    *colon = '\0';
    bool is_bracketed = text[0] == '[' && colon[-1] == ']';
    snprintf(out.host, sizeof(out.host), "%.*s", (int)strlen(text) - (is_bracketed ? 2 : 0), text + is_bracketed);
    return out;
}

pt__ballista_state pt__ballista_job_state(pt__ballista_job *job)
{
    switch (pt_job_state(job->job)) {
    case PT_OPERATION_PENDING: return PT_BALLISTA_QUEUED;
    case PT_OPERATION_RUNNING:
        return pt__job_waits_for_readers(job->job) || job->was_announced ? PT_BALLISTA_SUCCESSFUL : PT_BALLISTA_RUNNING;
    case PT_OPERATION_SUCCEEDED: return PT_BALLISTA_SUCCESSFUL;
    case PT_OPERATION_FAILED:
    case PT_OPERATION_CANCELLED: return PT_BALLISTA_FAILED;
    }
    return PT_BALLISTA_FAILED;
}

static uint64_t milliseconds(int64_t us)
{
    return us <= 0 ? 0 : (uint64_t)us / 1000;
}

typedef Ballista__Protobuf__GetJobStatusResult result;
typedef Ballista__Protobuf__JobStatus job_status;

static bool send_queued(pt_call *call, const result *answer, job_status *status, const pt_job_report *report)
{
    Ballista__Protobuf__QueuedJob queued = BALLISTA__PROTOBUF__QUEUED_JOB__INIT;
    queued.queued_at = milliseconds(report->created_us);
    status->status_case = BALLISTA__PROTOBUF__JOB_STATUS__STATUS_QUEUED;
    status->queued = &queued;
    return pt__ballista_send(call, &answer->base);
}

static bool send_running(pt_call *call, const result *answer, job_status *status, const pt_job_report *report)
{
    static const char scheduler[] = "portico";
    Ballista__Protobuf__RunningJob running = BALLISTA__PROTOBUF__RUNNING_JOB__INIT;
    running.queued_at = milliseconds(report->created_us);
    running.started_at = milliseconds(report->started_us);
    running.scheduler = pt__unconst(scheduler);
    status->status_case = BALLISTA__PROTOBUF__JOB_STATUS__STATUS_RUNNING;
    status->running = &running;
    return pt__ballista_send(call, &answer->base);
}

static bool send_failed(pt_call *call, const result *answer, job_status *status, const pt_job_report *report,
                        pt_job *job)
{
    static const char cancelled[] = "Cancelled";
    Ballista__Protobuf__FailedJob failed = BALLISTA__PROTOBUF__FAILED_JOB__INIT;
    pt_error err = PT_ERROR_INIT;
    char *text = NULL;
    if (report->state != PT_OPERATION_CANCELLED && pt_job_failure(job, &err) != PT_OK)
        text = strdup(pt_error_full_message(&err));
    pt_error_clear(&err);
    failed.error = text == NULL ? pt__unconst(cancelled) : text;
    failed.queued_at = milliseconds(report->created_us);
    failed.started_at = milliseconds(report->started_us);
    failed.ended_at = milliseconds(report->ended_us);
    status->status_case = BALLISTA__PROTOBUF__JOB_STATUS__STATUS_FAILED;
    status->failed = &failed;
    bool sent = pt__ballista_send(call, &answer->base);
    free(text);
    return sent;
}

static bool send_successful(pt_call *call, const result *answer, job_status *status, const pt_job_report *report)
{
    address at = called_by(call);
    static const char executor_id[] = "portico";
    bool is_whole = report->state == PT_OPERATION_SUCCEEDED;
    Ballista__Protobuf__SuccessfulJob successful = BALLISTA__PROTOBUF__SUCCESSFUL_JOB__INIT;
    Ballista__Protobuf__PartitionLocation location = BALLISTA__PROTOBUF__PARTITION_LOCATION__INIT;
    Ballista__Protobuf__PartitionId partition = BALLISTA__PROTOBUF__PARTITION_ID__INIT;
    Ballista__Protobuf__ExecutorMetadata executor = BALLISTA__PROTOBUF__EXECUTOR_METADATA__INIT;
    Ballista__Protobuf__PartitionStats stats = BALLISTA__PROTOBUF__PARTITION_STATS__INIT;
    Ballista__Protobuf__PartitionLocation *locations[] = {&location};
    partition.job_id = status->job_id;
    partition.stage_id = STAGE;
    executor.id = pt__unconst(executor_id);
    executor.host = at.host;
    executor.port = at.port;
    executor.grpc_port = at.port;
    stats.num_rows = is_whole ? report->rows : -1;
    stats.num_batches = is_whole ? report->batches : -1;
    stats.num_bytes = is_whole ? report->bytes : -1;
    location.partition_id = &partition;
    location.executor_meta = &executor;
    location.partition_stats = &stats;
    successful.n_partition_location = 1;
    successful.partition_location = locations;
    successful.queued_at = milliseconds(report->created_us);
    successful.started_at = milliseconds(report->started_us);
    successful.ended_at = milliseconds(report->ended_us);
    status->status_case = BALLISTA__PROTOBUF__JOB_STATUS__STATUS_SUCCESSFUL;
    status->successful = &successful;
    return pt__ballista_send(call, &answer->base);
}

bool pt__ballista_status_send(pt_call *call, pt__ballista_job *job, pt__ballista_state state)
{
    pt_error err = PT_ERROR_INIT;
    char id[PT_UUID_TEXT_BYTES];
    result answer = BALLISTA__PROTOBUF__GET_JOB_STATUS_RESULT__INIT;
    job_status status = BALLISTA__PROTOBUF__JOB_STATUS__INIT;
    pt_job_report report = {.size_bytes = sizeof(report)};
    if (pt_job_status(job->job, &report, &err) != PT_OK) {
        pt__flight_fail(call, &err);
        pt_error_clear(&err);
        return false;
    }
    snprintf(id, sizeof(id), "%s", report.id);
    status.job_id = id;
    status.job_name = job->name;
    answer.status = &status;
    answer.flight_proxy_case = BALLISTA__PROTOBUF__GET_JOB_STATUS_RESULT__FLIGHT_PROXY_LOCAL;
    answer.local = true;
    switch (state) {
    case PT_BALLISTA_QUEUED: return send_queued(call, &answer, &status, &report);
    case PT_BALLISTA_RUNNING: return send_running(call, &answer, &status, &report);
    case PT_BALLISTA_FAILED: return send_failed(call, &answer, &status, &report, job->job);
    case PT_BALLISTA_SUCCESSFUL: job->was_announced = true; return send_successful(call, &answer, &status, &report);
    }
    return false;
}

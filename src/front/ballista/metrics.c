/*
 * GetJobMetrics, of which clients make the plan of EXPLAIN ANALYZE: one stage with one operator, the query as a whole.
 * Engines tell no more of what their operators did.
 */
#include "base/unconst.h"
#include "front/ballista/calls.h"
#include "front/ballista/status.h"

typedef Ballista__Protobuf__OperatorMetric metric;

enum { METRICS_MAX = 6 };

typedef struct metric_list {
    metric items[METRICS_MAX];
    metric *pointers[METRICS_MAX];
    size_t count;
} metric_list;

/* Members of the oneof are 64 bits wide, and share their place. */
static void add(metric_list *list, Ballista__Protobuf__OperatorMetric__MetricCase which, int64_t value)
{
    metric *m = &list->items[list->count];
    *m = (metric)BALLISTA__PROTOBUF__OPERATOR_METRIC__INIT;
    m->metric_case = which;
    m->start_timestamp = value;
    list->pointers[list->count++] = m;
}

#define METRIC(name) BALLISTA__PROTOBUF__OPERATOR_METRIC__METRIC_##name

static void add_all(metric_list *list, const pt_job_report *report)
{
    add(list, METRIC(OUTPUT_ROWS), report->rows);
    add(list, METRIC(OUTPUT_BYTES), report->bytes);
    add(list, METRIC(OUTPUT_BATCHES), report->batches);
    if (report->started_us != 0)
        add(list, METRIC(START_TIMESTAMP), report->started_us * 1000);
    if (report->started_us == 0 || report->ended_us < report->started_us)
        return;
    add(list, METRIC(END_TIMESTAMP), report->ended_us * 1000);
    add(list, METRIC(ELAPSED_COMPUTE), (report->ended_us - report->started_us) * 1000);
}

pt_status pt__ballista_metrics_reply(pt_call *call, pt__arena *arena, pt__ballista_job *job, pt_error *err)
{
    static const char type[] = "Query";
    Ballista__Protobuf__GetJobMetricsResult result = BALLISTA__PROTOBUF__GET_JOB_METRICS_RESULT__INIT;
    Ballista__Protobuf__StageMetrics stage = BALLISTA__PROTOBUF__STAGE_METRICS__INIT;
    Ballista__Protobuf__StageMetrics *stages[] = {&stage};
    Ballista__Protobuf__OperatorMetrics whole = BALLISTA__PROTOBUF__OPERATOR_METRICS__INIT;
    Ballista__Protobuf__OperatorMetrics *operators[] = {&whole};
    pt_job_report report = {.size_bytes = sizeof(report)};
    metric_list metrics = {.count = 0};
    PT_TRY(pt_job_status(job->job, &report, err));
    add_all(&metrics, &report);
    whole.operator_type = pt__unconst(type);
    whole.operator_desc =
        pt__arena_printf(arena, "Query: backend=%s", report.backend == NULL ? "none" : report.backend);
    whole.n_metrics = metrics.count;
    whole.metrics = metrics.pointers;
    stage.stage_id = 1;
    stage.partitions = 1;
    stage.n_operators = 1;
    stage.operators = operators;
    result.n_stages = 1;
    result.stages = stages;
    pt__ballista_reply(call, &result.base);
    return PT_OK;
}

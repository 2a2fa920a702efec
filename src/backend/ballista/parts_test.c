/* The small parts of the backend: configuration, errors, which plans read, where results are. */
#include "backend/ballista/errors.h"
#include "backend/ballista/locations.h"
#include "backend/ballista/options.h"
#include "backend/ballista/reads_only.h"
#include "base/test.h"
#include "base/unconst.h"
#include "wire/proto.h"

#include <stdio.h>
#include <string.h>

/* ---- configuration ---- */

static pt_status read_options(const char *key, const char *value, pt__ballista_options *out)
{
    pt_config *config;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    pt_config_set(config, key, value, NULL);
    pt_status status = pt__ballista_options_read(config, out, NULL);
    pt_config_free(config);
    return status;
}

PT_TEST(ballista_options_are_read)
{
    pt__ballista_options options;
    PT_CHECK_EQ(read_options("ballista.schedulers", "a:1, [::1]:65535", &options), PT_OK);
    PT_CHECK_EQ(options.scheduler_count, 2);
    PT_CHECK_STR(options.schedulers[0], "a:1");
    PT_CHECK_STR(options.schedulers[1], "[::1]:65535");
    PT_CHECK_EQ(options.poll_most_ms, 50);
    pt__ballista_options_deinit(&options);
    PT_CHECK_EQ(read_options("ballista.settings", "a.b=c=d,e=", &options), PT_OK);
    PT_CHECK_EQ(options.setting_count, 2);
    PT_CHECK_STR(options.settings[0].key, "a.b");
    PT_CHECK_STR(options.settings[0].value, "c=d");
    PT_CHECK_STR(options.settings[1].value, "");
    pt__ballista_options_deinit(&options);
}

PT_TEST(ballista_options_that_are_wrong_are_refused)
{
    static const char *const wrong[][2] = {{"ballista.schedulers", ""},     {"ballista.schedulers", "a"},
                                           {"ballista.schedulers", ":1"},   {"ballista.schedulers", "a:0"},
                                           {"ballista.schedulers", "a:1x"}, {"ballista.schedulers", "a:70000"},
                                           {"ballista.settings", "a"},      {"ballista.settings", "=b"},
                                           {"ballista.push", "perhaps"},    {"ballista.poll-most", "soon"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        pt__ballista_options options;
        PT_CHECK_EQ(read_options(wrong[i][0], wrong[i][1], &options), PT_INVALID_ARGUMENT);
        pt__ballista_options_deinit(&options);
    }
}

/* ---- errors ---- */

static void check_error(const char *text, pt_status status, const char *condition, const char *part)
{
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__ballista_job_failed(text, &err), status);
    PT_CHECK_STR(err.condition, condition);
    if (strstr(err.message, part) == NULL)
        PT_CHECK_STR(err.message, part);
    pt_error_clear(&err);
}

PT_TEST(ballista_errors_are_sparks)
{
    check_error("Job failed due to stage 1 failed: Task failed due to runtime execution error: "
                "DataFusionError(Execution(\"ArrowError(DivideByZero)\"))\n",
                PT_EXECUTION, "DIVIDE_BY_ZERO", "Division by zero");
    check_error("ArrowError(CastError(\"Cannot cast string 'it' to value of Int64 type\"))", PT_EXECUTION,
                "CAST_INVALID_INPUT", "The value 'it' of type \"STRING\" is malformed for \"BIGINT\"");
    check_error("DataFusionError(ResourcesExhausted(\"no\"))", PT_LIMIT, "UNABLE_TO_ACQUIRE_MEMORY", "memory");
    check_error("Cancelled\n", PT_CANCELLED, "", "cancelled");
    check_error("something else  \n", PT_EXECUTION, "", "Ballista: something else");
}

/* What a plan raises comes back with as many layers of quoting as there were errors around it. */
PT_TEST(ballista_errors_that_plans_raise_are_read)
{
    check_error("x [portico:DIVIDE_BY_ZERO:{\"config\":\"c\"}] y", PT_EXECUTION, "DIVIDE_BY_ZERO", "set c to");
    check_error("Execution(\"[portico:DIVIDE_BY_ZERO:{\\\"config\\\":\\\"a\\\\\\\"b}\\\"}]\")", PT_EXECUTION,
                "DIVIDE_BY_ZERO", "set a\"b} to");
    check_error("A(\"B(\\\"[portico:DIVIDE_BY_ZERO:{\\\\\\\"config\\\\\\\":\\\\\\\"c\\\\\\\"}]\\\")\")", PT_EXECUTION,
                "DIVIDE_BY_ZERO", "set c to");
    check_error("[portico:NO_SUCH_CONDITION:{}]", PT_EXECUTION, "", "NO_SUCH_CONDITION");
    check_error("[portico:DIVIDE_BY_ZERO:{\"config\":", PT_EXECUTION, "DIVIDE_BY_ZERO", "");
}

/* ---- which plans read ---- */

static pt_bytes_view wrap(pt__buffer *out, uint32_t node, uint32_t input_field, pt_bytes_view input)
{
    pt__buffer inner = PT_BUFFER_INIT;
    if (input.size_bytes != 0)
        pt__proto_append_bytes(&inner, input_field, input);
    pt__buffer_reset(out);
    pt__proto_append_bytes(out, node, pt__buffer_view(&inner));
    pt__buffer_deinit(&inner);
    return pt__buffer_view(out);
}

PT_TEST(ballista_knows_plans_that_read)
{
    enum { EMPTY_RELATION = 10, PROJECTION = 3, ANALYZE = 14, COPY_TO = 29, DML = 33, EXTENSION = 17 };
    pt__buffer a = PT_BUFFER_INIT;
    pt__buffer b = PT_BUFFER_INIT;
    pt__buffer c = PT_BUFFER_INIT;
    pt_bytes_view row = wrap(&a, EMPTY_RELATION, 0, (pt_bytes_view){NULL, 0});
    PT_CHECK(pt__datafusion_reads_only(row));
    PT_CHECK(pt__datafusion_reads_only(wrap(&b, PROJECTION, 1, row)));
    PT_CHECK(!pt__datafusion_reads_only(wrap(&b, EXTENSION, 1, row)));
    PT_CHECK(!pt__datafusion_reads_only(wrap(&b, DML, 2, row)));
    pt_bytes_view copy = wrap(&b, COPY_TO, 1, row);
    PT_CHECK(!pt__datafusion_reads_only(copy));
    PT_CHECK(!pt__datafusion_reads_only(wrap(&c, ANALYZE, 1, copy)));
    PT_CHECK(!pt__datafusion_reads_only((pt_bytes_view){NULL, 0}));
    PT_CHECK(!pt__datafusion_reads_only((pt_bytes_view){(const uint8_t *)"\x52\x05", 2}));
    pt__buffer_deinit(&a);
    pt__buffer_deinit(&b);
    pt__buffer_deinit(&c);
}

PT_TEST(ballista_does_not_follow_plans_without_end)
{
    pt__buffer buffers[2] = {PT_BUFFER_INIT, PT_BUFFER_INIT};
    pt_bytes_view plan = wrap(&buffers[0], 10, 0, (pt_bytes_view){NULL, 0});
    for (int i = 1; i <= 300; i++)
        plan = wrap(&buffers[i % 2], 3, 1, plan);
    PT_CHECK(!pt__datafusion_reads_only(plan));
    pt__buffer_deinit(&buffers[0]);
    pt__buffer_deinit(&buffers[1]);
}

/* ---- where results are ---- */

typedef struct places {
    Ballista__Protobuf__GetJobStatusResult result;
    Ballista__Protobuf__JobStatus status;
    Ballista__Protobuf__SuccessfulJob job;
    Ballista__Protobuf__PartitionLocation locations[3];
    Ballista__Protobuf__PartitionLocation *pointers[3];
    Ballista__Protobuf__PartitionId ids[3];
    Ballista__Protobuf__ExecutorMetadata executor;
    Ballista__Protobuf__PartitionStats stats[3];
} places;

/* Partitions 2, 0 and 1, as they were completed, with so many rows. */
static void make_places(places *p, const char *host, const int64_t rows[3])
{
    static const uint32_t numbers[] = {2, 0, 1};
    ballista__protobuf__get_job_status_result__init(&p->result);
    ballista__protobuf__job_status__init(&p->status);
    ballista__protobuf__successful_job__init(&p->job);
    ballista__protobuf__executor_metadata__init(&p->executor);
    p->executor.host = pt__unconst(host);
    p->executor.port = 50051;
    for (int i = 0; i < 3; i++) {
        ballista__protobuf__partition_location__init(&p->locations[i]);
        ballista__protobuf__partition_id__init(&p->ids[i]);
        ballista__protobuf__partition_stats__init(&p->stats[i]);
        p->ids[i].partition_id = numbers[i];
        p->stats[i].num_rows = rows[i];
        p->locations[i].partition_id = &p->ids[i];
        p->locations[i].executor_meta = &p->executor;
        p->locations[i].partition_stats = &p->stats[i];
        p->pointers[i] = &p->locations[i];
    }
    p->job.partition_location = p->pointers;
    p->job.n_partition_location = 3;
    p->status.status_case = BALLISTA__PROTOBUF__JOB_STATUS__STATUS_SUCCESSFUL;
    p->status.successful = &p->job;
    p->result.status = &p->status;
}

PT_TEST(ballista_results_are_fetched_by_partition)
{
    places p;
    const pt__location *list = NULL;
    size_t count = 0;
    pt__arena *arena = pt__arena_new(0);
    make_places(&p, "1.2.3.4", (int64_t[]){-1, 0, 5});
    PT_CHECK_EQ(pt__locations_read(arena, &p.result, "s:1", &list, &count, NULL), PT_OK);
    PT_REQUIRE(count == 2);
    PT_CHECK_EQ(list[0].partition, 1);
    PT_CHECK_EQ(list[1].partition, 2);
    PT_CHECK_STR(list[0].address, "1.2.3.4:50051");
    make_places(&p, "::1", (int64_t[]){0, 0, 0});
    PT_CHECK_EQ(pt__locations_read(arena, &p.result, "s:1", &list, &count, NULL), PT_OK);
    PT_REQUIRE(count == 1); /* for its columns */
    PT_CHECK_STR(list[0].address, "[::1]:50051");
    p.job.n_partition_location = 0;
    PT_CHECK_EQ(pt__locations_read(arena, &p.result, "s:1", &list, &count, NULL), PT_OK);
    PT_CHECK_EQ(count, 0);
    pt__arena_free(arena);
}

PT_TEST(ballista_results_are_fetched_through_a_proxy)
{
    places p;
    const pt__location *list = NULL;
    size_t count = 0;
    pt__arena *arena = pt__arena_new(0);
    make_places(&p, "inside", (int64_t[]){1, 1, 1});
    p.result.flight_proxy_case = BALLISTA__PROTOBUF__GET_JOB_STATUS_RESULT__FLIGHT_PROXY_LOCAL;
    p.result.local = 1;
    PT_CHECK_EQ(pt__locations_read(arena, &p.result, "s:1", &list, &count, NULL), PT_OK);
    PT_CHECK_STR(list[0].address, "s:1");
    p.result.flight_proxy_case = BALLISTA__PROTOBUF__GET_JOB_STATUS_RESULT__FLIGHT_PROXY_EXTERNAL;
    p.result.external = pt__unconst("proxy:2");
    PT_CHECK_EQ(pt__locations_read(arena, &p.result, "s:1", &list, &count, NULL), PT_OK);
    PT_CHECK_STR(list[2].address, "proxy:2");
    p.locations[1].executor_meta = NULL;
    PT_CHECK_EQ(pt__locations_read(arena, &p.result, "s:1", &list, &count, NULL), PT_BAD_MESSAGE);
    pt__arena_free(arena);
}

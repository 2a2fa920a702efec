#include "backend/duckdb/test_engine.h"

#include "base/test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static pt_operation *start(pt__test_engine *engine, const char *sql)
{
    pt_error err = PT_ERROR_INIT;
    const pt_plan *plan;
    pt_operation *operation = NULL;
    if (pt__test_engine_analyze(engine, sql, &plan, &err) == PT_OK) {
        pt_query query = {.size_bytes = sizeof(query), .plan = plan, .time_zone = "UTC", .operation_id = "id"};
        pt_backend_duckdb.execute(engine->session, &query, &operation, &err);
    }
    PT_CHECK_STR(err.message, "");
    pt_error_clear(&err);
    return operation;
}

typedef struct late_cancel {
    pt_operation *operation;
    int64_t after_us;
} late_cancel;

static void *cancel_later(void *closure)
{
    const late_cancel *late = closure;
    nanosleep(&(struct timespec){.tv_nsec = late->after_us * 1000}, NULL);
    late->operation->vtable->cancel(late->operation, NULL);
    return NULL;
}

static void check_cancelled_after(pt__test_engine *engine, const char *sql, int64_t after_us)
{
    pt_operation *operation = start(engine, sql);
    PT_REQUIRE(operation != NULL);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    pthread_t thread;
    operation->vtable->result(operation, &stream, NULL);
    pthread_create(&thread, NULL, cancel_later, &(late_cancel){operation, after_us});
    int64_t begin = now_ms();
    int code = 0;
    while (code == 0) {
        code = stream.get_next(&stream, &batch);
        if (code == 0 && batch.release == NULL)
            break;
        if (code == 0)
            batch.release(&batch);
    }
    PT_CHECK(code != 0);
    pt_error err = PT_ERROR_INIT;
    pt_operation_state state;
    operation->vtable->failure(operation, &err);
    operation->vtable->status(operation, &state, NULL);
    PT_CHECK_STR(err.condition, "OPERATION_CANCELED");
    PT_CHECK_EQ(state, PT_OPERATION_CANCELLED);
    pt_error_clear(&err);
    pthread_join(thread, NULL);
    stream.release(&stream);
    operation->vtable->free(operation);
    PT_CHECK(now_ms() - begin < 5000); /* of a query that takes hours: without the interrupt it hangs */
    PT_CHECK_STR(pt__test_engine_run(engine, "SELECT 1"), "1\n");
}

static void check_cancelled(const char *sql)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    check_cancelled_after(&engine, sql, 200000);
    pt__test_engine_close(&engine);
}

static const char HOURS[] = "SELECT sum(a.id % 7 + b.id) FROM range(10000000) a CROSS JOIN range(10000000) b";

PT_TEST(cancelling_ends_a_query_that_computes)
{
    check_cancelled(HOURS);
}

PT_TEST(cancelling_at_any_moment_of_the_start_counts)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    for (int64_t after_us = 0; after_us < 4000; after_us += 10)
        check_cancelled_after(&engine, HOURS, after_us);
    pt__test_engine_close(&engine);
}

PT_TEST(cancelling_ends_a_query_that_streams)
{
    check_cancelled("SELECT * FROM range(1000000000000)");
}

PT_TEST(cancelling_before_the_start_counts)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    pt_operation *operation = start(&engine, "SELECT 1");
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    operation->vtable->cancel(operation, NULL);
    operation->vtable->result(operation, &stream, NULL);
    PT_CHECK(stream.get_next(&stream, &batch) != 0);
    stream.release(&stream);
    operation->vtable->free(operation);
    pt__test_engine_close(&engine);
}

PT_TEST(a_result_that_is_not_read_to_its_end_leaves_nothing_behind)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    for (int i = 0; i < 3; i++) {
        pt_operation *operation = start(&engine, "SELECT id, CAST(id AS STRING) FROM range(100000000)");
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        operation->vtable->result(operation, &stream, NULL);
        PT_CHECK_EQ(stream.get_next(&stream, &batch), 0);
        stream.release(&stream);
        operation->vtable->free(operation);
        batch.release(&batch); /* arrays may live longer than all else */
    }
    pt__test_engine_close(&engine);
}

PT_TEST(kept_rows_are_scanned_again)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    const pt_plan *plan;
    PT_CHECK_EQ(pt__test_engine_analyze(&engine, "SELECT id, 'x' AS s, NULL AS n FROM range(3)", &plan, NULL), PT_OK);
    pt_query query = {.size_bytes = sizeof(query), .plan = plan, .time_zone = "UTC"};
    void *kept = NULL;
    PT_CHECK_EQ(pt_backend_duckdb.keep(engine.session, &query, &kept, NULL), PT_OK);
    pt_cached_result result = {kept, plan->columns, plan->column_count};
    pt_plan_cached *scan = pt__plan_make(engine.arena, CACHED, cached, NULL);
    scan->result = &result;
    scan->base.columns = plan->columns;
    scan->base.column_count = plan->column_count;
    PT_CHECK_STR(pt__test_engine_run_plan(&engine, &scan->base), "0|x|NULL\n1|x|NULL\n2|x|NULL\n");
    pt_backend_duckdb.release_kept(engine.backend, kept);
    pt__test_engine_close(&engine);
}

PT_TEST(explaining_shows_the_plan_of_the_engine)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    const pt_plan *plan;
    const char *text = NULL;
    pt__test_engine_analyze(&engine, "SELECT count(*) FROM range(3)", &plan, NULL);
    pt_query query = {.size_bytes = sizeof(query), .plan = plan, .time_zone = "UTC"};
    PT_CHECK_EQ(pt_backend_duckdb.explain(engine.session, &query, engine.arena, &text, NULL), PT_OK);
    PT_CHECK(strstr(text, "AGGREGATE") != NULL);
    pt__test_engine_close(&engine);
}

/* Rows of one query are given to another one as a client's. */
PT_TEST(rows_of_a_client_are_scanned_in_place)
{
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    pt_operation *operation =
        start(&engine, "SELECT id, CASE WHEN id % 3 <> 1 THEN CAST(id AS STRING) END AS s, array(id, NULL) AS a, "
                       "CAST(id AS DECIMAL(20,2)) AS d, INTERVAL 1 DAY AS i, id % 2 = 0 AS b FROM range(5000)");
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    operation->vtable->result(operation, &stream, NULL);
    PT_CHECK_EQ(stream.get_schema(&stream, &schema), 0);
    PT_CHECK_EQ(stream.get_next(&stream, &batch), 0);
    stream.release(&stream);
    operation->vtable->free(operation);
    const struct ArrowArray *batches[] = {&batch};
    pt_local_data local = {&schema, batches, 1, batch.length};
    pt__arena *arena = pt__arena_new(0);
    engine.local = &local;
    engine.local_type = pt__test_engine_struct_of(arena, &schema);
    PT_CHECK_STR(pt__test_engine_run(&engine, "SELECT * FROM local WHERE id IN (4, 2049)"),
                 "4|NULL|[4,NULL]|4.00|86400000000|true\n2049|2049|[2049,NULL]|2049.00|86400000000|false\n");
    PT_CHECK_STR(pt__test_engine_run(&engine, "SELECT count(*), count(s), sum(id) FROM local"), "5000|3333|12497500\n");
    PT_CHECK_STR(pt__test_engine_run(&engine, "SELECT b, count(*) FROM local GROUP BY b ORDER BY b"),
                 "false|2500\ntrue|2500\n");
    pt__arena_free(arena);
    batch.release(&batch);
    schema.release(&schema);
    pt__test_engine_close(&engine);
}

/* ---- at the same time ---- */

typedef struct client {
    pt__test_engine *engine;
    int number;
    int failures;
} client;

static void *run_client(void *context)
{
    client *c = context;
    pt__test_engine own = *c->engine;
    own.arena = NULL;
    for (int i = 0; i < 20; i++) {
        char sql[96];
        char want[32];
        snprintf(sql, sizeof(sql), "SELECT sum(id) + %d FROM range(1000)", c->number);
        snprintf(want, sizeof(want), "%d\n", 499500 + c->number);
        c->failures += strcmp(pt__test_engine_run(&own, sql), want) != 0;
    }
    pt__arena_free(own.arena);
    return NULL;
}

PT_TEST(one_session_runs_several_operations_at_once)
{
    enum { CLIENTS = 4 };
    pt__test_engine engine;
    pthread_t threads[CLIENTS];
    client clients[CLIENTS];
    PT_REQUIRE(pt__test_engine_open(&engine, NULL));
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (client){&engine, i, 0};
        pthread_create(&threads[i], NULL, run_client, &clients[i]);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        PT_CHECK_EQ(clients[i].failures, 0);
    }
    pt__test_engine_close(&engine);
}

/* Results of one session and transaction, read by turns and by several threads. */
#include "backend/duckdb/native/open_rows.h"

#include "backend/duckdb/native/test_session.h"
#include "base/test.h"

#include <nanoarrow/nanoarrow.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROWS = 400000 };

static const char MANY[] = "select i, 'the number ' || i as s from range(400000) r(i)";
/* Rows come at once, and then none for hours. */
static const char SLOW[] = "select i from range(100000000000) r(i) where i < 300000 or sqrt(i) < 0";

typedef struct fixture {
    void *backend;
    void *session;
    void *transaction;
} fixture;

typedef struct result {
    pt_operation *operation;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    int64_t row; /* the next one */
} result;

/* With one thread DuckDB has none that helps it. */
static bool begin(fixture *f, uint32_t threads)
{
    *f = (fixture){0};
    return pt__test_session_open(threads, &f->backend, &f->session) &&
           pt_backend_duckdb.begin(f->session, &f->transaction, NULL) == PT_OK;
}

static void end(fixture *f)
{
    if (f->transaction != NULL)
        PT_CHECK_EQ(pt_backend_duckdb.end(f->session, f->transaction, false, NULL), PT_OK);
    pt__test_session_close(f->backend, f->session);
}

static bool start(const fixture *f, const char *sql, result *r)
{
    pt_query query = {.size_bytes = sizeof(pt_query),
                      .encoded = {.format = "duckdb.sql", .payload = {(const uint8_t *)sql, strlen(sql)}},
                      .transaction = f->transaction,
                      .batch_bytes = 300000};
    *r = (result){0};
    return pt_backend_duckdb.execute(f->session, &query, &r->operation, NULL) == PT_OK &&
           r->operation->vtable->result(r->operation, &r->stream, NULL) == PT_OK &&
           r->stream.get_schema(&r->stream, &r->schema) == 0;
}

static void stop(result *r)
{
    if (r->schema.release != NULL)
        r->schema.release(&r->schema);
    r->stream.release(&r->stream);
    r->operation->vtable->free(r->operation);
}

static bool run(const fixture *f, const char *sql)
{
    result r;
    struct ArrowArray batch;
    bool is_good = start(f, sql, &r);
    while (is_good && r.stream.get_next(&r.stream, &batch) == 0 && batch.release != NULL)
        batch.release(&batch);
    is_good = r.operation->vtable->failure(r.operation, NULL) == PT_OK;
    stop(&r);
    return is_good;
}

static bool is_row(const struct ArrowArrayView *view, int64_t at, int64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "the number %lld", (long long)number);
    struct ArrowStringView found = ArrowArrayViewGetStringUnsafe(view->children[1], at);
    return ArrowArrayViewGetIntUnsafe(view->children[0], at) == number && found.size_bytes == (int64_t)strlen(text) &&
           memcmp(found.data, text, strlen(text)) == 0;
}

/* The next batch of MANY; false at the end. */
static bool read_batch(result *r)
{
    struct ArrowArray batch;
    struct ArrowArrayView view;
    bool all = true;
    if (r->stream.get_next(&r->stream, &batch) != 0 || batch.release == NULL)
        return false;
    PT_CHECK_EQ(ArrowArrayViewInitFromSchema(&view, &r->schema, NULL), NANOARROW_OK);
    PT_CHECK_EQ(ArrowArrayViewSetArray(&view, &batch, NULL), NANOARROW_OK);
    for (int64_t at = 0; at < batch.length; at++)
        all = all && is_row(&view, at, r->row++);
    PT_CHECK(all);
    ArrowArrayViewReset(&view);
    batch.release(&batch);
    return true;
}

PT_TEST(open_rows_make_way_and_go_on)
{
    fixture f;
    result results[3];
    PT_REQUIRE(begin(&f, 2));
    for (size_t i = 0; i < 3; i++) {
        PT_REQUIRE(start(&f, MANY, &results[i]));
        PT_CHECK(read_batch(&results[i]));
        PT_CHECK(run(&f, "create or replace temp table made as select 1 as a"));
    }
    for (size_t i = 0; i < 3; i++) {
        while (read_batch(&results[i]))
            ;
        PT_CHECK_EQ(results[i].row, ROWS);
        stop(&results[i]);
    }
    end(&f);
}

static void give_up_results(uint32_t threads)
{
    fixture f;
    result r;
    PT_REQUIRE(begin(&f, threads));
    for (int i = 0; i < 20; i++) {
        PT_REQUIRE(start(&f, MANY, &r));
        if (i % 2 == 0)
            PT_CHECK(read_batch(&r));
        PT_CHECK_EQ(r.operation->vtable->cancel(r.operation, NULL), PT_OK);
        stop(&r);
        PT_CHECK(run(&f, "select 1 from range(10)"));
    }
    end(&f);
}

PT_TEST(open_rows_that_nobody_reads_cost_no_transaction)
{
    give_up_results(1);
    give_up_results(2);
}

PT_TEST(open_rows_outlive_their_transaction)
{
    fixture f;
    result r;
    PT_REQUIRE(begin(&f, 2));
    PT_REQUIRE(start(&f, MANY, &r));
    PT_CHECK_EQ(pt_backend_duckdb.end(f.session, f.transaction, true, NULL), PT_OK);
    f.transaction = NULL;
    while (read_batch(&r))
        ;
    PT_CHECK_EQ(r.row, ROWS);
    stop(&r);
    end(&f);
}

/* ---- threads ---- */

static void *cancel_soon(void *context)
{
    result *r = context;
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    r->operation->vtable->cancel(r->operation, NULL);
    return NULL;
}

static void interrupt_result(uint32_t threads)
{
    fixture f;
    result r;
    pthread_t thread;
    struct ArrowArray batch;
    PT_REQUIRE(begin(&f, threads));
    PT_REQUIRE(start(&f, SLOW, &r));
    PT_REQUIRE(pthread_create(&thread, NULL, cancel_soon, &r) == 0);
    while (r.stream.get_next(&r.stream, &batch) == 0 && batch.release != NULL)
        batch.release(&batch);
    pthread_join(thread, NULL);
    PT_CHECK_EQ(r.operation->vtable->failure(r.operation, NULL), PT_CANCELLED);
    stop(&r);
    end(&f);
}

PT_TEST(open_rows_that_do_not_come_are_interrupted)
{
    interrupt_result(1);
    interrupt_result(2);
}

/* A commit whose statement failed, or was interrupted, while nobody read its rows. */
PT_TEST(open_rows_that_fail_are_not_committed)
{
    fixture f;
    result r;
    pt_error err = PT_ERROR_INIT;
    PT_REQUIRE(begin(&f, 2));
    PT_CHECK(run(&f, "create table made as select 1 as a"));
    PT_REQUIRE(start(&f, "select i, case when i = 399999 then ('x' || i)::int end from range(400000) r(i)", &r));
    PT_CHECK_EQ(pt_backend_duckdb.end(f.session, f.transaction, true, &err) == PT_OK, false);
    PT_CHECK(strstr(err.message, "rolled back instead") != NULL);
    f.transaction = NULL;
    stop(&r);
    PT_CHECK(!run(&f, "select * from made"));
    pt_error_clear(&err);
    end(&f);
}

typedef struct reader {
    pthread_t thread;
    const fixture *fixture;
    int number;
    int wrong;
} reader;

/* Reads results to their end, or cancels them, or both. */
static void *read_results(void *context)
{
    reader *self = context;
    result r;
    for (int i = 0; i < 6; i++) {
        bool to_end = (i + self->number) % 3 != 0;
        if (!start(self->fixture, MANY, &r)) {
            self->wrong++;
            stop(&r);
            continue;
        }
        bool more = read_batch(&r);
        if (!to_end)
            r.operation->vtable->cancel(r.operation, NULL);
        while (more && to_end)
            more = read_batch(&r);
        self->wrong += to_end && r.row != ROWS;
        stop(&r);
    }
    return NULL;
}

PT_TEST(open_rows_are_read_by_threads)
{
    fixture f;
    reader readers[3];
    PT_REQUIRE(begin(&f, 2));
    for (int i = 0; i < 3; i++) {
        readers[i] = (reader){.fixture = &f, .number = i};
        PT_REQUIRE(pthread_create(&readers[i].thread, NULL, read_results, &readers[i]) == 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(readers[i].thread, NULL);
        PT_CHECK_EQ(readers[i].wrong, 0);
    }
    PT_CHECK(run(&f, "select 1"));
    end(&f);
}

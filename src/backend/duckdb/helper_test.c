/* Threads of a DuckDB that has the test's thread and a helper, and no other. */
#include "backend/duckdb/helper.h"

#include "base/test.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum { NAP_US = 1000 }; /* of each chunk, so that whoever may help is there in time */

static const struct timespec NAP = {.tv_nsec = NAP_US * 1000};

/* Which threads have executed the function nap(). */
typedef struct sleepers {
    pthread_t waiting; /* for the result */
    _Atomic int own_chunks;
    _Atomic int other_chunks;
} sleepers;

typedef struct fixture {
    duckdb_database database;
    duckdb_connection connection;
    pt__helper *helper;
    sleepers sleepers;
} fixture;

static void nap(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    sleepers *s = duckdb_scalar_function_get_extra_info(info);
    nanosleep(&NAP, NULL);
    memset(duckdb_vector_get_data(output), 0, duckdb_data_chunk_get_size(input) * sizeof(int64_t));
    bool is_own = pthread_equal(s->waiting, pthread_self());
    atomic_fetch_add(is_own ? &s->own_chunks : &s->other_chunks, 1);
}

static void register_nap(fixture *f)
{
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_logical_type number = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    duckdb_scalar_function_set_name(function, "nap");
    duckdb_scalar_function_add_parameter(function, number);
    duckdb_scalar_function_set_return_type(function, number);
    duckdb_scalar_function_set_volatile(function);
    duckdb_scalar_function_set_extra_info(function, &f->sleepers, NULL);
    duckdb_scalar_function_set_function(function, nap);
    PT_CHECK_EQ(duckdb_register_scalar_function(f->connection, function), DuckDBSuccess);
    duckdb_destroy_logical_type(&number);
    duckdb_destroy_scalar_function(&function);
}

static void run(fixture *f, const char *sql)
{
    duckdb_result result;
    PT_CHECK_EQ(duckdb_query(f->connection, sql, &result), DuckDBSuccess);
    duckdb_destroy_result(&result);
}

static bool begin(fixture *f)
{
    duckdb_config options = NULL;
    *f = (fixture){.sleepers.waiting = pthread_self()};
    duckdb_create_config(&options);
    duckdb_set_config(options, "threads", "2");
    duckdb_set_config(options, "external_threads", "2");
    PT_CHECK_EQ(duckdb_open_ext(NULL, &f->database, options, NULL), DuckDBSuccess);
    duckdb_destroy_config(&options);
    PT_CHECK_EQ(duckdb_connect(f->database, &f->connection), DuckDBSuccess);
    register_nap(f);
    run(f, "CREATE TABLE numbers AS SELECT range AS n FROM range(491520)"); /* four row groups, 240 chunks */
    return pt__helper_new(f->database, PT_HELPER_THREADS, &f->helper, NULL) == PT_OK;
}

static void end(fixture *f)
{
    pt__helper_free(f->helper);
    duckdb_disconnect(&f->connection);
    duckdb_close(&f->database);
}

/* Runs 240 chunks, each a millisecond long; how many of them another thread executed. */
static int others_of_sum(fixture *f)
{
    f->sleepers.own_chunks = f->sleepers.other_chunks = 0;
    run(f, "SELECT sum(nap(n)) FROM numbers");
    PT_CHECK_EQ(f->sleepers.own_chunks + f->sleepers.other_chunks, 240);
    return f->sleepers.other_chunks;
}

PT_TEST(helper_takes_tasks_of_statements_that_began)
{
    fixture f;
    pt__helped helped = {0};
    PT_REQUIRE(begin(&f));
    pt__helped_begin(&helped, f.helper);
    PT_CHECK(others_of_sum(&f) > 0);
    pt__helped_end(&helped);
    end(&f);
}

PT_TEST(helper_leaves_others_alone)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    PT_CHECK_EQ(others_of_sum(&f), 0);
    end(&f);
}

PT_TEST(helper_stays_away_from_a_stream_whose_reader_does_not_wait)
{
    fixture f;
    pt__helped helped = {0};
    PT_REQUIRE(begin(&f));
    pt__helped_begin(&helped, f.helper);
    pt__helped_stream(&helped);
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL); /* it was told to compute at first */
    PT_CHECK_EQ(others_of_sum(&f), 0);
    pt__helped_end(&helped);
    end(&f);
}

PT_TEST(helper_comes_to_a_stream_whose_reader_has_waited)
{
    fixture f;
    pt__helped helped = {0};
    PT_REQUIRE(begin(&f));
    pt__helped_begin(&helped, f.helper);
    pt__helped_stream(&helped);
    pt__helped_wait(&helped);
    PT_CHECK(others_of_sum(&f) > 0);
    pt__helped_go_on(&helped);
    pt__helped_end(&helped);
    end(&f);
}

PT_TEST(helper_helps_each_of_two_statements)
{
    fixture f;
    pt__helped one = {0}, other = {0};
    PT_REQUIRE(begin(&f));
    pt__helped_begin(&one, f.helper);
    pt__helped_begin(&other, f.helper);
    pt__helped_begin(&one, f.helper); /* its next row of parameters */
    pt__helped_end(&one);
    pt__helped_end(&one);
    PT_CHECK(others_of_sum(&f) > 0);
    pt__helped_end(&other);
    end(&f);
}

PT_TEST(helper_retires_and_leaves_threads_to_duckdb)
{
    fixture f;
    pt__helped helped = {0};
    PT_REQUIRE(begin(&f));
    pt__helped_begin(&helped, f.helper);
    pt__helper_retire(f.helper);
    PT_CHECK_EQ(others_of_sum(&f), 0);
    run(&f, "SET GLOBAL external_threads = 1");
    PT_CHECK(others_of_sum(&f) > 0);
    run(&f, "SET threads = 1");
    PT_CHECK_EQ(others_of_sum(&f), 0);
    pt__helped_end(&helped);
    end(&f);
}

/* DuckDB tells threads to end by a call on the semaphore that tasks are announced by. */
PT_TEST(helper_takes_no_call_that_is_meant_for_a_thread_of_duckdb)
{
    fixture f;
    pt__helped helped = {0};
    PT_REQUIRE(begin(&f));
    pt__helped_begin(&helped, f.helper);
    for (int i = 0; i < 100; i++) {
        run(&f, "SET threads = 5");
        run(&f, "SELECT 1");
        run(&f, "SET threads = 2");
        run(&f, "SELECT 1");
    }
    PT_CHECK(others_of_sum(&f) > 0);
    pt__helped_end(&helped);
    end(&f);
}

PT_TEST(helper_may_be_none)
{
    pt__helped helped = {0};
    pt__helped_begin(&helped, NULL);
    pt__helped_stream(&helped);
    pt__helped_wait(&helped);
    pt__helped_go_on(&helped);
    pt__helped_end(&helped);
    pt__helper_retire(NULL);
    pt__helper_free(NULL);
    PT_CHECK(helped.helper == NULL);
}

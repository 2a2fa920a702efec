/* Queries whose rows are taken within their pipelines: the same rows, in the same order, by the same names. */
#include "backend/duckdb/native/native.h"

#include "backend/duckdb/native/test_session.h"
#include "base/test.h"

#include <nanoarrow/nanoarrow.h>
#include <stdio.h>
#include <string.h>

typedef struct fixture {
    void *backend;
    void *session;
    pt__test_result result;
} fixture;

static bool begin(fixture *f)
{
    *f = (fixture){0};
    return pt__test_session_open(4, &f->backend, &f->session);
}

static void end(fixture *f)
{
    pt__test_session_close(f->backend, f->session);
}

static void run(fixture *f, const char *sql)
{
    struct ArrowArray batch;
    pt_query query = pt__test_query(sql);
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    while (f->result.stream.get_next(&f->result.stream, &batch) == 0 && batch.release != NULL)
        batch.release(&batch);
    PT_CHECK_EQ(f->result.operation->vtable->failure(f->result.operation, NULL), PT_OK);
    pt__test_stop(&f->result);
}

/* ---- rows ---- */

/* A row is a number, and a text that says it, or NULL when the number is divisible by 7. */
static void check_row(const struct ArrowArrayView *view, int64_t row, int64_t number)
{
    char text[32];
    PT_CHECK_EQ(ArrowArrayViewGetIntUnsafe(view->children[0], row), number);
    PT_CHECK_EQ(ArrowArrayViewIsNull(view->children[1], row), number % 7 == 0);
    if (number % 7 == 0)
        return;
    snprintf(text, sizeof(text), "the number %lld", (long long)number);
    struct ArrowStringView found = ArrowArrayViewGetStringUnsafe(view->children[1], row);
    PT_CHECK(found.size_bytes == (int64_t)strlen(text) && memcmp(found.data, text, strlen(text)) == 0);
}

/* Checks that rows have the numbers from `*number` on that 5 does not divide. */
static void check_batch(const struct ArrowSchema *schema, const struct ArrowArray *batch, int64_t *number)
{
    struct ArrowArrayView view;
    PT_REQUIRE(ArrowArrayViewInitFromSchema(&view, schema, NULL) == NANOARROW_OK);
    PT_REQUIRE(ArrowArrayViewSetArray(&view, batch, NULL) == NANOARROW_OK);
    for (int64_t row = 0; row < batch->length; row++) {
        check_row(&view, row, *number);
        *number += *number % 5 == 4 ? 2 : 1;
    }
    ArrowArrayViewReset(&view);
}

PT_TEST(harvested_rows_keep_their_order)
{
    static const uint64_t SIZES[] = {0, 1000, 70000, 3000000};
    static const char SQL[] = "select i, t from numbers where i % 5 <> 0";
    fixture f;
    PT_REQUIRE(begin(&f));
    run(&f, "create table numbers as select i, case when i % 7 <> 0 then 'the number ' || i end as t "
            "from range(600000) r(i)");
    for (size_t k = 0; k < sizeof(SIZES) / sizeof(SIZES[0]); k++) {
        struct ArrowArray batch;
        int64_t number = 1;
        pt_query query = pt__test_query(SQL);
        query.batch_bytes = SIZES[k];
        PT_REQUIRE(pt__test_start(f.session, &query, &f.result));
        while (f.result.stream.get_next(&f.result.stream, &batch) == 0 && batch.release != NULL) {
            check_batch(&f.result.schema, &batch, &number);
            batch.release(&batch);
        }
        PT_CHECK_EQ(number, 600001); /* 600000 is left out */
        pt__test_stop(&f.result);
    }
    end(&f);
}

PT_TEST(harvested_batches_outlive_their_query)
{
    fixture f;
    struct ArrowArray batches[4];
    struct ArrowSchema schema;
    PT_REQUIRE(begin(&f));
    run(&f, "create table numbers as select i, case when i % 7 <> 0 then 'the number ' || i end as t "
            "from range(600000) r(i) where i % 5 <> 0");
    pt_query query = pt__test_query("select * from numbers");
    query.batch_bytes = 100000;
    PT_REQUIRE(pt__test_start(f.session, &query, &f.result));
    for (size_t i = 0; i < 4; i++)
        PT_REQUIRE(f.result.stream.get_next(&f.result.stream, &batches[i]) == 0 && batches[i].release != NULL);
    PT_REQUIRE(ArrowSchemaDeepCopy(&f.result.schema, &schema) == NANOARROW_OK);
    pt__test_stop(&f.result); /* while its threads are at it */
    int64_t number = 1;
    for (size_t i = 0; i < 4; i++) {
        check_batch(&schema, &batches[i], &number);
        batches[i].release(&batches[i]);
    }
    schema.release(&schema);
    run(&f, "select * from numbers;  ");
    end(&f);
}

/* ---- columns ---- */

/* The columns as NAME:FORMAT, with bars between. */
static const char *columns_of(fixture *f, const char *sql, char *out, size_t size)
{
    pt_query query = pt__test_query(sql);
    out[0] = '\0';
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    for (int64_t i = 0; f->result.schema.release != NULL && i < f->result.schema.n_children; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s:%s", i == 0 ? "" : "|", f->result.schema.children[i]->name,
                 f->result.schema.children[i]->format);
    }
    pt__test_stop(&f->result);
    return out;
}

PT_TEST(harvested_columns_have_the_names_and_types_of_the_query)
{
    char text[512];
    fixture f;
    PT_REQUIRE(begin(&f));
    PT_CHECK_STR(columns_of(&f, "select range, count(*) from range(3) group by all -- counts", text, sizeof(text)),
                 "range:l|count_star():l");
    PT_CHECK_STR(columns_of(&f, "/* twice */ select 1 as a, 2 as a, 3 as A from range(3)", text, sizeof(text)),
                 "a:i|a:i|A:i");
    PT_CHECK_STR(columns_of(&f,
                            "with q as (from range(3)) select null as n, 'x' as s, {'k': 1} as __portico_rows from q",
                            text, sizeof(text)),
                 "n:i|s:u|__portico_rows:+s");
    PT_CHECK_STR(columns_of(&f, "select a, a_1, a_2 from (values (1, 2, 3)) t(a, a_1, a_2)", text, sizeof(text)),
                 "a:i|a_1:i|a_2:i");
    end(&f);
}

PT_TEST(harvesting_is_not_for_users)
{
    fixture f;
    pt_error err = PT_ERROR_INIT;
    PT_REQUIRE(begin(&f));
    pt_query query = pt__test_query("select portico_harvest(1, {'a': 1})");
    PT_CHECK(!pt__test_start(f.session, &query, &f.result));
    f.result.operation->vtable->failure(f.result.operation, &err);
    PT_CHECK(strstr(err.message, "portico_harvest is not for users") != NULL);
    pt__test_stop(&f.result);
    pt_error_clear(&err);
    end(&f);
}

PT_TEST(errors_of_harvested_rows_count_lines_of_the_query)
{
    fixture f;
    struct ArrowArray batch = {0};
    pt_error err = PT_ERROR_INIT;
    PT_REQUIRE(begin(&f));
    pt_query query = pt__test_query("select range,\n  cast('x' || range as int) from range(3)");
    bool has_schema = pt__test_start(f.session, &query, &f.result);
    PT_CHECK(!has_schema || f.result.stream.get_next(&f.result.stream, &batch) != 0);
    f.result.operation->vtable->failure(f.result.operation, &err);
    PT_CHECK(strstr(pt_error_full_message(&err), "\nLINE 2:   cast('x'") != NULL);
    pt__test_stop(&f.result);
    pt_error_clear(&err);
    end(&f);
}

/* ---- prepared ---- */

static void prepare(fixture *f, pt_query *query, const char *sql)
{
    pt_statement_info info;
    *query = pt__test_query(sql);
    query->statement_id = "statement";
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f->session, query, &info, NULL), PT_OK);
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
}

PT_TEST(a_table_may_change_before_its_harvest)
{
    fixture f;
    pt_query query;
    PT_REQUIRE(begin(&f));
    run(&f, "create table t as select 1 as a");
    prepare(&f, &query, "select * from t");
    run(&f, "alter table t add column b varchar");
    PT_CHECK(pt__test_start(f.session, &query, &f.result));
    PT_CHECK_EQ(f.result.schema.n_children, 2);
    pt__test_stop(&f.result);
    prepare(&f, &query, "select * from t");
    run(&f, "drop table t");
    PT_CHECK(!pt__test_start(f.session, &query, &f.result));
    PT_CHECK_EQ(f.result.operation->vtable->failure(f.result.operation, NULL), PT_NOT_FOUND);
    pt__test_stop(&f.result);
    end(&f);
}

#include "backend/duckdb/native/native.h"

#include "backend/duckdb/native/test_session.h"
#include "base/test.h"

#include <nanoarrow/nanoarrow.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct fixture {
    void *backend;
    void *session;
    void *transaction; /* NULL: none */
    char text[2048];   /* of the last answer */
} fixture;

static bool begin(fixture *f)
{
    *f = (fixture){0};
    return pt__test_session_open(2, &f->backend, &f->session);
}

static void end(fixture *f)
{
    pt__test_session_close(f->backend, f->session);
}

static pt_query query_of(const fixture *f, const char *sql)
{
    return (pt_query){.size_bytes = sizeof(pt_query),
                      .encoded = {.format = "duckdb.sql", .payload = {(const uint8_t *)sql, strlen(sql)}},
                      .transaction = f->transaction};
}

static void append(fixture *f, const char *text, size_t size)
{
    size_t used = strlen(f->text);
    snprintf(f->text + used, sizeof(f->text) - used, "%.*s", (int)size, text);
}

static void append_cell(fixture *f, const struct ArrowArrayView *cell, int64_t row)
{
    char number[32];
    if (ArrowArrayViewIsNull(cell, row)) {
        append(f, "null", 4);
    } else if (cell->storage_type == NANOARROW_TYPE_STRING) {
        struct ArrowStringView text = ArrowArrayViewGetStringUnsafe(cell, row);
        append(f, text.data, (size_t)text.size_bytes);
    } else {
        snprintf(number, sizeof(number), "%lld", (long long)ArrowArrayViewGetIntUnsafe(cell, row));
        append(f, number, strlen(number));
    }
}

static void append_batch(fixture *f, const struct ArrowSchema *schema, const struct ArrowArray *batch)
{
    struct ArrowArrayView view;
    PT_CHECK_EQ(ArrowArrayViewInitFromSchema(&view, schema, NULL), NANOARROW_OK);
    PT_CHECK_EQ(ArrowArrayViewSetArray(&view, batch, NULL), NANOARROW_OK);
    for (int64_t row = 0; row < batch->length && strlen(f->text) < 1000; row++) {
        for (int64_t i = 0; i < schema->n_children; i++) {
            append(f, "|", i != 0);
            append_cell(f, view.children[i], row);
        }
        append(f, "\n", 1);
    }
    ArrowArrayViewReset(&view);
}

/* Rows as lines, or "! status message" up to the first line break. */
static const char *run_with(fixture *f, const char *sql, struct ArrowArrayStream *parameters)
{
    pt_query query = query_of(f, sql);
    pt_operation *operation = NULL;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    pt_error err = PT_ERROR_INIT;
    f->text[0] = '\0';
    query.parameters = parameters;
    PT_CHECK_EQ(pt_backend_duckdb.execute(f->session, &query, &operation, NULL), PT_OK);
    operation->vtable->result(operation, &stream, NULL);
    if (stream.get_schema(&stream, &schema) == 0) {
        while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
            append_batch(f, &schema, &batch);
            batch.release(&batch);
        }
        schema.release(&schema);
    }
    if (operation->vtable->failure(operation, &err) != PT_OK)
        snprintf(f->text, sizeof(f->text), "! %s: %.*s", pt_status_text(err.status), (int)strcspn(err.message, "\n"),
                 err.message);
    stream.release(&stream);
    operation->vtable->free(operation);
    pt_error_clear(&err);
    return f->text;
}

static const char *run(fixture *f, const char *sql)
{
    return run_with(f, sql, NULL);
}

PT_TEST(native_statements_stream_and_fail_in_duckdbs_words)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    PT_CHECK_STR(run(&f, "select i, 'x' || i from range(3) t(i)"), "0|x0\n1|x1\n2|x2\n");
    PT_CHECK_STR(run(&f, "select 7 // 2 as a"), "3\n");
    PT_CHECK_STR(run(&f, "selekt"), "! malformed statement: Parser Error: syntax error at or near \"selekt\"");
    PT_CHECK_STR(run(&f, " ;"), "! malformed statement: Parser Error: the text holds no statement");
    PT_CHECK_STR(run(&f, "drop table t"), "! not found: Catalog Error: Table with name t does not exist!");
    PT_CHECK_STR(run(&f, "select error('no')"), "! invalid argument: Invalid Input Error: no");
    end(&f);
}

PT_TEST(native_state_of_a_session_stays_its_own)
{
    fixture f;
    void *other;
    void *mine;
    pt_session_request request = {.size_bytes = sizeof(request), .user = ""};
    PT_REQUIRE(begin(&f));
    mine = f.session;
    PT_REQUIRE(pt_backend_duckdb.open_session(f.backend, &request, &other, NULL) == PT_OK);
    run(&f, "create temp table mine as select 1 as a; insert into mine values (2)");
    PT_CHECK_STR(run(&f, "select a from mine"), "1\n2\n");
    run(&f, "set variable v = 5");
    PT_CHECK_STR(run(&f, "select getvariable('v')"), "5\n");
    f.session = other;
    PT_CHECK_STR(run(&f, "select a from mine"), "! not found: Catalog Error: Table with name mine does not exist!");
    PT_CHECK_STR(run(&f, "select getvariable('v')"), "null\n");
    pt_backend_duckdb.close_session(other);
    f.session = mine;
    end(&f);
}

PT_TEST(native_enumerations_become_text)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    run(&f, "create type mood as enum ('sad', 'ok')");
    PT_CHECK_STR(run(&f, "select m::mood from (values ('ok'), (null), ('sad')) t(m)"), "ok\nnull\nsad\n");
    end(&f);
}

PT_TEST(native_transactions_commit_and_roll_back)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    run(&f, "create table t (a int)");
    PT_CHECK_EQ(pt_backend_duckdb.begin(f.session, &f.transaction, NULL), PT_OK);
    PT_CHECK_STR(run(&f, "insert into t values (1), (2)"), "2\n");
    PT_CHECK_STR(run(&f, "select count(*) from t"), "2\n");
    void *first = f.transaction;
    PT_CHECK_EQ(pt_backend_duckdb.begin(f.session, &f.transaction, NULL), PT_OK); /* beside the first */
    PT_CHECK_STR(run(&f, "select count(*) from t"), "0\n");
    PT_CHECK_EQ(pt_backend_duckdb.end(f.session, f.transaction, true, NULL), PT_OK);
    PT_CHECK_EQ(pt_backend_duckdb.end(f.session, first, false, NULL), PT_OK);
    f.transaction = NULL;
    PT_CHECK_STR(run(&f, "select count(*) from t"), "0\n");
    PT_CHECK_EQ(pt_backend_duckdb.begin(f.session, &f.transaction, NULL), PT_OK);
    run(&f, "insert into t values (3)");
    PT_CHECK_EQ(pt_backend_duckdb.end(f.session, f.transaction, true, NULL), PT_OK);
    f.transaction = NULL;
    PT_CHECK_STR(run(&f, "select a from t"), "3\n");
    end(&f);
}

/* ---- parameters ---- */

static void make_parameters(struct ArrowArrayStream *out, const int64_t *numbers, const char *const *texts,
                            int64_t rows)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    ArrowSchemaInit(&schema);
    ArrowSchemaSetTypeStruct(&schema, 2);
    ArrowSchemaSetType(schema.children[0], NANOARROW_TYPE_INT64);
    ArrowSchemaSetType(schema.children[1], NANOARROW_TYPE_STRING);
    PT_CHECK_EQ(ArrowArrayInitFromSchema(&array, &schema, NULL), NANOARROW_OK);
    ArrowArrayStartAppending(&array);
    for (int64_t i = 0; i < rows; i++) {
        ArrowArrayAppendInt(array.children[0], numbers[i]);
        if (texts[i] == NULL)
            ArrowArrayAppendNull(array.children[1], 1);
        else
            ArrowArrayAppendString(array.children[1], ArrowCharView(texts[i]));
        ArrowArrayFinishElement(&array);
    }
    ArrowArrayFinishBuildingDefault(&array, NULL);
    ArrowBasicArrayStreamInit(out, &schema, 1);
    ArrowBasicArrayStreamSetArray(out, 0, &array);
}

PT_TEST(native_statements_run_once_for_each_row_of_parameters)
{
    fixture f;
    struct ArrowArrayStream parameters;
    static const int64_t numbers[] = {1, 2, 3};
    static const char *const texts[] = {"a", NULL, "c"};
    PT_REQUIRE(begin(&f));
    make_parameters(&parameters, numbers, texts, 3);
    PT_CHECK_STR(run_with(&f, "select $1 + 1, $2", &parameters), "2|a\n3|null\n4|c\n");
    run(&f, "create table t (a int, b varchar)");
    make_parameters(&parameters, numbers, texts, 3);
    PT_CHECK_STR(run_with(&f, "insert into t values (?, ?)", &parameters), "1\n1\n1\n");
    PT_CHECK_STR(run(&f, "select a, b from t order by a"), "1|a\n2|null\n3|c\n");
    make_parameters(&parameters, numbers, texts, 0);
    PT_CHECK_STR(run_with(&f, "select $1 + 1, $2", &parameters), "");
    make_parameters(&parameters, numbers, texts, 1);
    PT_CHECK_STR(run_with(&f, "select ?", &parameters),
                 "! invalid argument: the statement has 1 parameters, and 2 values came");
    PT_CHECK_STR(run(&f, "select ?"), "! invalid argument: the statement has 1 parameters, and no values came");
    end(&f);
}

PT_TEST(native_statements_are_described_without_running)
{
    fixture f;
    pt_statement_info info;
    PT_REQUIRE(begin(&f));
    run(&f, "create table t (a int, b varchar)");
    pt_query query = query_of(&f, "select a, b as c from t where a > ? and b = ?");
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f.session, &query, &info, NULL), PT_OK);
    PT_CHECK_EQ(info.is_update, false);
    PT_CHECK_EQ(info.result.n_children, 2);
    PT_CHECK_STR(info.result.children[1]->name, "c");
    PT_CHECK_EQ(info.parameters.n_children, 2);
    PT_CHECK_STR(info.parameters.children[0]->name, "1");
    PT_CHECK_STR(info.parameters.children[0]->format, "i");
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
    static const char *const updates[] = {"insert into t values (1, 'x')", "delete from t", "create table u (a int)",
                                          "drop table t"};
    for (size_t i = 0; i < 4; i++) {
        query = query_of(&f, updates[i]);
        PT_CHECK_EQ(pt_backend_duckdb.prepare(f.session, &query, &info, NULL), PT_OK);
        PT_CHECK_EQ(info.is_update, true);
        info.result.release(&info.result);
        info.parameters.release(&info.parameters);
    }
    query = query_of(&f, "insert into t values (1, 'x') returning a");
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f.session, &query, &info, NULL), PT_OK);
    PT_CHECK_EQ(info.is_update, false);
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
    PT_CHECK_STR(run(&f, "select count(*) from t"), "0\n");
    end(&f);
}

/* ---- statements that are kept ---- */

static bool is_kept(const fixture *f, const char *sql)
{
    pt__native_link *link;
    pt__native_statement statement;
    if (!pt__native_unshelve(f->backend, PT_SHELF_TEXTS, sql, &link, &statement))
        return false;
    pt__native_shelve(f->backend, PT_SHELF_TEXTS, sql, link, &statement);
    return true;
}

PT_TEST(native_rows_of_literals_are_kept_by_their_text)
{
    fixture f;
    pt_statement_info info;
    char sql[32];
    PT_REQUIRE(begin(&f));
    for (int i = 0; i < 3; i++) {
        PT_CHECK_STR(run(&f, "select 1, 2"), "1|2\n");
        PT_CHECK(is_kept(&f, "select 1, 2"));
    }
    pt_query query = query_of(&f, "select 1, 2");
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f.session, &query, &info, NULL), PT_OK);
    PT_CHECK(info.is_constant);
    PT_CHECK_EQ(info.result.n_children, 2);
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
    for (int i = 0; i < 17; i++) {
        snprintf(sql, sizeof(sql), "select %d", i);
        run(&f, sql);
    }
    PT_CHECK(!is_kept(&f, "select 0"));
    PT_CHECK(is_kept(&f, "select 1"));
    PT_CHECK(is_kept(&f, sql));
    end(&f);
}

PT_TEST(native_statements_that_may_change_are_not_kept)
{
    static const char *const sql[] = {"select 'a'", "select current_timestamp", "select 1 / 2", "select 1 as a",
                                      "select * from range(1)"};
    fixture f;
    PT_REQUIRE(begin(&f));
    for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]); i++) {
        run(&f, sql[i]);
        PT_CHECK(!is_kept(&f, sql[i]));
    }
    run(&f, "select 1");
    run(&f, "set variable v = 1"); /* from here on the session's own connection */
    PT_CHECK_STR(run(&f, "select 1"), "1\n");
    PT_CHECK(is_kept(&f, "select 1"));
    end(&f);
}

/* ---- interrupts ---- */

typedef struct late_cancel {
    pt_operation *operation;
    long after_us;
} late_cancel;

PT_TEST(native_statement_that_only_reads_is_known)
{
    static const char *const writes[] = {"insert into t select 1",
                                         "select 1; select 2",
                                         "create table u(i int)",
                                         "explain analyze insert into t select 1",
                                         "copy t to '/dev/null'",
                                         "call pragma_version()",
                                         "nonsense",
                                         "set variable v = 1"};
    fixture f;
    PT_REQUIRE(begin(&f));
    run(&f, "create table t(i int)");
    pt_query query = query_of(&f, "with a as (select * from t) select count(*) from a");
    PT_CHECK(pt_backend_duckdb.reads_only(f.session, &query));
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        query = query_of(&f, writes[i]);
        PT_CHECK(!pt_backend_duckdb.reads_only(f.session, &query));
    }
    run(&f, "set variable v = 1");
    query = query_of(&f, "select getvariable('v')");
    PT_CHECK(!pt_backend_duckdb.reads_only(f.session, &query));
    end(&f);
}

static void *cancel_later(void *closure)
{
    const late_cancel *late = closure;
    nanosleep(&(struct timespec){.tv_nsec = late->after_us * 1000}, NULL);
    late->operation->vtable->cancel(late->operation, NULL);
    return NULL;
}

static void check_cancelled(fixture *f, long after_us)
{
    static const char hours[] = "select sum(a.i % 7 + b.i) from range(10000000) a(i), range(10000000) b(i)";
    pt_query query = query_of(f, hours);
    pt_operation *operation = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    pthread_t thread;
    PT_CHECK_EQ(pt_backend_duckdb.execute(f->session, &query, &operation, NULL), PT_OK);
    pthread_create(&thread, NULL, cancel_later, &(late_cancel){operation, after_us});
    operation->vtable->result(operation, &stream, NULL);
    PT_CHECK(stream.get_next(&stream, &batch) != 0);
    PT_CHECK_EQ(operation->vtable->failure(operation, NULL), PT_CANCELLED);
    pthread_join(thread, NULL);
    stream.release(&stream);
    operation->vtable->free(operation);
    PT_CHECK_STR(run(f, "select 1"), "1\n");
}

PT_TEST(native_statements_are_cancelled_at_any_moment)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    for (long after_us = 0; after_us < 3000; after_us += 50)
        check_cancelled(&f, after_us);
    run(&f, "set variable v = 1"); /* from here on the session's own connection */
    for (long after_us = 0; after_us < 3000; after_us += 50)
        check_cancelled(&f, after_us);
    end(&f);
}

/* Our functions of DuckDB are not for users: a packed value may be an address of the server's memory. */
#include "backend/duckdb/harvest.h"
#include "backend/duckdb/native/native.h"

#include "backend/duckdb/native/test_rows.h"
#include "base/test.h"

#include <stdio.h>
#include <string.h>

PT_TEST(packed_values_are_not_for_users)
{
    static const char *const TEXTS[] = {
        "select portico_pack(0::usmallint, 'x' || i) as s from range(3) r(i)",
        "select portico_pack(0::usmallint, 'x' || i) as a, 'y' || i as s from range(3) r(i)",
        "select portico_harvest(1::ubigint, {'a': 1::ubigint}) as a, 'y' || i as s from range(3) r(i)",
    };
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        pt_error err = PT_ERROR_INIT;
        pt_query query = pt__test_query(TEXTS[i]);
        pt__test_rows_mark_large(&f, TEXTS[i]);
        PT_CHECK(!pt__test_start(f.session, &query, &f.result));
        f.result.operation->vtable->failure(f.result.operation, &err);
        PT_CHECK(strstr(err.message, "is not for users") != NULL);
        pt__test_stop(&f.result);
        pt_error_clear(&err);
    }
    pt__test_rows_close(&f);
}

/* DuckDB makes a struct of rows by the name struct_pack, whoever has a macro of it. */
PT_TEST(macros_do_not_come_between_rows_and_packed_values)
{
    static const char SQL[] = "select a from t";
    static const char *const MACROS[] = {
        "create or replace macro struct_pack(a) as system.main.struct_pack(a := if(random() >= 0, '1234567', a))",
        "create or replace macro struct_pack(a varchar) as system.main.struct_pack(a := a), "
        "(a ubigint) as system.main.struct_pack(a := a + 160::ubigint)",
    };
    pt__test_rows f;
    pt__test_digest plain;
    pt__test_digest packed;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make(&f, "create table t as select 'a text of the number ' || i as a from range(3000) r(i)");
    PT_CHECK(pt__test_rows_run(&f, SQL, &plain));
    pt__test_rows_mark_large(&f, SQL);
    for (size_t i = 0; i < sizeof(MACROS) / sizeof(MACROS[0]); i++) {
        pt__test_rows_make(&f, MACROS[i]);
        PT_CHECK(pt__test_rows_run(&f, SQL, &packed));
        PT_CHECK(packed.sum == plain.sum);
    }
    pt__test_rows_close(&f);
}

/* As a literal of SQL. */
static void quote(char *out, size_t size, const char *text)
{
    size_t used = 0;
    PT_CHECK(strlen(text) * 2 + 3 < size);
    out[used++] = '\'';
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            out[used++] = '\'';
        out[used++] = *text;
    }
    memcpy(out + used, "'", 2);
}

/* Executes, in vain, what was prepared with packed columns, after the macro that its text comes from gives another. */
static void check_refused(pt__test_rows *f, const char *text, const char *reason)
{
    char literal[2048];
    char change[2200];
    pt_query query;
    pt_error err = PT_ERROR_INIT;
    pt__test_rows_make(f, "create or replace macro source() as 'select a from t'");
    pt__test_rows_mark_large(f, "select a from query(source())");
    pt__test_rows_prepare(f, &query, "select a from query(source())");
    quote(literal, sizeof(literal), text);
    snprintf(change, sizeof(change), "create or replace macro source() as %s", literal);
    pt_query changed = pt__test_query(change);
    PT_CHECK(pt__test_start(f->session, &changed, &f->result));
    pt__test_stop(&f->result);
    PT_CHECK(!pt__test_start(f->session, &query, &f->result));
    f->result.operation->vtable->failure(f->result.operation, &err);
    if (strstr(err.message, reason) == NULL)
        pt__test_fail(__FILE__, __LINE__, pt_error_full_message(&err));
    pt__test_stop(&f->result);
    pt_error_clear(&err);
}

PT_TEST(packed_values_are_not_for_texts_that_change)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make(&f, "create table t as select 'a text of the number ' || i as a from range(3000) r(i)");
    check_refused(&f, "select system.main.portico_pack(0::usmallint, a)::varchar as a from t",
                  "portico_pack is not for users");
    check_refused(&f, "select (system.main.portico_pack(0::usmallint, a) + 8)::varchar as a from t",
                  "portico_pack is not for users");
    pt__test_rows_close(&f);
}

/* DuckDB evaluates arguments of query() while it binds; a query in there sees the key of the rows. */
static void check_not_evaluated(pt__test_rows *f, const char *text)
{
    char literal[1024];
    char outer[1400];
    quote(literal, sizeof(literal), text);
    snprintf(outer, sizeof(outer),
             "select a from query(replace(%s, 'KEY', regexp_extract(current_query(), 'portico_harvest.([0-9]+)', 1)))",
             literal);
    check_refused(f, outer, "Error"); /* of DuckDB, where current_query() has no query */
}

PT_TEST(packed_values_are_not_for_what_is_evaluated_while_binding)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make(&f, "create table t as select 'a text of the number ' || i as a from range(3000) r(i)");
    check_not_evaluated(&f,
                        "select a from query('select a from t' || substr(system.main.portico_harvest(KEY::ubigint, "
                        "system.main.struct_pack(a := 4096::ubigint + case when random() < 0 then "
                        "system.main.portico_pack(0::usmallint, 'x'::varchar) else 0::ubigint end))::varchar, 1, 0))");
    check_not_evaluated(
        &f, "select a from query('select a from t' || substr((coalesce(system.main.portico_harvest(KEY::ubigint, "
            "system.main.struct_pack(a := 0::ubigint)), 0) + system.main.portico_pack(0::usmallint, "
            "'x'::varchar || random()::varchar))::varchar, 1, 0))");
    pt__test_rows_close(&f);
}

/* DuckDB evaluates what is constant while it binds and plans: memory of that time is gone when rows are read. */
PT_TEST(constants_are_not_packed_while_they_are_bound)
{
    static const char TEXT[] = "select 'x' || i as s from range(3000) r(i)";
    pt__test_rows f;
    duckdb_connection connection;
    duckdb_result result;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_mark_large(&f, TEXT);
    pt_query query = pt__test_query(TEXT);
    PT_REQUIRE(pt__test_start(f.session, &query, &f.result));
    pt__test_digest rows = {0};
    PT_CHECK(pt__test_rows_read(&f, &rows));
    PT_REQUIRE(duckdb_connect(pt__test_rows_database(&f)->database, &connection) == DuckDBSuccess);
    pt__harvest_begin_binding(pt__test_rows_database(&f)->harvests);
    PT_REQUIRE(duckdb_query(connection,
                            "from query('select ' || portico_pack(0::usmallint, 'a constant of some length')::varchar)",
                            &result) != DuckDBSuccess);
    pt__harvest_end_binding(pt__test_rows_database(&f)->harvests);
    PT_CHECK(strstr(duckdb_result_error(&result), "portico_pack is not for users") != NULL);
    duckdb_destroy_result(&result);
    duckdb_disconnect(&connection);
    pt__test_stop(&f.result);
    pt__test_rows_close(&f);
}

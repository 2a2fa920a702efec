/* Which queries are wrapped for many rows, and what is learned of them. */
#include "backend/duckdb/harvest_inside.h"
#include "backend/duckdb/native/native.h"

#include "backend/duckdb/native/test_rows.h"
#include "base/map.h"
#include "base/test.h"

#include <stdio.h>
#include <string.h>

/* Twice: the second time all columns are tried. */
static void make_learned(pt__test_rows *f, const char *sql)
{
    pt__test_digest rows;
    pt__test_rows_run(f, sql, &rows);
    pt__test_rows_run(f, sql, &rows);
}

PT_TEST(what_turns_out_to_be_no_dictionary_is_not_packed)
{
    char sql[256];
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make_file(&f);
    snprintf(sql, sizeof(sql), "select few, own, i::int as i, three from '%s/rows.parquet'", f.folder);
    make_learned(&f, sql);
    pt_query query = pt__test_query(sql);
    PT_CHECK(pt__test_start(f.session, &query, &f.result));
    const pt__harvest *harvest = pt__test_rows_database(&f)->harvests;
    PT_REQUIRE(pt__test_rows_is_for_many_rows(&f));
    PT_CHECK(pt__harvest_is_packed(harvest, 0));
    PT_CHECK(!pt__harvest_is_packed(harvest, 1));
    PT_CHECK(!pt__harvest_is_packed(harvest, 2));
    PT_CHECK(pt__harvest_is_packed(harvest, 3));
    pt__test_stop(&f.result);
    pt__test_rows_close(&f);
}

PT_TEST(rows_that_nothing_is_gained_for_stay_plain)
{
    static const char SQL[] = "select i::int as i, 'its own ' || i as s from range(150000) r(i)";
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    make_learned(&f, SQL);
    pt_query query = pt__test_query(SQL);
    PT_CHECK(pt__test_start(f.session, &query, &f.result));
    PT_CHECK(pt__test_rows_database(&f)->harvests != NULL);
    PT_CHECK(!pt__test_rows_is_for_many_rows(&f));
    pt__test_stop(&f.result);
    pt__test_rows_close(&f);
}

static bool is_serial(pt__test_rows *f, const char *sql)
{
    pt_query query = pt__test_query(sql);
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    bool is = pt__test_rows_database(f)->harvests != NULL && pt__test_rows_database(f)->harvests->is_serial;
    pt__test_stop(&f->result);
    return is;
}

PT_TEST(one_pipeline_is_for_two_threads_and_for_rows_that_come_fast)
{
    static const char SQL[] = "select i as i, 'its own ' || i as s from range(3000) r(i)";
    pt__column_set all = pt__column_set_of_all();
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open_with(&f, 2));
    PT_CHECK(!is_serial(&f, SQL));
    pt__test_rows_mark_large(&f, SQL);
    PT_CHECK(is_serial(&f, SQL));
    pt__large_texts_learn(&pt__test_rows_database(&f)->large_texts, pt__hash_bytes(SQL, strlen(SQL)), &all, true);
    PT_CHECK(!is_serial(&f, SQL));
    pt__test_rows_close(&f);
    PT_REQUIRE(pt__test_rows_open_with(&f, 3));
    pt__test_rows_mark_large(&f, SQL);
    PT_CHECK(!is_serial(&f, SQL));
    pt__test_rows_close(&f);
}

static void check_learned(pt__test_rows *f, const char *sql, const pt__test_digest *plain)
{
    pt__test_digest rows = {0};
    pt_query query = pt__test_query(sql);
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    PT_CHECK(pt__test_rows_is_for_many_rows(f));
    PT_CHECK(pt__test_rows_read(f, &rows));
    pt__test_stop(&f->result);
    PT_CHECK_EQ(rows.rows, plain->rows);
    PT_CHECK(rows.sum == plain->sum);
}

PT_TEST(rows_of_learned_columns_are_the_same)
{
    char sql[256];
    pt__test_digest plain;
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make_file(&f);
    snprintf(sql, sizeof(sql), "select * from '%s/rows.parquet'", f.folder);
    PT_CHECK(pt__test_rows_run(&f, sql, &plain));
    make_learned(&f, sql);
    check_learned(&f, sql, &plain);
    check_learned(&f, sql, &plain);
    pt__test_rows_close(&f);
}

/* The last of them come in a batch that is given when there are no more. */
PT_TEST(the_fewest_rows_that_are_many_are_learned_from)
{
    static const char SQL[] = "select i::int as i from range(100000) r(i)";
    pt__large_text text;
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    make_learned(&f, SQL);
    PT_CHECK(pt__large_texts_find(&pt__test_rows_database(&f)->large_texts, pt__hash_bytes(SQL, strlen(SQL)), &text));
    PT_CHECK(!pt__column_set_has(&text.packed, 0));
    PT_CHECK(pt__column_set_has(&text.packed, 1));
    pt__test_rows_close(&f);
}

/* Also to a name that differs in its case alone, which is the same to DuckDB. */
PT_TEST(a_table_may_change_when_its_columns_are_learned)
{
    static const char SQL[] = "select * from t";
    static const char *const CHANGES[] = {"alter table t rename column a to b", "alter table t rename column b to B_",
                                          "alter table t rename column B_ to B",
                                          "alter table t add column c int default 7",
                                          "alter table t alter column B type int using length(B)"};
    static const char *const COLUMNS[] = {"i:l|b:u", "i:l|B_:u", "i:l|B:u", "i:l|B:u|c:i", "i:l|B:i|c:i"};
    char text[128];
    pt__test_digest rows;
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open_with(&f, 2));
    pt__test_rows_make(&f, "create table t as select i, 'kind ' || i %% 7 as a from range(150000) r(i)");
    for (size_t i = 0; i < sizeof(CHANGES) / sizeof(CHANGES[0]); i++) {
        make_learned(&f, SQL);
        pt__test_rows_make(&f, CHANGES[i]);
        pt_query query = pt__test_query(SQL);
        PT_CHECK(pt__test_start(f.session, &query, &f.result));
        PT_CHECK(pt__test_rows_is_for_many_rows(&f));
        pt__test_rows_put_columns(&f, text, sizeof(text));
        PT_CHECK_STR(text, COLUMNS[i]);
        rows = (pt__test_digest){0};
        PT_CHECK(pt__test_rows_read(&f, &rows));
        PT_CHECK_EQ(rows.rows, 150000);
        pt__test_stop(&f.result);
    }
    pt__test_rows_close(&f);
}

/* DuckDB would have to bind such a statement again for each row of values. */
PT_TEST(statements_with_parameters_stay_plain)
{
    static const char SQL[] = "select 'text ' || i as a from range(3000) r(i) where i >= ?";
    pt_statement_info info;
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_mark_large(&f, SQL);
    pt_query query = pt__test_query(SQL);
    query.statement_id = "statement";
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f.session, &query, &info, NULL), PT_OK);
    PT_CHECK(pt__test_rows_database(&f)->harvests != NULL);
    PT_CHECK(!pt__test_rows_is_for_many_rows(&f));
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
    pt__test_rows_close(&f);
}

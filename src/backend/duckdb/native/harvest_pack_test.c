/* What a query gives must not depend on whether its results have been large before. */
#include "backend/duckdb/harvest.h"
#include "backend/duckdb/native/native.h"

#include "backend/duckdb/native/test_rows.h"
#include "base/test.h"

#include <stdio.h>
#include <string.h>

/* Runs the query as one that is new, and as one whose results were large. */
static void check(pt__test_rows *f, const char *sql, bool is_ordered)
{
    pt__test_digest plain;
    pt__test_digest packed = {0};
    char text[1024];
    snprintf(text, sizeof(text), sql, f->folder);
    pt_query query = pt__test_query(text);
    PT_REQUIRE(pt__test_rows_run(f, text, &plain));
    pt__test_rows_mark_large(f, text);
    PT_REQUIRE(pt__test_start(f->session, &query, &f->result));
    if (!pt__test_rows_is_for_many_rows(f))
        pt__test_fail(__FILE__, __LINE__, text);
    PT_CHECK(pt__test_rows_read(f, &packed));
    pt__test_stop(&f->result);
    PT_CHECK(plain.rows > 0);
    PT_CHECK_EQ(packed.rows, plain.rows);
    if (packed.sum != plain.sum || (is_ordered && packed.in_order != plain.in_order))
        pt__test_fail(__FILE__, __LINE__, text);
}

static void check_same(pt__test_rows *f, const char *sql)
{
    check(f, sql, false);
}

static void check_in_order(pt__test_rows *f, const char *sql)
{
    check(f, sql, true);
}

/* ---- where dictionaries come from ---- */

static void check_dictionaries_of_a_file(uint32_t threads)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open_with(&f, threads));
    pt__test_rows_make_file(&f);
    check_in_order(&f, "select * from '%s/rows.parquet'");
    check_same(&f, "select few, few as again, upper(few), few || many, i from '%s/rows.parquet'");
    check_in_order(&f, "select * from '%s/rows.parquet' where i %% 3 = 1");
    check_same(&f, "select * from '%s/rows.parquet' where few = 'a text of the kind 3' and own like '%%1'");
    check_same(&f, "select few, many, bytes from '%s/rows.parquet' where hash(i) %% 1000 = 1");
    check_same(&f, "select * from '%s/rows.parquet' limit 5000");
    check_in_order(&f, "select * from '%s/rows.parquet' order by own desc limit 3000");
    check_same(&f, "select few, count(*) as n from '%s/rows.parquet' group by few");
    check_same(&f, "select distinct many from '%s/rows.parquet'");
    check_same(&f, "select few, lag(many) over (order by i) as l from '%s/rows.parquet'");
    check_in_order(&f, "from '%1$s/rows.parquet' union all from '%1$s/rows.parquet'");
    pt__test_rows_close(&f);
}

PT_TEST(dictionaries_of_a_file_are_packed)
{
    check_dictionaries_of_a_file(4);
}

PT_TEST(dictionaries_of_a_file_are_packed_in_one_pipeline)
{
    check_dictionaries_of_a_file(2);
}

/* Of each type those that are the least and the greatest, NULL, and few others. */
static void check_numbers(uint32_t threads)
{
    static const char *const TYPES[] = {"tinyint", "utinyint", "smallint", "usmallint", "integer", "uinteger"};
    static const char *const LIMITS[][2] = {
        {"-128", "127"},    {"0", "255"}, {"-32768", "32767"}, {"0", "65535"}, {"-2147483648", "2147483647"},
        {"0", "4294967295"}};
    char text[1024];
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open_with(&f, threads));
    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        snprintf(
            text, sizeof(text),
            "copy (select case i %%%% 7 when 0 then %s when 1 then %s when 2 then null else i %%%% 100 end::%s as a "
            "from range(9000) r(i)) to '%%s/rows.parquet'",
            LIMITS[i][0], LIMITS[i][1], TYPES[i]);
        pt__test_rows_make(&f, text);
        check_same(&f, "select a, a as b from '%s/rows.parquet'");
    }
    pt__test_rows_make(
        &f, "copy (select date '1960-01-01' + (i %% 50000)::int as d, ((i %% 40) / 7)::float as f, "
            "case when i %% 9 <> 0 then (i %% 200 - 100)::decimal(4, 1) end as d4, "
            "case i %% 4 when 0 then 9999999.99 when 1 then -9999999.99 when 2 then null else 1.25 end::decimal(9, 2) "
            "as d9, "
            "case i %% 4 when 0 then 999999999999999.999 when 1 then -999999999999999.999 when 2 then null else 0 "
            "end::decimal(18, 3) as d18, (i %% 3)::decimal(38, 2) as d38, i %% 5 as l, (i %% 5)::double as dd, i %% 2 "
            "= 0 as b "
            "from range(150000) r(i)) to '%s/rows.parquet' (row_group_size 20000)");
    check_same(&f, "select * from '%s/rows.parquet'");
    check_same(&f, "select d, d9 * 2 as d9, d18, d4 from '%s/rows.parquet' where f > 1 or f is null");
    pt__test_rows_close(&f);
}

PT_TEST(dictionaries_of_numbers_are_packed)
{
    check_numbers(4);
    check_numbers(2);
}

/* Up to the length that is packed itself, and the one whose place is. */
PT_TEST(texts_of_any_length_are_packed)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make(
        &f,
        "copy (select repeat(chr((65 + i %% 26)::int), (i %% 80)::int) as t, repeat('\u00e4', (i %% 40)::int) as u, "
        "repeat('z', (32760 + i %% 15)::int) as large from range(300) r(i)) to '%s/rows.parquet'");
    check_same(&f, "select t, u from '%s/rows.parquet'");
    check_same(&f, "select * from '%s/rows.parquet'");
    check_same(&f, "select t || i as own, large from '%s/rows.parquet', range(2) r(i)");
    pt__test_rows_close(&f);
}

PT_TEST(dictionaries_of_a_table_are_packed)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make_file(&f);
    pt__test_rows_make(&f, "attach '%s/kept.db' as kept");
    pt__test_rows_make(&f, "create table kept.t as from '%s/rows.parquet'");
    pt__test_rows_make(&f, "checkpoint kept");
    check_in_order(&f, "select * from kept.t");
    check_same(&f, "select few, many, more from kept.t where i %% 7 <> 3");
    pt__test_rows_make(&f, "create table held as from '%s/rows.parquet'");
    check_in_order(&f, "select * from held");
    pt__test_rows_make(&f, "detach kept");
    pt__test_rows_close(&f);
}

PT_TEST(dictionaries_of_a_join_are_packed)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make_file(&f);
    pt__test_rows_make(
        &f, "create table names as select k, case when k %% 11 <> 4 then 'the name of number ' || k end as name from "
            "range(5000) r(k)");
    check_same(&f, "select i, few, name from '%s/rows.parquet' join names on i %% 5000 = k");
    check_same(&f, "select i, name, many from '%s/rows.parquet' left join names on i = k");
    check_same(&f, "select n.name, m.name as other from names n join names m on n.k + 1 = m.k");
    check_same(&f, "select few, (select max(name) from names where k = i %% 10) as best from '%s/rows.parquet'");
    pt__test_rows_close(&f);
}

/* ---- texts that are not of rows ---- */

PT_TEST(constant_texts_are_packed)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    pt__test_rows_make_file(&f);
    check_same(&f, "select 'a constant longer than twelve bytes' as c, i from range(5000) r(i)");
    check_same(&f, "select c from (select 'a constant longer than twelve bytes' as c from range(3000))");
    check_same(&f, "select 'short' as s, null::varchar as n, ''::blob as b from range(3000)");
    check_same(&f, "select few from '%s/rows.parquet' where few = 'a text of the kind 3'");
    check_same(&f, "select * from (values ('one of the values of a list'), (null), ('')) t(v)");
    check_same(&f, "with c as (select 'a constant longer than twelve bytes' as c) from c");
    check_same(&f, "select max(own) as m from '%s/rows.parquet'");
    check_same(&f, "select unnest(['some elements of a list', null, 'and others']) as u from range(10000)");
    check_same(&f,
               "select s.a as a, s as whole, [s.a] as l from (select {'a': few, 'b': i} as s from '%s/rows.parquet')");
    pt__test_rows_close(&f);
}

PT_TEST(columns_of_any_name_are_packed)
{
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    check_same(&f, "select 'x' || i as \"a \"\"quoted\"\" name\", 'y' || i as \"select\", 'z' || i as \"\u00e4 * .\", "
                   "'u' || i as unnamed_subquery, 'A' || i as \"A\" from range(3000) r(i)");
    check_same(&f, "select 'x' || i, i::varchar from range(3000) r(i)");
    check_same(&f, "select '{\"a\": ' || i || '}' as j, ('{\"a\": ' || i || '}')::json as k from range(3000) r(i)");
    pt__test_rows_close(&f);
}

/* ---- what has changed ---- */

/* Those of the query after the table has been changed. */
static const char *columns_after(pt__test_rows *f, const char *change, char *out, size_t size)
{
    static const char SQL[] = "select * from t";
    pt_query query;
    pt__test_digest rows = {0};
    pt__test_rows_make(
        f, "create or replace table t as select i, 'a text of the number ' || i as a from range(3000) r(i)");
    pt__test_rows_mark_large(f, SQL);
    pt__test_rows_prepare(f, &query, SQL);
    pt__test_rows_make(f, change);
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    pt__test_rows_put_columns(f, out, size);
    PT_CHECK(pt__test_rows_read(f, &rows));
    PT_CHECK_EQ(rows.rows, 3000);
    pt__test_stop(&f->result);
    return out;
}

PT_TEST(a_table_may_change_before_its_texts_are_packed)
{
    char text[128];
    pt__test_rows f;
    PT_REQUIRE(pt__test_rows_open(&f));
    PT_CHECK_STR(columns_after(&f, "alter table t add column b varchar", text, sizeof(text)), "i:l|a:u|b:u");
    PT_CHECK_STR(columns_after(&f, "alter table t rename column a to b", text, sizeof(text)), "i:l|b:u");
    PT_CHECK_STR(columns_after(&f, "alter table t alter column a type blob using a::blob", text, sizeof(text)),
                 "i:l|a:z");
    PT_CHECK_STR(columns_after(&f, "alter table t alter column a type int using length(a)", text, sizeof(text)),
                 "i:l|a:i");
    PT_CHECK_STR(columns_after(&f, "alter table t drop column a", text, sizeof(text)), "i:l");
    PT_CHECK_STR(columns_after(&f, "alter table t alter column i type varchar", text, sizeof(text)), "i:u|a:u");
    pt__test_rows_close(&f);
}

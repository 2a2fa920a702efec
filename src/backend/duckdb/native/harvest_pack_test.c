/* What a query gives must not depend on whether its results have been large before. */
#include "backend/duckdb/harvest_inside.h"
#include "backend/duckdb/native/native.h"

#include "backend/duckdb/native/test_session.h"
#include "base/map.h"
#include "base/test.h"

#include <nanoarrow/nanoarrow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture {
    char folder[64];
    void *backend;
    void *session;
    pt__test_result result;
} fixture;

/* What rows are, in any order, and in theirs. */
typedef struct digest {
    int64_t rows;
    uint64_t sum;
    uint64_t in_order;
} digest;

static bool begin_with(fixture *f, uint32_t threads)
{
    *f = (fixture){.folder = "/tmp/portico_pack_XXXXXX"};
    return mkdtemp(f->folder) != NULL && pt__test_session_open(threads, &f->backend, &f->session);
}

static bool begin(fixture *f)
{
    return begin_with(f, 4);
}

static void end(fixture *f)
{
    static const char *const NAMES[] = {"rows.parquet", "kept.db", "kept.db.wal"};
    char path[128];
    pt__test_session_close(f->backend, f->session);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", f->folder, NAMES[i]);
        unlink(path);
    }
    PT_CHECK_EQ(rmdir(f->folder), 0);
}

static pt__duckdb *database_of(const fixture *f)
{
    return f->backend;
}

/* Of the query that has been started, which is the only one. */
static bool is_for_many_rows(const fixture *f)
{
    const pt__harvest *harvest = database_of(f)->harvests;
    return harvest != NULL && pt__harvest_is_for_many_rows(harvest);
}

static uint64_t hash_value(const struct ArrowArrayView *column, int64_t row)
{
    if (ArrowArrayViewIsNull(column, row))
        return 17;
    if (column->storage_type == NANOARROW_TYPE_STRING || column->storage_type == NANOARROW_TYPE_BINARY) {
        struct ArrowBufferView bytes = ArrowArrayViewGetBytesUnsafe(column, row);
        return pt__hash_bytes(bytes.data.data, (size_t)bytes.size_bytes);
    }
    if (column->n_children > 0)
        return 3;
    if (column->storage_type == NANOARROW_TYPE_BOOL)
        return (uint64_t)ArrowArrayViewGetIntUnsafe(column, row);
    size_t width = (size_t)column->layout.element_size_bits[1] / 8;
    return pt__hash_bytes(column->buffer_views[1].data.as_uint8 + (size_t)(column->offset + row) * width, width);
}

static void add_rows(digest *out, const struct ArrowArrayView *view, int64_t count)
{
    for (int64_t row = 0; row < count; row++) {
        uint64_t hash = 1;
        for (int64_t i = 0; i < view->n_children; i++)
            hash = hash * UINT64_C(0x9E3779B97F4A7C15) + hash_value(view->children[i], row);
        out->sum += hash;
        out->in_order = (out->in_order ^ hash) * UINT64_C(0x9E3779B97F4A7C15);
    }
    out->rows += count;
}

static bool read_all(fixture *f, digest *out)
{
    struct ArrowArrayView view;
    struct ArrowArray batch;
    if (ArrowArrayViewInitFromSchema(&view, &f->result.schema, NULL) != NANOARROW_OK)
        return false;
    int error;
    while ((error = f->result.stream.get_next(&f->result.stream, &batch)) == 0 && batch.release != NULL) {
        PT_CHECK_EQ(ArrowArrayViewSetArray(&view, &batch, NULL), NANOARROW_OK);
        PT_CHECK_EQ(ArrowArrayViewValidate(&view, NANOARROW_VALIDATION_LEVEL_FULL, NULL), NANOARROW_OK);
        add_rows(out, &view, batch.length);
        batch.release(&batch);
    }
    ArrowArrayViewReset(&view);
    return error == 0 && f->result.operation->vtable->failure(f->result.operation, NULL) == PT_OK;
}

static bool run(fixture *f, const char *sql, digest *out)
{
    pt_query query = pt__test_query(sql);
    *out = (digest){0};
    bool ran = pt__test_start(f->session, &query, &f->result) && read_all(f, out);
    if (!ran) {
        pt_error err = PT_ERROR_INIT;
        f->result.operation->vtable->failure(f->result.operation, &err);
        pt__test_fail(__FILE__, __LINE__, pt_error_full_message(&err));
        pt_error_clear(&err);
    }
    pt__test_stop(&f->result);
    return ran;
}

static void make(fixture *f, const char *sql)
{
    digest none;
    char text[1024];
    snprintf(text, sizeof(text), sql, f->folder);
    run(f, text, &none);
}

static void mark_large(const fixture *f, const char *sql)
{
    pt__large_texts_add(&database_of(f)->large_texts, pt__hash_bytes(sql, strlen(sql)));
}

/* Runs the query as one that is new, and as one whose results were large. */
static void check(fixture *f, const char *sql, bool is_ordered)
{
    digest plain;
    digest packed = {0};
    char text[1024];
    snprintf(text, sizeof(text), sql, f->folder);
    pt_query query = pt__test_query(text);
    PT_REQUIRE(run(f, text, &plain));
    mark_large(f, text);
    PT_REQUIRE(pt__test_start(f->session, &query, &f->result));
    if (!is_for_many_rows(f))
        pt__test_fail(__FILE__, __LINE__, text);
    PT_CHECK(read_all(f, &packed));
    pt__test_stop(&f->result);
    PT_CHECK(plain.rows > 0);
    PT_CHECK_EQ(packed.rows, plain.rows);
    if (packed.sum != plain.sum || (is_ordered && packed.in_order != plain.in_order))
        pt__test_fail(__FILE__, __LINE__, text);
}

static void check_same(fixture *f, const char *sql)
{
    check(f, sql, false);
}

static void check_in_order(fixture *f, const char *sql)
{
    check(f, sql, true);
}

/* ---- where dictionaries come from ---- */

/*
 * Columns of a few texts, of thousands, of so many that DuckDB does not call functions for dictionaries, of texts that are
 * all different, of NULLs, and of one text that is short and one that is long. A row group has dictionaries of its own.
 */
static void make_file(fixture *f)
{
    make(f, "copy (select i, case when i %% 5 <> 0 then 'a text of the kind ' || i %% 7 end as few, 'thousands ' || "
            "hash(i) %% 5000 as many, "
            "'more than that ' || hash(i) %% 30000 as more, 'each its own ' || i as own, null::varchar as nothing, "
            "case i %% 3 when 0 then 'short' when 1 then 'a longer text than twelve bytes' else '' end as three, "
            "('bytes ' || i %% 9)::blob as bytes from range(150000) r(i)) to '%s/rows.parquet' (row_group_size 20000)");
}

static void check_dictionaries_of_a_file(uint32_t threads)
{
    fixture f;
    PT_REQUIRE(begin_with(&f, threads));
    make_file(&f);
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
    end(&f);
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
    fixture f;
    PT_REQUIRE(begin_with(&f, threads));
    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        snprintf(
            text, sizeof(text),
            "copy (select case i %%%% 7 when 0 then %s when 1 then %s when 2 then null else i %%%% 100 end::%s as a "
            "from range(9000) r(i)) to '%%s/rows.parquet'",
            LIMITS[i][0], LIMITS[i][1], TYPES[i]);
        make(&f, text);
        check_same(&f, "select a, a as b from '%s/rows.parquet'");
    }
    make(&f, "copy (select date '1960-01-01' + (i %% 50000)::int as d, ((i %% 40) / 7)::float as f, "
             "case when i %% 9 <> 0 then (i %% 200 - 100)::decimal(4, 1) end as d4, "
             "case i %% 4 when 0 then 9999999.99 when 1 then -9999999.99 when 2 then null else 1.25 end::decimal(9, 2) "
             "as d9, "
             "case i %% 4 when 0 then 999999999999999.999 when 1 then -999999999999999.999 when 2 then null else 0 "
             "end::decimal(18, 3) as d18, (i %% 3)::decimal(38, 2) as d38, i %% 5 as l, (i %% 5)::double as dd, i %% 2 "
             "= 0 as b "
             "from range(150000) r(i)) to '%s/rows.parquet' (row_group_size 20000)");
    check_same(&f, "select * from '%s/rows.parquet'");
    check_same(&f, "select d, d9 * 2 as d9, d18, d4 from '%s/rows.parquet' where f > 1 or f is null");
    end(&f);
}

PT_TEST(dictionaries_of_numbers_are_packed)
{
    check_numbers(4);
    check_numbers(2);
}

/* Up to the length that is packed itself, and the one whose place is. */
PT_TEST(texts_of_any_length_are_packed)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    make(&f,
         "copy (select repeat(chr((65 + i %% 26)::int), (i %% 80)::int) as t, repeat('\u00e4', (i %% 40)::int) as u, "
         "repeat('z', (32760 + i %% 15)::int) as large from range(300) r(i)) to '%s/rows.parquet'");
    check_same(&f, "select t, u from '%s/rows.parquet'");
    check_same(&f, "select * from '%s/rows.parquet'");
    check_same(&f, "select t || i as own, large from '%s/rows.parquet', range(2) r(i)");
    end(&f);
}

PT_TEST(dictionaries_of_a_table_are_packed)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    make_file(&f);
    make(&f, "attach '%s/kept.db' as kept");
    make(&f, "create table kept.t as from '%s/rows.parquet'");
    make(&f, "checkpoint kept");
    check_in_order(&f, "select * from kept.t");
    check_same(&f, "select few, many, more from kept.t where i %% 7 <> 3");
    make(&f, "create table held as from '%s/rows.parquet'");
    check_in_order(&f, "select * from held");
    make(&f, "detach kept");
    end(&f);
}

PT_TEST(dictionaries_of_a_join_are_packed)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    make_file(&f);
    make(&f, "create table names as select k, case when k %% 11 <> 4 then 'the name of number ' || k end as name from "
             "range(5000) r(k)");
    check_same(&f, "select i, few, name from '%s/rows.parquet' join names on i %% 5000 = k");
    check_same(&f, "select i, name, many from '%s/rows.parquet' left join names on i = k");
    check_same(&f, "select n.name, m.name as other from names n join names m on n.k + 1 = m.k");
    check_same(&f, "select few, (select max(name) from names where k = i %% 10) as best from '%s/rows.parquet'");
    end(&f);
}

/* ---- texts that are not of rows ---- */

PT_TEST(constant_texts_are_packed)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    make_file(&f);
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
    end(&f);
}

PT_TEST(columns_of_any_name_are_packed)
{
    fixture f;
    PT_REQUIRE(begin(&f));
    check_same(&f, "select 'x' || i as \"a \"\"quoted\"\" name\", 'y' || i as \"select\", 'z' || i as \"\u00e4 * .\", "
                   "'u' || i as unnamed_subquery, 'A' || i as \"A\" from range(3000) r(i)");
    check_same(&f, "select 'x' || i, i::varchar from range(3000) r(i)");
    check_same(&f, "select '{\"a\": ' || i || '}' as j, ('{\"a\": ' || i || '}')::json as k from range(3000) r(i)");
    end(&f);
}

/* ---- what has changed ---- */

static void prepare(fixture *f, pt_query *query, const char *sql)
{
    pt_statement_info info;
    *query = pt__test_query(sql);
    query->statement_id = "statement";
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f->session, query, &info, NULL), PT_OK);
    PT_CHECK(is_for_many_rows(f));
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
}

/* The columns of the query that has been started, as NAME:FORMAT with bars between. */
static void put_columns(const fixture *f, char *out, size_t size)
{
    out[0] = '\0';
    for (int64_t i = 0; f->result.schema.release != NULL && i < f->result.schema.n_children; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s:%s", i == 0 ? "" : "|", f->result.schema.children[i]->name,
                 f->result.schema.children[i]->format);
    }
}

/* Those of the query after the table has been changed. */
static const char *columns_after(fixture *f, const char *change, char *out, size_t size)
{
    static const char SQL[] = "select * from t";
    pt_query query;
    digest rows = {0};
    make(f, "create or replace table t as select i, 'a text of the number ' || i as a from range(3000) r(i)");
    mark_large(f, SQL);
    prepare(f, &query, SQL);
    make(f, change);
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    put_columns(f, out, size);
    PT_CHECK(read_all(f, &rows));
    PT_CHECK_EQ(rows.rows, 3000);
    pt__test_stop(&f->result);
    return out;
}

PT_TEST(a_table_may_change_before_its_texts_are_packed)
{
    char text[128];
    fixture f;
    PT_REQUIRE(begin(&f));
    PT_CHECK_STR(columns_after(&f, "alter table t add column b varchar", text, sizeof(text)), "i:l|a:u|b:u");
    PT_CHECK_STR(columns_after(&f, "alter table t rename column a to b", text, sizeof(text)), "i:l|b:u");
    PT_CHECK_STR(columns_after(&f, "alter table t alter column a type blob using a::blob", text, sizeof(text)),
                 "i:l|a:z");
    PT_CHECK_STR(columns_after(&f, "alter table t alter column a type int using length(a)", text, sizeof(text)),
                 "i:l|a:i");
    PT_CHECK_STR(columns_after(&f, "alter table t drop column a", text, sizeof(text)), "i:l");
    PT_CHECK_STR(columns_after(&f, "alter table t alter column i type varchar", text, sizeof(text)), "i:u|a:u");
    end(&f);
}

/* ---- large, or not ---- */

/* Twice: the second time all columns are tried. */
static void make_learned(fixture *f, const char *sql)
{
    digest rows;
    run(f, sql, &rows);
    run(f, sql, &rows);
}

PT_TEST(what_turns_out_to_be_no_dictionary_is_not_packed)
{
    char sql[256];
    fixture f;
    PT_REQUIRE(begin(&f));
    make_file(&f);
    snprintf(sql, sizeof(sql), "select few, own, i::int as i, three from '%s/rows.parquet'", f.folder);
    make_learned(&f, sql);
    pt_query query = pt__test_query(sql);
    PT_CHECK(pt__test_start(f.session, &query, &f.result));
    const pt__harvest *harvest = database_of(&f)->harvests;
    PT_REQUIRE(is_for_many_rows(&f));
    PT_CHECK(pt__harvest_is_packed(harvest, 0));
    PT_CHECK(!pt__harvest_is_packed(harvest, 1));
    PT_CHECK(!pt__harvest_is_packed(harvest, 2));
    PT_CHECK(pt__harvest_is_packed(harvest, 3));
    pt__test_stop(&f.result);
    end(&f);
}

PT_TEST(rows_that_nothing_is_gained_for_stay_plain)
{
    static const char SQL[] = "select i::int as i, 'its own ' || i as s from range(150000) r(i)";
    fixture f;
    PT_REQUIRE(begin(&f));
    make_learned(&f, SQL);
    pt_query query = pt__test_query(SQL);
    PT_CHECK(pt__test_start(f.session, &query, &f.result));
    PT_CHECK(database_of(&f)->harvests != NULL);
    PT_CHECK(!is_for_many_rows(&f));
    pt__test_stop(&f.result);
    end(&f);
}

static bool is_serial(fixture *f, const char *sql)
{
    pt_query query = pt__test_query(sql);
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    bool is = database_of(f)->harvests != NULL && database_of(f)->harvests->is_serial;
    pt__test_stop(&f->result);
    return is;
}

PT_TEST(one_pipeline_is_for_two_threads_and_for_rows_that_come_fast)
{
    static const char SQL[] = "select i as i, 'its own ' || i as s from range(3000) r(i)";
    pt__column_set all = pt__column_set_of_all();
    fixture f;
    PT_REQUIRE(begin_with(&f, 2));
    PT_CHECK(!is_serial(&f, SQL));
    mark_large(&f, SQL);
    PT_CHECK(is_serial(&f, SQL));
    pt__large_texts_learn(&database_of(&f)->large_texts, pt__hash_bytes(SQL, strlen(SQL)), &all, true);
    PT_CHECK(!is_serial(&f, SQL));
    end(&f);
    PT_REQUIRE(begin_with(&f, 3));
    mark_large(&f, SQL);
    PT_CHECK(!is_serial(&f, SQL));
    end(&f);
}

static void check_learned(fixture *f, const char *sql, const digest *plain)
{
    digest rows = {0};
    pt_query query = pt__test_query(sql);
    PT_CHECK(pt__test_start(f->session, &query, &f->result));
    PT_CHECK(is_for_many_rows(f));
    PT_CHECK(read_all(f, &rows));
    pt__test_stop(&f->result);
    PT_CHECK_EQ(rows.rows, plain->rows);
    PT_CHECK(rows.sum == plain->sum);
}

PT_TEST(rows_of_learned_columns_are_the_same)
{
    char sql[256];
    digest plain;
    fixture f;
    PT_REQUIRE(begin(&f));
    make_file(&f);
    snprintf(sql, sizeof(sql), "select * from '%s/rows.parquet'", f.folder);
    PT_CHECK(run(&f, sql, &plain));
    make_learned(&f, sql);
    check_learned(&f, sql, &plain);
    check_learned(&f, sql, &plain);
    end(&f);
}

/* The last of them come in a batch that is given when there are no more. */
PT_TEST(the_fewest_rows_that_are_many_are_learned_from)
{
    static const char SQL[] = "select i::int as i from range(100000) r(i)";
    pt__large_text text;
    fixture f;
    PT_REQUIRE(begin(&f));
    make_learned(&f, SQL);
    PT_CHECK(pt__large_texts_find(&database_of(&f)->large_texts, pt__hash_bytes(SQL, strlen(SQL)), &text));
    PT_CHECK(!pt__column_set_has(&text.packed, 0));
    PT_CHECK(pt__column_set_has(&text.packed, 1));
    end(&f);
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
    digest rows;
    fixture f;
    PT_REQUIRE(begin_with(&f, 2));
    make(&f, "create table t as select i, 'kind ' || i %% 7 as a from range(150000) r(i)");
    for (size_t i = 0; i < sizeof(CHANGES) / sizeof(CHANGES[0]); i++) {
        make_learned(&f, SQL);
        make(&f, CHANGES[i]);
        pt_query query = pt__test_query(SQL);
        PT_CHECK(pt__test_start(f.session, &query, &f.result));
        PT_CHECK(is_for_many_rows(&f));
        put_columns(&f, text, sizeof(text));
        PT_CHECK_STR(text, COLUMNS[i]);
        rows = (digest){0};
        PT_CHECK(read_all(&f, &rows));
        PT_CHECK_EQ(rows.rows, 150000);
        pt__test_stop(&f.result);
    }
    end(&f);
}

/* An address would be one of the server's memory. */
PT_TEST(packed_values_are_not_for_users)
{
    static const char *const TEXTS[] = {
        "select portico_pack(0::usmallint, 'x' || i) as s from range(3) r(i)",
        "select portico_pack(0::usmallint, 'x' || i) as a, 'y' || i as s from range(3) r(i)",
        "select portico_harvest(1::ubigint, {'a': 1::ubigint}) as a, 'y' || i as s from range(3) r(i)",
    };
    fixture f;
    PT_REQUIRE(begin(&f));
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        pt_error err = PT_ERROR_INIT;
        pt_query query = pt__test_query(TEXTS[i]);
        mark_large(&f, TEXTS[i]);
        PT_CHECK(!pt__test_start(f.session, &query, &f.result));
        f.result.operation->vtable->failure(f.result.operation, &err);
        PT_CHECK(strstr(err.message, "is not for users") != NULL);
        pt__test_stop(&f.result);
        pt_error_clear(&err);
    }
    end(&f);
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
    fixture f;
    digest plain;
    digest packed;
    PT_REQUIRE(begin(&f));
    make(&f, "create table t as select 'a text of the number ' || i as a from range(3000) r(i)");
    PT_CHECK(run(&f, SQL, &plain));
    mark_large(&f, SQL);
    for (size_t i = 0; i < sizeof(MACROS) / sizeof(MACROS[0]); i++) {
        make(&f, MACROS[i]);
        PT_CHECK(run(&f, SQL, &packed));
        PT_CHECK(packed.sum == plain.sum);
    }
    end(&f);
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
static void check_refused(fixture *f, const char *text, const char *reason)
{
    char literal[2048];
    char change[2200];
    pt_query query;
    pt_error err = PT_ERROR_INIT;
    make(f, "create or replace macro source() as 'select a from t'");
    mark_large(f, "select a from query(source())");
    prepare(f, &query, "select a from query(source())");
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
    fixture f;
    PT_REQUIRE(begin(&f));
    make(&f, "create table t as select 'a text of the number ' || i as a from range(3000) r(i)");
    check_refused(&f, "select system.main.portico_pack(0::usmallint, a)::varchar as a from t",
                  "portico_pack is not for users");
    check_refused(&f, "select (system.main.portico_pack(0::usmallint, a) + 8)::varchar as a from t",
                  "portico_pack is not for users");
    end(&f);
}

/* DuckDB evaluates arguments of query() while it binds; a query in there sees the key of the rows. */
static void check_not_evaluated(fixture *f, const char *text)
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
    fixture f;
    PT_REQUIRE(begin(&f));
    make(&f, "create table t as select 'a text of the number ' || i as a from range(3000) r(i)");
    check_not_evaluated(&f,
                        "select a from query('select a from t' || substr(system.main.portico_harvest(KEY::ubigint, "
                        "system.main.struct_pack(a := 4096::ubigint + case when random() < 0 then "
                        "system.main.portico_pack(0::usmallint, 'x'::varchar) else 0::ubigint end))::varchar, 1, 0))");
    check_not_evaluated(
        &f, "select a from query('select a from t' || substr((coalesce(system.main.portico_harvest(KEY::ubigint, "
            "system.main.struct_pack(a := 0::ubigint)), 0) + system.main.portico_pack(0::usmallint, "
            "'x'::varchar || random()::varchar))::varchar, 1, 0))");
    end(&f);
}

/* DuckDB would have to bind such a statement again for each row of values. */
PT_TEST(statements_with_parameters_stay_plain)
{
    static const char SQL[] = "select 'text ' || i as a from range(3000) r(i) where i >= ?";
    pt_statement_info info;
    fixture f;
    PT_REQUIRE(begin(&f));
    mark_large(&f, SQL);
    pt_query query = pt__test_query(SQL);
    query.statement_id = "statement";
    PT_CHECK_EQ(pt_backend_duckdb.prepare(f.session, &query, &info, NULL), PT_OK);
    PT_CHECK(database_of(&f)->harvests != NULL);
    PT_CHECK(!is_for_many_rows(&f));
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
    end(&f);
}

/* DuckDB evaluates what is constant while it binds and plans: memory of that time is gone when rows are read. */
PT_TEST(constants_are_not_packed_while_they_are_bound)
{
    static const char TEXT[] = "select 'x' || i as s from range(3000) r(i)";
    fixture f;
    duckdb_connection connection;
    duckdb_result result;
    PT_REQUIRE(begin(&f));
    mark_large(&f, TEXT);
    pt_query query = pt__test_query(TEXT);
    PT_REQUIRE(pt__test_start(f.session, &query, &f.result));
    digest rows = {0};
    PT_CHECK(read_all(&f, &rows));
    PT_REQUIRE(duckdb_connect(database_of(&f)->database, &connection) == DuckDBSuccess);
    pt__harvest_begin_binding(database_of(&f)->harvests);
    PT_REQUIRE(duckdb_query(connection,
                            "from query('select ' || portico_pack(0::usmallint, 'a constant of some length')::varchar)",
                            &result) != DuckDBSuccess);
    pt__harvest_end_binding(database_of(&f)->harvests);
    PT_CHECK(strstr(duckdb_result_error(&result), "portico_pack is not for users") != NULL);
    duckdb_destroy_result(&result);
    duckdb_disconnect(&connection);
    pt__test_stop(&f.result);
    end(&f);
}

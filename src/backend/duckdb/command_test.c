#include "backend/duckdb/test_pairs.h"

#include "base/test.h"
#include "exec/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PT_TEST(tables_are_created_filled_and_changed)
{
    static const pt__test_pair PAIRS[] = {
        {"CREATE TABLE t (a INT, b STRING NOT NULL, c ARRAY<INT>)", ""},
        {"INSERT INTO t VALUES (1, 'x', array(1, 2)), (2, 'y', NULL)", ""},
        {"SELECT * FROM t ORDER BY a", "1|x|[1,2]\n2|y|NULL\n"},
        {"INSERT INTO t VALUES (3, NULL, NULL)", "!"},
        {"CREATE OR REPLACE TABLE t AS SELECT a + 1 AS a, b FROM t", ""},
        {"SELECT * FROM t ORDER BY a", "2|x\n3|y\n"},
        {"INSERT OVERWRITE t SELECT a * 10, b FROM t", ""},
        {"INSERT INTO t (b, a) VALUES ('z', 5)", ""},
        {"UPDATE t SET a = a + 1 WHERE b = 'z'", ""},
        {"DELETE FROM t WHERE a > 20", ""},
        {"SELECT * FROM t ORDER BY a", "6|z\n20|x\n"},
        {"ALTER TABLE t ADD COLUMNS (d DATE COMMENT 'a day')", ""},
        {"ALTER TABLE t RENAME TO u", ""},
        {"SELECT * FROM u ORDER BY a", "6|z|NULL\n20|x|NULL\n"},
        {"SELECT * FROM t", "!TABLE_OR_VIEW_NOT_FOUND"},
        {"TRUNCATE TABLE u", ""},
        {"SELECT count(*) FROM u", "0\n"},
        {"DROP TABLE u", ""},
        {"SELECT * FROM u", "!TABLE_OR_VIEW_NOT_FOUND"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

PT_TEST(text_of_limited_length_is_padded_and_checked)
{
    static const pt__test_pair PAIRS[] = {
        {"CREATE TABLE t (c CHAR(3), v VARCHAR(2))", ""},
        {"INSERT INTO t VALUES ('a', 'xx'), ('b  ', 'y')", ""},
        {"INSERT INTO t VALUES ('abcd', 'x')", "!EXCEED_LIMIT_LENGTH"},
        {"SELECT concat(c, '|', v) FROM t ORDER BY 1", "a  |xx\nb  |y\n"},
    };
    PT_CHECK_PAIRS(PAIRS);
}

/* A folder of its own, removed by the caller. */
static char *scratch_folder(void)
{
    char name[] = "/tmp/portico-test-XXXXXX";
    return mkdtemp(name) == NULL ? NULL : strdup(name);
}

PT_TEST(tables_outlive_the_process)
{
    char *folder = scratch_folder();
    PT_REQUIRE(folder != NULL);
    char path[128];
    snprintf(path, sizeof(path), "%s/a database.db", folder);
    static const pt__test_pair BEFORE[] = {
        {"CREATE DATABASE d COMMENT 'facts'", ""},
        {"CREATE TABLE d.t (a INT COMMENT 'first', b CHAR(3)) COMMENT 'mine' TBLPROPERTIES ('k' = 'v')", ""},
        {"INSERT INTO d.t VALUES (1, 'x')", ""},
        {"CREATE OR REPLACE TABLE d.t AS SELECT a / 0 AS a FROM d.t", "!DIVIDE_BY_ZERO"},
    };
    static const pt__test_pair AFTER[] = {{"SELECT a, b FROM d.t", "1|x  \n"}};
    pt__test_engine engine;
    PT_REQUIRE(pt__test_engine_open(&engine, path));
    pt__test_pairs(&engine, BEFORE, sizeof(BEFORE) / sizeof(*BEFORE));
    pt__test_engine_close(&engine);
    PT_REQUIRE(pt__test_engine_open(&engine, path));
    pt__test_pairs(&engine, AFTER, 1);
    const pt_table *table = NULL;
    PT_CHECK_EQ(pt_backend_duckdb.get_table(engine.session, "D", "T", engine.arena, &table, NULL), PT_OK);
    PT_CHECK_STR(table->comment, "mine");
    PT_CHECK_STR(pt__type_simple_string(engine.arena, table->schema->fields[1].type), "char(3)");
    PT_CHECK_STR(pt__options_get(&table->properties, "k"), "v");
    pt__test_engine_close(&engine);
    pt__folder_remove(folder, NULL);
    free(folder);
}

static void run_in(pt__test_engine *engine, const char *format, const char *folder, const char *rows)
{
    char sql[512];
    snprintf(sql, sizeof(sql), format, folder);
    const pt__test_pair pair = {sql, rows};
    pt__test_pairs(engine, &pair, 1);
}

PT_TEST(files_are_written_read_and_replaced)
{
    char *folder = scratch_folder();
    pt__test_engine engine;
    PT_REQUIRE(folder != NULL && pt__test_engine_open(&engine, NULL));
    run_in(&engine, "INSERT OVERWRITE DIRECTORY '%s/p' USING parquet SELECT id, CAST(id AS STRING) s FROM range(3)",
           folder, "");
    run_in(&engine, "SELECT * FROM parquet.`%s/p/*.parquet` ORDER BY id", folder, "0|0\n1|1\n2|2\n");
    run_in(&engine, "INSERT OVERWRITE DIRECTORY '%s/p' USING parquet SELECT 7 AS id", folder, "");
    run_in(&engine, "SELECT * FROM parquet.`%s/p/*.parquet`", folder, "7\n");
    run_in(&engine, "INSERT OVERWRITE DIRECTORY '%s/p' USING parquet SELECT 1 / id FROM range(2)", folder,
           "!DIVIDE_BY_ZERO");
    run_in(&engine, "SELECT * FROM parquet.`%s/p/*.parquet`", folder, "7\n");
    run_in(&engine, "INSERT OVERWRITE DIRECTORY '%s/c' USING csv SELECT 'a,b' x, 1.5D y, NULL z", folder,
           "!UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE");
    run_in(&engine, "INSERT OVERWRITE DIRECTORY '%s/c' USING csv SELECT 'a,\"b' x, 1e7D y, CAST(NULL AS INT) z", folder,
           "");
    run_in(&engine, "SELECT * FROM csv.`%s/c/*.csv`", folder, "a,\"b|1.0E7|NULL\n");
    run_in(&engine, "INSERT OVERWRITE DIRECTORY '%s/j' USING json SELECT 1 a, CAST(NULL AS INT) b, array(1, 2) c",
           folder, "");
    run_in(&engine, "SELECT * FROM json.`%s/j/*.json`", folder, "1|[1,2]\n");
    run_in(&engine,
           "INSERT OVERWRITE DIRECTORY '%s/t' USING text SELECT 'one' UNION ALL SELECT '' UNION ALL SELECT 'th\"ree'",
           folder, "");
    run_in(&engine, "SELECT * FROM text.`%s/t/*.txt`", folder, "one\n\nth\"ree\n");
    pt__test_engine_close(&engine);
    pt__folder_remove(folder, NULL);
    free(folder);
}

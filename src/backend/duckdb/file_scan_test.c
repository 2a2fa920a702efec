#include "backend/duckdb/test_pairs.h"

#include "base/test.h"
#include "exec/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct files {
    pt__test_engine engine;
    char folder[64];
} files;

static bool open_files(files *f)
{
    snprintf(f->folder, sizeof(f->folder), "/tmp/portico-test-XXXXXX");
    return mkdtemp(f->folder) != NULL && pt__test_engine_open(&f->engine, NULL);
}

static void close_files(files *f)
{
    pt__test_engine_close(&f->engine);
    pt__folder_remove(f->folder, NULL);
}

static void write_file(const files *f, const char *name, const char *text, size_t size_bytes)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", f->folder, name);
    FILE *file = fopen(path, "w");
    PT_REQUIRE(file != NULL);
    fwrite(text, 1, size_bytes, file);
    fclose(file);
}

/* Runs `columns` USING `source` over the file and compares the rows. */
static void check_read(files *f, const char *name, const char *columns, const char *source, const char *rows)
{
    char sql[1024];
    pt__test_engine_run(&f->engine, "DROP TABLE IF EXISTS t");
    snprintf(sql, sizeof(sql), "CREATE EXTERNAL TABLE t (%s) USING %s LOCATION '%s/%s'", columns, source, f->folder,
             name);
    PT_CHECK_STR(pt__test_engine_run(&f->engine, sql), "");
    const pt__test_pair pair = {"SELECT * FROM t", rows};
    pt__test_pairs(&f->engine, &pair, 1);
}

PT_TEST(csv_is_read_with_the_options_of_spark)
{
    static const char TEXT[] = "a,b,c\n1,x,2020-01-05\nbad,\"y\\\"z\",2020-01-06\n\n3,,nope\n";
    static const char COLUMNS[] = "a INT, b STRING, c DATE";
    files f;
    PT_REQUIRE(open_files(&f));
    write_file(&f, "x.csv", TEXT, strlen(TEXT));
    check_read(&f, "x.csv", COLUMNS, "csv OPTIONS (header 'true')", "1|x|18266\nNULL|y\"z|18267\n3|NULL|NULL\n");
    check_read(&f, "x.csv", COLUMNS, "csv OPTIONS (header 'true', mode 'DROPMALFORMED')", "1|x|18266\n");
    check_read(&f, "x.csv", COLUMNS, "csv OPTIONS (header 'true', mode 'FAILFAST')", "!MALFORMED_RECORD_IN_PARSING");
    check_read(&f, "x.csv", "a INT, b STRING, c DATE, _corrupt_record STRING", "csv OPTIONS (header 'true')",
               "1|x|18266|NULL\nNULL|y\"z|18267|bad,\"y\\\"z\",2020-01-06\n3|NULL|NULL|3,,nope\n");
    write_file(&f, "y.csv", "1;NA\n2;05/01/2020\n", 18);
    check_read(&f, "y.csv", "a INT, b DATE", "csv OPTIONS (sep ';', nullValue 'NA', dateFormat 'dd/MM/yyyy')",
               "1|NULL\n2|18266\n");
    close_files(&f);
}

PT_TEST(json_is_read_as_spark_does)
{
    static const char TEXT[] =
        "{\"a\":1,\"s\":\"x\"}\nnot json\n{\"a\":\"z\",\"s\":{\"c\":1}}\n{\"s\":[1],\"d\":\"2020-01-05\"}\n";
    files f;
    PT_REQUIRE(open_files(&f));
    write_file(&f, "x.json", TEXT, strlen(TEXT));
    check_read(&f, "x.json", "a INT, s STRING, d DATE", "json",
               "1|x|NULL\nNULL|NULL|NULL\nNULL|{\"c\":1}|NULL\nNULL|[1]|18266\n");
    check_read(&f, "x.json", "a INT, _corrupt_record STRING", "json",
               "1|NULL\nNULL|not json\nNULL|{\"a\":\"z\",\"s\":{\"c\":1}}\nNULL|NULL\n");
    check_read(&f, "x.json", "s STRING", "json OPTIONS (mode 'FAILFAST')", "!MALFORMED_RECORD_IN_PARSING");
    char sql[128];
    snprintf(sql, sizeof(sql), "SELECT * FROM json.`%s/x.json`", f.folder);
    PT_CHECK_STR(pt__test_engine_run(&f.engine, sql),
                 "NULL|1|NULL|x\nnot json|NULL|NULL|NULL\nNULL|z|NULL|{\"c\":1}\nNULL|NULL|2020-01-05|[1]\n");
    close_files(&f);
}

/* Lines longer and shorter than a read, and ranges that begin in the middle of any of them. */
PT_TEST(lines_of_large_files_are_read_once_each)
{
    enum { LINES = 300000 };
    files f;
    PT_REQUIRE(open_files(&f));
    pt__buffer text = PT_BUFFER_INIT;
    uint64_t sum = 0;
    for (int i = 0; i < LINES; i++) {
        pt__buffer_printf(&text, "%d:%0*d%s", i, 1 + i % 250, 0, i % 3 == 0 ? "\r\n" : i % 3 == 1 ? "\n" : "\r");
        sum += (uint64_t)i;
    }
    write_file(&f, "x.txt", (const char *)text.data, text.size_bytes);
    pt__buffer_deinit(&text);
    char sql[256];
    char want[64];
    snprintf(sql, sizeof(sql), "SELECT count(*), sum(CAST(split(value, ':')[0] AS BIGINT)) FROM text.`%s/x.txt`",
             f.folder);
    snprintf(want, sizeof(want), "%d|%llu\n", LINES, (unsigned long long)sum);
    PT_CHECK_STR(pt__test_engine_run(&f.engine, sql), want);
    close_files(&f);
}

PT_TEST(compressed_lines_are_read)
{
    files f;
    char path[128];
    char sql[256];
    PT_REQUIRE(open_files(&f));
    snprintf(path, sizeof(path), "%s/x.txt.gz", f.folder);
    for (int member = 0; member < 2; member++) { /* files may be put one behind the other */
        gzFile file = gzopen(path, member == 0 ? "wb" : "ab");
        gzputs(file, member == 0 ? "one\ntwo\n" : "three\n");
        gzclose(file);
    }
    snprintf(sql, sizeof(sql), "SELECT * FROM text.`%s`", path);
    PT_CHECK_STR(pt__test_engine_run(&f.engine, sql), "one\ntwo\nthree\n");
    close_files(&f);
}

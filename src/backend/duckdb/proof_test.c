#include "backend/duckdb/proof.h"

#include "backend/duckdb/test_engine.h"
#include "base/test.h"
#include "exec/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct bench {
    char folder[64];
    char database[80];
    pt__test_engine engine;
} bench;

static void open_engine(bench *b)
{
    PT_CHECK(pt__test_engine_open(&b->engine, b->database));
}

static void open_bench(bench *b)
{
    *b = (bench){.folder = "/tmp/portico-proof-XXXXXX"};
    PT_CHECK(mkdtemp(b->folder) != NULL);
    snprintf(b->database, sizeof(b->database), "%s/tables.duckdb", b->folder);
    open_engine(b);
}

static void close_bench(bench *b)
{
    pt__test_engine_close(&b->engine);
    PT_CHECK_EQ(pt__folder_remove(b->folder, NULL), PT_OK);
}

static bool is_proven(bench *b, const char *id)
{
    bool found = true;
    PT_CHECK_EQ(pt_backend_duckdb.was_committed(b->engine.session, id, &found, NULL), PT_OK);
    return found;
}

/* Runs text in DuckDB's dialect to its end, or drops it before its first row. */
static pt_status run_native(bench *b, const char *id, const char *sql, bool is_read)
{
    pt_query query = {
        .size_bytes = sizeof(query),
        .encoded = {.format = "duckdb.sql", .payload = {(const uint8_t *)sql, strlen(sql)}},
        .operation_id = id,
        .leaves_proof = true,
    };
    pt_operation *operation = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray batch = {0};
    PT_CHECK_EQ(pt_backend_duckdb.execute(b->engine.session, &query, &operation, NULL), PT_OK);
    PT_CHECK_EQ(operation->vtable->result(operation, &stream, NULL), PT_OK);
    while (is_read && stream.get_next(&stream, &batch) == 0 && batch.release != NULL)
        batch.release(&batch);
    stream.release(&stream);
    pt_status status = operation->vtable->failure(operation, NULL);
    operation->vtable->free(operation);
    return status;
}

static pt_status run_plan(bench *b, const char *id, const char *sql)
{
    const pt_plan *plan = NULL;
    pt_operation *operation = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray batch = {0};
    PT_CHECK_EQ(pt__test_engine_analyze(&b->engine, sql, &plan, NULL), PT_OK);
    pt_query query = {
        .size_bytes = sizeof(query), .plan = plan, .time_zone = "UTC", .operation_id = id, .leaves_proof = true};
    PT_CHECK_EQ(pt_backend_duckdb.execute(b->engine.session, &query, &operation, NULL), PT_OK);
    PT_CHECK_EQ(operation->vtable->result(operation, &stream, NULL), PT_OK);
    stream.get_next(&stream, &batch);
    stream.release(&stream);
    pt_status status = operation->vtable->failure(operation, NULL);
    operation->vtable->free(operation);
    return status;
}

PT_TEST(proof_of_a_write_is_there_when_the_write_is)
{
    bench b;
    open_bench(&b);
    PT_CHECK_EQ(run_plan(&b, "one", "CREATE TABLE t AS SELECT 1 AS n"), PT_OK);
    PT_CHECK_EQ(run_native(&b, "two", "INSERT INTO \"default\".t VALUES (2)", true), PT_OK);
    PT_CHECK(run_native(&b, "three", "INSERT INTO \"default\".t SELECT error('no')", true) != PT_OK);
    PT_CHECK_EQ(run_native(&b, "four", "SELECT 1", true), PT_OK);
    pt__test_engine_close(&b.engine);
    open_engine(&b);
    PT_CHECK(is_proven(&b, "one"));
    PT_CHECK(is_proven(&b, "two"));
    PT_CHECK(!is_proven(&b, "three"));
    PT_CHECK(!is_proven(&b, "four"));
    PT_CHECK_STR(pt__test_engine_run(&b.engine, "SELECT * FROM t ORDER BY n"), "1\n2\n");
    pt_backend_duckdb.forget_committed(b.engine.backend, "two");
    PT_CHECK(!is_proven(&b, "two"));
    close_bench(&b);
}

PT_TEST(proof_of_a_write_that_nobody_reads_is_as_its_rows)
{
    bench b;
    open_bench(&b);
    run_native(&b, "make", "CREATE TABLE \"default\".t (n BIGINT)", true);
    run_native(&b, "dropped", "INSERT INTO \"default\".t SELECT i FROM range(10) r(i) RETURNING n", false);
    bool is_there = strcmp(pt__test_engine_run(&b.engine, "SELECT count(*) FROM t"), "10\n") == 0;
    PT_CHECK_EQ(is_proven(&b, "dropped"), is_there);
    close_bench(&b);
}

PT_TEST(proof_does_not_keep_a_write_from_another_database)
{
    bench b;
    char sql[160];
    open_bench(&b);
    duckdb_connection connection;
    PT_CHECK_EQ(pt__duckdb_borrow(b.engine.backend, &connection, NULL), PT_OK);
    snprintf(sql, sizeof(sql), "ATTACH '%s/other.duckdb' AS other; CREATE TABLE other.t (n BIGINT)", b.folder);
    PT_CHECK_EQ(pt__duckdb_run(connection, sql, NULL), PT_OK);
    pt__duckdb_return(b.engine.backend, connection);
    PT_CHECK_EQ(run_native(&b, "elsewhere", "INSERT INTO other.t VALUES (1)", true), PT_OK);
    PT_CHECK(!is_proven(&b, "elsewhere"));
    close_bench(&b);
}

/* ---- files ---- */

static void make_folder(const bench *b, const char *name, const char *file, char out[128])
{
    char path[192];
    snprintf(out, 128, "%s/%s", b->folder, name);
    mkdir(out, 0700);
    snprintf(path, sizeof(path), "%s/%s", out, file);
    FILE *f = fopen(path, "w");
    PT_REQUIRE(f != NULL);
    fclose(f);
}

static bool exists(const char *folder, const char *file)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return access(path, F_OK) == 0;
}

PT_TEST(proof_of_a_folder_that_took_its_place)
{
    bench b;
    char folder[128];
    char target[128];
    open_bench(&b);
    make_folder(&b, "new", "a", folder);
    make_folder(&b, "target", "b", target);
    PT_CHECK_EQ(pt__proof_announce(b.engine.backend, "id", folder, target, false, NULL), PT_OK);
    PT_CHECK(!is_proven(&b, "id"));
    PT_CHECK_EQ(renameat2(AT_FDCWD, folder, AT_FDCWD, target, RENAME_EXCHANGE), 0);
    PT_CHECK(is_proven(&b, "id"));
    pt__proof_withdraw(b.engine.backend, "id");
    PT_CHECK(!is_proven(&b, "id"));
    close_bench(&b);
}

PT_TEST(proof_completes_a_merge_that_was_cut)
{
    bench b;
    char folder[128];
    char target[128];
    open_bench(&b);
    make_folder(&b, "new", "a", folder);
    make_folder(&b, "target", "b", target);
    PT_CHECK_EQ(pt__proof_announce(b.engine.backend, "id", folder, target, true, NULL), PT_OK);
    PT_CHECK(is_proven(&b, "id"));
    PT_CHECK(exists(target, "a"));
    PT_CHECK(exists(target, "b"));
    PT_CHECK(access(folder, F_OK) != 0);
    PT_CHECK(is_proven(&b, "id"));
    close_bench(&b);
}

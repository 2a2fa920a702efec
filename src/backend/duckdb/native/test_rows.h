/** Rows of queries in DuckDB's dialect, and what tests of harvests compare of them. */
#ifndef PT_BACKEND_DUCKDB_NATIVE_TEST_ROWS_H
#define PT_BACKEND_DUCKDB_NATIVE_TEST_ROWS_H

#include "backend/duckdb/harvest.h"
#include "backend/duckdb/native/test_session.h"

#include <nanoarrow/nanoarrow.h>

/** A session, a folder of its own, and the result of the query that has been started. */
typedef struct pt__test_rows {
    char folder[64];
    void *backend;
    void *session;
    pt__test_result result;
} pt__test_rows;

/** What rows are, in any order, and in theirs. */
typedef struct pt__test_digest {
    int64_t rows;
    uint64_t sum;
    uint64_t in_order;
} pt__test_digest;

/** With so many threads of DuckDB, or with four; close it when that gave true. */
bool pt__test_rows_open_with(pt__test_rows *f, uint32_t threads);
bool pt__test_rows_open(pt__test_rows *f);
void pt__test_rows_close(pt__test_rows *f);
pt__duckdb *pt__test_rows_database(const pt__test_rows *f);
/** Of the query that has been started, which is the only one. */
bool pt__test_rows_is_for_many_rows(const pt__test_rows *f);

/** Reads the rows of the query that has been started. */
bool pt__test_rows_read(pt__test_rows *f, pt__test_digest *out);
bool pt__test_rows_run(pt__test_rows *f, const char *sql, pt__test_digest *out);
/** Runs what is a format of the folder. */
void pt__test_rows_make(pt__test_rows *f, const char *sql);
/** rows.parquet in the folder: columns of all kinds of dictionaries, and of none. */
void pt__test_rows_make_file(pt__test_rows *f);
/** As if the text's results had been large. */
void pt__test_rows_mark_large(const pt__test_rows *f, const char *sql);
/** Prepares it, for many rows. */
void pt__test_rows_prepare(pt__test_rows *f, pt_query *query, const char *sql);
/** The columns of the query that has been started, as NAME:FORMAT with bars between. */
void pt__test_rows_put_columns(const pt__test_rows *f, char *out, size_t size);

#endif

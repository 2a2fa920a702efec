/**
 * Feed: an Arrow stream on its way into one statement of DuckDB, which scans it as portico_stream(key).
 *
 * The thread that runs the statement reads the stream and makes DuckDB's vectors of it, while a thread of DuckDB's pool
 * inserts those that are ready; if none is free, the running thread does both. The scan has one thread, because DuckDB
 * keeps the order of rows only then: functions of its C interface cannot number their batches.
 *
 * Threads: the one that made it; the scan may be on another.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_FEED_H
#define PT_BACKEND_DUCKDB_NATIVE_FEED_H

#include "backend/duckdb/engine.h"

typedef struct pt__feed pt__feed;

/** `connection` and `rows` live longer than the feed. Errors: PT_INVALID_ARGUMENT, PT_UNSUPPORTED by the column's name. */
pt_status pt__feed_new(pt__duckdb *database, duckdb_connection connection, struct ArrowArrayStream *rows,
                       pt__feed **out, pt_error *err);
void pt__feed_free(pt__feed *feed);

/** Appends the call of the function that gives the rows. */
void pt__feed_put_source(const pt__feed *feed, pt__buffer *sql);

/** Runs the statement that scans it: once. `*count` is the number of rows that it tells. */
pt_status pt__feed_run(pt__feed *feed, const char *sql, int64_t *count, pt_error *err);

#endif

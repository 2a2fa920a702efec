/**
 * Feed: an Arrow stream on its way into a table of DuckDB, a window after the other.
 *
 * A window is as many rows as a few statements' threads want, and has come whole before a statement scans it: a client
 * that is slow keeps no thread of DuckDB waiting. What the client sends meanwhile waits in the transport.
 *
 * DuckDB inserts with all its threads and keeps the order of rows only if the source numbers its batches, which
 * functions of its C interface cannot. So the rows of a larger window come by way of a table that can (row_numbers.h):
 * SELECT portico_column_T(KEY, rowid) AS "a", … FROM row_numbers WHERE rowid < ROWS, where the functions answer for
 * each vector of row numbers with the vector of values that came with these rows. A thread thus fills whole row groups.
 * Smaller windows, and those with columns for whose type there is no such function, are scanned by one thread as
 * portico_stream(KEY).
 *
 * Threads: the one that made it; scans may be on others.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_FEED_H
#define PT_BACKEND_DUCKDB_NATIVE_FEED_H

#include "backend/duckdb/engine.h"

typedef struct pt__feed pt__feed;

/** `connection` and `rows` live longer than the feed. Errors: PT_INVALID_ARGUMENT, PT_UNSUPPORTED by the column's name. */
pt_status pt__feed_new(pt__duckdb *database, duckdb_connection connection, struct ArrowArrayStream *rows,
                       pt__feed **out, pt_error *err);
void pt__feed_free(pt__feed *feed);

/** Reads the next window in place of the last one; blocks. Errors: what the stream says. */
pt_status pt__feed_fill(pt__feed *feed, pt_error *err);
/** Whether no rows come after the window. */
bool pt__feed_is_ended(const pt__feed *feed);
/** Whether the window is all of the stream, and what inserts it cannot miss any of it. */
bool pt__feed_is_one_statement(const pt__feed *feed);
/** Rows of the window. */
int64_t pt__feed_row_count(const pt__feed *feed);

/**
 * Appends the query that gives rows of the window from `first` on; `*row_count` is how many. A window without rows has a
 * query, too.
 */
pt_status pt__feed_put_query(pt__feed *feed, int64_t first, pt__buffer *sql, int64_t *row_count, pt_error *err);
/**
 * DuckDB does not take that query: a transaction does not see what was made after it had begun. Whether there is another
 * one, which pt__feed_put_query gives from now on.
 */
bool pt__feed_turn_to_stream(pt__feed *feed);

#endif

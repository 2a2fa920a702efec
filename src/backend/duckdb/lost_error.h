/**
 * Lost errors: why a query failed whose rows stream, when DuckDB says only that it was interrupted.
 *
 * A thread of DuckDB's that meets an error interrupts the others. Who fetches rows, too, looks for interrupts, and what it
 * finds then hides the error (DuckDB 1.5, SimpleBufferedData::ExecuteTaskInternal): in one of a hundred failures when there
 * are several threads. The error is had by executing the query again, for nothing else. Before the first rows DuckDB itself
 * looks for the error behind an interrupt.
 *
 * Threads: that of the connection.
 */
#ifndef PT_BACKEND_DUCKDB_LOST_ERROR_H
#define PT_BACKEND_DUCKDB_LOST_ERROR_H

#include <portico/error.h>

#include <duckdb.h>

/** What is told when it cannot be had, as in a transaction, which has ended by then. */
#define PT_LOST_ERROR "the query failed, and DuckDB has lost the reason; executing it again may tell"

/** Whether the message says no more than that; it does so, too, when somebody has interrupted the query. */
bool pt__lost_error_is(const char *message);

typedef struct pt__lost_query {
    duckdb_prepared_statement prepared; /* whose former result was destroyed, and whose values are bound */
    /** Makes it pending, to stream; NULL: in the usual way. */
    duckdb_state (*plan)(void *context, duckdb_pending_result *out);
    /** Asked now and then; NULL: it stays wanted. */
    bool (*is_wanted)(void *context);
    void *context;
} pt__lost_query;

/** DuckDB's message, to be freed; NULL when it is not found, or when the query is not wanted any more. */
char *pt__lost_error_find(const pt__lost_query *query);

#endif

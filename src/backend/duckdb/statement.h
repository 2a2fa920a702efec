/**
 * Statement: SQL on its way through DuckDB, with a result that streams.
 *
 * Threads: one at a time, but for pt__statement_interrupt.
 */
#ifndef PT_BACKEND_DUCKDB_STATEMENT_H
#define PT_BACKEND_DUCKDB_STATEMENT_H

#include "backend/duckdb/engine.h"

typedef struct pt__statement {
    pt__duckdb *database;
    const pt_plan *plan;   /* for query contexts of errors; may be NULL */
    pthread_mutex_t mutex; /* guards `connection` and `interrupted` */
    bool interrupted;
    duckdb_connection connection; /* NULL: not borrowed */
    duckdb_prepared_statement prepared;
    duckdb_pending_result pending;
    duckdb_result result;
    bool has_result;
    bool is_finished; /* every chunk was fetched */
} pt__statement;

void pt__statement_init(pt__statement *statement, pt__duckdb *database, const pt_plan *plan);
/** Ends what runs and gives the connection back; interrupting stays possible. */
void pt__statement_close(pt__statement *statement);
void pt__statement_deinit(pt__statement *statement);

/**
 * Prepares `sql`, cast to the columns' types where DuckDB's differ, and starts it; `types` gets the DuckDB type of
 * each column, the caller's to destroy.
 */
pt_status pt__statement_start(pt__statement *statement, pt__arena *arena, const char *sql, const pt_column *columns,
                              size_t column_count, duckdb_logical_type *types, pt_error *err);

/** A connection for the statement, unless it has one. */
pt_status pt__statement_borrow(pt__statement *statement, pt_error *err);

/** OPERATION_CANCELED after an interrupt. */
pt_status pt__statement_check(pt__statement *statement, pt_error *err);

/** `*out` is NULL at the end. */
pt_status pt__statement_fetch(pt__statement *statement, duckdb_data_chunk *out, pt_error *err);

/** Makes the running call and later ones fail with OPERATION_CANCELED. Threads: any. */
void pt__statement_interrupt(pt__statement *statement);

/** 0 to 1, or negative. Threads: any. */
double pt__statement_progress(pt__statement *statement);

#endif

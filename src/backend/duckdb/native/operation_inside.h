/**
 * A statement of DuckDB's dialect on its way, inside: operation.c has its stream, operation_prepare.c finds a connection and
 * prepares it there, operation_execute.c executes it, operation_interrupt.c is what other threads may do to it.
 *
 * Threads: one at a time, but for operation_interrupt.c.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_OPERATION_INSIDE_H
#define PT_BACKEND_DUCKDB_NATIVE_OPERATION_INSIDE_H

#include "backend/duckdb/filler.h"
#include "backend/duckdb/native/native.h"
#include "backend/duckdb/native/open_rows.h"
#include "backend/duckdb/operation_base.h"

typedef struct pt__native_operation {
    pt__operation head;
    pt__duckdb *database;
    pt__native *native;
    char *sql;
    char *statement_id;    /* "" none */
    pthread_mutex_t mutex; /* guards `interrupted`, and `running` and `is_open` while they change */
    bool interrupted;
    pt__native_link *running; /* whose connection an interrupt may hit; NULL: none */
    bool is_open;             /* as long as it is running: its rows stream from the session's own connection */
    pt__native_link *link;
    pt__native_statement statement;
    duckdb_pending_result pending;
    duckdb_result result;
    bool has_result;
    pt__open_rows open_rows;
    duckdb_arrow_options options;
    struct ArrowSchema engine_schema; /* with dictionaries */
    pt__filler filler;                /* has_batch false: DuckDB itself makes the arrays, one for each of its chunks */
    bool *is_update;                  /* to be told; NULL: nobody asks */
    struct ArrowArrayStream parameters;
    struct ArrowSchema parameter_schema;
    struct ArrowArray parameter_batch;
    int64_t parameter_row; /* the next one of the batch */
    bool has_parameters;
    bool is_plain; /* not to be harvested: its columns are others with each value */
    bool has_started;
    bool is_finished;
    bool is_to_be_proven;
    bool in_transaction; /* one of its own, with its proof in it */
} pt__native_operation;

static inline pt__native_operation *pt__native_operation_of(pt_operation *base)
{
    return (pt__native_operation *)base;
}

/* ---- operation_interrupt.c ---- */

/** PT_CANCELLED once it was. */
pt_status pt__native_operation_check(pt__native_operation *op, pt_error *err);
/** Whose connection an interrupt may hit from now on; NULL: none. */
void pt__native_operation_set_running(pt__native_operation *op, pt__native_link *link);
/** Members of pt_operation_vtable. */
pt_status pt__native_operation_cancel(pt_operation *base, pt_error *err);
double pt__native_operation_progress(pt_operation *base);

/* ---- operation_prepare.c ---- */

/** Finds the connection, and prepares the statement there unless it is prepared already. */
pt_status pt__native_operation_prepare(pt__native_operation *op, pt_error *err);
/** Takes the connection for the statement. Errors: PT_CANCELLED. */
pt_status pt__native_operation_enter(pt__native_operation *op, pt_error *err);
/** Prepares it on the connection that it has. */
pt_status pt__native_operation_prepare_on_link(pt__native_operation *op, pt_error *err);
/** What is prepared stays so, if it may be wanted again; its connection of the pool, too. */
void pt__native_operation_keep(pt__native_operation *op);

/* ---- operation_execute.c ---- */

/** For the first row of parameters; without any, once. */
pt_status pt__native_operation_execute(pt__native_operation *op, pt_error *err);
/** For the next row of parameters; `is_finished` when there is none. */
pt_status pt__native_operation_execute_next(pt__native_operation *op, pt_error *err);
/** After the last row; until then an end of the connection ends the transaction, too. */
pt_status pt__native_operation_commit(pt__native_operation *op, pt_error *err);
void pt__native_operation_drop_result(pt__native_operation *op);
/** Neither interrupted nor helped any more. */
void pt__native_operation_end_running(pt__native_operation *op);
/** Finds `options` and `engine_schema`, in which settings have a say: while the connection is still taken. */
pt_status pt__native_operation_describe(pt__native_operation *op, pt_error *err);
/** Makes the statement pending, with the values that are bound; DuckDB may bind its text again for that. */
duckdb_state pt__native_operation_plan(pt__native_operation *op, duckdb_pending_result *out);
/** What DuckDB says, about the text that came even if another was executed. */
pt_status pt__native_operation_error(const pt__native_operation *op, const char *message, pt_error *err);

/* ---- operation.c ---- */

/** How its rows are read from a session's own connection. */
extern const pt__open_rows_vtable pt__native_operation_rows;

#endif

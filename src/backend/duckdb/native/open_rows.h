/**
 * Open rows: a result that streams from a session's own connection, as long as nobody else wants the connection.
 *
 * Who does (pt__native_link_enter) first has all that is left of it taken into a rest, where its reader then goes on. So
 * results stream within transactions, too, and a client may read several of them by turns.
 *
 * Threads: the reader's, and any that enters the connection, whose lock is held while rows are pulled.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_OPEN_ROWS_H
#define PT_BACKEND_DUCKDB_NATIVE_OPEN_ROWS_H

#include "backend/duckdb/native/native.h"
#include "backend/duckdb/native/rest.h"

/** What the result is read by, with the connection's lock held. */
typedef struct pt__open_rows_vtable {
    /** The next rows; `out->release` stays NULL at the end. */
    pt_status (*pull)(void *context, struct ArrowArray *out, pt_error *err);
    /** The schema of the rows, which is the caller's. */
    pt_status (*schema)(void *context, struct ArrowSchema *out, pt_error *err);
    /** No more rows are pulled: the connection is to be free afterwards, and a transaction on it unharmed. */
    void (*close)(void *context);
} pt__open_rows_vtable;

/** Zeroed: the rows do not come from a session's own connection. */
typedef struct pt__open_rows {
    const pt__open_rows_vtable *vtable;
    void *context;
    pt__native_link *link; /* outlives this */
    pt__rest *rest;        /* this and `failure`, which came behind it: guarded by the link's lock */
    pt_error failure;
} pt__open_rows;

/** With the link's lock held, once its statement is executed. */
void pt__open_rows_begin(pt__open_rows *rows, const pt__open_rows_vtable *vtable, void *context, pt__native_link *link);
bool pt__open_rows_are(const pt__open_rows *rows);
/** The next rows, wherever they are; `out->release` stays NULL at the end. */
pt_status pt__open_rows_next(pt__open_rows *rows, struct ArrowArray *out, pt_error *err);
/** Nobody reads them any more. Does nothing for zeroed ones, which they then are. */
void pt__open_rows_end(pt__open_rows *rows);

/**
 * Takes what is left of them, with the link's lock held. For a rollback, after which hardly anybody reads on, only as much
 * as stays in memory.
 */
void pt__open_rows_make_way(pt__open_rows *rows, bool is_for_rollback);

#endif

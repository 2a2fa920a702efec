/**
 * Open rows: a result that streams from a session's own connection, as long as nobody else wants the connection.
 *
 * Who does (pt__native_link_enter) first has all that is left of it taken into a rest, where its reader then goes on. So
 * results stream within transactions, too, and a client may read several of them by turns.
 *
 * Threads: the reader's, and any that enters the connection, which is taken by who pulls rows. Once the rows are away from
 * it they are the reader's alone, who does not want it any more: whoever has it may wait for the reader.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_OPEN_ROWS_H
#define PT_BACKEND_DUCKDB_NATIVE_OPEN_ROWS_H

#include "backend/duckdb/native/native.h"
#include "backend/duckdb/native/rest.h"

/** What the result is read by, by who has taken the connection. */
typedef struct pt__open_rows_vtable {
    /** The next rows; `out->release` stays NULL at the end. */
    pt_status (*pull)(void *context, struct ArrowArray *out, pt_error *err);
    /** The schema of the rows, which is the caller's. */
    pt_status (*schema)(void *context, struct ArrowSchema *out, pt_error *err);
    /** From now on the statement is interrupted if rows do not come soon. Any thread, with the link's guard held. */
    void (*hurry)(void *context);
    /** No more rows are pulled: the connection is to be free afterwards, and a transaction on it unharmed. */
    void (*close)(void *context);
} pt__open_rows_vtable;

/** Zeroed: the rows do not come from a session's own connection. */
typedef struct pt__open_rows {
    const pt__open_rows_vtable *vtable;
    void *context;
    pt__native_link *link; /* outlives this */
    atomic_bool is_away;   /* no more rows come from the connection */
    atomic_bool is_hurried;
    pt__rest *rest;   /* NULL: nobody has wanted it */
    pt_error failure; /* what came behind the rest */
} pt__open_rows;

/** By who has taken the connection, once its statement is executed. */
void pt__open_rows_begin(pt__open_rows *rows, const pt__open_rows_vtable *vtable, void *context, pt__native_link *link);
bool pt__open_rows_are(const pt__open_rows *rows);
/** The next rows, wherever they are; `out->release` stays NULL at the end. */
pt_status pt__open_rows_next(pt__open_rows *rows, struct ArrowArray *out, pt_error *err);
/** Nobody reads them any more. Does nothing for zeroed ones, which they then are. */
void pt__open_rows_end(pt__open_rows *rows);

/** A rollback waits for them: they are interrupted if they do not come soon. With the link's guard held. */
void pt__open_rows_hurry(pt__open_rows *rows);
/** Whether one has waited. */
bool pt__open_rows_are_hurried(const pt__open_rows *rows);
/** Takes what is left of them, for who has taken the connection; false when the entrant has gone before that was done. */
bool pt__open_rows_make_way(pt__open_rows *rows, const pt__native_entrant *entrant);

#endif

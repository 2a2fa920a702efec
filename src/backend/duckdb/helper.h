/**
 * Helper: the thread that executes tasks of DuckDB besides the one that waits for a statement's result.
 *
 * DuckDB counts on as many threads as its setting `threads` says. One is the caller's; of the others one is not DuckDB's
 * own but this, so that we decide what it works for:
 * - a statement that reads nothing does not wake it, which would take longer than the statement;
 * - while rows stream out it stays away as long as one thread makes them fast enough, because those who carry rows on,
 *   and a client on the same machine, need processors as well. Once a reader has waited for PT_HELPER_PATIENCE_MS, it helps.
 *
 * Nothing depends on it: who waits for a result executes every task that nobody else has taken.
 * It also sees to it that a statement is interrupted whose reader may not be (pt__helped_interrupt_late).
 *
 * Threads: any, but for a pt__helped, which is one thread's at a time.
 */
#ifndef PT_BACKEND_DUCKDB_HELPER_H
#define PT_BACKEND_DUCKDB_HELPER_H

#include <portico/error.h>

#include <duckdb.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PT_HELPER_THREADS = 2, /* that DuckDB does not run itself: the caller's and this (its setting external_threads) */
    PT_HELPER_PATIENCE_MS = 20, /* that a reader of a stream waits for its next batch alone */
    PT_HELPER_GRACE_MS = 200    /* that a reader of a stream whose statement was cancelled has to see it for itself */
};

typedef struct pt__helper pt__helper;

/** A statement at work. Zeroed: none. */
typedef struct pt__helped {
    struct pt__helped *next;
    pt__helper *helper;
    bool is_stream;                 /* guarded by the helper's lock, as `next` and `interrupts` */
    duckdb_connection interrupts;   /* this one, if the reader waits for too long; NULL: none */
    _Atomic uint64_t waiting_since; /* milliseconds of pt__monotonic_ms; 0: the reader does not wait */
} pt__helped;

/**
 * Starts the thread; `database` outlives it. `threads` is DuckDB's setting, 0: its own choice. From PT_HELPER_THREADS on
 * `database` was opened with that many external ones, and the thread executes tasks; else it only sees to interrupts.
 */
pt_status pt__helper_new(duckdb_database database, int64_t threads, pt__helper **out, pt_error *err);
/** Ends it; no statement is at work. `helper` may be NULL, here and below: then nothing is done. */
void pt__helper_free(pt__helper *helper);
/** Whether it executes tasks. */
bool pt__helper_executes(pt__helper *helper);
/** Whether it does, and nobody else but who waits for a statement. */
bool pt__helper_is_alone(pt__helper *helper);
/** Begins none any more: DuckDB has been given the thread back. */
void pt__helper_retire(pt__helper *helper);

/** A statement begins; one that had begun computes once more. End it in any case. */
void pt__helped_begin(pt__helped *helped, pt__helper *helper);
/** From now on its rows stream. */
void pt__helped_stream(pt__helped *helped);
/** Its reader waits for rows, or has got them; also before it has begun. */
void pt__helped_wait(pt__helped *helped);
void pt__helped_go_on(pt__helped *helped);
/**
 * Interrupts the statement on `connection`, but only when its reader has waited for rows for PT_HELPER_GRACE_MS. False, and
 * nothing was done, when it has not begun. From any thread, while it is sure not to end.
 */
bool pt__helped_interrupt_late(pt__helped *helped, duckdb_connection connection);
/** Does nothing for a statement that has not begun. */
void pt__helped_end(pt__helped *helped);

#endif

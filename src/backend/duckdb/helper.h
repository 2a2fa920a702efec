/**
 * Helper: the thread that executes tasks of DuckDB besides the one that waits for a statement's result.
 *
 * DuckDB counts on as many threads as `duckdb.threads` says. One is the caller's; of the others one is not DuckDB's own
 * but this, so that we decide what it is woken for and when it stays away:
 * - a statement that reads nothing does not wake it, which would take longer than the statement;
 * - while rows stream out it stays away as long as one thread makes them fast enough, because those who carry rows on,
 *   and a client on the same machine, need processors as well. Once a reader has waited for PT_HELPER_PATIENCE_MS, it helps.
 *
 * Nothing depends on it: who waits for a result executes every task that nobody else has taken.
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
    PT_HELPER_THREADS = 2,     /* of DuckDB's that it does not run itself: the caller's and this (external_threads) */
    PT_HELPER_PATIENCE_MS = 20 /* that a reader of a stream waits for its next batch alone */
};

typedef struct pt__helper pt__helper;

/** A statement at work. Zeroed: none. */
typedef struct pt__helped {
    struct pt__helped *next;
    pt__helper *helper;
    bool is_stream;                 /* guarded by the helper's lock, as `next` */
    _Atomic uint64_t waiting_since; /* milliseconds of pt__monotonic_ms; 0: the reader does not wait */
} pt__helped;

/** Starts the thread; `database`, which was opened with PT_HELPER_THREADS external threads, outlives it. */
pt_status pt__helper_new(duckdb_database database, pt__helper **out, pt_error *err);
/** Ends it; no statement is at work. `helper` may be NULL, here and below: then nothing is done. */
void pt__helper_free(pt__helper *helper);

/** Begins to help a statement; while it is helped already, it is a stream no more. */
void pt__helper_begin(pt__helper *helper, pt__helped *helped);
/** From now on its rows stream. */
void pt__helper_stream(pt__helped *helped);
/** Its reader waits for rows, or has got them. */
void pt__helped_wait(pt__helped *helped);
void pt__helped_go_on(pt__helped *helped);
/** Does nothing for a statement that is not helped. */
void pt__helper_end(pt__helped *helped);

/** To be told of a statement that is executed without help: DuckDB's calls for threads that nobody answers pile up. */
void pt__helper_skip(pt__helper *helper);

/**
 * Helps no more: DuckDB is left to run its threads as its users set them. Waits for the task that is being executed: a
 * thread of DuckDB's that is told to end could otherwise lose its call to this one, and would be waited for forever.
 */
void pt__helper_retire(pt__helper *helper);

#endif

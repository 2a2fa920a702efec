/**
 * Worker threads: made when a task finds none idle, ended when idle for long.
 *
 * Threads: post from any thread.
 */
#ifndef PT_EXEC_WORKERS_H
#define PT_EXEC_WORKERS_H

#include <portico/error.h>

#include <stdint.h>

typedef struct pt__workers pt__workers;

typedef struct pt__workers_options {
    uint64_t max_threads;
    uint64_t max_queued; /* tasks that wait */
    uint64_t stack_bytes;
    uint64_t idle_ms;
} pt__workers_options;

pt_status pt__workers_new(const pt__workers_options *options, pt__workers **out, pt_error *err);

/** Runs what is queued, joins all threads. NULL is allowed. */
void pt__workers_free(pt__workers *workers);

/** Errors: PT_LIMIT, PT_NO_MEMORY, PT_UNAVAILABLE when no thread can be made at all; `run` is then not called. */
pt_status pt__workers_post(pt__workers *workers, void (*run)(void *context), void *context, pt_error *err);

#endif

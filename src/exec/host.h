/**
 * What frontends and the rest of src/exec see of a host beyond include/portico/host.h: sessions by their client's
 * key, tasks on workers, clock and log.
 *
 * Locks are taken in the order host, session, job; none is held while a backend works or an arena allocates.
 */
#ifndef PT_EXEC_HOST_H
#define PT_EXEC_HOST_H

#include "base/arena.h"
#include "base/uuid.h"

#include <portico/host.h>
#include <portico/job.h>
#include <portico/session.h>

#include <stdint.h>

/** A client's name for its session. */
typedef struct pt__session_key {
    const char *user;        /* "" when anonymous */
    const char *session_id;  /* the client's UUID */
    const char *observed_id; /* what the client takes for pt_session_id(); NULL: nothing */
} pt__session_key;

/**
 * The session of that key, made when there is none and `create` is set; the caller gets a reference. Counts as a
 * sign of life.
 *
 * Errors: INVALID_HANDLE.FORMAT, .SESSION_NOT_FOUND (`create` unset), .SESSION_CLOSED (released before),
 *         .SESSION_CHANGED; PT_LIMIT when the host holds session.limit sessions; PT_UNAVAILABLE while it drains.
 * Threads: any; does not block on the backend.
 */
pt_status pt__host_session(pt_host *host, const pt__session_key *key, bool create, pt_session **out, pt_error *err);

/** Calls `visit`, which must not call the host, for the last jobs that clients have let go of. Threads: any. */
void pt__host_past_jobs(pt_host *host, void (*visit)(void *context, const pt_job_report *report), void *context);

/** How many sessions there are. Threads: any. */
size_t pt__host_session_count(pt_host *host);

/** Closes the session and refuses its key from now on; an unknown one is no error, but is refused from now on too. */
pt_status pt__host_release_session(pt_host *host, const pt__session_key *key, bool allow_reconnect, pt_error *err);

/**
 * Runs run(context) on a worker: for what blocks but is no job (analysis). It has to run fast or look at
 * pt__host_is_closing. Never lost: when the host refuses, `run` is not called and the status says why.
 *
 * Errors: PT_UNAVAILABLE (drained or closing), PT_LIMIT (host.max-queued), PT_NO_MEMORY.
 * Threads: any.
 */
pt_status pt__host_run(pt_host *host, void (*run)(void *context), void *context, pt_error *err);

bool pt__host_is_closing(pt_host *host);

/** What one request may take in memory while it is analyzed (plan.memory-limit). */
size_t pt__host_plan_limit_bytes(const pt_host *host);

/** An arena of the host's allocator; NULL when memory is exhausted. */
pt__arena *pt__host_arena(const pt_host *host, size_t limit_bytes);

/** Whether `text` (may be NULL) is a UUID. */
bool pt__is_uuid(const char *text);

/** Wall clock, µs since 1970; monotonic clock, ms. Threads: any. */
int64_t pt__host_now_us(pt_host *host);
uint64_t pt__host_now_ms(pt_host *host);

/** For tests: replaces both clocks; `now_ms(context)` gives the monotonic one, the wall clock follows it. */
void pt__host_set_clock(pt_host *host, uint64_t (*now_ms)(void *context), void *context);

/** Expiry of sessions and jobs; runs once a second by itself, here for tests with a clock of their own. */
void pt__host_tick(pt_host *host);

/** Whether lines of that level are written at all. */
bool pt__host_logs(const pt_host *host, pt_log_level level);

/** One line, printf form. Threads: any. */
__attribute__((format(printf, 4, 5))) void pt__host_log(pt_host *host, pt_log_level level, const char *component,
                                                        const char *format, ...);

#endif

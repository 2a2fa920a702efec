/**
 * Streaming queries: a plan over sources that grow, run again and again over what is new, batch by batch.
 *
 * A session owns its queries. The host's housekeeping, once a second, starts each batch as a job of the session; the
 * first one starts at once. Sources can be read again from their start (the rate source is a function of the clock), so
 * a query in complete mode keeps no state: each batch computes the whole.
 *
 * Threads: any, unless said otherwise.
 */
#ifndef PT_EXEC_STREAMS_H
#define PT_EXEC_STREAMS_H

#include "exec/session.h"

#include <portico/session.h>

enum { PT_STREAM_NAME_MAX = 256, PT_STREAM_ID_BYTES = 37 };

typedef struct pt__stream_request {
    const char *name;    /* NULL: none */
    const pt_plan *plan; /* before analysis; copied */
    int64_t interval_ms; /* between batches; 0: as often as there is something new */
    bool runs_once;      /* ends after its first batch with rows */
    bool is_complete;    /* each batch sees all rows since the start */
    /** Writes the rows of batch 0, 1 …: a plan before analysis, in the job's arena. On a worker. */
    pt_status (*run_batch)(pt_job *job, void *context, const pt_plan *rows, int64_t batch, pt_error *err);
    /** Ends `context`, always, when the query is gone or was refused. */
    void (*free_context)(void *context);
    void *context; /* the query's from the call on, success or failure */
} pt__stream_request;

typedef struct pt__stream_info {
    char id[PT_STREAM_ID_BYTES];
    char run_id[PT_STREAM_ID_BYTES];
    char name[PT_STREAM_NAME_MAX];        /* "": none */
    char failure[PT_STREAM_NAME_MAX * 4]; /* "": it has not failed; a long message is cut */
    bool is_active;
    bool is_running; /* a batch runs now */
} pt__stream_info;

/**
 * Starts a query. Errors: those of analysis; PT_LIMIT beyond session.stream-limit; PT_ALREADY_EXISTS when an active
 * query has that name. Blocking: on a worker.
 */
pt_status pt__stream_start(pt_job *job, const pt__stream_request *request, pt__stream_info *out, pt_error *err);

/** False when the session knows no such query. Ended ones stay known until the session ends. */
bool pt__stream_find(pt_session *session, const char *id, pt__stream_info *out);

/** Active queries, in `arena`. */
void pt__stream_list(pt_session *session, pt__arena *arena, const pt__stream_info **out, size_t *count);

/** Ends a query and cancels its batch; an unknown or ended one is left alone. */
void pt__stream_stop(pt_session *session, const char *id);

/**
 * Waits until the query (NULL: any of the session) has ended, at most `timeout_ms` (negative: without limit). On a
 * worker; PT_CANCELLED when the job is.
 */
pt_status pt__stream_await(pt_job *job, const char *id, int64_t timeout_ms, bool *ended, pt_error *err);

/** Waits until what had come in when this was called has been written. On a worker. */
pt_status pt__stream_catch_up(pt_job *job, const char *id, pt_error *err);

/** Whether the analyzed plan reads a streaming source. */
bool pt__plan_is_streaming(const pt_plan *analyzed);

/* ---- for session.c ---- */

/** Ends what is over and starts what is due; true when a query is active. */
bool pt__streams_tick(pt_session *session);
/** Ends all; the session's lock must not be held. */
void pt__streams_end(pt_session *session);

#endif

/**
 * A stream of ExecutePlanResponses: a job's spool read to its end for one call.
 *
 * Batches leave as they lie in the spool: only the few bytes around them are made here.
 *
 * Threads: the call's loop thread.
 */
#ifndef PT_FRONT_SPARK_CONNECT_STREAM_H
#define PT_FRONT_SPARK_CONNECT_STREAM_H

#include "exec/session.h"
#include "front/spark_connect/mount.h"
#include "front/spark_connect/response_id.h"

typedef struct pt__connect_stream_start {
    pt_session *session;           /* the stream takes the reference, success or failure */
    pt_job *job;                   /* likewise */
    pt__connect_position position; /* zero: from the start */
    bool is_reattachable;          /* the stream ends with result_complete */
} pt__connect_stream_start;

/**
 * Opens the stream as call->state and sends what is there.
 * Errors: INVALID_CURSOR.*; the call is then still to be finished.
 */
pt_status pt__connect_stream_open(pt__connect *mount, pt_call *call, const pt__connect_stream_start *start,
                                  pt_error *err);

/** Sends more: after bytes have left, or when the spool has grown. */
void pt__connect_stream_pump(pt__connect_stream *stream);

/** The call is over. A job that cannot be resumed ends with it. */
void pt__connect_stream_close(pt__connect_stream *stream);

/** Progress messages of all running streams of the mount. */
void pt__connect_streams_tick(pt__connect *mount, uint64_t now_ms);

#endif

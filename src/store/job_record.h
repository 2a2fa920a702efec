/**
 * What the host writes into the opaque parts of a job's record: the request with the session it ran in, and the
 * outcome. Fields of protobuf's wire format, so that later versions may add some.
 *
 * Ownership: what is decoded lies in the arena and points into the bytes, which must live as long.
 */
#ifndef PT_STORE_JOB_RECORD_H
#define PT_STORE_JOB_RECORD_H

#include "base/arena.h"
#include "base/buffer.h"

#include <portico/error.h>
#include <portico/query.h>

typedef struct pt__record_pair {
    const char *key;
    const char *value;
} pt__record_pair;

/** A temporary view of SQL text, which another session can be given. */
typedef struct pt__record_view {
    const char *name;
    const char *text;
    const char *database; /* current one when it was made; may be NULL */
    const char *const *column_names;
    size_t column_count;
} pt__record_view;

typedef struct pt__job_request_record {
    pt_encoded_query query;
    const char *const *tags;
    size_t tag_count;
    const char *server_session_id; /* as the client was told it; may be NULL */
    const char *database;          /* the session's current one; NULL: default */
    const pt__record_pair *conf;
    size_t conf_count;
    const pt__record_view *views;
    size_t view_count;
} pt__job_request_record;

typedef struct pt__job_outcome_record {
    pt_status status; /* of a failed job */
    const char *sqlstate;
    const char *condition;
    const char *message;
    const pt__record_pair *parameters; /* of the error */
    size_t parameter_count;
    const char *output; /* name of the file in the output directory; NULL: none is kept */
    const char *backend;
    const char *handle; /* of the operation that runs (pt_query.resume); NULL: none is known */
    uint64_t batch_count;
    int progress_percent; /* of a job that runs; 0: unknown, or none */
    int64_t attempt;
    const char *const *needs; /* what of its session the job used that is lost with the node: "the temporary view v" */
    size_t need_count;
} pt__job_outcome_record;

void pt__job_request_encode(pt__buffer *out, const pt__job_request_record *request);
void pt__job_outcome_encode(pt__buffer *out, const pt__job_outcome_record *outcome);

/** Errors: PT_INTERNAL when the bytes are malformed. */
pt_status pt__job_request_decode(pt__arena *arena, pt_bytes_view bytes, pt__job_request_record *out, pt_error *err);
pt_status pt__job_outcome_decode(pt__arena *arena, pt_bytes_view bytes, pt__job_outcome_record *out, pt_error *err);

/** Whether two requests ask the same: format, payload, options and tags. */
bool pt__job_request_same(const pt__job_request_record *a, const pt__job_request_record *b);

#endif

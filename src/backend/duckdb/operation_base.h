/**
 * What all operations of this backend have: an id, a state, why they failed, and a stream that ends with one of the two.
 *
 * Threads: the worker that runs the operation, but for its state, which any may ask for.
 */
#ifndef PT_BACKEND_DUCKDB_OPERATION_BASE_H
#define PT_BACKEND_DUCKDB_OPERATION_BASE_H

#include "backend/duckdb/helper.h"

#include <portico/arrow.h>
#include <portico/backend.h>

#include <stdatomic.h>

/** An operation starts with it; zeroed but for `base` and `stream`. */
typedef struct pt__operation {
    pt_operation base;
    const struct ArrowArrayStream *stream; /* the functions of its result; their private data is the operation */
    const char *id;
    _Atomic int state; /* a pt_operation_state */
    pt_error failure;
    pt__helped helped;
} pt__operation;

/* Members of pt_operation_vtable. */
const char *pt__operation_id(pt_operation *operation);
pt_status pt__operation_status(pt_operation *operation, pt_operation_state *out, pt_error *err);
pt_status pt__operation_result(pt_operation *operation, struct ArrowArrayStream *out, pt_error *err);
pt_status pt__operation_failure(pt_operation *operation, pt_error *err);

/** A stream's get_last_error. */
const char *pt__operation_stream_error(struct ArrowArrayStream *stream);

/** The state after a step that came to `status`, `is_end` when it was the last one; what the stream's function returns. */
int pt__operation_settle(pt__operation *operation, pt_status status, bool is_end);

#endif

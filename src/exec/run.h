/**
 * Running an analyzed relation, or an encoded query, on the session's backend; for files of src/exec.
 */
#ifndef PT_EXEC_RUN_H
#define PT_EXEC_RUN_H

#include "exec/state.h"
#include "exec/statement.h"

/**
 * What a result's rows are handed to, on the worker. Batches are moved: release them, or pass them on.
 */
typedef struct pt__row_sink {
    /** Once, before the first batch. `schema` is borrowed and valid until `end` has run. */
    pt_status (*begin)(void *context, const struct ArrowSchema *schema, pt_error *err);
    /** `is_borrowed`: the array is not to be released, and is gone after the call. */
    pt_status (*batch)(void *context, struct ArrowArray *batch, bool is_borrowed, pt_error *err);
    /** After the last batch, unless something failed. NULL: nothing to do. */
    pt_status (*end)(void *context, pt_error *err);
    void *context;
} pt__row_sink;

/**
 * What a backend is told about a query besides its plan; `zone` is the session's and must live as long. What the
 * session has set is looked up for wrappers only, into `arena` (NULL: left out). `job` may be NULL.
 */
pt_query pt__query_for(pt_session *session, const pt_job *job, pt__arena *arena, const char *zone);

/** Asks the wrappers whether the session may do that; PT_OK without wrappers. Blocks. */
pt_status pt__session_permit(pt_session *session, const pt_access *access, pt_error *err);

/** `job` may be NULL (analysis on behalf of no job): then it cannot be cancelled. */
pt_status pt__run_relation(pt_session *session, pt_job *job, const pt_plan *relation, const pt__row_sink *sink,
                           pt_error *err);

/** The same for a relation that was decoded from a query that the backend takes as it is, too. */
pt_status pt__run_checked(pt_job *job, const pt_plan *relation, const pt_encoded_query *encoded,
                          const pt__row_sink *sink, pt_error *err);

/** A query in a format of the backend's own; its schema is the backend's. */
pt_status pt__run_encoded(pt_job *job, const pt__statement_request *request, bool *is_update, const pt__row_sink *sink,
                          pt_error *err);

/** Rows that come from elsewhere. */
pt_status pt__run_stream(pt_job *job, struct ArrowArrayStream *stream, const pt__row_sink *sink, pt_error *err);

/** Whether the backend takes the format undecoded. */
bool pt__host_backend_accepts(const pt_host *host, const char *format);

/**
 * Runs an analyzed command on the backend; rows it may give are dropped. It is the last one of its job: that it was
 * carried out proves that all of the job was.
 */
pt_status pt__run_command(pt_job *job, const pt_plan *command, pt_error *err);

/** The same for one that gives_count; -1: the backend does not tell. */
pt_status pt__run_counting_command(pt_job *job, const pt_plan *command, int64_t *rows_written, pt_error *err);

/** One that others follow. */
pt_status pt__run_first_command(pt_job *job, const pt_plan *command, pt_error *err);

/** The sink that writes batches into the job's spool, at least one. `rows` is its state and outlives it. */
typedef struct pt__spool_sink {
    pt_job *job;
    const struct ArrowSchema *schema;
    bool wrote; /* a batch */
} pt__spool_sink;
pt__row_sink pt__spool_sink_init(pt__spool_sink *rows, pt_job *job);

#endif

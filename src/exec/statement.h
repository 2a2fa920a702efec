/**
 * Statements as clients of SQL bring them: prepared, with parameters, within transactions. They are in a dialect that
 * the backend takes undecoded, or in a format that has a decoder, which knows neither parameters nor transactions.
 *
 * Threads: blocking; on a worker.
 */
#ifndef PT_EXEC_STATEMENT_H
#define PT_EXEC_STATEMENT_H

#include "exec/job.h"
#include "exec/session.h"

typedef struct pt__statement_request {
    pt_encoded_query query;
    struct ArrowArrayStream *parameters; /* rows of values, by position; moved out of; NULL: none */
    void *transaction;                   /* of pt__session_begin; NULL: none */
    /** Called when the query has been decoded, or is given undecoded, before anything is done; NULL: not. */
    pt_status (*was_read)(pt_job *job, void *context, pt_error *err);
    void *was_read_context;
    const char *statement_id;            /* of one that is prepared first and executed then; NULL: none */
    bool (*is_cancelled)(void *context); /* of one that is only prepared: as that of pt_query; NULL: never */
    void *cancel_context;
    uint64_t batch_bytes; /* aim for the size of a batch; 0: the host's */
    /** Runs before the first batch is spooled; NULL: not asked for. */
    pt_status (*started)(void *context, bool is_update, pt_error *err);
    void *context;
} pt__statement_request;

/** What the statement is. `*out` as pt_backend_vtable.prepare gives it. */
pt_status pt__session_prepare(pt_session *session, const pt__statement_request *request, pt_statement_info *out,
                              pt_error *err);

/** Runs the statement and spools its rows as batches: at least one. */
pt_status pt__job_run_statement(pt_job *job, const pt__statement_request *request, pt_error *err);

/** Whether the job's backend takes the format undecoded. */
bool pt__job_backend_accepts(const pt_job *job, const char *format);
bool pt__session_backend_accepts(const pt_session *session, const char *format);

/** The rows of a statement in such a format as one whole IPC stream in memory. PT_LIMIT beyond result.collect-limit. */
pt_status pt__job_collect_statement(pt_job *job, const pt__statement_request *request, pt_bytes **ipc_stream,
                                    pt_error *err);

/** Spools the rows of a stream, which is left for the caller to release. */
pt_status pt__job_write_stream(pt_job *job, struct ArrowArrayStream *stream, pt_error *err);

/** Errors: PT_UNSUPPORTED when the backend has no transactions. */
pt_status pt__session_begin(pt_session *session, void **transaction, pt_error *err);
pt_status pt__session_end(pt_session *session, void *transaction, bool commit, pt_error *err);

/** Rows into a table (pt_ingest), all or nothing. */
pt_status pt__session_ingest(pt_session *session, const pt_ingest *request, struct ArrowArrayStream *rows,
                             int64_t *row_count, pt_error *err);

/** What the backend tells about its catalog (pt_metadata_request). */
pt_status pt__session_metadata(pt_session *session, const pt_metadata_request *request, struct ArrowArrayStream *out,
                               pt_error *err);

#endif

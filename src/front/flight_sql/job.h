/**
 * Jobs of this frontend: statements, ingestions, metadata. Each begins its output with a note that says what it is.
 */
#ifndef PT_FRONT_FLIGHT_SQL_JOB_H
#define PT_FRONT_FLIGHT_SQL_JOB_H

#include "front/flight_sql/intake.h"
#include "front/flight_sql/session.h"

/** The spool's notes of this frontend. */
enum {
    PT_FLIGHT_NOTE_KIND = 1, /* one byte: 0 rows, 1 an update; the first entry */
    PT_FLIGHT_NOTE_COUNT = 2 /* eight bytes, little-endian: rows written; ingestion */
};

/**
 * Starts a statement. `statement` may be NULL: `query` counts, within the transaction of that id (empty: none).
 * `parameters` (an IPC stream; NULL: none) is taken, success or failure.
 */
pt_status pt__flight_start_query(pt__flight_session *session, const char *query, pt_bytes_view transaction,
                                 pt_job **out, pt_error *err);
/** The same of a plan of Substrait. */
pt_status pt__flight_start_plan(pt__flight_session *session, pt_bytes_view plan, pt_bytes_view transaction,
                                pt_job **out, pt_error *err);
pt_status pt__flight_start_prepared(pt__flight_session *session, pt__flight_statement *statement,
                                    pt_bytes *take_parameters, pt_job **out, pt_error *err);

/** The same with values that are still coming: a reference, which is taken. */
pt_status pt__flight_start_batch(pt__flight_session *session, pt__flight_statement *statement,
                                 pt__flight_intake *take_parameters, pt_job **out, pt_error *err);

/** Starts an ingestion of rows that are still coming by a serialized CommandStatementIngest; both are taken. */
pt_status pt__flight_start_ingest(pt__flight_session *session, pt_bytes *take_command, pt__flight_intake *take_rows,
                                  pt_job **out, pt_error *err);

/** Starts what answers a metadata command (metadata.h), as its serialized Any, which is taken. */
pt_status pt__flight_start_metadata(pt__flight_session *session, pt_bytes *take_command, pt_job **out, pt_error *err);

/** Cancels the job and forgets its output. */
void pt__flight_drop_job(pt__flight_session *session, pt_job *job);

/** Rows of an IPC stream, which is taken. Everything in it is checked. */
pt_status pt__flight_ipc_stream(pt_bytes *take_bytes, struct ArrowArrayStream *out, pt_error *err);

#endif

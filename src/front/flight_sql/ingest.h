/**
 * Bulk ingestion: a CommandStatementIngest carried out.
 */
#ifndef PT_FRONT_FLIGHT_SQL_INGEST_H
#define PT_FRONT_FLIGHT_SQL_INGEST_H

#include "front/flight_sql/session.h"

/** `command` is the serialized command of the job, without its Any. Blocks. */
pt_status pt__flight_ingest(pt__flight_session *session, pt_job *job, pt_bytes_view command,
                            struct ArrowArrayStream *rows, int64_t *row_count, pt_error *err);

#endif

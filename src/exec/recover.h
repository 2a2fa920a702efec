/**
 * What frontends need for jobs that are on record.
 */
#ifndef PT_EXEC_RECOVER_H
#define PT_EXEC_RECOVER_H

#include "exec/job.h"

/** As pt_host_recover, of a job of that user and client's session only. */
pt_status pt__host_recover_for(pt_host *host, const char *user, const char *session_id, const char *job_id,
                               pt_job **out, pt_error *err);

/**
 * Before anything is run that reads, or writes, and is not run by the functions of exec/job.h, which do it themselves:
 * that is on record first. On the job's worker. Errors: the job is another node's by now; the store's.
 */
pt_status pt__job_begin(pt_job *job, pt_job_kind kind, pt_error *err);

#endif

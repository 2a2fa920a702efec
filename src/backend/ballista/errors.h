/**
 * Failures of a cluster: text alone, of which Spark's error is made where it is known.
 */
#ifndef PT_BACKEND_BALLISTA_ERRORS_H
#define PT_BACKEND_BALLISTA_ERRORS_H

#include <portico/error.h>

/** Of a job that has failed; `text` is the scheduler's. Returns the status that it wrote. */
pt_status pt__ballista_job_failed(const char *text, pt_error *err);

#endif

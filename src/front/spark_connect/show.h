/**
 * DataFrame.show() and notebooks' HTML view: the rows of a relation as one text.
 */
#ifndef PT_FRONT_SPARK_CONNECT_SHOW_H
#define PT_FRONT_SPARK_CONNECT_SHOW_H

#include "base/timezone.h"
#include "exec/session.h"

/**
 * Runs `show`'s input, one row more than it prints, and appends the text.
 * Errors:  those of analysis and the engine; PT_LIMIT when the cells need more memory than a plan may take.
 * Threads: the job's worker.
 */
pt_status pt__connect_show(pt_job *job, pt__zones *zones, const pt_plan_show *show, pt__buffer *out, pt_error *err);

/** Appends all rows of a settled relation, cells uncut. Errors and threads as above. */
pt_status pt__connect_show_all(pt_job *job, pt__zones *zones, const pt_plan *relation, pt__buffer *out, pt_error *err);

/** Name of the one column of the result: "show_string" or "html_string". */
const char *pt__connect_show_column(const pt_plan_show *show);

#endif

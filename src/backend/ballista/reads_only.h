/**
 * Whether a plan of DataFusion only reads, so that it may be run again.
 */
#ifndef PT_BACKEND_BALLISTA_READS_ONLY_H
#define PT_BACKEND_BALLISTA_READS_ONLY_H

#include <portico/bytes.h>

#include <stdbool.h>

/** `plan` is a LogicalPlanNode. False also for what is malformed, too deep or not known to read. */
bool pt__datafusion_reads_only(pt_bytes_view plan);

#endif

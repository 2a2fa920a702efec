/**
 * The formats of encoded queries that the program decodes.
 */
#ifndef PT_SERVER_FORMATS_H
#define PT_SERVER_FORMATS_H

#include "exec/job.h"

/**
 * Decodes `payload` for the job's session; the plan lives in the job's arena.
 * Errors: PT_UNSUPPORTED naming the formats that there are; those of the decoder.
 */
pt_status pt__format_decode(pt_job *job, const char *format, pt_bytes_view payload, const pt_plan **out, pt_error *err);

#endif

/**
 * What a job of ExecutePlan does on its worker: decode the plan, settle it, and write into the spool what the client
 * is to be sent.
 */
#ifndef PT_FRONT_SPARK_CONNECT_JOB_H
#define PT_FRONT_SPARK_CONNECT_JOB_H

#include "exec/session.h"
#include "front/spark_connect/mount.h"

/** Takes the reference to the serialized spark.connect.Plan, success or failure; NULL when memory is exhausted. */
void *pt__connect_job_new(pt__connect *mount, pt_bytes *take_plan, uint8_t chunk_exponent);
void pt__connect_job_free(void *context);

/** The `run` of a pt__job_request with that context. */
pt_status pt__connect_job_run(pt_job *job, void *context, pt_error *err);

#endif

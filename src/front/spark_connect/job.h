/**
 * What a job of ExecutePlan does on its worker: decode the plan, settle it, and write into the spool what the client
 * is to be sent.
 */
#ifndef PT_FRONT_SPARK_CONNECT_JOB_H
#define PT_FRONT_SPARK_CONNECT_JOB_H

#include "exec/session.h"
#include "front/spark_connect/mount.h"

/** The format of the plans of ExecutePlan, and the option that says how large the chunks of batches are to be. */
#define PT_CONNECT_FORMAT "spark.connect.plan.v1"
#define PT_CONNECT_CHUNK_OPTION "chunk-exponent"

/** Jobs of that format that were on record run again as they ran first (pt__job_runner). */
pt_status pt__connect_job_prepare(void *mount, const pt_encoded_query *query, pt__job_request *out, pt_error *err);

/** Takes the reference to the serialized spark.connect.Plan, success or failure; NULL when memory is exhausted. */
void *pt__connect_job_new(pt__connect *mount, pt_bytes *take_plan, uint8_t chunk_exponent);
void pt__connect_job_free(void *context);

/** The `run` of a pt__job_request with that context. */
pt_status pt__connect_job_run(pt_job *job, void *context, pt_error *err);

#endif

/**
 * Structured streaming: the commands that start, ask and stop streaming queries, and the sinks these write to.
 *
 * Threads: a worker.
 */
#ifndef PT_FRONT_SPARK_CONNECT_STREAMING_H
#define PT_FRONT_SPARK_CONNECT_STREAMING_H

#include "decode/spark_connect/message.h"
#include "exec/streams.h"
#include "front/spark_connect/mount.h"

/** What a command has for the client: a field of ExecutePlanResponse. In the job's arena. */
typedef struct pt__connect_stream_answer {
    uint32_t field;
    const ProtobufCMessage *message; /* NULL: the command is not one of streaming */
} pt__connect_stream_answer;

/** Errors: those of the query's analysis; PT_UNSUPPORTED naming what is not done. */
pt_status pt__connect_streaming(pt_job *job, pt__connect *mount, const Spark__Connect__Command *command,
                                pt__connect_stream_answer *out, pt_error *err);

#endif

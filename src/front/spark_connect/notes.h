/**
 * What a Spark Connect job writes into its spool besides batches.
 */
#ifndef PT_FRONT_SPARK_CONNECT_NOTES_H
#define PT_FRONT_SPARK_CONNECT_NOTES_H

enum {
    /** The first entry of every spool, not sent: one byte, the exponent of the chunk size or 0. */
    PT_CONNECT_NOTE_OPTIONS,
    /** Fields of an ExecutePlanResponse, serialized; the ids are put before them when it is sent. */
    PT_CONNECT_NOTE_FIELDS
};

/** Field numbers of spark.connect.ExecutePlanResponse and of its ArrowBatch. */
enum {
    PT_CONNECT_SESSION_ID = 1,
    PT_CONNECT_ARROW_BATCH = 2,
    PT_CONNECT_METRICS = 4,
    PT_CONNECT_SQL_COMMAND_RESULT = 5,
    PT_CONNECT_OBSERVED_METRICS = 6,
    PT_CONNECT_SCHEMA = 7,
    PT_CONNECT_STREAM_START_RESULT = 8,
    PT_CONNECT_STREAM_RESULT = 9,
    PT_CONNECT_GET_RESOURCES_RESULT = 10,
    PT_CONNECT_STREAM_MANAGER_RESULT = 11,
    PT_CONNECT_OPERATION_ID = 12,
    PT_CONNECT_RESPONSE_ID = 13,
    PT_CONNECT_RESULT_COMPLETE = 14,
    PT_CONNECT_SERVER_SESSION_ID = 15,
    PT_CONNECT_EXECUTION_PROGRESS = 18,
    PT_CONNECT_CHECKPOINT_RESULT = 19,
    PT_CONNECT_ML_RESULT = 20,

    PT_CONNECT_BATCH_ROW_COUNT = 1,
    PT_CONNECT_BATCH_DATA = 2,
    PT_CONNECT_BATCH_START_OFFSET = 3,
    PT_CONNECT_BATCH_CHUNK_INDEX = 4,
    PT_CONNECT_BATCH_CHUNK_COUNT = 5
};

#endif

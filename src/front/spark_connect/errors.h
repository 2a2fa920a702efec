/**
 * Errors as Spark Connect clients read them: a gRPC status whose details name the Java classes, the condition and an
 * id under which FetchErrorDetails gives the rest.
 *
 * This is the one place where a pt_status becomes a gRPC code and a condition's kind becomes exception classes.
 *
 * Spec: google.rpc.Status and ErrorInfo in grpc-status-details-bin, as Apache Spark 4.2 fills them.
 */
#ifndef PT_FRONT_SPARK_CONNECT_ERRORS_H
#define PT_FRONT_SPARK_CONNECT_ERRORS_H

#include "base/buffer.h"

#include <portico/call.h>

/** A status ready to be sent; buffers are the owner's to end with deinit. */
typedef struct pt__connect_failure {
    pt_grpc_code code;
    pt__buffer message; /* cut to what the trailers can carry */
    pt__buffer details;
} pt__connect_failure;

/** `error_id` may be NULL: there is nothing to fetch. The trailers stay below 8 KiB as encoded. */
void pt__connect_failure_init(pt__connect_failure *out, const pt_error *err, const char *error_id);
void pt__connect_failure_deinit(pt__connect_failure *failure);

/** Borrowed from `failure`. */
pt_call_status pt__connect_failure_status(pt__connect_failure *failure);

/** Java classes from the most specific one to java.lang.Object, ended by NULL. */
const char *const *pt__connect_error_classes(const pt_error *err);

/** The whole message with the places concerned, as the JVM's getMessage gives it. */
void pt__connect_append_message(pt__buffer *out, const pt_error *err);

/** Whether the error's contexts are told in its message only: syntax errors. */
bool pt__connect_is_syntax_error(const pt_error *err);

/** Condition and SQLSTATE; those that the status stands for when the error names none. "" when there are none. */
const char *pt__connect_error_condition(const pt_error *err);
const char *pt__connect_error_sqlstate(const pt_error *err);

#endif

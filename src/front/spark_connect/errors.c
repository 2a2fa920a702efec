#include "front/spark_connect/errors.h"

#include "base/condition.h"
#include "base/json.h"
#include "front/spark_connect/error_context.h"
#include "wire/proto.h"

#include <string.h>

/*
 * Encoded sizes: grpc-message triples bytes that it escapes, details are base64. Python's gRPC takes 8 KiB of
 * metadata by default; the rest is left to the other trailers and to what proxies add.
 */
enum {
    MESSAGE_CHARACTERS_MAX = 2048,
    MESSAGE_ENCODED_MAX = 5200, /* grpc-message, and once more inside the details */
    METADATA_MAX = 1280,        /* of ErrorInfo, before base64 */
    CLASSES_MAX = 8
};

static const char *const CLASSES[][CLASSES_MAX] = {
    [PT_ERROR_KIND_PARSE] = {"org.apache.spark.sql.catalyst.parser.ParseException",
                             "org.apache.spark.sql.AnalysisException", "java.lang.Exception", "java.lang.Throwable",
                             "java.lang.Object"},
    [PT_ERROR_KIND_ANALYSIS] = {"org.apache.spark.sql.catalyst.ExtendedAnalysisException",
                                "org.apache.spark.sql.AnalysisException", "java.lang.Exception", "java.lang.Throwable",
                                "java.lang.Object"},
    [PT_ERROR_KIND_ARITHMETIC] = {"org.apache.spark.SparkArithmeticException", "java.lang.ArithmeticException",
                                  "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable",
                                  "java.lang.Object"},
    [PT_ERROR_KIND_NUMBER_FORMAT] = {"org.apache.spark.SparkNumberFormatException", "java.lang.NumberFormatException",
                                     "java.lang.IllegalArgumentException", "java.lang.RuntimeException",
                                     "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_DATE_TIME] = {"org.apache.spark.SparkDateTimeException", "java.time.DateTimeException",
                                 "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable",
                                 "java.lang.Object"},
    [PT_ERROR_KIND_ARRAY_INDEX] = {"org.apache.spark.SparkArrayIndexOutOfBoundsException",
                                   "java.lang.ArrayIndexOutOfBoundsException", "java.lang.IndexOutOfBoundsException",
                                   "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable",
                                   "java.lang.Object"},
    [PT_ERROR_KIND_ILLEGAL_ARGUMENT] = {"org.apache.spark.SparkIllegalArgumentException",
                                        "java.lang.IllegalArgumentException", "java.lang.RuntimeException",
                                        "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_RUNTIME] = {"org.apache.spark.SparkRuntimeException", "java.lang.RuntimeException",
                               "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_SPARK] = {"org.apache.spark.SparkException", "java.lang.Exception", "java.lang.Throwable",
                             "java.lang.Object"},
    [PT_ERROR_KIND_NO_SUCH_ELEMENT] = {"org.apache.spark.SparkNoSuchElementException",
                                       "java.util.NoSuchElementException", "java.lang.RuntimeException",
                                       "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_UNSUPPORTED] = {"org.apache.spark.SparkUnsupportedOperationException",
                                   "java.lang.UnsupportedOperationException", "java.lang.RuntimeException",
                                   "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_INVALID_PLAN] = {"org.apache.spark.sql.connect.common.InvalidPlanInput",
                                    "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable",
                                    "java.lang.Object"},
    [PT_ERROR_KIND_PYTHON] = {"org.apache.spark.api.python.PythonException", "java.lang.RuntimeException",
                              "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_UPGRADE] = {"org.apache.spark.SparkUpgradeException", "java.lang.RuntimeException",
                               "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_SQL] = {"org.apache.spark.SparkSQLException", "java.sql.SQLException", "java.lang.Exception",
                           "java.lang.Throwable", "java.lang.Object"},
    [PT_ERROR_KIND_SECURITY] = {"org.apache.spark.SparkSecurityException", "java.lang.SecurityException",
                                "java.lang.RuntimeException", "java.lang.Exception", "java.lang.Throwable",
                                "java.lang.Object"},
    [PT_ERROR_KIND_CLASS_NOT_FOUND] = {"org.apache.spark.SparkClassNotFoundException",
                                       "java.lang.ClassNotFoundException", "java.lang.ReflectiveOperationException",
                                       "java.lang.Exception", "java.lang.Throwable", "java.lang.Object"},
};

/* ---- what a status means: code, and kind and condition of errors that name no condition ---- */

static pt_grpc_code code_of(pt_status status)
{
    switch (status) {
    case PT_OK: return PT_GRPC_OK;
    case PT_UNAUTHENTICATED: return PT_GRPC_UNAUTHENTICATED;
    case PT_PERMISSION_DENIED: return PT_GRPC_PERMISSION_DENIED;
    case PT_LIMIT: return PT_GRPC_RESOURCE_EXHAUSTED;
    case PT_UNAVAILABLE: return PT_GRPC_UNAVAILABLE;
    case PT_NEED_MORE:
    case PT_BAD_MESSAGE: return PT_GRPC_INVALID_ARGUMENT;
    case PT_INVALID_ARGUMENT:
    case PT_BAD_PLAN:
    case PT_BAD_SQL:
    case PT_ANALYSIS:
    case PT_EXECUTION:
    case PT_NOT_FOUND:
    case PT_ALREADY_EXISTS:
    case PT_UNSUPPORTED:
    case PT_NO_MEMORY:
    case PT_CANCELLED:
    case PT_TIMEOUT:
    case PT_IO:
    case PT_INTERNAL:
    case PT_INTERRUPTED:
    case PT_STATUS_COUNT: return PT_GRPC_INTERNAL; /* as the reference does for whatever Spark itself reports */
    }
    return PT_GRPC_INTERNAL;
}

static pt__error_kind kind_of_status(pt_status status)
{
    switch (status) {
    case PT_BAD_SQL: return PT_ERROR_KIND_PARSE;
    case PT_ANALYSIS:
    case PT_NOT_FOUND:
    case PT_ALREADY_EXISTS: return PT_ERROR_KIND_ANALYSIS;
    case PT_UNSUPPORTED: return PT_ERROR_KIND_UNSUPPORTED;
    case PT_BAD_PLAN:
    case PT_BAD_MESSAGE: return PT_ERROR_KIND_INVALID_PLAN;
    case PT_INVALID_ARGUMENT: return PT_ERROR_KIND_ILLEGAL_ARGUMENT;
    case PT_CANCELLED:
    case PT_TIMEOUT: return PT_ERROR_KIND_SQL;
    case PT_EXECUTION: return PT_ERROR_KIND_RUNTIME;
    case PT_OK:
    case PT_NEED_MORE:
    case PT_UNAUTHENTICATED:
    case PT_PERMISSION_DENIED:
    case PT_LIMIT:
    case PT_NO_MEMORY:
    case PT_UNAVAILABLE:
    case PT_IO:
    case PT_INTERNAL:
    case PT_INTERRUPTED:
    case PT_STATUS_COUNT: return PT_ERROR_KIND_SPARK;
    }
    return PT_ERROR_KIND_SPARK;
}

static pt__error_kind kind_of(const pt_error *err)
{
    const pt__condition *condition = err->condition[0] == '\0' ? NULL : pt__condition_find(err->condition);
    return condition == NULL ? kind_of_status(err->status) : condition->kind;
}

const char *const *pt__connect_error_classes(const pt_error *err)
{
    return CLASSES[kind_of(err)];
}

/* Errors about the text itself point at a token; others of the parser at what was read, as all errors do. */
bool pt__connect_is_syntax_error(const pt_error *err)
{
    static const char *const CONDITIONS[] = {"PARSE_SYNTAX_ERROR", "PARSE_EMPTY_STATEMENT", "INVALID_IDENTIFIER"};
    for (size_t i = 0; i < sizeof(CONDITIONS) / sizeof(CONDITIONS[0]); i++) {
        if (strcmp(err->condition, CONDITIONS[i]) == 0)
            return true;
    }
    return false;
}

const char *pt__connect_error_condition(const pt_error *err)
{
    if (err->condition[0] == '\0' && err->status == PT_CANCELLED)
        return "OPERATION_CANCELED";
    return err->condition;
}

const char *pt__connect_error_sqlstate(const pt_error *err)
{
    if (err->sqlstate[0] == '\0' && err->status == PT_CANCELLED)
        return "HY008";
    return err->sqlstate;
}

/* ---- the message ---- */

static void append_analysis_place(pt__buffer *out, const pt_error_context *context)
{
    int32_t line;
    int32_t position;
    pt__connect_context_position(context, &line, &position);
    pt__buffer_printf(out, "; line %d pos %d", line, position);
}

static void append_places(pt__buffer *out, const pt_error *err, pt__error_kind kind)
{
    pt_error_context context;
    for (size_t i = 0; pt_error_context_at(err, i, &context); i++) {
        if (context.is_sql && pt__connect_is_syntax_error(err)) {
            pt__connect_append_syntax_place(out, &context);
        } else if (kind == PT_ERROR_KIND_ANALYSIS) {
            if (context.is_sql)
                append_analysis_place(out, &context);
        } else {
            pt__buffer_append_byte(out, '\n');
            pt__connect_append_context(out, &context);
        }
    }
}

void pt__connect_append_message(pt__buffer *out, const pt_error *err)
{
    pt__error_kind kind = kind_of(err);
    if (kind == PT_ERROR_KIND_PARSE)
        pt__buffer_append_byte(out, '\n');
    pt__buffer_append_string(out, pt_error_full_message(err));
    append_places(out, err, kind);
}

/* Percent-encoding in grpc-message, and base64 inside the details. */
static size_t encoded_cost(uint8_t byte)
{
    bool is_plain = byte >= 0x20 && byte <= 0x7E && byte != '%';
    return (is_plain ? 3 : 9) + 4; /* thirds of a byte */
}

/* Cuts the message to what the trailers can carry, before a character of UTF-8. */
static void cut_message(pt__buffer *message)
{
    size_t cost = 0;
    size_t characters = 0;
    size_t end = 0;
    for (size_t i = 0; i < message->size_bytes; i++) {
        if ((message->data[i] & 0xC0) != 0x80) {
            characters++;
            end = i;
        }
        cost += encoded_cost(message->data[i]);
        if (cost > (size_t)MESSAGE_ENCODED_MAX * 3 || characters > MESSAGE_CHARACTERS_MAX) {
            message->size_bytes = end;
            pt__buffer_append_string(message, "...");
            return;
        }
    }
}

/* ---- details ---- */

static void append_classes(pt__buffer *out, const pt_error *err)
{
    const char *const *classes = pt__connect_error_classes(err);
    pt__buffer_append_byte(out, '[');
    for (size_t i = 0; classes[i] != NULL; i++) {
        if (i > 0)
            pt__buffer_append_byte(out, ',');
        pt__json_append_cstring(out, classes[i]);
    }
    pt__buffer_append_byte(out, ']');
}

static void append_parameters(pt__buffer *out, const pt_error *err)
{
    const char *name;
    const char *value;
    pt__buffer_append_byte(out, '{');
    for (size_t i = 0; pt_error_parameter(err, i, &name, &value); i++) {
        if (i > 0)
            pt__buffer_append_byte(out, ',');
        pt__json_append_cstring(out, name);
        pt__buffer_append_byte(out, ':');
        pt__json_append_cstring(out, value);
    }
    pt__buffer_append_byte(out, '}');
}

/* google.rpc.ErrorInfo: reason 1, domain 2, metadata 3 {key 1, value 2}. */
static void append_metadata(pt__buffer *out, const char *key, const char *value, size_t limit)
{
    size_t key_size = strlen(key);
    size_t value_size = strlen(value);
    if (value_size == 0 || out->size_bytes + key_size + value_size > limit)
        return; /* the client takes what is missing from FetchErrorDetails */
    size_t entry = 2 + pt__proto_varint_size(key_size) + key_size + pt__proto_varint_size(value_size) + value_size;
    pt__proto_append_header(out, 3, entry);
    pt__proto_append_string(out, 1, key);
    pt__proto_append_string(out, 2, value);
}

static void append_error_info(pt__buffer *out, const pt_error *err, const char *error_id)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__proto_append_string(out, 1, pt__connect_error_classes(err)[0]);
    pt__proto_append_string(out, 2, "org.apache.spark");
    append_classes(&text, err);
    append_metadata(out, "classes", pt__buffer_string(&text), SIZE_MAX);
    append_metadata(out, "errorId", error_id == NULL ? "" : error_id, SIZE_MAX);
    append_metadata(out, "sqlState", pt__connect_error_sqlstate(err), SIZE_MAX);
    append_metadata(out, "errorClass", pt__connect_error_condition(err), METADATA_MAX);
    pt__buffer_reset(&text);
    append_parameters(&text, err);
    if (pt_error_parameter_count(err) > 0)
        append_metadata(out, "messageParameters", pt__buffer_string(&text), METADATA_MAX);
    pt__buffer_deinit(&text);
}

/* google.rpc.Status: code 1, message 2, details 3 google.protobuf.Any {type_url 1, value 2}. */
static void append_status(pt__buffer *out, pt_grpc_code code, pt__buffer *message, const pt_error *err,
                          const char *error_id)
{
    pt__buffer info = PT_BUFFER_INIT;
    pt__buffer any = PT_BUFFER_INIT;
    append_error_info(&info, err, error_id);
    pt__proto_append_string(&any, 1, "type.googleapis.com/google.rpc.ErrorInfo");
    pt__proto_append_bytes(&any, 2, pt__buffer_view(&info));
    pt__proto_append_integer(out, 1, code);
    pt__proto_append_string(out, 2, pt__buffer_string(message));
    pt__proto_append_bytes(out, 3, pt__buffer_view(&any));
    if (info.failed || any.failed)
        out->failed = true;
    pt__buffer_deinit(&any);
    pt__buffer_deinit(&info);
}

void pt__connect_failure_init(pt__connect_failure *out, const pt_error *err, const char *error_id)
{
    *out = (pt__connect_failure){code_of(err->status), PT_BUFFER_INIT, PT_BUFFER_INIT};
    pt__connect_append_message(&out->message, err);
    cut_message(&out->message);
    append_status(&out->details, out->code, &out->message, err, error_id);
}

void pt__connect_failure_deinit(pt__connect_failure *failure)
{
    pt__buffer_deinit(&failure->message);
    pt__buffer_deinit(&failure->details);
}

pt_call_status pt__connect_failure_status(pt__connect_failure *failure)
{
    pt_call_status status = {failure->code, pt__buffer_string(&failure->message), {NULL, 0}};
    if (!failure->details.failed)
        status.details = pt__buffer_view(&failure->details);
    return status;
}

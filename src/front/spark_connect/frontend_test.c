#include <portico/spark_connect.h>

#include "base/test.h"
#include "base/unconst.h"
#include "front/test_call.h"
#include "spark/connect/base.pb-c.h"

#include <portico/host.h>

#include <stdlib.h>
#include <string.h>

static const char SESSION[] = "0190b8a2-5c3e-4d4f-8a6b-1c2d3e4f5a6b";

/* A host without backends, the mounted frontend, and a mailbox that the test runs itself. */
typedef struct fixture {
    pt_host *host;
    pt_mailbox *mailbox;
    void *mount;
} fixture;

static void ignore_wake(void *context)
{
    (void)context;
}

static bool setup(fixture *f)
{
    pt_host_options options = {.size_bytes = sizeof(options)};
    return pt_host_new(&options, &f->host, NULL) == PT_OK &&
           pt_mailbox_new(ignore_wake, NULL, &f->mailbox, NULL) == PT_OK &&
           pt_frontend_spark_connect.open(f->host, NULL, &f->mount, NULL) == PT_OK;
}

static void teardown(fixture *f)
{
    pt_frontend_spark_connect.close(f->mount);
    pt_host_free(f->host);
    pt_mailbox_free(f->mailbox);
}

/* One request, then the end of the client's side. */
static void ask_bytes(fixture *f, pt__test_call *call, const char *method_name, pt_bytes_view request)
{
    const pt_method *method = pt__test_method(method_name);
    pt__test_call_init(call, f->mailbox);
    method->message(f->mount, &call->base, request);
    method->half_closed(f->mount, &call->base);
    PT_CHECK(pt__test_call_await(call));
}

static void ask(fixture *f, pt__test_call *call, const char *method_name, const ProtobufCMessage *request)
{
    uint8_t *packed = malloc(protobuf_c_message_get_packed_size(request) + 1);
    size_t size = protobuf_c_message_pack(request, packed);
    ask_bytes(f, call, method_name, (pt_bytes_view){packed, size});
    free(packed);
}

static Spark__Connect__ConfigResponse *ask_config(fixture *f, Spark__Connect__ConfigRequest__Operation *operation)
{
    pt__test_call call;
    Spark__Connect__ConfigRequest request = SPARK__CONNECT__CONFIG_REQUEST__INIT;
    request.session_id = pt__unconst(SESSION);
    request.operation = operation;
    ask(f, &call, "Config", &request.base);
    Spark__Connect__ConfigResponse *response = NULL;
    if (call.code == PT_GRPC_OK && call.message_count == 1)
        response = spark__connect__config_response__unpack(NULL, call.messages[0].size_bytes, call.messages[0].data);
    pt__test_call_end(&call, pt__test_method("Config"), f->mount);
    return response;
}

PT_TEST(spark_connect_config_sets_and_gets)
{
    fixture f;
    PT_REQUIRE(setup(&f));
    Spark__Connect__KeyValue pair = SPARK__CONNECT__KEY_VALUE__INIT;
    pair.key = pt__unconst("my.key");
    pair._value_case = SPARK__CONNECT__KEY_VALUE___VALUE_VALUE;
    pair.value = pt__unconst("v1");
    Spark__Connect__KeyValue *pairs[] = {&pair};
    Spark__Connect__ConfigRequest__Set set = SPARK__CONNECT__CONFIG_REQUEST__SET__INIT;
    set.n_pairs = 1;
    set.pairs = pairs;
    Spark__Connect__ConfigRequest__Operation operation = SPARK__CONNECT__CONFIG_REQUEST__OPERATION__INIT;
    operation.op_type_case = SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_SET;
    operation.set = &set;
    Spark__Connect__ConfigResponse *response = ask_config(&f, &operation);
    PT_CHECK(response != NULL && strcmp(response->session_id, SESSION) == 0);
    spark__connect__config_response__free_unpacked(response, NULL);

    char *keys[] = {pt__unconst("my.key")};
    Spark__Connect__ConfigRequest__Get get = SPARK__CONNECT__CONFIG_REQUEST__GET__INIT;
    get.n_keys = 1;
    get.keys = keys;
    operation.op_type_case = SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_GET;
    operation.get = &get;
    response = ask_config(&f, &operation);
    PT_CHECK(response != NULL && response->n_pairs == 1 && strcmp(response->pairs[0]->value, "v1") == 0);
    spark__connect__config_response__free_unpacked(response, NULL);
    teardown(&f);
}

/* The id that an error's details hold: it stands behind its key in the serialized ErrorInfo. */
static bool find_error_id(const pt__buffer *details, char id[37])
{
    const uint8_t *key = memmem(details->data, details->size_bytes, "errorId", 7);
    if (key == NULL || key + 9 + 36 > details->data + details->size_bytes)
        return false;
    memcpy(id, key + 9, 36);
    id[36] = '\0';
    return true;
}

static Spark__Connect__FetchErrorDetailsResponse *fetch(fixture *f, char *id)
{
    pt__test_call call;
    Spark__Connect__FetchErrorDetailsRequest request = SPARK__CONNECT__FETCH_ERROR_DETAILS_REQUEST__INIT;
    request.session_id = pt__unconst(SESSION);
    request.error_id = id;
    ask(f, &call, "FetchErrorDetails", &request.base);
    Spark__Connect__FetchErrorDetailsResponse *response =
        spark__connect__fetch_error_details_response__unpack(NULL, call.messages[0].size_bytes, call.messages[0].data);
    pt__test_call_end(&call, pt__test_method("FetchErrorDetails"), f->mount);
    return response;
}

PT_TEST(spark_connect_error_details_are_fetched_once)
{
    fixture f;
    PT_REQUIRE(setup(&f));
    pt__test_call call;
    char *keys[] = {pt__unconst("no.such.key")};
    Spark__Connect__ConfigRequest__Get get = SPARK__CONNECT__CONFIG_REQUEST__GET__INIT;
    get.n_keys = 1;
    get.keys = keys;
    Spark__Connect__ConfigRequest__Operation operation = SPARK__CONNECT__CONFIG_REQUEST__OPERATION__INIT;
    operation.op_type_case = SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_GET;
    operation.get = &get;
    Spark__Connect__ConfigRequest request = SPARK__CONNECT__CONFIG_REQUEST__INIT;
    request.session_id = pt__unconst(SESSION);
    request.operation = &operation;
    ask(&f, &call, "Config", &request.base);
    PT_CHECK_EQ(call.code, PT_GRPC_INTERNAL);
    PT_CHECK(strstr(pt__buffer_string(&call.status_message), "[SQL_CONF_NOT_FOUND]") != NULL);
    char id[37];
    PT_REQUIRE(find_error_id(&call.details, id));
    pt__test_call_end(&call, pt__test_method("Config"), f.mount);
    Spark__Connect__FetchErrorDetailsResponse *details = fetch(&f, id);
    PT_REQUIRE(details != NULL && details->n_errors == 1);
    PT_CHECK_STR(details->errors[0]->spark_throwable->error_class, "SQL_CONF_NOT_FOUND");
    PT_CHECK_STR(details->errors[0]->error_type_hierarchy[0], "org.apache.spark.SparkNoSuchElementException");
    spark__connect__fetch_error_details_response__free_unpacked(details, NULL);
    details = fetch(&f, id);
    PT_CHECK(details != NULL && details->n_errors == 0);
    spark__connect__fetch_error_details_response__free_unpacked(details, NULL);
    teardown(&f);
}

PT_TEST(spark_connect_refuses_malformed_requests)
{
    static const char *const NAMES[] = {"AddArtifacts", "AnalyzePlan",     "ArtifactStatus",    "CloneSession",
                                        "Config",       "ExecutePlan",     "FetchErrorDetails", "GetStatus",
                                        "Interrupt",    "ReattachExecute", "ReleaseExecute",    "ReleaseSession"};
    fixture f;
    PT_REQUIRE(setup(&f));
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        pt__test_call call;
        ask_bytes(&f, &call, NAMES[i], (pt_bytes_view){(const uint8_t *)"\x0a\x7fshort", 7});
        PT_CHECK_EQ(call.code, PT_GRPC_INVALID_ARGUMENT);
        pt__test_call_end(&call, pt__test_method(NAMES[i]), f.mount);
        pt__test_call_init(&call, f.mailbox);
        pt__test_method(NAMES[i])->half_closed(f.mount, &call.base); /* no request at all */
        PT_CHECK(call.is_finished && call.code == PT_GRPC_INVALID_ARGUMENT);
        pt__test_call_end(&call, pt__test_method(NAMES[i]), f.mount);
    }
    teardown(&f);
}

PT_TEST(spark_connect_session_ids_are_uuids)
{
    fixture f;
    PT_REQUIRE(setup(&f));
    pt__test_call call;
    Spark__Connect__InterruptRequest request = SPARK__CONNECT__INTERRUPT_REQUEST__INIT;
    request.session_id = pt__unconst("nonsense");
    ask(&f, &call, "Interrupt", &request.base);
    PT_CHECK_EQ(call.code, PT_GRPC_INTERNAL);
    PT_CHECK(memmem(call.details.data, call.details.size_bytes, "INVALID_HANDLE.FORMAT", 21) != NULL);
    PT_CHECK(memmem(call.details.data, call.details.size_bytes, "errorId", 7) == NULL);
    pt__test_call_end(&call, pt__test_method("Interrupt"), f.mount);
    teardown(&f);
}

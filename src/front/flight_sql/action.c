/* DoAction, ListActions and GetSchema. */
#include "base/unconst.h"
#include "exec/ipc_writer.h"
#include "front/flight/errors.h"
#include "front/flight/message.h"
#include "front/flight_sql/calls.h"
#include "front/flight_sql/command.h"
#include "front/flight_sql/metadata.h"
#include "front/flight_sql/task.h"
#include "front/flight_sql/ticket.h"
#include "wire/proto.h"

#include <arrow/flight.pb-c.h>
#include <arrow/flight_sql.pb-c.h>
#include <nanoarrow/nanoarrow.h>
#include <stdlib.h>
#include <string.h>

static ProtobufCBinaryData view_of(pt_bytes *bytes)
{
    pt_bytes_view view = bytes == NULL ? (pt_bytes_view){NULL, 0} : pt_bytes_get_view(bytes);
    return (ProtobufCBinaryData){view.size_bytes, pt__unconst(view.data)};
}

/* ---- answers ---- */

/* A Result with these bytes, which are taken. */
static pt_status answer_bytes(pt__flight_task *task, pt_bytes *body, pt_error *err)
{
    Arrow__Flight__Protocol__Result result = ARROW__FLIGHT__PROTOCOL__RESULT__INIT;
    if (body == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an answer");
    result.body = view_of(body);
    pt_bytes *message = pt__flight_pack(&result.base);
    pt_bytes_unref(body);
    return pt__flight_task_answer(task, message, err);
}

static pt_status answer(pt__flight_task *task, const ProtobufCMessage *message, pt_error *err)
{
    return answer_bytes(task, pt__flight_pack(message), err);
}

static pt_status answer_any(pt__flight_task *task, const char *name, const ProtobufCMessage *message, pt_error *err)
{
    return answer_bytes(task, pt__flight_pack_any(name, message), err);
}

/* The message of an action of Flight SQL, out of its Any. */
static pt_status unpack_any(pt__flight_task *task, pt_bytes_view body, const ProtobufCMessageDescriptor *descriptor,
                            ProtobufCMessage **out, pt_error *err)
{
    pt__flight_command command;
    PT_TRY(pt__flight_command_read(task->arena, body, &command, err));
    return pt__flight_command_unpack(task->arena, &command, descriptor, out, err);
}

static pt_bytes_view bytes_of(const ProtobufCBinaryData *data)
{
    return (pt_bytes_view){data->data, data->len};
}

/* ---- prepared statements ---- */

/* A schema as the encapsulated message that protobuf fields carry; NULL for none. */
static pt_status encode_schema(const struct ArrowSchema *schema, pt_bytes **out, pt_error *err)
{
    *out = NULL;
    return schema->release == NULL ? PT_OK : pt__ipc_schema_message(schema, out, err);
}

/* JDBC binds strictly by the announced types, and nothing but NULL by the null type. */
static pt_status make_text_of_unknown(struct ArrowSchema *parameters, pt_error *err)
{
    PT_TRY(pt__flight_own_schema(parameters, err));
    for (int64_t i = 0; i < parameters->n_children; i++) {
        struct ArrowSchema *parameter = parameters->children[i];
        if (strcmp(parameter->format, "n") == 0 && ArrowSchemaSetType(parameter, NANOARROW_TYPE_STRING) != NANOARROW_OK)
            return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
    }
    return PT_OK;
}

static pt_status describe(const pt__flight_task *task, pt__flight_statement *statement, pt_statement_info *info,
                          pt_error *err)
{
    statement->is_update = info->is_update;
    if (!info->is_update)
        PT_TRY(encode_schema(&info->result, &statement->dataset_schema, err));
    statement->is_constant = info->is_constant && statement->dataset_schema != NULL;
    if (info->parameters.release == NULL || info->parameters.n_children == 0)
        return PT_OK;
    if (task->is_java)
        PT_TRY(make_text_of_unknown(&info->parameters, err));
    return encode_schema(&info->parameters, &statement->parameter_schema, err);
}

static pt_status prepare(pt__flight_task *task, pt__flight_statement *statement, pt_error *err)
{
    pt_statement_info info;
    const char *id = statement->transaction;
    pt__statement_request request = {.query = pt__flight_statement_query(task->session, statement),
                                     .statement_id = statement->handle,
                                     .is_cancelled = pt__flight_task_is_cancelled,
                                     .cancel_context = task};
    PT_TRY(pt__flight_transaction(task->session, (pt_bytes_view){(const uint8_t *)id, strlen(id)}, &request.transaction,
                                  err));
    PT_TRY(pt__session_prepare(task->session->session, &request, &info, err));
    pt_status status = describe(task, statement, &info, err);
    if (info.result.release != NULL)
        info.result.release(&info.result);
    if (info.parameters.release != NULL)
        info.parameters.release(&info.parameters);
    return status;
}

static pt_status answer_statement(pt__flight_task *task, const pt__flight_statement *statement, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__ActionCreatePreparedStatementResult result =
        ARROW__FLIGHT__PROTOCOL__SQL__ACTION_CREATE_PREPARED_STATEMENT_RESULT__INIT;
    result.prepared_statement_handle =
        (ProtobufCBinaryData){PT_FLIGHT_HANDLE_BYTES - 1, pt__unconst(statement->handle)};
    result.dataset_schema = view_of(statement->dataset_schema);
    result.parameter_schema = view_of(statement->parameter_schema);
    result._is_update_case =
        ARROW__FLIGHT__PROTOCOL__SQL__ACTION_CREATE_PREPARED_STATEMENT_RESULT___IS_UPDATE_IS_UPDATE;
    result.is_update = statement->is_update;
    return answer_any(task, "ActionCreatePreparedStatementResult", &result.base, err);
}

/* Takes the reference to the statement, whose text or plan is NULL when memory is exhausted. */
static pt_status add_prepared(pt__flight_task *task, pt__flight_statement *statement, pt_error *err)
{
    atomic_init(&statement->references, 2); /* ours, and the session's */
    pt__flight_handle_make(statement->handle);
    bool has_query = statement->query != NULL || statement->plan != NULL;
    pt_status status = has_query ? prepare(task, statement, err)
                                 : pt_error_set(err, PT_NO_MEMORY, "no memory for a prepared statement");
    if (status == PT_OK)
        status = pt__flight_statement_add(task->session, statement, err);
    else
        pt__flight_statement_unref(statement);
    if (status == PT_OK)
        status = answer_statement(task, statement, err);
    pt__flight_statement_unref(statement);
    return status;
}

/* In the transaction of that id; empty: in none. */
static pt_status new_prepared(pt_bytes_view transaction, pt__flight_statement **out, pt_error *err)
{
    if (transaction.size_bytes >= PT_FLIGHT_HANDLE_BYTES)
        return pt_error_set(err, PT_NOT_FOUND, "there is no such transaction");
    *out = calloc(1, sizeof(**out));
    if (*out == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a prepared statement");
    if (transaction.size_bytes != 0)
        memcpy((*out)->transaction, transaction.data, transaction.size_bytes);
    return PT_OK;
}

static pt_status create_prepared(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__ActionCreatePreparedStatementRequest *r;
    pt__flight_statement *statement;
    PT_TRY(unpack_any(task, body, &arrow__flight__protocol__sql__action_create_prepared_statement_request__descriptor,
                      (ProtobufCMessage **)&r, err));
    pt_bytes_view transaction = {r->transaction_id.data, r->_transaction_id_case != 0 ? r->transaction_id.len : 0};
    PT_TRY(new_prepared(transaction, &statement, err));
    statement->query = strdup(r->query);
    return add_prepared(task, statement, err);
}

static pt_status create_prepared_plan(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__ActionCreatePreparedSubstraitPlanRequest *r;
    pt__flight_statement *statement;
    PT_TRY(unpack_any(task, body,
                      &arrow__flight__protocol__sql__action_create_prepared_substrait_plan_request__descriptor,
                      (ProtobufCMessage **)&r, err));
    if (r->plan == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the request has no plan");
    pt_bytes_view transaction = {r->transaction_id.data, r->_transaction_id_case != 0 ? r->transaction_id.len : 0};
    PT_TRY(new_prepared(transaction, &statement, err));
    statement->plan = pt_bytes_copy(bytes_of(&r->plan->plan));
    return add_prepared(task, statement, err);
}

static pt_status close_prepared(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__ActionClosePreparedStatementRequest *request;
    PT_TRY(unpack_any(task, body, &arrow__flight__protocol__sql__action_close_prepared_statement_request__descriptor,
                      (ProtobufCMessage **)&request, err));
    pt__flight_statement_drop(task->session, bytes_of(&request->prepared_statement_handle));
    return PT_OK;
}

/* ---- transactions ---- */

static pt_status begin_transaction(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    (void)body;
    char id[PT_FLIGHT_HANDLE_BYTES];
    Arrow__Flight__Protocol__Sql__ActionBeginTransactionResult result =
        ARROW__FLIGHT__PROTOCOL__SQL__ACTION_BEGIN_TRANSACTION_RESULT__INIT;
    PT_TRY(pt__flight_begin(task->session, id, err));
    result.transaction_id = (ProtobufCBinaryData){PT_FLIGHT_HANDLE_BYTES - 1, (uint8_t *)id};
    return answer_any(task, "ActionBeginTransactionResult", &result.base, err);
}

static pt_status end_transaction(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__ActionEndTransactionRequest *request;
    PT_TRY(unpack_any(task, body, &arrow__flight__protocol__sql__action_end_transaction_request__descriptor,
                      (ProtobufCMessage **)&request, err));
    pt_bytes_view id = bytes_of(&request->transaction_id);
    switch ((int)request->action) {
    case ARROW__FLIGHT__PROTOCOL__SQL__ACTION_END_TRANSACTION_REQUEST__END_TRANSACTION__COMMIT:
        return pt__flight_end(task->session, id, true, err);
    case ARROW__FLIGHT__PROTOCOL__SQL__ACTION_END_TRANSACTION_REQUEST__END_TRANSACTION__ROLLBACK:
        return pt__flight_end(task->session, id, false, err);
    default: return pt_error_set(err, PT_INVALID_ARGUMENT, "EndTransaction neither commits nor rolls back");
    }
}

static pt_status no_savepoints(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    (void)task;
    (void)body;
    return pt_error_set(err, PT_UNSUPPORTED, "the backend has no savepoints");
}

/* ---- cancelling and renewing ---- */

static const char *user_of(const pt__flight_task *task)
{
    return pt__session_user(task->session->session);
}

/* Cancels what the tickets stand for. PT_NOT_FOUND when none is known. */
static pt_status cancel_tickets(pt__flight_task *task, const Arrow__Flight__Protocol__FlightInfo *info, pt_error *err)
{
    bool found = false;
    for (size_t i = 0; info != NULL && i < info->n_endpoint; i++) {
        const Arrow__Flight__Protocol__Ticket *ticket = info->endpoint[i]->ticket;
        pt_job *job =
            ticket == NULL ? NULL : pt__flight_ticket_job(task->mount, bytes_of(&ticket->ticket), user_of(task));
        if (job == NULL)
            continue;
        found = true;
        pt_job_cancel(job, NULL);
        pt_job_unref(job);
    }
    return found ? PT_OK : pt_error_set(err, PT_NOT_FOUND, "no running query has these tickets");
}

static pt_status cancel_flight_info(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__CancelFlightInfoRequest *request;
    Arrow__Flight__Protocol__CancelFlightInfoResult result = ARROW__FLIGHT__PROTOCOL__CANCEL_FLIGHT_INFO_RESULT__INIT;
    PT_TRY(pt__flight_unpack(task->arena, &arrow__flight__protocol__cancel_flight_info_request__descriptor, body,
                             (ProtobufCMessage **)&request, err));
    PT_TRY(cancel_tickets(task, request->info, err));
    result.status = ARROW__FLIGHT__PROTOCOL__CANCEL_STATUS__CANCEL_STATUS_CANCELLED;
    return answer(task, &result.base, err);
}

static pt_status cancel_query(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__ActionCancelQueryRequest *request;
    Arrow__Flight__Protocol__FlightInfo *info;
    Arrow__Flight__Protocol__Sql__ActionCancelQueryResult result =
        ARROW__FLIGHT__PROTOCOL__SQL__ACTION_CANCEL_QUERY_RESULT__INIT;
    PT_TRY(unpack_any(task, body, &arrow__flight__protocol__sql__action_cancel_query_request__descriptor,
                      (ProtobufCMessage **)&request, err));
    PT_TRY(pt__flight_unpack(task->arena, &arrow__flight__protocol__flight_info__descriptor, bytes_of(&request->info),
                             (ProtobufCMessage **)&info, err));
    PT_TRY(cancel_tickets(task, info, err));
    result.result = ARROW__FLIGHT__PROTOCOL__SQL__ACTION_CANCEL_QUERY_RESULT__CANCEL_RESULT__CANCELLED;
    return answer_any(task, "ActionCancelQueryResult", &result.base, err);
}

static pt_status renew_endpoint(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__RenewFlightEndpointRequest *request;
    PT_TRY(pt__flight_unpack(task->arena, &arrow__flight__protocol__renew_flight_endpoint_request__descriptor, body,
                             (ProtobufCMessage **)&request, err));
    const Arrow__Flight__Protocol__FlightEndpoint *endpoint = request->endpoint;
    if (endpoint == NULL || endpoint->ticket == NULL ||
        !pt__flight_ticket_renew(task->mount, bytes_of(&endpoint->ticket->ticket), user_of(task)))
        return pt_error_set(err, PT_NOT_FOUND, "the ticket is unknown, was redeemed before, or has expired");
    return answer(task, &endpoint->base, err);
}

/* ---- sessions ---- */

/* A statement of the session's own, whose result does not matter. */
static pt_status run_now(pt__flight_task *task, const char *sql, pt_error *err)
{
    pt_job *job = NULL;
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = task->session->session,
        .query = {.format = pt__flight_format(task->session), .payload = {(const uint8_t *)sql, strlen(sql)}}};
    PT_TRY(pt_host_submit(task->mount->host, &request, &job, err));
    pt_status status = pt_job_wait(job, 0, err);
    if (status == PT_OK)
        status = pt_job_failure(job, err);
    pt__session_release_job(task->session->session, pt_job_id(job));
    pt_job_unref(job);
    return status;
}

/* catalog and schema become what USE says; "" for success. */
static const char *set_option(pt__flight_task *task, const char *name, const char *value)
{
    pt__flight_session *session = task->session;
    bool is_catalog = strcmp(name, "catalog") == 0;
    if (!is_catalog && strcmp(name, "schema") != 0)
        return "name";
    if (value == NULL)
        return "value";
    const char *sql = pt__arena_printf(task->arena, "USE %s", pt__flight_quoted(task->arena, value));
    if (!is_catalog && session->catalog != NULL)
        sql = pt__arena_printf(task->arena, "USE %s.%s", pt__flight_quoted(task->arena, session->catalog),
                               pt__flight_quoted(task->arena, value));
    if (run_now(task, sql, NULL) != PT_OK)
        return "value";
    char **kept = is_catalog ? &session->catalog : &session->schema;
    pthread_mutex_lock(&session->lock);
    free(*kept);
    *kept = strdup(value);
    pthread_mutex_unlock(&session->lock);
    return "";
}

typedef Arrow__Flight__Protocol__SetSessionOptionsRequest__SessionOptionsEntry option_entry;
typedef Arrow__Flight__Protocol__SetSessionOptionsResult__ErrorsEntry error_entry;

static error_entry *error_of(pt__arena *arena, char *name, int value)
{
    error_entry *entry = pt__arena_make(arena, error_entry);
    arrow__flight__protocol__set_session_options_result__errors_entry__init(entry);
    entry->key = name;
    entry->value = pt__arena_make(arena, Arrow__Flight__Protocol__SetSessionOptionsResult__Error);
    arrow__flight__protocol__set_session_options_result__error__init(entry->value);
    entry->value->value = (Arrow__Flight__Protocol__SetSessionOptionsResult__ErrorValue)value;
    return entry;
}

static pt_status set_session_options(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    Arrow__Flight__Protocol__SetSessionOptionsRequest *request;
    Arrow__Flight__Protocol__SetSessionOptionsResult result = ARROW__FLIGHT__PROTOCOL__SET_SESSION_OPTIONS_RESULT__INIT;
    PT_TRY(pt__flight_unpack(task->arena, &arrow__flight__protocol__set_session_options_request__descriptor, body,
                             (ProtobufCMessage **)&request, err));
    result.errors = pt__arena_array(task->arena, error_entry *, request->n_session_options + 1);
    for (size_t i = 0; i < request->n_session_options; i++) {
        const option_entry *entry = request->session_options[i];
        const Arrow__Flight__Protocol__SessionOptionValue *value = entry->value;
        bool is_text = value != NULL && value->option_value_case ==
                                            ARROW__FLIGHT__PROTOCOL__SESSION_OPTION_VALUE__OPTION_VALUE_STRING_VALUE;
        const char *wrong = set_option(task, entry->key, is_text ? value->string_value : NULL);
        if (*wrong != '\0')
            result.errors[result.n_errors++] = error_of(task->arena, entry->key, *wrong == 'n' ? 1 : 2);
    }
    return answer(task, &result.base, err);
}

typedef Arrow__Flight__Protocol__GetSessionOptionsResult__SessionOptionsEntry got_entry;

static got_entry *got_option(pt__arena *arena, const char *name, const char *value)
{
    got_entry *entry = pt__arena_make(arena, got_entry);
    arrow__flight__protocol__get_session_options_result__session_options_entry__init(entry);
    entry->key = pt__unconst(name);
    entry->value = pt__arena_make(arena, Arrow__Flight__Protocol__SessionOptionValue);
    arrow__flight__protocol__session_option_value__init(entry->value);
    entry->value->option_value_case = ARROW__FLIGHT__PROTOCOL__SESSION_OPTION_VALUE__OPTION_VALUE_STRING_VALUE;
    entry->value->string_value = pt__arena_copy_string(arena, value == NULL ? "" : value);
    return entry;
}

static pt_status get_session_options(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    (void)body;
    Arrow__Flight__Protocol__GetSessionOptionsResult result = ARROW__FLIGHT__PROTOCOL__GET_SESSION_OPTIONS_RESULT__INIT;
    result.session_options = pt__arena_array(task->arena, got_entry *, 2);
    pthread_mutex_lock(&task->session->lock);
    const char *catalog = pt__arena_copy_string(task->arena, task->session->catalog);
    const char *schema = pt__arena_copy_string(task->arena, task->session->schema);
    pthread_mutex_unlock(&task->session->lock);
    result.session_options[result.n_session_options++] = got_option(task->arena, "catalog", catalog);
    result.session_options[result.n_session_options++] = got_option(task->arena, "schema", schema);
    return answer(task, &result.base, err);
}

static pt_status close_session(pt__flight_task *task, pt_bytes_view body, pt_error *err)
{
    (void)body;
    Arrow__Flight__Protocol__CloseSessionResult result = ARROW__FLIGHT__PROTOCOL__CLOSE_SESSION_RESULT__INIT;
    pt__flight_session_sign_out(task->session);
    result.status = ARROW__FLIGHT__PROTOCOL__CLOSE_SESSION_RESULT__STATUS__CLOSED;
    return answer(task, &result.base, err);
}

/* ---- the table of actions ---- */

static const struct action {
    const char *type;
    pt_status (*run)(pt__flight_task *task, pt_bytes_view body, pt_error *err);
    const char *description;
    bool is_quick; /* asks neither engine nor worker */
} ACTIONS[] = {
    {"CreatePreparedStatement", create_prepared, "Prepares a statement.", false},
    {"ClosePreparedStatement", close_prepared, "Closes a prepared statement.", true},
    {"CreatePreparedSubstraitPlan", create_prepared_plan, "Prepares a plan of Substrait.", false},
    {"BeginTransaction", begin_transaction, "Begins a transaction.", false},
    {"EndTransaction", end_transaction, "Commits a transaction, or rolls it back.", false},
    {"BeginSavepoint", no_savepoints, "Not supported.", false},
    {"EndSavepoint", no_savepoints, "Not supported.", false},
    {"CancelQuery", cancel_query, "Cancels a query; CancelFlightInfo is newer.", true},
    {"CancelFlightInfo", cancel_flight_info, "Cancels a query by its tickets.", true},
    {"RenewFlightEndpoint", renew_endpoint, "Keeps a result for longer.", true},
    {"SetSessionOptions", set_session_options, "Sets catalog and schema of the session.", false},
    {"GetSessionOptions", get_session_options, "Tells catalog and schema of the session.", true},
    {"CloseSession", close_session, "Ends the session with its statements and transactions.", false},
};

enum { ACTION_COUNT = sizeof(ACTIONS) / sizeof(ACTIONS[0]) };

static const struct action *find_action(pt_bytes_view type)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        if (strlen(ACTIONS[i].type) == type.size_bytes && memcmp(ACTIONS[i].type, type.data, type.size_bytes) == 0)
            return &ACTIONS[i];
    }
    return NULL;
}

static pt_status run_action(pt__flight_task *task, pt_error *err)
{
    Arrow__Flight__Protocol__Action *message;
    PT_TRY(pt__flight_unpack(task->arena, &arrow__flight__protocol__action__descriptor,
                             pt_bytes_get_view(task->request), (ProtobufCMessage **)&message, err));
    const struct action *action = find_action((pt_bytes_view){(const uint8_t *)message->type, strlen(message->type)});
    if (action == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "there is no action %s", message->type);
    return action->run(task, bytes_of(&message->body), err);
}

/* Told before the message is unpacked; malformed ones are found then. */
static bool is_quick(pt_bytes_view request)
{
    enum { TYPE = 1 };
    pt__proto_field field;
    pt_bytes_view type = {(const uint8_t *)"", 0};
    while (pt__proto_next(&request, &field) == PT_PROTO_FIELD) {
        if (field.number == TYPE && field.wire_type == PT_PROTO_BYTES)
            type = field.bytes;
    }
    const struct action *action = find_action(type);
    return action != NULL && action->is_quick;
}

void pt__flight_action_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__flight_task_start(mount, call, request, run_action, is_quick(request));
}

static pt_status send_actions(pt_call *call, pt_error *err)
{
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        Arrow__Flight__Protocol__ActionType type = ARROW__FLIGHT__PROTOCOL__ACTION_TYPE__INIT;
        type.type = pt__unconst(ACTIONS[i].type);
        type.description = pt__unconst(ACTIONS[i].description);
        PT_TRY(pt__flight_send(call, pt__flight_pack(&type.base), err));
    }
    return PT_OK;
}

void pt__flight_list_actions_message(void *mount, pt_call *call, pt_bytes_view request)
{
    (void)mount;
    (void)request;
    pt_error err = PT_ERROR_INIT;
    if (call->state != NULL)
        return;
    call->state = pt__flight_answered();
    if (send_actions(call, &err) == PT_OK)
        pt__flight_finish_ok(call);
    else
        pt__flight_fail(call, &err);
    pt_error_clear(&err);
}

/* ---- GetSchema ---- */

static pt_status answer_schema(pt__flight_task *task, pt_bytes *schema, pt_error *err)
{
    Arrow__Flight__Protocol__SchemaResult result = ARROW__FLIGHT__PROTOCOL__SCHEMA_RESULT__INIT;
    if (schema == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "the schema is known once the statement has run");
    result.schema = view_of(schema);
    return pt__flight_task_answer(task, pt__flight_pack(&result.base), err);
}

static pt_status schema_of(pt__flight_task *task, const pt_encoded_query *query, pt_bytes_view transaction,
                           pt_error *err)
{
    pt__statement_request request = {
        .query = *query, .is_cancelled = pt__flight_task_is_cancelled, .cancel_context = task};
    pt_statement_info info;
    pt_bytes *schema = NULL;
    PT_TRY(pt__flight_transaction(task->session, transaction, &request.transaction, err));
    PT_TRY(pt__session_prepare(task->session->session, &request, &info, err));
    pt_status status = encode_schema(&info.result, &schema, err);
    if (info.result.release != NULL)
        info.result.release(&info.result);
    if (info.parameters.release != NULL)
        info.parameters.release(&info.parameters);
    if (status == PT_OK)
        status = answer_schema(task, schema, err);
    pt_bytes_unref(schema);
    return status;
}

static pt_status schema_of_query(pt__flight_task *task, const pt__flight_command *command, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandStatementQuery *c;
    PT_TRY(pt__flight_command_unpack(task->arena, command,
                                     &arrow__flight__protocol__sql__command_statement_query__descriptor,
                                     (ProtobufCMessage **)&c, err));
    pt_encoded_query query = {.format = pt__flight_format(task->session),
                              .payload = {(const uint8_t *)c->query, strlen(c->query)}};
    pt_bytes_view id = {c->transaction_id.data, c->_transaction_id_case != 0 ? c->transaction_id.len : 0};
    return schema_of(task, &query, id, err);
}

static pt_status schema_of_plan(pt__flight_task *task, const pt__flight_command *command, pt_error *err)
{
    pt_bytes_view plan, transaction;
    PT_TRY(pt__flight_command_plan(task->arena, command, &plan, &transaction, err));
    pt_encoded_query query = {.format = PT_FLIGHT_PLAN_FORMAT, .payload = plan};
    return schema_of(task, &query, transaction, err);
}

static pt_status schema_of_prepared(pt__flight_task *task, const pt__flight_command *command, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandPreparedStatementQuery *c;
    pt__flight_statement *statement;
    PT_TRY(pt__flight_command_unpack(task->arena, command,
                                     &arrow__flight__protocol__sql__command_prepared_statement_query__descriptor,
                                     (ProtobufCMessage **)&c, err));
    PT_TRY(pt__flight_statement_find(task->session, bytes_of(&c->prepared_statement_handle), &statement, err));
    pt_status status = answer_schema(task, statement->dataset_schema, err);
    pt__flight_statement_unref(statement);
    return status;
}

static pt_status run_schema(pt__flight_task *task, pt_error *err)
{
    pt_bytes_view any;
    pt__flight_command command;
    pt_bytes *schema;
    PT_TRY(pt__flight_descriptor_command(pt_bytes_get_view(task->request), &any, err));
    PT_TRY(pt__flight_command_read(task->arena, any, &command, err));
    if (pt__flight_command_is(&command, "CommandStatementQuery"))
        return schema_of_query(task, &command, err);
    if (pt__flight_command_is(&command, "CommandStatementSubstraitPlan"))
        return schema_of_plan(task, &command, err);
    if (pt__flight_command_is(&command, "CommandPreparedStatementQuery"))
        return schema_of_prepared(task, &command, err);
    PT_TRY(pt__flight_metadata_schema(task->arena, &command, &schema, err));
    pt_status status = answer_schema(task, schema, err);
    pt_bytes_unref(schema);
    return status;
}

void pt__flight_schema_message(void *mount, pt_call *call, pt_bytes_view request)
{
    pt__flight_task_start(mount, call, request, run_schema, false);
}

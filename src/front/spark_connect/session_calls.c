/* ReleaseSession, CloneSession, FetchErrorDetails: calls about a session and what is kept for it. */
#include "front/spark_connect/calls.h"

#include "front/spark_connect/error_context.h"
#include "front/spark_connect/errors.h"

pt_status pt__connect_release_session(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out,
                                      pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(
        pt__connect_unpack(unary->arena, &spark__connect__release_session_request__descriptor, bytes, &message, err));
    const Spark__Connect__ReleaseSessionRequest *request = (const Spark__Connect__ReleaseSessionRequest *)message;
    pt__session_key key =
        pt__connect_key(pt__connect_principal(unary->call), request->session_id, request->user_context, NULL);
    Spark__Connect__ReleaseSessionResponse *response = pt__connect_make(
        unary->arena, Spark__Connect__ReleaseSessionResponse, spark__connect__release_session_response__init);
    response->session_id = request->session_id;
    pt_session *session = NULL;
    if (pt__host_session(unary->mount->host, &key, false, &session, NULL) == PT_OK) {
        response->server_side_session_id = pt__arena_copy_string(unary->arena, pt_session_id(session));
        pt_session_unref(session);
    }
    PT_TRY(pt__host_release_session(unary->mount->host, &key, request->allow_reconnect, err));
    *out = &response->base;
    return PT_OK;
}

pt_status pt__connect_clone_session(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out,
                                    pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(unary->arena, &spark__connect__clone_session_request__descriptor, bytes, &message, err));
    const Spark__Connect__CloneSessionRequest *request = (const Spark__Connect__CloneSessionRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(unary->call), request);
    PT_TRY(pt__connect_unary_session(unary, &key, false, err));
    pt_session *clone = NULL;
    PT_TRY(pt__session_clone(unary->session, request->_new_session_id_case == 0 ? NULL : request->new_session_id,
                             &clone, err));
    Spark__Connect__CloneSessionResponse *response = pt__connect_make(
        unary->arena, Spark__Connect__CloneSessionResponse, spark__connect__clone_session_response__init);
    response->session_id = request->session_id;
    response->server_side_session_id = pt__arena_copy_string(unary->arena, pt_session_id(unary->session));
    response->new_session_id = pt__arena_copy_string(unary->arena, pt__session_client_id(clone));
    response->new_server_side_session_id = pt__arena_copy_string(unary->arena, pt_session_id(clone));
    pt_session_unref(clone);
    *out = &response->base;
    return PT_OK;
}

/* ---- FetchErrorDetails ---- */

typedef Spark__Connect__FetchErrorDetailsResponse fetched;
typedef Spark__Connect__FetchErrorDetailsResponse__Error fetched_error;
typedef Spark__Connect__FetchErrorDetailsResponse__SparkThrowable throwable;
typedef Spark__Connect__FetchErrorDetailsResponse__SparkThrowable__MessageParametersEntry parameter_entry;
typedef Spark__Connect__FetchErrorDetailsResponse__QueryContext query_context;

static char *take_text(pt__arena *arena, pt__buffer *text)
{
    char *copy = pt__arena_copy_string(arena, pt__buffer_string(text));
    pt__buffer_deinit(text);
    return copy;
}

static void add_parameters(pt__arena *arena, const pt_error *err, throwable *out)
{
    const char *name;
    const char *value;
    out->message_parameters = pt__arena_array(arena, parameter_entry *, pt_error_parameter_count(err) + 1);
    for (size_t i = 0; pt_error_parameter(err, i, &name, &value); i++) {
        parameter_entry *entry = pt__connect_make(
            arena, parameter_entry,
            spark__connect__fetch_error_details_response__spark_throwable__message_parameters_entry__init);
        entry->key = pt__arena_copy_string(arena, name);
        entry->value = pt__arena_copy_string(arena, value);
        out->message_parameters[out->n_message_parameters++] = entry;
    }
}

static query_context *make_context(pt__arena *arena, const pt_error_context *context)
{
    query_context *out =
        pt__connect_make(arena, query_context, spark__connect__fetch_error_details_response__query_context__init);
    out->context_type = context->is_sql
                            ? SPARK__CONNECT__FETCH_ERROR_DETAILS_RESPONSE__QUERY_CONTEXT__CONTEXT_TYPE__SQL
                            : SPARK__CONNECT__FETCH_ERROR_DETAILS_RESPONSE__QUERY_CONTEXT__CONTEXT_TYPE__DATAFRAME;
    out->start_index = context->is_sql ? context->start : 0;
    out->stop_index = context->is_sql ? context->stop : 0;
    out->fragment = pt__arena_copy_string(arena, context->fragment);
    out->call_site = pt__arena_copy_string(arena, context->call_site);
    pt__buffer summary = PT_BUFFER_INIT;
    pt__connect_append_context(&summary, context);
    out->summary = take_text(arena, &summary);
    return out;
}

static void add_contexts(pt__arena *arena, const pt_error *err, throwable *out)
{
    pt_error_context context;
    if (pt__connect_is_syntax_error(err))
        return;
    out->query_contexts = pt__arena_array(arena, query_context *, pt_error_context_count(err) + 1);
    for (size_t i = 0; pt_error_context_at(err, i, &context); i++)
        out->query_contexts[out->n_query_contexts++] = make_context(arena, &context);
}

static throwable *make_throwable(pt__arena *arena, const pt_error *err)
{
    throwable *out =
        pt__connect_make(arena, throwable, spark__connect__fetch_error_details_response__spark_throwable__init);
    const char *condition = pt__connect_error_condition(err);
    const char *sqlstate = pt__connect_error_sqlstate(err);
    if (condition[0] != '\0') {
        out->_error_class_case =
            SPARK__CONNECT__FETCH_ERROR_DETAILS_RESPONSE__SPARK_THROWABLE___ERROR_CLASS_ERROR_CLASS;
        out->error_class = pt__arena_copy_string(arena, condition);
    }
    if (sqlstate[0] != '\0') {
        out->_sql_state_case = SPARK__CONNECT__FETCH_ERROR_DETAILS_RESPONSE__SPARK_THROWABLE___SQL_STATE_SQL_STATE;
        out->sql_state = pt__arena_copy_string(arena, sqlstate);
    }
    add_parameters(arena, err, out);
    add_contexts(arena, err, out);
    return out;
}

static void add_hierarchy(pt__arena *arena, const pt_error *err, fetched_error *out)
{
    const char *const *classes = pt__connect_error_classes(err);
    size_t count = 0;
    while (classes[count] != NULL)
        count++;
    out->error_type_hierarchy = pt__arena_array(arena, char *, count);
    for (size_t i = 0; i < count; i++)
        out->error_type_hierarchy[i] = pt__arena_copy_string(arena, classes[i]);
    out->n_error_type_hierarchy = count;
}

static void add_error(pt__arena *arena, const pt_error *err, fetched *response)
{
    fetched_error *error =
        pt__connect_make(arena, fetched_error, spark__connect__fetch_error_details_response__error__init);
    pt__buffer text = PT_BUFFER_INIT;
    pt__connect_append_message(&text, err);
    error->message = take_text(arena, &text);
    add_hierarchy(arena, err, error);
    error->_spark_throwable_case =
        SPARK__CONNECT__FETCH_ERROR_DETAILS_RESPONSE__ERROR___SPARK_THROWABLE_SPARK_THROWABLE;
    error->spark_throwable = make_throwable(arena, err);
    response->errors = pt__arena_make(arena, fetched_error *);
    response->errors[0] = error;
    response->n_errors = 1;
    response->_root_error_idx_case = SPARK__CONNECT__FETCH_ERROR_DETAILS_RESPONSE___ROOT_ERROR_IDX_ROOT_ERROR_IDX;
    response->root_error_idx = 0;
}

pt_status pt__connect_fetch_error_details(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out,
                                          pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(unary->arena, &spark__connect__fetch_error_details_request__descriptor, bytes, &message,
                              err));
    const Spark__Connect__FetchErrorDetailsRequest *request = (const Spark__Connect__FetchErrorDetailsRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(unary->call), request);
    PT_TRY(pt__connect_unary_session(unary, &key, false, err));
    fetched *response = pt__connect_make(unary->arena, fetched, spark__connect__fetch_error_details_response__init);
    response->session_id = request->session_id;
    response->server_side_session_id = pt__arena_copy_string(unary->arena, pt_session_id(unary->session));
    pt_error kept = PT_ERROR_INIT;
    if (pt__connect_errors_take(unary->mount->errors, response->server_side_session_id, request->error_id, &kept))
        add_error(unary->arena, &kept, response);
    pt_error_clear(&kept);
    *out = &response->base;
    return PT_OK;
}

#include "front/spark_connect/calls.h"

typedef Spark__Connect__ConfigRequest__Operation operation;

/* Pairs and warnings of the answer as they come up. */
typedef struct answer {
    pt__arena *arena;
    pt_session *session;
    Spark__Connect__ConfigResponse *response;
} answer;

static const char *value_of(const Spark__Connect__KeyValue *pair)
{
    return pair->_value_case == SPARK__CONNECT__KEY_VALUE___VALUE_VALUE ? pair->value : NULL;
}

static void expect_pairs(answer *a, size_t count)
{
    a->response->pairs = pt__arena_array(a->arena, Spark__Connect__KeyValue *, count + 1);
}

/* `value` NULL: the pair goes without one. */
static void add_pair(answer *a, const char *key, const char *value)
{
    Spark__Connect__KeyValue *pair =
        pt__connect_make(a->arena, Spark__Connect__KeyValue, spark__connect__key_value__init);
    pair->key = pt__arena_copy_string(a->arena, key);
    if (value != NULL) {
        pair->_value_case = SPARK__CONNECT__KEY_VALUE___VALUE_VALUE;
        pair->value = pt__arena_copy_string(a->arena, value);
    }
    a->response->pairs[a->response->n_pairs++] = pair;
}

static pt_status set_silently(answer *a, const Spark__Connect__ConfigRequest__Set *set)
{
    a->response->warnings = pt__arena_array(a->arena, char *, set->n_pairs + 1);
    for (size_t i = 0; i < set->n_pairs; i++) {
        const char *warning = NULL;
        const char *value = value_of(set->pairs[i]);
        pt__session_conf_set_silently(a->session, a->arena, set->pairs[i]->key, value == NULL ? "" : value, &warning);
        if (warning != NULL)
            a->response->warnings[a->response->n_warnings++] = pt__arena_copy_string(a->arena, warning);
    }
    return PT_OK;
}

static pt_status set_values(answer *a, const Spark__Connect__ConfigRequest__Set *set, pt_error *err)
{
    if (set->_silent_case != 0 && set->silent)
        return set_silently(a, set);
    for (size_t i = 0; i < set->n_pairs; i++) {
        const char *value = value_of(set->pairs[i]);
        if (value == NULL)
            return pt_error_set(err, PT_INVALID_ARGUMENT, "Config sets %s without a value.", set->pairs[i]->key);
        PT_TRY(pt__session_conf_set(a->session, set->pairs[i]->key, value, err));
    }
    return PT_OK;
}

static pt_status get_values(answer *a, const Spark__Connect__ConfigRequest__Get *get, pt_error *err)
{
    expect_pairs(a, get->n_keys);
    for (size_t i = 0; i < get->n_keys; i++) {
        const char *value = NULL;
        PT_TRY(pt__session_conf_get(a->session, a->arena, get->keys[i], &value, err));
        add_pair(a, get->keys[i], value);
    }
    return PT_OK;
}

static void get_with_defaults(answer *a, const Spark__Connect__ConfigRequest__GetWithDefault *get)
{
    expect_pairs(a, get->n_pairs);
    for (size_t i = 0; i < get->n_pairs; i++) {
        const Spark__Connect__KeyValue *pair = get->pairs[i];
        add_pair(a, pair->key, pt__session_conf_or(a->session, a->arena, pair->key, value_of(pair)));
    }
}

static void get_options(answer *a, const Spark__Connect__ConfigRequest__GetOption *get)
{
    expect_pairs(a, get->n_keys);
    for (size_t i = 0; i < get->n_keys; i++)
        add_pair(a, get->keys[i], pt__session_conf_option(a->session, a->arena, get->keys[i]));
}

static void get_all(answer *a, const Spark__Connect__ConfigRequest__GetAll *get)
{
    const pt__conf_pair *pairs = NULL;
    size_t count = 0;
    pt__session_conf_all(a->session, a->arena, get->_prefix_case == 0 ? NULL : get->prefix, &pairs, &count);
    expect_pairs(a, count);
    for (size_t i = 0; i < count; i++)
        add_pair(a, pairs[i].key, pairs[i].value);
}

static pt_status unset_keys(answer *a, const Spark__Connect__ConfigRequest__Unset *unset, pt_error *err)
{
    for (size_t i = 0; i < unset->n_keys; i++)
        PT_TRY(pt__session_conf_unset(a->session, unset->keys[i], err));
    return PT_OK;
}

static void tell_modifiable(answer *a, const Spark__Connect__ConfigRequest__IsModifiable *question)
{
    expect_pairs(a, question->n_keys);
    for (size_t i = 0; i < question->n_keys; i++)
        add_pair(a, question->keys[i],
                 pt__session_conf_is_modifiable(a->session, question->keys[i]) ? "true" : "false");
}

static pt_status answer_operation(answer *a, const operation *op, pt_error *err)
{
    switch (op == NULL ? SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE__NOT_SET : op->op_type_case) {
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_SET: return set_values(a, op->set, err);
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_GET: return get_values(a, op->get, err);
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_GET_WITH_DEFAULT:
        get_with_defaults(a, op->get_with_default);
        return PT_OK;
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_GET_OPTION: get_options(a, op->get_option); return PT_OK;
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_GET_ALL: get_all(a, op->get_all); return PT_OK;
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_UNSET: return unset_keys(a, op->unset, err);
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE_IS_MODIFIABLE:
        tell_modifiable(a, op->is_modifiable);
        return PT_OK;
    case SPARK__CONNECT__CONFIG_REQUEST__OPERATION__OP_TYPE__NOT_SET: break;
    }
    return pt_error_set(err, PT_UNSUPPORTED, "The operation of the Config call is not set, or is not known.");
}

pt_status pt__connect_config(pt__connect_unary *unary, pt_bytes_view bytes, const ProtobufCMessage **out, pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(unary->arena, &spark__connect__config_request__descriptor, bytes, &message, err));
    const Spark__Connect__ConfigRequest *request = (const Spark__Connect__ConfigRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(unary->call), request);
    PT_TRY(pt__connect_unary_session(unary, &key, true, err));
    answer a = {unary->arena, unary->session, NULL};
    a.response = pt__connect_make(unary->arena, Spark__Connect__ConfigResponse, spark__connect__config_response__init);
    PT_TRY(answer_operation(&a, request->operation, err));
    a.response->session_id = request->session_id;
    a.response->server_side_session_id = pt__arena_copy_string(unary->arena, pt_session_id(unary->session));
    *out = &a.response->base;
    return PT_OK;
}

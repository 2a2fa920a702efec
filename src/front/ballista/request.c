#include "front/ballista/request.h"

#define QUERY(name) BALLISTA__PROTOBUF__EXECUTE_QUERY_PARAMS__QUERY_##name

static void read_encoded(pt__arena *arena, const Ballista__Protobuf__EncodedQuery *m, pt_encoded_query *out)
{
    pt_query_option *options = pt__arena_array(arena, pt_query_option, m->n_options);
    for (size_t i = 0; i < m->n_options; i++)
        options[i] = (pt_query_option){m->options[i]->key, m->options[i]->value};
    *out = (pt_encoded_query){m->format, {m->payload.data, m->payload.len}, options, m->n_options};
}

static pt_status read_query(pt__arena *arena, const Ballista__Protobuf__ExecuteQueryParams *m, pt_encoded_query *out,
                            pt_error *err)
{
    switch ((int)m->query_case) {
#define PT_BALLISTA_QUERY(name, member, format_name)                                                                   \
    case QUERY(name):                                                                                                  \
        *out = (pt_encoded_query){format_name, {m->member.data, m->member.len}, NULL, 0};                              \
        return PT_OK;
#include "front/ballista/formats.def"
#undef PT_BALLISTA_QUERY
    case QUERY(ENCODED_QUERY): read_encoded(arena, m->encoded_query, out); return PT_OK;
    default: return pt_error_set(err, PT_INVALID_ARGUMENT, "ExecuteQueryParams has no query");
    }
}

pt_status pt__ballista_request_read(pt_call *call, pt__arena *arena, const Ballista__Protobuf__ExecuteQueryParams *m,
                                    pt__ballista_request *out, pt_error *err)
{
    *out = (pt__ballista_request){
        .user = pt_call_principal(call)->name,
        .session_id = m->session_id,
        .settings = {m->settings, m->n_settings},
    };
    out->takes_settings = m->query_case != QUERY(ENCODED_QUERY);
    pt_call_metadata(call, "traceparent", &out->traceparent);
    return read_query(arena, m, &out->query, err);
}

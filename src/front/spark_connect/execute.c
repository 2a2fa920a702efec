/* ExecutePlan and ReattachExecute: from the request to a stream of responses. */
#include "front/spark_connect/calls.h"

#include "base/condition.h"
#include "base/list.h"
#include "base/map.h"
#include "base/unconst.h"
#include "base/utf8.h"
#include "exec/recover.h"
#include "front/spark_connect/job.h"
#include "front/spark_connect/stream.h"
#include "wire/proto.h"

#include <stdio.h>
#include <string.h>

enum {
    EXECUTE_ARENA_MAX_BYTES = 16 * 1024 * 1024,
    TAGS_MAX = 1000,
    CHUNK_EXPONENT_MIN = 10, /* the reference passes over wishes below 1 KiB */
    CHUNK_EXPONENT_MAX = 21  /* with what is around it below the 4 MiB that every client takes */
};

/* An ExecutePlanRequest, of which the plan stays packed: it is read on a worker. */
typedef struct execute_request {
    const char *session_id;
    const char *user_id;
    const char *operation_id; /* NULL none */
    const char *observed_id;  /* NULL none */
    pt_bytes_view plan;
    pt__list(const char *) tags;
    bool is_reattachable;
    uint8_t chunk_exponent; /* 0: batches go out whole */
} execute_request;

/* ---- reading the request ---- */

static pt_status malformed(pt_error *err)
{
    return pt_error_set(err, PT_BAD_MESSAGE, "The request is no well-formed spark.connect.ExecutePlanRequest.");
}

static pt_status take_string(pt__arena *arena, const pt__proto_field *field, const char **out, pt_error *err)
{
    const char *text = (const char *)field->bytes.data;
    if (field->wire_type != PT_PROTO_BYTES || !pt__utf8_valid(text, field->bytes.size_bytes))
        return malformed(err);
    *out = pt__arena_copy_text(arena, text, field->bytes.size_bytes);
    return PT_OK;
}

static pt_status take_user(pt__arena *arena, pt_bytes_view rest, execute_request *out, pt_error *err)
{
    pt__proto_field field;
    pt__proto_state state;
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD) {
        if (field.number == 1)
            PT_TRY(take_string(arena, &field, &out->user_id, err));
    }
    return state == PT_PROTO_END ? PT_OK : malformed(err);
}

static uint8_t exponent_of(uint64_t bytes)
{
    uint8_t exponent = CHUNK_EXPONENT_MIN;
    while (exponent < CHUNK_EXPONENT_MAX && bytes >> (exponent + 1) != 0)
        exponent++;
    return exponent;
}

static void take_chunking(const Spark__Connect__ResultChunkingOptions *options, execute_request *out)
{
    if (!options->allow_arrow_batch_chunking)
        return;
    out->chunk_exponent = CHUNK_EXPONENT_MAX;
    if (options->_preferred_arrow_chunk_size_case != 0 &&
        options->preferred_arrow_chunk_size >= 1 << CHUNK_EXPONENT_MIN)
        out->chunk_exponent = exponent_of((uint64_t)options->preferred_arrow_chunk_size);
}

static pt_status take_option(pt__arena *arena, pt_bytes_view bytes, execute_request *out, pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__execute_plan_request__request_option__descriptor, bytes, &message,
                              err));
    const Spark__Connect__ExecutePlanRequest__RequestOption *option =
        (const Spark__Connect__ExecutePlanRequest__RequestOption *)message;
    switch (option->request_option_case) {
    case SPARK__CONNECT__EXECUTE_PLAN_REQUEST__REQUEST_OPTION__REQUEST_OPTION_REATTACH_OPTIONS:
        out->is_reattachable = option->reattach_options->reattachable;
        return PT_OK;
    case SPARK__CONNECT__EXECUTE_PLAN_REQUEST__REQUEST_OPTION__REQUEST_OPTION_RESULT_CHUNKING_OPTIONS:
        take_chunking(option->result_chunking_options, out);
        return PT_OK;
    case SPARK__CONNECT__EXECUTE_PLAN_REQUEST__REQUEST_OPTION__REQUEST_OPTION_EXTENSION:
    case _SPARK__CONNECT__EXECUTE_PLAN_REQUEST__REQUEST_OPTION__REQUEST_OPTION__CASE_IS_INT_SIZE: /* no member */
    case SPARK__CONNECT__EXECUTE_PLAN_REQUEST__REQUEST_OPTION__REQUEST_OPTION__NOT_SET: break;
    }
    return PT_OK; /* options that are not known do not change what the plan means */
}

static pt_status take_tag(pt__arena *arena, const pt__proto_field *field, execute_request *out, pt_error *err)
{
    const char *tag = NULL;
    PT_TRY(take_string(arena, field, &tag, err));
    if (*tag == '\0')
        return pt_error_set(err, PT_INVALID_ARGUMENT, "Spark Connect tag cannot be an empty string.");
    if (strchr(tag, ',') != NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "Spark Connect tag cannot contain ','.");
    if (out->tags.count == TAGS_MAX)
        return pt_error_set(err, PT_LIMIT, "An operation may have %d tags.", TAGS_MAX);
    pt__list_push(arena, &out->tags, tag);
    return PT_OK;
}

static pt_status take_field(pt__arena *arena, const pt__proto_field *field, execute_request *out, pt_error *err)
{
    switch (field->number) {
    case 1: return take_string(arena, field, &out->session_id, err);
    case 2: return take_user(arena, field->bytes, out, err);
    case 3: out->plan = field->bytes; return PT_OK;
    case 5: return take_option(arena, field->bytes, out, err);
    case 6: return take_string(arena, field, &out->operation_id, err);
    case 7: return take_tag(arena, field, out, err);
    case 8: return take_string(arena, field, &out->observed_id, err);
    default: return PT_OK;
    }
}

static pt_status read_execute(pt__arena *arena, pt_bytes_view rest, execute_request *out, pt_error *err)
{
    pt__proto_field field;
    pt__proto_state state;
    *out = (execute_request){.session_id = "", .user_id = ""};
    while ((state = pt__proto_next(&rest, &field)) == PT_PROTO_FIELD)
        PT_TRY(take_field(arena, &field, out, err));
    if (state != PT_PROTO_END)
        return malformed(err);
    if (out->operation_id != NULL && *out->operation_id == '\0')
        out->operation_id = NULL;
    return PT_OK;
}

/* ---- starting ---- */

typedef struct fingerprint {
    uint64_t size_bytes;
    uint64_t whole;
    uint64_t half; /* a second digest of other bytes, as the first is only 64 bits */
} fingerprint;

static fingerprint digest_plan(pt_bytes_view plan)
{
    return (fingerprint){plan.size_bytes, pt__hash_bytes(plan.data, plan.size_bytes),
                         pt__hash_bytes(plan.data, plan.size_bytes / 2)};
}

static pt_status start_job(pt__connect *mount, pt_call *call, pt_session *session, const execute_request *request,
                           pt_job **out, pt_error *err)
{
    fingerprint print = digest_plan(request->plan);
    pt_bytes *plan = pt_bytes_copy(request->plan);
    void *context = plan == NULL ? NULL : pt__connect_job_new(mount, plan, request->chunk_exponent);
    if (context == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a plan of %zu bytes", request->plan.size_bytes);
    char exponent[4];
    snprintf(exponent, sizeof(exponent), "%u", request->chunk_exponent);
    const pt_query_option options[] = {{PT_CONNECT_CHUNK_OPTION, exponent}};
    const pt_encoded_query query = {PT_CONNECT_FORMAT, request->plan, options, 1};
    pt__job_request job = {
        .id = request->operation_id,
        .fingerprint = {(const uint8_t *)&print, sizeof(print)},
        .tags = request->tags.items,
        .tag_count = request->tags.count,
        .is_resumable = request->is_reattachable,
        .query = request->is_reattachable ? &query : NULL,
        .run = pt__connect_job_run,
        .free_context = pt__connect_job_free,
        .context = context,
    };
    pt_call_metadata(call, "traceparent", &job.traceparent);
    bool is_new;
    return pt__job_start(session, &job, &is_new, out, err);
}

/* `*session` keeps a reference for the error's details when the stream does not take it. */
static pt_status execute(pt__connect *mount, pt_call *call, pt__arena *arena, pt_bytes_view bytes, pt_session **session,
                         pt_error *err)
{
    execute_request request;
    PT_TRY(read_execute(arena, bytes, &request, err));
    Spark__Connect__UserContext user = SPARK__CONNECT__USER_CONTEXT__INIT;
    user.user_id = pt__unconst(request.user_id);
    pt__session_key key = pt__connect_key(pt__connect_principal(call), request.session_id, &user, request.observed_id);
    PT_TRY(pt__host_session(mount->host, &key, true, session, err));
    pt_job *job = NULL;
    PT_TRY(start_job(mount, call, *session, &request, &job, err));
    pt__connect_stream_start start = {pt_session_ref(*session), job, {0}, request.is_reattachable};
    return pt__connect_stream_open(mount, call, &start, err);
}

/* ---- reattaching ---- */

static pt_status read_position(pt_job *job, const char *response_id, pt__connect_position *out, pt_error *err)
{
    *out = (pt__connect_position){0};
    if (response_id == NULL || pt__connect_response_id_read(pt_job_id(job), response_id, out))
        return PT_OK;
    return pt__raise(err, PT_COND_INVALID_CURSOR_POSITION_NOT_FOUND, "responseId", response_id, NULL);
}

static pt_status resume(pt__connect *mount, pt_call *call, pt_session *session, pt_job *job, const char *response_id,
                        pt_error *err)
{
    pt__connect_stream_start start = {session, job, {0}, true};
    pt_status status = PT_OK;
    if (!pt__job_is_resumable(job))
        status = pt__raise(err, PT_COND_INVALID_CURSOR_NOT_REATTACHABLE, NULL);
    if (status == PT_OK)
        status = read_position(job, response_id, &start.position, err);
    if (status != PT_OK || start.position.is_complete) {
        pt_job_unref(job);
        pt_session_unref(session);
        if (status == PT_OK)
            pt__connect_finish_ok(call); /* all had been received */
        return status;
    }
    return pt__connect_stream_open(mount, call, &start, err);
}

static pt_status find_own_job(pt__connect *mount, const pt__session_key *key, const char *id, pt_session **session,
                              pt_job **out, pt_error *err)
{
    PT_TRY(pt__host_session(mount->host, key, false, session, err));
    return pt__session_job(*session, id, out, err);
}

/*
 * What this node does not know may be on record: then the client is answered under the names of the session that it
 * had. Asking blocks for as long as the store takes.
 */
static pt_status find_job(pt__connect *mount, const pt__session_key *key, const char *id, pt_session **session,
                          pt_job **out, pt_error *err)
{
    pt_error inner = PT_ERROR_INIT;
    pt_status status = find_own_job(mount, key, id, session, out, err);
    if (status == PT_OK || !pt__is_uuid(id))
        return status;
    pt_status recovered = pt__host_recover_for(mount->host, key->user, key->session_id, id, out, &inner);
    if (recovered == PT_OK) {
        pt_session_unref(*session);
        *session = pt_session_ref(pt__job_session(*out));
        status = PT_OK;
        pt_error_clear(err);
    } else if (recovered != PT_NOT_FOUND) {
        status = recovered;
        if (err != NULL)
            pt_error_move(err, &inner);
    }
    pt_error_clear(&inner);
    return status;
}

static pt_status reattach(pt__connect *mount, pt_call *call, pt__arena *arena, pt_bytes_view bytes,
                          pt_session **session, pt_error *err)
{
    ProtobufCMessage *message;
    PT_TRY(pt__connect_unpack(arena, &spark__connect__reattach_execute_request__descriptor, bytes, &message, err));
    const Spark__Connect__ReattachExecuteRequest *request = (const Spark__Connect__ReattachExecuteRequest *)message;
    pt__session_key key = PT_CONNECT_KEY(pt__connect_principal(call), request);
    pt_job *job = NULL;
    PT_TRY(find_job(mount, &key, request->operation_id, session, &job, err));
    const char *response_id = request->_last_response_id_case == 0 ? NULL : request->last_response_id;
    return resume(mount, call, pt_session_ref(*session), job, response_id, err);
}

/* ---- both calls ---- */

typedef pt_status (*open_stream)(pt__connect *mount, pt_call *call, pt__arena *arena, pt_bytes_view bytes,
                                 pt_session **session, pt_error *err);

static pt_status open_guarded(pt__connect *mount, pt_call *call, pt__arena *arena, pt_bytes_view bytes,
                              open_stream open, pt_session **session, pt_error *err)
{
    if (PT_ARENA_GUARD(arena))
        return pt_error_set(err, PT_LIMIT, "The request needs more than %d bytes besides its plan.",
                            EXECUTE_ARENA_MAX_BYTES);
    pt_status status = open(mount, call, arena, bytes, session, err);
    pt__arena_unguard(arena);
    return status;
}

static void start_call(pt__connect *mount, pt_call *call, pt_bytes_view bytes, open_stream open)
{
    pt_error err = PT_ERROR_INIT;
    pt_session *session = NULL;
    if (call->state != NULL)
        return; /* a second request of a unary call */
    pt__arena *arena = pt__host_arena(mount->host, EXECUTE_ARENA_MAX_BYTES);
    pt_status status = arena == NULL ? pt_error_set(&err, PT_NO_MEMORY, "no memory for a request")
                                     : open_guarded(mount, call, arena, bytes, open, &session, &err);
    if (status != PT_OK)
        pt__connect_fail(mount, call, session, &err);
    pt_error_clear(&err);
    pt_session_unref(session);
    pt__arena_free(arena);
}

void pt__connect_execute_message(void *mount, pt_call *call, pt_bytes_view request)
{
    start_call(mount, call, request, execute);
}

void pt__connect_reattach_message(void *mount, pt_call *call, pt_bytes_view request)
{
    start_call(mount, call, request, reattach);
}

void pt__connect_execute_writable(void *mount, pt_call *call)
{
    (void)mount;
    if (call->state != NULL)
        pt__connect_stream_pump(call->state);
}

void pt__connect_execute_closed(void *mount, pt_call *call, pt_call_end end)
{
    (void)mount;
    (void)end;
    pt__connect_stream_close(call->state);
    call->state = NULL;
}

#include "front/spark_connect/unary.h"

#include "base/unconst.h"
#include "front/spark_connect/errors.h"

#include <stdint.h>

/* Unpacked requests; a message of many tiny parts takes a multiple of its size. */
enum { UNARY_ARENA_MAX_BYTES = 64 * 1024 * 1024 };

/* call->state of a call that was answered at once and holds nothing. */
static const char answered;

void *pt__connect_answered(void)
{
    return pt__unconst(&answered);
}

typedef void (*message_init)(ProtobufCMessage *message);

void *pt__connect_make_with(pt__arena *arena, size_t size_bytes, void (*init)(void))
{
    ProtobufCMessage *message = pt__arena_alloc(arena, size_bytes);
    ((message_init)init)(message);
    return message;
}

pt_status pt__connect_send(pt_call *call, const ProtobufCMessage *message, pt_error *err)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    pt__buffer packed = PT_BUFFER_INIT;
    if (!pt__buffer_reserve(&packed, size == 0 ? 1 : size))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an answer of %zu bytes", size);
    packed.size_bytes = protobuf_c_message_pack(message, packed.data);
    pt_bytes *bytes = pt__buffer_take(&packed);
    if (bytes == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an answer of %zu bytes", size);
    pt_segment segment = {bytes, pt_bytes_get_view(bytes)};
    return pt_call_send(call, &segment, 1, err);
}

void pt__connect_finish_ok(pt_call *call)
{
    pt_call_finish(call, &(pt_call_status){PT_GRPC_OK, NULL, {NULL, 0}});
}

void pt__connect_fail(pt__connect *mount, pt_call *call, pt_session *session, const pt_error *err)
{
    char id[PT_ERROR_ID_BYTES];
    bool has_id = session != NULL && pt__connect_errors_put(mount->errors, pt_session_id(session), err, id);
    pt__connect_failure failure;
    pt__connect_failure_init(&failure, err, has_id ? id : NULL);
    pt_call_status status = pt__connect_failure_status(&failure);
    pt_call_finish(call, &status);
    pt__connect_failure_deinit(&failure);
}

pt_status pt__connect_unary_session(pt__connect_unary *unary, const pt__session_key *key, bool create, pt_error *err)
{
    return pt__host_session(unary->mount->host, key, create, &unary->session, err);
}

static pt_status answer_guarded(pt__connect_unary *unary, pt_bytes_view request, pt__connect_answer answer,
                                pt_error *err)
{
    if (PT_ARENA_GUARD(unary->arena))
        return pt_error_set(err, PT_LIMIT, "The request needs more than %d bytes to be read.", UNARY_ARENA_MAX_BYTES);
    const ProtobufCMessage *response = NULL;
    pt_status status = answer(unary, request, &response, err);
    if (status == PT_OK && response != NULL)
        status = pt__connect_send(unary->call, response, err);
    pt__arena_unguard(unary->arena);
    return status;
}

void pt__connect_unary_run(pt__connect *mount, pt_call *call, pt_bytes_view request, pt__connect_answer answer)
{
    if (call->state != NULL)
        return; /* a second request of a unary call */
    call->state = pt__connect_answered();
    pt_error err = PT_ERROR_INIT;
    pt__connect_unary unary = {mount, call, pt__host_arena(mount->host, UNARY_ARENA_MAX_BYTES), NULL};
    pt_status status = unary.arena == NULL ? pt_error_set(&err, PT_NO_MEMORY, "no memory for a request")
                                           : answer_guarded(&unary, request, answer, &err);
    if (status == PT_OK)
        pt__connect_finish_ok(call);
    else
        pt__connect_fail(mount, call, unary.session, &err);
    pt_error_clear(&err);
    pt_session_unref(unary.session);
    pt__arena_free(unary.arena);
}

void pt__connect_half_closed(void *mount, pt_call *call)
{
    (void)mount;
    if (call->state == NULL)
        pt_call_finish(call,
                       &(pt_call_status){PT_GRPC_INVALID_ARGUMENT, "the call ended without a request", {NULL, 0}});
}

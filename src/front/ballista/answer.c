/* How calls are answered. */
#include "base/unconst.h"
#include "decode/protobuf.h"
#include "front/ballista/calls.h"
#include "front/flight/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REQUEST_ARENA_BYTES = 64 << 20 };

void *pt__ballista_answered(void)
{
    static const char answered;
    return pt__unconst(&answered);
}

char *pt__ballista_parse_failure(const pt_error *err)
{
    static const char before[] = "Could not parse plan: ";
    const char *text = pt_error_full_message(err);
    size_t size = sizeof(before) + strlen(text);
    char *out = malloc(size);
    if (out != NULL)
        snprintf(out, size, "%s%s", before, text);
    return out;
}

void pt__ballista_fail_with(pt_call *call, pt_grpc_code code, const char *message)
{
    pt_call_finish(call, &(pt_call_status){code, message, {NULL, 0}});
}

bool pt__ballista_send(pt_call *call, const ProtobufCMessage *message)
{
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt__flight_send(call, pt__flight_pack(message), &err);
    if (status != PT_OK)
        pt__flight_fail(call, &err);
    pt_error_clear(&err);
    return status == PT_OK;
}

void pt__ballista_reply(pt_call *call, const ProtobufCMessage *message)
{
    if (pt__ballista_send(call, message))
        pt__flight_finish_ok(call);
}

void pt__ballista_half_closed(void *mount, pt_call *call)
{
    (void)mount;
    if (call->state == NULL)
        pt__ballista_fail_with(call, PT_GRPC_INVALID_ARGUMENT, "the call ended without a request");
}

typedef struct work_order {
    pt__ballista *mount;
    pt_call *call;
    pt__arena *arena;
    pt_bytes_view request;
    const ProtobufCMessageDescriptor *descriptor;
    pt_status (*work)(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message, pt_error *err);
} work_order;

/* A frame of its own, so that nothing of the caller's is live across the guard's jump. */
static pt_status work_guarded(const work_order *o, pt_error *err)
{
    ProtobufCMessage *message;
    if (PT_ARENA_GUARD(o->arena))
        return pt_error_set(err, PT_LIMIT, "the request needs more than %d bytes to be read", REQUEST_ARENA_BYTES);
    pt_status status = pt__protobuf_unpack(o->arena, o->descriptor, o->request, &message, err);
    if (status == PT_OK)
        status = o->work(o->mount, o->call, o->arena, message, err);
    pt__arena_unguard(o->arena);
    return status;
}

void pt__ballista_work(void *mount, pt_call *call, pt_bytes_view request, const ProtobufCMessageDescriptor *descriptor,
                       pt_status (*work)(pt__ballista *mount, pt_call *call, pt__arena *arena, void *message,
                                         pt_error *err))
{
    pt_error err = PT_ERROR_INIT;
    if (call->state != NULL)
        return; /* a second request of a call that takes one */
    call->state = pt__ballista_answered();
    work_order order = {mount, call, pt__arena_new(REQUEST_ARENA_BYTES), request, descriptor, work};
    pt_status status =
        order.arena == NULL ? pt_error_set(&err, PT_NO_MEMORY, "no memory for a request") : work_guarded(&order, &err);
    pt__arena_free(order.arena);
    if (status != PT_OK)
        pt__flight_fail(call, &err);
    pt_error_clear(&err);
}

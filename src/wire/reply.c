#include "wire/reply.h"

#include <stdlib.h>

void pt__reply_finish(pt_call *call, pt_grpc_code code, const char *text)
{
    pt_call_finish(call, &(pt_call_status){code, text, {NULL, 0}});
}

void pt__reply_message(pt_call *call, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = malloc(size + 1); /* a message without content has no bytes */
    if (packed == NULL) {
        pt__reply_finish(call, PT_GRPC_RESOURCE_EXHAUSTED, "no memory for an answer");
        return;
    }
    protobuf_c_message_pack(message, packed);
    pt_bytes *owner = pt_bytes_wrap((pt_bytes_view){packed, size}, free, packed);
    pt_segment segment = {owner, {packed, size}};
    pt_error err = PT_ERROR_INIT;
    if (owner == NULL)
        pt__reply_finish(call, PT_GRPC_RESOURCE_EXHAUSTED, "no memory for an answer");
    else if (pt_call_send(call, &segment, 1, &err) != PT_OK)
        pt__reply_finish(call, PT_GRPC_RESOURCE_EXHAUSTED, err.message);
    pt_error_clear(&err);
}

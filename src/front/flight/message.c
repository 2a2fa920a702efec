#include "front/flight/message.h"

#include "wire/proto.h"

#include <nanoarrow/nanoarrow.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICKET = 1,     /* field of Ticket */
    DESCRIPTOR = 1, /* fields of FlightData */
    DATA_HEADER = 2,
    DATA_BODY = 1000,
    IPC_PREFIX_BYTES = 8
};

pt_bytes *pt__flight_pack(const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    pt__buffer packed = PT_BUFFER_INIT;
    if (!pt__buffer_reserve(&packed, size + 1))
        return NULL;
    packed.size_bytes = protobuf_c_message_pack(message, packed.data);
    return pt__buffer_take(&packed);
}

pt_status pt__flight_send(pt_call *call, pt_bytes *message, pt_error *err)
{
    if (message == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for an answer");
    pt_segment segment = {message, pt_bytes_get_view(message)};
    return pt_call_send(call, &segment, 1, err);
}

pt_status pt__flight_send_schema(pt_call *call, pt_bytes *schema, pt_error *err)
{
    pt__buffer prefix = PT_BUFFER_INIT;
    pt_bytes_view header = pt_bytes_get_view(schema);
    header.data += IPC_PREFIX_BYTES;
    header.size_bytes -= IPC_PREFIX_BYTES;
    pt__proto_append_bytes(&prefix, DATA_HEADER, header);
    return pt__flight_send(call, pt__buffer_take(&prefix), err);
}

pt_status pt__flight_send_batch(pt_call *call, const pt__spool_entry *entry, pt_error *err)
{
    pt__buffer prefix = PT_BUFFER_INIT;
    pt__proto_append_bytes(&prefix, DATA_HEADER, entry->metadata);
    pt__proto_append_header(&prefix, DATA_BODY, (size_t)entry->body_bytes);
    pt_bytes *head = pt__buffer_take(&prefix);
    pt_segment *segments = malloc((entry->body_count + 1) * sizeof(*segments));
    if (head == NULL || segments == NULL) {
        pt_bytes_unref(head);
        free(segments);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a batch");
    }
    segments[0] = (pt_segment){head, pt_bytes_get_view(head)};
    for (size_t i = 0; i < entry->body_count; i++) {
        pt_bytes *owner = entry->body[i].owner;
        segments[i + 1] = (pt_segment){owner == NULL ? NULL : pt_bytes_ref(owner), entry->body[i].view};
    }
    pt_status status = pt_call_send(call, segments, entry->body_count + 1, err);
    free(segments);
    return status;
}

pt_status pt__flight_own_schema(struct ArrowSchema *schema, pt_error *err)
{
    struct ArrowSchema own;
    if (ArrowSchemaDeepCopy(schema, &own) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
    schema->release(schema);
    *schema = own;
    return PT_OK;
}

pt_status pt__flight_ticket_read(pt_bytes_view message, pt_bytes_view *out, pt_error *err)
{
    pt__proto_field field;
    pt__proto_state state;
    *out = (pt_bytes_view){NULL, 0};
    while ((state = pt__proto_next(&message, &field)) == PT_PROTO_FIELD) {
        if (field.number == TICKET && field.wire_type == PT_PROTO_BYTES)
            *out = field.bytes;
    }
    return state == PT_PROTO_END ? PT_OK : pt_error_set(err, PT_BAD_MESSAGE, "malformed Ticket");
}

pt_status pt__flight_data_read(pt_bytes_view message, pt__flight_data *out, pt_error *err)
{
    pt__proto_field field;
    pt__proto_state state;
    *out = (pt__flight_data){0};
    while ((state = pt__proto_next(&message, &field)) == PT_PROTO_FIELD) {
        if (field.wire_type != PT_PROTO_BYTES)
            continue;
        switch (field.number) {
        case DESCRIPTOR: out->descriptor = field.bytes; break;
        case DATA_HEADER: out->header = field.bytes; break;
        case DATA_BODY: out->body = field.bytes; break;
        default: break; /* app_metadata, and what later versions add */
        }
    }
    return state == PT_PROTO_END ? PT_OK : pt_error_set(err, PT_BAD_MESSAGE, "malformed FlightData message");
}

void pt__flight_data_append_ipc(pt__buffer *stream, const pt__flight_data *data)
{
    static const uint8_t zeros[8];
    if (data->header.size_bytes == 0)
        return;
    size_t padding = (8 - data->header.size_bytes % 8) % 8;
    uint32_t size = (uint32_t)(data->header.size_bytes + padding);
    uint8_t prefix[IPC_PREFIX_BYTES] = {
        0xFF, 0xFF, 0xFF, 0xFF, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
    pt__buffer_append(stream, prefix, sizeof(prefix));
    pt__buffer_append(stream, data->header.data, data->header.size_bytes);
    pt__buffer_append(stream, zeros, padding);
    pt__buffer_append(stream, data->body.data, data->body.size_bytes);
    pt__buffer_append(stream, zeros, (8 - data->body.size_bytes % 8) % 8);
}

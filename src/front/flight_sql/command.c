#include "front/flight_sql/command.h"

#include "decode/protobuf.h"
#include "front/flight/message.h"
#include "wire/proto.h"

#include <arrow/flight_sql.pb-c.h>
#include <string.h>

enum { ANY_TYPE_URL = 1, ANY_VALUE = 2, DESCRIPTOR_TYPE = 1, DESCRIPTOR_CMD = 2, DESCRIPTOR_IS_CMD = 2 };

static pt_status malformed(pt_error *err)
{
    return pt_error_set(err, PT_INVALID_ARGUMENT, "the command is not a Flight SQL message within google.protobuf.Any");
}

pt_status pt__flight_command_read(pt__arena *arena, pt_bytes_view any, pt__flight_command *out, pt_error *err)
{
    pt__proto_field field;
    pt__proto_state state;
    pt_bytes_view url = {NULL, 0};
    size_t skip = sizeof(PT_FLIGHT_SQL_URL) - 1;
    *out = (pt__flight_command){0};
    while ((state = pt__proto_next(&any, &field)) == PT_PROTO_FIELD) {
        if (field.number == ANY_TYPE_URL && field.wire_type == PT_PROTO_BYTES)
            url = field.bytes;
        else if (field.number == ANY_VALUE && field.wire_type == PT_PROTO_BYTES)
            out->value = field.bytes;
    }
    if (state != PT_PROTO_END || url.size_bytes <= skip || memcmp(url.data, PT_FLIGHT_SQL_URL, skip) != 0 ||
        memchr(url.data, 0, url.size_bytes) != NULL)
        return malformed(err);
    out->name = pt__arena_copy_text(arena, (const char *)url.data + skip, url.size_bytes - skip);
    return PT_OK;
}

pt_status pt__flight_descriptor_command(pt_bytes_view descriptor, pt_bytes_view *any, pt_error *err)
{
    pt__proto_field field;
    pt__proto_state state;
    uint64_t type = 0;
    *any = (pt_bytes_view){NULL, 0};
    while ((state = pt__proto_next(&descriptor, &field)) == PT_PROTO_FIELD) {
        if (field.number == DESCRIPTOR_TYPE && field.wire_type == PT_PROTO_VARINT)
            type = field.integer;
        else if (field.number == DESCRIPTOR_CMD && field.wire_type == PT_PROTO_BYTES)
            *any = field.bytes;
    }
    if (state != PT_PROTO_END)
        return pt_error_set(err, PT_BAD_MESSAGE, "malformed FlightDescriptor");
    if (type != DESCRIPTOR_IS_CMD)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the FlightDescriptor is no command");
    return PT_OK;
}

bool pt__flight_command_is(const pt__flight_command *command, const char *name)
{
    return strcmp(command->name, name) == 0;
}

pt_status pt__flight_unpack(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor, pt_bytes_view bytes,
                            ProtobufCMessage **out, pt_error *err)
{
    return pt__protobuf_unpack(arena, descriptor, bytes, out, err);
}

pt_status pt__flight_command_unpack(pt__arena *arena, const pt__flight_command *command,
                                    const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **out, pt_error *err)
{
    return pt__protobuf_unpack(arena, descriptor, command->value, out, err);
}

pt_status pt__flight_command_plan(pt__arena *arena, const pt__flight_command *command, pt_bytes_view *plan,
                                  pt_bytes_view *transaction, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandStatementSubstraitPlan *c;
    PT_TRY(pt__flight_command_unpack(arena, command,
                                     &arrow__flight__protocol__sql__command_statement_substrait_plan__descriptor,
                                     (ProtobufCMessage **)&c, err));
    if (c->plan == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the command has no plan");
    *plan = (pt_bytes_view){c->plan->plan.data, c->plan->plan.len};
    *transaction = (pt_bytes_view){c->transaction_id.data, c->_transaction_id_case != 0 ? c->transaction_id.len : 0};
    return PT_OK;
}

pt_bytes *pt__flight_pack_any(const char *name, const ProtobufCMessage *message)
{
    pt__buffer url = PT_BUFFER_INIT;
    pt__buffer any = PT_BUFFER_INIT;
    pt_bytes *value = pt__flight_pack(message);
    if (value == NULL)
        return NULL;
    pt__buffer_printf(&url, PT_FLIGHT_SQL_URL "%s", name);
    pt__proto_append_bytes(&any, ANY_TYPE_URL, pt__buffer_view(&url));
    pt__proto_append_bytes(&any, ANY_VALUE, pt_bytes_get_view(value));
    any.failed = any.failed || url.failed;
    pt__buffer_deinit(&url);
    pt_bytes_unref(value);
    return pt__buffer_take(&any);
}

const char *pt__flight_quoted(pt__arena *arena, const char *name)
{
    char *out = pt__arena_alloc_text(arena, 2 * strlen(name) + 3);
    char *to = out;
    *to++ = '"';
    for (; *name != '\0'; name++) {
        if (*name == '"')
            *to++ = '"';
        *to++ = *name;
    }
    *to++ = '"';
    *to = '\0';
    return out;
}

#include "backend/ballista/plan_guard.h"

#include "wire/proto.h"

#include "datafusion/plan.pb-c.h"

enum { OPERANDS_FIELD = 1, PARTITIONS_FIELD = 9 };

static pt_status malformed(pt_error *err)
{
    return pt_error_set(err, PT_BAD_MESSAGE, "the plan of DataFusion is malformed");
}

static const ProtobufCMessageDescriptor *child_of(const ProtobufCMessageDescriptor *type, const pt__proto_field *field)
{
    const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(type, field->number);
    bool is_message = known != NULL && known->type == PROTOBUF_C_TYPE_MESSAGE && field->wire_type == PT_PROTO_BYTES;
    return is_message ? known->descriptor : NULL;
}

/* Of one message: how many operands it has, and whether it names partitions. */
static pt_status check_counts(const ProtobufCMessageDescriptor *type, size_t operands, bool has_partitions,
                              pt_error *err)
{
    if (type == &datafusion__binary_expr_node__descriptor && operands > PT_PLAN_GUARD_OPERANDS_MAX)
        return pt_error_set(err, PT_LIMIT,
                            "an expression has %zu operands; Ballista's scheduler does not survive more than %d",
                            operands, PT_PLAN_GUARD_OPERANDS_MAX);
    if (type == &datafusion__listing_table_scan_node__descriptor && !has_partitions)
        return pt_error_set(err, PT_BAD_PLAN,
                            "a scan of files has no target_partitions: Ballista's scheduler would wait for ever");
    return PT_OK;
}

static pt_status check_message(const ProtobufCMessageDescriptor *type, pt_bytes_view rest, int depth, pt_error *err)
{
    size_t operands = 0;
    bool has_partitions = false;
    if (depth > PT_PLAN_GUARD_DEPTH_MAX)
        return pt_error_set(err, PT_LIMIT,
                            "the plan nests more than %d messages, which Ballista's scheduler does not read",
                            PT_PLAN_GUARD_DEPTH_MAX);
    for (;;) {
        pt__proto_field field;
        pt__proto_state state = pt__proto_next(&rest, &field);
        if (state == PT_PROTO_MALFORMED)
            return malformed(err);
        if (state == PT_PROTO_END)
            return check_counts(type, operands, has_partitions, err);
        operands += field.number == OPERANDS_FIELD;
        if (field.number == PARTITIONS_FIELD)
            has_partitions = field.wire_type == PT_PROTO_VARINT && field.integer != 0;
        const ProtobufCMessageDescriptor *child = child_of(type, &field);
        if (child != NULL)
            PT_TRY(check_message(child, field.bytes, depth + 1, err));
    }
}

pt_status pt__datafusion_check_plan(pt_bytes_view plan, pt_error *err)
{
    return check_message(&datafusion__logical_plan_node__descriptor, plan, 1, err);
}

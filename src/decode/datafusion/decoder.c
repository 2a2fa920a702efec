/* The entry point, and errors. */
#include "decode/datafusion/internal.h"

#include "base/condition.h"
#include "decode/protobuf.h"

#include <stdio.h>

/* ---- errors ---- */

pt_status pt__df_refuse(pt__df *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *feature = pt__arena_vprintf(d->arena, format, arguments);
    va_end(arguments);
    return pt__raise(d->err, PT_COND_UNSUPPORTED_FEATURE, "feature", feature, NULL);
}

pt_status pt__df_bad(pt__df *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *what = pt__arena_vprintf(d->arena, format, arguments);
    va_end(arguments);
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_CANNOT_PARSE, "errorMsg", what, NULL);
}

pt_status pt__df_refuse_member(pt__df *d, const ProtobufCMessage *message, unsigned number)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(message->descriptor, number);
    char digits[16];
    snprintf(digits, sizeof(digits), "%u", number);
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NOT_SUPPORTED, "fullName", message->descriptor->name, "name",
                     field == NULL ? "UNKNOWN" : field->name, "number", digits, NULL);
}

pt_status pt__df_not_set(pt__df *d, const ProtobufCMessage *message)
{
    if (message->n_unknown_fields != 0)
        return pt__df_refuse_member(d, message, message->unknown_fields[0].tag);
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NOT_SET, "fullName", message->descriptor->name, "name", "",
                     NULL);
}

pt_status pt__df_enter(pt__df *d)
{
    if (d->depth++ < PT_DATAFUSION_DEPTH_MAX)
        return PT_OK;
    return pt_error_set(d->err, PT_LIMIT, "the plan nests deeper than %d nodes and expressions",
                        PT_DATAFUSION_DEPTH_MAX);
}

/* ---- the entry point ---- */

pt_status pt__datafusion_decode(pt__arena *arena, pt_bytes_view payload, const pt__datafusion_options *options,
                                const pt_plan **out, pt_error *err)
{
    static const pt__datafusion_options no_options = {0};
    pt__df d = {.arena = arena, .options = options == NULL ? &no_options : options, .err = err};
    ProtobufCMessage *message;
    pt__df_relation rows;
    PT_TRY(pt__protobuf_unpack(arena, &datafusion__logical_plan_node__descriptor, payload, &message, err));
    const Datafusion__LogicalPlanNode *node = (const Datafusion__LogicalPlanNode *)message;
    pt_status status = pt__df_command(&d, node, out);
    if (status != PT_NOT_FOUND)
        return status;
    PT_TRY(pt__df_relation_of(&d, node, &rows));
    *out = pt__df_named(&d, &rows);
    return PT_OK;
}

#include "decode/substrait/internal.h"

#include <stdarg.h>

pt_status pt__substrait_unsupported(decoder *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *feature = pt__arena_vprintf(d->arena, format, arguments);
    va_end(arguments);
    return pt__raise(d->err, PT_COND_UNSUPPORTED_FEATURE, "feature", feature, NULL);
}

pt_status pt__substrait_bad(decoder *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = pt__arena_vprintf(d->arena, format, arguments);
    va_end(arguments);
    return pt_error_set(d->err, PT_BAD_PLAN, "the Substrait plan is invalid: %s", text);
}

pt_status pt__substrait_unknown_kind(decoder *d, const ProtobufCMessage *message, unsigned number)
{
    const char *name = message->descriptor->name;
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(message->descriptor, number);
    if (field != NULL)
        return pt__substrait_unsupported(d, "%s.%s", name, field->name);
    if (message->n_unknown_fields != 0)
        return pt__substrait_unsupported(d, "field %u of %s", message->unknown_fields[0].tag, name);
    return pt__substrait_bad(d, "a %s message says nothing", name);
}

pt_status pt__substrait_check_extension(decoder *d, const Substrait__Extensions__AdvancedExtension *extension,
                                        const char *where)
{
    if (extension == NULL || extension->enhancement == NULL)
        return PT_OK;
    return pt__substrait_unsupported(d, "the enhancement %s of the Substrait relation %s",
                                     extension->enhancement->type_url, where);
}

const char *pt__substrait_enum_name(decoder *d, const ProtobufCEnumDescriptor *descriptor, int value)
{
    const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(descriptor, value);
    return known != NULL ? known->name : pt__arena_printf(d->arena, "%d", value);
}

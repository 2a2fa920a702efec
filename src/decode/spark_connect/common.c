/* Errors, names, options and origins. */
#include "decode/spark_connect/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

static const char *upper(pt__decoder *d, const char *name)
{
    char *copy = pt__arena_copy_string(d->arena, name);
    for (char *c = copy; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    return copy;
}

pt_status pt__decode_not_supported(pt__decoder *d, const ProtobufCMessage *message, unsigned number)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(message->descriptor, number);
    char digits[16];
    snprintf(digits, sizeof(digits), "%u", number);
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NOT_SUPPORTED, "fullName", message->descriptor->name, "name",
                     field == NULL ? "UNKNOWN" : upper(d, field->name), "number", digits, NULL);
}

pt_status pt__decode_not_set(pt__decoder *d, const ProtobufCMessage *message,
                             const ProtobufCMessageDescriptor *descriptor, const char *name)
{
    if (message != NULL && message->n_unknown_fields != 0)
        return pt__decode_not_supported(d, message, message->unknown_fields[0].tag);
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NOT_SET, "fullName", descriptor->name, "name", name, NULL);
}

pt_status pt__decode_bad_enum(pt__decoder *d, const ProtobufCEnumDescriptor *descriptor, int value)
{
    const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value(descriptor, value);
    char digits[16];
    snprintf(digits, sizeof(digits), "%d", value);
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_ENUM, "fullName", descriptor->name, "name",
                     known == NULL ? "UNRECOGNIZED" : known->name, "number", digits, NULL);
}

pt_status pt__decode_too_precise(pt__decoder *d, int32_t precision)
{
    return pt__raise(d->err, PT_COND_DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION, "precision",
                     pt__arena_printf(d->arena, "%d", precision), "maxPrecision", "38", NULL);
}

pt_status pt__decode_unsupported_feature(pt__decoder *d, const char *feature)
{
    return pt__raise(d->err, PT_COND_UNSUPPORTED_FEATURE, "feature", feature, NULL);
}

/* ---- texts ---- */

pt_text_view pt__decode_text(const char *text)
{
    return (pt_text_view){text, strlen(text)};
}

const char *pt__decode_optional_text(const char *text)
{
    return text == NULL || *text == '\0' ? NULL : text;
}

pt_status pt__decode_name(pt__decoder *d, const char *text, pt_name *out)
{
    return pt__sql_parse_name(d->arena, pt__decode_text(text), d->options, out, d->err);
}

pt_options pt__decode_option_map(pt__decoder *d, const void *const *entries, size_t count, size_t key_offset,
                                 size_t value_offset)
{
    pt_option *items = pt__arena_array(d->arena, pt_option, count);
    for (size_t i = 0; i < count; i++) {
        memcpy(&items[i].key, (const char *)entries[i] + key_offset, sizeof(items[i].key));
        memcpy(&items[i].value, (const char *)entries[i] + value_offset, sizeof(items[i].value));
    }
    return (pt_options){items, count};
}

/* ---- origins ---- */

const pt_origin *pt__decode_origin(pt__decoder *d, const Spark__Connect__Origin *origin)
{
    if (origin == NULL || origin->function_case != SPARK__CONNECT__ORIGIN__FUNCTION_PYTHON_ORIGIN)
        return d->origin;
    pt_origin *decoded = pt__arena_make(d->arena, pt_origin);
    decoded->fragment = origin->python_origin->fragment;
    decoded->call_site = origin->python_origin->call_site;
    return decoded;
}

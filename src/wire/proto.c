#include "wire/proto.h"

#include <string.h>

static bool take_varint(pt_bytes_view *rest, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && rest->size_bytes > 0; shift += 7) {
        uint8_t byte = *rest->data++;
        rest->size_bytes--;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

static bool take_fixed(pt_bytes_view *rest, size_t size_bytes, uint64_t *value)
{
    if (rest->size_bytes < size_bytes)
        return false;
    *value = 0;
    for (size_t i = 0; i < size_bytes; i++)
        *value |= (uint64_t)rest->data[i] << (8 * i);
    rest->data += size_bytes;
    rest->size_bytes -= size_bytes;
    return true;
}

static bool take_bytes(pt_bytes_view *rest, pt_bytes_view *out)
{
    uint64_t length;
    if (!take_varint(rest, &length) || length > rest->size_bytes)
        return false;
    *out = (pt_bytes_view){rest->data, (size_t)length};
    rest->data += length;
    rest->size_bytes -= (size_t)length;
    return true;
}

static bool take_value(pt_bytes_view *rest, pt__proto_field *out)
{
    switch (out->wire_type) {
    case PT_PROTO_VARINT: return take_varint(rest, &out->integer);
    case PT_PROTO_FIXED64: return take_fixed(rest, 8, &out->integer);
    case PT_PROTO_BYTES: return take_bytes(rest, &out->bytes);
    case PT_PROTO_FIXED32: return take_fixed(rest, 4, &out->integer);
    }
    return false;
}

pt__proto_state pt__proto_next(pt_bytes_view *rest, pt__proto_field *out)
{
    if (rest->size_bytes == 0)
        return PT_PROTO_END;
    uint64_t tag;
    *out = (pt__proto_field){0};
    if (!take_varint(rest, &tag) || tag > UINT32_MAX || tag >> 3 == 0)
        return PT_PROTO_MALFORMED;
    out->number = (uint32_t)(tag >> 3);
    out->wire_type = (pt__proto_wire_type)(tag & 7);
    return take_value(rest, out) ? PT_PROTO_FIELD : PT_PROTO_MALFORMED;
}

pt_bytes_view pt__proto_find_bytes(pt_bytes_view message, uint32_t number)
{
    pt__proto_field field;
    while (pt__proto_next(&message, &field) == PT_PROTO_FIELD)
        if (field.number == number && field.wire_type == PT_PROTO_BYTES)
            return field.bytes;
    return (pt_bytes_view){(const uint8_t *)"", 0};
}

size_t pt__proto_varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >= 0x80) {
        value >>= 7;
        size++;
    }
    return size;
}

void pt__proto_append_varint(pt__buffer *out, uint64_t value)
{
    while (value >= 0x80) {
        pt__buffer_append_byte(out, (uint8_t)(value | 0x80));
        value >>= 7;
    }
    pt__buffer_append_byte(out, (uint8_t)value);
}

void pt__proto_append_tag(pt__buffer *out, uint32_t number, pt__proto_wire_type wire_type)
{
    pt__proto_append_varint(out, (uint64_t)number << 3 | wire_type);
}

void pt__proto_append_integer(pt__buffer *out, uint32_t number, uint64_t value)
{
    pt__proto_append_tag(out, number, PT_PROTO_VARINT);
    pt__proto_append_varint(out, value);
}

void pt__proto_append_header(pt__buffer *out, uint32_t number, size_t size_bytes)
{
    pt__proto_append_tag(out, number, PT_PROTO_BYTES);
    pt__proto_append_varint(out, size_bytes);
}

void pt__proto_append_bytes(pt__buffer *out, uint32_t number, pt_bytes_view value)
{
    pt__proto_append_header(out, number, value.size_bytes);
    pt__buffer_append(out, value.data, value.size_bytes);
}

void pt__proto_append_string(pt__buffer *out, uint32_t number, const char *value)
{
    pt__proto_append_bytes(out, number, (pt_bytes_view){(const uint8_t *)value, strlen(value)});
}

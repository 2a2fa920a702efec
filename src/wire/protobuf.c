#include "wire/protobuf.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5, VARINT_BYTES_MAX = 10 };

static bool take_varint(pt_bytes_view *input, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < input->size_bytes && i < VARINT_BYTES_MAX; i++) {
        value |= (uint64_t)(input->data[i] & 0x7F) << (7 * i);
        if (input->data[i] & 0x80)
            continue;
        *out = value;
        input->data += i + 1;
        input->size_bytes -= i + 1;
        return true;
    }
    return false;
}

static bool take_fixed(pt_bytes_view *input, size_t size, uint64_t *out)
{
    if (input->size_bytes < size)
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)input->data[i] << (8 * i);
    *out = value;
    input->data += size;
    input->size_bytes -= size;
    return true;
}

static bool take_bytes(pt_bytes_view *input, pt_bytes_view *out)
{
    uint64_t size;
    if (!take_varint(input, &size) || size > input->size_bytes)
        return false;
    *out = (pt_bytes_view){input->data, (size_t)size};
    input->data += size;
    input->size_bytes -= (size_t)size;
    return true;
}

bool pt__protobuf_next(pt_bytes_view *input, pt__field *field)
{
    pt_bytes_view rest = *input;
    uint64_t tag;
    if (rest.size_bytes == 0 || !take_varint(&rest, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
        return false;
    bool taken = false;
    *field = (pt__field){.number = (uint32_t)(tag >> 3), .is_bytes = (tag & 7) == BYTES};
    switch (tag & 7) {
    case VARINT:  taken = take_varint(&rest, &field->value); break;
    case FIXED64: taken = take_fixed(&rest, 8, &field->value); break;
    case BYTES:   taken = take_bytes(&rest, &field->bytes); break;
    case FIXED32: taken = take_fixed(&rest, 4, &field->value); break;
    default:      break;
    }
    if (taken)
        *input = rest;
    return taken;
}

pt_bytes_view pt__protobuf_find_bytes(pt_bytes_view message, uint32_t number)
{
    pt__field field;
    while (pt__protobuf_next(&message, &field))
        if (field.number == number && field.is_bytes)
            return field.bytes;
    return (pt_bytes_view){(const uint8_t *)"", 0};
}

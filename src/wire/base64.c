#include "wire/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t pt__base64_encoded_size(size_t size_bytes)
{
    return size_bytes / 3 * 4 + (size_bytes % 3 == 0 ? 0 : size_bytes % 3 + 1);
}

void pt__base64_encode(pt__buffer *out, pt_bytes_view bytes)
{
    for (size_t i = 0; i < bytes.size_bytes; i += 3) {
        size_t count = bytes.size_bytes - i < 3 ? bytes.size_bytes - i : 3;
        uint32_t group = (uint32_t)bytes.data[i] << 16;
        if (count > 1)
            group |= (uint32_t)bytes.data[i + 1] << 8;
        if (count > 2)
            group |= bytes.data[i + 2];
        for (size_t j = 0; j <= count; j++)
            pt__buffer_append_byte(out, (uint8_t)alphabet[group >> (18 - 6 * j) & 63]);
    }
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool pt__base64_decode(pt__buffer *out, pt_text_view text)
{
    size_t size = text.size_bytes;
    while (size > 0 && text.size_bytes - size < 2 && text.data[size - 1] == '=')
        size--;
    if (size % 4 == 1 || (size != text.size_bytes && text.size_bytes % 4 != 0))
        return false;
    uint32_t bits = 0;
    int bit_count = 0;
    for (size_t i = 0; i < size; i++) {
        int value = value_of(text.data[i]);
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            pt__buffer_append_byte(out, (uint8_t)(bits >> bit_count));
        }
    }
    return !out->failed;
}

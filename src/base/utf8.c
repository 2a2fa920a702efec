#include "base/utf8.h"

#include <string.h>

enum { REPLACEMENT = 0xFFFD };

/* Length of the well-formed character at `text`, or 0. Spec: RFC 3629, section 4. */
static size_t character_size(const unsigned char *text, size_t size_bytes)
{
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || size > size_bytes)
        return 0;
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    }
    return size;
}

/* How much of the text is ASCII, in whole words. */
static size_t ascii_bytes(const char *text, size_t size_bytes)
{
    size_t i = 0;
    for (uint64_t word; i + sizeof(word) <= size_bytes; i += sizeof(word)) {
        memcpy(&word, text + i, sizeof(word));
        if ((word & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    return i;
}

bool pt__utf8_is_ascii(const char *text, size_t size_bytes)
{
    enum { BLOCK_BYTES = 256 }; /* long enough for the compiler to make vectors of */
    size_t i = 0;
    unsigned char bits = 0;
    for (; bits < 0x80 && i + BLOCK_BYTES <= size_bytes; i += BLOCK_BYTES)
        for (size_t k = 0; k < BLOCK_BYTES; k++)
            bits |= (unsigned char)text[i + k];
    for (; bits < 0x80 && i < size_bytes; i++)
        bits |= (unsigned char)text[i];
    return bits < 0x80;
}

bool pt__utf8_valid(const char *text, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes;) {
        i += ascii_bytes(text + i, size_bytes - i);
        if (i == size_bytes)
            break;
        size_t size = character_size((const unsigned char *)text + i, size_bytes - i);
        if (size == 0)
            return false;
        i += size;
    }
    return true;
}

bool pt__utf8_next(const char *text, size_t size_bytes, size_t *position, uint32_t *code_point)
{
    if (*position >= size_bytes)
        return false;
    const unsigned char *at = (const unsigned char *)text + *position;
    size_t size = character_size(at, size_bytes - *position);
    if (size <= 1) {
        *code_point = size == 1 ? at[0] : REPLACEMENT;
        *position += 1;
        return true;
    }
    uint32_t value = at[0] & (0x7FU >> size);
    for (size_t i = 1; i < size; i++)
        value = value << 6 | (at[i] & 0x3FU);
    *code_point = value;
    *position += size;
    return true;
}

size_t pt__utf8_encode(uint32_t code_point, char out[4])
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)((0xF00U >> size & 0xFFU) | code_point);
    return size;
}

size_t pt__utf8_utf16_length(const char *text, size_t size_bytes)
{
    size_t units = 0;
    size_t position = 0;
    uint32_t code_point;
    while (pt__utf8_next(text, size_bytes, &position, &code_point))
        units += code_point > 0xFFFF ? 2 : 1;
    return units;
}

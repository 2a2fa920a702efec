#include "front/spark_connect/response_id.h"

#include "base/map.h"

#include <stdio.h>
#include <string.h>

enum {
    UUID_BYTES = 16,
    DIGEST_BYTES = 6,
    VERSION = 0x80,
    FLAG_COMPLETE = 1,
    COUNTER_AT = 7,
    EXPONENT_AT = 8,
    VARIANT = 0x80,
    ENTRY_AT = 9,
    ENTRY_BYTES = 5,
    CHUNK_AT = 14
};

static void write_digest(const char *operation_id, uint8_t out[DIGEST_BYTES])
{
    uint64_t digest = pt__hash_bytes(operation_id, strlen(operation_id));
    for (int i = 0; i < DIGEST_BYTES; i++)
        out[i] = (uint8_t)(digest >> (8 * i));
}

static void write_uuid(const uint8_t bytes[UUID_BYTES], char out[PT_RESPONSE_ID_TEXT_BYTES])
{
    static const char DIGITS[] = "0123456789abcdef";
    for (int i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *out++ = '-';
        *out++ = DIGITS[bytes[i] >> 4];
        *out++ = DIGITS[bytes[i] & 15];
    }
    *out = '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_uuid(const char *text, uint8_t out[UUID_BYTES])
{
    if (strlen(text) != PT_RESPONSE_ID_TEXT_BYTES - 1)
        return false;
    for (int i = 0; i < UUID_BYTES; i++) {
        if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
            return false;
        int high = digit_value(*text++);
        int low = high < 0 ? -1 : digit_value(*text++);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void pt__connect_response_id_write(const char *operation_id, const pt__connect_position *position, uint8_t counter,
                                   char out[PT_RESPONSE_ID_TEXT_BYTES])
{
    uint8_t bytes[UUID_BYTES];
    write_digest(operation_id, bytes);
    bytes[DIGEST_BYTES] = (uint8_t)(VERSION | (position->is_complete ? FLAG_COMPLETE : 0));
    bytes[COUNTER_AT] = counter;
    bytes[EXPONENT_AT] = (uint8_t)(VARIANT | (position->chunk_exponent & 0x3F));
    for (int i = 0; i < ENTRY_BYTES; i++)
        bytes[ENTRY_AT + i] = (uint8_t)(position->entry >> (8 * (ENTRY_BYTES - 1 - i)));
    bytes[CHUNK_AT] = (uint8_t)(position->chunk >> 8);
    bytes[CHUNK_AT + 1] = (uint8_t)position->chunk;
    write_uuid(bytes, out);
}

bool pt__connect_response_id_read(const char *operation_id, const char *text, pt__connect_position *out)
{
    uint8_t bytes[UUID_BYTES];
    uint8_t digest[DIGEST_BYTES];
    write_digest(operation_id, digest);
    if (!read_uuid(text, bytes) || memcmp(bytes, digest, DIGEST_BYTES) != 0 ||
        (bytes[DIGEST_BYTES] & ~FLAG_COMPLETE) != VERSION)
        return false;
    *out = (pt__connect_position){0};
    out->is_complete = (bytes[DIGEST_BYTES] & FLAG_COMPLETE) != 0;
    out->chunk_exponent = bytes[EXPONENT_AT] & 0x3F;
    for (int i = 0; i < ENTRY_BYTES; i++)
        out->entry = out->entry << 8 | bytes[ENTRY_AT + i];
    out->chunk = (uint32_t)bytes[CHUNK_AT] << 8 | bytes[CHUNK_AT + 1];
    return true;
}

#include "base/uuid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { COUNTER_BITS = 26 }; /* of v7: the 12 bits behind the version and the first 14 of the variant's half */

static void random_bytes(uint8_t *out, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = getrandom(out + done, size - done, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            perror("portico: getrandom");
            abort();
        }
        done += (size_t)got;
    }
}

static void stamp(pt__uuid *uuid, unsigned version)
{
    uuid->bytes[6] = (uint8_t)((uuid->bytes[6] & 0x0F) | version << 4);
    uuid->bytes[8] = (uint8_t)((uuid->bytes[8] & 0x3F) | 0x80);
}

void pt__uuid_v4(pt__uuid *out)
{
    random_bytes(out->bytes, sizeof(out->bytes));
    stamp(out, 4);
}

/* RFC 9562, section 6.2, method 1: a counter that starts at random with a free top bit in each millisecond. */
static void advance(pt__uuid_sequence *sequence, uint64_t unix_ms, const uint8_t random[4])
{
    uint32_t increment = 1 + (random[0] & 0x0FU);
    if (unix_ms <= sequence->last_ms && sequence->counter + increment < 1U << COUNTER_BITS) {
        sequence->counter += increment;
        return;
    }
    sequence->last_ms = unix_ms > sequence->last_ms ? unix_ms : sequence->last_ms + 1;
    sequence->counter = (random[1] | (uint32_t)random[2] << 8 | (uint32_t)random[3] << 16) & 0xFFFFFFU;
}

void pt__uuid_v7(pt__uuid_sequence *sequence, uint64_t unix_ms, pt__uuid *out)
{
    uint8_t random[4];
    random_bytes(out->bytes, sizeof(out->bytes));
    random_bytes(random, sizeof(random));
    advance(sequence, unix_ms, random);
    for (int i = 0; i < 6; i++)
        out->bytes[i] = (uint8_t)(sequence->last_ms >> (40 - 8 * i));
    out->bytes[6] = (uint8_t)(sequence->counter >> 22);
    out->bytes[7] = (uint8_t)(sequence->counter >> 14);
    out->bytes[8] = (uint8_t)(sequence->counter >> 8 & 0x3F);
    out->bytes[9] = (uint8_t)sequence->counter;
    stamp(out, 7);
}

static bool is_dash_position(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

void pt__uuid_format(const pt__uuid *uuid, char out[PT_UUID_TEXT_BYTES])
{
    static const char DIGITS[] = "0123456789abcdef";
    size_t nibble = 0;
    for (size_t i = 0; i < PT_UUID_TEXT_BYTES - 1; i++) {
        if (is_dash_position(i)) {
            out[i] = '-';
            continue;
        }
        uint8_t byte = uuid->bytes[nibble / 2];
        out[i] = DIGITS[nibble % 2 == 0 ? byte >> 4 : byte & 0x0F];
        nibble++;
    }
    out[PT_UUID_TEXT_BYTES - 1] = '\0';
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool pt__uuid_parse(const char *text, size_t size_bytes, pt__uuid *out)
{
    if (size_bytes != PT_UUID_TEXT_BYTES - 1)
        return false;
    pt__uuid parsed = {{0}};
    size_t nibble = 0;
    for (size_t i = 0; i < size_bytes; i++) {
        if (is_dash_position(i)) {
            if (text[i] != '-')
                return false;
            continue;
        }
        int value = hex_value(text[i]);
        if (value < 0)
            return false;
        parsed.bytes[nibble / 2] = (uint8_t)(parsed.bytes[nibble / 2] << 4 | value);
        nibble++;
    }
    if (out != NULL)
        *out = parsed;
    return true;
}

void pt__uuid_v4_text(char out[PT_UUID_TEXT_BYTES])
{
    pt__uuid uuid;
    pt__uuid_v4(&uuid);
    pt__uuid_format(&uuid, out);
}

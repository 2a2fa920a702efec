/**
 * UUIDs: random ones, time-ordered ones, and their text.
 *
 * Spec: RFC 9562. The state of a generator belongs to its owner; time arrives as an argument.
 */
#ifndef PT_BASE_UUID_H
#define PT_BASE_UUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pt__uuid {
    uint8_t bytes[16];
} pt__uuid;

enum { PT_UUID_TEXT_BYTES = 37 }; /* 36 characters and the terminator */

/** A random UUID from the kernel's generator. Threads: any. */
void pt__uuid_v4(pt__uuid *out);

/** Zeroed: ready. Threads: one at a time. */
typedef struct pt__uuid_sequence {
    uint64_t last_ms;
    uint32_t counter;
} pt__uuid_sequence;

/** A UUID greater than every earlier one of the sequence, also when the clock steps back. */
void pt__uuid_v7(pt__uuid_sequence *sequence, uint64_t unix_ms, pt__uuid *out);

/** 36 lower-case characters. */
void pt__uuid_format(const pt__uuid *uuid, char out[PT_UUID_TEXT_BYTES]);

/** Exactly 36 characters in groups of 8, 4, 4, 4, 12, either case; any version. `out` may be NULL: validate only. */
bool pt__uuid_parse(const char *text, size_t size_bytes, pt__uuid *out);

/** A random UUID as text. */
void pt__uuid_v4_text(char out[PT_UUID_TEXT_BYTES]);

#endif

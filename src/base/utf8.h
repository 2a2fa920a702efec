/**
 * UTF-8: validation and the length in UTF-16 units, in which Spark counts positions.
 */
#ifndef PT_BASE_UTF8_H
#define PT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether the bytes are well-formed: no surrogates, no overlong forms, nothing above U+10FFFF. Spec: RFC 3629. */
bool pt__utf8_valid(const char *text, size_t size_bytes);

/** Whether it is all ASCII. */
bool pt__utf8_is_ascii(const char *text, size_t size_bytes);

/**
 * Decodes the character at `*position` and steps over it. False at the end. A malformed byte counts as U+FFFD, one
 * byte at a time.
 */
bool pt__utf8_next(const char *text, size_t size_bytes, size_t *position, uint32_t *code_point);

/** Writes the 1 to 4 bytes of a code point; returns how many. */
size_t pt__utf8_encode(uint32_t code_point, char out[4]);

/** UTF-16 units of the text: one per character, two above U+FFFF. */
size_t pt__utf8_utf16_length(const char *text, size_t size_bytes);

#endif

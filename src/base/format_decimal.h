/**
 * Decimal numbers as text: plain, with all digits of their scale, never an exponent.
 */
#ifndef PT_BASE_FORMAT_DECIMAL_H
#define PT_BASE_FORMAT_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum { PT_DECIMAL_TEXT_MAX = 96 };

/** `unscaled` × 10^-scale with scale from 0 to 38; writes text terminated by NUL and returns its length. */
size_t pt__format_decimal(__int128 unscaled, int32_t scale, char out[PT_DECIMAL_TEXT_MAX]);

#endif

/**
 * Whole numbers of up to 512 bits, for decimals between their 128-bit values.
 *
 * A pt__wide is a magnitude; signs are the caller's. Results that would not fit are promises broken by our own code.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_WIDE_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_WIDE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

enum { PT__WIDE_LIMBS = 8, PT__WIDE_DIGITS_MAX = 155 };

/** Least significant limb first. */
typedef struct pt__wide {
    uint64_t limbs[PT__WIDE_LIMBS];
} pt__wide;

typedef enum pt__rounding { PT__ROUND_DOWN, PT__ROUND_HALF_DOWN, PT__ROUND_HALF_EVEN, PT__ROUND_HALF_UP } pt__rounding;

/** 10^exponent, 0 to 38. */
unsigned __int128 pt__power_of_ten(int exponent);

pt__wide pt__wide_from(unsigned __int128 value);
pt__wide pt__wide_multiply(unsigned __int128 a, unsigned __int128 b);
/** value × 10^exponent; `exponent` is not negative. */
pt__wide pt__wide_scale_up(pt__wide value, int exponent);
/** value / 10^exponent, rounded. */
pt__wide pt__wide_scale_down(pt__wide value, int exponent, pt__rounding rounding);
/** Rounded towards zero; `divisor` is not 0. */
pt__wide pt__wide_divide(const pt__wide *value, const pt__wide *divisor, pt__wide *remainder);
void pt__wide_add(pt__wide *value, const pt__wide *other);
/** `other` is not larger. */
void pt__wide_subtract(pt__wide *value, const pt__wide *other);
int pt__wide_compare(const pt__wide *a, const pt__wide *b);
bool pt__wide_is_zero(const pt__wide *value);
/** Number of decimal digits, 0 for 0. */
int pt__wide_digits(const pt__wide *value);
/** False when it has more than 127 bits. */
bool pt__wide_to_uint128(const pt__wide *value, unsigned __int128 *out);
/** Plain text with `scale` digits after the point. */
void pt__wide_append(pt__buffer *out, const pt__wide *value, bool negative, int scale);

#endif

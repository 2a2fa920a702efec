/**
 * 128-bit integers and the text of decimals.
 *
 * A decimal is an unscaled integer and a scale: 1.20 is 120 with scale 2. Its precision is its number of digits.
 */
#ifndef PT_BASE_INT128_H
#define PT_BASE_INT128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A 128-bit two's complement number: the unscaled value of a decimal. */
__extension__ typedef __int128 pt_int128;

enum {
    PT_DECIMAL_DIGITS_MAX = 38,
    PT_DECIMAL_TEXT_BYTES = 96 /* room for every decimal of pt__decimal_format with its terminator */
};

typedef struct pt__decimal {
    pt_int128 unscaled;
    int32_t precision; /* digits of `unscaled`, at least 1; trailing zeros of the text count */
    int32_t scale;     /* digits behind the point; negative for "1E+3" */
} pt__decimal;

typedef enum pt__decimal_result {
    PT_DECIMAL_OK,
    PT_DECIMAL_MALFORMED,
    PT_DECIMAL_TOO_LARGE /* more than 38 digits, or an exponent beyond all reason */
} pt__decimal_result;

/** Reads `[sign] digits [. digits] [e [sign] digits]` without surrounding space; `*out` is set on OK only. */
pt__decimal_result pt__decimal_parse(const char *text, size_t size_bytes, pt__decimal *out);

/**
 * Moves the scale to `scale`, rounding half away from zero. TOO_LARGE when the result needs more than `precision`
 * digits; `*out` is then untouched.
 */
pt__decimal_result pt__decimal_rescale(pt_int128 unscaled, int32_t from_scale, int32_t precision, int32_t scale,
                                       pt_int128 *out);

/** Plain text with exactly `scale` fraction digits, `-38 <= scale <= 38`; returns its length. */
size_t pt__decimal_format(pt_int128 unscaled, int32_t scale, char out[PT_DECIMAL_TEXT_BYTES]);

/** Decimal digits without sign; 1 for zero. */
int32_t pt__int128_digits(pt_int128 value);

/** Ten to the power of `exponent`, 0 to 38. */
pt_int128 pt__int128_power_of_ten(int32_t exponent);

/** The nearest double. */
double pt__decimal_to_double(pt_int128 unscaled, int32_t scale);

#endif

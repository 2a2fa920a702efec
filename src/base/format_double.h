/**
 * Floating point numbers as text, spelled as Java spells them: shortest digits that give the same number back, plain
 * between 10^-3 and 10^7, else with an exponent; always a digit after the point. "NaN", "Infinity", "-Infinity",
 * "-0.0".
 */
#ifndef PT_BASE_FORMAT_DOUBLE_H
#define PT_BASE_FORMAT_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_DOUBLE_TEXT_MAX = 32 };

/** Writes the text, terminated by NUL; returns its length. */
size_t pt__format_double(double value, char out[PT_DOUBLE_TEXT_MAX]);
size_t pt__format_float(float value, char out[PT_DOUBLE_TEXT_MAX]);

/** The shortest digits of a finite, positive number: 0.DIGITS × 10^exponent, without trailing zeros. */
typedef struct pt__shortest_digits {
    char digits[20];
    int32_t count;
    int32_t exponent;
} pt__shortest_digits;

pt__shortest_digits pt__double_digits(double value);
pt__shortest_digits pt__float_digits(float value);

#endif

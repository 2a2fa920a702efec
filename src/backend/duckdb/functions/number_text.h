/**
 * Numbers in text, as Spark reads them in casts.
 *
 * Source: behaviour of UTF8String.toLong, java.lang.Double.parseDouble and Spark's names of special values.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_NUMBER_TEXT_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_NUMBER_TEXT_H

#include <portico/bytes.h>

#include <stdbool.h>

/** Without spaces and control characters at both ends. */
pt_text_view pt__trim_text(pt_text_view text);

/** `[+-]digits`, with `fraction` also `[+-]digits.digits` whose fraction is cut; false unless it fits 64 bits. */
bool pt__parse_long(pt_text_view text, bool fraction, int64_t *out);

/** Java's spelling, with suffixes d and f, hexadecimal, `inf`, `infinity` and `nan` in any case. */
bool pt__parse_double(pt_text_view text, double *out);
bool pt__parse_float(pt_text_view text, float *out);

#endif

/**
 * Decimals: an exact number becomes the unscaled value of DECIMAL(precision, scale), or does not fit.
 *
 * Source: behaviour of Spark's Decimal: half-up rounding to the scale, products to 39 digits first.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_DECIMAL_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_DECIMAL_H

#include "backend/duckdb/functions/call.h"
#include "backend/duckdb/functions/wide.h"

static inline pt__uint128 pt__magnitude(pt_int128 value)
{
    return value < 0 ? -(pt__uint128)value : (pt__uint128)value;
}

static inline bool pt__decimal_fits(pt_int128 value, int precision)
{
    return pt__magnitude(value) < pt__power_of_ten(precision);
}

/** A number of any size: ±magnitude / 10^scale; the scale may be negative. */
typedef struct pt__exact {
    pt__wide magnitude;
    bool negative;
    int scale;
} pt__exact;

/** Half up. False: more than `precision` digits. */
bool pt__exact_to_decimal(const pt__exact *number, int precision, int scale, pt_int128 *out);

/** False unless `text`, without spaces around it, is a number such as -1.5e3; `*too_large`: more than 38 digits before the point. */
bool pt__exact_parse(pt_text_view text, pt__exact *out, bool *too_large);

/** By the shortest digits of the number, which is finite. */
pt__exact pt__exact_from_double(double value);
pt__exact pt__exact_from_float(float value);

/** Raises NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION. Always false. */
bool pt__decimal_raise(pt__fn_call *call, const pt__exact *number, int precision, int scale);

/** Plain text of an unscaled value. */
void pt__decimal_append(pt__buffer *out, pt_int128 value, int scale);

#endif

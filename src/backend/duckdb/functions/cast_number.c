/* Casts to numbers and booleans. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/decimal.h"
#include "backend/duckdb/functions/number_text.h"
#include "backend/duckdb/functions/value_text.h"

#include <math.h>
#include <stdio.h>

/* Errors. */

static bool reject_overflow(pt__fn_call *call, idx_t row, const char *target)
{
    if (call->mode != PT__FN_ANSI)
        return false;
    pt__buffer value = PT_BUFFER_INIT;
    pt__buffer source = PT_BUFFER_INIT;
    pt__append_number_literal(&value, &call->columns[0], row);
    pt__fn_append_type(&source, call->columns[0].type);
    pt__fn_raise(call, PT_COND_CAST_OVERFLOW, "value", pt__buffer_string(&value), "sourceType",
                 pt__buffer_string(&source), "targetType", target, "ansiConfig", PT__ANSI_CONFIG, NULL);
    pt__buffer_deinit(&value);
    pt__buffer_deinit(&source);
    return false;
}

/* To integers. */

typedef struct integer_range {
    duckdb_type type;
    const char *name;
    int64_t smallest;
    int64_t largest;
} integer_range;

static const integer_range INTEGERS[] = {
    {DUCKDB_TYPE_TINYINT, "\"TINYINT\"", INT8_MIN, INT8_MAX},
    {DUCKDB_TYPE_SMALLINT, "\"SMALLINT\"", INT16_MIN, INT16_MAX},
    {DUCKDB_TYPE_INTEGER, "\"INT\"", INT32_MIN, INT32_MAX},
    {DUCKDB_TYPE_BIGINT, "\"BIGINT\"", INT64_MIN, INT64_MAX},
};

/** The low bits of `value`, as Java's narrowing does. */
static void put_integer(pt__fn_call *call, idx_t row, duckdb_type type, int64_t value)
{
    switch (type) {
    case DUCKDB_TYPE_TINYINT: PT__FN_OUT(call, int8_t)[row] = (int8_t)value; break;
    case DUCKDB_TYPE_SMALLINT: PT__FN_OUT(call, int16_t)[row] = (int16_t)value; break;
    case DUCKDB_TYPE_INTEGER: PT__FN_OUT(call, int32_t)[row] = (int32_t)value; break;
    default: PT__FN_OUT(call, int64_t)[row] = value; break;
    }
}

static bool text_to_integer(pt__fn_call *call, idx_t row, const integer_range *range)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    int64_t value;
    if (!pt__parse_long(text, call->mode == PT__FN_LEGACY, &value) || value < range->smallest || value > range->largest)
        return pt__fn_reject_cast(call, text, range->name);
    put_integer(call, row, range->type, value);
    return true;
}

/** Java's: NaN is 0, what is too large the end of the range; bytes and shorts are cut from an int. */
static int64_t saturate(double value, duckdb_type type)
{
    if (isnan(value))
        return 0;
    if (type != DUCKDB_TYPE_BIGINT)
        return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int64_t)value;
    return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}

/** Floats are compared as doubles: every end of a range, rounded to float, is one beyond or exact. */
static bool double_to_integer(pt__fn_call *call, idx_t row, double value, const integer_range *range)
{
    if (call->mode == PT__FN_LEGACY) {
        put_integer(call, row, range->type, saturate(value, range->type));
        return true;
    }
    double whole = trunc(value);
    if (!(whole >= (double)range->smallest && whole < (double)range->largest + 1) &&
        !(range->type == DUCKDB_TYPE_BIGINT && whole == 0x1p63))
        return reject_overflow(call, row, range->name);
    put_integer(call, row, range->type, saturate(whole, DUCKDB_TYPE_BIGINT));
    return true;
}

static bool exact_to_integer(pt__fn_call *call, idx_t row, pt_int128 value, const integer_range *range)
{
    uint8_t scale = call->columns[0].type->scale;
    if (scale > 0)
        value /= (pt_int128)pt__power_of_ten(scale);
    if (call->mode != PT__FN_LEGACY && (value < range->smallest || value > range->largest))
        return reject_overflow(call, row, range->name);
    put_integer(call, row, range->type, (int64_t)value);
    return true;
}

static bool timestamp_to_integer(pt__fn_call *call, idx_t row, const integer_range *range)
{
    int64_t micros = PT__FN_IN(call, 0, int64_t)[row];
    int64_t seconds = micros / 1000000 - (micros % 1000000 < 0);
    if (seconds < range->smallest || seconds > range->largest)
        return reject_overflow(call, row, range->name);
    put_integer(call, row, range->type, seconds);
    return true;
}

static bool boolean_to_integer(pt__fn_call *call, idx_t row, const integer_range *range)
{
    put_integer(call, row, range->type, PT__FN_IN(call, 0, bool)[row]);
    return true;
}

void pt__fn_cast_integer(pt__fn_call *call)
{
    const integer_range *range = &INTEGERS[call->row->option];
    switch (call->columns[0].type->id) {
    case DUCKDB_TYPE_BOOLEAN: PT__FN_EACH(call, r, boolean_to_integer(call, r, range)); break;
    case DUCKDB_TYPE_VARCHAR: PT__FN_EACH(call, r, text_to_integer(call, r, range)); break;
    case DUCKDB_TYPE_FLOAT:
        PT__FN_EACH(call, r, double_to_integer(call, r, (double)PT__FN_IN(call, 0, float)[r], range));
        break;
    case DUCKDB_TYPE_DOUBLE:
        PT__FN_EACH(call, r, double_to_integer(call, r, PT__FN_IN(call, 0, double)[r], range));
        break;
    case DUCKDB_TYPE_TIMESTAMP_TZ: PT__FN_EACH(call, r, timestamp_to_integer(call, r, range)); break;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_DECIMAL:
        PT__FN_EACH(call, r, exact_to_integer(call, r, pt__fn_integer(&call->columns[0], r), range));
        break;
    default: pt__fn_fail_type(call, 0);
    }
}

/* To float and double. */

static bool text_to_double(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    return pt__parse_double(text, &PT__FN_OUT(call, double)[row]) || pt__fn_reject_cast(call, text, "\"DOUBLE\"");
}

static bool text_to_float(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    return pt__parse_float(text, &PT__FN_OUT(call, float)[row]) || pt__fn_reject_cast(call, text, "\"FLOAT\"");
}

void pt__fn_cast_double(pt__fn_call *call)
{
    PT__FN_EACH(call, r, text_to_double(call, r));
}

void pt__fn_cast_float(pt__fn_call *call)
{
    PT__FN_EACH(call, r, text_to_float(call, r));
}

/* To decimals. */

static bool put_exact(pt__fn_call *call, idx_t row, const pt__exact *number)
{
    pt_int128 value;
    if (!pt__exact_to_decimal(number, call->precision, call->scale, &value))
        return call->mode == PT__FN_ANSI && pt__decimal_raise(call, number, call->precision, call->scale);
    pt__fn_put_decimal(call, row, value);
    return true;
}

static bool text_to_decimal(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt__exact number;
    bool too_large;
    if (!pt__exact_parse(pt__trim_text(text), &number, &too_large)) {
        char target[32];
        snprintf(target, sizeof(target), "\"DECIMAL(%d,%d)\"", call->precision, call->scale);
        return pt__fn_reject_cast(call, text, target);
    }
    if (!too_large)
        return put_exact(call, row, &number);
    if (call->mode != PT__FN_ANSI)
        return false;
    pt__buffer copy = PT_BUFFER_INIT;
    pt__buffer_append(&copy, text.data, text.size_bytes);
    pt__fn_raise(call, PT_COND_NUMERIC_OUT_OF_SUPPORTED_RANGE, "value", pt__buffer_string(&copy), NULL);
    pt__buffer_deinit(&copy);
    return false;
}

static bool double_to_decimal(pt__fn_call *call, idx_t row, double value)
{
    if (!isfinite(value))
        return false;
    pt__exact number = pt__exact_from_double(value);
    return put_exact(call, row, &number);
}

static bool exact_to_decimal(pt__fn_call *call, idx_t row, pt_int128 value, int scale)
{
    if (scale == call->scale && pt__decimal_fits(value, call->precision)) {
        pt__fn_put_decimal(call, row, value);
        return true;
    }
    pt__exact number = {pt__wide_from(pt__magnitude(value)), value < 0, scale};
    return put_exact(call, row, &number);
}

void pt__fn_cast_decimal(pt__fn_call *call)
{
    const pt__fn_column *in = &call->columns[0];
    switch (in->type->id) {
    case DUCKDB_TYPE_BOOLEAN: PT__FN_EACH(call, r, exact_to_decimal(call, r, PT__FN_IN(call, 0, bool)[r], 0)); break;
    case DUCKDB_TYPE_VARCHAR: PT__FN_EACH(call, r, text_to_decimal(call, r)); break;
    case DUCKDB_TYPE_FLOAT:
        PT__FN_EACH(call, r, double_to_decimal(call, r, (double)PT__FN_IN(call, 0, float)[r]));
        break;
    case DUCKDB_TYPE_DOUBLE: PT__FN_EACH(call, r, double_to_decimal(call, r, PT__FN_IN(call, 0, double)[r])); break;
    case DUCKDB_TYPE_TIMESTAMP_TZ:
        PT__FN_EACH(call, r, exact_to_decimal(call, r, PT__FN_IN(call, 0, int64_t)[r], 6));
        break;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_DECIMAL:
        PT__FN_EACH(call, r, exact_to_decimal(call, r, pt__fn_integer(in, r), in->type->scale));
        break;
    default: pt__fn_fail_type(call, 0);
    }
}

/* To booleans. */

static bool is_word(pt_text_view text, const char *word)
{
    if (strlen(word) != text.size_bytes)
        return false;
    for (size_t i = 0; i < text.size_bytes; i++)
        if ((text.data[i] | (word[i] >= 'a' ? 0x20 : 0)) != word[i])
            return false;
    return true;
}

static bool text_to_boolean(pt__fn_call *call, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    pt_text_view word = pt__trim_text(text);
    bool yes =
        is_word(word, "true") || is_word(word, "t") || is_word(word, "y") || is_word(word, "yes") || is_word(word, "1");
    if (!yes && !is_word(word, "false") && !is_word(word, "f") && !is_word(word, "n") && !is_word(word, "no") &&
        !is_word(word, "0"))
        return pt__fn_reject_cast(call, text, "\"BOOLEAN\"");
    PT__FN_OUT(call, bool)[row] = yes;
    return true;
}

void pt__fn_cast_boolean(pt__fn_call *call)
{
    PT__FN_EACH(call, r, text_to_boolean(call, r));
}

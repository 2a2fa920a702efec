#include "backend/duckdb/native/narrow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_OF_32_BITS = 9, DIGITS_OF_64_BITS = 18 };

int pt__narrow_schema(struct ArrowSchema *column)
{
    char format[48];
    struct ArrowSchemaView view;
    if (column->dictionary != NULL || ArrowSchemaViewInit(&view, column, NULL) != NANOARROW_OK ||
        view.type != NANOARROW_TYPE_DECIMAL128 || view.decimal_precision > DIGITS_OF_64_BITS)
        return 0;
    int bits = view.decimal_precision <= DIGITS_OF_32_BITS ? 32 : 64;
    snprintf(format, sizeof(format), "d:%d,%d,%d", view.decimal_precision, view.decimal_scale, bits);
    return ArrowSchemaSetFormat(column, format) == NANOARROW_OK ? bits : 0;
}

/* Of a value: the lower half first, as the machine has it. */
typedef struct halves {
    uint64_t low;
    int64_t high;
} halves;

/* What is left of a value that fits is its sign; the bits of all of them that do not. */
static uint64_t narrow_to_64(const halves *values, int64_t count, int64_t *out)
{
    uint64_t lost = 0;
    for (int64_t i = 0; i < count; i++) {
        out[i] = (int64_t)values[i].low;
        lost |= (uint64_t)(values[i].high ^ (out[i] >> 63));
    }
    return lost;
}

static uint64_t narrow_to_32(const halves *values, int64_t count, int32_t *out)
{
    uint64_t lost = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = (int64_t)values[i].low;
        out[i] = (int32_t)(uint32_t)values[i].low;
        lost |= (uint64_t)(values[i].high ^ (value >> 63)) | (uint64_t)(value ^ out[i]);
    }
    return lost;
}

static uint64_t narrow(const halves *values, int64_t count, int bits, void *out)
{
    return bits == 32 ? narrow_to_32(values, count, out) : narrow_to_64(values, count, out);
}

/* Values that are null may be anything. */
static bool only_nulls_are_lost(const struct ArrowArray *array, int bits)
{
    const uint8_t *validity = array->buffers[0];
    const halves *values = array->buffers[1];
    int64_t scratch;
    for (int64_t i = array->offset; i < array->offset + array->length; i++)
        if ((validity == NULL || ArrowBitGet(validity, i)) && narrow(&values[i], 1, bits, &scratch) != 0)
            return false;
    return true;
}

pt_status pt__narrow_values(const struct ArrowArray *array, int bits, void **out, pt_error *err)
{
    int64_t count = array->offset + array->length;
    *out = malloc((size_t)(count + 1) * (size_t)bits / 8);
    if (*out == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the rows of an ingestion");
    if (count == 0 || narrow(array->buffers[1], count, bits, *out) == 0 || only_nulls_are_lost(array, bits))
        return PT_OK;
    free(*out);
    *out = NULL;
    return pt_error_set(err, PT_INVALID_ARGUMENT, "a decimal has more digits than its type allows");
}

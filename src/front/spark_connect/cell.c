#include "front/spark_connect/cell.h"

#include "base/condition.h"
#include "base/format_datetime.h"
#include "base/format_double.h"
#include "base/int128.h"

#include <string.h>

typedef struct cell {
    pt__buffer *out;
    const pt__zone *zone;
    pt_error *err;
} cell;

static pt_status append_value(cell *c, const pt_type *type, const struct ArrowArray *array, int64_t row);

static bool is_null(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *validity = array->n_buffers > 0 ? array->buffers[0] : NULL;
    int64_t at = array->offset + row;
    return validity != NULL && (validity[at / 8] >> (at % 8) & 1) == 0;
}

/* The value buffer of a fixed-size type at the row. */
static const void *fixed(const struct ArrowArray *array, int64_t row, size_t size_bytes)
{
    return (const uint8_t *)array->buffers[1] + (size_t)(array->offset + row) * size_bytes;
}

static int64_t integer_at(const struct ArrowArray *array, int64_t row, size_t size_bytes)
{
    const void *at = fixed(array, row, size_bytes);
    switch (size_bytes) {
    case 1: return *(const int8_t *)at;
    case 2: return *(const int16_t *)at;
    case 4: return *(const int32_t *)at;
    default: return *(const int64_t *)at;
    }
}

static bool boolean_at(const struct ArrowArray *array, int64_t row)
{
    int64_t at = array->offset + row;
    return (((const uint8_t *)array->buffers[1])[at / 8] >> (at % 8) & 1) != 0;
}

static pt_bytes_view bytes_at(const struct ArrowArray *array, int64_t row)
{
    const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset + row;
    const uint8_t *data = array->buffers[2];
    return (pt_bytes_view){data + offsets[0], (size_t)(offsets[1] - offsets[0])};
}

static void append_binary(pt__buffer *out, pt_bytes_view bytes)
{
    static const char DIGITS[] = "0123456789ABCDEF";
    pt__buffer_append_byte(out, '[');
    for (size_t i = 0; i < bytes.size_bytes; i++) {
        if (i > 0)
            pt__buffer_append_byte(out, ' ');
        pt__buffer_append_byte(out, (uint8_t)DIGITS[bytes.data[i] >> 4]);
        pt__buffer_append_byte(out, (uint8_t)DIGITS[bytes.data[i] & 15]);
    }
    pt__buffer_append_byte(out, ']');
}

static void append_double(pt__buffer *out, const void *at)
{
    char text[PT_DOUBLE_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_double(*(const double *)at, text));
}

static void append_float(pt__buffer *out, const void *at)
{
    char text[PT_DOUBLE_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_float(*(const float *)at, text));
}

static void append_decimal(pt__buffer *out, const void *at, int32_t scale)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt_int128 unscaled;
    memcpy(&unscaled, at, sizeof(unscaled));
    pt__buffer_append(out, text, pt__decimal_format(unscaled, scale, text));
}

static void append_date(pt__buffer *out, int64_t days)
{
    char text[PT_DATETIME_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_date(days, text));
}

static void append_timestamp(pt__buffer *out, int64_t local_us)
{
    char text[PT_DATETIME_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_timestamp(local_us, text));
}

static void append_time(pt__buffer *out, int64_t nanoseconds)
{
    char text[PT_DATETIME_TEXT_MAX];
    pt__buffer_append(out, text, pt__format_time(nanoseconds, text));
}

static void append_interval(pt__buffer *out, const pt_type *type, const struct ArrowArray *array, int64_t row)
{
    char text[PT_INTERVAL_TEXT_MAX];
    size_t size;
    if (type->id == PT_TYPE_INTERVAL_DAY_TIME)
        size = pt__format_day_time_interval(integer_at(array, row, 8), type->start_field, type->end_field, text);
    else
        size = pt__format_year_month_interval((int32_t)integer_at(array, row, 4), type->start_field, type->end_field,
                                              text);
    pt__buffer_append(out, text, size);
}

static void append_calendar(pt__buffer *out, const void *at)
{
    struct {
        int32_t months;
        int32_t days;
        int64_t nanoseconds;
    } value;
    char text[PT_INTERVAL_TEXT_MAX];
    memcpy(&value, at, sizeof(value));
    pt__buffer_append(out, text,
                      pt__format_calendar_interval(value.months, value.days, value.nanoseconds / 1000, text));
}

static pt_status append_array(cell *c, const pt_type *type, const struct ArrowArray *array, int64_t row)
{
    const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset + row;
    pt__buffer_append_byte(c->out, '[');
    for (int32_t i = offsets[0]; i < offsets[1]; i++) {
        if (i > offsets[0])
            pt__buffer_append_string(c->out, ", ");
        PT_TRY(append_value(c, type->element, array->children[0], i));
    }
    pt__buffer_append_byte(c->out, ']');
    return PT_OK;
}

static pt_status append_map(cell *c, const pt_type *type, const struct ArrowArray *array, int64_t row)
{
    const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset + row;
    const struct ArrowArray *entries = array->children[0];
    pt__buffer_append_byte(c->out, '{');
    for (int32_t i = offsets[0]; i < offsets[1]; i++) {
        if (i > offsets[0])
            pt__buffer_append_string(c->out, ", ");
        PT_TRY(append_value(c, type->key, entries->children[0], entries->offset + i));
        pt__buffer_append_string(c->out, " -> ");
        PT_TRY(append_value(c, type->element, entries->children[1], entries->offset + i));
    }
    pt__buffer_append_byte(c->out, '}');
    return PT_OK;
}

static pt_status append_struct(cell *c, const pt_type *type, const struct ArrowArray *array, int64_t row)
{
    pt__buffer_append_byte(c->out, '{');
    for (size_t i = 0; i < type->field_count; i++) {
        if (i > 0)
            pt__buffer_append_string(c->out, ", ");
        PT_TRY(append_value(c, type->fields[i].type, array->children[i], array->offset + row));
    }
    pt__buffer_append_byte(c->out, '}');
    return PT_OK;
}

static void append_text(pt__buffer *out, pt_bytes_view text)
{
    pt__buffer_append(out, text.data, text.size_bytes);
}

static pt_status refuse_type(pt_error *err, const pt_type *type)
{
    pt__buffer name = PT_BUFFER_INIT;
    pt__buffer_append_string(&name, "printing values of type ");
    pt__type_append_simple(&name, type);
    pt_status status = pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", pt__buffer_string(&name), NULL);
    pt__buffer_deinit(&name);
    return status;
}

static pt_status append_present(cell *c, const pt_type *type, const struct ArrowArray *array, int64_t row)
{
    pt__buffer *out = c->out;
    switch (type->id) {
    case PT_TYPE_VOID: pt__buffer_append_string(out, "NULL"); return PT_OK;
    case PT_TYPE_BOOLEAN: pt__buffer_append_string(out, boolean_at(array, row) ? "true" : "false"); return PT_OK;
    case PT_TYPE_BYTE: pt__buffer_printf(out, "%lld", (long long)integer_at(array, row, 1)); return PT_OK;
    case PT_TYPE_SHORT: pt__buffer_printf(out, "%lld", (long long)integer_at(array, row, 2)); return PT_OK;
    case PT_TYPE_INT: pt__buffer_printf(out, "%lld", (long long)integer_at(array, row, 4)); return PT_OK;
    case PT_TYPE_LONG: pt__buffer_printf(out, "%lld", (long long)integer_at(array, row, 8)); return PT_OK;
    case PT_TYPE_FLOAT: append_float(out, fixed(array, row, 4)); return PT_OK;
    case PT_TYPE_DOUBLE: append_double(out, fixed(array, row, 8)); return PT_OK;
    case PT_TYPE_DECIMAL: append_decimal(out, fixed(array, row, 16), type->scale); return PT_OK;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: append_text(out, bytes_at(array, row)); return PT_OK;
    case PT_TYPE_BINARY: append_binary(out, bytes_at(array, row)); return PT_OK;
    case PT_TYPE_DATE: append_date(out, integer_at(array, row, 4)); return PT_OK;
    case PT_TYPE_TIME: append_time(out, integer_at(array, row, 8)); return PT_OK;
    case PT_TYPE_TIMESTAMP: append_timestamp(out, pt__zone_to_local(c->zone, integer_at(array, row, 8))); return PT_OK;
    case PT_TYPE_TIMESTAMP_NTZ: append_timestamp(out, integer_at(array, row, 8)); return PT_OK;
    case PT_TYPE_INTERVAL_YEAR_MONTH:
    case PT_TYPE_INTERVAL_DAY_TIME: append_interval(out, type, array, row); return PT_OK;
    case PT_TYPE_INTERVAL_CALENDAR: append_calendar(out, fixed(array, row, 16)); return PT_OK;
    case PT_TYPE_ARRAY: return append_array(c, type, array, row);
    case PT_TYPE_MAP: return append_map(c, type, array, row);
    case PT_TYPE_STRUCT: return append_struct(c, type, array, row);
    case PT_TYPE_UDT: return append_value(c, type->element, array, row);
    case PT_TYPE_VARIANT:
    case PT_TYPE_COUNT: break;
    }
    return refuse_type(c->err, type);
}

static pt_status append_value(cell *c, const pt_type *type, const struct ArrowArray *array, int64_t row)
{
    if (type->id != PT_TYPE_VOID && is_null(array, row)) {
        pt__buffer_append_string(c->out, "NULL");
        return PT_OK;
    }
    return append_present(c, type, array, row);
}

pt_status pt__cell_append(pt__buffer *out, const pt_type *type, const struct ArrowArray *array, int64_t row,
                          const pt__zone *zone, pt_error *err)
{
    cell c = {out, zone, err};
    PT_TRY(append_value(&c, type, array, row));
    return out->failed ? pt_error_set(err, PT_NO_MEMORY, "no memory for the text of a value") : PT_OK;
}

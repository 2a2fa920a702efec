/* variant_get and casts: variants to JSON that DuckDB can cast, see typed_text.h. */
#include "backend/duckdb/functions/decimal.h"
#include "backend/duckdb/functions/kernels.h"
#include "backend/duckdb/functions/number_text.h"
#include "backend/duckdb/functions/time_text.h"
#include "backend/duckdb/functions/typed_text.h"
#include "backend/duckdb/functions/variant_path.h"
#include "base/civil.h"
#include "base/format_datetime.h"

#include <math.h>
#include <strings.h>

typedef struct conversion {
    pt__fn_call *call;
    const pt__typed_reader *reader;
    pt__buffer *out;
} conversion;

/* Appends the variant as a value of the type; false, with nothing that counts appended, when it does not fit. */
static bool convert(const conversion *c, const pt__variant *variant, const pt_type *type);

/* ---- leaves ---- */

static bool to_exact(const pt__variant_value *value, pt__exact *out)
{
    bool too_large;
    switch (value->kind) {
    case PT__VARIANT_BOOLEAN:
    case PT__VARIANT_LONG:
        *out = (pt__exact){pt__wide_from(pt__magnitude(value->integer)), value->integer < 0, 0};
        return true;
    case PT__VARIANT_DECIMAL:
        *out = (pt__exact){pt__wide_from(pt__magnitude(value->unscaled)), value->unscaled < 0, value->scale};
        return true;
    case PT__VARIANT_DOUBLE:
    case PT__VARIANT_FLOAT:
        if (!isfinite(value->real))
            return false;
        *out = value->kind == PT__VARIANT_FLOAT ? pt__exact_from_float((float)value->real)
                                                : pt__exact_from_double(value->real);
        return true;
    case PT__VARIANT_STRING: return pt__exact_parse(pt__trim_text(value->text), out, &too_large);
    default: return false;
    }
}

static bool to_double(const pt__variant_value *value, double *out)
{
    switch (value->kind) {
    case PT__VARIANT_BOOLEAN:
    case PT__VARIANT_LONG: *out = (double)value->integer; return true;
    case PT__VARIANT_DECIMAL: *out = pt__decimal_to_double(value->unscaled, value->scale); return true;
    case PT__VARIANT_DOUBLE:
    case PT__VARIANT_FLOAT: *out = value->real; return true;
    case PT__VARIANT_STRING: return pt__parse_double(pt__trim_text(value->text), out);
    default: return false;
    }
}

static bool convert_integer(const conversion *c, const pt__variant_value *value, int64_t least, int64_t most)
{
    int64_t number;
    double real;
    if (value->kind == PT__VARIANT_STRING) {
        if (!pt__parse_long(pt__trim_text(value->text), false, &number))
            return false;
    } else if (value->kind == PT__VARIANT_LONG || value->kind == PT__VARIANT_BOOLEAN) {
        number = value->integer;
    } else if (value->kind == PT__VARIANT_TIMESTAMP) {
        number = pt__floor_divide(value->integer, PT_MICROS_PER_SECOND);
    } else if (value->kind == PT__VARIANT_DECIMAL) {
        pt_int128 whole = value->unscaled / pt__int128_power_of_ten(value->scale);
        if (whole < INT64_MIN || whole > INT64_MAX)
            return false;
        number = (int64_t)whole;
    } else {
        if (!to_double(value, &real) || !(real > -9.3e18 && real < 9.2233720368547758e18))
            return false;
        number = (int64_t)real;
    }
    if (number < least || number > most)
        return false;
    pt__buffer_printf(c->out, "%lld", (long long)number);
    return true;
}

static bool convert_decimal(const conversion *c, const pt__variant_value *value, const pt_type *type)
{
    pt__exact number;
    pt_int128 unscaled;
    char digits[PT_DECIMAL_TEXT_BYTES];
    if (!to_exact(value, &number) || !pt__exact_to_decimal(&number, type->precision, type->scale, &unscaled))
        return false;
    pt__buffer_append_byte(c->out, '"');
    pt__buffer_append(c->out, digits, pt__decimal_format(unscaled, type->scale, digits));
    pt__buffer_append_byte(c->out, '"');
    return true;
}

static bool is_word(pt_text_view text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == text.size_bytes && strncasecmp(words[i], text.data, text.size_bytes) == 0)
            return true;
    return false;
}

static bool convert_boolean(const conversion *c, const pt__variant_value *value)
{
    static const char *const YES[] = {"t", "true", "y", "yes", "1"};
    static const char *const NO[] = {"f", "false", "n", "no", "0"};
    double number;
    bool answer;
    if (value->kind == PT__VARIANT_STRING) {
        pt_text_view text = pt__trim_text(value->text);
        answer = is_word(text, YES, 5);
        if (!answer && !is_word(text, NO, 5))
            return false;
    } else if (to_double(value, &number)) {
        answer = number != 0;
    } else {
        return false;
    }
    pt__buffer_append_string(c->out, answer ? "true" : "false");
    return true;
}

static int64_t local_of(const conversion *c, const pt__variant_value *value)
{
    switch (value->kind) {
    case PT__VARIANT_DATE: return value->integer * PT_MICROS_PER_DAY;
    case PT__VARIANT_TIMESTAMP: return pt__zone_to_local(c->reader->zone, value->integer);
    default: return value->integer;
    }
}

static void append_day(const conversion *c, int64_t local_us)
{
    char text[PT_DATETIME_TEXT_MAX];
    pt__buffer_append_byte(c->out, '"');
    pt__buffer_append(c->out, text, pt__format_date(pt__floor_divide(local_us, PT_MICROS_PER_DAY), text));
    pt__buffer_append_byte(c->out, '"');
}

static bool convert_time(const conversion *c, const pt__variant_value *value, const pt_type *type)
{
    double seconds;
    bool is_instant = type->id == PT_TYPE_TIMESTAMP;
    switch (value->kind) {
    case PT__VARIANT_STRING: return pt__typed_append_text(c->out, c->reader, type, pt__trim_text(value->text));
    case PT__VARIANT_DATE:
    case PT__VARIANT_TIMESTAMP:
    case PT__VARIANT_TIMESTAMP_NTZ: break;
    default:
        if (!is_instant || !to_double(value, &seconds) || fabs(seconds) > 9e12)
            return false;
        pt__typed_append_timestamp(c->out, (int64_t)(seconds * 1e6), true);
        return true;
    }
    int64_t local = local_of(c, value);
    if (type->id == PT_TYPE_DATE)
        append_day(c, local);
    else if (is_instant)
        pt__typed_append_timestamp(
            c->out, value->kind == PT__VARIANT_TIMESTAMP ? value->integer : pt__zone_to_instant(c->reader->zone, local),
            true);
    else
        pt__typed_append_timestamp(c->out, local, false);
    return true;
}

static bool convert_string(const conversion *c, const pt__variant *variant)
{
    pt__buffer text = PT_BUFFER_INIT;
    bool ok = pt__variant_append_text(&text, variant, c->reader->zone);
    if (ok)
        pt__loose_append_quoted(c->out, (const char *)text.data, text.size_bytes);
    pt__buffer_deinit(&text);
    return ok;
}

/* ---- nested ---- */

static bool is_try(const conversion *c)
{
    return pt__typed_flag(c->reader, "try", false);
}

static bool fail_cast(const conversion *c, const pt__variant *variant, const pt_type *type)
{
    pt__buffer value = PT_BUFFER_INIT;
    pt__buffer target = PT_BUFFER_INIT;
    pt__variant_append_json(&value, variant, c->reader->zone);
    pt__buffer_append_byte(&target, '"');
    pt__type_append_sql(&target, type);
    pt__buffer_append_byte(&target, '"');
    pt__fn_raise(c->call, PT_COND_INVALID_VARIANT_CAST, "value", pt__buffer_string(&value), "dataType",
                 pt__buffer_string(&target), NULL);
    pt__buffer_deinit(&value);
    pt__buffer_deinit(&target);
    return false;
}

/* What does not fit is NULL, or fails the call. */
static bool convert_part(const conversion *c, const pt__variant *part, const pt_type *type)
{
    size_t mark = c->out->size_bytes;
    if (convert(c, part, type))
        return true;
    if (c->call->failed)
        return false;
    if (!is_try(c))
        return fail_cast(c, part, type);
    c->out->size_bytes = mark;
    pt__buffer_append_string(c->out, "null");
    return true;
}

static bool convert_array(const conversion *c, const pt__variant *variant, const pt__variant_value *value,
                          const pt_type *type)
{
    pt__variant child;
    if (value->kind != PT__VARIANT_ARRAY)
        return false;
    pt__buffer_append_byte(c->out, '[');
    for (uint32_t i = 0; i < value->count; i++) {
        pt__buffer_append_string(c->out, i == 0 ? "" : ",");
        if (!pt__variant_child(variant, value, i, &child, NULL) || !convert_part(c, &child, type->element))
            return false;
    }
    pt__buffer_append_byte(c->out, ']');
    return true;
}

static bool convert_map(const conversion *c, const pt__variant *variant, const pt__variant_value *value,
                        const pt_type *type)
{
    pt__variant child;
    pt_text_view key;
    if (value->kind != PT__VARIANT_OBJECT)
        return false;
    pt__buffer_append_byte(c->out, '{');
    for (uint32_t i = 0; i < value->count; i++) {
        pt__buffer_append_string(c->out, i == 0 ? "" : ",");
        if (!pt__variant_child(variant, value, i, &child, &key))
            return false;
        pt__loose_append_quoted(c->out, key.data, key.size_bytes);
        pt__buffer_append_byte(c->out, ':');
        if (!convert_part(c, &child, type->element))
            return false;
    }
    pt__buffer_append_byte(c->out, '}');
    return true;
}

static bool convert_struct(const conversion *c, const pt__variant *variant, const pt__variant_value *value,
                           const pt_type *type)
{
    pt__variant child;
    if (value->kind != PT__VARIANT_OBJECT)
        return false;
    pt__buffer_append_byte(c->out, '{');
    for (size_t i = 0; i < type->field_count; i++) {
        const pt_field *field = &type->fields[i];
        pt__buffer_append_string(c->out, i == 0 ? "" : ",");
        pt__typed_append_name(c->out, c->reader, type, i);
        if (!pt__variant_field(variant, value, (pt_text_view){field->name, strlen(field->name)}, &child))
            pt__buffer_append_string(c->out, "null");
        else if (!convert_part(c, &child, field->type))
            return false;
    }
    pt__buffer_append_string(c->out, type->field_count == 0 ? "\"f0\":null}" : "}");
    return true;
}

static bool convert_variant(const conversion *c, const pt__variant *variant)
{
    pt__variant whole = pt__variant_trimmed(variant);
    pt__buffer_append_string(c->out, "{\"value\":");
    pt__typed_append_bytes(c->out, whole.value, whole.value_bytes);
    pt__buffer_append_string(c->out, ",\"metadata\":");
    pt__typed_append_bytes(c->out, whole.metadata, whole.metadata_bytes);
    pt__buffer_append_byte(c->out, '}');
    return true;
}

static bool convert(const conversion *c, const pt__variant *variant, const pt_type *type)
{
    pt__variant_value value = pt__variant_read(variant);
    double real;
    if (type->id == PT_TYPE_VARIANT)
        return convert_variant(c, variant);
    if (value.kind == PT__VARIANT_NULL) {
        pt__buffer_append_string(c->out, "null");
        return true;
    }
    switch (type->id) {
    case PT_TYPE_BOOLEAN: return convert_boolean(c, &value);
    case PT_TYPE_BYTE: return convert_integer(c, &value, INT8_MIN, INT8_MAX);
    case PT_TYPE_SHORT: return convert_integer(c, &value, INT16_MIN, INT16_MAX);
    case PT_TYPE_INT: return convert_integer(c, &value, INT32_MIN, INT32_MAX);
    case PT_TYPE_LONG: return convert_integer(c, &value, INT64_MIN, INT64_MAX);
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE:
        if (!to_double(&value, &real))
            return false;
        pt__typed_append_double(c->out, type, real);
        return true;
    case PT_TYPE_DECIMAL: return convert_decimal(c, &value, type);
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return convert_string(c, variant);
    case PT_TYPE_BINARY:
        if (value.kind != PT__VARIANT_BINARY && value.kind != PT__VARIANT_STRING)
            return false;
        pt__typed_append_bytes(c->out, (const uint8_t *)value.text.data, value.text.size_bytes);
        return true;
    case PT_TYPE_DATE:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ: return convert_time(c, &value, type);
    case PT_TYPE_ARRAY: return convert_array(c, variant, &value, type);
    case PT_TYPE_MAP: return convert_map(c, variant, &value, type);
    case PT_TYPE_STRUCT: return convert_struct(c, variant, &value, type);
    default: return false;
    }
}

/* (variant, path, type, options, zone) */
static bool variant_get(pt__fn_call *call, idx_t row)
{
    pt__typed_reader *reader = pt__typed_reader_of(call, 2, true);
    pt__variant variant = pt__variant_at(&call->columns[0], row);
    pt__variant part;
    if (reader == NULL || !pt__variant_find(call, 1, row, &variant, &part))
        return false;
    conversion c = {call, reader, &call->state->scratch};
    pt__buffer_reset(c.out);
    return convert_part(&c, &part, reader->type) && pt__fn_put_buffer(call, row, c.out);
}

void pt__fn_variant_get(pt__fn_call *call)
{
    PT__FN_EACH(call, r, variant_get(call, r));
}

/* (variant, zone) */
static bool variant_json(pt__fn_call *call, idx_t row)
{
    const pt_text_view zone = pt__fn_text(call, 1, row);
    pt__variant variant = pt__variant_at(&call->columns[0], row);
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    if (!pt__variant_append_json(out, &variant, pt__find_zone(call->zones, zone)))
        return pt__fn_raise(call, PT_COND_MALFORMED_VARIANT, NULL);
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_variant_json(pt__fn_call *call)
{
    PT__FN_EACH(call, r, variant_json(call, r));
}

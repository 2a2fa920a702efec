#include "backend/duckdb/functions/variant.h"

#include "backend/duckdb/functions/nested.h"
#include "base/format_datetime.h"
#include "base/format_double.h"
#include "wire/base64.h"

#include <math.h>

/* The two lowest bits of a value's first byte. */
enum { BASIC_PRIMITIVE, BASIC_SHORT_STRING, BASIC_OBJECT, BASIC_ARRAY };

/* The other bits of a primitive's. */
enum {
    PRIMITIVE_NULL,
    PRIMITIVE_TRUE,
    PRIMITIVE_FALSE,
    PRIMITIVE_INT8,
    PRIMITIVE_INT16,
    PRIMITIVE_INT32,
    PRIMITIVE_INT64,
    PRIMITIVE_DOUBLE,
    PRIMITIVE_DECIMAL4,
    PRIMITIVE_DECIMAL8,
    PRIMITIVE_DECIMAL16,
    PRIMITIVE_DATE,
    PRIMITIVE_TIMESTAMP,
    PRIMITIVE_TIMESTAMP_NTZ,
    PRIMITIVE_FLOAT,
    PRIMITIVE_BINARY,
    PRIMITIVE_STRING,
    PRIMITIVE_UUID = 20
};

pt__variant pt__variant_at(const pt__fn_column *column, idx_t row)
{
    pt__fn_column value = pt__fn_field(column, column->type, 0);
    pt__fn_column metadata = pt__fn_field(column, column->type, 1);
    pt_text_view bytes = pt__fn_string((const duckdb_string_t *)value.data + row);
    pt_text_view names = pt__fn_string((const duckdb_string_t *)metadata.data + row);
    return (pt__variant){(const uint8_t *)bytes.data, bytes.size_bytes, (const uint8_t *)names.data, names.size_bytes};
}

/* Little-endian. */
static uint64_t read_unsigned(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static int64_t read_signed(const uint8_t *at, int bytes)
{
    uint64_t value = read_unsigned(at, bytes);
    int unused = 64 - 8 * bytes;
    return (int64_t)(value << unused) >> unused;
}

/* ---- reading ---- */

static pt__variant_value malformed(void)
{
    return (pt__variant_value){.kind = PT__VARIANT_MALFORMED};
}

static pt__variant_value read_decimal(const uint8_t *at, size_t left, int bytes)
{
    pt__variant_value out = {.kind = PT__VARIANT_DECIMAL};
    if (left < (size_t)bytes + 1 || at[0] > 38)
        return malformed();
    out.scale = at[0];
    if (bytes < 16)
        out.unscaled = read_signed(at + 1, bytes);
    else
        memcpy(&out.unscaled, at + 1, sizeof(out.unscaled));
    return out;
}

static pt__variant_value read_bytes(const uint8_t *at, size_t left, pt__variant_kind kind)
{
    uint64_t size = left < 4 ? 0 : read_unsigned(at, 4);
    if (left < 4 || size > left - 4)
        return malformed();
    return (pt__variant_value){.kind = kind, .text = {(const char *)at + 4, size}};
}

static pt__variant_value read_whole(const uint8_t *at, size_t left, int bytes, pt__variant_kind kind)
{
    if (left < (size_t)bytes)
        return malformed();
    return (pt__variant_value){.kind = kind, .integer = read_signed(at, bytes)};
}

static pt__variant_value read_real(const uint8_t *at, size_t left, pt__variant_kind kind)
{
    pt__variant_value out = {.kind = kind};
    float narrow;
    if (left < (kind == PT__VARIANT_FLOAT ? sizeof(float) : sizeof(double)))
        return malformed();
    if (kind == PT__VARIANT_FLOAT) {
        memcpy(&narrow, at, sizeof(narrow));
        out.real = (double)narrow;
    } else {
        memcpy(&out.real, at, sizeof(out.real));
    }
    return out;
}

static pt__variant_value read_primitive(int type, const uint8_t *at, size_t left)
{
    switch (type) {
    case PRIMITIVE_NULL: return (pt__variant_value){.kind = PT__VARIANT_NULL};
    case PRIMITIVE_TRUE: return (pt__variant_value){.kind = PT__VARIANT_BOOLEAN, .integer = 1};
    case PRIMITIVE_FALSE: return (pt__variant_value){.kind = PT__VARIANT_BOOLEAN};
    case PRIMITIVE_INT8: return read_whole(at, left, 1, PT__VARIANT_LONG);
    case PRIMITIVE_INT16: return read_whole(at, left, 2, PT__VARIANT_LONG);
    case PRIMITIVE_INT32: return read_whole(at, left, 4, PT__VARIANT_LONG);
    case PRIMITIVE_INT64: return read_whole(at, left, 8, PT__VARIANT_LONG);
    case PRIMITIVE_DOUBLE: return read_real(at, left, PT__VARIANT_DOUBLE);
    case PRIMITIVE_DECIMAL4: return read_decimal(at, left, 4);
    case PRIMITIVE_DECIMAL8: return read_decimal(at, left, 8);
    case PRIMITIVE_DECIMAL16: return read_decimal(at, left, 16);
    case PRIMITIVE_DATE: return read_whole(at, left, 4, PT__VARIANT_DATE);
    case PRIMITIVE_TIMESTAMP: return read_whole(at, left, 8, PT__VARIANT_TIMESTAMP);
    case PRIMITIVE_TIMESTAMP_NTZ: return read_whole(at, left, 8, PT__VARIANT_TIMESTAMP_NTZ);
    case PRIMITIVE_FLOAT: return read_real(at, left, PT__VARIANT_FLOAT);
    case PRIMITIVE_BINARY: return read_bytes(at, left, PT__VARIANT_BINARY);
    case PRIMITIVE_STRING: return read_bytes(at, left, PT__VARIANT_STRING);
    case PRIMITIVE_UUID:
        return left < 16 ? malformed() : (pt__variant_value){.kind = PT__VARIANT_UUID, .text = {(const char *)at, 16}};
    default: return malformed();
    }
}

static pt__variant_value read_nested(uint8_t header, const uint8_t *at, size_t left, bool is_object)
{
    pt__variant_value out = {.kind = is_object ? PT__VARIANT_OBJECT : PT__VARIANT_ARRAY};
    out.offset_bytes = (uint8_t)((header & 3) + 1);
    out.id_bytes = is_object ? (uint8_t)((header >> 2 & 3) + 1) : 0;
    bool is_large = (header >> (is_object ? 4 : 2) & 1) != 0;
    size_t count_bytes = is_large ? 4 : 1;
    if (left < count_bytes)
        return malformed();
    out.count = (uint32_t)read_unsigned(at, (int)count_bytes);
    size_t ids = (size_t)out.count * out.id_bytes;
    size_t offsets = ((size_t)out.count + 1) * out.offset_bytes;
    if (left - count_bytes < ids + offsets)
        return malformed();
    out.ids = at + count_bytes;
    out.offsets = out.ids + ids;
    out.data = out.offsets + offsets;
    out.data_bytes = left - count_bytes - ids - offsets;
    return out;
}

pt__variant_value pt__variant_read(const pt__variant *variant)
{
    if (variant->value_bytes == 0)
        return malformed();
    uint8_t header = variant->value[0] >> 2;
    const uint8_t *at = variant->value + 1;
    size_t left = variant->value_bytes - 1;
    switch (variant->value[0] & 3) {
    case BASIC_SHORT_STRING:
        return header > left ? malformed()
                             : (pt__variant_value){.kind = PT__VARIANT_STRING, .text = {(const char *)at, header}};
    case BASIC_OBJECT: return read_nested(header, at, left, true);
    case BASIC_ARRAY: return read_nested(header, at, left, false);
    default: return read_primitive(header, at, left);
    }
}

static bool read_name(const pt__variant *variant, uint64_t id, pt_text_view *name)
{
    if (variant->metadata_bytes < 2)
        return false;
    int width = (variant->metadata[0] >> 6 & 3) + 1;
    size_t size = variant->metadata_bytes - 1;
    const uint8_t *at = variant->metadata + 1;
    if (size < (size_t)width)
        return false;
    uint64_t count = read_unsigned(at, width);
    if (id >= count || size / (size_t)width < count + 2)
        return false;
    const uint8_t *offsets = at + width;
    uint64_t start = read_unsigned(offsets + id * (uint64_t)width, width);
    uint64_t end = read_unsigned(offsets + (id + 1) * (uint64_t)width, width);
    const uint8_t *names = offsets + (count + 1) * (uint64_t)width;
    if (start > end || end > (uint64_t)(variant->metadata + variant->metadata_bytes - names))
        return false;
    *name = (pt_text_view){(const char *)names + start, end - start};
    return true;
}

bool pt__variant_child(const pt__variant *variant, const pt__variant_value *value, uint32_t index, pt__variant *child,
                       pt_text_view *key)
{
    uint64_t offset = read_unsigned(value->offsets + (size_t)index * value->offset_bytes, value->offset_bytes);
    if (offset >= value->data_bytes)
        return false;
    *child =
        (pt__variant){value->data + offset, value->data_bytes - offset, variant->metadata, variant->metadata_bytes};
    if (key == NULL || value->kind != PT__VARIANT_OBJECT)
        return true;
    return read_name(variant, read_unsigned(value->ids + (size_t)index * value->id_bytes, value->id_bytes), key);
}

bool pt__variant_field(const pt__variant *variant, const pt__variant_value *value, pt_text_view name,
                       pt__variant *child)
{
    for (uint32_t i = 0; i < value->count; i++) {
        pt_text_view key;
        if (pt__variant_child(variant, value, i, child, &key) && key.size_bytes == name.size_bytes &&
            memcmp(key.data, name.data, name.size_bytes) == 0)
            return true;
    }
    return false;
}

/* The bytes that a value takes. */
static size_t size_of(const pt__variant *variant, const pt__variant_value *value)
{
    static const uint8_t FIXED[] = {1, 1, 1, 2, 3, 5, 9, 9, 6, 10, 18, 5, 9, 9, 5};
    switch (value->kind) {
    case PT__VARIANT_STRING:
    case PT__VARIANT_BINARY:
    case PT__VARIANT_UUID: return (size_t)((const uint8_t *)value->text.data - variant->value) + value->text.size_bytes;
    case PT__VARIANT_ARRAY:
    case PT__VARIANT_OBJECT:
        return (size_t)(value->data - variant->value) +
               read_unsigned(value->offsets + (size_t)value->count * value->offset_bytes, value->offset_bytes);
    default: return FIXED[variant->value[0] >> 2];
    }
}

pt__variant pt__variant_trimmed(const pt__variant *variant)
{
    pt__variant_value value = pt__variant_read(variant);
    pt__variant trimmed = *variant;
    size_t size = value.kind == PT__VARIANT_MALFORMED ? variant->value_bytes : size_of(variant, &value);
    trimmed.value_bytes = size < variant->value_bytes ? size : variant->value_bytes;
    return trimmed;
}

enum { DEPTH_MAX = 1000 };

static bool is_valid(const pt__variant *variant, int depth)
{
    pt__variant_value value = pt__variant_read(variant);
    if (value.kind == PT__VARIANT_MALFORMED || depth > DEPTH_MAX)
        return false;
    for (uint32_t i = 0; i < value.count; i++) {
        pt__variant child;
        pt_text_view key;
        if (!pt__variant_child(variant, &value, i, &child, &key) || !is_valid(&child, depth + 1))
            return false;
    }
    return true;
}

bool pt__variant_is_valid(const pt__variant *variant)
{
    return variant->metadata_bytes > 0 && (variant->metadata[0] & 15) == 1 && is_valid(variant, 0);
}

/* ---- text ---- */

static void append_time(pt__buffer *out, const pt__variant_value *value, const pt__zone *zone)
{
    char text[PT_DATETIME_TEXT_MAX];
    size_t size;
    if (value->kind == PT__VARIANT_DATE)
        size = pt__format_date(value->integer, text);
    else if (value->kind == PT__VARIANT_TIMESTAMP && zone != NULL)
        size = pt__format_timestamp(pt__zone_to_local(zone, value->integer), text);
    else
        size = pt__format_timestamp(value->integer, text);
    pt__buffer_append(out, text, size);
    if (value->kind != PT__VARIANT_TIMESTAMP || zone == NULL)
        return;
    int64_t seconds = (pt__zone_to_local(zone, value->integer) - value->integer) / 1000000;
    int64_t size_s = seconds < 0 ? -seconds : seconds;
    pt__buffer_printf(out, "%c%02d:%02d", seconds < 0 ? '-' : '+', (int)(size_s / 3600), (int)(size_s / 60 % 60));
}

static void append_decimal(pt__buffer *out, const pt__variant_value *value)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt_int128 unscaled = value->unscaled;
    int32_t scale = value->scale;
    for (; scale > 0 && unscaled % 10 == 0; scale--)
        unscaled /= 10;
    pt__buffer_append(out, text, pt__decimal_format(unscaled, scale, text));
}

static void append_real(pt__buffer *out, const pt__variant_value *value, bool quotes)
{
    char text[PT_DOUBLE_TEXT_MAX];
    size_t size = value->kind == PT__VARIANT_FLOAT ? pt__format_float((float)value->real, text)
                                                   : pt__format_double(value->real, text);
    quotes = quotes && !isfinite(value->real);
    pt__buffer_append_string(out, quotes ? "\"" : "");
    pt__buffer_append(out, text, size);
    pt__buffer_append_string(out, quotes ? "\"" : "");
}

static void append_uuid(pt__buffer *out, pt_text_view bytes)
{
    for (size_t i = 0; i < bytes.size_bytes; i++)
        pt__buffer_printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                          (unsigned char)bytes.data[i]);
}

static bool append_json(pt__buffer *out, const pt__variant *variant, const pt__zone *zone, int depth);

static bool append_children(pt__buffer *out, const pt__variant *variant, const pt__variant_value *value,
                            const pt__zone *zone, int depth)
{
    bool is_object = value->kind == PT__VARIANT_OBJECT;
    pt__buffer_append_byte(out, is_object ? '{' : '[');
    for (uint32_t i = 0; i < value->count; i++) {
        pt__variant child;
        pt_text_view key = {"", 0};
        if (!pt__variant_child(variant, value, i, &child, &key))
            return false;
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        if (is_object) {
            pt__loose_append_quoted(out, key.data, key.size_bytes);
            pt__buffer_append_byte(out, ':');
        }
        if (!append_json(out, &child, zone, depth + 1))
            return false;
    }
    pt__buffer_append_byte(out, is_object ? '}' : ']');
    return true;
}

static bool append_json(pt__buffer *out, const pt__variant *variant, const pt__zone *zone, int depth)
{
    pt__variant_value value = pt__variant_read(variant);
    if (depth > DEPTH_MAX)
        return false;
    switch (value.kind) {
    case PT__VARIANT_NULL: pt__buffer_append_string(out, "null"); return true;
    case PT__VARIANT_BOOLEAN: pt__buffer_append_string(out, value.integer != 0 ? "true" : "false"); return true;
    case PT__VARIANT_LONG: pt__buffer_printf(out, "%lld", (long long)value.integer); return true;
    case PT__VARIANT_DOUBLE:
    case PT__VARIANT_FLOAT: append_real(out, &value, true); return true;
    case PT__VARIANT_DECIMAL: append_decimal(out, &value); return true;
    case PT__VARIANT_STRING: pt__loose_append_quoted(out, value.text.data, value.text.size_bytes); return true;
    case PT__VARIANT_ARRAY:
    case PT__VARIANT_OBJECT: return append_children(out, variant, &value, zone, depth);
    case PT__VARIANT_MALFORMED: return false;
    default: break;
    }
    pt__buffer_append_byte(out, '"');
    if (value.kind == PT__VARIANT_BINARY) {
        pt__base64_encode(out, (pt_bytes_view){(const uint8_t *)value.text.data, value.text.size_bytes});
        pt__buffer_append_string(out, value.text.size_bytes % 3 == 0   ? ""
                                      : value.text.size_bytes % 3 == 1 ? "=="
                                                                       : "=");
    } else if (value.kind == PT__VARIANT_UUID) {
        append_uuid(out, value.text);
    } else {
        append_time(out, &value, zone);
    }
    pt__buffer_append_byte(out, '"');
    return true;
}

bool pt__variant_append_json(pt__buffer *out, const pt__variant *variant, const pt__zone *zone)
{
    return append_json(out, variant, zone, 0);
}

bool pt__variant_append_text(pt__buffer *out, const pt__variant *variant, const pt__zone *zone)
{
    pt__variant_value value = pt__variant_read(variant);
    switch (value.kind) {
    case PT__VARIANT_STRING:
    case PT__VARIANT_BINARY: pt__buffer_append(out, value.text.data, value.text.size_bytes); return true;
    case PT__VARIANT_DOUBLE:
    case PT__VARIANT_FLOAT: append_real(out, &value, false); return true;
    case PT__VARIANT_UUID: append_uuid(out, value.text); return true;
    case PT__VARIANT_DATE:
    case PT__VARIANT_TIMESTAMP_NTZ: append_time(out, &value, NULL); return true;
    case PT__VARIANT_TIMESTAMP: {
        char text[PT_DATETIME_TEXT_MAX];
        int64_t local = zone == NULL ? value.integer : pt__zone_to_local(zone, value.integer);
        pt__buffer_append(out, text, pt__format_timestamp(local, text));
        return true;
    }
    default: return append_json(out, variant, zone, 0);
    }
}

#include "backend/duckdb/functions/typed_value.h"

#include "backend/duckdb/functions/nested.h"
#include "backend/duckdb/functions/variant.h"
#include "base/civil.h"
#include "base/format_datetime.h"
#include "base/format_double.h"
#include "base/loose_json.h"
#include "wire/base64.h"

/* ---- times ---- */

static int64_t micros_of(const pt_type *type, const pt__fn_column *column, idx_t row)
{
    int64_t value = (int64_t)pt__fn_whole(column, row);
    return type->id == PT_TYPE_DATE ? value * PT_MICROS_PER_DAY : value;
}

/* 2020-01-01T01:02:03.123, as the default pattern has it. */
static void append_iso(pt__buffer *out, int64_t local_us)
{
    pt__civil_time t = pt__civil_from_micros(local_us);
    char date[PT_DATETIME_TEXT_MAX];
    pt__buffer_append(out, date, pt__format_date(pt__floor_divide(local_us, PT_MICROS_PER_DAY), date));
    pt__buffer_printf(out, "T%02d:%02d:%02d.%03d", (int)t.hour, (int)t.minute, (int)t.second,
                      (int)t.microsecond / 1000);
}

static void append_offset(pt__buffer *out, int64_t seconds)
{
    int64_t size = seconds < 0 ? -seconds : seconds;
    if (seconds == 0)
        pt__buffer_append_byte(out, 'Z');
    else
        pt__buffer_printf(out, "%c%02d:%02d", seconds < 0 ? '-' : '+', (int)(size / 3600), (int)(size / 60 % 60));
}

static const pt__time_pattern *pattern_for(const pt__typed_reader *reader, const pt_type *type)
{
    return type->id == PT_TYPE_DATE        ? reader->date
           : type->id == PT_TYPE_TIMESTAMP ? reader->timestamp
                                           : reader->timestamp_ntz;
}

/* What is not an instant is formatted as one whose clock shows it. */
static int64_t instant_for_pattern(const pt__typed_reader *reader, const pt_type *type, int64_t micros)
{
    return type->id == PT_TYPE_TIMESTAMP ? micros : pt__zone_to_instant(reader->zone, micros);
}

void pt__typed_format_time(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                           const pt__fn_column *column, idx_t row)
{
    const pt__time_pattern *pattern = pattern_for(reader, type);
    int64_t micros = micros_of(type, column, row);
    char text[PT_DATETIME_TEXT_MAX];
    if (pattern != NULL) {
        pt__time_pattern_format(pattern, instant_for_pattern(reader, type, micros), reader->zone, out);
    } else if (type->id == PT_TYPE_DATE) {
        pt__buffer_append(out, text, pt__format_date(pt__floor_divide(micros, PT_MICROS_PER_DAY), text));
    } else if (type->id == PT_TYPE_TIMESTAMP) {
        int64_t local = pt__zone_to_local(reader->zone, micros);
        append_iso(out, local);
        append_offset(out, pt__floor_divide(local - micros, PT_MICROS_PER_SECOND));
    } else {
        append_iso(out, micros);
    }
}

void pt__typed_format_interval(pt__buffer *out, const pt_type *type, const pt__fn_column *column, idx_t row)
{
    char text[PT_INTERVAL_TEXT_MAX];
    int64_t value = (int64_t)pt__fn_whole(column, row);
    size_t size = type->id == PT_TYPE_INTERVAL_YEAR_MONTH
                      ? pt__format_year_month_interval((int32_t)value, type->start_field, type->end_field, text)
                      : pt__format_day_time_interval(value, type->start_field, type->end_field, text);
    pt__buffer_append(out, text, size);
}

/* ---- leaves ---- */

static double real_at(const pt__fn_column *column, idx_t row)
{
    return column->type->id == DUCKDB_TYPE_FLOAT ? (double)((const float *)column->data)[row]
                                                 : ((const double *)column->data)[row];
}

static void append_real(pt__buffer *out, const pt__fn_column *column, idx_t row)
{
    char text[PT_DOUBLE_TEXT_MAX];
    double value = real_at(column, row);
    bool quoted = value != value || value - value != 0;
    size_t size =
        column->type->id == DUCKDB_TYPE_FLOAT ? pt__format_float((float)value, text) : pt__format_double(value, text);
    pt__buffer_append_string(out, quoted ? "\"" : "");
    pt__buffer_append(out, text, size);
    pt__buffer_append_string(out, quoted ? "\"" : "");
}

static void append_whole(pt__buffer *out, const pt__fn_column *column, idx_t row)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt__buffer_append(out, text, pt__decimal_format(pt__fn_whole(column, row), column->type->scale, text));
}

static void append_leaf(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                        const pt__fn_column *column, idx_t row)
{
    pt_text_view text;
    switch (type->id) {
    case PT_TYPE_BOOLEAN: pt__buffer_append_string(out, ((const bool *)column->data)[row] ? "true" : "false"); break;
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: append_real(out, column, row); break;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
        text = pt__fn_string((const duckdb_string_t *)column->data + row);
        pt__loose_append_quoted(out, text.data, text.size_bytes);
        break;
    case PT_TYPE_BINARY:
        text = pt__fn_string((const duckdb_string_t *)column->data + row);
        pt__buffer_append_byte(out, '"');
        pt__base64_encode(out, (pt_bytes_view){(const uint8_t *)text.data, text.size_bytes});
        pt__buffer_append_string(out, text.size_bytes % 3 == 0 ? "\"" : text.size_bytes % 3 == 1 ? "==\"" : "=\"");
        break;
    case PT_TYPE_DATE:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ:
        pt__buffer_append_byte(out, '"');
        pt__typed_format_time(out, reader, type, column, row);
        pt__buffer_append_byte(out, '"');
        break;
    case PT_TYPE_INTERVAL_YEAR_MONTH:
    case PT_TYPE_INTERVAL_DAY_TIME:
        pt__buffer_append_byte(out, '"');
        pt__typed_format_interval(out, type, column, row);
        pt__buffer_append_byte(out, '"');
        break;
    default: append_whole(out, column, row);
    }
}

/* ---- nested ---- */

static void append_struct(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                          const pt__fn_column *column, idx_t row)
{
    bool skips_nulls = pt__typed_flag(reader, "ignorenullfields", true);
    bool first = true;
    pt__buffer_append_byte(out, '{');
    for (size_t i = 0; i < type->field_count; i++) {
        pt__fn_column field = pt__fn_field(column, column->type, i);
        if (skips_nulls && !pt__fn_bit(field.validity, row))
            continue;
        pt__buffer_append_string(out, first ? "" : ",");
        pt__loose_append_quoted(out, type->fields[i].name, strlen(type->fields[i].name));
        pt__buffer_append_byte(out, ':');
        pt__typed_append_json(out, reader, type->fields[i].type, &field, row);
        first = false;
    }
    pt__buffer_append_byte(out, '}');
}

static void append_array(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                         const pt__fn_column *column, idx_t row)
{
    pt__fn_column elements = pt__fn_elements(column);
    duckdb_list_entry entry = pt__fn_list_entry(column, row);
    pt__buffer_append_byte(out, '[');
    for (idx_t i = 0; i < entry.length; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        pt__typed_append_json(out, reader, type->element, &elements, entry.offset + i);
    }
    pt__buffer_append_byte(out, ']');
}

static void append_key(pt__buffer *out, const pt_type *type, const pt__fn_column *column, idx_t row);

static void append_key_struct(pt__buffer *out, const pt_type *type, const pt__fn_column *column, idx_t row)
{
    pt__buffer_append_byte(out, '[');
    for (size_t i = 0; i < type->field_count; i++) {
        pt__fn_column field = pt__fn_field(column, column->type, i);
        pt__buffer_append_string(out, i == 0 ? "" : ",");
        append_key(out, type->fields[i].type, &field, row);
    }
    pt__buffer_append_byte(out, ']');
}

/* Keys are the text of Spark's internal values: days and microseconds for times. */
static void append_key(pt__buffer *out, const pt_type *type, const pt__fn_column *column, idx_t row)
{
    char text[PT_DOUBLE_TEXT_MAX];
    if (!pt__fn_bit(column->validity, row)) {
        pt__buffer_append_string(out, "null");
    } else if (pt__type_is_string(type)) {
        pt_text_view key = pt__fn_string((const duckdb_string_t *)column->data + row);
        pt__buffer_append(out, key.data, key.size_bytes);
    } else if (type->id == PT_TYPE_DOUBLE) {
        pt__buffer_append(out, text, pt__format_double(real_at(column, row), text));
    } else if (type->id == PT_TYPE_FLOAT) {
        pt__buffer_append(out, text, pt__format_float((float)real_at(column, row), text));
    } else if (type->id == PT_TYPE_BOOLEAN) {
        pt__buffer_append_string(out, ((const bool *)column->data)[row] ? "true" : "false");
    } else if (type->id == PT_TYPE_STRUCT) {
        append_key_struct(out, type, column, row);
    } else {
        append_whole(out, column, row);
    }
}

static void append_map(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                       const pt__fn_column *column, idx_t row)
{
    pt__fn_column entries = pt__fn_elements(column);
    pt__fn_column keys = pt__fn_field(&entries, column->type, 0);
    pt__fn_column values = pt__fn_field(&entries, column->type, 1);
    duckdb_list_entry entry = pt__fn_list_entry(column, row);
    pt__buffer key = PT_BUFFER_INIT;
    pt__buffer_append_byte(out, '{');
    for (idx_t i = entry.offset; i < entry.offset + entry.length; i++) {
        pt__buffer_append_string(out, i == entry.offset ? "" : ",");
        pt__buffer_reset(&key);
        append_key(&key, type->key, &keys, i);
        pt__loose_append_quoted(out, (const char *)key.data, key.size_bytes);
        pt__buffer_append_byte(out, ':');
        pt__typed_append_json(out, reader, type->element, &values, i);
    }
    pt__buffer_append_byte(out, '}');
    pt__buffer_deinit(&key);
}

void pt__typed_append_json(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                           const pt__fn_column *column, idx_t row)
{
    if (!pt__fn_bit(column->validity, row)) {
        pt__buffer_append_string(out, "null");
        return;
    }
    switch (type->id) {
    case PT_TYPE_STRUCT: append_struct(out, reader, type, column, row); break;
    case PT_TYPE_ARRAY: append_array(out, reader, type, column, row); break;
    case PT_TYPE_MAP: append_map(out, reader, type, column, row); break;
    case PT_TYPE_VARIANT: {
        pt__variant variant = pt__variant_at(column, row);
        pt__variant_append_json(out, &variant, reader->zone);
        break;
    }
    default: append_leaf(out, reader, type, column, row);
    }
}

#include "backend/duckdb/functions/value_text.h"

#include "backend/duckdb/functions/decimal.h"
#include "base/civil.h"
#include "base/format_double.h"

#include <inttypes.h>
#include <stdio.h>

void pt__append_text_literal(pt__buffer *out, pt_text_view text)
{
    pt__buffer_append_byte(out, '\'');
    for (size_t i = 0; i < text.size_bytes; i++) {
        if (text.data[i] == '\'' || text.data[i] == '\\')
            pt__buffer_append_byte(out, '\\');
        pt__buffer_append_byte(out, (uint8_t)text.data[i]);
    }
    pt__buffer_append_byte(out, '\'');
}

static void append_double(pt__buffer *out, double value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    bool finite = value - value == 0;
    pt__format_double(value, text);
    pt__buffer_printf(out, "%s%s", text, finite ? "D" : "");
}

static void append_float(pt__buffer *out, float value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    pt__format_float(value, text);
    pt__buffer_append_string(out, text);
}

static void append_timestamp(pt__buffer *out, int64_t micros)
{
    pt__civil_time time = pt__civil_from_micros(micros);
    pt__buffer_printf(out, "TIMESTAMP '%04" PRId64 "-%02d-%02d %02d:%02d:%02d", time.date.year, time.date.month,
                      time.date.day, time.hour, time.minute, time.second);
    if (time.microsecond != 0) {
        char fraction[16];
        int length = snprintf(fraction, sizeof(fraction), ".%06d", time.microsecond);
        while (fraction[length - 1] == '0')
            length--;
        pt__buffer_append(out, fraction, (size_t)length);
    }
    pt__buffer_append_byte(out, '\'');
}

static const char *integer_suffix(duckdb_type type)
{
    switch (type) {
    case DUCKDB_TYPE_TINYINT: return "Y";
    case DUCKDB_TYPE_SMALLINT: return "S";
    case DUCKDB_TYPE_BIGINT: return "L";
    case DUCKDB_TYPE_DECIMAL: return "BD";
    default: return "";
    }
}

void pt__append_number_literal(pt__buffer *out, const pt__fn_column *column, idx_t row)
{
    switch (column->type->id) {
    case DUCKDB_TYPE_FLOAT: append_float(out, ((const float *)column->data)[row]); break;
    case DUCKDB_TYPE_DOUBLE: append_double(out, ((const double *)column->data)[row]); break;
    case DUCKDB_TYPE_TIMESTAMP_TZ: append_timestamp(out, ((const int64_t *)column->data)[row]); break;
    default:
        pt__decimal_append(out, pt__fn_integer(column, row), column->type->scale);
        pt__buffer_append_string(out, integer_suffix(column->type->id));
    }
}

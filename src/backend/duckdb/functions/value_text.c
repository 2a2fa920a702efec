#include "backend/duckdb/functions/value_text.h"

#include "backend/duckdb/functions/decimal.h"
#include "base/format_datetime.h"
#include "base/format_double.h"

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
    char text[PT_DATETIME_TEXT_MAX];
    pt__format_timestamp(micros, text);
    pt__buffer_printf(out, "TIMESTAMP '%s'", text);
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

bool pt__fn_reject_cast(pt__fn_call *call, pt_text_view text, const char *target)
{
    if (call->mode != PT__FN_ANSI)
        return false;
    pt__buffer quoted = PT_BUFFER_INIT;
    pt__append_text_literal(&quoted, text);
    pt__fn_raise(call, PT_COND_CAST_INVALID_INPUT, "expression", pt__buffer_string(&quoted), "sourceType", "\"STRING\"",
                 "targetType", target, "ansiConfig", PT__ANSI_CONFIG, NULL);
    pt__buffer_deinit(&quoted);
    return false;
}

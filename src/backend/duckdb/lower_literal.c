#include "backend/duckdb/lower.h"
#include "base/int128.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Every value carries its cast: DuckDB would type `1` by its size and '…' by its use. */

static void put_integer(pt__lower *lower, int64_t value, const char *type)
{
    if (value < 0) /* `-1::T` would negate after the cast */
        pt__putf(lower, "(%" PRId64 ")::%s", value, type);
    else
        pt__putf(lower, "%" PRId64 "::%s", value, type);
}

static void put_real(pt__lower *lower, double value, const char *type)
{
    if (isnan(value))
        pt__putf(lower, "'nan'::%s", type);
    else if (isinf(value))
        pt__putf(lower, "'%sinfinity'::%s", value < 0 ? "-" : "", type);
    else
        pt__putf(lower, "'%.17g'::%s", value, type);
}

static void put_decimal(pt__lower *lower, const pt_type *type, pt_int128 value)
{
    char digits[PT_DECIMAL_TEXT_BYTES];
    pt__decimal_format(value, type->scale, digits);
    pt__putf(lower, "'%s'::DECIMAL(%d,%d)", digits, type->precision, type->scale);
}

static void put_binary(pt__lower *lower, pt_text_view bytes)
{
    static const char HEX[] = "0123456789ABCDEF";
    pt__put(lower, "unhex('");
    for (size_t i = 0; i < bytes.size_bytes; i++) {
        uint8_t byte = (uint8_t)bytes.data[i];
        pt__buffer_append_byte(&lower->text, (uint8_t)HEX[byte >> 4]);
        pt__buffer_append_byte(&lower->text, (uint8_t)HEX[byte & 15]);
    }
    pt__put(lower, "')");
}

static void put_calendar(pt__lower *lower, pt_interval value)
{
    pt__putf(lower, "(to_months((%d)::INTEGER) + to_days((%d)::INTEGER) + to_microseconds((%" PRId64 ")::BIGINT))",
             value.months, value.days, value.microseconds);
}

static void put_cast_end(pt__lower *lower, const pt_type *type)
{
    pt__put(lower, " AS ");
    pt__put_type(lower, type);
    pt__put(lower, ")");
}

static void put_items(pt__lower *lower, const pt_type *type, const pt_value *items, size_t count, size_t step)
{
    pt__put(lower, "[");
    for (size_t i = 0; i < count; i += step) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_literal(lower, type, &items[i]);
    }
    pt__put(lower, "]");
}

static void put_struct(pt__lower *lower, const pt_type *type, const pt_value *value)
{
    pt__put(lower, type->field_count == 0 ? "struct_pack(f0 := NULL::INTEGER" : "struct_pack(");
    for (size_t i = 0; i < type->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_field_name(lower, type, i);
        pt__put(lower, " := ");
        pt__put_literal(lower, type->fields[i].type, &value->as.list.items[i]);
    }
    pt__put(lower, ")");
}

static void put_nested(pt__lower *lower, const pt_type *type, const pt_value *value)
{
    const pt_value *items = value->as.list.items;
    size_t count = value->as.list.count;
    if (type->id == PT_TYPE_STRUCT) {
        put_struct(lower, type, value);
        return;
    }
    pt__put(lower, "CAST(");
    if (type->id == PT_TYPE_ARRAY) {
        put_items(lower, type->element, items, count, 1);
    } else if (count == 0) {
        pt__put(lower, "MAP {}");
    } else {
        pt__put(lower, "map(");
        put_items(lower, type->key, items, count, 2);
        pt__put(lower, ", ");
        put_items(lower, type->element, items + 1, count - 1, 2);
        pt__put(lower, ")");
    }
    put_cast_end(lower, type);
}

void pt__put_literal(pt__lower *lower, const pt_type *type, const pt_value *value)
{
    if (value->is_null || type->id == PT_TYPE_VOID) {
        pt__put(lower, "CAST(NULL");
        put_cast_end(lower, type);
        return;
    }
    switch (type->id) {
    case PT_TYPE_BOOLEAN: pt__put(lower, value->as.boolean ? "true" : "false"); return;
    case PT_TYPE_BYTE: put_integer(lower, value->as.integer, "TINYINT"); return;
    case PT_TYPE_SHORT: put_integer(lower, value->as.integer, "SMALLINT"); return;
    case PT_TYPE_INT:
    case PT_TYPE_INTERVAL_YEAR_MONTH: put_integer(lower, value->as.integer, "INTEGER"); return;
    case PT_TYPE_LONG:
    case PT_TYPE_INTERVAL_DAY_TIME: put_integer(lower, value->as.integer, "BIGINT"); return;
    case PT_TYPE_FLOAT: put_real(lower, value->as.real, "FLOAT"); return;
    case PT_TYPE_DOUBLE: put_real(lower, value->as.real, "DOUBLE"); return;
    case PT_TYPE_DECIMAL: put_decimal(lower, type, value->as.decimal); return;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
        pt__put_string(lower, value->as.text.data, value->as.text.size_bytes);
        pt__put(lower, "::VARCHAR");
        return;
    case PT_TYPE_BINARY: put_binary(lower, value->as.text); return;
    case PT_TYPE_DATE: pt__putf(lower, "(DATE '1970-01-01' + (%d))", (int)value->as.integer); return;
    case PT_TYPE_TIME:
        pt__putf(lower, "(TIME '00:00' + to_microseconds(%" PRId64 "))", value->as.integer / 1000);
        return;
    case PT_TYPE_TIMESTAMP: pt__putf(lower, "make_timestamptz((%" PRId64 ")::BIGINT)", value->as.integer); return;
    case PT_TYPE_TIMESTAMP_NTZ: pt__putf(lower, "make_timestamp((%" PRId64 ")::BIGINT)", value->as.integer); return;
    case PT_TYPE_INTERVAL_CALENDAR: put_calendar(lower, value->as.interval); return;
    case PT_TYPE_UDT: pt__put_literal(lower, type->element, value); return;
    case PT_TYPE_ARRAY:
    case PT_TYPE_MAP:
    case PT_TYPE_STRUCT: put_nested(lower, type, value); return;
    case PT_TYPE_VARIANT:
    case PT_TYPE_VOID:
    case PT_TYPE_COUNT: break;
    }
    pt__put(lower, "error('[INTERNAL_ERROR]{\"message\":\"a literal without a text form\"}')");
}

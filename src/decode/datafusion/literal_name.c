/* Values as DataFusion writes them into names: Int64(1), Utf8("x"), Decimal128(Some(1),15,2). */
#include "decode/datafusion/internal.h"

#include "base/civil.h"
#include "base/int128.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE(name) DATAFUSION_COMMON__SCALAR_VALUE__VALUE_##name
#define ARROW(name) DATAFUSION_COMMON__ARROW_TYPE__ARROW_TYPE_ENUM_##name

/* The fewest digits that read back as the same number, without exponent. */
static void put_float(pt__buffer *out, double value, bool is_single)
{
    char text[40];
    if (isnan(value) || isinf(value)) {
        pt__buffer_append_string(out, isnan(value) ? "NaN" : value < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 0; digits < 18; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits, value);
        if (is_single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    const char *exponent_text = strchr(text, 'e');
    int exponent = exponent_text == NULL ? 0 : (int)strtol(exponent_text + 1, NULL, 10);
    char digits[24] = "";
    size_t count = 0;
    for (const char *c = text; c != exponent_text && count < sizeof(digits) - 1; c++)
        if (*c >= '0' && *c <= '9')
            digits[count++] = *c;
    pt__buffer_append_string(out, *text == '-' ? "-" : "");
    if (exponent < 0)
        pt__buffer_append_string(out, "0.");
    for (int i = exponent + 1; i < 0; i++)
        pt__buffer_append_byte(out, '0');
    for (int i = 0; i < (int)count || i <= exponent; i++) {
        if (i == exponent + 1 && exponent >= 0)
            pt__buffer_append_byte(out, '.');
        pt__buffer_append_byte(out, i < (int)count ? (uint8_t)digits[i] : '0');
    }
}

static void put_decimal(pt__buffer *out, ProtobufCBinaryData bytes, int64_t precision, int64_t scale)
{
    pt_int128 value = 0;
    char text[PT_DECIMAL_TEXT_BYTES];
    if (bytes.len > 0 && bytes.data[0] >= 0x80)
        value = -1;
    for (size_t i = 0; i < bytes.len && bytes.len <= 16; i++)
        value = value * 256 + bytes.data[i];
    pt__decimal_format(value, 0, text);
    pt__buffer_printf(out, "Some(%s),%" PRId64 ",%" PRId64, text, precision, scale);
}

static void put_date(pt__buffer *out, int32_t days)
{
    pt__civil_date date = pt__civil_from_days(days);
    pt__buffer_printf(out, "%04" PRId64 "-%02d-%02d", date.year, date.month, date.day);
}

static void put_bytes(pt__buffer *out, const char *kind, ProtobufCBinaryData bytes)
{
    pt__buffer_printf(out, "%s(\"", kind);
    for (size_t i = 0; i < bytes.len; i++)
        pt__buffer_printf(out, "%s%u", i == 0 ? "" : ",", bytes.data[i]);
    pt__buffer_append_string(out, "\")");
}

static void put_timestamp(pt__buffer *out, const DatafusionCommon__ScalarTimestampValue *value)
{
    static const char *const units[] = {"", "Microsecond", "Nanosecond", "Second", "Millisecond"};
    const char *unit = (unsigned)value->value_case < 5 ? units[value->value_case] : "";
    int64_t number = value->time_microsecond_value; /* all members are of one size, and share it */
    if (*value->timezone == '\0')
        pt__buffer_printf(out, "Timestamp%s(%" PRId64 ", None)", unit, number);
    else
        pt__buffer_printf(out, "Timestamp%s(%" PRId64 ", Some(\"%s\"))", unit, number, value->timezone);
}

static void put_null(pt__df *d, pt__buffer *out, const DatafusionCommon__ArrowType *arrow)
{
    switch ((int)arrow->arrow_type_enum_case) {
    case ARROW(NONE_TYPE): pt__buffer_append_string(out, "NULL"); return;
    case ARROW(UTF8_VIEW_TYPE): pt__buffer_append_string(out, "Utf8View(NULL)"); return;
    case ARROW(LARGE_UTF8_TYPE): pt__buffer_append_string(out, "LargeUtf8(NULL)"); return;
    case ARROW(DATE32_TYPE): pt__buffer_append_string(out, "Date32(\"NULL\")"); return;
    case ARROW(DECIMAL128_TYPE):
        pt__buffer_printf(out, "Decimal128(None,%u,%d)", arrow->decimal128_type->precision,
                          arrow->decimal128_type->scale);
        return;
    default: break;
    }
    const pt__df_type *type;
    pt_error ignored = PT_ERROR_INIT;
    if (pt__df_arrow_type(d->arena, arrow, &type, &ignored) == PT_OK)
        pt__buffer_printf(out, "%s(NULL)", pt__df_type_text(d->arena, type));
    pt_error_clear(&ignored);
}

static void put_intervals(pt__buffer *out, const DatafusionCommon__ScalarValue *v)
{
    if (v->value_case == VALUE(INTERVAL_YEARMONTH_VALUE))
        pt__buffer_printf(out, "IntervalYearMonth(\"%d\")", v->interval_yearmonth_value);
    else if (v->value_case == VALUE(INTERVAL_DAYTIME_VALUE))
        pt__buffer_printf(out, "IntervalDayTime(\"IntervalDayTime { days: %d, milliseconds: %d }\")",
                          v->interval_daytime_value->days, v->interval_daytime_value->milliseconds);
    else
        pt__buffer_printf(
            out, "IntervalMonthDayNano(\"IntervalMonthDayNano { months: %d, days: %d, nanoseconds: %" PRId64 " }\")",
            v->interval_month_day_nano->months, v->interval_month_day_nano->days, v->interval_month_day_nano->nanos);
}

static void put_float_literal(pt__buffer *out, const DatafusionCommon__ScalarValue *v)
{
    bool is_single = v->value_case == VALUE(FLOAT32_VALUE);
    pt__buffer_append_string(out, is_single ? "Float32(" : "Float64(");
    put_float(out, is_single ? (double)v->float32_value : v->float64_value, is_single);
    pt__buffer_append_string(out, ")");
}

static void put_decimal_literal(pt__buffer *out, const DatafusionCommon__ScalarValue *v)
{
    bool is_wide = v->value_case == VALUE(DECIMAL256_VALUE);
    pt__buffer_append_string(out, is_wide ? "Decimal256(" : "Decimal128(");
    if (is_wide)
        put_decimal(out, v->decimal256_value->value, v->decimal256_value->p, v->decimal256_value->s);
    else
        put_decimal(out, v->decimal128_value->value, v->decimal128_value->p, v->decimal128_value->s);
    pt__buffer_append_string(out, ")");
}

static void put_date_literal(pt__buffer *out, int32_t days)
{
    pt__buffer_append_string(out, "Date32(\"");
    put_date(out, days);
    pt__buffer_append_string(out, "\")");
}

void pt__df_put_literal(pt__df *d, pt__buffer *out, const DatafusionCommon__ScalarValue *v)
{
    switch ((int)v->value_case) {
    case VALUE(NULL_VALUE): put_null(d, out, v->null_value); break;
    case VALUE(BOOL_VALUE): pt__buffer_printf(out, "Boolean(%s)", v->bool_value ? "true" : "false"); break;
    case VALUE(UTF8_VALUE): pt__buffer_printf(out, "Utf8(\"%s\")", v->utf8_value); break;
    case VALUE(LARGE_UTF8_VALUE): pt__buffer_printf(out, "LargeUtf8(\"%s\")", v->large_utf8_value); break;
    case VALUE(UTF8_VIEW_VALUE): pt__buffer_printf(out, "Utf8View(\"%s\")", v->utf8_view_value); break;
    case VALUE(INT8_VALUE): pt__buffer_printf(out, "Int8(%d)", v->int8_value); break;
    case VALUE(INT16_VALUE): pt__buffer_printf(out, "Int16(%d)", v->int16_value); break;
    case VALUE(INT32_VALUE): pt__buffer_printf(out, "Int32(%d)", v->int32_value); break;
    case VALUE(INT64_VALUE): pt__buffer_printf(out, "Int64(%" PRId64 ")", v->int64_value); break;
    case VALUE(UINT8_VALUE): pt__buffer_printf(out, "UInt8(%u)", v->uint8_value); break;
    case VALUE(UINT16_VALUE): pt__buffer_printf(out, "UInt16(%u)", v->uint16_value); break;
    case VALUE(UINT32_VALUE): pt__buffer_printf(out, "UInt32(%u)", v->uint32_value); break;
    case VALUE(UINT64_VALUE): pt__buffer_printf(out, "UInt64(%" PRIu64 ")", v->uint64_value); break;
    case VALUE(FLOAT32_VALUE):
    case VALUE(FLOAT64_VALUE): put_float_literal(out, v); break;
    case VALUE(DATE_32_VALUE): put_date_literal(out, v->date_32_value); break;
    case VALUE(DECIMAL128_VALUE):
    case VALUE(DECIMAL256_VALUE): put_decimal_literal(out, v); break;
    case VALUE(TIMESTAMP_VALUE): put_timestamp(out, v->timestamp_value); break;
    case VALUE(BINARY_VALUE): put_bytes(out, "Binary", v->binary_value); break;
    case VALUE(LARGE_BINARY_VALUE): put_bytes(out, "LargeBinary", v->large_binary_value); break;
    case VALUE(BINARY_VIEW_VALUE): put_bytes(out, "BinaryView", v->binary_view_value); break;
    case VALUE(INTERVAL_YEARMONTH_VALUE):
    case VALUE(INTERVAL_DAYTIME_VALUE):
    case VALUE(INTERVAL_MONTH_DAY_NANO): put_intervals(out, v); break;
    case VALUE(DICTIONARY_VALUE):
        if (v->dictionary_value->value != NULL)
            pt__df_put_literal(d, out, v->dictionary_value->value);
        break;
    default: pt__buffer_append_string(out, "(nested)"); break; /* matters to columns without alias only */
    }
}

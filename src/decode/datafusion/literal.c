#include "decode/datafusion/internal.h"

#include "base/int128.h"
#include "decode/protobuf.h"

#define VALUE(name) DATAFUSION_COMMON__SCALAR_VALUE__VALUE_##name

typedef DatafusionCommon__ScalarValue scalar;

static pt_status give(pt__df *d, const pt__df_type *type, pt_value value, pt__df_value *out)
{
    out->type = type;
    out->expr = pt__expr_literal(d->arena, pt__df_plan_type(d->arena, type), value);
    return PT_OK;
}

static pt_status give_integer(pt__df *d, const pt__df_type *type, int64_t value, pt__df_value *out)
{
    return give(d, type, (pt_value){.as.integer = value}, out);
}

static pt_status give_real(pt__df *d, const pt__df_type *type, double value, pt__df_value *out)
{
    return give(d, type, (pt_value){.as.real = value}, out);
}

static pt_status give_text(pt__df *d, const char *text, pt__df_value *out)
{
    return give(d, PT_DF(STRING), (pt_value){.as.text = {text, pt__protobuf_text_bytes(text)}}, out);
}

static pt_status give_bytes(pt__df *d, ProtobufCBinaryData bytes, pt__df_value *out)
{
    const char *data = bytes.len == 0 ? "" : (const char *)bytes.data;
    return give(d, PT_DF(BINARY), (pt_value){.as.text = {data, bytes.len}}, out);
}

static pt_status give_unsigned(pt__df *d, const pt__df_type *type, uint64_t value, uint64_t most, pt__df_value *out)
{
    if (value > most)
        return pt__df_refuse(d, "the %s %llu", pt__df_type_text(d->arena, type), (unsigned long long)value);
    return give_integer(d, type, (int64_t)value, out);
}

/* Spec: big-endian two's complement. The plan's literal has no more digits than it needs. */
static pt_status give_decimal(pt__df *d, ProtobufCBinaryData bytes, size_t width, int64_t precision, int64_t scale,
                              pt__df_value *out)
{
    if (bytes.len != width)
        return pt__df_bad(d, "Decimal.value has %zu bytes instead of %zu", bytes.len, width);
    if (precision < 1 || precision > PT_DECIMAL_PRECISION_MAX || scale < 0 || scale > precision)
        return pt__df_refuse(d, "the type Decimal(%lld, %lld)", (long long)precision, (long long)scale);
    bool is_negative = bytes.data[0] >= 0x80;
    pt_int128 value = is_negative ? -1 : 0;
    for (size_t i = 0; i < width; i++) {
        bool is_sign = i + 16 < width ? bytes.data[i] == (is_negative ? 0xFF : 0)
                                      : i + 16 != width || (bytes.data[i] >= 0x80) == is_negative;
        if (!is_sign)
            return pt__df_bad(d, "Decimal.value has more than 38 digits");
        if (i + 16 >= width)
            value = value * 256 + bytes.data[i];
    }
    int32_t digits = pt__int128_digits(value);
    if (digits > precision)
        return pt__df_bad(d, "Decimal.value has more than its %lld digits", (long long)precision);
    int32_t held = digits > scale ? digits : (int32_t)scale;
    if (held == 0)
        held = 1;
    out->type = pt__df_decimal(d->arena, (int32_t)precision, (int32_t)scale, held);
    out->expr =
        pt__expr_literal(d->arena, pt__type_decimal(d->arena, held, (int32_t)scale), (pt_value){.as.decimal = value});
    return PT_OK;
}

/* ---- times ---- */

static pt_status to_micros(pt__df *d, int64_t value, DatafusionCommon__TimeUnit unit, int64_t *out)
{
    int64_t factor = unit == DATAFUSION_COMMON__TIME_UNIT__Second        ? 1000000
                     : unit == DATAFUSION_COMMON__TIME_UNIT__Millisecond ? 1000
                                                                         : 1;
    if (unit == DATAFUSION_COMMON__TIME_UNIT__Nanosecond) {
        if (value % 1000 != 0)
            return pt__df_refuse(d, "a literal with nanoseconds");
        *out = value / 1000;
        return PT_OK;
    }
    if (__builtin_mul_overflow(value, factor, out))
        return pt__df_bad(d, "ScalarValue: a time is out of range");
    return PT_OK;
}

static pt_status give_timestamp(pt__df *d, const DatafusionCommon__ScalarTimestampValue *m, pt__df_value *out)
{
    static const DatafusionCommon__TimeUnit units[] = {
        0, DATAFUSION_COMMON__TIME_UNIT__Microsecond, DATAFUSION_COMMON__TIME_UNIT__Nanosecond,
        DATAFUSION_COMMON__TIME_UNIT__Second, DATAFUSION_COMMON__TIME_UNIT__Millisecond};
    int64_t micros = 0;
    if (m->value_case == 0)
        return pt__df_not_set(d, &m->base);
    DatafusionCommon__TimeUnit unit = units[m->value_case];
    PT_TRY(to_micros(d, m->time_microsecond_value, unit, &micros)); /* the members share their memory */
    const char *zone = *m->timezone == '\0' ? NULL : m->timezone;
    return give_integer(d, pt__df_timestamp(d->arena, unit, zone), micros, out);
}

static pt_status give_time(pt__df *d, DatafusionCommon__TimeUnit unit, int64_t value, pt__df_value *out)
{
    pt__df_type *type = pt__arena_make(d->arena, pt__df_type);
    *type = (pt__df_type){.kind = PT_DF_TIME, .unit = unit};
    int64_t micros = 0;
    PT_TRY(to_micros(d, value, unit, &micros));
    if (micros < 0 || micros >= INT64_C(86400000000))
        return pt__df_bad(d, "ScalarValue: a time of day is out of range");
    return give_integer(d, type, micros * 1000, out);
}

static pt_status give_time32(pt__df *d, const DatafusionCommon__ScalarTime32Value *m, pt__df_value *out)
{
    if (m->value_case == 0)
        return pt__df_not_set(d, &m->base);
    bool is_second = m->value_case == DATAFUSION_COMMON__SCALAR_TIME32_VALUE__VALUE_TIME32_SECOND_VALUE;
    return give_time(d, is_second ? DATAFUSION_COMMON__TIME_UNIT__Second : DATAFUSION_COMMON__TIME_UNIT__Millisecond,
                     m->time32_second_value, out);
}

static pt_status give_time64(pt__df *d, const DatafusionCommon__ScalarTime64Value *m, pt__df_value *out)
{
    if (m->value_case == 0)
        return pt__df_not_set(d, &m->base);
    bool is_micro = m->value_case == DATAFUSION_COMMON__SCALAR_TIME64_VALUE__VALUE_TIME64_MICROSECOND_VALUE;
    return give_time(d, is_micro ? DATAFUSION_COMMON__TIME_UNIT__Microsecond : DATAFUSION_COMMON__TIME_UNIT__Nanosecond,
                     m->time64_microsecond_value, out);
}

static pt_status give_duration(pt__df *d, DatafusionCommon__TimeUnit unit, int64_t value, pt__df_value *out)
{
    pt__df_type *type = pt__arena_make(d->arena, pt__df_type);
    *type = (pt__df_type){.kind = PT_DF_DURATION, .unit = unit};
    int64_t micros = 0;
    PT_TRY(to_micros(d, value, unit, &micros));
    return give_integer(d, type, micros, out);
}

static pt_status give_interval(pt__df *d, int32_t months, int32_t days, int64_t nanos, pt__df_value *out)
{
    if (nanos % 1000 != 0)
        return pt__df_refuse(d, "a literal with nanoseconds");
    return give(d, PT_DF(INTERVAL), (pt_value){.as.interval = {months, days, nanos / 1000}}, out);
}

static pt_status give_null(pt__df *d, const DatafusionCommon__ArrowType *arrow, pt__df_value *out)
{
    PT_TRY(pt__df_arrow_type(d->arena, arrow, &out->type, d->err));
    out->expr = pt__expr_null(d->arena, pt__df_plan_type(d->arena, out->type));
    return PT_OK;
}

static pt_status give_dictionary(pt__df *d, const DatafusionCommon__ScalarDictionaryValue *m, pt__df_value *out)
{
    if (m->value == NULL)
        return pt__df_bad(d, "ScalarDictionaryValue.value is missing");
    return pt__df_literal(d, m->value, out);
}

pt_status pt__df_literal(pt__df *d, const scalar *v, pt__df_value *out)
{
    switch ((int)v->value_case) {
    case VALUE(NULL_VALUE): return give_null(d, v->null_value, out);
    case VALUE(BOOL_VALUE): return give(d, PT_DF(BOOLEAN), (pt_value){.as.boolean = v->bool_value}, out);
    case VALUE(UTF8_VALUE): return give_text(d, v->utf8_value, out);
    case VALUE(LARGE_UTF8_VALUE): return give_text(d, v->large_utf8_value, out);
    case VALUE(UTF8_VIEW_VALUE): return give_text(d, v->utf8_view_value, out);
    case VALUE(INT8_VALUE): return give_integer(d, PT_DF(INT8), (int8_t)v->int8_value, out);
    case VALUE(INT16_VALUE): return give_integer(d, PT_DF(INT16), (int16_t)v->int16_value, out);
    case VALUE(INT32_VALUE): return give_integer(d, PT_DF(INT32), v->int32_value, out);
    case VALUE(INT64_VALUE): return give_integer(d, PT_DF(INT64), v->int64_value, out);
    case VALUE(UINT8_VALUE): return give_unsigned(d, PT_DF(UINT8), v->uint8_value, UINT8_MAX, out);
    case VALUE(UINT16_VALUE): return give_unsigned(d, PT_DF(UINT16), v->uint16_value, UINT16_MAX, out);
    case VALUE(UINT32_VALUE): return give_unsigned(d, PT_DF(UINT32), v->uint32_value, UINT32_MAX, out);
    case VALUE(UINT64_VALUE): return give_unsigned(d, PT_DF(UINT64), v->uint64_value, INT64_MAX, out);
    case VALUE(FLOAT32_VALUE): return give_real(d, PT_DF(FLOAT32), (double)v->float32_value, out);
    case VALUE(FLOAT64_VALUE): return give_real(d, PT_DF(FLOAT64), v->float64_value, out);
    case VALUE(DATE_32_VALUE): return give_integer(d, PT_DF(DATE), v->date_32_value, out);
    case VALUE(TIME32_VALUE): return give_time32(d, v->time32_value, out);
    case VALUE(TIME64_VALUE): return give_time64(d, v->time64_value, out);
    case VALUE(TIMESTAMP_VALUE): return give_timestamp(d, v->timestamp_value, out);
    case VALUE(DECIMAL32_VALUE):
        return give_decimal(d, v->decimal32_value->value, 4, v->decimal32_value->p, v->decimal32_value->s, out);
    case VALUE(DECIMAL64_VALUE):
        return give_decimal(d, v->decimal64_value->value, 8, v->decimal64_value->p, v->decimal64_value->s, out);
    case VALUE(DECIMAL128_VALUE):
        return give_decimal(d, v->decimal128_value->value, 16, v->decimal128_value->p, v->decimal128_value->s, out);
    case VALUE(DECIMAL256_VALUE):
        return give_decimal(d, v->decimal256_value->value, 32, v->decimal256_value->p, v->decimal256_value->s, out);
    case VALUE(BINARY_VALUE): return give_bytes(d, v->binary_value, out);
    case VALUE(LARGE_BINARY_VALUE): return give_bytes(d, v->large_binary_value, out);
    case VALUE(BINARY_VIEW_VALUE): return give_bytes(d, v->binary_view_value, out);
    case VALUE(FIXED_SIZE_BINARY_VALUE): return give_bytes(d, v->fixed_size_binary_value->values, out);
    case VALUE(INTERVAL_YEARMONTH_VALUE):
        return give_integer(d, PT_DF(INTERVAL_YEAR_MONTH), v->interval_yearmonth_value, out);
    case VALUE(INTERVAL_DAYTIME_VALUE):
        return give_interval(d, 0, v->interval_daytime_value->days,
                             (int64_t)v->interval_daytime_value->milliseconds * 1000000, out);
    case VALUE(INTERVAL_MONTH_DAY_NANO):
        return give_interval(d, v->interval_month_day_nano->months, v->interval_month_day_nano->days,
                             v->interval_month_day_nano->nanos, out);
    case VALUE(DURATION_SECOND_VALUE):
        return give_duration(d, DATAFUSION_COMMON__TIME_UNIT__Second, v->duration_second_value, out);
    case VALUE(DURATION_MILLISECOND_VALUE):
        return give_duration(d, DATAFUSION_COMMON__TIME_UNIT__Millisecond, v->duration_millisecond_value, out);
    case VALUE(DURATION_MICROSECOND_VALUE):
        return give_duration(d, DATAFUSION_COMMON__TIME_UNIT__Microsecond, v->duration_microsecond_value, out);
    case VALUE(DURATION_NANOSECOND_VALUE):
        return give_duration(d, DATAFUSION_COMMON__TIME_UNIT__Nanosecond, v->duration_nanosecond_value, out);
    case VALUE(DICTIONARY_VALUE): return give_dictionary(d, v->dictionary_value, out);
    case VALUE(LIST_VALUE): return pt__df_nested_literal(d, v->list_value, out);
    case VALUE(LARGE_LIST_VALUE): return pt__df_nested_literal(d, v->large_list_value, out);
    case VALUE(FIXED_SIZE_LIST_VALUE): return pt__df_nested_literal(d, v->fixed_size_list_value, out);
    case VALUE(LIST_VIEW_VALUE): return pt__df_nested_literal(d, v->list_view_value, out);
    case VALUE(LARGE_LIST_VIEW_VALUE): return pt__df_nested_literal(d, v->large_list_view_value, out);
    case VALUE(STRUCT_VALUE): return pt__df_nested_literal(d, v->struct_value, out);
    case VALUE(MAP_VALUE): return pt__df_nested_literal(d, v->map_value, out);
    case VALUE(_NOT_SET): return pt__df_not_set(d, &v->base);
    default: return pt__df_refuse_member(d, &v->base, v->value_case);
    }
}

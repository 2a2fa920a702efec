/* Literals. */
#include "decode/substrait/internal.h"

#include <string.h>

#define KIND(name) SUBSTRAIT__EXPRESSION__LITERAL__LITERAL_TYPE_##name

typedef Substrait__Expression__Literal literal_message;

enum { MICROSECONDS = 6, NANOSECONDS = 9, DECIMAL_BYTES = 16, UUID_BYTES = 16 };

typedef struct typed {
    const pt_type *type;
    pt_value value;
} typed;

static pt_status decode(decoder *d, const literal_message *m, typed *out);

static pt_status integer(typed *out, pt_type_id id, int64_t value)
{
    out->type = pt__type_simple(id);
    out->value.as.integer = value;
    return PT_OK;
}

static pt_status boolean(typed *out, bool value)
{
    out->type = PT_T(BOOLEAN);
    out->value.as.boolean = value;
    return PT_OK;
}

static pt_status real(typed *out, pt_type_id id, double value)
{
    out->type = pt__type_simple(id);
    out->value.as.real = value;
    return PT_OK;
}

static pt_status text(typed *out, const pt_type *type, const char *value)
{
    out->type = type;
    out->value.as.text = (pt_text_view){value, pt__protobuf_text_bytes(value)};
    return PT_OK;
}

static pt_status binary(typed *out, ProtobufCBinaryData value)
{
    out->type = PT_T(BINARY);
    out->value.as.text = (pt_text_view){(const char *)value.data, value.len};
    return PT_OK;
}

/* The length in characters is that of the text; the padding is not kept. */
static pt_status fixed_char(decoder *d, typed *out, const char *value)
{
    size_t size = pt__protobuf_text_bytes(value);
    int32_t length = 0;
    for (size_t i = 0; i < size; i++)
        length += ((unsigned char)value[i] & 0xC0) != 0x80;
    out->type = pt__type_char(d->arena, PT_TYPE_CHAR, length == 0 ? 1 : length);
    while (size > 0 && value[size - 1] == ' ')
        size--;
    out->value.as.text = (pt_text_view){value, size};
    return PT_OK;
}

static pt_status uuid(decoder *d, typed *out, ProtobufCBinaryData value)
{
    static const char DIGITS[] = "0123456789abcdef";
    if (value.len != UUID_BYTES)
        return pt__substrait_bad(d, "a uuid literal has %zu bytes", value.len);
    char *formatted = pt__arena_alloc_text(d->arena, 2 * UUID_BYTES + 5);
    size_t size = 0;
    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            formatted[size++] = '-';
        formatted[size++] = DIGITS[value.data[i] >> 4];
        formatted[size++] = DIGITS[value.data[i] & 15];
    }
    out->type = PT_T(STRING);
    out->value.as.text = (pt_text_view){formatted, size};
    return PT_OK;
}

/* Little-endian two's complement. */
static pt_status decimal(decoder *d, typed *out, const Substrait__Expression__Literal__Decimal *m)
{
    if (m->precision < 1 || m->precision > PT_DECIMAL_PRECISION_MAX || m->scale < 0 || m->scale > m->precision)
        return pt__substrait_bad(d, "there is no type decimal(%d, %d)", m->precision, m->scale);
    if (m->value.len != DECIMAL_BYTES)
        return pt__substrait_bad(d, "a decimal literal has %zu bytes", m->value.len);
    __extension__ unsigned __int128 bits = 0;
    for (size_t i = DECIMAL_BYTES; i-- > 0;)
        bits = bits << 8 | m->value.data[i];
    pt_int128 unscaled = (pt_int128)bits;
    if (pt__decimal_rescale(unscaled, m->scale, m->precision, m->scale, &unscaled) != PT_DECIMAL_OK)
        return pt__substrait_bad(d, "a decimal literal has more than %d digits", m->precision);
    out->type = pt__type_decimal(d->arena, m->precision, m->scale);
    out->value.as.decimal = unscaled;
    return PT_OK;
}

/* `value` in units of 10^-precision seconds, in units of 10^-wanted. */
static pt_status rescale(decoder *d, int64_t value, int32_t precision, int32_t wanted, int64_t *out)
{
    if (precision < 0 || precision > 12)
        return pt__substrait_unsupported(d, "Substrait times of precision %d", precision);
    *out = value;
    for (; precision < wanted; precision++) {
        if (__builtin_mul_overflow(*out, 10, out))
            return pt__substrait_bad(d, "a time literal is out of range");
    }
    for (; precision > wanted; precision--) {
        if (*out % 10 != 0)
            return pt__substrait_unsupported(d, "time literals finer than microseconds");
        *out /= 10;
    }
    return PT_OK;
}

static pt_status timestamp(decoder *d, typed *out, pt_type_id id, int64_t value, int32_t precision)
{
    pt_type *type = pt__arena_make(d->arena, pt_type);
    *type = *pt__type_simple(id);
    type->precision = precision;
    out->type = type;
    return rescale(d, value, precision, MICROSECONDS, &out->value.as.integer);
}

static pt_status time_of_day(decoder *d, typed *out, int64_t value, int32_t precision)
{
    int64_t micros;
    PT_TRY(rescale(d, value, precision, MICROSECONDS, &micros));
    if (micros < 0 || micros >= INT64_C(86400000000))
        return pt__substrait_bad(d, "a time literal is out of range");
    out->type = pt__type_time(d->arena, precision > MICROSECONDS ? MICROSECONDS : precision);
    out->value.as.integer = micros * 1000;
    return PT_OK;
}

/* ---- intervals ---- */

typedef Substrait__Expression__Literal__IntervalDayToSecond day_to_second;
typedef Substrait__Expression__Literal__IntervalYearToMonth year_to_month;

static pt_status months_of(decoder *d, const year_to_month *m, int64_t *out)
{
    *out = m == NULL ? 0 : (int64_t)m->years * 12 + m->months;
    if (*out < INT32_MIN || *out > INT32_MAX)
        return pt__substrait_bad(d, "an interval literal is out of range");
    return PT_OK;
}

/* Microseconds beside the days. */
static pt_status micros_of(decoder *d, const day_to_second *m, int64_t *out)
{
    int64_t fraction = m->subseconds;
    if (m->precision_mode_case != 0)
        fraction = m->microseconds;
    else
        PT_TRY(rescale(d, m->subseconds, m->precision, MICROSECONDS, &fraction));
    if (__builtin_add_overflow(m->seconds * INT64_C(1000000), fraction, out))
        return pt__substrait_bad(d, "an interval literal is out of range");
    return PT_OK;
}

static pt_status year_month(decoder *d, typed *out, const year_to_month *m)
{
    out->type = pt__type_interval(d->arena, PT_TYPE_INTERVAL_YEAR_MONTH, 0, 1);
    return months_of(d, m, &out->value.as.integer);
}

static pt_status day_time(decoder *d, typed *out, const day_to_second *m)
{
    int64_t micros;
    PT_TRY(micros_of(d, m, &micros));
    out->type = pt__type_interval(d->arena, PT_TYPE_INTERVAL_DAY_TIME, 0, 3);
    if (__builtin_add_overflow(m->days * INT64_C(86400000000), micros, &out->value.as.integer))
        return pt__substrait_bad(d, "an interval literal is out of range");
    return PT_OK;
}

static pt_status compound(decoder *d, typed *out, const Substrait__Expression__Literal__IntervalCompound *m)
{
    int64_t months;
    out->type = PT_T(INTERVAL_CALENDAR);
    PT_TRY(months_of(d, m->interval_year_to_month, &months));
    out->value.as.interval.months = (int32_t)months;
    if (m->interval_day_to_second == NULL)
        return PT_OK;
    out->value.as.interval.days = m->interval_day_to_second->days;
    return micros_of(d, m->interval_day_to_second, &out->value.as.interval.microseconds);
}

/* ---- nested values ---- */

static pt_status structure(decoder *d, typed *out, const Substrait__Expression__Literal__Struct *m)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, m->n_fields + 1);
    pt_value *items = pt__arena_array(d->arena, pt_value, m->n_fields + 1);
    for (size_t i = 0; i < m->n_fields; i++) {
        typed field = {0};
        PT_TRY(decode(d, m->fields[i], &field));
        fields[i] =
            (pt_field){.name = pt__arena_printf(d->arena, "col%zu", i + 1), .type = field.type, .nullable = true};
        items[i] = field.value;
    }
    out->type = pt__type_struct(d->arena, fields, m->n_fields);
    out->value.as.list.items = items;
    out->value.as.list.count = m->n_fields;
    return pt__type_check_nesting(out->type, d->err);
}

/* Items of a list must be of one type. */
static pt_status same_type(decoder *d, const pt_type **type, const pt_type *next)
{
    if (*type == NULL || (*type)->id == PT_TYPE_VOID || ((*type)->id == PT_TYPE_CHAR && next->id == PT_TYPE_CHAR))
        *type = next;
    if (pt__type_same_kind(pt__substrait_plain(d, *type), pt__substrait_plain(d, next)))
        return PT_OK;
    return pt__substrait_bad(d, "a literal mixes values of type %s and %s", pt__substrait_type_text(d, *type),
                             pt__substrait_type_text(d, next));
}

static pt_status list(decoder *d, typed *out, const Substrait__Expression__Literal__List *m)
{
    if (m->n_values == 0)
        return pt__substrait_bad(d, "a list literal without values does not tell its type");
    pt_value *items = pt__arena_array(d->arena, pt_value, m->n_values);
    const pt_type *element = NULL;
    for (size_t i = 0; i < m->n_values; i++) {
        typed item = {0};
        PT_TRY(decode(d, m->values[i], &item));
        PT_TRY(same_type(d, &element, item.type));
        items[i] = item.value;
    }
    out->type = pt__type_array(d->arena, element, true);
    out->value.as.list.items = items;
    out->value.as.list.count = m->n_values;
    return pt__type_check_nesting(out->type, d->err);
}

static pt_status map(decoder *d, typed *out, const Substrait__Expression__Literal__Map *m)
{
    if (m->n_key_values == 0)
        return pt__substrait_bad(d, "a map literal without entries does not tell its type");
    pt_value *items = pt__arena_array(d->arena, pt_value, 2 * m->n_key_values);
    const pt_type *types[2] = {NULL, NULL};
    for (size_t i = 0; i < m->n_key_values; i++) {
        const literal_message *parts[2] = {m->key_values[i]->key, m->key_values[i]->value};
        for (size_t k = 0; k < 2; k++) {
            typed item = {0};
            PT_TRY(decode(d, parts[k], &item));
            PT_TRY(same_type(d, &types[k], item.type));
            items[2 * i + k] = item.value;
        }
        if (items[2 * i].is_null)
            return pt__substrait_bad(d, "a map literal has a NULL as key");
    }
    out->type = pt__type_map(d->arena, types[0], types[1], true);
    out->value.as.list.items = items;
    out->value.as.list.count = 2 * m->n_key_values;
    return pt__type_check_nesting(out->type, d->err);
}

static pt_status null(decoder *d, typed *out, const Substrait__Type *type)
{
    out->value.is_null = true;
    PT_TRY(pt__substrait_type(d, type, &out->type));
    return out->type != NULL ? PT_OK : pt__substrait_bad(d, "a NULL literal has no type");
}

static pt_status empty(decoder *d, typed *out, const Substrait__Type__List *of_list, const Substrait__Type__Map *of_map)
{
    Substrait__Type type = SUBSTRAIT__TYPE__INIT;
    type.kind_case = of_list != NULL ? SUBSTRAIT__TYPE__KIND_LIST : SUBSTRAIT__TYPE__KIND_MAP;
    if (of_list != NULL)
        type.list = (Substrait__Type__List *)of_list;
    else
        type.map = (Substrait__Type__Map *)of_map;
    return pt__substrait_type(d, &type, &out->type);
}

static pt_status whole(decoder *d, const literal_message *m, typed *out, pt_type_id id, int64_t value)
{
    if (m->type_variation_reference != 0 && value < 0)
        return pt__substrait_unsupported(d, "literals of the variation %u beyond the type %s",
                                         m->type_variation_reference, pt__substrait_type_text(d, pt__type_simple(id)));
    out->value.as.integer = value;
    return pt__substrait_whole(d, id, m->type_variation_reference, &out->type);
}

static pt_status decode(decoder *d, const literal_message *m, typed *out)
{
    if (m == NULL)
        return pt__substrait_bad(d, "a literal is missing");
    switch ((int)m->literal_type_case) {
    case KIND(BOOLEAN): return boolean(out, m->boolean);
    case KIND(I8): return whole(d, m, out, PT_TYPE_BYTE, m->type_variation_reference == 0 ? (int8_t)m->i8 : m->i8);
    case KIND(I16): return whole(d, m, out, PT_TYPE_SHORT, m->type_variation_reference == 0 ? (int16_t)m->i16 : m->i16);
    case KIND(I32):
        return whole(d, m, out, PT_TYPE_INT, m->type_variation_reference == 0 ? m->i32 : (int64_t)(uint32_t)m->i32);
    case KIND(I64): return whole(d, m, out, PT_TYPE_LONG, m->i64);
    case KIND(FP32): return real(out, PT_TYPE_FLOAT, (double)m->fp32);
    case KIND(FP64): return real(out, PT_TYPE_DOUBLE, m->fp64);
    case KIND(STRING): return text(out, PT_T(STRING), m->string);
    case KIND(BINARY): return binary(out, m->binary);
    case KIND(FIXED_BINARY): return binary(out, m->fixed_binary);
    case KIND(UUID): return uuid(d, out, m->uuid);
    case KIND(FIXED_CHAR): return fixed_char(d, out, m->fixed_char);
    case KIND(VAR_CHAR):
        return text(out, pt__type_char(d->arena, PT_TYPE_VARCHAR, (int32_t)(m->var_char->length & INT32_MAX)),
                    m->var_char->value);
    case KIND(DATE): return integer(out, PT_TYPE_DATE, m->date);
    case KIND(TIME): return time_of_day(d, out, m->time, MICROSECONDS);
    case KIND(TIMESTAMP): return timestamp(d, out, PT_TYPE_TIMESTAMP_NTZ, m->timestamp, MICROSECONDS);
    case KIND(TIMESTAMP_TZ): return timestamp(d, out, PT_TYPE_TIMESTAMP, m->timestamp_tz, MICROSECONDS);
    case KIND(PRECISION_TIME): return time_of_day(d, out, m->precision_time->value, m->precision_time->precision);
    case KIND(PRECISION_TIMESTAMP):
        return timestamp(d, out, PT_TYPE_TIMESTAMP_NTZ, m->precision_timestamp->value,
                         m->precision_timestamp->precision);
    case KIND(PRECISION_TIMESTAMP_TZ):
        return timestamp(d, out, PT_TYPE_TIMESTAMP, m->precision_timestamp_tz->value,
                         m->precision_timestamp_tz->precision);
    case KIND(INTERVAL_YEAR_TO_MONTH): return year_month(d, out, m->interval_year_to_month);
    case KIND(INTERVAL_DAY_TO_SECOND): return day_time(d, out, m->interval_day_to_second);
    case KIND(INTERVAL_COMPOUND): return compound(d, out, m->interval_compound);
    case KIND(DECIMAL): return decimal(d, out, m->decimal);
    case KIND(STRUCT): return structure(d, out, m->struct_);
    case KIND(LIST): return list(d, out, m->list);
    case KIND(MAP): return map(d, out, m->map);
    case KIND(NULL): return null(d, out, m->null);
    case KIND(EMPTY_LIST): return empty(d, out, m->empty_list, NULL);
    case KIND(EMPTY_MAP): return empty(d, out, NULL, m->empty_map);
    default: return pt__substrait_unknown_kind(d, &m->base, m->literal_type_case);
    }
}

static pt_status user_defined(decoder *d, const Substrait__Expression__Literal__UserDefined *m, value_of *out)
{
    if (m->val_case != SUBSTRAIT__EXPRESSION__LITERAL__USER_DEFINED__VAL_VALUE)
        return pt__substrait_unsupported(d, "Substrait literals of user-defined structs");
    return pt__substrait_extension_literal(d, m->value, out);
}

pt_status pt__substrait_literal(decoder *d, const literal_message *m, value_of *out)
{
    typed value = {0};
    *out = (value_of){0};
    if (m != NULL && m->literal_type_case == KIND(USER_DEFINED))
        return user_defined(d, m->user_defined, out);
    PT_TRY(decode(d, m, &value));
    out->type = value.type;
    out->expr = pt__expr_literal(d->arena, pt__substrait_plain(d, value.type), value.value);
    return PT_OK;
}

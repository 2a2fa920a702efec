#include "decode/spark_connect/internal.h"

#include <string.h>

/* Clients before 4.1 give the types of nested literals in fields that are deprecated since. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define TYPE(name) SPARK__CONNECT__EXPRESSION__LITERAL__LITERAL_TYPE_##name

typedef Spark__Connect__Expression__Literal literal_message;

static pt_status bad_literal(pt__decoder *d, const char *what)
{
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_LITERAL, "typeInfo", what, NULL);
}

/* The type a client gave a literal; `*out` stays NULL without one. */
static pt_status declared_type(pt__decoder *d, const literal_message *literal, const pt_type **out)
{
    *out = NULL;
    return literal->data_type == NULL ? PT_OK : pt__decode_type(d, literal->data_type, out);
}

static pt_status decode_value(pt__decoder *d, const literal_message *literal, const pt_type *expected,
                              const pt_type **type, pt_value *out);

/* ---- decimals ---- */

/* The precision and scale that clients give are those of the default type: the text counts, widened to them. */
static const pt_type *decimal_type(pt__decoder *d, const Spark__Connect__Expression__Literal__Decimal *decimal,
                                   const pt__decimal *parsed)
{
    int32_t scale = parsed->scale < 0 ? 0 : parsed->scale;
    int32_t precision = parsed->scale < 0 ? parsed->precision - parsed->scale : parsed->precision;
    int32_t given_precision = PT_OPTIONAL(decimal, precision, 0);
    int32_t given_scale = PT_OPTIONAL(decimal, scale, 0);
    scale = given_scale > scale ? given_scale : scale;
    precision = given_precision > precision ? given_precision : precision;
    precision = precision < scale ? scale : precision;
    bool fits = precision >= 1 && precision <= PT_DECIMAL_PRECISION_MAX && scale <= PT_DECIMAL_PRECISION_MAX;
    return fits ? pt__type_decimal(d->arena, precision, scale) : NULL;
}

static pt_status too_precise(pt__decoder *d, const pt__decimal *parsed)
{
    int32_t precision = PT_DECIMAL_PRECISION_MAX + 1;
    if (parsed != NULL && parsed->scale < 0)
        precision = parsed->precision - parsed->scale;
    return pt__decode_too_precise(d, precision);
}

static pt_status decode_decimal(pt__decoder *d, const Spark__Connect__Expression__Literal__Decimal *decimal,
                                const pt_type *expected, const pt_type **type, pt_value *out)
{
    pt__decimal parsed;
    pt__decimal_result result = pt__decimal_parse(decimal->value, strlen(decimal->value), &parsed);
    if (result == PT_DECIMAL_MALFORMED)
        return bad_literal(d, pt__arena_printf(d->arena, "DECIMAL(%s)", decimal->value));
    *type = expected != NULL && expected->id == PT_TYPE_DECIMAL ? expected : NULL;
    if (*type == NULL && result == PT_DECIMAL_OK)
        *type = decimal_type(d, decimal, &parsed);
    if (*type == NULL || result != PT_DECIMAL_OK ||
        pt__decimal_rescale(parsed.unscaled, parsed.scale, (*type)->precision, (*type)->scale, &out->as.decimal) !=
            PT_DECIMAL_OK)
        return too_precise(d, result == PT_DECIMAL_OK ? &parsed : NULL);
    return PT_OK;
}

/* ---- nested values ---- */

static bool is_narrower(const pt_type *type, const pt_type *than)
{
    bool both_integral = pt__type_is_integral(type) && pt__type_is_integral(than);
    return (both_integral && type->id <= than->id) || (type->id == PT_TYPE_FLOAT && than->id == PT_TYPE_DOUBLE);
}

/* A value is kept as its type says, so one of another type must not stand within a nested value. */
static pt_status check_item(pt__decoder *d, const pt_type *item, const pt_type *type)
{
    if (item == type || pt__type_same_kind(item, type) || is_narrower(item, type))
        return PT_OK;
    return bad_literal(d, pt__arena_printf(d->arena, "%s where %s is declared", pt__type_sql(d->arena, item),
                                           pt__type_sql(d->arena, type)));
}

/* Values of one type; without `*type` the first literal that is not NULL gives it. */
static pt_status decode_items(pt__decoder *d, literal_message *const *literals, size_t count, const pt_type **type,
                              pt_value *values, size_t stride)
{
    for (size_t i = 0; i < count; i++) {
        const pt_type *item;
        PT_TRY(decode_value(d, literals[i], *type, &item, &values[i * stride]));
        if (*type == NULL || (*type)->id == PT_TYPE_VOID)
            *type = item;
        PT_TRY(check_item(d, item, *type));
    }
    if (*type == NULL)
        *type = PT_T(VOID);
    return PT_OK;
}

static pt_status optional_type(pt__decoder *d, const Spark__Connect__DataType *message, const pt_type **out)
{
    *out = NULL;
    return message == NULL ? PT_OK : pt__decode_type(d, message, out);
}

static pt_status decode_array(pt__decoder *d, const Spark__Connect__Expression__Literal__Array *array,
                              const pt_type *expected, const pt_type **type, pt_value *out)
{
    const pt_type *element = NULL;
    bool is_expected = expected != NULL && expected->id == PT_TYPE_ARRAY;
    if (is_expected)
        element = expected->element;
    else
        PT_TRY(optional_type(d, array->element_type, &element));
    pt_value *values = pt__arena_array(d->arena, pt_value, array->n_elements);
    PT_TRY(decode_items(d, array->elements, array->n_elements, &element, values, 1));
    *type = is_expected ? expected : pt__type_array(d->arena, element, true);
    out->as.list.items = values;
    out->as.list.count = array->n_elements;
    return PT_OK;
}

static pt_status decode_map(pt__decoder *d, const Spark__Connect__Expression__Literal__Map *map,
                            const pt_type *expected, const pt_type **type, pt_value *out)
{
    const pt_type *key = NULL;
    const pt_type *value = NULL;
    bool is_expected = expected != NULL && expected->id == PT_TYPE_MAP;
    if (map->n_keys != map->n_values)
        return bad_literal(d, "MAP with as many keys as values expected");
    if (is_expected) {
        key = expected->key;
        value = expected->element;
    } else {
        PT_TRY(optional_type(d, map->key_type, &key));
        PT_TRY(optional_type(d, map->value_type, &value));
    }
    pt_value *values = pt__arena_array(d->arena, pt_value, 2 * map->n_keys);
    PT_TRY(decode_items(d, map->keys, map->n_keys, &key, values, 2));
    PT_TRY(decode_items(d, map->values, map->n_values, &value, values + 1, 2));
    *type = is_expected ? expected : pt__type_map(d->arena, key, value, true);
    out->as.list.items = values;
    out->as.list.count = 2 * map->n_keys;
    return PT_OK;
}

/* A struct type whose fields without type get those of the values. */
static pt_status decode_struct(pt__decoder *d, const Spark__Connect__Expression__Literal__Struct *structure,
                               const pt_type *expected, const pt_type **type, pt_value *out)
{
    *type = expected;
    if (expected == NULL || expected->id != PT_TYPE_STRUCT)
        PT_TRY(pt__decode_type(d, structure->struct_type, type));
    if ((*type)->id != PT_TYPE_STRUCT || (*type)->field_count != structure->n_elements)
        return bad_literal(d, "STRUCT with a value for each field expected");
    pt_value *values = pt__arena_array(d->arena, pt_value, structure->n_elements);
    for (size_t i = 0; i < structure->n_elements; i++) {
        const pt_type *field = NULL;
        PT_TRY(decode_value(d, structure->elements[i], (*type)->fields[i].type, &field, &values[i]));
        PT_TRY(check_item(d, field, (*type)->fields[i].type));
    }
    out->as.list.items = values;
    out->as.list.count = structure->n_elements;
    return PT_OK;
}

/* ---- arrays of numbers ---- */

#define SPECIAL(name) SPARK__CONNECT__EXPRESSION__LITERAL__SPECIALIZED_ARRAY__VALUE_TYPE_##name
#define FILL(list, member)                                                                                             \
    count = (list)->n_values;                                                                                          \
    values = pt__arena_array(d->arena, pt_value, count);                                                               \
    for (size_t i = 0; i < count; i++)                                                                                 \
    values[i].as.member = (list)->values[i]

static pt_status decode_specialized(pt__decoder *d, const Spark__Connect__Expression__Literal__SpecializedArray *array,
                                    const pt_type **type, pt_value *out)
{
    const pt_type *element;
    pt_value *values;
    size_t count;
    if (array->value_type_case == SPECIAL(BOOLS)) {
        element = PT_T(BOOLEAN);
        FILL(array->bools, boolean);
    } else if (array->value_type_case == SPECIAL(INTS)) {
        element = PT_T(INT);
        FILL(array->ints, integer);
    } else if (array->value_type_case == SPECIAL(LONGS)) {
        element = PT_T(LONG);
        FILL(array->longs, integer);
    } else if (array->value_type_case == SPECIAL(FLOATS)) {
        element = PT_T(FLOAT);
        FILL(array->floats, real);
    } else if (array->value_type_case == SPECIAL(DOUBLES)) {
        element = PT_T(DOUBLE);
        FILL(array->doubles, real);
    } else if (array->value_type_case == SPECIAL(STRINGS)) {
        element = PT_T(STRING);
        count = array->strings->n_values;
        values = pt__arena_array(d->arena, pt_value, count);
        for (size_t i = 0; i < count; i++)
            values[i].as.text =
                (pt_text_view){array->strings->values[i], pt__connect_text_bytes(array->strings->values[i])};
    } else {
        return pt__decode_not_set(d, &array->base, array->base.descriptor, "VALUETYPE_NOT_SET");
    }
    *type = pt__type_array(d->arena, element, false);
    out->as.list.items = values;
    out->as.list.count = count;
    return PT_OK;
}

/* ---- all kinds ---- */

static pt_status set_integer(pt_type_id id, const pt_type *expected, int64_t value, const pt_type **type, pt_value *out)
{
    *type = expected != NULL && expected->id == id ? expected : pt__type_simple(id);
    out->as.integer = value;
    return PT_OK;
}

static pt_status set_real(pt_type_id id, double value, const pt_type **type, pt_value *out)
{
    *type = pt__type_simple(id);
    out->as.real = value;
    return PT_OK;
}

static pt_status set_boolean(bool value, const pt_type **type, pt_value *out)
{
    *type = PT_T(BOOLEAN);
    out->as.boolean = value;
    return PT_OK;
}

static pt_status set_null(pt__decoder *d, const literal_message *literal, const pt_type *expected, const pt_type **type,
                          pt_value *out)
{
    out->is_null = true;
    *type = expected;
    return expected != NULL ? PT_OK : pt__decode_type(d, literal->null, type);
}

static pt_status set_string(const char *text, const pt_type *expected, const pt_type **type, pt_value *out)
{
    *type = expected != NULL && pt__type_is_string(expected) ? expected : PT_T(STRING);
    out->as.text = (pt_text_view){text, pt__connect_text_bytes(text)};
    return PT_OK;
}

static pt_status set_binary(ProtobufCBinaryData data, const pt_type **type, pt_value *out)
{
    *type = PT_T(BINARY);
    out->as.text = (pt_text_view){(const char *)data.data, data.len};
    return PT_OK;
}

static pt_status set_interval(const Spark__Connect__Expression__Literal__CalendarInterval *interval,
                              const pt_type **type, pt_value *out)
{
    *type = PT_T(INTERVAL_CALENDAR);
    out->as.interval = (pt_interval){interval->months, interval->days, interval->microseconds};
    return PT_OK;
}

static pt_status set_time(pt__decoder *d, const Spark__Connect__Expression__Literal__Time *time,
                          const pt_type *expected, const pt_type **type, pt_value *out)
{
    int32_t precision = PT_OPTIONAL(time, precision, 6);
    if (precision < 0 || precision > 6)
        return bad_literal(d, pt__arena_printf(d->arena, "TIME(%d)", precision));
    *type = expected != NULL && expected->id == PT_TYPE_TIME ? expected : pt__type_time(d->arena, precision);
    out->as.integer = time->nano;
    return PT_OK;
}

/* Within a nested literal `expected` is the type that the outer one declares. */
static pt_status decode_value(pt__decoder *d, const literal_message *literal, const pt_type *expected,
                              const pt_type **type, pt_value *out)
{
    const pt_type *declared;
    if (literal == NULL)
        return bad_literal(d, "LITERALTYPE_NOT_SET");
    PT_TRY(declared_type(d, literal, &declared));
    if (declared != NULL)
        expected = declared;
    switch ((int)literal->literal_type_case) {
    case TYPE(_NOT_SET): return bad_literal(d, "LITERALTYPE_NOT_SET");
    case TYPE(NULL): return set_null(d, literal, expected, type, out);
    case TYPE(BINARY): return set_binary(literal->binary, type, out);
    case TYPE(BOOLEAN): return set_boolean(literal->boolean, type, out);
    case TYPE(BYTE): return set_integer(PT_TYPE_BYTE, expected, (int8_t)literal->byte, type, out);
    case TYPE(SHORT): return set_integer(PT_TYPE_SHORT, expected, (int16_t)literal->short_, type, out);
    case TYPE(INTEGER): return set_integer(PT_TYPE_INT, expected, literal->integer, type, out);
    case TYPE(LONG): return set_integer(PT_TYPE_LONG, expected, literal->long_, type, out);
    case TYPE(FLOAT): return set_real(PT_TYPE_FLOAT, (double)literal->float_, type, out);
    case TYPE(DOUBLE): return set_real(PT_TYPE_DOUBLE, literal->double_, type, out);
    case TYPE(DECIMAL): return decode_decimal(d, literal->decimal, expected, type, out);
    case TYPE(STRING): return set_string(literal->string, expected, type, out);
    case TYPE(DATE): return set_integer(PT_TYPE_DATE, expected, literal->date, type, out);
    case TYPE(TIMESTAMP): return set_integer(PT_TYPE_TIMESTAMP, expected, literal->timestamp, type, out);
    case TYPE(TIMESTAMP_NTZ): return set_integer(PT_TYPE_TIMESTAMP_NTZ, expected, literal->timestamp_ntz, type, out);
    case TYPE(CALENDAR_INTERVAL): return set_interval(literal->calendar_interval, type, out);
    case TYPE(YEAR_MONTH_INTERVAL):
        return set_integer(PT_TYPE_INTERVAL_YEAR_MONTH, expected, literal->year_month_interval, type, out);
    case TYPE(DAY_TIME_INTERVAL):
        return set_integer(PT_TYPE_INTERVAL_DAY_TIME, expected, literal->day_time_interval, type, out);
    case TYPE(ARRAY): return decode_array(d, literal->array, expected, type, out);
    case TYPE(MAP): return decode_map(d, literal->map, expected, type, out);
    case TYPE(STRUCT): return decode_struct(d, literal->struct_, expected, type, out);
    case TYPE(SPECIALIZED_ARRAY): return decode_specialized(d, literal->specialized_array, type, out);
    case TYPE(TIME): return set_time(d, literal->time, expected, type, out);
    default: return pt__decode_not_supported(d, &literal->base, literal->literal_type_case);
    }
}

pt_status pt__decode_literal(pt__decoder *d, const literal_message *literal, const pt_expr **out)
{
    pt_expr_literal *node = pt__expr_make(d->arena, LITERAL, literal, d->origin);
    PT_TRY(decode_value(d, literal, NULL, &node->base.type, &node->value));
    node->base.nullable = node->value.is_null;
    *out = &node->base;
    return PT_OK;
}

pt_status pt__decode_literals(pt__decoder *d, literal_message *const *literals, size_t count,
                              const pt_expr *const **out)
{
    const pt_expr **list = pt__arena_array(d->arena, const pt_expr *, count);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__decode_literal(d, literals[i], &list[i]));
    *out = list;
    return PT_OK;
}

/* ---- encoding ---- */

static ProtobufCBinaryData encode_bytes(pt__arena *arena, pt_text_view bytes)
{
    ProtobufCBinaryData data = {bytes.size_bytes, pt__arena_copy(arena, bytes.data, bytes.size_bytes)};
    return data;
}

static Spark__Connect__Expression__Literal__Decimal *encode_decimal(pt__arena *arena, const pt_type *type,
                                                                    pt_int128 unscaled)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    Spark__Connect__Expression__Literal__Decimal *decimal =
        pt__arena_make(arena, Spark__Connect__Expression__Literal__Decimal);
    spark__connect__expression__literal__decimal__init(decimal);
    decimal->value = pt__arena_copy_text(arena, text, pt__decimal_format(unscaled, type->scale, text));
    decimal->_precision_case = SPARK__CONNECT__EXPRESSION__LITERAL__DECIMAL___PRECISION_PRECISION;
    decimal->precision = type->precision;
    decimal->_scale_case = SPARK__CONNECT__EXPRESSION__LITERAL__DECIMAL___SCALE_SCALE;
    decimal->scale = type->scale;
    return decimal;
}

static Spark__Connect__Expression__Literal__CalendarInterval *encode_interval(pt__arena *arena,
                                                                              const pt_interval *value)
{
    Spark__Connect__Expression__Literal__CalendarInterval *interval =
        pt__arena_make(arena, Spark__Connect__Expression__Literal__CalendarInterval);
    spark__connect__expression__literal__calendar_interval__init(interval);
    interval->months = value->months;
    interval->days = value->days;
    interval->microseconds = value->microseconds;
    return interval;
}

static Spark__Connect__Expression__Literal__Time *encode_time(pt__arena *arena, const pt_type *type, int64_t nano)
{
    Spark__Connect__Expression__Literal__Time *time = pt__arena_make(arena, Spark__Connect__Expression__Literal__Time);
    spark__connect__expression__literal__time__init(time);
    time->nano = nano;
    time->_precision_case = SPARK__CONNECT__EXPRESSION__LITERAL__TIME___PRECISION_PRECISION;
    time->precision = type->precision;
    return time;
}

/* Each `stride`-th value from `first` on. */
static literal_message **encode_list(pt__arena *arena, const pt_type *type, const pt_value *value, size_t first,
                                     size_t stride, size_t *count)
{
    *count = value->as.list.count / stride;
    literal_message **list = pt__arena_array(arena, literal_message *, *count);
    for (size_t i = 0; i < *count; i++)
        list[i] = pt__connect_encode_literal(arena, type, &value->as.list.items[first + i * stride]);
    return list;
}

static Spark__Connect__Expression__Literal__Array *encode_array(pt__arena *arena, const pt_type *type,
                                                                const pt_value *value)
{
    Spark__Connect__Expression__Literal__Array *array =
        pt__arena_make(arena, Spark__Connect__Expression__Literal__Array);
    spark__connect__expression__literal__array__init(array);
    array->element_type = pt__connect_encode_type(arena, type->element);
    array->elements = encode_list(arena, type->element, value, 0, 1, &array->n_elements);
    return array;
}

static Spark__Connect__Expression__Literal__Map *encode_map(pt__arena *arena, const pt_type *type,
                                                            const pt_value *value)
{
    Spark__Connect__Expression__Literal__Map *map = pt__arena_make(arena, Spark__Connect__Expression__Literal__Map);
    spark__connect__expression__literal__map__init(map);
    map->key_type = pt__connect_encode_type(arena, type->key);
    map->value_type = pt__connect_encode_type(arena, type->element);
    map->keys = encode_list(arena, type->key, value, 0, 2, &map->n_keys);
    map->values = encode_list(arena, type->element, value, 1, 2, &map->n_values);
    return map;
}

static Spark__Connect__Expression__Literal__Struct *encode_struct(pt__arena *arena, const pt_type *type,
                                                                  const pt_value *value)
{
    Spark__Connect__Expression__Literal__Struct *structure =
        pt__arena_make(arena, Spark__Connect__Expression__Literal__Struct);
    spark__connect__expression__literal__struct__init(structure);
    structure->struct_type = pt__connect_encode_type(arena, type);
    structure->n_elements = value->as.list.count;
    structure->elements = pt__arena_array(arena, literal_message *, structure->n_elements);
    for (size_t i = 0; i < structure->n_elements; i++)
        structure->elements[i] = pt__connect_encode_literal(arena, type->fields[i].type, &value->as.list.items[i]);
    return structure;
}

#define SET(TYPE_NAME, member, encoded)                                                                                \
    out->literal_type_case = TYPE(TYPE_NAME);                                                                          \
    out->member = encoded;                                                                                             \
    return

/* clang-format off */
static void encode_into(pt__arena *arena, const pt_type *type, const pt_value *value, literal_message *out)
{
    switch (type->id) {
    case PT_TYPE_BOOLEAN: SET(BOOLEAN, boolean, value->as.boolean);
    case PT_TYPE_BYTE: SET(BYTE, byte, (int32_t)value->as.integer);
    case PT_TYPE_SHORT: SET(SHORT, short_, (int32_t)value->as.integer);
    case PT_TYPE_INT: SET(INTEGER, integer, (int32_t)value->as.integer);
    case PT_TYPE_LONG: SET(LONG, long_, value->as.integer);
    case PT_TYPE_FLOAT: SET(FLOAT, float_, (float)value->as.real);
    case PT_TYPE_DOUBLE: SET(DOUBLE, double_, value->as.real);
    case PT_TYPE_DECIMAL: SET(DECIMAL, decimal, encode_decimal(arena, type, value->as.decimal));
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR:
        SET(STRING, string, pt__arena_copy_text(arena, value->as.text.data, value->as.text.size_bytes));
    case PT_TYPE_BINARY:
    case PT_TYPE_VARIANT: SET(BINARY, binary, encode_bytes(arena, value->as.text));
    case PT_TYPE_DATE: SET(DATE, date, (int32_t)value->as.integer);
    case PT_TYPE_TIME: SET(TIME, time, encode_time(arena, type, value->as.integer));
    case PT_TYPE_TIMESTAMP: SET(TIMESTAMP, timestamp, value->as.integer);
    case PT_TYPE_TIMESTAMP_NTZ: SET(TIMESTAMP_NTZ, timestamp_ntz, value->as.integer);
    case PT_TYPE_INTERVAL_YEAR_MONTH: SET(YEAR_MONTH_INTERVAL, year_month_interval, (int32_t)value->as.integer);
    case PT_TYPE_INTERVAL_DAY_TIME: SET(DAY_TIME_INTERVAL, day_time_interval, value->as.integer);
    case PT_TYPE_INTERVAL_CALENDAR: SET(CALENDAR_INTERVAL, calendar_interval, encode_interval(arena, &value->as.interval));
    case PT_TYPE_ARRAY: SET(ARRAY, array, encode_array(arena, type, value));
    case PT_TYPE_MAP: SET(MAP, map, encode_map(arena, type, value));
    case PT_TYPE_STRUCT: SET(STRUCT, struct_, encode_struct(arena, type, value));
    case PT_TYPE_UDT: encode_into(arena, type->element, value, out); return;
    case PT_TYPE_VOID:
    case PT_TYPE_COUNT: return; /* only NULL is of type void */
    }
}
/* clang-format on */

literal_message *pt__connect_encode_literal(pt__arena *arena, const pt_type *type, const pt_value *value)
{
    literal_message *out = pt__arena_make(arena, literal_message);
    spark__connect__expression__literal__init(out);
    if (value->is_null) {
        out->literal_type_case = SPARK__CONNECT__EXPRESSION__LITERAL__LITERAL_TYPE_NULL;
        out->null = pt__connect_encode_type(arena, type);
    } else {
        encode_into(arena, type, value, out);
    }
    return out;
}

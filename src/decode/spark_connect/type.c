#include "decode/spark_connect/internal.h"

#include <string.h>

#define KIND(name) SPARK__CONNECT__DATA_TYPE__KIND_##name

/* ---- decoding ---- */

static pt_status bad_type(pt__decoder *d, const char *what)
{
    return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_DATA_TYPE, "kindCase", what, NULL);
}

static pt_status decode_decimal(pt__decoder *d, const Spark__Connect__DataType__Decimal *decimal, const pt_type **out)
{
    int32_t precision = PT_OPTIONAL(decimal, precision, 10);
    int32_t scale = PT_OPTIONAL(decimal, scale, 0);
    if (precision > PT_DECIMAL_PRECISION_MAX)
        return pt__decode_too_precise(d, precision);
    if (precision < 1 || scale < 0 || scale > precision)
        return bad_type(d, pt__arena_printf(d->arena, "DECIMAL(%d,%d)", precision, scale));
    *out = pt__type_decimal(d->arena, precision, scale);
    return PT_OK;
}

static pt_status decode_interval(pt__decoder *d, pt_type_id id, int32_t start, int32_t end, const pt_type **out)
{
    if (start < 0 || end < start || end > pt__type_simple(id)->end_field)
        return bad_type(d, pt__arena_printf(d->arena, "INTERVAL(%d,%d)", start, end));
    *out = pt__type_interval(d->arena, id, (uint8_t)start, (uint8_t)end);
    return PT_OK;
}

static pt_status decode_year_month(pt__decoder *d, const Spark__Connect__DataType__YearMonthInterval *interval,
                                   const pt_type **out)
{
    int32_t start = PT_OPTIONAL(interval, start_field, 0);
    return decode_interval(d, PT_TYPE_INTERVAL_YEAR_MONTH, start, PT_OPTIONAL(interval, end_field, 1), out);
}

static pt_status decode_day_time(pt__decoder *d, const Spark__Connect__DataType__DayTimeInterval *interval,
                                 const pt_type **out)
{
    int32_t start = PT_OPTIONAL(interval, start_field, 0);
    return decode_interval(d, PT_TYPE_INTERVAL_DAY_TIME, start, PT_OPTIONAL(interval, end_field, 3), out);
}

static pt_status decode_char(pt__decoder *d, pt_type_id id, int32_t length, const pt_type **out)
{
    if (length < 1)
        return bad_type(d, pt__arena_printf(d->arena, "CHAR(%d)", length));
    *out = pt__type_char(d->arena, id, length);
    return PT_OK;
}

static pt_status decode_time(pt__decoder *d, const Spark__Connect__DataType__Time *time, const pt_type **out)
{
    int32_t precision = PT_OPTIONAL(time, precision, 6);
    if (precision < 0 || precision > 6)
        return bad_type(d, pt__arena_printf(d->arena, "TIME(%d)", precision));
    *out = pt__type_time(d->arena, precision);
    return PT_OK;
}

static pt_status decode_array(pt__decoder *d, const Spark__Connect__DataType__Array *array, const pt_type **out)
{
    const pt_type *element = NULL;
    PT_TRY(pt__decode_type(d, array->element_type, &element));
    *out = pt__type_array(d->arena, element, array->contains_null);
    return PT_OK;
}

static pt_status decode_map(pt__decoder *d, const Spark__Connect__DataType__Map *map, const pt_type **out)
{
    const pt_type *key = NULL;
    const pt_type *value = NULL;
    PT_TRY(pt__decode_type(d, map->key_type, &key));
    PT_TRY(pt__decode_type(d, map->value_type, &value));
    *out = pt__type_map(d->arena, key, value, map->value_contains_null);
    return PT_OK;
}

static pt_status decode_struct(pt__decoder *d, const Spark__Connect__DataType__Struct *structure, const pt_type **out)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, structure->n_fields);
    for (size_t i = 0; i < structure->n_fields; i++) {
        const Spark__Connect__DataType__StructField *field = structure->fields[i];
        const char *metadata = PT_OPTIONAL(field, metadata, NULL);
        fields[i].name = field->name;
        PT_TRY(pt__decode_type(d, field->data_type, &fields[i].type));
        fields[i].nullable = field->nullable;
        fields[i].metadata = metadata == NULL || *metadata == '\0' || strcmp(metadata, "{}") == 0 ? NULL : metadata;
    }
    *out = pt__type_struct(d->arena, fields, structure->n_fields);
    return PT_OK;
}

static pt_status decode_udt(pt__decoder *d, const Spark__Connect__DataType__UDT *udt, const pt_type **out)
{
    pt_type *type = pt__arena_make(d->arena, pt_type);
    type->id = PT_TYPE_UDT;
    type->udt_class = PT_OPTIONAL(udt, jvm_class, NULL);
    type->udt_python_class = PT_OPTIONAL(udt, python_class, NULL);
    type->udt_serialized = PT_OPTIONAL(udt, serialized_python_class, NULL);
    PT_TRY(pt__decode_type(d, PT_OPTIONAL(udt, sql_type, NULL), &type->element));
    *out = type;
    return PT_OK;
}

static pt_status simple(pt_type_id id, const pt_type **out)
{
    *out = pt__type_simple(id);
    return PT_OK;
}

static pt_status decode_string(pt__decoder *d, const Spark__Connect__DataType__String *string, const pt_type **out)
{
    *out = pt__type_string(d->arena, pt__decode_optional_text(string->collation));
    return PT_OK;
}

pt_status pt__decode_type(pt__decoder *d, const Spark__Connect__DataType *type, const pt_type **out)
{
    if (type == NULL)
        return bad_type(d, "KIND_NOT_SET");
    switch ((int)type->kind_case) {
    case KIND(_NOT_SET): return bad_type(d, "KIND_NOT_SET");
    case KIND(NULL): return simple(PT_TYPE_VOID, out);
    case KIND(BINARY): return simple(PT_TYPE_BINARY, out);
    case KIND(BOOLEAN): return simple(PT_TYPE_BOOLEAN, out);
    case KIND(BYTE): return simple(PT_TYPE_BYTE, out);
    case KIND(SHORT): return simple(PT_TYPE_SHORT, out);
    case KIND(INTEGER): return simple(PT_TYPE_INT, out);
    case KIND(LONG): return simple(PT_TYPE_LONG, out);
    case KIND(FLOAT): return simple(PT_TYPE_FLOAT, out);
    case KIND(DOUBLE): return simple(PT_TYPE_DOUBLE, out);
    case KIND(DECIMAL): return decode_decimal(d, type->decimal, out);
    case KIND(STRING): return decode_string(d, type->string, out);
    case KIND(CHAR): return decode_char(d, PT_TYPE_CHAR, type->char_->length, out);
    case KIND(VAR_CHAR): return decode_char(d, PT_TYPE_VARCHAR, type->var_char->length, out);
    case KIND(DATE): return simple(PT_TYPE_DATE, out);
    case KIND(TIMESTAMP): return simple(PT_TYPE_TIMESTAMP, out);
    case KIND(TIMESTAMP_NTZ): return simple(PT_TYPE_TIMESTAMP_NTZ, out);
    case KIND(CALENDAR_INTERVAL): return simple(PT_TYPE_INTERVAL_CALENDAR, out);
    case KIND(YEAR_MONTH_INTERVAL): return decode_year_month(d, type->year_month_interval, out);
    case KIND(DAY_TIME_INTERVAL): return decode_day_time(d, type->day_time_interval, out);
    case KIND(ARRAY): return decode_array(d, type->array, out);
    case KIND(STRUCT): return decode_struct(d, type->struct_, out);
    case KIND(MAP): return decode_map(d, type->map, out);
    case KIND(VARIANT): return simple(PT_TYPE_VARIANT, out);
    case KIND(UDT): return decode_udt(d, type->udt, out);
    case KIND(TIME): return decode_time(d, type->time, out);
    case KIND(UNPARSED): return pt__decode_schema_text(d, type->unparsed->data_type_string, out);
    default: return pt__decode_not_supported(d, &type->base, type->kind_case);
    }
}

/* JSON starts with a brace or a quote, neither of which starts DDL. */
static bool looks_like_json(const char *text)
{
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '"';
}

pt_status pt__decode_schema_text(pt__decoder *d, const char *text, const pt_type **out)
{
    pt_text_view view = pt__decode_text(text);
    if (looks_like_json(text) && pt__type_parse_json(d->arena, view.data, view.size_bytes, out, NULL) == PT_OK)
        return PT_OK;
    if (text[strspn(text, " \t\r\n")] == '\0') {
        *out = pt__type_struct(d->arena, NULL, 0);
        return PT_OK;
    }
    return pt__sql_parse_type(d->arena, view, d->options, out, d->err);
}

/* ---- encoding ---- */

/* A new message of a type's kind, set as that member of `out`. */
#define ENCODE(member, KIND_NAME, struct_name, init_name)                                                              \
    out->kind_case = SPARK__CONNECT__DATA_TYPE__KIND_##KIND_NAME;                                                      \
    Spark__Connect__DataType__##struct_name *message = pt__arena_make(arena, Spark__Connect__DataType__##struct_name); \
    spark__connect__data_type__##init_name##__init(message);                                                           \
    out->member = message

static void encode_decimal(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(decimal, DECIMAL, Decimal, decimal);
    message->_precision_case = SPARK__CONNECT__DATA_TYPE__DECIMAL___PRECISION_PRECISION;
    message->precision = type->precision;
    message->_scale_case = SPARK__CONNECT__DATA_TYPE__DECIMAL___SCALE_SCALE;
    message->scale = type->scale;
}

static void encode_string(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(string, STRING, String, string);
    if (type->collation != NULL)
        message->collation = (char *)type->collation;
}

static void encode_char(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(char_, CHAR, Char, char);
    message->length = type->precision;
}

static void encode_varchar(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(var_char, VAR_CHAR, VarChar, var_char);
    message->length = type->precision;
}

static void encode_time(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(time, TIME, Time, time);
    message->_precision_case = SPARK__CONNECT__DATA_TYPE__TIME___PRECISION_PRECISION;
    message->precision = type->precision;
}

static void encode_year_month(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(year_month_interval, YEAR_MONTH_INTERVAL, YearMonthInterval, year_month_interval);
    message->_start_field_case = SPARK__CONNECT__DATA_TYPE__YEAR_MONTH_INTERVAL___START_FIELD_START_FIELD;
    message->start_field = type->start_field;
    message->_end_field_case = SPARK__CONNECT__DATA_TYPE__YEAR_MONTH_INTERVAL___END_FIELD_END_FIELD;
    message->end_field = type->end_field;
}

static void encode_day_time(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(day_time_interval, DAY_TIME_INTERVAL, DayTimeInterval, day_time_interval);
    message->_start_field_case = SPARK__CONNECT__DATA_TYPE__DAY_TIME_INTERVAL___START_FIELD_START_FIELD;
    message->start_field = type->start_field;
    message->_end_field_case = SPARK__CONNECT__DATA_TYPE__DAY_TIME_INTERVAL___END_FIELD_END_FIELD;
    message->end_field = type->end_field;
}

static void encode_array(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(array, ARRAY, Array, array);
    message->element_type = pt__connect_encode_type(arena, type->element);
    message->contains_null = type->contains_null;
}

static void encode_map(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(map, MAP, Map, map);
    message->key_type = pt__connect_encode_type(arena, type->key);
    message->value_type = pt__connect_encode_type(arena, type->element);
    message->value_contains_null = type->contains_null;
}

static Spark__Connect__DataType__StructField *encode_field(pt__arena *arena, const pt_field *field)
{
    Spark__Connect__DataType__StructField *message = pt__arena_make(arena, Spark__Connect__DataType__StructField);
    spark__connect__data_type__struct_field__init(message);
    message->name = (char *)field->name;
    message->data_type = pt__connect_encode_type(arena, field->type);
    message->nullable = field->nullable;
    if (field->metadata != NULL) {
        message->_metadata_case = SPARK__CONNECT__DATA_TYPE__STRUCT_FIELD___METADATA_METADATA;
        message->metadata = (char *)field->metadata;
    }
    return message;
}

static void encode_struct(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(struct_, STRUCT, Struct, struct);
    message->n_fields = type->field_count;
    message->fields = pt__arena_array(arena, Spark__Connect__DataType__StructField *, type->field_count);
    for (size_t i = 0; i < type->field_count; i++)
        message->fields[i] = encode_field(arena, &type->fields[i]);
}

static void encode_udt(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    ENCODE(udt, UDT, UDT, udt);
    message->type = (char *)"udt";
    if (type->udt_class != NULL) {
        message->_jvm_class_case = SPARK__CONNECT__DATA_TYPE__UDT___JVM_CLASS_JVM_CLASS;
        message->jvm_class = (char *)type->udt_class;
    }
    if (type->udt_python_class != NULL) {
        message->_python_class_case = SPARK__CONNECT__DATA_TYPE__UDT___PYTHON_CLASS_PYTHON_CLASS;
        message->python_class = (char *)type->udt_python_class;
    }
    if (type->udt_serialized != NULL) {
        message->_serialized_python_class_case =
            SPARK__CONNECT__DATA_TYPE__UDT___SERIALIZED_PYTHON_CLASS_SERIALIZED_PYTHON_CLASS;
        message->serialized_python_class = (char *)type->udt_serialized;
    }
    message->_sql_type_case = SPARK__CONNECT__DATA_TYPE__UDT___SQL_TYPE_SQL_TYPE;
    message->sql_type = pt__connect_encode_type(arena, type->element);
}

/* clang-format off */
static void encode_into(pt__arena *arena, const pt_type *type, Spark__Connect__DataType *out)
{
    switch (type->id) {
    case PT_TYPE_VOID: { ENCODE(null, NULL, NULL, null); return; }
    case PT_TYPE_BOOLEAN: { ENCODE(boolean, BOOLEAN, Boolean, boolean); return; }
    case PT_TYPE_BYTE: { ENCODE(byte, BYTE, Byte, byte); return; }
    case PT_TYPE_SHORT: { ENCODE(short_, SHORT, Short, short); return; }
    case PT_TYPE_INT: { ENCODE(integer, INTEGER, Integer, integer); return; }
    case PT_TYPE_LONG: { ENCODE(long_, LONG, Long, long); return; }
    case PT_TYPE_FLOAT: { ENCODE(float_, FLOAT, Float, float); return; }
    case PT_TYPE_DOUBLE: { ENCODE(double_, DOUBLE, Double, double); return; }
    case PT_TYPE_BINARY: { ENCODE(binary, BINARY, Binary, binary); return; }
    case PT_TYPE_DATE: { ENCODE(date, DATE, Date, date); return; }
    case PT_TYPE_TIMESTAMP: { ENCODE(timestamp, TIMESTAMP, Timestamp, timestamp); return; }
    case PT_TYPE_TIMESTAMP_NTZ: { ENCODE(timestamp_ntz, TIMESTAMP_NTZ, TimestampNTZ, timestamp_ntz); return; }
    case PT_TYPE_INTERVAL_CALENDAR: {
        ENCODE(calendar_interval, CALENDAR_INTERVAL, CalendarInterval, calendar_interval); return; }
    case PT_TYPE_VARIANT: { ENCODE(variant, VARIANT, Variant, variant); return; }
    case PT_TYPE_DECIMAL: encode_decimal(arena, type, out); return;
    case PT_TYPE_STRING: encode_string(arena, type, out); return;
    case PT_TYPE_CHAR: encode_char(arena, type, out); return;
    case PT_TYPE_VARCHAR: encode_varchar(arena, type, out); return;
    case PT_TYPE_TIME: encode_time(arena, type, out); return;
    case PT_TYPE_INTERVAL_YEAR_MONTH: encode_year_month(arena, type, out); return;
    case PT_TYPE_INTERVAL_DAY_TIME: encode_day_time(arena, type, out); return;
    case PT_TYPE_ARRAY: encode_array(arena, type, out); return;
    case PT_TYPE_MAP: encode_map(arena, type, out); return;
    case PT_TYPE_STRUCT: encode_struct(arena, type, out); return;
    case PT_TYPE_UDT: encode_udt(arena, type, out); return;
    case PT_TYPE_COUNT: return;
    }
}
/* clang-format on */

Spark__Connect__DataType *pt__connect_encode_type(pt__arena *arena, const pt_type *type)
{
    Spark__Connect__DataType *out = pt__arena_make(arena, Spark__Connect__DataType);
    spark__connect__data_type__init(out);
    encode_into(arena, type, out);
    return out;
}

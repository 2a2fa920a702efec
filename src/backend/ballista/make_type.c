/* Arrow types as DataFusion writes them. */
#include "backend/ballista/make.h"

#include "base/unconst.h"

#include <string.h>

#define ARROW(name) DATAFUSION_COMMON__ARROW_TYPE__ARROW_TYPE_ENUM_##name

static pt__btype *make(pt__arena *arena, DatafusionCommon__ArrowType__ArrowTypeEnumCase kind)
{
    pt__btype *type = pt__arena_make(arena, pt__btype);
    datafusion_common__arrow_type__init(type);
    type->arrow_type_enum_case = kind;
    return type;
}

/* Types without content are an empty message, which all the members of the union for them point to. */
static pt__btype *plain(pt__arena *arena, DatafusionCommon__ArrowType__ArrowTypeEnumCase kind)
{
    pt__btype *type = make(arena, kind);
    type->none_type = pt__arena_make(arena, DatafusionCommon__EmptyMessage);
    datafusion_common__empty_message__init(type->none_type);
    return type;
}

static pt__btype *decimal(pt__arena *arena, int32_t precision, int32_t scale)
{
    pt__btype *type = make(arena, ARROW(DECIMAL128_TYPE));
    type->decimal128_type = pt__arena_make(arena, DatafusionCommon__Decimal128Type);
    datafusion_common__decimal128_type__init(type->decimal128_type);
    type->decimal128_type->precision = (uint32_t)precision;
    type->decimal128_type->scale = scale;
    return type;
}

pt__btype *pt__btype_decimal256(pt__arena *arena, int32_t precision, int32_t scale)
{
    pt__btype *type = make(arena, ARROW(DECIMAL256_TYPE));
    type->decimal256_type = pt__arena_make(arena, DatafusionCommon__Decimal256Type);
    datafusion_common__decimal256_type__init(type->decimal256_type);
    type->decimal256_type->precision = (uint32_t)(precision > 76 ? 76 : precision);
    type->decimal256_type->scale = scale;
    return type;
}

pt__btype *pt__btype_timestamp(pt__arena *arena, const char *zone)
{
    pt__btype *type = make(arena, ARROW(TIMESTAMP_TYPE));
    type->timestamp_type = pt__arena_make(arena, DatafusionCommon__Timestamp);
    datafusion_common__timestamp__init(type->timestamp_type);
    type->timestamp_type->time_unit = DATAFUSION_COMMON__TIME_UNIT__Microsecond;
    if (zone != NULL)
        type->timestamp_type->timezone = pt__unconst(zone);
    return type;
}

static pt__btype *structure(pt__arena *arena, const pt_type *type)
{
    DatafusionCommon__Struct *made = pt__arena_make(arena, DatafusionCommon__Struct);
    datafusion_common__struct__init(made);
    made->n_sub_field_types = type->field_count;
    made->sub_field_types = pt__arena_array(arena, DatafusionCommon__Field *, type->field_count + 1);
    for (size_t i = 0; i < type->field_count; i++) {
        DatafusionCommon__Field *field = pt__arena_make(arena, DatafusionCommon__Field);
        datafusion_common__field__init(field);
        field->name = pt__unconst(type->fields[i].name);
        field->arrow_type = pt__btype_of(arena, type->fields[i].type);
        field->nullable = true;
        if (field->arrow_type == NULL)
            return NULL;
        made->sub_field_types[i] = field;
    }
    pt__btype *arrow = make(arena, ARROW(STRUCT_TYPE));
    arrow->struct_type = made;
    return arrow;
}

pt__btype *pt__btype_of(pt__arena *arena, const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_VOID: return plain(arena, ARROW(NONE_TYPE));
    case PT_TYPE_BOOLEAN: return plain(arena, ARROW(BOOL_TYPE));
    case PT_TYPE_BYTE: return plain(arena, ARROW(INT8_TYPE));
    case PT_TYPE_SHORT: return plain(arena, ARROW(INT16_TYPE));
    case PT_TYPE_INT:
    case PT_TYPE_INTERVAL_YEAR_MONTH: return plain(arena, ARROW(INT32_TYPE));
    case PT_TYPE_LONG:
    case PT_TYPE_INTERVAL_DAY_TIME: return plain(arena, ARROW(INT64_TYPE));
    case PT_TYPE_FLOAT: return plain(arena, ARROW(FLOAT32_TYPE));
    case PT_TYPE_DOUBLE: return plain(arena, ARROW(FLOAT64_TYPE));
    case PT_TYPE_DECIMAL: return decimal(arena, type->precision, type->scale);
    case PT_TYPE_STRING: return type->collation != NULL ? NULL : plain(arena, ARROW(UTF8_TYPE));
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return plain(arena, ARROW(UTF8_TYPE));
    case PT_TYPE_BINARY: return plain(arena, ARROW(BINARY_TYPE));
    case PT_TYPE_DATE: return plain(arena, ARROW(DATE32_TYPE));
    case PT_TYPE_TIMESTAMP: return pt__btype_timestamp(arena, "UTC");
    case PT_TYPE_TIMESTAMP_NTZ: return pt__btype_timestamp(arena, NULL);
    case PT_TYPE_STRUCT: return structure(arena, type);
    case PT_TYPE_TIME:
    case PT_TYPE_INTERVAL_CALENDAR:
    case PT_TYPE_ARRAY:
    case PT_TYPE_MAP:
    case PT_TYPE_VARIANT:
    case PT_TYPE_UDT:
    case PT_TYPE_COUNT: return NULL;
    }
    return NULL;
}

static pt__btype *of_unit(pt__arena *arena, const char *name)
{
    if (strcmp(name, "duration") == 0) {
        pt__btype *type = make(arena, ARROW(DURATION_TYPE));
        type->duration_type = DATAFUSION_COMMON__TIME_UNIT__Microsecond;
        return type;
    }
    if (strcmp(name, "months") == 0) {
        pt__btype *type = make(arena, ARROW(INTERVAL_TYPE));
        type->interval_type = DATAFUSION_COMMON__INTERVAL_UNIT__YearMonth;
        return type;
    }
    if (strcmp(name, "time64") == 0) {
        pt__btype *type = make(arena, ARROW(TIME64_TYPE));
        type->time64_type = DATAFUSION_COMMON__TIME_UNIT__Microsecond;
        return type;
    }
    return NULL;
}

pt__btype *pt__btype_named(pt__arena *arena, const char *name)
{
    static const struct {
        const char *name;
        DatafusionCommon__ArrowType__ArrowTypeEnumCase kind;
    } NAMES[] = {
        {"bool", ARROW(BOOL_TYPE)},       {"int8", ARROW(INT8_TYPE)},     {"int16", ARROW(INT16_TYPE)},
        {"int32", ARROW(INT32_TYPE)},     {"int64", ARROW(INT64_TYPE)},   {"float32", ARROW(FLOAT32_TYPE)},
        {"float64", ARROW(FLOAT64_TYPE)}, {"utf8", ARROW(UTF8_TYPE)},     {"binary", ARROW(BINARY_TYPE)},
        {"date32", ARROW(DATE32_TYPE)},   {"uint64", ARROW(UINT64_TYPE)},
    };
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(NAMES[i].name, name) == 0)
            return plain(arena, NAMES[i].kind);
    }
    if (strcmp(name, "decimal20") == 0)
        return decimal(arena, 20, 0);
    if (strcmp(name, "decimal38") == 0)
        return decimal(arena, 38, 0);
    if (strcmp(name, "ntz") == 0)
        return pt__btype_timestamp(arena, NULL);
    if (strcmp(name, "instant") == 0)
        return pt__btype_timestamp(arena, "UTC");
    return of_unit(arena, name);
}

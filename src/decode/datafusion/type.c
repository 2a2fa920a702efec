#include "decode/datafusion/type.h"

#include "base/condition.h"
#include "base/list.h"

#include <string.h>

#define ARROW(name) DATAFUSION_COMMON__ARROW_TYPE__ARROW_TYPE_ENUM_##name

static const pt__df_type simple_types[PT_DF_KIND_COUNT] = {
#define PT_DF_SIMPLE(id, name, plan) [PT_DF_##id] = {.kind = PT_DF_##id},
    PT_DF_TYPE_MAP(PT_DF_SIMPLE)
#undef PT_DF_SIMPLE
};

const pt__df_type *pt__df_simple(pt__df_kind kind)
{
    return &simple_types[kind];
}

static int32_t at_most_38(int32_t digits)
{
    return digits > PT_DECIMAL_PRECISION_MAX ? PT_DECIMAL_PRECISION_MAX : digits;
}

const pt__df_type *pt__df_decimal(pt__arena *arena, int32_t precision, int32_t scale, int32_t held)
{
    pt__df_type *type = pt__arena_make(arena, pt__df_type);
    type->kind = PT_DF_DECIMAL;
    type->precision = at_most_38(precision);
    type->scale = scale;
    type->held = at_most_38(held);
    return type;
}

const pt__df_type *pt__df_timestamp(pt__arena *arena, DatafusionCommon__TimeUnit unit, const char *zone)
{
    pt__df_type *type = pt__arena_make(arena, pt__df_type);
    type->kind = PT_DF_TIMESTAMP;
    type->unit = unit;
    type->zone = zone;
    return type;
}

const pt__df_type *pt__df_list(pt__arena *arena, const pt__df_type *element)
{
    pt__df_field *field = pt__arena_make(arena, pt__df_field);
    *field = (pt__df_field){"item", element, true};
    pt__df_type *type = pt__arena_make(arena, pt__df_type);
    type->kind = PT_DF_LIST;
    type->fields = field;
    type->field_count = 1;
    return type;
}

/* ---- from Arrow ---- */

typedef struct reader {
    pt__arena *arena;
    pt_error *err;
} reader;

static pt_status refuse(reader *r, const char *name)
{
    return pt__raise(r->err, PT_COND_UNSUPPORTED_ARROWTYPE, "typeName", name, NULL);
}

static pt_status give(const pt__df_type *type, const pt__df_type **out)
{
    *out = type;
    return PT_OK;
}

static pt_status read_type(reader *r, const DatafusionCommon__ArrowType *arrow, const pt__df_type **out);

static pt_status read_fields(reader *r, pt__df_kind kind, DatafusionCommon__Field *const *fields, size_t count,
                             const pt__df_type **out)
{
    pt__df_field *made = pt__arena_array(r->arena, pt__df_field, count);
    for (size_t i = 0; i < count; i++) {
        if (fields[i] == NULL)
            return pt_error_set(r->err, PT_BAD_PLAN, "ArrowType: a field is missing");
        made[i].name = fields[i]->name;
        made[i].nullable = fields[i]->nullable;
        PT_TRY(read_type(r, fields[i]->arrow_type, &made[i].type));
    }
    pt__df_type *type = pt__arena_make(r->arena, pt__df_type);
    *type = (pt__df_type){.kind = kind, .fields = made, .field_count = count};
    return give(type, out);
}

static pt_status read_list(reader *r, DatafusionCommon__Field *field, const pt__df_type **out)
{
    return read_fields(r, PT_DF_LIST, &field, 1, out);
}

static pt_status read_map(reader *r, const DatafusionCommon__Map *map, const pt__df_type **out)
{
    const DatafusionCommon__ArrowType *entries = map->field_type == NULL ? NULL : map->field_type->arrow_type;
    if (entries == NULL || entries->arrow_type_enum_case != ARROW(STRUCT_TYPE) ||
        entries->struct_type->n_sub_field_types != 2)
        return pt_error_set(r->err, PT_BAD_PLAN, "ArrowType: a map's entries are no struct of key and value");
    return read_fields(r, PT_DF_MAP, entries->struct_type->sub_field_types, 2, out);
}

static pt_status read_decimal(reader *r, uint32_t precision, int32_t scale, const pt__df_type **out)
{
    if (precision == 0 || precision > PT_DECIMAL_PRECISION_MAX || scale < 0 || scale > (int32_t)precision)
        return refuse(r, pt__arena_printf(r->arena, "Decimal(%u, %d)", precision, scale));
    return give(pt__df_decimal(r->arena, (int32_t)precision, scale, (int32_t)precision), out);
}

static pt_status read_unit(reader *r, pt__df_kind kind, DatafusionCommon__TimeUnit unit, const pt__df_type **out)
{
    pt__df_type *type = pt__arena_make(r->arena, pt__df_type);
    *type = (pt__df_type){.kind = kind, .unit = unit};
    if ((unsigned)unit > DATAFUSION_COMMON__TIME_UNIT__Nanosecond)
        return pt_error_set(r->err, PT_BAD_PLAN, "ArrowType: there is no time unit %d", (int)unit);
    return give(type, out);
}

static pt_status read_timestamp(reader *r, const DatafusionCommon__Timestamp *m, const pt__df_type **out)
{
    if ((unsigned)m->time_unit > DATAFUSION_COMMON__TIME_UNIT__Nanosecond)
        return pt_error_set(r->err, PT_BAD_PLAN, "ArrowType: there is no time unit %d", (int)m->time_unit);
    return give(pt__df_timestamp(r->arena, m->time_unit, *m->timezone == '\0' ? NULL : m->timezone), out);
}

static pt_status read_interval(reader *r, DatafusionCommon__IntervalUnit unit, const pt__df_type **out)
{
    switch ((int)unit) {
    case DATAFUSION_COMMON__INTERVAL_UNIT__YearMonth: return give(PT_DF(INTERVAL_YEAR_MONTH), out);
    case DATAFUSION_COMMON__INTERVAL_UNIT__DayTime:
    case DATAFUSION_COMMON__INTERVAL_UNIT__MonthDayNano: return give(PT_DF(INTERVAL), out);
    default: return pt_error_set(r->err, PT_BAD_PLAN, "ArrowType: there is no interval unit %d", (int)unit);
    }
}

static pt_status read_type(reader *r, const DatafusionCommon__ArrowType *t, const pt__df_type **out)
{
    if (t == NULL)
        return pt_error_set(r->err, PT_BAD_PLAN, "ArrowType is missing");
    switch ((int)t->arrow_type_enum_case) {
    case ARROW(NONE_TYPE): return give(PT_DF(NULL), out);
    case ARROW(BOOL_TYPE): return give(PT_DF(BOOLEAN), out);
    case ARROW(INT8_TYPE): return give(PT_DF(INT8), out);
    case ARROW(INT16_TYPE): return give(PT_DF(INT16), out);
    case ARROW(INT32_TYPE): return give(PT_DF(INT32), out);
    case ARROW(INT64_TYPE): return give(PT_DF(INT64), out);
    case ARROW(UINT8_TYPE): return give(PT_DF(UINT8), out);
    case ARROW(UINT16_TYPE): return give(PT_DF(UINT16), out);
    case ARROW(UINT32_TYPE): return give(PT_DF(UINT32), out);
    case ARROW(UINT64_TYPE): return give(PT_DF(UINT64), out);
    case ARROW(FLOAT16_TYPE): return refuse(r, "Float16");
    case ARROW(FLOAT32_TYPE): return give(PT_DF(FLOAT32), out);
    case ARROW(FLOAT64_TYPE): return give(PT_DF(FLOAT64), out);
    case ARROW(UTF8_TYPE):
    case ARROW(LARGE_UTF8_TYPE):
    case ARROW(UTF8_VIEW_TYPE): return give(PT_DF(STRING), out);
    case ARROW(BINARY_TYPE):
    case ARROW(LARGE_BINARY_TYPE):
    case ARROW(FIXED_SIZE_BINARY_TYPE):
    case ARROW(BINARY_VIEW_TYPE): return give(PT_DF(BINARY), out);
    case ARROW(DATE32_TYPE): return give(PT_DF(DATE), out);
    case ARROW(DATE64_TYPE): return refuse(r, "Date64");
    case ARROW(DURATION_TYPE): return read_unit(r, PT_DF_DURATION, t->duration_type, out);
    case ARROW(TIMESTAMP_TYPE): return read_timestamp(r, t->timestamp_type, out);
    case ARROW(TIME32_TYPE): return read_unit(r, PT_DF_TIME, t->time32_type, out);
    case ARROW(TIME64_TYPE): return read_unit(r, PT_DF_TIME, t->time64_type, out);
    case ARROW(INTERVAL_TYPE): return read_interval(r, t->interval_type, out);
    case ARROW(DECIMAL32_TYPE): return read_decimal(r, t->decimal32_type->precision, t->decimal32_type->scale, out);
    case ARROW(DECIMAL64_TYPE): return read_decimal(r, t->decimal64_type->precision, t->decimal64_type->scale, out);
    case ARROW(DECIMAL128_TYPE): return read_decimal(r, t->decimal128_type->precision, t->decimal128_type->scale, out);
    case ARROW(DECIMAL256_TYPE): return read_decimal(r, t->decimal256_type->precision, t->decimal256_type->scale, out);
    case ARROW(LIST_TYPE): return read_list(r, t->list_type->field_type, out);
    case ARROW(LARGE_LIST_TYPE): return read_list(r, t->large_list_type->field_type, out);
    case ARROW(FIXED_SIZE_LIST_TYPE): return read_list(r, t->fixed_size_list_type->field_type, out);
    case ARROW(LIST_VIEW_TYPE): return read_list(r, t->list_view_type->field_type, out);
    case ARROW(LARGE_LIST_VIEW_TYPE): return read_list(r, t->large_list_view_type->field_type, out);
    case ARROW(STRUCT_TYPE):
        return read_fields(r, PT_DF_STRUCT, t->struct_type->sub_field_types, t->struct_type->n_sub_field_types, out);
    case ARROW(MAP_TYPE): return read_map(r, t->map_type, out);
    case ARROW(DICTIONARY_TYPE): return read_type(r, t->dictionary_type->value, out);
    case ARROW(UNION_TYPE): return refuse(r, "Union");
    case ARROW(RUN_END_ENCODED_TYPE): return refuse(r, "RunEndEncoded");
    default: return pt_error_set(r->err, PT_BAD_PLAN, "ArrowType: no type is set, or one that is not known");
    }
}

pt_status pt__df_arrow_type(pt__arena *arena, const DatafusionCommon__ArrowType *arrow, const pt__df_type **out,
                            pt_error *err)
{
    return read_type(&(reader){arena, err}, arrow, out);
}

/* ---- to and from the plan's types ---- */

static const pt_type *struct_type(pt__arena *arena, const pt__df_type *type)
{
    pt_field *fields = pt__arena_array(arena, pt_field, type->field_count);
    for (size_t i = 0; i < type->field_count; i++)
        fields[i] = (pt_field){.name = type->fields[i].name,
                               .type = pt__df_plan_type(arena, type->fields[i].type),
                               .nullable = type->fields[i].nullable};
    return pt__type_struct(arena, fields, type->field_count);
}

static const pt_type *time_type(pt__arena *arena, const pt__df_type *type)
{
    switch ((int)type->unit) {
    case DATAFUSION_COMMON__TIME_UNIT__Second: return pt__type_time(arena, 0);
    case DATAFUSION_COMMON__TIME_UNIT__Millisecond: return pt__type_time(arena, 3);
    default: return pt__type_time(arena, 6);
    }
}

const pt_type *pt__df_plan_type(pt__arena *arena, const pt__df_type *type)
{
    switch ((int)type->kind) {
    case PT_DF_DECIMAL: return pt__type_decimal(arena, type->precision, type->scale);
    case PT_DF_TIME: return time_type(arena, type);
    case PT_DF_TIMESTAMP: return type->zone == NULL ? PT_T(TIMESTAMP_NTZ) : PT_T(TIMESTAMP);
    case PT_DF_LIST:
        return pt__type_array(arena, pt__df_plan_type(arena, type->fields[0].type), type->fields[0].nullable);
    case PT_DF_MAP:
        return pt__type_map(arena, pt__df_plan_type(arena, type->fields[0].type),
                            pt__df_plan_type(arena, type->fields[1].type), type->fields[1].nullable);
    case PT_DF_STRUCT: return struct_type(arena, type);
    default: break;
    }
    static const pt_type_id ids[PT_DF_KIND_COUNT] = {
#define PT_DF_PLAN(id, name, plan) [PT_DF_##id] = PT_TYPE_##plan,
        PT_DF_TYPE_MAP(PT_DF_PLAN)
#undef PT_DF_PLAN
    };
    return pt__type_simple(ids[type->kind]);
}

static const pt__df_type *nested_from_plan(pt__arena *arena, pt__df_kind kind, const pt_type *type)
{
    pt__list(pt__df_field) fields = {0};
    if (kind == PT_DF_MAP)
        pt__list_push(arena, &fields, ((pt__df_field){"key", pt__df_from_plan_type(arena, type->key), false}));
    if (kind != PT_DF_STRUCT)
        pt__list_push(arena, &fields,
                      ((pt__df_field){"value", pt__df_from_plan_type(arena, type->element), type->contains_null}));
    for (size_t i = 0; kind == PT_DF_STRUCT && i < type->field_count; i++)
        pt__list_push(arena, &fields,
                      ((pt__df_field){type->fields[i].name, pt__df_from_plan_type(arena, type->fields[i].type),
                                      type->fields[i].nullable}));
    pt__df_type *made = pt__arena_make(arena, pt__df_type);
    *made = (pt__df_type){.kind = kind, .fields = fields.items, .field_count = fields.count};
    return made;
}

const pt__df_type *pt__df_from_plan_type(pt__arena *arena, const pt_type *type)
{
    switch ((int)type->id) {
    case PT_TYPE_BOOLEAN: return PT_DF(BOOLEAN);
    case PT_TYPE_BYTE: return PT_DF(INT8);
    case PT_TYPE_SHORT: return PT_DF(INT16);
    case PT_TYPE_INT: return PT_DF(INT32);
    case PT_TYPE_LONG: return PT_DF(INT64);
    case PT_TYPE_FLOAT: return PT_DF(FLOAT32);
    case PT_TYPE_DOUBLE: return PT_DF(FLOAT64);
    case PT_TYPE_DECIMAL: return pt__df_decimal(arena, type->precision, type->scale, type->precision);
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return PT_DF(STRING);
    case PT_TYPE_BINARY: return PT_DF(BINARY);
    case PT_TYPE_DATE: return PT_DF(DATE);
    case PT_TYPE_TIMESTAMP: return pt__df_timestamp(arena, DATAFUSION_COMMON__TIME_UNIT__Microsecond, "+00:00");
    case PT_TYPE_TIMESTAMP_NTZ: return pt__df_timestamp(arena, DATAFUSION_COMMON__TIME_UNIT__Microsecond, NULL);
    case PT_TYPE_INTERVAL_YEAR_MONTH: return PT_DF(INTERVAL_YEAR_MONTH);
    case PT_TYPE_INTERVAL_DAY_TIME: return PT_DF(DURATION);
    case PT_TYPE_INTERVAL_CALENDAR: return PT_DF(INTERVAL);
    case PT_TYPE_ARRAY: return nested_from_plan(arena, PT_DF_LIST, type);
    case PT_TYPE_MAP: return nested_from_plan(arena, PT_DF_MAP, type);
    case PT_TYPE_STRUCT: return nested_from_plan(arena, PT_DF_STRUCT, type);
    default: return PT_DF(NULL);
    }
}

/* ---- questions ---- */

bool pt__df_same(const pt__df_type *a, const pt__df_type *b)
{
    if (a->kind != b->kind || a->precision != b->precision || a->scale != b->scale || a->unit != b->unit ||
        a->field_count != b->field_count)
        return false;
    if ((a->zone == NULL) != (b->zone == NULL) || (a->zone != NULL && strcmp(a->zone, b->zone) != 0))
        return false;
    for (size_t i = 0; i < a->field_count; i++)
        if (!pt__df_same(a->fields[i].type, b->fields[i].type))
            return false;
    return true;
}

bool pt__df_is_integer(const pt__df_type *type)
{
    return type->kind >= PT_DF_INT8 && type->kind <= PT_DF_UINT64;
}

bool pt__df_is_unsigned(const pt__df_type *type)
{
    return type->kind >= PT_DF_UINT8 && type->kind <= PT_DF_UINT64;
}

bool pt__df_is_float(const pt__df_type *type)
{
    return type->kind == PT_DF_FLOAT32 || type->kind == PT_DF_FLOAT64;
}

bool pt__df_is_numeric(const pt__df_type *type)
{
    return pt__df_is_integer(type) || pt__df_is_float(type) || type->kind == PT_DF_DECIMAL;
}

int pt__df_integer_bits(const pt__df_type *type)
{
    return 8 << ((type->kind - PT_DF_INT8) % 4);
}

const char *pt__df_type_text(pt__arena *arena, const pt__df_type *type)
{
    static const char *const names[PT_DF_KIND_COUNT] = {
#define PT_DF_NAME(id, name, plan) [PT_DF_##id] = name,
        PT_DF_TYPE_MAP(PT_DF_NAME)
#undef PT_DF_NAME
    };
    if (type->kind == PT_DF_DECIMAL)
        return pt__arena_printf(arena, "%s(%d, %d)", names[type->kind], type->precision, type->scale);
    if (type->zone != NULL)
        return pt__arena_printf(arena, "%s(%s)", names[type->kind], type->zone);
    return names[type->kind];
}

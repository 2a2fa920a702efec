#include "plan/type.h"

#include <assert.h>
#include <string.h>

enum { DECIMAL_PRECISION_DEFAULT = 10, TIME_PRECISION_DEFAULT = 6, DAY_TIME_LAST_FIELD = 3, YEAR_MONTH_LAST_FIELD = 1 };

static const pt_type SIMPLE_TYPES[] = {
#define SIMPLE_TYPE(type_id, name, json) [PT_TYPE_##type_id] = {.id = PT_TYPE_##type_id, .contains_null = true},
    PT_TYPE_MAP(SIMPLE_TYPE)
#undef SIMPLE_TYPE
};
static const pt_type SIMPLE_DECIMAL = {.id = PT_TYPE_DECIMAL, .precision = DECIMAL_PRECISION_DEFAULT};
static const pt_type SIMPLE_TIME = {.id = PT_TYPE_TIME, .precision = TIME_PRECISION_DEFAULT};
static const pt_type SIMPLE_YEAR_MONTH = {.id = PT_TYPE_INTERVAL_YEAR_MONTH, .end_field = YEAR_MONTH_LAST_FIELD};
static const pt_type SIMPLE_DAY_TIME = {.id = PT_TYPE_INTERVAL_DAY_TIME, .end_field = DAY_TIME_LAST_FIELD};

const pt_type *pt__type_simple(pt_type_id id)
{
    assert(id != PT_TYPE_ARRAY && id != PT_TYPE_MAP && id != PT_TYPE_STRUCT && id != PT_TYPE_UDT);
    switch ((int)id) {
    case PT_TYPE_DECIMAL: return &SIMPLE_DECIMAL;
    case PT_TYPE_TIME: return &SIMPLE_TIME;
    case PT_TYPE_INTERVAL_YEAR_MONTH: return &SIMPLE_YEAR_MONTH;
    case PT_TYPE_INTERVAL_DAY_TIME: return &SIMPLE_DAY_TIME;
    default: return &SIMPLE_TYPES[id];
    }
}

static pt_type *new_type(pt__arena *arena, pt_type_id id)
{
    pt_type *type = pt__arena_make(arena, pt_type);
    type->id = id;
    return type;
}

const pt_type *pt__type_decimal(pt__arena *arena, int32_t precision, int32_t scale)
{
    if (precision == DECIMAL_PRECISION_DEFAULT && scale == 0)
        return &SIMPLE_DECIMAL;
    pt_type *type = new_type(arena, PT_TYPE_DECIMAL);
    type->precision = precision;
    type->scale = scale;
    return type;
}

const pt_type *pt__type_array(pt__arena *arena, const pt_type *element, bool contains_null)
{
    pt_type *type = new_type(arena, PT_TYPE_ARRAY);
    type->element = element;
    type->contains_null = contains_null;
    return type;
}

const pt_type *pt__type_map(pt__arena *arena, const pt_type *key, const pt_type *value, bool contains_null)
{
    pt_type *type = new_type(arena, PT_TYPE_MAP);
    type->key = key;
    type->element = value;
    type->contains_null = contains_null;
    return type;
}

const pt_type *pt__type_struct(pt__arena *arena, const pt_field *fields, size_t field_count)
{
    pt_type *type = new_type(arena, PT_TYPE_STRUCT);
    type->fields = fields;
    type->field_count = field_count;
    return type;
}

const pt_type *pt__type_char(pt__arena *arena, pt_type_id char_or_varchar, int32_t length)
{
    assert(char_or_varchar == PT_TYPE_CHAR || char_or_varchar == PT_TYPE_VARCHAR);
    pt_type *type = new_type(arena, char_or_varchar);
    type->precision = length;
    return type;
}

const pt_type *pt__type_interval(pt__arena *arena, pt_type_id id, uint8_t start_field, uint8_t end_field)
{
    const pt_type *simple = pt__type_simple(id);
    if (simple->start_field == start_field && simple->end_field == end_field)
        return simple;
    pt_type *type = new_type(arena, id);
    type->start_field = start_field;
    type->end_field = end_field;
    return type;
}

const pt_type *pt__type_time(pt__arena *arena, int32_t precision)
{
    if (precision == TIME_PRECISION_DEFAULT)
        return &SIMPLE_TIME;
    pt_type *type = new_type(arena, PT_TYPE_TIME);
    type->precision = precision;
    return type;
}

const pt_type *pt__type_string(pt__arena *arena, const char *collation)
{
    if (collation == NULL || strcmp(collation, "UTF8_BINARY") == 0)
        return PT_T(STRING);
    pt_type *type = new_type(arena, PT_TYPE_STRING);
    type->collation = collation;
    return type;
}

/* ---- comparison ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same(const pt_type *a, const pt_type *b, bool strictly);

static bool same_fields(const pt_type *a, const pt_type *b, bool strictly)
{
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++) {
        const pt_field *x = &a->fields[i];
        const pt_field *y = &b->fields[i];
        if (strcmp(x->name, y->name) != 0 || !same(x->type, y->type, strictly))
            return false;
        if (strictly && (x->nullable != y->nullable || !same_text(x->metadata, y->metadata)))
            return false;
    }
    return true;
}

static bool same_optional(const pt_type *a, const pt_type *b, bool strictly)
{
    return a == b || (a != NULL && b != NULL && same(a, b, strictly));
}

static bool same(const pt_type *a, const pt_type *b, bool strictly)
{
    if (a == b)
        return true;
    if (a->id != b->id || a->precision != b->precision || a->scale != b->scale)
        return false;
    if (a->start_field != b->start_field || a->end_field != b->end_field || !same_text(a->collation, b->collation))
        return false;
    if (strictly && a->contains_null != b->contains_null && (a->id == PT_TYPE_ARRAY || a->id == PT_TYPE_MAP))
        return false;
    if (!same_text(a->udt_class, b->udt_class) || !same_text(a->udt_python_class, b->udt_python_class))
        return false;
    return same_optional(a->element, b->element, strictly) && same_optional(a->key, b->key, strictly) &&
           same_fields(a, b, strictly);
}

bool pt__type_equal(const pt_type *a, const pt_type *b)
{
    return same(a, b, true);
}

bool pt__type_same_kind(const pt_type *a, const pt_type *b)
{
    return same(a, b, false);
}

/* ---- families ---- */

bool pt__type_is_integral(const pt_type *type)
{
    return type->id >= PT_TYPE_BYTE && type->id <= PT_TYPE_LONG;
}

bool pt__type_is_numeric(const pt_type *type)
{
    return type->id >= PT_TYPE_BYTE && type->id <= PT_TYPE_DECIMAL;
}

static bool nests_deeper_than(const pt_type *type, int levels)
{
    if (type == NULL || (type->element == NULL && type->field_count == 0))
        return false;
    if (levels == 0)
        return true;
    for (size_t i = 0; i < type->field_count; i++) {
        if (nests_deeper_than(type->fields[i].type, levels - 1))
            return true;
    }
    return nests_deeper_than(type->key, levels - 1) || nests_deeper_than(type->element, levels - 1);
}

pt_status pt__type_check_nesting(const pt_type *type, pt_error *err)
{
    if (nests_deeper_than(type, PT_TYPE_NESTING_MAX))
        return pt_error_set(err, PT_LIMIT, "a type nests more than %d levels", PT_TYPE_NESTING_MAX);
    return PT_OK;
}

bool pt__type_is_string(const pt_type *type)
{
    return type->id >= PT_TYPE_STRING && type->id <= PT_TYPE_VARCHAR;
}

bool pt__type_is_datetime(const pt_type *type)
{
    return type->id >= PT_TYPE_DATE && type->id <= PT_TYPE_TIMESTAMP_NTZ;
}

bool pt__type_is_interval(const pt_type *type)
{
    return type->id >= PT_TYPE_INTERVAL_YEAR_MONTH && type->id <= PT_TYPE_INTERVAL_CALENDAR;
}

/* ---- copies ---- */

typedef struct copier {
    pt__arena *arena;
    bool as_nullable; /* else: deep copy, texts included */
} copier;

static const char *copy_text(const copier *c, const char *text)
{
    return c->as_nullable ? text : pt__arena_copy_string(c->arena, text);
}

static const pt_type *copy_type(const copier *c, const pt_type *type);

static const pt_field *copy_fields(const copier *c, const pt_type *type)
{
    pt_field *fields = pt__arena_array(c->arena, pt_field, type->field_count);
    for (size_t i = 0; i < type->field_count; i++) {
        const pt_field *from = &type->fields[i];
        fields[i].name = copy_text(c, from->name);
        fields[i].type = copy_type(c, from->type);
        fields[i].nullable = from->nullable || c->as_nullable;
        fields[i].metadata = copy_text(c, from->metadata);
    }
    return fields;
}

static const pt_type *copy_type(const copier *c, const pt_type *type)
{
    if (type == NULL)
        return NULL;
    bool is_nested = type->id >= PT_TYPE_ARRAY && type->id <= PT_TYPE_STRUCT;
    bool is_simple = !is_nested && type->id != PT_TYPE_UDT && type == pt__type_simple(type->id);
    if (is_simple || (c->as_nullable && !is_nested))
        return type;
    pt_type *copy = pt__arena_copy(c->arena, type, sizeof(*type));
    copy->contains_null = type->contains_null || c->as_nullable;
    copy->collation = copy_text(c, type->collation);
    copy->element = copy_type(c, type->element);
    copy->key = copy_type(c, type->key);
    copy->fields = copy_fields(c, type);
    copy->udt_class = copy_text(c, type->udt_class);
    copy->udt_python_class = copy_text(c, type->udt_python_class);
    copy->udt_serialized = copy_text(c, type->udt_serialized);
    return copy;
}

const pt_type *pt__type_as_nullable(pt__arena *arena, const pt_type *type)
{
    return copy_type(&(copier){arena, true}, type);
}

const pt_type *pt__type_copy(pt__arena *arena, const pt_type *type)
{
    return copy_type(&(copier){arena, false}, type);
}

/* Implicit casts and common types, as Spark's ANSI type coercion has them. */
#include "analyze/analyzer.h"

#include <string.h>

static int numeric_rank(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_BYTE: return 1;
    case PT_TYPE_SHORT: return 2;
    case PT_TYPE_INT: return 3;
    case PT_TYPE_LONG: return 4;
    case PT_TYPE_FLOAT: return 6;
    case PT_TYPE_DOUBLE: return 7;
    default: return 0;
    }
}

static int32_t integral_digits(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_BYTE: return 3;
    case PT_TYPE_SHORT: return 5;
    case PT_TYPE_INT: return 10;
    default: return 20;
    }
}

static int32_t smaller(int32_t x, int32_t y)
{
    return x < y ? x : y;
}

static int32_t larger(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

const pt_type *pt__bounded_decimal(pt__analyzer *a, int32_t precision, int32_t scale)
{
    return pt__type_decimal(a->arena, smaller(precision, PT_DECIMAL_PRECISION_MAX),
                            smaller(scale, PT_DECIMAL_PRECISION_MAX));
}

const pt_type *pt__adjusted_decimal(pt__analyzer *a, int32_t precision, int32_t scale)
{
    enum { SMALLEST_KEPT_SCALE = 6 };
    if (precision <= PT_DECIMAL_PRECISION_MAX)
        return pt__type_decimal(a->arena, precision, scale);
    if (scale < 0)
        return pt__type_decimal(a->arena, PT_DECIMAL_PRECISION_MAX, scale);
    int32_t integer_digits = precision - scale;
    int32_t least_scale = smaller(scale, SMALLEST_KEPT_SCALE);
    return pt__type_decimal(a->arena, PT_DECIMAL_PRECISION_MAX,
                            larger(PT_DECIMAL_PRECISION_MAX - integer_digits, least_scale));
}

static int32_t literal_digits(int64_t value)
{
    int32_t digits = 1;
    while (value /= 10)
        digits++;
    return digits;
}

const pt_type *pt__decimal_for(pt__analyzer *a, const pt_expr *expr)
{
    if (pt__type_is_integral(expr->type) && expr->kind == PT_EXPR_LITERAL && !pt__expr_as_literal(expr)->value.is_null)
        return pt__type_decimal(a->arena, literal_digits(pt__expr_as_literal(expr)->value.as.integer), 0);
    return pt__decimal_of(a, expr->type);
}

const pt_type *pt__decimal_of(pt__analyzer *a, const pt_type *type)
{
    if (type->id == PT_TYPE_DECIMAL)
        return type;
    if (pt__type_is_integral(type))
        return pt__type_decimal(a->arena, integral_digits(type), 0);
    if (type->id == PT_TYPE_FLOAT)
        return pt__type_decimal(a->arena, 14, 7);
    if (type->id == PT_TYPE_DOUBLE)
        return pt__type_decimal(a->arena, 30, 15);
    return pt__type_decimal(a->arena, PT_DECIMAL_PRECISION_MAX, 18);
}

static const pt_type *wider_decimal(pt__analyzer *a, const pt_type *x, const pt_type *y)
{
    int32_t scale = larger(x->scale, y->scale);
    int32_t digits = larger(x->precision - x->scale, y->precision - y->scale);
    return pt__bounded_decimal(a, digits + scale, scale);
}

static const pt_type *common_numeric(pt__analyzer *a, const pt_type *x, const pt_type *y)
{
    if (x->id == PT_TYPE_DECIMAL || y->id == PT_TYPE_DECIMAL) {
        const pt_type *other = x->id == PT_TYPE_DECIMAL ? y : x;
        if (other->id == PT_TYPE_FLOAT || other->id == PT_TYPE_DOUBLE)
            return PT_T(DOUBLE);
        const pt_type *dx = x->id == PT_TYPE_DECIMAL ? x : pt__type_decimal(a->arena, integral_digits(x), 0);
        const pt_type *dy = y->id == PT_TYPE_DECIMAL ? y : pt__type_decimal(a->arena, integral_digits(y), 0);
        return wider_decimal(a, dx, dy);
    }
    const pt_type *wider = numeric_rank(x) > numeric_rank(y) ? x : y;
    /* An integral type next to float would lose digits: both become double. */
    return wider->id == PT_TYPE_FLOAT && x->id != y->id ? PT_T(DOUBLE) : wider;
}

static const pt_type *common_datetime(const pt_type *x, const pt_type *y)
{
    if (x->id == PT_TYPE_TIME || y->id == PT_TYPE_TIME)
        return NULL;
    if (x->id == PT_TYPE_DATE)
        return y;
    if (y->id == PT_TYPE_DATE)
        return x;
    return PT_T(TIMESTAMP);
}

/* A string next to another atomic type takes that type's kind in ANSI mode. */
static const pt_type *common_with_string(const pt__analyzer *a, const pt_type *other)
{
    if (!a->ansi)
        return other->id == PT_TYPE_BINARY || other->id == PT_TYPE_BOOLEAN ? NULL : PT_T(STRING);
    if (pt__type_is_integral(other))
        return PT_T(LONG);
    if (pt__type_is_numeric(other))
        return PT_T(DOUBLE);
    if (pt__type_is_datetime(other) || other->id == PT_TYPE_BOOLEAN || other->id == PT_TYPE_BINARY ||
        pt__type_is_interval(other))
        return other;
    return NULL;
}

static const pt_type *common_interval(pt__analyzer *a, const pt_type *x, const pt_type *y)
{
    if (x->id != y->id)
        return NULL;
    return pt__type_interval(a->arena, x->id, x->start_field < y->start_field ? x->start_field : y->start_field,
                             x->end_field > y->end_field ? x->end_field : y->end_field);
}

static const pt_type *common_struct(pt__analyzer *a, const pt_type *x, const pt_type *y)
{
    if (x->field_count != y->field_count)
        return NULL;
    pt_field *fields = pt__arena_array(a->arena, pt_field, x->field_count);
    for (size_t i = 0; i < x->field_count; i++) {
        if (!pt__same_name(a, x->fields[i].name, y->fields[i].name))
            return NULL;
        fields[i] = x->fields[i];
        fields[i].type = pt__common_type(a, x->fields[i].type, y->fields[i].type);
        fields[i].nullable = x->fields[i].nullable || y->fields[i].nullable;
        if (fields[i].type == NULL)
            return NULL;
    }
    return pt__type_struct(a->arena, fields, x->field_count);
}

static const pt_type *common_map(pt__analyzer *a, const pt_type *x, const pt_type *y)
{
    const pt_type *key = pt__common_type(a, x->key, y->key);
    const pt_type *value = pt__common_type(a, x->element, y->element);
    if (key == NULL || value == NULL)
        return NULL;
    return pt__type_map(a->arena, key, value, x->contains_null || y->contains_null);
}

const pt_type *pt__common_type(pt__analyzer *a, const pt_type *x, const pt_type *y)
{
    if (pt__type_equal(x, y))
        return x;
    if (x->id == PT_TYPE_VOID)
        return y;
    if (y->id == PT_TYPE_VOID)
        return x;
    if (pt__type_is_numeric(x) && pt__type_is_numeric(y))
        return common_numeric(a, x, y);
    if (pt__type_is_string(x) && pt__type_is_string(y))
        return x->collation == NULL && y->collation != NULL ? y : x->id == PT_TYPE_STRING ? x : PT_T(STRING);
    if (pt__type_is_string(x))
        return common_with_string(a, y);
    if (pt__type_is_string(y))
        return common_with_string(a, x);
    if (pt__type_is_datetime(x) && pt__type_is_datetime(y))
        return common_datetime(x, y);
    if (pt__type_is_interval(x) && pt__type_is_interval(y))
        return common_interval(a, x, y);
    if (x->id != y->id)
        return NULL;
    if (x->id == PT_TYPE_ARRAY) {
        const pt_type *element = pt__common_type(a, x->element, y->element);
        return element == NULL ? NULL : pt__type_array(a->arena, element, x->contains_null || y->contains_null);
    }
    if (x->id == PT_TYPE_MAP)
        return common_map(a, x, y);
    if (x->id == PT_TYPE_STRUCT)
        return common_struct(a, x, y);
    return x->id == PT_TYPE_UDT ? NULL : x;
}

static bool is_atomic(const pt_type *type)
{
    return type->id != PT_TYPE_ARRAY && type->id != PT_TYPE_MAP && type->id != PT_TYPE_STRUCT &&
           type->id != PT_TYPE_VARIANT && type->id != PT_TYPE_UDT;
}

static bool can_widen_numeric(const pt__analyzer *a, const pt_type *from, const pt_type *to)
{
    if (!a->ansi)
        return true;
    if (to->id == PT_TYPE_DOUBLE)
        return true;
    if (to->id == PT_TYPE_DECIMAL && pt__type_is_integral(from))
        return to->precision - to->scale >= integral_digits(from) || from->id == PT_TYPE_LONG;
    if (to->id == PT_TYPE_DECIMAL)
        return from->id == PT_TYPE_DECIMAL && to->scale >= from->scale &&
               to->precision - to->scale >= from->precision - from->scale;
    return from->id != PT_TYPE_DECIMAL && numeric_rank(from) <= numeric_rank(to);
}

bool pt__can_cast_implicitly(const pt__analyzer *a, const pt_type *from, const pt_type *to)
{
    if (pt__type_same_kind(from, to) || from->id == PT_TYPE_VOID)
        return true;
    if (pt__type_is_numeric(from) && pt__type_is_numeric(to))
        return can_widen_numeric(a, from, to);
    if (pt__type_is_string(from))
        return is_atomic(to) && to->id != PT_TYPE_VOID && (a->ansi || !pt__type_is_interval(to));
    if (to->id == PT_TYPE_STRING)
        return is_atomic(from) && (a->ansi || from->id != PT_TYPE_BINARY);
    if (pt__type_is_datetime(from) && pt__type_is_datetime(to))
        return from->id != PT_TYPE_TIME && to->id != PT_TYPE_TIME;
    if (from->id != to->id)
        return false;
    switch (from->id) {
    case PT_TYPE_INTERVAL_DAY_TIME:
    case PT_TYPE_INTERVAL_YEAR_MONTH: return true;
    case PT_TYPE_ARRAY: return pt__can_cast_implicitly(a, from->element, to->element);
    case PT_TYPE_MAP:
        return pt__can_cast_implicitly(a, from->key, to->key) && pt__can_cast_implicitly(a, from->element, to->element);
    case PT_TYPE_STRUCT:
        if (from->field_count != to->field_count)
            return false;
        for (size_t i = 0; i < from->field_count; i++) {
            if (!pt__can_cast_implicitly(a, from->fields[i].type, to->fields[i].type))
                return false;
        }
        return true;
    default: return false;
    }
}

/* ---- explicit casts ---- */

static bool can_cast_nested(const pt__analyzer *a, const pt_type *from, const pt_type *to, pt_cast_mode mode)
{
    switch (from->id) {
    case PT_TYPE_ARRAY: return pt__can_cast(a, from->element, to->element, mode);
    case PT_TYPE_MAP:
        return pt__can_cast(a, from->key, to->key, mode) && pt__can_cast(a, from->element, to->element, mode);
    case PT_TYPE_STRUCT:
        if (from->field_count != to->field_count)
            return false;
        for (size_t i = 0; i < from->field_count; i++) {
            if (!pt__can_cast(a, from->fields[i].type, to->fields[i].type, mode))
                return false;
        }
        return true;
    default: return true;
    }
}

static bool can_cast_to_interval(const pt_type *from, const pt_type *to)
{
    if (pt__type_is_string(from) || from->id == to->id)
        return true;
    return to->id != PT_TYPE_INTERVAL_CALENDAR && pt__type_is_numeric(from) && from->id != PT_TYPE_FLOAT &&
           from->id != PT_TYPE_DOUBLE && to->start_field == to->end_field;
}

static bool can_cast_to_numeric(const pt_type *from, const pt_type *to, bool legacy)
{
    if (pt__type_is_string(from) || pt__type_is_numeric(from) || from->id == PT_TYPE_BOOLEAN ||
        from->id == PT_TYPE_TIMESTAMP)
        return true;
    if (from->id == PT_TYPE_DATE)
        return legacy;
    return (from->id == PT_TYPE_INTERVAL_DAY_TIME || from->id == PT_TYPE_INTERVAL_YEAR_MONTH) &&
           to->id != PT_TYPE_FLOAT && to->id != PT_TYPE_DOUBLE && from->start_field == from->end_field;
}

bool pt__can_cast(const pt__analyzer *a, const pt_type *from, const pt_type *to, pt_cast_mode mode)
{
    bool legacy = mode == PT_CAST_LEGACY;
    if (from->id == PT_TYPE_VOID)
        return true;
    if (from->id == to->id)
        return can_cast_nested(a, from, to, mode);
    if (from->id == PT_TYPE_VARIANT)
        return to->id != PT_TYPE_BINARY;
    if (pt__type_is_string(to))
        return true;
    if (pt__type_is_numeric(to))
        return can_cast_to_numeric(from, to, legacy);
    if (pt__type_is_interval(to))
        return can_cast_to_interval(from, to);
    switch (to->id) {
    case PT_TYPE_BOOLEAN:
        return pt__type_is_string(from) || pt__type_is_numeric(from) ||
               (legacy && (from->id == PT_TYPE_DATE || from->id == PT_TYPE_TIMESTAMP));
    case PT_TYPE_BINARY: return pt__type_is_string(from) || (pt__type_is_integral(from) && legacy);
    case PT_TYPE_DATE: return pt__type_is_string(from) || pt__type_is_datetime(from);
    case PT_TYPE_TIME: return pt__type_is_string(from) || pt__type_is_datetime(from);
    case PT_TYPE_TIMESTAMP:
        return pt__type_is_string(from) || pt__type_is_datetime(from) || pt__type_is_numeric(from) ||
               (legacy && from->id == PT_TYPE_BOOLEAN);
    case PT_TYPE_TIMESTAMP_NTZ: return pt__type_is_string(from) || pt__type_is_datetime(from);
    default: return to->id == PT_TYPE_VARIANT;
    }
}

/* Whether every value of `from` has its place in the decimal `to`. */
static bool fits_decimal(const pt_type *from, const pt_type *to)
{
    if (from->id == PT_TYPE_BOOLEAN)
        return to->precision - to->scale >= 1;
    if (pt__type_is_integral(from))
        return to->precision - to->scale >= integral_digits(from);
    if (from->id != PT_TYPE_DECIMAL)
        return false;
    int32_t given = from->precision - from->scale;
    int32_t kept = to->precision - to->scale;
    return kept > given || (kept == given && to->scale >= from->scale);
}

/*
 * Whether a cast counts as one that may give NULL for a value that is none: by the types alone, though a cast of ANSI
 * raises an error where others give NULL. Source: forceNullable of Spark's Cast.
 */
static bool cast_forces_nullable(const pt_type *from, const pt_type *to)
{
    if (pt__type_equal(from, to))
        return false;
    if (from->id == PT_TYPE_VARIANT || to->id == PT_TYPE_INTERVAL_CALENDAR)
        return true;
    if (pt__type_is_string(from))
        return to->id != PT_TYPE_BINARY && !pt__type_is_string(to);
    if (pt__type_is_string(to))
        return false;
    if (from->id == PT_TYPE_TIMESTAMP && pt__type_is_integral(to))
        return to->id != PT_TYPE_LONG;
    if (to->id == PT_TYPE_TIMESTAMP || to->id == PT_TYPE_TIMESTAMP_NTZ)
        return from->id == PT_TYPE_FLOAT || from->id == PT_TYPE_DOUBLE;
    if (to->id == PT_TYPE_DATE)
        return from->id != PT_TYPE_TIMESTAMP;
    if (to->id == PT_TYPE_DECIMAL)
        return !fits_decimal(from, to);
    bool is_fraction = from->id == PT_TYPE_FLOAT || from->id == PT_TYPE_DOUBLE || from->id == PT_TYPE_DECIMAL;
    return from->id == PT_TYPE_DATE || (is_fraction && pt__type_is_integral(to));
}

static bool cast_may_fail_to_null(const pt_type *from, const pt_type *to, pt_cast_mode mode)
{
    if (mode != PT_CAST_TRY || from->id == PT_TYPE_VARIANT)
        return cast_forces_nullable(from, to);
    return !pt__type_equal(from, to) &&
           !(pt__type_is_string(to) ||
             (pt__type_is_integral(from) && pt__type_is_integral(to) && numeric_rank(from) <= numeric_rank(to)));
}

const pt_expr *pt__make_cast(pt__analyzer *a, const pt_expr *expr, const pt_type *to, pt_cast_mode mode, bool implicit)
{
    pt_expr_cast *cast = pt__expr_make(a->arena, CAST, cast, expr->origin);
    cast->child = expr;
    cast->target = to;
    cast->mode = mode;
    cast->is_implicit = implicit;
    cast->base.type = to;
    cast->base.nullable =
        expr->nullable || expr->type->id == PT_TYPE_VOID || cast_may_fail_to_null(expr->type, to, mode);
    return &cast->base;
}

const pt_expr *pt__implicit_cast(pt__analyzer *a, const pt_expr *expr, const pt_type *to)
{
    if (pt__type_same_kind(expr->type, to))
        return expr;
    return pt__make_cast(a, expr, to, a->ansi ? PT_CAST_ANSI : PT_CAST_LEGACY, true);
}

static const char *ordinal(pt__arena *arena, size_t index)
{
    static const char *const WORDS[] = {"first", "second", "third"};
    return index < sizeof(WORDS) / sizeof(WORDS[0]) ? WORDS[index] : pt__arena_printf(arena, "%zuth", index + 1);
}

pt_status pt__mismatch(pt__analyzer *a, const pt_expr_call *call, size_t index, const char *required, pt_error *err)
{
    const pt_expr *argument = call->arguments[index];
    required = pt__required_type(call, index, required);
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_UNEXPECTED_INPUT_TYPE, "sqlExpr", pt__quote_refused(a, call),
                  "paramIndex", ordinal(a->arena, index), "requiredType", required, "inputSql",
                  pt__quote_expr(a->arena, argument), "inputType", pt__quote_type(a->arena, argument->type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

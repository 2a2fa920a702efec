/* Comparison and what is made of it; NaN and -0.0, which DataFusion tells apart by their bits. */
#include "backend/ballista/lower_rules.h"

#include <math.h>
#include <string.h>

/* Whether no value of the expression is NaN or -0.0. */
static bool is_plain_float(const pt_expr *expr)
{
    if (expr == NULL)
        return false;
    if (expr->kind == PT_EXPR_LITERAL) {
        const pt_value *value = &pt__expr_as_literal(expr)->value;
        return value->is_null || (!isnan(value->as.real) && !(value->as.real == 0 && signbit(value->as.real)));
    }
    if (expr->kind == PT_EXPR_CAST) {
        const pt_type *from = pt__expr_as_cast(expr)->child->type;
        return pt__type_is_integral(from) || from->id == PT_TYPE_DECIMAL;
    }
    return false;
}

const pt__bx *pt__bl_normal(pt__bl *bl, const pt__bx *x, const pt_expr *expr, const pt_type *type)
{
    if (!pt__bl_is_float(type) || is_plain_float(expr))
        return x;
    pt__btype *arrow = pt__btype_of(bl->arena, type);
    const pt__bx *nan_value = pt__bx_cast(bl->arena, pt__bx_double(bl->arena, NAN), arrow);
    const pt__bx *zero = pt__bx_cast(bl->arena, pt__bx_double(bl->arena, 0), arrow);
    const pt__bx *sum = pt__bx_binary(bl->arena, "Plus", x, zero); /* -0.0 + 0.0 is 0.0 */
    return pt__bx_if(bl->arena, pt__bx_call1(bl->arena, "isnan", x), nan_value, sum);
}

static const char *word_of(const char *op)
{
    static const char *const WORDS[][2] = {{"=", "Eq"},     {"equal_null", "IsNotDistinctFrom"},
                                           {"==", "Eq"},    {"<=>", "IsNotDistinctFrom"},
                                           {"<", "Lt"},     {"<=", "LtEq"},
                                           {">", "Gt"},     {">=", "GtEq"},
                                           {"!=", "NotEq"}, {"<>", "NotEq"}};
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (strcmp(WORDS[i][0], op) == 0)
            return WORDS[i][1];
    }
    return "Eq";
}

/* A finite literal other than zero. */
static bool is_ordinary(const pt_expr *expr)
{
    const pt_expr_literal *literal = expr == NULL ? NULL : pt__bl_literal(expr);
    if (literal == NULL || literal->value.is_null)
        return false;
    if (pt__bl_is_float(literal->base.type))
        return isfinite(literal->value.as.real) && literal->value.as.real != 0;
    return pt__type_is_integral(literal->base.type) && literal->value.as.integer != 0;
}

/* x OP c: -0.0 does not matter, and NaN is larger than all. Keeps a form that prunes files. */
static const pt__bx *with_literal(pt__bl *bl, const char *word, const pt__bx *x, const pt__bx *c)
{
    const pt__bx *plain = pt__bx_binary(bl->arena, word, x, c);
    const pt__bx *is_nan = pt__bx_call1(bl->arena, "isnan", x);
    if (word[0] == 'L')
        return pt__bx_binary(bl->arena, "And", plain, pt__bx_not(bl->arena, is_nan));
    return word[0] == 'G' ? pt__bx_binary(bl->arena, "Or", plain, is_nan) : plain;
}

static const char *turned(const char *word)
{
    static const char *const PAIRS[][2] = {{"Lt", "Gt"}, {"LtEq", "GtEq"}, {"Gt", "Lt"}, {"GtEq", "LtEq"}};
    for (size_t i = 0; i < sizeof(PAIRS) / sizeof(PAIRS[0]); i++) {
        if (strcmp(PAIRS[i][0], word) == 0)
            return PAIRS[i][1];
    }
    return word;
}

static bool is_nested(const pt_type *type)
{
    return type->id == PT_TYPE_STRUCT || type->id == PT_TYPE_ARRAY || type->id == PT_TYPE_MAP;
}

pt_status pt__bl_compare(pt__bl *bl, const char *op, const pt_expr *a, const pt_expr *b, const pt__bx *x,
                         const pt__bx *y, const pt_type *type, const pt__bx **out, pt_error *err)
{
    const char *word = word_of(op);
    if (is_nested(type))
        return pt__bl_refuse(err, a == NULL ? NULL : a->origin, "comparison of nested values");
    if (!pt__bl_is_float(type))
        *out = pt__bx_binary(bl->arena, word, x, y);
    else if (is_ordinary(b))
        *out = with_literal(bl, word, x, y);
    else if (is_ordinary(a))
        *out = with_literal(bl, turned(word), y, x);
    else
        *out = pt__bx_binary(bl->arena, word, pt__bl_normal(bl, x, a, type), pt__bl_normal(bl, y, b, type));
    return PT_OK;
}

/* Decimals of different scales: both in a type that holds either. */
static const pt__bx *common_decimal(pt__bl *bl, const pt__bx *x, const pt_type *own, const pt_type *other)
{
    int scale = own->scale > other->scale ? own->scale : other->scale;
    int a = own->precision - own->scale;
    int b = other->precision - other->scale;
    int precision = (a > b ? a : b) + scale;
    if (precision > PT_DECIMAL_PRECISION_MAX)
        return pt__bx_cast(bl->arena, x, pt__btype_decimal256(bl->arena, precision, scale));
    if (own->precision == precision && own->scale == scale)
        return x;
    return pt__bx_cast(bl->arena, x, pt__btype_of(bl->arena, pt__type_decimal(bl->arena, precision, scale)));
}

static pt_status compare_pair(pt__bl *bl, const pt_expr_call *call, const char *op, size_t i, size_t k,
                              const pt__bx *const *x, const pt__bx **out, pt_error *err)
{
    const pt_type *a = pt__bl_type_of(call, i);
    const pt_type *b = pt__bl_type_of(call, k);
    const pt__bx *left = x[i];
    const pt__bx *right = x[k];
    if (a->id == PT_TYPE_DECIMAL && b->id == PT_TYPE_DECIMAL) {
        left = common_decimal(bl, left, a, b);
        right = common_decimal(bl, right, b, a);
    } else if (a->id != b->id && pt__type_is_numeric(a) && pt__type_is_numeric(b)) {
        bool is_float = pt__bl_is_float(a) || pt__bl_is_float(b);
        const pt_type *wide = is_float ? PT_T(DOUBLE) : PT_T(LONG);
        if (!is_float && (a->id == PT_TYPE_DECIMAL || b->id == PT_TYPE_DECIMAL))
            return pt__bl_refuse(err, call->base.origin, "comparing a decimal with an integer");
        PT_TRY(pt__bl_cast_to(bl, PT_CAST_ANSI, left, a, wide, NULL, &left, err));
        PT_TRY(pt__bl_cast_to(bl, PT_CAST_ANSI, right, b, wide, NULL, &right, err));
        return pt__bl_compare(bl, op, call->arguments[i], call->arguments[k], left, right, wide, out, err);
    } else if (a->id != b->id && !(pt__type_is_string(a) && pt__type_is_string(b))) {
        return pt__bl_refuse(err, call->base.origin,
                             pt__arena_printf(bl->arena, "comparing %s with %s", pt__type_simple_string(bl->arena, a),
                                              pt__type_simple_string(bl->arena, b)));
    }
    return pt__bl_compare(bl, op, call->arguments[i], call->arguments[k], left, right, a, out, err);
}

PT_BL_LOWERING(compare)
{
    return compare_pair(bl, call, call->function->name, 0, 1, x, out, err);
}

PT_BL_LOWERING(between)
{
    const pt__bx *low;
    const pt__bx *high;
    PT_TRY(compare_pair(bl, call, ">=", 0, 1, x, &low, err));
    PT_TRY(compare_pair(bl, call, "<=", 0, 2, x, &high, err));
    *out = pt__bx_binary(bl->arena, "And", low, high);
    return PT_OK;
}

PT_BL_LOWERING(nullif)
{
    const pt__bx *equal;
    PT_TRY(compare_pair(bl, call, "=", 0, 1, x, &equal, err));
    pt__btype *type = pt__btype_of(bl->arena, call->base.type);
    *out = pt__bx_if(bl->arena, equal, pt__bx_null(bl->arena, type), x[0]);
    return PT_OK;
}

/* NaN without a sign, with which it would be the smallest of all. */
static const pt__bx *one_nan(pt__bl *bl, const pt__bx *x, const pt_type *type)
{
    if (!pt__bl_is_float(type))
        return x;
    const pt__bx *nan_value = pt__bx_cast(bl->arena, pt__bx_double(bl->arena, NAN), pt__btype_of(bl->arena, type));
    return pt__bx_if(bl->arena, pt__bx_call1(bl->arena, "isnan", x), nan_value, x);
}

PT_BL_LOWERING(greatest)
{
    if (is_nested(call->base.type))
        return pt__bl_refuse_function(bl, call, err);
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, call->argument_count);
    for (size_t i = 0; i < call->argument_count; i++)
        items[i] = one_nan(bl, x[i], call->base.type);
    const char *name = pt__bl_is_call(&call->base, "greatest") ? "greatest" : "least";
    *out = pt__bx_call(bl->arena, name, items, call->argument_count);
    return PT_OK;
}

PT_BL_LOWERING(when)
{
    (void)err;
    size_t pairs = call->argument_count / 2;
    *out = pt__bx_case(bl->arena, x, pairs, call->argument_count % 2 == 0 ? NULL : x[call->argument_count - 1]);
    return PT_OK;
}

PT_BL_LOWERING(typeof)
{
    (void)x, (void)err;
    *out = pt__bx_text(bl->arena, pt__type_simple_string(bl->arena, pt__bl_type_of(call, 0)));
    return PT_OK;
}

PT_BL_LOWERING(struct)
{
    const pt_type *type = call->base.type;
    bool is_named = pt__bl_is_call(&call->base, "named_struct");
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, 2 * type->field_count + 1);
    if (type->field_count == 0)
        return pt__bl_refuse(err, call->base.origin, "a struct without fields");
    for (size_t i = 0; i < type->field_count; i++) {
        items[2 * i] = pt__bx_text(bl->arena, type->fields[i].name);
        items[2 * i + 1] = x[is_named ? 2 * i + 1 : i];
    }
    *out = pt__bx_call(bl->arena, "named_struct", items, 2 * type->field_count);
    return PT_OK;
}

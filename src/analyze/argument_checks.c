/* Arguments that must be constants, literals or within a range: the rows of argument_checks.def. */
#include "analyze/analyzer.h"
#include "base/format_double.h"
#include "base/int128.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

typedef enum check_kind {
    CHECK_CONSTANT,
    CHECK_EARLY_CONSTANT,
    CHECK_LITERAL,
    CHECK_BETWEEN,
    CHECK_ORDERED,
    CHECK_ORDERED_ELEMENTS,
    CHECK_ORDERED_ARRAY,
    CHECK_HASHED,
    CHECK_OPTIONS,
    CHECK_NOT_VOID,
    CHECK_SEED
} check_kind;

typedef struct check {
    check_kind kind;
    const char *function;
    size_t argument;
    const char *name; /* of the argument, or the value of the literal's parameter */
    const char *text; /* the type, the literal's parameter, or the range */
    const char *null; /* what NULL is told as */
    double lowest;
    double highest;
    pt_type_id type;
    pt__condition_id condition;
} check;

static const check CHECKS[] = {
#define PT_CONSTANT(function, argument, name, type) {CHECK_CONSTANT, function, argument, name, type, "", 0, 0, 0, 0},
#define PT_EARLY_CONSTANT(function, argument, name, type)                                                              \
    {CHECK_EARLY_CONSTANT, function, argument, name, type, "", 0, 0, 0, 0},
#define PT_LITERAL(function, argument, type, condition, parameter, value)                                              \
    {CHECK_LITERAL, function, argument, value, parameter, "", 0, 0, PT_TYPE_##type, PT_COND_##condition},
#define PT_ARGUMENT(function, argument, rule) {CHECK_##rule, function, argument, "", "", "", 0, 0, 0, 0},
#define PT_BETWEEN(function, argument, name, lowest, highest, range, null)                                             \
    {CHECK_BETWEEN, function, argument, name, range, null, lowest, highest, 0, 0},
#include "analyze/argument_checks.def"
#undef PT_CONSTANT
#undef PT_EARLY_CONSTANT
#undef PT_LITERAL
#undef PT_ARGUMENT
#undef PT_BETWEEN
};

static const pt_expr_literal *literal_of(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_CAST && pt__expr_as_cast(expr)->is_implicit)
        expr = pt__expr_as_cast(expr)->child;
    return expr->kind == PT_EXPR_LITERAL ? pt__expr_as_literal(expr) : NULL;
}

static pt_status fail_constant(pt__analyzer *a, const pt_expr_call *call, const check *c, const pt_expr *argument,
                               pt_error *err)
{
    const char *type = *c->text == '\0' ? pt__quote_type(a->arena, argument->type) : c->text;
    return pt__raise(err, PT_COND_DATATYPE_MISMATCH_NON_FOLDABLE_INPUT, "sqlExpr", pt__quote_refused(a, call),
                     "inputName", c->name, "inputType", type, "inputExpr",
                     pt__quote_expr(a->arena, call->arguments[c->argument]), NULL);
}

/* What has no order, or is not hashed: the type, or what it holds. */
static bool has_type(const pt_type *type, bool maps_alone)
{
    switch (type->id) {
    case PT_TYPE_MAP: return true;
    case PT_TYPE_VARIANT:
    case PT_TYPE_INTERVAL_CALENDAR: return !maps_alone;
    case PT_TYPE_ARRAY: return has_type(type->element, maps_alone);
    case PT_TYPE_STRUCT:
        for (size_t i = 0; i < type->field_count; i++) {
            if (has_type(type->fields[i].type, maps_alone))
                return true;
        }
        return false;
    default: return false;
    }
}

bool pt__type_is_orderable(const pt_type *type)
{
    return !has_type(type, false);
}

pt_status pt__fail_unordered(pt__analyzer *a, const pt_expr_call *call, const pt_type *type, pt_error *err)
{
    pt_status status = pt__raise(
        err, PT_COND_DATATYPE_MISMATCH_INVALID_ORDERING_TYPE, "sqlExpr", pt__quote_expr(a->arena, &call->base),
        "functionName", pt__quote_name(a->arena, &call->name), "dataType", pt__quote_type(a->arena, type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static pt_status fail_call(pt__analyzer *a, const pt_expr_call *call, pt__condition_id condition, pt_error *err)
{
    return pt__raise(err, condition, "sqlExpr", pt__quote_expr(a->arena, &call->base), "functionName",
                     pt__quote_name(a->arena, &call->name), NULL);
}

static pt_status check_order(pt__analyzer *a, const pt_expr_call *call, const check *c, const pt_type *type,
                             pt_error *err)
{
    if (type->id != PT_TYPE_ARRAY && c->kind != CHECK_ORDERED)
        return PT_OK;
    if (pt__type_is_orderable(type))
        return PT_OK;
    return pt__fail_unordered(a, call, c->kind == CHECK_ORDERED_ELEMENTS ? type->element : type, err);
}

static bool is_map_call(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_CALL && strcasecmp(pt__name_last(&pt__expr_as_call(expr)->name), "map") == 0;
}

/* An early constant has the very type that the error tells; a BOOLEAN has a check of its own. */
static bool is_early_constant(const check *c, const pt_expr *argument)
{
    if (!pt__expr_is_constant(argument) || argument->type == NULL)
        return argument->type == NULL;
    if (strcmp(c->text, "\"INT\"") == 0)
        return pt__type_is_integral(argument->type);
    return strcmp(c->text, "\"STRING\"") != 0 || pt__type_is_string(argument->type);
}

static pt_status check_early(pt__analyzer *a, const pt_expr_call *call, const check *c, pt_error *err)
{
    const pt_expr *argument = call->arguments[c->argument];
    if (c->kind == CHECK_EARLY_CONSTANT && !is_early_constant(c, argument))
        return pt__raise(err, PT_COND_NON_FOLDABLE_ARGUMENT, "funcName", pt__quote_name(a->arena, &call->name),
                         "paramName", c->name, "paramType", c->text, NULL);
    if (c->kind == CHECK_OPTIONS && argument->type != NULL && argument->type->id != PT_TYPE_MAP &&
        !is_map_call(argument))
        return pt__raise(err, PT_COND_INVALID_OPTIONS_NON_MAP_FUNCTION, NULL);
    if (c->kind == CHECK_NOT_VOID && argument->type != NULL && argument->type->id == PT_TYPE_VOID)
        return fail_call(a, call, PT_COND_DATATYPE_MISMATCH_NULL_TYPE, err);
    if (c->kind != CHECK_LITERAL)
        return PT_OK;
    bool is_literal = argument->kind == PT_EXPR_LITERAL && argument->type->id == c->type &&
                      !pt__expr_as_literal(argument)->value.is_null;
    return is_literal ? PT_OK : pt__raise(err, c->condition, c->text, c->name, NULL);
}

/* The number that a literal is; false: it is none. */
static bool read_number(const pt_expr_literal *literal, double *value)
{
    const pt_type *type = literal->base.type;
    if (pt__type_is_integral(type))
        *value = (double)literal->value.as.integer;
    else if (type->id == PT_TYPE_DOUBLE || type->id == PT_TYPE_FLOAT)
        *value = literal->value.as.real;
    else if (type->id == PT_TYPE_DECIMAL)
        *value = pt__decimal_to_double(literal->value.as.decimal, type->scale);
    else
        return false;
    return true;
}

/* How Spark writes it as a value of the parameter's type: whole numbers have no fraction. */
static const char *number_text(pt__arena *arena, const pt_type *to, const pt_expr_literal *literal, double value)
{
    char digits[PT_DOUBLE_TEXT_MAX];
    const char *suffix = to->id == PT_TYPE_LONG ? "L" : "";
    if (to->id == PT_TYPE_DOUBLE) {
        pt__format_double(value, digits);
        return pt__arena_printf(arena, "%sD", digits);
    }
    if (pt__type_is_integral(literal->base.type))
        return pt__arena_printf(arena, "%" PRId64 "%s", literal->value.as.integer, suffix);
    return pt__arena_printf(arena, "%.0f%s", trunc(value) + 0.0, suffix);
}

static pt_status check_between(pt__analyzer *a, const pt_expr_call *call, const check *c, const pt_expr *argument,
                               pt_error *err)
{
    const pt_expr_literal *literal = literal_of(argument);
    if (literal == NULL)
        return PT_OK;
    double value = 0;
    if (literal->value.is_null && *c->null == '\0')
        return pt__raise(err, PT_COND_DATATYPE_MISMATCH_UNEXPECTED_NULL, "sqlExpr",
                         pt__quote_expr(a->arena, &call->base), "exprName", c->name, NULL);
    if (!literal->value.is_null && !read_number(literal, &value))
        return PT_OK;
    if (value >= c->lowest && value <= c->highest)
        return PT_OK;
    const char *text = literal->value.is_null ? c->null : number_text(a->arena, argument->type, literal, value);
    return pt__raise(err, PT_COND_DATATYPE_MISMATCH_VALUE_OUT_OF_RANGE, "sqlExpr",
                     pt__quote_expr(a->arena, &call->base), "exprName", c->name, "valueRange", c->text, "currentValue",
                     text, NULL);
}

static pt_status check_typed(pt__analyzer *a, const pt_expr_call *call, const check *c, const pt_expr *argument,
                             pt_error *err)
{
    if (c->kind == CHECK_CONSTANT && !pt__expr_is_constant(argument))
        return fail_constant(a, call, c, argument, err);
    switch (c->kind) {
    case CHECK_BETWEEN: return check_between(a, call, c, argument, err);
    case CHECK_ORDERED:
    case CHECK_ORDERED_ELEMENTS:
    case CHECK_ORDERED_ARRAY: return check_order(a, call, c, argument->type, err);
    case CHECK_HASHED:
        return has_type(argument->type, true) ? fail_call(a, call, PT_COND_DATATYPE_MISMATCH_HASH_MAP_TYPE, err)
                                              : PT_OK;
    case CHECK_SEED:
        if (pt__expr_is_constant(argument))
            return PT_OK;
        return pt__raise(err, PT_COND_SEED_EXPRESSION_IS_UNFOLDABLE, "seedExpr",
                         pt__quote_expr(a->arena, call->arguments[c->argument]), "exprWithSeed",
                         pt__quote_expr(a->arena, &call->base), NULL);
    default: return PT_OK;
    }
}

static bool concerns(const check *c, const char *function, const pt_expr_call *call)
{
    return c->argument < call->argument_count && strcasecmp(c->function, function) == 0;
}

pt_status pt__check_untyped_arguments(pt__analyzer *a, const char *function, const pt_expr_call *call, pt_error *err)
{
    for (size_t i = 0; i < sizeof(CHECKS) / sizeof(CHECKS[0]); i++) {
        pt_status status = concerns(&CHECKS[i], function, call) ? check_early(a, call, &CHECKS[i], err) : PT_OK;
        if (status != PT_OK)
            return pt__analyzer_fail(status, call->base.origin, err);
    }
    return PT_OK;
}

pt_status pt__check_typed_arguments(pt__analyzer *a, const pt_expr_call *call, const pt__match *match, pt_error *err)
{
    for (size_t i = 0; i < sizeof(CHECKS) / sizeof(CHECKS[0]); i++) {
        const check *c = &CHECKS[i];
        if (c->argument >= match->argument_count || !concerns(c, match->function->name, call))
            continue;
        pt_status status = check_typed(a, call, c, match->arguments[c->argument], err);
        if (status != PT_OK)
            return pt__analyzer_fail(status, call->base.origin, err);
    }
    return PT_OK;
}

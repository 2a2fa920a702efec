/* Types of calls that a signature cannot say: arithmetic, comparison, constructors, conditionals. */
#include "analyze/analyzer.h"
#include "analyze/collection_rules.h"
#include "base/arena_buffer.h"

#include <ctype.h>
#include <string.h>

/* ---- failures ---- */

static pt_status fail_differing(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_BINARY_OP_DIFF_TYPES, "sqlExpr", pt__quote_expr(a->arena, &call->base),
                  "left", pt__quote_type(a->arena, call->arguments[0]->type), "right",
                  pt__quote_type(a->arena, call->arguments[1]->type), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static pt_status fail_wrong_type(pt__analyzer *a, const pt_expr_call *call, const char *wanted, const pt_type *got,
                                 pt_error *err)
{
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_BINARY_OP_WRONG_TYPE, "sqlExpr", pt__quote_expr(a->arena, &call->base),
                  "inputType", wanted, "actualDataType", pt__quote_type(a->arena, got), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static pt_status fail_data_differ(pt__analyzer *a, const pt_expr_call *call, size_t first, pt_error *err)
{
    pt__buffer *types = pt__arena_buffer(a->arena);
    for (size_t i = first; i < call->argument_count; i++) {
        pt__buffer_append_string(types, i == first ? "" : i + 1 == call->argument_count ? " or " : ", ");
        pt__buffer_append_string(types, pt__quote_type(a->arena, call->arguments[i]->type));
    }
    pt_status status =
        pt__raise(err, PT_COND_DATATYPE_MISMATCH_DATA_DIFF_TYPES, "sqlExpr", pt__quote_expr(a->arena, &call->base),
                  "functionName", pt__quote_name(a->arena, &call->name), "dataType",
                  pt__arena_printf(a->arena, "[%s]", pt__buffer_string(types)), NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* ---- arithmetic ---- */

static bool is(const pt_expr *expr, pt_type_id id)
{
    return expr->type->id == id;
}

static bool is_numberish(const pt_expr *expr)
{
    return pt__type_is_numeric(expr->type) || pt__type_is_string(expr->type) || is(expr, PT_TYPE_VOID);
}

static void cast_argument(pt__analyzer *a, pt__match *match, size_t index, const pt_type *type)
{
    match->arguments[index] = pt__implicit_cast(a, match->arguments[index], type);
}

static void cast_both(pt__analyzer *a, pt__match *match, const pt_type *type)
{
    cast_argument(a, match, 0, type);
    cast_argument(a, match, 1, type);
    match->type = type;
}

static bool is_real(const pt_expr *expr)
{
    return is(expr, PT_TYPE_FLOAT) || is(expr, PT_TYPE_DOUBLE);
}

/* Operands stay decimals of their own precision; whole numbers become the decimals that hold them. */
static bool cast_to_decimals(pt__analyzer *a, pt__match *match)
{
    const pt_expr *x = match->arguments[0];
    const pt_expr *y = match->arguments[1];
    if ((!is(x, PT_TYPE_DECIMAL) && !is(y, PT_TYPE_DECIMAL)) || is_real(x) || is_real(y) ||
        pt__type_is_string(x->type) || pt__type_is_string(y->type))
        return false;
    for (size_t i = 0; i < 2; i++) {
        const pt_expr *other = match->arguments[1 - i];
        if (is(match->arguments[i], PT_TYPE_VOID))
            cast_argument(a, match, i, other->type);
        else
            cast_argument(a, match, i, pt__decimal_for(a, match->arguments[i]));
    }
    return true;
}

/* The common type of numbers, strings read as numbers. */
static pt_status number_type(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    const pt_type *x = match->arguments[0]->type;
    const pt_type *y = match->arguments[1]->type;
    bool no_number = !pt__type_is_numeric(x) && !pt__type_is_numeric(y);
    const pt_type *common = no_number ? PT_T(DOUBLE) : pt__common_type(a, x, y);
    if (!a->ansi && (pt__type_is_string(x) || pt__type_is_string(y)))
        common = PT_T(DOUBLE);
    if (common == NULL || !pt__type_is_numeric(common))
        return fail_differing(a, call, err);
    cast_both(a, match, common);
    return PT_OK;
}

static pt_status check_two(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    if (call->argument_count == 2)
        return PT_OK;
    pt_status status =
        pt__raise(err, PT_COND_WRONG_NUM_ARGS, "functionName", pt__quote_name(a->arena, &call->name), "expectedNum",
                  "2", "actualNum", pt__arena_printf(a->arena, "%zu", call->argument_count), "docroot",
                  "https://spark.apache.org/docs/latest", NULL);
    return pt__analyzer_fail(status, call->base.origin, err);
}

static pt_status require_numbers(pt__analyzer *a, const pt_expr_call *call, pt_error *err)
{
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    if (is_numberish(x) && is_numberish(y))
        return PT_OK;
    if (!pt__type_same_kind(x->type, y->type))
        return fail_differing(a, call, err);
    return fail_wrong_type(a, call, "\"NUMERIC\"", x->type, err);
}

static void note_mode(const pt_expr_call *call, pt__match *match)
{
    bool may_overflow_to_null =
        call->mode == PT_CAST_TRY || (call->mode == PT_CAST_LEGACY && match->type->id == PT_TYPE_DECIMAL);
    match->nullable |= may_overflow_to_null;
}

static pt_status sum_of_numbers(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match)) {
        PT_TRY(number_type(a, call, match, err));
        note_mode(call, match);
        return PT_OK;
    }
    const pt_type *x = match->arguments[0]->type;
    const pt_type *y = match->arguments[1]->type;
    int32_t scale = x->scale > y->scale ? x->scale : y->scale;
    int32_t digits =
        x->precision - x->scale > y->precision - y->scale ? x->precision - x->scale : y->precision - y->scale;
    match->type = pt__adjusted_decimal(a, digits + scale + 1, scale);
    note_mode(call, match);
    return PT_OK;
}

static bool is_interval(const pt_expr *expr)
{
    return pt__type_is_interval(expr->type);
}

/* date or timestamp, plus or minus an interval. */
static pt_status moved_datetime(pt__analyzer *a, const pt_expr_call *call, pt__match *match, size_t at, pt_error *err)
{
    if (pt__type_is_string(match->arguments[at]->type))
        cast_argument(a, match, at, PT_T(TIMESTAMP));
    const pt_type *moved = match->arguments[at]->type;
    const pt_type *interval = match->arguments[1 - at]->type;
    if (!pt__type_is_datetime(moved))
        return fail_differing(a, call, err);
    match->type = moved;
    bool has_time = interval->id == PT_TYPE_INTERVAL_DAY_TIME && interval->end_field != 0;
    if (moved->id == PT_TYPE_DATE && has_time)
        match->type = PT_T(TIMESTAMP);
    return PT_OK;
}

static pt_status type_add(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    if (is_interval(x) && is_interval(y)) {
        const pt_type *common = pt__common_type(a, x->type, y->type);
        if (common == NULL)
            return fail_differing(a, call, err);
        cast_both(a, match, common);
        return PT_OK;
    }
    if (is_interval(y) && !is(x, PT_TYPE_VOID))
        return moved_datetime(a, call, match, 0, err);
    if (is_interval(x) && !is(y, PT_TYPE_VOID))
        return moved_datetime(a, call, match, 1, err);
    for (size_t i = 0; i < 2; i++) {
        const pt_expr *other = call->arguments[1 - i];
        if (is(call->arguments[i], PT_TYPE_DATE) && (is(other, PT_TYPE_INT) || is(other, PT_TYPE_SHORT) ||
                                                     is(other, PT_TYPE_BYTE) || is(other, PT_TYPE_VOID))) {
            cast_argument(a, match, 1 - i, PT_T(INT));
            match->type = PT_T(DATE);
            return PT_OK;
        }
    }
    return sum_of_numbers(a, call, match, err);
}

static pt_status type_subtract(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    if ((pt__type_is_datetime(x->type) && (pt__type_is_datetime(y->type) || pt__type_is_string(y->type))) ||
        (pt__type_is_string(x->type) && pt__type_is_datetime(y->type))) {
        const pt_type *common = pt__common_type(a, x->type, y->type);
        if (common == NULL)
            return fail_differing(a, call, err);
        cast_both(a, match, common);
        match->type = common->id == PT_TYPE_DATE ? pt__type_interval(a->arena, PT_TYPE_INTERVAL_DAY_TIME, 0, 0)
                                                 : PT_T(INTERVAL_DAY_TIME);
        return PT_OK;
    }
    if (is_interval(x))
        return is_interval(y) || is(y, PT_TYPE_VOID) ? type_add(a, call, match, err) : fail_differing(a, call, err);
    return type_add(a, call, match, err);
}

static pt_status scaled_interval(pt__analyzer *a, const pt_expr_call *call, pt__match *match, size_t at, pt_error *err)
{
    const pt_expr *number = call->arguments[1 - at];
    if (pt__type_is_string(number->type))
        cast_argument(a, match, 1 - at, PT_T(DOUBLE));
    else if (!pt__type_is_numeric(number->type))
        return fail_differing(a, call, err);
    const pt_type *type = call->arguments[at]->type;
    match->type = type->id == PT_TYPE_INTERVAL_CALENDAR ? type : pt__type_simple(type->id);
    return PT_OK;
}

static pt_status type_multiply(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    for (size_t i = 0; i < 2; i++) {
        if (is_interval(call->arguments[i]))
            return scaled_interval(a, call, match, i, err);
    }
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match))
        PT_TRY(number_type(a, call, match, err));
    else
        match->type =
            pt__adjusted_decimal(a, match->arguments[0]->type->precision + match->arguments[1]->type->precision + 1,
                                 match->arguments[0]->type->scale + match->arguments[1]->type->scale);
    note_mode(call, match);
    return PT_OK;
}

static pt_status type_divide(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    match->nullable = true;
    if (is_interval(call->arguments[0]))
        return scaled_interval(a, call, match, 0, err);
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match)) {
        cast_both(a, match, PT_T(DOUBLE));
        return PT_OK;
    }
    const pt_type *x = match->arguments[0]->type;
    const pt_type *y = match->arguments[1]->type;
    int32_t scale = x->scale + y->precision + 1 > 6 ? x->scale + y->precision + 1 : 6;
    match->type = pt__adjusted_decimal(a, x->precision - x->scale + y->scale + scale, scale);
    return PT_OK;
}

static pt_status type_remainder(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    PT_TRY(require_numbers(a, call, err));
    if (!cast_to_decimals(a, match)) {
        PT_TRY(number_type(a, call, match, err));
    } else {
        const pt_type *x = match->arguments[0]->type;
        const pt_type *y = match->arguments[1]->type;
        int32_t scale = x->scale > y->scale ? x->scale : y->scale;
        int32_t dx = x->precision - x->scale;
        int32_t dy = y->precision - y->scale;
        match->type = pt__adjusted_decimal(a, (dx < dy ? dx : dy) + scale, scale);
    }
    match->nullable = true;
    return PT_OK;
}

static pt_status type_integral_divide(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    match->nullable = true;
    const pt_expr *x = call->arguments[0];
    const pt_expr *y = call->arguments[1];
    match->type = PT_T(LONG);
    if (is_interval(x) && x->type->id == y->type->id)
        return PT_OK;
    PT_TRY(require_numbers(a, call, err));
    if (is_real(x) || is_real(y))
        return fail_wrong_type(
            a, call, "(\"BIGINT\" or \"DECIMAL\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\")",
            is_real(x) ? x->type : y->type, err);
    if (!cast_to_decimals(a, match)) {
        cast_argument(a, match, 0, PT_T(LONG));
        cast_argument(a, match, 1, PT_T(LONG));
    }
    return PT_OK;
}

static pt_status type_bitwise(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_type *common = pt__common_type(a, call->arguments[0]->type, call->arguments[1]->type);
    if (common != NULL && common->id == PT_TYPE_VOID)
        common = PT_T(INT);
    if (common == NULL)
        return fail_differing(a, call, err);
    if (!pt__type_is_integral(common))
        return fail_wrong_type(a, call, "\"INTEGRAL\"", common, err);
    cast_both(a, match, common);
    return PT_OK;
}

static pt_status type_same_numeric(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count != 1)
        return PT_NOT_FOUND;
    const pt_type *type = call->arguments[0]->type;
    if (pt__type_is_string(type) || type->id == PT_TYPE_VOID)
        cast_argument(a, match, 0, PT_T(DOUBLE));
    else if (!pt__type_is_numeric(type) && !pt__type_is_interval(type))
        return pt__mismatch(a, call, 0,
                            "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL\")",
                            err);
    match->type = match->arguments[0]->type;
    return PT_OK;
}

static pt_status type_ceil(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count == 0 || call->argument_count > 2)
        return PT_NOT_FOUND;
    const pt_type *type = call->arguments[0]->type;
    if (!is_numberish(call->arguments[0]))
        return pt__mismatch(a, call, 0, "(\"DECIMAL\" or \"DOUBLE\" or \"BIGINT\")", err);
    if (call->argument_count == 2) {
        const pt_type *decimal = pt__decimal_for(a, call->arguments[0]);
        const pt_expr *scale = call->arguments[1];
        if (scale->kind != PT_EXPR_LITERAL && !pt__expr_is_constant(scale))
            return pt__mismatch(a, call, 1, "\"INT\"", err);
        int64_t digits = scale->kind == PT_EXPR_LITERAL ? pt__expr_as_literal(scale)->value.as.integer : 0;
        cast_argument(a, match, 0, decimal);
        int32_t kept = digits < 0 ? 0 : digits < decimal->scale ? (int32_t)digits : decimal->scale;
        int32_t precision = decimal->precision - decimal->scale + kept + 1;
        if (digits < 0 && -digits + 1 > precision) /* what rounding up to a power of ten may need */
            precision = digits < -PT_DECIMAL_PRECISION_MAX ? PT_DECIMAL_PRECISION_MAX : (int32_t)-digits + 1;
        match->type = pt__bounded_decimal(a, precision, kept);
        return PT_OK;
    }
    if (type->id == PT_TYPE_DECIMAL) {
        match->type = pt__bounded_decimal(a, type->precision - type->scale + (type->scale > 0), 0);
    } else {
        if (!pt__type_is_integral(type))
            cast_argument(a, match, 0, PT_T(DOUBLE));
        else
            cast_argument(a, match, 0, PT_T(LONG));
        match->type = PT_T(LONG);
    }
    return PT_OK;
}

static pt_status type_round(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count == 0 || call->argument_count > 2)
        return PT_NOT_FOUND;
    if (!is_numberish(call->arguments[0]))
        return pt__mismatch(a, call, 0, "\"NUMERIC\"", err);
    if (pt__type_is_string(call->arguments[0]->type) || is(call->arguments[0], PT_TYPE_VOID))
        cast_argument(a, match, 0, PT_T(DOUBLE));
    const pt_type *type = match->arguments[0]->type;
    int64_t digits = 0;
    if (call->argument_count == 2) {
        const pt_expr *scale = call->arguments[1];
        if (!pt__expr_is_constant(scale))
            return pt__mismatch(a, call, 1, "\"INT\"", err);
        const pt_expr *plain = scale;
        bool negative = false;
        if (scale->kind == PT_EXPR_CALL && pt__expr_as_call(scale)->argument_count == 1) {
            negative = strcmp(pt__expr_as_call(scale)->name.parts[0], "negative") == 0;
            plain = pt__expr_as_call(scale)->arguments[0];
        }
        if (plain->kind == PT_EXPR_LITERAL && !pt__expr_as_literal(plain)->value.is_null)
            digits = pt__expr_as_literal(plain)->value.as.integer * (negative ? -1 : 1);
        cast_argument(a, match, 1, PT_T(INT));
    }
    match->type = type;
    if (type->id == PT_TYPE_DECIMAL) {
        int32_t integer_digits = type->precision - type->scale + 1;
        if (digits < 0) {
            int32_t kept = (int32_t)-digits + 1 > integer_digits ? (int32_t)-digits + 1 : integer_digits;
            match->type = pt__bounded_decimal(a, kept, 0);
        } else {
            int32_t scale = digits < type->scale ? (int32_t)digits : type->scale;
            match->type = pt__bounded_decimal(a, integer_digits + scale, scale);
        }
    }
    return PT_OK;
}

/* ---- comparison ---- */

static bool is_orderable(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_MAP:
    case PT_TYPE_VARIANT:
    case PT_TYPE_INTERVAL_CALENDAR: return false;
    case PT_TYPE_ARRAY: return is_orderable(type->element);
    case PT_TYPE_STRUCT:
        for (size_t i = 0; i < type->field_count; i++) {
            if (!is_orderable(type->fields[i].type))
                return false;
        }
        return true;
    default: return true;
    }
}

static pt_status type_compare(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_type *x = call->arguments[0]->type;
    const pt_type *y = call->arguments[1]->type;
    bool both_text = pt__type_is_string(x) && pt__type_is_string(y);
    const pt_type *common = both_text ? pt__common_type(a, x, y) : pt__common_type(a, x, y);
    if (common == NULL)
        return fail_differing(a, call, err);
    bool equality = strchr(call->name.parts[0], '=') != NULL && call->name.parts[0][0] != '>' &&
                    (call->name.parts[0][0] != '<' || call->name.parts[0][2] == '>');
    if (!is_orderable(common) && !(equality && common->id == PT_TYPE_INTERVAL_CALENDAR))
        return fail_wrong_type(a, call, "\"ORDERED TYPE\"", common, err);
    cast_both(a, match, common);
    match->type = PT_T(BOOLEAN);
    return PT_OK;
}

/* x BETWEEN low AND high */
static pt_status type_between(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count != 3)
        return PT_NOT_FOUND;
    const pt_type *common = call->arguments[0]->type;
    for (size_t i = 1; i < 3 && common != NULL; i++)
        common = pt__common_type(a, common, call->arguments[i]->type);
    if (common == NULL)
        return fail_differing(a, call, err);
    for (size_t i = 0; i < 3; i++)
        cast_argument(a, match, i, common);
    match->type = PT_T(BOOLEAN);
    return PT_OK;
}

/* ---- constructors and conditionals ---- */

/* Casts arguments [first, count) in steps to their common type; NULL when there is none. */
static const pt_type *unify(pt__analyzer *a, pt__match *match, size_t first, size_t step, bool *nullable)
{
    const pt_type *common = PT_T(VOID);
    for (size_t i = first; i < match->argument_count && common != NULL; i += step) {
        common = pt__common_type(a, common, match->arguments[i]->type);
        *nullable |= match->arguments[i]->nullable;
    }
    if (common == NULL)
        return NULL;
    for (size_t i = first; i < match->argument_count; i += step)
        cast_argument(a, match, i, common);
    return common;
}

static pt_status type_array(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    bool nullable = false;
    const pt_type *element = unify(a, match, 0, 1, &nullable);
    if (element == NULL)
        return fail_data_differ(a, call, 0, err);
    match->type = pt__type_array(a->arena, element, nullable);
    match->nullable = false;
    return PT_OK;
}

static pt_status type_map(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count % 2 != 0) {
        pt_status status = pt__raise(err, PT_COND_WRONG_NUM_ARGS, "functionName", "`map`", "expectedNum", "2n (n > 0)",
                                     "actualNum", pt__arena_printf(a->arena, "%zu", call->argument_count), "docroot",
                                     "https://spark.apache.org/docs/latest", NULL);
        return pt__analyzer_fail(status, call->base.origin, err);
    }
    bool keys_nullable = false;
    bool nullable = false;
    const pt_type *key = unify(a, match, 0, 2, &keys_nullable);
    const pt_type *value = unify(a, match, 1, 2, &nullable);
    if (key == NULL || value == NULL)
        return fail_data_differ(a, call, 0, err);
    match->type = pt__type_map(a->arena, key, value, nullable);
    match->nullable = false;
    return PT_OK;
}

static const char *field_name(pt__analyzer *a, const pt_expr *expr, size_t index)
{
    switch (expr->kind) {
    case PT_EXPR_ALIAS: return pt__expr_as_alias(expr)->names[0];
    case PT_EXPR_COLUMN: return pt__expr_as_column(expr)->name;
    case PT_EXPR_FIELD: return pt__expr_as_field(expr)->name;
    case PT_EXPR_LAMBDA_VARIABLE: return pt__expr_as_lambda_variable(expr)->name.parts[0];
    default: return pt__arena_printf(a->arena, "col%zu", index + 1);
    }
}

static const char *alias_metadata(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_ALIAS ? pt__expr_as_alias(expr)->metadata : NULL;
}

static pt_status type_struct(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    (void)err;
    pt_field *fields = pt__arena_array(a->arena, pt_field, call->argument_count + 1);
    for (size_t i = 0; i < call->argument_count; i++) {
        const pt_expr *argument = call->arguments[i];
        fields[i] =
            (pt_field){field_name(a, argument, i), argument->type, argument->nullable, alias_metadata(argument)};
    }
    match->type = pt__type_struct(a->arena, fields, call->argument_count);
    match->nullable = false;
    return PT_OK;
}

static pt_status type_named_struct(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count % 2 != 0) {
        pt_status status = pt__raise(err, PT_COND_WRONG_NUM_ARGS, "functionName", "`named_struct`", "expectedNum",
                                     "2n (n > 0)", "actualNum", pt__arena_printf(a->arena, "%zu", call->argument_count),
                                     "docroot", "https://spark.apache.org/docs/latest", NULL);
        return pt__analyzer_fail(status, call->base.origin, err);
    }
    size_t count = call->argument_count / 2;
    pt_field *fields = pt__arena_array(a->arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt_expr *name = call->arguments[2 * i];
        if (name->kind != PT_EXPR_LITERAL || !pt__type_is_string(name->type))
            return pt__mismatch(a, call, 2 * i, "\"STRING\"", err);
        pt_text_view text = pt__expr_as_literal(name)->value.as.text;
        const pt_expr *value = call->arguments[2 * i + 1];
        fields[i] =
            (pt_field){pt__arena_copy_text(a->arena, text.data, text.size_bytes), value->type, value->nullable, NULL};
    }
    match->type = pt__type_struct(a->arena, fields, count);
    match->nullable = false;
    return PT_OK;
}

static pt_status type_concat(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    bool nullable = false;
    bool all_binary = call->argument_count != 0;
    bool any_array = false;
    for (size_t i = 0; i < call->argument_count; i++) {
        all_binary &= is(call->arguments[i], PT_TYPE_BINARY);
        any_array |= is(call->arguments[i], PT_TYPE_ARRAY);
        nullable |= call->arguments[i]->nullable;
    }
    match->nullable = nullable;
    if (any_array) {
        match->type = unify(a, match, 0, 1, &nullable);
        return match->type == NULL ? fail_data_differ(a, call, 0, err) : PT_OK;
    }
    match->type = all_binary ? PT_T(BINARY) : PT_T(STRING);
    for (size_t i = 0; i < call->argument_count; i++) {
        if (!all_binary && !pt__can_cast_implicitly(a, call->arguments[i]->type, PT_T(STRING)) &&
            !is(call->arguments[i], PT_TYPE_BINARY))
            return pt__mismatch(a, call, i, "(\"STRING\" or \"BINARY\" or \"ARRAY\")", err);
        cast_argument(a, match, i, match->type);
    }
    return PT_OK;
}

static pt_status type_if(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    (void)err;
    (void)call;
    match->type = match->arguments[1]->type;
    match->nullable = match->arguments[1]->nullable || match->arguments[2]->nullable;
    (void)a;
    return PT_OK;
}

static pt_status type_nullif(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_type *common = pt__common_type(a, call->arguments[0]->type, call->arguments[1]->type);
    if (common == NULL)
        return fail_differing(a, call, err);
    match->type = call->arguments[0]->type;
    match->nullable = true;
    return PT_OK;
}

/* when(condition, value, condition, value, …, otherwise): becomes CASE in expression.c; typed here for direct calls. */
static pt_status type_when(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    bool has_else = call->argument_count % 2 != 0;
    const pt_type *common = PT_T(VOID);
    bool nullable = !has_else;
    for (size_t i = 1; i < call->argument_count; i += 2) {
        if (!is(call->arguments[i - 1], PT_TYPE_BOOLEAN) && !is(call->arguments[i - 1], PT_TYPE_VOID))
            return pt__mismatch(a, call, i - 1, "\"BOOLEAN\"", err);
        common = common == NULL ? NULL : pt__common_type(a, common, call->arguments[i]->type);
        nullable |= call->arguments[i]->nullable;
    }
    if (has_else && common != NULL) {
        common = pt__common_type(a, common, call->arguments[call->argument_count - 1]->type);
        nullable |= call->arguments[call->argument_count - 1]->nullable;
    }
    if (common == NULL)
        return fail_data_differ(a, call, 1, err);
    for (size_t i = 1; i < call->argument_count; i += 2)
        cast_argument(a, match, i, common);
    if (has_else)
        cast_argument(a, match, call->argument_count - 1, common);
    match->type = common;
    match->nullable = nullable;
    return PT_OK;
}

/* ---- collections ---- */

static pt_status type_element_at(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_type *type = call->arguments[0]->type;
    if (type->id == PT_TYPE_ARRAY) {
        cast_argument(a, match, 1, PT_T(INT));
        match->type = type->element;
    } else if (type->id == PT_TYPE_MAP) {
        const pt_type *key = pt__common_type(a, type->key, call->arguments[1]->type);
        if (key == NULL)
            return fail_differing(a, call, err);
        cast_argument(a, match, 1, type->key);
        match->type = type->element;
    } else {
        return pt__mismatch(a, call, 0, "(\"ARRAY\" or \"MAP\")", err);
    }
    match->nullable = true;
    return PT_OK;
}

/* The struct of the columns that a generator makes. */
static pt_status type_explode(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count != 1)
        return PT_NOT_FOUND;
    const pt_type *type = call->arguments[0]->type;
    bool with_position = strncmp(match->function->name, "pos", 3) == 0;
    bool outer = strstr(match->function->name, "_outer") != NULL;
    pt_field *fields = pt__arena_array(a->arena, pt_field, 3);
    size_t count = 0;
    if (with_position)
        fields[count++] = (pt_field){"pos", PT_T(INT), outer, NULL};
    if (type->id == PT_TYPE_ARRAY) {
        fields[count++] = (pt_field){"col", type->element, outer || type->contains_null, NULL};
    } else if (type->id == PT_TYPE_MAP) {
        fields[count++] = (pt_field){"key", type->key, outer, NULL};
        fields[count++] = (pt_field){"value", type->element, outer || type->contains_null, NULL};
    } else {
        return pt__mismatch(a, call, 0, "(\"ARRAY\" or \"MAP\")", err);
    }
    match->type = pt__type_struct(a->arena, fields, count);
    match->nullable = false;
    return PT_OK;
}

/* ---- fields of dates and times ---- */

/* The function that computes a field of EXTRACT; NULL: no such field. */
static const char *field_function(const char *field, const pt_type *source)
{
    static const struct {
        const char *names; /* with a space around each */
        const char *function;
    } FIELDS[] = {
        {" YEAR Y YEARS YR YRS ", "year"},
        {" YEAROFWEEK ", "yearofweek"},
        {" QUARTER QTR ", "quarter"},
        {" MONTH MON MONS MONTHS ", "month"},
        {" WEEK W WEEKS ", "weekofyear"},
        {" DAY D DAYS ", "day"},
        {" DAYOFWEEK DOW ", "dayofweek"},
        {" DAYOFWEEK_ISO DOW_ISO ", "isodow"},
        {" DOY ", "dayofyear"},
        {" HOUR H HOURS HR HRS ", "hour"},
        {" MINUTE M MIN MINS MINUTES ", "minute"},
        {" SECOND S SEC SECONDS SECS ", "second_fraction"},
    };
    char padded[32];
    if (strlen(field) > sizeof(padded) - 3)
        return NULL;
    size_t size = 0;
    padded[size++] = ' ';
    for (; *field != '\0'; field++)
        padded[size++] = (char)toupper((unsigned char)*field);
    padded[size++] = ' ';
    padded[size] = '\0';
    (void)source;
    for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
        if (strstr(FIELDS[i].names, padded) != NULL)
            return FIELDS[i].function;
    }
    return NULL;
}

/* EXTRACT(field FROM source), date_part(field, source) */
static pt_status type_extract(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_expr *field = call->arguments[0];
    if (field->kind != PT_EXPR_LITERAL || !pt__type_is_string(field->type))
        return pt__mismatch(a, call, 0, "\"STRING\"", err);
    pt_text_view text = pt__expr_as_literal(field)->value.as.text;
    const char *name = pt__arena_copy_text(a->arena, text.data, text.size_bytes);
    const char *function = field_function(name, call->arguments[1]->type);
    if (function == NULL) {
        pt_status status = pt__raise(err, PT_COND_INVALID_EXTRACT_FIELD, "field", pt__quote_one(a->arena, name), "expr",
                                     pt__quote_expr(a->arena, call->arguments[1]), NULL);
        return pt__analyzer_fail(status, call->base.origin, err);
    }
    PT_TRY(pt__call(a, function, &call->arguments[1], 1, &match->folded, err));
    match->type = match->folded->type;
    match->nullable = match->folded->nullable;
    return PT_OK;
}

/* ---- decode and to_number ---- */

/* decode(x, search, result, …[, default]): the first result whose search equals x, NULL equal to NULL. */
static pt_status type_decode(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    if (call->argument_count < 3)
        return PT_NOT_FOUND;
    pt__list(const pt_expr *) when = {0};
    size_t i = 1;
    for (; i + 1 < call->argument_count; i += 2) {
        const pt_expr **sides = pt__arena_array(a->arena, const pt_expr *, 2);
        sides[0] = call->arguments[0];
        sides[1] = call->arguments[i];
        const pt_expr *equal;
        PT_TRY(pt__call(a, "<=>", sides, 2, &equal, err));
        pt__list_push(a->arena, &when, equal);
        pt__list_push(a->arena, &when, call->arguments[i + 1]);
    }
    if (i < call->argument_count)
        pt__list_push(a->arena, &when, call->arguments[i]);
    PT_TRY(pt__call(a, "when", when.items, when.count, &match->folded, err));
    match->type = match->folded->type;
    match->nullable = match->folded->nullable;
    return PT_OK;
}

/* The digits of the pattern make the decimal. */
static pt_status type_to_number(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    PT_TRY(check_two(a, call, err));
    const pt_expr *pattern = call->arguments[1];
    if (pattern->kind != PT_EXPR_LITERAL || !pt__type_is_string(pattern->type))
        return pt__mismatch(a, call, 1, "\"STRING\"", err);
    cast_argument(a, match, 0, PT_T(STRING));
    pt_text_view text = pt__expr_as_literal(pattern)->value.as.text;
    int32_t digits = 0;
    int32_t scale = 0;
    bool fraction = false;
    for (size_t i = 0; i < text.size_bytes; i++) {
        char c = text.data[i];
        fraction |= c == '.' || c == 'D' || c == 'd';
        digits += c == '0' || c == '9';
        scale += fraction && (c == '0' || c == '9');
    }
    match->type = pt__bounded_decimal(a, digits == 0 ? 1 : digits, scale);
    match->nullable = true;
    return PT_OK;
}

/* ---- aggregates ---- */

static pt_status type_decimal_sum(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    (void)call;
    (void)err;
    const pt_type *type = match->arguments[0]->type;
    match->type = pt__bounded_decimal(a, type->precision + 10, type->scale);
    return PT_OK;
}

static pt_status type_decimal_average(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    (void)call;
    (void)err;
    const pt_type *type = match->arguments[0]->type;
    match->type = pt__bounded_decimal(a, type->precision + 4, type->scale + 4);
    return PT_OK;
}

static pt_status type_second_fraction(pt__analyzer *a, const pt_expr_call *call, pt__match *match, pt_error *err)
{
    (void)call;
    (void)err;
    match->type = pt__type_decimal(a->arena, 8, 6);
    return PT_OK;
}

static const struct {
    const char *name;
    pt__type_rule rule;
} RULES[] = {
    {"add", type_add},
    {"array", type_array},
    {"between", type_between},
    {"bitwise", type_bitwise},
    {"ceil", type_ceil},
    {"compare", type_compare},
    {"concat", type_concat},
    {"decimal_average", type_decimal_average},
    {"decimal_sum", type_decimal_sum},
    {"decode", type_decode},
    {"divide", type_divide},
    {"element_at", type_element_at},
    {"explode", type_explode},
    {"extract", type_extract},
    {"if", type_if},
    {"integral_divide", type_integral_divide},
    {"map", type_map},
    {"multiply", type_multiply},
    {"named_struct", type_named_struct},
    {"nullif", type_nullif},
    {"remainder", type_remainder},
    {"round", type_round},
    {"same_numeric", type_same_numeric},
    {"second_fraction", type_second_fraction},
    {"struct", type_struct},
    {"subtract", type_subtract},
    {"to_number", type_to_number},
    {"when", type_when},
};

pt__type_rule pt__type_rule_find(const char *name, size_t name_size)
{
    for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]); i++) {
        if (strlen(RULES[i].name) == name_size && memcmp(RULES[i].name, name, name_size) == 0)
            return RULES[i].rule;
    }
    return pt__collection_rule_find(name, name_size);
}

/* The function table, and how calls of its rows are built. */
#include "decode/substrait/function.h"

#include <string.h>
#include <strings.h>

typedef pt__substrait_call_of call_of;

#define ARG(i) (call->arguments[i])

static pt_status want(decoder *d, const call_of *call, size_t fewest, size_t most)
{
    if (call->count >= fewest && call->count <= most)
        return PT_OK;
    return pt__substrait_bad(d, "the function %s has %zu arguments", call->shown, call->count);
}

static pt_status want_enum(decoder *d, const call_of *call, size_t index, const char **out)
{
    if (index >= call->enum_count)
        return pt__substrait_bad(d, "the function %s lacks an enumeration argument", call->shown);
    *out = call->enums[index];
    return PT_OK;
}

static const pt_expr *target(decoder *d, const call_of *call)
{
    return pt__expr_call_list(d->arena, NULL, call->row->target, call->arguments, call->count);
}

static bool is_type(const pt_type *type, pt_type_id id)
{
    return type != NULL && type->id == id;
}

static pt_status build_plain(decoder *d, const call_of *call, const pt_expr **out)
{
    *out = target(d, call);
    return PT_OK;
}

static const pt_expr *negate(decoder *d, const pt_expr *expr)
{
    return pt__substrait_call(d, "not", 1, expr, NULL, NULL);
}

static const pt_expr *integer(decoder *d, const pt_expr *expr)
{
    return pt__substrait_declared(d, expr, PT_T(INT));
}

/* Another meaning by the same name: words of DataFusion's initcap end at every sign that is no letter or digit. */
static pt_status build_refused(decoder *d, const call_of *call, const pt_expr **out)
{
    (void)out;
    return pt__substrait_unsupported(d, "the Substrait function %s", call->shown);
}

/* ---- numbers ---- */

static bool is_decimal(const pt_type *type)
{
    return is_type(type, PT_TYPE_DECIMAL);
}

static int32_t adjusted_scale(int32_t precision, int32_t scale)
{
    enum { LEAST_KEPT = 6 };
    int32_t kept = scale < LEAST_KEPT ? scale : LEAST_KEPT;
    if (precision <= PT_DECIMAL_PRECISION_MAX)
        return scale;
    int32_t left = PT_DECIMAL_PRECISION_MAX - (precision - scale);
    return left > kept ? left : kept;
}

/* Digits behind the point that Spark computes for two decimals; what a declared type has beyond them would be lost. */
static int32_t computed_scale(const char *operator, const pt_type * x, const pt_type *y)
{
    int32_t whole =
        x->precision - x->scale > y->precision - y->scale ? x->precision - x->scale : y->precision - y->scale;
    int32_t scale = x->scale > y->scale ? x->scale : y->scale;
    switch (*operator) {
    case '*': return adjusted_scale(x->precision + y->precision + 1, x->scale + y->scale);
    case '/': {
        int32_t wanted = x->scale + y->precision + 1 > 6 ? x->scale + y->precision + 1 : 6;
        return adjusted_scale(x->precision - x->scale + y->scale + wanted, wanted);
    }
    case '%': return scale;
    default: return adjusted_scale(whole + scale + 1, scale);
    }
}

static pt_status check_scale(decoder *d, const call_of *call)
{
    if (call->count != 2 || !is_decimal(call->types[0]) || !is_decimal(call->types[1]) || !is_decimal(call->output))
        return PT_OK;
    int32_t exact = *call->row->target == '*' ? call->types[0]->scale + call->types[1]->scale : call->output->scale;
    int32_t wanted = exact < call->output->scale ? exact : call->output->scale;
    if (computed_scale(call->row->target, call->types[0], call->types[1]) >= wanted)
        return PT_OK;
    return pt__substrait_unsupported(d, "the Substrait function %s with a result of type %s", call->shown,
                                     pt__substrait_type_text(d, call->output));
}

static int32_t least(int32_t x, int32_t y)
{
    return x < y ? x : y;
}

/*
 * A product that needs more than 38 digits loses some behind the point. The factors are narrowed, so that it needs no more;
 * a value that does not fit is an error.
 */
static void narrow_factors(decoder *d, const call_of *call)
{
    const pt_type *x = call->types[0];
    const pt_type *y = call->types[1];
    bool is_product = *call->row->target == '*' && is_decimal(x) && is_decimal(y) && is_decimal(call->output);
    if (!is_product || computed_scale("*", x, y) >= least(x->scale + y->scale, call->output->scale))
        return;
    int32_t whole = PT_DECIMAL_PRECISION_MAX - 1 - x->scale - y->scale;
    if (whole < 2)
        return;
    int32_t of_y = least(y->precision - y->scale, whole / 2);
    int32_t of_x = least(x->precision - x->scale, whole - of_y);
    of_y = least(y->precision - y->scale, whole - of_x);
    call->types[0] = pt__type_decimal(d->arena, of_x + x->scale == 0 ? 1 : of_x + x->scale, x->scale);
    call->types[1] = pt__type_decimal(d->arena, of_y + y->scale == 0 ? 1 : of_y + y->scale, y->scale);
    for (size_t i = 0; i < 2; i++)
        call->arguments[i] = pt__expr_cast(d->arena, ARG(i), call->types[i], PT_CAST_ANSI);
}

static pt_status build_arithmetic(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    narrow_factors(d, call);
    PT_TRY(check_scale(d, call));
    return build_plain(d, call, out);
}

/* Integers divide without rest. */
static pt_status build_divide(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    PT_TRY(check_scale(d, call));
    bool is_whole = call->output != NULL && pt__type_is_integral(call->output);
    *out = is_whole ? pt__substrait_call(d, "div", 2, ARG(0), ARG(1), NULL) : target(d, call);
    return PT_OK;
}

/* DataFusion cuts the quotient of decimals, to the digits that it declares. */
static pt_status build_divide_down(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    if (!is_decimal(call->output))
        return build_divide(d, call, out);
    const pt_expr *scale = pt__expr_int(d->arena, call->output->scale);
    *out = pt__substrait_call(d, "divide_down", 3, ARG(0), ARG(1), scale);
    return PT_OK;
}

static pt_status build_whole(decoder *d, const call_of *call, const pt_expr **out)
{
    for (size_t i = 0; i < call->count; i++) {
        if (is_decimal(call->types[i]))
            return pt__substrait_unsupported(d, "the Substrait function %s over decimals", call->shown);
    }
    return build_plain(d, call, out);
}

static pt_status build_round(decoder *d, const call_of *call, const pt_expr **out)
{
    const char *rounding = pt__substrait_preference(call, "rounding");
    PT_TRY(want(d, call, 1, 2));
    bool to_even = rounding != NULL && strcmp(rounding, "TIE_TO_EVEN") == 0;
    *out = pt__expr_call_list(d->arena, NULL, to_even ? "bround" : "round", call->arguments, call->count);
    return PT_OK;
}

static pt_status build_shift(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    *out = pt__substrait_call(d, call->row->target, 2, ARG(0), integer(d, ARG(1)), NULL);
    return PT_OK;
}

static pt_status build_exchanged(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    *out = pt__substrait_call(d, call->row->target, 2, ARG(1), ARG(0), NULL);
    return PT_OK;
}

/* ---- conditions ---- */

static pt_status build_fold(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, SIZE_MAX));
    *out = pt__substrait_fold(d, call->row->target, call->arguments, call->count);
    return PT_OK;
}

static pt_status build_and_not(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    *out = pt__substrait_call(d, "and", 2, ARG(0), negate(d, ARG(1)), NULL);
    return PT_OK;
}

static pt_status build_negated(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    *out = negate(d, target(d, call));
    return PT_OK;
}

static pt_status build_between(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 3, 3));
    const pt_expr *above = pt__substrait_call(d, ">=", 2, ARG(0), ARG(1), NULL);
    const pt_expr *below = pt__substrait_call(d, "<=", 2, ARG(0), ARG(2), NULL);
    *out = pt__substrait_call(d, "and", 2, above, below, NULL);
    return PT_OK;
}

static pt_status is_boolean(decoder *d, const call_of *call, bool wanted, bool negated, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, 1));
    const pt_expr *same = pt__substrait_call(d, "<=>", 2, ARG(0), pt__expr_boolean(d->arena, wanted), NULL);
    *out = negated ? negate(d, same) : same;
    return PT_OK;
}

static pt_status build_is_true(decoder *d, const call_of *call, const pt_expr **out)
{
    return is_boolean(d, call, true, false, out);
}

static pt_status build_is_not_true(decoder *d, const call_of *call, const pt_expr **out)
{
    return is_boolean(d, call, true, true, out);
}

static pt_status build_is_false(decoder *d, const call_of *call, const pt_expr **out)
{
    return is_boolean(d, call, false, false, out);
}

static pt_status build_is_not_false(decoder *d, const call_of *call, const pt_expr **out)
{
    return is_boolean(d, call, false, true, out);
}

/* NULL for NULL, where Spark's function has an answer. */
static pt_status build_if_present(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, 1));
    const pt_expr *present = pt__substrait_call(d, "isnotnull", 1, ARG(0), NULL, NULL);
    *out = pt__substrait_if(d, present, target(d, call), NULL);
    return PT_OK;
}

static pt_status build_is_infinite(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, 1));
    *out = pt__substrait_call(d, "=", 2, target(d, call), pt__expr_double(d->arena, __builtin_inf()), NULL);
    return PT_OK;
}

/* NaN is greater than infinity. */
static pt_status build_is_finite(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, 1));
    *out = pt__substrait_call(d, "<", 2, target(d, call), pt__expr_double(d->arena, __builtin_inf()), NULL);
    return PT_OK;
}

/* NULL when any argument is. */
static pt_status build_unless_null(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, SIZE_MAX));
    if (call->count == 1) {
        *out = ARG(0);
        return PT_OK;
    }
    const pt_expr **present = pt__arena_array(d->arena, const pt_expr *, call->count);
    for (size_t i = 0; i < call->count; i++)
        present[i] = pt__substrait_call(d, "isnotnull", 1, ARG(i), NULL, NULL);
    *out = pt__substrait_if(d, pt__substrait_fold(d, "and", present, call->count), target(d, call), NULL);
    return PT_OK;
}

/* ---- text ---- */

/* What is to be trimmed comes first in Spark. */
static pt_status build_trim(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, 2));
    *out = call->count == 1 ? target(d, call) : pt__substrait_call(d, call->row->target, 2, ARG(1), ARG(0), NULL);
    return PT_OK;
}

static const pt_expr *or_empty(decoder *d, const pt_expr *expr)
{
    return pt__substrait_call(d, "coalesce", 2, expr, pt__expr_string(d->arena, ""), NULL);
}

static pt_status build_skip_nulls(decoder *d, const call_of *call, const pt_expr **out)
{
    const pt_expr **texts = pt__arena_array(d->arena, const pt_expr *, call->count + 1);
    for (size_t i = 0; i < call->count; i++)
        texts[i] = or_empty(d, ARG(i));
    *out = pt__expr_call_list(d->arena, NULL, call->row->target, texts, call->count);
    return PT_OK;
}

static pt_status build_lower(decoder *d, const call_of *call, const pt_expr **out)
{
    *out = pt__substrait_call(d, "lower", 1, target(d, call), NULL, NULL);
    return PT_OK;
}

static pt_status build_repeat(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    *out = pt__substrait_call(d, "repeat", 2, ARG(0), pt__expr_cast(d->arena, ARG(1), PT_T(INT), PT_CAST_ANSI), NULL);
    return PT_OK;
}

static bool is_positive(const pt_expr *expr)
{
    if (expr->kind != PT_EXPR_LITERAL || !pt__type_is_integral(expr->type))
        return false;
    const pt_value *value = &pt__expr_as_literal(expr)->value;
    return !value->is_null && value->as.integer > 0 && value->as.integer <= INT32_MAX;
}

/*
 * The characters at positions start to start + length of the text, which has 1 to its length: Spark's substring takes a
 * start of 0 for 1 and counts negative ones from the end.
 */
static const pt_expr *by_positions(decoder *d, const call_of *call)
{
    const pt_expr *one = pt__expr_int(d->arena, 1);
    const pt_expr *start = integer(d, ARG(1));
    const pt_expr *from = pt__substrait_call(d, "greatest", 2, start, one, NULL);
    const pt_expr *text = pt__substrait_call(d, "substring", 2, ARG(0), from, NULL);
    if (call->count == 3) {
        const pt_expr *skipped = pt__substrait_call(d, "-", 2, from, start, NULL);
        text = pt__substrait_call(d, "substring", 3, ARG(0), from,
                                  pt__substrait_call(d, "-", 2, integer(d, ARG(2)), skipped, NULL));
    }
    const pt_expr *known = pt__substrait_call(d, "isnotnull", 1, ARG(1), NULL, NULL); /* greatest() skips NULL */
    return pt__substrait_if(d, known, text, NULL);
}

static pt_status build_substring(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 3));
    const char *negative = pt__substrait_preference(call, "negative_start");
    bool as_spark = is_positive(ARG(1)) || negative != NULL;
    for (size_t i = 1; as_spark && i < call->count; i++)
        call->arguments[i] = integer(d, ARG(i));
    *out = as_spark ? target(d, call) : by_positions(d, call);
    return PT_OK;
}

/* Substrait's pattern knows no escape character, Spark's the backslash. */
static pt_status build_like(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 2));
    const pt_expr *pattern = ARG(1);
    bool is_literal = pattern->kind == PT_EXPR_LITERAL && pt__type_is_string(pattern->type);
    pt_text_view text = is_literal ? pt__expr_as_literal(pattern)->value.as.text : (pt_text_view){NULL, 0};
    bool has_none = is_literal && (text.size_bytes == 0 || memchr(text.data, '\\', text.size_bytes) == NULL);
    if (!has_none)
        pattern = pt__substrait_call(d, "replace", 3, pattern, pt__expr_string(d->arena, "\\"),
                                     pt__expr_string(d->arena, "\\\\"));
    *out = pt__substrait_call(d, "like", 2, ARG(0), pattern, NULL);
    return PT_OK;
}

/* With an escape character that may be NULL: the backslash. */
static pt_status build_like_escape(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 2, 3));
    bool is_null = call->count == 2 ||
                   (ARG(2)->kind == PT_EXPR_LITERAL && (pt__expr_as_literal(ARG(2))->value.is_null ||
                                                        pt__expr_as_literal(ARG(2))->value.as.text.size_bytes == 0));
    *out = is_null ? pt__substrait_call(d, call->row->target, 2, ARG(0), ARG(1), NULL) : target(d, call);
    return PT_OK;
}

/* ---- dates and times ---- */

/* Component of Substrait, field of Spark's extract. DataFusion's names come as they are. */
static const char *const COMPONENTS[][2] = {
    {"DAY", "DAY"},
    {"DAY_OF_YEAR", "DOY"},
    {"HOUR", "HOUR"},
    {"ISO_WEEK", "WEEK"},
    {"ISO_YEAR", "YEAROFWEEK"},
    {"MINUTE", "MINUTE"},
    {"MONDAY_DAY_OF_WEEK", "DAYOFWEEK_ISO"},
    {"MONTH", "MONTH"},
    {"QUARTER", "QUARTER"},
    {"SECOND", "SECOND"},
    {"SUNDAY_DAY_OF_WEEK", "DAYOFWEEK"},
    {"WEEK", "WEEK"},
    {"YEAR", "YEAR"},
    {"DOY", "DOY"},
};

static const char *component_name(const char *name)
{
    for (size_t i = 0; i < sizeof(COMPONENTS) / sizeof(COMPONENTS[0]); i++) {
        if (strcasecmp(COMPONENTS[i][0], name) == 0)
            return COMPONENTS[i][1];
    }
    return NULL;
}

/* The component is an enumeration, or a literal of DataFusion; the rest is a date or time, and perhaps a time zone. */
static pt_status build_extract(decoder *d, const call_of *call, const pt_expr **out)
{
    const char *name = call->enum_count > 0 ? call->enums[0] : NULL;
    size_t first = name == NULL;
    bool is_literal = name == NULL && call->count > 0 && ARG(0)->kind == PT_EXPR_LITERAL &&
                      pt__type_is_string(ARG(0)->type) && !pt__expr_as_literal(ARG(0))->value.is_null;
    if (is_literal) {
        pt_text_view text = pt__expr_as_literal(ARG(0))->value.as.text;
        name = pt__arena_copy_text(d->arena, text.data, text.size_bytes);
    }
    if (name == NULL || call->count <= first)
        return pt__substrait_bad(d, "the function %s lacks arguments", call->shown);
    if (call->count != first + 1)
        return pt__substrait_unsupported(d, "the Substrait function %s with a time zone", call->shown);
    bool is_from_zero = call->enum_count > 1 && strcmp(call->enums[1], "ZERO") == 0;
    if (first == 1 && strcasecmp(name, "DOW") == 0) { /* Sunday is 0 */
        name = "SUNDAY_DAY_OF_WEEK";
        is_from_zero = true;
    }
    const char *field = component_name(name);
    if (field == NULL)
        return pt__substrait_unsupported(d, "the component %s of the Substrait function %s", name, call->shown);
    *out = pt__substrait_call(d, "extract", 2, pt__expr_string(d->arena, field), ARG(first), NULL);
    if (is_from_zero)
        *out = pt__substrait_call(d, "-", 2, *out, pt__expr_int(d->arena, 1), NULL);
    return PT_OK;
}

/* ---- aggregates and windows ---- */

static pt_status build_count(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 0, 1));
    *out =
        call->count == 1 ? target(d, call) : pt__substrait_call(d, "count", 1, pt__expr_int(d->arena, 1), NULL, NULL);
    return PT_OK;
}

/* DataFusion cuts the average of decimals, too. The calls of the sum and the count are found by pt__substrait_measure. */
static pt_status build_average_down(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, 1));
    if (call->is_window || !is_decimal(call->output) || !is_decimal(call->types[0]))
        return build_plain(d, call, out);
    const pt_expr *sum = pt__substrait_call(d, "sum", 1, ARG(0), NULL, NULL);
    const pt_expr *count = pt__substrait_call(d, "count", 1, ARG(0), NULL, NULL);
    count = pt__expr_cast(d->arena, count, pt__type_decimal(d->arena, 19, 0), PT_CAST_ANSI);
    *out = pt__substrait_call(d, "divide_down", 3, sum, count, pt__expr_int(d->arena, call->output->scale));
    return PT_OK;
}

static pt_status build_any_value(decoder *d, const call_of *call, const pt_expr **out)
{
    const char *ignore = pt__substrait_preference(call, "ignore_nulls");
    bool skip = ignore != NULL && strcmp(ignore, "TRUE") == 0;
    PT_TRY(want(d, call, 1, 1));
    *out = pt__substrait_call(d, "any_value", 2, ARG(0), pt__expr_boolean(d->arena, skip), NULL);
    return PT_OK;
}

/* Of a sample or a population: an option in one generation, an enumeration in the next. */
static pt_status build_deviation(decoder *d, const call_of *call, const pt_expr **out)
{
    const char *distribution = call->enum_count > 0 ? call->enums[0] : pt__substrait_preference(call, "distribution");
    PT_TRY(want(d, call, 1, 1));
    if (distribution == NULL)
        return pt__substrait_unsupported(d, "the Substrait function %s without a distribution", call->shown);
    bool is_population = strcmp(distribution, "POPULATION") == 0;
    const char *name = pt__arena_printf(d->arena, "%s_%s", call->row->target, is_population ? "pop" : "samp");
    *out = pt__expr_call_list(d->arena, NULL, name, call->arguments, call->count);
    return PT_OK;
}

static pt_status build_median(decoder *d, const call_of *call, const pt_expr **out)
{
    const char *precision;
    PT_TRY(want_enum(d, call, 0, &precision));
    return build_plain(d, call, out);
}

static pt_status build_ntile(decoder *d, const call_of *call, const pt_expr **out)
{
    PT_TRY(want(d, call, 1, 1));
    call->arguments[0] = integer(d, ARG(0));
    return build_plain(d, call, out);
}

/* ---- the table ---- */

static const pt__substrait_row rows[] = {
#define PT_SUBSTRAIT_FUNCTION(kind, tail, name, builder, target)                                                       \
    {PT_SUBSTRAIT_##kind, tail, name, build_##builder, target},
#include "decode/substrait/functions.def"
#undef PT_SUBSTRAIT_FUNCTION
};

/* A URI that ends with a slash stands for all standard extensions: DuckDB writes no other. */
static bool is_of(const pt__substrait_row *row, const char *tail)
{
    if (tail == NULL)
        return true;
    if (*tail == '\0')
        return strcmp(row->tail, "DATAFUSION") != 0;
    return strncmp(tail, row->tail, strlen(row->tail)) == 0;
}

const pt__substrait_row *pt__substrait_find_row(pt__substrait_function_kind kind, const char *tail, const char *name,
                                                size_t name_size)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool same_name = strlen(rows[i].name) == name_size && strncasecmp(rows[i].name, name, name_size) == 0;
        if (rows[i].kind == kind && same_name && is_of(&rows[i], tail))
            return &rows[i];
    }
    return NULL;
}

/* ---- options ---- */

static const struct option {
    const char *name;
    const char *preference;
    const char *function;
} options[] = {
#define PT_SUBSTRAIT_OPTION(name, preference, function) {name, preference, function},
#include "decode/substrait/options.def"
#undef PT_SUBSTRAIT_OPTION
};

enum { OPTION_COUNT = sizeof(options) / sizeof(options[0]) };

static bool has_own_row(const char *name, const char *function)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (strcasecmp(options[i].name, name) == 0 && options[i].function != NULL &&
            strcmp(options[i].function, function) == 0)
            return true;
    }
    return false;
}

static bool holds(const call_of *call, const char *name, const char *preference)
{
    bool own = has_own_row(name, call->row->name);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        bool is_named = strcasecmp(options[i].name, name) == 0 && strcasecmp(options[i].preference, preference) == 0;
        bool is_for = options[i].function == NULL ? !own : strcmp(options[i].function, call->row->name) == 0;
        if (is_named && is_for)
            return true;
    }
    return false;
}

const char *pt__substrait_preference(const call_of *call, const char *option)
{
    for (size_t i = 0; i < call->option_count; i++) {
        const Substrait__FunctionOption *given = call->options[i];
        if (strcasecmp(given->name, option) != 0)
            continue;
        for (size_t k = 0; k < given->n_preference; k++) {
            if (holds(call, given->name, given->preference[k]))
                return given->preference[k];
        }
    }
    return NULL;
}

pt_status pt__substrait_check_options(decoder *d, const call_of *call)
{
    for (size_t i = 0; i < call->option_count; i++) {
        const Substrait__FunctionOption *given = call->options[i];
        bool is_honoured = given->n_preference == 0;
        for (size_t k = 0; k < given->n_preference; k++)
            is_honoured |= holds(call, given->name, given->preference[k]);
        if (!is_honoured)
            return pt__substrait_unsupported(d, "the option %s=%s of the Substrait function %s", given->name,
                                             given->preference[0], call->shown);
    }
    return PT_OK;
}

#include "backend/duckdb/block.h"
#include "backend/duckdb/lower_collections.h"
#include "backend/duckdb/lower_datetime.h"
#include "backend/duckdb/lower_narrow.h"

#include "base/condition.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* What a template cannot say: one function per rule of functions.def, found by name in the table at the end. */

#define RULE(name)                                                                                                     \
    static pt_status rule_##name(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form,           \
                                 pt_error *err)

static const pt_type *type_of(const pt_expr_call *call, size_t index)
{
    return call->arguments[index]->type;
}

static bool is_decimal(const pt_expr_call *call)
{
    return call->base.type->id == PT_TYPE_DECIMAL;
}

static const pt_expr *skip_casts(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_CAST)
        expr = pt__expr_as_cast(expr)->child;
    return expr;
}

/* A literal, also one that analysis has cast. */
static const pt_expr_literal *literal_of(const pt_expr *expr)
{
    expr = skip_casts(expr);
    return expr->kind == PT_EXPR_LITERAL ? pt__expr_as_literal(expr) : NULL;
}

static bool is_nonzero_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = literal_of(expr);
    if (literal == NULL || literal->value.is_null)
        return false;
    if (pt__type_is_integral(literal->base.type))
        return literal->value.as.integer != 0 && literal->value.as.integer != -1;
    if (literal->base.type->id == PT_TYPE_DECIMAL)
        return literal->value.as.decimal != 0;
    return (literal->base.type->id == PT_TYPE_DOUBLE || literal->base.type->id == PT_TYPE_FLOAT) &&
           literal->value.as.real != 0;
}

static bool fails_to_null(const pt_expr_call *call)
{
    return call->mode == PT_CAST_TRY || call->mode == PT_CAST_LEGACY;
}

static pt_status by_template(pt__lower *lower, const pt_expr_call *call, const char *template, pt_error *err)
{
    return pt__lower_by_template(lower, template, call, NULL, err);
}

/* ---- arithmetic ---- */

/* spark_decimal_<name>_<precision>_<scale>, which gives exactly the type of the result. */
static pt_status by_decimal_function(pt__lower *lower, const pt_expr_call *call, const char *name, pt_error *err)
{
    const pt_type *type = call->base.type;
    return by_template(lower, call,
                       pt__arena_printf(lower->arena, "spark_decimal_%s_%d_%d({0}, {1}, %s)", name, type->precision,
                                        type->scale, fails_to_null(call) ? "true" : "false"),
                       err);
}

static bool is_word(const pt_expr_call *call, const char *word)
{
    return strcasecmp(call->function->name, word) == 0;
}

/* Whether DuckDB's + and - give exactly Spark's type. */
static bool sum_is_native(const pt_type *a, const pt_type *b, const pt_type *result)
{
    if (a->id != PT_TYPE_DECIMAL || b->id != PT_TYPE_DECIMAL)
        return false;
    int scale = a->scale > b->scale ? a->scale : b->scale;
    int whole = a->precision - a->scale > b->precision - b->scale ? a->precision - a->scale : b->precision - b->scale;
    return whole + scale + 1 < PT_DECIMAL_PRECISION_MAX && result->scale == scale;
}

/* DuckDB keeps a product of two short decimals in 18 digits; of longer ones ours is the faster, too. */
static pt_status multiply_decimals(pt__lower *lower, const pt_expr_call *call, pt_error *err)
{
    const pt_type *a = type_of(call, 0);
    const pt_type *b = type_of(call, 1);
    bool exact = call->base.type->scale == a->scale + b->scale;
    if (exact && a->precision + b->precision <= 18)
        return by_template(lower, call, "CAST(({0} * {1}) AS {r})", err);
    return by_decimal_function(lower, call, "multiply", err);
}

/* The operator that a function of the table stands for. */
static const char *operator_of(const pt_expr_call *call)
{
    static const struct {
        const char *name;
        const char *op;
    } NAMES[] = {{"try_add", "+"}, {"try_subtract", "-"}, {"try_multiply", "*"}, {"try_divide", "/"}, {"try_mod", "%"}};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (is_word(call, NAMES[i].name))
            return NAMES[i].op;
    }
    return call->function->name;
}

static pt_status by_datetime(pt__lower *lower, const pt_expr_call *call, const char *template, pt_error *err)
{
    if (call->mode == PT_CAST_TRY)
        template = pt__arena_printf(lower->arena, "TRY(%s)", template);
    return by_template(lower, call, template, err);
}

RULE(arithmetic)
{
    (void)form;
    const char *op = operator_of(call);
    const char *datetime = pt__datetime_template(lower, call, op);
    if (datetime != NULL)
        return by_datetime(lower, call, datetime, err);
    bool is_multiply = strcmp(op, "*") == 0;
    const char *name = is_multiply ? "multiply" : strcmp(op, "+") == 0 ? "add" : "subtract";
    if (is_decimal(call)) {
        if (pt__narrow_fits(lower, call)) {
            lower->used_narrow = true;
            return by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
        }
        if (is_multiply && type_of(call, 0)->id == PT_TYPE_DECIMAL && type_of(call, 1)->id == PT_TYPE_DECIMAL)
            return multiply_decimals(lower, call, err);
        if (!is_multiply && sum_is_native(type_of(call, 0), type_of(call, 1), call->base.type))
            return by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
        return by_decimal_function(lower, call, name, err);
    }
    bool wraps = pt__type_is_integral(call->base.type) && call->mode != PT_CAST_ANSI;
    if (wraps)
        return by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s_{m}({0}, {1})", name), err);
    return by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
}

RULE(divide)
{
    (void)form;
    const char *datetime = pt__datetime_template(lower, call, "/");
    if (datetime != NULL)
        return by_datetime(lower, call, datetime, err);
    if (is_decimal(call))
        return by_decimal_function(lower, call, "divide", err);
    if (is_nonzero_literal(call->arguments[1]))
        return by_template(lower, call, "({0} / {1})", err);
    if (fails_to_null(call))
        return by_template(lower, call, "({0} / nullif({1}, 0))", err);
    return by_template(lower, call, "spark_divide_ansi({0}, {1})", err);
}

RULE(integral_divide)
{
    (void)form;
    if (type_of(call, 0)->id == PT_TYPE_DECIMAL)
        return by_template(lower, call, "spark_decimal_integral_divide_{m}({0}, {1})", err);
    if (is_nonzero_literal(call->arguments[1]))
        return by_template(lower, call, "({0}::BIGINT // {1}::BIGINT)", err);
    return by_template(lower, call, "spark_integral_divide_{m}({0}::BIGINT, {1}::BIGINT)", err);
}

RULE(remainder)
{
    (void)form;
    const char *name = is_word(call, "pmod") ? "pmod" : "remainder";
    if (is_decimal(call))
        return by_decimal_function(lower, call, name, err);
    if (name[0] == 'r' && pt__type_is_integral(call->base.type) && is_nonzero_literal(call->arguments[1]))
        return by_template(lower, call, "({0} % {1})", err);
    return by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s_{m}({0}, {1})", name), err);
}

/* The digits, when DuckDB's own rounding of decimals, half away from zero, is what is asked for; else -1. */
static int native_digits(const pt_expr_call *call)
{
    int scale = type_of(call, 0)->scale;
    if (call->argument_count == 1)
        return scale > 0 ? 0 : -1;
    const pt_expr_literal *digits = literal_of(call->arguments[1]);
    if (digits == NULL || digits->value.is_null || !pt__type_is_integral(digits->base.type))
        return -1;
    int64_t value = digits->value.as.integer;
    return value >= 0 && value < scale && call->base.type->scale == value ? (int)value : -1;
}

RULE(round)
{
    (void)form;
    bool has_digits = call->argument_count > 1;
    const char *digits = has_digits ? "{1}::INTEGER" : "0::INTEGER";
    bool half_even = is_word(call, "bround");
    if (type_of(call, 0)->id == PT_TYPE_DECIMAL) {
        const pt_type *type = call->base.type;
        int native = half_even ? -1 : native_digits(call);
        if (native >= 0)
            return by_template(lower, call, pt__arena_printf(lower->arena, "CAST(round({0}, %d) AS {r})", native), err);
        return by_template(lower, call,
                           pt__arena_printf(lower->arena, "spark_decimal_round_%d_%d({0}, %s, %d::TINYINT)",
                                            type->precision, type->scale, digits, half_even ? 2 : 3),
                           err);
    }
    const char *name = half_even ? "bround" : "round";
    return by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s_{m}({0}, %s)", name, digits), err);
}

RULE(ceil)
{
    (void)form;
    bool is_floor = is_word(call, "floor");
    if (type_of(call, 0)->id == PT_TYPE_DECIMAL) {
        const pt_type *type = call->base.type;
        if (call->argument_count == 1 && type_of(call, 0)->scale > 0)
            return by_template(lower, call, is_floor ? "CAST(floor({0}) AS {r})" : "CAST(ceil({0}) AS {r})", err);
        const char *digits = call->argument_count > 1 ? "{1}::INTEGER" : "0::INTEGER";
        return by_template(lower, call,
                           pt__arena_printf(lower->arena, "spark_decimal_round_%d_%d({0}, %s, %d::TINYINT)",
                                            type->precision, type->scale, digits, is_floor ? 11 : 10),
                           err);
    }
    if (pt__type_is_integral(type_of(call, 0)))
        return by_template(lower, call, "CAST({0} AS {r})", err);
    return by_template(lower, call, is_floor ? "spark_floor({0}::DOUBLE)" : "spark_ceil({0}::DOUBLE)", err);
}

RULE(compare)
{
    (void)form;
    const char *op = call->function->name;
    if (strcmp(op, "<=>") == 0)
        op = "IS NOT DISTINCT FROM";
    else if (strcmp(op, "==") == 0)
        op = "=";
    else if (strcmp(op, "!=") == 0)
        op = "<>";
    if (pt__orders_by_key(type_of(call, 0)) && (op[0] == '<' || op[0] == '>') && strcmp(op, "<>") != 0)
        return by_template(lower, call, pt__arena_printf(lower->arena, "(spark_compare({0}, {1}) %s 0)", op), err);
    return by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", op), err);
}

/* ---- aggregates and windows ---- */

RULE(sum)
{
    if (pt__type_is_integral(call->base.type) || pt__type_is_interval(call->base.type) || is_decimal(call)) {
        bool to_null = call->mode == PT_CAST_TRY || (call->mode == PT_CAST_LEGACY && is_decimal(call));
        if (is_decimal(call) && call->base.type->precision == PT_DECIMAL_PRECISION_MAX) /* DuckDB goes to 39 digits */
            return pt__lower_by_template(lower,
                                         pt__arena_printf(lower->arena,
                                                          "spark_decimal_add_38_%d(sum({0}), 0::DECIMAL(1,0), %s)",
                                                          call->base.type->scale, to_null ? "true" : "false"),
                                         call, form, err);
        return pt__lower_by_template(lower, to_null ? "TRY_CAST(sum({0}) AS {r})" : "CAST(sum({0}) AS {r})", call, form,
                                     err);
    }
    return pt__lower_by_template(lower, "sum({0})", call, form, err);
}

/* The sum divided by the count, in decimals. */
RULE(decimal_average)
{
    const pt_type *type = call->base.type;
    return pt__lower_by_template(
        lower,
        pt__arena_printf(lower->arena, "spark_decimal_divide_%d_%d(sum({0}), CAST(count({0}) AS DECIMAL(20,0)), %s)",
                         type->precision, type->scale, fails_to_null(call) ? "true" : "false"),
        call, form, err);
}

/* count(1), count(*) and count(x) of what is never NULL count rows. */
static bool counts_rows(const pt_expr_call *call)
{
    if (call->is_distinct)
        return false;
    for (size_t i = 0; i < call->argument_count; i++) {
        if (call->arguments[i]->nullable)
            return false;
    }
    return true;
}

static void put_all_present(pt__lower *lower, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pt__putf(lower, "%s{%zu} IS NOT NULL", i == 0 ? "" : " AND ", i);
}

RULE(count)
{
    if (counts_rows(call)) {
        size_t count = call->argument_count;
        pt_expr_call bare = *call;
        bare.argument_count = 0;
        (void)count;
        return pt__lower_by_template(lower, "count(*)", &bare, form, err);
    }
    if (call->argument_count == 1)
        return pt__lower_by_template(lower, "count({0})", call, form, err);
    size_t mark = lower->text.size_bytes;
    pt__put(lower, call->is_distinct ? "count(({*})) FILTER (WHERE " : "count(*) FILTER (WHERE ");
    put_all_present(lower, call->argument_count);
    pt__put(lower, ")");
    return pt__lower_by_template(lower, pt__cut(lower, mark), call, form, err);
}

static bool is_true_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = literal_of(expr);
    return literal != NULL && !literal->value.is_null && literal->base.type->id == PT_TYPE_BOOLEAN &&
           literal->value.as.boolean;
}

/* first, last, any_value and their _value forms; a second argument or IGNORE NULLS skips NULLs. */
RULE(first)
{
    bool skips = call->ignore_nulls || (call->argument_count > 1 && is_true_literal(call->arguments[1]));
    bool is_last = strncasecmp(call->function->name, "last", 4) == 0;
    pt__aggregate_form own = form == NULL ? (pt__aggregate_form){0} : *form;
    own.ignore_nulls = false;
    if (own.over != NULL) {
        own.ignore_nulls = skips;
        return pt__lower_by_template(lower, is_last ? "last_value({0})" : "first_value({0})", call, &own, err);
    }
    if (skips)
        return pt__lower_by_template(
            lower, is_last ? "last({0}) FILTER (WHERE {0} IS NOT NULL)" : "first({0}) FILTER (WHERE {0} IS NOT NULL)",
            call, &own, err);
    return pt__lower_by_template(lower, is_last ? "last({0})" : "first({0})", call, &own, err);
}

RULE(to_number)
{
    (void)form;
    return by_template(lower, call, "CAST(spark_to_number_{m}({0}, {1}) AS {r})", err);
}

RULE(lag)
{
    const char *name = is_word(call, "lead") ? "lead" : "lag";
    const char *arguments = call->argument_count > 2   ? "{0}, {1}::BIGINT, {2}"
                            : call->argument_count > 1 ? "{0}, {1}::BIGINT"
                                                       : "{0}";
    return pt__lower_by_template(lower, pt__arena_printf(lower->arena, "%s(%s)", name, arguments), call, form, err);
}

RULE(ntile)
{
    return pt__lower_by_template(lower, call->argument_count == 0 ? "CAST(ntile(1) AS {r})" : "CAST(ntile({0}) AS {r})",
                                 call, form, err);
}

RULE(nth_value)
{
    pt__aggregate_form own = form == NULL ? (pt__aggregate_form){0} : *form;
    own.ignore_nulls = own.ignore_nulls || (call->argument_count > 2 && is_true_literal(call->arguments[2]));
    return pt__lower_by_template(lower, "nth_value({0}, {1}::BIGINT)", call, &own, err);
}

RULE(grouping)
{
    (void)form;
    const pt_plan_aggregate *aggregate = lower->aggregate;
    if (aggregate == NULL)
        return pt__lower_unsupported(err, call->base.origin, "grouping() outside of GROUP BY");
    if (aggregate->set_count == 0) {
        pt__put(lower, is_word(call, "grouping") ? "0::TINYINT" : "0::BIGINT");
        return PT_OK;
    }
    pt__put(lower, "grouping(");
    size_t count = call->argument_count == 0 ? aggregate->grouping_count : call->argument_count;
    for (size_t i = 0; i < count; i++) {
        size_t key = i;
        while (call->argument_count > 0 && key < aggregate->grouping_count &&
               !pt__expr_equal(aggregate->grouping[key], call->arguments[i]))
            key++;
        for (size_t k = 0; call->argument_count > 0 && k < aggregate->grouping_count; k++)
            key = pt__expr_equal(aggregate->grouping[k], call->arguments[i]) ? k : key;
        if (key >= aggregate->grouping_count)
            return pt__lower_unsupported(err, call->base.origin, "grouping() of what is no grouping column");
        pt__putf(lower, "%s%s", i == 0 ? "" : ", ", pt__bind(lower, aggregate->base.columns[key].id)->text);
    }
    pt__put(lower, is_word(call, "grouping") ? ")::TINYINT" : ")::BIGINT");
    return PT_OK;
}

/* ---- text ---- */

/* Whether every `escape` of the pattern stands before what needs one; `*any`: there is one. */
static bool escapes_well(const pt_value *pattern, char escape, bool *any)
{
    const char *text = pattern->as.text.data;
    *any = false;
    for (size_t i = 0; i < pattern->as.text.size_bytes; i++) {
        if (text[i] != escape)
            continue;
        *any = true;
        if (++i == pattern->as.text.size_bytes || (text[i] != '_' && text[i] != '%' && text[i] != escape))
            return false;
    }
    return true;
}

static const pt_value *text_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = literal_of(expr);
    return literal == NULL || literal->value.is_null ? NULL : &literal->value;
}

/* Without an escape DuckDB can turn the pattern into a search for its pieces. Ours says what is wrong with a pattern. */
RULE(like)
{
    (void)form;
    const char *word = is_word(call, "ilike") ? "ilike" : "like";
    const pt_value *pattern = text_literal(call->arguments[1]);
    const pt_value *given = call->argument_count > 2 ? text_literal(call->arguments[2]) : NULL;
    const char *escape_text = call->argument_count > 2 ? "{2}" : "'\\'";
    bool known = pattern != NULL && (call->argument_count < 3 || (given != NULL && given->as.text.size_bytes == 1));
    bool any;
    if (!known || !escapes_well(pattern, given == NULL ? '\\' : given->as.text.data[0], &any))
        return by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s({0}, {1}, %s)", word, escape_text),
                           err);
    if (!any)
        return by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", word), err);
    return by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1} ESCAPE %s)", word, escape_text), err);
}

/* Whether RE2 reads the pattern as Java does. */
static bool is_common_pattern(const pt_value *value)
{
    const char *data = value->as.text.data;
    size_t size = value->as.text.size_bytes;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\\' && i + 1 < size) {
            char next = data[++i];
            if (isdigit((unsigned char)next) || strchr("kpPGZXRNhHvVE", next) != NULL)
                return false;
        } else if (data[i] == '(' && i + 1 < size && data[i + 1] == '?') {
            if (i + 2 >= size || data[i + 2] != ':')
                return false;
        } else if (data[i] == '$' || (unsigned char)data[i] >= 0x80) {
            return false;
        } else if (strchr("*+?}", data[i]) != NULL && i + 1 < size && data[i + 1] == '+') {
            return false; /* possessive */
        } else if (data[i] == '[') {
            const char *close = memchr(data + i, ']', size - i);
            if (close == NULL || memmem(data + i, (size_t)(close - data) - i, "&&", 2) != NULL ||
                memchr(data + i + 1, '[', (size_t)(close - data) - i - 1) != NULL)
                return false;
        }
    }
    return true;
}

RULE(rlike)
{
    (void)form;
    const pt_expr_literal *pattern = literal_of(call->arguments[1]);
    bool is_common = pattern != NULL && !pattern->value.is_null && is_common_pattern(&pattern->value);
    return by_template(lower, call, is_common ? "regexp_matches({0}, {1})" : "spark_rlike({0}, {1})", err);
}

static bool is_positive_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = literal_of(expr);
    return literal != NULL && !literal->value.is_null && pt__type_is_integral(literal->base.type) &&
           literal->value.as.integer > 0;
}

RULE(substring)
{
    (void)form;
    if (type_of(call, 0)->id == PT_TYPE_BINARY)
        return by_template(lower, call,
                           call->argument_count > 2 ? "spark_substring({0}, {1}, {2})"
                                                    : "spark_substring({0}, {1}, 2147483647::INTEGER)",
                           err);
    const char *start = is_positive_literal(call->arguments[1]) ? "{1}" : "CASE WHEN {1} = 0 THEN 1 ELSE {1} END";
    if (call->argument_count < 3)
        return by_template(lower, call, pt__arena_printf(lower->arena, "substring({0}, %s)", start), err);
    const char *length = is_positive_literal(call->arguments[2]) ? "{2}" : "greatest({2}, 0)";
    return by_template(lower, call, pt__arena_printf(lower->arena, "substring({0}, %s, %s)", start, length), err);
}

static pt_status concat_arrays(pt__lower *lower, const pt_expr_call *call, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    pt__put(lower, "CASE WHEN ");
    put_all_present(lower, call->argument_count);
    pt__put(lower, " THEN ");
    for (size_t i = 1; i < call->argument_count; i++)
        pt__put(lower, "list_concat(");
    pt__put(lower, "{0}");
    for (size_t i = 1; i < call->argument_count; i++)
        pt__putf(lower, ", {%zu})", i);
    pt__put(lower, " END");
    return by_template(lower, call, pt__cut(lower, mark), err);
}

RULE(concat)
{
    (void)form;
    if (call->argument_count == 0) {
        pt__put(lower, "''::VARCHAR");
        return PT_OK;
    }
    if (call->base.type->id == PT_TYPE_ARRAY) {
        if (call->argument_count > 9)
            return pt__lower_unsupported(err, call->base.origin, "concat of more than 9 arrays");
        return concat_arrays(lower, call, err);
    }
    pt__put(lower, "(");
    for (size_t i = 0; i < call->argument_count; i++) {
        pt__put(lower, i == 0 ? "" : " || ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
    }
    pt__put(lower, ")");
    return PT_OK;
}

/* ---- values of the session, literals ---- */

RULE(session_value)
{
    (void)form;
    if (is_word(call, "current_timestamp") || is_word(call, "now"))
        return by_template(lower, call, "transaction_timestamp()", err);
    if (is_word(call, "current_date") || is_word(call, "curdate"))
        return by_template(lower, call, "CAST(transaction_timestamp() AT TIME ZONE {z} AS DATE)", err);
    if (is_word(call, "localtimestamp"))
        return by_template(lower, call, "(transaction_timestamp() AT TIME ZONE {z})", err);
    return pt__lower_unsupported(err, call->base.origin,
                                 pt__arena_printf(lower->arena, "the function %s", call->function->name));
}

RULE(cast_literal)
{
    (void)form;
    if (call->base.type->id == PT_TYPE_TIMESTAMP)
        return by_template(lower, call, "spark_cast_timestamp_ansi({0}, {z})", err);
    return by_template(lower, call, "spark_cast_timestamp_ntz_ansi({0}, {z})", err);
}

RULE(typeof)
{
    (void)form;
    (void)err;
    const char *name = pt__type_simple_string(lower->arena, type_of(call, 0));
    pt__put_string(lower, name, strlen(name));
    pt__put(lower, "::VARCHAR");
    return PT_OK;
}

RULE(when)
{
    (void)form;
    pt__put(lower, "CASE");
    size_t i = 0;
    for (; i + 1 < call->argument_count; i += 2) {
        pt__put(lower, " WHEN ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
        pt__put(lower, " THEN ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i + 1], err));
    }
    if (i < call->argument_count) {
        pt__put(lower, " ELSE ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
    }
    pt__put(lower, " END");
    return PT_OK;
}

/* ---- arrays, maps, structs ---- */

RULE(struct)
{
    (void)form;
    const pt_type *type = call->base.type;
    bool is_named = is_word(call, "named_struct");
    pt__put(lower, type->field_count == 0 ? "struct_pack(f0 := NULL::INTEGER" : "struct_pack(");
    for (size_t i = 0; i < type->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_field_name(lower, type, i);
        pt__put(lower, " := ");
        PT_TRY(pt__lower_expr(lower, call->arguments[is_named ? 2 * i + 1 : i], err));
    }
    pt__put(lower, ")");
    return PT_OK;
}

static pt_status put_every_second(pt__lower *lower, const pt_expr_call *call, size_t first, pt_error *err)
{
    pt__put(lower, "[");
    for (size_t i = first; i < call->argument_count; i += 2) {
        pt__put(lower, i == first ? "" : ", ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
    }
    pt__put(lower, "]");
    return PT_OK;
}

RULE(map)
{
    (void)form;
    if (call->argument_count == 0) {
        pt__put(lower, "CAST(MAP {} AS ");
        pt__put_type(lower, call->base.type);
        pt__put(lower, ")");
        return PT_OK;
    }
    if (call->mode == PT_CAST_LEGACY)
        return pt__lower_map_last_wins(lower, call, err);
    pt__put(lower, "map(");
    PT_TRY(put_every_second(lower, call, 0, err));
    pt__put(lower, ", ");
    PT_TRY(put_every_second(lower, call, 1, err));
    pt__put(lower, ")");
    return PT_OK;
}

/* Three-valued: NULL when only a NULL element could have matched. */
RULE(array_contains)
{
    (void)form;
    if (!type_of(call, 0)->contains_null)
        return by_template(lower, call, "list_contains({0}, {1})", err);
    return by_template(lower, call,
                       "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN list_contains({0}, {1}) THEN true "
                       "WHEN len({0}) = list_count({0}) THEN false END",
                       err);
}

/* Generators are lowered by the relation that holds them. */
RULE(explode)
{
    (void)lower;
    (void)form;
    return pt__lower_unsupported(err, call->base.origin, "a generator within an expression");
}

/* ---- the table ---- */

static const struct {
    const char *name;
    pt__lower_rule rule;
} RULES[] = {
    {"arithmetic", rule_arithmetic},
    {"array_contains", rule_array_contains},
    {"cast_literal", rule_cast_literal},
    {"ceil", rule_ceil},
    {"compare", rule_compare},
    {"concat", rule_concat},
    {"count", rule_count},
    {"decimal_average", rule_decimal_average},
    {"divide", rule_divide},
    {"explode", rule_explode},
    {"first", rule_first},
    {"grouping", rule_grouping},
    {"integral_divide", rule_integral_divide},
    {"lag", rule_lag},

    {"like", rule_like},
    {"map", rule_map},
    {"nth_value", rule_nth_value},
    {"ntile", rule_ntile},
    {"remainder", rule_remainder},
    {"rlike", rule_rlike},
    {"round", rule_round},
    {"session_value", rule_session_value},
    {"struct", rule_struct},
    {"substring", rule_substring},
    {"sum", rule_sum},
    {"to_number", rule_to_number},
    {"typeof", rule_typeof},
    {"when", rule_when},
};

pt__lower_rule pt__lower_rule_find(const char *name)
{
    for (size_t i = 0; i < sizeof(RULES) / sizeof(*RULES); i++) {
        if (strcmp(RULES[i].name, name) == 0)
            return RULES[i].rule;
    }
    return pt__lower_collection_rule_find(name);
}

/* Patterns, parts and concatenations of text. */
#include "backend/duckdb/lower_rules.h"

#include <ctype.h>
#include <string.h>

/* ---- patterns ---- */

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
    const pt_expr_literal *literal = pt__literal_below_casts(expr);
    bool is_text = literal != NULL && !literal->value.is_null && pt__type_is_string(literal->base.type);
    return is_text ? &literal->value : NULL;
}

/* Without an escape DuckDB can turn the pattern into a search for its pieces. Ours says what is wrong with a pattern. */
PT_LOWERING(like)
{
    (void)form;
    const char *word = pt__is_function(call, "ilike") ? "ilike" : "like";
    const pt_value *pattern = text_literal(call->arguments[1]);
    const pt_value *given = call->argument_count > 2 ? text_literal(call->arguments[2]) : NULL;
    const char *escape_text = call->argument_count > 2 ? "{2}" : "'\\'";
    bool known = pattern != NULL && (call->argument_count < 3 || (given != NULL && given->as.text.size_bytes == 1));
    bool any;
    if (!known || !escapes_well(pattern, given == NULL ? '\\' : given->as.text.data[0], &any))
        return pt__by_template(lower, call, pt__arena_printf(lower->arena, "spark_%s({0}, {1}, %s)", word, escape_text),
                               err);
    if (!any)
        return pt__by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1})", word), err);
    return pt__by_template(lower, call, pt__arena_printf(lower->arena, "({0} %s {1} ESCAPE %s)", word, escape_text),
                           err);
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

PT_LOWERING(rlike)
{
    (void)form;
    const pt_value *pattern = text_literal(call->arguments[1]);
    bool is_common = pattern != NULL && is_common_pattern(pattern);
    return pt__by_template(lower, call, is_common ? "regexp_matches({0}, {1})" : "spark_rlike({0}, {1})", err);
}

/* ---- parts and concatenations ---- */

static bool is_positive_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = pt__literal_below_casts(expr);
    return literal != NULL && !literal->value.is_null && pt__type_is_integral(literal->base.type) &&
           literal->value.as.integer > 0;
}

PT_LOWERING(substring)
{
    (void)form;
    if (pt__type_of_argument(call, 0)->id == PT_TYPE_BINARY)
        return pt__by_template(lower, call,
                               call->argument_count > 2 ? "spark_substring({0}, {1}, {2})"
                                                        : "spark_substring({0}, {1}, 2147483647::INTEGER)",
                               err);
    const char *start = is_positive_literal(call->arguments[1]) ? "{1}" : "CASE WHEN {1} = 0 THEN 1 ELSE {1} END";
    if (call->argument_count < 3)
        return pt__by_template(lower, call, pt__arena_printf(lower->arena, "substring({0}, %s)", start), err);
    const char *length = is_positive_literal(call->arguments[2]) ? "{2}" : "greatest({2}, 0)";
    return pt__by_template(lower, call, pt__arena_printf(lower->arena, "substring({0}, %s, %s)", start, length), err);
}

static pt_status concat_arrays(pt__lower *lower, const pt_expr_call *call, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    pt__put(lower, "CASE WHEN spark_may_hold(");
    for (size_t i = 0; i < call->argument_count; i++)
        pt__putf(lower, "%slen({%zu})", i == 0 ? "" : " + ", i);
    pt__put(lower, ", 'concat') THEN ");
    for (size_t i = 1; i < call->argument_count; i++)
        pt__put(lower, "list_concat(");
    pt__put(lower, "{0}");
    for (size_t i = 1; i < call->argument_count; i++)
        pt__putf(lower, ", {%zu})", i);
    pt__put(lower, " END");
    return pt__by_template(lower, call, pt__cut(lower, mark), err);
}

PT_LOWERING(concat)
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
    return pt__by_template(lower, call, call->argument_count == 1 ? "{0}" : "spark_concat({*})", err);
}

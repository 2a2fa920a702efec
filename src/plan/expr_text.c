#include "plan/text_parts.h"

#include "base/arena_buffer.h"

#include <string.h>

static void append_list(pt__buffer *out, const pt_expr *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i != 0)
            pt__buffer_append_string(out, ", ");
        pt__expr_append_text(out, items[i]);
    }
}

static void append_plan_id(pt__buffer *out, int64_t plan_id)
{
    if (plan_id >= 0)
        pt__buffer_printf(out, "@%lld", (long long)plan_id);
}

/* Types that are seen from the value alone. */
static bool is_obvious(const pt_type *type, bool is_null)
{
    if (is_null)
        return type->id == PT_TYPE_VOID;
    if (type->id == PT_TYPE_STRING)
        return type->collation == NULL;
    return type->id == PT_TYPE_BOOLEAN || type->id == PT_TYPE_INT;
}

static void append_literal(pt__buffer *out, const pt_expr_literal *literal)
{
    const pt_type *type = literal->base.type;
    pt__value_append_text(out, type, &literal->value);
    bool is_null = literal->value.is_null;
    if (type->id == PT_TYPE_LONG && !is_null) {
        pt__buffer_append_byte(out, 'L');
    } else if (type->id == PT_TYPE_DOUBLE && !is_null) {
        pt__buffer_append_byte(out, 'D');
    } else if (!is_obvious(type, is_null)) {
        pt__buffer_append_byte(out, ':');
        pt__type_append_sql(out, type);
    }
}

static void append_attribute(pt__buffer *out, const pt_expr_attribute *attribute)
{
    pt__name_append_text(out, &attribute->name);
    append_plan_id(out, attribute->plan_id);
    pt__buffer_append_string(out, attribute->is_metadata_column ? "!metadata" : "");
}

static void append_ordinal(pt__buffer *out, const pt_expr_ordinal *ordinal)
{
    pt__buffer_append_byte(out, '<');
    for (uint32_t i = 0; i < ordinal->outer; i++)
        pt__buffer_append_byte(out, '^');
    pt__buffer_printf(out, "%u>", ordinal->position);
}

static void append_star(pt__buffer *out, const pt_expr_star *star)
{
    pt__name_append_text(out, &star->target);
    pt__buffer_append_string(out, star->target.count == 0 ? "*" : ".*");
    append_plan_id(out, star->plan_id);
    if (star->except_count == 0)
        return;
    pt__buffer_append_string(out, " except (");
    for (size_t i = 0; i < star->except_count; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ", ");
        pt__name_append_text(out, &star->except[i]);
    }
    pt__buffer_append_byte(out, ')');
}

static void append_parameter(pt__buffer *out, const pt_expr_parameter *parameter)
{
    if (parameter->name != NULL) {
        pt__buffer_append_byte(out, ':');
        pt__append_quoted_if_needed(out, parameter->name);
    } else {
        pt__buffer_printf(out, "?%d", parameter->position);
    }
}

static void append_extract(pt__buffer *out, const pt_expr_extract *extract)
{
    pt__expr_append_text(out, extract->child);
    pt__buffer_append_byte(out, '[');
    pt__expr_append_text(out, extract->key);
    pt__buffer_append_byte(out, ']');
}

static void append_column(pt__buffer *out, const pt_expr_column *column)
{
    pt__buffer_append_string(out, column->is_outer ? "outer " : "");
    pt__append_quoted_if_needed(out, column->name == NULL ? "" : column->name);
    pt__buffer_printf(out, "#%u", column->id);
}

static void append_field(pt__buffer *out, const pt_expr_field *field)
{
    pt__expr_append_text(out, field->child);
    pt__buffer_append_byte(out, '.');
    pt__append_quoted_if_needed(out, field->name == NULL ? "" : field->name);
    pt__buffer_printf(out, "/%u", field->ordinal);
}

static void append_call(pt__buffer *out, const pt_expr_call *call)
{
    static const char *const MODES[] = {"", "!ansi", "!try", "!legacy"};
    bool is_simple = call->name.count == 1;
    if (is_simple)
        pt__buffer_append_string(out, call->name.parts[0]);
    else
        pt__name_append_text(out, &call->name);
    pt__buffer_append_string(out, MODES[call->mode]);
    pt__buffer_append_string(out, call->is_operator ? "!sign" : "");
    pt__buffer_append_string(out, call->is_internal ? "!internal(" : "(");
    pt__buffer_append_string(out, call->is_distinct ? "distinct " : "");
    append_list(out, call->arguments, call->argument_count);
    pt__buffer_append_byte(out, ')');
    pt__buffer_append_string(out, call->ignore_nulls ? " ignore nulls" : "");
    if (call->within_group_count != 0) {
        pt__buffer_append_string(out, " within group (");
        append_list(out, call->within_group, call->within_group_count);
        pt__buffer_append_byte(out, ')');
    }
    if (call->filter != NULL) {
        pt__buffer_append_string(out, " filter (");
        pt__expr_append_text(out, call->filter);
        pt__buffer_append_byte(out, ')');
    }
}

static void append_alias(pt__buffer *out, const pt_expr_alias *alias)
{
    pt__expr_append_text(out, alias->child);
    pt__buffer_append_string(out, alias->name_count == 1 ? " as " : " as (");
    for (size_t i = 0; i < alias->name_count; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ", ");
        pt__append_quoted_if_needed(out, alias->names[i]);
    }
    pt__buffer_append_string(out, alias->name_count == 1 ? "" : ")");
    if (alias->metadata != NULL)
        pt__buffer_printf(out, " %s", alias->metadata);
}

static void append_cast(pt__buffer *out, const pt_expr_cast *cast)
{
    static const char *const NAMES[] = {"cast", "ansi_cast", "try_cast", "legacy_cast"};
    pt__buffer_append_string(out, cast->is_implicit ? "implicit_" : "");
    pt__buffer_append_string(out, NAMES[cast->mode]);
    pt__buffer_append_byte(out, '(');
    pt__expr_append_text(out, cast->child);
    pt__buffer_append_string(out, " as ");
    pt__type_append_sql(out, cast->target);
    pt__buffer_append_byte(out, ')');
}

static void append_in(pt__buffer *out, const pt_expr_in *in)
{
    pt__expr_append_text(out, in->child);
    pt__buffer_append_string(out, " in (");
    append_list(out, in->values, in->value_count);
    pt__buffer_append_byte(out, ')');
}

static void append_sort_order(pt__buffer *out, const pt_expr_sort_order *order)
{
    pt__expr_append_text(out, order->child);
    pt__buffer_append_string(out, order->is_descending ? " desc" : " asc");
    pt__buffer_append_string(out, order->nulls_first ? " nulls first" : " nulls last");
    pt__buffer_append_string(out, order->is_plain ? " plain" : "");
}

static void append_lambda(pt__buffer *out, const pt_expr_lambda *lambda)
{
    pt__buffer_append_byte(out, '(');
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        pt__buffer_append_string(out, i == 0 ? "" : ", ");
        pt__expr_append_text(out, &lambda->parameters[i]->base);
    }
    pt__buffer_append_string(out, ") -> ");
    pt__expr_append_text(out, lambda->body);
}

static void append_lambda_variable(pt__buffer *out, const pt_expr_lambda_variable *variable)
{
    pt__buffer_append_byte(out, '$');
    pt__name_append_text(out, &variable->name);
    if (variable->id != 0)
        pt__buffer_printf(out, "#%u", variable->id);
}

static void append_named_argument(pt__buffer *out, const pt_expr_named_argument *argument)
{
    pt__append_quoted_if_needed(out, argument->name);
    pt__buffer_append_string(out, " => ");
    pt__expr_append_text(out, argument->value);
}

/* `kind(member=value member=value)`. */
static void append_members(pt__buffer *out, const pt_expr *expr)
{
    const pt__record *record = pt__record_of_expr(expr->kind);
    pt__buffer_append_string(out, record->name);
    pt__buffer_append_byte(out, '(');
    size_t start = out->size_bytes;
    pt__record_append_members(out, record, expr, true);
    if (out->size_bytes > start) { /* no space behind the parenthesis */
        memmove(out->data + start, out->data + start + 1, out->size_bytes - start - 1);
        out->size_bytes--;
    }
    pt__buffer_append_byte(out, ')');
}

static void append_node(pt__buffer *out, const pt_expr *expr)
{
    switch (expr->kind) {
    case PT_EXPR_LITERAL: append_literal(out, pt__expr_as_literal(expr)); return;
    case PT_EXPR_ATTRIBUTE: append_attribute(out, pt__expr_as_attribute(expr)); return;
    case PT_EXPR_ORDINAL: append_ordinal(out, pt__expr_as_ordinal(expr)); return;
    case PT_EXPR_STAR: append_star(out, pt__expr_as_star(expr)); return;
    case PT_EXPR_PARAMETER: append_parameter(out, pt__expr_as_parameter(expr)); return;
    case PT_EXPR_EXTRACT: append_extract(out, pt__expr_as_extract(expr)); return;
    case PT_EXPR_COLUMN: append_column(out, pt__expr_as_column(expr)); return;
    case PT_EXPR_FIELD: append_field(out, pt__expr_as_field(expr)); return;
    case PT_EXPR_CALL: append_call(out, pt__expr_as_call(expr)); return;
    case PT_EXPR_ALIAS: append_alias(out, pt__expr_as_alias(expr)); return;
    case PT_EXPR_CAST: append_cast(out, pt__expr_as_cast(expr)); return;
    case PT_EXPR_IN: append_in(out, pt__expr_as_in(expr)); return;
    case PT_EXPR_SORT_ORDER: append_sort_order(out, pt__expr_as_sort_order(expr)); return;
    case PT_EXPR_LAMBDA: append_lambda(out, pt__expr_as_lambda(expr)); return;
    case PT_EXPR_LAMBDA_VARIABLE: append_lambda_variable(out, pt__expr_as_lambda_variable(expr)); return;
    case PT_EXPR_NAMED_ARGUMENT: append_named_argument(out, pt__expr_as_named_argument(expr)); return;
    case PT_EXPR_COLUMN_REGEX:
    case PT_EXPR_CASE:
    case PT_EXPR_WINDOW:
    case PT_EXPR_UPDATE_FIELDS:
    case PT_EXPR_SUBQUERY:
    case PT_EXPR_PYTHON_UDF: append_members(out, expr); return;
    case PT_EXPR_COUNT: return;
    }
}

void pt__expr_append_text(pt__buffer *out, const pt_expr *expr)
{
    append_node(out, expr);
    bool says_its_type = expr->kind == PT_EXPR_LITERAL || expr->kind == PT_EXPR_CAST;
    if (expr->type != NULL && !says_its_type) {
        pt__buffer_append_byte(out, ':');
        pt__type_append_sql(out, expr->type);
    }
    if (expr->type != NULL && expr->nullable && expr->kind != PT_EXPR_LITERAL)
        pt__buffer_append_byte(out, '?');
}

const char *pt__expr_text(pt__arena *arena, const pt_expr *expr)
{
    pt__buffer *out = pt__arena_buffer(arena);
    pt__expr_append_text(out, expr);
    return pt__arena_buffer_take(arena, out);
}

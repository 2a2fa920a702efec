#include "backend/duckdb/block.h"

#include "base/condition.h"

#include <string.h>
#include <strings.h>

static pt_status lower_column(pt__lower *lower, const pt_expr_column *column, pt_error *err)
{
    const pt__binding *binding = pt__bind(lower, column->id);
    if (binding->text == NULL)
        return pt_error_set(err, PT_INTERNAL, "column %s#%u is not among the columns of the input", column->name,
                            column->id);
    bool is_narrow = lower->in_narrow && binding->narrow_text != NULL;
    pt__put(lower, is_narrow ? binding->narrow_text : binding->text);
    lower->used_narrow = lower->used_narrow || is_narrow;
    lower->seen |= binding->flags & ~(unsigned)PT_TEXT_COLUMN;
    if (lower->nesting + binding->depth > lower->deepest)
        lower->deepest = lower->nesting + binding->depth;
    return PT_OK;
}

static pt_status lower_field(pt__lower *lower, const pt_expr_field *field, pt_error *err)
{
    const pt_type *type = field->child->type;
    pt__put(lower, "struct_extract(");
    PT_TRY(pt__lower_expr(lower, field->child, err));
    const char *name = pt__field_name(lower->arena, type, field->ordinal);
    pt__put(lower, ", ");
    pt__put_string(lower, name, strlen(name));
    pt__put(lower, ")");
    return PT_OK;
}

static pt_status lower_case(pt__lower *lower, const pt_expr_case *expr, pt_error *err)
{
    pt__put(lower, "CASE");
    for (size_t i = 0; i < expr->branch_count; i++) {
        pt__put(lower, " WHEN ");
        PT_TRY(pt__lower_expr(lower, expr->branches[i].condition, err));
        pt__put(lower, " THEN ");
        PT_TRY(pt__lower_expr(lower, expr->branches[i].value, err));
    }
    if (expr->otherwise != NULL) {
        pt__put(lower, " ELSE ");
        PT_TRY(pt__lower_expr(lower, expr->otherwise, err));
    }
    pt__put(lower, " END");
    return PT_OK;
}

static pt_status lower_in(pt__lower *lower, const pt_expr_in *in, pt_error *err)
{
    pt__put(lower, "(");
    PT_TRY(pt__lower_expr(lower, in->child, err));
    pt__put(lower, " IN (");
    for (size_t i = 0; i < in->value_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        PT_TRY(pt__lower_expr(lower, in->values[i], err));
    }
    pt__put(lower, "))");
    return PT_OK;
}

static pt_status lower_lambda(pt__lower *lower, const pt_expr_lambda *lambda, pt_error *err)
{
    pt__put(lower, "lambda ");
    for (size_t i = 0; i < lambda->parameter_count; i++)
        pt__putf(lower, "%sv%u", i == 0 ? "" : ", ", lambda->parameters[i]->id);
    pt__put(lower, ": ");
    return pt__lower_expr(lower, lambda->body, err);
}

/* A variable is its lambda's parameter, unless the rule of the function has bound it to something else. */
static void put_variable(pt__lower *lower, uint32_t id)
{
    const char *text = pt__bind(lower, id)->text;
    if (text != NULL)
        pt__put(lower, text);
    else
        pt__putf(lower, "v%u", id);
}

/* Spark's `x.f = value` and dropping fields: the struct is taken apart and put together. */
static pt_status lower_update_fields(pt__lower *lower, const pt_expr_update_fields *update, pt_error *err)
{
    const pt_type *from = update->child->type;
    const pt_type *to = update->base.type;
    const char *child;
    PT_TRY(pt__lower_expr_text(lower, update->child, &child, err));
    pt__putf(lower, "CASE WHEN (%s) IS NOT NULL THEN struct_pack(", child);
    for (size_t i = 0; i < to->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_field_name(lower, to, i);
        pt__put(lower, " := ");
        if (update->value != NULL && strcasecmp(to->fields[i].name, update->field) == 0) {
            PT_TRY(pt__lower_expr(lower, update->value, err));
            continue;
        }
        size_t source = 0;
        while (source < from->field_count && strcmp(from->fields[source].name, to->fields[i].name) != 0)
            source++;
        if (source == from->field_count)
            return pt__lower_unsupported(err, update->base.origin, "this update of struct fields");
        const char *name = pt__field_name(lower->arena, from, source);
        pt__putf(lower, "struct_extract(%s, ", child);
        pt__put_string(lower, name, strlen(name));
        pt__put(lower, ")");
    }
    pt__put(lower, ") END");
    return PT_OK;
}

static pt_status refuse(const pt_expr *expr, pt_error *err)
{
    return pt__lower_unsupported(err, expr->origin, pt__expr_kind_name(expr->kind));
}

static pt_status lower_kind(pt__lower *lower, const pt_expr *expr, pt_error *err)
{
    switch (expr->kind) {
    case PT_EXPR_LITERAL: pt__put_literal(lower, expr->type, &pt__expr_as_literal(expr)->value); return PT_OK;
    case PT_EXPR_COLUMN: return lower_column(lower, pt__expr_as_column(expr), err);
    case PT_EXPR_FIELD: return lower_field(lower, pt__expr_as_field(expr), err);
    case PT_EXPR_CALL: return pt__lower_call(lower, pt__expr_as_call(expr), NULL, err);
    case PT_EXPR_ALIAS: return pt__lower_expr(lower, pt__expr_as_alias(expr)->child, err);
    case PT_EXPR_CAST: return pt__lower_cast(lower, pt__expr_as_cast(expr), err);
    case PT_EXPR_CASE: return lower_case(lower, pt__expr_as_case(expr), err);
    case PT_EXPR_IN: return lower_in(lower, pt__expr_as_in(expr), err);
    case PT_EXPR_WINDOW: return pt__lower_window(lower, pt__expr_as_window(expr), err);
    case PT_EXPR_LAMBDA: return lower_lambda(lower, pt__expr_as_lambda(expr), err);
    case PT_EXPR_LAMBDA_VARIABLE: put_variable(lower, pt__expr_as_lambda_variable(expr)->id); return PT_OK;
    case PT_EXPR_UPDATE_FIELDS: return lower_update_fields(lower, pt__expr_as_update_fields(expr), err);
    case PT_EXPR_SUBQUERY: return pt__lower_subquery(lower, pt__expr_as_subquery(expr), false, err);
    case PT_EXPR_SORT_ORDER:
    case PT_EXPR_ATTRIBUTE:
    case PT_EXPR_ORDINAL:
    case PT_EXPR_STAR:
    case PT_EXPR_COLUMN_REGEX:
    case PT_EXPR_PARAMETER:
    case PT_EXPR_EXTRACT:
    case PT_EXPR_NAMED_ARGUMENT:
    case PT_EXPR_PYTHON_UDF:
    case PT_EXPR_COUNT: return refuse(expr, err);
    }
    return refuse(expr, err);
}

static bool takes_lambda(const pt_expr *expr)
{
    if (expr->kind != PT_EXPR_CALL)
        return false;
    const pt_expr_call *call = pt__expr_as_call(expr);
    for (size_t i = 0; i < call->argument_count; i++) {
        if (call->arguments[i]->kind == PT_EXPR_LAMBDA)
            return true;
    }
    return false;
}

static pt_status check_lambdas(const pt__lower *lower, pt_error *err)
{
    if (lower->lambdas > PT_LOWER_LAMBDAS_MAX)
        return pt_error_set(err, PT_LIMIT, "lambda functions nest more than %d levels", PT_LOWER_LAMBDAS_MAX);
    return PT_OK;
}

/* ---- functions that may fail, over dictionaries ---- */

typedef struct varying {
    size_t count;          /* arguments that vary from row to row */
    const pt_expr *column; /* one that they are made of; NULL: none */
} varying;

static bool find_column(void *context, const pt_expr *expr)
{
    varying *v = context;
    if (expr->kind == PT_EXPR_COLUMN && !pt__expr_as_column(expr)->is_outer)
        v->column = expr;
    return v->column == NULL && pt__expr_each_child(expr, find_column, context);
}

static bool count_varying(void *context, const pt_expr *argument)
{
    varying *v = context;
    if (pt__expr_is_constant(argument))
        return true;
    v->count++;
    find_column(v, argument);
    return true;
}

/* Whether the text is one call of a function of ours that raises errors; `*name_bytes` is the size of its name. */
static bool is_raising_call(const char *text, size_t size, size_t *name_bytes)
{
    const char *open = memchr(text, '(', size);
    if (size < 8 || strncmp(text, "spark_", 6) != 0 || open == NULL || text[size - 1] != ')')
        return false;
    *name_bytes = (size_t)(open - text);
    if (*name_bytes > 4 && strncmp(open - 4, "_row", 4) == 0)
        return false; /* the text of an expression that stands for this one */
    return memmem(text, *name_bytes, "_ansi", 5) != NULL && pt__closing_parenthesis(open) == text + size - 1;
}

/* See ROW_SUFFIX of functions/register.c: the call takes a column of the row besides. */
static pt_status add_row_column(pt__lower *lower, const pt_expr *expr, size_t mark, pt_error *err)
{
    varying v = {0};
    size_t name_bytes;
    if (expr->kind != PT_EXPR_CALL && expr->kind != PT_EXPR_CAST)
        return PT_OK;
    pt__expr_each_child(expr, count_varying, &v);
    if (v.count != 1 || v.column == NULL)
        return PT_OK;
    const char *text = pt__cut(lower, mark);
    size_t size = strlen(text);
    if (!is_raising_call(text, size, &name_bytes)) {
        pt__put(lower, text);
        return PT_OK;
    }
    pt__putf(lower, "%.*s_row%.*s, ", (int)name_bytes, text, (int)(size - 1 - name_bytes), text + name_bytes);
    PT_TRY(lower_kind(lower, v.column, err));
    pt__put(lower, ")");
    return PT_OK;
}

pt_status pt__lower_expr(pt__lower *lower, const pt_expr *expr, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    bool in_filter = lower->in_filter;
    lower->in_filter = in_filter && expr->kind != PT_EXPR_CASE;
    PT_TRY(pt__lower_enter(lower, err));
    PT_TRY(pt__type_check_nesting(expr->type, err));
    bool has_lambda = takes_lambda(expr);
    lower->lambdas += has_lambda;
    PT_TRY(check_lambdas(lower, err));
    if (++lower->nesting > lower->deepest)
        lower->deepest = lower->nesting;
    pt_status status = lower_kind(lower, expr, err);
    if (status == PT_OK)
        status = add_row_column(lower, expr, mark, err);
    lower->lambdas -= has_lambda;
    lower->nesting--;
    lower->depth--;
    lower->in_filter = in_filter;
    return status;
}

pt_status pt__lower_expr_text(pt__lower *lower, const pt_expr *expr, const char **out, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    unsigned seen = lower->seen;
    uint32_t deepest = lower->deepest;
    uint32_t nesting = lower->nesting;
    bool whole = nesting == 0; /* the caller looks at what was seen */
    lower->seen = 0;
    lower->deepest = 0;
    PT_TRY(pt__lower_expr(lower, expr, err));
    *out = pt__cut(lower, mark);
    if (!whole) {
        lower->seen |= seen;
        lower->deepest = lower->deepest > deepest ? lower->deepest : deepest;
    }
    return PT_OK;
}

pt_status pt__lower_condition(pt__lower *lower, const pt_expr *expr, const char **out, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    bool first = true;
    /* Left-deep chains of AND are walked, not recursed into; the conjuncts come out last first and are turned. */
    pt__list(const pt_expr *) conjuncts = {0};
    while (pt__is_call_of(expr, "and")) {
        pt__list_push(lower->arena, &conjuncts, pt__expr_as_call(expr)->arguments[1]);
        expr = pt__expr_as_call(expr)->arguments[0];
    }
    pt__list_push(lower->arena, &conjuncts, expr);
    for (size_t i = conjuncts.count; i-- > 0; first = false) {
        const char *text;
        lower->in_filter = true;
        PT_TRY(pt__lower_expr_text(lower, conjuncts.items[i], &text, err));
        lower->in_filter = false;
        pt__putf(lower, first ? "%s" : " AND %s", text);
    }
    if (conjuncts.count > 1 || (!first && pt__is_call_of(expr, "or"))) {
        const char *inner = pt__cut(lower, mark);
        pt__putf(lower, "(%s)", inner);
    }
    *out = pt__cut(lower, mark);
    return PT_OK;
}

pt_status pt__lower_orders(pt__lower *lower, const pt_expr *const *orders, size_t count, pt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const pt_expr_sort_order *order = pt__expr_as_sort_order(orders[i]);
        bool by_key = pt__orders_by_key(order->child->type);
        pt__putf(lower, "%s%s", i == 0 ? "" : ", ", by_key ? "spark_sort_key(" : "");
        PT_TRY(pt__lower_expr(lower, order->child, err));
        pt__putf(lower, "%s %s NULLS %s", by_key ? ")" : "", order->is_descending ? "DESC" : "ASC",
                 order->nulls_first ? "FIRST" : "LAST");
    }
    return PT_OK;
}

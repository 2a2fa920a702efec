/* Operators, predicates and select items. */
#include "decode/spark_sql/internal.h"

#include <stdarg.h>
#include <string.h>

const pt_expr *pt__sql_make_call(pt__sql_parser *p, size_t first, const char *name, size_t count, ...)
{
    const pt_expr **arguments = pt__arena_array(p->arena, const pt_expr *, count == 0 ? 1 : count);
    va_list list;
    va_start(list, count);
    for (size_t i = 0; i < count; i++)
        arguments[i] = va_arg(list, const pt_expr *);
    va_end(list);
    return pt__expr_call_list(p->arena, pt__sql_origin(p, first), name, arguments, count);
}

static const pt_expr *negate_if(pt__sql_parser *p, size_t first, bool negated, const pt_expr *expr)
{
    return negated ? pt__sql_make_call(p, first, "not", 1, expr) : expr;
}

/* ---- arithmetic, bits, comparison ---- */

typedef struct binary_operator {
    const char *name; /* NULL: not(=) */
    int precedence;
    size_t token_count;
} binary_operator;

enum { COMPARISON = 1, BIT_OR, BIT_XOR, BIT_AND, SHIFT, ADDITION, MULTIPLICATION };

/* `>` and `<` are one token each; side by side they are shifts. */
static binary_operator angle_operator(const pt__sql_parser *p, int32_t kind)
{
    bool two = pt__sql_peek(p, 1) == kind && pt__sql_is_joined(p, 1);
    bool three = two && kind == '>' && pt__sql_peek(p, 2) == '>' && pt__sql_is_joined(p, 2);
    if (three)
        return (binary_operator){">>>", SHIFT, 3};
    if (two)
        return (binary_operator){kind == '>' ? ">>" : "<<", SHIFT, 2};
    return (binary_operator){kind == '>' ? ">" : "<", COMPARISON, 1};
}

/* precedence 0: no operator. */
static binary_operator read_operator(const pt__sql_parser *p)
{
    int32_t kind = pt__sql_peek(p, 0);
    switch (kind) {
    case '*': return (binary_operator){"*", MULTIPLICATION, 1};
    case '/': return (binary_operator){"/", MULTIPLICATION, 1};
    case '%': return (binary_operator){"%", MULTIPLICATION, 1};
    case PT_KW_DIV: return (binary_operator){"div", MULTIPLICATION, 1};
    case '+': return (binary_operator){"+", ADDITION, 1};
    case '-': return (binary_operator){"-", ADDITION, 1};
    case PT_TOKEN_CONCAT: return (binary_operator){"concat", ADDITION, 1};
    case '<': return angle_operator(p, kind);
    case '>': return angle_operator(p, kind);
    case '&': return (binary_operator){"&", BIT_AND, 1};
    case '^': return (binary_operator){"^", BIT_XOR, 1};
    case '|': return (binary_operator){"|", BIT_OR, 1};
    case '=': return (binary_operator){"=", COMPARISON, 1};
    case PT_TOKEN_DOUBLE_EQUAL: return (binary_operator){"=", COMPARISON, 1};
    case PT_TOKEN_NULL_SAFE_EQUAL: return (binary_operator){"<=>", COMPARISON, 1};
    case PT_TOKEN_NOT_EQUAL: return (binary_operator){NULL, COMPARISON, 1};
    case PT_TOKEN_LESS_EQUAL: return (binary_operator){"<=", COMPARISON, 1};
    case PT_TOKEN_GREATER_EQUAL: return (binary_operator){">=", COMPARISON, 1};
    default: return (binary_operator){NULL, 0, 0};
    }
}

static const pt_expr *make_sign(pt__sql_parser *p, size_t first, int32_t kind, const pt_expr *operand)
{
    if (kind == '~')
        return pt__sql_make_call(p, first, "~", 1, operand);
    pt_expr_call *call = pt__expr_make(p->arena, CALL, call, pt__sql_origin(p, first));
    const pt_expr **arguments = pt__arena_array(p->arena, const pt_expr *, 1);
    arguments[0] = operand;
    call->name = pt__name_one(p->arena, kind == '-' ? "negative" : "positive");
    call->arguments = arguments;
    call->argument_count = 1;
    call->is_operator = true;
    return &call->base;
}

/* A run of signs binds tighter than any binary operator; a minus right before a number belongs to it. */
static pt_status parse_unary(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    while (pt__sql_at(p, '-') || pt__sql_at(p, '+') || pt__sql_at(p, '~')) {
        int32_t next = pt__sql_peek(p, 1);
        if (pt__sql_at(p, '-') && (next == PT_TOKEN_INTEGER || next == PT_TOKEN_NUMBER))
            break;
        pt__sql_skip(p, 1);
    }
    size_t operand = p->position;
    PT_TRY(pt__sql_primary(p, out));
    for (size_t sign = operand; sign > first; sign--)
        *out = make_sign(p, sign - 1, p->tokens[sign - 1].kind, *out);
    return PT_OK;
}

static pt_status parse_binary(pt__sql_parser *p, int precedence, const pt_expr **out)
{
    size_t first = p->position;
    const pt_expr *left = NULL;
    PT_TRY(parse_unary(p, &left));
    for (;;) {
        const pt_expr *right = NULL;
        binary_operator operator= read_operator(p);
        if (operator.precedence == 0 || operator.precedence<precedence)
            break;
        pt__sql_skip(p, operator.token_count);
        PT_TRY(parse_binary(p, operator.precedence + 1, &right));
        left = pt__sql_make_call(p, first, operator.name == NULL ? "=" : operator.name, 2, left, right);
        left = negate_if(p, first, operator.name == NULL, left);
    }
    *out = left;
    return PT_OK;
}

pt_status pt__sql_value(pt__sql_parser *p, const pt_expr **out)
{
    return parse_binary(p, COMPARISON, out);
}

/* ---- predicates ---- */

static pt_status parse_between(pt__sql_parser *p, size_t first, bool negated, const pt_expr **in_out)
{
    const pt_expr *low = NULL;
    const pt_expr *high = NULL;
    PT_TRY(pt__sql_value(p, &low));
    PT_TRY(pt__sql_expect(p, PT_KW_AND));
    PT_TRY(pt__sql_value(p, &high));
    *in_out = negate_if(p, first, negated, pt__sql_make_call(p, first, "between", 3, *in_out, low, high));
    return PT_OK;
}

static const pt_expr *make_in_query(pt__sql_parser *p, size_t first, const pt_expr *left, const pt_plan *plan)
{
    pt_expr_subquery *in = pt__expr_make(p->arena, SUBQUERY, subquery, pt__sql_origin(p, first));
    in->subquery_kind = PT_SUBQUERY_IN;
    in->plan = plan;
    if (left == p->last_row) {
        in->values = p->last_row_items.items;
        in->value_count = p->last_row_items.count;
    } else {
        const pt_expr **values = pt__arena_array(p->arena, const pt_expr *, 1);
        values[0] = left;
        in->values = values;
        in->value_count = 1;
    }
    return &in->base;
}

static pt_status finish_in_query(pt__sql_parser *p, size_t first, const pt_expr *left, const pt_plan *plan,
                                 const pt_expr **out)
{
    PT_TRY(pt__sql_expect(p, ')'));
    *out = make_in_query(p, first, left, plan);
    return PT_OK;
}

static pt_status parse_in_list(pt__sql_parser *p, size_t first, const pt_expr *left, const pt_expr **out)
{
    pt__sql_expr_list values = {0};
    const pt_expr *row = p->last_row;
    pt__sql_expr_list row_items = p->last_row_items;
    PT_TRY(pt__sql_expression_list(p, &values));
    if (values.count == 1 && values.items[0] == p->bare_subquery && pt__sql_continues_query(p)) {
        const pt_plan *plan = NULL;
        PT_TRY(pt__sql_query_after(p, pt__expr_as_subquery(values.items[0])->plan, &plan));
        p->last_row = row;
        p->last_row_items = row_items;
        return finish_in_query(p, first, left, plan, out);
    }
    PT_TRY(pt__sql_expect(p, ')'));
    pt_expr_in *in = pt__expr_make(p->arena, IN, in, pt__sql_origin(p, first));
    in->child = left;
    in->values = values.items;
    in->value_count = values.count;
    *out = &in->base;
    return PT_OK;
}

static pt_status parse_in(pt__sql_parser *p, size_t first, bool negated, const pt_expr **in_out)
{
    const pt_expr *in = NULL;
    const pt_expr *row = p->last_row;
    pt__sql_expr_list row_items = p->last_row_items;
    PT_TRY(pt__sql_expect(p, '('));
    if (pt__sql_starts_query(p, 0)) {
        const pt_plan *plan = NULL;
        PT_TRY(pt__sql_query(p, &plan));
        p->last_row = row;
        p->last_row_items = row_items;
        PT_TRY(finish_in_query(p, first, *in_out, plan, &in));
    } else {
        PT_TRY(parse_in_list(p, first, *in_out, &in));
    }
    *in_out = negate_if(p, first, negated, in);
    return PT_OK;
}

/* LIKE ANY (…) and LIKE ALL (…) are chains of LIKE. */
static pt_status parse_quantified_like(pt__sql_parser *p, size_t first, const char *name, bool negated,
                                       const pt_expr **in_out)
{
    pt__sql_expr_list patterns = {0};
    const pt_expr *all = NULL;
    const char *join = pt__sql_at(p, PT_KW_ALL) ? "and" : "or";
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_expect(p, '('));
    PT_TRY(pt__sql_expression_list(p, &patterns));
    PT_TRY(pt__sql_expect(p, ')'));
    for (size_t i = 0; i < patterns.count; i++) {
        const pt_expr *one = pt__sql_make_call(p, first, name, 2, *in_out, patterns.items[i]);
        one = negate_if(p, first, negated, one);
        all = all == NULL ? one : pt__sql_make_call(p, first, join, 2, all, one);
    }
    *in_out = all;
    return PT_OK;
}

static pt_status parse_like(pt__sql_parser *p, size_t first, const char *name, bool negated, const pt_expr **in_out)
{
    const pt_expr *pattern = NULL;
    const pt_expr *like = NULL;
    bool quantified = pt__sql_at(p, PT_KW_ANY) || pt__sql_at(p, PT_KW_SOME) || pt__sql_at(p, PT_KW_ALL);
    if (quantified && pt__sql_peek(p, 1) == '(')
        return parse_quantified_like(p, first, name, negated, in_out);
    PT_TRY(pt__sql_value(p, &pattern));
    if (name[0] != 'r' && pt__sql_accept(p, PT_KW_ESCAPE)) {
        size_t at = p->position;
        const pt_expr *escape = NULL;
        PT_TRY(pt__sql_string_literal(p, &escape));
        if (pt__expr_as_literal(escape)->value.as.text.size_bytes != 1)
            return pt__sql_locate_error(
                p, at, pt__raise(p->err, PT_COND_INVALID_ESC, "invalidEscape", pt__sql_text_from(p, at), NULL));
        like = pt__sql_make_call(p, first, name, 3, *in_out, pattern, escape);
    } else {
        like = pt__sql_make_call(p, first, name, 2, *in_out, pattern);
    }
    *in_out = negate_if(p, first, negated, like);
    return PT_OK;
}

/* IS [NOT] NULL, TRUE, FALSE, UNKNOWN, DISTINCT FROM */
static pt_status parse_is(pt__sql_parser *p, size_t first, const pt_expr **in_out)
{
    bool negated = pt__sql_accept(p, PT_KW_NOT);
    if (pt__sql_at(p, '!'))
        return pt__sql_refuse_bang(p);
    if (pt__sql_accept(p, PT_KW_NULL) || pt__sql_accept(p, PT_KW_UNKNOWN)) {
        *in_out = pt__sql_make_call(p, first, negated ? "isnotnull" : "isnull", 1, *in_out);
        return PT_OK;
    }
    const pt_expr *right = NULL;
    if (pt__sql_at(p, PT_KW_TRUE) || pt__sql_at(p, PT_KW_FALSE)) {
        right = pt__expr_boolean(p->arena, pt__sql_at(p, PT_KW_TRUE));
        pt__sql_skip(p, 1);
        *in_out = negate_if(p, first, negated, pt__sql_make_call(p, first, "<=>", 2, *in_out, right));
        return PT_OK;
    }
    PT_TRY(pt__sql_expect_two(p, PT_KW_DISTINCT, PT_KW_FROM));
    PT_TRY(pt__sql_value(p, &right));
    *in_out = negate_if(p, first, !negated, pt__sql_make_call(p, first, "<=>", 2, *in_out, right));
    return PT_OK;
}

static bool is_negatable_predicate(int32_t kind)
{
    return kind == PT_KW_BETWEEN || kind == PT_KW_IN || kind == PT_KW_LIKE || kind == PT_KW_ILIKE ||
           kind == PT_KW_RLIKE || kind == PT_KW_REGEXP;
}

static pt_status parse_predicated(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    PT_TRY(pt__sql_value(p, out));
    bool negated = pt__sql_at(p, PT_KW_NOT) && is_negatable_predicate(pt__sql_peek(p, 1));
    if (pt__sql_at(p, '!') && is_negatable_predicate(pt__sql_peek(p, 1)))
        return pt__sql_refuse_bang(p);
    if (negated)
        pt__sql_skip(p, 1);
    if (pt__sql_accept(p, PT_KW_BETWEEN))
        return parse_between(p, first, negated, out);
    if (pt__sql_at(p, PT_KW_IN) && pt__sql_peek(p, 1) == '(') {
        pt__sql_skip(p, 1);
        return parse_in(p, first, negated, out);
    }
    if (pt__sql_accept(p, PT_KW_LIKE))
        return parse_like(p, first, "like", negated, out);
    if (pt__sql_accept(p, PT_KW_ILIKE))
        return parse_like(p, first, "ilike", negated, out);
    if (pt__sql_accept(p, PT_KW_RLIKE) || pt__sql_accept(p, PT_KW_REGEXP))
        return parse_like(p, first, "rlike", negated, out);
    if (negated)
        return pt__sql_syntax_error(p);
    return pt__sql_accept(p, PT_KW_IS) ? parse_is(p, first, out) : PT_OK;
}

/* ---- NOT, AND, OR ---- */

static bool at_not(const pt__sql_parser *p)
{
    return pt__sql_at(p, PT_KW_NOT) || pt__sql_at(p, '!');
}

static pt_status parse_not(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    while (at_not(p))
        pt__sql_skip(p, 1);
    size_t operand = p->position;
    PT_TRY(parse_predicated(p, out));
    for (size_t at = operand; at > first; at--)
        *out = pt__sql_make_call(p, at - 1, "not", 1, *out);
    return PT_OK;
}

/* Spark's shape of a chain: halves, so that thousands of terms nest a dozen deep. */
static const pt_expr *balance(pt__sql_parser *p, size_t first, const char *name, const pt_expr *const *terms,
                              size_t count)
{
    if (count == 1)
        return terms[0];
    size_t middle = count == 2 ? 1 : (count - 1) / 2 + 1;
    const pt_expr *left = balance(p, first, name, terms, middle);
    const pt_expr *right = balance(p, first, name, terms + middle, count - middle);
    return pt__sql_make_call(p, first, name, 2, left, right);
}

static pt_status parse_and(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt__sql_expr_list terms = {0};
    PT_TRY(parse_not(p, out));
    if (!pt__sql_at(p, PT_KW_AND))
        return PT_OK;
    pt__list_push(p->arena, &terms, *out);
    while (pt__sql_accept(p, PT_KW_AND)) {
        PT_TRY(parse_not(p, out));
        pt__list_push(p->arena, &terms, *out);
    }
    *out = balance(p, first, "and", terms.items, terms.count);
    return PT_OK;
}

static pt_status parse_or(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt__sql_expr_list terms = {0};
    PT_TRY(parse_and(p, out));
    if (!pt__sql_at(p, PT_KW_OR))
        return PT_OK;
    pt__list_push(p->arena, &terms, *out);
    while (pt__sql_accept(p, PT_KW_OR)) {
        PT_TRY(parse_and(p, out));
        pt__list_push(p->arena, &terms, *out);
    }
    *out = balance(p, first, "or", terms.items, terms.count);
    return PT_OK;
}

pt_status pt__sql_expression(pt__sql_parser *p, const pt_expr **out)
{
    return parse_or(p, out);
}

pt_status pt__sql_expression_list(pt__sql_parser *p, pt__sql_expr_list *out)
{
    do {
        const pt_expr *expr = NULL;
        PT_TRY(pt__sql_expression(p, &expr));
        pt__list_push(p->arena, out, expr);
    } while (pt__sql_accept(p, ','));
    return PT_OK;
}

/* ---- select items ---- */

static const pt_expr *make_alias(pt__sql_parser *p, size_t first, const pt_expr *child, pt__sql_string_list names)
{
    pt_expr_alias *alias = pt__expr_make(p->arena, ALIAS, alias, pt__sql_origin(p, first));
    alias->child = child;
    alias->names = names.items;
    alias->name_count = names.count;
    return &alias->base;
}

/* A word that may be an alias though AS is missing: none that starts a clause or joins queries. */
static bool at_bare_alias(const pt__sql_parser *p)
{
    int32_t kind = pt__sql_peek(p, 0);
    if (!pt__sql_is_name(kind) || pt__sql_starts_clause(p))
        return false;
    if (p->options->enforce_reserved_keywords && pt__sql_keyword_is_reserved(kind))
        return false;
    int32_t next = pt__sql_peek(p, 1);
    bool ends = next == PT_TOKEN_END || next == ')' || next == ',' || next == PT_KW_FROM || next == ';';
    return kind == PT_TOKEN_QUOTED || !pt__sql_keyword_is_strict(kind) || ends;
}

pt_status pt__sql_named_expression(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt__sql_string_list names = {0};
    PT_TRY(pt__sql_expression(p, out));
    bool explicit_alias = pt__sql_accept(p, PT_KW_AS);
    if (pt__sql_at(p, '(')) {
        PT_TRY(pt__sql_identifier_list(p, &names));
    } else if (explicit_alias || at_bare_alias(p)) {
        const char *name = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &name));
        pt__list_push(p->arena, &names, name);
    } else {
        return PT_OK;
    }
    *out = make_alias(p, first, *out, names);
    return PT_OK;
}

pt_status pt__sql_named_expression_list(pt__sql_parser *p, pt__sql_expr_list *out)
{
    do {
        const pt_expr *expr = NULL;
        PT_TRY(pt__sql_named_expression(p, &expr));
        pt__list_push(p->arena, out, expr);
    } while (pt__sql_accept(p, ','));
    return PT_OK;
}

/* ---- ORDER BY items ---- */

static pt_status parse_sort_order(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    const pt_expr *child = NULL;
    PT_TRY(pt__sql_expression(p, &child));
    bool descending = pt__sql_accept(p, PT_KW_DESC);
    bool ascending = !descending && pt__sql_accept(p, PT_KW_ASC);
    bool nulls = pt__sql_accept(p, PT_KW_NULLS);
    bool nulls_first = !descending;
    if (nulls) {
        nulls_first = pt__sql_accept(p, PT_KW_FIRST);
        if (!nulls_first)
            PT_TRY(pt__sql_expect(p, PT_KW_LAST));
    }
    pt_expr_sort_order *order = pt__expr_make(p->arena, SORT_ORDER, sort_order, pt__sql_origin(p, first));
    order->child = child;
    order->is_descending = descending;
    order->nulls_first = nulls_first;
    order->is_plain = !descending && !ascending && !nulls;
    *out = &order->base;
    return PT_OK;
}

pt_status pt__sql_sort_orders(pt__sql_parser *p, pt__sql_expr_list *out)
{
    do {
        const pt_expr *order = NULL;
        PT_TRY(parse_sort_order(p, &order));
        pt__list_push(p->arena, out, order);
    } while (pt__sql_accept(p, ','));
    return PT_OK;
}

/* Operands: literals, names, parentheses, CASE, and what follows an operand: [key], .name, ::type. */
#include "decode/spark_sql/internal.h"

#include <string.h>

/* ---- names and stars ---- */

static pt_status parse_except(pt__sql_parser *p, pt_expr_star *star)
{
    pt__list(pt_name) names = {0};
    if (!pt__sql_accept_two(p, PT_KW_EXCEPT, '('))
        return PT_OK;
    do {
        pt_name name;
        PT_TRY(pt__sql_name(p, &name));
        pt__list_push(p->arena, &names, name);
    } while (pt__sql_accept(p, ','));
    star->except = names.items;
    star->except_count = names.count;
    return pt__sql_expect(p, ')');
}

/* From the asterisk on. */
static pt_status parse_star(pt__sql_parser *p, size_t first, pt_name target, const pt_expr **out)
{
    pt__sql_skip(p, 1);
    pt_expr_star *star = pt__expr_make(p->arena, STAR, star, NULL);
    star->target = target;
    star->plan_id = -1;
    PT_TRY(parse_except(p, star));
    star->base.origin = pt__sql_origin(p, first);
    *out = &star->base;
    return PT_OK;
}

static const pt_expr *make_attribute(pt__sql_parser *p, size_t first, pt_name name)
{
    pt_expr_attribute *attribute = pt__expr_make(p->arena, ATTRIBUTE, attribute, pt__sql_origin(p, first));
    attribute->name = name;
    attribute->plan_id = -1;
    return &attribute->base;
}

/* The parts after the first; a star ends them. */
static pt_status parse_name_rest(pt__sql_parser *p, size_t first, pt__sql_string_list *parts, const pt_expr **star)
{
    while (pt__sql_at(p, '.')) {
        const char *part = NULL;
        pt__sql_skip(p, 1);
        if (pt__sql_at(p, '*'))
            return parse_star(p, first, (pt_name){parts->items, parts->count}, star);
        PT_TRY(pt__sql_identifier(p, &part));
        pt__list_push(p->arena, parts, part);
    }
    return PT_OK;
}

/* IDENTIFIER(…), perhaps called or followed by `.*`. */
static pt_status parse_identifier_clause(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt_name name = {0};
    PT_TRY(pt__sql_identifier_clause(p, &name));
    if (pt__sql_at(p, '('))
        return pt__sql_call(p, first, name, out);
    if (pt__sql_at_two(p, '.', '*')) {
        pt__sql_skip(p, 1);
        return parse_star(p, first, name, out);
    }
    *out = make_attribute(p, first, name);
    return PT_OK;
}

static pt_status parse_name(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt__sql_string_list parts = {0};
    const char *part = NULL;
    if (pt__sql_at_identifier_clause(p))
        return parse_identifier_clause(p, out);
    PT_TRY(pt__sql_identifier(p, &part));
    pt__list_push(p->arena, &parts, part);
    *out = NULL;
    PT_TRY(parse_name_rest(p, first, &parts, out));
    if (*out != NULL)
        return PT_OK;
    pt_name name = {parts.items, parts.count};
    if (pt__sql_at(p, '('))
        return pt__sql_call(p, first, name, out);
    *out = make_attribute(p, first, name);
    return PT_OK;
}

/* ---- parameters ---- */

static pt_status parse_parameter(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    bool named = pt__sql_at(p, ':');
    const char *name = NULL;
    pt__sql_skip(p, 1);
    if (named)
        PT_TRY(pt__sql_identifier(p, &name));
    pt_expr_parameter *parameter = pt__expr_make(p->arena, PARAMETER, parameter, pt__sql_origin(p, first));
    parameter->name = name;
    parameter->position = named ? -1 : p->parameter_count++;
    *out = &parameter->base;
    return PT_OK;
}

/* ---- CASE ---- */

/* CASE is a name when nothing that can be compared follows. */
static bool at_case(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    if (!pt__sql_at(p, PT_KW_CASE) || next == PT_TOKEN_END || next == PT_KW_FROM || next == PT_KW_AS)
        return false;
    return pt__sql_is_name(next) || next >= PT_TOKEN_WORD || next == '(' || next == '-' || next == '+' || next == '?' ||
           next == ':' || next == '~' || next == '!';
}

static pt_status parse_case(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    const pt_expr *subject = NULL;
    const pt_expr *otherwise = NULL;
    pt__list(pt_case_branch) branches = {0};
    pt__sql_skip(p, 1);
    if (!pt__sql_at(p, PT_KW_WHEN))
        PT_TRY(pt__sql_expression(p, &subject));
    do {
        pt_case_branch branch = {NULL, NULL};
        PT_TRY(pt__sql_expect(p, PT_KW_WHEN));
        size_t when = p->position;
        PT_TRY(pt__sql_expression(p, &branch.condition));
        if (subject != NULL)
            branch.condition = pt__sql_make_call(p, when, "=", 2, subject, branch.condition);
        PT_TRY(pt__sql_expect(p, PT_KW_THEN));
        PT_TRY(pt__sql_expression(p, &branch.value));
        pt__list_push(p->arena, &branches, branch);
    } while (pt__sql_at(p, PT_KW_WHEN));
    if (pt__sql_accept(p, PT_KW_ELSE))
        PT_TRY(pt__sql_expression(p, &otherwise));
    PT_TRY(pt__sql_expect(p, PT_KW_END));
    pt_expr_case *node = pt__expr_make(p->arena, CASE, case, pt__sql_origin(p, first));
    node->branches = branches.items;
    node->branch_count = branches.count;
    node->otherwise = otherwise;
    *out = &node->base;
    return PT_OK;
}

/* ---- lambdas ---- */

/* `x ->` or `(x, y) ->` */
static bool at_lambda(const pt__sql_parser *p)
{
    if (!pt__sql_at(p, '('))
        return pt__sql_is_name(pt__sql_peek(p, 0)) && pt__sql_peek(p, 1) == PT_TOKEN_ARROW;
    size_t i = 1;
    while (pt__sql_is_name(pt__sql_peek(p, i)) && pt__sql_peek(p, i + 1) == ',')
        i += 2;
    return pt__sql_is_name(pt__sql_peek(p, i)) && pt__sql_peek(p, i + 1) == ')' &&
           pt__sql_peek(p, i + 2) == PT_TOKEN_ARROW;
}

static pt_status parse_lambda(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    pt__list(const pt_expr_lambda_variable *) variables = {0};
    bool many = pt__sql_accept(p, '(');
    do {
        size_t at = p->position;
        const char *name = NULL;
        PT_TRY(pt__sql_identifier(p, &name));
        pt_expr_lambda_variable *variable =
            pt__expr_make(p->arena, LAMBDA_VARIABLE, lambda_variable, pt__sql_origin(p, at));
        variable->name = pt__name_one(p->arena, name);
        pt__list_push(p->arena, &variables, variable);
    } while (many && pt__sql_accept(p, ','));
    if (many)
        PT_TRY(pt__sql_expect(p, ')'));
    PT_TRY(pt__sql_expect(p, PT_TOKEN_ARROW));
    const pt_expr *body = NULL;
    PT_TRY(pt__sql_expression(p, &body));
    pt_expr_lambda *lambda = pt__expr_make(p->arena, LAMBDA, lambda, pt__sql_origin(p, first));
    lambda->body = body;
    lambda->parameters = variables.items;
    lambda->parameter_count = variables.count;
    *out = &lambda->base;
    return PT_OK;
}

/* ---- parentheses ---- */

static pt_status finish_subquery(pt__sql_parser *p, size_t first, const pt_plan *plan, const pt_expr **out)
{
    PT_TRY(pt__sql_expect(p, ')'));
    pt_expr_subquery *subquery = pt__expr_make(p->arena, SUBQUERY, subquery, pt__sql_origin(p, first));
    subquery->subquery_kind = PT_SUBQUERY_SCALAR;
    subquery->plan = plan;
    p->bare_subquery = &subquery->base;
    *out = &subquery->base;
    return PT_OK;
}

/* The name that a row's field takes from its expression: an alias, a column's name, or colN. */
static const char *field_name(pt__sql_parser *p, const pt_expr *item, size_t index)
{
    if (item->kind == PT_EXPR_ALIAS)
        return pt__expr_as_alias(item)->names[0];
    if (item->kind == PT_EXPR_ATTRIBUTE) {
        pt_name name = pt__expr_as_attribute(item)->name;
        return name.parts[name.count - 1];
    }
    return pt__arena_printf(p->arena, "col%zu", index + 1);
}

static const pt_expr *make_row(pt__sql_parser *p, size_t first, pt__sql_expr_list items)
{
    const pt_expr **arguments = pt__arena_array(p->arena, const pt_expr *, items.count * 2);
    const pt_expr **values = pt__arena_array(p->arena, const pt_expr *, items.count);
    for (size_t i = 0; i < items.count; i++) {
        const pt_expr *item = items.items[i];
        values[i] = item->kind == PT_EXPR_ALIAS ? pt__expr_as_alias(item)->child : item;
        arguments[2 * i] = pt__sql_make_string(p, first, field_name(p, item, i));
        arguments[2 * i + 1] = values[i];
    }
    p->last_row = pt__expr_call_list(p->arena, pt__sql_origin(p, first), "named_struct", arguments, items.count * 2);
    p->last_row_items = (pt__sql_expr_list){values, items.count, items.count};
    return p->last_row;
}

static pt_status parse_row_rest(pt__sql_parser *p, size_t first, const pt_expr *item, const pt_expr **out)
{
    pt__sql_expr_list items = {0};
    pt__list_push(p->arena, &items, item);
    while (pt__sql_accept(p, ',')) {
        PT_TRY(pt__sql_named_expression(p, &item));
        pt__list_push(p->arena, &items, item);
    }
    PT_TRY(pt__sql_expect(p, ')'));
    *out = make_row(p, first, items);
    return PT_OK;
}

/* A query, a row, or an expression; ((query) UNION (query)) shows only after its first operand. */
static pt_status parse_parentheses(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    const pt_plan *plan = NULL;
    pt__sql_skip(p, 1);
    if (pt__sql_starts_query(p, 0)) {
        PT_TRY(pt__sql_query(p, &plan));
        return finish_subquery(p, first, plan, out);
    }
    PT_TRY(pt__sql_named_expression(p, out));
    if (*out == p->bare_subquery && pt__sql_continues_query(p)) {
        PT_TRY(pt__sql_query_after(p, pt__expr_as_subquery(*out)->plan, &plan));
        return finish_subquery(p, first, plan, out);
    }
    if (pt__sql_at(p, ','))
        return parse_row_rest(p, first, *out, out);
    if ((*out)->kind == PT_EXPR_ALIAS) /* only items of a row have names */
        return pt__sql_syntax_error(p);
    return pt__sql_expect(p, ')');
}

/* ---- operands ---- */

static pt_status parse_constant_word(pt__sql_parser *p, const pt_expr **out)
{
    pt_value value = {.is_null = pt__sql_at(p, PT_KW_NULL), .as.boolean = pt__sql_at(p, PT_KW_TRUE)};
    pt_expr_literal *literal = pt__expr_make(p->arena, LITERAL, literal, pt__sql_origin(p, p->position));
    literal->base.type = value.is_null ? PT_T(VOID) : PT_T(BOOLEAN);
    literal->base.nullable = value.is_null;
    literal->value = value;
    *out = &literal->base;
    pt__sql_skip(p, 1);
    return PT_OK;
}

static bool at_exists_query(const pt__sql_parser *p)
{
    size_t i = 1;
    if (!pt__sql_at_two(p, PT_KW_EXISTS, '('))
        return false;
    while (pt__sql_peek(p, i) == '(')
        i++;
    return pt__sql_starts_query(p, i);
}

static pt_status parse_exists(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    const pt_plan *plan = NULL;
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_query(p, &plan));
    PT_TRY(pt__sql_expect(p, ')'));
    pt_expr_subquery *exists = pt__expr_make(p->arena, SUBQUERY, subquery, pt__sql_origin(p, first));
    exists->subquery_kind = PT_SUBQUERY_EXISTS;
    exists->plan = plan;
    *out = &exists->base;
    return PT_OK;
}

static pt_status parse_word(pt__sql_parser *p, const pt_expr **out)
{
    int32_t kind = pt__sql_peek(p, 0);
    if (kind == PT_KW_NULL || kind == PT_KW_TRUE || kind == PT_KW_FALSE)
        return parse_constant_word(p, out);
    if (at_lambda(p))
        return parse_lambda(p, out);
    if (at_case(p))
        return parse_case(p, out);
    if (pt__sql_at_interval_literal(p))
        return pt__sql_interval_literal(p, out);
    bool trims = kind == PT_KW_BOTH || kind == PT_KW_LEADING || kind == PT_KW_TRAILING;
    if (pt__sql_peek(p, 1) == PT_TOKEN_STRING && kind != PT_TOKEN_QUOTED && !trims)
        return pt__sql_typed_literal(p, out);
    if (at_exists_query(p))
        return parse_exists(p, out);
    *out = NULL;
    if (pt__sql_peek(p, 1) == '(' && kind != PT_TOKEN_QUOTED)
        PT_TRY(pt__sql_special_call(p, out));
    return *out != NULL ? PT_OK : parse_name(p, out);
}

static pt_status parse_operand(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    int32_t kind = pt__sql_peek(p, 0);
    if (pt__sql_is_name(kind))
        return parse_word(p, out);
    switch (kind) {
    case '(': return at_lambda(p) ? parse_lambda(p, out) : parse_parentheses(p, out);
    case '*': return parse_star(p, first, (pt_name){NULL, 0}, out);
    case '?': return parse_parameter(p, out);
    case ':': return parse_parameter(p, out);
    case '-': p->position++; return pt__sql_number_literal(p, first, true, out);
    case PT_TOKEN_INTEGER: return pt__sql_number_literal(p, first, false, out);
    case PT_TOKEN_NUMBER: return pt__sql_number_literal(p, first, false, out);
    case PT_TOKEN_STRING: return pt__sql_string_literal(p, out);
    default: return pt__sql_syntax_error(p);
    }
}

/* ---- what follows an operand ---- */

static const pt_expr *make_extract(pt__sql_parser *p, size_t first, const pt_expr *child, const pt_expr *key)
{
    pt_expr_extract *extract = pt__expr_make(p->arena, EXTRACT, extract, pt__sql_origin(p, first));
    extract->child = child;
    extract->key = key;
    return &extract->base;
}

static pt_status parse_subscript(pt__sql_parser *p, size_t first, const pt_expr **in_out)
{
    const pt_expr *key = NULL;
    PT_TRY(pt__sql_value(p, &key));
    PT_TRY(pt__sql_expect(p, ']'));
    *in_out = make_extract(p, first, *in_out, key);
    return PT_OK;
}

static pt_status parse_field(pt__sql_parser *p, size_t first, const pt_expr **in_out)
{
    const char *name = NULL;
    size_t at = p->position;
    if (pt__sql_at(p, '*'))
        return pt__sql_unsupported(p, "the expansion of an expression's fields by .*");
    PT_TRY(pt__sql_identifier(p, &name));
    *in_out = make_extract(p, first, *in_out, pt__sql_make_string(p, at, name));
    return PT_OK;
}

static pt_status parse_cast_suffix(pt__sql_parser *p, size_t first, const pt_expr **in_out)
{
    const pt_type *type = NULL;
    PT_TRY(pt__sql_type(p, &type));
    pt_expr_cast *cast = pt__expr_make(p->arena, CAST, cast, pt__sql_origin(p, first));
    cast->base.type = type;
    cast->child = *in_out;
    cast->target = type;
    *in_out = &cast->base;
    return PT_OK;
}

static pt_status parse_collate(pt__sql_parser *p, size_t first, const pt_expr **in_out)
{
    size_t at = p->position;
    pt_name name = {0};
    PT_TRY(pt__sql_name(p, &name));
    const pt_expr *collation = pt__sql_make_string(p, at, name.parts[name.count - 1]);
    *in_out = pt__sql_make_call(p, first, "collate", 2, *in_out, collation);
    return PT_OK;
}

static bool at_variant_path(const pt__sql_parser *p)
{
    return pt__sql_at(p, ':') && (pt__sql_is_name(pt__sql_peek(p, 1)) || pt__sql_peek(p, 1) == '[') &&
           pt__sql_is_joined(p, 1);
}

/* One more part of a path, as variant_get writes it; `*found` is false when none follows. */
static pt_status parse_path_part(pt__sql_parser *p, const char **path, bool *found)
{
    const char *name = NULL;
    *found = true;
    if (pt__sql_accept(p, '.')) {
        PT_TRY(pt__sql_identifier(p, &name));
        *path = pt__arena_printf(p->arena, "%s['%s']", *path, name);
    } else if (pt__sql_accept(p, '[')) {
        const pt_expr *key = NULL;
        PT_TRY(pt__sql_value(p, &key));
        PT_TRY(pt__sql_expect(p, ']'));
        if (key->kind != PT_EXPR_LITERAL)
            return pt__sql_unsupported(p, "a computed part of a variant's path");
        const pt_value *value = &pt__expr_as_literal(key)->value;
        *path =
            pt__type_is_string(key->type)
                ? pt__arena_printf(p->arena, "%s['%.*s']", *path, (int)value->as.text.size_bytes, value->as.text.data)
                : pt__arena_printf(p->arena, "%s[%lld]", *path, (long long)value->as.integer);
    } else {
        *found = false;
    }
    return PT_OK;
}

/* v:a.b[0] is variant_get(v, '$.a.b[0]'). */
static pt_status parse_variant_path(pt__sql_parser *p, size_t first, const pt_expr **in_out)
{
    size_t at = p->position;
    const char *path = "$";
    pt__sql_skip(p, 1);
    if (!pt__sql_at(p, '[')) {
        const char *name = NULL;
        PT_TRY(pt__sql_identifier(p, &name));
        path = pt__arena_printf(p->arena, "$['%s']", name);
    }
    for (bool found = true; found;)
        PT_TRY(parse_path_part(p, &path, &found));
    *in_out = pt__sql_make_call(p, first, "variant_get", 2, *in_out, pt__sql_make_string(p, at, path));
    return PT_OK;
}

static pt_status parse_suffixes(pt__sql_parser *p, size_t first, const pt_expr **out)
{
    for (;;) {
        if (pt__sql_accept(p, '['))
            PT_TRY(parse_subscript(p, first, out));
        else if (pt__sql_accept(p, '.'))
            PT_TRY(parse_field(p, first, out));
        else if (pt__sql_accept(p, PT_TOKEN_DOUBLE_COLON))
            PT_TRY(parse_cast_suffix(p, first, out));
        else if (pt__sql_at(p, PT_KW_COLLATE) && pt__sql_is_name(pt__sql_peek(p, 1))) {
            pt__sql_skip(p, 1);
            PT_TRY(parse_collate(p, first, out));
        } else if (at_variant_path(p)) {
            PT_TRY(parse_variant_path(p, first, out));
        } else {
            return PT_OK;
        }
    }
}

/* Every way back to an expression leads through an operand: here nesting is counted. */
pt_status pt__sql_primary(pt__sql_parser *p, const pt_expr **out)
{
    size_t first = p->position;
    PT_TRY(pt__sql_enter(p));
    PT_TRY(parse_operand(p, out));
    PT_TRY(parse_suffixes(p, first, out));
    p->depth--;
    return PT_OK;
}

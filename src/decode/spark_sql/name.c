/* Names. */
#include "decode/spark_sql/internal.h"

#include <string.h>

static const char *unquote(pt__sql_parser *p, const pt__sql_token *token)
{
    const char *text = p->sql + token->start_byte + 1;
    size_t size = token->end_byte - token->start_byte - 2;
    char quote = p->sql[token->start_byte];
    char *name = pt__arena_alloc_text(p->arena, size + 1);
    size_t out = 0;
    for (size_t i = 0; i < size; i++) {
        name[out++] = text[i];
        if (text[i] == quote && i + 1 < size && text[i + 1] == quote)
            i++;
    }
    name[out] = '\0';
    return name;
}

static pt_status invalid_identifier(pt__sql_parser *p, size_t token, const char *identifier)
{
    pt_status status = pt__raise(p->err, PT_COND_INVALID_IDENTIFIER, "ident", identifier, NULL);
    pt__sql_mark_error(p, token);
    return status;
}

pt_status pt__sql_identifier(pt__sql_parser *p, const char **out)
{
    const pt__sql_token *token = pt__sql_token_at(p, 0);
    if (!pt__sql_is_name(token->kind))
        return pt__sql_syntax_error(p);
    if (p->options->enforce_reserved_keywords && pt__sql_keyword_is_reserved(token->kind))
        return pt__sql_syntax_error(p);
    if (token->kind == PT_TOKEN_QUOTED) {
        *out = unquote(p, token);
    } else {
        *out = pt__sql_token_text(p, 0);
        for (const char *c = *out; *c != '\0'; c++) {
            if ((unsigned char)*c >= 0x80)
                return invalid_identifier(p, p->position, *out);
        }
    }
    p->position++;
    return PT_OK;
}

pt_status pt__sql_checked_identifier(pt__sql_parser *p, const char **out)
{
    size_t first = p->position;
    PT_TRY(pt__sql_identifier(p, out));
    if (!pt__sql_at(p, '-') || !pt__sql_is_name(pt__sql_peek(p, 1)))
        return PT_OK;
    while (pt__sql_at(p, '-') && pt__sql_is_name(pt__sql_peek(p, 1)))
        pt__sql_skip(p, 2);
    return invalid_identifier(p, first, pt__sql_text_from(p, first));
}

pt_status pt__sql_identifier_list(pt__sql_parser *p, pt__sql_string_list *out)
{
    PT_TRY(pt__sql_expect(p, '('));
    do {
        const char *name = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &name));
        pt__list_push(p->arena, out, name);
    } while (pt__sql_accept(p, ','));
    return pt__sql_expect(p, ')');
}

pt_status pt__sql_name(pt__sql_parser *p, pt_name *out)
{
    if (pt__sql_at_identifier_clause(p))
        return pt__sql_identifier_clause(p, out);
    pt__sql_string_list parts = {0};
    do {
        const char *part = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &part));
        pt__list_push(p->arena, &parts, part);
    } while (pt__sql_accept(p, '.'));
    *out = (pt_name){parts.items, parts.count};
    return PT_OK;
}

/* ---- IDENTIFIER(…) ---- */

bool pt__sql_at_identifier_clause(const pt__sql_parser *p)
{
    return pt__sql_at_two(p, PT_KW_IDENTIFIER, '(');
}

static const pt_expr *find_argument(const pt__sql_parser *p, const pt_expr_parameter *parameter)
{
    int32_t position = 0;
    for (size_t i = 0; i < p->options->argument_count; i++) {
        const pt__sql_argument *argument = &p->options->arguments[i];
        bool named = argument->name != NULL && parameter->name != NULL;
        if (named && strcmp(argument->name, parameter->name) == 0)
            return argument->value;
        if (argument->name == NULL && parameter->name == NULL && position++ == parameter->position)
            return argument->value;
    }
    return NULL;
}

/* The text of a string literal, a parameter bound to one, or a concatenation of such; NULL: none of these. */
static const char *constant_text(pt__sql_parser *p, const pt_expr *expr, int depth)
{
    if (expr == NULL || depth > 100)
        return NULL;
    if (expr->kind == PT_EXPR_PARAMETER)
        return constant_text(p, find_argument(p, pt__expr_as_parameter(expr)), depth + 1);
    if (expr->kind == PT_EXPR_LITERAL) {
        const pt_expr_literal *literal = pt__expr_as_literal(expr);
        if (literal->value.is_null || !pt__type_is_string(literal->base.type))
            return NULL;
        return pt__arena_copy_text(p->arena, literal->value.as.text.data, literal->value.as.text.size_bytes);
    }
    if (expr->kind != PT_EXPR_CALL)
        return NULL;
    const pt_expr_call *call = pt__expr_as_call(expr);
    if (call->name.count != 1 || strcmp(call->name.parts[0], "concat") != 0)
        return NULL;
    const char *text = "";
    for (size_t i = 0; i < call->argument_count && text != NULL; i++) {
        const char *piece = constant_text(p, call->arguments[i], depth + 1);
        text = piece == NULL ? NULL : pt__arena_printf(p->arena, "%s%s", text, piece);
    }
    return text;
}

pt_status pt__sql_identifier_clause(pt__sql_parser *p, pt_name *out)
{
    size_t first = p->position;
    const pt_expr *expr = NULL;
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expression(p, &expr));
    const char *text = constant_text(p, expr, 0);
    PT_TRY(pt__sql_expect(p, ')'));
    if (text == NULL) {
        p->position = first;
        return pt__sql_unsupported(p, "IDENTIFIER of what is not made of string literals and parameters");
    }
    pt__sql_options plain = *p->options; /* without arguments: a name cannot be made of itself */
    plain.argument_count = 0;
    return pt__sql_parse_name(p->arena, (pt_text_view){text, strlen(text)}, &plain, out, p->err);
}

/* ---- column names of DataFrames ---- */

static pt_status invalid_column_name(pt_text_view text, pt__arena *arena, pt_error *err)
{
    return pt__raise(err, PT_COND_INVALID_ATTRIBUTE_NAME_SYNTAX, "name",
                     pt__arena_copy_text(arena, text.data, text.size_bytes), NULL);
}

/* One part from `*at`, back-quoted or up to the next dot; false when it is malformed. */
static bool column_name_part(pt__arena *arena, pt_text_view text, size_t *at, const char **out)
{
    char *part = pt__arena_alloc_text(arena, text.size_bytes - *at + 1);
    size_t size = 0;
    size_t i = *at;
    if (i < text.size_bytes && text.data[i] == '`') {
        for (i++; i < text.size_bytes; i++) {
            if (text.data[i] == '`' && (i + 1 == text.size_bytes || text.data[i + 1] != '`'))
                break;
            if (text.data[i] == '`')
                i++;
            part[size++] = text.data[i];
        }
        if (i == text.size_bytes)
            return false;
        i++;
        if (i < text.size_bytes && text.data[i] != '.')
            return false;
    } else {
        for (; i < text.size_bytes && text.data[i] != '.'; i++) {
            if (text.data[i] == '`')
                return false;
            part[size++] = text.data[i];
        }
        if (size == 0)
            return false;
    }
    part[size] = '\0';
    *at = i;
    *out = part;
    return true;
}

pt_status pt__sql_parse_column_name(pt__arena *arena, pt_text_view text, pt_name *out, pt_error *err)
{
    pt__sql_string_list parts = {0};
    size_t at = 0;
    if (text.size_bytes == 0) {
        *out = pt__name_one(arena, "");
        return PT_OK;
    }
    for (;;) {
        const char *part = NULL;
        if (!column_name_part(arena, text, &at, &part))
            return invalid_column_name(text, arena, err);
        pt__list_push(arena, &parts, part);
        if (at == text.size_bytes)
            break;
        at++;
    }
    *out = (pt_name){parts.items, parts.count};
    return PT_OK;
}

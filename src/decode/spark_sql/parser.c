/* Entry points, errors and origins. */
#include "decode/spark_sql/internal.h"

#include <string.h>

static const pt__sql_options DEFAULT_OPTIONS = {0};

/* ---- tokens ---- */

pt_status pt__sql_expect(pt__sql_parser *p, int32_t kind)
{
    if (!pt__sql_accept(p, kind))
        return pt__sql_syntax_error(p);
    return PT_OK;
}

pt_status pt__sql_expect_two(pt__sql_parser *p, int32_t first, int32_t second)
{
    PT_TRY(pt__sql_expect(p, first));
    return pt__sql_expect(p, second);
}

const char *pt__sql_token_text(const pt__sql_parser *p, size_t ahead)
{
    const pt__sql_token *token = pt__sql_token_at(p, ahead);
    return pt__arena_copy_text(p->arena, p->sql + token->start_byte, token->end_byte - token->start_byte);
}

bool pt__sql_is_word(const pt__sql_parser *p, size_t ahead, const char *word)
{
    const pt__sql_token *token = pt__sql_token_at(p, ahead);
    size_t size = token->end_byte - token->start_byte;
    if (size != strlen(word) || !pt__sql_is_name(token->kind))
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = p->sql[token->start_byte + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i])
            return false;
    }
    return true;
}

const char *pt__sql_text_from(const pt__sql_parser *p, size_t first)
{
    uint32_t start = p->tokens[first].start_byte;
    uint32_t end = p->position > first ? p->tokens[p->position - 1].end_byte : start;
    return pt__arena_copy_text(p->arena, p->sql + start, end - start);
}

/* ---- origins ---- */

static pt_origin range_origin(const pt__sql_parser *p, size_t first)
{
    size_t last = p->position > first ? p->position - 1 : first;
    return (pt_origin){
        .sql = p->sql, .start = p->tokens[first].start_unit, .stop = p->tokens[last].stop_unit, .call_site = ""};
}

const pt_origin *pt__sql_origin(pt__sql_parser *p, size_t first)
{
    pt_origin *origin = pt__arena_make(p->arena, pt_origin);
    *origin = range_origin(p, first);
    return origin;
}

/* ---- errors ---- */

void pt__sql_mark_error(pt__sql_parser *p, size_t token)
{
    pt_origin origin = {
        .sql = p->sql, .start = p->tokens[token].start_unit, .stop = p->tokens[token].stop_unit, .call_site = ""};
    pt__origin_add_context(&origin, p->err);
}

pt_status pt__sql_syntax_error_hint(pt__sql_parser *p, const char *hint)
{
    const char *error = "end of input";
    if (!pt__sql_at(p, PT_TOKEN_END))
        error = pt__arena_printf(p->arena, "'%s'", pt__sql_token_text(p, 0));
    if (hint[0] != '\0')
        hint = pt__arena_printf(p->arena, ": %s %s", hint, error);
    pt_status status = pt__raise(p->err, PT_COND_PARSE_SYNTAX_ERROR, "error", error, "hint", hint, NULL);
    pt__sql_mark_error(p, p->position);
    return status;
}

pt_status pt__sql_syntax_error(pt__sql_parser *p)
{
    return pt__sql_syntax_error_hint(p, "");
}

pt_status pt__sql_locate_error(pt__sql_parser *p, size_t first, pt_status status)
{
    pt_origin origin = range_origin(p, first);
    pt__origin_add_context(&origin, p->err);
    return status;
}

pt_status pt__sql_unsupported(pt__sql_parser *p, const char *feature)
{
    pt_status status = pt__raise(p->err, PT_COND_UNSUPPORTED_FEATURE, "feature", feature, NULL);
    pt__sql_mark_error(p, p->position);
    return status;
}

pt_status pt__sql_refuse_bang(pt__sql_parser *p)
{
    size_t first = p->position++;
    pt_status status = pt__raise(p->err, PT_COND_SYNTAX_DISCONTINUED_BANG_EQUALS_NOT, "clause", "!", NULL);
    return pt__sql_locate_error(p, first, status);
}

pt_status pt__sql_enter(pt__sql_parser *p)
{
    if (++p->depth <= PT_SQL_DEPTH_MAX)
        return PT_OK;
    return pt__raise(p->err, PT_COND_FAILED_TO_PARSE_TOO_COMPLEX, "limit",
                     pt__arena_printf(p->arena, "%d", (int)PT_SQL_DEPTH_MAX), NULL);
}

/* ---- entry points ---- */

static pt_status start(pt__sql_parser *p, pt__arena *arena, pt_text_view sql, const pt__sql_options *options,
                       pt_error *err)
{
    *p = (pt__sql_parser){.arena = arena, .options = options == NULL ? &DEFAULT_OPTIONS : options, .err = err};
    p->sql = pt__arena_copy_text(arena, sql.data, sql.size_bytes);
    return pt__sql_tokenize(arena, p->sql, sql.size_bytes, p->options, &p->tokens, &p->token_count, err);
}

static pt_status finish(pt__sql_parser *p)
{
    if (!pt__sql_at(p, PT_TOKEN_END))
        return pt__sql_syntax_error(p);
    if (p->named_windows.count == 0)
        return PT_OK;
    const pt_expr_window *window = p->named_windows.items[0];
    pt_status status = pt__raise(p->err, PT_COND_MISSING_WINDOW_SPECIFICATION, "windowName", window->reference, NULL);
    pt__origin_add_context(window->base.origin, p->err);
    return status;
}

static pt_status empty_statement(pt__sql_parser *p)
{
    pt_status status = pt__raise(p->err, PT_COND_PARSE_EMPTY_STATEMENT, NULL);
    pt__sql_mark_error(p, p->position);
    return status;
}

pt_status pt__sql_parse_statement(pt__arena *arena, pt_text_view sql, const pt__sql_options *options,
                                  const pt_plan **out, pt_error *err)
{
    pt__sql_parser p;
    const pt_plan *plan = NULL;
    PT_TRY(start(&p, arena, sql, options, err));
    if (pt__sql_at(&p, PT_TOKEN_END))
        return empty_statement(&p);
    PT_TRY(pt__sql_statement(&p, &plan));
    bool closed = false;
    while (pt__sql_accept(&p, ';'))
        closed = true;
    if (closed && !pt__sql_at(&p, PT_TOKEN_END))
        return pt__sql_syntax_error_hint(&p, "extra input");
    PT_TRY(finish(&p));
    *out = plan;
    return PT_OK;
}

pt_status pt__sql_parse_expression(pt__arena *arena, pt_text_view sql, const pt__sql_options *options,
                                   const pt_expr **out, pt_error *err)
{
    pt__sql_parser p;
    const pt_expr *expr = NULL;
    PT_TRY(start(&p, arena, sql, options, err));
    if (pt__sql_at(&p, PT_TOKEN_END))
        return empty_statement(&p);
    PT_TRY(pt__sql_named_expression(&p, &expr));
    PT_TRY(finish(&p));
    *out = expr;
    return PT_OK;
}

pt_status pt__sql_parse_expressions(pt__arena *arena, pt_text_view sql, const pt__sql_options *options,
                                    const pt_expr *const **out, size_t *count, pt_error *err)
{
    pt__sql_parser p;
    pt__sql_expr_list list = {0};
    PT_TRY(start(&p, arena, sql, options, err));
    PT_TRY(pt__sql_named_expression_list(&p, &list));
    PT_TRY(finish(&p));
    *out = list.items;
    *count = list.count;
    return PT_OK;
}

pt_status pt__sql_parse_name(pt__arena *arena, pt_text_view sql, const pt__sql_options *options, pt_name *out,
                             pt_error *err)
{
    pt__sql_parser p;
    pt_name name = {0};
    PT_TRY(start(&p, arena, sql, options, err));
    if (pt__sql_at(&p, PT_TOKEN_END))
        return empty_statement(&p);
    PT_TRY(pt__sql_name(&p, &name));
    PT_TRY(finish(&p));
    *out = name;
    return PT_OK;
}

/* Whether `name type` follows rather than a type alone: two words, the first no start of a longer type. */
static bool at_column_list(const pt__sql_parser *p)
{
    if (pt__sql_at(p, PT_TOKEN_END))
        return true;
    int32_t second = pt__sql_peek(p, 1);
    if (pt__sql_at(p, PT_TOKEN_QUOTED) || second == ':')
        return true;
    if (!pt__sql_is_name(second))
        return false;
    bool longer = pt__sql_at(p, PT_KW_INTERVAL) || pt__sql_at(p, PT_KW_STRING) || pt__sql_at(p, PT_KW_TIMESTAMP) ||
                  pt__sql_at(p, PT_KW_TIME);
    int32_t third = pt__sql_peek(p, 2);
    if (longer && second == PT_KW_COLLATE)
        return !pt__sql_is_name(third);
    bool unit = second == PT_KW_YEAR || second == PT_KW_MONTH || second == PT_KW_DAY || second == PT_KW_HOUR ||
                second == PT_KW_MINUTE || second == PT_KW_SECOND;
    return !(longer && (unit || second == PT_KW_WITHOUT || second == PT_KW_WITH));
}

pt_status pt__sql_parse_type(pt__arena *arena, pt_text_view sql, const pt__sql_options *options, const pt_type **out,
                             pt_error *err)
{
    pt__sql_parser p;
    const pt_type *type = NULL;
    PT_TRY(start(&p, arena, sql, options, err));
    PT_TRY(at_column_list(&p) ? pt__sql_field_list(&p, PT_TOKEN_END, &type) : pt__sql_type(&p, &type));
    PT_TRY(finish(&p));
    *out = type;
    return PT_OK;
}

pt_status pt__sql_parse_schema(pt__arena *arena, pt_text_view sql, const pt__sql_options *options, const pt_type **out,
                               pt_error *err)
{
    pt__sql_parser p;
    const pt_type *type = NULL;
    PT_TRY(start(&p, arena, sql, options, err));
    PT_TRY(pt__sql_field_list(&p, PT_TOKEN_END, &type));
    PT_TRY(finish(&p));
    *out = type;
    return PT_OK;
}

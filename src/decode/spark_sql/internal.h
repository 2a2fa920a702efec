/**
 * The parser's state and what its files share: recursive descent over an array of tokens, no backtracking but where
 * a few tokens decide. A function that parses leaves the position after what it took; on failure the position and
 * `depth` mean nothing, because the statement has failed.
 */
#ifndef PT_DECODE_SPARK_SQL_INTERNAL_H
#define PT_DECODE_SPARK_SQL_INTERNAL_H

#include "base/condition.h"
#include "base/list.h"
#include "decode/spark_sql/lexer.h"

/** Levels of nesting that a worker's stack of 8 MiB is sure to hold, sanitizers included. */
enum { PT_SQL_DEPTH_MAX = 1000 };

typedef struct pt__sql_expr_list {
    const pt_expr **items;
    size_t count;
    size_t capacity;
} pt__sql_expr_list;

typedef struct pt__sql_string_list {
    const char **items;
    size_t count;
    size_t capacity;
} pt__sql_string_list;

typedef struct pt__sql_parser {
    pt__arena *arena;
    const char *sql; /* in the arena, ends with NUL */
    const pt__sql_token *tokens;
    size_t token_count;
    size_t position;
    const pt__sql_options *options;
    pt_error *err; /* may be NULL */
    int depth;
    int32_t parameter_count;      /* `?` so far */
    const pt_expr *bare_subquery; /* the last `(query)` read as an expression: may turn out to start a longer query */
    const pt_expr *last_row;      /* the last (a, b), as built, and its items, for (a, b) IN (query) and VALUES */
    pt__sql_expr_list last_row_items;
    pt__list(pt_expr_window *) named_windows; /* OVER name, until the WINDOW clause tells */
} pt__sql_parser;

/* ---- tokens ---- */

static inline const pt__sql_token *pt__sql_token_at(const pt__sql_parser *p, size_t ahead)
{
    size_t index = p->position + ahead;
    return &p->tokens[index < p->token_count ? index : p->token_count - 1];
}

static inline int32_t pt__sql_peek(const pt__sql_parser *p, size_t ahead)
{
    return pt__sql_token_at(p, ahead)->kind;
}

static inline bool pt__sql_at(const pt__sql_parser *p, int32_t kind)
{
    return p->tokens[p->position].kind == kind;
}

static inline bool pt__sql_at_two(const pt__sql_parser *p, int32_t first, int32_t second)
{
    return pt__sql_at(p, first) && pt__sql_peek(p, 1) == second;
}

static inline void pt__sql_skip(pt__sql_parser *p, size_t count)
{
    p->position += count;
    if (p->position >= p->token_count)
        p->position = p->token_count - 1;
}

static inline bool pt__sql_accept(pt__sql_parser *p, int32_t kind)
{
    if (!pt__sql_at(p, kind))
        return false;
    p->position++;
    return true;
}

static inline bool pt__sql_accept_two(pt__sql_parser *p, int32_t first, int32_t second)
{
    if (!pt__sql_at_two(p, first, second))
        return false;
    p->position += 2;
    return true;
}

/** A word or quoted name, whatever its keyword. */
static inline bool pt__sql_is_name(int32_t kind)
{
    return kind == PT_TOKEN_WORD || kind == PT_TOKEN_QUOTED || kind >= PT_TOKEN_KEYWORD_FIRST;
}

/** Whether the token `ahead` starts right where the one before it ends. */
static inline bool pt__sql_is_joined(const pt__sql_parser *p, size_t ahead)
{
    return ahead > 0 && pt__sql_token_at(p, ahead - 1)->end_byte == pt__sql_token_at(p, ahead)->start_byte;
}

pt_status pt__sql_expect(pt__sql_parser *p, int32_t kind);
pt_status pt__sql_expect_two(pt__sql_parser *p, int32_t first, int32_t second);

/** A token's text as it stands; `ahead` tokens from here. */
const char *pt__sql_token_text(const pt__sql_parser *p, size_t ahead);
/** Whether the token is this word, in any case: for words that are no keywords. */
bool pt__sql_is_word(const pt__sql_parser *p, size_t ahead, const char *word);
/** The text from token `first` up to the last token taken. */
const char *pt__sql_text_from(const pt__sql_parser *p, size_t first);

/* ---- errors and origins ---- */

/** PARSE_SYNTAX_ERROR at the current token. */
pt_status pt__sql_syntax_error(pt__sql_parser *p);
pt_status pt__sql_syntax_error_hint(pt__sql_parser *p, const char *hint);
/** Adds the token with index `token` to the error that is set, as its query context. */
void pt__sql_mark_error(pt__sql_parser *p, size_t token);
/** Adds the range of tokens from `first` to the last taken to the error that is set, as its query context. */
pt_status pt__sql_locate_error(pt__sql_parser *p, size_t first, pt_status status);
/** UNSUPPORTED_FEATURE naming `feature`. */
pt_status pt__sql_unsupported(pt__sql_parser *p, const char *feature);

/** `!` where only NOT may stand. */
pt_status pt__sql_refuse_bang(pt__sql_parser *p);

/** The range from token `first` to the last one taken. */
const pt_origin *pt__sql_origin(pt__sql_parser *p, size_t first);

/** Spends a level of nesting; the caller gives it back with p->depth--. */
pt_status pt__sql_enter(pt__sql_parser *p);

/* ---- names and small values (name.c, literal.c) ---- */

/** The current token as a name. */
pt_status pt__sql_identifier(pt__sql_parser *p, const char **out);
/** Likewise, where a name with a hyphen is reported as such. */
pt_status pt__sql_checked_identifier(pt__sql_parser *p, const char **out);
/** a.b.c, or IDENTIFIER(…). */
pt_status pt__sql_name(pt__sql_parser *p, pt_name *out);
/** (a, b, c) */
pt_status pt__sql_identifier_list(pt__sql_parser *p, pt__sql_string_list *out);
/** IDENTIFIER( … ) made of strings and parameters. */
pt_status pt__sql_identifier_clause(pt__sql_parser *p, pt_name *out);
bool pt__sql_at_identifier_clause(const pt__sql_parser *p);

/** One or more adjacent string tokens. */
pt_status pt__sql_string(pt__sql_parser *p, pt_text_view *out);
pt_status pt__sql_string_text(pt__sql_parser *p, const char **out);
/** One string token, whatever follows. */
pt_status pt__sql_one_string(pt__sql_parser *p, const char **out);
/** An unsigned integer token. */
pt_status pt__sql_integer(pt__sql_parser *p, int64_t *out);

/** A number token, negated if the sign was taken before; origin from token `first`. */
pt_status pt__sql_number_literal(pt__sql_parser *p, size_t first, bool negative, const pt_expr **out);
pt_status pt__sql_string_literal(pt__sql_parser *p, const pt_expr **out);
/** DATE '…' and the like: a name followed by a string. */
pt_status pt__sql_typed_literal(pt__sql_parser *p, const pt_expr **out);
bool pt__sql_at_interval_literal(const pt__sql_parser *p);
pt_status pt__sql_interval_literal(pt__sql_parser *p, const pt_expr **out);
/** The value of INTERVAL 'text'; false when it is malformed. */
bool pt__sql_interval_from_text(pt__sql_parser *p, size_t first, pt_text_view text, const pt_expr **out,
                                pt_status *status);

/* ---- types (type.c) ---- */

pt_status pt__sql_type(pt__sql_parser *p, const pt_type **out);
/** `name [:] type [NOT NULL] [DEFAULT …] [COMMENT '…']` */
pt_status pt__sql_field(pt__sql_parser *p, pt_field *out);
pt_status pt__sql_field_list(pt__sql_parser *p, int32_t end, const pt_type **out);

/* ---- expressions (expression.c, primary.c, function.c) ---- */

pt_status pt__sql_expression(pt__sql_parser *p, const pt_expr **out);
/** Above comparison and below predicates: what BETWEEN and LIKE have on their right. */
pt_status pt__sql_value(pt__sql_parser *p, const pt_expr **out);
pt_status pt__sql_primary(pt__sql_parser *p, const pt_expr **out);
/** With an optional alias. */
pt_status pt__sql_named_expression(pt__sql_parser *p, const pt_expr **out);
/** expression, expression, … */
pt_status pt__sql_expression_list(pt__sql_parser *p, pt__sql_expr_list *out);
pt_status pt__sql_named_expression_list(pt__sql_parser *p, pt__sql_expr_list *out);
pt_status pt__sql_sort_orders(pt__sql_parser *p, pt__sql_expr_list *out);

/** From the opening parenthesis of a call named `name`, whose text began at token `first`. */
pt_status pt__sql_call(pt__sql_parser *p, size_t first, pt_name name, const pt_expr **out);
/** Arguments up to and with the closing parenthesis; the opening one is taken. */
pt_status pt__sql_arguments(pt__sql_parser *p, bool allow_alias, pt__sql_expr_list *out);
/** A call with syntax of its own, such as CAST(x AS t); NULL when the current token starts none. */
pt_status pt__sql_special_call(pt__sql_parser *p, const pt_expr **out);
/** OVER and what follows. */
pt_status pt__sql_window_over(pt__sql_parser *p, size_t first, const pt_expr *function, const pt_expr **out);
/** WINDOW a AS (…), b AS (…): replaces references made since `mark`. */
pt_status pt__sql_window_clause(pt__sql_parser *p, size_t mark);

const pt_expr *pt__sql_make_call(pt__sql_parser *p, size_t first, const char *name, size_t count, ...);
const pt_expr *pt__sql_make_string(pt__sql_parser *p, size_t first, const char *text);

/* ---- queries (query.c, select.c, organization.c, with.c, from.c, group.c, pipe.c) ---- */

/** Whether a token of the kind cannot start an expression: what stands before it is whole. */
bool pt__sql_ends_operand(int32_t kind);
/** Whether the token `ahead` starts a query and not an expression. */
bool pt__sql_starts_query(const pt__sql_parser *p, size_t ahead);
/** Whether a word stands where a clause can start and what follows fits that clause. */
bool pt__sql_starts_clause(const pt__sql_parser *p);
/** Whether the current token continues a query: a set operation, ORDER BY, LIMIT, |>. */
bool pt__sql_continues_query(const pt__sql_parser *p);

pt_status pt__sql_query(pt__sql_parser *p, const pt_plan **out);
/** A query that sees the tables of `with`, which may be NULL. */
pt_status pt__sql_query_under(pt__sql_parser *p, pt_plan_with *with, const pt_plan **out);
/** The rest of a query whose first operand has been read. */
pt_status pt__sql_query_after(pt__sql_parser *p, const pt_plan *first, const pt_plan **out);
/** An operand of set operations: SELECT, VALUES, TABLE, FROM, (query). */
pt_status pt__sql_query_primary(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_select(pt__sql_parser *p, const pt_plan **out);
/** FROM …, with or without a SELECT after it. */
pt_status pt__sql_from_first(pt__sql_parser *p, const pt_plan **out);
/** SELECT over an input that is given. */
pt_status pt__sql_select_from(pt__sql_parser *p, const pt_plan *input, const pt_plan **out);
/** ORDER BY, SORT BY, LIMIT …, as far as they are there. */
pt_status pt__sql_organization(pt__sql_parser *p, const pt_plan **in_out);
/** The same where the query's windows start at position `mark` of the named ones. */
pt_status pt__sql_organization_since(pt__sql_parser *p, size_t mark, const pt_plan **in_out);
/** WITH …; leaves `out->input` to the caller. NULL when there is no WITH. */
pt_status pt__sql_with_clause(pt__sql_parser *p, pt_plan_with **out);

/** Relations after FROM, without the word. */
pt_status pt__sql_relations(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_relation(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_join_or_stop(pt__sql_parser *p, const pt_plan **in_out, bool *joined);
pt_status pt__sql_lateral_views(pt__sql_parser *p, const pt_plan **in_out);
pt_status pt__sql_values(pt__sql_parser *p, const pt_plan **out);
/** [AS] name [(columns)]; wraps `*in_out` when there is one. */
pt_status pt__sql_table_alias(pt__sql_parser *p, const pt_plan **in_out, bool *aliased);
pt_status pt__sql_pivot(pt__sql_parser *p, const pt_plan **in_out);
pt_status pt__sql_unpivot(pt__sql_parser *p, const pt_plan **in_out);
pt_status pt__sql_table_sample(pt__sql_parser *p, const pt_plan **in_out);

/** GROUP BY, after those words. */
pt_status pt__sql_group_by(pt__sql_parser *p, pt_plan_aggregate *aggregate);
/** One operator after |>. */
pt_status pt__sql_pipe_operator(pt__sql_parser *p, const pt_plan **in_out);
/** A set operation's words; false when there is none. */
bool pt__sql_at_set_operation(const pt__sql_parser *p);
pt_status pt__sql_set_operation(pt__sql_parser *p, const pt_plan *left, const pt_plan *right,
                                pt_plan_set_operation **out);

/* ---- commands (statement.c, create.c, alter.c, write.c, show.c, session.c) ---- */

pt_status pt__sql_statement(pt__sql_parser *p, const pt_plan **out);

/* Each reads one kind of statement from its first word on. */
pt_status pt__sql_create(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_replace_table(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_create_function(pt__sql_parser *p, pt_plan_create_function *function, const pt_plan **out);
pt_status pt__sql_drop(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_alter(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_truncate(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_comment_on(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_repair(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_analyze(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_insert(pt__sql_parser *p, pt_plan_with *with, const pt_plan **out);
pt_status pt__sql_delete(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_update(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_merge(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_show(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_describe(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_explain(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_set(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_reset(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_use(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_cache(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_uncache(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_clear_cache(pt__sql_parser *p, const pt_plan **out);
pt_status pt__sql_refresh(pt__sql_parser *p, const pt_plan **out);

/** (key = value, 'key' 'value', …) of OPTIONS, TBLPROPERTIES and WITH. */
pt_status pt__sql_property_list(pt__sql_parser *p, pt_options *out);
/** (key, 'key', …) */
pt_status pt__sql_key_list(pt__sql_parser *p, pt_options *out);
/** PARTITION (k = v, k); a key without value has NULL. */
pt_status pt__sql_partition(pt__sql_parser *p, pt_options *out);
/** IF EXISTS; IF NOT EXISTS. */
bool pt__sql_accept_if_exists(pt__sql_parser *p);
pt_status pt__sql_if_not_exists(pt__sql_parser *p, bool *out);
/** DATABASE, SCHEMA or NAMESPACE. */
bool pt__sql_at_namespace_word(const pt__sql_parser *p);
/** INVALID_STATEMENT_OR_CLAUSE naming `words`. */
pt_status pt__sql_invalid_statement(pt__sql_parser *p, const char *words);
/** DUPLICATE_CLAUSES naming `clause`, from token `first`. */
pt_status pt__sql_duplicate_clause(pt__sql_parser *p, size_t first, const char *clause);

#endif

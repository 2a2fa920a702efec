/**
 * Decoder of Spark SQL: text in, unresolved plan out. No I/O and no session state.
 *
 * What analysis needs to know about the trees:
 * - Operators are calls by Spark's names: + - * / % div, = <=> < <= > >=, and or not, & | ^ ~ << >> >>>, concat (||),
 *   like ilike rlike, isnull isnotnull, between. `<>` is not(=), IS [NOT] DISTINCT FROM and IS TRUE are <=> forms.
 *   -x and +x are negative(x) and positive(x) with is_operator set, because Spark names them `(- x)` and `(+ x)`.
 * - DATE '…' is the call date_literal('…'), likewise timestamp_literal, timestamp_ntz_literal, timestamp_ltz_literal
 *   and time_literal: they depend on the session time zone. All other literals are literals.
 * - current_date, current_timestamp, current_time, current_user, user, session_user, current_path without
 *   parentheses are attributes: a column of that name comes first, the function of that name second.
 * - a.b.c is one attribute; after a call or a bracket `.name` and `[key]` are EXTRACT.
 * - extract(f FROM x) is extract('f', x), position(a IN b) is locate(a, b), trim(BOTH c FROM x) is trim(c, x) (ltrim,
 *   rtrim), timestampadd(unit, n, t) is timestampadd('unit', n, t), datediff(unit, a, b) is timestampdiff('unit', …).
 *   (a, b) is named_struct('a', a, 'b', b); struct(x AS n) keeps its alias.
 * - SELECT is PROJECT, or AGGREGATE with the whole select list as `aggregates` when there is GROUP BY or HAVING; whether
 *   a PROJECT aggregates is for analysis to find. HAVING is a FILTER with is_having above the AGGREGATE, QUALIFY one
 *   with is_qualify above that: its condition sees the output first, then what the select list sees.
 *   DISTINCT is DEDUPLICATE without names, above those; ORDER BY is SORT, above that. WINDOW names are replaced.
 * - ORDER BY ALL is one sort order over the attribute `ALL` with order_by_all set, GROUP BY ALL likewise.
 * - (query) in FROM without alias is named __auto_generated_subquery_name, so that its inner qualifiers do not leak.
 * - DISTRIBUTE BY and CLUSTER BY are hints named "repartition".
 *
 * Ownership: everything returned lives in `arena`; `sql` is copied.
 * Errors:    PT_BAD_SQL with Spark's condition and the place in the text, PT_UNSUPPORTED naming what is not supported,
 *            PT_LIMIT for text nested too deeply.
 * Threads:   any; the caller guards the arena. The stack must have about 8 MiB for the deepest text allowed.
 * Spec:      Apache Spark SQL reference, version 4.2.
 */
#ifndef PT_DECODE_SPARK_SQL_PARSER_H
#define PT_DECODE_SPARK_SQL_PARSER_H

#include "plan/plan.h"

/** A value for a parameter marker, used where a name is made of it: IDENTIFIER(:name). */
typedef struct pt__sql_argument {
    const char *name; /* NULL: the next positional one */
    const pt_expr *value;
} pt__sql_argument;

/** All zero is Spark's default. */
typedef struct pt__sql_options {
    bool double_quoted_identifiers;    /* "x" is a name; spark.sql.ansi.doubleQuotedIdentifiers */
    bool escaped_string_literals;      /* \ is itself; spark.sql.parser.escapedStringLiterals */
    bool enforce_reserved_keywords;    /* spark.sql.ansi.enforceReservedKeywords */
    bool timestamp_is_ntz;             /* TIMESTAMP means TIMESTAMP_NTZ; spark.sql.timestampType */
    const pt__sql_argument *arguments; /* may be empty */
    size_t argument_count;
} pt__sql_options;

/** One statement, a query or a command; a closing semicolon is allowed. `options` may be NULL. */
pt_status pt__sql_parse_statement(pt__arena *arena, pt_text_view sql, const pt__sql_options *options,
                                  const pt_plan **out, pt_error *err);

/** An item of a select list: an expression, perhaps with alias, or a star. */
pt_status pt__sql_parse_expression(pt__arena *arena, pt_text_view sql, const pt__sql_options *options,
                                   const pt_expr **out, pt_error *err);

/** Items of a select list, separated by commas. */
pt_status pt__sql_parse_expressions(pt__arena *arena, pt_text_view sql, const pt__sql_options *options,
                                    const pt_expr *const **out, size_t *count, pt_error *err);

/** A table's or function's name such as "a.`b.c`". */
pt_status pt__sql_parse_name(pt__arena *arena, pt_text_view sql, const pt__sql_options *options, pt_name *out,
                             pt_error *err);

/** A column's name as DataFrames give it: split at dots outside back-quotes, anything else is part of the name. */
pt_status pt__sql_parse_column_name(pt__arena *arena, pt_text_view text, pt_name *out, pt_error *err);

/** "bigint", "array<int>", or a column list "a int, b string NOT NULL", which is a struct. */
pt_status pt__sql_parse_type(pt__arena *arena, pt_text_view sql, const pt__sql_options *options, const pt_type **out,
                             pt_error *err);

/** A column list only; empty text is the empty struct. */
pt_status pt__sql_parse_schema(pt__arena *arena, pt_text_view sql, const pt__sql_options *options, const pt_type **out,
                               pt_error *err);

/** Keywords, sorted; NULL past the end. `*reserved` as the SQL standard has it. For sql_keywords(). */
const char *pt__sql_keyword_at(size_t index, bool *reserved);

#endif

/* FROM: tables, subqueries, joins, table functions, aliases, samples, lateral views, VALUES. */
#include "decode/spark_sql/internal.h"

#include <stdlib.h>
#include <strings.h>

/* ---- aliases ---- */

static bool at_table_alias(const pt__sql_parser *p)
{
    int32_t kind = pt__sql_peek(p, 0);
    if (kind == PT_TOKEN_QUOTED)
        return true;
    if (!pt__sql_is_name(kind) || pt__sql_keyword_is_strict(kind) || pt__sql_starts_clause(p))
        return false;
    return !(p->options->enforce_reserved_keywords && pt__sql_keyword_is_reserved(kind));
}

static pt_plan_subquery_alias *make_table_alias(pt__sql_parser *p, size_t first, const pt_plan *input, const char *name)
{
    pt_plan_subquery_alias *alias = pt__plan_make(p->arena, SUBQUERY_ALIAS, subquery_alias, pt__sql_origin(p, first));
    alias->input = input;
    alias->alias = pt__name_one(p->arena, name);
    return alias;
}

pt_status pt__sql_table_alias(pt__sql_parser *p, const pt_plan **in_out, bool *aliased)
{
    size_t first = p->position;
    const char *name = NULL;
    pt__sql_string_list columns = {0};
    bool has_as = pt__sql_accept(p, PT_KW_AS);
    *aliased = has_as || at_table_alias(p);
    if (!*aliased)
        return PT_OK;
    if (pt__sql_keyword_is_strict(pt__sql_peek(p, 0)))
        return pt__sql_syntax_error(p);
    PT_TRY(pt__sql_checked_identifier(p, &name));
    if (pt__sql_at(p, '('))
        PT_TRY(pt__sql_identifier_list(p, &columns));
    pt_plan_subquery_alias *alias = make_table_alias(p, first, *in_out, name);
    alias->column_names = columns.items;
    alias->column_name_count = columns.count;
    *in_out = &alias->base;
    return PT_OK;
}

/* ---- TABLESAMPLE ---- */

static pt_status parse_fraction(pt__sql_parser *p, double *out)
{
    bool negative = pt__sql_accept(p, '-');
    if (!pt__sql_at(p, PT_TOKEN_INTEGER) && !pt__sql_at(p, PT_TOKEN_NUMBER))
        return pt__sql_syntax_error(p);
    double value = strtod(pt__sql_token_text(p, 0), NULL);
    pt__sql_skip(p, 1);
    *out = negative ? -value : value;
    return PT_OK;
}

static pt_status check_fraction(pt__sql_parser *p, size_t first, double fraction)
{
    if (fraction >= 0 && fraction <= 1)
        return PT_OK;
    pt_status status = pt__raise(p->err, PT_COND_INVALID_SAMPLE_FRACTION, "fraction",
                                 pt__arena_printf(p->arena, "%g", fraction), NULL);
    return pt__sql_locate_error(p, first, status);
}

/* BUCKET x OUT OF y [ON column]: a share of the rows. */
static pt_status parse_bucket(pt__sql_parser *p, pt_plan_sample *sample)
{
    int64_t part = 0;
    int64_t parts = 0;
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_integer(p, &part));
    PT_TRY(pt__sql_expect_two(p, PT_KW_OUT, PT_KW_OF));
    PT_TRY(pt__sql_integer(p, &parts));
    if (pt__sql_at(p, PT_KW_ON))
        return pt__sql_unsupported(p, "TABLESAMPLE (BUCKET … ON …)");
    if (parts == 0)
        return pt__sql_syntax_error(p);
    sample->upper = (double)part / (double)parts;
    return PT_OK;
}

static pt_status parse_sample_method(pt__sql_parser *p, pt_plan_sample *sample)
{
    if (pt__sql_at_two(p, PT_KW_BUCKET, PT_TOKEN_INTEGER))
        return parse_bucket(p, sample);
    if (pt__sql_peek(p, 1) == PT_KW_ROWS)
        PT_TRY(pt__sql_integer(p, &sample->row_limit));
    if (pt__sql_accept(p, PT_KW_ROWS))
        return PT_OK;
    double percent = 0;
    if (!pt__sql_at(p, PT_TOKEN_INTEGER) && !pt__sql_at(p, PT_TOKEN_NUMBER) && !pt__sql_at(p, '-'))
        return pt__sql_unsupported(p, "TABLESAMPLE by what is neither a percentage nor a number of rows");
    PT_TRY(parse_fraction(p, &percent));
    if (!pt__sql_accept(p, PT_KW_PERCENT))
        return pt__sql_unsupported(p, "TABLESAMPLE by bytes");
    sample->upper = percent / 100;
    return PT_OK;
}

pt_status pt__sql_table_sample(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    int32_t method = pt__sql_peek(p, 1);
    bool named = (method == PT_KW_SYSTEM || method == PT_KW_BERNOULLI) && pt__sql_peek(p, 2) == '(';
    if (!pt__sql_at(p, PT_KW_TABLESAMPLE) || !(named || method == '('))
        return PT_OK;
    pt__sql_skip(p, named ? 3 : 2);
    pt_plan_sample *sample = pt__plan_make(p->arena, SAMPLE, sample, NULL);
    sample->input = *in_out;
    sample->row_limit = -1;
    PT_TRY(parse_sample_method(p, sample));
    PT_TRY(pt__sql_expect(p, ')'));
    if (pt__sql_accept_two(p, PT_KW_REPEATABLE, '(')) {
        PT_TRY(pt__sql_integer(p, &sample->seed));
        PT_TRY(pt__sql_expect(p, ')'));
        sample->has_seed = true;
    }
    PT_TRY(check_fraction(p, first, sample->upper));
    sample->base.origin = pt__sql_origin(p, first);
    *in_out = &sample->base;
    return PT_OK;
}

/* ---- tables and table functions ---- */

static bool at_time_travel(const pt__sql_parser *p)
{
    bool version = pt__sql_at(p, PT_KW_VERSION) || pt__sql_at(p, PT_KW_TIMESTAMP) || pt__sql_at(p, PT_KW_SYSTEM_TIME) ||
                   pt__sql_at(p, PT_KW_SYSTEM_VERSION);
    return (version && pt__sql_peek(p, 1) == PT_KW_AS && pt__sql_peek(p, 2) == PT_KW_OF) || pt__sql_at(p, PT_KW_FOR);
}

/* WITH (key = value, …) after a table. */
static pt_status parse_table_options(pt__sql_parser *p, pt_options *out)
{
    if (!pt__sql_at_two(p, PT_KW_WITH, '('))
        return PT_OK;
    pt__sql_skip(p, 1);
    return pt__sql_property_list(p, out);
}

static pt_status parse_table_function(pt__sql_parser *p, size_t first, pt_name name, const pt_plan **out)
{
    pt__sql_expr_list arguments = {0};
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_arguments(p, false, &arguments));
    pt_plan_table_function *function =
        pt__plan_make(p->arena, TABLE_FUNCTION, table_function, pt__sql_origin(p, first));
    function->name = name;
    function->arguments = arguments.items;
    function->argument_count = arguments.count;
    *out = &function->base;
    return PT_OK;
}

static pt_status parse_table(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_name name = {0};
    PT_TRY(pt__sql_name(p, &name));
    if (pt__sql_at(p, '('))
        return parse_table_function(p, first, name, out);
    if (at_time_travel(p))
        return pt__sql_unsupported(p, "time travel");
    if (pt__sql_at_two(p, PT_KW_CHANGES, PT_KW_FROM))
        return pt__sql_unsupported(p, "CHANGES FROM");
    pt_plan_scan_table *scan = pt__plan_make(p->arena, SCAN_TABLE, scan_table, pt__sql_origin(p, first));
    scan->name = name;
    PT_TRY(parse_table_options(p, &scan->options));
    *out = &scan->base;
    return PT_OK;
}

/* ---- VALUES ---- */

/* The columns of one row: (1, 2), struct(1, 2), or a single expression. */
static void row_columns(const pt__sql_parser *p, const pt_expr *row, pt__sql_expr_list *out)
{
    if (row == p->last_row) {
        *out = p->last_row_items;
        return;
    }
    if (row->kind == PT_EXPR_CALL) {
        const pt_expr_call *call = pt__expr_as_call(row);
        bool is_struct = call->name.count == 1 && strcasecmp(call->name.parts[0], "struct") == 0;
        if (is_struct && call->argument_count > 0) {
            const pt_expr **items = pt__arena_array(p->arena, const pt_expr *, call->argument_count);
            for (size_t i = 0; i < call->argument_count; i++) {
                const pt_expr *item = call->arguments[i];
                items[i] = item->kind == PT_EXPR_ALIAS ? pt__expr_as_alias(item)->child : item;
            }
            *out = (pt__sql_expr_list){items, call->argument_count, call->argument_count};
            return;
        }
    }
    const pt_expr **items = pt__arena_array(p->arena, const pt_expr *, 1);
    items[0] = row;
    *out = (pt__sql_expr_list){items, 1, 1};
}

static pt_status uneven_rows(pt__sql_parser *p, size_t first, size_t expected, size_t actual, size_t row)
{
    pt_status status =
        pt__raise(p->err, PT_COND_INVALID_INLINE_TABLE_NUM_COLUMNS_MISMATCH, "expectedNumCols",
                  pt__arena_printf(p->arena, "%zu", expected), "actualNumCols",
                  pt__arena_printf(p->arena, "%zu", actual), "rowIndex", pt__arena_printf(p->arena, "%zu", row), NULL);
    return pt__sql_locate_error(p, first, status);
}

pt_status pt__sql_values(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt__sql_expr_list cells = {0};
    pt_plan_values *values = pt__plan_make(p->arena, VALUES, values, NULL);
    pt__sql_skip(p, 1);
    do {
        const pt_expr *row = NULL;
        pt__sql_expr_list columns = {0};
        PT_TRY(pt__sql_expression(p, &row));
        row_columns(p, row, &columns);
        if (values->row_count > 0 && columns.count != values->width)
            return uneven_rows(p, first, values->width, columns.count, values->row_count);
        for (size_t i = 0; i < columns.count; i++)
            pt__list_push(p->arena, &cells, columns.items[i]);
        values->width = columns.count;
        values->row_count++;
    } while (pt__sql_accept(p, ','));
    values->cells = cells.items;
    values->base.origin = pt__sql_origin(p, first);
    *out = &values->base;
    bool aliased = false;
    return pt__sql_table_alias(p, out, &aliased);
}

/* ---- one relation ---- */

/* TABLESAMPLE and alias; a query without alias gets a name, so that its inner qualifiers end here. */
static pt_status finish_primary(pt__sql_parser *p, size_t first, bool is_query, const pt_plan **in_out)
{
    bool aliased = false;
    PT_TRY(pt__sql_table_sample(p, in_out));
    if (pt__sql_at(p, PT_KW_WATERMARK) && pt__sql_starts_clause(p))
        return pt__sql_unsupported(p, "WATERMARK");
    PT_TRY(pt__sql_table_alias(p, in_out, &aliased));
    if (!aliased && is_query)
        *in_out = &make_table_alias(p, first, *in_out, "__auto_generated_subquery_name")->base;
    return PT_OK;
}

static pt_status parse_extensions(pt__sql_parser *p, const pt_plan **in_out)
{
    bool more = true;
    while (more) {
        size_t before = p->position;
        PT_TRY(pt__sql_join_or_stop(p, in_out, &more));
        PT_TRY(pt__sql_pivot(p, in_out));
        PT_TRY(pt__sql_unpivot(p, in_out));
        more = p->position > before;
    }
    return PT_OK;
}

/* (query), (relation) or ((query) UNION (query)): which one shows only inside. */
static pt_status parse_parentheses(pt__sql_parser *p, const pt_plan **out, bool *is_query)
{
    size_t first = p->position + 1;
    PT_TRY(pt__sql_enter(p));
    pt__sql_skip(p, 1);
    *is_query = pt__sql_starts_query(p, 0);
    if (*is_query) {
        PT_TRY(pt__sql_query(p, out));
    } else if (pt__sql_at(p, '(')) {
        PT_TRY(parse_parentheses(p, out, is_query));
        if (*is_query && pt__sql_continues_query(p)) {
            PT_TRY(pt__sql_query_after(p, *out, out));
        } else if (!(*is_query && pt__sql_at(p, ')'))) {
            PT_TRY(finish_primary(p, first, *is_query, out));
            PT_TRY(parse_extensions(p, out));
            *is_query = false;
        }
    } else {
        PT_TRY(pt__sql_relation(p, out));
    }
    p->depth--;
    return pt__sql_expect(p, ')');
}

static pt_status parse_relation_primary(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    bool is_query = false;
    if (pt__sql_at(p, PT_KW_VALUES) && pt__sql_starts_query(p, 0))
        return pt__sql_values(p, out);
    if (pt__sql_at(p, '('))
        PT_TRY(parse_parentheses(p, out, &is_query));
    else
        PT_TRY(parse_table(p, out));
    return finish_primary(p, first, is_query, out);
}

pt_status pt__sql_relation(pt__sql_parser *p, const pt_plan **out)
{
    PT_TRY(parse_relation_primary(p, out));
    return parse_extensions(p, out);
}

/* ---- joins ---- */

typedef struct join_words {
    pt_join_kind kind;
    size_t count; /* of words, JOIN with them; 0: no join here */
} join_words;

static join_words side_join(const pt__sql_parser *p, size_t at)
{
    int32_t side = pt__sql_peek(p, at);
    int32_t next = pt__sql_peek(p, at + 1);
    pt_join_kind kind = side == PT_KW_LEFT ? PT_JOIN_LEFT : side == PT_KW_RIGHT ? PT_JOIN_RIGHT : PT_JOIN_FULL;
    if (side == PT_KW_LEFT && (next == PT_KW_SEMI || next == PT_KW_ANTI) && pt__sql_peek(p, at + 2) == PT_KW_JOIN)
        return (join_words){next == PT_KW_SEMI ? PT_JOIN_LEFT_SEMI : PT_JOIN_LEFT_ANTI, at + 3};
    if (next == PT_KW_OUTER && pt__sql_peek(p, at + 2) == PT_KW_JOIN)
        return (join_words){kind, at + 3};
    return (join_words){kind, next == PT_KW_JOIN ? at + 2 : 0};
}

static join_words read_join(const pt__sql_parser *p, size_t at)
{
    bool join_next = pt__sql_peek(p, at + 1) == PT_KW_JOIN;
    switch (pt__sql_peek(p, at)) {
    case PT_KW_JOIN: return (join_words){PT_JOIN_INNER, at + 1};
    case PT_KW_INNER: return (join_words){PT_JOIN_INNER, join_next ? at + 2 : 0};
    case PT_KW_CROSS: return (join_words){PT_JOIN_CROSS, join_next ? at + 2 : 0};
    case PT_KW_SEMI: return (join_words){PT_JOIN_LEFT_SEMI, join_next ? at + 2 : 0};
    case PT_KW_ANTI: return (join_words){PT_JOIN_LEFT_ANTI, join_next ? at + 2 : 0};
    case PT_KW_LEFT: return side_join(p, at);
    case PT_KW_RIGHT: return side_join(p, at);
    case PT_KW_FULL: return side_join(p, at);
    default: return (join_words){PT_JOIN_INNER, 0};
    }
}

static pt_status parse_criteria(pt__sql_parser *p, pt_plan_join *join)
{
    pt__sql_string_list columns = {0};
    if (pt__sql_at_two(p, PT_KW_EXACT, PT_KW_NEAREST) || pt__sql_at_two(p, PT_KW_APPROX, PT_KW_NEAREST))
        return pt__sql_unsupported(p, "NEAREST joins");
    if (join->is_natural)
        return PT_OK;
    if (pt__sql_accept(p, PT_KW_ON))
        return pt__sql_expression(p, &join->condition);
    if (!pt__sql_at_two(p, PT_KW_USING, '('))
        return PT_OK;
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_identifier_list(p, &columns));
    join->using_columns = columns.items;
    join->using_count = columns.count;
    return PT_OK;
}

pt_status pt__sql_join_or_stop(pt__sql_parser *p, const pt_plan **in_out, bool *joined)
{
    *joined = false;
    for (;;) {
        size_t first = p->position;
        bool natural = pt__sql_at(p, PT_KW_NATURAL);
        join_words words = read_join(p, natural ? 1 : 0);
        if (words.count == 0)
            return PT_OK;
        pt__sql_skip(p, words.count);
        if (natural && words.kind == PT_JOIN_CROSS)
            return pt__sql_locate_error(
                p, first,
                pt__raise(p->err, PT_COND_INCOMPATIBLE_JOIN_TYPES, "joinType1", "NATURAL", "joinType2", "CROSS", NULL));
        pt_plan_join *join = pt__plan_make(p->arena, JOIN, join, NULL);
        join->left = *in_out;
        join->join_kind = words.kind;
        join->is_natural = natural;
        join->is_lateral = pt__sql_accept(p, PT_KW_LATERAL);
        PT_TRY(parse_relation_primary(p, &join->right));
        PT_TRY(parse_criteria(p, join));
        join->base.origin = pt__sql_origin(p, first);
        *in_out = &join->base;
        *joined = true;
    }
}

static bool at_lateral_view(const pt__sql_parser *p)
{
    return pt__sql_at_two(p, PT_KW_LATERAL, PT_KW_VIEW);
}

pt_status pt__sql_relations(pt__sql_parser *p, const pt_plan **out)
{
    if (pt__sql_at(p, PT_KW_LATERAL))
        pt__sql_skip(p, 1);
    PT_TRY(pt__sql_relation(p, out));
    while (pt__sql_accept(p, ',')) {
        pt_plan_join *join = pt__plan_make(p->arena, JOIN, join, NULL);
        size_t first = p->position;
        join->left = *out;
        join->join_kind = PT_JOIN_INNER;
        join->is_lateral = pt__sql_accept(p, PT_KW_LATERAL);
        PT_TRY(pt__sql_relation(p, &join->right));
        join->base.origin = pt__sql_origin(p, first);
        *out = &join->base;
    }
    if (!at_lateral_view(p))
        return PT_OK;
    PT_TRY(pt__sql_lateral_views(p, out));
    if (pt__sql_at_two(p, PT_KW_PIVOT, '('))
        return pt__sql_locate_error(p, p->position,
                                    pt__raise(p->err, PT_COND_NOT_ALLOWED_IN_FROM_LATERAL_WITH_PIVOT, NULL));
    if (pt__sql_at_two(p, PT_KW_UNPIVOT, '('))
        return pt__sql_locate_error(p, p->position,
                                    pt__raise(p->err, PT_COND_NOT_ALLOWED_IN_FROM_LATERAL_WITH_UNPIVOT, NULL));
    return PT_OK;
}

/* ---- LATERAL VIEW ---- */

static pt_status parse_view_names(pt__sql_parser *p, pt_plan_generate *generate)
{
    pt__sql_string_list columns = {0};
    if (!pt__sql_at(p, PT_KW_AS) && at_table_alias(p))
        PT_TRY(pt__sql_checked_identifier(p, &generate->table_alias));
    if (!pt__sql_accept(p, PT_KW_AS) && !at_table_alias(p))
        return PT_OK;
    do {
        const char *column = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &column));
        pt__list_push(p->arena, &columns, column);
    } while (pt__sql_accept(p, ','));
    generate->column_names = columns.items;
    generate->column_name_count = columns.count;
    return PT_OK;
}

pt_status pt__sql_lateral_views(pt__sql_parser *p, const pt_plan **in_out)
{
    while (at_lateral_view(p)) {
        size_t first = p->position;
        pt_plan_generate *generate = pt__plan_make(p->arena, GENERATE, generate, NULL);
        pt_name name = {0};
        pt__sql_skip(p, 2);
        generate->input = *in_out;
        generate->is_outer = pt__sql_accept(p, PT_KW_OUTER);
        size_t at = p->position;
        PT_TRY(pt__sql_name(p, &name));
        PT_TRY(pt__sql_call(p, at, name, &generate->generator));
        PT_TRY(parse_view_names(p, generate));
        generate->base.origin = pt__sql_origin(p, first);
        *in_out = &generate->base;
    }
    return PT_OK;
}

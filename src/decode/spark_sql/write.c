/* INSERT, DELETE, UPDATE and MERGE. */
#include "decode/spark_sql/internal.h"

/* ---- PARTITION ---- */

/* A constant as the text that names its folder. */
static pt_status parse_partition_value(pt__sql_parser *p, const char **out)
{
    size_t first = p->position;
    if (pt__sql_accept(p, PT_KW_NULL)) {
        *out = "__HIVE_DEFAULT_PARTITION__";
        return PT_OK;
    }
    if (pt__sql_is_name(pt__sql_peek(p, 0)) && pt__sql_peek(p, 1) == PT_TOKEN_STRING)
        pt__sql_skip(p, 1);
    if (pt__sql_at(p, PT_TOKEN_STRING))
        return pt__sql_string_text(p, out);
    (void)pt__sql_accept(p, '-');
    bool constant = pt__sql_at(p, PT_TOKEN_INTEGER) || pt__sql_at(p, PT_TOKEN_NUMBER) || pt__sql_at(p, PT_KW_TRUE) ||
                    pt__sql_at(p, PT_KW_FALSE);
    if (!constant)
        return pt__sql_syntax_error(p);
    pt__sql_skip(p, 1);
    *out = pt__sql_text_from(p, first);
    return PT_OK;
}

pt_status pt__sql_partition(pt__sql_parser *p, pt_options *out)
{
    pt__list(pt_option) options = {0};
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_expect(p, '('));
    do {
        pt_option option = {0};
        PT_TRY(pt__sql_checked_identifier(p, &option.key));
        if (pt__sql_accept(p, '=') || pt__sql_accept(p, PT_TOKEN_DOUBLE_EQUAL))
            PT_TRY(parse_partition_value(p, &option.value));
        pt__list_push(p->arena, &options, option);
    } while (pt__sql_accept(p, ','));
    *out = (pt_options){options.items, options.count};
    return pt__sql_expect(p, ')');
}

/* ---- INSERT ---- */

/* INSERT OVERWRITE [LOCAL] DIRECTORY ['path'] USING format [OPTIONS (…)] query */
static pt_status parse_directory(pt__sql_parser *p, size_t first, pt_plan_with *with, const pt_plan **out)
{
    pt_plan_write_files *write = pt__plan_make(p->arena, WRITE_FILES, write_files, NULL);
    (void)pt__sql_accept(p, PT_KW_LOCAL);
    PT_TRY(pt__sql_expect(p, PT_KW_DIRECTORY));
    write->mode = PT_SAVE_OVERWRITE;
    if (pt__sql_at(p, PT_TOKEN_STRING))
        PT_TRY(pt__sql_string_text(p, &write->path));
    if (pt__sql_at_two(p, PT_KW_ROW, PT_KW_FORMAT))
        return pt__sql_unsupported(p, "Hive row formats");
    if (!pt__sql_accept_two(p, PT_KW_STORED, PT_KW_AS))
        PT_TRY(pt__sql_expect(p, PT_KW_USING));
    PT_TRY(pt__sql_checked_identifier(p, &write->format));
    if (pt__sql_accept(p, PT_KW_OPTIONS))
        PT_TRY(pt__sql_property_list(p, &write->options));
    if (write->path == NULL)
        write->path = pt__options_get(&write->options, "path");
    if (write->path == NULL)
        return pt__sql_syntax_error(p);
    PT_TRY(pt__sql_query_under(p, with, &write->query));
    write->base.origin = pt__sql_origin(p, first);
    *out = &write->base;
    return PT_OK;
}

/* (columns), BY NAME or REPLACE WHERE */
static pt_status parse_insert_form(pt__sql_parser *p, pt_plan_insert *insert)
{
    pt__sql_string_list columns = {0};
    if (pt__sql_accept_two(p, PT_KW_BY, PT_KW_NAME))
        insert->by_name = true;
    else if (pt__sql_at(p, '(') && !pt__sql_starts_query(p, 1) && pt__sql_peek(p, 1) != '(')
        PT_TRY(pt__sql_identifier_list(p, &columns));
    insert->column_names = columns.items;
    insert->column_name_count = columns.count;
    if (pt__sql_accept_two(p, PT_KW_REPLACE, PT_KW_WHERE)) {
        insert->overwrite = true;
        return pt__sql_expression(p, &insert->overwrite_condition);
    }
    if (pt__sql_at_two(p, PT_KW_REPLACE, PT_KW_ON) || pt__sql_at_two(p, PT_KW_REPLACE, PT_KW_USING))
        return pt__sql_unsupported(p, "INSERT … REPLACE ON and USING");
    return PT_OK;
}

static pt_status parse_insert_table(pt__sql_parser *p, size_t first, bool overwrite, pt_plan_with *with,
                                    const pt_plan **out)
{
    pt_plan_insert *insert = pt__plan_make(p->arena, INSERT, insert, NULL);
    (void)pt__sql_accept(p, PT_KW_TABLE);
    insert->overwrite = overwrite;
    PT_TRY(pt__sql_name(p, &insert->table));
    if (pt__sql_at_two(p, PT_KW_PARTITION, '('))
        PT_TRY(pt__sql_partition(p, &insert->partition));
    if (pt__sql_at(p, PT_KW_IF))
        return pt__sql_unsupported(p, "INSERT … PARTITION … IF NOT EXISTS");
    if (pt__sql_at_two(p, PT_KW_AS, PT_TOKEN_WORD))
        return pt__sql_unsupported(p, "INSERT … REPLACE ON and USING");
    PT_TRY(parse_insert_form(p, insert));
    PT_TRY(pt__sql_query_under(p, with, &insert->query));
    bool aliased = false;
    if (insert->overwrite_condition != NULL)
        PT_TRY(pt__sql_table_alias(p, &insert->query, &aliased));
    insert->base.origin = pt__sql_origin(p, first);
    *out = &insert->base;
    return PT_OK;
}

pt_status pt__sql_insert(pt__sql_parser *p, pt_plan_with *with, const pt_plan **out)
{
    size_t first = p->position;
    pt__sql_skip(p, 1);
    if (pt__sql_at_two(p, PT_KW_WITH, PT_KW_SCHEMA))
        return pt__sql_unsupported(p, "INSERT WITH SCHEMA EVOLUTION");
    bool overwrite = pt__sql_accept(p, PT_KW_OVERWRITE);
    int32_t next = pt__sql_peek(p, 1);
    bool directory = pt__sql_at_two(p, PT_KW_LOCAL, PT_KW_DIRECTORY) ||
                     (pt__sql_at(p, PT_KW_DIRECTORY) && (next == PT_TOKEN_STRING || next == PT_KW_USING));
    if (overwrite && directory)
        return parse_directory(p, first, with, out);
    if (!overwrite)
        PT_TRY(pt__sql_expect(p, PT_KW_INTO));
    return parse_insert_table(p, first, overwrite, with, out);
}

/* ---- DELETE and UPDATE ---- */

/* [AS] name, unless `stop` comes. */
static pt_status parse_alias(pt__sql_parser *p, int32_t stop, const char *statement, const char **out)
{
    bool has_as = pt__sql_accept(p, PT_KW_AS);
    int32_t kind = pt__sql_peek(p, 0);
    bool bare = pt__sql_is_name(kind) && kind != stop && !pt__sql_keyword_is_strict(kind) && !pt__sql_starts_clause(p);
    size_t first = p->position;
    if (!has_as && !bare)
        return PT_OK;
    PT_TRY(pt__sql_checked_identifier(p, out));
    if (!pt__sql_at(p, '('))
        return PT_OK;
    return pt__sql_locate_error(p, first, pt__raise(p->err, PT_COND_COLUMN_ALIASES_NOT_ALLOWED, "op", statement, NULL));
}

static pt_status parse_where(pt__sql_parser *p, const pt_expr **out)
{
    return pt__sql_accept(p, PT_KW_WHERE) ? pt__sql_expression(p, out) : PT_OK;
}

pt_status pt__sql_delete(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_delete *delete = pt__plan_make(p->arena, DELETE, delete, NULL);
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_expect(p, PT_KW_FROM));
    PT_TRY(pt__sql_name(p, &delete->table));
    PT_TRY(parse_alias(p, 0, "`DELETE`", &delete->alias));
    PT_TRY(parse_where(p, &delete->condition));
    delete->base.origin = pt__sql_origin(p, first);
    *out = &delete->base;
    return PT_OK;
}

/* DEFAULT alone stands for the column's default. */
static pt_status parse_assigned_value(pt__sql_parser *p, const pt_expr **out)
{
    int32_t next = pt__sql_peek(p, 1);
    bool ends =
        next == PT_TOKEN_END || next == ',' || next == ')' || next == ';' || next == PT_KW_WHERE || next == PT_KW_WHEN;
    *out = NULL;
    if (pt__sql_at(p, PT_KW_DEFAULT) && ends) {
        pt__sql_skip(p, 1);
        return PT_OK;
    }
    return pt__sql_expression(p, out);
}

static pt_status parse_assignments(pt__sql_parser *p, const pt_assignment **out, size_t *count)
{
    pt__list(pt_assignment) assignments = {0};
    do {
        pt_assignment assignment = {0};
        PT_TRY(pt__sql_name(p, &assignment.column));
        if (!pt__sql_accept(p, PT_TOKEN_DOUBLE_EQUAL))
            PT_TRY(pt__sql_expect(p, '='));
        PT_TRY(parse_assigned_value(p, &assignment.value));
        pt__list_push(p->arena, &assignments, assignment);
    } while (pt__sql_accept(p, ','));
    *out = assignments.items;
    *count = assignments.count;
    return PT_OK;
}

pt_status pt__sql_update(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt_plan_update *update = pt__plan_make(p->arena, UPDATE, update, NULL);
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_name(p, &update->table));
    PT_TRY(parse_alias(p, PT_KW_SET, "`UPDATE`", &update->alias));
    PT_TRY(pt__sql_expect(p, PT_KW_SET));
    PT_TRY(parse_assignments(p, &update->assignments, &update->assignment_count));
    PT_TRY(parse_where(p, &update->condition));
    update->base.origin = pt__sql_origin(p, first);
    *out = &update->base;
    return PT_OK;
}

/* ---- MERGE ---- */

static pt_status parse_source(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    bool aliased = false;
    if (pt__sql_accept(p, '(')) {
        PT_TRY(pt__sql_query(p, out));
        PT_TRY(pt__sql_expect(p, ')'));
    } else {
        pt_plan_scan_table *scan = pt__plan_make(p->arena, SCAN_TABLE, scan_table, NULL);
        PT_TRY(pt__sql_name(p, &scan->name));
        scan->base.origin = pt__sql_origin(p, first);
        *out = &scan->base;
    }
    return pt__sql_table_alias(p, out, &aliased);
}

static pt_status count_mismatch(pt__sql_parser *p, size_t first, size_t expected, size_t actual)
{
    pt_status status = pt__raise(p->err, PT_COND_MERGE_INSERT_VALUE_COUNT_MISMATCH, "expectedCount",
                                 pt__arena_printf(p->arena, "%zu", expected), "actualCount",
                                 pt__arena_printf(p->arena, "%zu", actual), NULL);
    return pt__sql_locate_error(p, first, status);
}

/* INSERT (a, b) VALUES (x, y) */
static pt_status parse_merge_insert(pt__sql_parser *p, pt_merge_clause *clause)
{
    pt__list(pt_assignment) assignments = {0};
    size_t first = p->position;
    size_t count = 0;
    PT_TRY(pt__sql_expect(p, '('));
    do {
        pt_assignment assignment = {0};
        PT_TRY(pt__sql_name(p, &assignment.column));
        pt__list_push(p->arena, &assignments, assignment);
    } while (pt__sql_accept(p, ','));
    PT_TRY(pt__sql_expect(p, ')'));
    PT_TRY(pt__sql_expect_two(p, PT_KW_VALUES, '('));
    do {
        const pt_expr *value = NULL;
        PT_TRY(parse_assigned_value(p, &value));
        if (count < assignments.count)
            assignments.items[count].value = value;
        count++;
    } while (pt__sql_accept(p, ','));
    if (count != assignments.count)
        return count_mismatch(p, first, assignments.count, count);
    clause->assignments = assignments.items;
    clause->assignment_count = assignments.count;
    return pt__sql_expect(p, ')');
}

static pt_status parse_merge_action(pt__sql_parser *p, pt_merge_clause *clause)
{
    bool inserts = clause->match == PT_MERGE_NOT_MATCHED;
    if (!inserts && pt__sql_accept(p, PT_KW_DELETE)) {
        clause->action = PT_MERGE_DELETE;
        return PT_OK;
    }
    if (!inserts && pt__sql_accept_two(p, PT_KW_UPDATE, PT_KW_SET)) {
        clause->action = PT_MERGE_UPDATE;
        if (clause->match == PT_MERGE_MATCHED && pt__sql_accept(p, '*')) {
            clause->action = PT_MERGE_UPDATE_ALL;
            return PT_OK;
        }
        return parse_assignments(p, &clause->assignments, &clause->assignment_count);
    }
    if (!inserts)
        return pt__sql_syntax_error(p);
    PT_TRY(pt__sql_expect(p, PT_KW_INSERT));
    clause->action = pt__sql_accept(p, '*') ? PT_MERGE_INSERT_ALL : PT_MERGE_INSERT;
    return clause->action == PT_MERGE_INSERT ? parse_merge_insert(p, clause) : PT_OK;
}

static pt_status parse_merge_clause(pt__sql_parser *p, pt_merge_clause *clause)
{
    pt__sql_skip(p, 1);
    bool negated = pt__sql_accept(p, PT_KW_NOT) || pt__sql_accept(p, '!');
    PT_TRY(pt__sql_expect(p, PT_KW_MATCHED));
    clause->match = negated ? PT_MERGE_NOT_MATCHED : PT_MERGE_MATCHED;
    if (negated && pt__sql_accept_two(p, PT_KW_BY, PT_KW_SOURCE))
        clause->match = PT_MERGE_NOT_MATCHED_BY_SOURCE;
    else if (negated)
        (void)pt__sql_accept_two(p, PT_KW_BY, PT_KW_TARGET);
    if (pt__sql_accept(p, PT_KW_AND))
        PT_TRY(pt__sql_expression(p, &clause->condition));
    PT_TRY(pt__sql_expect(p, PT_KW_THEN));
    return parse_merge_action(p, clause);
}

/* Of each kind only the last clause may do without a condition: those after one without are never reached. */
static pt_status check_merge_order(pt__sql_parser *p, size_t first, const pt_merge_clause *clauses, size_t count)
{
    static const pt__condition_id CONDITIONS[] = {
        [PT_MERGE_MATCHED] = PT_COND_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION,
        [PT_MERGE_NOT_MATCHED] = PT_COND_NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION,
        [PT_MERGE_NOT_MATCHED_BY_SOURCE] = PT_COND_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION,
    };
    bool ended[3] = {false, false, false};
    for (size_t i = 0; i < count; i++) {
        pt_merge_match match = clauses[i].match;
        if (ended[match])
            return pt__sql_locate_error(p, first, pt__raise(p->err, CONDITIONS[match], NULL));
        ended[match] = clauses[i].condition == NULL;
    }
    return PT_OK;
}

pt_status pt__sql_merge(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position;
    pt__list(pt_merge_clause) clauses = {0};
    pt_plan_merge *merge = pt__plan_make(p->arena, MERGE, merge, NULL);
    pt__sql_skip(p, 1);
    merge->with_schema_evolution = pt__sql_accept_two(p, PT_KW_WITH, PT_KW_SCHEMA);
    if (merge->with_schema_evolution)
        PT_TRY(pt__sql_expect(p, PT_KW_EVOLUTION));
    PT_TRY(pt__sql_expect(p, PT_KW_INTO));
    PT_TRY(pt__sql_name(p, &merge->table));
    PT_TRY(parse_alias(p, 0, "`MERGE`", &merge->alias));
    PT_TRY(pt__sql_expect(p, PT_KW_USING));
    PT_TRY(parse_source(p, &merge->source));
    PT_TRY(pt__sql_expect(p, PT_KW_ON));
    PT_TRY(pt__sql_expression(p, &merge->condition));
    while (pt__sql_at(p, PT_KW_WHEN)) {
        pt_merge_clause clause = {0};
        PT_TRY(parse_merge_clause(p, &clause));
        pt__list_push(p->arena, &clauses, clause);
    }
    if (clauses.count == 0)
        return pt__sql_locate_error(p, first, pt__raise(p->err, PT_COND_MERGE_WITHOUT_WHEN, NULL));
    PT_TRY(check_merge_order(p, first, clauses.items, clauses.count));
    merge->clauses = clauses.items;
    merge->clause_count = clauses.count;
    merge->base.origin = pt__sql_origin(p, first);
    *out = &merge->base;
    return PT_OK;
}

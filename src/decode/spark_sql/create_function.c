/* CREATE FUNCTION: functions written in SQL. */
#include "decode/spark_sql/internal.h"

static pt_status parse_parameters(pt__sql_parser *p, pt_plan_create_function *function)
{
    pt__list(pt_field) fields = {0};
    pt__sql_expr_list defaults = {0};
    PT_TRY(pt__sql_expect(p, '('));
    while (!pt__sql_at(p, ')')) {
        pt_field field = {.nullable = true};
        const pt_expr *value = NULL;
        const char *comment = NULL;
        if (fields.count > 0)
            PT_TRY(pt__sql_expect(p, ','));
        PT_TRY(pt__sql_checked_identifier(p, &field.name));
        PT_TRY(pt__sql_type(p, &field.type));
        if (pt__sql_accept(p, PT_KW_DEFAULT))
            PT_TRY(pt__sql_expression(p, &value));
        if (pt__sql_accept(p, PT_KW_COMMENT))
            PT_TRY(pt__sql_string_text(p, &comment));
        pt__list_push(p->arena, &fields, field);
        pt__list_push(p->arena, &defaults, value);
    }
    function->parameters = fields.items;
    function->parameter_defaults = defaults.items;
    function->parameter_count = fields.count;
    return pt__sql_expect(p, ')');
}

/* RETURNS type, RETURNS TABLE (columns) or RETURNS TABLE. */
static pt_status parse_returns(pt__sql_parser *p, pt_plan_create_function *function, bool *is_table)
{
    *is_table = false;
    if (!pt__sql_accept(p, PT_KW_RETURNS))
        return PT_OK;
    *is_table = pt__sql_accept(p, PT_KW_TABLE);
    if (!*is_table)
        return pt__sql_type(p, &function->return_type);
    if (!pt__sql_accept(p, '('))
        return PT_OK;
    PT_TRY(pt__sql_field_list(p, ')', &function->return_type));
    return pt__sql_expect(p, ')');
}

/* LANGUAGE SQL, DETERMINISTIC, CONTAINS SQL …: promises that change nothing here. */
static pt_status parse_characteristics(pt__sql_parser *p, pt_plan_create_function *function)
{
    for (;;) {
        if (pt__sql_at(p, PT_KW_LANGUAGE) && pt__sql_peek(p, 1) != PT_KW_SQL)
            return pt__sql_unsupported(p, "functions in languages other than SQL");
        if (pt__sql_accept_two(p, PT_KW_LANGUAGE, PT_KW_SQL) || pt__sql_accept_two(p, PT_KW_CONTAINS, PT_KW_SQL) ||
            pt__sql_accept_two(p, PT_KW_NOT, PT_KW_DETERMINISTIC) || pt__sql_accept(p, PT_KW_DETERMINISTIC))
            continue;
        if (pt__sql_accept_two(p, PT_KW_READS, PT_KW_SQL)) {
            PT_TRY(pt__sql_expect(p, PT_KW_DATA));
        } else if (pt__sql_accept_two(p, PT_KW_SQL, PT_KW_SECURITY)) {
            if (!pt__sql_accept(p, PT_KW_INVOKER))
                PT_TRY(pt__sql_expect(p, PT_KW_DEFINER));
        } else if (pt__sql_accept(p, PT_KW_COMMENT)) {
            PT_TRY(pt__sql_string_text(p, &function->comment));
        } else {
            return PT_OK;
        }
    }
}

/* RETURN query, or RETURN expression. */
static pt_status parse_body(pt__sql_parser *p, bool is_table, pt_plan_create_function *function)
{
    PT_TRY(pt__sql_expect(p, PT_KW_RETURN));
    bool is_query = pt__sql_starts_query(p, 0);
    if (is_table || is_query) {
        const pt_plan *query = NULL;
        size_t first = p->position;
        PT_TRY(pt__sql_query(p, &query));
        if (is_table || function->return_type == NULL) {
            function->table_body = query;
            return PT_OK;
        }
        pt_expr_subquery *scalar = pt__expr_make(p->arena, SUBQUERY, subquery, pt__sql_origin(p, first));
        scalar->subquery_kind = PT_SUBQUERY_SCALAR;
        scalar->plan = query;
        function->body = &scalar->base;
        return PT_OK;
    }
    return pt__sql_expression(p, &function->body);
}

/* From the name on. */
pt_status pt__sql_create_function(pt__sql_parser *p, pt_plan_create_function *function, const pt_plan **out)
{
    bool is_table = false;
    PT_TRY(pt__sql_if_not_exists(p, &function->if_not_exists));
    PT_TRY(pt__sql_name(p, &function->name));
    *out = &function->base;
    if (pt__sql_accept(p, PT_KW_AS)) {
        PT_TRY(pt__sql_string_text(p, &function->class_name));
        return pt__sql_at(p, PT_KW_USING) ? pt__sql_unsupported(p, "CREATE FUNCTION … USING JAR") : PT_OK;
    }
    PT_TRY(parse_parameters(p, function));
    PT_TRY(parse_returns(p, function, &is_table));
    PT_TRY(parse_characteristics(p, function));
    return parse_body(p, is_table, function);
}

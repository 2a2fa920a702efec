/* Relations: the dispatch, and the kinds that change no column. */
#include "analyze/analyzer.h"
#include "analyze/time_window.h"

PT_ANALYZE_KIND(project)
{
    const pt_plan *input = NULL;
    if (node->input != NULL)
        PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    pt__expr_list list = {node->expressions, node->expression_count};
    PT_TRY(pt__take_time_windows(a, &input, &list, 1, err));
    pt__scope scope = pt__scope_of(a, &input, input != NULL);
    const pt_expr *const *expressions;
    size_t count;
    PT_TRY(pt__analyze_list(a, &scope, list.items, list.count, &expressions, &count, err));
    return pt__select(a, input, expressions, count, &node->base, out, err);
}

PT_ANALYZE_KIND(filter)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    if (node->is_having && input->kind == PT_PLAN_PROJECT) {
        pt_status status = pt__analyze_having(a, pt__plan_as_project(input), node, out, err);
        if (status != PT_NOT_FOUND)
            return status;
    }
    const pt_expr *const *conditions;
    const pt_plan *extended;
    PT_TRY(pt__analyze_over_select(a, input, &node->condition, 1, &extended, &conditions, err));
    pt__scope scope = pt__scope_of(a, &extended, 1);
    const pt_expr *condition;
    PT_TRY(pt__analyze_condition(a, &scope, conditions[0], "WHERE", &condition, err));
    if (pt__contains_aggregate(condition) || pt__contains_window(condition)) {
        pt_status status =
            pt__raise(err, PT_COND_INVALID_WHERE_CONDITION, "condition", pt__quote_expr(a->arena, condition),
                      "expressionList", pt__pretty_name(a->arena, condition), NULL);
        return pt__analyzer_fail(status, node->condition->origin, err);
    }
    const pt_plan *filtered = pt__filter(a, extended, condition, &node->base);
    if (extended != input) {
        size_t count;
        const pt_expr *const *refs = pt__visible_refs(a, input, &count);
        filtered = pt__project(a, filtered, refs, count, &node->base);
    }
    *out = filtered;
    return PT_OK;
}

static pt_status check_limit(pt__analyzer *a, const pt_expr *expr, const char *name, pt_error *err)
{
    if (expr == NULL)
        return PT_OK;
    pt_status status = PT_OK;
    const char *text = pt__quote_expr(a->arena, expr);
    if (!pt__expr_is_constant(expr))
        status = pt__raise(err, PT_COND_INVALID_LIMIT_LIKE_EXPRESSION_IS_UNFOLDABLE, "name", name, "expr", text, NULL);
    else if (!pt__type_is_integral(expr->type))
        status = pt__raise(err, PT_COND_INVALID_LIMIT_LIKE_EXPRESSION_DATA_TYPE, "name", name, "expr", text, "dataType",
                           pt__quote_type(a->arena, expr->type), NULL);
    else if (expr->kind == PT_EXPR_LITERAL && pt__expr_as_literal(expr)->value.is_null)
        status = pt__raise(err, PT_COND_INVALID_LIMIT_LIKE_EXPRESSION_IS_NULL, "name", name, "expr", text, NULL);
    else if (expr->kind == PT_EXPR_LITERAL && pt__expr_as_literal(expr)->value.as.integer < 0)
        status = pt__raise(err, PT_COND_INVALID_LIMIT_LIKE_EXPRESSION_IS_NEGATIVE, "name", name, "expr", text, "v",
                           pt__pretty_name(a->arena, expr), NULL);
    return pt__analyzer_fail(status, expr->origin, err);
}

PT_ANALYZE_KIND(limit)
{
    pt_plan_limit *limit = pt__plan_make(a->arena, LIMIT, limit, node->base.origin);
    pt__inherit(&limit->base, &node->base);
    PT_TRY(pt__analyze_plan(a, node->input, &limit->input, err));
    pt__scope scope = pt__scope_of(a, NULL, 0);
    if (node->limit != NULL)
        PT_TRY(pt__analyze_expr(a, &scope, node->limit, &limit->limit, err));
    if (node->offset != NULL)
        PT_TRY(pt__analyze_expr(a, &scope, node->offset, &limit->offset, err));
    PT_TRY(check_limit(a, limit->limit, "limit", err));
    PT_TRY(check_limit(a, limit->offset, "offset", err));
    pt__pass_columns(&limit->base, limit->input);
    *out = &limit->base;
    return PT_OK;
}

PT_ANALYZE_KIND(tail)
{
    pt_plan_tail *tail = pt__plan_make(a->arena, TAIL, tail, node->base.origin);
    *tail = *node;
    PT_TRY(pt__analyze_plan(a, node->input, &tail->input, err));
    pt__pass_columns(&tail->base, tail->input);
    *out = &tail->base;
    return PT_OK;
}

PT_ANALYZE_KIND(sample)
{
    pt_plan_sample *sample = pt__plan_make(a->arena, SAMPLE, sample, node->base.origin);
    *sample = *node;
    PT_TRY(pt__analyze_plan(a, node->input, &sample->input, err));
    pt__pass_columns(&sample->base, sample->input);
    *out = &sample->base;
    return PT_OK;
}

PT_ANALYZE_KIND(subquery_alias)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    PT_TRY(pt__analyzer_fail(pt__check_name_count(a, input, node->column_name_count, err), node->base.origin, err));
    *out = pt__rename(a, input, node->alias, node->column_names, node->column_name_count, &node->base);
    return PT_OK;
}

/* Same rows, a node of its own so that both plan ids can be found. */
static const pt_plan *same_rows(pt__analyzer *a, const pt_plan *input, const pt_plan *plan)
{
    if (plan->plan_id < 0)
        return input;
    size_t count;
    const pt_expr *const *refs = pt__visible_refs(a, input, &count);
    return pt__project(a, input, refs, count, plan);
}

PT_ANALYZE_KIND(hint)
{
    const pt_plan *input;
    PT_TRY(pt__analyze_plan(a, node->input, &input, err));
    *out = same_rows(a, input, &node->base);
    return PT_OK;
}

PT_ANALYZE_KIND(show)
{
    pt_plan_show *show = pt__plan_make(a->arena, SHOW, show, node->base.origin);
    *show = *node;
    PT_TRY(pt__analyze_plan(a, node->input, &show->input, err));
    pt_column *columns = pt__arena_array(a->arena, pt_column, 1);
    columns[0] = pt__new_column(a, node->is_html ? "html_string" : "show_string", PT_T(STRING), false);
    show->base.columns = columns;
    show->base.column_count = 1;
    *out = &show->base;
    return PT_OK;
}

PT_ANALYZE_KIND(collect_metrics)
{
    pt_plan_collect_metrics *metrics = pt__plan_make(a->arena, COLLECT_METRICS, collect_metrics, node->base.origin);
    *metrics = *node;
    PT_TRY(pt__analyze_plan(a, node->input, &metrics->input, err));
    pt__scope scope = pt__scope_of(a, &metrics->input, 1);
    PT_TRY(
        pt__analyze_list(a, &scope, node->metrics, node->metric_count, &metrics->metrics, &metrics->metric_count, err));
    pt__pass_columns(&metrics->base, metrics->input);
    *out = &metrics->base;
    return PT_OK;
}

/* ---- dispatch ---- */

static pt_status dispatch(pt__analyzer *a, const pt_plan *plan, const pt_plan **out, pt_error *err)
{
#define ROUTE(ID, name)                                                                                                \
    case PT_PLAN_##ID: return pt__analyze_##name(a, pt__plan_as_##name(plan), out, err)
    switch (plan->kind) {
        ROUTE(SCAN_TABLE, scan_table);
        ROUTE(SCAN_FILES, scan_files);
        ROUTE(STREAM, stream);
        ROUTE(LOCAL, local);
        ROUTE(VALUES, values);
        ROUTE(RANGE, range);
        ROUTE(CACHED, cached);
        ROUTE(PROJECT, project);
        ROUTE(FILTER, filter);
        ROUTE(AGGREGATE, aggregate);
        ROUTE(JOIN, join);
        ROUTE(SORT, sort);
        ROUTE(LIMIT, limit);
        ROUTE(TAIL, tail);
        ROUTE(SET_OPERATION, set_operation);
        ROUTE(GENERATE, generate);
        ROUTE(SAMPLE, sample);
        ROUTE(WITH, with);
        ROUTE(COLLECT_METRICS, collect_metrics);
        ROUTE(MAP_PYTHON, map_python);
        ROUTE(SUBQUERY_ALIAS, subquery_alias);
        ROUTE(WITH_COLUMNS, with_columns);
        ROUTE(RENAME_COLUMNS, rename_columns);
        ROUTE(DROP_COLUMNS, drop_columns);
        ROUTE(TO_DF, to_df);
        ROUTE(TO_SCHEMA, to_schema);
        ROUTE(DEDUPLICATE, deduplicate);
        ROUTE(FILL_NA, fill_na);
        ROUTE(DROP_NA, drop_na);
        ROUTE(REPLACE_VALUES, replace_values);
        ROUTE(UNPIVOT, unpivot);
        ROUTE(PIVOT, pivot);
        ROUTE(TRANSPOSE, transpose);
        ROUTE(STATISTICS, statistics);
        ROUTE(HINT, hint);
        ROUTE(TABLE_FUNCTION, table_function);
        ROUTE(PARSE, parse);
        ROUTE(SHOW, show);
        ROUTE(AS_OF_JOIN, as_of_join);
        ROUTE(WITH_REFERENCES, with_references);
        ROUTE(REFERENCE, reference);
        ROUTE(CREATE_VIEW, create_view);
        ROUTE(CREATE_TABLE, create_table);
        ROUTE(INSERT, insert);
        ROUTE(WRITE_FILES, write_files);
        ROUTE(DELETE, delete);
        ROUTE(UPDATE, update);
        ROUTE(MERGE, merge);
        ROUTE(DESCRIBE, describe);
        ROUTE(EXPLAIN, explain);
        ROUTE(CACHE_TABLE, cache_table);
    case PT_PLAN_CATALOG:
    case PT_PLAN_DROP:
    case PT_PLAN_CREATE_DATABASE:
    case PT_PLAN_ALTER_TABLE:
    case PT_PLAN_USE:
    case PT_PLAN_SET:
    case PT_PLAN_SHOW_OBJECTS:
    case PT_PLAN_CREATE_FUNCTION: *out = plan; return PT_OK; /* nothing in them to analyze */
    case PT_PLAN_COUNT: break;
    }
#undef ROUTE
    return pt_error_set(err, PT_INTERNAL, "unknown kind of plan %d", (int)plan->kind);
}

pt_status pt__analyze_plan(pt__analyzer *a, const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    if (plan == NULL)
        return pt_error_set(err, PT_BAD_PLAN, "a relation lacks its input");
    PT_TRY(pt__analyzer_enter(a, err));
    pt_status status = dispatch(a, plan, out, err);
    pt__analyzer_leave(a);
    return status;
}

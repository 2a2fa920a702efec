/* Operators after |>. */
#include "decode/spark_sql/internal.h"

static pt_status pipe_select(pt__sql_parser *p, const pt_plan **in_out)
{
    return pt__sql_select_from(p, *in_out, in_out);
}

/* Adds columns: a projection of everything and more. */
static pt_status pipe_extend(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    size_t mark = p->named_windows.count;
    pt__sql_expr_list items = {0};
    pt_expr_star *star = pt__expr_make(p->arena, STAR, star, pt__sql_origin(p, first));
    const pt_expr *everything = &star->base;
    star->plan_id = -1;
    pt__list_push(p->arena, &items, everything);
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_named_expression_list(p, &items));
    if (pt__sql_at(p, PT_KW_WINDOW))
        PT_TRY(pt__sql_window_clause(p, mark));
    pt_plan_project *project = pt__plan_make(p->arena, PROJECT, project, pt__sql_origin(p, first));
    project->input = *in_out;
    project->expressions = items.items;
    project->expression_count = items.count;
    *in_out = &project->base;
    return PT_OK;
}

/* Each assignment sees the ones before it. */
static pt_status pipe_set(pt__sql_parser *p, const pt_plan **in_out)
{
    pt__sql_skip(p, 1);
    do {
        size_t first = p->position;
        const char *name = NULL;
        const pt_expr *value = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &name));
        if (!pt__sql_accept(p, PT_TOKEN_DOUBLE_EQUAL))
            PT_TRY(pt__sql_expect(p, '='));
        PT_TRY(pt__sql_expression(p, &value));
        const pt_expr **aliases = pt__arena_array(p->arena, const pt_expr *, 1);
        aliases[0] = pt__expr_alias(p->arena, value, name);
        pt_plan_with_columns *with = pt__plan_make(p->arena, WITH_COLUMNS, with_columns, pt__sql_origin(p, first));
        with->input = *in_out;
        with->aliases = aliases;
        with->alias_count = 1;
        *in_out = &with->base;
    } while (pt__sql_accept(p, ','));
    return PT_OK;
}

static pt_status pipe_drop(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    pt__sql_string_list names = {0};
    pt__sql_skip(p, 1);
    do {
        const char *name = NULL;
        PT_TRY(pt__sql_checked_identifier(p, &name));
        pt__list_push(p->arena, &names, name);
    } while (pt__sql_accept(p, ','));
    pt_plan_drop_columns *drop = pt__plan_make(p->arena, DROP_COLUMNS, drop_columns, pt__sql_origin(p, first));
    drop->input = *in_out;
    drop->names = names.items;
    drop->name_count = names.count;
    *in_out = &drop->base;
    return PT_OK;
}

static pt_status pipe_where(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    pt_plan_filter *filter = pt__plan_make(p->arena, FILTER, filter, NULL);
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_expression(p, &filter->condition));
    filter->input = *in_out;
    filter->base.origin = pt__sql_origin(p, first);
    *in_out = &filter->base;
    return PT_OK;
}

static bool at_analytics(const pt__sql_parser *p)
{
    return pt__sql_at_two(p, PT_KW_ROLLUP, '(') || pt__sql_at_two(p, PT_KW_CUBE, '(') ||
           pt__sql_at_two(p, PT_KW_GROUPING, PT_KW_SETS);
}

/* AGGREGATE [a, b] [GROUP BY c [AS d], …]: the grouping columns come first. */
static pt_status pipe_aggregate(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    pt__sql_expr_list aggregates = {0};
    pt__sql_expr_list grouping = {0};
    pt_plan_aggregate *aggregate = pt__plan_make(p->arena, AGGREGATE, aggregate, NULL);
    pt__sql_skip(p, 1);
    if (!pt__sql_at_two(p, PT_KW_GROUP, PT_KW_BY))
        PT_TRY(pt__sql_named_expression_list(p, &aggregates));
    if (pt__sql_accept_two(p, PT_KW_GROUP, PT_KW_BY)) {
        if (at_analytics(p)) {
            PT_TRY(pt__sql_group_by(p, aggregate));
        } else {
            PT_TRY(pt__sql_named_expression_list(p, &grouping));
            aggregate->grouping = grouping.items;
            aggregate->grouping_count = grouping.count;
        }
    }
    aggregate->input = *in_out;
    aggregate->aggregates = aggregates.items;
    aggregate->aggregate_count = aggregates.count;
    aggregate->prepend_grouping = true;
    aggregate->base.origin = pt__sql_origin(p, first);
    *in_out = &aggregate->base;
    return PT_OK;
}

static pt_status pipe_set_operation(pt__sql_parser *p, const pt_plan **in_out)
{
    pt_plan_set_operation *set = NULL;
    PT_TRY(pt__sql_set_operation(p, *in_out, NULL, &set));
    PT_TRY(pt__sql_query_primary(p, &set->right));
    *in_out = &set->base;
    return PT_OK;
}

/* What begins with no word of its own: joins and ORDER BY … LIMIT. */
static pt_status pipe_other(pt__sql_parser *p, const pt_plan **in_out)
{
    bool joined = false;
    size_t before = p->position;
    if (pt__sql_at_set_operation(p))
        return pipe_set_operation(p, in_out);
    PT_TRY(pt__sql_join_or_stop(p, in_out, &joined));
    if (!joined)
        PT_TRY(pt__sql_organization(p, in_out));
    return p->position > before ? PT_OK : pt__sql_syntax_error(p);
}

pt_status pt__sql_pipe_operator(pt__sql_parser *p, const pt_plan **in_out)
{
    bool aliased = false;
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_SELECT: return pipe_select(p, in_out);
    case PT_KW_EXTEND: return pipe_extend(p, in_out);
    case PT_KW_SET: return pipe_set(p, in_out);
    case PT_KW_DROP: return pipe_drop(p, in_out);
    case PT_KW_AS: return pt__sql_table_alias(p, in_out, &aliased);
    case PT_KW_WHERE: return pipe_where(p, in_out);
    case PT_KW_PIVOT: return pt__sql_pivot(p, in_out);
    case PT_KW_UNPIVOT: return pt__sql_unpivot(p, in_out);
    case PT_KW_TABLESAMPLE: return pt__sql_table_sample(p, in_out);
    case PT_KW_AGGREGATE: return pipe_aggregate(p, in_out);
    default: return pipe_other(p, in_out);
    }
}

/* SELECT: its clauses in the order that they are written, made into relations in the order that they apply. */
#include "decode/spark_sql/internal.h"

typedef struct select_clauses {
    size_t first; /* token of SELECT */
    pt__sql_expr_list items;
    bool is_distinct;
    const pt_plan *input;     /* NULL: no FROM */
    pt_plan_aggregate *group; /* NULL: no GROUP BY */
    const pt_expr *having;
    const pt_expr *qualify;
    pt__list(pt_plan_hint *) hints;
} select_clauses;

static const pt_plan *make_filter(pt__sql_parser *p, const pt_plan *input, const pt_expr *condition)
{
    pt_plan_filter *filter = pt__plan_make(p->arena, FILTER, filter, condition->origin);
    filter->input = input;
    filter->condition = condition;
    return &filter->base;
}

static const pt_plan *make_qualify(pt__sql_parser *p, const pt_plan *input, const pt_expr *condition)
{
    pt_plan_filter *filter = pt__plan_make(p->arena, FILTER, filter, condition->origin);
    filter->input = input;
    filter->condition = condition;
    filter->is_qualify = true;
    return &filter->base;
}

static const pt_plan *make_having(pt__sql_parser *p, const pt_plan *input, const pt_expr *condition)
{
    pt_plan_filter *filter = pt__plan_make(p->arena, FILTER, filter, condition->origin);
    filter->input = input;
    filter->condition = condition;
    filter->is_having = true;
    return &filter->base;
}

static pt_status parse_hint(pt__sql_parser *p, pt_plan_hint *hint)
{
    pt__sql_expr_list parameters = {0};
    size_t first = p->position;
    PT_TRY(pt__sql_identifier(p, &hint->name));
    if (pt__sql_accept(p, '(')) {
        do {
            const pt_expr *parameter = NULL;
            PT_TRY(pt__sql_primary(p, &parameter));
            pt__list_push(p->arena, &parameters, parameter);
        } while (pt__sql_accept(p, ','));
        PT_TRY(pt__sql_expect(p, ')'));
    }
    hint->base.origin = pt__sql_origin(p, first);
    hint->parameters = parameters.items;
    hint->parameter_count = parameters.count;
    return PT_OK;
}

static pt_status parse_hints(pt__sql_parser *p, select_clauses *select)
{
    while (pt__sql_accept(p, PT_TOKEN_HINT_START)) {
        while (!pt__sql_accept(p, PT_TOKEN_HINT_END)) {
            pt_plan_hint *hint = pt__plan_make(p->arena, HINT, hint, NULL);
            PT_TRY(parse_hint(p, hint));
            pt__list_push(p->arena, &select->hints, hint);
            (void)pt__sql_accept(p, ',');
        }
    }
    return PT_OK;
}

static bool at_select_quantifier(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    return (pt__sql_at(p, PT_KW_DISTINCT) || pt__sql_at(p, PT_KW_ALL)) &&
           (!pt__sql_ends_operand(next) || next == '+') && next != PT_KW_FROM && next != PT_KW_AS;
}

static pt_status parse_select_list(pt__sql_parser *p, select_clauses *select)
{
    select->first = p->position;
    PT_TRY(pt__sql_expect(p, PT_KW_SELECT));
    PT_TRY(parse_hints(p, select));
    if (at_select_quantifier(p)) {
        select->is_distinct = pt__sql_at(p, PT_KW_DISTINCT);
        pt__sql_skip(p, 1);
    }
    if (pt__sql_at_two(p, PT_KW_TRANSFORM, '(')) {
        /* transform(array, lambda) is a function; SELECT TRANSFORM(…) USING is a script. */
        size_t depth = 0;
        size_t i = 1;
        do {
            int32_t kind = pt__sql_peek(p, i++);
            depth = kind == '(' ? depth + 1 : kind == ')' ? depth - 1 : kind == PT_TOKEN_END ? 0 : depth;
        } while (depth > 0);
        int32_t next = pt__sql_peek(p, i);
        if (next == PT_KW_USING || next == PT_KW_ROW)
            return pt__sql_unsupported(p, "SELECT TRANSFORM … USING");
    }
    return pt__sql_named_expression_list(p, &select->items);
}

static pt_status parse_group(pt__sql_parser *p, select_clauses *select)
{
    size_t first = p->position;
    pt__sql_skip(p, 2);
    select->group = pt__plan_make(p->arena, AGGREGATE, aggregate, NULL);
    PT_TRY(pt__sql_group_by(p, select->group));
    select->group->base.origin = pt__sql_origin(p, first);
    return PT_OK;
}

/* One row without columns, for clauses that need rows when there is no FROM. */
static void need_input(pt__sql_parser *p, select_clauses *select)
{
    if (select->input != NULL)
        return;
    pt_plan_values *one = pt__plan_make(p->arena, VALUES, values, NULL);
    one->row_count = 1;
    select->input = &one->base;
}

/* WHERE to WINDOW; `mark` is where this SELECT's named windows begin. */
static pt_status parse_select_clauses(pt__sql_parser *p, select_clauses *select, size_t mark)
{
    if (pt__sql_at(p, PT_KW_LATERAL))
        need_input(p, select);
    PT_TRY(pt__sql_lateral_views(p, &select->input));
    if (pt__sql_accept(p, PT_KW_WHERE)) {
        const pt_expr *where = NULL;
        need_input(p, select);
        PT_TRY(pt__sql_expression(p, &where));
        select->input = make_filter(p, select->input, where);
    }
    if (pt__sql_at_two(p, PT_KW_GROUP, PT_KW_BY))
        PT_TRY(parse_group(p, select));
    if (pt__sql_accept(p, PT_KW_HAVING))
        PT_TRY(pt__sql_expression(p, &select->having));
    if (pt__sql_accept(p, PT_KW_QUALIFY))
        PT_TRY(pt__sql_expression(p, &select->qualify));
    if (pt__sql_at(p, PT_KW_WINDOW))
        PT_TRY(pt__sql_window_clause(p, mark));
    return PT_OK;
}

static const pt_plan *make_aggregate(pt__sql_parser *p, select_clauses *select)
{
    pt_plan_aggregate *aggregate = select->group;
    if (aggregate == NULL)
        aggregate = pt__plan_make(p->arena, AGGREGATE, aggregate, pt__sql_origin(p, select->first));
    aggregate->input = select->input;
    aggregate->aggregates = select->items.items;
    aggregate->aggregate_count = select->items.count;
    return &aggregate->base;
}

static const pt_plan *make_project(pt__sql_parser *p, select_clauses *select)
{
    pt_plan_project *project = pt__plan_make(p->arena, PROJECT, project, pt__sql_origin(p, select->first));
    project->input = select->input;
    project->expressions = select->items.items;
    project->expression_count = select->items.count;
    return &project->base;
}

static const pt_plan *make_distinct(pt__sql_parser *p, const pt_plan *input)
{
    pt_plan_deduplicate *distinct = pt__plan_make(p->arena, DEDUPLICATE, deduplicate, input->origin);
    distinct->input = input;
    return &distinct->base;
}

static const pt_plan *make_select(pt__sql_parser *p, select_clauses *select)
{
    bool aggregates = select->group != NULL || select->having != NULL;
    const pt_plan *plan = aggregates ? make_aggregate(p, select) : make_project(p, select);
    if (select->having != NULL)
        plan = make_having(p, plan, select->having);
    if (select->qualify != NULL)
        plan = make_qualify(p, plan, select->qualify);
    if (select->is_distinct)
        plan = make_distinct(p, plan);
    for (size_t i = select->hints.count; i > 0; i--) {
        select->hints.items[i - 1]->input = plan;
        plan = &select->hints.items[i - 1]->base;
    }
    return plan;
}

pt_status pt__sql_select(pt__sql_parser *p, const pt_plan **out)
{
    select_clauses select = {0};
    size_t mark = p->named_windows.count;
    PT_TRY(parse_select_list(p, &select));
    if (pt__sql_accept(p, PT_KW_FROM))
        PT_TRY(pt__sql_relations(p, &select.input));
    PT_TRY(parse_select_clauses(p, &select, mark));
    *out = make_select(p, &select);
    return PT_OK;
}

/* SELECT of pipes: no FROM, the input is given. */
pt_status pt__sql_select_from(pt__sql_parser *p, const pt_plan *input, const pt_plan **out)
{
    select_clauses select = {0};
    size_t mark = p->named_windows.count;
    PT_TRY(parse_select_list(p, &select));
    if (pt__sql_at(p, PT_KW_WINDOW))
        PT_TRY(pt__sql_window_clause(p, mark));
    select.input = input;
    *out = make_select(p, &select);
    return PT_OK;
}

/* FROM t SELECT a; FROM t alone is t. */
pt_status pt__sql_from_first(pt__sql_parser *p, const pt_plan **out)
{
    select_clauses select = {0};
    size_t mark = p->named_windows.count;
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_relations(p, &select.input));
    PT_TRY(pt__sql_lateral_views(p, &select.input));
    if (pt__sql_at(p, PT_KW_INSERT))
        return pt__sql_unsupported(p, "FROM … INSERT");
    if (!pt__sql_at(p, PT_KW_SELECT)) {
        *out = select.input;
        return PT_OK;
    }
    PT_TRY(parse_select_list(p, &select));
    PT_TRY(parse_select_clauses(p, &select, mark));
    if (pt__sql_at(p, PT_KW_SELECT))
        return pt__sql_unsupported(p, "FROM with several SELECT");
    *out = make_select(p, &select);
    return PT_OK;
}

/* Queries: WITH, SELECT and its clauses, set operations, ORDER BY and LIMIT. */
#include "decode/spark_sql/internal.h"

#include <strings.h>

/* ---- what starts and continues a query ---- */

static bool ends_operand(int32_t kind)
{
    return kind == PT_TOKEN_END || kind == ')' || kind == ',' || kind == ';' || kind == '.' || kind == ']' ||
           kind == '=' || kind == '+' || kind == '/' || kind == '%' || kind == '<' || kind == '>' || kind == '|' ||
           kind == '&' || kind == '^' || kind == PT_TOKEN_ARROW || kind == PT_TOKEN_FAT_ARROW ||
           (kind >= PT_TOKEN_DOUBLE_COLON && kind <= PT_TOKEN_PIPE);
}

bool pt__sql_starts_query(const pt__sql_parser *p, size_t ahead)
{
    int32_t next = pt__sql_peek(p, ahead + 1);
    bool name = pt__sql_is_name(next);
    switch (pt__sql_peek(p, ahead)) {
    case PT_KW_SELECT: return !ends_operand(next) && next != PT_KW_AS;
    case PT_KW_VALUES: return !ends_operand(next) && next != '-' && next != '*' && next != PT_KW_AS;
    case PT_KW_WITH: return name && next != PT_KW_AS;
    case PT_KW_FROM: return next == '(' || (name && next != PT_KW_AS);
    case PT_KW_TABLE: return name && next != PT_KW_AS;
    case PT_KW_MAP: return name && next != PT_KW_AS;
    case PT_KW_REDUCE: return name && next != PT_KW_AS;
    default: return false;
    }
}

bool pt__sql_at_set_operation(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_UNION:
    case PT_KW_INTERSECT:
    case PT_KW_EXCEPT:
    case PT_KW_MINUS:
        return next == PT_KW_ALL || next == PT_KW_DISTINCT || next == PT_KW_BY || next == '(' ||
               pt__sql_starts_query(p, 1);
    default: return false;
    }
}

static bool at_by(const pt__sql_parser *p)
{
    return pt__sql_peek(p, 1) == PT_KW_BY;
}

bool pt__sql_continues_query(const pt__sql_parser *p)
{
    if (pt__sql_at_set_operation(p) || pt__sql_at(p, PT_TOKEN_PIPE))
        return true;
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_ORDER: return at_by(p);
    case PT_KW_SORT: return at_by(p);
    case PT_KW_CLUSTER: return at_by(p);
    case PT_KW_DISTRIBUTE: return at_by(p);
    case PT_KW_LIMIT: return !ends_operand(pt__sql_peek(p, 1));
    case PT_KW_OFFSET: return !ends_operand(pt__sql_peek(p, 1));
    default: return false;
    }
}

/* WATERMARK expression DELAY OF … */
static bool at_watermark(const pt__sql_parser *p)
{
    int32_t third = pt__sql_peek(p, 2);
    return pt__sql_is_name(pt__sql_peek(p, 1)) && (third == PT_KW_DELAY || third == '(' || third == '.');
}

bool pt__sql_starts_clause(const pt__sql_parser *p)
{
    int32_t next = pt__sql_peek(p, 1);
    if (pt__sql_continues_query(p))
        return true;
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_FROM: return next == '(' || pt__sql_is_name(next);
    case PT_KW_WHERE: return !ends_operand(next) || next == '+';
    case PT_KW_HAVING: return !ends_operand(next) || next == '+';
    case PT_KW_QUALIFY: return !ends_operand(next) || next == '+';
    case PT_KW_GROUP: return at_by(p);
    case PT_KW_WINDOW: return pt__sql_is_name(next) && pt__sql_peek(p, 2) == PT_KW_AS;
    case PT_KW_LATERAL: return true;
    case PT_KW_PIVOT: return next == '(';
    case PT_KW_UNPIVOT: return next == '(' || pt__sql_peek(p, 2) == PT_KW_NULLS;
    case PT_KW_TABLESAMPLE: return next == '(' || pt__sql_peek(p, 2) == '(';
    case PT_KW_CHANGES: return next == PT_KW_FROM;
    case PT_KW_EXACT: return next == PT_KW_NEAREST;
    case PT_KW_APPROX: return next == PT_KW_NEAREST;
    case PT_KW_WATERMARK: return at_watermark(p);
    case PT_KW_VERSION: return next == PT_KW_AS;
    case PT_KW_FOR: return true;
    case PT_KW_WITH: return next == '(' || pt__sql_is_name(next);
    case PT_KW_SELECT: return !ends_operand(next);
    case PT_KW_INSERT: return next == PT_KW_INTO || next == PT_KW_OVERWRITE;
    default: return false;
    }
}

/* ---- SELECT ---- */

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
    return (pt__sql_at(p, PT_KW_DISTINCT) || pt__sql_at(p, PT_KW_ALL)) && (!ends_operand(next) || next == '+') &&
           next != PT_KW_FROM && next != PT_KW_AS;
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

static pt_status parse_select(pt__sql_parser *p, const pt_plan **out)
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
static pt_status parse_from_first(pt__sql_parser *p, const pt_plan **out)
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

/* ---- operands of set operations ---- */

static pt_status parse_table_query(pt__sql_parser *p, const pt_plan **out)
{
    size_t first = p->position + 1;
    pt__sql_skip(p, 1);
    pt_plan_scan_table *scan = pt__plan_make(p->arena, SCAN_TABLE, scan_table, NULL);
    PT_TRY(pt__sql_name(p, &scan->name));
    scan->base.origin = pt__sql_origin(p, first);
    *out = &scan->base;
    return PT_OK;
}

pt_status pt__sql_query_primary(pt__sql_parser *p, const pt_plan **out)
{
    switch (pt__sql_peek(p, 0)) {
    case PT_KW_SELECT: return parse_select(p, out);
    case PT_KW_FROM: return parse_from_first(p, out);
    case PT_KW_VALUES: return pt__sql_values(p, out);
    case PT_KW_TABLE: return parse_table_query(p, out);
    case PT_KW_MAP: return pt__sql_unsupported(p, "MAP … USING");
    case PT_KW_REDUCE: return pt__sql_unsupported(p, "REDUCE … USING");
    case '(': break;
    default: return pt__sql_syntax_error(p);
    }
    pt__sql_skip(p, 1);
    PT_TRY(pt__sql_query(p, out));
    return pt__sql_expect(p, ')');
}

/* ---- set operations ---- */

pt_status pt__sql_set_operation(pt__sql_parser *p, const pt_plan *left, const pt_plan *right,
                                pt_plan_set_operation **out)
{
    pt_plan_set_operation *set = pt__plan_make(p->arena, SET_OPERATION, set_operation, NULL);
    size_t first = p->position;
    int32_t word = pt__sql_peek(p, 0);
    pt__sql_skip(p, 1);
    set->set_kind = word == PT_KW_UNION ? PT_SET_UNION : word == PT_KW_INTERSECT ? PT_SET_INTERSECT : PT_SET_EXCEPT;
    set->left = left;
    set->right = right;
    set->is_all = pt__sql_accept(p, PT_KW_ALL);
    if (!set->is_all)
        (void)pt__sql_accept(p, PT_KW_DISTINCT);
    if (pt__sql_accept(p, PT_KW_BY)) {
        PT_TRY(pt__sql_expect(p, PT_KW_NAME));
        set->by_name = true;
    }
    set->base.origin = pt__sql_origin(p, first);
    *out = set;
    return PT_OK;
}

/* INTERSECT binds tighter than UNION, EXCEPT and MINUS; equals go from left to right. */
static pt_status parse_intersections(pt__sql_parser *p, const pt_plan *left, const pt_plan **out)
{
    if (left == NULL)
        PT_TRY(pt__sql_query_primary(p, &left));
    while (pt__sql_at(p, PT_KW_INTERSECT) && pt__sql_at_set_operation(p)) {
        pt_plan_set_operation *set = NULL;
        PT_TRY(pt__sql_set_operation(p, left, NULL, &set));
        PT_TRY(pt__sql_query_primary(p, &set->right));
        left = &set->base;
    }
    *out = left;
    return PT_OK;
}

static pt_status parse_unions(pt__sql_parser *p, const pt_plan *left, const pt_plan **out)
{
    PT_TRY(parse_intersections(p, left, &left));
    while (pt__sql_at_set_operation(p)) {
        pt_plan_set_operation *set = NULL;
        PT_TRY(pt__sql_set_operation(p, left, NULL, &set));
        PT_TRY(parse_intersections(p, NULL, &set->right));
        left = &set->base;
    }
    *out = left;
    return PT_OK;
}

/* ---- ORDER BY … LIMIT ---- */

static pt_status parse_sort(pt__sql_parser *p, bool is_global, const pt_plan **in_out)
{
    size_t first = p->position;
    pt__sql_expr_list orders = {0};
    pt__sql_skip(p, 2);
    bool all = pt__sql_at(p, PT_KW_ALL);
    PT_TRY(pt__sql_sort_orders(p, &orders));
    pt_plan_sort *sort = pt__plan_make(p->arena, SORT, sort, pt__sql_origin(p, first));
    const pt_expr *only = pt__expr_as_sort_order(orders.items[0])->child;
    bool one_word = only->kind == PT_EXPR_ATTRIBUTE && pt__expr_as_attribute(only)->name.count == 1;
    sort->input = *in_out;
    sort->orders = orders.items;
    sort->order_count = orders.count;
    sort->is_global = is_global;
    sort->order_by_all = is_global && all && orders.count == 1 && one_word;
    *in_out = &sort->base;
    return PT_OK;
}

/* DISTRIBUTE BY and CLUSTER BY spread rows, which changes no result; CLUSTER BY also sorts each part. */
static pt_status parse_distribution(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    bool cluster = pt__sql_at(p, PT_KW_CLUSTER);
    pt__sql_expr_list keys = {0};
    pt__sql_skip(p, 2);
    PT_TRY(pt__sql_expression_list(p, &keys));
    pt_plan_hint *hint = pt__plan_make(p->arena, HINT, hint, pt__sql_origin(p, first));
    hint->input = *in_out;
    hint->name = "repartition";
    hint->parameters = keys.items;
    hint->parameter_count = keys.count;
    *in_out = &hint->base;
    if (!cluster)
        return PT_OK;
    const pt_expr **orders = pt__arena_array(p->arena, const pt_expr *, keys.count);
    for (size_t i = 0; i < keys.count; i++) {
        pt_expr_sort_order *order = pt__expr_make(p->arena, SORT_ORDER, sort_order, keys.items[i]->origin);
        order->child = keys.items[i];
        order->nulls_first = true;
        order->is_plain = true;
        orders[i] = &order->base;
    }
    pt_plan_sort *sort = pt__plan_make(p->arena, SORT, sort, hint->base.origin);
    sort->input = *in_out;
    sort->orders = orders;
    sort->order_count = keys.count;
    *in_out = &sort->base;
    return PT_OK;
}

static pt_status parse_limit(pt__sql_parser *p, const pt_plan **in_out)
{
    size_t first = p->position;
    pt_plan_limit *limit = pt__plan_make(p->arena, LIMIT, limit, NULL);
    limit->input = *in_out;
    bool some = false;
    for (int i = 0; i < 2; i++) {
        if (limit->limit == NULL && pt__sql_at(p, PT_KW_LIMIT) && pt__sql_continues_query(p)) {
            pt__sql_skip(p, 1);
            if (!pt__sql_accept(p, PT_KW_ALL)) {
                PT_TRY(pt__sql_expression(p, &limit->limit));
                some = true;
            }
        } else if (limit->offset == NULL && pt__sql_at(p, PT_KW_OFFSET) && pt__sql_continues_query(p)) {
            pt__sql_skip(p, 1);
            PT_TRY(pt__sql_expression(p, &limit->offset));
            some = true;
        }
    }
    limit->base.origin = pt__sql_origin(p, first);
    if (some)
        *in_out = &limit->base;
    return PT_OK;
}

static pt_status refuse_combination(pt__sql_parser *p, size_t first)
{
    pt_status status = pt__raise(p->err, PT_COND_UNSUPPORTED_FEATURE_COMBINATION_QUERY_RESULT_CLAUSES, NULL);
    return pt__sql_locate_error(p, first, status);
}

static pt_status parse_organization(pt__sql_parser *p, size_t mark, const pt_plan **in_out)
{
    size_t first = p->position;
    bool ordered = pt__sql_at_two(p, PT_KW_ORDER, PT_KW_BY);
    if (ordered)
        PT_TRY(parse_sort(p, true, in_out));
    bool distributed = pt__sql_at_two(p, PT_KW_DISTRIBUTE, PT_KW_BY);
    bool clustered = pt__sql_at_two(p, PT_KW_CLUSTER, PT_KW_BY);
    if (distributed || clustered)
        PT_TRY(parse_distribution(p, in_out));
    if (clustered && pt__sql_at_two(p, PT_KW_DISTRIBUTE, PT_KW_BY))
        return refuse_combination(p, first);
    bool sorted = pt__sql_at_two(p, PT_KW_SORT, PT_KW_BY);
    if (sorted)
        PT_TRY(parse_sort(p, false, in_out));
    if ((ordered && (distributed || clustered || sorted)) || (clustered && sorted))
        return refuse_combination(p, first);
    if (pt__sql_at(p, PT_KW_WINDOW) && pt__sql_starts_clause(p))
        PT_TRY(pt__sql_window_clause(p, mark));
    return parse_limit(p, in_out);
}

pt_status pt__sql_organization(pt__sql_parser *p, const pt_plan **in_out)
{
    return parse_organization(p, p->named_windows.count, in_out);
}

static pt_status parse_query_rest(pt__sql_parser *p, const pt_plan *first, const pt_plan **out)
{
    size_t mark = p->named_windows.count;
    PT_TRY(parse_unions(p, first, out));
    PT_TRY(parse_organization(p, mark, out));
    while (pt__sql_accept(p, PT_TOKEN_PIPE))
        PT_TRY(pt__sql_pipe_operator(p, out));
    return PT_OK;
}

pt_status pt__sql_query_after(pt__sql_parser *p, const pt_plan *first, const pt_plan **out)
{
    const pt_plan *plan = NULL;
    PT_TRY(pt__sql_enter(p));
    PT_TRY(parse_query_rest(p, first, &plan));
    p->depth--;
    *out = plan;
    return PT_OK;
}

/* ---- WITH ---- */

static pt_status parse_cte(pt__sql_parser *p, pt_cte *out, int64_t *recursion_limit)
{
    pt__sql_string_list columns = {0};
    PT_TRY(pt__sql_checked_identifier(p, &out->name));
    if (pt__sql_at(p, '(') && !pt__sql_starts_query(p, 1))
        PT_TRY(pt__sql_identifier_list(p, &columns));
    if (pt__sql_accept_two(p, PT_KW_MAX, PT_KW_RECURSION)) {
        PT_TRY(pt__sql_expect(p, PT_KW_LEVEL));
        PT_TRY(pt__sql_integer(p, recursion_limit));
    }
    (void)pt__sql_accept(p, PT_KW_AS);
    PT_TRY(pt__sql_expect(p, '('));
    PT_TRY(pt__sql_query(p, &out->plan));
    out->column_names = columns.items;
    out->column_name_count = columns.count;
    return pt__sql_expect(p, ')');
}

enum { CTES_MAX = 10000 };

static bool is_duplicate(const pt_cte *ctes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(ctes[i].name, name) == 0)
            return true;
    }
    return false;
}

pt_status pt__sql_with_clause(pt__sql_parser *p, pt_plan_with **out)
{
    size_t first = p->position;
    pt__list(pt_cte) ctes = {0};
    *out = NULL;
    if (!pt__sql_accept(p, PT_KW_WITH))
        return PT_OK;
    pt_plan_with *with = pt__plan_make(p->arena, WITH, with, NULL);
    with->recursion_limit = -1;
    with->is_recursive = pt__sql_accept(p, PT_KW_RECURSIVE);
    do {
        pt_cte cte = {0};
        if (ctes.count == CTES_MAX)
            return pt_error_set(p->err, PT_LIMIT, "WITH defines more than %d tables", (int)CTES_MAX);
        size_t at = p->position;
        PT_TRY(parse_cte(p, &cte, &with->recursion_limit));
        if (is_duplicate(ctes.items, ctes.count, cte.name)) {
            const char *name = pt__arena_printf(p->arena, "'`%s`'", cte.name);
            pt_status status = pt__raise(p->err, PT_COND_DUPLICATED_CTE_NAMES, "duplicateNames", name, NULL);
            return pt__sql_locate_error(p, at, status);
        }
        pt__list_push(p->arena, &ctes, cte);
    } while (pt__sql_accept(p, ','));
    with->ctes = ctes.items;
    with->cte_count = ctes.count;
    with->base.origin = pt__sql_origin(p, first);
    *out = with;
    return PT_OK;
}

pt_status pt__sql_query_under(pt__sql_parser *p, pt_plan_with *with, const pt_plan **out)
{
    PT_TRY(pt__sql_query(p, out));
    if (with != NULL) {
        with->input = *out;
        *out = &with->base;
    }
    return PT_OK;
}

pt_status pt__sql_query(pt__sql_parser *p, const pt_plan **out)
{
    pt_plan_with *with = NULL;
    const pt_plan *plan = NULL;
    PT_TRY(pt__sql_enter(p));
    PT_TRY(pt__sql_with_clause(p, &with));
    PT_TRY(parse_query_rest(p, NULL, &plan));
    if (with != NULL) {
        with->input = plan;
        plan = &with->base;
    }
    p->depth--;
    *out = plan;
    return PT_OK;
}

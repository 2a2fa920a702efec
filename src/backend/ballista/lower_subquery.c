/*
 * Subqueries of expressions. DataFusion's messages know no EXISTS, no IN and no reference to an outer query: EXISTS
 * and IN become semi, anti and mark joins, scalar subqueries a join with their one row, or with one row for each value
 * of what correlates them.
 */
#include "backend/ballista/lowering.h"

#include "plan/members.h"

#include <string.h>

static pt_status refuse_shape(const pt_origin *origin, pt_error *err)
{
    return pt__bl_refuse(err, origin, "a correlated subquery of this shape");
}

/* ---- what depends on the query around ---- */

typedef struct dependence {
    const pt__bl *bl;
    const pt__bplan *outer;
    bool outside; /* a column of the outer relation was seen */
    bool inside;  /* another one */
} dependence;

static bool is_of(const pt__bplan *plan, const char *name)
{
    for (size_t i = 0; name != NULL && i < plan->name_count; i++) {
        if (strcmp(plan->names[i].name, name) == 0)
            return true;
    }
    return false;
}

static bool look_at_plan(void *context, const pt_plan *plan);

static bool look_at(void *context, const pt_expr *expr)
{
    dependence *d = context;
    if (expr->kind == PT_EXPR_COLUMN) {
        const pt_expr_column *column = pt__expr_as_column(expr);
        bool outside = column->is_outer && is_of(d->outer, pt__bl_bound(d->bl, column->id));
        d->outside = d->outside || outside;
        d->inside = d->inside || !outside;
    }
    pt__visitor visitor = {look_at, look_at_plan, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

static bool look_at_plan(void *context, const pt_plan *plan)
{
    pt__visitor visitor = {look_at, look_at_plan, context};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

static dependence expr_depends(const pt__bl *bl, const pt_expr *expr)
{
    dependence d = {bl, bl->outer, false, false};
    look_at(&d, expr);
    return d;
}

static bool plan_depends(const pt__bl *bl, const pt_plan *plan)
{
    dependence d = {bl, bl->outer, false, false};
    look_at_plan(&d, plan);
    return d.outside;
}

/* ---- taking the correlation out ---- */

static pt_status open_up(pt__bl *bl, const pt_plan *plan, bool rows_only, pt__bl_conjuncts *correlated,
                         const pt__bplan **out, pt_error *err);

/* Conjuncts that refer to the outer query go to `correlated`, the others stay. */
static pt_status divide(pt__bl *bl, const pt_expr *condition, pt__bl_conjuncts *correlated, pt__bl_conjuncts *own)
{
    pt__bl_conjuncts all = {0};
    pt__bl_split_and(bl, condition, &all);
    for (size_t i = 0; i < all.count; i++) {
        if (expr_depends(bl, all.items[i]).outside)
            pt__list_push(bl->arena, correlated, all.items[i]);
        else
            pt__list_push(bl->arena, own, all.items[i]);
    }
    return PT_OK;
}

static pt_status open_filter(pt__bl *bl, const pt_plan_filter *filter, bool rows_only, pt__bl_conjuncts *correlated,
                             const pt__bplan **out, pt_error *err)
{
    pt__bl_conjuncts own = {0};
    PT_TRY(open_up(bl, filter->input, rows_only, correlated, out, err));
    PT_TRY(divide(bl, filter->condition, correlated, &own));
    const pt__bplan *outer = bl->outer;
    PT_TRY(pt__bl_apply(bl, &own, out, err));
    bl->outer = outer;
    return PT_OK;
}

/* Expressions besides the columns that were there: what correlates may need those. */
static pt_status open_expressions(pt__bl *bl, const pt_expr *const *expressions, const pt_column *columns, size_t count,
                                  const pt__bplan **out, pt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const pt__bx *item;
        const pt_expr *expr = expressions[i];
        while (expr->kind == PT_EXPR_ALIAS)
            expr = pt__expr_as_alias(expr)->child;
        if (expr_depends(bl, expr).outside)
            return refuse_shape(expr->origin, err);
        const pt__bplan *outer = bl->outer;
        PT_TRY(pt__bl_expr_over(bl, expr, out, &item, err));
        bl->outer = outer;
        if (expr->kind == PT_EXPR_COLUMN)
            pt__bl_bind(bl, columns[i].id, item->node.column->name);
        else
            *out = pt__bl_extend(bl, *out, item, pt__bl_bind_own(bl, &columns[i]), columns[i].type);
    }
    return PT_OK;
}

static pt_status open_project(pt__bl *bl, const pt_plan_project *project, bool rows_only, pt__bl_conjuncts *correlated,
                              const pt__bplan **out, pt_error *err)
{
    if (project->input == NULL)
        return refuse_shape(project->base.origin, err);
    PT_TRY(open_up(bl, project->input, rows_only, correlated, out, err));
    if (rows_only)
        return PT_OK;
    return open_expressions(bl, project->expressions, project->base.columns, project->expression_count, out, err);
}

/* Keys alone: which rows there are does not change. */
static pt_status open_aggregate(pt__bl *bl, const pt_plan_aggregate *aggregate, bool rows_only,
                                pt__bl_conjuncts *correlated, const pt__bplan **out, pt_error *err)
{
    if (aggregate->aggregate_count > 0 || aggregate->set_count > 0 || aggregate->grouping_count == 0 ||
        aggregate->input == NULL)
        return refuse_shape(aggregate->base.origin, err);
    PT_TRY(open_up(bl, aggregate->input, rows_only, correlated, out, err));
    if (rows_only)
        return PT_OK;
    return open_expressions(bl, aggregate->grouping, aggregate->base.columns, aggregate->grouping_count, out, err);
}

static pt_status open_limit(pt__bl *bl, const pt_plan_limit *limit, bool rows_only, pt__bl_conjuncts *correlated,
                            const pt__bplan **out, pt_error *err)
{
    const pt_expr_literal *count = limit->limit == NULL ? NULL : pt__bl_literal(limit->limit);
    bool keeps_some = count != NULL && !count->value.is_null && count->value.as.integer > 0;
    if (!rows_only || limit->offset != NULL || !keeps_some)
        return refuse_shape(limit->base.origin, err);
    return open_up(bl, limit->input, rows_only, correlated, out, err);
}

static pt_status open_side(pt__bl *bl, const pt_plan *plan, bool may_open, pt__bl_conjuncts *correlated,
                           const pt__bplan **out, pt_error *err)
{
    if (may_open)
        return open_up(bl, plan, false, correlated, out, err);
    if (plan_depends(bl, plan))
        return refuse_shape(plan->origin, err);
    return pt__bl_relation(bl, plan, out, err);
}

static pt_status open_join(pt__bl *bl, const pt_plan_join *join, pt__bl_conjuncts *correlated, const pt__bplan **out,
                           pt_error *err)
{
    bool is_inner = join->join_kind == PT_JOIN_INNER || join->join_kind == PT_JOIN_CROSS;
    const pt__bplan *left;
    const pt__bplan *right;
    if (!is_inner)
        return refuse_shape(join->base.origin, err);
    PT_TRY(open_side(bl, join->left, true, correlated, &left, err));
    PT_TRY(open_side(bl, join->right, true, correlated, &right, err));
    *out = pt__bplan_cross(bl->arena, left, right);
    if (join->condition == NULL)
        return PT_OK;
    pt__bl_conjuncts own = {0};
    PT_TRY(divide(bl, join->condition, correlated, &own));
    return pt__bl_apply(bl, &own, out, err);
}

/* The rows of a subquery without the conditions that correlate it. `rows_only`: its columns do not matter. */
static pt_status open_up(pt__bl *bl, const pt_plan *plan, bool rows_only, pt__bl_conjuncts *correlated,
                         const pt__bplan **out, pt_error *err)
{
    if (!plan_depends(bl, plan)) {
        const pt__bplan *outer = bl->outer;
        pt_status status = pt__bl_relation(bl, plan, out, err);
        bl->outer = outer;
        return status;
    }
    if (plan->kind == PT_PLAN_FILTER)
        return open_filter(bl, pt__plan_as_filter(plan), rows_only, correlated, out, err);
    if (plan->kind == PT_PLAN_PROJECT)
        return open_project(bl, pt__plan_as_project(plan), rows_only, correlated, out, err);
    if (plan->kind == PT_PLAN_AGGREGATE)
        return open_aggregate(bl, pt__plan_as_aggregate(plan), rows_only, correlated, out, err);
    if (plan->kind == PT_PLAN_SORT)
        return open_up(bl, pt__plan_as_sort(plan)->input, rows_only, correlated, out, err);
    if (plan->kind == PT_PLAN_LIMIT)
        return open_limit(bl, pt__plan_as_limit(plan), rows_only, correlated, out, err);
    if (plan->kind == PT_PLAN_JOIN)
        return open_join(bl, pt__plan_as_join(plan), correlated, out, err);
    return refuse_shape(plan->origin, err);
}

/* Conditions over both sides of the join that a subquery becomes. */
static pt_status lower_correlated(pt__bl *bl, const pt__bl_conjuncts *list, const pt__bx **out, pt_error *err)
{
    bool before = bl->sees_outer;
    pt__list(const pt__bx *) conditions = {0};
    bl->sees_outer = true;
    for (size_t i = 0; i < list->count; i++) {
        const pt__bx *condition;
        PT_TRY(pt__bl_expr_over(bl, list->items[i], NULL, &condition, err));
        pt__list_push(bl->arena, &conditions, condition);
    }
    bl->sees_outer = before;
    *out = conditions.count == 0 ? NULL : pt__bx_chain(bl->arena, "And", conditions.items, conditions.count);
    return PT_OK;
}

/* ---- EXISTS and IN ---- */

/* (a, b) IN (subquery): equal, or for NOT IN also unknown. */
static pt_status lower_membership(pt__bl *bl, const pt_expr_subquery *subquery, bool negated, const pt__bplan **input,
                                  const pt__bx **condition, pt_error *err)
{
    size_t visible = 0;
    for (size_t i = 0; i < subquery->plan->column_count && visible < subquery->value_count; i++) {
        const pt_column *column = &subquery->plan->columns[i];
        const pt__bx *value;
        const pt__bx *equal;
        if (column->is_hidden)
            continue;
        const pt_expr *left = subquery->values[visible++];
        if (!pt__type_same_kind(left->type, column->type))
            return pt__bl_refuse(err, subquery->base.origin, "IN a subquery of another type");
        PT_TRY(pt__bl_expr_over(bl, left, input, &value, err));
        const pt__bx *other = pt__bx_column(bl->arena, pt__bl_bound(bl, column->id));
        PT_TRY(pt__bl_compare(bl, "=", left, NULL, value, other, column->type, &equal, err));
        if (negated && (left->nullable || column->nullable))
            equal = pt__bx_or(bl->arena, equal, pt__bx_is_null(bl->arena, equal));
        *condition = pt__bx_and(bl->arena, *condition, equal);
    }
    return PT_OK;
}

typedef struct membership {
    const pt__bplan *rows; /* of the subquery */
    const pt__bx *condition;
} membership;

static pt_status open_subquery(pt__bl *bl, const pt_expr_subquery *subquery, bool negated, const pt__bplan **input,
                               membership *out, pt_error *err)
{
    pt__bl_conjuncts correlated = {0};
    const pt__bplan *before = bl->outer;
    bool is_in = subquery->subquery_kind == PT_SUBQUERY_IN;
    bl->outer = *input;
    PT_TRY(open_up(bl, subquery->plan, !is_in, &correlated, &out->rows, err));
    PT_TRY(lower_correlated(bl, &correlated, &out->condition, err));
    bl->outer = before;
    if (is_in)
        PT_TRY(lower_membership(bl, subquery, negated, input, &out->condition, err));
    return PT_OK;
}

static const char *put_beside(pt__bl *bl, const pt__bplan **input, const pt__bplan *one_row, const char *name)
{
    *input = pt__bplan_cross(bl->arena, one_row, *input);
    return name;
}

/* Whether there is any row: the count of at most one, beside every row of the input. */
static pt_status exists_at_all(pt__bl *bl, const pt__bplan *rows, const pt__bplan **input, const pt__bx **out,
                               pt_error *err)
{
    pt__bl_leaves leaves = {0};
    pt__bl before = *bl;
    const pt__bx *one = pt__bx_int64(bl->arena, 1);
    bl->leaves = &leaves;
    bl->over = NULL;
    bl->call = NULL;
    PT_TRY(pt__bl_leaf(bl, "count", &one, 1, NULL, PT_T(LONG), out, err));
    bl->leaves = before.leaves;
    bl->over = before.over;
    bl->call = before.call;
    const pt__bplan *few = pt__bplan_limit(bl->arena, rows, 0, 1);
    const pt__bplan *count = pt__bplan_aggregate(bl->arena, few, NULL, 0, leaves.calls.items, 1, leaves.names.items);
    put_beside(bl, input, count, leaves.names.items[0].name);
    *out = pt__bx_binary(bl->arena, "Gt", *out, pt__bx_int64(bl->arena, 0));
    return PT_OK;
}

static const pt_expr *without_not(const pt_expr *expr, bool *negated)
{
    *negated = false;
    while (pt__bl_is_call(expr, "not") || pt__bl_is_call(expr, "!")) {
        expr = pt__expr_as_call(expr)->arguments[0];
        *negated = !*negated;
    }
    return expr;
}

pt_status pt__bl_subquery_conjunct(pt__bl *bl, const pt_expr *conjunct, const pt__bplan **input, bool *taken,
                                   pt_error *err)
{
    bool negated;
    const pt_expr *expr = without_not(conjunct, &negated);
    *taken = false;
    if (expr->kind != PT_EXPR_SUBQUERY)
        return PT_OK;
    const pt_expr_subquery *subquery = pt__expr_as_subquery(expr);
    if (subquery->subquery_kind != PT_SUBQUERY_EXISTS && subquery->subquery_kind != PT_SUBQUERY_IN)
        return PT_OK;
    membership m;
    *taken = true;
    PT_TRY(open_subquery(bl, subquery, negated, input, &m, err));
    if (m.condition == NULL) {
        const pt__bx *exists;
        PT_TRY(exists_at_all(bl, m.rows, input, &exists, err));
        *input = pt__bplan_filter(bl->arena, *input, negated ? pt__bx_not(bl->arena, exists) : exists);
        return PT_OK;
    }
    *input = pt__bplan_join(bl->arena, *input, m.rows,
                            negated ? DATAFUSION_COMMON__JOIN_TYPE__LEFTANTI : DATAFUSION_COMMON__JOIN_TYPE__LEFTSEMI,
                            m.condition);
    return PT_OK;
}

/* As a value: a mark join tells for every row whether there is a partner. Never NULL, as in Spark. */
static pt_status lower_mark(pt__bl *bl, const pt_expr_subquery *subquery, bool negated, const pt__bx **out,
                            pt_error *err)
{
    membership m;
    PT_TRY(open_subquery(bl, subquery, negated, bl->input, &m, err));
    if (m.condition == NULL) {
        PT_TRY(exists_at_all(bl, m.rows, bl->input, out, err));
    } else {
        /* The node's column is called mark, behind a name of the right side that comes and goes. */
        const char *name = pt__bl_new_name(bl);
        const pt__bplan *joined =
            pt__bplan_join(bl->arena, *bl->input, m.rows, DATAFUSION_COMMON__JOIN_TYPE__LEFTMARK, m.condition);
        *bl->input = pt__bl_extend(bl, joined, pt__bx_column(bl->arena, "mark"), name, PT_T(BOOLEAN));
        *out = pt__bx_column(bl->arena, name);
    }
    if (negated)
        *out = pt__bx_not(bl->arena, *out);
    return PT_OK;
}

/* ---- scalar subqueries ---- */

static const pt_column *only_column(const pt_plan *plan)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        if (!plan->columns[i].is_hidden)
            return &plan->columns[i];
    }
    return NULL;
}

static bool has_one_row(const pt_plan *plan)
{
    while (plan->kind == PT_PLAN_PROJECT || plan->kind == PT_PLAN_SORT) {
        plan = plan->kind == PT_PLAN_PROJECT ? pt__plan_as_project(plan)->input : pt__plan_as_sort(plan)->input;
        if (plan == NULL)
            return true;
    }
    return plan->kind == PT_PLAN_AGGREGATE && pt__plan_as_aggregate(plan)->grouping_count == 0 &&
           pt__plan_as_aggregate(plan)->set_count == 0;
}

/* One row of any number: the first one's value, an error when there are more. */
static pt_status make_one_row(pt__bl *bl, const pt__bplan **rows, const char *name, const pt_type *type,
                              const pt__bx **value, pt_error *err)
{
    pt__bl_leaves leaves = {0};
    pt__bl before = *bl;
    pt__btype *arrow;
    const pt__bx *one = pt__bx_int64(bl->arena, 1);
    const pt__bx *column = pt__bx_column(bl->arena, name);
    const pt__bx *count;
    const pt__bx *first;
    PT_TRY(pt__bl_type(bl, type, NULL, &arrow, err));
    bl->leaves = &leaves;
    bl->over = NULL;
    bl->call = NULL;
    PT_TRY(pt__bl_leaf(bl, "count", &one, 1, NULL, PT_T(LONG), &count, err));
    PT_TRY(pt__bl_leaf(bl, "first_value", &column, 1, NULL, type, &first, err));
    bl->leaves = before.leaves;
    bl->over = before.over;
    bl->call = before.call;
    *rows = pt__bplan_aggregate(bl->arena, *rows, NULL, 0, leaves.calls.items, 2, leaves.names.items);
    const pt__bx *too_many = pt__bx_binary(bl->arena, "Gt", count, one);
    *value = pt__bx_if(bl->arena, too_many,
                       pt__bx_raise(bl->arena, "SCALAR_SUBQUERY_TOO_MANY_ROWS", "{}", count, arrow), first);
    return PT_OK;
}

static pt_status lower_alone(pt__bl *bl, const pt_expr_subquery *subquery, const pt__bx **out, pt_error *err)
{
    const pt_column *column = only_column(subquery->plan);
    const pt__bplan *rows;
    const pt__bplan **input = bl->input;
    bl->input = NULL;
    pt_status status = pt__bl_relation(bl, subquery->plan, &rows, err);
    bl->input = input;
    PT_TRY(status);
    const char *name = pt__bl_bound(bl, column->id);
    *out = pt__bx_column(bl->arena, name);
    if (!has_one_row(subquery->plan))
        PT_TRY(make_one_row(bl, &rows, name, column->type, out, err));
    put_beside(bl, bl->input, rows, name);
    return PT_OK;
}

/* The parts of SELECT expression FROM (SELECT aggregates FROM … WHERE correlation). */
typedef struct grouped_subquery {
    pt__list(const pt_plan_project *) projects; /* outermost first */
    const pt_plan_aggregate *aggregate;
} grouped_subquery;

static bool take_apart(pt__bl *bl, const pt_plan *plan, grouped_subquery *out)
{
    for (; plan != NULL && plan->kind == PT_PLAN_PROJECT; plan = pt__plan_as_project(plan)->input)
        pt__list_push(bl->arena, &out->projects, pt__plan_as_project(plan));
    if (plan == NULL || plan->kind != PT_PLAN_AGGREGATE)
        return false;
    out->aggregate = pt__plan_as_aggregate(plan);
    return out->aggregate->grouping_count == 0 && out->aggregate->set_count == 0 && out->aggregate->input != NULL;
}

/* inner = outer, either way round: the sides. */
static bool take_equality(const pt__bl *bl, const pt_expr *expr, const pt_expr **inner, const pt_expr **outer)
{
    if (!pt__bl_is_call(expr, "=") && !pt__bl_is_call(expr, "=="))
        return false;
    const pt_expr *a = pt__expr_as_call(expr)->arguments[0];
    const pt_expr *b = pt__expr_as_call(expr)->arguments[1];
    dependence x = expr_depends(bl, a);
    dependence y = expr_depends(bl, b);
    *inner = x.outside ? b : a;
    *outer = x.outside ? a : b;
    return x.outside != y.outside && !(x.outside ? x.inside : y.inside) && pt__type_same_kind(a->type, b->type);
}

static pt_status make_keys(pt__bl *bl, const pt__bl_conjuncts *correlated, const pt__bplan **inner, pt__bname *keys,
                           const pt__bx **condition, pt_error *err)
{
    *condition = NULL;
    for (size_t i = 0; i < correlated->count; i++) {
        const pt_expr *inside;
        const pt_expr *outside;
        const pt__bx *key;
        const pt__bx *value;
        const pt__bx *equal;
        if (!take_equality(bl, correlated->items[i], &inside, &outside))
            return refuse_shape(correlated->items[i]->origin, err);
        PT_TRY(pt__bl_expr_over(bl, inside, inner, &key, err));
        keys[i] = (pt__bname){pt__bl_new_name(bl), inside->type};
        *inner = pt__bl_extend(bl, *inner, pt__bl_normal(bl, key, inside, inside->type), keys[i].name, inside->type);
        bl->sees_outer = true;
        PT_TRY(pt__bl_expr_over(bl, outside, NULL, &value, err));
        bl->sees_outer = false;
        PT_TRY(pt__bl_compare(bl, "=", outside, NULL, value, pt__bx_column(bl->arena, keys[i].name), inside->type,
                              &equal, err));
        *condition = pt__bx_and(bl->arena, *condition, equal);
    }
    return PT_OK;
}

/* Where no row matched, counts are 0 and the other aggregates NULL, as over no rows. */
static pt__bplan *fill_counts(pt__bl *bl, const pt__bplan *joined, const pt__bl_grouped *grouped)
{
    size_t count = joined->name_count;
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, count + 1);
    for (size_t i = 0; i < count; i++) {
        items[i] = pt__bx_column(bl->arena, joined->names[i].name);
        for (size_t k = 0; k < grouped->leaves.calls.count; k++) {
            const Datafusion__AggregateUDFExprNode *call = grouped->leaves.calls.items[k]->node.aggregate_udf_expr;
            if (strcmp(grouped->leaves.names.items[k].name, joined->names[i].name) == 0 &&
                strcmp(call->fun_name, "count") == 0)
                items[i] = pt__bx_call2(bl->arena, "coalesce", items[i], pt__bx_int64(bl->arena, 0));
        }
    }
    return pt__bplan_project(bl->arena, joined, items, joined->names, count);
}

static pt_status compute_projects(pt__bl *bl, const grouped_subquery *parts, const pt__bplan **input, pt_error *err)
{
    for (size_t p = parts->projects.count; p-- > 0;) {
        const pt_plan_project *project = parts->projects.items[p];
        for (size_t i = 0; i < project->expression_count; i++) {
            const pt__bx *item;
            const pt_column *column = &project->base.columns[i];
            PT_TRY(pt__bl_expr_over(bl, project->expressions[i], input, &item, err));
            if (item->node.expr_type_case == DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_COLUMN)
                pt__bl_bind(bl, column->id, item->node.column->name);
            else
                *input = pt__bl_extend(bl, *input, item, pt__bl_bind_own(bl, column), column->type);
        }
    }
    return PT_OK;
}

static pt_status join_groups(pt__bl *bl, const grouped_subquery *parts, const pt__bl_conjuncts *correlated,
                             const pt__bplan *inner, pt_error *err)
{
    pt__bname *keys = pt__arena_array(bl->arena, pt__bname, correlated->count + 1);
    const pt__bx *condition;
    pt__bl_grouped grouped;
    PT_TRY(make_keys(bl, correlated, &inner, keys, &condition, err));
    const pt_plan_aggregate *before = bl->aggregate;
    const char *set_before = bl->set_name;
    PT_TRY(pt__bl_group(bl, parts->aggregate, inner, keys, correlated->count, &grouped, err));
    const pt__bplan *joined =
        pt__bplan_join(bl->arena, *bl->input, grouped.plan, DATAFUSION_COMMON__JOIN_TYPE__LEFT, condition);
    grouped.plan = fill_counts(bl, joined, &grouped);
    pt__bl_bind_results(bl, parts->aggregate, &grouped);
    *bl->input = grouped.plan;
    bl->aggregate = before;
    bl->set_name = set_before;
    return PT_OK;
}

static pt_status lower_grouped(pt__bl *bl, const pt_expr_subquery *subquery, const pt__bx **out, pt_error *err)
{
    grouped_subquery parts = {0};
    pt__bl_conjuncts correlated = {0};
    const pt__bplan *inner;
    if (!take_apart(bl, subquery->plan, &parts))
        return refuse_shape(subquery->base.origin, err);
    const pt__bplan *outer = bl->outer;
    bool sees_outer = bl->sees_outer;
    bl->outer = *bl->input;
    PT_TRY(open_up(bl, parts.aggregate->input, false, &correlated, &inner, err));
    PT_TRY(join_groups(bl, &parts, &correlated, inner, err));
    bl->sees_outer = true;
    PT_TRY(compute_projects(bl, &parts, bl->input, err));
    bl->sees_outer = sees_outer;
    bl->outer = outer;
    *out = pt__bx_column(bl->arena, pt__bl_bound(bl, only_column(subquery->plan)->id));
    return PT_OK;
}

pt_status pt__bl_subquery(pt__bl *bl, const pt_expr_subquery *subquery, bool negated, const pt__bx **out, pt_error *err)
{
    if (bl->input == NULL || bl->leaves != NULL || subquery->subquery_kind == PT_SUBQUERY_TABLE)
        return pt__bl_refuse(err, subquery->base.origin, "a subquery in this place");
    if (subquery->subquery_kind != PT_SUBQUERY_SCALAR)
        return lower_mark(bl, subquery, negated, out, err);
    const pt__bplan *outer = bl->outer;
    bl->outer = *bl->input;
    bool depends = plan_depends(bl, subquery->plan);
    bl->outer = outer;
    PT_TRY(depends ? lower_grouped(bl, subquery, out, err) : lower_alone(bl, subquery, out, err));
    if (negated)
        *out = pt__bx_not(bl->arena, *out);
    return PT_OK;
}

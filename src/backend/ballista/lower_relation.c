/* Relations: one function per kind; those with more to say have a file of their own. */
#include "backend/ballista/lowering.h"

#include <string.h>

static const pt_expr *without_alias(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_ALIAS)
        expr = pt__expr_as_alias(expr)->child;
    return expr;
}

pt_status pt__bl_expr_over(pt__bl *bl, const pt_expr *expr, const pt__bplan **input, const pt__bx **out, pt_error *err)
{
    const pt__bplan **before = bl->input;
    bl->input = input;
    pt_status status = pt__bl_expr(bl, expr, out, err);
    bl->input = before;
    return status;
}

const pt__bplan *pt__bl_extend(pt__bl *bl, const pt__bplan *input, const pt__bx *item, const char *name,
                               const pt_type *type)
{
    size_t count = input->name_count;
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, count + 1);
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, count + 1);
    for (size_t i = 0; i < count; i++) {
        names[i] = input->names[i];
        items[i] = pt__bx_column(bl->arena, names[i].name);
    }
    items[count] = item;
    names[count] = (pt__bname){name, type};
    return pt__bplan_project(bl->arena, input, items, names, count + 1);
}

pt_status pt__bl_exact(pt__bl *bl, const pt_plan *plan, const pt__bplan **out, pt_error *err)
{
    PT_TRY(pt__bl_relation(bl, plan, out, err));
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, plan->column_count + 1);
    for (size_t i = 0; i < plan->column_count; i++) {
        names[i] = (pt__bname){pt__bl_bound(bl, plan->columns[i].id), plan->columns[i].type};
        for (size_t k = 0; k < i; k++) {
            if (strcmp(names[k].name, names[i].name) != 0)
                continue;
            /* Twice the same column: one of them gets another name. */
            const char *name = pt__bl_new_name(bl);
            *out = pt__bl_extend(bl, *out, pt__bx_column(bl->arena, names[i].name), name, names[i].type);
            pt__bl_bind(bl, plan->columns[i].id, name);
            names[i].name = name;
            break;
        }
    }
    *out = pt__bplan_pick(bl->arena, *out, names, plan->column_count);
    return PT_OK;
}

/* ---- project ---- */

/* Expressions that hand on a column only bind its new id; the others make a projection, besides what was there. */
static pt_status lower_project(pt__bl *bl, const pt_plan_project *project, const pt__bplan **out, pt_error *err)
{
    const pt__bplan *input = NULL;
    if (project->input != NULL)
        PT_TRY(pt__bl_relation(bl, project->input, &input, err));
    else
        input = pt__bplan_one_row(bl->arena);
    size_t count = project->expression_count;
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, count + 1);
    bool is_plain = true;
    for (size_t i = 0; i < count; i++) {
        const pt_expr *expr = without_alias(project->expressions[i]);
        PT_TRY(pt__bl_expr_over(bl, expr, &input, &items[i], err));
        is_plain = is_plain && expr->kind == PT_EXPR_COLUMN;
    }
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt_column *column = &project->base.columns[i];
        if (is_plain && items[i]->node.expr_type_case == DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_COLUMN) {
            pt__bl_bind(bl, column->id, items[i]->node.column->name);
            continue;
        }
        names[i] = (pt__bname){pt__bl_bind_own(bl, column), column->type};
    }
    *out = is_plain && count > 0 ? input : pt__bplan_project(bl->arena, input, items, names, count);
    return PT_OK;
}

/* ---- sort, limit ---- */

static pt_status lower_sort(pt__bl *bl, const pt_plan_sort *sort, const pt__bplan **out, pt_error *err)
{
    const pt__bplan *input;
    PT_TRY(pt__bl_relation(bl, sort->input, &input, err));
    const pt__bplan **before = bl->input;
    bl->input = &input;
    pt__bplan *made = pt__bplan_new(bl->arena);
    Datafusion__SortNode *node = pt__arena_make(bl->arena, Datafusion__SortNode);
    datafusion__sort_node__init(node);
    uint32_t depth = 0;
    pt_status status = pt__bl_orders(bl, sort->orders, sort->order_count, &node->expr, &depth, &made->weight, err);
    bl->input = before;
    PT_TRY(status);
    node->n_expr = sort->order_count;
    node->fetch = -1; /* absent would be a limit of 0 */
    node->input = pt__bplan_node(input);
    made->node.logical_plan_type_case = DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_SORT;
    made->node.sort = node;
    made->names = input->names;
    made->name_count = input->name_count;
    made->depth = depth + 3;
    pt__bplan_holds(made, input, 2);
    *out = made;
    return PT_OK;
}

static pt_status constant_count(const pt_expr *expr, int64_t absent, int64_t *out, pt_error *err)
{
    *out = absent;
    if (expr == NULL)
        return PT_OK;
    const pt_expr_literal *literal = pt__bl_literal(expr);
    if (literal == NULL || literal->value.is_null || !pt__type_is_integral(literal->base.type))
        return pt__bl_refuse(err, expr->origin, "LIMIT or OFFSET of what is no literal");
    *out = literal->value.as.integer;
    return PT_OK;
}

static pt_status lower_limit(pt__bl *bl, const pt_plan_limit *limit, const pt__bplan **out, pt_error *err)
{
    int64_t fetch;
    int64_t skip;
    PT_TRY(constant_count(limit->limit, -1, &fetch, err));
    PT_TRY(constant_count(limit->offset, 0, &skip, err));
    const pt__bplan *input;
    PT_TRY(pt__bl_relation(bl, limit->input, &input, err));
    *out = pt__bplan_limit(bl->arena, input, skip, fetch);
    return PT_OK;
}

/* ---- common table expressions: lowered where they are referred to ---- */

static pt_status lower_with(pt__bl *bl, const pt_plan_with *with, const pt__bplan **out, pt_error *err)
{
    if (with->is_recursive)
        return pt__bl_refuse(err, with->base.origin, "WITH RECURSIVE");
    for (size_t i = 0; i < with->cte_count; i++) {
        if (pt__bl_is_volatile(with->ctes[i].plan))
            return pt__bl_refuse(err, with->base.origin, "a common table expression with random values");
        pt__bl_cte cte = {with->ctes[i].id, with->ctes[i].plan};
        pt__list_push(bl->arena, &bl->ctes, cte);
    }
    return pt__bl_relation(bl, with->input, out, err);
}

static pt_status lower_reference(pt__bl *bl, const pt_plan_reference *reference, const pt__bplan **out, pt_error *err)
{
    const pt_plan *plan = NULL;
    for (size_t i = bl->ctes.count; i-- > 0 && plan == NULL;) {
        if (bl->ctes.items[i].id == reference->cte_id)
            plan = bl->ctes.items[i].plan;
    }
    if (plan == NULL)
        return pt_error_set(err, PT_INTERNAL, "the plan refers to a WITH clause %u that is not there",
                            reference->cte_id);
    const pt__bplan *input;
    PT_TRY(pt__bl_relation(bl, plan, &input, err));
    size_t count = reference->base.column_count;
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, count + 1);
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, count + 1);
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = pt__bl_bound(bl, plan->columns[i].id);
        if (name == NULL) /* of a type that there is not */
            continue;
        items[made] = pt__bx_column(bl->arena, name);
        names[made].name = pt__bl_bind_own(bl, &reference->base.columns[i]);
        names[made++].type = reference->base.columns[i].type;
    }
    *out = made == 0 ? input : pt__bplan_project(bl->arena, input, items, names, made);
    return PT_OK;
}

/* ---- dispatch ---- */

static pt_status refuse(const pt_plan *plan, pt_error *err)
{
    return pt__bl_refuse(err, plan->origin, pt__plan_kind_name(plan->kind));
}

static pt_status lower_kind(pt__bl *bl, const pt_plan *plan, const pt__bplan **out, pt_error *err)
{
    switch (plan->kind) {
    case PT_PLAN_SCAN_FILES: return pt__bl_scan_files(bl, pt__plan_as_scan_files(plan), out, err);
    case PT_PLAN_LOCAL: return pt__bl_local(bl, pt__plan_as_local(plan), out, err);
    case PT_PLAN_VALUES: return pt__bl_values(bl, pt__plan_as_values(plan), out, err);
    case PT_PLAN_RANGE: return pt__bl_range(bl, pt__plan_as_range(plan), out, err);
    case PT_PLAN_PROJECT: return lower_project(bl, pt__plan_as_project(plan), out, err);
    case PT_PLAN_FILTER: return pt__bl_filter_plan(bl, pt__plan_as_filter(plan), out, err);
    case PT_PLAN_AGGREGATE: return pt__bl_aggregate_plan(bl, pt__plan_as_aggregate(plan), out, err);
    case PT_PLAN_JOIN: return pt__bl_join_plan(bl, pt__plan_as_join(plan), out, err);
    case PT_PLAN_SORT: return lower_sort(bl, pt__plan_as_sort(plan), out, err);
    case PT_PLAN_LIMIT: return lower_limit(bl, pt__plan_as_limit(plan), out, err);
    case PT_PLAN_SET_OPERATION: return pt__bl_set_plan(bl, pt__plan_as_set_operation(plan), out, err);
    case PT_PLAN_WITH: return lower_with(bl, pt__plan_as_with(plan), out, err);
    case PT_PLAN_REFERENCE: return lower_reference(bl, pt__plan_as_reference(plan), out, err);
    case PT_PLAN_COLLECT_METRICS: return pt__bl_relation(bl, pt__plan_as_collect_metrics(plan)->input, out, err);
    case PT_PLAN_CACHED: return pt__bl_cached(bl, pt__plan_as_cached(plan), out, err);
    case PT_PLAN_SCAN_TABLE:
        return pt__bl_stage(bl, plan, "reading a table that is kept in Portico's own catalog", out, err);
    case PT_PLAN_STREAM:
    case PT_PLAN_TAIL:
    case PT_PLAN_GENERATE:
    case PT_PLAN_SAMPLE:
    case PT_PLAN_MAP_PYTHON:
    case PT_PLAN_SUBQUERY_ALIAS:
    case PT_PLAN_WITH_COLUMNS:
    case PT_PLAN_RENAME_COLUMNS:
    case PT_PLAN_DROP_COLUMNS:
    case PT_PLAN_TO_DF:
    case PT_PLAN_TO_SCHEMA:
    case PT_PLAN_DEDUPLICATE:
    case PT_PLAN_FILL_NA:
    case PT_PLAN_DROP_NA:
    case PT_PLAN_REPLACE_VALUES:
    case PT_PLAN_UNPIVOT:
    case PT_PLAN_PIVOT:
    case PT_PLAN_TRANSPOSE:
    case PT_PLAN_STATISTICS:
    case PT_PLAN_HINT:
    case PT_PLAN_TABLE_FUNCTION:
    case PT_PLAN_PARSE:
    case PT_PLAN_SHOW:
    case PT_PLAN_AS_OF_JOIN:
    case PT_PLAN_WITH_REFERENCES:
    case PT_PLAN_CATALOG:
    case PT_PLAN_CREATE_VIEW:
    case PT_PLAN_CREATE_TABLE:
    case PT_PLAN_DROP:
    case PT_PLAN_INSERT:
    case PT_PLAN_WRITE_FILES:
    case PT_PLAN_CREATE_DATABASE:
    case PT_PLAN_ALTER_TABLE:
    case PT_PLAN_DELETE:
    case PT_PLAN_UPDATE:
    case PT_PLAN_MERGE:
    case PT_PLAN_USE:
    case PT_PLAN_SET:
    case PT_PLAN_SHOW_OBJECTS:
    case PT_PLAN_DESCRIBE:
    case PT_PLAN_EXPLAIN:
    case PT_PLAN_CACHE_TABLE:
    case PT_PLAN_CREATE_FUNCTION:
    case PT_PLAN_COUNT: return refuse(plan, err);
    }
    return refuse(plan, err);
}

pt_status pt__bl_relation(pt__bl *bl, const pt_plan *plan, const pt__bplan **out, pt_error *err)
{
    PT_TRY(pt__bl_enter(bl, err));
    pt_status status = lower_kind(bl, plan, out, err);
    bl->depth--;
    return status;
}

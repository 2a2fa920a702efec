/* From the root down: a node's parents, which say what they need of it, are seen before it. */
#include "wrap/needed_columns.h"

#include "plan/walk.h"
#include "wrap/tree.h"

typedef struct scope {
    const struct scope *outer;
    const pt_plan_with *with;
} scope;

typedef struct marker {
    pt__column_set set;
    const scope *ctes;
} marker;

static void mark_below(marker *m, const pt_plan *plan);
static bool mark_expr(void *context, const pt_expr *expr);

static void mark(marker *m, uint32_t id)
{
    if (id < m->set.count)
        m->set.bits[id / 8] |= (uint8_t)(1U << id % 8);
}

static void mark_all(marker *m, const pt_plan *plan)
{
    for (size_t i = 0; i < plan->column_count; i++)
        mark(m, plan->columns[i].id);
}

static void mark_visible(marker *m, const pt_plan *plan)
{
    for (size_t i = 0; i < plan->column_count; i++)
        if (!plan->columns[i].is_hidden)
            mark(m, plan->columns[i].id);
}

static bool has(const marker *m, uint32_t id)
{
    return pt__column_set_has(&m->set, id);
}

static void mark_list(marker *m, const pt_expr *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mark_expr(m, list[i]);
}

static bool mark_expr(void *context, const pt_expr *expr)
{
    marker *m = context;
    if (expr == NULL)
        return true;
    if (expr->kind == PT_EXPR_COLUMN)
        mark(m, pt__expr_as_column(expr)->id);
    if (expr->kind == PT_EXPR_SUBQUERY) {
        const pt_expr_subquery *subquery = pt__expr_as_subquery(expr);
        if (subquery->subquery_kind != PT_SUBQUERY_EXISTS)
            mark_visible(m, subquery->plan);
        mark_below(m, subquery->plan);
    }
    return pt__expr_each_child(expr, mark_expr, m);
}

static bool mark_child(void *context, const pt_plan *child)
{
    marker *m = context;
    mark_all(m, child);
    mark_below(m, child);
    return true;
}

static bool pass_child(void *context, const pt_plan *child)
{
    mark_below(context, child);
    return true;
}

/* ---- kinds ---- */

static void mark_project(marker *m, const pt_plan_project *node)
{
    for (size_t i = 0; i < node->expression_count; i++)
        if (has(m, node->base.columns[i].id))
            mark_expr(m, node->expressions[i]);
    if (node->input != NULL)
        mark_below(m, node->input);
}

static void mark_aggregate(marker *m, const pt_plan_aggregate *node)
{
    mark_list(m, node->grouping, node->grouping_count);
    for (size_t i = 0; i < node->aggregate_count; i++) {
        size_t column = node->grouping_count + i;
        if (column >= node->base.column_count || has(m, node->base.columns[column].id))
            mark_expr(m, node->aggregates[i]);
    }
    mark_below(m, node->input);
}

/* The right side of a lateral join refers to the left one, and is seen first. */
static void mark_join(marker *m, const pt_plan_join *node)
{
    mark_expr(m, node->condition);
    mark_below(m, node->right);
    mark_below(m, node->left);
}

static void mark_side(marker *m, const pt_plan_set_operation *node, const pt_plan *side)
{
    bool by_position = node->set_kind == PT_SET_UNION && node->is_all && side->column_count == node->base.column_count;
    for (size_t i = 0; i < side->column_count; i++)
        if (!by_position || has(m, node->base.columns[i].id))
            mark(m, side->columns[i].id);
    mark_below(m, side);
}

static void mark_set_operation(marker *m, const pt_plan_set_operation *node)
{
    mark_side(m, node, node->left);
    mark_side(m, node, node->right);
}

/* Later ones may refer to earlier ones. */
static void mark_with(marker *m, const pt_plan_with *node)
{
    const scope here = {m->ctes, node};
    m->ctes = &here;
    mark_below(m, node->input);
    for (size_t i = node->cte_count; i > 0; i--) {
        if (node->is_recursive)
            mark_all(m, node->ctes[i - 1].plan);
        mark_below(m, node->ctes[i - 1].plan);
    }
    m->ctes = here.outer;
}

static const pt_plan *find_cte(const marker *m, uint32_t id)
{
    for (const scope *s = m->ctes; s != NULL; s = s->outer)
        for (size_t i = 0; i < s->with->cte_count; i++)
            if (s->with->ctes[i].id == id)
                return s->with->ctes[i].plan;
    return NULL;
}

/* A reference has the visible columns of its expression. */
static void mark_reference(marker *m, const pt_plan_reference *node)
{
    const pt_plan *cte = find_cte(m, node->cte_id);
    size_t position = 0;
    for (size_t i = 0; cte != NULL && i < cte->column_count; i++) {
        if (cte->columns[i].is_hidden)
            continue;
        if (position >= node->base.column_count || has(m, node->base.columns[position].id))
            mark(m, cte->columns[i].id);
        position++;
    }
}

/* What these look at is in their expressions; the rest passes through. */
static void mark_passing(marker *m, const pt_plan *plan)
{
    pt__plan_each_expr(plan, mark_expr, m);
    pt__plan_each_child(plan, pass_child, m);
}

static void mark_below(marker *m, const pt_plan *plan)
{
    switch ((int)plan->kind) {
    case PT_PLAN_PROJECT: mark_project(m, pt__plan_as_project(plan)); break;
    case PT_PLAN_AGGREGATE: mark_aggregate(m, pt__plan_as_aggregate(plan)); break;
    case PT_PLAN_JOIN: mark_join(m, pt__plan_as_join(plan)); break;
    case PT_PLAN_SET_OPERATION: mark_set_operation(m, pt__plan_as_set_operation(plan)); break;
    case PT_PLAN_WITH: mark_with(m, pt__plan_as_with(plan)); break;
    case PT_PLAN_REFERENCE: mark_reference(m, pt__plan_as_reference(plan)); break;
    case PT_PLAN_FILTER:
    case PT_PLAN_SORT:
    case PT_PLAN_LIMIT:
    case PT_PLAN_TAIL:
    case PT_PLAN_SAMPLE:
    case PT_PLAN_GENERATE:
    case PT_PLAN_COLLECT_METRICS:
    case PT_PLAN_DELETE:
    case PT_PLAN_UPDATE: mark_passing(m, plan); break;
    default: pt__plan_each_expr(plan, mark_expr, m); pt__plan_each_child(plan, mark_child, m);
    }
}

/* ---- ids ---- */

static void raise_id(uint32_t *next, uint32_t id)
{
    if (id >= *next)
        *next = id + 1;
}

static bool count_plan(void *context, const pt_plan *plan, uint32_t depth)
{
    (void)depth;
    for (size_t i = 0; i < plan->column_count; i++)
        raise_id(context, plan->columns[i].id);
    if (plan->kind == PT_PLAN_WITH)
        for (size_t i = 0; i < pt__plan_as_with(plan)->cte_count; i++)
            raise_id(context, pt__plan_as_with(plan)->ctes[i].id);
    return true;
}

static bool count_expr(void *context, const pt_expr *expr, uint32_t depth)
{
    (void)depth;
    if (expr->kind == PT_EXPR_COLUMN)
        raise_id(context, pt__expr_as_column(expr)->id);
    if (expr->kind == PT_EXPR_LAMBDA)
        for (size_t i = 0; i < pt__expr_as_lambda(expr)->parameter_count; i++)
            raise_id(context, pt__expr_as_lambda(expr)->parameters[i]->id);
    return true;
}

uint32_t pt__next_free_id(const pt_plan *plan)
{
    uint32_t next = 1;
    pt__tree_walk(plan, &(pt__tree_visitor){count_plan, count_expr, &next});
    return next;
}

pt__column_set pt__needed_columns(pt__arena *arena, const pt_plan *plan)
{
    marker m = {.set = {.count = pt__next_free_id(plan)}};
    m.set.bits = pt__arena_array(arena, uint8_t, m.set.count / 8 + 1);
    if (!pt__plan_is_command(plan))
        mark_visible(&m, plan);
    mark_below(&m, plan);
    return m.set;
}

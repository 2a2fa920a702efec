/* A tree of inner joins is one cluster: its leaves have to be connected by conjuncts, in whichever order. */
#include "wrap/cross_join.h"

#include "plan/walk.h"
#include "wrap/tree.h"

#include <string.h>

enum { LEAVES_MAX = 256, CONDITIONS_MAX = 64 };

typedef struct cluster {
    const pt_plan *leaves[LEAVES_MAX];
    uint16_t group[LEAVES_MAX];
    size_t leaf_count;
    const pt_expr *conditions[CONDITIONS_MAX];
    size_t condition_count;
    bool is_full; /* too large to be judged */
} cluster;

static bool is_inner(const pt_plan *plan)
{
    if (plan->kind != PT_PLAN_JOIN)
        return false;
    const pt_plan_join *join = pt__plan_as_join(plan);
    return !join->is_lateral && (join->join_kind == PT_JOIN_INNER || join->join_kind == PT_JOIN_CROSS);
}

static void add_condition(cluster *c, const pt_expr *condition)
{
    if (condition == NULL)
        return;
    if (c->condition_count == CONDITIONS_MAX)
        c->is_full = true;
    else
        c->conditions[c->condition_count++] = condition;
}

/* Filters between joins belong to the cluster. */
static void add_leaves(cluster *c, const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_FILTER) {
        add_condition(c, pt__plan_as_filter(plan)->condition);
        add_leaves(c, pt__plan_as_filter(plan)->input);
    } else if (is_inner(plan)) {
        add_condition(c, pt__plan_as_join(plan)->condition);
        add_leaves(c, pt__plan_as_join(plan)->left);
        add_leaves(c, pt__plan_as_join(plan)->right);
    } else if (c->leaf_count == LEAVES_MAX) {
        c->is_full = true;
    } else {
        c->group[c->leaf_count] = (uint16_t)c->leaf_count;
        c->leaves[c->leaf_count++] = plan;
    }
}

static size_t leaf_of(const cluster *c, uint32_t column)
{
    for (size_t i = 0; i < c->leaf_count; i++)
        for (size_t j = 0; j < c->leaves[i]->column_count; j++)
            if (c->leaves[i]->columns[j].id == column)
                return i;
    return c->leaf_count;
}

static void unite(cluster *c, size_t a, size_t b)
{
    uint16_t from = c->group[b];
    uint16_t to = c->group[a];
    for (size_t i = 0; i < c->leaf_count; i++)
        if (c->group[i] == from)
            c->group[i] = to;
}

typedef struct connection {
    cluster *c;
    size_t first; /* leaf_count: none yet */
} connection;

static bool connect_column(void *context, const pt_expr *expr, uint32_t depth)
{
    connection *link = context;
    (void)depth;
    if (expr->kind != PT_EXPR_COLUMN)
        return true;
    size_t leaf = leaf_of(link->c, pt__expr_as_column(expr)->id);
    if (leaf == link->c->leaf_count)
        return true;
    if (link->first == link->c->leaf_count)
        link->first = leaf;
    else
        unite(link->c, link->first, leaf);
    return true;
}

static bool is_and(const pt_expr *expr)
{
    if (expr->kind != PT_EXPR_CALL)
        return false;
    const pt_expr_call *call = pt__expr_as_call(expr);
    return call->argument_count == 2 && call->name.count == 1 && strcmp(call->name.parts[0], "and") == 0;
}

/* Leaves that one conjunct refers to are connected by it. */
static void connect(cluster *c, const pt_expr *condition)
{
    if (is_and(condition)) {
        connect(c, pt__expr_as_call(condition)->arguments[0]);
        connect(c, pt__expr_as_call(condition)->arguments[1]);
        return;
    }
    connection link = {c, c->leaf_count};
    pt__tree_walk_expr(condition, &(pt__tree_visitor){NULL, connect_column, &link});
}

static bool gives_one_row(const pt_plan *plan)
{
    switch ((int)plan->kind) {
    case PT_PLAN_AGGREGATE:
        return pt__plan_as_aggregate(plan)->group_kind == PT_GROUP_BY &&
               pt__plan_as_aggregate(plan)->grouping_count == 0;
    case PT_PLAN_PROJECT:
        return pt__plan_as_project(plan)->input == NULL || gives_one_row(pt__plan_as_project(plan)->input);
    case PT_PLAN_VALUES: return pt__plan_as_values(plan)->row_count <= 1;
    default: return false;
    }
}

static bool is_connected(cluster *c)
{
    for (size_t i = 0; i < c->condition_count; i++)
        connect(c, c->conditions[i]);
    size_t first = c->leaf_count;
    for (size_t i = 0; i < c->leaf_count; i++) {
        if (gives_one_row(c->leaves[i]))
            continue;
        if (first == c->leaf_count)
            first = i;
        else if (c->group[i] != c->group[first])
            return false;
    }
    return true;
}

static bool is_outer(const pt_plan_join *join)
{
    return join->join_kind == PT_JOIN_LEFT || join->join_kind == PT_JOIN_RIGHT || join->join_kind == PT_JOIN_FULL;
}

static const pt_plan *judge_outer(const pt_plan_join *join)
{
    if (!is_outer(join) || join->is_lateral || gives_one_row(join->left) || gives_one_row(join->right))
        return NULL;
    bool has_condition = join->condition != NULL && !pt__expr_is_constant(join->condition);
    return has_condition ? NULL : &join->base;
}

typedef struct finder {
    const pt_plan *found;
} finder;

static bool find_in(void *context, const pt_plan *plan);
static bool find_below_expr(void *context, const pt_expr *expr);

/* All of the cluster is judged at its top, then what lies below it. */
static bool judge_cluster(finder *f, const pt_plan *top)
{
    cluster c = {.leaf_count = 0};
    add_leaves(&c, top);
    if (c.leaf_count > 1 && !c.is_full && !is_connected(&c)) {
        f->found = top;
        return false;
    }
    for (size_t i = 0; i < c.condition_count; i++)
        if (!find_below_expr(f, c.conditions[i]))
            return false;
    for (size_t i = 0; i < c.leaf_count; i++)
        if (!find_in(f, c.leaves[i]))
            return false;
    return true;
}

static bool find_below_expr(void *context, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_SUBQUERY && !find_in(context, pt__expr_as_subquery(expr)->plan))
        return false;
    return pt__expr_each_child(expr, find_below_expr, context);
}

static bool find_in(void *context, const pt_plan *plan)
{
    finder *f = context;
    if (plan->kind == PT_PLAN_FILTER || is_inner(plan))
        return judge_cluster(f, plan);
    if (plan->kind == PT_PLAN_JOIN)
        f->found = judge_outer(pt__plan_as_join(plan));
    return f->found == NULL && pt__plan_each_expr(plan, find_below_expr, f) && pt__plan_each_child(plan, find_in, f);
}

const pt_plan *pt__find_cross_join(const pt_plan *plan)
{
    finder f = {NULL};
    find_in(&f, plan);
    return f.found;
}

/* Aggregation: groups, grouping sets. */
#include "decode/datafusion/internal.h"

#include <string.h>

#define EXPR(name) DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_##name

/** CUBE of more columns has too many sets. */
enum { CUBE_MAX = 10 };

typedef Datafusion__LogicalExprNode node;
typedef pt__df_relation relation;

typedef struct grouping {
    pt__df *d;
    relation in;
    pt__list(const pt_expr *) exprs; /* each once */
    pt__list(pt__df_column) columns;
    pt__list(pt_grouping_set) sets;
    bool has_sets;
} grouping;

/* The position of a grouping expression; it is added when it is new. */
static pt_status position_of(grouping *g, const node *expr, uint32_t *out)
{
    pt__df_value value;
    pt__df_column column = {0};
    PT_TRY(pt__df_expr(g->d, &g->in, expr, &value));
    for (size_t i = 0; g->has_sets && i < g->exprs.count; i++) {
        *out = (uint32_t)i;
        if (pt__expr_equal(g->exprs.items[i], value.expr))
            return PT_OK;
    }
    column.type = value.type;
    column.name = pt__df_expr_name(g->d, expr, &column.qualifier);
    if (expr->expr_type_case == EXPR(COLUMN)) {
        const pt__df_column *passed;
        PT_TRY(pt__df_find_column(g->d, &g->in, expr->column, &passed));
        column.qualifier = passed->qualifier;
    }
    *out = (uint32_t)g->exprs.count;
    pt__list_push(g->d->arena, &g->exprs, value.expr);
    pt__list_push(g->d->arena, &g->columns, column);
    return PT_OK;
}

static pt_status positions_of(grouping *g, node *const *exprs, size_t count, uint32_t **out)
{
    *out = pt__arena_array(g->d->arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        PT_TRY(position_of(g, exprs[i], &(*out)[i]));
    return PT_OK;
}

static bool same_members(const pt_grouping_set *a, const pt_grouping_set *b)
{
    uint64_t masks[2] = {0, 0};
    for (size_t i = 0; i < a->count; i++)
        masks[0] |= UINT64_C(1) << a->members[i];
    for (size_t i = 0; i < b->count; i++)
        masks[1] |= UINT64_C(1) << b->members[i];
    return masks[0] == masks[1];
}

static pt_status add_set(grouping *g, const uint32_t *members, size_t count)
{
    pt_grouping_set set = {members, count};
    if (g->exprs.count > 63)
        return pt__df_refuse(g->d, "grouping sets of more than 63 columns");
    for (size_t i = 0; i < g->sets.count; i++)
        if (same_members(&g->sets.items[i], &set))
            return pt__df_refuse(g->d, "a grouping set that is there twice");
    pt__list_push(g->d->arena, &g->sets, set);
    return PT_OK;
}

static pt_status add_sets(grouping *g, const Datafusion__GroupingSetNode *m)
{
    for (size_t i = 0; i < m->n_expr; i++) {
        uint32_t *members;
        PT_TRY(positions_of(g, m->expr[i]->expr, m->expr[i]->n_expr, &members));
        PT_TRY(add_set(g, members, m->expr[i]->n_expr));
    }
    return PT_OK;
}

static pt_status add_rollup(grouping *g, const Datafusion__RollupNode *m)
{
    uint32_t *members;
    PT_TRY(positions_of(g, m->expr, m->n_expr, &members));
    for (size_t count = m->n_expr + 1; count-- != 0;)
        PT_TRY(add_set(g, members, count));
    return PT_OK;
}

static pt_status add_cube(grouping *g, const Datafusion__CubeNode *m)
{
    uint32_t *members;
    if (m->n_expr > CUBE_MAX)
        return pt__df_refuse(g->d, "CUBE of more than %d columns", CUBE_MAX);
    PT_TRY(positions_of(g, m->expr, m->n_expr, &members));
    for (uint32_t left_out = 0; left_out < UINT32_C(1) << m->n_expr; left_out++) {
        uint32_t *kept = pt__arena_array(g->d->arena, uint32_t, m->n_expr);
        size_t count = 0;
        for (size_t i = 0; i < m->n_expr; i++)
            if ((left_out >> i & 1) == 0)
                kept[count++] = members[i];
        PT_TRY(add_set(g, kept, count));
    }
    return PT_OK;
}

static bool is_set(const node *expr)
{
    return expr->expr_type_case == EXPR(GROUPING_SET) || expr->expr_type_case == EXPR(CUBE) ||
           expr->expr_type_case == EXPR(ROLLUP);
}

static pt_status read_groups(grouping *g, const Datafusion__AggregateNode *m)
{
    uint32_t *ignored;
    for (size_t i = 0; i < m->n_group_expr; i++)
        if (is_set(m->group_expr[i]) && m->n_group_expr != 1)
            return pt__df_refuse(g->d, "grouping sets beside other grouping expressions");
    if (m->n_group_expr != 1 || !is_set(m->group_expr[0]))
        return positions_of(g, m->group_expr, m->n_group_expr, &ignored);
    g->has_sets = true;
    switch ((int)m->group_expr[0]->expr_type_case) {
    case EXPR(GROUPING_SET): return add_sets(g, m->group_expr[0]->grouping_set);
    case EXPR(CUBE): return add_cube(g, m->group_expr[0]->cube);
    default: return add_rollup(g, m->group_expr[0]->rollup);
    }
}

/* Groups are columns: what is not one is projected beside the input's columns. */
static pt_status project_groups(grouping *g)
{
    pt__df *d = g->d;
    size_t count = g->in.count;
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, count + g->exprs.count);
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, count + g->exprs.count);
    relation projected;
    for (size_t i = 0; i < g->in.count; i++) {
        columns[i] = g->in.columns[i];
        items[i] = pt__df_attribute(d, columns[i].id);
    }
    for (size_t i = 0; i < g->exprs.count; i++) {
        if (g->exprs.items[i]->kind == PT_EXPR_ATTRIBUTE)
            continue;
        columns[count] = g->columns.items[i];
        items[count++] = g->exprs.items[i];
    }
    if (count == g->in.count)
        return PT_OK;
    PT_TRY(pt__df_project(d, g->in.plan, columns, items, count, &projected));
    size_t next = g->in.count;
    for (size_t i = 0; i < g->exprs.count; i++)
        if (g->exprs.items[i]->kind != PT_EXPR_ATTRIBUTE)
            g->exprs.items[i] = pt__df_attribute(d, projected.columns[next++].id);
    g->in.plan = projected.plan;
    return PT_OK;
}

/* Spec: DataFusion's Aggregate::grouping_id_type. */
static const pt__df_type *grouping_id_type(size_t count)
{
    return count <= 8 ? PT_DF(UINT8) : count <= 16 ? PT_DF(UINT16) : count <= 32 ? PT_DF(UINT32) : PT_DF(UINT64);
}

typedef struct output {
    pt__list(const pt_expr *) items;
    pt__list(pt__df_column) columns;
} output;

static void put_out(pt__df *d, output *o, const pt_expr *expr, pt__df_column column)
{
    column.id = pt__df_new_id(d);
    pt__list_push(d->arena, &o->items, pt__expr_alias(d->arena, expr, column.id));
    pt__list_push(d->arena, &o->columns, column);
}

static pt_status read_outputs(grouping *g, const Datafusion__AggregateNode *m, output *o)
{
    pt__df *d = g->d;
    for (size_t i = 0; i < g->exprs.count; i++)
        put_out(d, o, g->exprs.items[i], g->columns.items[i]);
    if (g->has_sets) {
        const pt__df_type *type = grouping_id_type(g->exprs.count);
        const pt_expr *id = pt__expr_call(d->arena, NULL, "grouping_id", 0);
        put_out(d, o, pt__df_cast_expr(d, id, pt__df_plan_type(d->arena, type)),
                (pt__df_column){NULL, "__grouping_id", NULL, type});
    }
    for (size_t i = 0; i < m->n_aggr_expr; i++) {
        pt__df_value value;
        pt__df_column column = {0};
        PT_TRY(pt__df_expr(d, &g->in, m->aggr_expr[i], &value));
        column.type = value.type;
        column.name = pt__df_expr_name(d, m->aggr_expr[i], &column.qualifier);
        put_out(d, o, value.expr, column);
    }
    return PT_OK;
}

pt_status pt__df_grouping(pt__df *d, const Datafusion__AggregateNode *m, relation *out)
{
    grouping g = {.d = d};
    output o = {0};
    if (m->input == NULL)
        return pt__df_bad(d, "AggregateNode.input is missing");
    if (m->n_group_expr == 0 && m->n_aggr_expr == 0)
        return pt__df_bad(d, "AggregateNode has neither groups nor aggregates");
    PT_TRY(pt__df_relation_of(d, m->input, &g.in));
    PT_TRY(read_groups(&g, m));
    PT_TRY(project_groups(&g));
    PT_TRY(read_outputs(&g, m, &o));
    pt_plan_aggregate *made = pt__plan_make(d->arena, AGGREGATE, aggregate, NULL);
    made->input = g.in.plan;
    made->group_kind = g.has_sets ? PT_GROUP_SETS : PT_GROUP_BY;
    made->grouping = g.exprs.items;
    made->grouping_count = g.exprs.count;
    made->aggregates = o.items.items;
    made->aggregate_count = o.items.count;
    made->sets = g.sets.items;
    made->set_count = g.sets.count;
    *out = (relation){&made->base, o.columns.items, o.columns.count};
    return PT_OK;
}

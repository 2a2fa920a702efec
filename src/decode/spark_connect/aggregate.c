#include "decode/spark_connect/internal.h"

#define GROUP(name) SPARK__CONNECT__AGGREGATE__GROUP_TYPE__GROUP_TYPE_##name

typedef pt__list(const pt_expr *) expr_list;

static pt_status decode_group_kind(pt__decoder *d, Spark__Connect__Aggregate__GroupType type, pt_group_kind *out)
{
    switch ((int)type) {
    case GROUP(GROUPBY): *out = PT_GROUP_BY; return PT_OK;
    case GROUP(ROLLUP): *out = PT_GROUP_ROLLUP; return PT_OK;
    case GROUP(CUBE): *out = PT_GROUP_CUBE; return PT_OK;
    case GROUP(PIVOT): *out = PT_GROUP_PIVOT; return PT_OK;
    case GROUP(GROUPING_SETS): *out = PT_GROUP_SETS; return PT_OK;
    default: return pt__decode_bad_enum(d, &spark__connect__aggregate__group_type__descriptor, (int)type);
    }
}

static pt_status decode_pivot(pt__decoder *d, const Spark__Connect__Aggregate__Pivot *pivot, pt_plan_aggregate *node)
{
    if (pivot == NULL)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_PIVOT, NULL);
    PT_TRY(pt__decode_expression(d, pivot->col, &node->pivot_column));
    node->pivot_value_count = pivot->n_values;
    return pt__decode_literals(d, pivot->values, pivot->n_values, &node->pivot_values);
}

/* Where `expr` stands in the grouping; it is added when a set alone names it. */
static uint32_t position_of(pt__decoder *d, expr_list *grouping, const pt_expr *expr)
{
    for (size_t i = 0; i < grouping->count; i++) {
        if (pt__expr_equal(grouping->items[i], expr))
            return (uint32_t)i;
    }
    pt__list_push(d->arena, grouping, expr);
    return (uint32_t)(grouping->count - 1);
}

static pt_status decode_set(pt__decoder *d, const Spark__Connect__Aggregate__GroupingSets *message, expr_list *grouping,
                            pt_grouping_set *out)
{
    uint32_t *members = pt__arena_array(d->arena, uint32_t, message->n_grouping_set);
    for (size_t i = 0; i < message->n_grouping_set; i++) {
        const pt_expr *expr;
        PT_TRY(pt__decode_expression(d, message->grouping_set[i], &expr));
        members[i] = position_of(d, grouping, expr);
    }
    *out = (pt_grouping_set){members, message->n_grouping_set};
    return PT_OK;
}

static pt_status decode_sets(pt__decoder *d, const Spark__Connect__Aggregate *m, pt_plan_aggregate *node)
{
    expr_list grouping = {0};
    for (size_t i = 0; i < node->grouping_count; i++)
        pt__list_push(d->arena, &grouping, node->grouping[i]);
    pt_grouping_set *sets = pt__arena_array(d->arena, pt_grouping_set, m->n_grouping_sets);
    for (size_t i = 0; i < m->n_grouping_sets; i++)
        PT_TRY(decode_set(d, m->grouping_sets[i], &grouping, &sets[i]));
    node->sets = sets;
    node->set_count = m->n_grouping_sets;
    node->grouping = grouping.items;
    node->grouping_count = grouping.count;
    return PT_OK;
}

pt_status pt__decode_aggregate(pt__decoder *d, const Spark__Connect__Aggregate *m, pt_plan **out)
{
    pt_plan_aggregate *node = pt__plan_make(d->arena, AGGREGATE, aggregate, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->input, &node->input));
    PT_TRY(decode_group_kind(d, m->group_type, &node->group_kind));
    PT_TRY(pt__decode_expressions(d, m->grouping_expressions, m->n_grouping_expressions, &node->grouping));
    node->grouping_count = m->n_grouping_expressions;
    PT_TRY(pt__decode_expressions(d, m->aggregate_expressions, m->n_aggregate_expressions, &node->aggregates));
    node->aggregate_count = m->n_aggregate_expressions;
    node->prepend_grouping = true;
    if (node->group_kind == PT_GROUP_PIVOT)
        return decode_pivot(d, m->pivot, node);
    return node->group_kind == PT_GROUP_SETS ? decode_sets(d, m, node) : PT_OK;
}

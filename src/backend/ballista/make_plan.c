/* DataFusion's relations. */
#include "backend/ballista/make.h"

#include "base/unconst.h"

#include <string.h>

#define MESSAGE(type, init) (type *)initialised(pt__arena_alloc(arena, sizeof(type)), &(const type)init, sizeof(type))
#define PLAN(id) DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_##id

Datafusion__LogicalPlanNode *pt__bplan_node(const pt__bplan *plan)
{
    return pt__unconst(&plan->node);
}

pt__bplan *pt__bplan_new(pt__arena *arena)
{
    pt__bplan *made = pt__arena_make(arena, pt__bplan);
    datafusion__logical_plan_node__init(&made->node);
    made->depth = 2;
    made->weight = 2;
    return made;
}

void pt__bplan_holds(pt__bplan *plan, const pt__bplan *input, uint32_t levels)
{
    if (plan->depth < input->depth + levels)
        plan->depth = input->depth + levels;
    plan->weight += input->weight;
}

void pt__bplan_holds_expr(pt__bplan *plan, const pt__bx *expr, uint32_t levels)
{
    if (plan->depth < expr->depth + levels)
        plan->depth = expr->depth + levels;
    plan->weight += expr->weight;
}

/* A node over one input, whose columns it keeps. */
static pt__bplan *over(pt__arena *arena, const pt__bplan *input, Datafusion__LogicalPlanNode__LogicalPlanTypeCase kind)
{
    pt__bplan *made = pt__bplan_new(arena);
    made->node.logical_plan_type_case = kind;
    made->names = input->names;
    made->name_count = input->name_count;
    pt__bplan_holds(made, input, 2);
    return made;
}

pt__bplan *pt__bplan_one_row(pt__arena *arena)
{
    pt__bplan *made = pt__bplan_new(arena);
    made->node.logical_plan_type_case = PLAN(EMPTY_RELATION);
    made->node.empty_relation = pt__bmessage(arena, &datafusion__empty_relation_node__descriptor);
    made->node.empty_relation->produce_one_row = true;
    return made;
}

pt__bplan *pt__bplan_project(pt__arena *arena, const pt__bplan *input, const pt__bx *const *items,
                             const pt__bname *names, size_t count)
{
    pt__bplan *made = over(arena, input, PLAN(PROJECTION));
    Datafusion__ProjectionNode *node = pt__bmessage(arena, &datafusion__projection_node__descriptor);
    node->input = pt__bplan_node(input);
    node->n_expr = count;
    node->expr = pt__arena_array(arena, Datafusion__LogicalExprNode *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt__bx *named = pt__bx_alias(arena, items[i], names[i].name);
        pt__bplan_holds_expr(made, named, 2);
        node->expr[i] = pt__bx_node(named);
    }
    made->node.projection = node;
    made->names = names;
    made->name_count = count;
    return made;
}

const pt__bplan *pt__bplan_pick(pt__arena *arena, const pt__bplan *input, const pt__bname *names, size_t count)
{
    bool same = count == input->name_count;
    for (size_t i = 0; i < count && same; i++)
        same = strcmp(names[i].name, input->names[i].name) == 0;
    if (same)
        return input;
    const pt__bx **items = pt__arena_array(arena, const pt__bx *, count + 1);
    for (size_t i = 0; i < count; i++)
        items[i] = pt__bx_column(arena, names[i].name);
    return pt__bplan_project(arena, input, items, names, count);
}

pt__bplan *pt__bplan_filter(pt__arena *arena, const pt__bplan *input, const pt__bx *condition)
{
    pt__bplan *made = over(arena, input, PLAN(SELECTION));
    made->node.selection = pt__bmessage(arena, &datafusion__selection_node__descriptor);
    made->node.selection->input = pt__bplan_node(input);
    made->node.selection->expr = pt__bx_node(condition);
    pt__bplan_holds_expr(made, condition, 2);
    return made;
}

pt__bplan *pt__bplan_limit(pt__arena *arena, const pt__bplan *input, int64_t skip, int64_t fetch)
{
    pt__bplan *made = over(arena, input, PLAN(LIMIT));
    made->node.limit = pt__bmessage(arena, &datafusion__limit_node__descriptor);
    made->node.limit->input = pt__bplan_node(input);
    made->node.limit->skip = skip;
    made->node.limit->fetch = fetch; /* absent would be 0 rows; -1 is none */
    return made;
}

static Datafusion__TableReference *reference(pt__arena *arena, const char *name)
{
    Datafusion__TableReference *made = pt__bmessage(arena, &datafusion__table_reference__descriptor);
    made->table_reference_enum_case = DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_BARE;
    made->bare = pt__bmessage(arena, &datafusion__bare_table_reference__descriptor);
    made->bare->table = pt__unconst(name);
    return made;
}

pt__bplan *pt__bplan_alias(pt__arena *arena, const pt__bplan *input, const char *alias)
{
    pt__bplan *made = over(arena, input, PLAN(SUBQUERY_ALIAS));
    made->node.subquery_alias = pt__bmessage(arena, &datafusion__subquery_alias_node__descriptor);
    made->node.subquery_alias->input = pt__bplan_node(input);
    made->node.subquery_alias->alias = reference(arena, alias);
    return made;
}

pt__bplan *pt__bplan_distinct(pt__arena *arena, const pt__bplan *input)
{
    pt__bplan *made = over(arena, input, PLAN(DISTINCT));
    made->node.distinct = pt__bmessage(arena, &datafusion__distinct_node__descriptor);
    made->node.distinct->input = pt__bplan_node(input);
    return made;
}

static void join_names(pt__arena *arena, pt__bplan *made, const pt__bplan *left, const pt__bplan *right)
{
    pt__bname *names = pt__arena_array(arena, pt__bname, left->name_count + right->name_count + 1);
    for (size_t i = 0; i < left->name_count; i++)
        names[i] = left->names[i];
    for (size_t i = 0; i < right->name_count; i++)
        names[left->name_count + i] = right->names[i];
    made->names = names;
    made->name_count = left->name_count + right->name_count;
}

static bool keeps_left_only(DatafusionCommon__JoinType type)
{
    return type == DATAFUSION_COMMON__JOIN_TYPE__LEFTSEMI || type == DATAFUSION_COMMON__JOIN_TYPE__LEFTANTI ||
           type == DATAFUSION_COMMON__JOIN_TYPE__LEFTMARK;
}

pt__bplan *pt__bplan_join(pt__arena *arena, const pt__bplan *left, const pt__bplan *right,
                          DatafusionCommon__JoinType type, const pt__bx *filter)
{
    pt__bplan *made = over(arena, left, PLAN(JOIN));
    pt__bplan_holds(made, right, 2);
    Datafusion__JoinNode *node = pt__bmessage(arena, &datafusion__join_node__descriptor);
    node->left = pt__bplan_node(left);
    node->right = pt__bplan_node(right);
    node->join_type = type;
    node->join_constraint = DATAFUSION_COMMON__JOIN_CONSTRAINT__ON;
    if (filter != NULL) {
        node->filter = pt__bx_node(filter);
        pt__bplan_holds_expr(made, filter, 2);
    }
    made->node.join = node;
    if (!keeps_left_only(type))
        join_names(arena, made, left, right);
    return made;
}

pt__bplan *pt__bplan_cross(pt__arena *arena, const pt__bplan *left, const pt__bplan *right)
{
    pt__bplan *made = over(arena, left, PLAN(CROSS_JOIN));
    pt__bplan_holds(made, right, 2);
    made->node.cross_join = pt__bmessage(arena, &datafusion__cross_join_node__descriptor);
    made->node.cross_join->left = pt__bplan_node(left);
    made->node.cross_join->right = pt__bplan_node(right);
    join_names(arena, made, left, right);
    return made;
}

pt__bplan *pt__bplan_union(pt__arena *arena, const pt__bplan *const *inputs, size_t count)
{
    pt__bplan *made = over(arena, inputs[0], PLAN(UNION_ALL));
    Datafusion__UnionNode *node = pt__bmessage(arena, &datafusion__union_node__descriptor);
    node->n_inputs = count;
    node->inputs = pt__arena_array(arena, Datafusion__LogicalPlanNode *, count);
    for (size_t i = 0; i < count; i++) {
        node->inputs[i] = pt__bplan_node(inputs[i]);
        if (i > 0)
            pt__bplan_holds(made, inputs[i], 2);
    }
    made->node.union_all = node;
    return made;
}

pt__bplan *pt__bplan_aggregate(pt__arena *arena, const pt__bplan *input, const pt__bx *const *keys, size_t key_count,
                               const pt__bx *const *aggregates, size_t aggregate_count, const pt__bname *names)
{
    pt__bplan *made = over(arena, input, PLAN(AGGREGATE));
    Datafusion__AggregateNode *node = pt__bmessage(arena, &datafusion__aggregate_node__descriptor);
    node->input = pt__bplan_node(input);
    node->n_group_expr = key_count;
    node->group_expr = pt__arena_array(arena, Datafusion__LogicalExprNode *, key_count + 1);
    for (size_t i = 0; i < key_count; i++) {
        pt__bplan_holds_expr(made, keys[i], 2);
        node->group_expr[i] = pt__bx_node(keys[i]);
    }
    node->n_aggr_expr = aggregate_count;
    node->aggr_expr = pt__arena_array(arena, Datafusion__LogicalExprNode *, aggregate_count + 1);
    for (size_t i = 0; i < aggregate_count; i++) {
        const pt__bx *named = pt__bx_alias(arena, aggregates[i], names[key_count + i].name);
        pt__bplan_holds_expr(made, named, 2);
        node->aggr_expr[i] = pt__bx_node(named);
    }
    made->node.aggregate = node;
    made->names = names;
    made->name_count = key_count + aggregate_count;
    return made;
}

Datafusion__SortExprNode *pt__bsort(pt__arena *arena, const pt__bx *expr, bool ascending, bool nulls_first)
{
    Datafusion__SortExprNode *made = pt__bmessage(arena, &datafusion__sort_expr_node__descriptor);
    made->expr = pt__bx_node(expr);
    made->asc = ascending;
    made->nulls_first = nulls_first;
    return made;
}

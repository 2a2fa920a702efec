/* Filters, joins and set operations. */
#include "backend/ballista/lowering.h"

#include <string.h>

/* ---- filter ---- */

static pt_status apply_plain(pt__bl *bl, const pt__bl_conjuncts *list, const pt__bplan **input, pt_error *err)
{
    pt__list(const pt__bx *) conditions = {0};
    for (size_t i = 0; i < list->count; i++) {
        const pt__bx *condition;
        PT_TRY(pt__bl_expr_over(bl, list->items[i], input, &condition, err));
        pt__list_push(bl->arena, &conditions, condition);
    }
    if (conditions.count > 0)
        *input =
            pt__bplan_filter(bl->arena, *input, pt__bx_chain(bl->arena, "And", conditions.items, conditions.count));
    return PT_OK;
}

/* Conjuncts without subqueries first: they make the inputs of the joins small. */
pt_status pt__bl_apply(pt__bl *bl, const pt__bl_conjuncts *list, const pt__bplan **input, pt_error *err)
{
    pt__bl_conjuncts plain = {0};
    pt__bl_conjuncts others = {0};
    pt__bl_conjuncts left = {0};
    for (size_t i = 0; i < list->count; i++) {
        if (pt__bl_has(list->items[i], PT_EXPR_SUBQUERY))
            pt__list_push(bl->arena, &others, list->items[i]);
        else
            pt__list_push(bl->arena, &plain, list->items[i]);
    }
    PT_TRY(apply_plain(bl, &plain, input, err));
    for (size_t i = 0; i < others.count; i++) {
        bool taken;
        PT_TRY(pt__bl_subquery_conjunct(bl, others.items[i], input, &taken, err));
        if (!taken)
            pt__list_push(bl->arena, &left, others.items[i]);
    }
    return apply_plain(bl, &left, input, err);
}

pt_status pt__bl_filter_plan(pt__bl *bl, const pt_plan_filter *filter, const pt__bplan **out, pt_error *err)
{
    pt__bl_conjuncts list = {0};
    PT_TRY(pt__bl_relation(bl, filter->input, out, err));
    pt__bl_split_and(bl, filter->condition, &list);
    return pt__bl_apply(bl, &list, out, err);
}

/* ---- join ---- */

static DatafusionCommon__JoinType join_type(pt_join_kind kind)
{
    switch (kind) {
    case PT_JOIN_LEFT: return DATAFUSION_COMMON__JOIN_TYPE__LEFT;
    case PT_JOIN_RIGHT: return DATAFUSION_COMMON__JOIN_TYPE__RIGHT;
    case PT_JOIN_FULL: return DATAFUSION_COMMON__JOIN_TYPE__FULL;
    case PT_JOIN_LEFT_SEMI: return DATAFUSION_COMMON__JOIN_TYPE__LEFTSEMI;
    case PT_JOIN_LEFT_ANTI: return DATAFUSION_COMMON__JOIN_TYPE__LEFTANTI;
    case PT_JOIN_INNER:
    case PT_JOIN_CROSS: break;
    }
    return DATAFUSION_COMMON__JOIN_TYPE__INNER;
}

static bool is_inner(const pt_plan_join *join)
{
    return join->join_kind == PT_JOIN_INNER || join->join_kind == PT_JOIN_CROSS;
}

static pt_status inner_with_subquery(pt__bl *bl, const pt_plan_join *join, const pt__bplan *left,
                                     const pt__bplan *right, const pt__bplan **out, pt_error *err)
{
    pt__bl_conjuncts list = {0};
    *out = pt__bplan_cross(bl->arena, left, right);
    pt__bl_split_and(bl, join->condition, &list);
    return pt__bl_apply(bl, &list, out, err);
}

pt_status pt__bl_join_plan(pt__bl *bl, const pt_plan_join *join, const pt__bplan **out, pt_error *err)
{
    const pt__bplan *left;
    const pt__bplan *right;
    const pt__bx *condition = NULL;
    if (join->is_lateral && pt__bl_plan_has_outer(join->right))
        return pt__bl_refuse(err, join->base.origin, "a lateral join whose right side refers to the left one");
    PT_TRY(pt__bl_relation(bl, join->left, &left, err));
    PT_TRY(pt__bl_relation(bl, join->right, &right, err));
    if (join->condition == NULL && is_inner(join)) {
        *out = pt__bplan_cross(bl->arena, left, right);
        return PT_OK;
    }
    if (join->condition != NULL && is_inner(join) && pt__bl_has(join->condition, PT_EXPR_SUBQUERY))
        return inner_with_subquery(bl, join, left, right, out, err);
    if (join->condition == NULL)
        condition = pt__bx_bool(bl->arena, true);
    else
        PT_TRY(pt__bl_expr_over(bl, join->condition, NULL, &condition, err));
    *out = pt__bplan_join(bl->arena, left, right, join_type(join->join_kind), condition);
    return PT_OK;
}

/* ---- set operations ---- */

static bool same_union(const pt_plan *plan, const pt_plan_set_operation *set)
{
    return plan->kind == PT_PLAN_SET_OPERATION && set->set_kind == PT_SET_UNION && set->is_all &&
           pt__plan_as_set_operation(plan)->set_kind == PT_SET_UNION && pt__plan_as_set_operation(plan)->is_all;
}

/* The operand's columns under the operation's names, floats in their one form. */
static pt_status operand(pt__bl *bl, const pt_plan *plan, const pt__bname *names, bool groups, const pt__bx *tag,
                         const char *tag_name, const pt__bplan **out, pt_error *err)
{
    const pt__bplan *input;
    size_t count = plan->column_count;
    PT_TRY(pt__bl_relation(bl, plan, &input, err));
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, count + 2);
    pt__bname *own = pt__arena_array(bl->arena, pt__bname, count + 2);
    for (size_t i = 0; i < count; i++) {
        pt__btype *type;
        own[i] = names[i];
        PT_TRY(pt__bl_type(bl, names[i].type, plan->origin, &type, err));
        if (!pt__type_same_kind(names[i].type, plan->columns[i].type))
            return pt__bl_refuse(err, plan->origin, "a set operation over columns of different types");
        items[i] = pt__bx_column(bl->arena, pt__bl_bound(bl, plan->columns[i].id));
        if (groups)
            items[i] = pt__bl_normal(bl, items[i], NULL, names[i].type);
        items[i] = pt__bx_cast(bl->arena, items[i], type);
    }
    if (tag != NULL || count == 0) {
        items[count] = tag != NULL ? tag : pt__bx_int32(bl->arena, 0);
        own[count] = (pt__bname){tag != NULL ? tag_name : "x0", PT_T(INT)};
        count++;
    }
    *out = pt__bplan_project(bl->arena, input, items, own, count);
    return PT_OK;
}

static pt__bname *set_names(pt__bl *bl, const pt_plan_set_operation *set)
{
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, set->base.column_count + 1);
    for (size_t i = 0; i < set->base.column_count; i++)
        names[i] = (pt__bname){pt__bl_new_name(bl), set->base.columns[i].type};
    return names;
}

static pt_status lower_union(pt__bl *bl, const pt_plan_set_operation *set, const pt__bname *names,
                             const pt__bplan **out, pt_error *err)
{
    pt__list(const pt_plan *) rights = {0};
    pt__list(const pt__bplan *) inputs = {0};
    const pt_plan_set_operation *node = set;
    pt__list_push(bl->arena, &rights, node->right);
    while (same_union(node->left, set)) {
        node = pt__plan_as_set_operation(node->left);
        pt__list_push(bl->arena, &rights, node->right);
    }
    pt__list_push(bl->arena, &rights, node->left);
    for (size_t i = rights.count; i-- > 0;) {
        const pt__bplan *input;
        PT_TRY(operand(bl, rights.items[i], names, !set->is_all, NULL, NULL, &input, err));
        pt__list_push(bl->arena, &inputs, input);
    }
    *out = pt__bplan_union(bl->arena, inputs.items, inputs.count);
    if (!set->is_all)
        *out = pt__bplan_distinct(bl->arena, *out);
    return PT_OK;
}

/* For leaves that belong to no call of the query. */
static pt_expr_call *bare_call(pt__bl *bl)
{
    pt_expr_call *call = pt__expr_make(bl->arena, CALL, call, NULL);
    call->base.type = PT_T(LONG);
    return call;
}

/* Both sides in one, tagged; groups are kept by the numbers of rows that either side has of them. */
static pt_status lower_distinct_set(pt__bl *bl, const pt_plan_set_operation *set, const pt__bname *names,
                                    const pt__bplan *both, const char *tag, const pt__bplan **out, pt_error *err)
{
    pt__arena *arena = bl->arena;
    size_t count = set->base.column_count;
    pt__bl_leaves leaves = {0};
    pt__bl before = *bl;
    bl->leaves = &leaves;
    bl->over = NULL;
    bl->call = bare_call(bl);
    const pt__bx *one = pt__bx_int64(arena, 1);
    const pt__bx *sides[2];
    for (int side = 0; side < 2; side++) {
        const pt__bx *is_side = pt__bx_binary(arena, "Eq", pt__bx_column(arena, tag), pt__bx_int32(arena, side));
        PT_TRY(pt__bl_leaf(bl, "count", &one, 1, is_side, PT_T(LONG), &sides[side], err));
    }
    bl->leaves = before.leaves;
    bl->over = before.over;
    bl->call = before.call;
    pt__bname *all = pt__arena_array(arena, pt__bname, count + 2);
    const pt__bx **keys = pt__arena_array(arena, const pt__bx *, count + 1);
    for (size_t i = 0; i < count; i++) {
        all[i] = names[i];
        keys[i] = pt__bx_column(arena, names[i].name);
    }
    memcpy(all + count, leaves.names.items, 2 * sizeof(*all));
    const pt__bplan *grouped = pt__bplan_aggregate(arena, both, keys, count, leaves.calls.items, 2, all);
    const pt__bx *zero = pt__bx_int64(arena, 0);
    const pt__bx *in_left = pt__bx_binary(arena, "Gt", sides[0], zero);
    bool meets = set->set_kind == PT_SET_INTERSECT;
    const pt__bx *in_right = pt__bx_binary(arena, meets ? "Gt" : "Eq", sides[1], zero);
    *out = pt__bplan_filter(arena, grouped, pt__bx_binary(arena, "And", in_left, in_right));
    return PT_OK;
}

static const pt_expr *window_column(pt__bl *bl, const char *name, const pt_type *type)
{
    /* An id of its own, above all that the plan has: bound to the name. */
    pt_expr_column *column = pt__expr_make(bl->arena, COLUMN, column, NULL);
    column->id = (uint32_t)bl->column_count;
    column->name = name;
    column->base.type = type;
    column->base.nullable = true;
    pt__bl_bind(bl, column->id, name);
    return &column->base;
}

/* PARTITION BY all columns, and the same ORDER BY the tag. */
static void make_windows(pt__bl *bl, const pt__bname *names, size_t count, const char *tag, pt_expr_window *whole,
                         pt_expr_window *ordered)
{
    const pt_expr **partition = pt__arena_array(bl->arena, const pt_expr *, count + 1);
    for (size_t i = 0; i < count; i++)
        partition[i] = window_column(bl, names[i].name, names[i].type);
    *whole = *pt__expr_make(bl->arena, WINDOW, window, NULL);
    whole->partition = partition;
    whole->partition_count = count;
    pt_expr_sort_order *order = pt__expr_make(bl->arena, SORT_ORDER, sort_order, NULL);
    order->child = window_column(bl, tag, PT_T(INT));
    const pt_expr **orders = pt__arena_array(bl->arena, const pt_expr *, 1);
    orders[0] = &order->base;
    *ordered = *whole;
    ordered->order = orders;
    ordered->order_count = 1;
}

/* Of each group the left side's rows are numbered: they are kept up to, or behind, the number that the right has. */
static pt_status lower_counted_set(pt__bl *bl, const pt_plan_set_operation *set, const pt__bname *names,
                                   const pt__bplan *both, const char *tag, const pt__bplan **out, pt_error *err)
{
    pt__arena *arena = bl->arena;
    pt_expr_window whole;
    pt_expr_window ordered;
    make_windows(bl, names, set->base.column_count, tag, &whole, &ordered);
    pt__bl before = *bl;
    const pt__bx *rights;
    const pt__bx *number;
    const pt__bx *is_right = pt__bx_binary(arena, "Eq", pt__bx_column(arena, tag), pt__bx_int32(arena, 1));
    const pt__bx *counted = pt__bx_if(arena, is_right, pt__bx_int64(arena, 1), NULL);
    bl->input = &both;
    bl->leaves = NULL;
    bl->call = bare_call(bl);
    bl->over = &whole;
    PT_TRY(pt__bl_window_leaf(bl, "count", true, &counted, 1, NULL, PT_T(LONG), &rights, err));
    bl->over = &ordered; /* the left side's rows first */
    PT_TRY(pt__bl_window_leaf(bl, "row_number", false, NULL, 0, NULL, PT_T(LONG), &number, err));
    bl->input = before.input;
    bl->leaves = before.leaves;
    bl->over = before.over;
    bl->call = before.call;
    const pt__bx *is_left = pt__bx_binary(arena, "Eq", pt__bx_column(arena, tag), pt__bx_int32(arena, 0));
    pt__btype *wide = pt__btype_named(arena, "int64");
    const pt__bx *kept = pt__bx_binary(arena, set->set_kind == PT_SET_INTERSECT ? "LtEq" : "Gt",
                                       pt__bx_cast(arena, number, wide), pt__bx_cast(arena, rights, wide));
    *out = pt__bplan_filter(arena, both, pt__bx_binary(arena, "And", is_left, kept));
    return PT_OK;
}

pt_status pt__bl_set_plan(pt__bl *bl, const pt_plan_set_operation *set, const pt__bplan **out, pt_error *err)
{
    pt__bname *names = set_names(bl, set);
    if (set->set_kind == PT_SET_UNION) {
        PT_TRY(lower_union(bl, set, names, out, err));
    } else {
        const pt__bplan *sides[2];
        const char *tag = pt__bl_new_name(bl);
        if (set->base.column_count == 0)
            return pt__bl_refuse(err, set->base.origin, "EXCEPT or INTERSECT without columns");
        PT_TRY(operand(bl, set->left, names, true, pt__bx_int32(bl->arena, 0), tag, &sides[0], err));
        PT_TRY(operand(bl, set->right, names, true, pt__bx_int32(bl->arena, 1), tag, &sides[1], err));
        const pt__bplan *both = pt__bplan_union(bl->arena, sides, 2);
        if (set->is_all)
            PT_TRY(lower_counted_set(bl, set, names, both, tag, out, err));
        else
            PT_TRY(lower_distinct_set(bl, set, names, both, tag, out, err));
    }
    for (size_t i = 0; i < set->base.column_count; i++)
        pt__bl_bind(bl, set->base.columns[i].id, names[i].name);
    return PT_OK;
}

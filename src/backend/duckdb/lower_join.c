#include "backend/duckdb/block.h"

/* Whether the side's rows may be completed with NULL. */
static bool is_nullable_side(pt_join_kind kind, bool is_left)
{
    if (kind == PT_JOIN_FULL)
        return true;
    return is_left ? kind == PT_JOIN_RIGHT : kind == PT_JOIN_LEFT;
}

/* Whether a filter below the side means the same above the join. */
static bool filter_can_rise(pt_join_kind kind, bool is_left)
{
    if (kind == PT_JOIN_INNER || kind == PT_JOIN_CROSS)
        return true;
    return is_left && (kind == PT_JOIN_LEFT || kind == PT_JOIN_LEFT_SEMI || kind == PT_JOIN_LEFT_ANTI);
}

static bool columns_are_plain(pt__lower *lower, const pt_plan *plan, bool is_nullable)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        const pt__binding *binding = pt__bind(lower, plan->columns[i].id);
        if (binding->uses == 0)
            continue;
        if ((binding->flags & (PT_TEXT_COMPUTED | PT_TEXT_VOLATILE)) != 0)
            return false;
        if (is_nullable && (binding->flags & PT_TEXT_COLUMN) == 0)
            return false;
    }
    return true;
}

/* Leaves a block that is FROM and, where it may rise, WHERE. */
static void prepare_side(pt__lower *lower, pt__block *block, const pt_plan *plan, pt_join_kind kind, bool is_left)
{
    bool is_plain = block->from != NULL && !block->is_aggregated && !block->has_window && block->order == NULL &&
                    block->limit == NULL && block->offset == NULL;
    if (is_plain && block->where.count > 0)
        is_plain = filter_can_rise(kind, is_left);
    if (!is_plain || !columns_are_plain(lower, plan, is_nullable_side(kind, is_left)))
        pt__block_wrap(lower, block, plan->columns, plan->column_count);
}

static const char *join_words(const pt_plan_join *join)
{
    switch (join->join_kind) {
    case PT_JOIN_INNER: return join->condition == NULL ? " CROSS JOIN " : " JOIN ";
    case PT_JOIN_CROSS: return " CROSS JOIN ";
    case PT_JOIN_LEFT: return " LEFT JOIN ";
    case PT_JOIN_RIGHT: return " RIGHT JOIN ";
    case PT_JOIN_FULL: return " FULL JOIN ";
    case PT_JOIN_LEFT_SEMI: return " SEMI JOIN ";
    case PT_JOIN_LEFT_ANTI: return " ANTI JOIN ";
    }
    return " JOIN ";
}

/* An inner join's condition may hold subqueries, which DuckDB wants in WHERE. */
static bool condition_goes_to_where(const pt_plan_join *join)
{
    return join->condition != NULL && (join->join_kind == PT_JOIN_INNER || join->join_kind == PT_JOIN_CROSS) &&
           pt__expr_has(join->condition, PT_EXPR_SUBQUERY);
}

static pt_status put_condition(pt__lower *lower, const pt_plan_join *join, bool to_where, pt__block *out, pt_error *err)
{
    bool is_cross = join->join_kind == PT_JOIN_CROSS || (join->join_kind == PT_JOIN_INNER && join->condition == NULL);
    if (join->condition == NULL || (is_cross && join->condition == NULL)) {
        if (!is_cross)
            pt__put(lower, " ON true");
        return PT_OK;
    }
    const char *text;
    PT_TRY(pt__lower_condition(lower, join->condition, &text, err));
    if (to_where || join->join_kind == PT_JOIN_CROSS)
        pt__list_push(lower->arena, &out->where, text);
    else
        pt__putf(lower, " ON %s", text);
    return PT_OK;
}

static pt_status lower_right(pt__lower *lower, const pt_plan_join *join, pt__block *right, pt_error *err)
{
    PT_TRY(pt__lower_relation(lower, join->right, right, err));
    if (!join->is_lateral) {
        prepare_side(lower, right, join->right, join->join_kind, false);
        return PT_OK;
    }
    pt__block_wrap(lower, right, join->right->columns, join->right->column_count);
    right->from = pt__arena_printf(lower->arena, "LATERAL %s", right->from);
    return PT_OK;
}

pt_status pt__lower_join(pt__lower *lower, const pt_plan_join *join, pt__block *out, pt_error *err)
{
    pt__block left;
    pt__block right;
    PT_TRY(pt__lower_relation(lower, join->left, &left, err));
    prepare_side(lower, &left, join->left, join->join_kind, true);
    PT_TRY(lower_right(lower, join, &right, err));
    bool to_where = condition_goes_to_where(join);
    *out = pt__block_from(NULL);
    for (size_t i = 0; i < left.where.count; i++)
        pt__list_push(lower->arena, &out->where, left.where.items[i]);
    for (size_t i = 0; i < right.where.count; i++)
        pt__list_push(lower->arena, &out->where, right.where.items[i]);
    size_t mark = lower->text.size_bytes;
    pt__put(lower, left.from);
    pt__put(lower, to_where ? " CROSS JOIN " : join_words(join));
    pt__putf(lower, right.from_is_join ? "(%s)" : "%s", right.from);
    PT_TRY(put_condition(lower, join, to_where, out, err));
    out->from = pt__cut(lower, mark);
    out->from_is_join = true;
    return PT_OK;
}

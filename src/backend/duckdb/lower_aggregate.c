#include "backend/duckdb/block.h"

#include <string.h>

/* Whether the block must end below the aggregate. */
static bool must_wrap(pt__lower *lower, const pt__block *block, const pt_plan_aggregate *aggregate)
{
    if (block->is_aggregated || block->has_window || block->order != NULL || block->limit != NULL ||
        block->offset != NULL)
        return true;
    for (size_t i = 0; i < aggregate->grouping_count; i++) {
        if (pt__must_wrap(lower, aggregate->grouping[i], PT_USE_AGGREGATE))
            return true;
    }
    for (size_t i = 0; i < aggregate->aggregate_count; i++) {
        if (pt__must_wrap(lower, aggregate->aggregates[i], PT_USE_AGGREGATE))
            return true;
    }
    return false;
}

/* Keys are written in SELECT and GROUP BY: what is no short, steady text is computed below. */
static bool key_is_heavy(const pt_expr *key, const char *text, unsigned seen, bool has_sets)
{
    if (key->kind == PT_EXPR_COLUMN)
        return false;
    return has_sets || (seen & (PT_TEXT_VOLATILE | PT_TEXT_SUBQUERY)) != 0 || strlen(text) > PT_LOWER_REPEAT_MAX;
}

static pt_status bind_keys(pt__lower *lower, const pt_plan_aggregate *aggregate, bool *heavy, pt_error *err)
{
    *heavy = false;
    pt__binding *made = pt__arena_array(lower->arena, pt__binding, aggregate->grouping_count + 1);
    for (size_t i = 0; i < aggregate->grouping_count; i++) {
        const pt_expr *key = aggregate->grouping[i];
        const char *text;
        PT_TRY(pt__lower_expr_text(lower, key, &text, err));
        unsigned flags = lower->seen;
        if (key->kind == PT_EXPR_COLUMN)
            flags |= pt__bind(lower, pt__expr_as_column(key)->id)->flags;
        else
            flags |= PT_TEXT_COMPUTED;
        made[i] = (pt__binding){.text = text, .flags = flags, .depth = lower->deepest};
        *heavy = *heavy || key_is_heavy(key, text, lower->seen, aggregate->set_count > 0);
    }
    for (size_t i = 0; i < aggregate->grouping_count; i++)
        pt__bind_text(lower, aggregate->base.columns[i].id, made[i].text, made[i].flags, made[i].depth);
    return PT_OK;
}

/* A subquery with the input's columns and the keys. */
static void wrap_with_keys(pt__lower *lower, pt__block *block, const pt_plan_aggregate *aggregate)
{
    const pt_plan *input = aggregate->input;
    size_t input_count = input == NULL ? 0 : input->column_count;
    pt_column *columns = pt__arena_array(lower->arena, pt_column, input_count + aggregate->grouping_count);
    size_t count = 0;
    for (size_t i = 0; i < aggregate->grouping_count; i++) {
        columns[count++] = aggregate->base.columns[i];
        pt__bind(lower, aggregate->base.columns[i].id)->uses++;
    }
    for (size_t i = 0; i < input_count; i++) {
        bool is_key = false;
        for (size_t k = 0; k < aggregate->grouping_count && !is_key; k++)
            is_key = aggregate->base.columns[k].id == input->columns[i].id;
        if (!is_key)
            columns[count++] = input->columns[i];
    }
    pt__block_wrap(lower, block, columns, count);
}

static const char *key_text(pt__lower *lower, const pt_plan_aggregate *aggregate, size_t index)
{
    return pt__bind(lower, aggregate->base.columns[index].id)->text;
}

static void put_keys(pt__lower *lower, const pt_plan_aggregate *aggregate, const uint32_t *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pt__putf(lower, "%s%s", i == 0 ? "" : ", ", key_text(lower, aggregate, members == NULL ? i : members[i]));
}

static const char *group_text(pt__lower *lower, const pt_plan_aggregate *aggregate)
{
    size_t mark = lower->text.size_bytes;
    if (aggregate->set_count == 0) {
        if (aggregate->grouping_count == 0)
            return NULL;
        put_keys(lower, aggregate, NULL, aggregate->grouping_count);
        return pt__cut(lower, mark);
    }
    pt__put(lower, "GROUPING SETS (");
    for (size_t i = 0; i < aggregate->set_count; i++) {
        pt__put(lower, i == 0 ? "(" : ", (");
        put_keys(lower, aggregate, aggregate->sets[i].members, aggregate->sets[i].count);
        pt__put(lower, ")");
    }
    pt__put(lower, ")");
    return pt__cut(lower, mark);
}

static pt_status lower_one(pt__lower *lower, const pt_expr *expr, const char **out, pt_error *err)
{
    if (expr->kind != PT_EXPR_CALL)
        return pt__lower_unsupported(err, expr->origin, "this aggregate expression");
    const pt_expr_call *call = pt__expr_as_call(expr);
    pt__aggregate_form form = {.is_distinct = call->is_distinct};
    if (call->filter != NULL)
        PT_TRY(pt__lower_condition(lower, call->filter, &form.filter, err));
    size_t mark = lower->text.size_bytes;
    lower->seen = 0;
    lower->deepest = 0;
    PT_TRY(pt__lower_call(lower, call, &form, err));
    *out = pt__cut(lower, mark);
    return PT_OK;
}

static void bind_grouping_id(pt__lower *lower, const pt_plan_aggregate *aggregate, uint32_t id)
{
    size_t mark = lower->text.size_bytes;
    if (aggregate->grouping_count == 0) {
        pt__put(lower, "0::BIGINT");
    } else {
        pt__put(lower, "grouping(");
        put_keys(lower, aggregate, NULL, aggregate->grouping_count);
        pt__put(lower, ")::BIGINT");
    }
    pt__bind_text(lower, id, pt__cut(lower, mark), PT_TEXT_AGGREGATE | PT_TEXT_COMPUTED, 1);
}

static pt_status bind_aggregates(pt__lower *lower, const pt_plan_aggregate *aggregate, pt_error *err)
{
    size_t first = aggregate->grouping_count;
    for (size_t i = 0; i < aggregate->aggregate_count; i++) {
        const char *text = NULL;
        PT_TRY(lower_one(lower, aggregate->aggregates[i], &text, err));
        pt__bind_text(lower, aggregate->base.columns[first + i].id, text,
                      lower->seen | PT_TEXT_AGGREGATE | PT_TEXT_COMPUTED, lower->deepest + 1);
    }
    if (aggregate->has_grouping_id)
        bind_grouping_id(lower, aggregate, aggregate->base.columns[first + aggregate->aggregate_count].id);
    return PT_OK;
}

pt_status pt__lower_aggregate(pt__lower *lower, const pt_plan_aggregate *aggregate, pt__block *out, pt_error *err)
{
    if (aggregate->input == NULL) /* one row without columns */
        *out = pt__block_from(NULL);
    else
        PT_TRY(pt__lower_relation(lower, aggregate->input, out, err));
    if (aggregate->input != NULL)
        PT_TRY(pt__lower_cut_stack(lower, aggregate->input, out, err));
    if (aggregate->input != NULL && must_wrap(lower, out, aggregate))
        pt__block_wrap(lower, out, aggregate->input->columns, aggregate->input->column_count);
    const pt_plan_aggregate *outer = lower->aggregate;
    lower->aggregate = aggregate;
    bool heavy;
    PT_TRY(bind_keys(lower, aggregate, &heavy, err));
    if (heavy)
        wrap_with_keys(lower, out, aggregate);
    out->is_aggregated = true;
    out->group = group_text(lower, aggregate);
    PT_TRY(bind_aggregates(lower, aggregate, err));
    lower->aggregate = outer;
    return PT_OK;
}

/* Joins and set operations. */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"

#include <string.h>

/* ---- columns of a join ---- */

static bool keeps_right(pt_join_kind kind)
{
    return kind != PT_JOIN_LEFT_SEMI && kind != PT_JOIN_LEFT_ANTI;
}

static void set_join_columns(pt__analyzer *a, pt_plan_join *join)
{
    size_t left = join->left->column_count;
    size_t right = keeps_right(join->join_kind) ? join->right->column_count : 0;
    pt_column *columns = pt__arena_array(a->arena, pt_column, left + right + 1);
    bool left_nullable = join->join_kind == PT_JOIN_RIGHT || join->join_kind == PT_JOIN_FULL;
    bool right_nullable = join->join_kind == PT_JOIN_LEFT || join->join_kind == PT_JOIN_FULL;
    for (size_t i = 0; i < left; i++) {
        columns[i] = join->left->columns[i];
        columns[i].nullable |= left_nullable;
    }
    for (size_t i = 0; i < right; i++) {
        columns[left + i] = join->right->columns[i];
        columns[left + i].nullable |= right_nullable;
    }
    join->base.columns = columns;
    join->base.column_count = left + right;
}

/* ---- USING and NATURAL ---- */

static const char *const *common_names(pt__analyzer *a, const pt_plan *left, const pt_plan *right, size_t *count)
{
    pt__list(const char *) names = {0};
    for (size_t i = 0; i < left->column_count; i++) {
        if (!left->columns[i].is_hidden && pt__find_column(a, right, left->columns[i].name) != -1)
            pt__list_push(a->arena, &names, left->columns[i].name);
    }
    *count = names.count;
    return names.items;
}

static pt_status find_using(pt__analyzer *a, const pt_plan *side, const char *name, const char *which,
                            const pt_column **out, const pt_origin *origin, pt_error *err)
{
    int index = pt__find_column(a, side, name);
    if (index >= 0) {
        *out = &side->columns[index];
        return PT_OK;
    }
    if (index == -2) {
        pt_name one = pt__name_one(a->arena, name);
        pt_status status = pt__raise(err, PT_COND_AMBIGUOUS_REFERENCE, "name", pt__quote_name(a->arena, &one),
                                     "referenceNames", "", NULL);
        return pt__analyzer_fail(status, origin, err);
    }
    pt__buffer *suggestion = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < side->column_count; i++)
        pt__buffer_printf(suggestion, "%s%s", i == 0 ? "" : ", ", side->columns[i].name);
    pt_status status =
        pt__raise(err, PT_COND_UNRESOLVED_USING_COLUMN_FOR_JOIN, "colName", pt__quote_one(a->arena, name), "side",
                  which, "suggestion", pt__arena_printf(a->arena, "[%s]", pt__buffer_string(suggestion)), NULL);
    return pt__analyzer_fail(status, origin, err);
}

typedef struct key_pair {
    const pt_column *left;
    const pt_column *right;
} key_pair;

static pt_status equal_keys(pt__analyzer *a, const key_pair *pairs, size_t count, const pt_expr **out, pt_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < count; i++) {
        const pt_expr **sides = pt__arena_array(a->arena, const pt_expr *, 2);
        sides[0] = pt__column_ref(a, pairs[i].left);
        sides[1] = pt__column_ref(a, pairs[i].right);
        const pt_expr *equal;
        PT_TRY(pt__call(a, "=", sides, 2, &equal, err));
        if (*out != NULL) {
            const pt_expr **both = pt__arena_array(a->arena, const pt_expr *, 2);
            both[0] = *out;
            both[1] = equal;
            PT_TRY(pt__call(a, "and", both, 2, &equal, err));
        }
        *out = equal;
    }
    return PT_OK;
}

static bool is_key(const key_pair *pairs, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].left->id == id || pairs[i].right->id == id)
            return true;
    }
    return false;
}

/* The one output column of a key: of the side that always has it, or whichever is there. */
static pt_status key_output(pt__analyzer *a, pt_join_kind kind, const key_pair *pair, const pt_column *left,
                            const pt_column *right, const pt_expr **out, pt_error *err)
{
    if (kind == PT_JOIN_RIGHT) {
        *out = pt__column_ref(a, right);
        return PT_OK;
    }
    *out = pt__column_ref(a, left);
    if (kind != PT_JOIN_FULL)
        return PT_OK;
    const pt_expr **sides = pt__arena_array(a->arena, const pt_expr *, 2);
    sides[0] = *out;
    sides[1] = pt__column_ref(a, right);
    const pt_expr *merged;
    PT_TRY(pt__call(a, "coalesce", sides, 2, &merged, err));
    pt_expr_alias *alias = pt__typed_alias(a, merged, pair->left->name);
    alias->base.nullable = pair->left->nullable && pair->right->nullable;
    *out = &alias->base;
    return PT_OK;
}

static const pt_column *joined_column(const pt_plan_join *join, uint32_t id)
{
    for (size_t i = 0; i < join->base.column_count; i++) {
        if (join->base.columns[i].id == id)
            return &join->base.columns[i];
    }
    return NULL;
}

/* Keys first, then the other columns; the keys of both sides stay reachable by qualified names. */
static pt_status project_using(pt__analyzer *a, const pt_plan_join *join, const key_pair *pairs, size_t count,
                               const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    pt__list(const pt_expr *) list = {0};
    pt__list(bool) hidden = {0};
    for (size_t i = 0; i < count; i++) {
        const pt_column *right = joined_column(join, pairs[i].right->id);
        const pt_expr *key;
        PT_TRY(key_output(a, join->join_kind, &pairs[i], joined_column(join, pairs[i].left->id),
                          right == NULL ? pairs[i].right : right, &key, err));
        pt__list_push(a->arena, &list, key);
        pt__list_push(a->arena, &hidden, false);
    }
    for (size_t i = 0; i < join->base.column_count; i++) {
        const pt_column *column = &join->base.columns[i];
        bool hide = is_key(pairs, count, column->id) || column->is_hidden;
        pt__list_push(a->arena, &list, pt__column_ref(a, column));
        pt__list_push(a->arena, &hidden, hide);
    }
    pt_plan_project *project = (pt_plan_project *)pt__project(a, &join->base, list.items, list.count, plan);
    pt_column *columns = (pt_column *)project->base.columns;
    for (size_t i = 0; i < list.count; i++)
        columns[i].is_hidden = hidden.items[i];
    *out = &project->base;
    return PT_OK;
}

static pt_status join_using(pt__analyzer *a, const pt_plan_join *node, pt_plan_join *join, const char *const *names,
                            size_t count, const pt_plan **out, pt_error *err)
{
    key_pair *pairs = pt__arena_array(a->arena, key_pair, count + 1);
    for (size_t i = 0; i < count; i++) {
        PT_TRY(find_using(a, join->left, names[i], "left", &pairs[i].left, node->base.origin, err));
        PT_TRY(find_using(a, join->right, names[i], "right", &pairs[i].right, node->base.origin, err));
    }
    PT_TRY(equal_keys(a, pairs, count, &join->condition, err));
    if (join->condition != NULL && join->join_kind == PT_JOIN_CROSS)
        join->join_kind = PT_JOIN_INNER;
    set_join_columns(a, join);
    return project_using(a, join, pairs, count, &node->base, out, err);
}

/* ---- join ---- */

static pt_status analyze_right(pt__analyzer *a, const pt_plan_join *node, const pt_plan *left, const pt_plan **out,
                               pt_error *err)
{
    if (!node->is_lateral)
        return pt__analyze_plan(a, node->right, out, err);
    pt__scope scope = pt__scope_of(a, &left, 1);
    pt__scope *enclosing = a->query_scope;
    a->query_scope = &scope;
    pt_status status = pt__analyze_plan(a, node->right, out, err);
    a->query_scope = enclosing;
    return status;
}

PT_ANALYZE_KIND(join)
{
    pt_plan_join *join = pt__plan_make(a->arena, JOIN, join, node->base.origin);
    pt__inherit(&join->base, &node->base);
    join->join_kind = node->join_kind;
    join->is_lateral = node->is_lateral;
    PT_TRY(pt__analyze_plan(a, node->left, &join->left, err));
    PT_TRY(analyze_right(a, node, join->left, &join->right, err));
    if (node->is_natural) {
        size_t count;
        const char *const *names = common_names(a, join->left, join->right, &count);
        return join_using(a, node, join, names, count, out, err);
    }
    if (node->using_count != 0)
        return join_using(a, node, join, node->using_columns, node->using_count, out, err);
    set_join_columns(a, join);
    *out = &join->base;
    if (node->condition == NULL)
        return PT_OK;
    if (join->join_kind == PT_JOIN_CROSS)
        join->join_kind = PT_JOIN_INNER;
    const pt_plan *sides[2] = {join->left, join->right};
    pt__scope scope = pt__scope_of(a, sides, 2);
    return pt__analyze_condition(a, &scope, node->condition, "ON", &join->condition, err);
}

const pt_plan *pt__lateral_join(pt__analyzer *a, pt_join_kind kind, const pt_plan *left, const pt_plan *right,
                                const pt_plan *plan)
{
    pt_plan_join *join = pt__plan_make(a->arena, JOIN, join, plan->origin);
    pt__inherit(&join->base, plan);
    join->join_kind = kind;
    join->is_lateral = true;
    join->left = left;
    join->right = right;
    set_join_columns(a, join);
    return &join->base;
}

/* ---- set operations ---- */

static const char *set_name(const pt_plan_set_operation *node)
{
    switch (node->set_kind) {
    case PT_SET_UNION: return "UNION";
    case PT_SET_INTERSECT: return node->is_all ? "INTERSECT ALL" : "INTERSECT";
    case PT_SET_EXCEPT: return node->is_all ? "EXCEPT ALL" : "EXCEPT";
    }
    return "";
}

static pt_status fail_width(pt__analyzer *a, const pt_plan_set_operation *node, size_t left, size_t right,
                            pt_error *err)
{
    pt_status status = pt__raise(err, PT_COND_NUM_COLUMNS_MISMATCH, "operator", set_name(node), "firstNumColumns",
                                 pt__arena_printf(a->arena, "%zu", left), "invalidOrdinalNum", "second",
                                 "invalidNumColumns", pt__arena_printf(a->arena, "%zu", right), NULL);
    return pt__analyzer_fail(status, node->base.origin, err);
}

static pt_status fail_incompatible(pt__analyzer *a, const pt_plan_set_operation *node, size_t index,
                                   const pt_type *left, const pt_type *right, pt_error *err)
{
    static const char *const ORDINALS[] = {"first", "second", "third", "fourth", "fifth"};
    const char *ordinal = index < 5 ? ORDINALS[index] : pt__arena_printf(a->arena, "%zuth", index + 1);
    pt_status status =
        pt__raise(err, PT_COND_INCOMPATIBLE_COLUMN_TYPE, "operator", set_name(node), "columnOrdinalNumber", ordinal,
                  "tableOrdinalNumber", "second", "dataType1", pt__quote_type(a->arena, right), "dataType2",
                  pt__quote_type(a->arena, left), "hint", "", NULL);
    return pt__analyzer_fail(status, node->base.origin, err);
}

static pt_status fail_by_name(pt__analyzer *a, const pt_plan_set_operation *node, const char *name,
                              const pt_plan *other, pt_error *err)
{
    pt__buffer *names = pt__arena_buffer(a->arena);
    for (size_t i = 0; i < other->column_count; i++)
        pt__buffer_printf(names, "%s%s", i == 0 ? "" : ", ", pt__quote_one(a->arena, other->columns[i].name));
    pt_name one = pt__name_one(a->arena, name);
    pt_status status = pt__raise(err, PT_COND_UNRESOLVED_COLUMN_WITH_SUGGESTION, "objectName",
                                 pt__quote_name(a->arena, &one), "proposal", pt__buffer_string(names), NULL);
    return pt__analyzer_fail(status, node->base.origin, err);
}

static const pt_expr *null_column(pt__analyzer *a, const pt_column *like)
{
    const pt_expr *null = pt__expr_null(a->arena, like->type);
    pt_expr_alias *alias = pt__typed_alias(a, null, like->name);
    alias->base.nullable = true;
    return &alias->base;
}

/* Both sides in the order of the left one's names; missing columns are NULL when allowed. */
static pt_status match_by_name(pt__analyzer *a, const pt_plan_set_operation *node, const pt_plan **left,
                               const pt_plan **right, pt_error *err)
{
    pt__list(const pt_expr *) from_left = {0};
    pt__list(const pt_expr *) from_right = {0};
    for (size_t i = 0; i < (*left)->column_count; i++) {
        const pt_column *column = &(*left)->columns[i];
        if (column->is_hidden)
            continue;
        int index = pt__find_column(a, *right, column->name);
        if (index < 0 && !node->allow_missing)
            return fail_by_name(a, node, column->name, *right, err);
        pt__list_push(a->arena, &from_left, pt__column_ref(a, column));
        pt__list_push(a->arena, &from_right,
                      index < 0 ? null_column(a, column) : pt__column_ref(a, &(*right)->columns[index]));
    }
    for (size_t i = 0; i < (*right)->column_count; i++) {
        const pt_column *column = &(*right)->columns[i];
        if (column->is_hidden || pt__find_column(a, *left, column->name) != -1)
            continue;
        if (!node->allow_missing)
            return fail_width(a, node, pt__visible_count(*left), pt__visible_count(*right), err);
        pt__list_push(a->arena, &from_left, null_column(a, column));
        pt__list_push(a->arena, &from_right, pt__column_ref(a, column));
    }
    *left = pt__project(a, *left, from_left.items, from_left.count, NULL);
    *right = pt__project(a, *right, from_right.items, from_right.count, NULL);
    return PT_OK;
}

static bool output_nullable(pt_set_kind kind, bool left, bool right)
{
    switch (kind) {
    case PT_SET_UNION: return left || right;
    case PT_SET_INTERSECT: return left && right;
    case PT_SET_EXCEPT: return left;
    }
    return true;
}

static pt_status unify_sides(pt__analyzer *a, const pt_plan_set_operation *node, pt_plan_set_operation *set,
                             pt_error *err)
{
    size_t left_count;
    size_t right_count;
    const pt_expr *const *left = pt__visible_refs(a, set->left, &left_count);
    const pt_expr *const *right = pt__visible_refs(a, set->right, &right_count);
    if (left_count != right_count)
        return fail_width(a, node, left_count, right_count, err);
    const pt_type **types = pt__arena_array(a->arena, const pt_type *, left_count + 1);
    pt_column *columns = pt__arena_array(a->arena, pt_column, left_count + 1);
    for (size_t i = 0; i < left_count; i++) {
        types[i] = pt__common_type(a, left[i]->type, right[i]->type);
        if (types[i] == NULL)
            return fail_incompatible(a, node, i, left[i]->type, right[i]->type, err);
        columns[i] = pt__new_column(a, pt__expr_as_column(left[i])->name, types[i],
                                    output_nullable(node->set_kind, left[i]->nullable, right[i]->nullable));
    }
    size_t visible = 0;
    for (size_t i = 0; i < set->left->column_count; i++) {
        if (!set->left->columns[i].is_hidden)
            columns[visible++].metadata = set->left->columns[i].metadata;
    }
    set->left = pt__cast_columns(a, set->left, types);
    set->right = pt__cast_columns(a, set->right, types);
    set->base.columns = columns;
    set->base.column_count = left_count;
    return PT_OK;
}

/* Sides of a set operation show no hidden columns: rows are compared whole. */
static const pt_plan *visible_only(pt__analyzer *a, const pt_plan *plan)
{
    if (pt__visible_count(plan) == plan->column_count)
        return plan;
    size_t count;
    const pt_expr *const *refs = pt__visible_refs(a, plan, &count);
    return pt__project(a, plan, refs, count, plan);
}

PT_ANALYZE_KIND(set_operation)
{
    pt_plan_set_operation *set = pt__plan_make(a->arena, SET_OPERATION, set_operation, node->base.origin);
    pt__inherit(&set->base, &node->base);
    set->set_kind = node->set_kind;
    set->is_all = node->is_all;
    PT_TRY(pt__analyze_plan(a, node->left, &set->left, err));
    PT_TRY(pt__analyze_plan(a, node->right, &set->right, err));
    set->left = visible_only(a, set->left);
    set->right = visible_only(a, set->right);
    if (node->by_name)
        PT_TRY(match_by_name(a, node, &set->left, &set->right, err));
    PT_TRY(unify_sides(a, node, set, err));
    *out = &set->base;
    return PT_OK;
}

/* Joins of all kinds. */
#include "decode/substrait/internal.h"

#define TYPE(name) SUBSTRAIT__JOIN_REL__JOIN_TYPE__JOIN_TYPE_##name
#define HASH_TYPE(name) SUBSTRAIT__HASH_JOIN_REL__JOIN_TYPE__JOIN_TYPE_##name

/** A join of whichever message. */
typedef struct join_parts {
    const Substrait__RelCommon *common;
    relation_of left;
    relation_of right;
    int type; /* of JoinRel */
    const Substrait__Expression *condition;
    const Substrait__Expression *residual;
    const Substrait__Expression *post_filter;
    Substrait__ComparisonJoinKey *const *keys;
    size_t key_count;
    Substrait__Expression__FieldReference *const *left_keys; /* the old form */
    Substrait__Expression__FieldReference *const *right_keys;
    size_t old_key_count;
    scope s; /* of the condition */
} join_parts;

static pt_status decode_sides(decoder *d, const scope *outer, const Substrait__Rel *left, const Substrait__Rel *right,
                              join_parts *join)
{
    PT_TRY(pt__substrait_relation_in(d, outer, left, &join->left));
    PT_TRY(pt__substrait_relation_in(d, outer, right, &join->right));
    PT_TRY(pt__substrait_need_columns(d, &join->left, "a join"));
    PT_TRY(pt__substrait_need_columns(d, &join->right, "a join"));
    relation_of both = {NULL, pt__substrait_concat(d, join->left.columns, join->right.columns)};
    join->s = pt__substrait_scope_of(outer, &both, join->common);
    join->s.left_width = (uint32_t)join->left.columns->field_count;
    join->s.right_width = (uint32_t)join->right.columns->field_count;
    return PT_OK;
}

/* ---- conditions ---- */

static pt_status key_comparison(decoder *d, const Substrait__ComparisonJoinKey *key, const char **out)
{
    const Substrait__ComparisonJoinKey__ComparisonType *m = key->comparison;
    *out = "=";
    if (m == NULL)
        return PT_OK;
    if (m->inner_type_case != SUBSTRAIT__COMPARISON_JOIN_KEY__COMPARISON_TYPE__INNER_TYPE_SIMPLE)
        return pt__substrait_unknown_kind(d, &m->base, m->inner_type_case);
    switch ((int)m->simple) {
    case SUBSTRAIT__COMPARISON_JOIN_KEY__SIMPLE_COMPARISON_TYPE__SIMPLE_COMPARISON_TYPE_EQ: return PT_OK;
    case SUBSTRAIT__COMPARISON_JOIN_KEY__SIMPLE_COMPARISON_TYPE__SIMPLE_COMPARISON_TYPE_IS_NOT_DISTINCT_FROM:
        *out = "<=>";
        return PT_OK;
    default: return pt__substrait_unsupported(d, "the Substrait key comparison %d", (int)m->simple);
    }
}

static pt_status key_condition(decoder *d, const join_parts *join, const Substrait__Expression__FieldReference *left,
                               const Substrait__Expression__FieldReference *right, const char *comparison,
                               const pt_expr **out)
{
    value_of sides[2];
    scope s = join->s;
    if (left == NULL || right == NULL)
        return pt__substrait_bad(d, "a key of a join is missing");
    PT_TRY(pt__substrait_reference(d, &s, left, &sides[0]));
    s.first = join->s.left_width;
    PT_TRY(pt__substrait_reference(d, &s, right, &sides[1]));
    *out = pt__substrait_call(d, comparison, 2, sides[0].expr, sides[1].expr, NULL);
    return PT_OK;
}

/* Keys, condition and residual, all of which must hold; NULL for none. */
static pt_status whole_condition(decoder *d, const join_parts *join, const pt_expr **out)
{
    const Substrait__Expression *rest[] = {join->condition, join->residual};
    const pt_expr **parts = pt__arena_array(d->arena, const pt_expr *, join->key_count + join->old_key_count + 2);
    size_t count = 0;
    for (size_t i = 0; i < join->key_count; i++) {
        const char *comparison;
        PT_TRY(key_comparison(d, join->keys[i], &comparison));
        PT_TRY(key_condition(d, join, join->keys[i]->left, join->keys[i]->right, comparison, &parts[count++]));
    }
    for (size_t i = 0; i < join->old_key_count; i++)
        PT_TRY(key_condition(d, join, join->left_keys[i], join->right_keys[i], "=", &parts[count++]));
    for (size_t i = 0; i < 2; i++) {
        if (rest[i] != NULL)
            PT_TRY(pt__substrait_condition(d, &join->s, rest[i], &parts[count++]));
    }
    *out = pt__substrait_fold(d, "and", parts, count);
    return PT_OK;
}

/* ---- kinds ---- */

static pt_status plain_join(decoder *d, join_parts *join, pt_join_kind kind, bool is_swapped, relation_of *out)
{
    pt_plan_join *node = pt__plan_make(d->arena, JOIN, join, NULL);
    join->s.layout = is_swapped ? PT_SUBSTRAIT_SWAPPED : PT_SUBSTRAIT_STRAIGHT;
    PT_TRY(whole_condition(d, join, &node->condition));
    node->left = is_swapped ? join->right.plan : join->left.plan;
    node->right = is_swapped ? join->left.plan : join->right.plan;
    node->join_kind = kind == PT_JOIN_INNER && node->condition == NULL ? PT_JOIN_CROSS : kind;
    if (node->condition == NULL && node->join_kind != PT_JOIN_CROSS)
        node->condition = pt__expr_boolean(d->arena, true);
    bool is_one_sided = kind == PT_JOIN_LEFT_SEMI || kind == PT_JOIN_LEFT_ANTI;
    out->plan = &node->base;
    out->columns = !is_one_sided ? join->s.columns : is_swapped ? join->right.columns : join->left.columns;
    return PT_OK;
}

static const pt_plan *largest_of(decoder *d, const pt_plan *rows, const pt_expr *number)
{
    pt_plan_aggregate *counted = pt__plan_make(d->arena, AGGREGATE, aggregate, NULL);
    const pt_expr **aggregates = pt__arena_array(d->arena, const pt_expr *, 1);
    aggregates[0] = pt__substrait_call(d, "max", 1, number, NULL, NULL);
    counted->input = rows;
    counted->aggregates = aggregates;
    counted->aggregate_count = 1;
    return &counted->base;
}

/*
 * The mark of a row: true when a row of the other side fits, else NULL when it is not known of one, else false. The
 * largest of 2, 1 and 0 over the other side, which a subquery finds, says which.
 */
const pt_expr *pt__substrait_mark(decoder *d, const pt_plan *other, const pt_expr *condition)
{
    const pt_expr *number = pt__expr_cast(d->arena, condition, PT_T(INT), PT_CAST_ANSI);
    const pt_expr *twice = pt__substrait_call(d, "*", 2, number, pt__expr_int(d->arena, 2), NULL);
    const pt_expr *rank = pt__substrait_call(d, "coalesce", 2, twice, pt__expr_int(d->arena, 1), NULL);
    pt_expr_subquery *best = pt__expr_make(d->arena, SUBQUERY, subquery, NULL);
    best->subquery_kind = PT_SUBQUERY_SCALAR;
    best->plan = largest_of(d, other, rank);
    const pt_expr *marks = pt__substrait_call(d, "array", 3, pt__expr_boolean(d->arena, false),
                                              pt__expr_null(d->arena, PT_T(BOOLEAN)), pt__expr_boolean(d->arena, true));
    const pt_expr *index = pt__substrait_call(d, "coalesce", 2, &best->base, pt__expr_int(d->arena, 0), NULL);
    return pt__substrait_call(d, "get", 2, marks, index, NULL);
}

static pt_status mark_join(decoder *d, join_parts *join, bool is_right, relation_of *out)
{
    const relation_of *kept = is_right ? &join->right : &join->left;
    const relation_of *other = is_right ? &join->left : &join->right;
    const pt_expr *condition;
    join->s.layout = is_right ? PT_SUBSTRAIT_MARK_RIGHT : PT_SUBSTRAIT_MARK_LEFT;
    PT_TRY(whole_condition(d, join, &condition));
    if (condition == NULL)
        condition = pt__expr_boolean(d->arena, true);
    size_t width = kept->columns->field_count;
    value_of *values = pt__arena_array(d->arena, value_of, width + 1);
    for (size_t i = 0; i < width; i++)
        values[i] = (value_of){pt__substrait_ordinal(d, (uint32_t)i, 0), kept->columns->fields[i].type};
    values[width] = (value_of){pt__substrait_mark(d, other->plan, condition), PT_T(BOOLEAN)};
    *out = pt__substrait_project_of(d, kept->plan, values, width + 1);
    return PT_OK;
}

static pt_status join_by_type(decoder *d, join_parts *join, relation_of *out)
{
    switch (join->type) {
    case TYPE(INNER): return plain_join(d, join, PT_JOIN_INNER, false, out);
    case TYPE(OUTER): return plain_join(d, join, PT_JOIN_FULL, false, out);
    case TYPE(LEFT): return plain_join(d, join, PT_JOIN_LEFT, false, out);
    case TYPE(RIGHT): return plain_join(d, join, PT_JOIN_RIGHT, false, out);
    case TYPE(LEFT_SEMI): return plain_join(d, join, PT_JOIN_LEFT_SEMI, false, out);
    case TYPE(RIGHT_SEMI): return plain_join(d, join, PT_JOIN_LEFT_SEMI, true, out);
    case TYPE(LEFT_ANTI): return plain_join(d, join, PT_JOIN_LEFT_ANTI, false, out);
    case TYPE(RIGHT_ANTI): return plain_join(d, join, PT_JOIN_LEFT_ANTI, true, out);
    case TYPE(LEFT_MARK): return mark_join(d, join, false, out);
    case TYPE(RIGHT_MARK): return mark_join(d, join, true, out);
    default:
        return pt__substrait_unsupported(
            d, "the Substrait join type %s",
            pt__substrait_enum_name(d, &substrait__join_rel__join_type__descriptor, join->type));
    }
}

/* ---- messages ---- */

/* Hash, merge and nested loop joins number their types alike, and otherwise than plain joins. */
static int plain_type(int type)
{
    switch (type) {
    case HASH_TYPE(RIGHT_SEMI): return TYPE(RIGHT_SEMI);
    case HASH_TYPE(LEFT_ANTI): return TYPE(LEFT_ANTI);
    case HASH_TYPE(RIGHT_ANTI): return TYPE(RIGHT_ANTI);
    case HASH_TYPE(LEFT_SINGLE): return TYPE(LEFT_SINGLE);
    case HASH_TYPE(LEFT_SEMI): return TYPE(LEFT_SEMI);
    default: return type;
    }
}

static pt_status read_join(decoder *d, const scope *outer, const Substrait__JoinRel *m, join_parts *join)
{
    join->common = m->common;
    join->type = (int)m->type;
    join->condition = m->expression;
    join->post_filter = m->post_join_filter;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "join"));
    return decode_sides(d, outer, m->left, m->right, join);
}

static pt_status read_cross(decoder *d, const scope *outer, const Substrait__CrossRel *m, join_parts *join)
{
    join->common = m->common;
    join->type = TYPE(INNER);
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "cross"));
    return decode_sides(d, outer, m->left, m->right, join);
}

static pt_status check_old_keys(decoder *d, size_t left, size_t right)
{
    return left == right ? PT_OK : pt__substrait_bad(d, "a join has %zu left keys and %zu right ones", left, right);
}

static pt_status read_hash(decoder *d, const scope *outer, const Substrait__HashJoinRel *m, join_parts *join)
{
    join->common = m->common;
    join->type = plain_type((int)m->type);
    join->keys = m->keys;
    join->key_count = m->n_keys;
    join->left_keys = m->left_keys;
    join->right_keys = m->right_keys;
    join->old_key_count = m->n_keys == 0 ? m->n_left_keys : 0;
    join->residual = m->residual_expression;
    join->post_filter = m->post_join_filter;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "hash_join"));
    PT_TRY(check_old_keys(d, m->n_left_keys, m->n_right_keys));
    return decode_sides(d, outer, m->left, m->right, join);
}

static pt_status read_merge(decoder *d, const scope *outer, const Substrait__MergeJoinRel *m, join_parts *join)
{
    join->common = m->common;
    join->type = plain_type((int)m->type);
    join->keys = m->keys;
    join->key_count = m->n_keys;
    join->left_keys = m->left_keys;
    join->right_keys = m->right_keys;
    join->old_key_count = m->n_keys == 0 ? m->n_left_keys : 0;
    join->residual = m->residual_expression;
    join->post_filter = m->post_join_filter;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "merge_join"));
    PT_TRY(check_old_keys(d, m->n_left_keys, m->n_right_keys));
    return decode_sides(d, outer, m->left, m->right, join);
}

static pt_status read_nested_loop(decoder *d, const scope *outer, const Substrait__NestedLoopJoinRel *m,
                                  join_parts *join)
{
    join->common = m->common;
    join->type = plain_type((int)m->type);
    join->condition = m->expression;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "nested_loop_join"));
    return decode_sides(d, outer, m->left, m->right, join);
}

static pt_status read_any(decoder *d, const scope *outer, const Substrait__Rel *rel, join_parts *join)
{
    switch ((int)rel->rel_type_case) {
    case SUBSTRAIT__REL__REL_TYPE_JOIN: return read_join(d, outer, rel->join, join);
    case SUBSTRAIT__REL__REL_TYPE_CROSS: return read_cross(d, outer, rel->cross, join);
    case SUBSTRAIT__REL__REL_TYPE_HASH_JOIN: return read_hash(d, outer, rel->hash_join, join);
    case SUBSTRAIT__REL__REL_TYPE_MERGE_JOIN: return read_merge(d, outer, rel->merge_join, join);
    default: return read_nested_loop(d, outer, rel->nested_loop_join, join);
    }
}

pt_status pt__substrait_join(decoder *d, const scope *outer, const Substrait__Rel *rel, relation_of *out)
{
    join_parts join = {0};
    PT_TRY(read_any(d, outer, rel, &join));
    PT_TRY(join_by_type(d, &join, out));
    if (join.post_filter != NULL) {
        scope s = pt__substrait_scope_of(outer, out, join.common);
        const pt_expr *condition;
        PT_TRY(pt__substrait_condition(d, &s, join.post_filter, &condition));
        out->plan = pt__substrait_filter_of(d, out->plan, condition);
    }
    return pt__substrait_emit(d, join.common, out);
}

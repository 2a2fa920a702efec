/* Joins. */
#include "decode/datafusion/internal.h"

#include <string.h>

#define JOIN(name) DATAFUSION_COMMON__JOIN_TYPE__##name

typedef pt__df_relation relation;

typedef struct join {
    pt__df *d;
    const Datafusion__JoinNode *node;
    relation left;
    relation right;
    relation both;
    const pt_expr *condition; /* NULL: none */
} join;

static relation beside(pt__df *d, const relation *a, const relation *b)
{
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, a->count + b->count);
    for (size_t i = 0; i < a->count + b->count; i++)
        columns[i] = i < a->count ? a->columns[i] : b->columns[i - a->count];
    return (relation){NULL, columns, a->count + b->count};
}

static void add_condition(join *j, const pt_expr *more)
{
    j->condition = j->condition == NULL ? more : pt__expr_call(j->d->arena, NULL, "and", 2, j->condition, more);
}

static pt_status key_condition(join *j, size_t at)
{
    const Datafusion__JoinNode *m = j->node;
    bool null_safe = m->null_equality == DATAFUSION_COMMON__NULL_EQUALITY__NULL_EQUALS_NULL;
    pt__df_value left;
    pt__df_value right;
    pt__df_value equal;
    PT_TRY(pt__df_expr(j->d, &j->left, m->left_join_key[at], &left));
    PT_TRY(pt__df_expr(j->d, &j->right, m->right_join_key[at], &right));
    PT_TRY(pt__df_operate(j->d, null_safe ? "IsNotDistinctFrom" : "Eq", left, right, &equal));
    add_condition(j, equal.expr);
    return PT_OK;
}

static pt_status conditions(join *j)
{
    const Datafusion__JoinNode *m = j->node;
    const pt_expr *filter;
    if (m->n_left_join_key != m->n_right_join_key)
        return pt__df_bad(j->d, "JoinNode has %zu left and %zu right keys", m->n_left_join_key, m->n_right_join_key);
    if ((unsigned)m->null_equality > DATAFUSION_COMMON__NULL_EQUALITY__NULL_EQUALS_NULL)
        return pt__df_bad(j->d, "JoinNode.null_equality: there is no %d", (int)m->null_equality);
    for (size_t i = 0; i < m->n_left_join_key; i++)
        PT_TRY(key_condition(j, i));
    PT_TRY(pt__df_condition(j->d, &j->both, m->filter, &filter));
    if (filter != NULL)
        add_condition(j, filter);
    return PT_OK;
}

static const pt_plan *make_join(join *j, pt_join_kind kind, const relation *left, const relation *right)
{
    pt_plan_join *made = pt__plan_make(j->d->arena, JOIN, join, NULL);
    made->left = left->plan;
    made->right = right->plan;
    made->join_kind = kind == PT_JOIN_INNER && j->condition == NULL ? PT_JOIN_CROSS : kind;
    made->condition =
        j->condition == NULL && made->join_kind != PT_JOIN_CROSS ? pt__expr_boolean(j->d->arena, true) : j->condition;
    return &made->base;
}

static pt_status join_both(join *j, pt_join_kind kind, relation *out)
{
    *out = j->both;
    out->plan = make_join(j, kind, &j->left, &j->right);
    return PT_OK;
}

/* Semi and anti joins give the rows of `kept`. */
static pt_status join_one(join *j, pt_join_kind kind, const relation *kept, const relation *other, relation *out)
{
    *out = *kept;
    out->plan = make_join(j, kind, kept, other);
    return PT_OK;
}

static const pt_plan *matching(join *j, const relation *other, const pt_expr *condition)
{
    relation rows = *other;
    if (condition != NULL)
        pt__df_filter(j->d, condition, &rows);
    return rows.plan;
}

/* The only table of the columns, if there is one. */
static const char *common_qualifier(const relation *r)
{
    const char *found = NULL;
    for (size_t i = 0; i < r->count; i++) {
        if (r->columns[i].qualifier == NULL)
            continue;
        if (found != NULL && strcmp(found, r->columns[i].qualifier) != 0)
            return NULL;
        found = r->columns[i].qualifier;
    }
    return found;
}

/* The rows of `kept` with a column that says whether there is a match. */
static pt_status join_mark(join *j, const relation *kept, const relation *other, relation *out)
{
    pt__df *d = j->d;
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, kept->count + 1);
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, kept->count + 1);
    for (size_t i = 0; i < kept->count; i++) {
        columns[i] = kept->columns[i];
        items[i] = pt__df_attribute(d, columns[i].id);
    }
    pt_expr_subquery *exists = pt__expr_make(d->arena, SUBQUERY, subquery, NULL);
    exists->subquery_kind = PT_SUBQUERY_EXISTS;
    exists->plan = matching(j, other, j->condition);
    items[kept->count] = &exists->base;
    columns[kept->count] = (pt__df_column){common_qualifier(other), "mark", NULL, PT_DF(BOOLEAN)};
    return pt__df_project(d, kept->plan, columns, items, kept->count + 1, out);
}

/* NOT IN: no row when there is a NULL among the other side's keys. */
static pt_status join_not_in(join *j, relation *out)
{
    pt__df *d = j->d;
    const Datafusion__JoinNode *m = j->node;
    pt__df_value keys[2];
    const pt_expr *filter;
    relation inner;
    if (m->join_type != JOIN(LEFTANTI) || m->n_left_join_key != 1 || m->n_right_join_key != 1)
        return pt__df_refuse(d, "JoinNode.null_aware but for an anti join by one key");
    PT_TRY(pt__df_expr(d, &j->left, m->left_join_key[0], &keys[0]));
    PT_TRY(pt__df_expr(d, &j->right, m->right_join_key[0], &keys[1]));
    PT_TRY(pt__df_condition(d, &j->both, m->filter, &filter));
    PT_TRY(pt__df_unify(d, keys, 2, "NOT IN"));
    pt__df_column *column = pt__arena_make(d->arena, pt__df_column);
    *column = (pt__df_column){NULL, "key", NULL, keys[1].type};
    PT_TRY(pt__df_project(d, matching(j, &j->right, filter), column, &keys[1].expr, 1, &inner));
    const pt_expr **left = pt__arena_array(d->arena, const pt_expr *, 1);
    left[0] = keys[0].expr;
    pt_expr_subquery *in = pt__expr_make(d->arena, SUBQUERY, subquery, NULL);
    in->subquery_kind = PT_SUBQUERY_IN;
    in->values = left;
    in->value_count = 1;
    in->plan = inner.plan;
    *out = j->left;
    return pt__df_filter(d, pt__df_not(d, &in->base, true), out);
}

static pt_status join_by_type(join *j, relation *out)
{
    switch ((int)j->node->join_type) {
    case JOIN(INNER): return join_both(j, PT_JOIN_INNER, out);
    case JOIN(LEFT): return join_both(j, PT_JOIN_LEFT, out);
    case JOIN(RIGHT): return join_both(j, PT_JOIN_RIGHT, out);
    case JOIN(FULL): return join_both(j, PT_JOIN_FULL, out);
    case JOIN(LEFTSEMI): return join_one(j, PT_JOIN_LEFT_SEMI, &j->left, &j->right, out);
    case JOIN(LEFTANTI): return join_one(j, PT_JOIN_LEFT_ANTI, &j->left, &j->right, out);
    case JOIN(RIGHTSEMI): return join_one(j, PT_JOIN_LEFT_SEMI, &j->right, &j->left, out);
    case JOIN(RIGHTANTI): return join_one(j, PT_JOIN_LEFT_ANTI, &j->right, &j->left, out);
    case JOIN(LEFTMARK): return join_mark(j, &j->left, &j->right, out);
    case JOIN(RIGHTMARK): return join_mark(j, &j->right, &j->left, out);
    default: return pt__df_bad(j->d, "JoinNode.join_type: there is no %d", (int)j->node->join_type);
    }
}

pt_status pt__df_join(pt__df *d, const Datafusion__JoinNode *node, relation *out)
{
    join j = {.d = d, .node = node};
    if (node->left == NULL || node->right == NULL)
        return pt__df_bad(d, "JoinNode.%s is missing", node->left == NULL ? "left" : "right");
    PT_TRY(pt__df_relation_of(d, node->left, &j.left));
    PT_TRY(pt__df_relation_of(d, node->right, &j.right));
    j.both = beside(d, &j.left, &j.right);
    if (node->null_aware)
        return join_not_in(&j, out);
    PT_TRY(conditions(&j));
    return join_by_type(&j, out);
}

pt_status pt__df_cross_join(pt__df *d, const Datafusion__CrossJoinNode *node, relation *out)
{
    join j = {.d = d};
    if (node->left == NULL || node->right == NULL)
        return pt__df_bad(d, "CrossJoinNode.%s is missing", node->left == NULL ? "left" : "right");
    PT_TRY(pt__df_relation_of(d, node->left, &j.left));
    PT_TRY(pt__df_relation_of(d, node->right, &j.right));
    j.both = beside(d, &j.left, &j.right);
    return join_both(&j, PT_JOIN_INNER, out);
}

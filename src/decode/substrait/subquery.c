/* Subqueries. */
#include "decode/substrait/internal.h"

#define KIND(name) SUBSTRAIT__EXPRESSION__SUBQUERY__SUBQUERY_TYPE_##name

static const pt_expr *make_subquery(decoder *d, pt_subquery_kind kind, const pt_plan *plan,
                                    const pt_expr *const *values, size_t count)
{
    pt_expr_subquery *node = pt__expr_make(d->arena, SUBQUERY, subquery, NULL);
    node->subquery_kind = kind;
    node->plan = plan;
    node->values = values;
    node->value_count = count;
    return &node->base;
}

static pt_status decode_scalar(decoder *d, const scope *s, const Substrait__Expression__Subquery__Scalar *m,
                               value_of *out)
{
    relation_of input;
    PT_TRY(pt__substrait_relation_in(d, s, m->input, &input));
    if (input.columns != NULL && input.columns->field_count != 1)
        return pt__substrait_bad(d, "a scalar subquery has %zu columns", input.columns->field_count);
    out->type = input.columns == NULL ? NULL : input.columns->fields[0].type;
    out->expr = make_subquery(d, PT_SUBQUERY_SCALAR, input.plan, NULL, 0);
    return PT_OK;
}

static pt_status decode_in(decoder *d, const scope *s, const Substrait__Expression__Subquery__InPredicate *m,
                           value_of *out)
{
    relation_of haystack;
    const pt_expr **needles = pt__arena_array(d->arena, const pt_expr *, m->n_needles + 1);
    for (size_t i = 0; i < m->n_needles; i++) {
        value_of needle;
        PT_TRY(pt__substrait_expression(d, s, m->needles[i], &needle));
        needles[i] = needle.expr;
    }
    PT_TRY(pt__substrait_relation_in(d, s, m->haystack, &haystack));
    bool differ = haystack.columns != NULL && haystack.columns->field_count != m->n_needles;
    if (m->n_needles == 0 || differ)
        return pt__substrait_bad(d, "an in_predicate has %zu needles for %zu columns", m->n_needles,
                                 haystack.columns == NULL ? 0 : haystack.columns->field_count);
    out->type = PT_T(BOOLEAN);
    out->expr = make_subquery(d, PT_SUBQUERY_IN, haystack.plan, needles, m->n_needles);
    return PT_OK;
}

/* Rows that are there more than once, when none of their columns is NULL. */
static pt_status repeated_rows(decoder *d, const relation_of *tuples, const pt_plan **out)
{
    PT_TRY(pt__substrait_need_columns(d, tuples, "a unique predicate"));
    size_t width = tuples->columns->field_count;
    const pt_expr **columns = pt__arena_array(d->arena, const pt_expr *, width + 1);
    const pt_expr **present = pt__arena_array(d->arena, const pt_expr *, width + 1);
    for (size_t i = 0; i < width; i++) {
        columns[i] = pt__substrait_ordinal(d, (uint32_t)i, 0);
        present[i] = pt__substrait_call(d, "isnotnull", 1, columns[i], NULL, NULL);
    }
    const pt_plan *input = tuples->plan;
    if (width != 0)
        input = pt__substrait_filter_of(d, input, pt__substrait_fold(d, "and", present, width));
    pt_plan_aggregate *groups = pt__plan_make(d->arena, AGGREGATE, aggregate, NULL);
    const pt_expr **counts = pt__arena_array(d->arena, const pt_expr *, 1);
    counts[0] = pt__substrait_call(d, "count", 1, pt__expr_int(d->arena, 1), NULL, NULL);
    groups->input = input;
    groups->grouping = columns;
    groups->grouping_count = width;
    groups->aggregates = counts;
    groups->aggregate_count = 1;
    groups->prepend_grouping = true;
    const pt_expr *count = pt__substrait_ordinal(d, (uint32_t)width, 0);
    *out = pt__substrait_filter_of(d, &groups->base,
                                   pt__substrait_call(d, ">", 2, count, pt__expr_long(d->arena, 1), NULL));
    return PT_OK;
}

static pt_status decode_set_predicate(decoder *d, const scope *s,
                                      const Substrait__Expression__Subquery__SetPredicate *m, value_of *out)
{
    relation_of tuples;
    PT_TRY(pt__substrait_relation_in(d, s, m->tuples, &tuples));
    out->type = PT_T(BOOLEAN);
    switch ((int)m->predicate_op) {
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_PREDICATE__PREDICATE_OP__PREDICATE_OP_EXISTS:
        out->expr = make_subquery(d, PT_SUBQUERY_EXISTS, tuples.plan, NULL, 0);
        return PT_OK;
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_PREDICATE__PREDICATE_OP__PREDICATE_OP_UNIQUE: {
        const pt_plan *repeated;
        PT_TRY(repeated_rows(d, &tuples, &repeated));
        const pt_expr *exists = make_subquery(d, PT_SUBQUERY_EXISTS, repeated, NULL, 0);
        out->expr = pt__substrait_call(d, "not", 1, exists, NULL, NULL);
        return PT_OK;
    }
    default: return pt__substrait_unsupported(d, "the Substrait set predicate %d", (int)m->predicate_op);
    }
}

/* ---- comparisons with all rows or any ---- */

static const char *comparison_name(int op)
{
    switch (op) {
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__COMPARISON_OP__COMPARISON_OP_EQ: return "=";
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__COMPARISON_OP__COMPARISON_OP_NE: return "!=";
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__COMPARISON_OP__COMPARISON_OP_LT: return "<";
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__COMPARISON_OP__COMPARISON_OP_GT: return ">";
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__COMPARISON_OP__COMPARISON_OP_LE: return "<=";
    case SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__COMPARISON_OP__COMPARISON_OP_GE: return ">=";
    default: return NULL;
    }
}

/* ANY is the mark of the left side among the rows, ALL says that none of them compares otherwise. */
static const pt_expr *reduce(decoder *d, const pt_plan *rows, const pt_expr *compared, bool is_any)
{
    if (is_any)
        return pt__substrait_mark(d, rows, compared);
    const pt_expr *otherwise = pt__substrait_call(d, "not", 1, compared, NULL, NULL);
    return pt__substrait_call(d, "not", 1, pt__substrait_mark(d, rows, otherwise), NULL, NULL);
}

static pt_status decode_set_comparison(decoder *d, const scope *s,
                                       const Substrait__Expression__Subquery__SetComparison *m, value_of *out)
{
    const char *name = comparison_name((int)m->comparison_op);
    bool is_any = m->reduction_op == SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__REDUCTION_OP__REDUCTION_OP_ANY;
    bool is_all = m->reduction_op == SUBSTRAIT__EXPRESSION__SUBQUERY__SET_COMPARISON__REDUCTION_OP__REDUCTION_OP_ALL;
    if (name == NULL || (!is_any && !is_all))
        return pt__substrait_unsupported(d, "the Substrait set comparison %d of reduction %d", (int)m->comparison_op,
                                         (int)m->reduction_op);
    relation_of rows;
    PT_TRY(pt__substrait_relation_in(d, s, m->right, &rows));
    scope inner = pt__substrait_scope_of(s, &rows, NULL);
    value_of left;
    value_of right;
    pt__substrait_scope shifted = *s;
    shifted.is_enclosing = true;
    PT_TRY(pt__substrait_expression(d, &shifted, m->left, &left));
    PT_TRY(pt__substrait_column(d, &inner, 0, 0, &right));
    const pt_expr *compared = pt__substrait_call(d, name, 2, left.expr, right.expr, NULL);
    out->type = PT_T(BOOLEAN);
    out->expr = reduce(d, rows.plan, compared, is_any);
    return PT_OK;
}

pt_status pt__substrait_subquery(decoder *d, const scope *s, const Substrait__Expression__Subquery *m, value_of *out)
{
    switch ((int)m->subquery_type_case) {
    case KIND(SCALAR): return decode_scalar(d, s, m->scalar, out);
    case KIND(IN_PREDICATE): return decode_in(d, s, m->in_predicate, out);
    case KIND(SET_PREDICATE): return decode_set_predicate(d, s, m->set_predicate, out);
    case KIND(SET_COMPARISON): return decode_set_comparison(d, s, m->set_comparison, out);
    default: return pt__substrait_unknown_kind(d, &m->base, m->subquery_type_case);
    }
}

/* Aggregates, set operations and expansions. */
#include "decode/substrait/internal.h"

#include <string.h>

/* ---- grouping ---- */

/** Grouping expressions without repetition, and the sets of their positions. */
typedef struct grouping {
    pt__list(value_of) values;
    pt__list(uint32_t) outputs; /* positions in `values`, of the columns that come out */
    pt_grouping_set *sets;
    size_t set_count;
} grouping;

static uint32_t position_of(decoder *d, grouping *g, const value_of *value)
{
    for (size_t i = 0; i < g->values.count; i++) {
        if (pt__expr_equal(g->values.items[i].expr, value->expr))
            return (uint32_t)i;
    }
    pt__list_push(d->arena, &g->values, *value);
    return (uint32_t)(g->values.count - 1);
}

static bool has_member(const pt_grouping_set *set, uint32_t position)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->members[i] == position)
            return true;
    }
    return false;
}

static void add_member(pt_grouping_set *set, uint32_t position)
{
    if (!has_member(set, position))
        ((uint32_t *)set->members)[set->count++] = position;
}

/* The old form: each grouping has its expressions. */
static pt_status old_set(decoder *d, const scope *s, const Substrait__AggregateRel__Grouping *m, grouping *g,
                         pt_grouping_set *set)
{
    set->members = pt__arena_array(d->arena, uint32_t, m->n_grouping_expressions + 1);
    for (size_t i = 0; i < m->n_grouping_expressions; i++) {
        value_of value;
        PT_TRY(pt__substrait_expression(d, s, m->grouping_expressions[i], &value));
        add_member(set, position_of(d, g, &value));
    }
    return PT_OK;
}

static pt_status new_set(decoder *d, const Substrait__AggregateRel__Grouping *m, const grouping *g,
                         pt_grouping_set *set)
{
    set->members = pt__arena_array(d->arena, uint32_t, m->n_expression_references + 1);
    for (size_t i = 0; i < m->n_expression_references; i++) {
        uint32_t reference = m->expression_references[i];
        if (reference >= g->outputs.count)
            return pt__substrait_bad(d, "a grouping refers to expression %u of %zu", reference, g->outputs.count);
        add_member(set, g->outputs.items[reference]);
    }
    return PT_OK;
}

static pt_status decode_grouping(decoder *d, const scope *s, const Substrait__AggregateRel *m, grouping *g)
{
    for (size_t i = 0; i < m->n_grouping_expressions; i++) {
        value_of value;
        PT_TRY(pt__substrait_expression(d, s, m->grouping_expressions[i], &value));
        pt__list_push(d->arena, &g->outputs, position_of(d, g, &value));
    }
    g->sets = pt__arena_array(d->arena, pt_grouping_set, m->n_groupings + 1);
    g->set_count = m->n_groupings;
    for (size_t i = 0; i < m->n_groupings; i++) {
        if (m->n_grouping_expressions != 0)
            PT_TRY(new_set(d, m->groupings[i], g, &g->sets[i]));
        else
            PT_TRY(old_set(d, s, m->groupings[i], g, &g->sets[i]));
    }
    return PT_OK;
}

/* ---- grouping sets ---- */

/* grouping_id() of a set: a bit per expression, the first one highest, set where it is not grouped by. */
static int64_t id_of_set(const pt_grouping_set *set, size_t width)
{
    int64_t id = 0;
    for (size_t i = 0; i < width; i++)
        id = id * 2 + !has_member(set, (uint32_t)i);
    return id;
}

static pt_status check_sets(decoder *d, const grouping *g)
{
    enum { MOST_COLUMNS = 62 };
    if (g->values.count > MOST_COLUMNS)
        return pt__substrait_unsupported(d, "Substrait grouping sets over %zu expressions", g->values.count);
    for (size_t i = 0; i < g->set_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (id_of_set(&g->sets[i], g->values.count) == id_of_set(&g->sets[k], g->values.count))
                return pt__substrait_unsupported(d, "Substrait grouping sets that repeat");
        }
    }
    return PT_OK;
}

/* The number of the set that a row is of. */
static const pt_expr *set_number(decoder *d, const grouping *g)
{
    pt_expr_case *node = pt__expr_make(d->arena, CASE, case, NULL);
    pt_case_branch *branches = pt__arena_array(d->arena, pt_case_branch, g->set_count);
    for (size_t i = 0; i < g->set_count; i++) {
        const pt_expr *id = pt__expr_call_list(d->arena, NULL, "grouping_id", NULL, 0);
        const pt_expr *wanted = pt__expr_long(d->arena, id_of_set(&g->sets[i], g->values.count));
        branches[i].condition = pt__substrait_call(d, "=", 2, id, wanted, NULL);
        branches[i].value = pt__expr_int(d->arena, (int32_t)i);
    }
    node->branches = branches;
    node->branch_count = g->set_count;
    return &node->base;
}

/* ---- the relation ---- */

static pt_status decode_measures(decoder *d, const scope *s, const Substrait__AggregateRel *m, value_of *out)
{
    for (size_t i = 0; i < m->n_measures; i++)
        PT_TRY(pt__substrait_measure(d, s, m->measures[i]->measure, m->measures[i]->filter, &out[i]));
    return PT_OK;
}

static void set_outputs(decoder *d, const grouping *g, const value_of *measures, size_t count, pt_plan_aggregate *node,
                        relation_of *out)
{
    size_t width = g->values.count;
    const pt_expr **grouped = pt__arena_array(d->arena, const pt_expr *, width + 1);
    const pt_expr **aggregates = pt__arena_array(d->arena, const pt_expr *, count + 1);
    pt_field *fields = pt__arena_array(d->arena, pt_field, width + count + 1);
    for (size_t i = 0; i < width + count; i++) {
        const value_of *value = i < width ? &g->values.items[i] : &measures[i - width];
        *(i < width ? &grouped[i] : &aggregates[i - width]) = value->expr;
        fields[i] = (pt_field){.name = "", .type = value->type, .nullable = true};
    }
    node->grouping = grouped;
    node->grouping_count = width;
    node->aggregates = aggregates;
    node->aggregate_count = count;
    out->plan = &node->base;
    out->columns = pt__type_struct(d->arena, fields, width + count);
}

/*
 * DataFusion counts as it computes: the columns grouped by, its grouping id, the measures. Spec of its id: a bit per column,
 * the last one lowest, set where the set has not the column.
 */
static void arrange_for_datafusion(decoder *d, const grouping *g, relation_of *out)
{
    size_t width = g->values.count;
    size_t count = out->columns->field_count;
    value_of *values = pt__arena_array(d->arena, value_of, count);
    for (size_t i = 0; i < count; i++) {
        size_t position = i < width ? i : i == width ? count - 1 : i - 1;
        values[i].expr = pt__substrait_ordinal(d, (uint32_t)position, 0);
        values[i].type = out->columns->fields[position].type;
    }
    *out = pt__substrait_project_of(d, out->plan, values, count);
}

/* Producers may list an expression several times, and then count a column for each. */
static void repeat_outputs(decoder *d, const grouping *g, relation_of *out)
{
    if (g->outputs.count <= g->values.count)
        return;
    size_t measures = out->columns->field_count - g->values.count;
    value_of *values = pt__arena_array(d->arena, value_of, g->outputs.count + measures);
    for (size_t i = 0; i < g->outputs.count + measures; i++) {
        size_t position = i < g->outputs.count ? g->outputs.items[i] : g->values.count + i - g->outputs.count;
        values[i].expr = pt__substrait_ordinal(d, (uint32_t)position, 0);
        values[i].type = out->columns->fields[position].type;
    }
    *out = pt__substrait_project_of(d, out->plan, values, g->outputs.count + measures);
}

pt_status pt__substrait_aggregate(decoder *d, const scope *outer, const Substrait__AggregateRel *m, relation_of *out)
{
    relation_of input;
    grouping g = {.sets = NULL};
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "aggregate"));
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, &input));
    scope s = pt__substrait_scope_of(outer, &input, m->common);
    PT_TRY(decode_grouping(d, &s, m, &g));
    value_of *measures = pt__arena_array(d->arena, value_of, m->n_measures + 1);
    size_t count = m->n_measures;
    PT_TRY(decode_measures(d, &s, m, measures));
    pt_plan_aggregate *node = pt__plan_make(d->arena, AGGREGATE, aggregate, NULL);
    node->input = input.plan;
    node->prepend_grouping = true;
    if (g.set_count > 1) {
        PT_TRY(check_sets(d, &g));
        node->group_kind = PT_GROUP_SETS;
        node->sets = g.sets;
        node->set_count = g.set_count;
        const pt_expr *number = pt__substrait_is_by(d, "datafusion")
                                    ? pt__expr_call_list(d->arena, NULL, "grouping_id", NULL, 0)
                                    : set_number(d, &g);
        measures[count++] = (value_of){number, PT_T(INT)};
    }
    if (count + g.values.count == 0)
        return pt__substrait_bad(d, "an aggregate has neither groupings nor measures");
    set_outputs(d, &g, measures, count, node, out);
    if (g.set_count > 1 && pt__substrait_is_by(d, "datafusion"))
        arrange_for_datafusion(d, &g, out);
    else
        repeat_outputs(d, &g, out);
    return PT_OK;
}

/* ---- sets ---- */

static const pt_plan *combine(decoder *d, pt_set_kind kind, bool is_all, const pt_plan *left, const pt_plan *right)
{
    pt_plan_set_operation *node = pt__plan_make(d->arena, SET_OPERATION, set_operation, NULL);
    node->set_kind = kind;
    node->is_all = is_all;
    node->left = left;
    node->right = right;
    return &node->base;
}

static const pt_plan *combine_all(decoder *d, pt_set_kind kind, bool is_all, const relation_of *inputs, size_t count)
{
    const pt_plan *plan = inputs[0].plan;
    for (size_t i = 1; i < count; i++)
        plan = combine(d, kind, is_all, plan, inputs[i].plan);
    return plan;
}

#define OP(name) SUBSTRAIT__SET_REL__SET_OP__SET_OP_##name

static pt_status set_plan(decoder *d, int op, const relation_of *inputs, size_t count, const pt_plan **out)
{
    const pt_plan *first = inputs[0].plan;
    const relation_of *others = inputs + 1;
    switch (op) {
    case OP(UNION_ALL): *out = combine_all(d, PT_SET_UNION, true, inputs, count); return PT_OK;
    case OP(UNION_DISTINCT): *out = combine_all(d, PT_SET_UNION, false, inputs, count); return PT_OK;
    case OP(MINUS_PRIMARY): *out = combine_all(d, PT_SET_EXCEPT, false, inputs, count); return PT_OK;
    case OP(MINUS_PRIMARY_ALL): *out = combine_all(d, PT_SET_EXCEPT, true, inputs, count); return PT_OK;
    case OP(MINUS_MULTISET): /* what is in all of the others */
        *out = combine(d, PT_SET_EXCEPT, false, first, combine_all(d, PT_SET_INTERSECT, false, others, count - 1));
        return PT_OK;
    case OP(INTERSECTION_PRIMARY): /* what is in any of the others */
        *out = combine(d, PT_SET_INTERSECT, false, first, combine_all(d, PT_SET_UNION, false, others, count - 1));
        return PT_OK;
    case OP(INTERSECTION_MULTISET): *out = combine_all(d, PT_SET_INTERSECT, false, inputs, count); return PT_OK;
    case OP(INTERSECTION_MULTISET_ALL): *out = combine_all(d, PT_SET_INTERSECT, true, inputs, count); return PT_OK;
    default:
        return pt__substrait_unsupported(d, "the Substrait set operation %s",
                                         pt__substrait_enum_name(d, &substrait__set_rel__set_op__descriptor, op));
    }
}

pt_status pt__substrait_set(decoder *d, const scope *outer, const Substrait__SetRel *m, relation_of *out)
{
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "set"));
    if (m->n_inputs < 2)
        return pt__substrait_bad(d, "a set operation has %zu inputs", m->n_inputs);
    relation_of *inputs = pt__arena_array(d->arena, relation_of, m->n_inputs);
    for (size_t i = 0; i < m->n_inputs; i++) {
        PT_TRY(pt__substrait_relation_in(d, outer, m->inputs[i], &inputs[i]));
        bool is_known = inputs[i].columns != NULL && inputs[0].columns != NULL;
        if (is_known && inputs[i].columns->field_count != inputs[0].columns->field_count)
            return pt__substrait_bad(d, "inputs of a set operation have %zu and %zu columns",
                                     inputs[0].columns->field_count, inputs[i].columns->field_count);
    }
    out->columns = inputs[0].columns;
    return set_plan(d, (int)m->op, inputs, m->n_inputs, &out->plan);
}

/* ---- expand ---- */

static pt_status count_duplicates(decoder *d, const Substrait__ExpandRel *m, size_t *out)
{
    *out = 0;
    for (size_t i = 0; i < m->n_fields; i++) {
        const Substrait__ExpandRel__ExpandField *field = m->fields[i];
        if (field->field_type_case != SUBSTRAIT__EXPAND_REL__EXPAND_FIELD__FIELD_TYPE_SWITCHING_FIELD)
            continue;
        size_t count = field->switching_field->n_duplicates;
        if (count == 0 || (*out != 0 && count != *out))
            return pt__substrait_bad(d, "the fields of an expand relation have %zu and %zu duplicates", *out, count);
        *out = count;
    }
    if (*out == 0)
        *out = 1;
    return PT_OK;
}

/* The row's number among its duplicates stands behind the input's columns. */
static const pt_plan *times_duplicates(decoder *d, const pt_plan *input, size_t count)
{
    pt_plan_range *range = pt__plan_make(d->arena, RANGE, range, NULL);
    range->end = (int64_t)count;
    range->step = 1;
    pt_plan_join *cross = pt__plan_make(d->arena, JOIN, join, NULL);
    cross->left = input;
    cross->right = &range->base;
    cross->join_kind = PT_JOIN_CROSS;
    return &cross->base;
}

static pt_status switching_field(decoder *d, const scope *s, const Substrait__ExpandRel__SwitchingField *m,
                                 const pt_expr *number, value_of *out)
{
    pt_expr_case *node = pt__expr_make(d->arena, CASE, case, NULL);
    pt_case_branch *branches = pt__arena_array(d->arena, pt_case_branch, m->n_duplicates);
    for (size_t i = 0; i < m->n_duplicates; i++) {
        value_of value;
        PT_TRY(pt__substrait_expression(d, s, m->duplicates[i], &value));
        const pt_expr *position = pt__expr_long(d->arena, (int64_t)i);
        branches[i].condition = pt__substrait_call(d, "=", 2, number, position, NULL);
        branches[i].value = value.expr;
        if (out->type == NULL || out->type->id == PT_TYPE_VOID)
            out->type = value.type;
    }
    node->branches = branches;
    node->branch_count = m->n_duplicates;
    out->expr = &node->base;
    return PT_OK;
}

static pt_status expand_field(decoder *d, const scope *s, const Substrait__ExpandRel__ExpandField *m,
                              const pt_expr *number, value_of *out)
{
    switch ((int)m->field_type_case) {
    case SUBSTRAIT__EXPAND_REL__EXPAND_FIELD__FIELD_TYPE_SWITCHING_FIELD:
        return switching_field(d, s, m->switching_field, number, out);
    case SUBSTRAIT__EXPAND_REL__EXPAND_FIELD__FIELD_TYPE_CONSISTENT_FIELD:
        return pt__substrait_expression(d, s, m->consistent_field, out);
    default: return pt__substrait_unknown_kind(d, &m->base, m->field_type_case);
    }
}

pt_status pt__substrait_expand(decoder *d, const scope *outer, const Substrait__ExpandRel *m, relation_of *out)
{
    relation_of input;
    size_t count;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "expand"));
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, &input));
    PT_TRY(pt__substrait_need_columns(d, &input, "an expand relation"));
    PT_TRY(count_duplicates(d, m, &count));
    scope s = pt__substrait_scope_of(outer, &input, m->common);
    const pt_expr *number = pt__substrait_ordinal(d, (uint32_t)input.columns->field_count, 0);
    value_of *values = pt__arena_array(d->arena, value_of, m->n_fields + 1);
    for (size_t i = 0; i < m->n_fields; i++)
        PT_TRY(expand_field(d, &s, m->fields[i], number, &values[i]));
    const pt_plan *rows = times_duplicates(d, input.plan, count);
    values[m->n_fields] = (value_of){pt__expr_cast(d->arena, number, PT_T(INT), PT_CAST_ANSI), PT_T(INT)};
    *out = pt__substrait_project_of(d, rows, values, m->n_fields + 1);
    return PT_OK;
}

/* Relations: the dispatch, the mapping that every relation may have, and the simple kinds. */
#include "decode/substrait/internal.h"

#include <string.h>
#include <strings.h>

#define KIND(name) SUBSTRAIT__REL__REL_TYPE_##name

bool pt__substrait_is_by(const decoder *d, const char *producer)
{
    const Substrait__Version *version = d->plan->version;
    return version != NULL && strcasecmp(version->producer, producer) == 0;
}

/* ---- building ---- */

pt_status pt__substrait_need_columns(decoder *d, const relation_of *relation, const char *where)
{
    if (relation->columns != NULL)
        return PT_OK;
    return pt__substrait_unsupported(d, "%s over an extension that does not tell its columns", where);
}

scope pt__substrait_scope_of(const scope *outer, const relation_of *input, const Substrait__RelCommon *common)
{
    bool has_anchor = common != NULL && common->_rel_anchor_case != 0;
    return (scope){.outer = outer, .columns = input->columns, .anchor = has_anchor ? common->rel_anchor : 0};
}

/* Whether an earlier value is the same column. */
static bool repeats(const value_of *values, size_t index)
{
    if (values[index].expr->kind != PT_EXPR_ORDINAL)
        return false;
    for (size_t i = 0; i < index; i++) {
        if (pt__expr_equal(values[i].expr, values[index].expr))
            return true;
    }
    return false;
}

relation_of pt__substrait_project_of(decoder *d, const pt_plan *input, const value_of *values, size_t count)
{
    const pt_expr **expressions = pt__arena_array(d->arena, const pt_expr *, count + 1);
    pt_field *fields = pt__arena_array(d->arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++) {
        expressions[i] = values[i].expr;
        if (repeats(values, i))
            expressions[i] = pt__expr_alias(d->arena, values[i].expr, pt__arena_printf(d->arena, "again%zu", i));
        fields[i] = (pt_field){.name = "", .type = values[i].type, .nullable = true};
    }
    pt_plan_project *project = pt__plan_make(d->arena, PROJECT, project, NULL);
    project->input = input;
    project->expressions = expressions;
    project->expression_count = count;
    return (relation_of){&project->base, pt__type_struct(d->arena, fields, count)};
}

const pt_plan *pt__substrait_filter_of(decoder *d, const pt_plan *input, const pt_expr *condition)
{
    pt_plan_filter *filter = pt__plan_make(d->arena, FILTER, filter, NULL);
    filter->input = input;
    filter->condition = condition;
    return &filter->base;
}

const pt_plan *pt__substrait_to_df(decoder *d, const pt_plan *input, const char *const *names, size_t count)
{
    pt_plan_to_df *node = pt__plan_make(d->arena, TO_DF, to_df, NULL);
    node->input = input;
    node->names = names;
    node->name_count = count;
    return &node->base;
}

const pt_type *pt__substrait_concat(decoder *d, const pt_type *left, const pt_type *right)
{
    if (left == NULL || right == NULL)
        return NULL;
    size_t count = left->field_count + right->field_count;
    pt_field *fields = pt__arena_array(d->arena, pt_field, count + 1);
    for (size_t i = 0; i < count; i++)
        fields[i] = i < left->field_count ? left->fields[i] : right->fields[i - left->field_count];
    return pt__type_struct(d->arena, fields, count);
}

/* ---- the mapping ---- */

static value_of column_value(decoder *d, const pt_type *columns, size_t position)
{
    return (value_of){pt__substrait_ordinal(d, (uint32_t)position, 0), columns->fields[position].type};
}

static bool has_mapping(const Substrait__RelCommon *common)
{
    return common != NULL && common->emit_kind_case == SUBSTRAIT__REL_COMMON__EMIT_KIND_EMIT;
}

static pt_status check_mapping(decoder *d, const Substrait__RelCommon__Emit *emit, size_t width)
{
    for (size_t i = 0; i < emit->n_output_mapping; i++) {
        if (emit->output_mapping[i] < 0 || (size_t)emit->output_mapping[i] >= width)
            return pt__substrait_bad(d, "a relation emits column %d of %zu", emit->output_mapping[i], width);
    }
    return PT_OK;
}

pt_status pt__substrait_emit(decoder *d, const Substrait__RelCommon *common, relation_of *relation)
{
    if (common != NULL)
        PT_TRY(pt__substrait_check_extension(d, common->advanced_extension, "common"));
    if (!has_mapping(common))
        return PT_OK;
    const Substrait__RelCommon__Emit *emit = common->emit;
    PT_TRY(pt__substrait_need_columns(d, relation, "an emit mapping"));
    PT_TRY(check_mapping(d, emit, relation->columns->field_count));
    value_of *values = pt__arena_array(d->arena, value_of, emit->n_output_mapping + 1);
    for (size_t i = 0; i < emit->n_output_mapping; i++)
        values[i] = column_value(d, relation->columns, (size_t)emit->output_mapping[i]);
    *relation = pt__substrait_project_of(d, relation->plan, values, emit->n_output_mapping);
    return PT_OK;
}

/* ---- project ---- */

/* Columns that are passed through, then what is computed. */
static pt_status append_values(decoder *d, const relation_of *input, const value_of *added, size_t count,
                               value_of **out)
{
    PT_TRY(pt__substrait_need_columns(d, input, "a projection"));
    size_t width = input->columns->field_count;
    value_of *values = pt__arena_array(d->arena, value_of, width + count + 1);
    for (size_t i = 0; i < width; i++)
        values[i] = column_value(d, input->columns, i);
    for (size_t i = 0; i < count; i++)
        values[width + i] = added[i];
    *out = values;
    return PT_OK;
}

/* Whether the mapping takes a computed value twice, which then has to be computed first. */
static bool takes_twice(const Substrait__RelCommon__Emit *emit, size_t width)
{
    for (size_t i = 0; i < emit->n_output_mapping; i++) {
        for (size_t k = 0; (size_t)emit->output_mapping[i] >= width && k < i; k++) {
            if (emit->output_mapping[k] == emit->output_mapping[i])
                return true;
        }
    }
    return false;
}

/* The mapping picks among what is passed through and computed, so that no column is made in vain. */
static pt_status project_values(decoder *d, const Substrait__RelCommon *common, const relation_of *input,
                                const value_of *added, size_t count, relation_of *out)
{
    value_of *values;
    PT_TRY(append_values(d, input, added, count, &values));
    size_t width = input->columns->field_count;
    if (!has_mapping(common) && pt__substrait_is_by(d, "DuckDB")) { /* which leaves out what it projects from */
        *out = pt__substrait_project_of(d, input->plan, added, count);
        return PT_OK;
    }
    if (!has_mapping(common)) {
        *out = pt__substrait_project_of(d, input->plan, values, width + count);
        return PT_OK;
    }
    const Substrait__RelCommon__Emit *emit = common->emit;
    PT_TRY(check_mapping(d, emit, width + count));
    if (takes_twice(emit, width)) {
        *out = pt__substrait_project_of(d, input->plan, values, width + count);
        return pt__substrait_emit(d, common, out);
    }
    value_of *picked = pt__arena_array(d->arena, value_of, emit->n_output_mapping + 1);
    for (size_t i = 0; i < emit->n_output_mapping; i++)
        picked[i] = values[emit->output_mapping[i]];
    *out = pt__substrait_project_of(d, input->plan, picked, emit->n_output_mapping);
    return PT_OK;
}

static pt_status decode_project(decoder *d, const scope *outer, const Substrait__ProjectRel *m, relation_of *out)
{
    relation_of input;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "project"));
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, &input));
    scope s = pt__substrait_scope_of(outer, &input, m->common);
    value_of *added = pt__arena_array(d->arena, value_of, m->n_expressions + 1);
    for (size_t i = 0; i < m->n_expressions; i++)
        PT_TRY(pt__substrait_expression(d, &s, m->expressions[i], &added[i]));
    return project_values(d, m->common, &input, added, m->n_expressions, out);
}

static pt_status decode_window(decoder *d, const scope *outer, const Substrait__ConsistentPartitionWindowRel *m,
                               relation_of *out)
{
    relation_of input;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "window"));
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, &input));
    scope s = pt__substrait_scope_of(outer, &input, m->common);
    const pt_expr **partition = pt__arena_array(d->arena, const pt_expr *, m->n_partition_expressions + 1);
    for (size_t i = 0; i < m->n_partition_expressions; i++) {
        value_of value;
        PT_TRY(pt__substrait_expression(d, &s, m->partition_expressions[i], &value));
        partition[i] = value.expr;
    }
    const pt_expr *const *order;
    size_t order_count;
    PT_TRY(pt__substrait_sorts(d, &s, m->sorts, m->n_sorts, &order, &order_count));
    value_of *added = pt__arena_array(d->arena, value_of, m->n_window_functions + 1);
    for (size_t i = 0; i < m->n_window_functions; i++)
        PT_TRY(pt__substrait_window_of_relation(d, &s, m->window_functions[i], partition, m->n_partition_expressions,
                                                order, order_count, &added[i]));
    return project_values(d, m->common, &input, added, m->n_window_functions, out);
}

/* ---- rows in and out ---- */

static pt_status decode_filter(decoder *d, const scope *outer, const Substrait__FilterRel *m, relation_of *out)
{
    const pt_expr *condition;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "filter"));
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, out));
    scope s = pt__substrait_scope_of(outer, out, m->common);
    PT_TRY(pt__substrait_condition(d, &s, m->condition, &condition));
    out->plan = pt__substrait_filter_of(d, out->plan, condition);
    return pt__substrait_emit(d, m->common, out);
}

static const pt_plan *sort_by(decoder *d, const pt_plan *input, const pt_expr *const *orders, size_t count)
{
    pt_plan_sort *sort = pt__plan_make(d->arena, SORT, sort, NULL);
    sort->input = input;
    sort->orders = orders;
    sort->order_count = count;
    sort->is_global = true;
    return count == 0 ? input : &sort->base;
}

static pt_status decode_sort(decoder *d, const scope *outer, const Substrait__SortRel *m, relation_of *out)
{
    const pt_expr *const *orders;
    size_t count;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "sort"));
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, out));
    scope s = pt__substrait_scope_of(outer, out, m->common);
    PT_TRY(pt__substrait_sorts(d, &s, m->sorts, m->n_sorts, &orders, &count));
    out->plan = sort_by(d, out->plan, orders, count);
    return pt__substrait_emit(d, m->common, out);
}

static const pt_expr *count_literal(decoder *d, int64_t count)
{
    return count > INT32_MAX ? pt__expr_long(d->arena, count) : pt__expr_int(d->arena, (int32_t)count);
}

/* `*out` stays NULL for a NULL. */
static pt_status constant_count(decoder *d, const Substrait__Expression *m, const char *what, const pt_expr **out)
{
    value_of value;
    if (m == NULL)
        return PT_OK;
    PT_TRY(pt__substrait_expression(d, NULL, m, &value));
    if (value.expr->kind != PT_EXPR_LITERAL) {
        *out = value.expr;
        return pt__expr_is_constant(value.expr)
                   ? PT_OK
                   : pt__substrait_unsupported(d, "a Substrait %s that is no constant", what);
    }
    const pt_value *literal = &pt__expr_as_literal(value.expr)->value;
    if (literal->is_null)
        return PT_OK;
    if (!pt__type_is_integral(value.expr->type) || literal->as.integer < 0)
        return pt__substrait_bad(d, "the %s of a fetch is negative or no number", what);
    *out = count_literal(d, literal->as.integer);
    return PT_OK;
}

static pt_status old_counts(decoder *d, const Substrait__FetchRel *m, pt_plan_limit *limit)
{
    bool has_count = m->count_mode_case != 0 && m->count != -1;
    bool has_offset = m->offset_mode_case != 0 && m->offset != 0;
    if ((has_count && m->count < 0) || (has_offset && m->offset < 0))
        return pt__substrait_bad(d, "a fetch has a negative offset or count");
    if (has_count)
        limit->limit = count_literal(d, m->count);
    if (has_offset)
        limit->offset = count_literal(d, m->offset);
    return PT_OK;
}

static const pt_plan *limited(pt_plan_limit *limit)
{
    return limit->limit == NULL && limit->offset == NULL ? limit->input : &limit->base;
}

static pt_status decode_fetch(decoder *d, const scope *outer, const Substrait__FetchRel *m, relation_of *out)
{
    pt_plan_limit *limit = pt__plan_make(d->arena, LIMIT, limit, NULL);
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "fetch"));
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, out));
    limit->input = out->plan;
    PT_TRY(old_counts(d, m, limit));
    PT_TRY(constant_count(d, m->count_expr, "count", &limit->limit));
    PT_TRY(constant_count(d, m->offset_expr, "offset", &limit->offset));
    out->plan = limited(limit);
    return pt__substrait_emit(d, m->common, out);
}

static pt_status decode_top(decoder *d, const scope *outer, const Substrait__TopNRel *m, relation_of *out)
{
    const pt_expr *const *orders;
    size_t count;
    pt_plan_limit *limit = pt__plan_make(d->arena, LIMIT, limit, NULL);
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "top_n"));
    if (m->mode == SUBSTRAIT__FETCH_MODE__FETCH_MODE_WITH_TIES)
        return pt__substrait_unsupported(d, "Substrait's top_n with ties");
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, out));
    scope s = pt__substrait_scope_of(outer, out, m->common);
    PT_TRY(pt__substrait_sorts(d, &s, m->sorts, m->n_sorts, &orders, &count));
    limit->input = sort_by(d, out->plan, orders, count);
    PT_TRY(constant_count(d, m->count, "count", &limit->limit));
    PT_TRY(constant_count(d, m->offset, "offset", &limit->offset));
    out->plan = limited(limit);
    return pt__substrait_emit(d, m->common, out);
}

/* How rows are spread over machines does not change them. */
static pt_status decode_exchange(decoder *d, const scope *outer, const Substrait__ExchangeRel *m, relation_of *out)
{
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "exchange"));
    if (m->exchange_kind_case == SUBSTRAIT__EXCHANGE_REL__EXCHANGE_KIND_MULTI_TARGET)
        return pt__substrait_unsupported(d, "Substrait's exchange to several buckets");
    PT_TRY(pt__substrait_relation_in(d, outer, m->input, out));
    return pt__substrait_emit(d, m->common, out);
}

/* ---- extensions ---- */

static pt_status decode_extension(decoder *d, const scope *outer, const Substrait__RelCommon *common,
                                  const Google__Protobuf__Any *detail, Substrait__Rel *const *rels, size_t count,
                                  relation_of *out)
{
    relation_of *inputs = pt__arena_array(d->arena, relation_of, count + 1);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__substrait_relation_in(d, outer, rels[i], &inputs[i]));
    PT_TRY(pt__substrait_extension_of(d, detail, inputs, count, common == NULL ? NULL : common->hint, out));
    return pt__substrait_emit(d, common, out);
}

/* ---- shared relations ---- */

static pt_status decode_subtree(decoder *d, size_t index)
{
    pt__subtree *subtree = &d->subtrees[index];
    const Substrait__PlanRel *m = d->plan->relations[index];
    const Substrait__Rel *rel = m->rel_type_case == SUBSTRAIT__PLAN_REL__REL_TYPE_REL ? m->rel : NULL;
    if (subtree->state == PT_SUBTREE_OPEN || rel == NULL)
        return pt__substrait_bad(d, "the relation %zu refers to itself, or is none to refer to", index);
    relation_of relation;
    subtree->state = PT_SUBTREE_OPEN;
    PT_TRY(pt__substrait_relation_in(d, NULL, rel, &relation));
    subtree->state = PT_SUBTREE_DONE;
    subtree->name = pt__arena_printf(d->arena, "Substrait relation %zu", index);
    subtree->columns = relation.columns;
    pt_cte cte = {.name = subtree->name, .plan = relation.plan};
    pt__list_push(d->arena, &d->ctes, cte);
    return PT_OK;
}

static pt_status decode_reference(decoder *d, const Substrait__ReferenceRel *m, relation_of *out)
{
    if (m->subtree_ordinal < 0 || (size_t)m->subtree_ordinal >= d->plan->n_relations)
        return pt__substrait_bad(d, "there is no relation %d to refer to", m->subtree_ordinal);
    pt__subtree *subtree = &d->subtrees[m->subtree_ordinal];
    if (subtree->state != PT_SUBTREE_DONE)
        PT_TRY(decode_subtree(d, (size_t)m->subtree_ordinal));
    pt_plan_scan_table *scan = pt__plan_make(d->arena, SCAN_TABLE, scan_table, NULL);
    scan->name = pt__name_one(d->arena, subtree->name);
    *out = (relation_of){&scan->base, subtree->columns};
    return PT_OK;
}

/* ---- dispatch ---- */

static pt_status with_emit(decoder *d, pt_status status, const Substrait__RelCommon *common, relation_of *out)
{
    return status == PT_OK ? pt__substrait_emit(d, common, out) : status;
}

pt_status pt__substrait_relation_in(decoder *d, const scope *outer, const Substrait__Rel *rel, relation_of *out)
{
    *out = (relation_of){0};
    if (rel == NULL)
        return pt__substrait_bad(d, "a relation is missing");
    switch ((int)rel->rel_type_case) {
    case KIND(READ): return with_emit(d, pt__substrait_read(d, outer, rel->read, out), rel->read->common, out);
    case KIND(FILTER): return decode_filter(d, outer, rel->filter, out);
    case KIND(FETCH): return decode_fetch(d, outer, rel->fetch, out);
    case KIND(AGGREGATE):
        return with_emit(d, pt__substrait_aggregate(d, outer, rel->aggregate, out), rel->aggregate->common, out);
    case KIND(SORT): return decode_sort(d, outer, rel->sort, out);
    case KIND(JOIN):
    case KIND(CROSS):
    case KIND(HASH_JOIN):
    case KIND(MERGE_JOIN):
    case KIND(NESTED_LOOP_JOIN): return pt__substrait_join(d, outer, rel, out);
    case KIND(PROJECT): return decode_project(d, outer, rel->project, out);
    case KIND(SET): return with_emit(d, pt__substrait_set(d, outer, rel->set, out), rel->set->common, out);
    case KIND(EXTENSION_SINGLE):
        return decode_extension(d, outer, rel->extension_single->common, rel->extension_single->detail,
                                &rel->extension_single->input, 1, out);
    case KIND(EXTENSION_MULTI):
        return decode_extension(d, outer, rel->extension_multi->common, rel->extension_multi->detail,
                                rel->extension_multi->inputs, rel->extension_multi->n_inputs, out);
    case KIND(EXTENSION_LEAF):
        return decode_extension(d, outer, rel->extension_leaf->common, rel->extension_leaf->detail, NULL, 0, out);
    case KIND(REFERENCE): return decode_reference(d, rel->reference, out);
    case KIND(WINDOW): return decode_window(d, outer, rel->window, out);
    case KIND(EXCHANGE): return decode_exchange(d, outer, rel->exchange, out);
    case KIND(EXPAND): return with_emit(d, pt__substrait_expand(d, outer, rel->expand, out), rel->expand->common, out);
    case KIND(TOP_N): return decode_top(d, outer, rel->top_n, out);
    default: return pt__substrait_unknown_kind(d, &rel->base, rel->rel_type_case);
    }
}

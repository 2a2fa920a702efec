/* Relations that a query names: common table expressions, and DataFrames that travel with SQL text. */
#include "analyze/analyzer.h"

#include <stdlib.h>

/* ---- references ---- */

/* SQL text of a client names the DataFrames that travel with it by their aliases. */
const pt_plan *pt__find_reference(const pt__analyzer *a, const pt_name *name)
{
    for (const pt__reference_scope *s = a->references; s != NULL && name->count == 1; s = s->outer) {
        for (size_t i = 0; i < s->node->reference_count; i++) {
            const pt_plan *reference = s->node->references[i];
            if (reference->kind != PT_PLAN_SUBQUERY_ALIAS)
                continue;
            const pt_name *alias = &pt__plan_as_subquery_alias(reference)->alias;
            if (pt__same_name(a, alias->parts[alias->count - 1], name->parts[0]))
                return reference;
        }
    }
    return NULL;
}

PT_ANALYZE_KIND(with_references)
{
    pt__reference_scope scope = {a->references, node};
    a->references = &scope;
    pt_status status = pt__analyze_plan(a, node->root, out, err);
    a->references = scope.outer;
    return status;
}

PT_ANALYZE_KIND(reference)
{
    for (const pt__reference_scope *s = a->references; s != NULL; s = s->outer) {
        for (size_t i = 0; i < s->node->reference_count; i++) {
            if (s->node->references[i]->plan_id == node->referenced_plan_id)
                return pt__analyze_plan(a, s->node->references[i], out, err);
        }
    }
    return pt_error_set(err, PT_BAD_PLAN, "the plan refers to the relation %lld, which it does not hold",
                        (long long)node->referenced_plan_id);
}

/* ---- common table expressions ---- */

static const pt__cte_scope *find_cte(const pt__analyzer *a, const pt_name *name)
{
    if (name->count != 1)
        return NULL;
    for (const pt__cte_scope *c = a->ctes; c != NULL; c = c->outer) {
        if (pt__same_name(a, c->name, name->parts[0]))
            return c;
    }
    return NULL;
}

const pt_plan *pt__refer_to_cte(pt__analyzer *a, const pt_name *name, const pt_plan *plan)
{
    const pt__cte_scope *cte = find_cte(a, name);
    if (cte == NULL)
        return NULL;
    pt_plan_reference *node = pt__plan_make(a->arena, REFERENCE, reference, NULL);
    pt__inherit(&node->base, plan);
    node->cte_id = cte->id;
    size_t count = 0;
    pt_column *columns = pt__arena_array(a->arena, pt_column, cte->analyzed->column_count + 1);
    for (size_t i = 0; i < cte->analyzed->column_count; i++) {
        if (cte->analyzed->columns[i].is_hidden)
            continue;
        columns[count] = cte->analyzed->columns[i];
        columns[count].id = a->next_id++;
        columns[count++].qualifier = pt__name_one(a->arena, cte->name);
    }
    node->base.columns = columns;
    node->base.column_count = count;
    return &node->base;
}

static pt_status analyze_cte(pt__analyzer *a, const pt_cte *cte, pt_cte *out, pt_error *err)
{
    const pt_plan *plan;
    PT_TRY(pt__analyze_plan(a, cte->plan, &plan, err));
    PT_TRY(pt__check_name_count(a, plan, cte->column_name_count, err));
    *out = (pt_cte){.name = cte->name, .id = a->next_id++};
    out->plan = pt__rename(a, plan, pt__name_one(a->arena, cte->name), cte->column_names, cte->column_name_count, plan);
    return PT_OK;
}

/* The anchor of a recursive CTE: the left side of its UNION. */
static const pt_plan_set_operation *recursive_union(const pt_plan *plan)
{
    while (plan->kind == PT_PLAN_SUBQUERY_ALIAS)
        plan = pt__plan_as_subquery_alias(plan)->input;
    return plan->kind == PT_PLAN_SET_OPERATION ? pt__plan_as_set_operation(plan) : NULL;
}

/* The union of anchor and step, which has as many columns; any of them may turn out NULL later on. */
static const pt_plan *join_recursion(pt__analyzer *a, const pt_plan_set_operation *set, const pt_plan *anchor,
                                     const pt_plan *step)
{
    size_t width = pt__visible_count(anchor);
    const pt_type **types = pt__arena_array(a->arena, const pt_type *, width + 1);
    pt_column *columns = pt__arena_array(a->arena, pt_column, width + 1);
    for (size_t i = 0; i < width; i++) {
        types[i] = anchor->columns[i].type;
        columns[i] = anchor->columns[i];
        columns[i].id = a->next_id++;
        columns[i].nullable = true;
    }
    pt_plan_set_operation *node = pt__plan_make(a->arena, SET_OPERATION, set_operation, set->base.origin);
    node->set_kind = PT_SET_UNION;
    node->is_all = set->is_all;
    node->left = anchor;
    node->right = pt__cast_columns(a, step, types);
    node->base.columns = columns;
    node->base.column_count = width;
    return &node->base;
}

static pt_status analyze_recursive_cte(pt__analyzer *a, const pt_cte *cte, pt_cte *out, pt_error *err)
{
    const pt_plan_set_operation *set = recursive_union(cte->plan);
    if (set == NULL || set->set_kind != PT_SET_UNION)
        return analyze_cte(a, cte, out, err);
    pt_cte anchor_cte = *cte;
    anchor_cte.plan = set->left;
    pt_cte anchor;
    PT_TRY(analyze_cte(a, &anchor_cte, &anchor, err));
    pt__cte_scope self = {a->ctes, cte->name, anchor.plan, anchor.id, true};
    a->ctes = &self;
    const pt_plan *step = NULL;
    pt_status status = pt__analyze_plan(a, set->right, &step, err);
    a->ctes = self.outer;
    PT_TRY(status);
    size_t width = pt__visible_count(anchor.plan);
    if (pt__visible_count(step) != width)
        return pt_error_set(err, PT_ANALYSIS, "the two sides of the recursive query %s have %zu and %zu columns",
                            cte->name, width, pt__visible_count(step));
    *out = (pt_cte){.name = cte->name, .id = anchor.id, .plan = join_recursion(a, set, anchor.plan, step)};
    return PT_OK;
}

static int64_t recursion_limit(pt__analyzer *a, const pt_plan_with *node)
{
    const char *text = a->catalog->vtable->conf(a->catalog, "spark.sql.cteRecursionLevelLimit");
    if (node->recursion_limit >= 0)
        return node->recursion_limit;
    return text == NULL ? 100 : strtoll(text, NULL, 10);
}

PT_ANALYZE_KIND(with)
{
    pt_cte *ctes = pt__arena_array(a->arena, pt_cte, node->cte_count + 1);
    pt__cte_scope *scopes = pt__arena_array(a->arena, pt__cte_scope, node->cte_count + 1);
    const pt__cte_scope *outer = a->ctes;
    pt_status status = PT_OK;
    for (size_t i = 0; i < node->cte_count && status == PT_OK; i++) {
        status = node->is_recursive ? analyze_recursive_cte(a, &node->ctes[i], &ctes[i], err)
                                    : analyze_cte(a, &node->ctes[i], &ctes[i], err);
        scopes[i] = (pt__cte_scope){a->ctes, ctes[i].name, ctes[i].plan, ctes[i].id, false};
        a->ctes = &scopes[i];
    }
    pt_plan_with *with = pt__plan_make(a->arena, WITH, with, node->base.origin);
    pt__inherit(&with->base, &node->base);
    if (status == PT_OK)
        status = pt__analyze_plan(a, node->input, &with->input, err);
    a->ctes = outer;
    PT_TRY(status);
    with->ctes = ctes;
    with->cte_count = node->cte_count;
    with->is_recursive = node->is_recursive;
    with->recursion_limit = recursion_limit(a, node);
    pt__pass_columns(&with->base, with->input);
    *out = &with->base;
    return PT_OK;
}

/* Subqueries within expressions: scalar, EXISTS, IN. */
#include "analyze/analyzer.h"

static pt_status check_in_width(pt__analyzer *a, const pt_expr_subquery *subquery, pt_error *err)
{
    size_t width = pt__visible_count(subquery->plan);
    if (width == subquery->value_count)
        return PT_OK;
    pt_status status = pt__raise(err, PT_COND_DATATYPE_MISMATCH_IN_SUBQUERY_LENGTH, "sqlExpr",
                                 pt__quote_expr(a->arena, &subquery->base), "leftLength",
                                 pt__arena_printf(a->arena, "%zu", subquery->value_count), "rightLength",
                                 pt__arena_printf(a->arena, "%zu", width), "leftColumns", "", "rightColumns", "", NULL);
    return pt__analyzer_fail(status, subquery->base.origin, err);
}

/* Both sides of IN get their common types. */
static pt_status unify_in(pt__analyzer *a, pt_expr_subquery *subquery, pt_error *err)
{
    PT_TRY(check_in_width(a, subquery, err));
    size_t count;
    const pt_expr *const *columns = pt__visible_refs(a, subquery->plan, &count);
    const pt_type **types = pt__arena_array(a->arena, const pt_type *, count);
    const pt_expr **values = pt__arena_array(a->arena, const pt_expr *, count);
    for (size_t i = 0; i < count; i++) {
        types[i] = pt__common_type(a, subquery->values[i]->type, columns[i]->type);
        if (types[i] == NULL)
            return pt__fail_types_differ(a, &subquery->base, (const pt_expr *const[]){subquery->values[i], columns[i]},
                                         2, "`in`", err);
        values[i] = pt__implicit_cast(a, subquery->values[i], types[i]);
        subquery->base.nullable |= values[i]->nullable || columns[i]->nullable;
    }
    subquery->plan = pt__cast_columns(a, subquery->plan, types);
    subquery->values = values;
    return PT_OK;
}

static pt_status analyze_query_of(pt__analyzer *a, pt__scope *scope, const pt_plan *plan, const pt_plan **out,
                                  pt_error *err)
{
    pt__scope *enclosing = a->query_scope;
    a->query_scope = scope;
    pt_status status = pt__analyze_plan(a, plan, out, err);
    a->query_scope = enclosing;
    return status;
}

pt_status pt__analyze_subquery(pt__analyzer *a, pt__scope *scope, const pt_expr_subquery *subquery, const pt_expr **out,
                               pt_error *err)
{
    pt_expr_subquery *copy = pt__expr_make(a->arena, SUBQUERY, subquery, subquery->base.origin);
    copy->subquery_kind = subquery->subquery_kind;
    copy->value_count = subquery->value_count;
    PT_TRY(pt__analyze_all(a, scope, subquery->values, subquery->value_count, &copy->values, err));
    PT_TRY(analyze_query_of(a, scope, subquery->plan, &copy->plan, err));
    *out = &copy->base;
    if (subquery->subquery_kind == PT_SUBQUERY_EXISTS) {
        copy->base.type = PT_T(BOOLEAN);
        return PT_OK;
    }
    if (subquery->subquery_kind == PT_SUBQUERY_IN) {
        copy->base.type = PT_T(BOOLEAN);
        return unify_in(a, copy, err);
    }
    size_t width = pt__visible_count(copy->plan);
    if (width != 1 && subquery->subquery_kind == PT_SUBQUERY_SCALAR) {
        pt_status status = pt__raise(err, PT_COND_INVALID_SUBQUERY_SCALAR_COLUMNS, "number",
                                     pt__arena_printf(a->arena, "%zu", width), NULL);
        return pt__analyzer_fail(status, subquery->base.origin, err);
    }
    copy->base.type = copy->plan->columns[0].type;
    copy->base.nullable = true;
    return PT_OK;
}

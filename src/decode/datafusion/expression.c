/* Expressions but for operators and functions. */
#include "decode/datafusion/internal.h"

#include <string.h>

#define EXPR(name) DATAFUSION__LOGICAL_EXPR_NODE__EXPR_TYPE_##name

/** Expressions of more nodes are not computed twice. */
enum { REPEATABLE_NODES = 24 };

typedef Datafusion__LogicalExprNode node;

/* ---- builders ---- */

const pt_expr *pt__df_attribute(pt__df *d, const char *id)
{
    return pt__expr_attribute(d->arena, id, NULL);
}

const pt_expr *pt__df_cast_expr(pt__df *d, const pt_expr *expr, const pt_type *to)
{
    return pt__expr_cast(d->arena, expr, to, PT_CAST_ANSI);
}

const pt_expr *pt__df_not(pt__df *d, const pt_expr *expr, bool negated)
{
    return negated ? pt__expr_call(d->arena, NULL, "not", 1, expr) : expr;
}

const pt_expr *pt__df_if(pt__df *d, const pt_expr *condition, const pt_expr *then, const pt_expr *otherwise)
{
    pt_case_branch *branch = pt__arena_make(d->arena, pt_case_branch);
    *branch = (pt_case_branch){condition, then};
    pt_expr_case *made = pt__expr_make(d->arena, CASE, case, NULL);
    made->branches = branch;
    made->branch_count = 1;
    made->otherwise = otherwise;
    return &made->base;
}

static bool count_nodes(void *context, const pt_expr *expr)
{
    size_t *left = context;
    if (*left == 0 || expr->kind == PT_EXPR_SUBQUERY)
        return false;
    --*left;
    return pt__expr_each_child(expr, count_nodes, context);
}

pt_status pt__df_repeatable(pt__df *d, const pt_expr *expr, const char *what)
{
    size_t left = REPEATABLE_NODES;
    if (count_nodes(&left, expr))
        return PT_OK;
    return pt__df_refuse(d, "%s of so large an expression; project it under a name first", what);
}

const char *pt__df_literal_text(const pt_expr *expr)
{
    if (expr->kind != PT_EXPR_LITERAL || expr->type->id != PT_TYPE_STRING || pt__expr_as_literal(expr)->value.is_null)
        return NULL;
    pt_text_view text = pt__expr_as_literal(expr)->value.as.text;
    return strlen(text.data) == text.size_bytes ? text.data : NULL;
}

bool pt__df_literal_integer(const pt_expr *expr, int64_t *out)
{
    if (expr->kind != PT_EXPR_LITERAL || pt__expr_as_literal(expr)->value.is_null || expr->type->id < PT_TYPE_BYTE ||
        expr->type->id > PT_TYPE_LONG)
        return false;
    *out = pt__expr_as_literal(expr)->value.as.integer;
    return true;
}

/* ---- kinds ---- */

static pt_status give(const pt_expr *expr, const pt__df_type *type, pt__df_value *out)
{
    *out = (pt__df_value){expr, type};
    return PT_OK;
}

static pt_status column(pt__df *d, const pt__df_relation *in, const DatafusionCommon__Column *m, pt__df_value *out)
{
    const pt__df_column *found;
    PT_TRY(pt__df_find_column(d, in, m, &found));
    return give(pt__df_attribute(d, found->id), found->type, out);
}

static pt_status null_test(pt__df *d, const pt__df_relation *in, const node *operand, const char *name,
                           pt__df_value *out)
{
    PT_TRY(pt__df_expr(d, in, operand, out));
    return give(pt__expr_call(d->arena, NULL, name, 1, out->expr), PT_DF(BOOLEAN), out);
}

static pt_status boolean_operand(pt__df *d, const pt__df_relation *in, const node *operand, pt__df_value *out)
{
    PT_TRY(pt__df_expr(d, in, operand, out));
    return pt__df_cast_to(d, *out, PT_DF(BOOLEAN), false, out);
}

static pt_status negation(pt__df *d, const pt__df_relation *in, const node *operand, pt__df_value *out)
{
    PT_TRY(boolean_operand(d, in, operand, out));
    out->expr = pt__df_not(d, out->expr, true);
    return PT_OK;
}

/* IS TRUE, IS NOT FALSE … */
static pt_status truth_test(pt__df *d, const pt__df_relation *in, const node *operand, bool truth, bool negated,
                            pt__df_value *out)
{
    PT_TRY(boolean_operand(d, in, operand, out));
    out->expr = pt__expr_call(d->arena, NULL, "<=>", 2, out->expr, pt__expr_boolean(d->arena, truth));
    out->expr = pt__df_not(d, out->expr, negated);
    return PT_OK;
}

static pt_status between(pt__df *d, const pt__df_relation *in, const Datafusion__BetweenNode *m, pt__df_value *out)
{
    pt__df_value values[3];
    PT_TRY(pt__df_expr(d, in, m->expr, &values[0]));
    PT_TRY(pt__df_expr(d, in, m->low, &values[1]));
    PT_TRY(pt__df_expr(d, in, m->high, &values[2]));
    PT_TRY(pt__df_unify(d, values, 3, "BETWEEN"));
    if (values[0].type->kind >= PT_DF_LIST)
        return pt__df_refuse(d, "BETWEEN of %s", pt__df_type_text(d->arena, values[0].type));
    const pt_expr *test = pt__expr_call(d->arena, NULL, "between", 3, values[0].expr, values[1].expr, values[2].expr);
    return give(pt__df_not(d, test, m->negated), PT_DF(BOOLEAN), out);
}

static pt_status in_list(pt__df *d, const pt__df_relation *in, const Datafusion__InListNode *m, pt__df_value *out)
{
    pt__df_value *values = pt__arena_array(d->arena, pt__df_value, m->n_list + 1);
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, m->n_list);
    PT_TRY(pt__df_expr(d, in, m->expr, &values[0]));
    for (size_t i = 0; i < m->n_list; i++)
        PT_TRY(pt__df_expr(d, in, m->list[i], &values[i + 1]));
    PT_TRY(pt__df_unify(d, values, m->n_list + 1, "IN"));
    if (m->n_list == 0)
        return give(pt__expr_boolean(d->arena, m->negated), PT_DF(BOOLEAN), out);
    for (size_t i = 0; i < m->n_list; i++)
        items[i] = values[i + 1].expr;
    pt_expr_in *made = pt__expr_make(d->arena, IN, in, NULL);
    made->child = values[0].expr;
    made->values = items;
    made->value_count = m->n_list;
    return give(pt__df_not(d, &made->base, m->negated), PT_DF(BOOLEAN), out);
}

/* CASE x WHEN v compares as x = v does. */
static pt_status case_condition(pt__df *d, const pt__df_relation *in, const pt__df_value *subject, const node *when,
                                const pt_expr **out)
{
    pt__df_value value;
    PT_TRY(pt__df_expr(d, in, when, &value));
    if (subject != NULL)
        PT_TRY(pt__df_operate(d, "Eq", *subject, value, &value));
    else
        PT_TRY(pt__df_cast_to(d, value, PT_DF(BOOLEAN), false, &value));
    *out = value.expr;
    return PT_OK;
}

static pt_status case_of(pt__df *d, const pt__df_relation *in, const Datafusion__CaseNode *m, pt__df_value *out)
{
    size_t count = m->n_when_then_expr;
    pt__df_value subject = {0};
    pt__df_value *values = pt__arena_array(d->arena, pt__df_value, count + 1);
    pt_case_branch *branches = pt__arena_array(d->arena, pt_case_branch, count);
    if (count == 0)
        return pt__df_bad(d, "CaseNode.when_then_expr is empty");
    if (m->expr != NULL) {
        PT_TRY(pt__df_expr(d, in, m->expr, &subject));
        PT_TRY(count < 2 ? PT_OK : pt__df_repeatable(d, subject.expr, "CASE"));
    }
    for (size_t i = 0; i < count; i++) {
        PT_TRY(case_condition(d, in, m->expr == NULL ? NULL : &subject, m->when_then_expr[i]->when_expr,
                              &branches[i].condition));
        PT_TRY(pt__df_expr(d, in, m->when_then_expr[i]->then_expr, &values[i]));
    }
    if (m->else_expr != NULL)
        PT_TRY(pt__df_expr(d, in, m->else_expr, &values[count]));
    PT_TRY(pt__df_unify(d, values, count + (m->else_expr != NULL), "CASE"));
    for (size_t i = 0; i < count; i++)
        branches[i].value = values[i].expr;
    pt_expr_case *made = pt__expr_make(d->arena, CASE, case, NULL);
    made->branches = branches;
    made->branch_count = count;
    made->otherwise = m->else_expr == NULL ? NULL : values[count].expr;
    return give(&made->base, values[0].type, out);
}

static pt_status cast(pt__df *d, const pt__df_relation *in, const node *operand,
                      const DatafusionCommon__ArrowType *arrow, bool is_try, pt__df_value *out)
{
    const pt__df_type *type;
    PT_TRY(pt__df_expr(d, in, operand, out));
    PT_TRY(pt__df_arrow_type(d->arena, arrow, &type, d->err));
    return pt__df_cast_to(d, *out, type, is_try, out);
}

static pt_status negative(pt__df *d, const pt__df_relation *in, const node *operand, pt__df_value *out)
{
    PT_TRY(pt__df_expr(d, in, operand, out));
    bool fits = (pt__df_is_numeric(out->type) && !pt__df_is_unsigned(out->type)) || out->type->kind == PT_DF_NULL;
    if (!fits)
        return pt__df_refuse(d, "the negative of %s", pt__df_type_text(d->arena, out->type));
    out->expr = pt__expr_call(d->arena, NULL, "negative", 1, out->expr);
    return PT_OK;
}

static pt_status like(pt__df *d, const pt__df_relation *in, const node *expr, const node *pattern, const char *escape,
                      const char *name, bool negated, pt__df_value *out)
{
    pt__df_value values[2];
    PT_TRY(pt__df_expr(d, in, expr, &values[0]));
    PT_TRY(pt__df_expr(d, in, pattern, &values[1]));
    for (int i = 0; i < 2; i++)
        PT_TRY(pt__df_cast_to(d, values[i], PT_DF(STRING), false, &values[i]));
    if (*escape != '\0' && strcmp(escape, "\\") != 0)
        return pt__df_refuse(d, "LIKE with the escape character %s", escape);
    const pt_expr *test = pt__expr_call(d->arena, NULL, name, 2, values[0].expr, values[1].expr);
    return give(pt__df_not(d, test, negated), PT_DF(BOOLEAN), out);
}

/* DataFusion runs SIMILAR TO as a search by regular expression. */
static pt_status similar(pt__df *d, const pt__df_relation *in, const Datafusion__SimilarToNode *m, pt__df_value *out)
{
    pt__df_value text;
    pt__df_value pattern;
    if (*m->escape_char != '\0')
        return pt__df_refuse(d, "SIMILAR TO with an escape character");
    PT_TRY(pt__df_expr(d, in, m->expr, &text));
    PT_TRY(pt__df_expr(d, in, m->pattern, &pattern));
    return pt__df_regex(d, text, pattern, false, m->negated, out);
}

static pt_status subquery(pt__df *d, const Datafusion__ScalarSubqueryExprNode *m, pt__df_value *out)
{
    pt__df_relation inner;
    if (m->subquery == NULL)
        return pt__df_bad(d, "ScalarSubqueryExprNode.subquery is missing");
    if (m->subquery->n_outer_ref_columns != 0)
        return pt__df_refuse(d, "a correlated scalar sub-query");
    PT_TRY(pt__df_relation_of(d, m->subquery->subquery, &inner));
    if (inner.count != 1)
        return pt__df_bad(d, "SubqueryNode.subquery has %zu columns instead of one", inner.count);
    pt__list_push(d->arena, &d->subquery_names, ((pt__df_subquery_name){m->subquery, inner.columns[0].name}));
    pt_expr_subquery *made = pt__expr_make(d->arena, SUBQUERY, subquery, NULL);
    made->subquery_kind = PT_SUBQUERY_SCALAR;
    made->plan = inner.plan;
    return give(&made->base, inner.columns[0].type, out);
}

static pt_status alias(pt__df *d, const pt__df_relation *in, const Datafusion__AliasNode *m, pt__df_value *out)
{
    return pt__df_expr(d, in, m->expr, out); /* names are the relations' matter */
}

static pt_status literal(pt__df *d, const DatafusionCommon__ScalarValue *value, pt__df_value *out)
{
    return pt__df_literal(d, value, out);
}

/* ---- dispatch ---- */

static pt_status decode(pt__df *d, const pt__df_relation *in, const node *e, pt__df_value *out)
{
    switch ((int)e->expr_type_case) {
    case EXPR(COLUMN): return column(d, in, e->column, out);
    case EXPR(ALIAS): return alias(d, in, e->alias, out);
    case EXPR(LITERAL): return literal(d, e->literal, out);
    case EXPR(BINARY_EXPR): return pt__df_binary(d, in, e->binary_expr, out);
    case EXPR(IS_NULL_EXPR): return null_test(d, in, e->is_null_expr->expr, "isnull", out);
    case EXPR(IS_NOT_NULL_EXPR): return null_test(d, in, e->is_not_null_expr->expr, "isnotnull", out);
    case EXPR(NOT_EXPR): return negation(d, in, e->not_expr->expr, out);
    case EXPR(BETWEEN): return between(d, in, e->between, out);
    case EXPR(CASE_EXPR): return case_of(d, in, e->case_expr, out);
    case EXPR(CAST): return cast(d, in, e->cast->expr, e->cast->arrow_type, false, out);
    case EXPR(TRY_CAST): return cast(d, in, e->try_cast->expr, e->try_cast->arrow_type, true, out);
    case EXPR(NEGATIVE): return negative(d, in, e->negative->expr, out);
    case EXPR(IN_LIST): return in_list(d, in, e->in_list, out);
    case EXPR(WINDOW_EXPR): return pt__df_window(d, in, e->window_expr, out);
    case EXPR(AGGREGATE_UDF_EXPR): return pt__df_aggregate(d, in, e->aggregate_udf_expr, out);
    case EXPR(SCALAR_UDF_EXPR): return pt__df_scalar(d, in, e->scalar_udf_expr, out);
    case EXPR(IS_TRUE): return truth_test(d, in, e->is_true->expr, true, false, out);
    case EXPR(IS_FALSE): return truth_test(d, in, e->is_false->expr, false, false, out);
    case EXPR(IS_UNKNOWN): return null_test(d, in, e->is_unknown->expr, "isnull", out);
    case EXPR(IS_NOT_TRUE): return truth_test(d, in, e->is_not_true->expr, true, true, out);
    case EXPR(IS_NOT_FALSE): return truth_test(d, in, e->is_not_false->expr, false, true, out);
    case EXPR(IS_NOT_UNKNOWN): return null_test(d, in, e->is_not_unknown->expr, "isnotnull", out);
    case EXPR(LIKE):
        return like(d, in, e->like->expr, e->like->pattern, e->like->escape_char, "like", e->like->negated, out);
    case EXPR(ILIKE):
        return like(d, in, e->ilike->expr, e->ilike->pattern, e->ilike->escape_char, "ilike", e->ilike->negated, out);
    case EXPR(SIMILAR_TO): return similar(d, in, e->similar_to, out);
    case EXPR(SCALAR_SUBQUERY_EXPR): return subquery(d, e->scalar_subquery_expr, out);
    case EXPR(PLACEHOLDER): return pt__df_refuse(d, "the parameter %s without a value", e->placeholder->id);
    case EXPR(_NOT_SET): return pt__df_not_set(d, &e->base);
    default: return pt__df_refuse_member(d, &e->base, e->expr_type_case);
    }
}

pt_status pt__df_expr(pt__df *d, const pt__df_relation *in, const node *expr, pt__df_value *out)
{
    if (expr == NULL)
        return pt__df_bad(d, "LogicalExprNode is missing");
    PT_TRY(pt__df_enter(d));
    pt_status status = decode(d, in, expr, out);
    d->depth--;
    return status;
}

pt_status pt__df_exprs(pt__df *d, const pt__df_relation *in, node *const *exprs, size_t count, pt__df_value **out)
{
    *out = pt__arena_array(d->arena, pt__df_value, count);
    for (size_t i = 0; i < count; i++)
        PT_TRY(pt__df_expr(d, in, exprs[i], &(*out)[i]));
    return PT_OK;
}

pt_status pt__df_sorts(pt__df *d, const pt__df_relation *in, Datafusion__SortExprNode *const *sorts, size_t count,
                       const pt_expr *const **out, const pt__df_type *const **types)
{
    const pt_expr **orders = pt__arena_array(d->arena, const pt_expr *, count);
    const pt__df_type **kinds = pt__arena_array(d->arena, const pt__df_type *, count);
    for (size_t i = 0; i < count; i++) {
        pt__df_value value;
        PT_TRY(pt__df_expr(d, in, sorts[i]->expr, &value));
        if (value.type->kind >= PT_DF_MAP || value.type->kind == PT_DF_INTERVAL)
            return pt__df_refuse(d, "sorting by %s", pt__df_type_text(d->arena, value.type));
        pt_expr_sort_order *order = pt__expr_make(d->arena, SORT_ORDER, sort_order, NULL);
        order->child = value.expr;
        order->is_descending = !sorts[i]->asc;
        order->nulls_first = sorts[i]->nulls_first;
        orders[i] = &order->base;
        kinds[i] = value.type;
    }
    *out = orders;
    if (types != NULL)
        *types = kinds;
    return PT_OK;
}

pt_status pt__df_condition(pt__df *d, const pt__df_relation *in, const node *expr, const pt_expr **out)
{
    pt__df_value value;
    *out = NULL;
    if (expr == NULL)
        return PT_OK;
    PT_TRY(boolean_operand(d, in, expr, &value));
    *out = value.expr;
    return PT_OK;
}

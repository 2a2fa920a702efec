#include "backend/ballista/lowering.h"

#include <string.h>

static pt_status lower_column(pt__bl *bl, const pt_expr_column *column, const pt__bx **out, pt_error *err)
{
    const char *name = pt__bl_bound(bl, column->id);
    if (name == NULL || (column->is_outer && !bl->sees_outer))
        return pt__bl_refuse(err, column->base.origin, "a correlated subquery of this shape");
    *out = pt__bx_column(bl->arena, name);
    return PT_OK;
}

static pt_status lower_literal(pt__bl *bl, const pt_expr_literal *literal, const pt__bx **out, pt_error *err)
{
    *out = pt__bx_literal(bl->arena, literal->base.type, &literal->value);
    if (*out == NULL)
        return pt__bl_refuse(err, literal->base.origin,
                             pt__arena_printf(bl->arena, "a literal of the type %s",
                                              pt__type_simple_string(bl->arena, literal->base.type)));
    return PT_OK;
}

static pt_status lower_case(pt__bl *bl, const pt_expr_case *expr, const pt__bx **out, pt_error *err)
{
    const pt__bx **pairs = pt__arena_array(bl->arena, const pt__bx *, 2 * expr->branch_count + 1);
    const pt__bx *otherwise = NULL;
    for (size_t i = 0; i < expr->branch_count; i++) {
        PT_TRY(pt__bl_expr(bl, expr->branches[i].condition, &pairs[2 * i], err));
        PT_TRY(pt__bl_expr(bl, expr->branches[i].value, &pairs[2 * i + 1], err));
    }
    if (expr->otherwise != NULL)
        PT_TRY(pt__bl_expr(bl, expr->otherwise, &otherwise, err));
    *out = pt__bx_case(bl->arena, pairs, expr->branch_count, otherwise);
    return PT_OK;
}

static bool is_null_literal(const pt_expr *expr)
{
    const pt_expr_literal *literal = pt__bl_literal(expr);
    return literal != NULL && literal->value.is_null;
}

/* Floats are compared one by one; a list of others is a list. */
static pt_status lower_in(pt__bl *bl, const pt_expr_in *in, const pt__bx **out, pt_error *err)
{
    const pt__bx **items = pt__arena_array(bl->arena, const pt__bx *, in->value_count + 1);
    const pt__bx *child;
    bool by_comparison = pt__bl_is_float(in->child->type) || in->child->type->id == PT_TYPE_STRUCT;
    PT_TRY(pt__bl_expr(bl, in->child, &child, err));
    for (size_t i = 0; i < in->value_count; i++) {
        PT_TRY(pt__bl_expr(bl, in->values[i], &items[i], err));
        if (by_comparison)
            PT_TRY(pt__bl_compare(bl, "=", in->child, in->values[i], child, items[i], in->child->type, &items[i], err));
        else if (is_null_literal(in->values[i]))
            items[i] = pt__bx_null(bl->arena, pt__btype_of(bl->arena, in->child->type));
    }
    if (by_comparison)
        *out = pt__bx_chain(bl->arena, "Or", items, in->value_count);
    else
        *out = pt__bx_in(bl->arena, child, items, in->value_count, false);
    return PT_OK;
}

static pt_status lower_field(pt__bl *bl, const pt_expr_field *field, const pt__bx **out, pt_error *err)
{
    const pt__bx *child;
    PT_TRY(pt__bl_expr(bl, field->child, &child, err));
    const pt_type *type = field->child->type;
    if (type->id != PT_TYPE_STRUCT || field->ordinal >= type->field_count)
        return pt__bl_refuse(err, field->base.origin, "this field of a nested value");
    for (size_t i = 0; i < type->field_count; i++) {
        if (i != field->ordinal && strcmp(type->fields[i].name, type->fields[field->ordinal].name) == 0)
            return pt__bl_refuse(err, field->base.origin, "a struct with two fields of one name");
    }
    *out = pt__bx_call2(bl->arena, "get_field", child, pt__bx_text(bl->arena, type->fields[field->ordinal].name));
    return PT_OK;
}

static pt_status refuse(const pt_expr *expr, pt_error *err)
{
    return pt__bl_refuse(err, expr->origin, pt__expr_kind_name(expr->kind));
}

static pt_status lower_kind(pt__bl *bl, const pt_expr *expr, const pt__bx **out, pt_error *err)
{
    switch (expr->kind) {
    case PT_EXPR_LITERAL: return lower_literal(bl, pt__expr_as_literal(expr), out, err);
    case PT_EXPR_COLUMN: return lower_column(bl, pt__expr_as_column(expr), out, err);
    case PT_EXPR_FIELD: return lower_field(bl, pt__expr_as_field(expr), out, err);
    case PT_EXPR_CALL: return pt__bl_call(bl, pt__expr_as_call(expr), out, err);
    case PT_EXPR_ALIAS: return pt__bl_expr(bl, pt__expr_as_alias(expr)->child, out, err);
    case PT_EXPR_CAST: return pt__bl_cast(bl, pt__expr_as_cast(expr), out, err);
    case PT_EXPR_CASE: return lower_case(bl, pt__expr_as_case(expr), out, err);
    case PT_EXPR_IN: return lower_in(bl, pt__expr_as_in(expr), out, err);
    case PT_EXPR_WINDOW: return pt__bl_window(bl, pt__expr_as_window(expr), out, err);
    case PT_EXPR_SUBQUERY: return pt__bl_subquery(bl, pt__expr_as_subquery(expr), false, out, err);
    case PT_EXPR_LAMBDA:
    case PT_EXPR_LAMBDA_VARIABLE:
    case PT_EXPR_UPDATE_FIELDS:
    case PT_EXPR_SORT_ORDER:
    case PT_EXPR_ATTRIBUTE:
    case PT_EXPR_ORDINAL:
    case PT_EXPR_STAR:
    case PT_EXPR_COLUMN_REGEX:
    case PT_EXPR_PARAMETER:
    case PT_EXPR_EXTRACT:
    case PT_EXPR_NAMED_ARGUMENT:
    case PT_EXPR_PYTHON_UDF:
    case PT_EXPR_COUNT: return refuse(expr, err);
    }
    return refuse(expr, err);
}

pt_status pt__bl_expr(pt__bl *bl, const pt_expr *expr, const pt__bx **out, pt_error *err)
{
    pt__btype *type;
    PT_TRY(pt__bl_enter(bl, err));
    PT_TRY(pt__bl_type(bl, expr->type, expr->origin, &type, err));
    PT_TRY(lower_kind(bl, expr, out, err));
    bl->depth--;
    /* Beyond this nothing can be sent; without the check a template's repetitions could grow without bound. */
    if ((*out)->weight > PT_BALLISTA_WEIGHT_MAX)
        return pt_error_set(err, PT_LIMIT, "the expression is too large for a Ballista cluster");
    return PT_OK;
}

pt_status pt__bl_orders(pt__bl *bl, const pt_expr *const *orders, size_t count, Datafusion__SortExprNode ***out,
                        uint32_t *depth, uint64_t *weight, pt_error *err)
{
    *out = pt__arena_array(bl->arena, Datafusion__SortExprNode *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const pt_expr_sort_order *order = pt__expr_as_sort_order(orders[i]);
        const pt__bx *x;
        PT_TRY(pt__bl_expr(bl, order->child, &x, err));
        if (order->child->type->id == PT_TYPE_STRUCT)
            return pt__bl_refuse(err, order->base.origin, "ORDER BY a struct");
        x = pt__bl_normal(bl, x, order->child, order->child->type);
        (*out)[i] = pt__bsort(bl->arena, x, !order->is_descending, order->nulls_first);
        *depth = *depth < x->depth + 1 ? x->depth + 1 : *depth;
        *weight += x->weight;
    }
    return PT_OK;
}

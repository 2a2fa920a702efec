/* Expressions that the decoder writes itself. */
#include "decode/substrait/internal.h"

const pt_expr *pt__substrait_call(decoder *d, const char *name, size_t count, const pt_expr *x, const pt_expr *y,
                                  const pt_expr *z)
{
    return pt__expr_call(d->arena, NULL, name, count, x, y, z);
}

const pt_expr *pt__substrait_fold(decoder *d, const char *function, const pt_expr *const *items, size_t count)
{
    if (count < 2)
        return count == 0 ? NULL : items[0];
    const pt_expr *left = pt__substrait_fold(d, function, items, count / 2);
    const pt_expr *right = pt__substrait_fold(d, function, items + count / 2, count - count / 2);
    return pt__substrait_call(d, function, 2, left, right, NULL);
}

const pt_expr *pt__substrait_if(decoder *d, const pt_expr *condition, const pt_expr *value, const pt_expr *otherwise)
{
    pt_expr_case *node = pt__expr_make(d->arena, CASE, case, NULL);
    pt_case_branch *branch = pt__arena_make(d->arena, pt_case_branch);
    *branch = (pt_case_branch){condition, value};
    node->branches = branch;
    node->branch_count = 1;
    node->otherwise = otherwise;
    return &node->base;
}

const pt_expr *pt__substrait_declared(decoder *d, const pt_expr *expr, const pt_type *type)
{
    if (type == NULL)
        return expr;
    pt_expr_cast *cast = (pt_expr_cast *)pt__expr_cast(d->arena, expr, pt__substrait_plain(d, type), PT_CAST_DEFAULT);
    cast->is_implicit = true;
    return &cast->base;
}

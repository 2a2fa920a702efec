/* Stars: the columns that * and t.* stand for, and columns by plain name. */
#include "analyze/analyzer.h"

#include "plan/walk.h"

static bool has_qualifier(const pt__analyzer *a, const pt_column *column, const pt_name *target)
{
    if (target->count > column->qualifier.count)
        return false;
    size_t skip = column->qualifier.count - target->count;
    for (size_t i = 0; i < target->count; i++) {
        if (!pt__same_name(a, column->qualifier.parts[skip + i], target->parts[i]))
            return false;
    }
    return true;
}

static bool is_excepted(const pt__analyzer *a, const pt_expr_star *star, const pt_column *column)
{
    for (size_t i = 0; i < star->except_count; i++) {
        const pt_name *name = &star->except[i];
        if (pt__same_name(a, name->parts[name->count - 1], column->name))
            return true;
    }
    return false;
}

typedef pt__list(const pt_expr *) expr_list;

static void star_columns(pt__analyzer *a, const pt_plan *plan, const pt_expr_star *star, expr_list *list)
{
    for (size_t i = 0; i < plan->column_count; i++) {
        const pt_column *column = &plan->columns[i];
        bool wanted = star->target.count == 0 ? !column->is_hidden : has_qualifier(a, column, &star->target);
        if (wanted && !is_excepted(a, star, column))
            pt__list_push(a->arena, list, pt__column_ref(a, column));
    }
}

typedef struct star_search {
    pt__analyzer *a;
    const pt_expr_star *star;
    expr_list *list;
} star_search;

/* The first node of the star's plan id gives its columns. */
static bool find_star_node(void *context, const pt_plan *plan)
{
    star_search *search = context;
    if (plan->plan_id != search->star->plan_id)
        return pt__plan_each_child(plan, find_star_node, search);
    star_columns(search->a, plan, search->star, search->list);
    return false;
}

/* s.* where s is a struct column. */
static pt_status expand_struct(pt__analyzer *a, pt__scope *scope, const pt_expr_star *star, expr_list *list,
                               pt_error *err)
{
    pt_expr_attribute *attribute = pt__expr_make(a->arena, ATTRIBUTE, attribute, star->base.origin);
    attribute->name = star->target;
    attribute->plan_id = -1;
    const pt_expr *child;
    pt_status status = pt__resolve_attribute(a, scope, attribute, &child, err);
    if (status == PT_NOT_FOUND || (status == PT_OK && child->type->id != PT_TYPE_STRUCT)) {
        pt_status raised = pt__raise(err, PT_COND_CANNOT_RESOLVE_STAR_EXPAND, "targetString",
                                     pt__quote_name(a->arena, &star->target), "columns", "", NULL);
        return pt__analyzer_fail(raised, star->base.origin, err);
    }
    PT_TRY(status);
    for (size_t i = 0; i < child->type->field_count; i++) {
        const pt_expr *field;
        PT_TRY(pt__struct_field(a, child, child->type->fields[i].name, star->base.origin, &field, err));
        pt__list_push(a->arena, list, field);
    }
    return PT_OK;
}

pt_status pt__expand_star(pt__analyzer *a, pt__scope *scope, const pt_expr_star *star, const pt_expr *const **out,
                          size_t *count, pt_error *err)
{
    expr_list list = {0};
    star_search search = {a, star, &list};
    for (size_t i = 0; i < scope->input_count; i++) {
        if (star->plan_id >= 0)
            find_star_node(&search, scope->inputs[i]);
        else
            star_columns(a, scope->inputs[i], star, &list);
    }
    if (list.count == 0 && star->target.count != 0)
        PT_TRY(expand_struct(a, scope, star, &list, err));
    *out = list.items;
    *count = list.count;
    return PT_OK;
}

int pt__find_column(const pt__analyzer *a, const pt_plan *plan, const char *name)
{
    int found = -1;
    for (size_t i = 0; i < plan->column_count; i++) {
        if (plan->columns[i].is_hidden || !pt__same_name(a, plan->columns[i].name, name))
            continue;
        if (found >= 0)
            return -2;
        found = (int)i;
    }
    return found;
}

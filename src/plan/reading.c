/* Reading plans: the second half of include/portico/plan.h. */
#include "plan/members.h"
#include "plan/text.h"
#include "plan/walk.h"

#include <portico/plan.h>

#include <string.h>

/* ---- relations ---- */

const char *pt_plan_kind_text(const pt_plan *plan)
{
    return pt__plan_kind_name(plan->kind);
}

bool pt_plan_is_command(const pt_plan *plan)
{
    return pt__plan_is_command(plan);
}

size_t pt_plan_column_count(const pt_plan *plan)
{
    return plan->column_count;
}

bool pt_plan_column_at(const pt_plan *plan, size_t index, pt_column_info *out)
{
    if (index >= plan->column_count)
        return false;
    const pt_column *column = &plan->columns[index];
    *out = (pt_column_info){column->name, column->type, column->nullable};
    return true;
}

/* Scans call the member "name", commands over a table "table" or "name". */
static const pt_name *table_name(const pt_plan *plan)
{
    for (const pt__member *m = pt__record_of_plan(plan->kind)->members; m->form != PT_FORM_END; m++) {
        if (m->form == PT_FORM_NAME && (strcmp(m->name, "name") == 0 || strcmp(m->name, "table") == 0))
            return pt__member_data(m, plan);
    }
    return NULL;
}

size_t pt_plan_table(const pt_plan *plan, const char *const **parts)
{
    const pt_name *name = table_name(plan);
    *parts = name == NULL ? NULL : name->parts;
    return name == NULL ? 0 : name->count;
}

size_t pt_plan_paths(const pt_plan *plan, const char *const **paths)
{
    *paths = NULL;
    if (plan->kind == PT_PLAN_SCAN_FILES) {
        *paths = pt__plan_as_scan_files(plan)->paths;
        return pt__plan_as_scan_files(plan)->path_count;
    }
    if (plan->kind != PT_PLAN_WRITE_FILES || pt__plan_as_write_files(plan)->path == NULL)
        return 0;
    *paths = &pt__plan_as_write_files(plan)->path;
    return 1;
}

/* ---- expressions ---- */

const char *pt_expr_kind_text(const pt_expr *expr)
{
    return pt__expr_kind_name(expr->kind);
}

static const char *last_part(const pt_name *name)
{
    return name->count == 0 ? NULL : name->parts[name->count - 1];
}

const char *pt_expr_function_name(const pt_expr *expr)
{
    return expr->kind == PT_EXPR_CALL ? last_part(&pt__expr_as_call(expr)->name) : NULL;
}

const char *pt_expr_column_name(const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_COLUMN)
        return pt__expr_as_column(expr)->name;
    return expr->kind == PT_EXPR_ATTRIBUTE ? last_part(&pt__expr_as_attribute(expr)->name) : NULL;
}

const pt_type *pt_expr_type(const pt_expr *expr)
{
    return expr->type;
}

/* ---- walking ---- */

static bool visit_plan(void *context, const pt_plan *plan);

static bool visit_expr(void *context, const pt_expr *expr)
{
    const pt_plan_visitor *visitor = context;
    if (visitor->expression != NULL && !visitor->expression(visitor->context, expr))
        return false;
    const pt__visitor below = {visit_expr, visit_plan, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &below);
}

static bool visit_plan(void *context, const pt_plan *plan)
{
    const pt_plan_visitor *visitor = context;
    if (visitor->relation != NULL && !visitor->relation(visitor->context, plan))
        return false;
    const pt__visitor below = {visit_expr, visit_plan, context};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &below);
}

bool pt_plan_visit(const pt_plan *plan, const pt_plan_visitor *visitor)
{
    pt_plan_visitor copy = *visitor;
    return visit_plan(&copy, plan);
}

/* ---- text ---- */

static pt_status write_buffer(pt__buffer *text, void (*write)(void *context, pt_text_view text), void *context,
                              pt_error *err)
{
    pt_status status = text->failed ? pt_error_set(err, PT_NO_MEMORY, "no memory for the text of a plan") : PT_OK;
    if (status == PT_OK)
        write(context, (pt_text_view){(const char *)text->data, text->size_bytes});
    pt__buffer_deinit(text);
    return status;
}

pt_status pt_plan_write_text(const pt_plan *plan, void (*write)(void *context, pt_text_view text), void *context,
                             pt_error *err)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__plan_append_text(&text, plan);
    return write_buffer(&text, write, context, err);
}

pt_status pt_type_write_text(const pt_type *type, void (*write)(void *context, pt_text_view text), void *context,
                             pt_error *err)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__type_append_simple(&text, type);
    return write_buffer(&text, write, context, err);
}

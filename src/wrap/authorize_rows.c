/* Row filters and column masks: above each scan that they are about, a projection of the filtered rows. */
#include "wrap/authorize.h"

#include "analyze/analyze.h"
#include "decode/spark_sql/parser.h"
#include "plan/walk.h"
#include "wrap/leakproof.h"
#include "wrap/policy_catalog.h"
#include "wrap/tree.h"

#include <string.h>

typedef struct rewrite {
    const pt__authorization *a;
    uint32_t next_id;
    bool needs_barriers;
    pt_status status;
} rewrite;

/* What a scan reads, as the policy calls it. */
typedef struct source {
    pt__object object;
    const char *name;
} source;

static bool same_filter(const pt__authorization *a, const source *x, const source *y)
{
    pt__policy_text f = {NULL, NULL};
    pt__policy_text g = {NULL, NULL};
    pt__policy_filter(a->policy, a->user, x->object, x->name, &f);
    pt__policy_filter(a->policy, a->user, y->object, y->name, &g);
    return f.sql == g.sql;
}

static bool same_masks(const pt__authorization *a, const pt_plan *scan, const source *x, const source *y)
{
    for (size_t i = 0; i < scan->column_count; i++) {
        pt__policy_text f = {NULL, NULL};
        pt__policy_text g = {NULL, NULL};
        pt__policy_mask(a->policy, a->user, x->object, x->name, scan->columns[i].name, &f);
        pt__policy_mask(a->policy, a->user, y->object, y->name, scan->columns[i].name, &g);
        if (f.sql != g.sql)
            return false;
    }
    return true;
}

/* All files of a scan must be under the same policy; false with `*out` unset when there is none to read. */
static pt_status source_of_files(const pt__authorization *a, const pt_plan_scan_files *scan, source *out)
{
    *out = (source){PT_POLICY_PATH, NULL};
    if (scan->table != NULL) {
        *out = (source){PT_POLICY_TABLE, pt__table_key(a->arena, scan->table)};
        return PT_OK;
    }
    for (size_t i = 0; scan->files != NULL && i < scan->files->file_count; i++) {
        source here = {PT_POLICY_PATH, pt__resolved_path(a->arena, scan->files->files[i].path)};
        if (out->name == NULL)
            *out = here;
        else if (!same_filter(a, out, &here) || !same_masks(a, &scan->base, out, &here))
            return pt_error_set(a->err, PT_PERMISSION_DENIED,
                                "the policy filters or masks %s and %s differently: read them apart", out->name,
                                here.name);
    }
    return PT_OK;
}

static pt_status source_of(const pt__authorization *a, const pt_plan *scan, source *out)
{
    if (scan->kind == PT_PLAN_SCAN_FILES)
        return source_of_files(a, pt__plan_as_scan_files(scan), out);
    *out = (source){PT_POLICY_TABLE, pt__table_key(a->arena, pt__plan_as_scan_table(scan)->table)};
    return PT_OK;
}

bool pt__has_row_policy(const pt__authorization *a, pt__object object, const char *name, const pt_column *columns,
                        size_t column_count)
{
    pt__policy_text ignored;
    if (pt__policy_filter(a->policy, a->user, object, name, &ignored))
        return true;
    for (size_t i = 0; i < column_count; i++)
        if (pt__policy_mask(a->policy, a->user, object, name, columns[i].name, &ignored))
            return true;
    return false;
}

/* ---- the projection, as a user would write it ---- */

static pt_status parse(const pt__authorization *a, const pt__policy_text *text, const pt_expr **out)
{
    return pt__sql_parse_expression(a->arena, (pt_text_view){text->sql, strlen(text->sql)}, NULL, out, a->err);
}

static pt_status output(const pt__authorization *a, const source *s, const pt_column *column, const pt_expr **out)
{
    pt__policy_text mask;
    const pt_expr *value;
    if (!pt__policy_mask(a->policy, a->user, s->object, s->name, column->name, &mask)) {
        *out = pt__expr_attribute(a->arena, column->name, NULL);
        return PT_OK;
    }
    PT_TRY(parse(a, &mask, &value));
    *out = pt__expr_alias(a->arena, pt__expr_cast(a->arena, value, column->type, PT_CAST_DEFAULT), column->name);
    return PT_OK;
}

static pt_status write_projection(const pt__authorization *a, const source *s, const pt_plan *scan, const pt_plan **out)
{
    pt_plan_scan_table *input = pt__plan_make(a->arena, SCAN_TABLE, scan_table, NULL);
    pt_plan_project *project = pt__plan_make(a->arena, PROJECT, project, NULL);
    const pt_expr **outputs = pt__arena_array(a->arena, const pt_expr *, scan->column_count + 1);
    pt__policy_text filter;
    input->name = pt__name_one(a->arena, pt__policy_input);
    project->input = &input->base;
    if (pt__policy_filter(a->policy, a->user, s->object, s->name, &filter)) {
        pt_plan_filter *rows = pt__plan_make(a->arena, FILTER, filter, NULL);
        rows->input = &input->base;
        PT_TRY(parse(a, &filter, &rows->condition));
        project->input = &rows->base;
    }
    for (size_t i = 0; i < scan->column_count; i++)
        PT_TRY(output(a, s, &scan->columns[i], &outputs[i]));
    project->expressions = outputs;
    project->expression_count = scan->column_count;
    *out = &project->base;
    return PT_OK;
}

/* The columns of the scan, by the ids that the rest of the tree knows them by. */
static const pt_plan *under_old_ids(pt__arena *arena, const pt_plan *protected, const pt_plan *scan)
{
    pt_plan_project *project = pt__plan_make(arena, PROJECT, project, scan->origin);
    const pt_expr **outputs = pt__arena_array(arena, const pt_expr *, scan->column_count + 1);
    for (size_t i = 0; i < scan->column_count; i++) {
        pt_expr_column *column = pt__expr_make(arena, COLUMN, column, NULL);
        column->base.type = protected->columns[i].type;
        column->base.nullable = protected->columns[i].nullable;
        column->id = protected->columns[i].id;
        column->name = protected->columns[i].name;
        outputs[i] = &column->base;
    }
    project->base.columns = scan->columns;
    project->base.column_count = scan->column_count;
    project->input = protected;
    project->expressions = outputs;
    project->expression_count = scan->column_count;
    return &project->base;
}

/* Conditions are not moved below a limit: those of the user see no row that the policy hides. */
static const pt_plan *behind_barrier(pt__arena *arena, const pt_plan *rows)
{
    enum { ALL_ROWS_BITS = 61 };
    pt_plan_limit *limit = pt__plan_make(arena, LIMIT, limit, NULL);
    limit->base.columns = rows->columns;
    limit->base.column_count = rows->column_count;
    limit->input = rows;
    limit->limit = pt__expr_long(arena, (int64_t)1 << ALL_ROWS_BITS);
    return &limit->base;
}

/* Nobody but the writer of the policy can do anything about its errors, and nobody else should see its text. */
static pt_status broken(const pt__authorization *a, const source *s, pt_error *cause)
{
    pt_status status = pt_error_set(a->err, PT_INTERNAL, "the policy for the rows of %s does not fit: %s", s->name,
                                    cause->condition[0] == '\0' ? pt_status_text(cause->status) : cause->condition);
    pt_error_clear(cause);
    return status;
}

static pt_status protect(rewrite *r, const source *s, const pt_plan *scan, const pt_plan **out)
{
    pt_error cause = PT_ERROR_INIT;
    pt__authorization a = *r->a;
    const pt_plan *written;
    const pt_plan *analyzed;
    pt__policy_catalog catalog;
    a.err = &cause;
    pt__policy_catalog_init(&catalog, a.session, scan);
    pt_status status = write_projection(&a, s, scan, &written);
    if (status == PT_OK)
        status = pt__analyze_part(a.arena, &catalog.base, written, &r->next_id, &analyzed, &cause);
    if (status != PT_OK)
        return broken(r->a, s, &cause);
    pt__policy_text ignored;
    if (r->needs_barriers && pt__policy_filter(a.policy, a.user, s->object, s->name, &ignored))
        analyzed = behind_barrier(a.arena, analyzed);
    *out = under_old_ids(a.arena, analyzed, scan);
    return PT_OK;
}

static const pt_plan *protect_scan(void *context, const pt_plan *plan)
{
    rewrite *r = context;
    source s;
    const pt_plan *out = plan;
    if (r->status != PT_OK || (plan->kind != PT_PLAN_SCAN_TABLE && plan->kind != PT_PLAN_SCAN_FILES))
        return plan;
    r->status = source_of(r->a, plan, &s);
    if (r->status != PT_OK || s.name == NULL)
        return plan;
    if (pt__has_row_policy(r->a, s.object, s.name, plan->columns, plan->column_count))
        r->status = protect(r, &s, plan, &out);
    return out;
}

/* ---- is there anything to do? ---- */

typedef struct search {
    const pt__authorization *a;
    bool found;
    pt_status status;
} search;

static bool search_scan(void *context, const pt_plan *plan, uint32_t depth)
{
    search *f = context;
    source s;
    (void)depth;
    if (plan->kind != PT_PLAN_SCAN_TABLE && plan->kind != PT_PLAN_SCAN_FILES)
        return true;
    f->status = source_of(f->a, plan, &s);
    if (f->status == PT_OK && s.name != NULL)
        f->found = pt__has_row_policy(f->a, s.object, s.name, plan->columns, plan->column_count);
    return f->status == PT_OK && !f->found;
}

pt_status pt__authorize_rows(const pt__authorization *a, const pt_plan *plan, const pt_plan **out)
{
    search f = {a, false, PT_OK};
    *out = plan;
    if (plan->kind == PT_PLAN_CREATE_VIEW || plan->kind == PT_PLAN_ALTER_TABLE)
        return PT_OK;
    pt__tree_walk(plan, &(pt__tree_visitor){search_scan, NULL, &f});
    if (f.status != PT_OK || !f.found)
        return f.status;
    rewrite r = {a, pt__next_free_id(plan), pt__has_leaky_condition(plan), PT_OK};
    *out = pt__plan_rewrite(a->arena, plan, &(pt__rewriter){protect_scan, NULL, &r});
    return r.status;
}

#include "backend/duckdb/block.h"

#include "plan/members.h"

#include <string.h>

pt__block pt__block_from(const char *from)
{
    pt__block block = {.from = from};
    return block;
}

static void put_clause(pt__lower *lower, const char *keyword, const char *text)
{
    if (text == NULL)
        return;
    pt__put(lower, keyword);
    pt__put(lower, text);
}

static void put_where(pt__lower *lower, const pt__block *block)
{
    for (size_t i = 0; i < block->where.count; i++)
        put_clause(lower, i == 0 ? " WHERE " : " AND ", block->where.items[i]);
}

static void put_items(pt__lower *lower, const pt_column *columns, size_t count, bool used_only)
{
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        pt__binding *binding = pt__bind(lower, columns[i].id);
        if (used_only && binding->uses == 0)
            continue;
        pt__putf(lower, "%s%s AS c%u", written++ == 0 ? "" : ", ", binding->text == NULL ? "NULL" : binding->text,
                 columns[i].id);
    }
    if (written == 0)
        pt__put(lower, "1 AS c0");
}

void pt__put_select(pt__lower *lower, const pt__block *block, const pt_column *columns, size_t count, bool used_only)
{
    pt__put(lower, "SELECT ");
    put_items(lower, columns, count, used_only);
    put_clause(lower, " FROM ", block->from);
    put_where(lower, block);
    if (block->is_aggregated)
        put_clause(lower, " GROUP BY ", block->group == NULL ? "()" : block->group);
    put_clause(lower, " ORDER BY ", block->order);
    put_clause(lower, " LIMIT ", block->limit);
    put_clause(lower, " OFFSET ", block->offset);
}

void pt__block_wrap(pt__lower *lower, pt__block *block, const pt_column *columns, size_t count)
{
    uint32_t alias = ++lower->next_alias;
    size_t mark = lower->text.size_bytes;
    pt__put(lower, "(");
    pt__put_select(lower, block, columns, count, true);
    pt__putf(lower, ") AS q%u", alias);
    *block = pt__block_from(pt__cut(lower, mark));
    for (size_t i = 0; i < count; i++)
        pt__bind_text(lower, columns[i].id, pt__arena_printf(lower->arena, "q%u.c%u", alias, columns[i].id),
                      PT_TEXT_COLUMN, 0);
}

pt_status pt__lower_select_text(pt__lower *lower, const pt_plan *plan, const char **out, pt_error *err)
{
    pt__block block;
    for (size_t i = 0; i < plan->column_count; i++)
        pt__bind(lower, plan->columns[i].id)->uses++;
    PT_TRY(pt__lower_relation(lower, plan, &block, err));
    size_t mark = lower->text.size_bytes;
    pt__put_select(lower, &block, plan->columns, plan->column_count, false);
    *out = pt__cut(lower, mark);
    return PT_OK;
}

/* ---- what expressions refer to ---- */

typedef struct use_scan {
    pt__lower *lower;
    pt__use use;
    unsigned forbidden; /* flags of bindings that cannot stand here */
    bool repeats;       /* the text will stand in a place where it may be written again */
    bool in_subquery;
} use_scan;

static bool visit_expr(void *context, const pt_expr *expr);

static bool visit_plan(void *context, const pt_plan *plan)
{
    use_scan inner = *(use_scan *)context;
    inner.in_subquery = true;
    inner.forbidden |= PT_TEXT_COMPUTED | PT_TEXT_VOLATILE;
    pt__visitor visitor = {visit_expr, visit_plan, &inner};
    return pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

/* False: the column has to be computed below. */
static bool column_can_stand(const use_scan *scan, uint32_t id)
{
    const pt__binding *binding = pt__bind(scan->lower, id);
    if (binding->text == NULL || (binding->flags & (PT_TEXT_COMPUTED | PT_TEXT_VOLATILE)) == 0)
        return true;
    if ((binding->flags & scan->forbidden) != 0)
        return false;
    return scan->use == PT_USE_SORT || (binding->uses <= 1 && binding->depth < PT_LOWER_INLINE_DEPTH);
}

static bool visit_expr(void *context, const pt_expr *expr)
{
    const use_scan *outer = context;
    if (expr->kind == PT_EXPR_COLUMN) {
        const pt_expr_column *column = pt__expr_as_column(expr);
        return (outer->in_subquery && !column->is_outer) || column_can_stand(outer, column->id);
    }
    use_scan inner = *outer;
    if (expr->kind == PT_EXPR_LAMBDA)
        inner.forbidden |= PT_TEXT_WINDOW | PT_TEXT_AGGREGATE | PT_TEXT_SUBQUERY;
    if (expr->kind == PT_EXPR_WINDOW)
        inner.forbidden |= PT_TEXT_WINDOW | PT_TEXT_AGGREGATE;
    pt__visitor visitor = {visit_expr, visit_plan, &inner};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

bool pt__must_wrap(pt__lower *lower, const pt_expr *expr, pt__use use)
{
    use_scan scan = {.lower = lower, .use = use, .forbidden = PT_TEXT_VOLATILE};
    if (use == PT_USE_FILTER || use == PT_USE_JOIN || use == PT_USE_AGGREGATE)
        scan.forbidden |= PT_TEXT_WINDOW | PT_TEXT_AGGREGATE;
    if (use == PT_USE_AGGREGATE)
        scan.forbidden |= PT_TEXT_SUBQUERY;
    if (use == PT_USE_SORT)
        scan.forbidden |= PT_TEXT_WINDOW | PT_TEXT_SUBQUERY;
    return !visit_expr(&scan, expr);
}

typedef struct kind_search {
    pt_expr_kind kind;
} kind_search;

static bool differs(void *context, const pt_expr *expr)
{
    const kind_search *search = context;
    if (expr->kind == search->kind)
        return false;
    pt__visitor visitor = {differs, NULL, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

bool pt__expr_has(const pt_expr *expr, pt_expr_kind kind)
{
    kind_search search = {kind};
    return !differs(&search, expr);
}

static bool is_steady(void *context, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
        pt__expr_as_call(expr)->function->kind == PT_FUNCTION_VOLATILE)
        return false;
    pt__visitor visitor = {is_steady, NULL, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

bool pt__expr_is_volatile(const pt_expr *expr)
{
    return !is_steady(NULL, expr);
}

/* ---- counting uses ---- */

static bool count_in_plan(void *context, const pt_plan *plan);

static bool count_in_expr(void *context, const pt_expr *expr)
{
    if (expr->kind == PT_EXPR_COLUMN)
        pt__bind(context, pt__expr_as_column(expr)->id)->uses++;
    pt__visitor visitor = {count_in_expr, count_in_plan, context};
    return pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
}

static bool count_in_plan(void *context, const pt_plan *plan)
{
    pt__count_uses(context, plan);
    return true;
}

static void count_in_project(pt__lower *lower, const pt_plan_project *project)
{
    for (size_t i = 0; i < project->expression_count; i++) {
        const pt_expr *expr = project->expressions[i];
        bool passes = expr->kind == PT_EXPR_COLUMN && pt__expr_as_column(expr)->id == project->base.columns[i].id;
        if (!passes)
            count_in_expr(lower, expr);
    }
}

void pt__count_uses(pt__lower *lower, const pt_plan *plan)
{
    for (size_t i = 0; i < plan->column_count; i++)
        pt__bind(lower, plan->columns[i].id); /* known from here on, as taken */
    pt__visitor visitor = {count_in_expr, count_in_plan, lower};
    if (plan->kind == PT_PLAN_PROJECT) {
        const pt_plan_project *project = pt__plan_as_project(plan);
        count_in_project(lower, project);
        if (project->input != NULL)
            pt__count_uses(lower, project->input);
        return;
    }
    pt__record_visit(pt__record_of_plan(plan->kind), plan, &visitor);
}

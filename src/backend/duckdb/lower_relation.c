#include "backend/duckdb/block.h"
#include "backend/duckdb/engine.h"
#include "backend/duckdb/lower_narrow.h"
#include "backend/duckdb/lower_split.h"

#include <string.h>

static bool is_limited(const pt__block *block)
{
    return block->limit != NULL || block->offset != NULL;
}

static const pt_expr *without_alias(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_ALIAS)
        expr = pt__expr_as_alias(expr)->child;
    return expr;
}

static void bind_expr(pt__lower *lower, uint32_t id, const pt_expr *expr, const char *text)
{
    unsigned flags = lower->seen;
    if (expr->kind == PT_EXPR_COLUMN)
        flags |= pt__bind(lower, pt__expr_as_column(expr)->id)->flags;
    else if (expr->kind != PT_EXPR_LITERAL)
        flags |= PT_TEXT_COMPUTED;
    pt__bind_text(lower, id, text, flags, lower->deepest);
}

static void rebind(pt__lower *lower, uint32_t id, const pt__binding *made)
{
    pt__bind_text(lower, id, made->text, made->flags, made->depth);
    pt__bind(lower, id)->narrow_text = made->narrow_text;
}

/* ---- project ---- */

static bool project_must_wrap(pt__lower *lower, const pt__block *block, const pt_plan_project *project)
{
    bool is_ordered = block->order != NULL || is_limited(block);
    for (size_t i = 0; i < project->expression_count; i++) {
        const pt_expr *expr = without_alias(project->expressions[i]);
        if (expr->kind == PT_EXPR_COLUMN)
            continue; /* handing on a column costs nothing */
        if (is_ordered && (pt__expr_has(expr, PT_EXPR_WINDOW) || pt__expr_is_volatile(expr)))
            return true;
        if (pt__must_wrap(lower, expr, PT_USE_PROJECT))
            return true;
    }
    return false;
}

/* A new id for an old column: both may be used from here on, so that one that costs something has to be shared. */
static bool renames_must_wrap(pt__lower *lower, const pt_plan_project *project)
{
    for (size_t i = 0; i < project->expression_count; i++) {
        const pt_expr *expr = without_alias(project->expressions[i]);
        if (expr->kind != PT_EXPR_COLUMN || pt__expr_as_column(expr)->id == project->base.columns[i].id)
            continue;
        if (pt__must_wrap(lower, expr, PT_USE_PROJECT))
            return true;
    }
    return false;
}

static pt_status lower_project(pt__lower *lower, const pt_plan_project *node, pt__block *out, pt_error *err)
{
    size_t count = node->expression_count;
    pt_plan_project split = *node;
    const pt_plan_project *project = &split;
    *out = pt__block_from(NULL);
    pt__split_deep(lower, &split.input, &split.expressions, count);
    if (project->input != NULL) {
        PT_TRY(pt__lower_relation(lower, project->input, out, err));
        if (project_must_wrap(lower, out, project) || renames_must_wrap(lower, project))
            pt__block_wrap(lower, out, project->input->columns, project->input->column_count);
    }
    /* Bound together at the end: an expression may hand on an id that another one gives a new text. */
    pt__binding *made = pt__arena_array(lower->arena, pt__binding, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t id = project->base.columns[i].id;
        const pt_expr *expr = without_alias(project->expressions[i]);
        if (expr->kind == PT_EXPR_COLUMN && pt__expr_as_column(expr)->id == id) {
            made[i] = *pt__bind(lower, id);
            continue;
        }
        const char *text;
        PT_TRY(pt__lower_expr_text(lower, expr, &text, err));
        pt__binding before = *pt__bind(lower, id);
        bind_expr(lower, id, expr, text);
        made[i] = *pt__bind(lower, id);
        *pt__bind(lower, id) = before;
        PT_TRY(pt__narrow_text(lower, expr, &made[i].narrow_text, err));
        out->has_window = out->has_window || (made[i].flags & PT_TEXT_WINDOW) != 0;
    }
    for (size_t i = 0; i < count; i++)
        rebind(lower, project->base.columns[i].id, &made[i]);
    return PT_OK;
}

/* ---- filter ---- */

static pt_status lower_filter(pt__lower *lower, const pt_plan_filter *filter, pt__block *out, pt_error *err)
{
    const pt_plan *input = filter->input;
    const pt_expr *const *condition = &filter->condition;
    pt__split_deep(lower, &input, &condition, 1);
    PT_TRY(pt__lower_relation(lower, input, out, err));
    if (is_limited(out) || out->is_aggregated || out->has_window || pt__must_wrap(lower, condition[0], PT_USE_FILTER))
        pt__block_wrap(lower, out, input->columns, input->column_count);
    const char *text;
    PT_TRY(pt__lower_condition(lower, condition[0], &text, err));
    pt__list_push(lower->arena, &out->where, text);
    return PT_OK;
}

/* ---- sort, limit, tail ---- */

static pt_status lower_sort(pt__lower *lower, const pt_plan_sort *sort, pt__block *out, pt_error *err)
{
    PT_TRY(pt__lower_relation(lower, sort->input, out, err));
    bool wrap = is_limited(out);
    for (size_t i = 0; i < sort->order_count && !wrap; i++)
        wrap = pt__must_wrap(lower, sort->orders[i], PT_USE_SORT) ||
               (out->is_aggregated && pt__expr_has(sort->orders[i], PT_EXPR_SUBQUERY));
    if (wrap)
        pt__block_wrap(lower, out, sort->input->columns, sort->input->column_count);
    size_t mark = lower->text.size_bytes;
    PT_TRY(pt__lower_orders(lower, sort->orders, sort->order_count, err));
    out->order = pt__cut(lower, mark); /* an earlier order without limit has no effect */
    return PT_OK;
}

static pt_status lower_count(pt__lower *lower, const pt_expr *count, const char **out, pt_error *err)
{
    *out = NULL;
    return count == NULL ? PT_OK : pt__lower_expr_text(lower, count, out, err);
}

static pt_status lower_limit(pt__lower *lower, const pt_plan_limit *limit, pt__block *out, pt_error *err)
{
    PT_TRY(pt__lower_relation(lower, limit->input, out, err));
    if (is_limited(out))
        pt__block_wrap(lower, out, limit->input->columns, limit->input->column_count);
    PT_TRY(lower_count(lower, limit->limit, &out->limit, err));
    return lower_count(lower, limit->offset, &out->offset, err);
}

/* The last rows: numbered from the end, kept in order. */
static pt_status lower_tail(pt__lower *lower, const pt_plan_tail *tail, pt__block *out, pt_error *err)
{
    PT_TRY(pt__lower_relation(lower, tail->input, out, err));
    pt__block_wrap(lower, out, tail->input->columns, tail->input->column_count);
    uint32_t alias = ++lower->next_alias;
    out->from = pt__arena_printf(lower->arena,
                                 "(SELECT *, row_number() OVER () AS n%u, count(*) OVER () AS m%u FROM %s) AS q%u",
                                 alias, alias, out->from, alias);
    pt__list_push(lower->arena, &out->where,
                  pt__arena_printf(lower->arena, "n%u > m%u - %lld", alias, alias, (long long)tail->count));
    out->order = pt__arena_printf(lower->arena, "n%u", alias);
    for (size_t i = 0; i < tail->base.column_count; i++)
        pt__bind_text(lower, tail->base.columns[i].id,
                      pt__arena_printf(lower->arena, "q%u.c%u", alias, tail->base.columns[i].id), PT_TEXT_COLUMN, 0);
    return PT_OK;
}

/* ---- rows out of nothing ---- */

static void bind_alias_columns(pt__lower *lower, const pt_plan *plan, uint32_t alias)
{
    for (size_t i = 0; i < plan->column_count; i++)
        pt__bind_text(lower, plan->columns[i].id, pt__arena_printf(lower->arena, "v%u.c%u", alias, plan->columns[i].id),
                      PT_TEXT_COLUMN, 0);
}

static void put_alias(pt__lower *lower, const pt_plan *plan, uint32_t alias)
{
    pt__putf(lower, " AS v%u(", alias);
    for (size_t i = 0; i < plan->column_count; i++)
        pt__putf(lower, "%sc%u", i == 0 ? "" : ", ", plan->columns[i].id);
    pt__put(lower, ")");
}

static void put_no_rows(pt__lower *lower, const pt_plan *plan)
{
    pt__put(lower, "(SELECT ");
    for (size_t i = 0; i < plan->column_count; i++) {
        pt__put(lower, i == 0 ? "CAST(NULL AS " : ", CAST(NULL AS ");
        pt__put_type(lower, plan->columns[i].type);
        pt__put(lower, ")");
    }
    pt__put(lower, " WHERE false)");
}

static pt_status put_rows(pt__lower *lower, const pt_plan_values *values, pt_error *err)
{
    pt__put(lower, "(VALUES ");
    for (size_t row = 0; row < values->row_count; row++) {
        pt__put(lower, row == 0 ? "(" : ", (");
        for (size_t i = 0; i < values->width; i++) {
            pt__put(lower, i == 0 ? "" : ", ");
            PT_TRY(pt__lower_expr(lower, values->cells[row * values->width + i], err));
        }
        pt__put(lower, ")");
    }
    pt__put(lower, ")");
    return PT_OK;
}

static pt_status lower_values(pt__lower *lower, const pt_plan_values *values, pt__block *out, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    uint32_t alias = ++lower->next_alias;
    if (values->base.column_count == 0) {
        *out = pt__block_from(pt__arena_printf(lower->arena, "range(%zu) AS v%u", values->row_count, alias));
        return PT_OK;
    }
    if (values->row_count == 0)
        put_no_rows(lower, &values->base);
    else
        PT_TRY(put_rows(lower, values, err));
    put_alias(lower, &values->base, alias);
    *out = pt__block_from(pt__cut(lower, mark));
    bind_alias_columns(lower, &values->base, alias);
    return PT_OK;
}

static pt_status lower_range(pt__lower *lower, const pt_plan_range *range, pt__block *out, pt_error *err)
{
    (void)err;
    size_t mark = lower->text.size_bytes;
    uint32_t alias = ++lower->next_alias;
    pt__putf(lower, "range((%lld)::BIGINT, (%lld)::BIGINT, (%lld)::BIGINT)", (long long)range->start,
             (long long)range->end, (long long)range->step);
    put_alias(lower, &range->base, alias);
    *out = pt__block_from(pt__cut(lower, mark));
    bind_alias_columns(lower, &range->base, alias);
    return PT_OK;
}

/* ---- routing ---- */

static pt_status refuse(const pt_plan *plan, pt_error *err)
{
    return pt__lower_unsupported(err, plan->origin, pt__plan_kind_name(plan->kind));
}

static pt_status lower_kind(pt__lower *lower, const pt_plan *plan, pt__block *out, pt_error *err)
{
    switch (plan->kind) {
    case PT_PLAN_SCAN_TABLE: return pt__lower_scan_table(lower, pt__plan_as_scan_table(plan), out, err);
    case PT_PLAN_SCAN_FILES: return pt__lower_scan_files(lower, pt__plan_as_scan_files(plan), out, err);
    case PT_PLAN_LOCAL: return pt__lower_local(lower, pt__plan_as_local(plan), out, err);
    case PT_PLAN_VALUES: return lower_values(lower, pt__plan_as_values(plan), out, err);
    case PT_PLAN_RANGE: return lower_range(lower, pt__plan_as_range(plan), out, err);
    case PT_PLAN_CACHED: return pt__lower_cached(lower, pt__plan_as_cached(plan), out, err);
    case PT_PLAN_PROJECT: return lower_project(lower, pt__plan_as_project(plan), out, err);
    case PT_PLAN_FILTER: return lower_filter(lower, pt__plan_as_filter(plan), out, err);
    case PT_PLAN_AGGREGATE: return pt__lower_aggregate(lower, pt__plan_as_aggregate(plan), out, err);
    case PT_PLAN_JOIN: return pt__lower_join(lower, pt__plan_as_join(plan), out, err);
    case PT_PLAN_SORT: return lower_sort(lower, pt__plan_as_sort(plan), out, err);
    case PT_PLAN_LIMIT: return lower_limit(lower, pt__plan_as_limit(plan), out, err);
    case PT_PLAN_TAIL: return lower_tail(lower, pt__plan_as_tail(plan), out, err);
    case PT_PLAN_SET_OPERATION: return pt__lower_set_operation(lower, pt__plan_as_set_operation(plan), out, err);
    case PT_PLAN_GENERATE: return pt__lower_generate(lower, pt__plan_as_generate(plan), out, err);
    case PT_PLAN_SAMPLE: return pt__lower_sample(lower, pt__plan_as_sample(plan), out, err);
    case PT_PLAN_WITH: return pt__lower_with(lower, pt__plan_as_with(plan), out, err);
    case PT_PLAN_REFERENCE: return pt__lower_reference(lower, pt__plan_as_reference(plan), out, err);
    case PT_PLAN_STREAM:
        return pt_error_set(err, PT_ANALYSIS,
                            "Queries with streaming sources must be executed with writeStream.start();");
    case PT_PLAN_COLLECT_METRICS: /* metrics are computed by queries of their own */
        return pt__lower_relation(lower, pt__plan_as_collect_metrics(plan)->input, out, err);
    case PT_PLAN_MAP_PYTHON:
    case PT_PLAN_SUBQUERY_ALIAS:
    case PT_PLAN_WITH_COLUMNS:
    case PT_PLAN_RENAME_COLUMNS:
    case PT_PLAN_DROP_COLUMNS:
    case PT_PLAN_TO_DF:
    case PT_PLAN_TO_SCHEMA:
    case PT_PLAN_DEDUPLICATE:
    case PT_PLAN_FILL_NA:
    case PT_PLAN_DROP_NA:
    case PT_PLAN_REPLACE_VALUES:
    case PT_PLAN_UNPIVOT:
    case PT_PLAN_PIVOT:
    case PT_PLAN_TRANSPOSE:
    case PT_PLAN_STATISTICS:
    case PT_PLAN_HINT:
    case PT_PLAN_TABLE_FUNCTION:
    case PT_PLAN_PARSE:
    case PT_PLAN_SHOW:
    case PT_PLAN_AS_OF_JOIN:
    case PT_PLAN_WITH_REFERENCES:
    case PT_PLAN_CATALOG:
    case PT_PLAN_CREATE_VIEW:
    case PT_PLAN_CREATE_TABLE:
    case PT_PLAN_DROP:
    case PT_PLAN_INSERT:
    case PT_PLAN_WRITE_FILES:
    case PT_PLAN_CREATE_DATABASE:
    case PT_PLAN_ALTER_TABLE:
    case PT_PLAN_DELETE:
    case PT_PLAN_UPDATE:
    case PT_PLAN_MERGE:
    case PT_PLAN_USE:
    case PT_PLAN_SET:
    case PT_PLAN_SHOW_OBJECTS:
    case PT_PLAN_DESCRIBE:
    case PT_PLAN_EXPLAIN:
    case PT_PLAN_CACHE_TABLE:
    case PT_PLAN_CREATE_FUNCTION:
    case PT_PLAN_COUNT: return refuse(plan, err);
    }
    return refuse(plan, err);
}

pt_status pt__lower_relation(pt__lower *lower, const pt_plan *plan, pt__block *out, pt_error *err)
{
    memset(out, 0, sizeof(*out));
    PT_TRY(pt__lower_enter(lower, err));
    pt_status status = lower_kind(lower, plan, out, err);
    lower->depth--;
    return status;
}

/* ---- a whole statement ---- */

static const pt_column *visible_columns(pt__arena *arena, const pt_plan *plan, size_t *count)
{
    pt_column *visible = pt__arena_array(arena, pt_column, plan->column_count + 1);
    *count = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        if (!plan->columns[i].is_hidden)
            visible[(*count)++] = plan->columns[i];
    }
    return visible;
}

pt_status pt__lower_query(pt__lower *lower, const pt_plan *plan, pt__lowered *out, pt_error *err)
{
    if (plan->columns == NULL && plan->column_count > 0)
        return pt_error_set(err, PT_INTERNAL, "the plan has not been analyzed");
    out->columns = visible_columns(lower->arena, plan, &out->column_count);
    for (size_t i = 0; i < out->column_count; i++)
        pt__bind(lower, out->columns[i].id)->uses++;
    pt__count_uses(lower, plan);
    lower->may_narrow = lower->may_narrow && pt__narrow_is_safe(plan);
    pt__block block;
    PT_TRY(pt__lower_relation(lower, plan, &block, err));
    size_t mark = lower->text.size_bytes;
    pt__put_hoisted(lower);
    pt__put_select(lower, &block, out->columns, out->column_count, false);
    out->sql = pt__cut(lower, mark);
    out->used_narrow = lower->used_narrow;
    out->sources = lower->sources.items;
    out->source_count = lower->sources.count;
    if (lower->text.failed)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the statement");
    return pt__duckdb_need_functions(lower->database, out->sql, err);
}

#include "front/spark_connect/show.h"

#include "analyze/analyze.h"
#include "base/arena_buffer.h"
#include "base/list.h"
#include "front/spark_connect/cell.h"
#include "front/spark_connect/table_text.h"

#include <string.h>

enum { ROWS_MAX = INT32_MAX - 32 };

/* Cells as they come in, batch by batch. */
typedef struct collection {
    pt__arena *arena;
    const pt_type *schema; /* struct of the columns */
    const pt__zone *zone;
    int32_t truncate;
    size_t row_limit;
    size_t row_count;
    pt__list(pt_text_view) cells;
    pt__buffer *scratch;
    bool has_more;
} collection;

const char *pt__connect_show_column(const pt_plan_show *show)
{
    return show->is_html ? "html_string" : "show_string";
}

static int32_t clamp_rows(int32_t wanted)
{
    return wanted < 0 ? 0 : wanted > ROWS_MAX ? ROWS_MAX : wanted;
}

static const pt_plan *limit_rows(pt__arena *arena, const pt_plan *input, int32_t count)
{
    pt_plan_limit *limit = pt__plan_make(arena, LIMIT, limit, input->origin);
    limit->input = input;
    limit->limit = pt__expr_int(arena, count);
    return &limit->base;
}

/* ---- the order of windows ---- */

/* The topmost window of a chain of projections, and the column that it makes. */
static const pt_expr_window *first_window(const pt_plan *plan, const pt_column **column)
{
    for (; plan != NULL && plan->kind == PT_PLAN_PROJECT; plan = pt__plan_as_project(plan)->input) {
        const pt_plan_project *project = pt__plan_as_project(plan);
        for (size_t i = 0; i < project->expression_count; i++) {
            const pt_expr *expr = project->expressions[i];
            while (expr->kind == PT_EXPR_ALIAS)
                expr = pt__expr_as_alias(expr)->child;
            *column = &plan->columns[i];
            if (expr->kind == PT_EXPR_WINDOW)
                return pt__expr_as_window(expr);
        }
    }
    return NULL;
}

static bool has_column(const pt_plan *plan, const pt_expr *expr)
{
    for (size_t i = 0; expr->kind == PT_EXPR_COLUMN && i < plan->column_count; i++) {
        if (plan->columns[i].id == pt__expr_as_column(expr)->id)
            return true;
    }
    return false;
}

static const pt_expr *ascending(pt__arena *arena, const pt_expr *child)
{
    pt_expr_sort_order *order = pt__expr_make(arena, SORT_ORDER, sort_order, NULL);
    order->child = child;
    order->nulls_first = true;
    order->base.type = child->type;
    order->base.nullable = child->nullable;
    return &order->base;
}

static const pt_expr *reference(pt__arena *arena, const pt_column *column)
{
    pt_expr_column *ref = pt__expr_make(arena, COLUMN, column, NULL);
    ref->id = column->id;
    ref->name = column->name;
    ref->base.type = column->type;
    ref->base.nullable = column->nullable;
    return &ref->base;
}

/* Partition, order, and what the window gives for rows that are alike in both. */
static size_t window_orders(pt__arena *arena, const pt_plan *plan, const pt_expr_window *window,
                            const pt_column *column, const pt_expr **orders)
{
    size_t count = 0;
    for (size_t i = 0; i < window->partition_count; i++) {
        if (!has_column(plan, window->partition[i]))
            return count;
        orders[count++] = ascending(arena, window->partition[i]);
    }
    for (size_t i = 0; i < window->order_count; i++) {
        if (!has_column(plan, pt__expr_as_sort_order(window->order[i])->child))
            return count;
        orders[count++] = window->order[i];
    }
    const pt_expr *made = reference(arena, column);
    if (has_column(plan, made))
        orders[count++] = ascending(arena, made);
    return count;
}

/*
 * The few rows of a window's result are shown in the order of the window, as they come out of Spark, which sorts to
 * compute it. `relation`: analyzed, LIMIT on top.
 */
static const pt_plan *in_window_order(pt__arena *arena, const pt_plan *relation)
{
    if (relation->kind != PT_PLAN_LIMIT)
        return relation;
    const pt_plan *input = pt__plan_as_limit(relation)->input;
    const pt_column *column;
    const pt_expr_window *window = first_window(input, &column);
    if (window == NULL)
        return relation;
    pt_plan_sort *sort = pt__plan_make(arena, SORT, sort, NULL);
    const pt_expr **orders = pt__arena_array(arena, const pt_expr *, window->partition_count + window->order_count + 2);
    sort->input = input;
    sort->orders = orders;
    sort->order_count = window_orders(arena, input, window, column, orders);
    sort->is_global = true;
    sort->base.columns = input->columns;
    sort->base.column_count = input->column_count;
    pt_plan_limit *limit = pt__plan_make(arena, LIMIT, limit, NULL);
    *limit = *pt__plan_as_limit(relation);
    limit->input = &sort->base;
    return sort->order_count == 0 ? relation : &limit->base;
}

/* ---- cells ---- */

static pt_status take_cell(collection *c, const pt_type *type, const struct ArrowArray *column, int64_t row,
                           pt_error *err)
{
    pt__buffer_reset(c->scratch);
    PT_TRY(pt__cell_append(c->scratch, type, column, row, c->zone, err));
    pt_text_view raw = {(const char *)c->scratch->data, c->scratch->size_bytes};
    pt_text_view cell = pt__table_text_cell(c->arena, raw, c->truncate);
    pt__list_push(c->arena, &c->cells, cell);
    return PT_OK;
}

static pt_status take_row(collection *c, const struct ArrowArray *batch, int64_t row, pt_error *err)
{
    for (size_t i = 0; i < c->schema->field_count; i++)
        PT_TRY(take_cell(c, c->schema->fields[i].type, batch->children[i], batch->offset + row, err));
    c->row_count++;
    return PT_OK;
}

static pt_status take_batch(void *context, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                            pt_error *err)
{
    collection *c = context;
    (void)schema;
    for (int64_t row = 0; row < batch->length; row++) {
        if (c->row_count == c->row_limit) {
            c->has_more = true;
            return PT_OK;
        }
        PT_TRY(take_row(c, batch, row, err));
    }
    return PT_OK;
}

static const pt__zone *session_zone(pt_job *job, pt__zones *zones)
{
    const char *name = pt__session_conf_option(pt__job_session(job), pt__job_arena(job), "spark.sql.session.timeZone");
    const pt__zone *zone = name == NULL ? NULL : pt__zones_find(zones, name);
    return zone != NULL ? zone : pt__zones_find(zones, "UTC");
}

static void append_text(pt__buffer *out, const pt_plan_show *show, const collection *c)
{
    const char **headers = pt__arena_array(c->arena, const char *, c->schema->field_count + 1);
    for (size_t i = 0; i < c->schema->field_count; i++) {
        const char *name = c->schema->fields[i].name;
        pt_text_view header = pt__table_text_cell(c->arena, (pt_text_view){name, strlen(name)}, 0);
        headers[i] = pt__arena_copy_text(c->arena, header.data, header.size_bytes);
    }
    pt__table_text table = {headers,     c->schema->field_count,      c->cells.items, c->row_count,
                            c->truncate, clamp_rows(show->row_count), c->has_more};
    if (show->is_html)
        pt__table_text_append_html(out, &table);
    else if (show->is_vertical)
        pt__table_text_append_vertical(out, &table);
    else
        pt__table_text_append(out, &table);
}

static pt_status append_rows(pt_job *job, pt__zones *zones, const pt_plan_show *show, const pt_plan *relation,
                             pt__buffer *out, pt_error *err)
{
    pt__arena *arena = pt__job_arena(job);
    relation = in_window_order(arena, relation);
    collection *c = pt__arena_make(arena, collection);
    c->scratch = pt__arena_buffer(arena);
    c->arena = arena;
    c->schema = pt__analyzed_schema(arena, relation);
    c->zone = session_zone(job, zones);
    c->truncate = show->truncate;
    c->row_limit = (size_t)clamp_rows(show->row_count);
    PT_TRY(pt__job_each_batch(job, relation, take_batch, c, err));
    append_text(out, show, c);
    return out->failed ? pt_error_set(err, PT_NO_MEMORY, "no memory for a table of text") : PT_OK;
}

pt_status pt__connect_show(pt_job *job, pt__zones *zones, const pt_plan_show *show, pt__buffer *out, pt_error *err)
{
    const pt_plan *relation = NULL;
    bool was_command;
    const pt_plan *rows = limit_rows(pt__job_arena(job), show->input, clamp_rows(show->row_count) + 1);
    PT_TRY(pt__job_settle(job, rows, &relation, &was_command, err));
    return append_rows(job, zones, show, relation, out, err);
}

pt_status pt__connect_show_all(pt_job *job, pt__zones *zones, const pt_plan *relation, pt__buffer *out, pt_error *err)
{
    pt_plan_show show = {.row_count = INT32_MAX};
    return append_rows(job, zones, &show, relation, out, err);
}

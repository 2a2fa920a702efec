/* EXPLAIN: the plan before and after analysis, and what the engine says, under Spark's headings. */
#include "analyze/analyze.h"
#include "base/arena_buffer.h"
#include "exec/command.h"
#include "exec/run.h"
#include "plan/text.h"
#include "plan/walk.h"

#include <string.h>
#include <strings.h>

static void append_plan(pt__buffer *out, const char *heading, const pt_plan *plan)
{
    pt__buffer_printf(out, "== %s ==\n", heading);
    pt__plan_append_text(out, plan);
    pt__buffer_append_string(out, "\n");
}

/* "a: int, b: string" heads the analyzed plan. */
static void append_analyzed(pt__arena *arena, pt__buffer *out, const pt_plan *plan)
{
    pt__buffer_append_string(out, "== Analyzed Logical Plan ==\n");
    for (size_t i = 0; i < plan->column_count; i++)
        pt__buffer_printf(out, "%s%s: %s", i == 0 ? "" : ", ", plan->columns[i].name,
                          pt__type_simple_string(arena, plan->columns[i].type));
    pt__buffer_append_string(out, "\n");
    pt__plan_append_text(out, plan);
    pt__buffer_append_string(out, "\n");
}

/* What keeps the query from running keeps it from being explained; that an engine cannot explain does not. */
static bool is_refusal(const pt_error *err)
{
    return err->status == PT_PERMISSION_DENIED || err->status == PT_LIMIT;
}

static pt_status engine_text(pt_session *session, pt__arena *arena, const pt_plan *analyzed, const char **out,
                             pt_error *err)
{
    pt__backend_slot *slot;
    void *backend_session;
    char zone[PT_ZONE_NAME_MAX];
    pt_error failure = PT_ERROR_INIT;
    *out = NULL;
    pt__session_time_zone(session, zone);
    pt_query query = pt__query_for(session, NULL, arena, zone);
    query.plan = analyzed;
    if (pt__session_backend(session, &slot, &backend_session, &failure) == PT_OK && pt__backend_has(slot, explain))
        slot->vtable->explain(backend_session, &query, arena, out, &failure);
    if (is_refusal(&failure)) {
        pt_status status = failure.status;
        pt_error_move(err, &failure);
        return status;
    }
    pt_error_clear(&failure);
    return PT_OK;
}

static void append_physical(pt__buffer *out, const pt_plan *analyzed, const char *text)
{
    pt__buffer_append_string(out, "== Physical Plan ==\n");
    if (text == NULL)
        pt__plan_append_text(out, analyzed);
    else
        pt__buffer_printf(out, "%s%s", text, text[0] != '\0' && text[strlen(text) - 1] == '\n' ? "" : "\n");
    pt__buffer_append_string(out, "\n");
}

static bool is_mode(const char *mode, const char *name)
{
    return mode != NULL && strcasecmp(mode, name) == 0;
}

static pt_status explain_text(pt_session *session, pt__arena *arena, const pt_plan *plan, const pt_plan *analyzed,
                              const char *mode, const char **out, pt_error *err)
{
    const char *physical = NULL;
    if (!pt__plan_is_command(analyzed))
        PT_TRY(engine_text(session, arena, analyzed, &physical, err));
    pt__buffer *text = pt__arena_buffer(arena);
    if (is_mode(mode, "extended")) {
        append_plan(text, "Parsed Logical Plan", plan);
        append_analyzed(arena, text, analyzed);
    }
    if (is_mode(mode, "extended") || is_mode(mode, "cost"))
        append_plan(text, "Optimized Logical Plan", analyzed);
    if (is_mode(mode, "cost"))
        pt__buffer_append_string(text, "Statistics: the rows that the engine expects stand in the physical plan\n\n");
    append_physical(text, analyzed, physical);
    *out = pt__arena_buffer_take(arena, text);
    return PT_OK;
}

/* Commands that are not analyzed are shown as they were given. */
static pt_status analyze_any(pt__session_catalog *catalog, const pt_plan *plan, const pt_plan **out, pt_error *err)
{
    return pt__analyze(catalog->arena, &catalog->base, plan, out, err);
}

pt_status pt__session_explain(pt_session *session, pt__arena *arena, const pt_plan *plan, const char *mode,
                              const char **out, pt_error *err)
{
    const pt_plan *analyzed;
    pt__session_catalog *catalog = pt__session_catalog_new(session, NULL, arena);
    PT_TRY(analyze_any(catalog, plan, &analyzed, err));
    return explain_text(session, arena, plan, analyzed, mode, out, err);
}

/* ---- as DataFusion does: rows of plan_type and plan ---- */

static void add_plan_row(pt__rows *rows, const char *type, const char *text)
{
    pt__rows_text(rows, type);
    pt__rows_text(rows, text);
}

static const char *plan_text(pt__arena *arena, const pt_plan *plan)
{
    pt__buffer *text = pt__arena_buffer(arena);
    pt__plan_append_text(text, plan);
    return pt__arena_buffer_take(arena, text);
}

static pt_status count_rows(void *context, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                            pt_error *err)
{
    (void)schema;
    (void)err;
    *(int64_t *)context += batch->length;
    return PT_OK;
}

/* Runs the query, whose rows are only counted. */
static pt_status add_measured_row(pt__command *c, pt__rows *rows, const pt_plan *analyzed, const char *physical)
{
    int64_t count = 0;
    int64_t since_us = pt__host_now_us(c->session->host);
    PT_TRY(pt__job_each_batch(c->job, analyzed, count_rows, &count, c->err));
    double ms = (double)(pt__host_now_us(c->session->host) - since_us) / 1000;
    add_plan_row(rows, "Plan with Metrics",
                 pt__arena_printf(c->arena, "output_rows=%lld, elapsed=%.3fms\n%s", (long long)count, ms, physical));
    return PT_OK;
}

static pt_status explain_as_datafusion(pt__command *c, const pt_plan_explain *node, const pt_plan *analyzed,
                                       const pt_plan **out)
{
    const pt__row_column columns[] = {{"plan_type", PT_T(STRING), false}, {"plan", PT_T(STRING), false}};
    const char *physical = NULL;
    if (!pt__plan_is_command(analyzed))
        PT_TRY(engine_text(c->session, c->arena, analyzed, &physical, c->err));
    pt__rows *rows = pt__rows_new(c->arena, columns, 2);
    if (physical == NULL)
        physical = plan_text(c->arena, analyzed);
    if (is_mode(node->mode, "datafusion-analyze")) {
        PT_TRY(add_measured_row(c, rows, analyzed, physical));
        return pt__rows_plan(rows, out, c->err);
    }
    if (is_mode(node->mode, "datafusion-verbose"))
        add_plan_row(rows, "initial_logical_plan", plan_text(c->arena, node->query));
    add_plan_row(rows, "logical_plan", plan_text(c->arena, analyzed));
    add_plan_row(rows, "physical_plan", physical);
    return pt__rows_plan(rows, out, c->err);
}

PT_COMMAND(explain)
{
    const pt__row_column column = {"plan", PT_T(STRING), true};
    const pt_plan *analyzed;
    PT_TRY(analyze_any(c->catalog, node->query, &analyzed, c->err));
    if (node->mode != NULL && strncmp(node->mode, "datafusion", 10) == 0)
        return explain_as_datafusion(c, node, analyzed, out);
    const char *text;
    PT_TRY(explain_text(c->session, c->arena, node->query, analyzed, node->mode, &text, c->err));
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    pt__rows_text(rows, text);
    return pt__rows_plan(rows, out, c->err);
}

/* ---- input files ---- */

typedef struct file_list {
    pt__arena *arena;
    pt__list(const char *) paths;
} file_list;

static void add_path(file_list *list, const char *path)
{
    for (size_t i = 0; i < list->paths.count; i++)
        if (strcmp(list->paths.items[i], path) == 0)
            return;
    pt__list_push(list->arena, &list->paths, path);
}

static bool collect_files(void *context, const pt_plan *plan)
{
    file_list *list = context;
    if (plan->kind == PT_PLAN_SCAN_FILES) {
        const pt_file_set *files = pt__plan_as_scan_files(plan)->files;
        for (size_t i = 0; files != NULL && i < files->file_count; i++)
            add_path(list, files->files[i].path);
    }
    return pt__plan_each_child(plan, collect_files, list);
}

pt_status pt__session_input_files(pt_session *session, pt__arena *arena, const pt_plan *plan, const char *const **out,
                                  size_t *count, pt_error *err)
{
    const pt_plan *analyzed;
    file_list list = {.arena = arena};
    PT_TRY(pt__session_analyze(session, arena, plan, &analyzed, err));
    collect_files(&list, analyzed);
    *out = list.paths.items;
    *count = list.paths.count;
    return PT_OK;
}

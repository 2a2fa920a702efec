#include "plan/plan.h"

#include "base/test.h"
#include "plan/text.h"
#include "plan/walk.h"

#include <string.h>

static const pt_plan *scan(pt__arena *arena, const char *name, int64_t plan_id)
{
    pt_plan_scan_table *node = pt__plan_make(arena, SCAN_TABLE, scan_table, NULL);
    node->base.plan_id = plan_id;
    node->name = pt__name_one(arena, name);
    return &node->base;
}

static const pt_plan *filter(pt__arena *arena, const pt_plan *input, const pt_expr *condition)
{
    pt_plan_filter *node = pt__plan_make(arena, FILTER, filter, NULL);
    node->input = input;
    node->condition = condition;
    return &node->base;
}

/* WITH x (SELECT … FROM t) SELECT … FROM x WHERE exists (SELECT … FROM u) */
static const pt_plan *sample(pt__arena *arena, int64_t plan_id)
{
    pt_expr_subquery *exists = pt__expr_make(arena, SUBQUERY, subquery, NULL);
    exists->subquery_kind = PT_SUBQUERY_EXISTS;
    exists->plan = filter(arena, scan(arena, "u", -1), pt__expr_boolean(arena, true));
    pt_plan_with *with = pt__plan_make(arena, WITH, with, NULL);
    pt_cte *cte = pt__arena_make(arena, pt_cte);
    cte->name = "x";
    cte->plan = scan(arena, "t", plan_id);
    with->ctes = cte;
    with->cte_count = 1;
    with->recursion_limit = -1;
    with->input = filter(arena, scan(arena, "x", -1), &exists->base);
    return &with->base;
}

PT_TEST(plan_text_shows_a_node_a_line)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK_STR(pt__plan_text(arena, sample(arena, 4)),
                 "with\n"
                 "  cte name='x'\n"
                 "    scan_table #4 name=t\n"
                 "  filter condition=subquery(subquery_kind=exists plan={filter condition=true {scan_table name=u}})\n"
                 "    scan_table name=x\n");
    pt__arena_free(arena);
}

PT_TEST(plan_text_shows_lists_and_options)
{
    pt__arena *arena = pt__arena_new(0);
    static const pt_option OPTIONS[] = {{"header", "true"}, {"sep", ";"}};
    static const char *const PATHS[] = {"/a", "/b"};
    pt_plan_scan_files *files = pt__plan_make(arena, SCAN_FILES, scan_files, NULL);
    files->format = "csv";
    files->paths = PATHS;
    files->path_count = 2;
    files->options = (pt_options){OPTIONS, 2};
    files->schema = PT_T(LONG);
    PT_CHECK_STR(pt__plan_text(arena, &files->base),
                 "scan_files format='csv' paths=['/a', '/b'] options=['header':'true', 'sep':';'] schema=BIGINT\n");
    PT_CHECK_STR(pt__options_get(&files->options, "HEADER"), "true");
    PT_CHECK(pt__options_get(&files->options, "quote") == NULL);
    pt__arena_free(arena);
}

PT_TEST(plan_text_counts_the_cells_of_values)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_expr *cells[] = {pt__expr_int(arena, 1), pt__expr_int(arena, 2), pt__expr_int(arena, 3),
                              pt__expr_int(arena, 4)};
    pt_plan_values *values = pt__plan_make(arena, VALUES, values, NULL);
    values->cells = cells;
    values->row_count = 2;
    values->width = 2;
    PT_CHECK_STR(pt__plan_text(arena, &values->base), "values cells=[1, 2, 3, 4] width=2\n");
    pt__arena_free(arena);
}

PT_TEST(plan_equality_ignores_plan_ids)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK(pt__plan_equal(sample(arena, 4), sample(arena, 5)));
    PT_CHECK(!pt__plan_equal(sample(arena, 4), scan(arena, "t", 4)));
    pt__arena_free(arena);
}

static const pt_plan *rename_scans(void *context, const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_SCAN_TABLE)
        return scan(context, "renamed", plan->plan_id);
    return pt__plan_map_children(context, plan, rename_scans, NULL, context);
}

PT_TEST(plan_mapping_reaches_common_table_expressions)
{
    pt__arena *arena = pt__arena_new(0);
    const pt_plan_with *with = pt__plan_as_with(rename_scans(arena, sample(arena, 4)));
    PT_CHECK_STR(pt__plan_as_scan_table(with->ctes[0].plan)->name.parts[0], "renamed");
    PT_CHECK_STR(pt__plan_as_scan_table(pt__plan_as_filter(with->input)->input)->name.parts[0], "renamed");
    pt__arena_free(arena);
}

PT_TEST(plan_commands_follow_relations)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK(!pt__plan_is_command(scan(arena, "t", -1)));
    PT_CHECK(!pt__plan_is_command(&pt__plan_make(arena, CATALOG, catalog, NULL)->base));
    PT_CHECK(pt__plan_is_command(&pt__plan_make(arena, CREATE_VIEW, create_view, NULL)->base));
    PT_CHECK(pt__plan_is_command(&pt__plan_make(arena, CREATE_FUNCTION, create_function, NULL)->base));
    pt__arena_free(arena);
}

/* Every kind has a record, and a zeroed node of it can be written. */
PT_TEST(plan_text_knows_every_kind)
{
    pt__arena *arena = pt__arena_new(0);
#define PT_PLAN(id, name) PT_CHECK(strlen(pt__plan_text(arena, &pt__plan_make(arena, id, name, NULL)->base)) > 0);
#include "plan/plan.def"
#undef PT_PLAN
    pt__arena_free(arena);
}

/* The entry of requests: relations are analyzed, commands carried out. */
#include "analyze/analyze.h"
#include "exec/command.h"
#include "exec/recover.h"
#include "exec/run.h"
#include "plan/walk.h"

pt_status pt__command_pass_on(pt__command *c, const pt_plan *command, const pt_plan **out)
{
    const pt_plan *analyzed;
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, command, &analyzed, c->err));
    PT_TRY(pt__run_command(c->job, analyzed, c->err));
    return pt__rows_none(c->arena, out, c->err);
}

static pt_status dispatch(pt__command *c, const pt_plan *plan, const pt_plan **out)
{
    switch (plan->kind) {
    case PT_PLAN_CREATE_VIEW: return pt__command_create_view(c, pt__plan_as_create_view(plan), out);
    case PT_PLAN_CREATE_TABLE: return pt__command_create_table(c, pt__plan_as_create_table(plan), out);
    case PT_PLAN_DROP: return pt__command_drop(c, pt__plan_as_drop(plan), out);
    case PT_PLAN_INSERT: return pt__command_insert(c, pt__plan_as_insert(plan), out);
    case PT_PLAN_WRITE_FILES: return pt__command_write_files(c, pt__plan_as_write_files(plan), out);
    case PT_PLAN_CREATE_DATABASE: return pt__command_create_database(c, pt__plan_as_create_database(plan), out);
    case PT_PLAN_ALTER_TABLE: return pt__command_alter_table(c, pt__plan_as_alter_table(plan), out);
    case PT_PLAN_DELETE:
    case PT_PLAN_UPDATE:
    case PT_PLAN_MERGE: return pt__command_pass_on(c, plan, out);
    case PT_PLAN_USE: return pt__command_use(c, pt__plan_as_use(plan), out);
    case PT_PLAN_SET: return pt__command_set(c, pt__plan_as_set(plan), out);
    case PT_PLAN_SHOW_OBJECTS: return pt__command_show_objects(c, pt__plan_as_show_objects(plan), out);
    case PT_PLAN_DESCRIBE: return pt__command_describe(c, pt__plan_as_describe(plan), out);
    case PT_PLAN_EXPLAIN: return pt__command_explain(c, pt__plan_as_explain(plan), out);
    case PT_PLAN_CACHE_TABLE: return pt__command_cache_table(c, pt__plan_as_cache_table(plan), out);
    case PT_PLAN_CREATE_FUNCTION: return pt__command_create_function(c, pt__plan_as_create_function(plan), out);
    case PT_PLAN_CATALOG: return pt__command_catalog(c, pt__plan_as_catalog(plan), out);
    default: return pt__analyze(c->arena, &c->catalog->base, plan, out, c->err); /* every relation */
    }
}

/* ---- references around a command ---- */

typedef struct reference_map {
    pt__arena *arena;
    const pt_plan_with_references *around;
} reference_map;

static const pt_plan *wrap_query(void *context, const pt_plan *query)
{
    const reference_map *map = context;
    pt_plan_with_references *inner =
        pt__plan_make(map->arena, WITH_REFERENCES, with_references, map->around->base.origin);
    inner->root = query;
    inner->references = map->around->references;
    inner->reference_count = map->around->reference_count;
    return &inner->base;
}

/* INSERT INTO t SELECT … FROM {df}: the references belong around the query in the command. */
static const pt_plan *push_references(pt__arena *arena, const pt_plan *plan)
{
    if (plan->kind != PT_PLAN_WITH_REFERENCES)
        return plan;
    const pt_plan_with_references *around = pt__plan_as_with_references(plan);
    if (!pt__plan_is_command(around->root))
        return plan;
    reference_map map = {arena, around};
    return pt__plan_map_children(arena, around->root, wrap_query, NULL, &map);
}

pt_status pt__session_analyze(pt_session *session, pt__arena *arena, const pt_plan *plan, const pt_plan **out,
                              pt_error *err)
{
    if (pt__session_is_closed(session))
        return pt__session_closed_error(session, err);
    if (plan->kind != PT_PLAN_CATALOG)
        return pt__analyze_for(session, NULL, arena, plan, out, err);
    pt__command c = {NULL, session, arena, pt__session_catalog_new(session, NULL, arena), err};
    return pt__command_catalog_columns(&c, pt__plan_as_catalog(plan), out);
}

/* What must not be done a second time by a node that takes the job over. */
static bool changes_something(const pt_plan *plan)
{
    switch (plan->kind) {
    case PT_PLAN_SHOW_OBJECTS:
    case PT_PLAN_DESCRIBE:
    case PT_PLAN_EXPLAIN: return false;
    case PT_PLAN_CATALOG: return true; /* a relation by kind, but it may create and drop */
    default: return pt__plan_is_command(plan);
    }
}

pt_status pt__job_settle(pt_job *job, const pt_plan *plan, const pt_plan **relation, bool *was_command, pt_error *err)
{
    PT_TRY(pt__job_check(job, err));
    if (pt__session_is_closed(job->session))
        return pt__session_closed_error(job->session, err);
    pt__arena *arena = pt__job_arena(job);
    pt__command c = {job, job->session, arena, pt__session_catalog_new(job->session, job, arena), err};
    plan = push_references(arena, plan);
    *was_command = pt__plan_is_command(plan);
    if (changes_something(plan))
        PT_TRY(pt__job_begin(job, PT_JOB_WRITE, err));
    if (changes_something(plan) && job->is_proven)
        return pt__rows_none(arena, relation, err);
    PT_TRY(dispatch(&c, plan, relation));
    return pt__job_check(job, err);
}

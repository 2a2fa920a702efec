#include "backend/duckdb/command.h"

#include "backend/duckdb/functions/functions.h"
#include "base/condition.h"

#include <strings.h>

const char *pt__database_of(const pt_name *name)
{
    return name->count > 1 ? name->parts[name->count - 2] : "default";
}

const char *pt__object_of(const pt_name *name)
{
    return name->parts[name->count - 1];
}

/* ---- what commands use ---- */

pt_status pt__command_sql(pt__command_run *run, const char *sql, pt_error *err)
{
    PT_TRY(pt__statement_check(run->statement, err));
    PT_TRY(pt__functions_register_here(run->database->functions, run->statement->connection, sql, err));
    PT_TRY(pt__duckdb_run(run->statement->connection, sql, err));
    return pt__statement_check(run->statement, err);
}

void pt__command_forget(pt__command_run *run)
{
    for (size_t i = 0; i < run->local_count; i++)
        pt__local_forget(run->database, &run->locals[i]);
    run->local_count = 0;
}

static void register_locals(pt__command_run *run, const pt__lowered *lowered)
{
    run->locals = pt__arena_array(run->arena, pt__local_entry, lowered->source_count + 1);
    run->local_count = lowered->source_count;
    for (size_t i = 0; i < lowered->source_count; i++) {
        run->locals[i] = (pt__local_entry){.key = lowered->sources[i].key, .data = lowered->sources[i].data};
        pt__local_register(run->database, &run->locals[i]);
    }
}

pt_status pt__command_query(pt__command_run *run, const pt_plan *query, pt__lowered *out, pt_error *err)
{
    PT_TRY(pt__lower_query(pt__lower_new(run->arena, run->database, run->time_zone), query, out, err));
    register_locals(run, out);
    return PT_OK;
}

void pt__put_named_query(pt__lower *lower, const pt__lowered *query, const pt_type *schema)
{
    pt__put(lower, "SELECT ");
    for (size_t i = 0; i < schema->field_count; i++) {
        pt__putf(lower, "%sCAST(x.x%zu AS ", i == 0 ? "" : ", ", i);
        pt__put_type(lower, schema->fields[i].type);
        pt__put(lower, ") AS ");
        pt__put_identifier(lower, schema->fields[i].name);
    }
    pt__putf(lower, " FROM (%s) AS x(", query->sql);
    for (size_t i = 0; i < schema->field_count; i++)
        pt__putf(lower, "%sx%zu", i == 0 ? "" : ", ", i);
    pt__put(lower, ")");
}

/* ---- routing ---- */

const pt_plan *pt__command_query_of(const pt_plan *plan)
{
    if (plan->kind == PT_PLAN_CREATE_TABLE)
        return pt__plan_as_create_table(plan)->query;
    if (plan->kind == PT_PLAN_INSERT)
        return pt__plan_as_insert(plan)->query;
    return plan->kind == PT_PLAN_WRITE_FILES ? pt__plan_as_write_files(plan)->query : NULL;
}

static bool is_run_here(pt_plan_kind kind)
{
    switch (kind) {
    case PT_PLAN_CREATE_TABLE:
    case PT_PLAN_INSERT:
    case PT_PLAN_DROP:
    case PT_PLAN_CREATE_VIEW:
    case PT_PLAN_CREATE_DATABASE:
    case PT_PLAN_ALTER_TABLE:
    case PT_PLAN_DELETE:
    case PT_PLAN_UPDATE:
    case PT_PLAN_WRITE_FILES: return true;
    default: return false;
    }
}

pt_status pt__command_check(pt__duckdb *database, pt__arena *arena, const pt_plan *plan, const char *time_zone,
                            pt_error *err)
{
    if (!is_run_here(plan->kind))
        return pt__lower_unsupported(err, plan->origin, pt__plan_kind_name(plan->kind));
    const pt_plan *query = pt__command_query_of(plan);
    pt__lowered ignored;
    return query == NULL ? PT_OK : pt__lower_query(pt__lower_new(arena, database, time_zone), query, &ignored, err);
}

static pt_status run_kind(pt__command_run *run, const pt_plan *plan, pt_error *err)
{
    switch (plan->kind) {
    case PT_PLAN_CREATE_TABLE: return pt__run_create_table(run, pt__plan_as_create_table(plan), err);
    case PT_PLAN_INSERT: return pt__run_insert(run, pt__plan_as_insert(plan), err);
    case PT_PLAN_DROP: return pt__run_drop(run, pt__plan_as_drop(plan), err);
    case PT_PLAN_CREATE_VIEW: return pt__run_create_view(run, pt__plan_as_create_view(plan), err);
    case PT_PLAN_CREATE_DATABASE: return pt__run_create_database(run, pt__plan_as_create_database(plan), err);
    case PT_PLAN_ALTER_TABLE: return pt__run_alter_table(run, pt__plan_as_alter_table(plan), err);
    case PT_PLAN_DELETE: return pt__run_delete(run, pt__plan_as_delete(plan), err);
    case PT_PLAN_UPDATE: return pt__run_update(run, pt__plan_as_update(plan), err);
    case PT_PLAN_WRITE_FILES: return pt__run_write_files(run, pt__plan_as_write_files(plan), err);
    default: return pt__lower_unsupported(err, plan->origin, pt__plan_kind_name(plan->kind));
    }
}

static pt_status in_transaction(pt__command_run *run, const pt_plan *plan, pt_error *err)
{
    PT_TRY(pt__command_sql(run, "BEGIN", err));
    pt_status status = run_kind(run, plan, err);
    if (status == PT_OK)
        status = pt__command_sql(run, "COMMIT", err);
    if (status != PT_OK)
        pt__duckdb_run(run->statement->connection, "ROLLBACK", NULL);
    return status;
}

pt_status pt__command_execute(pt__command_run *run, const pt_plan *plan, pt_error *err)
{
    PT_TRY(pt__duckdb_need_functions(run->database, NULL, err)); /* a transaction would not see later ones */
    PT_TRY(pt__statement_borrow(run->statement, err));
    pt_status status = in_transaction(run, plan, err);
    pt__command_forget(run);
    return status;
}

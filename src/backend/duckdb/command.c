/* Commands: which of them run here, their dispatch, and the transaction around each. */
#include "backend/duckdb/command.h"

#include "backend/duckdb/proof.h"

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
    pt_status status = run->proof == NULL ? PT_OK : pt__proof_add(run->statement->connection, run->proof, err);
    if (status == PT_OK)
        status = run_kind(run, plan, err);
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

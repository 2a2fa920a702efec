#include "backend/duckdb/explain.h"

#include "backend/duckdb/command.h"
#include "backend/duckdb/rows.h"

static pt_status explain(pt__command_run *run, const pt_plan *plan, const char **out, pt_error *err)
{
    pt__lowered lowered;
    pt__rows rows;
    PT_TRY(pt__statement_borrow(run->statement, err));
    PT_TRY(pt__command_query(run, plan, &lowered, err));
    const char *sql = pt__arena_printf(run->arena, "EXPLAIN %s", lowered.sql);
    pt_status status = pt__rows_read(run->statement->connection, run->arena, sql, NULL, 0, &rows, err);
    pt__command_forget(run);
    PT_TRY(status);
    *out = rows.row_count > 0 && rows.width > 1 && rows.cells[1] != NULL ? rows.cells[1] : "";
    return PT_OK;
}

pt_status pt__explain(pt__duckdb *database, const pt_query *query, pt__arena *arena, const char **out, pt_error *err)
{
    pt__statement statement;
    const pt_plan *plan = query->plan;
    if (plan != NULL && pt__plan_is_command(plan))
        plan = pt__command_query_of(plan);
    *out = "";
    if (plan == NULL)
        return PT_OK;
    pt__statement_init(&statement, database, plan);
    pt__command_run run = {
        .database = database, .statement = &statement, .arena = arena, .time_zone = query->time_zone};
    pt_status status = explain(&run, plan, out, err);
    pt__statement_deinit(&statement);
    return status;
}

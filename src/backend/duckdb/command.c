#include "backend/duckdb/command.h"

pt_status pt__command_check(pt__duckdb *database, pt__arena *arena, const pt_plan *plan, const char *time_zone,
                            pt_error *err)
{
    (void)database;
    (void)arena;
    (void)time_zone;
    return pt__lower_unsupported(err, plan->origin, pt__plan_kind_name(plan->kind));
}

pt_status pt__command_run(pt__duckdb *database, pt__statement *statement, pt__arena *arena, const pt_plan *plan,
                          const char *time_zone, pt_error *err)
{
    (void)statement;
    return pt__command_check(database, arena, plan, time_zone, err);
}

/**
 * Commands: what changes the catalog, tables or files. Each is one transaction.
 */
#ifndef PT_BACKEND_DUCKDB_COMMAND_H
#define PT_BACKEND_DUCKDB_COMMAND_H

#include "backend/duckdb/statement.h"

/** Refuses by name what pt__command_run could not run; runs nothing. */
pt_status pt__command_check(pt__duckdb *database, pt__arena *arena, const pt_plan *plan, const char *time_zone,
                            pt_error *err);

/** Runs a command on the statement's connection; interrupting the statement stops it. */
pt_status pt__command_run(pt__duckdb *database, pt__statement *statement, pt__arena *arena, const pt_plan *plan,
                          const char *time_zone, pt_error *err);

#endif

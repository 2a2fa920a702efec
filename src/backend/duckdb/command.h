/**
 * Commands: what changes the catalog, tables or files. Each is one transaction: a process that dies leaves the old
 * state or the new one.
 */
#ifndef PT_BACKEND_DUCKDB_COMMAND_H
#define PT_BACKEND_DUCKDB_COMMAND_H

#include "backend/duckdb/statement.h"

/** A running command. */
typedef struct pt__command_run {
    pt__duckdb *database;
    pt__statement *statement; /* whose connection it uses, and which an interrupt stops */
    pt__arena *arena;
    const char *time_zone;
    const char *proof;       /* what its transaction is to leave (proof.h); NULL: nothing */
    int64_t rows_written;    /* to files */
    pt__local_entry *locals; /* client rows of its query */
    size_t local_count;
} pt__command_run;

/** Refuses by name what pt__command_execute could not run; runs nothing. */
pt_status pt__command_check(pt__duckdb *database, pt__arena *arena, const pt_plan *plan, const char *time_zone,
                            pt_error *err);

/** Runs a command within a transaction of its own. */
pt_status pt__command_execute(pt__command_run *run, const pt_plan *plan, pt_error *err);

/* ---- for the files of commands ---- */

/** One statement on the command's connection; fails with OPERATION_CANCELED after an interrupt. */
pt_status pt__command_sql(pt__command_run *run, const char *sql, pt_error *err);
/** The same for one that writes rows to files: run->rows_written. */
pt_status pt__command_write_sql(pt__command_run *run, const char *sql, pt_error *err);

/** Lowers the command's query and registers its client rows. */
pt_status pt__command_query(pt__command_run *run, const pt_plan *query, pt__lowered *out, pt_error *err);

/** After it has run. */
void pt__command_forget(pt__command_run *run);

/** The relation whose rows a command takes; NULL: none. */
const pt_plan *pt__command_query_of(const pt_plan *plan);

/** `SELECT CAST(x0 AS T) AS "name", … FROM (query) AS x(x0, …)` with the fields' names and types. */
void pt__put_named_query(pt__lower *lower, const pt__lowered *query, const pt_type *schema);

const char *pt__database_of(const pt_name *name);
const char *pt__object_of(const pt_name *name);

#define PT_COMMAND_RUN(name) pt_status pt__run_##name(pt__command_run *run, const pt_plan_##name *node, pt_error *err)
PT_COMMAND_RUN(create_table); /* command_table.c */
PT_COMMAND_RUN(insert);
PT_COMMAND_RUN(drop); /* command_catalog.c */
PT_COMMAND_RUN(create_view);
PT_COMMAND_RUN(create_database);
PT_COMMAND_RUN(alter_table); /* command_alter.c */
PT_COMMAND_RUN(delete);      /* command_rows.c */
PT_COMMAND_RUN(update);
PT_COMMAND_RUN(write_files); /* command_write.c */

#endif

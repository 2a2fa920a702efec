/**
 * For tests: statements of Spark SQL run as jobs of a session; their rows as text.
 */
#ifndef PT_EXEC_TEST_SQL_H
#define PT_EXEC_TEST_SQL_H

#include "exec/session.h"

typedef struct pt__test_sql {
    pt_host *host;
    pt_session *session;
    pt__arena *arena;
} pt__test_sql;

/** A host with the backend, and a session. `key` NULL or a configuration value. */
pt__test_sql pt__test_sql_begin(const pt_backend_vtable *backend, const char *key, const char *value);
void pt__test_sql_end(pt__test_sql *t);

/**
 * "name:type" of the columns, then a line per row, cells separated by '|' and null as "null"; or "! CONDITION".
 * Lives in the arena.
 */
const char *pt__test_sql_run(pt__test_sql *t, const char *sql);
/** Rows only. */
const char *pt__test_sql_rows(pt__test_sql *t, const char *sql);

/** Runs `make`'s plan instead of a statement. */
const char *pt__test_plan_run(pt__test_sql *t, const pt_plan *(*make)(pt__arena *arena, void *context), void *context);

#endif

/** A backend in memory with one session, and results of queries in it, for tests. */
#ifndef PT_BACKEND_DUCKDB_NATIVE_TEST_SESSION_H
#define PT_BACKEND_DUCKDB_NATIVE_TEST_SESSION_H

#include <portico/backend.h>

bool pt__test_session_open(uint32_t workers, void **backend, void **session);
void pt__test_session_close(void *backend, void *session);

typedef struct pt__test_result {
    pt_operation *operation;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema; /* `release` NULL: none has come */
} pt__test_result;

/** A query in DuckDB's dialect; `sql` lives as long. */
pt_query pt__test_query(const char *sql);
/** Starts it; false when it has no schema. End it with pt__test_stop in any case. */
bool pt__test_start(void *session, const pt_query *query, pt__test_result *out);
void pt__test_stop(pt__test_result *result);

#endif

/**
 * For tests: Spark SQL run in process on the DuckDB backend, with the answer as text.
 */
#ifndef PT_BACKEND_DUCKDB_TEST_ENGINE_H
#define PT_BACKEND_DUCKDB_TEST_ENGINE_H

#include "analyze/analyze.h"

#include <portico/backend.h>

typedef struct pt__test_engine {
    pt__catalog catalog; /* first: analysis sees this */
    void *backend;
    void *session;
    pt__arena *arena; /* of the last statement and its answer */
    const char *time_zone;
    const char *ansi;           /* "true" or "false" */
    const char *directory;      /* files: a table name that is none is DIRECTORY/name.parquet; NULL: none */
    const pt_local_data *local; /* rows of the table called local */
    const pt_type *local_type;
    uint64_t batch_rows;
} pt__test_engine;

/** `database` NULL: in memory. Fails the test and returns false when the backend does not open. */
bool pt__test_engine_open(pt__test_engine *engine, const char *database);
void pt__test_engine_close(pt__test_engine *engine);

/**
 * The rows as lines of cells with bars between; or the error's condition and message in one line, "!CONDITION text".
 * Valid until the next call.
 */
const char *pt__test_engine_run(pt__test_engine *engine, const char *sql);

/** The same for an analyzed plan in the engine's arena. */
const char *pt__test_engine_run_plan(pt__test_engine *engine, const pt_plan *plan);

/** The struct type of an Arrow schema. */
const pt_type *pt__test_engine_struct_of(pt__arena *arena, const struct ArrowSchema *schema);

/** Parses and analyzes; the plan lives as long as the engine's arena. */
pt_status pt__test_engine_analyze(pt__test_engine *engine, const char *sql, const pt_plan **out, pt_error *err);

/** The SQL that a query becomes, or the error as above. */
const char *pt__test_engine_lower(pt__test_engine *engine, const char *sql);

#endif

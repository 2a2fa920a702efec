/** For tests: statements of Spark SQL and the rows they give, run one after the other on one engine. */
#ifndef PT_BACKEND_DUCKDB_TEST_PAIRS_H
#define PT_BACKEND_DUCKDB_TEST_PAIRS_H

#include "backend/duckdb/test_engine.h"

#include <stddef.h>

typedef struct pt__test_pair {
    const char *sql;
    const char *rows; /* as pt__test_engine_run gives them; an error by its first words */
} pt__test_pair;

void pt__test_pairs(pt__test_engine *engine, const pt__test_pair *pairs, size_t count);

/** On an engine of their own, in memory. */
void pt__test_pairs_alone(const pt__test_pair *pairs, size_t count);

#define PT_CHECK_PAIRS(pairs) pt__test_pairs_alone(pairs, sizeof(pairs) / sizeof(*(pairs)))

#endif

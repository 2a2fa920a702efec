/** For tests: runs expressions in a database of its own that has the functions. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TEST_FUNCTIONS_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TEST_FUNCTIONS_H

#include <stddef.h>

typedef struct pt__fn_case {
    const char *sql;      /* expressions, as after SELECT */
    const char *expected; /* values as DuckDB spells them, " | " between columns; "! text": fails with that text */
} pt__fn_case;

/** Checks each case. */
void pt__fn_check(const pt__fn_case *cases, size_t count, const char *file);

#define PT__FN_CHECK(cases) pt__fn_check((cases), sizeof(cases) / sizeof((cases)[0]), __FILE__)

#endif

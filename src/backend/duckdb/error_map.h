/**
 * Errors of DuckDB, and those that our own functions raise in it, as Spark's conditions.
 *
 * Our functions fail with `[CONDITION]{"parameter": "value", …}`. What DuckDB says itself is recognized by its text;
 * names and types of generated SQL were settled before, so that complaints about them are internal errors.
 */
#ifndef PT_BACKEND_DUCKDB_ERROR_MAP_H
#define PT_BACKEND_DUCKDB_ERROR_MAP_H

#include "plan/plan.h"

#include <duckdb.h>

/** `plan`, which may be NULL, is searched for the expression that failed: its origin becomes the query context. */
pt_status pt__error_of_text(const char *text, const pt_plan *plan, pt_error *err);
pt_status pt__error_of_result(duckdb_result *result, const pt_plan *plan, pt_error *err);

#endif

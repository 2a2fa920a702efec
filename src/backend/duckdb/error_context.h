/** Which expression of a plan an error of the engine came from. */
#ifndef PT_BACKEND_DUCKDB_ERROR_CONTEXT_H
#define PT_BACKEND_DUCKDB_ERROR_CONTEXT_H

#include "plan/plan.h"

/**
 * Adds the origin of the expression that raised `err` as its query context: the first one, in the order of
 * evaluation, that can fail with this condition. DuckDB does not say where an error arose.
 */
void pt__error_find_context(const pt_plan *plan, pt_error *err);

#endif

/**
 * Literal row: `SELECT 1, 'x'` asks the engine nothing; its row is made from the plan.
 */
#ifndef PT_BACKEND_DUCKDB_LITERAL_ROW_H
#define PT_BACKEND_DUCKDB_LITERAL_ROW_H

#include "plan/plan.h"

#include <portico/arrow.h>

/** Whether the plan is one row of literals that are not nested. */
bool pt__is_literal_row(const pt_plan *plan);

/** The row as a struct array, the caller's to release; false when memory is exhausted. */
bool pt__literal_row_make(const pt_plan *plan, struct ArrowArray *out);

/** A row of one 64-bit number. */
bool pt__count_row_make(int64_t count, struct ArrowArray *out);

#endif

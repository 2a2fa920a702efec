/**
 * Deep expressions: what takes DuckDB's optimizer a time that grows with the third power of the depth is computed in
 * layers of projections instead.
 */
#ifndef PT_BACKEND_DUCKDB_LOWER_SPLIT_H
#define PT_BACKEND_DUCKDB_LOWER_SPLIT_H

#include "backend/duckdb/lower.h"

/**
 * Takes pieces of the `count` expressions over *input that nest too deeply out of them: *input becomes projections
 * that compute those pieces besides all columns of the old one. Pieces that are not always evaluated (branches of
 * CASE, lambdas …) stay where they are. `expressions` is replaced by rewritten ones when something changed.
 */
void pt__split_deep(pt__lower *lower, const pt_plan **input, const pt_expr *const **expressions, size_t count);

#endif

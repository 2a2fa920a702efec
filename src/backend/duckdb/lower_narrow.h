/**
 * Narrow products: DECIMAL(15,2) × DECIMAL(16,2) is DECIMAL(32,4) in Spark and needs 128 bits, which is five times as
 * slow as the 64 bits that nearly always do. Inside of sum() and avg() products are therefore computed in 18 digits,
 * where DuckDB raises an error when they do not do; the statement is then lowered again without. That is invisible as
 * long as no row was delivered, so that it is done only where all rows wait for an aggregate or a sort.
 */
#ifndef PT_BACKEND_DUCKDB_LOWER_NARROW_H
#define PT_BACKEND_DUCKDB_LOWER_NARROW_H

#include "backend/duckdb/lower.h"

/** Whether the plan's first row comes after all of its sums. */
bool pt__narrow_is_safe(const pt_plan *plan);

/** Whether this + - or × is computed in 64 bits where lower->in_narrow is set. */
bool pt__narrow_fits(const pt__lower *lower, const pt_expr_call *call);

/** The narrow form of a projected expression; NULL when it has none. */
pt_status pt__narrow_text(pt__lower *lower, const pt_expr *expr, const char **out, pt_error *err);

#endif

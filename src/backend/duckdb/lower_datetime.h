/**
 * Arithmetic of dates, timestamps and intervals.
 */
#ifndef PT_BACKEND_DUCKDB_LOWER_DATETIME_H
#define PT_BACKEND_DUCKDB_LOWER_DATETIME_H

#include "backend/duckdb/lower.h"

/**
 * The template of `op` ("+", "-", "*" or "/") over operands of which one is a date, a timestamp or an interval; NULL
 * when none is.
 */
const char *pt__datetime_template(pt__lower *lower, const pt_expr_call *call, const char *op);

#endif

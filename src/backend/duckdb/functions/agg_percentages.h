/** The list of wanted percentages, the same in every row. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_AGG_PERCENTAGES_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_AGG_PERCENTAGES_H

#include "backend/duckdb/functions/aggregate.h"

/** Copies the list of DOUBLEs in a row unless `out` has one; false: no memory. */
bool pt__agg_take_percentages(pt__agg_array *out, const pt__fn_column *column, idx_t at);

#endif

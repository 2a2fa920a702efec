/** Paths into variants: $.name['name']["name"][0]. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_VARIANT_PATH_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_VARIANT_PATH_H

#include "backend/duckdb/functions/variant.h"

/** Follows the path in a row of a text column; false when nothing is there, or after failing the call for a bad path. */
bool pt__variant_find(pt__fn_call *call, size_t path_column, idx_t row, const pt__variant *variant, pt__variant *out);

/** NULL in a row of variants, and in its fields. */
void pt__variant_put_null(duckdb_vector output, idx_t row);

#endif

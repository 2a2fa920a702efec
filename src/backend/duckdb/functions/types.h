/** DuckDB types by name, and unpacked for kernels. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TYPES_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TYPES_H

#include "backend/duckdb/functions/call.h"

/**
 * A type by name; the caller destroys it. Names may end in [] any number of times; DECIMAL is DECIMAL(38,scale),
 * DECIMAL(w;s) any other, MAP(VARCHAR;VARCHAR) the only map. NULL when the name means nothing.
 */
duckdb_logical_type pt__fn_type_make(pt_text_view name, int scale);

/** The children are the caller's, freed by pt__fn_type_free_children. Without memory there are none. */
pt__fn_type pt__fn_type_unpack(duckdb_logical_type logical);
void pt__fn_type_free_children(pt__fn_type *type);
/** `type` is a plain copy of another: gives it children of its own. */
void pt__fn_type_copy_children(pt__fn_type *type);

#endif

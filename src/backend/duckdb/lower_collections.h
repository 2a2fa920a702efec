/** What the lowering of variants (lower_json.c) and of maps (lower_collections.c) offers other files. */
#ifndef PT_BACKEND_DUCKDB_LOWER_COLLECTIONS_H
#define PT_BACKEND_DUCKDB_LOWER_COLLECTIONS_H

#include "backend/duckdb/lower.h"

/** A variant, or what its path leads to, as a value of the type; what does not fit fails or becomes NULL. */
void pt__put_variant_cast(pt__lower *lower, const char *variant, const char *path, const pt_type *type, bool is_try);
void pt__put_to_variant(pt__lower *lower, const char *value, const pt_type *type);

/** map(key, value, ...) where the last of equal keys wins. */
pt_status pt__lower_map_last_wins(pt__lower *lower, const pt_expr_call *call, pt_error *err);

#endif

/** What DuckDB would do. */
#ifndef PT_BACKEND_DUCKDB_EXPLAIN_H
#define PT_BACKEND_DUCKDB_EXPLAIN_H

#include "backend/duckdb/engine.h"

/** As pt_backend_vtable.explain: DuckDB's physical plan as text; of a command, that of its query. */
pt_status pt__explain(pt__duckdb *database, const pt_query *query, pt__arena *arena, const char **out, pt_error *err);

#endif

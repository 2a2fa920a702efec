/**
 * Kept results: rows of a query in a table of a catalog of its own, in memory and spilled to the temporary folder
 * like all that is in memory.
 */
#ifndef PT_BACKEND_DUCKDB_KEPT_H
#define PT_BACKEND_DUCKDB_KEPT_H

#include "backend/duckdb/engine.h"

/** Makes the catalog, if it is not there yet. */
pt_status pt__kept_attach(pt__duckdb *database, pt_error *err);

/** As pt_backend_vtable.keep; blocks until all rows are there. */
pt_status pt__kept_make(pt__duckdb *database, const pt_query *query, void **out, pt_error *err);
/** As pt_backend_vtable.release_kept. */
void pt__kept_release(void *database, void *kept);

#endif

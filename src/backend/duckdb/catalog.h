/**
 * Catalog: databases are schemas of DuckDB, tables its tables; what DuckDB cannot keep about them (nullability,
 * comments, char lengths, provider, options, text of views) lies in tables of the schema __portico, changed in the
 * same transaction.
 */
#ifndef PT_BACKEND_DUCKDB_CATALOG_H
#define PT_BACKEND_DUCKDB_CATALOG_H

#include "backend/duckdb/engine.h"

/** Makes what is missing in a new database. */
pt_status pt__catalog_prepare(pt__duckdb *self, duckdb_connection connection, pt_error *err);

#endif

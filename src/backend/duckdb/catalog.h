/**
 * Catalog: databases are schemas of DuckDB, tables its tables; what DuckDB cannot keep about them (nullability,
 * comments, char lengths, provider, options, text of views) is JSON in two tables of the schema __portico, changed
 * in the same transaction. Tables that other programs made are shown with the columns that DuckDB reports.
 */
#ifndef PT_BACKEND_DUCKDB_CATALOG_H
#define PT_BACKEND_DUCKDB_CATALOG_H

#include "backend/duckdb/engine.h"

/** Makes what is missing in a new database. */
pt_status pt__catalog_prepare(pt__duckdb *self, duckdb_connection connection, pt_error *err);

/* As pt_backend_vtable. */
pt_status pt__catalog_get_table(pt__duckdb *self, pt__arena *arena, const char *database, const char *name,
                                const pt_table **out, pt_error *err);
pt_status pt__catalog_list_tables(pt__duckdb *self, pt__arena *arena, const char *database, const pt_table *const **out,
                                  size_t *count, pt_error *err);
pt_status pt__catalog_list_databases(pt__duckdb *self, pt__arena *arena, const pt_database **out, size_t *count,
                                     pt_error *err);

/* For commands: within the transaction of `connection`. */

/** PT_NOT_FOUND (err untouched) when there is none. */
pt_status pt__catalog_read(pt__duckdb *self, duckdb_connection connection, pt__arena *arena, const char *database,
                           const char *name, const pt_table **out, pt_error *err);
/** Writes what is known about a table or view, replacing what was. */
pt_status pt__catalog_write(duckdb_connection connection, pt__arena *arena, const pt_table *table, pt_error *err);
pt_status pt__catalog_forget(duckdb_connection connection, pt__arena *arena, const char *database, const char *name,
                             pt_error *err);
pt_status pt__catalog_write_database(duckdb_connection connection, pt__arena *arena, const pt_database *database,
                                     pt_error *err);
/** The database and all that is known about its tables. */
pt_status pt__catalog_forget_database(duckdb_connection connection, pt__arena *arena, const char *name, pt_error *err);

/* JSON (catalog_json.c). */
const char *pt__table_to_json(pt__arena *arena, const pt_table *table);
pt_status pt__table_from_json(pt__arena *arena, const char *database, const char *name, const char *json,
                              const pt_table **out, pt_error *err);
const char *pt__database_to_json(pt__arena *arena, const pt_database *database);
pt_status pt__database_from_json(pt__arena *arena, const char *name, const char *json, pt_database *out, pt_error *err);

#endif

/**
 * The plan's types for what DuckDB reports: files and tables that other programs made.
 */
#ifndef PT_BACKEND_DUCKDB_ENGINE_TYPE_H
#define PT_BACKEND_DUCKDB_ENGINE_TYPE_H

#include "plan/type.h"

#include <duckdb.h>

/**
 * Errors: PT_UNSUPPORTED with the condition PARQUET_TYPE_ILLEGAL naming `column` for what Spark has no type for.
 */
pt_status pt__engine_type(pt__arena *arena, duckdb_logical_type engine_type, const char *column, const pt_type **out,
                          pt_error *err);

#endif

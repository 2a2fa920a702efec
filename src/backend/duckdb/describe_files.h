/** The columns of files. */
#ifndef PT_BACKEND_DUCKDB_DESCRIBE_FILES_H
#define PT_BACKEND_DUCKDB_DESCRIBE_FILES_H

#include "backend/duckdb/engine.h"

/**
 * As pt_backend_vtable.describe_files: Parquet from the first file, or from all with mergeSchema; CSV from its first
 * line, with inferSchema from all values; JSON from all values.
 * Errors: UNABLE_TO_INFER_SCHEMA, PARQUET_TYPE_ILLEGAL, PATH_NOT_FOUND.
 */
pt_status pt__describe_files(pt__duckdb *database, pt__arena *arena, const pt_file_request *request,
                             const pt_type **out, pt_error *err);

#endif

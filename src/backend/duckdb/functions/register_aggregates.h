/** Registers the functions of aggregates.def in DuckDB. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_REGISTER_AGGREGATES_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_REGISTER_AGGREGATES_H

#include <portico/error.h>

#include <duckdb.h>

/** Errors: PT_INTERNAL naming the function that DuckDB refuses. */
pt_status pt__duckdb_register_aggregates(duckdb_connection connection, pt_error *err);

#endif

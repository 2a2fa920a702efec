/** Registers the functions of aggregates.def in DuckDB. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_REGISTER_AGGREGATES_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_REGISTER_AGGREGATES_H

#include <portico/error.h>

#include <duckdb.h>
#include <stdbool.h>

/**
 * Under PT_AGGREGATE_PREFIX, or, `is_whole`, PT_WHOLE_AGGREGATE_PREFIX: only for windows whose frame is the partition.
 * Errors: PT_INTERNAL naming the function that DuckDB refuses.
 */
pt_status pt__duckdb_register_aggregates(duckdb_connection connection, bool is_whole, pt_error *err);

#endif

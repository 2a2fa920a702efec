/**
 * Scalar functions that give Spark's answers where DuckDB's own differ, registered in DuckDB under names `spark_*`.
 *
 * The list, one row each with arguments and result, is catalog.def; see there for how to read a row. Rules that all
 * of them share:
 *
 *   NULL       any NULL argument gives NULL unless the row says otherwise.
 *   errors     the message is `[CONDITION]{"parameter":"value",...}` (base/conditions.def, JSON), for the backend to
 *              take apart.
 *   modes      a function that can refuse its input is there as NAME_ansi (fails), NAME_try (NULL) and NAME_legacy
 *              (as Spark does with spark.sql.ansi.enabled=false).
 *   decimals   DuckDB fixes the result type of a C function when it is registered, so functions with a decimal
 *              result are there once per scale: NAME_S gives DECIMAL(38,S) that fits DECIMAL(p,S), p being an
 *              argument; cast it to DECIMAL(p,S).
 *   intervals  year-month intervals are INTEGER months, day-time intervals BIGINT microseconds.
 *   zones      the session time zone is an argument.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_H

#include "base/timezone.h"

#include <portico/error.h>

#include <duckdb.h>

/**
 * Registers all functions in the database of `connection`; once per database.
 *
 * Ownership: `zones` is lent to the functions and must live as long as the database; NULL: they keep their own.
 * Errors:    PT_INTERNAL when DuckDB refuses a function, PT_NO_MEMORY.
 * Threads:   one call at a time per database; the functions run on any thread.
 */
pt_status pt__duckdb_register_functions(duckdb_connection connection, pt__zones *zones, pt_error *err);

#endif

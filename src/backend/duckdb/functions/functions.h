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
 *   decimals   DuckDB fixes the result type of a C function when it is registered, so a function with a decimal
 *              result is one per type: NAME_P_S gives DECIMAL(P,S).
 *   intervals  year-month intervals are INTEGER months, day-time intervals BIGINT microseconds.
 *   zones      the session time zone is an argument.
 *
 * Registering all of them takes DuckDB longer than opening a database does, so that each is registered when a
 * statement first names it. A transaction that has begun does not see functions that are registered later.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_H

#include "base/timezone.h"

#include <portico/error.h>

#include <duckdb.h>
#include <stdbool.h>
#include <stdint.h>

/** The default of duckdb.value-limit. */
#define PT_VALUE_LIMIT_BYTES (UINT64_C(1) << 29)

/** Begins what our functions say of a format that Java's formatter does not take. */
#define PT__ILLEGAL_FORMAT "illegal format: "

#define PT_AGGREGATE_PREFIX "spark_agg_"
/** Of the forms for windows whose frame is the whole partition; see register_aggregates.c. */
#define PT_WHOLE_AGGREGATE_PREFIX "spark_agg_whole_"

/** The functions of one database. */
typedef struct pt__functions pt__functions;

/**
 * Registers nothing yet.
 *
 * Ownership: `zones` is lent to the functions and must live as long as the database; NULL: they keep their own.
 * Units:     `made_limit_bytes` is what the results of one call, up to 2048 rows, may take together: the engine's memory
 *            limit does not see them.
 * Errors:    PT_NO_MEMORY.
 */
pt_status pt__functions_new(pt__zones *zones, uint64_t made_limit_bytes, pt__functions **out, pt_error *err);

/** What was registered stays usable until the database is closed, before or after this call. */
void pt__functions_free(pt__functions *functions);

/**
 * Whether all of our functions that `sql` names are registered; NULL: all of them but those with decimal results.
 *
 * Threads: any.
 */
bool pt__functions_has(pt__functions *functions, const char *sql);

/**
 * Registers those that `sql` names; NULL: all but those with decimal results, which are too many.
 *
 * Errors:  PT_INTERNAL when DuckDB refuses a function.
 * Threads: any; `connection` is not within a transaction.
 */
pt_status pt__functions_register(pt__functions *functions, duckdb_connection connection, const char *sql,
                                 pt_error *err);

/**
 * Registers those with decimal results that `sql` names and are not there, for the transaction that `connection` is in.
 *
 * Threads: as for pt__functions_register.
 */
pt_status pt__functions_register_here(pt__functions *functions, duckdb_connection connection, const char *sql,
                                      pt_error *err);

#endif

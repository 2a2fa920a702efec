/**
 * Rows: the small answers that the backend itself asks for, as text.
 */
#ifndef PT_BACKEND_DUCKDB_ROWS_H
#define PT_BACKEND_DUCKDB_ROWS_H

#include "base/arena.h"

#include <portico/error.h>

#include <duckdb.h>

typedef struct pt__rows {
    const char *const *cells; /* row after row; NULL where the value is */
    size_t row_count;
    size_t width;
} pt__rows;

/** Runs a query whose columns are all VARCHAR. `values` (may hold NULL) are its parameters, as text. */
pt_status pt__rows_read(duckdb_connection connection, pt__arena *arena, const char *sql, const char *const *values,
                        size_t value_count, pt__rows *out, pt_error *err);

#endif

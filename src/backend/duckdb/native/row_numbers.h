/**
 * Row numbers: a table of nothing in the catalog of kept results, whose row ids are scanned by all of DuckDB's threads,
 * a row group each, and in an order that an insertion keeps.
 *
 * Threads: any.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_ROW_NUMBERS_H
#define PT_BACKEND_DUCKDB_NATIVE_ROW_NUMBERS_H

#include "backend/duckdb/engine.h"

#define PT_ROW_NUMBERS PT_KEPT_CATALOG ".main.row_numbers"

enum {
    PT_ROW_GROUP_ROWS = 122880, /* DuckDB's default */
    PT_ROW_NUMBERS_COUNT = 8 * PT_ROW_GROUP_ROWS
};

/** Makes the table if it is not there yet. */
pt_status pt__row_numbers_need(pt__duckdb *database, pt_error *err);

#endif

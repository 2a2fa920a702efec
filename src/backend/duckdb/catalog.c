#include "backend/duckdb/catalog.h"

pt_status pt__catalog_prepare(pt__duckdb *self, duckdb_connection connection, pt_error *err)
{
    (void)self;
    return pt__duckdb_run(connection,
                          "CREATE SCHEMA IF NOT EXISTS \"default\"; CREATE SCHEMA IF NOT EXISTS " PT_METADATA_SCHEMA,
                          err);
}

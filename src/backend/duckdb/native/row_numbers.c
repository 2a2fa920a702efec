#include "backend/duckdb/native/row_numbers.h"

#include "backend/duckdb/kept.h"

#include <stdio.h>

/* With the database's lock held: two that make it at once would be in each other's way. */
static pt_status make_table(pt__duckdb *database, duckdb_connection connection, pt_error *err)
{
    char sql[160];
    if (database->has_row_numbers)
        return PT_OK;
    snprintf(sql, sizeof(sql),
             "CREATE TABLE IF NOT EXISTS " PT_ROW_NUMBERS " AS SELECT true AS is_there FROM range(%d)",
             PT_ROW_NUMBERS_COUNT);
    pt_status status = pt__duckdb_run(connection, sql, err);
    database->has_row_numbers = status == PT_OK;
    return status;
}

pt_status pt__row_numbers_need(pt__duckdb *database, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__kept_attach(database, err));
    PT_TRY(pt__duckdb_borrow(database, &connection, err));
    pthread_mutex_lock(&database->mutex);
    pt_status status = make_table(database, connection, err);
    pthread_mutex_unlock(&database->mutex);
    pt__duckdb_return(database, connection);
    return status;
}

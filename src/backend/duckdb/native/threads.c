/*
 * How many threads DuckDB has, which clients may set in its dialect. It refuses to run fewer than it has been promised
 * others (helper.h): who sets them gets these back to DuckDB.
 */
#include "backend/duckdb/native/native.h"

#include <string.h>

static bool give_threads_back(pt__native_link *link)
{
    if (!pt__helper_executes(link->database->helper) ||
        pt__native_link_run(link, "SET GLOBAL external_threads = 1", NULL) != PT_OK)
        return false;
    pt__helper_retire(link->database->helper);
    return true;
}

void pt__native_make_way(pt__native_link *link, duckdb_prepared_statement prepared, const char *sql)
{
    if (duckdb_prepared_statement_type(prepared) == DUCKDB_STATEMENT_TYPE_SET && strcasestr(sql, "threads") != NULL)
        give_threads_back(link);
}

bool pt__native_made_way(pt__native_link *link, const pt_error *err)
{
    return err != NULL && strstr(err->message, "smaller than number of external threads") != NULL &&
           give_threads_back(link);
}

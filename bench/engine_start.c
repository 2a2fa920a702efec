/* Opens the engine and ends: the least that a start of Portico can cost. bench/run.py times the process. */
#include <duckdb.h>

int main(void)
{
    duckdb_database database;
    duckdb_connection connection;
    if (duckdb_open(NULL, &database) != DuckDBSuccess || duckdb_connect(database, &connection) != DuckDBSuccess)
        return 1;
    duckdb_disconnect(&connection);
    duckdb_close(&database);
    return 0;
}

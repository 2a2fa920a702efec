#include "backend/duckdb/functions/test_functions.h"

#include "backend/duckdb/functions/functions.h"
#include "base/buffer.h"
#include "base/test.h"

#include <string.h>

/** All cells of the result, NULL as "NULL", rows apart by " / ". */
static void append_result(pt__buffer *out, duckdb_result *result)
{
    for (idx_t row = 0; row < duckdb_row_count(result); row++) {
        for (idx_t column = 0; column < duckdb_column_count(result); column++) {
            char *cell = duckdb_value_varchar(result, column, row);
            pt__buffer_append_string(out, column > 0 ? " | " : row > 0 ? " / " : "");
            pt__buffer_append_string(out, cell == NULL ? "NULL" : cell);
            duckdb_free(cell);
        }
    }
}

static void append_error(pt__buffer *out, duckdb_result *result)
{
    const char *text = duckdb_result_error(result);
    const char *bracket = strchr(text, '[');
    pt__buffer_printf(out, "! %s", bracket == NULL ? text : bracket);
}

static void check_case(duckdb_connection connection, const pt__fn_case *test, const char *file)
{
    pt__buffer sql = PT_BUFFER_INIT;
    pt__buffer got = PT_BUFFER_INIT;
    duckdb_result result;
    pt__buffer_printf(&sql, "SELECT COLUMNS(*)::VARCHAR FROM (SELECT %s)", test->sql); /* nested values too */
    if (duckdb_query(connection, pt__buffer_string(&sql), &result) == DuckDBSuccess)
        append_result(&got, &result);
    else
        append_error(&got, &result);
    duckdb_destroy_result(&result);
    pt__test_check_string(file, 0, test->sql, pt__buffer_string(&got), test->expected);
    pt__buffer_deinit(&sql);
    pt__buffer_deinit(&got);
}

void pt__fn_check(const pt__fn_case *cases, size_t count, const char *file)
{
    duckdb_database database;
    duckdb_connection connection;
    pt_error err = PT_ERROR_INIT;
    PT_REQUIRE(duckdb_open(NULL, &database) == DuckDBSuccess);
    PT_REQUIRE(duckdb_connect(database, &connection) == DuckDBSuccess);
    pt__functions *functions;
    PT_REQUIRE(pt__functions_new(NULL, PT_VALUE_LIMIT_BYTES, &functions, &err) == PT_OK);
    for (size_t i = 0; i < count; i++) {
        PT_CHECK_EQ(pt__functions_register(functions, connection, cases[i].sql, &err), PT_OK);
        PT_CHECK_STR(err.message, "");
        check_case(connection, &cases[i], file);
    }
    pt__functions_free(functions);
    duckdb_disconnect(&connection);
    duckdb_close(&database);
}

#include "backend/duckdb/functions/functions.h"
#include "base/test.h"

typedef struct fixture {
    duckdb_database database;
    duckdb_connection connection;
    pt__functions *functions;
    pt_error err;
} fixture;

static void open_fixture(fixture *f)
{
    *f = (fixture){.err = PT_ERROR_INIT};
    PT_REQUIRE(duckdb_open(NULL, &f->database) == DuckDBSuccess);
    PT_REQUIRE(duckdb_connect(f->database, &f->connection) == DuckDBSuccess);
    PT_REQUIRE(pt__functions_new(NULL, PT_VALUE_LIMIT_BYTES, &f->functions, &f->err) == PT_OK);
}

static void close_fixture(fixture *f)
{
    duckdb_disconnect(&f->connection);
    duckdb_close(&f->database);
    pt__functions_free(f->functions);
}

static bool runs(fixture *f, const char *sql)
{
    duckdb_result result;
    bool ok = duckdb_query(f->connection, sql, &result) == DuckDBSuccess;
    duckdb_destroy_result(&result);
    return ok;
}

PT_TEST(functions_are_registered_when_a_statement_names_them)
{
    fixture f;
    open_fixture(&f);
    static const char SQL[] = "SELECT spark_decimal_add_4_2(1.25::DECIMAL(3,2), 1.5::DECIMAL(2,1), false), "
                              "spark_cast_int_ansi('1')";
    PT_CHECK(!runs(&f, SQL));
    PT_CHECK(!pt__functions_has(f.functions, SQL));
    PT_CHECK_EQ(pt__functions_register(f.functions, f.connection, SQL, &f.err), PT_OK);
    PT_CHECK(pt__functions_has(f.functions, SQL));
    PT_CHECK(runs(&f, SQL));
    PT_CHECK(!pt__functions_has(f.functions, "SELECT spark_decimal_add_4_3(x, y, false)"));
    PT_CHECK(!pt__functions_has(f.functions, "SELECT spark_agg_skewness(x)"));
    close_fixture(&f);
}

PT_TEST(names_that_are_not_ours_are_left_to_the_engine)
{
    fixture f;
    open_fixture(&f);
    static const char SQL[] =
        "SELECT 'spark_', 'spark_catalog', 'spark_decimal_add_39_1', 'spark_decimal_add_5_6', 'spark_decimal_add_5', "
        "'spark_decimal_add_', "
        "'spark_cast_int', 'spark_cast_int_ansi_1'";
    PT_CHECK(pt__functions_has(f.functions, SQL));
    PT_CHECK_EQ(pt__functions_register(f.functions, f.connection, SQL, &f.err), PT_OK);
    close_fixture(&f);
}

PT_TEST(functions_of_a_transaction_end_with_it)
{
    fixture f;
    open_fixture(&f);
    static const char SQL[] = "SELECT spark_decimal_add_5_1(1.5, 1.5, false)";
    PT_CHECK(runs(&f, "BEGIN"));
    PT_CHECK(runs(&f, "CREATE TABLE t AS SELECT 1"));
    PT_CHECK_EQ(pt__functions_register_here(f.functions, f.connection, SQL, &f.err), PT_OK);
    PT_CHECK(runs(&f, SQL));
    PT_CHECK(runs(&f, "ROLLBACK"));
    PT_CHECK(!runs(&f, SQL));
    PT_CHECK_EQ(pt__functions_register(f.functions, f.connection, SQL, &f.err), PT_OK);
    PT_CHECK(runs(&f, SQL));
    close_fixture(&f);
}

PT_TEST(all_functions_are_registered_once)
{
    fixture f;
    open_fixture(&f);
    PT_CHECK(!pt__functions_has(f.functions, NULL));
    PT_CHECK_EQ(pt__functions_register(f.functions, f.connection, "SELECT spark_cast_int_try('1')", &f.err), PT_OK);
    PT_CHECK_EQ(pt__functions_register(f.functions, f.connection, NULL, &f.err), PT_OK);
    PT_CHECK_EQ(pt__functions_register(f.functions, f.connection, NULL, &f.err), PT_OK);
    PT_CHECK(pt__functions_has(f.functions, NULL));
    PT_CHECK(runs(&f, "SELECT spark_agg_skewness(1.0), spark_cast_int_try('1')"));
    close_fixture(&f);
}

#include "backend/duckdb/catalog.h"

#include "backend/duckdb/engine_type.h"
#include "backend/duckdb/rows.h"

#include <string.h>
#include <strings.h>

pt_status pt__catalog_prepare(pt__duckdb *self, duckdb_connection connection, pt_error *err)
{
    (void)self;
    return pt__duckdb_run(connection,
                          "CREATE SCHEMA IF NOT EXISTS \"default\"; CREATE SCHEMA IF NOT EXISTS " PT_METADATA_SCHEMA ";"
                          "CREATE TABLE IF NOT EXISTS " PT_METADATA_SCHEMA ".tables (database VARCHAR, name VARCHAR, "
                          "facts VARCHAR); CREATE TABLE IF NOT EXISTS " PT_METADATA_SCHEMA ".databases (name VARCHAR, "
                          "facts VARCHAR)",
                          err);
}

static const char *lower_case(pt__arena *arena, const char *text)
{
    char *copy = pt__arena_copy_string(arena, text);
    for (char *c = copy; *c != '\0'; c++) {
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c + 32);
    }
    return copy;
}

/* ---- tables of other programs ---- */

static pt_status foreign_columns(pt__arena *arena, duckdb_table_description description, const pt_type **out,
                                 pt_error *err)
{
    idx_t count = duckdb_table_description_get_column_count(description);
    pt_field *fields = pt__arena_array(arena, pt_field, count + 1);
    for (idx_t i = 0; i < count; i++) {
        char *name = duckdb_table_description_get_column_name(description, i);
        duckdb_logical_type type = duckdb_table_description_get_column_type(description, i);
        fields[i] = (pt_field){pt__arena_copy_string(arena, name), NULL, true, NULL};
        duckdb_free(name);
        pt_status status = pt__engine_type(arena, type, fields[i].name, &fields[i].type, err);
        duckdb_destroy_logical_type(&type);
        PT_TRY(status);
    }
    *out = pt__type_struct(arena, fields, count);
    return PT_OK;
}

static pt_status read_foreign(pt__duckdb *self, duckdb_connection connection, pt__arena *arena, const char *database,
                              const char *name, const pt_table **out, pt_error *err)
{
    static const pt_option MARK[] = {{PT_FOREIGN_TABLE_PROPERTY, "true"}};
    duckdb_table_description description = NULL;
    pt_status status = PT_NOT_FOUND;
    bool is_own = strcasecmp(database, PT_METADATA_SCHEMA) == 0;
    if (!is_own && duckdb_table_description_create_ext(connection, self->catalog_name, database, name, &description) ==
                       DuckDBSuccess) {
        pt_table *table = pt__arena_make(arena, pt_table);
        table->catalog = "spark_catalog";
        table->database = pt__arena_copy_string(arena, database);
        table->name = pt__arena_copy_string(arena, name);
        table->provider = "duckdb";
        table->owner = "";
        table->properties = (pt_options){MARK, 1};
        status = foreign_columns(arena, description, &table->schema, err);
        *out = table;
    }
    duckdb_table_description_destroy(&description);
    return status;
}

/* ---- reading ---- */

pt_status pt__catalog_read(pt__duckdb *self, duckdb_connection connection, pt__arena *arena, const char *database,
                           const char *name, const pt_table **out, pt_error *err)
{
    pt__rows rows;
    const char *values[] = {lower_case(arena, database), lower_case(arena, name)};
    PT_TRY(pt__rows_read(connection, arena,
                         "SELECT facts FROM " PT_METADATA_SCHEMA ".tables WHERE database = ? AND name = ?", values, 2,
                         &rows, err));
    if (rows.row_count == 0)
        return read_foreign(self, connection, arena, database, name, out, err);
    return pt__table_from_json(arena, pt__arena_copy_string(arena, database), name, rows.cells[0], out, err);
}

pt_status pt__catalog_get_table(pt__duckdb *self, pt__arena *arena, const char *database, const char *name,
                                const pt_table **out, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(self, &connection, err));
    pt_status status = pt__catalog_read(self, connection, arena, database, name, out, err);
    pt__duckdb_return(self, connection);
    return status;
}

/* Ours and DuckDB's own, those with facts first for a name. */
static const char TABLES[] =
    "SELECT name, facts FROM " PT_METADATA_SCHEMA ".tables WHERE database = ?1 "
    "UNION ALL SELECT table_name, NULL FROM duckdb_tables() AS d WHERE database_name = current_database() AND "
    "lower(schema_name) = ?1 AND NOT temporary AND NOT EXISTS (SELECT 1 FROM " PT_METADATA_SCHEMA
    ".tables AS t WHERE t.database = ?1 AND t.name = lower(d.table_name)) ORDER BY 1";

static pt_status read_tables(pt__duckdb *self, duckdb_connection connection, pt__arena *arena, const char *database,
                             const pt_table *const **out, size_t *count, pt_error *err)
{
    pt__rows rows;
    const char *values[] = {lower_case(arena, database)};
    PT_TRY(pt__rows_read(connection, arena, TABLES, values, 1, &rows, err));
    const pt_table **tables = pt__arena_array(arena, const pt_table *, rows.row_count + 1);
    *count = 0;
    for (size_t i = 0; i < rows.row_count; i++) {
        const char *name = rows.cells[2 * i];
        const char *facts = rows.cells[2 * i + 1];
        pt_status status = facts != NULL ? pt__table_from_json(arena, pt__arena_copy_string(arena, database), name,
                                                               facts, &tables[*count], err)
                                         : read_foreign(self, connection, arena, database, name, &tables[*count], NULL);
        if (status == PT_OK)
            (*count)++;
        else if (facts != NULL)
            return status; /* a foreign table whose types Spark has not is left out */
    }
    *out = tables;
    return PT_OK;
}

pt_status pt__catalog_list_tables(pt__duckdb *self, pt__arena *arena, const char *database, const pt_table *const **out,
                                  size_t *count, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(self, &connection, err));
    pt_status status = read_tables(self, connection, arena, database, out, count, err);
    pt__duckdb_return(self, connection);
    return status;
}

/* `main`, which every database of DuckDB has, shows only when something is in it. */
static const char DATABASES[] =
    "SELECT s.schema_name, d.facts FROM duckdb_schemas() AS s LEFT JOIN " PT_METADATA_SCHEMA ".databases AS d "
    "ON d.name = lower(s.schema_name) WHERE s.database_name = current_database() AND "
    "s.schema_name NOT IN ('information_schema', 'pg_catalog', '" PT_METADATA_SCHEMA "') AND "
    "(s.schema_name <> 'main' OR EXISTS (SELECT 1 FROM duckdb_tables() AS t WHERE "
    "t.database_name = current_database() AND t.schema_name = 'main')) ORDER BY 1";

static pt_status read_databases(duckdb_connection connection, pt__arena *arena, const pt_database **out, size_t *count,
                                pt_error *err)
{
    pt__rows rows;
    PT_TRY(pt__rows_read(connection, arena, DATABASES, NULL, 0, &rows, err));
    pt_database *databases = pt__arena_array(arena, pt_database, rows.row_count + 1);
    for (size_t i = 0; i < rows.row_count; i++)
        PT_TRY(pt__database_from_json(arena, rows.cells[2 * i], rows.cells[2 * i + 1], &databases[i], err));
    *out = databases;
    *count = rows.row_count;
    return PT_OK;
}

pt_status pt__catalog_list_databases(pt__duckdb *self, pt__arena *arena, const pt_database **out, size_t *count,
                                     pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(self, &connection, err));
    pt_status status = read_databases(connection, arena, out, count, err);
    pt__duckdb_return(self, connection);
    return status;
}

/* ---- writing ---- */

static pt_status run_with(duckdb_connection connection, pt__arena *arena, const char *sql, const char *const *values,
                          size_t count, pt_error *err)
{
    pt__rows ignored;
    return pt__rows_read(connection, arena, sql, values, count, &ignored, err);
}

pt_status pt__catalog_forget(duckdb_connection connection, pt__arena *arena, const char *database, const char *name,
                             pt_error *err)
{
    const char *values[] = {lower_case(arena, database), lower_case(arena, name)};
    return run_with(connection, arena,
                    "DELETE FROM " PT_METADATA_SCHEMA ".tables WHERE database = ? AND name = ? RETURNING name", values,
                    2, err);
}

pt_status pt__catalog_write(duckdb_connection connection, pt__arena *arena, const pt_table *table, pt_error *err)
{
    PT_TRY(pt__catalog_forget(connection, arena, table->database, table->name, err));
    const char *values[] = {lower_case(arena, table->database), lower_case(arena, table->name),
                            pt__table_to_json(arena, table)};
    return run_with(connection, arena, "INSERT INTO " PT_METADATA_SCHEMA ".tables VALUES (?, ?, ?) RETURNING name",
                    values, 3, err);
}

pt_status pt__catalog_write_database(duckdb_connection connection, pt__arena *arena, const pt_database *database,
                                     pt_error *err)
{
    const char *values[] = {lower_case(arena, database->name), pt__database_to_json(arena, database)};
    PT_TRY(run_with(connection, arena, "DELETE FROM " PT_METADATA_SCHEMA ".databases WHERE name = ? RETURNING name",
                    values, 1, err));
    return run_with(connection, arena, "INSERT INTO " PT_METADATA_SCHEMA ".databases VALUES (?, ?) RETURNING name",
                    values, 2, err);
}

pt_status pt__catalog_forget_database(duckdb_connection connection, pt__arena *arena, const char *name, pt_error *err)
{
    const char *values[] = {lower_case(arena, name)};
    PT_TRY(run_with(connection, arena, "DELETE FROM " PT_METADATA_SCHEMA ".databases WHERE name = ? RETURNING name",
                    values, 1, err));
    return run_with(connection, arena, "DELETE FROM " PT_METADATA_SCHEMA ".tables WHERE database = ? RETURNING name",
                    values, 1, err);
}

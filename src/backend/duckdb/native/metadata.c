/* What DuckDB tells about its catalog, asked in its own dialect. */
#include "backend/duckdb/native/native.h"

#include <stdlib.h>
#include <string.h>

/* Our own bookkeeping is nobody's business. */
#define NOT_OURS(catalog, schema)                                                                                      \
    catalog " NOT IN ('system', '" PT_KEPT_CATALOG "') AND " schema " <> '" PT_METADATA_SCHEMA "'"

/* Text as a string literal. */
static void put_text(pt__buffer *sql, const char *text)
{
    pt__buffer_append_byte(sql, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            pt__buffer_append_byte(sql, '\'');
        pt__buffer_append_byte(sql, (uint8_t)*text);
    }
    pt__buffer_append_byte(sql, '\'');
}

static void put_equal(pt__buffer *sql, const char *column, const char *value)
{
    if (value == NULL)
        return;
    pt__buffer_printf(sql, " AND %s = ", column);
    put_text(sql, value);
}

static void put_like(pt__buffer *sql, const char *column, const char *pattern)
{
    if (pattern == NULL)
        return;
    pt__buffer_printf(sql, " AND %s LIKE ", column);
    put_text(sql, pattern);
    pt__buffer_append_string(sql, " ESCAPE '\\'");
}

static void put_types(pt__buffer *sql, const char *column, const pt_metadata_request *request)
{
    if (request->type_count == 0)
        return;
    pt__buffer_printf(sql, " AND %s IN (", column);
    for (size_t i = 0; i < request->type_count; i++) {
        pt__buffer_append_string(sql, i == 0 ? "" : ", ");
        put_text(sql, request->types[i]);
    }
    pt__buffer_append_byte(sql, ')');
}

/* ---- one function per kind ---- */

static void put_catalogs(pt__buffer *sql, const pt_metadata_request *request)
{
    (void)request;
    pt__buffer_append_string(sql, "SELECT DISTINCT catalog_name FROM information_schema.schemata WHERE " NOT_OURS(
                                      "catalog_name", "schema_name") " ORDER BY 1");
}

static void put_schemas(pt__buffer *sql, const pt_metadata_request *request)
{
    pt__buffer_append_string(sql, "SELECT catalog_name, schema_name FROM information_schema.schemata WHERE " NOT_OURS(
                                      "catalog_name", "schema_name"));
    put_equal(sql, "catalog_name", request->catalog);
    put_like(sql, "schema_name", request->schema_pattern);
    pt__buffer_append_string(sql, " ORDER BY 1, 2");
}

static void put_tables(pt__buffer *sql, const pt_metadata_request *request)
{
    pt__buffer_append_string(sql, "SELECT table_catalog, table_schema, table_name, table_type "
                                  "FROM information_schema.tables WHERE " NOT_OURS("table_catalog", "table_schema"));
    put_equal(sql, "table_catalog", request->catalog);
    put_like(sql, "table_schema", request->schema_pattern);
    put_like(sql, "table_name", request->table_pattern);
    put_types(sql, "table_type", request);
    pt__buffer_append_string(sql, " ORDER BY 1, 2, 3, 4");
}

static void put_table_types(pt__buffer *sql, const pt_metadata_request *request)
{
    (void)request;
    pt__buffer_append_string(sql,
                             "SELECT t FROM (VALUES ('BASE TABLE'), ('LOCAL TEMPORARY'), ('VIEW')) v(t) ORDER BY 1");
}

static void put_primary_keys(pt__buffer *sql, const pt_metadata_request *request)
{
    pt__buffer_append_string(sql,
                             "SELECT database_name, schema_name, table_name, unnest(constraint_column_names), "
                             "unnest(range(1, len(constraint_column_names) + 1))::INTEGER AS position, constraint_name "
                             "FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'");
    put_equal(sql, "database_name", request->catalog);
    put_equal(sql, "schema_name", request->schema);
    put_equal(sql, "table_name", request->table);
    pt__buffer_append_string(sql, " ORDER BY 1, 2, 3, 5");
}

/* A key refers within its catalog and schema; the name of the other key is found by its table. Rules are NO ACTION. */
static void put_foreign_keys(pt__buffer *sql, const pt_metadata_request *request)
{
    pt__buffer_append_string(
        sql, "SELECT f.database_name, f.schema_name, f.referenced_table, unnest(f.referenced_column_names), "
             "f.database_name, f.schema_name, f.table_name, unnest(f.constraint_column_names), "
             "unnest(range(1, len(f.constraint_column_names) + 1))::INTEGER AS position, f.constraint_name, "
             "(SELECT any_value(p.constraint_name) FROM duckdb_constraints() p WHERE p.constraint_type = "
             "'PRIMARY KEY' AND p.database_name = f.database_name AND p.schema_name = f.schema_name AND "
             "p.table_name = f.referenced_table), 3::UTINYINT, 3::UTINYINT "
             "FROM duckdb_constraints() f WHERE f.constraint_type = 'FOREIGN KEY'");
    put_equal(sql, "f.database_name", request->catalog);
    put_equal(sql, "f.schema_name", request->schema);
    put_equal(sql, "f.referenced_table", request->table);
    put_equal(sql, "f.database_name", request->foreign_catalog);
    put_equal(sql, "f.schema_name", request->foreign_schema);
    put_equal(sql, "f.table_name", request->foreign_table);
    pt__buffer_append_string(sql, request->foreign_table != NULL && request->table == NULL ? " ORDER BY 1, 2, 3, 9"
                                                                                           : " ORDER BY 5, 6, 7, 9");
}

static void put_keywords(pt__buffer *sql, const pt_metadata_request *request)
{
    (void)request;
    pt__buffer_append_string(sql, "SELECT keyword_name FROM duckdb_keywords() ORDER BY 1");
}

static void put_functions(pt__buffer *sql, const pt_metadata_request *request)
{
    (void)request;
    pt__buffer_append_string(
        sql,
        "SELECT DISTINCT class, function_name FROM (SELECT function_name, CASE "
        "WHEN return_type IN ('DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'INTERVAL') THEN 'datetime' "
        "WHEN return_type = 'VARCHAR' THEN 'string' "
        "WHEN return_type IN ('DOUBLE', 'FLOAT', 'BIGINT', 'INTEGER', 'HUGEINT', 'DECIMAL') THEN 'numeric' "
        "ELSE 'system' END AS class FROM duckdb_functions() WHERE function_type = 'scalar' AND internal "
        "AND regexp_matches(function_name, '^[a-z][a-z0-9_]*$')) ORDER BY 1, 2");
}

static void (*const KINDS[])(pt__buffer *sql, const pt_metadata_request *request) = {
    [PT_METADATA_CATALOGS] = put_catalogs,
    [PT_METADATA_SCHEMAS] = put_schemas,
    [PT_METADATA_TABLES] = put_tables,
    [PT_METADATA_TABLE_TYPES] = put_table_types,
    [PT_METADATA_PRIMARY_KEYS] = put_primary_keys,
    [PT_METADATA_FOREIGN_KEYS] = put_foreign_keys,
    [PT_METADATA_KEYWORDS] = put_keywords,
    [PT_METADATA_FUNCTIONS] = put_functions,
};

/* ---- as a stream ---- */

typedef struct answer {
    pt_operation *operation;
    struct ArrowArrayStream rows;
} answer;

static int answer_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    answer *a = stream->private_data;
    return a->rows.get_schema(&a->rows, out);
}

static int answer_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    answer *a = stream->private_data;
    return a->rows.get_next(&a->rows, out);
}

static const char *answer_error(struct ArrowArrayStream *stream)
{
    answer *a = stream->private_data;
    return a->rows.get_last_error(&a->rows);
}

static void answer_release(struct ArrowArrayStream *stream)
{
    answer *a = stream->private_data;
    a->rows.release(&a->rows);
    a->operation->vtable->free(a->operation);
    free(a);
    stream->release = NULL;
}

static pt_status open_answer(pt__duckdb *database, pt__native *native, pt_text_view sql, struct ArrowArrayStream *out,
                             pt_error *err)
{
    pt_query query = {
        .size_bytes = sizeof(query),
        .encoded = {.format = PT_FORMAT_DUCKDB_SQL, .payload = {(const uint8_t *)sql.data, sql.size_bytes}}};
    answer *a = calloc(1, sizeof(*a));
    if (a == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for metadata");
    pt_status status = pt__native_operation_new(database, native, &query, &a->operation, err);
    if (status != PT_OK) {
        free(a);
        return status;
    }
    a->operation->vtable->result(a->operation, &a->rows, NULL);
    *out = (struct ArrowArrayStream){answer_schema, answer_next, answer_error, answer_release, a};
    return PT_OK;
}

pt_status pt__native_metadata(pt__duckdb *database, pt__native *native, const pt_metadata_request *request,
                              struct ArrowArrayStream *out, pt_error *err)
{
    if ((unsigned)request->kind >= sizeof(KINDS) / sizeof(KINDS[0]))
        return pt_error_set(err, PT_UNSUPPORTED, "DuckDB tells nothing of the kind %d", (int)request->kind);
    pt__buffer sql = PT_BUFFER_INIT;
    KINDS[request->kind](&sql, request);
    pt_status status =
        sql.failed ? pt_error_set(err, PT_NO_MEMORY, "no memory for metadata")
                   : open_answer(database, native, (pt_text_view){(const char *)sql.data, sql.size_bytes}, out, err);
    pt__buffer_deinit(&sql);
    return status;
}

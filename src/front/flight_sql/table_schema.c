#include "front/flight_sql/table_schema.h"

#include "exec/ipc_writer.h"
#include "front/flight/message.h"
#include "front/flight_sql/command.h"

#include <nanoarrow/nanoarrow.h>
#include <stdio.h>
#include <string.h>

#define KEY_PREFIX "ARROW:FLIGHT:SQL:"

/* ---- metadata of columns ---- */

/* DuckDB's name of the type that an Arrow format stands for. */
static const char *type_name(pt__arena *arena, const char *format)
{
    static const char *const NAMES[][2] = {
        {"b", "BOOLEAN"},      {"c", "TINYINT"},        {"C", "UTINYINT"},        {"s", "SMALLINT"},
        {"S", "USMALLINT"},    {"i", "INTEGER"},        {"I", "UINTEGER"},        {"l", "BIGINT"},
        {"L", "UBIGINT"},      {"f", "FLOAT"},          {"g", "DOUBLE"},          {"u", "VARCHAR"},
        {"z", "BLOB"},         {"tdD", "DATE"},         {"ttu", "TIME"},          {"tin", "INTERVAL"},
        {"tsu:", "TIMESTAMP"}, {"tss:", "TIMESTAMP_S"}, {"tsm:", "TIMESTAMP_MS"}, {"tsn:", "TIMESTAMP_NS"},
    };
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(NAMES[i][0], format) == 0)
            return NAMES[i][1];
    }
    if (strncmp(format, "tsu:", 4) == 0)
        return "TIMESTAMP WITH TIME ZONE";
    if (format[0] == 'd')
        return pt__arena_printf(arena, "DECIMAL(%s)", format + 2);
    return strncmp(format, "+s", 2) == 0 ? "STRUCT" : strncmp(format, "+m", 2) == 0 ? "MAP" : "LIST";
}

typedef struct table {
    const char *catalog;
    const char *schema;
    const char *name;
} table;

static ArrowErrorCode add(struct ArrowBuffer *metadata, const char *key, const char *value)
{
    return ArrowMetadataBuilderAppend(metadata, ArrowCharView(key), ArrowCharView(value));
}

static ArrowErrorCode add_all(pt__arena *arena, struct ArrowBuffer *metadata, const table *t, const char *format)
{
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "CATALOG_NAME", t->catalog));
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "DB_SCHEMA_NAME", t->schema));
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "TABLE_NAME", t->name));
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "TYPE_NAME", type_name(arena, format)));
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "IS_AUTO_INCREMENT", "0"));
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "IS_CASE_SENSITIVE", format[0] == 'u' ? "1" : "0"));
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "IS_READ_ONLY", "0"));
    NANOARROW_RETURN_NOT_OK(add(metadata, KEY_PREFIX "IS_SEARCHABLE", "1"));
    return NANOARROW_OK;
}

static ArrowErrorCode annotate(pt__arena *arena, struct ArrowSchema *column, const table *t)
{
    struct ArrowBuffer metadata;
    NANOARROW_RETURN_NOT_OK(ArrowMetadataBuilderInit(&metadata, NULL));
    ArrowErrorCode code = add_all(arena, &metadata, t, column->format);
    if (code == NANOARROW_OK)
        code = ArrowSchemaSetMetadata(column, (const char *)metadata.data);
    ArrowBufferReset(&metadata);
    return code;
}

/* ---- the schema of one table ---- */

static pt_status annotate_all(pt__arena *arena, struct ArrowSchema *columns, const table *t, pt_error *err)
{
    PT_TRY(pt__flight_own_schema(columns, err));
    for (int64_t i = 0; i < columns->n_children; i++) {
        if (annotate(arena, columns->children[i], t) != NANOARROW_OK)
            return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
    }
    return PT_OK;
}

/* A table that cannot be read, such as a view of a table that is gone, has no columns to tell of. */
static pt_status encode(pt__flight_session *session, pt__arena *arena, const table *t, pt_bytes **out, pt_error *err)
{
    pt_statement_info info;
    const char *sql = pt__arena_printf(arena, "SELECT * FROM %s.%s.%s", pt__flight_quoted(arena, t->catalog),
                                       pt__flight_quoted(arena, t->schema), pt__flight_quoted(arena, t->name));
    pt__statement_request request = {.query = {.format = "duckdb.sql", .payload = {(const uint8_t *)sql, strlen(sql)}}};
    struct ArrowSchema none = {.format = "+s", .name = ""};
    if (pt__session_prepare(session->session, &request, &info, NULL) != PT_OK)
        return pt__ipc_schema_message(&none, out, err);
    pt_status status = annotate_all(arena, &info.result, t, err);
    if (status == PT_OK)
        status = pt__ipc_schema_message(&info.result, out, err);
    info.result.release(&info.result);
    info.parameters.release(&info.parameters);
    return status;
}

/* ---- rows ---- */

static const char *text_at(pt__arena *arena, const struct ArrowArrayView *column, int64_t row)
{
    if (ArrowArrayViewIsNull(column, row))
        return "";
    struct ArrowStringView text = ArrowArrayViewGetStringUnsafe(column, row);
    return pt__arena_copy_text(arena, text.data, (size_t)text.size_bytes);
}

static ArrowErrorCode append_text(struct ArrowArray *out, const struct ArrowArrayView *column, int64_t row)
{
    if (ArrowArrayViewIsNull(column, row))
        return ArrowArrayAppendNull(out, 1);
    return ArrowArrayAppendString(out, ArrowArrayViewGetStringUnsafe(column, row));
}

static pt_status append_row(pt__flight_session *session, pt__arena *arena, const struct ArrowArrayView *rows,
                            int64_t row, struct ArrowArray *out, pt_error *err)
{
    const table t = {text_at(arena, rows->children[0], row), text_at(arena, rows->children[1], row),
                     text_at(arena, rows->children[2], row)};
    pt_bytes *schema;
    ArrowErrorCode code = NANOARROW_OK;
    PT_TRY(encode(session, arena, &t, &schema, err));
    pt_bytes_view view = pt_bytes_get_view(schema);
    for (int64_t i = 0; code == NANOARROW_OK && i < 4; i++)
        code = append_text(out->children[i], rows->children[i], row);
    if (code == NANOARROW_OK)
        code = ArrowArrayAppendBytes(out->children[4], (struct ArrowBufferView){{view.data}, (int64_t)view.size_bytes});
    if (code == NANOARROW_OK)
        code = ArrowArrayFinishElement(out);
    pt_bytes_unref(schema);
    return code == NANOARROW_OK ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a row");
}

static pt_status append_batch(pt__flight_session *session, pt__arena *arena, const struct ArrowSchema *schema,
                              const struct ArrowArray *batch, struct ArrowArray *out, pt_error *err)
{
    struct ArrowArrayView view;
    pt_status status = PT_OK;
    if (ArrowArrayViewInitFromSchema(&view, schema, NULL) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a row");
    if (ArrowArrayViewSetArray(&view, batch, NULL) != NANOARROW_OK)
        status = pt_error_set(err, PT_INTERNAL, "the catalog's rows cannot be read");
    for (int64_t row = 0; status == PT_OK && row < batch->length; row++)
        status = append_row(session, arena, &view, row, out, err);
    ArrowArrayViewReset(&view);
    return status;
}

static pt_status append_all(pt__flight_session *session, pt__arena *arena, struct ArrowArrayStream *tables,
                            struct ArrowArray *out, pt_error *err)
{
    struct ArrowSchema schema;
    struct ArrowArray batch;
    pt_status status = PT_OK;
    if (tables->get_schema(tables, &schema) != 0)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
    while (status == PT_OK) {
        if (tables->get_next(tables, &batch) != 0) {
            status = pt_error_set(err, PT_EXECUTION, "%s", tables->get_last_error(tables));
            break;
        }
        if (batch.release == NULL)
            break;
        status = append_batch(session, arena, &schema, &batch, out, err);
        batch.release(&batch);
    }
    schema.release(&schema);
    return status;
}

pt_status pt__flight_add_table_schemas(pt__flight_session *session, pt__arena *arena, struct ArrowArrayStream *tables,
                                       struct ArrowSchema *schema, struct ArrowArrayStream *out, pt_error *err)
{
    struct ArrowArray rows = {0};
    pt_status status = PT_OK;
    if (ArrowArrayInitFromSchema(&rows, schema, NULL) != NANOARROW_OK ||
        ArrowArrayStartAppending(&rows) != NANOARROW_OK)
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
    if (status == PT_OK)
        status = append_all(session, arena, tables, &rows, err);
    if (status == PT_OK && (ArrowArrayFinishBuildingDefault(&rows, NULL) != NANOARROW_OK ||
                            ArrowBasicArrayStreamInit(out, schema, 1) != NANOARROW_OK))
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
    if (status == PT_OK) {
        ArrowBasicArrayStreamSetArray(out, 0, &rows);
        return PT_OK;
    }
    if (rows.release != NULL)
        rows.release(&rows);
    if (schema->release != NULL)
        schema->release(schema);
    return status;
}

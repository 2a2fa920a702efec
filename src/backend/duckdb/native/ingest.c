/* Bulk ingestion: an Arrow stream scanned by one INSERT or CREATE TABLE AS, so that it is all or nothing. */
#include "backend/duckdb/native/native.h"

#include <nanoarrow/nanoarrow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_NAME "portico_stream"

enum { SLICE_ROWS = 2048 }; /* DuckDB's vector size */

/* ---- portico_stream(key): the rows of a stream that an ingestion has open ---- */

typedef struct source {
    pt__duckdb *database;
    duckdb_connection connection; /* for its conversion settings */
    struct ArrowArrayStream *rows;
    struct ArrowSchema schema;
    duckdb_arrow_converted_schema converted;
    struct ArrowArray batch;
    int64_t row; /* the next one of the batch */
} source;

static void fail_bind(duckdb_bind_info info, const char *message)
{
    duckdb_bind_set_error(info, message);
}

static source *source_of(pt__duckdb *database, duckdb_bind_info info)
{
    duckdb_value value = duckdb_bind_get_parameter(info, 0);
    uint64_t key = duckdb_get_uint64(value);
    duckdb_destroy_value(&value);
    return pt__native_stream_find(database, key);
}

/* An array of no rows, for the types of its columns. */
static bool empty_array(const struct ArrowSchema *schema, struct ArrowArray *out)
{
    if (ArrowArrayInitFromSchema(out, schema, NULL) != NANOARROW_OK)
        return false;
    if (ArrowArrayStartAppending(out) == NANOARROW_OK && ArrowArrayFinishBuildingDefault(out, NULL) == NANOARROW_OK)
        return true;
    out->release(out);
    return false;
}

static bool add_columns(duckdb_bind_info info, source *s)
{
    struct ArrowArray empty;
    duckdb_data_chunk chunk = NULL;
    if (!empty_array(&s->schema, &empty))
        return false;
    pt_status status =
        pt__native_error_data(duckdb_data_chunk_from_arrow(s->connection, &empty, s->converted, &chunk), NULL);
    if (empty.release != NULL)
        empty.release(&empty);
    if (status != PT_OK)
        return false;
    for (int64_t i = 0; i < s->schema.n_children; i++) {
        duckdb_logical_type type = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(chunk, (idx_t)i));
        duckdb_bind_add_result_column(info, s->schema.children[i]->name, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_destroy_data_chunk(&chunk);
    return true;
}

static void bind(duckdb_bind_info info)
{
    source *s = source_of(duckdb_bind_get_extra_info(info), info);
    if (s == NULL)
        fail_bind(info, "there is no such stream");
    else if (!add_columns(info, s))
        fail_bind(info, "the rows are in an Arrow type that DuckDB does not take");
    else
        duckdb_bind_set_bind_data(info, s, NULL);
}

static void init(duckdb_init_info info)
{
    duckdb_init_set_max_threads(info, 1);
}

/* A part of a batch that owns nothing: the batch stays until the next one. */
static void keep(struct ArrowArray *array)
{
    array->release = NULL;
}

typedef struct slice {
    struct ArrowArray parent;
    struct ArrowArray *children;
    struct ArrowArray **pointers;
} slice;

static void free_slice(struct ArrowArray *array)
{
    slice *s = array->private_data;
    array->release = NULL;
    free(s->children);
    free(s->pointers);
    free(s);
}

static bool make_slice(const struct ArrowArray *batch, int64_t row, int64_t count, struct ArrowArray *out)
{
    slice *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return false;
    s->children = calloc((size_t)batch->n_children + 1, sizeof(*s->children));
    s->pointers = calloc((size_t)batch->n_children + 1, sizeof(*s->pointers));
    *out = (struct ArrowArray){.length = count,
                               .n_children = batch->n_children,
                               .children = s->pointers,
                               .release = free_slice,
                               .private_data = s};
    if (s->children == NULL || s->pointers == NULL) {
        free_slice(out);
        return false;
    }
    for (int64_t i = 0; i < batch->n_children; i++) {
        s->children[i] = *batch->children[i];
        s->children[i].offset += batch->offset + row;
        s->children[i].length = count;
        /* DuckDB looks for nulls of a dictionary's column only where there are said to be some. */
        s->children[i].null_count = batch->children[i]->null_count == 0 ? 0 : 1;
        s->children[i].release = keep;
        s->pointers[i] = &s->children[i];
    }
    return true;
}

/* True when there is a batch with rows left. */
static bool next_batch(duckdb_function_info info, source *s)
{
    while (s->batch.release == NULL || s->row >= s->batch.length) {
        if (s->batch.release != NULL)
            s->batch.release(&s->batch);
        s->row = 0;
        if (s->rows->get_next(s->rows, &s->batch) != 0) {
            const char *text = s->rows->get_last_error(s->rows);
            duckdb_function_set_error(info, text == NULL ? "the rows cannot be read" : text);
            return false;
        }
        if (s->batch.release == NULL)
            return false;
    }
    return true;
}

static pt_status copy_slice(source *s, struct ArrowArray *part, duckdb_data_chunk output, pt_error *err)
{
    duckdb_data_chunk chunk = NULL;
    PT_TRY(pt__native_error_data(duckdb_data_chunk_from_arrow(s->connection, part, s->converted, &chunk), err));
    for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(chunk); i++)
        duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(output, i), duckdb_data_chunk_get_vector(chunk, i));
    duckdb_data_chunk_set_size(output, duckdb_data_chunk_get_size(chunk));
    duckdb_destroy_data_chunk(&chunk);
    return PT_OK;
}

static void scan(duckdb_function_info info, duckdb_data_chunk output)
{
    source *s = duckdb_function_get_bind_data(info);
    struct ArrowArray part;
    pt_error err = PT_ERROR_INIT;
    duckdb_data_chunk_set_size(output, 0);
    if (!next_batch(info, s))
        return;
    int64_t left = s->batch.length - s->row;
    int64_t count = left < SLICE_ROWS ? left : SLICE_ROWS;
    if (!make_slice(&s->batch, s->row, count, &part)) {
        duckdb_function_set_error(info, "no memory to read rows");
        return;
    }
    s->row += count;
    if (copy_slice(s, &part, output, &err) != PT_OK)
        duckdb_function_set_error(info, pt_error_full_message(&err));
    if (part.release != NULL)
        part.release(&part);
    pt_error_clear(&err);
}

pt_status pt__native_register_stream(pt__duckdb *database, duckdb_connection connection, pt_error *err)
{
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_logical_type key = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
    duckdb_table_function_set_name(function, FUNCTION_NAME);
    duckdb_table_function_add_parameter(function, key);
    duckdb_table_function_set_extra_info(function, database, NULL);
    duckdb_table_function_set_bind(function, bind);
    duckdb_table_function_set_init(function, init);
    duckdb_table_function_set_function(function, scan);
    duckdb_state state = duckdb_register_table_function(connection, function);
    duckdb_destroy_logical_type(&key);
    duckdb_destroy_table_function(&function);
    return state == DuckDBSuccess ? PT_OK
                                  : pt_error_set(err, PT_INTERNAL, "DuckDB did not take the function " FUNCTION_NAME);
}

/* ---- the ingestion ---- */

static void put_name(pt__buffer *sql, const char *name)
{
    pt__buffer_append_byte(sql, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"')
            pt__buffer_append_byte(sql, '"');
        pt__buffer_append_byte(sql, (uint8_t)*name);
    }
    pt__buffer_append_byte(sql, '"');
}

static void put_target(pt__buffer *sql, const pt_ingest *request)
{
    const char *catalog = request->is_temporary ? "temp" : request->catalog;
    const char *schema = request->is_temporary ? NULL : request->schema;
    if (catalog != NULL && schema == NULL)
        schema = "main";
    if (catalog != NULL) {
        put_name(sql, catalog);
        pt__buffer_append_byte(sql, '.');
    }
    if (schema != NULL) {
        put_name(sql, schema);
        pt__buffer_append_byte(sql, '.');
    }
    put_name(sql, request->table);
}

/* The count that INSERT and CREATE TABLE AS give. */
static int64_t first_number(duckdb_result result)
{
    int64_t number = 0;
    duckdb_data_chunk chunk = duckdb_fetch_chunk(result);
    if (chunk != NULL && duckdb_data_chunk_get_size(chunk) == 1)
        number = *(int64_t *)duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0));
    if (chunk != NULL)
        duckdb_destroy_data_chunk(&chunk);
    return number;
}

static pt_status run(duckdb_connection connection, pt__buffer *sql, int64_t *count, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (sql->failed)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a statement");
    if (duckdb_query(connection, pt__buffer_string(sql), &result) != DuckDBSuccess)
        status = pt__native_error(duckdb_result_error(&result), err);
    else if (count != NULL)
        *count = first_number(result);
    duckdb_destroy_result(&result);
    return status;
}

static bool exists(duckdb_connection connection, const pt_ingest *request)
{
    pt__buffer sql = PT_BUFFER_INIT;
    pt__buffer_append_string(&sql, "SELECT 1 FROM ");
    put_target(&sql, request);
    pt__buffer_append_string(&sql, " LIMIT 0");
    bool found = run(connection, &sql, NULL, NULL) == PT_OK;
    pt__buffer_deinit(&sql);
    return found;
}

static pt_status put_statement(pt__buffer *sql, const pt_ingest *request, bool there, pt_error *err)
{
    if (there && request->append) {
        pt__buffer_append_string(sql, "INSERT INTO ");
        put_target(sql, request);
        pt__buffer_append_string(sql, " BY NAME");
        return PT_OK;
    }
    if (there && !request->replace)
        return pt_error_set(err, PT_ALREADY_EXISTS, "the table %s exists already", request->table);
    if (!there && !request->create)
        return pt_error_set(err, PT_NOT_FOUND, "there is no table %s", request->table);
    pt__buffer_printf(sql, "CREATE %s%sTABLE ", there ? "OR REPLACE " : "", request->is_temporary ? "TEMP " : "");
    put_target(sql, request);
    pt__buffer_append_string(sql, " AS");
    return PT_OK;
}

static pt_status ingest_on(pt__native_link *link, const pt_ingest *request, uint64_t key, int64_t *count, pt_error *err)
{
    pt__buffer sql = PT_BUFFER_INIT;
    pt_status status = put_statement(&sql, request, exists(link->connection, request), err);
    pt__buffer_printf(&sql, " SELECT * FROM " FUNCTION_NAME "(%llu::UBIGINT)", (unsigned long long)key);
    if (status == PT_OK)
        status = run(link->connection, &sql, count, err);
    pt__buffer_deinit(&sql);
    return status;
}

static pt_status open_source(source *s, struct ArrowArrayStream *rows, pt_error *err)
{
    s->rows = rows;
    if (rows->get_schema(rows, &s->schema) != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the rows have no schema");
    if (s->schema.n_children == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the rows have no columns");
    return pt__native_error_data(duckdb_schema_from_arrow(s->connection, &s->schema, &s->converted), err);
}

static void close_source(source *s)
{
    if (s->batch.release != NULL)
        s->batch.release(&s->batch);
    if (s->converted != NULL)
        duckdb_destroy_arrow_converted_schema(&s->converted);
    if (s->schema.release != NULL)
        s->schema.release(&s->schema);
}

static pt_status find_link(pt__duckdb *database, pt__native *native, const pt_ingest *request, pt__native_link **out,
                           pt_error *err)
{
    if (request->transaction != NULL)
        return pt__native_transaction(native, request->transaction, out, err);
    return request->is_temporary ? pt__native_own(database, native, out, err)
                                 : pt__native_any(database, native, out, err);
}

pt_status pt__native_ingest(pt__duckdb *database, pt__native *native, const pt_ingest *request,
                            struct ArrowArrayStream *rows, int64_t *row_count, pt_error *err)
{
    pt__native_link *link = NULL;
    source s = {.database = database};
    PT_TRY(find_link(database, native, request, &link, err));
    s.connection = link->connection;
    uint64_t key = pt__local_key(database);
    pthread_mutex_lock(&link->lock);
    pt_status status = open_source(&s, rows, err);
    if (status == PT_OK && !pt__native_stream_add(database, key, &s))
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for an ingestion");
    if (status == PT_OK) {
        status = ingest_on(link, request, key, row_count, err);
        pt__native_stream_remove(database, key);
    }
    close_source(&s);
    pthread_mutex_unlock(&link->lock);
    pt__native_link_unref(link);
    return status;
}

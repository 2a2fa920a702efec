/* portico_stream(key) and the functions portico_column_T(key, column, row), with which statements scan a window. */
#include "backend/duckdb/native/feed_inside.h"
#include "backend/duckdb/native/native.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STREAM_FUNCTION "portico_stream"
#define COLUMN_FUNCTION "portico_column_"

/* ---- portico_stream ---- */

/* The first of the rows that were not given yet; false: there are none. */
static bool next_row(pt__feed *feed, int64_t *first)
{
    pthread_mutex_lock(&feed->lock);
    *first = feed->window.scanned;
    bool has = *first < feed->window.row_count;
    pthread_mutex_unlock(&feed->lock);
    return has;
}

static void note_given(pt__feed *feed, idx_t row_count)
{
    pthread_mutex_lock(&feed->lock);
    feed->window.scanned += (int64_t)row_count;
    pthread_mutex_unlock(&feed->lock);
}

static void scan(duckdb_function_info info, duckdb_data_chunk output)
{
    pt__feed *feed = duckdb_function_get_bind_data(info);
    pt_error err = PT_ERROR_INIT;
    duckdb_data_chunk chunk = NULL;
    int64_t first;
    duckdb_data_chunk_set_size(output, 0);
    if (!next_row(feed, &first))
        return;
    if (pt__feed_make_chunk(feed, first, &chunk, &err) != PT_OK) {
        duckdb_function_set_error(info, pt_error_full_message(&err));
        pt_error_clear(&err);
        return;
    }
    idx_t row_count = duckdb_data_chunk_get_size(chunk);
    for (idx_t i = 0; i < feed->column_count; i++)
        duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(output, i), duckdb_data_chunk_get_vector(chunk, i));
    duckdb_data_chunk_set_size(output, row_count);
    note_given(feed, row_count);
    duckdb_destroy_data_chunk(&chunk);
}

static pt__feed *feed_of(pt__duckdb *database, duckdb_bind_info info)
{
    duckdb_value value = duckdb_bind_get_parameter(info, 0);
    uint64_t key = duckdb_get_uint64(value);
    duckdb_destroy_value(&value);
    return pt__native_stream_find(database, key);
}

static void bind(duckdb_bind_info info)
{
    pt__feed *feed = feed_of(duckdb_bind_get_extra_info(info), info);
    if (feed == NULL) {
        duckdb_bind_set_error(info, "there is no such stream");
        return;
    }
    for (size_t i = 0; i < feed->column_count; i++)
        duckdb_bind_add_result_column(info, feed->schema.children[i]->name, feed->types[i]);
    duckdb_bind_set_bind_data(info, feed, NULL);
}

static void init(duckdb_init_info info)
{
    duckdb_init_set_max_threads(info, 1);
}

pt_status pt__native_register_stream(pt__duckdb *database, duckdb_connection connection, pt_error *err)
{
    duckdb_table_function function = duckdb_create_table_function();
    duckdb_logical_type key = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
    duckdb_table_function_set_name(function, STREAM_FUNCTION);
    duckdb_table_function_add_parameter(function, key);
    duckdb_table_function_set_extra_info(function, database, NULL);
    duckdb_table_function_set_bind(function, bind);
    duckdb_table_function_set_init(function, init);
    duckdb_table_function_set_function(function, scan);
    duckdb_state state = duckdb_register_table_function(connection, function);
    duckdb_destroy_logical_type(&key);
    duckdb_destroy_table_function(&function);
    return state == DuckDBSuccess ? PT_OK
                                  : pt_error_set(err, PT_INTERNAL, "DuckDB did not take the function " STREAM_FUNCTION);
}

void pt__feed_put_stream(const pt__feed *feed, pt__buffer *sql)
{
    pt__buffer_printf(sql, "SELECT * FROM " STREAM_FUNCTION "(%" PRIu64 "::UBIGINT)", feed->key);
}

/* ---- columns ---- */

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

static duckdb_data_chunk empty_chunk(pt__feed *feed)
{
    struct ArrowArray empty;
    duckdb_data_chunk chunk = NULL;
    if (!empty_array(&feed->schema, &empty))
        return NULL;
    if (pt__native_error_data(duckdb_data_chunk_from_arrow(feed->connection, &empty, feed->converted, &chunk), NULL) !=
        PT_OK)
        chunk = NULL;
    if (empty.release != NULL)
        empty.release(&empty);
    return chunk;
}

/* Names that DuckDB would change leave the columns to portico_stream(), as do types without a function. */
static bool is_distinct(const struct ArrowSchema *schema, int64_t column)
{
    const char *name = schema->children[column]->name;
    for (int64_t i = 0; i < column; i++)
        if (strcasecmp(schema->children[i]->name, name) == 0)
            return false;
    return name[0] != '\0';
}

static bool number_functions(pt__feed *feed)
{
    if (feed->column_count > PT_FEED_COLUMN_MASK)
        return false;
    for (size_t i = 0; i < feed->column_count; i++) {
        feed->functions[i] = pt__feed_function_number(feed->types[i]);
        if (feed->functions[i] == 0 || !is_distinct(&feed->schema, (int64_t)i))
            return false;
    }
    return true;
}

bool pt__feed_read_columns(pt__feed *feed)
{
    duckdb_data_chunk chunk = empty_chunk(feed);
    if (chunk == NULL)
        return false;
    size_t count = duckdb_data_chunk_get_column_count(chunk);
    feed->types = calloc(count, sizeof(feed->types[0]));
    feed->functions = calloc(count, sizeof(feed->functions[0]));
    bool has_memory = feed->types != NULL && feed->functions != NULL;
    for (size_t i = 0; has_memory && i < count; i++)
        feed->types[feed->column_count++] = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(chunk, i));
    duckdb_destroy_data_chunk(&chunk);
    if (has_memory && !number_functions(feed)) {
        free(feed->functions);
        feed->functions = NULL;
    }
    return has_memory;
}

/* ---- portico_column_T ---- */

/* A function has one type, so there is one for each: for those that their id tells, and for decimals. */
uint32_t pt__feed_function_number(duckdb_logical_type type)
{
    duckdb_type id = duckdb_get_type_id(type);
    char *alias = duckdb_logical_type_get_alias(type);
    bool has_alias = alias != NULL && alias[0] != '\0';
    duckdb_free(alias);
    if (has_alias)
        return 0;
    switch (id) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_UUID:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS:
    case DUCKDB_TYPE_TIME_TZ:
    case DUCKDB_TYPE_INTERVAL:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
    case DUCKDB_TYPE_TIMESTAMP_TZ: return (uint32_t)id;
    case DUCKDB_TYPE_DECIMAL: return 10000 + 100 * duckdb_decimal_width(type) + duckdb_decimal_scale(type);
    default: return 0;
    }
}

static void take_column(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    const uint64_t *keys = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
    const int64_t *rows = duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 1));
    int64_t row_count = (int64_t)duckdb_data_chunk_get_size(input);
    pt_error err = PT_ERROR_INIT;
    if (row_count == 0)
        return;
    uint64_t column = keys[0] & PT_FEED_COLUMN_MASK;
    pt__feed *feed =
        pt__native_stream_find(duckdb_scalar_function_get_extra_info(info), keys[0] & ~PT_FEED_COLUMN_MASK);
    pt_status status = feed != NULL ? pt__feed_take_column(feed, rows[0], row_count, (size_t)column, output, &err)
                                    : pt_error_set(&err, PT_INVALID_ARGUMENT, "there is no such stream");
    if (status != PT_OK)
        duckdb_scalar_function_set_error(info, pt_error_full_message(&err));
    pt_error_clear(&err);
}

static void add_parameter(duckdb_scalar_function function, duckdb_type id)
{
    duckdb_logical_type type = duckdb_create_logical_type(id);
    duckdb_scalar_function_add_parameter(function, type);
    duckdb_destroy_logical_type(&type);
}

static pt_status register_column(pt__feed *feed, duckdb_connection connection, size_t column, pt_error *err)
{
    char name[48];
    duckdb_scalar_function function = duckdb_create_scalar_function();
    snprintf(name, sizeof(name), COLUMN_FUNCTION "%" PRIu32, feed->functions[column]);
    duckdb_scalar_function_set_name(function, name);
    add_parameter(function, DUCKDB_TYPE_UBIGINT);
    add_parameter(function, DUCKDB_TYPE_BIGINT);
    duckdb_scalar_function_set_return_type(function, feed->types[column]);
    duckdb_scalar_function_set_volatile(function);
    duckdb_scalar_function_set_special_handling(function); /* a NULL is no number of ours */
    duckdb_scalar_function_set_extra_info(function, feed->database, NULL);
    duckdb_scalar_function_set_function(function, take_column);
    duckdb_state state = duckdb_register_scalar_function(connection, function);
    duckdb_destroy_scalar_function(&function);
    return state == DuckDBSuccess ? PT_OK : pt_error_set(err, PT_INTERNAL, "DuckDB did not take the function %s", name);
}

static bool has_function(const pt__duckdb *database, uint32_t number)
{
    for (size_t i = 0; i < database->column_function_count; i++)
        if (database->column_functions[i] == number)
            return true;
    return false;
}

/* With the database's lock held. */
static pt_status need_function(pt__feed *feed, duckdb_connection connection, size_t column, pt_error *err)
{
    pt__duckdb *database = feed->database;
    size_t count = database->column_function_count;
    if (has_function(database, feed->functions[column]))
        return PT_OK;
    uint32_t *grown = realloc(database->column_functions, (count + 1) * sizeof(*grown));
    if (grown == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a function");
    database->column_functions = grown;
    PT_TRY(register_column(feed, connection, column, err));
    database->column_functions[database->column_function_count++] = feed->functions[column];
    return PT_OK;
}

pt_status pt__feed_need_functions(pt__feed *feed, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(feed->database, &connection, err));
    pt_status status = PT_OK;
    pthread_mutex_lock(&feed->database->mutex);
    for (size_t i = 0; i < feed->column_count && status == PT_OK; i++)
        status = need_function(feed, connection, i, err);
    pthread_mutex_unlock(&feed->database->mutex);
    pt__duckdb_return(feed->database, connection);
    return status;
}

/* The offset is left out where there is none, as it would be added row by row. */
static void put_row(int64_t first, pt__buffer *sql)
{
    pt__buffer_append_string(sql, "rowid");
    if (first > 0)
        pt__buffer_printf(sql, " + %" PRId64, first);
}

void pt__feed_put_columns(const pt__feed *feed, int64_t first, int64_t count, pt__buffer *sql)
{
    for (size_t i = 0; i < feed->column_count; i++) {
        pt__buffer_append_string(sql, i == 0 ? "SELECT " : ", ");
        pt__buffer_printf(sql, "system.main." COLUMN_FUNCTION "%" PRIu32 "(%" PRIu64 "::UBIGINT, ", feed->functions[i],
                          feed->key | i);
        put_row(first, sql);
        pt__buffer_append_string(sql, ") AS ");
        pt__native_put_name(sql, feed->schema.children[i]->name);
    }
    pt__buffer_printf(sql, " FROM " PT_ROW_NUMBERS " WHERE rowid < %" PRId64, count);
}

/* portico_harvest(key, rows): runs in the pipeline's threads, on each chunk of the query's rows. */
#include "backend/duckdb/harvest_inside.h"
#include "backend/duckdb/sql_word.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FUNCTION_NAME "portico_harvest"

/* ---- the text ---- */

/*
 * A query that reads something: one without FROM has few rows, and is not worth the call. What asks for its own text
 * would see ours.
 */
static bool may_have_many_rows(const char *sql)
{
    const char *word = pt__sql_first_word(sql);
    bool is_query =
        strncasecmp(word, "select", 6) == 0 || strncasecmp(word, "with", 4) == 0 || strncasecmp(word, "from", 4) == 0;
    return is_query && strcasestr(word, "from") != NULL && strcasestr(sql, "current_query") == NULL;
}

/* The key is part of the rows' name: a column of that name would be taken for them. */
char *pt__harvest_wrap(const pt__harvest *harvest, const char *sql)
{
    static const char FORMAT[] = "SELECT system.main." FUNCTION_NAME "(%" PRIu64 "::UBIGINT, __portico_rows_%" PRIu64
                                 ") FROM (\n%.*s\n) AS __portico_rows_%" PRIu64;
    enum { KEY_BYTES = 20 };
    size_t size = strlen(sql);
    if (size > INT32_MAX / 2 || !may_have_many_rows(sql))
        return NULL;
    while (size > 0 && strchr("; \t\r\n", sql[size - 1]) != NULL)
        size--;
    size_t capacity = size + sizeof(FORMAT) + (size_t)3 * KEY_BYTES;
    char *text = malloc(capacity);
    if (text != NULL)
        snprintf(text, capacity, FORMAT, harvest->key, harvest->key, (int)size, sql, harvest->key);
    return text;
}

/* ---- binding ---- */

static pt__harvest *find(pt__duckdb *database, uint64_t key)
{
    pthread_mutex_lock(&database->mutex);
    pt__harvest *harvest = database->harvests;
    while (harvest != NULL && harvest->key != key)
        harvest = harvest->next;
    if (harvest != NULL)
        pt__harvest_ref(harvest);
    pthread_mutex_unlock(&database->mutex);
    return harvest;
}

static bool read_key(duckdb_bind_info info, uint64_t *key)
{
    duckdb_client_context context = NULL;
    duckdb_value value = NULL;
    duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, 0);
    duckdb_scalar_function_get_client_context(info, &context);
    if (argument != NULL && duckdb_expression_is_foldable(argument)) {
        duckdb_error_data error = duckdb_expression_fold(context, argument, &value);
        duckdb_destroy_error_data(&error);
    }
    if (value != NULL) {
        *key = duckdb_get_uint64(value);
        duckdb_destroy_value(&value);
    }
    duckdb_destroy_client_context(&context);
    duckdb_destroy_expression(&argument);
    return *key != 0;
}

static bool bind_rows(duckdb_bind_info info, pt__harvest *harvest)
{
    duckdb_expression argument = duckdb_scalar_function_bind_get_argument(info, 1);
    duckdb_logical_type type = duckdb_expression_return_type(argument);
    bool is_right = pt__harvest_read_columns(harvest, type);
    duckdb_destroy_logical_type(&type);
    duckdb_destroy_expression(&argument);
    return is_right;
}

static void release_bound(void *data)
{
    pt__harvest_unref(data);
}

static void *copy_bound(void *data)
{
    return pt__harvest_ref(data);
}

static void bind(duckdb_bind_info info)
{
    uint64_t key = 0;
    bool has_key = duckdb_scalar_function_bind_get_argument_count(info) == 2 && read_key(info, &key);
    pt__harvest *harvest = has_key ? find(duckdb_scalar_function_bind_get_extra_info(info), key) : NULL;
    if (harvest == NULL) {
        duckdb_scalar_function_bind_set_error(info, FUNCTION_NAME " is not for users");
        return;
    }
    if (!bind_rows(info, harvest))
        duckdb_scalar_function_bind_set_error(info, "the rows cannot be harvested");
    duckdb_scalar_function_set_bind_data(info, harvest, release_bound);
    duckdb_scalar_function_set_bind_data_copy(info, copy_bound);
}

/* ---- running ---- */

static void release_producer(void *data)
{
    pt__producer_end(data);
    pt__producer_unref(data);
}

static void init(duckdb_init_info info)
{
    pt__harvest *harvest = duckdb_scalar_function_init_get_bind_data(info);
    pt__producer *producer = harvest->schema.release == NULL ? NULL : pt__producer_new(harvest);
    if (producer == NULL)
        duckdb_scalar_function_init_set_error(info, "no memory for rows");
    else
        duckdb_scalar_function_init_set_state(info, producer, release_producer);
}

static void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    pt__producer *producer = duckdb_scalar_function_get_state(info);
    idx_t count = duckdb_data_chunk_get_size(input);
    duckdb_vector rows = duckdb_data_chunk_get_vector(input, 1);
    if (count > 0 && !pt__producer_append(producer, rows, count, duckdb_vector_get_data(output)))
        duckdb_scalar_function_set_error(info, "no memory for rows, or nobody wants them");
}

static duckdb_scalar_function make_function(pt__duckdb *database)
{
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
    duckdb_logical_type key = duckdb_create_logical_type(DUCKDB_TYPE_UBIGINT);
    duckdb_logical_type handle = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    duckdb_scalar_function_set_name(function, FUNCTION_NAME);
    duckdb_scalar_function_add_parameter(function, key);
    duckdb_scalar_function_add_parameter(function, any);
    duckdb_scalar_function_set_return_type(function, handle);
    duckdb_scalar_function_set_volatile(function); /* called once for each row, whatever its arguments */
    duckdb_scalar_function_set_special_handling(function);
    duckdb_scalar_function_set_extra_info(function, database, NULL);
    duckdb_scalar_function_set_bind(function, bind);
    duckdb_scalar_function_set_init(function, init);
    duckdb_scalar_function_set_function(function, run);
    duckdb_destroy_logical_type(&any);
    duckdb_destroy_logical_type(&key);
    duckdb_destroy_logical_type(&handle);
    return function;
}

pt_status pt__harvest_register_function(pt__duckdb *database, duckdb_connection connection, pt_error *err)
{
    duckdb_scalar_function function = make_function(database);
    duckdb_state state = duckdb_register_scalar_function(connection, function);
    duckdb_destroy_scalar_function(&function);
    return state == DuckDBSuccess ? PT_OK : pt_error_set(err, PT_INTERNAL, "DuckDB does not take " FUNCTION_NAME);
}

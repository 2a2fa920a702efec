#include "backend/duckdb/engine.h"

#include "backend/duckdb/error_map.h"
#include "backend/duckdb/functions/functions.h"

#include <stdlib.h>
#include <string.h>

/*
 * What each connection is told; none of it is engine-wide. A streamed result is buffered in as many bytes, in which
 * DuckDB does not count those of texts: a chunk of 2,048 rows may be many times as large. So few chunks are let wait:
 * one, where a column takes 16 bytes a row, costs no time. Handles of a chunk take 16 KiB.
 */
static const char *const SETTINGS[PT_USE_COUNT] = {
    [PT_USE_ROWS] = "SET max_expression_depth TO 3000; SET streaming_buffer_size TO '64KiB'",
    [PT_USE_HANDLES] = "SET max_expression_depth TO 3000; SET streaming_buffer_size TO '160KiB'",
    [PT_USE_VALUES] = "SET max_expression_depth TO 3000; PRAGMA disable_optimizer",
};

/* Preparing begins with it, and does not touch a transaction. */
void pt__duckdb_end_statement(duckdb_connection connection)
{
    duckdb_prepared_statement none = NULL;
    (void)duckdb_prepare(connection, "", &none);
    duckdb_destroy_prepare(&none);
}

/*
 * What is left of a statement is ended first. DuckDB would do so when the last user of the connection is gone, which may
 * be one of the statement's tasks, and waits for all of them then: for itself, too.
 */
void pt__duckdb_disconnect(duckdb_connection *connection)
{
    pt__duckdb_end_statement(*connection);
    duckdb_disconnect(connection);
}

static pt_status connect(pt__duckdb *self, pt__duckdb_use use, duckdb_connection *out, pt_error *err)
{
    if (duckdb_connect(self->database, out) != DuckDBSuccess)
        return pt_error_set(err, PT_NO_MEMORY, "DuckDB gave no connection");
    pt_status status = pt__duckdb_run(*out, SETTINGS[use], err);
    if (status != PT_OK)
        pt__duckdb_disconnect(out);
    return status;
}

pt_status pt__duckdb_borrow_for(pt__duckdb *self, pt__duckdb_use use, duckdb_connection *out, pt_error *err)
{
    pt__duckdb_pool *pool = &self->pools[use];
    pthread_mutex_lock(&self->mutex);
    duckdb_connection connection = pool->idle_count > 0 ? pool->idle[--pool->idle_count] : NULL;
    pthread_mutex_unlock(&self->mutex);
    if (connection == NULL)
        return connect(self, use, out, err);
    *out = connection;
    return PT_OK;
}

void pt__duckdb_return_of(pt__duckdb *self, pt__duckdb_use use, duckdb_connection connection)
{
    pt__duckdb_pool *pool = &self->pools[use];
    pthread_mutex_lock(&self->mutex);
    bool keep = pool->idle_count < PT_IDLE_CONNECTIONS_MAX;
    if (keep)
        pool->idle[pool->idle_count++] = connection;
    pthread_mutex_unlock(&self->mutex);
    if (!keep)
        pt__duckdb_disconnect(&connection);
}

pt_status pt__duckdb_borrow(pt__duckdb *self, duckdb_connection *out, pt_error *err)
{
    return pt__duckdb_borrow_for(self, PT_USE_ROWS, out, err);
}

void pt__duckdb_return(pt__duckdb *self, duckdb_connection connection)
{
    pt__duckdb_return_of(self, PT_USE_ROWS, connection);
}

pt_status pt__duckdb_run_counting(duckdb_connection connection, const char *sql, int64_t *rows, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_query(connection, sql, &result) != DuckDBSuccess)
        status = pt__error_of_result(&result, NULL, err);
    else if (rows != NULL)
        *rows = (int64_t)duckdb_rows_changed(&result);
    duckdb_destroy_result(&result);
    return status;
}

pt_status pt__duckdb_run(duckdb_connection connection, const char *sql, pt_error *err)
{
    return pt__duckdb_run_counting(connection, sql, NULL, err);
}

pt_status pt__duckdb_need_functions(pt__duckdb *self, const char *sql, pt_error *err)
{
    duckdb_connection connection;
    if (self == NULL || pt__functions_has(self->functions, sql))
        return PT_OK;
    PT_TRY(pt__duckdb_borrow(self, &connection, err));
    pt_status status = pt__functions_register(self->functions, connection, sql, err);
    pt__duckdb_return(self, connection);
    return status;
}

void pt__put_table_name(pt__lower *lower, const char *database, const char *name)
{
    if (lower->database != NULL) {
        pt__put_identifier(lower, lower->database->catalog_name);
        pt__put(lower, ".");
    }
    pt__put_identifier(lower, database);
    pt__put(lower, ".");
    pt__put_identifier(lower, name);
}

/* ---- client rows ---- */

uint64_t pt__local_key(pt__duckdb *self)
{
    if (self == NULL)
        return 0;
    pthread_mutex_lock(&self->mutex);
    uint64_t key = ++self->next_key * 0x9E3779B97F4A7C15u ^ self->key_mask;
    pthread_mutex_unlock(&self->mutex);
    return key;
}

void pt__local_register(pt__duckdb *self, pt__local_entry *entry)
{
    pthread_mutex_lock(&self->mutex);
    entry->next = self->locals;
    self->locals = entry;
    pthread_mutex_unlock(&self->mutex);
}

void pt__local_forget(pt__duckdb *self, pt__local_entry *entry)
{
    pthread_mutex_lock(&self->mutex);
    for (pt__local_entry **at = &self->locals; *at != NULL; at = &(*at)->next) {
        if (*at == entry) {
            *at = entry->next;
            break;
        }
    }
    pthread_mutex_unlock(&self->mutex);
}

const pt_local_data *pt__local_find(pt__duckdb *self, uint64_t key)
{
    const pt_local_data *data = NULL;
    pthread_mutex_lock(&self->mutex);
    for (const pt__local_entry *entry = self->locals; entry != NULL && data == NULL; entry = entry->next)
        data = entry->key == key ? entry->data : NULL;
    pthread_mutex_unlock(&self->mutex);
    return data;
}

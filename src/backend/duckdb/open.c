#include "backend/duckdb/open.h"

#include "backend/duckdb/catalog.h"
#include "backend/duckdb/error_map.h"
#include "backend/duckdb/functions/functions.h"
#include "backend/duckdb/harvest.h"
#include "backend/duckdb/helper.h"
#include "backend/duckdb/native/native.h"
#include "backend/duckdb/native/rest.h"
#include "backend/duckdb/proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const uint64_t BLOCK_MEMORY_BYTES = UINT64_C(512) << 20;
static const uint64_t REST_BYTES_MAX = UINT64_C(8) << 30;

static pt_status set_option(duckdb_config options, const char *name, const char *value, pt_error *err)
{
    if (value == NULL)
        return PT_OK;
    if (duckdb_set_config(options, name, value) != DuckDBSuccess)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "DuckDB does not take %s = %s", name, value);
    return PT_OK;
}

/* 0: as many as DuckDB thinks fit. */
static pt_status thread_count(const pt_config *config, const pt_env *env, int64_t *out, pt_error *err)
{
    return pt_config_integer(config, "duckdb.threads", env == NULL ? 0 : env->worker_count, out, err);
}

static pt_status set_number(duckdb_config options, const char *name, int64_t value, pt_error *err)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, value);
    return set_option(options, name, text, err);
}

static bool has_helper(int64_t threads)
{
    return threads >= PT_HELPER_THREADS;
}

static pt_status set_threads(duckdb_config options, int64_t threads, pt_error *err)
{
    if (threads <= 0)
        return PT_OK;
    PT_TRY(set_number(options, "threads", threads, err));
    return has_helper(threads) ? set_number(options, "external_threads", PT_HELPER_THREADS, err) : PT_OK;
}

static pt_status set_memory(duckdb_config options, const pt_config *config, pt_error *err)
{
    uint64_t limit = 0;
    PT_TRY(pt_config_size(config, "duckdb.memory-limit", 0, &limit, err));
    if (limit == 0)
        return PT_OK;
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64 "B", limit);
    return set_option(options, "memory_limit", text, err);
}

/*
 * Blocks of tables, sorts and joins that stay with the process when they are free: to be given pages anew costs as much
 * as filling them.
 */
static pt_status set_block_memory(duckdb_config options, const pt_config *config, pt_error *err)
{
    uint64_t limit = 0, size = 0;
    PT_TRY(pt_config_size(config, "duckdb.memory-limit", 0, &limit, err));
    bool is_small = limit != 0 && limit / 8 < BLOCK_MEMORY_BYTES;
    PT_TRY(pt_config_size(config, "duckdb.block-memory", is_small ? limit / 8 : BLOCK_MEMORY_BYTES, &size, err));
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64 "B", size);
    return set_option(options, "block_allocator_memory", text, err);
}

/*
 * What would reach outside of the process is off: extensions are neither fetched nor loaded by themselves. Threads of the
 * allocator give back memory that large statements leave behind.
 */
static pt_status fill_options(duckdb_config options, const pt_config *config, int64_t threads, pt_error *err)
{
    PT_TRY(set_option(options, "autoinstall_known_extensions", "false", err));
    PT_TRY(set_option(options, "allow_unsigned_extensions", "false", err));
    PT_TRY(set_option(options, "allow_community_extensions", "false", err));
    PT_TRY(set_option(options, "allocator_background_threads", "true", err));
    PT_TRY(set_option(options, "temp_directory", pt_config_string(config, "duckdb.temp-directory", NULL), err));
    PT_TRY(set_memory(options, config, err));
    PT_TRY(set_block_memory(options, config, err));
    return set_threads(options, threads, err);
}

static pt_status open_file(pt__duckdb *self, const pt_config *config, int64_t threads, pt_error *err)
{
    duckdb_config options = NULL;
    if (duckdb_create_config(&options) != DuckDBSuccess)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for DuckDB's options");
    pt_status status = fill_options(options, config, threads, err);
    char *message = NULL;
    const char *path = pt_config_string(config, "database", NULL);
    if (path != NULL && (path[0] == '\0' || strcmp(path, ":memory:") == 0))
        path = NULL;
    self->is_in_memory = path == NULL;
    if (status == PT_OK && duckdb_open_ext(path, &self->database, options, &message) != DuckDBSuccess)
        status = pt_error_set(err, PT_IO, "cannot open the database %s: %s", path == NULL ? "in memory" : path,
                              message == NULL ? "no reason given" : message);
    duckdb_free(message);
    duckdb_destroy_config(&options);
    return status;
}

static pt_status read_catalog_name(pt__duckdb *self, duckdb_connection connection, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_query(connection, "SELECT current_database()", &result) != DuckDBSuccess)
        status = pt__error_of_result(&result, NULL, err);
    duckdb_data_chunk chunk = status == PT_OK ? duckdb_fetch_chunk(result) : NULL;
    if (chunk != NULL) {
        duckdb_string_t *names = duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0));
        snprintf(self->catalog_name, sizeof(self->catalog_name), "%.*s", (int)duckdb_string_t_length(names[0]),
                 duckdb_string_t_data(&names[0]));
        duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&result);
    return status;
}

/* Without a folder of its own as other programs do. */
static pt_status set_rest(pt__duckdb *self, const pt_config *config, pt_error *err)
{
    uint64_t bytes_max = 0;
    PT_TRY(pt_config_size(config, "duckdb.rest-limit", REST_BYTES_MAX, &bytes_max, err));
    const char *common = getenv("TMPDIR");
    const char *folder = pt_config_string(config, "duckdb.temp-directory", NULL);
    if (folder == NULL || folder[0] == '\0')
        folder = common == NULL || common[0] == '\0' ? "/tmp" : common;
    return pt__rest_space_new(folder, bytes_max, &self->rests, err);
}

/* Appends one quoted path of the list to `sql`. */
static void append_path(pt__buffer *sql, const char *path, size_t size, bool first)
{
    pt__buffer_append_string(sql, first ? "'" : ", '");
    for (size_t i = 0; i < size; i++) {
        if (path[i] == '\'')
            pt__buffer_append_byte(sql, '\'');
        pt__buffer_append_byte(sql, (uint8_t)path[i]);
    }
    pt__buffer_append_byte(sql, '\'');
}

static pt_status restrict_files(duckdb_connection connection, const pt_config *config, pt_error *err)
{
    const char *allowed = pt_config_string(config, "files.allow", NULL);
    if (allowed == NULL || allowed[0] == '\0')
        return PT_OK;
    pt__buffer sql = PT_BUFFER_INIT;
    pt__buffer_append_string(&sql, "SET GLOBAL allowed_directories = [");
    for (bool first = true; *allowed != '\0'; first = false) {
        size_t size = strcspn(allowed, ":");
        append_path(&sql, allowed, size, first);
        allowed += size + (allowed[size] == ':');
    }
    pt__buffer_append_string(&sql, "]; SET GLOBAL enable_external_access = false");
    pt_status status = pt__duckdb_run(connection, pt__buffer_string(&sql), err);
    pt__buffer_deinit(&sql);
    return status;
}

/* Footers of Parquet files are kept within the memory limit, and read again when their file has changed. */
static const char DATABASE_SETTINGS[] = "SET GLOBAL parquet_metadata_cache = true";

static pt_status make_functions(pt__duckdb *self, const pt_config *config, pt_error *err)
{
    uint64_t limit_bytes = 0;
    PT_TRY(pt_config_size(config, "duckdb.value-limit", PT_VALUE_LIMIT_BYTES, &limit_bytes, err));
    return pt__functions_new(NULL, limit_bytes, &self->functions, err);
}

static pt_status prepare(pt__duckdb *self, const pt_config *config, pt_error *err)
{
    duckdb_connection connection;
    PT_TRY(pt__duckdb_borrow(self, &connection, err));
    pt_status status = read_catalog_name(self, connection, err);
    if (status == PT_OK)
        status = make_functions(self, config, err);
    if (status == PT_OK)
        status = pt__local_register_function(self, connection, err);
    if (status == PT_OK)
        status = pt__lines_register_function(connection, err);
    if (status == PT_OK)
        status = pt__native_register_stream(self, connection, err);
    if (status == PT_OK)
        status = pt__harvest_register_functions(self, connection, err);
    if (status == PT_OK)
        status = pt__duckdb_run(connection, DATABASE_SETTINGS, err);
    if (status == PT_OK)
        status = pt__catalog_prepare(self, connection, err);
    if (status == PT_OK)
        status = pt__proof_prepare(self, connection, err);
    if (status == PT_OK)
        status = restrict_files(connection, config, err);
    pt__duckdb_return(self, connection);
    return status;
}

static pt_status open_with_threads(pt__duckdb *self, const pt_config *config, pt_error *err)
{
    int64_t threads = 0;
    PT_TRY(thread_count(config, &self->env, &threads, err));
    PT_TRY(open_file(self, config, threads, err));
    return pt__helper_new(self->database, threads, &self->helper, err);
}

pt_status pt__duckdb_open(const pt_config *config, pt_env *env, void **out, pt_error *err)
{
    pt__duckdb *self = calloc(1, sizeof(*self));
    if (self == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the DuckDB backend");
    if (env != NULL)
        self->env = *env;
    pthread_mutex_init(&self->mutex, NULL);
    pt__large_texts_init(&self->large_texts);
    if (getrandom(&self->key_mask, sizeof(self->key_mask), 0) != (ssize_t)sizeof(self->key_mask))
        self->key_mask = (uint64_t)(uintptr_t)self;
    self->harvest_memory = pt__batch_memory_new();
    pt_status status = open_with_threads(self, config, err);
    if (status == PT_OK && self->harvest_memory == NULL)
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for the DuckDB backend");
    if (status == PT_OK)
        status = set_rest(self, config, err);
    if (status == PT_OK)
        status = prepare(self, config, err);
    if (status != PT_OK) {
        pt__duckdb_close(self);
        return status;
    }
    *out = self;
    return PT_OK;
}

void pt__duckdb_close(void *context)
{
    pt__duckdb *self = context;
    pt__native_clear_shelves(self);
    pt__helper_free(self->helper);
    for (size_t use = 0; use < PT_USE_COUNT; use++)
        for (size_t i = 0; i < self->pools[use].idle_count; i++)
            pt__duckdb_disconnect(&self->pools[use].idle[i]);
    if (self->database != NULL)
        duckdb_close(&self->database);
    free(self->column_functions);
    pt__rest_space_free(self->rests);
    pt__functions_free(self->functions);
    pt__batch_memory_unref(self->harvest_memory);
    pt__large_texts_deinit(&self->large_texts);
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

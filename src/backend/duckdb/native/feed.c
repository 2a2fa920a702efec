#include "backend/duckdb/native/feed.h"

#include "backend/duckdb/native/native.h"
#include "base/monotonic.h"

#include <errno.h>
#include <nanoarrow/nanoarrow.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTION_NAME "portico_stream"

enum {
    SLICE_ROWS = 2048, /* DuckDB's vector size */
    READY_MAX = 32,    /* chunks that wait for the scan */
    READY_BYTES = 16 << 20,
    VALUE_BYTES = 16, /* what a value takes in a vector, more or less */
    FIRST_NAP_US = 50,
    LONGEST_NAP_US = 5000
};

/* A batch that is freed with the last of the slices that point into it. */
typedef struct batch {
    atomic_size_t references;
    struct ArrowArray array;
} batch;

struct pt__feed {
    pt__duckdb *database;
    duckdb_connection connection; /* also for its conversion settings */
    uint64_t key;
    struct ArrowArrayStream *rows;
    struct ArrowSchema schema;
    duckdb_arrow_converted_schema converted;
    pthread_t runner; /* who reads the stream */
    batch *current;   /* the runner's */
    int64_t row;      /* the next one of it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    duckdb_data_chunk ready[READY_MAX];
    size_t ready_limit;
    size_t first;
    size_t count;
    bool is_ended;  /* no more chunks come */
    bool is_failed; /* by `failure` */
    pt_error failure;
};

/* ---- slices ---- */

static void unref_batch(batch *b)
{
    if (b == NULL || atomic_fetch_sub(&b->references, 1) != 1)
        return;
    b->array.release(&b->array);
    free(b);
}

/* What DuckDB takes for an array of its own. Its owner is the vector of the first column, or nobody: hence the count. */
typedef struct slice {
    atomic_size_t references;
    batch *batch;
    struct ArrowArray **pointers;
    struct ArrowArray children[];
} slice;

static void unref_slice(slice *s)
{
    if (atomic_fetch_sub(&s->references, 1) != 1)
        return;
    unref_batch(s->batch);
    free(s->pointers);
    free(s);
}

static void release_slice(struct ArrowArray *array)
{
    array->release = NULL;
    unref_slice(array->private_data);
}

static void keep(struct ArrowArray *array)
{
    array->release = NULL;
}

static void fill_slice(slice *s, int64_t row, int64_t count)
{
    const struct ArrowArray *whole = &s->batch->array;
    for (int64_t i = 0; i < whole->n_children; i++) {
        struct ArrowArray *child = &s->children[i];
        *child = *whole->children[i];
        child->offset += whole->offset + row;
        child->length = count;
        /* DuckDB looks for nulls of a dictionary's column only where there are said to be some. */
        child->null_count = whole->children[i]->null_count == 0 ? 0 : 1;
        child->release = keep;
        s->pointers[i] = child;
    }
}

/* With two references: the array's and the caller's. */
static slice *make_slice(batch *b, int64_t row, int64_t count, struct ArrowArray *out)
{
    size_t columns = (size_t)b->array.n_children;
    slice *s = calloc(1, sizeof(*s) + columns * sizeof(s->children[0]));
    struct ArrowArray **pointers = calloc(columns + 1, sizeof(struct ArrowArray *));
    if (s == NULL || pointers == NULL) {
        free(s);
        free(pointers);
        return NULL;
    }
    atomic_init(&s->references, 2);
    atomic_fetch_add(&b->references, 1);
    s->batch = b;
    s->pointers = pointers;
    fill_slice(s, row, count);
    *out = (struct ArrowArray){.length = count,
                               .n_children = b->array.n_children,
                               .children = pointers,
                               .release = release_slice,
                               .private_data = s};
    return s;
}

/* ---- the runner's side ---- */

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for an ingestion");
}

/* Sees to it that there is a batch with rows left; at the end `current` is NULL. */
static pt_status next_batch(pt__feed *feed, pt_error *err)
{
    while (feed->current == NULL || feed->row >= feed->current->array.length) {
        unref_batch(feed->current);
        feed->row = 0;
        feed->current = calloc(1, sizeof(*feed->current));
        if (feed->current == NULL)
            return no_memory(err);
        struct ArrowArray *array = &feed->current->array;
        bool failed = feed->rows->get_next(feed->rows, array) != 0;
        if (failed || array->release == NULL) {
            free(feed->current);
            feed->current = NULL;
            const char *text = failed ? feed->rows->get_last_error(feed->rows) : NULL;
            return failed
                       ? pt_error_set(err, PT_INVALID_ARGUMENT, "%s", text == NULL ? "the rows cannot be read" : text)
                       : PT_OK;
        }
        atomic_init(&feed->current->references, 1);
    }
    return PT_OK;
}

/* `*out` is NULL at the end. */
static pt_status next_chunk(pt__feed *feed, duckdb_data_chunk *out, pt_error *err)
{
    struct ArrowArray part;
    *out = NULL;
    PT_TRY(next_batch(feed, err));
    if (feed->current == NULL)
        return PT_OK;
    int64_t left = feed->current->array.length - feed->row;
    int64_t count = left < SLICE_ROWS ? left : SLICE_ROWS;
    slice *s = make_slice(feed->current, feed->row, count, &part);
    if (s == NULL)
        return no_memory(err);
    feed->row += count;
    pt_status status =
        pt__native_error_data(duckdb_data_chunk_from_arrow(feed->connection, &part, feed->converted, out), err);
    if (part.release != NULL)
        part.release(&part);
    unref_slice(s);
    return status;
}

/* Makes the next chunk ready, or notes that there is none; blocks until there are rows. */
static void add_next(pt__feed *feed)
{
    duckdb_data_chunk chunk;
    pt_status status = next_chunk(feed, &chunk, &feed->failure);
    pthread_mutex_lock(&feed->lock);
    if (status == PT_OK && chunk != NULL)
        feed->ready[(feed->first + feed->count++) % READY_MAX] = chunk;
    feed->is_failed = status != PT_OK;
    feed->is_ended = chunk == NULL;
    pthread_cond_signal(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

static bool wants_more(pt__feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    bool wants = !feed->is_ended && feed->count < feed->ready_limit;
    pthread_mutex_unlock(&feed->lock);
    return wants;
}

/*
 * The other thread is at work. DuckDB's own waiting would be a loop that takes the core from the client and the transport.
 * The scan tells when there is room again, but nothing tells when the statement has ended after the last chunk: then one
 * looks after `us`, and next time after twice that, which is returned.
 */
static uint64_t nap(pt__feed *feed, uint64_t us)
{
    int waited = 0;
    pthread_mutex_lock(&feed->lock);
    bool is_ended = feed->is_ended;
    struct timespec until = pt__monotonic_in_us(is_ended ? us : LONGEST_NAP_US);
    while ((is_ended || feed->count > feed->ready_limit / 2) && waited == 0)
        waited = pthread_cond_timedwait(&feed->changed, &feed->lock, &until);
    pthread_mutex_unlock(&feed->lock);
    return is_ended && us * 2 < LONGEST_NAP_US ? us * 2 : LONGEST_NAP_US;
}

/* Until the statement has ended. */
static duckdb_pending_state work(pt__feed *feed, duckdb_pending_result pending)
{
    uint64_t nap_us = FIRST_NAP_US;
    for (;;) {
        while (wants_more(feed)) {
            add_next(feed);
            nap_us = FIRST_NAP_US;
        }
        duckdb_pending_state state = duckdb_pending_execute_task(pending);
        if (state == DUCKDB_PENDING_RESULT_READY || state == DUCKDB_PENDING_ERROR)
            return state;
        if (state == DUCKDB_PENDING_RESULT_NOT_READY)
            continue;
        nap_us = nap(feed, nap_us);
    }
}

/* ---- the scan's side ---- */

/* With the lock held; the runner may be the one that scans. */
static void await_ready(pt__feed *feed)
{
    bool is_runner = pthread_equal(pthread_self(), feed->runner);
    while (feed->count == 0 && !feed->is_ended) {
        if (is_runner) {
            pthread_mutex_unlock(&feed->lock);
            add_next(feed);
            pthread_mutex_lock(&feed->lock);
        } else {
            pthread_cond_wait(&feed->changed, &feed->lock);
        }
    }
}

/* NULL at the end, or after a failure. */
static duckdb_data_chunk take_ready(pt__feed *feed, bool *failed)
{
    duckdb_data_chunk chunk = NULL;
    pthread_mutex_lock(&feed->lock);
    await_ready(feed);
    *failed = feed->is_failed && feed->count == 0;
    if (feed->count > 0) {
        chunk = feed->ready[feed->first];
        feed->first = (feed->first + 1) % READY_MAX;
        feed->count--;
        if (feed->count == feed->ready_limit / 2)
            pthread_cond_signal(&feed->changed);
    }
    pthread_mutex_unlock(&feed->lock);
    return chunk;
}

static void scan(duckdb_function_info info, duckdb_data_chunk output)
{
    pt__feed *feed = duckdb_function_get_bind_data(info);
    bool failed;
    duckdb_data_chunk_set_size(output, 0);
    duckdb_data_chunk chunk = take_ready(feed, &failed);
    if (failed)
        duckdb_function_set_error(info, pt_error_full_message(&feed->failure));
    if (chunk == NULL)
        return;
    for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(chunk); i++)
        duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(output, i), duckdb_data_chunk_get_vector(chunk, i));
    duckdb_data_chunk_set_size(output, duckdb_data_chunk_get_size(chunk));
    duckdb_destroy_data_chunk(&chunk);
}

static pt__feed *feed_of(pt__duckdb *database, duckdb_bind_info info)
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

static bool add_columns(duckdb_bind_info info, pt__feed *feed)
{
    struct ArrowArray empty;
    duckdb_data_chunk chunk = NULL;
    if (!empty_array(&feed->schema, &empty))
        return false;
    pt_status status =
        pt__native_error_data(duckdb_data_chunk_from_arrow(feed->connection, &empty, feed->converted, &chunk), NULL);
    if (empty.release != NULL)
        empty.release(&empty);
    if (status != PT_OK)
        return false;
    for (int64_t i = 0; i < feed->schema.n_children; i++) {
        duckdb_logical_type type = duckdb_vector_get_column_type(duckdb_data_chunk_get_vector(chunk, (idx_t)i));
        duckdb_bind_add_result_column(info, feed->schema.children[i]->name, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_destroy_data_chunk(&chunk);
    return true;
}

static void bind(duckdb_bind_info info)
{
    pt__feed *feed = feed_of(duckdb_bind_get_extra_info(info), info);
    if (feed == NULL)
        duckdb_bind_set_error(info, "there is no such stream");
    else if (!add_columns(info, feed))
        duckdb_bind_set_error(info, "the rows are in an Arrow type that DuckDB does not take");
    else
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

/* ---- running ---- */

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

static pt_status finish(duckdb_pending_result pending, int64_t *count, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_execute_pending(pending, &result) == DuckDBSuccess)
        *count = first_number(result);
    else
        status = pt__native_error(duckdb_result_error(&result), err);
    duckdb_destroy_result(&result);
    return status;
}

static pt_status execute(pt__feed *feed, duckdb_prepared_statement prepared, int64_t *count, pt_error *err)
{
    duckdb_pending_result pending = NULL;
    pt_status status;
    if (duckdb_pending_prepared(prepared, &pending) != DuckDBSuccess ||
        work(feed, pending) != DUCKDB_PENDING_RESULT_READY)
        status = pt__native_error(duckdb_pending_error(pending), err);
    else
        status = finish(pending, count, err);
    duckdb_destroy_pending(&pending);
    return status;
}

pt_status pt__feed_run(pt__feed *feed, const char *sql, int64_t *count, pt_error *err)
{
    duckdb_prepared_statement prepared = NULL;
    pt_status status;
    feed->runner = pthread_self();
    if (duckdb_prepare(feed->connection, sql, &prepared) == DuckDBSuccess)
        status = execute(feed, prepared, count, err);
    else
        status = pt__native_error(duckdb_prepare_error(prepared), err);
    duckdb_destroy_prepare(&prepared);
    return status;
}

void pt__feed_put_source(const pt__feed *feed, pt__buffer *sql)
{
    pt__buffer_printf(sql, FUNCTION_NAME "(%llu::UBIGINT)", (unsigned long long)feed->key);
}

/* ---- the feed ---- */

/* DuckDB's own errors are about types, not columns. */
static pt_status check_column(pt__feed *feed, struct ArrowSchema *column, pt_error *err)
{
    char type[128];
    struct ArrowSchema *children[] = {column};
    struct ArrowSchema one = {.format = "+s", .name = "", .n_children = 1, .children = children};
    duckdb_arrow_converted_schema converted = NULL;
    pt_status status = pt__native_error_data(duckdb_schema_from_arrow(feed->connection, &one, &converted), NULL);
    if (converted != NULL)
        duckdb_destroy_arrow_converted_schema(&converted);
    if (status == PT_OK)
        return PT_OK;
    ArrowSchemaToString(column, type, sizeof(type), false);
    return pt_error_set(err, PT_UNSUPPORTED, "the column \"%s\" has the Arrow type %s, which DuckDB does not take",
                        column->name, type);
}

static pt_status convert_schema(pt__feed *feed, pt_error *err)
{
    pt_status status =
        pt__native_error_data(duckdb_schema_from_arrow(feed->connection, &feed->schema, &feed->converted), err);
    if (status == PT_OK)
        return PT_OK;
    pt_error_clear(err);
    for (int64_t i = 0; i < feed->schema.n_children; i++)
        PT_TRY(check_column(feed, feed->schema.children[i], err));
    return pt_error_set(err, status, "DuckDB does not take rows of this schema");
}

static pt_status open_schema(pt__feed *feed, pt_error *err)
{
    int code = feed->rows->get_schema(feed->rows, &feed->schema);
    if (code != 0) {
        const char *text = feed->rows->get_last_error(feed->rows);
        return pt_error_set(err, code == ENOTSUP ? PT_UNSUPPORTED : PT_INVALID_ARGUMENT, "%s",
                            text == NULL ? "the rows have no schema" : text);
    }
    if (feed->schema.n_children == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the rows have no columns");
    return convert_schema(feed, err);
}

/* Wide tables have fewer chunks wait. */
static size_t ready_limit(const struct ArrowSchema *schema)
{
    size_t chunk_bytes = (size_t)schema->n_children * SLICE_ROWS * VALUE_BYTES;
    size_t limit = READY_BYTES / chunk_bytes;
    return limit < 2 ? 2 : limit > READY_MAX ? READY_MAX : limit;
}

static pt_status open_feed(pt__feed *feed, pt_error *err)
{
    PT_TRY(open_schema(feed, err));
    feed->ready_limit = ready_limit(&feed->schema);
    return pt__native_stream_add(feed->database, feed->key, feed) ? PT_OK : no_memory(err);
}

pt_status pt__feed_new(pt__duckdb *database, duckdb_connection connection, struct ArrowArrayStream *rows,
                       pt__feed **out, pt_error *err)
{
    pt__feed *feed = calloc(1, sizeof(*feed));
    if (feed == NULL)
        return no_memory(err);
    feed->database = database;
    feed->connection = connection;
    feed->key = pt__local_key(database);
    feed->rows = rows;
    pthread_mutex_init(&feed->lock, NULL);
    pt__monotonic_condition_init(&feed->changed);
    pt_status status = open_feed(feed, err);
    if (status == PT_OK)
        *out = feed;
    else
        pt__feed_free(feed);
    return status;
}

static void drop_ready(pt__feed *feed)
{
    for (; feed->count > 0; feed->count--) {
        duckdb_destroy_data_chunk(&feed->ready[feed->first]);
        feed->first = (feed->first + 1) % READY_MAX;
    }
}

void pt__feed_free(pt__feed *feed)
{
    if (feed == NULL)
        return;
    pt__native_stream_remove(feed->database, feed->key);
    drop_ready(feed);
    unref_batch(feed->current);
    if (feed->converted != NULL)
        duckdb_destroy_arrow_converted_schema(&feed->converted);
    if (feed->schema.release != NULL)
        feed->schema.release(&feed->schema);
    pt_error_clear(&feed->failure);
    pthread_mutex_destroy(&feed->lock);
    pthread_cond_destroy(&feed->changed);
    free(feed);
}

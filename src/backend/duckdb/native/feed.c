#include "backend/duckdb/native/feed_inside.h"
#include "backend/duckdb/native/narrow.h"
#include "backend/duckdb/native/native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW_BYTES = 80 << 20,
    ROW_GROUPS_PER_THREAD = 2, /* a statement ends with its last thread: with more of them, others wait less for that */
    BATCH_OVERHEAD_BYTES = 1024,
    COLUMN_OVERHEAD_BYTES = 512 /* of each array, however few rows it has */
};

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for an ingestion");
}

/* ---- batches ---- */

void pt__feed_unref_batch(pt__feed_batch *batch)
{
    if (batch == NULL || atomic_fetch_sub(&batch->references, 1) != 1)
        return;
    for (int64_t i = 0; batch->narrowed != NULL && i < batch->array.n_children; i++)
        free(batch->narrowed[i].values);
    free(batch->narrowed);
    batch->array.release(&batch->array);
    free(batch);
}

static uint64_t buffer_bytes(const struct ArrowArrayView *view)
{
    uint64_t size = COLUMN_OVERHEAD_BYTES;
    for (int i = 0; i < NANOARROW_MAX_FIXED_BUFFERS; i++)
        size += (uint64_t)view->buffer_views[i].size_bytes;
    for (int64_t i = 0; i < view->n_children; i++)
        size += buffer_bytes(view->children[i]);
    return size + (view->dictionary == NULL ? 0 : buffer_bytes(view->dictionary));
}

static uint64_t batch_bytes(pt__feed *feed, const struct ArrowArray *array)
{
    if (ArrowArrayViewSetArray(&feed->sizes, array, NULL) != NANOARROW_OK)
        return WINDOW_BYTES; /* the window ends here */
    return BATCH_OVERHEAD_BYTES + buffer_bytes(&feed->sizes);
}

/* `*out` is NULL at the end. */
static pt_status read_batch(pt__feed *feed, pt__feed_batch **out, pt_error *err)
{
    pt__feed_batch *batch = calloc(1, sizeof(*batch));
    *out = NULL;
    if (batch == NULL)
        return no_memory(err);
    atomic_init(&batch->references, 1);
    int code = feed->rows->get_next(feed->rows, &batch->array);
    if (code == 0 && batch->array.release != NULL) {
        *out = batch;
        return PT_OK;
    }
    free(batch);
    const char *text = code == 0 ? NULL : feed->rows->get_last_error(feed->rows);
    return code == 0 ? PT_OK
                     : pt_error_set(err, PT_INVALID_ARGUMENT, "%s", text == NULL ? "the rows cannot be read" : text);
}

static pt_status narrow_column(const pt__feed *feed, pt__feed_batch *batch, int64_t column, pt_error *err)
{
    const struct ArrowArray *array = batch->array.children[column];
    pt__feed_narrowed *narrowed = &batch->narrowed[column];
    PT_TRY(pt__narrow_values(array, feed->narrow_bits[column], &narrowed->values, err));
    narrowed->buffers[0] = array->buffers[0];
    narrowed->buffers[1] = narrowed->values;
    return PT_OK;
}

static pt_status narrow_batch(const pt__feed *feed, pt__feed_batch *batch, pt_error *err)
{
    if (feed->narrow_bits == NULL)
        return PT_OK;
    batch->narrowed = calloc((size_t)batch->array.n_children, sizeof(*batch->narrowed));
    if (batch->narrowed == NULL)
        return no_memory(err);
    for (int64_t i = 0; i < batch->array.n_children; i++)
        if (feed->narrow_bits[i] != 0)
            PT_TRY(narrow_column(feed, batch, i, err));
    return PT_OK;
}

/* ---- windows ---- */

static bool reserve_batch(pt__feed_window *window)
{
    if (window->batch_count < window->batch_capacity)
        return true;
    size_t capacity = window->batch_capacity == 0 ? 16 : 2 * window->batch_capacity;
    pt__feed_batch **grown = realloc(window->batches, capacity * sizeof(*grown));
    if (grown == NULL)
        return false;
    window->batches = grown;
    window->batch_capacity = capacity;
    return true;
}

static void drop_batch(pt__feed_window *window, pt__feed_batch *batch)
{
    window->size_bytes -= batch->size_bytes;
    pt__feed_unref_batch(batch);
}

static pt_status add_batch(pt__feed *feed, pt__feed_batch *take_batch, pt_error *err)
{
    pt__feed_window *window = &feed->window;
    if (take_batch->array.length == 0) {
        pt__feed_unref_batch(take_batch);
        return PT_OK;
    }
    pt_status status = narrow_batch(feed, take_batch, err);
    if (status == PT_OK && !reserve_batch(window))
        status = no_memory(err);
    if (status != PT_OK) {
        pt__feed_unref_batch(take_batch);
        return status;
    }
    take_batch->first_row = window->held_rows;
    take_batch->size_bytes = batch_bytes(feed, &take_batch->array);
    window->held_rows += take_batch->array.length;
    window->size_bytes += take_batch->size_bytes;
    window->batches[window->batch_count++] = take_batch;
    return PT_OK;
}

static void drop_slots(pt__feed_window *window)
{
    for (size_t i = 0; i < window->slot_count; i++)
        if (window->slots[i].chunk != NULL)
            duckdb_destroy_data_chunk(&window->slots[i].chunk);
    free(window->slots);
    window->slots = NULL;
    window->slot_count = 0;
}

/* DuckDB gives at most as many threads to a statement as there are row groups. */
static int64_t row_groups(const pt__duckdb *database)
{
    int64_t wanted = (int64_t)database->env.worker_count * ROW_GROUPS_PER_THREAD;
    int64_t most = PT_ROW_NUMBERS_COUNT / PT_ROW_GROUP_ROWS;
    return wanted < 1 ? 1 : wanted > most ? most : wanted;
}

/* What was inserted goes; what is left of a batch stays, with a first row below 0. */
static void drop_used(pt__feed_window *window)
{
    size_t kept = 0;
    for (size_t i = 0; i < window->batch_count; i++) {
        pt__feed_batch *batch = window->batches[i];
        batch->first_row -= window->row_count;
        if (batch->first_row + batch->array.length > 0)
            window->batches[kept++] = batch;
        else
            drop_batch(window, batch);
    }
    window->batch_count = kept;
    window->held_rows -= window->row_count;
    window->row_count = 0;
    window->scanned = 0;
    drop_slots(window);
}

/* Whole row groups, as long as more rows come. */
static int64_t rows_at_hand(const pt__feed *feed)
{
    int64_t held = feed->window.held_rows;
    return feed->is_ended || held < PT_ROW_GROUP_ROWS ? held : held - held % PT_ROW_GROUP_ROWS;
}

static pt_status read_rows(pt__feed *feed, pt_error *err)
{
    pt__feed_window *window = &feed->window;
    while (!feed->is_ended && window->held_rows < feed->wanted_rows && window->size_bytes < WINDOW_BYTES) {
        pt__feed_batch *batch;
        PT_TRY(read_batch(feed, &batch, err));
        feed->is_ended = batch == NULL;
        if (batch != NULL)
            PT_TRY(add_batch(feed, batch, err));
    }
    return PT_OK;
}

/* The lock is not for those who scan at the same time, of whom there are none, but for what they see and have left. */
pt_status pt__feed_fill(pt__feed *feed, pt_error *err)
{
    pthread_mutex_lock(&feed->lock);
    drop_used(&feed->window);
    pthread_mutex_unlock(&feed->lock);
    PT_TRY(read_rows(feed, err));
    pthread_mutex_lock(&feed->lock);
    feed->window.row_count = rows_at_hand(feed);
    pthread_mutex_unlock(&feed->lock);
    feed->wanted_rows = row_groups(feed->database) * PT_ROW_GROUP_ROWS;
    return PT_OK;
}

static bool wants_columns(const pt__feed *feed)
{
    return feed->functions != NULL && feed->window.row_count > PT_ROW_GROUP_ROWS;
}

bool pt__feed_is_ended(const pt__feed *feed)
{
    return feed->is_ended;
}

bool pt__feed_is_one_statement(const pt__feed *feed)
{
    return feed->is_ended && !wants_columns(feed);
}

int64_t pt__feed_row_count(const pt__feed *feed)
{
    return feed->window.row_count;
}

/* ---- queries ---- */

static bool make_slots(pt__feed *feed)
{
    pt__feed_window *window = &feed->window;
    pthread_mutex_lock(&feed->lock);
    if (window->slots == NULL) {
        window->slot_count = (size_t)((window->row_count + PT_FEED_CHUNK_ROWS - 1) / PT_FEED_CHUNK_ROWS);
        window->slots = calloc(window->slot_count, sizeof(*window->slots));
    }
    bool has = window->slots != NULL;
    pthread_mutex_unlock(&feed->lock);
    return has;
}

pt_status pt__feed_put_query(pt__feed *feed, int64_t first, pt__buffer *sql, int64_t *row_count, pt_error *err)
{
    *row_count = feed->window.row_count - first;
    if (!wants_columns(feed)) {
        feed->window.scanned = first;
        pt__feed_put_stream(feed, sql);
        return PT_OK;
    }
    if (*row_count > PT_ROW_NUMBERS_COUNT)
        *row_count = PT_ROW_NUMBERS_COUNT;
    PT_TRY(pt__row_numbers_need(feed->database, err));
    PT_TRY(pt__feed_need_functions(feed, err));
    if (!make_slots(feed))
        return no_memory(err);
    pt__feed_put_columns(feed, first, *row_count, sql);
    return PT_OK;
}

bool pt__feed_turn_to_stream(pt__feed *feed)
{
    bool is_other = wants_columns(feed);
    free(feed->functions);
    feed->functions = NULL;
    return is_other;
}

/* ---- schema ---- */

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

/* The schema becomes that of what DuckDB is given. */
static pt_status narrow_schema(pt__feed *feed, pt_error *err)
{
    int any = 0;
    feed->narrow_bits = calloc((size_t)feed->schema.n_children, sizeof(*feed->narrow_bits));
    if (feed->narrow_bits == NULL)
        return no_memory(err);
    for (int64_t i = 0; i < feed->schema.n_children; i++)
        any |= feed->narrow_bits[i] = pt__narrow_schema(feed->schema.children[i]);
    if (any == 0) {
        free(feed->narrow_bits);
        feed->narrow_bits = NULL;
    }
    return PT_OK;
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
    /* Batches are measured as they come. */
    if (ArrowArrayViewInitFromSchema(&feed->sizes, &feed->schema, NULL) != NANOARROW_OK)
        return no_memory(err);
    PT_TRY(narrow_schema(feed, err));
    return convert_schema(feed, err);
}

/* ---- the feed ---- */

static bool count_up(pt__feed *feed)
{
    feed->all = duckdb_create_selection_vector(PT_FEED_CHUNK_ROWS);
    if (feed->all == NULL)
        return false;
    sel_t *numbers = duckdb_selection_vector_get_data_ptr(feed->all);
    for (sel_t i = 0; i < PT_FEED_CHUNK_ROWS; i++)
        numbers[i] = i;
    return true;
}

static pt_status open_feed(pt__feed *feed, pt_error *err)
{
    PT_TRY(open_schema(feed, err));
    if (!pt__feed_read_columns(feed))
        return pt_error_set(err, PT_UNSUPPORTED, "the rows are in an Arrow type that DuckDB does not take");
    if (!count_up(feed))
        return no_memory(err);
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
    feed->key = pt__local_key(database) & ~PT_FEED_COLUMN_MASK;
    feed->rows = rows;
    feed->wanted_rows = PT_ROW_GROUP_ROWS; /* the first ones are inserted while more come */
    pthread_mutex_init(&feed->lock, NULL);
    pt_status status = open_feed(feed, err);
    if (status == PT_OK)
        *out = feed;
    else
        pt__feed_free(feed);
    return status;
}

void pt__feed_free(pt__feed *feed)
{
    if (feed == NULL)
        return;
    pt__native_stream_remove(feed->database, feed->key);
    pthread_mutex_lock(&feed->lock);
    feed->window.row_count = feed->window.held_rows;
    drop_used(&feed->window);
    pthread_mutex_unlock(&feed->lock);
    free(feed->window.batches);
    for (size_t i = 0; feed->types != NULL && i < feed->column_count; i++)
        duckdb_destroy_logical_type(&feed->types[i]);
    free(feed->types);
    free(feed->functions);
    free(feed->narrow_bits);
    if (feed->all != NULL)
        duckdb_destroy_selection_vector(feed->all);
    if (feed->converted != NULL)
        duckdb_destroy_arrow_converted_schema(&feed->converted);
    ArrowArrayViewReset(&feed->sizes);
    if (feed->schema.release != NULL)
        feed->schema.release(&feed->schema);
    pthread_mutex_destroy(&feed->lock);
    free(feed);
}

/* The rows of a window as DuckDB's vectors: they refer to the batches, unless a chunk has rows of several. */
#include "backend/duckdb/native/feed_inside.h"
#include "backend/duckdb/native/native.h"

#include <stdlib.h>

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for the rows of an ingestion");
}

/* ---- slices ---- */

/* What DuckDB takes for an array of its own. Its owner is the vector of the first column, or nobody: hence the count. */
typedef struct slice {
    atomic_size_t references;
    pt__feed_batch *batch;
    struct ArrowArray **pointers;
    struct ArrowArray children[];
} slice;

static void unref_slice(slice *s)
{
    if (atomic_fetch_sub(&s->references, 1) != 1)
        return;
    pt__feed_unref_batch(s->batch);
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
        if (s->batch->narrowed != NULL && s->batch->narrowed[i].values != NULL)
            child->buffers = s->batch->narrowed[i].buffers;
        child->release = keep;
        s->pointers[i] = child;
    }
}

/* With two references: the array's and the caller's. */
static slice *make_slice(pt__feed_batch *batch, int64_t row, int64_t count, struct ArrowArray *out)
{
    size_t columns = (size_t)batch->array.n_children;
    slice *s = calloc(1, sizeof(*s) + columns * sizeof(s->children[0]));
    struct ArrowArray **pointers = calloc(columns + 1, sizeof(struct ArrowArray *));
    if (s == NULL || pointers == NULL) {
        free(s);
        free(pointers);
        return NULL;
    }
    atomic_init(&s->references, 2);
    atomic_fetch_add(&batch->references, 1);
    s->batch = batch;
    s->pointers = pointers;
    fill_slice(s, row, count);
    *out = (struct ArrowArray){.length = count,
                               .n_children = batch->array.n_children,
                               .children = pointers,
                               .release = release_slice,
                               .private_data = s};
    return s;
}

/* ---- chunks ---- */

/* Rows of the window, all of them in one batch. */
static pt_status convert(pt__feed *feed, pt__feed_batch *batch, int64_t first, int64_t count, duckdb_data_chunk *out,
                         pt_error *err)
{
    struct ArrowArray part;
    slice *s = make_slice(batch, first - batch->first_row, count, &part);
    if (s == NULL)
        return no_memory(err);
    pt_status status =
        pt__native_error_data(duckdb_data_chunk_from_arrow(feed->connection, &part, feed->converted, out), err);
    if (part.release != NULL)
        part.release(&part);
    unref_slice(s);
    return status;
}

/* The batch that has the row. */
static size_t find_batch(const pt__feed_window *window, int64_t row)
{
    size_t low = 0, high = window->batch_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (window->batches[middle]->first_row <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t rows_left(const pt__feed_batch *batch, int64_t row, int64_t wanted)
{
    int64_t left = batch->first_row + batch->array.length - row;
    return left < wanted ? left : wanted;
}

/* Copies the rows of `part` behind the first `at` of `whole`. */
static void append(const pt__feed *feed, duckdb_data_chunk whole, int64_t at, duckdb_data_chunk part, int64_t count)
{
    for (idx_t i = 0; i < feed->column_count; i++)
        duckdb_vector_copy_sel(duckdb_data_chunk_get_vector(part, i), duckdb_data_chunk_get_vector(whole, i), feed->all,
                               (idx_t)count, 0, (idx_t)at);
}

static pt_status collect(pt__feed *feed, size_t batch, int64_t first, int64_t count, duckdb_data_chunk whole,
                         pt_error *err)
{
    for (int64_t at = 0; at < count; batch++) {
        duckdb_data_chunk part = NULL;
        int64_t rows = rows_left(feed->window.batches[batch], first + at, count - at);
        PT_TRY(convert(feed, feed->window.batches[batch], first + at, rows, &part, err));
        append(feed, whole, at, part, rows);
        duckdb_destroy_data_chunk(&part);
        at += rows;
    }
    duckdb_data_chunk_set_size(whole, (idx_t)count);
    return PT_OK;
}

pt_status pt__feed_make_chunk(pt__feed *feed, int64_t first, duckdb_data_chunk *out, pt_error *err)
{
    int64_t left = feed->window.row_count - first;
    int64_t count = left < PT_FEED_CHUNK_ROWS ? left : PT_FEED_CHUNK_ROWS;
    size_t batch = find_batch(&feed->window, first);
    if (rows_left(feed->window.batches[batch], first, count) == count)
        return convert(feed, feed->window.batches[batch], first, count, out, err);
    duckdb_data_chunk whole = duckdb_create_data_chunk(feed->types, feed->column_count);
    if (whole == NULL)
        return no_memory(err);
    pt_status status = collect(feed, batch, first, count, whole, err);
    if (status == PT_OK)
        *out = whole;
    else
        duckdb_destroy_data_chunk(&whole);
    return status;
}

/* ---- columns of chunks ---- */

static pt_status is_changed(pt_error *err)
{
    return pt_error_set(err, PT_INTERNAL, "the table " PT_ROW_NUMBERS " was changed");
}

/* NULL: no chunk begins with the row. */
static pt__feed_slot *find_slot(pt__feed *feed, int64_t row, bool *has_chunk)
{
    pt__feed_slot *slot = NULL;
    pthread_mutex_lock(&feed->lock);
    bool is_there = row >= 0 && row < feed->window.row_count && row % PT_FEED_CHUNK_ROWS == 0;
    if (is_there && feed->window.slots != NULL)
        slot = &feed->window.slots[row / PT_FEED_CHUNK_ROWS];
    *has_chunk = slot != NULL && slot->chunk != NULL;
    pthread_mutex_unlock(&feed->lock);
    return slot;
}

/* Two threads may make the same chunk; one of them is kept. */
static pt_status make_for(pt__feed *feed, pt__feed_slot *slot, int64_t row, pt_error *err)
{
    duckdb_data_chunk made = NULL;
    PT_TRY(pt__feed_make_chunk(feed, row, &made, err));
    pthread_mutex_lock(&feed->lock);
    if (slot->chunk == NULL) {
        slot->chunk = made;
        made = NULL;
    }
    pthread_mutex_unlock(&feed->lock);
    if (made != NULL)
        duckdb_destroy_data_chunk(&made);
    return PT_OK;
}

/* With the lock held. Whether the slot's chunk has so many rows; then `output` refers to its column. */
static bool take(const pt__feed *feed, pt__feed_slot *slot, int64_t row_count, size_t column, duckdb_vector output)
{
    if (slot->chunk == NULL || (int64_t)duckdb_data_chunk_get_size(slot->chunk) != row_count)
        return false;
    duckdb_vector_reference_vector(output, duckdb_data_chunk_get_vector(slot->chunk, column));
    if (++slot->taken == feed->column_count)
        duckdb_destroy_data_chunk(&slot->chunk);
    return true;
}

pt_status pt__feed_take_column(pt__feed *feed, int64_t row, int64_t row_count, size_t column, duckdb_vector output,
                               pt_error *err)
{
    bool has_chunk;
    pt__feed_slot *slot = find_slot(feed, row, &has_chunk);
    if (slot == NULL || column >= feed->column_count)
        return is_changed(err);
    if (!has_chunk)
        PT_TRY(make_for(feed, slot, row, err));
    pthread_mutex_lock(&feed->lock);
    bool is_taken = take(feed, slot, row_count, column, output);
    pthread_mutex_unlock(&feed->lock);
    return is_taken ? PT_OK : is_changed(err);
}

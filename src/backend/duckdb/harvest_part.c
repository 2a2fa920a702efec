/* Parts of a harvest: filled by one thread, sealed by it or by the reader. */
#include "backend/duckdb/harvest_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- producers ---- */

static bool init_batch(pt__batch *batch, const pt__harvest *harvest)
{
    bool ok = pt__batch_init_native(batch, &harvest->schema, harvest->types);
    for (size_t i = 0; ok && i < harvest->column_count; i++)
        ok = !pt__harvest_is_packed(harvest, i) || pt__batch_take_packed(batch, i);
    return ok;
}

pt__producer *pt__producer_new(pt__harvest *harvest)
{
    pt__producer *producer = calloc(1, sizeof(*producer));
    if (producer == NULL)
        return NULL;
    if (!init_batch(&producer->batch, harvest)) {
        pt__batch_deinit(&producer->batch);
        free(producer);
        return NULL;
    }
    pt__batch_share(&producer->batch, harvest->database->harvest_memory);
    atomic_init(&producer->references, 1);
    pthread_mutex_init(&producer->lock, NULL);
    producer->harvest = pt__harvest_ref(harvest);
    producer->thread = pthread_self();
    return producer;
}

pt__producer *pt__producer_ref(pt__producer *producer)
{
    atomic_fetch_add_explicit(&producer->references, 1, memory_order_relaxed);
    return producer;
}

void pt__producer_unref(pt__producer *producer)
{
    if (producer == NULL || atomic_fetch_sub_explicit(&producer->references, 1, memory_order_acq_rel) != 1)
        return;
    pt__batch_deinit(&producer->batch);
    pthread_mutex_destroy(&producer->lock);
    pt__harvest_unref(producer->harvest);
    free(producer);
}

/* With the harvest's lock held. */
static void tell_reader(const pt__producer *producer)
{
    pt__harvest *harvest = producer->harvest;
    if (harvest->awaited == producer && (producer->has_ended || producer->produced >= harvest->awaited_chunks))
        pthread_cond_signal(&harvest->produced);
}

void pt__producer_end(pt__producer *producer)
{
    pt__harvest *harvest = producer->harvest;
    pthread_mutex_lock(&harvest->lock);
    producer->has_ended = true;
    tell_reader(producer);
    pthread_mutex_unlock(&harvest->lock);
}

/* ---- parts ---- */

void pt__part_unref(pt__part *part)
{
    if (atomic_fetch_sub_explicit(&part->references, 1, memory_order_acq_rel) != 1)
        return;
    if (part->array.release != NULL)
        part->array.release(&part->array);
    pt__producer_unref(part->producer);
    free(part);
}

static bool open_part(pt__producer *producer)
{
    pt__harvest *harvest = producer->harvest;
    pt__part *part = calloc(1, sizeof(*part));
    if (part == NULL)
        return false;
    atomic_init(&part->references, 1);
    part->producer = pt__producer_ref(producer);
    pthread_mutex_lock(&harvest->lock);
    bool is_wanted = !harvest->is_closed;
    if (is_wanted) {
        part->number = harvest->part_count++;
        part->next = harvest->parts;
        harvest->parts = part;
        producer->part = part;
    }
    pthread_mutex_unlock(&harvest->lock);
    if (!is_wanted)
        pt__part_unref(part);
    return is_wanted;
}

/* With the producer's lock held. */
static bool seal_locked(pt__producer *producer, pt__part *part)
{
    if (part->is_sealed)
        return true;
    part->row_count = producer->batch.row_count;
    if (!pt__batch_finish(&producer->batch, &part->array))
        return false;
    part->is_sealed = true;
    producer->part = NULL;
    return true;
}

bool pt__producer_seal(pt__producer *producer, pt__part *part)
{
    pthread_mutex_lock(&producer->lock);
    bool is_sealed = seal_locked(producer, part);
    pthread_mutex_unlock(&producer->lock);
    return is_sealed;
}

/* Rows from `first` on that the open part takes, which may be none. */
static bool append_some(pt__producer *producer, idx_t first, idx_t available, int64_t *handles, idx_t *taken)
{
    pt__batch *batch = &producer->batch;
    idx_t count = pt__batch_rows_that_fit(batch, &producer->harvest->limits, first, available);
    int64_t handle = (int64_t)(producer->part->number << PT_HARVEST_ROW_BITS | batch->row_count);
    if (!pt__batch_append(batch, first, count))
        return false;
    for (idx_t i = 0; i < count; i++)
        handles[i] = handle + (int64_t)i;
    *taken = count;
    return true;
}

static bool append_locked(pt__producer *producer, idx_t count, int64_t *handles)
{
    idx_t taken = 0;
    if (atomic_load(&producer->harvest->is_discarding)) {
        memset(handles, 0, count * sizeof(*handles));
        return true;
    }
    for (idx_t row = 0; row < count; row += taken) {
        if (producer->part == NULL && !open_part(producer))
            return false;
        if (!append_some(producer, row, count - row, handles + row, &taken))
            return false;
        if (taken == 0 && !seal_locked(producer, producer->part))
            return false;
    }
    return true;
}

/* A chunk's texts have been packed when it comes here, those of its dictionaries before. */
static void take_lengths(pt__producer *producer)
{
    const pt__harvest *harvest = producer->harvest;
    for (size_t i = 0; harvest->plain != NULL && i < harvest->column_count; i++)
        pt__batch_set_longest(&producer->batch, i, atomic_load(&harvest->packing[i].longest_bytes));
}

bool pt__producer_append(pt__producer *producer, duckdb_vector rows, idx_t count, int64_t *handles)
{
    pt__harvest *harvest = producer->harvest;
    pthread_mutex_lock(&producer->lock);
    pt__batch_from_struct(&producer->batch, rows);
    take_lengths(producer);
    bool has_all = append_locked(producer, count, handles);
    pthread_mutex_unlock(&producer->lock);
    pthread_mutex_lock(&harvest->lock);
    producer->produced++;
    producer->thread = pthread_self();
    tell_reader(producer);
    pthread_mutex_unlock(&harvest->lock);
    return has_all;
}

/* ---- slices ---- */

typedef struct slice {
    pt__part *part;
    const void *buffers[1];
    struct ArrowArray *pointers;
    struct ArrowArray *children[];
} slice;

static void release_slice(struct ArrowArray *array)
{
    slice *own = array->private_data;
    array->release = NULL;
    pt__part_unref(own->part);
    free(own->pointers);
    free(own);
}

/* A child owns nothing: the part does. */
static void release_child(struct ArrowArray *array)
{
    array->release = NULL;
}

static struct ArrowArray slice_of(const struct ArrowArray *whole, uint64_t first, uint64_t count)
{
    struct ArrowArray out = *whole;
    bool has_validity = whole->n_buffers > 0 && whole->buffers[0] != NULL;
    out.offset = whole->offset + (int64_t)first;
    out.length = (int64_t)count;
    out.null_count = has_validity ? -1 : whole->n_buffers == 0 ? out.length : 0;
    out.release = release_child;
    out.private_data = NULL;
    return out;
}

bool pt__part_slice(pt__part *part, uint64_t first, uint64_t count, struct ArrowArray *out)
{
    size_t child_count = (size_t)part->array.n_children;
    slice *own = calloc(1, sizeof(*own) + (child_count + 1) * sizeof(own->children[0]));
    struct ArrowArray *children = calloc(child_count + 1, sizeof(*children));
    if (own == NULL || children == NULL) {
        free(own);
        free(children);
        return false;
    }
    for (size_t i = 0; i < child_count; i++) {
        children[i] = slice_of(part->array.children[i], first, count);
        own->children[i] = &children[i];
    }
    atomic_fetch_add_explicit(&part->references, 1, memory_order_relaxed);
    own->part = part;
    own->pointers = children;
    *out = (struct ArrowArray){.length = (int64_t)count,
                               .n_buffers = 1,
                               .n_children = (int64_t)child_count,
                               .buffers = own->buffers,
                               .children = own->children,
                               .release = release_slice,
                               .private_data = own};
    return true;
}

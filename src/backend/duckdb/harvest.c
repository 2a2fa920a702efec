/* The reader of a harvest: handles in the order of the rows become batches. */
#include "backend/duckdb/harvest_inside.h"

#include "base/map.h"
#include "base/monotonic.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    EAGER_FETCHES = 8,  /* small results do not wait */
    FEW_CHUNKS = 4,     /* are worth waking up for */
    FEW_WAIT_US = 1000, /* then one will do */
    WAIT_US = 20 * 1000 /* then DuckDB is asked in any case: it may have to run the pipeline on our thread */
};

/* ---- lifetime ---- */

pt__harvest *pt__harvest_ref(pt__harvest *harvest)
{
    atomic_fetch_add_explicit(&harvest->references, 1, memory_order_relaxed);
    return harvest;
}

void pt__harvest_unref(pt__harvest *harvest)
{
    if (atomic_fetch_sub_explicit(&harvest->references, 1, memory_order_acq_rel) != 1)
        return;
    if (harvest->plain == NULL)
        pt__harvest_free_columns(harvest);
    else
        pt__harvest_unref(harvest->plain);
    free(harvest->packing);
    if (harvest->schema.release != NULL)
        harvest->schema.release(&harvest->schema);
    pthread_cond_destroy(&harvest->produced);
    pthread_mutex_destroy(&harvest->lock);
    free(harvest);
}

pt__harvest *pt__harvest_new_of(pt__duckdb *database, uint64_t text_hash)
{
    pt__harvest *harvest = calloc(1, sizeof(*harvest));
    if (harvest == NULL)
        return NULL;
    atomic_init(&harvest->references, 1);
    atomic_init(&harvest->is_binding, false);
    atomic_init(&harvest->is_discarding, false);
    pthread_mutex_init(&harvest->lock, NULL);
    pt__monotonic_condition_init(&harvest->produced);
    harvest->database = database;
    harvest->key = pt__local_key(database);
    harvest->text_hash = text_hash;
    pthread_mutex_lock(&database->mutex);
    harvest->next = database->harvests;
    database->harvests = harvest;
    pthread_mutex_unlock(&database->mutex);
    return harvest;
}

pt__harvest *pt__harvest_new(pt__duckdb *database, const char *sql)
{
    return pt__harvest_new_of(database, pt__hash_bytes(sql, strlen(sql)));
}

static void leave_database(pt__harvest *harvest)
{
    pthread_mutex_lock(&harvest->database->mutex);
    pt__harvest **at = &harvest->database->harvests;
    while (*at != harvest)
        at = &(*at)->next;
    *at = harvest->next;
    pthread_mutex_unlock(&harvest->database->mutex);
}

static pt__part *take_parts(pt__harvest *harvest)
{
    pthread_mutex_lock(&harvest->lock);
    pt__part *parts = harvest->parts;
    harvest->parts = NULL;
    harvest->is_closed = true;
    pthread_mutex_unlock(&harvest->lock);
    return parts;
}

/* A part that is being filled stays its producer's, which may be at it now. */
static void abandon(pt__part *part)
{
    pthread_mutex_lock(&part->producer->lock);
    if (part->producer->part == part)
        part->producer->part = NULL;
    pthread_mutex_unlock(&part->producer->lock);
    pt__part_unref(part);
}

void pt__harvest_close(pt__harvest *harvest)
{
    if (harvest == NULL)
        return;
    leave_database(harvest);
    pt__part *part = take_parts(harvest);
    while (part != NULL) {
        pt__part *next = part->next;
        abandon(part);
        part = next;
    }
    if (harvest->reader.chunk != NULL)
        duckdb_destroy_data_chunk(&harvest->reader.chunk);
    pt__producer_unref(harvest->reader.last);
    harvest->reader = (pt__harvest_reader){0};
    pt__harvest_unref(harvest);
}

/* ---- what it is about ---- */

size_t pt__harvest_columns(const pt__harvest *harvest, const duckdb_logical_type **types, char *const **names)
{
    *types = harvest->types;
    *names = harvest->names;
    return harvest->column_count;
}

bool pt__harvest_set_schema(pt__harvest *harvest, struct ArrowSchema *schema)
{
    harvest->schema = *schema;
    schema->release = NULL;
    return pt__batch_native_fits(&harvest->schema, harvest->types);
}

bool pt__harvest_is_outdated(pt__harvest *harvest)
{
    pthread_mutex_lock(&harvest->lock);
    bool is = harvest->is_outdated;
    pthread_mutex_unlock(&harvest->lock);
    return is;
}

void pt__harvest_begin(pt__harvest *harvest, pt__batch_limits limits)
{
    uint64_t most = (UINT64_C(1) << PT_HARVEST_ROW_BITS) - 1;
    harvest->reader.is_at_end = false;
    harvest->reader.fetches = 0;
    pt__harvest_begin_learning(harvest);
    harvest->limits = limits;
    if (limits.rows > most)
        harvest->limits.rows = most;
}

void pt__harvest_discard(pt__harvest *harvest)
{
    atomic_store(&harvest->is_discarding, true);
}

/* ---- reading handles ---- */

static pt__part *find_part(pt__harvest *harvest, uint64_t number)
{
    pthread_mutex_lock(&harvest->lock);
    pt__part *part = harvest->parts;
    while (part != NULL && part->number != number)
        part = part->next;
    pthread_mutex_unlock(&harvest->lock);
    return part;
}

static const int64_t *handles_of(const pt__harvest_reader *reader)
{
    return duckdb_vector_get_data(duckdb_data_chunk_get_vector(reader->chunk, 0));
}

static bool has_handles(const pt__harvest_reader *reader)
{
    return reader->chunk != NULL && reader->chunk_row < duckdb_data_chunk_get_size(reader->chunk);
}

/* Rows of one part that follow each other. */
static idx_t run_length(const int64_t *handles, idx_t available)
{
    idx_t count = 1;
    while (count < available && handles[count] == handles[0] + (int64_t)count)
        count++;
    return count;
}

/* Adds the next run to the rows at hand; false if it does not follow them. */
static bool take_run(pt__harvest *harvest, pt_error *err, pt_status *status)
{
    pt__harvest_reader *reader = &harvest->reader;
    const int64_t *handles = handles_of(reader) + reader->chunk_row;
    uint64_t number = (uint64_t)handles[0] >> PT_HARVEST_ROW_BITS;
    uint64_t row = (uint64_t)handles[0] & ((UINT64_C(1) << PT_HARVEST_ROW_BITS) - 1);
    if (reader->part != NULL && (reader->part->number != number || reader->end != row))
        return false;
    if (reader->part == NULL) {
        reader->part = find_part(harvest, number);
        reader->first = row;
    }
    if (reader->part == NULL) {
        *status = pt_error_set(err, PT_INTERNAL, "rows of the result are missing");
        return false;
    }
    idx_t count = run_length(handles, duckdb_data_chunk_get_size(reader->chunk) - reader->chunk_row);
    reader->end = row + count;
    reader->chunk_row += count;
    return true;
}

/* Whether the rows at hand are all that their part will have. */
static bool has_whole_part(const pt__harvest_reader *reader)
{
    pt__part *part = reader->part;
    if (part == NULL)
        return false;
    pthread_mutex_lock(&part->producer->lock);
    bool is_whole = part->is_sealed && part->row_count == reader->end;
    pthread_mutex_unlock(&part->producer->lock);
    return is_whole;
}

/* ---- fetching them ---- */

/* With the lock held: until the producer has ended or made so many chunks in all; false when the time is up. */
static bool wait_for(pt__harvest *harvest, const pt__producer *producer, uint64_t produced, uint64_t wait_us)
{
    struct timespec at = pt__monotonic_in_us(wait_us);
    int result = 0;
    harvest->awaited = producer;
    harvest->awaited_chunks = produced;
    while (result == 0 && !producer->has_ended && producer->produced < produced)
        result = pthread_cond_timedwait(&harvest->produced, &harvest->lock, &at);
    harvest->awaited = NULL;
    return result == 0;
}

/*
 * A thread that asks DuckDB for a chunk which is not there yet spins until it is, on a processor that others could use.
 * So we sleep until the thread that made the last chunk has made more: a few, as each time to wake up costs. A producer
 * that ran on our own thread, called by DuckDB while we were asking, runs on only when we ask again.
 */
static void wait_for_chunk(pt__harvest *harvest)
{
    const pt__producer *last = harvest->reader.last;
    if (harvest->reader.fetches++ < EAGER_FETCHES || last == NULL)
        return;
    pthread_mutex_lock(&harvest->lock);
    bool must_wait = last->produced == last->fetched && !pthread_equal(last->thread, pthread_self());
    if (must_wait && !wait_for(harvest, last, last->fetched + FEW_CHUNKS, FEW_WAIT_US))
        wait_for(harvest, last, last->fetched + 1, WAIT_US);
    pthread_mutex_unlock(&harvest->lock);
}

static void note_producer(pt__harvest *harvest)
{
    pt__harvest_reader *reader = &harvest->reader;
    pt__part *part = find_part(harvest, (uint64_t)handles_of(reader)[0] >> PT_HARVEST_ROW_BITS);
    if (part == NULL)
        return;
    if (part->producer != reader->last) {
        pt__producer_unref(reader->last);
        reader->last = pt__producer_ref(part->producer);
    }
    pthread_mutex_lock(&harvest->lock);
    reader->last->fetched++;
    pthread_mutex_unlock(&harvest->lock);
}

static pt_status fetch_handles(pt__harvest *harvest, pt__filler_fetch fetch, void *context, pt_error *err)
{
    pt__harvest_reader *reader = &harvest->reader;
    if (reader->chunk != NULL)
        duckdb_destroy_data_chunk(&reader->chunk);
    reader->chunk_row = 0;
    wait_for_chunk(harvest);
    PT_TRY(fetch(context, &reader->chunk, err));
    reader->is_at_end = reader->chunk == NULL;
    if (!reader->is_at_end)
        note_producer(harvest);
    return PT_OK;
}

/* ---- giving out batches ---- */

static void remove_part(pt__harvest *harvest, pt__part *part)
{
    pthread_mutex_lock(&harvest->lock);
    pt__part **at = &harvest->parts;
    while (*at != part)
        at = &(*at)->next;
    *at = part->next;
    pthread_mutex_unlock(&harvest->lock);
    pt__part_unref(part);
}

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a batch of the result");
}

/* The rows at hand. Others of their part may follow later: those are of another place in the result. */
static pt_status give(pt__harvest *harvest, struct ArrowArray *out, pt_error *err)
{
    pt__harvest_reader *reader = &harvest->reader;
    pt__part *part = reader->part;
    uint64_t count = reader->end - reader->first;
    if (!pt__producer_seal(part->producer, part))
        return no_memory(err);
    if (count == part->row_count) {
        *out = part->array;
        part->array.release = NULL;
    } else if (!pt__part_slice(part, reader->first, count, out)) {
        return no_memory(err);
    }
    part->given += count;
    pt__harvest_count_rows(harvest, count);
    reader->part = NULL;
    if (part->given == part->row_count)
        remove_part(harvest, part);
    return PT_OK;
}

static pt_status next(pt__harvest *harvest, pt__filler_fetch fetch, void *context, struct ArrowArray *out,
                      pt_error *err)
{
    pt__harvest_reader *reader = &harvest->reader;
    pt_status status = PT_OK;
    while (!reader->is_at_end) {
        while (has_handles(reader) && take_run(harvest, err, &status))
            ;
        PT_TRY(status);
        if (has_handles(reader) || has_whole_part(reader))
            return give(harvest, out, err);
        PT_TRY(fetch_handles(harvest, fetch, context, err));
    }
    return reader->part == NULL ? PT_OK : give(harvest, out, err);
}

pt_status pt__harvest_next(pt__harvest *harvest, pt__filler_fetch fetch, void *context, struct ArrowArray *out,
                           pt_error *err)
{
    uint64_t since_ms = pt__monotonic_ms();
    PT_TRY(next(harvest, fetch, context, out, err));
    if (out->release != NULL)
        pt__harvest_note_batch(harvest, since_ms);
    else
        pt__harvest_learn(harvest);
    return PT_OK;
}

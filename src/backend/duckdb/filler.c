#include "backend/duckdb/filler.h"

#include <portico/error.h>

enum {
    BATCH_BYTES_DEFAULT = 3900 << 10, /* a message of 4 MiB with room for its header */
    BATCH_ROWS_DEFAULT = 65536,
    FIRST_ROWS = 64,        /* appended before a batch knows how large rows are */
    SLACK_BYTES = 512 << 10 /* by which a batch may be larger than was asked for */
};

void pt__filler_init(pt__filler *filler, uint64_t batch_rows, uint64_t batch_bytes)
{
    *filler = (pt__filler){.batch_rows = batch_rows == 0 ? BATCH_ROWS_DEFAULT : batch_rows,
                           .batch_bytes = batch_bytes == 0 ? BATCH_BYTES_DEFAULT : batch_bytes};
    filler->max_bytes = batch_bytes == 0 ? BATCH_BYTES_DEFAULT : batch_bytes + SLACK_BYTES;
}

void pt__filler_deinit(pt__filler *filler)
{
    if (filler->chunk != NULL)
        duckdb_destroy_data_chunk(&filler->chunk);
    if (filler->has_batch)
        pt__batch_deinit(&filler->batch);
    filler->has_batch = false;
}

/* How many of the next `available` rows are expected to fit; 0: the batch is full. */
static idx_t rows_expected(const pt__filler *filler, idx_t available)
{
    uint64_t rows = filler->batch.row_count;
    if (rows == 0)
        return available < FIRST_ROWS ? available : FIRST_ROWS;
    if (rows >= filler->batch_rows)
        return 0;
    uint64_t room = filler->batch_rows - rows;
    uint64_t size = pt__batch_size_bytes(&filler->batch);
    if (size >= filler->batch_bytes)
        return 0;
    uint64_t by_size = (filler->batch_bytes - size) / (size / rows + 1);
    room = by_size < room ? by_size : room;
    return available < room ? available : (idx_t)room;
}

/* How many of them do fit. */
static idx_t rows_that_fit(const pt__filler *filler, idx_t available)
{
    idx_t count = rows_expected(filler, available);
    size_t size = pt__batch_size_bytes(&filler->batch);
    while (count > 0) {
        size_t more = pt__batch_rows_bytes(&filler->batch, filler->chunk, filler->chunk_row, count);
        if (size + more <= filler->max_bytes)
            return count;
        if (count == 1)
            return filler->batch.row_count == 0 ? 1 : 0;
        count /= 2;
    }
    return 0;
}

static pt_status next_chunk(pt__filler *filler, pt__filler_fetch fetch, void *context, pt_error *err)
{
    if (filler->chunk != NULL)
        duckdb_destroy_data_chunk(&filler->chunk);
    filler->chunk_row = 0;
    return fetch(context, &filler->chunk, err);
}

static pt_status no_memory(pt_error *err)
{
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a batch of the result");
}

static pt_status fill(pt__filler *filler, pt__filler_fetch fetch, void *context, pt_error *err)
{
    for (;;) {
        idx_t size = filler->chunk == NULL ? 0 : duckdb_data_chunk_get_size(filler->chunk);
        if (filler->chunk_row >= size) {
            PT_TRY(next_chunk(filler, fetch, context, err));
            if (filler->chunk == NULL)
                return PT_OK;
            size = duckdb_data_chunk_get_size(filler->chunk);
        }
        idx_t count = rows_that_fit(filler, size - filler->chunk_row);
        if (count == 0)
            return PT_OK;
        if (!pt__batch_append(&filler->batch, filler->chunk, filler->chunk_row, count))
            return no_memory(err);
        filler->chunk_row += count;
    }
}

pt_status pt__filler_next(pt__filler *filler, pt__filler_fetch fetch, void *context, struct ArrowArray *out,
                          pt_error *err)
{
    PT_TRY(fill(filler, fetch, context, err));
    if (filler->batch.row_count > 0 && !pt__batch_finish(&filler->batch, out))
        return no_memory(err);
    return PT_OK;
}

#include "backend/duckdb/filler.h"

#include <portico/error.h>

void pt__filler_init(pt__filler *filler, uint64_t batch_rows, uint64_t batch_bytes)
{
    *filler = (pt__filler){.limits = pt__batch_limits_of(batch_rows, batch_bytes)};
}

void pt__filler_deinit(pt__filler *filler)
{
    if (filler->chunk != NULL)
        duckdb_destroy_data_chunk(&filler->chunk);
    if (filler->has_batch)
        pt__batch_deinit(&filler->batch);
    filler->has_batch = false;
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
            pt__batch_from_chunk(&filler->batch, filler->chunk);
        }
        idx_t count =
            pt__batch_rows_that_fit(&filler->batch, &filler->limits, filler->chunk_row, size - filler->chunk_row);
        if (count == 0)
            return PT_OK;
        if (!pt__batch_append(&filler->batch, filler->chunk_row, count))
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

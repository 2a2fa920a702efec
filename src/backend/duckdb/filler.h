/**
 * Filler: DuckDB's chunks become Arrow batches of a size that was asked for, however large its rows are.
 *
 * Threads: one at a time.
 */
#ifndef PT_BACKEND_DUCKDB_FILLER_H
#define PT_BACKEND_DUCKDB_FILLER_H

#include "backend/duckdb/batch.h"

typedef struct pt__filler {
    pt__batch batch; /* initialized by the owner */
    bool has_batch;
    pt__batch_limits limits;
    duckdb_data_chunk chunk; /* whose rows from `chunk_row` on are not yet delivered */
    idx_t chunk_row;
} pt__filler;

/** `*out` is NULL at the end. */
typedef pt_status (*pt__filler_fetch)(void *context, duckdb_data_chunk *out, pt_error *err);

/** Sets the sizes; 0: those of a client that takes messages of 4 MiB. */
void pt__filler_init(pt__filler *filler, uint64_t batch_rows, uint64_t batch_bytes);
void pt__filler_deinit(pt__filler *filler);

/** The next batch; `out->release` stays NULL at the end. */
pt_status pt__filler_next(pt__filler *filler, pt__filler_fetch fetch, void *context, struct ArrowArray *out,
                          pt_error *err);

#endif

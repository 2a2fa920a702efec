/**
 * Batch: rows of DuckDB's vectors appended to Arrow arrays in the layout of plan/arrow_schema.h. One copy.
 *
 * Threads: one at a time; finished arrays are independent of the batch.
 */
#ifndef PT_BACKEND_DUCKDB_BATCH_H
#define PT_BACKEND_DUCKDB_BATCH_H

#include "backend/duckdb/batch_memory.h"
#include "plan/plan.h"

#include <portico/arrow.h>

#include <duckdb.h>

typedef struct pt__batch_column pt__batch_column;

typedef struct pt__batch {
    pt__batch_memory *memory;
    pt__batch_column *columns;
    duckdb_vector *vectors; /* where the next rows come from, one for each column; borrowed */
    size_t column_count;
    uint64_t row_count;
    bool failed; /* memory is exhausted */
} pt__batch;

/** How large a batch gets. */
typedef struct pt__batch_limits {
    uint64_t rows;      /* at most */
    uint64_t bytes;     /* about */
    uint64_t max_bytes; /* at most, unless a single row takes more */
} pt__batch_limits;

/** 0: those of a client that takes messages of 4 MiB. */
pt__batch_limits pt__batch_limits_of(uint64_t rows, uint64_t bytes);

/** Columns of the plan that DuckDB delivers in these types, which pt__batch_type_fits has found to fit. */
bool pt__batch_init(pt__batch *batch, const pt_column *columns, const duckdb_logical_type *types, size_t column_count);
void pt__batch_deinit(pt__batch *batch);
/** An empty batch takes its buffers from here, and those that are done with come back: others use them again. */
void pt__batch_share(pt__batch *batch, pt__batch_memory *memory);

/** Whether vectors of the DuckDB type can be appended to columns of the plan's type. */
bool pt__batch_type_fits(const pt_type *type, duckdb_logical_type engine_type);

/**
 * The same for columns in the Arrow layout that DuckDB itself gives them; `schema` is DuckDB's, enumerations become text.
 * Only for what pt__batch_native_fits has found to fit.
 */
bool pt__batch_init_native(pt__batch *batch, const struct ArrowSchema *schema, const duckdb_logical_type *types);
/** The column's vectors hold packed values (batch_packed.h) from now on; false if it takes none. */
bool pt__batch_take_packed(pt__batch *batch, size_t column);
/** None of the texts that are appended next is longer; until then any may be. */
void pt__batch_set_longest(pt__batch *batch, size_t column, uint32_t length_bytes);
/** Whether there is such a batch for the columns. */
bool pt__batch_native_fits(const struct ArrowSchema *schema, const duckdb_logical_type *types);

/** Rows come from this chunk from now on, as long as it lives. */
void pt__batch_from_chunk(pt__batch *batch, duckdb_data_chunk chunk);
/** The same of a struct whose members are the columns, and which is never NULL. */
void pt__batch_from_struct(pt__batch *batch, duckdb_vector rows);

/** What rows will add to the size, but for validity. */
size_t pt__batch_rows_bytes(const pt__batch *batch, idx_t first, idx_t count);
/** The same, or more: packed texts are not looked at. */
size_t pt__batch_rows_bytes_at_most(const pt__batch *batch, idx_t first, idx_t count);
/** How many of `available` rows from `first` on are to be appended; 0: the batch is full. */
idx_t pt__batch_rows_that_fit(const pt__batch *batch, const pt__batch_limits *limits, idx_t first, idx_t available);

/** Appends `count` rows from `first` on; false when memory is exhausted. */
bool pt__batch_append(pt__batch *batch, idx_t first, idx_t count);

/** Bytes of all buffers so far. */
size_t pt__batch_size_bytes(const pt__batch *batch);

/** Moves the rows into a struct array, the caller's to release; the batch is empty then. */
bool pt__batch_finish(pt__batch *batch, struct ArrowArray *out);

#endif

/**
 * Feed, inside: what the window (feed.c), its chunks (feed_chunk.c) and the functions that scan them (feed_function.c)
 * share.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_FEED_INSIDE_H
#define PT_BACKEND_DUCKDB_NATIVE_FEED_INSIDE_H

#include "backend/duckdb/native/feed.h"
#include "backend/duckdb/native/row_numbers.h"

#include <nanoarrow/nanoarrow.h>

enum { PT_FEED_CHUNK_ROWS = 2048 }; /* DuckDB's vector size */

/** The bits of a key that tell the column; they are 0 in a feed's own. */
#define PT_FEED_COLUMN_MASK UINT64_C(0xffff)

/** What stands for the buffers of a column; NULLs: its own do. */
typedef struct pt__feed_narrowed {
    const void *buffers[2];
    void *values; /* owned */
} pt__feed_narrowed;

/** A batch of the stream, freed with the last of the slices that point into it. */
typedef struct pt__feed_batch {
    atomic_size_t references;
    int64_t first_row; /* within the window; below 0: some were in the last one */
    uint64_t size_bytes;
    struct ArrowArray array;
    pt__feed_narrowed *narrowed; /* of each column; NULL: none is */
} pt__feed_batch;

/** A chunk of the window while its columns are taken, one after the other. */
typedef struct pt__feed_slot {
    duckdb_data_chunk chunk; /* NULL: not made yet, or all of it was taken */
    size_t taken;            /* columns */
} pt__feed_slot;

typedef struct pt__feed_window {
    pt__feed_batch **batches; /* a reference each */
    size_t batch_count;
    size_t batch_capacity;
    int64_t held_rows; /* from the first one of the window on */
    uint64_t size_bytes;
    int64_t row_count;    /* of these, in the window */
    pt__feed_slot *slots; /* of each chunk; NULL: not scanned by columns. Guarded by the feed's lock */
    size_t slot_count;
    int64_t scanned; /* rows that portico_stream() has given */
} pt__feed_window;

struct pt__feed {
    pt__duckdb *database;
    duckdb_connection connection; /* also for its conversion settings */
    uint64_t key;
    struct ArrowArrayStream *rows;
    struct ArrowSchema schema;
    struct ArrowArrayView sizes; /* of the batch at hand, to measure it */
    duckdb_arrow_converted_schema converted;
    duckdb_logical_type *types; /* of the columns */
    int *narrow_bits;           /* that the values of each column are made; NULL: no column is narrowed */
    uint32_t *functions;        /* the number of each column's; NULL: some have none */
    size_t column_count;
    duckdb_selection_vector all; /* the numbers from 0 on */
    pthread_mutex_t lock;        /* of the window, between statements and the threads that scan */
    pt__feed_window window;
    bool is_ended;
    int64_t wanted_rows; /* of the next window */
};

/** The column types, and the functions that give them; false if an Arrow type has no vector. */
bool pt__feed_read_columns(pt__feed *feed);

/** The rows of the window from `first` on, at most PT_FEED_CHUNK_ROWS. Threads: any. */
pt_status pt__feed_make_chunk(pt__feed *feed, int64_t first, duckdb_data_chunk *out, pt_error *err);
/** Lets `output` refer to a column of the chunk that begins with `row`; each is taken once. Threads: any. */
pt_status pt__feed_take_column(pt__feed *feed, int64_t row, int64_t row_count, size_t column, duckdb_vector output,
                               pt_error *err);
void pt__feed_unref_batch(pt__feed_batch *batch);

/** The number of the function that gives a column of this type; 0: there is none. */
uint32_t pt__feed_function_number(duckdb_logical_type type);
/** Registers what the columns need. A transaction that has begun may not see it. */
pt_status pt__feed_need_functions(pt__feed *feed, pt_error *err);
/** "SELECT … FROM …" for `count` rows from `first` on, by these functions, or for all by portico_stream(). */
void pt__feed_put_columns(const pt__feed *feed, int64_t first, int64_t count, pt__buffer *sql);
void pt__feed_put_stream(const pt__feed *feed, pt__buffer *sql);

#endif

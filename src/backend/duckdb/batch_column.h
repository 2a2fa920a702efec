/**
 * A column of a batch, inside: what batch.c fills and batch_array.c hands out.
 */
#ifndef PT_BACKEND_DUCKDB_BATCH_COLUMN_H
#define PT_BACKEND_DUCKDB_BATCH_COLUMN_H

#include "backend/duckdb/batch.h"

/** How the values of a column are copied. */
typedef enum pt__batch_layout {
    PT_LAYOUT_NULL,
    PT_LAYOUT_BOOLEAN,
    PT_LAYOUT_FIXED,     /* the same bytes */
    PT_LAYOUT_DECIMAL16, /* 16, 32 or 64 bits, widened to 128 */
    PT_LAYOUT_DECIMAL32,
    PT_LAYOUT_DECIMAL64,
    PT_LAYOUT_MICROSECONDS, /* to nanoseconds */
    PT_LAYOUT_INTERVAL,     /* months, days, µs to months, days, ns */
    PT_LAYOUT_TEXT,
    PT_LAYOUT_LIST,
    PT_LAYOUT_STRUCT
} pt__batch_layout;

struct pt__batch_column {
    pt__batch_layout layout;
    size_t width_bytes;        /* FIXED: of a value */
    pt__batch_buffer validity; /* without data: no NULL so far */
    pt__batch_buffer offsets;
    pt__batch_buffer values;
    size_t expected_values_bytes; /* what the last batch needed */
    size_t expected_offsets_bytes;
    int64_t length;
    int64_t null_count;
    pt__batch_column *children;
    size_t child_count;
};

/** Room for `count` more offsets, the first of all included; false when memory is exhausted. */
bool pt__batch_reserve_offsets(pt__batch_memory *memory, pt__batch_column *column, idx_t count);

#endif

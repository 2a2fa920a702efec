/* How large batches get. */
#include "backend/duckdb/batch.h"

enum {
    BATCH_BYTES_DEFAULT = 3900 << 10, /* a message of 4 MiB with room for its header */
    BATCH_ROWS_DEFAULT = 65536,
    FIRST_ROWS = 64,        /* appended before a batch knows how large rows are */
    SLACK_BYTES = 512 << 10 /* by which a batch may be larger than was asked for */
};

pt__batch_limits pt__batch_limits_of(uint64_t rows, uint64_t bytes)
{
    return (pt__batch_limits){.rows = rows == 0 ? BATCH_ROWS_DEFAULT : rows,
                              .bytes = bytes == 0 ? BATCH_BYTES_DEFAULT : bytes,
                              .max_bytes = bytes == 0 ? BATCH_BYTES_DEFAULT : bytes + SLACK_BYTES};
}

/* How many of the next `available` rows are expected to fit; 0: the batch is full. */
static idx_t rows_expected(const pt__batch *batch, const pt__batch_limits *limits, idx_t available)
{
    uint64_t rows = batch->row_count;
    if (rows == 0)
        return available < FIRST_ROWS ? available : FIRST_ROWS;
    if (rows >= limits->rows)
        return 0;
    uint64_t room = limits->rows - rows;
    uint64_t size = pt__batch_size_bytes(batch);
    if (size >= limits->bytes)
        return 0;
    uint64_t by_size = (limits->bytes - size) / (size / rows + 1);
    room = by_size < room ? by_size : room;
    return available < room ? available : (idx_t)room;
}

idx_t pt__batch_rows_that_fit(const pt__batch *batch, const pt__batch_limits *limits, idx_t first, idx_t available)
{
    idx_t count = rows_expected(batch, limits, available);
    size_t size = pt__batch_size_bytes(batch);
    if (size + pt__batch_rows_bytes_at_most(batch, first, count) <= limits->max_bytes)
        return count;
    while (count > 0) {
        size_t more = pt__batch_rows_bytes(batch, first, count);
        if (size + more <= limits->max_bytes)
            return count;
        if (count == 1)
            return batch->row_count == 0 ? 1 : 0;
        count /= 2;
    }
    return 0;
}

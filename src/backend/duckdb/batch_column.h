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
    PT_LAYOUT_ENUM, /* indices of words, to text */
    PT_LAYOUT_UUID, /* to text */
    PT_LAYOUT_LIST,
    PT_LAYOUT_ARRAY, /* lists that are all of one size */
    PT_LAYOUT_STRUCT
} pt__batch_layout;

/** The words of an enumeration, one behind the other. */
typedef struct pt__batch_words {
    char *text;
    uint32_t *ends;
    uint32_t count;
    duckdb_type index_type;
} pt__batch_words;

struct pt__batch_column {
    pt__batch_layout layout;
    bool is_packed;            /* its vectors hold packed values, */
    uint32_t longest_bytes;    /* texts of at most so many bytes */
    size_t width_bytes;        /* FIXED: of a value; ARRAY: elements of a value */
    pt__batch_words words;     /* ENUM */
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

/** Offsets before values: text and lists. */
static inline bool pt__batch_has_offsets(pt__batch_layout layout)
{
    return layout == PT_LAYOUT_TEXT || layout == PT_LAYOUT_ENUM || layout == PT_LAYOUT_UUID || layout == PT_LAYOUT_LIST;
}

/** Children alone, no values of its own. */
static inline bool pt__batch_is_nested(pt__batch_layout layout)
{
    return layout == PT_LAYOUT_LIST || layout == PT_LAYOUT_ARRAY || layout == PT_LAYOUT_STRUCT;
}

/** A type inside of a nested one; of a map its key and value. The caller's to destroy. */
duckdb_logical_type pt__batch_child_type(duckdb_logical_type type, int64_t index);

pt__batch_layout pt__batch_decimal_layout(duckdb_logical_type type);
/** A batch whose columns are zeroed; false when memory is exhausted. End it with pt__batch_deinit in any case. */
bool pt__batch_open(pt__batch *batch, size_t column_count);
bool pt__batch_add_children(pt__batch_column *column, size_t count);

/** Appends `count` rows of words or UUIDs from `first` on; false when memory is exhausted. */
bool pt__batch_append_words(pt__batch_memory *memory, pt__batch_column *column, const void *data,
                            const uint64_t *validity, idx_t first, idx_t count);
bool pt__batch_append_uuids(pt__batch_memory *memory, pt__batch_column *column, const duckdb_hugeint *data,
                            const uint64_t *validity, idx_t first, idx_t count);
/** Bytes of the words that rows have. */
size_t pt__batch_words_bytes(const pt__batch_column *column, const void *data, const uint64_t *validity, idx_t first,
                             idx_t count);
void pt__batch_words_deinit(pt__batch_words *words);

static inline bool pt__batch_bit_at(const uint64_t *words, idx_t index)
{
    return words == NULL || (words[index >> 6] >> (index & 63) & 1) != 0;
}

/** Room for `extra_bytes` more of values. */
bool pt__batch_reserve_values(pt__batch_memory *memory, pt__batch_column *column, size_t extra_bytes);

/** Room for `count` more offsets, the first of all included; false when memory is exhausted. */
bool pt__batch_reserve_offsets(pt__batch_memory *memory, pt__batch_column *column, idx_t count);

#endif

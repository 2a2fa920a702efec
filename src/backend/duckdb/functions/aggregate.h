/**
 * Aggregate functions that give Spark's answers, registered in DuckDB under names `spark_agg_*`.
 *
 * The list is aggregates.def. A state starts as zeros; it may be moved in memory, so it holds no pointers into itself.
 * Rows where an argument is NULL are skipped. A state is finished any number of times, for windows.
 *
 * Threads: a state belongs to one thread at a time.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_AGGREGATE_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_AGGREGATE_H

#include "backend/duckdb/functions/call.h"

typedef struct pt__agg_row pt__agg_row;

/** Where finished values go. */
typedef struct pt__agg_result {
    duckdb_function_info info;
    const pt__agg_row *row;
    duckdb_vector vector;
    void *data;
    bool failed;
} pt__agg_result;

/** One function: a row of aggregates.def. */
struct pt__agg_row {
    const char *name;
    const char *arguments; /* DuckDB types, comma-separated */
    const char *result;
    size_t state_bytes;
    /** Takes a row in; false: no memory. */
    bool (*add)(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row);
    /** Takes in what `other` holds, which stays as it is; false: no memory. */
    bool (*merge)(void *state, const void *other, const pt__agg_row *row);
    /** Writes the value; false: NULL, or after pt__agg_raise. */
    bool (*finish)(void *state, pt__agg_result *result, idx_t at);
    void (*end)(void *state); /* frees what the state holds; may be NULL */
    int option;
};

#define PT__AGG_OUT(result, type) ((type *)(result)->data)

/** Fails the query; name and value pairs ended by NULL. Always false. */
__attribute__((sentinel)) bool pt__agg_raise(pt__agg_result *result, pt__condition_id condition, ...);
bool pt__agg_fail_memory(pt__agg_result *result);

static inline void pt__agg_put_bytes(pt__agg_result *result, idx_t at, const void *data, size_t size_bytes)
{
    duckdb_unsafe_vector_assign_string_element_len(result->vector, at, data, size_bytes);
}

/** Makes row `at` a list of `count` DOUBLEs, to be written to `*items`; false: no memory. */
bool pt__agg_put_doubles(pt__agg_result *result, idx_t at, size_t count, double **items);

/** A growing array in a state: zeros is empty. */
typedef struct pt__agg_array {
    void *items;
    size_t count;
    size_t capacity;
} pt__agg_array;

/** Room for `extra` more items of `item_bytes`; false: no memory. */
bool pt__agg_array_reserve(pt__agg_array *array, size_t extra, size_t item_bytes);
bool pt__agg_array_copy(pt__agg_array *to, const pt__agg_array *from, size_t item_bytes);

#endif

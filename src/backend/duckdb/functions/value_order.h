/**
 * Spark's order and equality of values of any type.
 *
 * NULL is the smallest value, equal to itself; NaN is the largest number; 0.0 equals -0.0; text and binary go by
 * bytes; arrays and structs go item by item, a prefix before what it starts. Maps compare as arrays of entries.
 * Both values must have the same type.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_VALUE_ORDER_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_VALUE_ORDER_H

#include "backend/duckdb/functions/call.h"

int pt__value_compare(const pt__fn_column *a, idx_t a_row, const pt__fn_column *b, idx_t b_row);

/** Equal values have equal hashes. */
uint64_t pt__value_hash(const pt__fn_column *column, idx_t row);

/** Appends bytes that compare by memcmp as the values do. */
void pt__value_append_key(pt__buffer *out, const pt__fn_column *column, idx_t row);

static inline bool pt__value_is_null(const pt__fn_column *column, idx_t row)
{
    return !pt__fn_bit(column->validity, row);
}

static inline bool pt__value_equal(const pt__fn_column *a, idx_t a_row, const pt__fn_column *b, idx_t b_row)
{
    return pt__value_compare(a, a_row, b, b_row) == 0;
}

/**
 * Sorts `items` by `compare`, equal ones keeping their order; `scratch` has room for as many. `compare` returns what
 * memcmp does.
 */
typedef int (*pt__item_compare)(void *context, idx_t a, idx_t b);
void pt__stable_sort(idx_t *items, idx_t *scratch, size_t count, pt__item_compare compare, void *context);

#endif

/** A set of values of columns that stay where they are; equality is that of value_order.h. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_VALUE_SET_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_VALUE_SET_H

#include "backend/duckdb/functions/call.h"

typedef struct pt__value_slot {
    const pt__fn_column *column; /* NULL: free */
    idx_t row;
    uint64_t hash;
} pt__value_slot;

/** Its memory is that of a buffer, kept from use to use. */
typedef struct pt__value_set {
    pt__value_slot *slots;
    size_t mask;
} pt__value_set;

/** Empty, with room for `count` values. False without memory. */
bool pt__value_set_init(pt__value_set *set, pt__buffer *memory, size_t count);
/** False when an equal value is there already. The column must outlive the set. */
bool pt__value_set_add(pt__value_set *set, const pt__fn_column *column, idx_t row);
/** The number of the value's slot, at most `mask`; adds it when it is not there. */
size_t pt__value_set_slot(pt__value_set *set, const pt__fn_column *column, idx_t row);
bool pt__value_set_has(const pt__value_set *set, const pt__fn_column *column, idx_t row);

#endif

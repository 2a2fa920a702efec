/** Walking into lists, maps and structs. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_NESTED_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_NESTED_H

#include "backend/duckdb/functions/call.h"

/** The elements of a list column, or the entries of a map column as a struct of key and value. */
static inline pt__fn_column pt__fn_elements(const pt__fn_column *list)
{
    duckdb_vector child = duckdb_list_vector_get_child(list->vector);
    return (pt__fn_column){child, duckdb_vector_get_data(child), duckdb_vector_get_validity(child),
                           list->type->children};
}

/** A field of a struct column. For a map's entries `type` is that of the map. */
static inline pt__fn_column pt__fn_field(const pt__fn_column *parent, const pt__fn_type *type, size_t index)
{
    duckdb_vector child = duckdb_struct_vector_get_child(parent->vector, index);
    return (pt__fn_column){child, duckdb_vector_get_data(child), duckdb_vector_get_validity(child),
                           &type->children[index]};
}

static inline duckdb_list_entry pt__fn_list_entry(const pt__fn_column *list, idx_t row)
{
    return ((const duckdb_list_entry *)list->data)[row];
}

#endif

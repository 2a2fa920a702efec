#include "backend/duckdb/functions/aggregate.h"

#include <stdlib.h>

static bool raise_text(pt__agg_result *result, const char *text)
{
    duckdb_aggregate_function_set_error(result->info, text);
    result->failed = true;
    return false;
}

bool pt__agg_raise(pt__agg_result *result, pt__condition_id condition, ...)
{
    pt__buffer text = PT_BUFFER_INIT;
    va_list arguments;
    va_start(arguments, condition);
    pt__fn_append_condition(&text, condition, arguments);
    va_end(arguments);
    raise_text(result, pt__buffer_string(&text));
    pt__buffer_deinit(&text);
    return false;
}

bool pt__agg_fail_memory(pt__agg_result *result)
{
    return raise_text(result, "out of memory");
}

bool pt__agg_put_doubles(pt__agg_result *result, idx_t at, size_t count, double **items)
{
    idx_t size = duckdb_list_vector_get_size(result->vector);
    if (duckdb_list_vector_reserve(result->vector, size + count) != DuckDBSuccess ||
        duckdb_list_vector_set_size(result->vector, size + count) != DuckDBSuccess)
        return pt__agg_fail_memory(result);
    PT__AGG_OUT(result, duckdb_list_entry)[at] = (duckdb_list_entry){size, count};
    *items = (double *)duckdb_vector_get_data(duckdb_list_vector_get_child(result->vector)) + size;
    return true;
}

bool pt__agg_array_reserve(pt__agg_array *array, size_t extra, size_t item_bytes)
{
    size_t wanted = array->count + extra;
    if (wanted <= array->capacity)
        return true;
    size_t capacity = array->capacity * 2 > wanted ? array->capacity * 2 : wanted < 8 ? 8 : wanted;
    void *grown = realloc(array->items, capacity * item_bytes);
    if (grown == NULL)
        return false;
    array->items = grown;
    array->capacity = capacity;
    return true;
}

bool pt__agg_array_copy(pt__agg_array *to, const pt__agg_array *from, size_t item_bytes)
{
    to->count = 0;
    if (!pt__agg_array_reserve(to, from->count, item_bytes))
        return false;
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * item_bytes);
    to->count = from->count;
    return true;
}

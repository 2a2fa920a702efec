/*
 * portico_pack(column, value): the value packed (batch_packed.h).
 *
 * Of some that is where they lie. It is used by portico_harvest(), whose argument this call is part of, upon the same
 * chunk. Until then what it points at lives: a vector of plain values is this function's argument, which DuckDB keeps until
 * it evaluates the function again. For a dictionary DuckDB calls the function once and takes the same for later chunks of the
 * dictionary, which it knows by a random name that was made with the dictionary's memory (DuckDB 1.5, DictionaryVector::
 * CreateReusableDictionary and ExecuteFunctionState::TryExecuteDictionaryExpression): a chunk of that name holds that memory,
 * and what it holds is a plain vector.
 *
 * While DuckDB binds and plans it evaluates what is constant, also within a user's text: that memory is gone afterwards, and
 * an address is not for users. On the thread that binds the call fails; what DuckDB could have folded it then executes.
 */
#include "backend/duckdb/batch_packed.h"
#include "backend/duckdb/harvest_inside.h"

static const char NOT_FOR_USERS[] = PT_HARVEST_PACK_FUNCTION " is not for users";

/* ---- binding ---- */

static bool check_type(duckdb_bind_info info, pt__harvest *harvest, size_t column)
{
    duckdb_logical_type type = pt__harvest_bind_type(info, 1);
    bool is_right = pt__harvest_count_pack(harvest, column, type);
    duckdb_destroy_logical_type(&type);
    return is_right;
}

static bool bind_column(duckdb_bind_info info, pt__harvest *harvest)
{
    duckdb_value column = NULL;
    if (duckdb_scalar_function_bind_get_argument_count(info) != 2 || !pt__harvest_bind_constant(info, 0, &column))
        return false;
    bool is_right = check_type(info, harvest, duckdb_get_uint16(column));
    duckdb_destroy_value(&column);
    return is_right;
}

static void bind(duckdb_bind_info info)
{
    pt__harvest *harvest = pt__harvest_being_bound(duckdb_scalar_function_bind_get_extra_info(info));
    if (harvest == NULL || !bind_column(info, harvest))
        duckdb_scalar_function_bind_set_error(info, NOT_FOR_USERS);
    if (harvest != NULL)
        pt__harvest_bind_to(info, harvest);
}

/* ---- running ---- */

static void run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output)
{
    pt__harvest *harvest = duckdb_scalar_function_get_bind_data(info);
    idx_t count = duckdb_data_chunk_get_size(input);
    if (pt__harvest_is_bound_here(harvest)) {
        duckdb_scalar_function_set_error(info, NOT_FOR_USERS);
        return;
    }
    if (count == 0)
        return;
    size_t column = *(const uint16_t *)duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0));
    duckdb_vector values = duckdb_data_chunk_get_vector(input, 1);
    uint32_t longest_bytes = 0;
    if (!pt__pack(harvest->types[column], values, count, duckdb_vector_get_data(output), &longest_bytes))
        duckdb_scalar_function_set_error(info, "memory of DuckDB lies too far away");
    pt__harvest_note_packed(harvest, column, count, longest_bytes);
}

const pt__harvest_function pt__harvest_pack_function = {.name = PT_HARVEST_PACK_FUNCTION,
                                                        .constant = DUCKDB_TYPE_USMALLINT,
                                                        .result = DUCKDB_TYPE_UBIGINT,
                                                        .bind = bind,
                                                        .run = run};

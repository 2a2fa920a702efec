#include "backend/duckdb/functions/register_aggregates.h"
#include "base/unconst.h"

#include "backend/duckdb/functions/agg_states.h"
#include "backend/duckdb/functions/aggregate.h"
#include "backend/duckdb/functions/functions.h"
#include "backend/duckdb/functions/types.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 8, NAME_BYTES = 64 };

static const pt__agg_row ROWS[] = {
#define PT__AGGREGATE(name, arguments, result, family, option)                                                         \
    {name,                                                                                                             \
     arguments,                                                                                                        \
     result,                                                                                                           \
     sizeof(pt__##family##_state),                                                                                     \
     pt__##family##_add,                                                                                               \
     pt__##family##_merge,                                                                                             \
     pt__##family##_finish,                                                                                            \
     pt__##family##_end,                                                                                               \
     option},
#include "backend/duckdb/functions/aggregates.def"
#undef PT__AGGREGATE
};

/* ---- what DuckDB calls ---- */

static const pt__agg_row *row_of(duckdb_function_info info)
{
    return duckdb_aggregate_function_get_extra_info(info);
}

static idx_t state_bytes(duckdb_function_info info)
{
    return row_of(info)->state_bytes;
}

static void init_state(duckdb_function_info info, duckdb_aggregate_state state)
{
    memset(state, 0, row_of(info)->state_bytes);
}

static size_t open_columns(duckdb_data_chunk input, pt__fn_column *columns)
{
    size_t count = duckdb_data_chunk_get_column_count(input);
    for (size_t i = 0; i < count && i < COLUMNS_MAX; i++) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(input, i);
        columns[i] = (pt__fn_column){vector, duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector), NULL};
    }
    return count;
}

static bool has_null(const pt__fn_column *columns, size_t count, idx_t at)
{
    for (size_t i = 0; i < count; i++)
        if (!pt__fn_bit(columns[i].validity, at))
            return true;
    return false;
}

/* `step`: how far apart the states of two rows are, 0 when all have one. */
static void update_all(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states, idx_t step)
{
    const pt__agg_row *row = row_of(info);
    pt__fn_column columns[COLUMNS_MAX];
    size_t count = open_columns(input, columns);
    idx_t size = duckdb_data_chunk_get_size(input);
    for (idx_t i = 0; i < size; i++) {
        if (has_null(columns, count, i))
            continue;
        if (!row->add(states[i * step], columns, i, row)) {
            duckdb_aggregate_function_set_error(info, "out of memory");
            return;
        }
    }
}

static void update(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states)
{
    update_all(info, input, states, 1);
}

/*
 * Of a window whose frame is the whole partition DuckDB 1.5 passes the rows of one partition a call, and one state
 * only, where functions of its C API are to find one for each row; it has a flag for that which they do not see.
 */
static void update_whole(duckdb_function_info info, duckdb_data_chunk input, duckdb_aggregate_state *states)
{
    update_all(info, input, states, 0);
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *sources, duckdb_aggregate_state *targets,
                    idx_t count)
{
    const pt__agg_row *row = row_of(info);
    for (idx_t i = 0; i < count; i++) {
        if (!row->merge(targets[i], sources[i], row)) {
            duckdb_aggregate_function_set_error(info, "out of memory");
            return;
        }
    }
}

static void set_null(duckdb_vector vector, idx_t at)
{
    duckdb_vector_ensure_validity_writable(vector);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), at);
}

static void finish(duckdb_function_info info, duckdb_aggregate_state *states, duckdb_vector vector, idx_t count,
                   idx_t offset)
{
    pt__agg_result result = {
        .info = info, .row = row_of(info), .vector = vector, .data = duckdb_vector_get_data(vector)};
    for (idx_t i = 0; i < count && !result.failed; i++) {
        if (!result.row->finish(states[i], &result, offset + i))
            set_null(vector, offset + i);
    }
}

/* DuckDB gives the destructor no function info: the row is found by the function, one destructor per family. */
#define FAMILY(family)                                                                                                 \
    static void destroy_##family(duckdb_aggregate_state *states, idx_t count)                                          \
    {                                                                                                                  \
        for (idx_t i = 0; i < count; i++)                                                                              \
            pt__##family##_end(states[i]);                                                                             \
    }
#include "backend/duckdb/functions/agg_families.def"
#undef FAMILY

static const struct {
    void (*end)(void *state);
    duckdb_aggregate_destroy_t destroy;
} DESTRUCTORS[] = {
#define FAMILY(family) {pt__##family##_end, destroy_##family},
#include "backend/duckdb/functions/agg_families.def"
#undef FAMILY
};

static void set_destructor(duckdb_aggregate_function function, const pt__agg_row *row)
{
    for (size_t i = 0; i < sizeof(DESTRUCTORS) / sizeof(DESTRUCTORS[0]); i++)
        if (DESTRUCTORS[i].end == row->end)
            duckdb_aggregate_function_set_destructor(function, DESTRUCTORS[i].destroy);
}

/* ---- registration ---- */

static bool add_parameters(duckdb_aggregate_function function, const pt__agg_row *row)
{
    for (const char *at = row->arguments; *at != '\0';) {
        size_t length = strcspn(at, ",");
        duckdb_logical_type type = pt__fn_type_make((pt_text_view){at, length}, 0);
        if (type == NULL)
            return false;
        duckdb_aggregate_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
        at += length + (at[length] == ',');
    }
    return true;
}

static bool add_to_set(duckdb_aggregate_function_set set, const pt__agg_row *row, const char *name, bool is_whole)
{
    duckdb_logical_type result = pt__fn_type_make((pt_text_view){row->result, strlen(row->result)}, 0);
    duckdb_aggregate_function function = duckdb_create_aggregate_function();
    duckdb_aggregate_function_set_name(function, name);
    duckdb_aggregate_function_set_return_type(function, result);
    duckdb_aggregate_function_set_functions(function, state_bytes, init_state, is_whole ? update_whole : update,
                                            combine, finish);
    duckdb_aggregate_function_set_extra_info(function, pt__unconst(row), NULL);
    set_destructor(function, row);
    bool ok = result != NULL && add_parameters(function, row) &&
              duckdb_add_aggregate_function_to_set(set, function) == DuckDBSuccess;
    duckdb_destroy_logical_type(&result);
    duckdb_destroy_aggregate_function(&function);
    return ok;
}

pt_status pt__duckdb_register_aggregates(duckdb_connection connection, bool is_whole, pt_error *err)
{
    const size_t count = sizeof(ROWS) / sizeof(ROWS[0]);
    for (size_t i = 0; i < count;) {
        const char *plain = ROWS[i].name;
        char name[NAME_BYTES];
        snprintf(name, sizeof(name), "%s%s", is_whole ? PT_WHOLE_AGGREGATE_PREFIX : PT_AGGREGATE_PREFIX, plain);
        duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set(name);
        bool ok = true;
        for (; i < count && strcmp(ROWS[i].name, plain) == 0; i++)
            ok = ok && add_to_set(set, &ROWS[i], name, is_whole);
        ok = ok && duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
        duckdb_destroy_aggregate_function_set(&set);
        if (!ok)
            return pt_error_set(err, PT_INTERNAL, "DuckDB refused the function %s", name);
    }
    return PT_OK;
}

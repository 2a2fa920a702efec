#include "backend/duckdb/rows.h"

#include "backend/duckdb/error_map.h"
#include "base/list.h"

typedef pt__list(const char *) cell_list;

static void read_chunk(pt__arena *arena, duckdb_data_chunk chunk, cell_list *cells)
{
    idx_t width = duckdb_data_chunk_get_column_count(chunk);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); row++) {
        for (idx_t i = 0; i < width; i++) {
            duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, i);
            uint64_t *validity = duckdb_vector_get_validity(vector);
            duckdb_string_t *strings = duckdb_vector_get_data(vector);
            const char *cell = NULL;
            if (validity == NULL || duckdb_validity_row_is_valid(validity, row))
                cell = pt__arena_copy_text(arena, duckdb_string_t_data(&strings[row]),
                                           duckdb_string_t_length(strings[row]));
            pt__list_push(arena, cells, cell);
        }
    }
}

static pt_status bind_values(duckdb_prepared_statement prepared, const char *const *values, size_t count, pt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        duckdb_state state =
            values[i] == NULL ? duckdb_bind_null(prepared, i + 1) : duckdb_bind_varchar(prepared, i + 1, values[i]);
        if (state != DuckDBSuccess)
            return pt_error_set(err, PT_INTERNAL, "a parameter of an internal query was refused");
    }
    return PT_OK;
}

static pt_status run(duckdb_prepared_statement prepared, pt__arena *arena, pt__rows *out, pt_error *err)
{
    duckdb_result result;
    pt_status status = PT_OK;
    cell_list cells = {0};
    if (duckdb_execute_prepared(prepared, &result) != DuckDBSuccess)
        status = pt__error_of_result(&result, NULL, err);
    out->width = duckdb_column_count(&result);
    duckdb_data_chunk chunk;
    while (status == PT_OK && (chunk = duckdb_fetch_chunk(result)) != NULL) {
        read_chunk(arena, chunk, &cells);
        duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&result);
    out->cells = cells.items;
    out->row_count = out->width == 0 ? 0 : cells.count / out->width;
    return status;
}

pt_status pt__rows_read(duckdb_connection connection, pt__arena *arena, const char *sql, const char *const *values,
                        size_t value_count, pt__rows *out, pt_error *err)
{
    duckdb_prepared_statement prepared = NULL;
    pt_status status;
    if (duckdb_prepare(connection, sql, &prepared) != DuckDBSuccess)
        status = pt__error_of_text(duckdb_prepare_error(prepared), NULL, err);
    else
        status = bind_values(prepared, values, value_count, err);
    if (status == PT_OK)
        status = run(prepared, arena, out, err);
    duckdb_destroy_prepare(&prepared);
    return status;
}

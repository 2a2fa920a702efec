#include "backend/duckdb/describe_files.h"

#include "analyze/json_schema.h"
#include "backend/duckdb/engine_type.h"
#include "backend/duckdb/error_map.h"
#include "backend/duckdb/lost_error.h"
#include "backend/duckdb/reader.h"
#include "backend/duckdb/rows.h"
#include "base/arena_buffer.h"
#include "base/condition.h"
#include "base/json.h"
#include "base/unconst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct description {
    pt__arena *arena;
    duckdb_connection connection;
    pt__lower *lower;
    pt__reader reader;
} description;

static pt_status cannot_infer(const description *d, pt_error *err)
{
    static const char *const NAMES[][2] = {{"parquet", "Parquet"}, {"csv", "CSV"}, {"json", "JSON"}};
    const char *name = d->reader.format;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        if (strcasecmp(name, NAMES[i][0]) == 0)
            name = NAMES[i][1];
    }
    return pt__raise(err, PT_COND_UNABLE_TO_INFER_SCHEMA, "format", name, NULL);
}

static pt_field make_field(pt__arena *arena, const char *name, const pt_type *type)
{
    return (pt_field){pt__arena_copy_string(arena, name), type, true, NULL};
}

/* ---- Parquet ---- */

static pt_status fields_of_statement(const description *d, duckdb_prepared_statement prepared, const pt_type **out,
                                     pt_error *err)
{
    idx_t count = duckdb_prepared_statement_column_count(prepared);
    pt_field *fields = pt__arena_array(d->arena, pt_field, count + 1);
    for (idx_t i = 0; i < count; i++) {
        char *copy = pt__unconst(duckdb_prepared_statement_column_name(prepared, i));
        const pt_type *type = NULL;
        duckdb_logical_type engine_type = duckdb_prepared_statement_column_logical_type(prepared, i);
        fields[i] = make_field(d->arena, copy, NULL);
        duckdb_free(copy);
        pt_status status = pt__engine_type(d->arena, engine_type, fields[i].name, &type, err);
        duckdb_destroy_logical_type(&engine_type);
        PT_TRY(status);
        fields[i].type = type;
    }
    *out = pt__type_struct(d->arena, fields, count);
    return PT_OK;
}

static pt_status describe_parquet(description *d, const pt_type **out, pt_error *err)
{
    if (!pt__option_is_true(d->reader.options, "mergeSchema", false))
        d->reader.file_count = 1;
    size_t mark = d->lower->text.size_bytes;
    pt__put(d->lower, "SELECT * FROM ");
    pt__put_parquet_reader(d->lower, &d->reader);
    duckdb_prepared_statement prepared = NULL;
    pt_status status;
    if (duckdb_prepare(d->connection, pt__cut(d->lower, mark), &prepared) != DuckDBSuccess)
        status = pt__error_of_text(duckdb_prepare_error(prepared), NULL, err);
    else
        status = fields_of_statement(d, prepared, out, err);
    duckdb_destroy_prepare(&prepared);
    return status;
}

/* ---- CSV ---- */

typedef pt__list(const char *) name_list;

/* The fields of one line. */
static void split_line(const description *d, const char *line, name_list *out)
{
    const char *separator = pt__csv_separator(d->arena, d->reader.options);
    char quote = pt__csv_character(d->reader.options, "quote", "\"")[0];
    char escape = pt__csv_character(d->reader.options, "escape", "\\")[0];
    size_t length = strlen(separator);
    char *field = pt__arena_alloc_text(d->arena, strlen(line) + 1);
    size_t size = 0;
    bool quoted = false;
    for (const char *c = line;; c++) {
        if (*c == '\0' || (!quoted && strncmp(c, separator, length) == 0)) {
            pt__list_push(d->arena, out, pt__arena_copy_text(d->arena, field, size));
            size = 0;
            if (*c == '\0')
                return;
            c += length - 1;
        } else if (quoted && escape != '\0' && *c == escape && (c[1] == quote || c[1] == escape) && c[1] != '\0') {
            field[size++] = *++c;
        } else if (quote != '\0' && *c == quote && (quoted || size == 0)) {
            quoted = !quoted;
        } else {
            field[size++] = *c;
        }
    }
}

static pt_status first_line(description *d, const char **out, pt_error *err)
{
    pt__rows rows;
    size_t mark = d->lower->text.size_bytes;
    pt__put(d->lower, "SELECT line FROM ");
    pt__put_line_reader(d->lower, &d->reader);
    pt__put(d->lower, " WHERE trim(line) <> ''");
    const char *comment = pt__csv_character(d->reader.options, "comment", "");
    if (comment[0] != '\0') {
        pt__put(d->lower, " AND NOT starts_with(line, ");
        pt__put_string(d->lower, comment, strlen(comment));
        pt__put(d->lower, ")");
    }
    pt__put(d->lower, " LIMIT 1");
    PT_TRY(pt__rows_read(d->connection, d->arena, pt__cut(d->lower, mark), NULL, 0, &rows, err));
    *out = rows.row_count == 0 ? NULL : rows.cells[0];
    return PT_OK;
}

static bool is_repeated(const name_list *names, size_t index)
{
    for (size_t i = 0; i < names->count; i++) {
        if (i != index && strcasecmp(names->items[i], names->items[index]) == 0)
            return true;
    }
    return false;
}

static const char *column_name(const description *d, const name_list *names, size_t index, bool has_header)
{
    const char *name = names->items[index];
    if (!has_header || name[0] == '\0' || strcmp(name, pt__csv_character(d->reader.options, "nullValue", "")) == 0)
        return pt__arena_printf(d->arena, "_c%zu", index);
    return is_repeated(names, index) ? pt__arena_printf(d->arena, "%s%zu", name, index) : name;
}

/* What all values of a column are: the first kind whose test holds for every one of them. */
static const struct {
    pt_type_id type;
    const char *test; /* over the text x */
} KINDS[] = {
    {PT_TYPE_VOID, "x IS NULL"},
    {PT_TYPE_INT, "spark_cast_int_try(x) IS NOT NULL AND x NOT LIKE ' %%' AND x NOT LIKE '%% '"},
    {PT_TYPE_LONG, "spark_cast_bigint_try(x) IS NOT NULL AND x NOT LIKE ' %%' AND x NOT LIKE '%% '"},
    {PT_TYPE_DECIMAL, "regexp_full_match(x, '[+-]?[0-9]{1,38}')"},
    {PT_TYPE_DOUBLE, "spark_cast_double_try(x) IS NOT NULL"},
    {PT_TYPE_DATE, "regexp_full_match(x, '[0-9]{4}-[0-9]{2}-[0-9]{2}') AND spark_cast_date_try(x) IS NOT NULL"},
    {PT_TYPE_TIMESTAMP, "regexp_matches(x, '^[0-9]{4}-[0-9]{1,2}') AND spark_cast_timestamp_try(x, 'UTC') IS NOT NULL"},
    {PT_TYPE_BOOLEAN, "lower(x) IN ('true', 'false')"},
};
enum { KIND_COUNT = sizeof(KINDS) / sizeof(*KINDS) };

static void put_tests(pt__lower *lower, size_t column)
{
    for (size_t k = 0; k < KIND_COUNT; k++) {
        pt__put(lower, column == 0 && k == 0 ? "" : ", ");
        pt__put(lower, "CAST(coalesce(bool_and(");
        for (const char *c = KINDS[k].test; *c != '\0'; c++) {
            bool is_name =
                *c == 'x' && (c == KINDS[k].test || strchr(" (", c[-1]) != NULL) && strchr(" ),", c[1]) != NULL;
            if (is_name)
                pt__putf(lower, "c%zu", column);
            else if (c[0] == '%' && c[1] == '%')
                pt__buffer_append_byte(&lower->text, (uint8_t)*c++);
            else
                pt__buffer_append_byte(&lower->text, (uint8_t)*c);
        }
        pt__putf(lower, ")%s, true) AS VARCHAR)",
                 k == 0 ? "" : pt__arena_printf(lower->arena, " FILTER (WHERE c%zu IS NOT NULL)", column));
    }
    pt__putf(lower, ", CAST(max(length(ltrim(c%zu, '+-0'))) AS VARCHAR)", column);
}

static const pt_type *type_of_column(pt__arena *arena, const char *const *cells)
{
    for (size_t k = 0; k < KIND_COUNT; k++) {
        if (strcmp(cells[k], "true") != 0)
            continue;
        if (KINDS[k].type == PT_TYPE_VOID)
            return PT_T(STRING);
        if (KINDS[k].type != PT_TYPE_DECIMAL)
            return pt__type_simple(KINDS[k].type);
        return pt__type_decimal(arena, cells[KIND_COUNT] == NULL ? 20 : (int32_t)strtol(cells[KIND_COUNT], NULL, 10),
                                0);
    }
    return PT_T(STRING);
}

static pt_status infer_csv(description *d, pt_field *fields, size_t count, pt_error *err)
{
    pt__rows rows;
    size_t mark = d->lower->text.size_bytes;
    pt__put(d->lower, "SELECT ");
    for (size_t i = 0; i < count; i++)
        put_tests(d->lower, i);
    pt__put(d->lower, " FROM ");
    pt__put_csv_reader(d->lower, &d->reader, count);
    const char *sql = pt__cut(d->lower, mark);
    PT_TRY(pt__duckdb_need_functions(d->lower->database, sql, err));
    PT_TRY(pt__rows_read(d->connection, d->arena, sql, NULL, 0, &rows, err));
    for (size_t i = 0; i < count; i++)
        fields[i].type = type_of_column(d->arena, rows.cells + i * (KIND_COUNT + 1));
    return PT_OK;
}

static pt_status describe_csv(description *d, const pt_type **out, pt_error *err)
{
    const char *line;
    PT_TRY(first_line(d, &line, err));
    if (line == NULL)
        return cannot_infer(d, err);
    name_list names = {0};
    split_line(d, line, &names);
    bool has_header = pt__option_is_true(d->reader.options, "header", false);
    pt_field *fields = pt__arena_array(d->arena, pt_field, names.count + 1);
    for (size_t i = 0; i < names.count; i++)
        fields[i] = make_field(d->arena, column_name(d, &names, i, has_header), PT_T(STRING));
    if (pt__option_is_true(d->reader.options, "inferSchema", false))
        PT_TRY(infer_csv(d, fields, names.count, err));
    *out = pt__type_struct(d->arena, fields, names.count);
    return PT_OK;
}

/* ---- JSON ---- */

static void infer_chunk(pt__json_inference *in, duckdb_data_chunk chunk)
{
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, 0);
    uint64_t *validity = duckdb_vector_get_validity(vector);
    duckdb_string_t *strings = duckdb_vector_get_data(vector);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); row++) {
        pt_text_view text = {NULL, 0};
        if (validity == NULL || duckdb_validity_row_is_valid(validity, row))
            text = (pt_text_view){duckdb_string_t_data(&strings[row]), duckdb_string_t_length(strings[row])};
        pt__json_inference_add(in, text);
    }
}

static pt_status error_of_rows(duckdb_prepared_statement prepared, duckdb_result *result, pt_error *err)
{
    if (!pt__lost_error_is(duckdb_result_error(result)))
        return pt__error_of_result(result, NULL, err);
    duckdb_destroy_result(result);
    char *message = pt__lost_error_find(&(pt__lost_query){.prepared = prepared});
    pt_status status =
        message == NULL ? pt_error_set(err, PT_EXECUTION, PT_LOST_ERROR) : pt__error_of_text(message, NULL, err);
    free(message);
    return status;
}

static pt_status infer_records(const description *d, const char *sql, pt__json_inference *in, pt_error *err)
{
    duckdb_prepared_statement prepared = NULL;
    duckdb_result result;
    pt_status status = PT_OK;
    if (duckdb_prepare(d->connection, sql, &prepared) != DuckDBSuccess) {
        status = pt__error_of_text(duckdb_prepare_error(prepared), NULL, err);
        duckdb_destroy_prepare(&prepared);
        return status;
    }
    if (duckdb_execute_prepared_streaming(prepared, &result) != DuckDBSuccess)
        status = pt__error_of_result(&result, NULL, err);
    duckdb_data_chunk chunk;
    while (status == PT_OK && (chunk = duckdb_fetch_chunk(result)) != NULL) {
        infer_chunk(in, chunk);
        duckdb_destroy_data_chunk(&chunk);
    }
    if (status == PT_OK && duckdb_result_error(&result) != NULL)
        status = error_of_rows(prepared, &result, err);
    duckdb_destroy_result(&result);
    duckdb_destroy_prepare(&prepared);
    return status;
}

static const char *records_query(const description *d)
{
    size_t mark = d->lower->text.size_bytes;
    bool by_lines = !pt__option_is_true(d->reader.options, "multiLine", false);
    pt__put(d->lower, by_lines ? "SELECT line FROM " : "SELECT CAST(json AS VARCHAR) FROM ");
    if (by_lines)
        pt__put_line_reader(d->lower, &d->reader);
    else
        pt__put_json_reader(d->lower, &d->reader);
    pt__put(d->lower, by_lines ? " WHERE trim(line) <> ''" : "");
    const char *ratio = pt__options_get(d->reader.options, "samplingRatio");
    if (ratio != NULL && strtod(ratio, NULL) < 1)
        pt__putf(d->lower, " USING SAMPLE %.9g%% (bernoulli, 0)", strtod(ratio, NULL) * 100);
    return pt__cut(d->lower, mark);
}

static pt_status describe_json(description *d, const pt_type **out, pt_error *err)
{
    pt__json_inference in;
    pt__options options = pt__options_of(d->arena, d->reader.options);
    if (!pt__json_inference_init(&in, d->arena, options))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read JSON");
    pt_status status = infer_records(d, records_query(d), &in, err);
    if (status == PT_OK && in.record_count == 0)
        status = cannot_infer(d, err);
    else if (status == PT_OK)
        *out = pt__json_inference_end(&in);
    pt__json_inference_deinit(&in);
    return status;
}

/* ---- routing ---- */

static pt_status describe_text(description *d, const pt_type **out)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, 1);
    fields[0] = make_field(d->arena, "value", PT_T(STRING));
    *out = pt__type_struct(d->arena, fields, 1);
    return PT_OK;
}

static pt_status describe(description *d, const pt_type **out, pt_error *err)
{
    const char *format = d->reader.format;
    PT_TRY(pt__reader_check(d->lower, &d->reader, NULL, err));
    if (strcasecmp(format, "text") == 0)
        return describe_text(d, out);
    if (d->reader.file_count == 0)
        return cannot_infer(d, err);
    if (strcasecmp(format, "parquet") == 0)
        return describe_parquet(d, out, err);
    if (strcasecmp(format, "csv") == 0)
        return describe_csv(d, out, err);
    return describe_json(d, out, err);
}

pt_status pt__describe_files(pt__duckdb *database, pt__arena *arena, const pt_file_request *request,
                             const pt_type **out, pt_error *err)
{
    description d = {.arena = arena, .lower = pt__lower_new(arena, database, NULL)};
    pt_data_file *files = pt__arena_array(arena, pt_data_file, request->path_count + 1);
    for (size_t i = 0; i < request->path_count; i++)
        files[i].path = request->paths[i];
    d.reader = (pt__reader){
        .format = request->format, .files = files, .file_count = request->path_count, .options = &request->options};
    PT_TRY(pt__duckdb_borrow(database, &d.connection, err));
    pt_status status = describe(&d, out, err);
    pt__duckdb_return(database, d.connection);
    return status;
}

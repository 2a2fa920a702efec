#include "backend/duckdb/reader.h"

#include <string.h>
#include <strings.h>

bool pt__option_is_true(const pt_options *options, const char *key, bool fallback)
{
    const char *value = pt__options_get(options, key);
    return value == NULL ? fallback : strcasecmp(value, "true") == 0;
}

/* ---- options ---- */

/* Options that change what is read and are not followed here. */
static const char *const UNSUPPORTED_CSV[] = {"lineSep", "locale"};
static const char *const UNSUPPORTED_JSON[] = {"lineSep", "dropFieldIfAllNull", "locale"};
static const char *const UNSUPPORTED_TEXT[] = {"lineSep"};

static pt_status check_list(pt__lower *lower, const pt__reader *reader, const char *const *names, size_t count,
                            const pt_origin *origin, pt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = pt__options_get(reader->options, names[i]);
        if (value == NULL || strcasecmp(value, "false") == 0 || strcmp(value, "\n") == 0)
            continue;
        return pt__lower_unsupported(
            err, origin,
            pt__arena_printf(lower->arena, "the option %s of the data source %s", names[i], reader->format));
    }
    return PT_OK;
}

#define CHECK_LIST(names) check_list(lower, reader, names, sizeof(names) / sizeof(*(names)), origin, err)

pt_status pt__reader_check(pt__lower *lower, const pt__reader *reader, const pt_origin *origin, pt_error *err)
{
    if (strcasecmp(reader->format, "parquet") == 0)
        return PT_OK;
    if (strcasecmp(reader->format, "csv") == 0)
        return CHECK_LIST(UNSUPPORTED_CSV);
    if (strcasecmp(reader->format, "json") == 0)
        return CHECK_LIST(UNSUPPORTED_JSON);
    if (strcasecmp(reader->format, "text") == 0)
        return CHECK_LIST(UNSUPPORTED_TEXT);
    return pt__lower_unsupported(err, origin, pt__arena_printf(lower->arena, "the data source %s", reader->format));
}

const char *pt__csv_separator(pt__arena *arena, const pt_options *options)
{
    const char *value = pt__options_get(options, "sep");
    if (value == NULL)
        value = pt__options_get(options, "delimiter");
    if (value == NULL || value[0] == '\0')
        return ",";
    if (strcmp(value, "\\t") == 0)
        return "\t";
    if (strcmp(value, "\\\\") == 0)
        return "\\";
    return pt__arena_copy_string(arena, value);
}

const char *pt__csv_character(const pt_options *options, const char *key, const char *fallback)
{
    const char *value = pt__options_get(options, key);
    return value == NULL ? fallback : value;
}

/* ---- pieces ---- */

static void put_text(pt__lower *lower, const char *text)
{
    pt__put_string(lower, text, strlen(text));
}

static void put_paths(pt__lower *lower, const pt__reader *reader)
{
    pt__put(lower, "[");
    for (size_t i = 0; i < reader->file_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        put_text(lower, reader->files[i].path);
    }
    pt__put(lower, "]");
}

/* Partition columns come from `k=v` in the paths; their types are ours. */
static void put_partitions(pt__lower *lower, const pt__reader *reader)
{
    const pt_type *schema = reader->partition_schema;
    if (schema == NULL || schema->field_count == 0) {
        pt__put(lower, ", hive_partitioning = false");
        return;
    }
    pt__put(lower, ", hive_partitioning = true, hive_types_autocast = false, hive_types = {");
    for (size_t i = 0; i < schema->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        put_text(lower, schema->fields[i].name);
        pt__put(lower, ": ");
        pt__put_type(lower, schema->fields[i].type);
    }
    pt__put(lower, "}");
}

static void put_option(pt__lower *lower, const char *name, const char *value)
{
    pt__putf(lower, ", %s = ", name);
    put_text(lower, value);
}

/* ---- formats ---- */

void pt__put_parquet_reader(pt__lower *lower, const pt__reader *reader)
{
    pt__put(lower, "read_parquet(");
    put_paths(lower, reader);
    if (reader->file_count > 1)
        pt__put(lower, ", union_by_name = true");
    put_partitions(lower, reader);
    pt__put(lower, ")");
}

/* The reader of DuckDB can split a file among threads only when no field holds a line break. */
static void put_csv_dialect(pt__lower *lower, const pt_options *options)
{
    put_option(lower, "delim", pt__csv_separator(lower->arena, options));
    put_option(lower, "quote", pt__csv_character(options, "quote", "\""));
    put_option(lower, "escape", pt__csv_character(options, "escape", "\\"));
    if (pt__csv_character(options, "comment", "")[0] != '\0')
        put_option(lower, "comment", pt__csv_character(options, "comment", ""));
    if (pt__option_is_true(options, "multiLine", false))
        pt__put(lower, ", parallel = false");
    const char *encoding = pt__options_get(options, "encoding");
    if (encoding == NULL)
        encoding = pt__options_get(options, "charset");
    if (encoding != NULL && strcasecmp(encoding, "utf-8") != 0 && strcasecmp(encoding, "utf8") != 0)
        put_option(lower, "encoding", strcasecmp(encoding, "iso-8859-1") == 0 ? "latin-1" : encoding);
}

void pt__put_csv_reader(pt__lower *lower, const pt__reader *reader, size_t column_count)
{
    const char *null_value = pt__csv_character(reader->options, "nullValue", "");
    pt__put(lower, "read_csv(");
    put_paths(lower, reader);
    pt__put(lower, ", columns = {");
    for (size_t i = 0; i < column_count; i++)
        pt__putf(lower, "%sc%zu: 'VARCHAR'", i == 0 ? "" : ", ", i);
    pt__put(lower, "}, auto_detect = false, strict_mode = false, null_padding = true, header = ");
    pt__put(lower, pt__option_is_true(reader->options, "header", false) ? "true" : "false");
    put_csv_dialect(lower, reader->options);
    pt__put(lower, ", nullstr = ['', ");
    put_text(lower, null_value);
    pt__put(lower, "]");
    put_partitions(lower, reader);
    pt__put(lower, ")");
}

void pt__put_line_reader(pt__lower *lower, const pt__reader *reader)
{
    pt__put(lower, "portico_lines(");
    put_paths(lower, reader);
    bool is_csv = strcasecmp(reader->format, "csv") == 0;
    pt__putf(lower, ", %s, %s)", pt__option_is_true(reader->options, "wholetext", false) ? "true" : "false",
             is_csv && reader->skips_header ? "true" : "false");
}

void pt__put_json_reader(pt__lower *lower, const pt__reader *reader)
{
    bool many_lines = pt__option_is_true(reader->options, "multiLine", false);
    pt__put(lower, "read_json_objects(");
    put_paths(lower, reader);
    pt__put(lower, many_lines ? ", format = 'auto'" : ", format = 'newline_delimited', ignore_errors = true");
    pt__put(lower, ", maximum_object_size = 134217728");
    put_partitions(lower, reader);
    pt__put(lower, ")");
}

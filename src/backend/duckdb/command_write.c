#include "backend/duckdb/command.h"
#include "backend/duckdb/proof.h"
#include "backend/duckdb/reader.h"
#include "base/condition.h"
#include "base/uuid.h"
#include "exec/folder.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/*
 * Rows become files in a folder beside the target, which then takes its place (overwrite) or whose files are moved
 * into it (append). A process that dies leaves the old files, perhaps with a folder *.portico-<id> beside them.
 */

typedef struct writer {
    pt__command_run *run;
    const pt_plan_write_files *node;
    pt__lowered query;
    const pt_column *columns; /* of the query */
    size_t count;
    const char *format;
    const char *codec;     /* of DuckDB; NULL: its default */
    const char *extension; /* ".snappy.parquet", ".csv.gz" … */
    const char *id;
} writer;

/* ---- formats and compression ---- */

static const struct {
    const char *format;
    const char *name; /* option compression */
    const char *codec;
    const char *extension;
} CODECS[] = {
    {"parquet", "snappy", "snappy", ".snappy.parquet"},
    {"parquet", "none", "uncompressed", ".parquet"},
    {"parquet", "uncompressed", "uncompressed", ".parquet"},
    {"parquet", "gzip", "gzip", ".gz.parquet"},
    {"parquet", "zstd", "zstd", ".zstd.parquet"},
    {"parquet", "lz4", "lz4_raw", ".lz4raw.parquet"},
    {"parquet", "lz4_raw", "lz4_raw", ".lz4raw.parquet"},
    {"parquet", "brotli", "brotli", ".br.parquet"},
    {"csv", "none", NULL, ".csv"},
    {"csv", "uncompressed", NULL, ".csv"},
    {"csv", "gzip", "gzip", ".csv.gz"},
    {"csv", "zstd", "zstd", ".csv.zst"},
    {"json", "none", NULL, ".json"},
    {"json", "uncompressed", NULL, ".json"},
    {"json", "gzip", "gzip", ".json.gz"},
    {"json", "zstd", "zstd", ".json.zst"},
    {"text", "none", NULL, ".txt"},
    {"text", "uncompressed", NULL, ".txt"},
    {"text", "gzip", "gzip", ".txt.gz"},
    {"text", "zstd", "zstd", ".txt.zst"},
};

static pt_status choose_codec(writer *w, pt_error *err)
{
    const char *name = pt__options_get(&w->node->options, "compression");
    if (name == NULL)
        name = pt__options_get(&w->node->options, "codec");
    if (name == NULL)
        name = strcasecmp(w->format, "parquet") == 0 ? "snappy" : "none";
    bool known = false;
    for (size_t i = 0; i < sizeof(CODECS) / sizeof(*CODECS); i++) {
        if (strcasecmp(CODECS[i].format, w->format) != 0)
            continue;
        known = true;
        if (strcasecmp(CODECS[i].name, name) == 0) {
            w->codec = CODECS[i].codec;
            w->extension = CODECS[i].extension;
            return PT_OK;
        }
    }
    const char *what =
        known ? pt__arena_printf(w->run->arena, "the compression %s of the data source %s", name, w->format)
              : pt__arena_printf(w->run->arena, "writing the data source %s", w->format);
    return pt__lower_unsupported(err, w->node->base.origin, what);
}

static bool is_partition(const writer *w, const char *name)
{
    for (size_t i = 0; i < w->node->partition_count; i++) {
        if (strcasecmp(w->node->partition_columns[i], name) == 0)
            return true;
    }
    return false;
}

static bool holds(const pt_type *type, bool (*test)(const pt_type *type))
{
    if (test(type))
        return true;
    if (type->key != NULL && holds(type->key, test))
        return true;
    if (type->element != NULL && holds(type->element, test))
        return true;
    for (size_t i = 0; i < type->field_count; i++) {
        if (holds(type->fields[i].type, test))
            return true;
    }
    return false;
}

static bool is_unstorable(const pt_type *type)
{
    return type->id == PT_TYPE_VOID || type->id == PT_TYPE_VARIANT || type->id == PT_TYPE_TIME ||
           pt__type_is_interval(type);
}

static bool is_nested(const pt_type *type)
{
    return type->id == PT_TYPE_ARRAY || type->id == PT_TYPE_MAP || type->id == PT_TYPE_STRUCT;
}

static pt_status check_columns(const writer *w, pt_error *err)
{
    bool is_text = strcasecmp(w->format, "text") == 0;
    bool is_csv = strcasecmp(w->format, "csv") == 0;
    for (size_t i = 0; i < w->count; i++) {
        const pt_type *type = w->columns[i].type;
        bool bad = holds(type, is_unstorable) || (is_csv && holds(type, is_nested)) ||
                   (is_text && !is_partition(w, w->columns[i].name) && !pt__type_is_string(type));
        if (bad)
            return pt__raise(err, PT_COND_UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE, "columnName",
                             pt__arena_printf(w->run->arena, "`%s`", w->columns[i].name), "columnType",
                             pt__arena_printf(w->run->arena, "\"%s\"", pt__type_sql(w->run->arena, type)), "format",
                             w->format, NULL);
    }
    if (is_text && w->count != w->node->partition_count + 1)
        return pt_error_set(err, PT_ANALYSIS,
                            "Text data source supports only a single column, and you have %zu columns.", w->count);
    return PT_OK;
}

/* ---- the rows ---- */

static const char *zone_text(const writer *w)
{
    return pt__arena_printf(w->run->arena, "'%s'", w->run->time_zone);
}

/* 2020-01-01T10:00:00.000Z, with the offset of the session's zone. */
static const char *timestamp_text(const writer *w, const char *value, bool has_zone)
{
    pt__arena *arena = w->run->arena;
    if (!has_zone)
        return pt__arena_printf(arena, "strftime(%s, '%%Y-%%m-%%dT%%H:%%M:%%S.%%g')", value);
    const char *zone = zone_text(w);
    const char *local = pt__arena_printf(arena, "(%s AT TIME ZONE %s)", value, zone);
    const char *minutes = pt__arena_printf(arena, "(epoch_us(%s) - epoch_us(%s)) // 60000000", local, value);
    return pt__arena_printf(arena,
                            "strftime(%s, '%%Y-%%m-%%dT%%H:%%M:%%S.%%g') || CASE WHEN %s = 0 THEN 'Z' ELSE "
                            "printf('%%s%%02d:%%02d', CASE WHEN %s < 0 THEN '-' ELSE '+' END, abs(%s) // 60, "
                            "abs(%s) %% 60) END",
                            local, minutes, minutes, minutes, minutes);
}

static pt_status put_as_text(const writer *w, pt__lower *lower, const char *value, const pt_type *type, pt_error *err)
{
    if (type->id == PT_TYPE_TIMESTAMP || type->id == PT_TYPE_TIMESTAMP_NTZ) {
        pt__putf(lower, "%s", timestamp_text(w, value, type->id == PT_TYPE_TIMESTAMP));
        return PT_OK;
    }
    return pt__put_cast(lower, PT_CAST_ANSI, value, type, PT_T(STRING), err);
}

static void put_source(const writer *w, pt__lower *lower)
{
    pt__putf(lower, " FROM (%s) AS x(", w->query.sql);
    for (size_t i = 0; i < w->count; i++)
        pt__putf(lower, "%sx%zu", i == 0 ? "" : ", ", i);
    pt__put(lower, ")");
}

/* Partition values are written as text, as their folders are named. */
static pt_status put_column(const writer *w, pt__lower *lower, size_t index, bool as_text, pt_error *err)
{
    const pt_column *column = &w->columns[index];
    const char *value = pt__arena_printf(w->run->arena, "x.x%zu", index);
    if (is_partition(w, column->name)) {
        PT_TRY(pt__put_cast(lower, PT_CAST_ANSI, value, column->type, PT_T(STRING), err));
    } else if (as_text) {
        PT_TRY(put_as_text(w, lower, value, column->type, err));
    } else {
        pt__putf(lower, "CAST(%s AS ", value);
        pt__put_type(lower, column->type);
        pt__put(lower, ")");
    }
    pt__put(lower, " AS ");
    pt__put_identifier(lower, column->name);
    return PT_OK;
}

static pt_status put_columns(const writer *w, pt__lower *lower, bool as_text, pt_error *err)
{
    for (size_t i = 0; i < w->count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        PT_TRY(put_column(w, lower, i, as_text, err));
    }
    return PT_OK;
}

/* Dates and times inside of JSON values are text in Spark's form. */
static const pt_type *json_type(pt__arena *arena, const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_ARRAY: return pt__type_array(arena, json_type(arena, type->element), true);
    case PT_TYPE_MAP: return pt__type_map(arena, PT_T(STRING), json_type(arena, type->element), true);
    case PT_TYPE_STRUCT: break;
    case PT_TYPE_DATE:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return PT_T(STRING);
    default: return type;
    }
    pt_field *fields = pt__arena_array(arena, pt_field, type->field_count + 1);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].type = json_type(arena, type->fields[i].type);
    }
    return pt__type_struct(arena, fields, type->field_count);
}

static bool is_instant(const pt_type *type)
{
    return type->id == PT_TYPE_TIMESTAMP || type->id == PT_TYPE_TIMESTAMP_NTZ;
}

static pt_status put_json_member(const writer *w, pt__lower *lower, size_t index, pt_error *err)
{
    const pt_type *type = w->columns[index].type;
    const char *value = pt__arena_printf(w->run->arena, "x.x%zu", index);
    if (is_instant(type))
        return put_as_text(w, lower, value, type, err);
    if (holds(type, is_instant))
        return pt__lower_unsupported(err, w->node->base.origin,
                                     "timestamps within arrays, maps and structs written as JSON");
    if (type->id == PT_TYPE_BINARY) {
        pt__putf(lower, "to_base64(%s)", value);
        return PT_OK;
    }
    return pt__put_cast(lower, PT_CAST_ANSI, value, type, json_type(w->run->arena, type), err);
}

/* One object a row; members that are NULL are left out, which is what merging into an empty object does. */
static pt_status put_json(const writer *w, pt__lower *lower, pt_error *err)
{
    bool keeps_nulls = !pt__option_is_true(&w->node->options, "ignoreNullFields", true);
    pt__put(lower, keeps_nulls ? "CAST(to_json(struct_pack(" : "CAST(json_merge_patch('{}', to_json(struct_pack(");
    size_t written = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (is_partition(w, w->columns[i].name))
            continue;
        pt__put(lower, written++ == 0 ? "" : ", ");
        pt__put_identifier(lower, w->columns[i].name);
        pt__put(lower, " := ");
        PT_TRY(put_json_member(w, lower, i, err));
    }
    pt__put(lower, keeps_nulls ? ")) AS VARCHAR) AS line" : "))) AS VARCHAR) AS line");
    return PT_OK;
}

static pt_status put_partition_columns(const writer *w, pt__lower *lower, pt_error *err)
{
    for (size_t i = 0; i < w->count; i++) {
        if (!is_partition(w, w->columns[i].name))
            continue;
        pt__put(lower, ", ");
        PT_TRY(put_column(w, lower, i, true, err));
    }
    return PT_OK;
}

static pt_status put_rows(const writer *w, pt__lower *lower, pt_error *err)
{
    pt__put(lower, "SELECT ");
    if (strcasecmp(w->format, "json") == 0) {
        PT_TRY(put_json(w, lower, err));
        PT_TRY(put_partition_columns(w, lower, err));
    } else {
        PT_TRY(put_columns(w, lower, strcasecmp(w->format, "csv") == 0, err));
    }
    put_source(w, lower);
    return PT_OK;
}

/* ---- COPY ---- */

static void put_text(pt__lower *lower, const char *text)
{
    pt__put_string(lower, text, strlen(text));
}

static void put_csv_options(const writer *w, pt__lower *lower)
{
    const pt_options *options = &w->node->options;
    pt__put(lower, "FORMAT csv, HEADER ");
    pt__put(lower, pt__option_is_true(options, "header", false) ? "true" : "false");
    pt__put(lower, ", DELIMITER ");
    put_text(lower, pt__csv_separator(w->run->arena, options));
    pt__put(lower, ", QUOTE ");
    put_text(lower, pt__csv_character(options, "quote", "\""));
    pt__put(lower, ", ESCAPE ");
    put_text(lower, pt__csv_character(options, "escape", "\\"));
    pt__put(lower, ", NULLSTR ");
    put_text(lower, pt__csv_character(options, "nullValue", ""));
    if (pt__option_is_true(options, "quoteAll", false))
        pt__put(lower, ", FORCE_QUOTE *");
}

static void put_options(const writer *w, pt__lower *lower)
{
    if (strcasecmp(w->format, "parquet") == 0)
        pt__put(lower, "FORMAT parquet");
    else if (strcasecmp(w->format, "csv") == 0)
        put_csv_options(w, lower);
    else /* one column, as it is */
        pt__put(lower, "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER e'\\x01\\x02', NULLSTR ''");
    if (w->codec != NULL)
        pt__putf(lower, ", COMPRESSION %s", w->codec);
    if (w->node->partition_count == 0)
        return;
    pt__put(lower, ", PARTITION_BY (");
    for (size_t i = 0; i < w->node->partition_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_identifier(lower, w->node->partition_columns[i]);
    }
    size_t dot = strlen(w->extension);
    while (dot > 0 && w->extension[dot - 1] != '.')
        dot--;
    pt__putf(lower, "), FILE_EXTENSION '%s', FILENAME_PATTERN 'part-0000{i}-%s.c000%.*s'", w->extension + dot, w->id,
             (int)dot - 1, w->extension);
}

static const char *only_file(const writer *w, const char *folder)
{
    return pt__arena_printf(w->run->arena, "%s/part-00000-%s-c000%s", folder, w->id, w->extension);
}

static pt_status copy_to(const writer *w, const char *folder, pt_error *err)
{
    pt__lower *lower = pt__lower_new(w->run->arena, w->run->database, w->run->time_zone);
    pt__put(lower, "COPY (");
    PT_TRY(put_rows(w, lower, err));
    pt__put(lower, ") TO ");
    put_text(lower, w->node->partition_count > 0 ? folder : only_file(w, folder));
    pt__put(lower, " (");
    put_options(w, lower);
    pt__put(lower, ")");
    return pt__command_write_sql(w->run, pt__cut(lower, 0), err);
}

/* ---- committing ---- */

static pt_status commit_file(const writer *w, const char *folder, const char *target, pt_error *err)
{
    PT_TRY(pt__file_replace(only_file(w, folder), target, err));
    pt__folder_remove(folder, NULL);
    return PT_OK;
}

static pt_status commit(const writer *w, const char *folder, const char *target, pt_error *err)
{
    if (w->node->is_single_file)
        return commit_file(w, folder, target, err);
    bool is_append = w->node->mode == PT_SAVE_APPEND; /* others may append at the same time */
    const char *proof = w->run->proof;
    PT_TRY(pt__folder_touch(pt__arena_printf(w->run->arena, "%s/_SUCCESS", folder), err));
    if (proof != NULL)
        PT_TRY(pt__proof_announce(w->run->database, proof, folder, target, is_append, err));
    pt_status status = is_append ? pt__folder_append(folder, target, err) : pt__folder_replace(folder, target, err);
    if (status != PT_OK && proof != NULL)
        pt__proof_withdraw(w->run->database, proof);
    return status;
}

static const char *without_end_slash(pt__arena *arena, const char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    return pt__arena_copy_text(arena, path, size);
}

static const char *folder_above(pt__arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL || slash == path ? "/" : pt__arena_copy_text(arena, path, (size_t)(slash - path));
}

static pt_status write_folder(const writer *w, pt_error *err)
{
    pt__arena *arena = w->run->arena;
    const char *target = without_end_slash(arena, w->node->path);
    bool exists = access(target, F_OK) == 0;
    if (exists && w->node->mode == PT_SAVE_IGNORE)
        return PT_OK;
    if (exists && w->node->mode == PT_SAVE_ERROR)
        return pt__raise(err, PT_COND_PATH_ALREADY_EXISTS, "outputPath", target, NULL);
    const char *folder = pt__arena_printf(arena, "%s.portico-%s", target, w->id);
    PT_TRY(pt__folder_make(folder_above(arena, target), err));
    PT_TRY(pt__folder_make(folder, err));
    pt_status status = copy_to(w, folder, err);
    if (status == PT_OK)
        status = commit(w, folder, target, err);
    if (status != PT_OK)
        pt__folder_remove(folder, NULL);
    return status;
}

static pt_status check_node(const pt_plan_write_files *node, pt_error *err)
{
    if (node->bucket_count != 0)
        return pt__lower_unsupported(err, node->base.origin, "buckets");
    if (node->is_single_file && node->partition_count != 0)
        return pt__lower_unsupported(err, node->base.origin, "partitions of a single file");
    return PT_OK;
}

pt_status pt__run_write_files(pt__command_run *run, const pt_plan_write_files *node, pt_error *err)
{
    writer w = {.run = run, .node = node, .format = node->format == NULL ? "parquet" : node->format};
    char *id = pt__arena_alloc_text(run->arena, PT_UUID_TEXT_BYTES);
    PT_TRY(check_node(node, err));
    pt__uuid_v4_text(id);
    w.id = id;
    PT_TRY(choose_codec(&w, err));
    PT_TRY(pt__command_query(run, node->query, &w.query, err));
    w.columns = w.query.columns;
    w.count = w.query.column_count;
    PT_TRY(check_columns(&w, err));
    return write_folder(&w, err);
}

#include "backend/duckdb/block.h"
#include "backend/duckdb/engine.h"
#include "backend/duckdb/reader.h"
#include "base/json.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static void bind_scan_column(pt__lower *lower, const pt_column *column, const char *name, uint32_t alias, bool cast)
{
    size_t mark = lower->text.size_bytes;
    if (cast)
        pt__put(lower, "CAST(");
    pt__putf(lower, "s%u.", alias);
    pt__put_identifier(lower, name);
    if (cast) { /* nothing when the types agree */
        pt__put(lower, " AS ");
        pt__put_type(lower, column->type);
        pt__put(lower, ")");
    }
    pt__bind_text(lower, column->id, pt__cut(lower, mark), PT_TEXT_COLUMN, 0);
}

/* ---- tables ---- */

pt_status pt__lower_scan_table(pt__lower *lower, const pt_plan_scan_table *scan, pt__block *out, pt_error *err)
{
    const pt_table *table = scan->table;
    if (table == NULL)
        return pt_error_set(err, PT_INTERNAL, "the scan of a table has not been analyzed");
    if (table->location != NULL && table->kind == PT_TABLE_EXTERNAL)
        return pt__lower_unsupported(err, scan->base.origin, "reading an external table by its name");
    uint32_t alias = ++lower->next_alias;
    size_t mark = lower->text.size_bytes;
    pt__put_table_name(lower, table->database, table->name);
    pt__putf(lower, " AS s%u", alias);
    *out = pt__block_from(pt__cut(lower, mark));
    bool is_foreign = pt__options_get(&table->properties, PT_FOREIGN_TABLE_PROPERTY) != NULL;
    for (size_t i = 0; i < scan->base.column_count; i++) {
        const char *name = i < table->schema->field_count ? table->schema->fields[i].name : scan->base.columns[i].name;
        bind_scan_column(lower, &scan->base.columns[i], name, alias, is_foreign);
    }
    return PT_OK;
}

pt_status pt__lower_cached(pt__lower *lower, const pt_plan_cached *cached, pt__block *out, pt_error *err)
{
    if (cached->result == NULL)
        return pt_error_set(err, PT_INTERNAL, "the scan of a kept result has not been analyzed");
    uint32_t alias = ++lower->next_alias;
    *out = pt__block_from(pt__arena_printf(lower->arena, "%s AS s%u", pt__kept_table(cached->result->handle), alias));
    for (size_t i = 0; i < cached->base.column_count; i++)
        bind_scan_column(lower, &cached->base.columns[i], pt__arena_printf(lower->arena, "k%zu", i), alias, false);
    return PT_OK;
}

/* ---- rows of a client ---- */

static void lower_no_rows(pt__lower *lower, const pt_plan *plan, pt__block *out)
{
    *out = pt__block_from(NULL);
    pt__list_push(lower->arena, &out->where, "false");
    for (size_t i = 0; i < plan->column_count; i++) {
        size_t mark = lower->text.size_bytes;
        pt__put(lower, "CAST(NULL AS ");
        pt__put_type(lower, plan->columns[i].type);
        pt__put(lower, ")");
        pt__bind_text(lower, plan->columns[i].id, pt__cut(lower, mark), 0, 0);
    }
}

pt_status pt__lower_local(pt__lower *lower, const pt_plan_local *local, pt__block *out, pt_error *err)
{
    if (local->rows == NULL)
        return pt_error_set(err, PT_INTERNAL, "the scan of local rows has not been analyzed");
    if (local->rows->row_count == 0) {
        lower_no_rows(lower, &local->base, out);
        return PT_OK;
    }
    uint64_t key = pt__local_key(lower->database);
    pt__lower_source source = {key, local->rows};
    pt__list_push(lower->arena, &lower->sources, source);
    uint32_t alias = ++lower->next_alias;
    *out = pt__block_from(pt__arena_printf(lower->arena, "portico_local(%" PRIu64 "::UBIGINT) AS s%u", key, alias));
    for (size_t i = 0; i < local->base.column_count; i++)
        bind_scan_column(lower, &local->base.columns[i], pt__arena_printf(lower->arena, "l%zu", i), alias, true);
    return PT_OK;
}

/* ---- files ---- */

typedef struct file_scan {
    const pt_plan_scan_files *node;
    pt__reader reader;
    const pt_type *data;          /* columns in the files */
    uint32_t alias;
} file_scan;

static void bind_partitions(pt__lower *lower, const file_scan *scan)
{
    const pt_plan *plan = &scan->node->base;
    for (size_t i = scan->data->field_count; i < plan->column_count; i++) {
        const char *name = scan->reader.partition_schema->fields[i - scan->data->field_count].name;
        bind_scan_column(lower, &plan->columns[i], name, scan->alias, true);
    }
}

static void bind_parquet(pt__lower *lower, const file_scan *scan)
{
    const pt_plan *plan = &scan->node->base;
    for (size_t i = 0; i < scan->data->field_count; i++)
        bind_scan_column(lower, &plan->columns[i], scan->data->fields[i].name, scan->alias, true);
}

/* Casts a text read from a file: what does not fit is NULL, or an error in the mode FAILFAST. */
static pt_status bind_read_text(pt__lower *lower, const file_scan *scan, size_t index, const char *text,
                                const pt_type *from, pt_error *err)
{
    const pt_column *column = &scan->node->base.columns[index];
    const char *mode = pt__options_get(&scan->node->options, "mode");
    bool fails = mode != NULL && strcasecmp(mode, "FAILFAST") == 0;
    size_t mark = lower->text.size_bytes;
    PT_TRY(pt__put_cast(lower, fails ? PT_CAST_ANSI : PT_CAST_TRY, text, from, column->type, err));
    bool is_plain = pt__type_is_string(column->type);
    pt__bind_text(lower, column->id, pt__cut(lower, mark), is_plain ? PT_TEXT_COLUMN : PT_TEXT_COMPUTED, 2);
    return PT_OK;
}

static pt_status bind_csv(pt__lower *lower, const file_scan *scan, pt_error *err)
{
    bool trims_left = pt__option_is_true(&scan->node->options, "ignoreLeadingWhiteSpace", false);
    bool trims_right = pt__option_is_true(&scan->node->options, "ignoreTrailingWhiteSpace", false);
    for (size_t i = 0; i < scan->data->field_count; i++) {
        const char *text = pt__arena_printf(lower->arena, "s%u.c%zu", scan->alias, i);
        if (trims_left || trims_right)
            text = pt__arena_printf(lower->arena, "%s(%s)", trims_left && trims_right ? "trim" : trims_left ? "ltrim" : "rtrim",
                                    text);
        PT_TRY(bind_read_text(lower, scan, i, text, PT_T(STRING), err));
    }
    return PT_OK;
}

/* JSON has no dates, and its numbers are no decimals: such fields are read as text. */
static const pt_type *json_type(pt__arena *arena, const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_ARRAY: return pt__type_array(arena, json_type(arena, type->element), true);
    case PT_TYPE_MAP: return pt__type_map(arena, PT_T(STRING), json_type(arena, type->element), true);
    case PT_TYPE_BOOLEAN:
    case PT_TYPE_BYTE:
    case PT_TYPE_SHORT:
    case PT_TYPE_INT:
    case PT_TYPE_LONG:
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: return type;
    case PT_TYPE_STRUCT: break;
    default: return PT_T(STRING);
    }
    pt_field *fields = pt__arena_array(arena, pt_field, type->field_count + 1);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].type = json_type(arena, type->fields[i].type);
    }
    return pt__type_struct(arena, fields, type->field_count);
}

static void put_json_name(pt__lower *lower, const char *name)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__json_append_cstring(&text, name);
    pt__put(lower, pt__buffer_string(&text));
    pt__buffer_deinit(&text);
}

/* The structure that json_transform takes: {"a": "BIGINT", "b": ["VARCHAR"]}. */
static void put_json_structure(pt__lower *lower, const pt_type *type)
{
    if (type->id == PT_TYPE_ARRAY) {
        pt__put(lower, "[");
        put_json_structure(lower, type->element);
        pt__put(lower, "]");
    } else if (type->id == PT_TYPE_STRUCT) {
        for (size_t i = 0; i < type->field_count; i++) {
            pt__put(lower, i == 0 ? "{" : ",");
            put_json_name(lower, type->fields[i].name);
            pt__put(lower, ":");
            put_json_structure(lower, type->fields[i].type);
        }
        pt__put(lower, type->field_count == 0 ? "\"JSON\"" : "}");
    } else {
        pt__put(lower, "\"");
        pt__put_type(lower, type);
        pt__put(lower, "\"");
    }
}

static const char *corrupt_name(const file_scan *scan)
{
    const char *name = pt__options_get(&scan->node->options, "columnNameOfCorruptRecord");
    return name == NULL ? "_corrupt_record" : name;
}

static bool reads_corrupt(const file_scan *scan)
{
    for (size_t i = 0; i < scan->data->field_count; i++) {
        if (strcmp(scan->data->fields[i].name, corrupt_name(scan)) == 0)
            return true;
    }
    return false;
}

/* (SELECT json_transform(json, '…') AS j FROM …) */
static const char *json_source(pt__lower *lower, const file_scan *scan, const pt_type *structure)
{
    size_t mark = lower->text.size_bytes;
    put_json_structure(lower, structure);
    const char *text = pt__cut(lower, mark);
    bool with_lines = reads_corrupt(scan);
    const pt_type *partitions = scan->reader.partition_schema;
    pt__put(lower, with_lines ? "(SELECT line, json_transform(CASE WHEN json_valid(line) THEN line END::JSON, "
                              : "(SELECT json_transform(json, ");
    pt__put_string(lower, text, strlen(text));
    pt__put(lower, ") AS j");
    for (size_t i = 0; partitions != NULL && i < partitions->field_count; i++) {
        pt__put(lower, ", ");
        pt__put_identifier(lower, partitions->fields[i].name);
    }
    pt__put(lower, " FROM ");
    if (with_lines)
        pt__put_line_reader(lower, &scan->reader);
    else
        pt__put_json_reader(lower, &scan->reader);
    pt__put(lower, with_lines ? " WHERE trim(line) <> '')" : ")");
    return pt__cut(lower, mark);
}

static pt_status bind_json(pt__lower *lower, const file_scan *scan, const pt_type *structure, pt_error *err)
{
    for (size_t i = 0; i < scan->data->field_count; i++) {
        const char *name = scan->data->fields[i].name;
        if (strcmp(name, corrupt_name(scan)) == 0) {
            const char *line = pt__arena_printf(lower->arena, "CASE WHEN NOT json_valid(s%u.line) THEN s%u.line END",
                                                scan->alias, scan->alias);
            pt__bind_text(lower, scan->node->base.columns[i].id, line, PT_TEXT_COMPUTED, 2);
            continue;
        }
        size_t mark = lower->text.size_bytes;
        pt__putf(lower, "struct_extract(s%u.j, ", scan->alias);
        pt__put_string(lower, name, strlen(name));
        pt__put(lower, ")");
        PT_TRY(bind_read_text(lower, scan, i, pt__cut(lower, mark), structure->fields[i].type, err));
    }
    return PT_OK;
}

static pt_status lower_json(pt__lower *lower, const file_scan *scan, pt__block *out, pt_error *err)
{
    const pt_type *structure = json_type(lower->arena, scan->data);
    *out = pt__block_from(pt__arena_printf(lower->arena, "%s AS s%u", json_source(lower, scan, structure), scan->alias));
    const char *mode = pt__options_get(&scan->node->options, "mode");
    if (mode != NULL && strcasecmp(mode, "DROPMALFORMED") == 0)
        pt__list_push(lower->arena, &out->where, pt__arena_printf(lower->arena, "s%u.j IS NOT NULL", scan->alias));
    return bind_json(lower, scan, structure, err);
}

static pt_status lower_text(pt__lower *lower, const file_scan *scan, pt__block *out)
{
    size_t mark = lower->text.size_bytes;
    pt__put_line_reader(lower, &scan->reader);
    pt__putf(lower, " AS s%u", scan->alias);
    *out = pt__block_from(pt__cut(lower, mark));
    for (size_t i = 0; i < scan->data->field_count; i++)
        pt__bind_text(lower, scan->node->base.columns[i].id,
                      pt__arena_printf(lower->arena, "s%u.line", scan->alias), PT_TEXT_COLUMN, 0);
    return PT_OK;
}

static pt_status lower_csv(pt__lower *lower, const file_scan *scan, pt__block *out, pt_error *err)
{
    size_t mark = lower->text.size_bytes;
    if (reads_corrupt(scan))
        return pt__lower_unsupported(err, scan->node->base.origin, "the column of corrupt records of CSV files");
    pt__put_csv_reader(lower, &scan->reader, scan->data->field_count);
    pt__putf(lower, " AS s%u", scan->alias);
    *out = pt__block_from(pt__cut(lower, mark));
    return bind_csv(lower, scan, err);
}

static pt_status lower_format(pt__lower *lower, const file_scan *scan, pt__block *out, pt_error *err)
{
    const char *format = scan->node->format;
    bool has_partitions = scan->reader.partition_schema != NULL && scan->reader.partition_schema->field_count > 0;
    if (strcasecmp(format, "csv") == 0)
        return lower_csv(lower, scan, out, err);
    if (strcasecmp(format, "json") == 0 && !(has_partitions && reads_corrupt(scan)))
        return lower_json(lower, scan, out, err);
    if (strcasecmp(format, "text") == 0 && !has_partitions)
        return lower_text(lower, scan, out);
    if (strcasecmp(format, "parquet") != 0)
        return pt__lower_unsupported(err, scan->node->base.origin,
                                     pt__arena_printf(lower->arena, "partition folders of the data source %s", format));
    size_t mark = lower->text.size_bytes;
    pt__put_parquet_reader(lower, &scan->reader);
    pt__putf(lower, " AS s%u", scan->alias);
    *out = pt__block_from(pt__cut(lower, mark));
    bind_parquet(lower, scan);
    return PT_OK;
}

pt_status pt__lower_scan_files(pt__lower *lower, const pt_plan_scan_files *node, pt__block *out, pt_error *err)
{
    const pt_file_set *files = node->files;
    if (files == NULL)
        return pt_error_set(err, PT_INTERNAL, "the scan of files has not been analyzed");
    file_scan scan = {.node = node,
                      .reader = {node->format, files->files, files->file_count, &node->options, files->partition_schema},
                      .data = files->data_schema,
                      .alias = ++lower->next_alias};
    PT_TRY(pt__reader_check(lower, &scan.reader, node->base.origin, err));
    if (files->file_count == 0) {
        lower_no_rows(lower, &node->base, out);
        return PT_OK;
    }
    PT_TRY(lower_format(lower, &scan, out, err));
    if (files->partition_schema != NULL)
        bind_partitions(lower, &scan);
    return PT_OK;
}

#include "backend/duckdb/block.h"
#include "backend/duckdb/engine.h"
#include "backend/duckdb/file_scan.h"

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

static void bind_null(pt__lower *lower, const pt_column *column)
{
    size_t mark = lower->text.size_bytes;
    pt__put(lower, "CAST(NULL AS ");
    pt__put_type(lower, column->type);
    pt__put(lower, ")");
    pt__bind_text(lower, column->id, pt__cut(lower, mark), 0, 0);
}

static void lower_no_rows(pt__lower *lower, const pt_plan *plan, pt__block *out)
{
    *out = pt__block_from(NULL);
    pt__list_push(lower->arena, &out->where, "false");
    for (size_t i = 0; i < plan->column_count; i++)
        bind_null(lower, &plan->columns[i]);
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

static void bind_partitions(pt__lower *lower, const pt__file_scan *scan)
{
    const pt_plan *plan = &scan->node->base;
    for (size_t i = scan->data->field_count; i < plan->column_count; i++) {
        const char *name = scan->reader.partition_schema->fields[i - scan->data->field_count].name;
        bind_scan_column(lower, &plan->columns[i], name, scan->alias, true);
    }
}

static bool is_found(const pt_file_set *files, const char *name)
{
    const pt_type *found = files->found_schema;
    for (size_t i = 0; found != NULL && i < found->field_count; i++) {
        if (strcasecmp(found->fields[i].name, name) == 0)
            return true;
    }
    return found == NULL;
}

static void bind_parquet(pt__lower *lower, const pt__file_scan *scan)
{
    const pt_plan *plan = &scan->node->base;
    for (size_t i = 0; i < scan->data->field_count; i++) {
        if (is_found(scan->node->files, scan->data->fields[i].name))
            bind_scan_column(lower, &plan->columns[i], scan->data->fields[i].name, scan->alias, true);
        else
            bind_null(lower, &plan->columns[i]);
    }
}

static pt_status lower_format(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err)
{
    const char *format = scan->node->format;
    bool has_partitions = scan->reader.partition_schema != NULL && scan->reader.partition_schema->field_count > 0;
    if (strcasecmp(format, "csv") == 0)
        return pt__scan_csv(lower, scan, out, err);
    if (strcasecmp(format, "json") == 0)
        return pt__scan_json(lower, scan, out, err);
    if (strcasecmp(format, "text") == 0 && !has_partitions)
        return pt__scan_text(lower, scan, out, err);
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
    pt__file_scan scan = {.node = node,
                          .reader = {.format = node->format,
                                     .files = files->files,
                                     .file_count = files->file_count,
                                     .options = &node->options,
                                     .partition_schema = files->partition_schema},
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

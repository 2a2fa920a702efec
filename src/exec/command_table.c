/* CREATE TABLE, INSERT, saveAsTable and writes to files: checked here, run by the backend. */
#include "analyze/analyze.h"
#include "exec/command.h"
#include "exec/run.h"
#include "exec/schema_cache.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool is_external(const pt_table *table)
{
    return table->kind == PT_TABLE_EXTERNAL && table->location != NULL;
}

static pt_status already_exists(pt__command *c, const pt_name *name)
{
    return pt__raise(c->err, PT_COND_TABLE_OR_VIEW_ALREADY_EXISTS, "relationName", pt__command_full_name(c, name),
                     NULL);
}

/* ---- files ---- */

typedef pt_status (*command_runner)(pt_job *job, const pt_plan *command, pt_error *err);

static pt_status run_write(pt__command *c, const pt_plan_write_files *write, command_runner run)
{
    PT_TRY(run(c->job, &write->base, c->err));
    pt__schema_cache_clear(c->session->host); /* a file may have been replaced within a tick of its clock */
    return PT_OK;
}

static bool path_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

static pt_status write_counting(pt__command *c, const pt_plan_write_files *write, bool does_write, const pt_plan **out)
{
    const pt__row_column column = {"count", PT_T(LONG), true};
    int64_t count = 0;
    if (does_write) {
        PT_TRY(pt__run_counting_command(c->job, &write->base, &count, c->err));
        pt__schema_cache_clear(c->session->host);
    }
    pt__rows *rows = pt__rows_new(c->arena, &column, 1);
    if (count < 0)
        pt__rows_null(rows);
    else
        pt__rows_integer(rows, count);
    return pt__rows_plan(rows, out, c->err);
}

PT_COMMAND(write_files)
{
    pt_plan_write_files *write = pt__arena_copy(c->arena, node, sizeof(*node));
    const pt_plan *analyzed;
    const char *format = node->format;
    if (format == NULL)
        format = c->catalog->base.vtable->conf(&c->catalog->base, "spark.sql.sources.default");
    PT_TRY(pt__check_format(c->arena, format, &write->format, c->err));
    PT_TRY(pt__session_local_path(c->session, c->arena, node->path, &write->path, c->err));
    PT_TRY(pt__command_permit_path(c, "write-files", write->path));
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, &write->base, &analyzed, c->err));
    bool exists = path_exists(write->path);
    if (exists && node->mode == PT_SAVE_ERROR)
        return pt__raise(c->err, PT_COND_PATH_ALREADY_EXISTS, "outputPath",
                         pt__arena_printf(c->arena, "file:%s", write->path), NULL);
    bool does_write = !exists || node->mode != PT_SAVE_IGNORE;
    if (node->gives_count)
        return write_counting(c, pt__plan_as_write_files(analyzed), does_write, out);
    if (does_write)
        PT_TRY(run_write(c, pt__plan_as_write_files(analyzed), pt__run_command));
    return pt__rows_none(c->arena, out, c->err);
}

/* ---- CREATE TABLE ---- */

/* What a managed table may be said to be: a label, as the backend keeps the rows in its own way. */
static bool is_known_provider(const char *name)
{
    static const char *const labels[] = {"hive", "duckdb", "org.apache.spark.sql.parquet"};
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (strcasecmp(name, labels[i]) == 0)
            return true;
    return pt__is_file_format(name);
}

static pt_status check_provider(pt__command *c, const char *provider)
{
    if (provider == NULL || is_known_provider(provider))
        return PT_OK;
    return pt__raise(c->err, PT_COND_DATA_SOURCE_NOT_FOUND, "provider", provider, NULL);
}

static pt_status copy_like(pt__command *c, const pt_plan_create_table *node, pt_plan_create_table *table)
{
    const pt_plan *source;
    const pt_table *found = NULL;
    PT_TRY(pt__command_columns(c, &node->like, node->base.origin, &source));
    pt_status status = pt__command_find_table(c, &node->like, &found);
    if (status != PT_OK && status != PT_NOT_FOUND)
        return status;
    table->schema = pt__analyzed_schema(c->arena, source);
    table->like = (pt_name){NULL, 0};
    if (found != NULL && table->provider == NULL && found->kind != PT_TABLE_VIEW)
        table->provider = found->provider;
    return PT_OK;
}

/* An external table without columns takes those of its files. */
static pt_status infer_columns(pt__command *c, pt_plan_create_table *table)
{
    pt_plan_scan_files *scan = pt__plan_make(c->arena, SCAN_FILES, scan_files, table->base.origin);
    const char **paths = pt__arena_array(c->arena, const char *, 1);
    const pt_plan *analyzed;
    paths[0] = table->location;
    scan->format = table->provider;
    scan->paths = paths;
    scan->path_count = 1;
    scan->options = table->options;
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, &scan->base, &analyzed, c->err));
    table->schema = pt__analyzed_schema(c->arena, analyzed);
    return PT_OK;
}

/* CREATE TABLE … LOCATION … AS SELECT: the files first, then the table over them. */
static pt_status write_external(pt__command *c, pt_plan_create_table *table)
{
    pt_plan_write_files *write = pt__plan_make(c->arena, WRITE_FILES, write_files, table->base.origin);
    const pt_plan *analyzed;
    write->query = table->query;
    write->format = table->provider;
    write->path = table->location;
    write->mode = PT_SAVE_OVERWRITE;
    write->options = table->options;
    write->partition_columns = table->partition_columns;
    write->partition_count = table->partition_count;
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, &write->base, &analyzed, c->err));
    PT_TRY(run_write(c, pt__plan_as_write_files(analyzed), pt__run_first_command));
    table->schema = pt__analyzed_schema(c->arena, pt__plan_as_write_files(analyzed)->query);
    table->query = NULL;
    return PT_OK;
}

static pt_status make_external(pt__command *c, pt_plan_create_table *table)
{
    const char *path = table->location != NULL ? table->location : pt__options_get(&table->options, "path");
    if (path == NULL)
        return PT_OK;
    if (table->provider == NULL)
        table->provider = c->catalog->base.vtable->conf(&c->catalog->base, "spark.sql.sources.default");
    PT_TRY(pt__check_format(c->arena, table->provider, &table->provider, c->err));
    PT_TRY(pt__session_local_path(c->session, c->arena, path, &table->location, c->err));
    table->is_external = true;
    if (table->query != NULL)
        return write_external(c, table);
    return table->schema == NULL || table->schema->field_count == 0 ? infer_columns(c, table) : PT_OK;
}

/* Whether the table is there; errors for what the mode does not allow. */
static pt_status check_target(pt__command *c, const pt_plan_create_table *node, bool *exists)
{
    const pt_table *table;
    const char *database;
    const char *object;
    PT_TRY(pt__command_split(c, &node->name, &database, &object));
    PT_TRY(pt__command_need_database(c, database));
    pt_status status = pt__command_find_table(c, &node->name, &table);
    *exists = status == PT_OK;
    if (status == PT_NOT_FOUND)
        return node->mode == PT_REPLACE ? pt__command_not_found(c, &node->name, node->base.origin) : PT_OK;
    PT_TRY(status);
    if (node->if_not_exists)
        return PT_OK;
    if (node->mode == PT_CREATE)
        return already_exists(c, &node->name);
    if (table->kind == PT_TABLE_VIEW)
        return pt__raise(c->err, PT_COND_EXPECT_TABLE_NOT_VIEW, "operation", "REPLACE TABLE", "viewName",
                         pt__command_full_name(c, &node->name), NULL);
    return PT_OK;
}

PT_COMMAND(create_table)
{
    bool exists;
    PT_TRY(check_provider(c, node->provider));
    PT_TRY(pt__command_permit(c, "create", "table", &node->name));
    PT_TRY(check_target(c, node, &exists));
    if (exists && node->if_not_exists)
        return pt__rows_none(c->arena, out, c->err);
    pt_plan_create_table *table = pt__arena_copy(c->arena, node, sizeof(*node));
    PT_TRY(pt__command_resolve(c, &node->name, &table->name));
    if (node->like.count != 0)
        PT_TRY(copy_like(c, node, table));
    PT_TRY(make_external(c, table));
    return pt__command_pass_on(c, &table->base, out);
}

/* ---- INSERT ---- */

/* Rows for an external table become files at its place. */
static pt_status insert_into_files(pt__command *c, const pt_plan_insert *insert)
{
    const pt_table *table = insert->target;
    pt_plan_write_files *write = pt__plan_make(c->arena, WRITE_FILES, write_files, insert->base.origin);
    if (insert->overwrite_condition != NULL || insert->overwrite_partitions || insert->partition.count != 0)
        return pt__raise(c->err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                         "overwriting parts of a table that is kept in files", NULL);
    write->query = insert->query;
    PT_TRY(pt__check_format(c->arena, table->provider, &write->format, c->err));
    write->path = table->location;
    write->mode = insert->overwrite ? PT_SAVE_OVERWRITE : PT_SAVE_APPEND;
    write->options = table->options;
    write->partition_columns = table->partition_columns;
    write->partition_count = table->partition_count;
    write->target = table;
    return run_write(c, write, pt__run_command);
}

static pt_status insert_rows(pt__command *c, const pt_plan_insert *node)
{
    const pt_plan *analyzed;
    PT_TRY(pt__analyze(c->arena, &c->catalog->base, &node->base, &analyzed, c->err));
    const pt_plan_insert *insert = pt__plan_as_insert(analyzed);
    if (insert->target != NULL && is_external(insert->target))
        return insert_into_files(c, insert);
    return pt__run_command(c->job, analyzed, c->err);
}

static pt_status create_and_fill(pt__command *c, const pt_plan_insert *node, const pt_plan **out)
{
    pt_plan_create_table *table = pt__plan_make(c->arena, CREATE_TABLE, create_table, node->base.origin);
    table->name = node->table;
    table->mode = node->mode == PT_SAVE_OVERWRITE ? PT_CREATE_OR_REPLACE : PT_CREATE;
    table->provider = node->provider;
    table->options = node->options;
    table->partition_columns = node->partition_columns;
    table->partition_count = node->partition_count;
    table->query = node->query;
    return pt__command_create_table(c, table, out);
}

static pt_status save_as_table(pt__command *c, const pt_plan_insert *node, const pt_plan **out)
{
    const pt_table *table;
    pt_status status = pt__command_find_table(c, &node->table, &table);
    if (status == PT_NOT_FOUND)
        return create_and_fill(c, node, out);
    PT_TRY(status);
    switch (node->mode) {
    case PT_SAVE_ERROR: return already_exists(c, &node->table);
    case PT_SAVE_IGNORE: return pt__rows_none(c->arena, out, c->err);
    case PT_SAVE_OVERWRITE: return create_and_fill(c, node, out);
    case PT_SAVE_APPEND: break;
    }
    pt_plan_insert *append = pt__arena_copy(c->arena, node, sizeof(*node));
    PT_TRY(pt__command_resolve(c, &node->table, &append->table));
    PT_TRY(insert_rows(c, append));
    return pt__rows_none(c->arena, out, c->err);
}

PT_COMMAND(insert)
{
    const pt_table *table;
    if (node->is_save_as_table)
        return save_as_table(c, node, out);
    pt_status status = pt__command_find_table(c, &node->table, &table);
    if (status == PT_NOT_FOUND)
        return pt__command_not_found(c, &node->table, node->base.origin);
    PT_TRY(status);
    if (table->kind == PT_TABLE_VIEW)
        return pt__raise(c->err, PT_COND_EXPECT_TABLE_NOT_VIEW, "operation", "INSERT", "viewName",
                         pt__command_full_name(c, &node->table), NULL);
    pt_plan_insert *insert = pt__arena_copy(c->arena, node, sizeof(*node));
    PT_TRY(pt__command_resolve(c, &node->table, &insert->table));
    PT_TRY(insert_rows(c, insert));
    return pt__rows_none(c->arena, out, c->err);
}

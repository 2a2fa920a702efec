/* Sources: tables, views, files, local rows, ranges, streams. */
#include "analyze/analyzer.h"

#include <strings.h>

static const pt_column *columns_of_struct(pt__analyzer *a, const pt_type *schema, pt_name qualifier)
{
    pt_column *columns = pt__arena_array(a->arena, pt_column, schema->field_count + 1);
    for (size_t i = 0; i < schema->field_count; i++) {
        const pt_field *f = &schema->fields[i];
        columns[i] = pt__new_column(a, f->name, f->type, f->nullable);
        columns[i].metadata = f->metadata;
        columns[i].qualifier = qualifier;
    }
    return columns;
}

static void set_columns(pt__analyzer *a, pt_plan *node, const pt_type *schema, pt_name qualifier)
{
    node->columns = columns_of_struct(a, schema, qualifier);
    node->column_count = schema->field_count;
}

/* A view is analyzed where it is used, with nothing of the query around it in reach. */
static pt_status analyze_view(pt__analyzer *a, const pt__relation *relation, const pt_plan_scan_table *node,
                              const pt_plan **out, pt_error *err)
{
    if (a->view_depth >= PT_ANALYZE_VIEW_DEPTH_MAX)
        return pt_error_set(err, PT_LIMIT, "views are nested more than %d levels deep", PT_ANALYZE_VIEW_DEPTH_MAX);
    pt__analyzer inner = *a;
    inner.ctes = NULL;
    inner.references = NULL;
    inner.query_scope = NULL;
    inner.view_database = relation->view_database;
    inner.view_is_temporary = relation->is_temporary;
    inner.view_depth++;
    const pt_plan *view;
    pt_status status = pt__analyze_plan(&inner, relation->view, &view, err);
    a->next_id = inner.next_id;
    PT_TRY(status);
    *out = pt__rename(a, view, relation->name, relation->view_column_names, relation->view_column_count, &node->base);
    return PT_OK;
}

static pt_status scan_external(pt__analyzer *a, const pt__relation *relation, const pt_plan_scan_table *node,
                               const pt_plan **out, pt_error *err)
{
    const pt_table *table = relation->table;
    pt_plan_scan_files *scan = pt__plan_make(a->arena, SCAN_FILES, scan_files, node->base.origin);
    const char **paths = pt__arena_array(a->arena, const char *, 1);
    paths[0] = table->location;
    scan->base.plan_id = node->base.plan_id;
    scan->format = table->provider;
    scan->paths = paths;
    scan->path_count = 1;
    scan->options = table->options;
    scan->schema = table->schema;
    scan->may_be_missing = true;
    scan->table = table;
    const pt_plan *files;
    PT_TRY(pt__analyze_plan(a, &scan->base, &files, err));
    *out = pt__rename(a, files, relation->name, NULL, 0, &node->base);
    return PT_OK;
}

static pt_name with_database(pt__analyzer *a, const pt_name *name)
{
    if (a->view_database == NULL || name->count != 1)
        return *name;
    const char **parts = pt__arena_array(a->arena, const char *, 2);
    parts[0] = a->view_database;
    parts[1] = name->parts[0];
    return (pt_name){parts, 2};
}

/* Inside a view names are those of its database; a temporary one sees the temporary ones first. */
static pt_status find_relation(pt__analyzer *a, const pt_name *name, pt__relation *out, pt_error *err)
{
    pt_name full = with_database(a, name);
    if (full.count != name->count && a->view_is_temporary) {
        pt__relation found = {0};
        pt_status status = a->catalog->vtable->find_relation(a->catalog, a->arena, name, &found, err);
        if (status == PT_OK && found.is_temporary) {
            *out = found;
            return PT_OK;
        }
        if (status != PT_OK && status != PT_NOT_FOUND)
            return status;
    }
    return a->catalog->vtable->find_relation(a->catalog, a->arena, &full, out, err);
}

PT_ANALYZE_KIND(scan_table)
{
    const pt_plan *reference = pt__find_reference(a, &node->name);
    if (reference != NULL)
        return pt__analyze_plan(a, reference, out, err);
    *out = pt__refer_to_cte(a, &node->name, &node->base);
    if (*out != NULL)
        return PT_OK;
    pt__relation relation = {0};
    pt_status status = find_relation(a, &node->name, &relation, err);
    if (status == PT_NOT_FOUND) {
        status = pt__raise(err, PT_COND_TABLE_OR_VIEW_NOT_FOUND, "relationName", pt__quote_name(a->arena, &node->name),
                           NULL);
        return pt__analyzer_fail(status, node->base.origin, err);
    }
    PT_TRY(pt__analyzer_fail(status, node->base.origin, err));
    if (relation.origin == PT_RELATION_VIEW)
        return analyze_view(a, &relation, node, out, err);
    if (relation.table->location != NULL && relation.table->kind == PT_TABLE_EXTERNAL)
        return scan_external(a, &relation, node, out, err);
    pt_plan_scan_table *scan = pt__plan_make(a->arena, SCAN_TABLE, scan_table, node->base.origin);
    pt__inherit(&scan->base, &node->base);
    scan->name = relation.name;
    scan->options = node->options;
    scan->table = relation.table;
    set_columns(a, &scan->base, relation.table->schema, relation.name);
    *out = &scan->base;
    return PT_OK;
}

PT_ANALYZE_KIND(stream)
{
    if (node->format == NULL || strcasecmp(node->format, "rate") != 0) {
        const char *feature = pt__arena_printf(a->arena, "streaming reads of the source %s",
                                               node->format == NULL ? "parquet" : node->format);
        return pt__analyzer_fail(pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", feature, NULL),
                                 node->base.origin, err);
    }
    pt_plan_stream *stream = pt__plan_make(a->arena, STREAM, stream, node->base.origin);
    pt__inherit(&stream->base, &node->base);
    stream->format = node->format;
    stream->options = node->options;
    pt_column *columns = pt__arena_array(a->arena, pt_column, 2);
    columns[0] = pt__new_column(a, "timestamp", PT_T(TIMESTAMP), true);
    columns[1] = pt__new_column(a, "value", PT_T(LONG), true);
    stream->base.columns = columns;
    stream->base.column_count = 2;
    *out = &stream->base;
    return PT_OK;
}

PT_ANALYZE_KIND(scan_files)
{
    const pt_file_set *files;
    PT_TRY(pt__analyzer_fail(a->catalog->vtable->find_files(a->catalog, a->arena, node, &files, err), node->base.origin,
                             err));
    pt_plan_scan_files *scan = pt__plan_make(a->arena, SCAN_FILES, scan_files, node->base.origin);
    *scan = *node;
    scan->files = files;
    if (scan->format == NULL)
        scan->format = a->catalog->vtable->conf(a->catalog, "spark.sql.sources.default");
    size_t data = files->data_schema->field_count;
    size_t partitions = files->partition_schema == NULL ? 0 : files->partition_schema->field_count;
    pt_column *columns = pt__arena_array(a->arena, pt_column, data + partitions + 1);
    for (size_t i = 0; i < data + partitions; i++) {
        const pt_field *f = i < data ? &files->data_schema->fields[i] : &files->partition_schema->fields[i - data];
        columns[i] = pt__new_column(a, f->name, pt__type_as_nullable(a->arena, f->type), true);
        columns[i].metadata = f->metadata;
    }
    scan->base.columns = columns;
    scan->base.column_count = data + partitions;
    *out = &scan->base;
    return PT_OK;
}

PT_ANALYZE_KIND(local)
{
    const pt_type *schema;
    pt_plan_local *local = pt__plan_make(a->arena, LOCAL, local, node->base.origin);
    *local = *node;
    PT_TRY(a->catalog->vtable->find_local(a->catalog, a->arena, node, &schema, &local->rows, err));
    local->schema = schema;
    set_columns(a, &local->base, schema, (pt_name){0});
    *out = &local->base;
    return PT_OK;
}

PT_ANALYZE_KIND(cached)
{
    pt_plan_cached *cached = pt__plan_make(a->arena, CACHED, cached, node->base.origin);
    *cached = *node;
    PT_TRY(a->catalog->vtable->find_cached(a->catalog, a->arena, node->relation_id, &cached->result, err));
    pt_column *columns = pt__arena_array(a->arena, pt_column, cached->result->column_count + 1);
    for (size_t i = 0; i < cached->result->column_count; i++) {
        columns[i] = cached->result->columns[i];
        columns[i].id = a->next_id++;
    }
    cached->base.columns = columns;
    cached->base.column_count = cached->result->column_count;
    *out = &cached->base;
    return PT_OK;
}

PT_ANALYZE_KIND(range)
{
    (void)err;
    pt_plan_range *range = pt__plan_make(a->arena, RANGE, range, node->base.origin);
    *range = *node;
    pt_column *columns = pt__arena_array(a->arena, pt_column, 1);
    columns[0] = pt__new_column(a, "id", PT_T(LONG), false);
    range->base.columns = columns;
    range->base.column_count = 1;
    *out = &range->base;
    return PT_OK;
}

static pt_status fail_inline_table(pt__analyzer *a, const pt_plan_values *node, size_t column, pt_error *err)
{
    return pt__analyzer_fail(pt__raise(err, PT_COND_INVALID_INLINE_TABLE_INCOMPATIBLE_TYPES, "colName",
                                       pt__arena_printf(a->arena, "`col%zu`", column + 1), NULL),
                             node->base.origin, err);
}

PT_ANALYZE_KIND(values)
{
    pt__scope scope = pt__scope_of(a, NULL, 0);
    pt_plan_values *values = pt__plan_make(a->arena, VALUES, values, node->base.origin);
    *values = *node;
    const pt_expr **cells = pt__arena_array(a->arena, const pt_expr *, node->row_count * node->width + 1);
    pt_column *columns = pt__arena_array(a->arena, pt_column, node->width + 1);
    for (size_t i = 0; i < node->row_count * node->width; i++)
        PT_TRY(pt__analyze_expr(a, &scope, node->cells[i], &cells[i], err));
    for (size_t c = 0; c < node->width; c++) {
        const pt_type *common = PT_T(VOID);
        bool nullable = false;
        for (size_t r = 0; r < node->row_count && common != NULL; r++) {
            common = pt__common_type(a, common, cells[r * node->width + c]->type);
            nullable |= cells[r * node->width + c]->nullable;
        }
        if (common == NULL)
            return fail_inline_table(a, node, c, err);
        for (size_t r = 0; r < node->row_count; r++)
            cells[r * node->width + c] = pt__implicit_cast(a, cells[r * node->width + c], common);
        columns[c] = pt__new_column(a, pt__arena_printf(a->arena, "col%zu", c + 1), common, nullable);
    }
    values->cells = cells;
    values->base.columns = columns;
    values->base.column_count = node->width;
    *out = &values->base;
    return PT_OK;
}

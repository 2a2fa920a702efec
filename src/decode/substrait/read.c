/* Read relations: named tables, files, rows in the plan. */
#include "decode/substrait/internal.h"

#include <string.h>

#define READ(name) SUBSTRAIT__READ_REL__READ_TYPE_##name

/* ---- columns of the schema ---- */

/* Padding of fixed text is not kept. */
static const pt_expr *as_declared(decoder *d, const pt_expr *expr, const pt_type *type)
{
    expr = pt__substrait_declared(d, expr, type);
    return type->id == PT_TYPE_CHAR ? pt__substrait_call(d, "rtrim", 1, expr, NULL, NULL) : expr;
}

/* The columns of the schema, in its order, of a source that knows them by name. */
static relation_of columns_by_name(decoder *d, const pt_plan *source, const pt_type *schema)
{
    pt_plan_project *project = pt__plan_make(d->arena, PROJECT, project, NULL);
    const pt_expr **expressions = pt__arena_array(d->arena, const pt_expr *, schema->field_count + 1);
    for (size_t i = 0; i < schema->field_count; i++) {
        const pt_field *field = &schema->fields[i];
        expressions[i] = as_declared(d, pt__expr_attribute(d->arena, field->name, NULL), field->type);
    }
    project->input = source;
    project->expressions = expressions;
    project->expression_count = schema->field_count;
    return (relation_of){&project->base, schema};
}

/* ---- tables ---- */

static pt_status read_table(decoder *d, const Substrait__ReadRel__NamedTable *m, const pt_type *schema,
                            relation_of *out)
{
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "named_table"));
    if (m->n_names == 0)
        return pt__substrait_bad(d, "a named table has no name");
    pt_plan_scan_table *scan = pt__plan_make(d->arena, SCAN_TABLE, scan_table, NULL);
    scan->name = (pt_name){(const char *const *)m->names, m->n_names};
    *out = columns_by_name(d, &scan->base, schema);
    return PT_OK;
}

static pt_status read_extension(decoder *d, const Substrait__ReadRel__ExtensionTable *m, const pt_type *schema,
                                relation_of *out)
{
    relation_of table;
    PT_TRY(pt__substrait_extension_of(d, m->detail, NULL, 0, NULL, &table));
    *out = columns_by_name(d, table.plan, schema);
    return PT_OK;
}

/* ---- files ---- */

typedef Substrait__ReadRel__LocalFiles__FileOrFiles file_item;

#define PATH(name) SUBSTRAIT__READ_REL__LOCAL_FILES__FILE_OR_FILES__PATH_TYPE_##name
#define FORMAT(name) SUBSTRAIT__READ_REL__LOCAL_FILES__FILE_OR_FILES__FILE_FORMAT_##name

static pt_status file_path(decoder *d, const file_item *m, const char **out)
{
    static const char SCHEME[] = "file://";
    const char *uri;
    switch ((int)m->path_type_case) {
    case PATH(URI_PATH): uri = m->uri_path; break;
    case PATH(URI_PATH_GLOB): uri = m->uri_path_glob; break;
    case PATH(URI_FILE): uri = m->uri_file; break;
    case PATH(URI_FOLDER): uri = m->uri_folder; break;
    default: return pt__substrait_unknown_kind(d, &m->base, m->path_type_case);
    }
    if (m->start != 0 || m->length != 0)
        return pt__substrait_unsupported(d, "parts of files in Substrait reads");
    *out = strncmp(uri, SCHEME, strlen(SCHEME)) == 0 ? uri + strlen(SCHEME) : uri;
    return PT_OK;
}

static void add_option(decoder *d, pt_plan_scan_files *scan, const char *key, const char *value)
{
    pt_option *items = pt__arena_array(d->arena, pt_option, scan->options.count + 1);
    if (scan->options.count != 0)
        memcpy(items, scan->options.items, scan->options.count * sizeof(*items));
    items[scan->options.count] = (pt_option){key, value};
    scan->options = (pt_options){items, scan->options.count + 1};
}

/* Text has no names: the schema's columns are those of the lines. */
static pt_status text_format(decoder *d,
                             const Substrait__ReadRel__LocalFiles__FileOrFiles__DelimiterSeparatedTextReadOptions *m,
                             const pt_type *schema, pt_plan_scan_files *scan)
{
    if (m->header_lines_to_skip > 1)
        return pt__substrait_unsupported(d, "text files with %llu header lines",
                                         (unsigned long long)m->header_lines_to_skip);
    scan->format = "csv";
    scan->schema = pt__substrait_plain(d, schema);
    add_option(d, scan, "header", m->header_lines_to_skip == 1 ? "true" : "false");
    if (*m->field_delimiter != '\0')
        add_option(d, scan, "sep", m->field_delimiter);
    if (*m->quote != '\0')
        add_option(d, scan, "quote", m->quote);
    if (*m->escape != '\0')
        add_option(d, scan, "escape", m->escape);
    if (m->_value_treated_as_null_case != 0)
        add_option(d, scan, "nullValue", m->value_treated_as_null);
    return PT_OK;
}

static pt_status file_format(decoder *d, const file_item *m, const pt_type *schema, pt_plan_scan_files *scan)
{
    switch ((int)m->file_format_case) {
    case FORMAT(PARQUET): scan->format = "parquet"; return PT_OK;
    case FORMAT(ORC): scan->format = "orc"; return PT_OK;
    case FORMAT(TEXT): return text_format(d, m->text, schema, scan);
    case FORMAT(EXTENSION):
        return pt__substrait_unsupported(d, "files of the Substrait format %s", m->extension->type_url);
    default: return pt__substrait_unknown_kind(d, &m->base, m->file_format_case);
    }
}

static pt_status read_files(decoder *d, const Substrait__ReadRel__LocalFiles *m, const pt_type *schema,
                            relation_of *out)
{
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "local_files"));
    if (m->n_items == 0)
        return pt__substrait_bad(d, "local_files names no file");
    pt_plan_scan_files *scan = pt__plan_make(d->arena, SCAN_FILES, scan_files, NULL);
    const char **paths = pt__arena_array(d->arena, const char *, m->n_items);
    for (size_t i = 0; i < m->n_items; i++) {
        if (m->items[i]->file_format_case != m->items[0]->file_format_case)
            return pt__substrait_unsupported(d, "Substrait reads of files of several formats");
        PT_TRY(file_path(d, m->items[i], &paths[i]));
    }
    PT_TRY(file_format(d, m->items[0], schema, scan));
    scan->paths = paths;
    scan->path_count = m->n_items;
    *out = columns_by_name(d, &scan->base, schema);
    return PT_OK;
}

/* ---- rows ---- */

static const pt_plan *limit_to_none(decoder *d, const pt_plan *input)
{
    pt_plan_limit *limit = pt__plan_make(d->arena, LIMIT, limit, NULL);
    limit->input = input;
    limit->limit = pt__expr_int(d->arena, 0);
    return &limit->base;
}

/* Rows without columns. */
static const pt_plan *bare_rows(decoder *d, size_t count)
{
    pt_plan_range *range = pt__plan_make(d->arena, RANGE, range, NULL);
    range->end = (int64_t)count;
    range->step = 1;
    return pt__substrait_project_of(d, &range->base, NULL, 0).plan;
}

static pt_status check_width(decoder *d, size_t width, const pt_type *schema)
{
    if (width == schema->field_count)
        return PT_OK;
    return pt__substrait_bad(d, "a row of a virtual table has %zu values for %zu columns", width, schema->field_count);
}

static pt_status cell_of_row(decoder *d, const Substrait__ReadRel__VirtualTable *m, size_t row, size_t column,
                             value_of *out)
{
    if (row < m->n_values)
        return pt__substrait_literal(d, m->values[row]->fields[column], out);
    return pt__substrait_expression(d, NULL, m->expressions[row - m->n_values]->fields[column], out);
}

static pt_status fill_rows(decoder *d, const Substrait__ReadRel__VirtualTable *m, const pt_type *schema,
                           pt_plan_values *values)
{
    size_t width = schema->field_count;
    size_t count = m->n_values + m->n_expressions;
    const pt_expr **cells = pt__arena_array(d->arena, const pt_expr *, width *(count + 1));
    for (size_t row = 0; row < count; row++) {
        PT_TRY(check_width(
            d, row < m->n_values ? m->values[row]->n_fields : m->expressions[row - m->n_values]->n_fields, schema));
        for (size_t i = 0; i < width; i++) {
            value_of cell;
            PT_TRY(cell_of_row(d, m, row, i, &cell));
            cells[row * width + i] = as_declared(d, cell.expr, schema->fields[i].type);
        }
    }
    for (size_t i = 0; count == 0 && i < width; i++)
        cells[i] = pt__expr_null(d->arena, pt__substrait_plain(d, schema->fields[i].type));
    values->cells = cells;
    values->row_count = count == 0 ? 1 : count;
    values->width = width;
    return PT_OK;
}

static pt_status read_rows(decoder *d, const Substrait__ReadRel__VirtualTable *m, const pt_type *schema,
                           relation_of *out)
{
    size_t count = m->n_values + m->n_expressions;
    out->columns = schema;
    if (schema->field_count == 0) {
        out->plan = bare_rows(d, count);
        return PT_OK;
    }
    pt_plan_values *values = pt__plan_make(d->arena, VALUES, values, NULL);
    PT_TRY(fill_rows(d, m, schema, values));
    const char **names = pt__arena_array(d->arena, const char *, schema->field_count);
    for (size_t i = 0; i < schema->field_count; i++)
        names[i] = schema->fields[i].name;
    out->plan = pt__substrait_to_df(d, &values->base, names, schema->field_count);
    if (count == 0)
        out->plan = limit_to_none(d, out->plan);
    return PT_OK;
}

/* ---- the relation ---- */

static pt_status read_source(decoder *d, const Substrait__ReadRel *m, const pt_type *schema, relation_of *out)
{
    switch ((int)m->read_type_case) {
    case READ(NAMED_TABLE): return read_table(d, m->named_table, schema, out);
    case READ(LOCAL_FILES): return read_files(d, m->local_files, schema, out);
    case READ(VIRTUAL_TABLE): return read_rows(d, m->virtual_table, schema, out);
    case READ(EXTENSION_TABLE): return read_extension(d, m->extension_table, schema, out);
    default: return pt__substrait_unknown_kind(d, &m->base, m->read_type_case);
    }
}

/* Columns and, of structs, fields; elements of lists and maps are taken whole. */
static pt_status select_fields(decoder *d, const Substrait__Expression__MaskExpression__StructSelect *m,
                               const pt_type *columns, value_of *out)
{
    for (size_t i = 0; i < m->n_struct_items; i++) {
        const Substrait__Expression__MaskExpression__StructItem *item = m->struct_items[i];
        if (item->field < 0 || (size_t)item->field >= columns->field_count)
            return pt__substrait_bad(d, "a projection takes column %d of %zu", item->field, columns->field_count);
        if (item->child != NULL)
            return pt__substrait_unsupported(d, "Substrait projections of parts of columns");
        out[i].expr = pt__substrait_ordinal(d, (uint32_t)item->field, 0);
        out[i].type = columns->fields[item->field].type;
    }
    return PT_OK;
}

static pt_status apply_projection(decoder *d, const Substrait__Expression__MaskExpression *m, relation_of *out)
{
    if (m == NULL || m->select == NULL)
        return PT_OK;
    value_of *values = pt__arena_array(d->arena, value_of, m->select->n_struct_items + 1);
    PT_TRY(select_fields(d, m->select, out->columns, values));
    *out = pt__substrait_project_of(d, out->plan, values, m->select->n_struct_items);
    return PT_OK;
}

/* The best-effort filter may be left alone, so it is. */
pt_status pt__substrait_read(decoder *d, const scope *outer, const Substrait__ReadRel *m, relation_of *out)
{
    const pt_type *schema;
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "read"));
    PT_TRY(pt__substrait_named_struct(d, m->base_schema, &schema));
    PT_TRY(read_source(d, m, schema, out));
    if (m->filter != NULL) {
        scope s = pt__substrait_scope_of(outer, out, m->common);
        const pt_expr *condition;
        PT_TRY(pt__substrait_condition(d, &s, m->filter, &condition));
        out->plan = pt__substrait_filter_of(d, out->plan, condition);
    }
    return apply_projection(d, m->projection, out);
}

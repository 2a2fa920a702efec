/* Commands, and EXPLAIN. */
#include "decode/datafusion/internal.h"

#include "decode/protobuf.h"

#include <ctype.h>
#include <string.h>

#define PLAN(name) DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_##name

/* DataFusion's own catalog and schema are the current database. */
static pt_status object_name(pt__df *d, const char *field, const Datafusion__TableReference *m, pt_name *out)
{
    const char *schema = NULL;
    const char *catalog = NULL;
    const char *table = NULL;
    pt__list(const char *) parts = {0};
    if (m == NULL || m->table_reference_enum_case == 0)
        return pt__df_bad(d, "%s is missing", field);
    if (m->table_reference_enum_case == DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_FULL) {
        catalog = m->full->catalog;
        schema = m->full->schema;
        table = m->full->table;
    } else if (m->table_reference_enum_case == DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_PARTIAL) {
        schema = m->partial->schema;
        table = m->partial->table;
    } else {
        table = m->bare->table;
    }
    if (catalog != NULL && strcmp(catalog, "datafusion") != 0)
        pt__list_push(d->arena, &parts, catalog);
    if (schema != NULL && (strcmp(schema, "public") != 0 || parts.count != 0))
        pt__list_push(d->arena, &parts, schema);
    pt__list_push(d->arena, &parts, table);
    *out = (pt_name){parts.items, parts.count};
    return PT_OK;
}

static pt_status query(pt__df *d, const char *field, const Datafusion__LogicalPlanNode *node, const pt_plan **out)
{
    pt__df_relation rows;
    if (node == NULL)
        return pt__df_bad(d, "%s is missing", field);
    PT_TRY(pt__df_relation_of(d, node, &rows));
    *out = pt__df_named(d, &rows);
    return PT_OK;
}

static const char *lower(pt__df *d, const char *text)
{
    char *copy = pt__arena_copy_string(d->arena, text);
    for (char *c = copy; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

/* ---- tables and views ---- */

static pt_status external_schema(pt__df *d, const DatafusionCommon__DfSchema *m, const pt_type **out)
{
    if (m == NULL || m->n_columns == 0)
        return PT_OK; /* to be found in the files */
    pt_field *fields = pt__arena_array(d->arena, pt_field, m->n_columns);
    for (size_t i = 0; i < m->n_columns; i++) {
        const pt__df_type *type;
        if (m->columns[i]->field == NULL)
            return pt__df_bad(d, "CreateExternalTableNode.schema: a field is missing");
        PT_TRY(pt__df_arrow_type(d->arena, m->columns[i]->field->arrow_type, &type, d->err));
        fields[i] = (pt_field){.name = m->columns[i]->field->name,
                               .type = pt__df_plan_type(d->arena, type),
                               .nullable = m->columns[i]->field->nullable};
    }
    *out = pt__type_struct(d->arena, fields, m->n_columns);
    return PT_OK;
}

/* Options of DataFusion's that the plan's readers know by another name. */
static pt_status external_options(pt__df *d, const Datafusion__CreateExternalTableNode *m, pt_options *out)
{
    static const char *const names[][2] = {{"format.has_header", "header"}, {"has_header", "header"},
                                           {"format.delimiter", "sep"},     {"delimiter", "sep"},
                                           {"format.quote", "quote"},       {"format.escape", "escape"},
                                           {"format.comment", "comment"}};
    pt_option *items = pt__arena_array(d->arena, pt_option, m->n_options);
    for (size_t i = 0; i < m->n_options; i++) {
        const char *key = lower(d, m->options[i]->key);
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
            if (strcmp(names[k][0], key) == 0)
                items[i] = (pt_option){names[k][1], m->options[i]->value};
        if (items[i].key == NULL)
            return pt__df_refuse(d, "the option %s of CreateExternalTableNode", key);
    }
    *out = (pt_options){items, m->n_options};
    return PT_OK;
}

static pt_status create_external_table(pt__df *d, const Datafusion__CreateExternalTableNode *m, const pt_plan **out)
{
    static const char *const formats[] = {"parquet", "csv", "json"};
    pt_plan_create_table *made = pt__plan_make(d->arena, CREATE_TABLE, create_table, NULL);
    PT_TRY(object_name(d, "CreateExternalTableNode.name", m->name, &made->name));
    if (m->unbounded || m->n_order_exprs != 0 || m->n_column_defaults != 0)
        return pt__df_refuse(d, "CreateExternalTableNode with %s",
                             m->unbounded            ? "unbounded"
                             : m->n_order_exprs != 0 ? "order_exprs"
                                                     : "column_defaults");
    const char *provider = lower(d, m->file_type);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i], provider) == 0)
            made->provider = formats[i];
    if (made->provider == NULL)
        return pt__df_refuse(d, "CreateExternalTableNode.file_type %s", m->file_type);
    made->mode = m->or_replace ? PT_CREATE_OR_REPLACE : PT_CREATE;
    made->if_not_exists = m->if_not_exists;
    made->is_external = true;
    made->location = m->location;
    made->partition_columns = (const char *const *)m->table_partition_cols;
    made->partition_count = m->n_table_partition_cols;
    PT_TRY(external_schema(d, m->schema, &made->schema));
    PT_TRY(external_options(d, m, &made->options));
    *out = &made->base;
    return PT_OK;
}

static pt_status create_view(pt__df *d, const Datafusion__CreateViewNode *m, const pt_plan **out)
{
    pt_plan_create_view *made = pt__plan_make(d->arena, CREATE_VIEW, create_view, NULL);
    PT_TRY(object_name(d, "CreateViewNode.name", m->name, &made->name));
    PT_TRY(query(d, "CreateViewNode.input", m->input, &made->query));
    made->view_kind = PT_VIEW_TEMPORARY; /* views of DataFusion last as long as their session */
    made->replace = m->or_replace;
    *out = &made->base;
    return PT_OK;
}

static pt_status drop_view(pt__df *d, const Datafusion__DropViewNode *m, const pt_plan **out)
{
    pt_plan_drop *made = pt__plan_make(d->arena, DROP, drop, NULL);
    PT_TRY(object_name(d, "DropViewNode.name", m->name, &made->name));
    made->object_kind = PT_OBJECT_VIEW;
    made->if_exists = m->if_exists;
    *out = &made->base;
    return PT_OK;
}

static pt_status create_schema(pt__df *d, const Datafusion__CreateCatalogSchemaNode *m, const pt_plan **out)
{
    pt_plan_create_database *made = pt__plan_make(d->arena, CREATE_DATABASE, create_database, NULL);
    if (strchr(m->schema_name, '.') != NULL)
        return pt__df_refuse(d, "CreateCatalogSchemaNode of another catalog: %s", m->schema_name);
    made->name = pt__name_one(d->arena, m->schema_name);
    made->if_not_exists = m->if_not_exists;
    *out = &made->base;
    return PT_OK;
}

/* ---- writing ---- */

static const char *file_path(const char *url)
{
    return strncmp(url, "file://", 7) == 0 ? url + 7 : url;
}

static pt_status copied_format(pt__df *d, const Datafusion__FileFormatProto *m, const char **format,
                               pt_options *options)
{
    ProtobufCMessage *csv = NULL;
    pt_bytes_view encoded = {m->encoded_file_format.data, m->encoded_file_format.len};
    switch ((int)m->kind) {
    case DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_UNSPECIFIED:
    case DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_PARQUET: *format = "parquet"; return PT_OK;
    case DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_JSON: *format = "json"; return PT_OK;
    case DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_CSV:
        *format = "csv";
        PT_TRY(pt__protobuf_unpack(d->arena, &datafusion_common__csv_options__descriptor, encoded, &csv, d->err));
        return pt__df_csv_options(d, (const DatafusionCommon__CsvOptions *)csv, false, options);
    case DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_ARROW: return pt__df_refuse(d, "writing Arrow files");
    case DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_AVRO: return pt__df_refuse(d, "writing Avro files");
    default: return pt__df_bad(d, "FileFormatProto.kind: there is no %d", (int)m->kind);
    }
}

static pt_status copy_to(pt__df *d, const Datafusion__CopyToNode *m, const pt_plan **out)
{
    ProtobufCMessage *format;
    pt_bytes_view file_type = {m->file_type.data, m->file_type.len};
    pt_plan_write_files *made = pt__plan_make(d->arena, WRITE_FILES, write_files, NULL);
    if (*m->output_url == '\0')
        return pt__df_bad(d, "CopyToNode.output_url is missing");
    PT_TRY(query(d, "CopyToNode.input", m->input, &made->query));
    PT_TRY(pt__protobuf_unpack(d->arena, &datafusion__file_format_proto__descriptor, file_type, &format, d->err));
    PT_TRY(copied_format(d, (const Datafusion__FileFormatProto *)format, &made->format, &made->options));
    made->path = file_path(m->output_url);
    made->is_single_file = m->output_url[strlen(m->output_url) - 1] != '/' && m->n_partition_by == 0;
    made->mode = made->is_single_file ? PT_SAVE_OVERWRITE : PT_SAVE_APPEND; /* to a folder files are added */
    made->gives_count = true;
    made->partition_columns = (const char *const *)m->partition_by;
    made->partition_count = m->n_partition_by;
    *out = &made->base;
    return PT_OK;
}

/* INSERT into files: they are added to the directory that the target scans. */
static pt_status insert_files(pt__df *d, const Datafusion__DmlNode *m, const Datafusion__ListingTableScanNode *target,
                              const pt_plan **out)
{
    pt_plan_write_files *made = pt__plan_make(d->arena, WRITE_FILES, write_files, NULL);
    if (target->n_paths != 1)
        return pt__df_refuse(d, "DmlNode: writing to a table of %zu paths", target->n_paths);
    PT_TRY(query(d, "DmlNode.input", m->input, &made->query));
    PT_TRY(pt__df_file_format(d, target, &made->format, &made->options));
    const char **partitions = pt__arena_array(d->arena, const char *, target->n_table_partition_cols);
    for (size_t i = 0; i < target->n_table_partition_cols; i++)
        partitions[i] = target->table_partition_cols[i]->name;
    made->path = file_path(target->paths[0]);
    made->mode = m->dml_type == DATAFUSION__DML_NODE__TYPE__INSERT_OVERWRITE ? PT_SAVE_OVERWRITE : PT_SAVE_APPEND;
    made->partition_columns = partitions;
    made->partition_count = target->n_table_partition_cols;
    made->gives_count = true;
    *out = &made->base;
    return PT_OK;
}

static pt_status dml(pt__df *d, const Datafusion__DmlNode *m, const pt_plan **out)
{
    const ProtobufCEnumValue *type =
        protobuf_c_enum_descriptor_get_value(&datafusion__dml_node__type__descriptor, (int)m->dml_type);
    if (type == NULL)
        return pt__df_bad(d, "DmlNode.dml_type: there is no %d", (int)m->dml_type);
    if (m->dml_type != DATAFUSION__DML_NODE__TYPE__INSERT_APPEND &&
        m->dml_type != DATAFUSION__DML_NODE__TYPE__INSERT_OVERWRITE)
        return pt__df_refuse(d, "DmlNode of type %s", type->name);
    if (m->target == NULL)
        return pt__df_bad(d, "DmlNode.target is missing");
    if (m->target->logical_plan_type_case != PLAN(LISTING_SCAN))
        return pt__df_refuse(d, "DmlNode into a table that is no files");
    return insert_files(d, m, m->target->listing_scan, out);
}

static pt_status explain(pt__df *d, const Datafusion__ExplainNode *m, const pt_plan **out)
{
    pt_plan_explain *made = pt__plan_make(d->arena, EXPLAIN, explain, NULL);
    PT_TRY(query(d, "ExplainNode.input", m->input, &made->query));
    made->mode = m->verbose ? "datafusion-verbose" : "datafusion";
    *out = &made->base;
    return PT_OK;
}

static pt_status analyze(pt__df *d, const Datafusion__AnalyzeNode *m, const pt_plan **out)
{
    pt_plan_explain *made = pt__plan_make(d->arena, EXPLAIN, explain, NULL);
    PT_TRY(query(d, "AnalyzeNode.input", m->input, &made->query));
    made->mode = "datafusion-analyze";
    *out = &made->base;
    return PT_OK;
}

pt_status pt__df_command(pt__df *d, const Datafusion__LogicalPlanNode *n, const pt_plan **out)
{
    switch ((int)n->logical_plan_type_case) {
    case PLAN(CREATE_EXTERNAL_TABLE): return create_external_table(d, n->create_external_table, out);
    case PLAN(EXPLAIN): return explain(d, n->explain, out);
    case PLAN(ANALYZE): return analyze(d, n->analyze, out);
    case PLAN(CREATE_CATALOG_SCHEMA): return create_schema(d, n->create_catalog_schema, out);
    case PLAN(CREATE_VIEW): return create_view(d, n->create_view, out);
    case PLAN(DROP_VIEW): return drop_view(d, n->drop_view, out);
    case PLAN(COPY_TO): return copy_to(d, n->copy_to, out);
    case PLAN(DML): return dml(d, n->dml, out);
    default: return PT_NOT_FOUND;
    }
}

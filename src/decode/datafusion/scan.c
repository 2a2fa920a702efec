/* Scans: files, views, and tables of whoever registered them. */
#include "decode/datafusion/internal.h"

#include <ctype.h>
#include <string.h>

#define FORMAT(name) DATAFUSION__LISTING_TABLE_SCAN_NODE__FILE_FORMAT_TYPE_##name

typedef pt__df_relation relation;
typedef pt__list(pt_option) option_list;

/* ---- options ---- */

static void put_option(pt__df *d, option_list *options, const char *key, const char *value)
{
    pt__list_push(d->arena, options, ((pt_option){key, value}));
}

/* Characters and flags are bytes, one or none. */
static pt_status put_character(pt__df *d, option_list *options, const char *key, ProtobufCBinaryData bytes,
                               const char *otherwise)
{
    if (bytes.len > 1)
        return pt__df_bad(d, "CsvOptions.%s has %zu bytes instead of one", key, bytes.len);
    if (bytes.len == 1)
        put_option(d, options, key, pt__arena_copy_text(d->arena, (const char *)bytes.data, 1));
    else if (otherwise != NULL)
        put_option(d, options, key, otherwise);
    return PT_OK;
}

static bool flag(ProtobufCBinaryData bytes, bool otherwise)
{
    return bytes.len == 0 ? otherwise : bytes.data[0] != 0;
}

static pt_status put_compression(pt__df *d, option_list *options, DatafusionCommon__CompressionTypeVariant type)
{
    switch ((int)type) {
    case DATAFUSION_COMMON__COMPRESSION_TYPE_VARIANT__UNCOMPRESSED: return PT_OK;
    case DATAFUSION_COMMON__COMPRESSION_TYPE_VARIANT__GZIP: put_option(d, options, "compression", "gzip"); return PT_OK;
    case DATAFUSION_COMMON__COMPRESSION_TYPE_VARIANT__ZSTD: put_option(d, options, "compression", "zstd"); return PT_OK;
    case DATAFUSION_COMMON__COMPRESSION_TYPE_VARIANT__BZIP2: return pt__df_refuse(d, "files compressed by bzip2");
    case DATAFUSION_COMMON__COMPRESSION_TYPE_VARIANT__XZ: return pt__df_refuse(d, "files compressed by xz");
    default: return pt__df_bad(d, "compression: there is no %d", (int)type);
    }
}

static const char *refused_csv_option(const DatafusionCommon__CsvOptions *csv)
{
    if (csv->terminator.len != 0)
        return "terminator";
    if (flag(csv->truncated_rows, false))
        return "truncated_rows";
    if (*csv->null_regex != '\0')
        return "null_regex";
    const char *const formats[] = {csv->date_format, csv->datetime_format, csv->timestamp_format,
                                   csv->timestamp_tz_format, csv->time_format};
    static const char *const names[] = {"date_format", "datetime_format", "timestamp_format", "timestamp_tz_format",
                                        "time_format"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (*formats[i] != '\0')
            return names[i];
    return NULL;
}

pt_status pt__df_csv_options(pt__df *d, const DatafusionCommon__CsvOptions *csv, bool for_reading, pt_options *out)
{
    static const DatafusionCommon__CsvOptions none = DATAFUSION_COMMON__CSV_OPTIONS__INIT;
    bool is_given = csv != NULL;
    option_list options = {0};
    csv = is_given ? csv : &none;
    const char *refused = refused_csv_option(csv);
    if (refused != NULL)
        return pt__df_refuse(d, "CsvOptions.%s", refused);
    put_option(d, &options, "header", flag(csv->has_header, true) ? "true" : "false");
    PT_TRY(put_character(d, &options, "sep", csv->delimiter, NULL));
    PT_TRY(put_character(d, &options, "quote", csv->quote, NULL));
    PT_TRY(put_character(d, &options, "escape", csv->escape, "\"")); /* quotes within quotes are doubled */
    PT_TRY(put_character(d, &options, "comment", csv->comment, NULL));
    if (*csv->null_value != '\0')
        put_option(d, &options, "nullValue", csv->null_value);
    if (for_reading && flag(csv->newlines_in_values, false))
        put_option(d, &options, "multiLine", "true");
    if (for_reading)
        put_option(d, &options, "mode", "FAILFAST");
    if (is_given && !for_reading)
        PT_TRY(put_compression(d, &options, csv->compression));
    *out = (pt_options){options.items, options.count};
    return PT_OK;
}

static pt_status json_options(pt__df *d, const DatafusionCommon__JsonOptions *json, pt_options *out)
{
    option_list options = {0};
    put_option(d, &options, "mode", "FAILFAST");
    if (json != NULL && json->newline_delimited_given_case != 0 && !json->newline_delimited)
        put_option(d, &options, "multiLine", "true");
    *out = (pt_options){options.items, options.count};
    return PT_OK;
}

pt_status pt__df_file_format(pt__df *d, const Datafusion__ListingTableScanNode *node, const char **format,
                             pt_options *options)
{
    *options = (pt_options){0};
    switch ((int)node->file_format_type_case) {
    case FORMAT(PARQUET): *format = "parquet"; return PT_OK;
    case FORMAT(CSV): *format = "csv"; return pt__df_csv_options(d, node->csv->options, true, options);
    case FORMAT(JSON): *format = "json"; return json_options(d, node->json->options, options);
    case FORMAT(_NOT_SET): return pt__df_not_set(d, &node->base);
    default: return pt__df_refuse_member(d, &node->base, node->file_format_type_case);
    }
}

/* ---- files ---- */

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* file:///a%20b is /a b; other schemes stay. */
static const char *path_of(pt__df *d, const char *url)
{
    if (strncmp(url, "file://", 7) != 0)
        return url;
    char *path = pt__arena_copy_string(d->arena, url + 7);
    char *to = path;
    for (const char *from = url + 7; *from != '\0'; from++) {
        bool is_escape = *from == '%' && hex_digit(from[1]) >= 0 && hex_digit(from[2]) >= 0;
        *to++ = is_escape ? (char)(hex_digit(from[1]) * 16 + hex_digit(from[2])) : *from;
        from += is_escape ? 2 : 0;
    }
    *to = '\0';
    return path;
}

/* Directories count for their files of the extension only. */
static pt_options with_extension(pt__df *d, const Datafusion__ListingTableScanNode *m, pt_options options)
{
    bool has_directory = false;
    for (size_t i = 0; i < m->n_paths; i++)
        has_directory = has_directory || (*m->paths[i] != '\0' && m->paths[i][strlen(m->paths[i]) - 1] == '/');
    if (!has_directory || *m->file_extension == '\0')
        return options;
    pt_option *items = pt__arena_array(d->arena, pt_option, options.count + 1);
    for (size_t i = 0; i < options.count; i++)
        items[i] = options.items[i];
    items[options.count] = (pt_option){"pathGlobFilter", pt__arena_printf(d->arena, "*%s", m->file_extension)};
    return (pt_options){items, options.count + 1};
}

typedef struct schema {
    pt_field *fields;
    pt__df_column *columns;
    size_t count;
} schema;

static void add_field(pt__df *d, schema *s, const char *table, const char *name, const pt__df_type *type)
{
    s->fields[s->count] = (pt_field){.name = name, .type = pt__df_plan_type(d->arena, type), .nullable = true};
    s->columns[s->count++] = (pt__df_column){table, name, NULL, type};
}

static pt_status read_schema(pt__df *d, const char *node, const DatafusionCommon__Schema *m, const char *table,
                             size_t more, schema *out)
{
    if (m == NULL)
        return pt__df_bad(d, "%s.schema is missing", node);
    if (table == NULL)
        return pt__df_bad(d, "%s.table_name is missing", node);
    out->fields = pt__arena_array(d->arena, pt_field, m->n_columns + more);
    out->columns = pt__arena_array(d->arena, pt__df_column, m->n_columns + more);
    for (size_t i = 0; i < m->n_columns; i++) {
        const pt__df_type *type;
        PT_TRY(pt__df_arrow_type(d->arena, m->columns[i]->arrow_type, &type, d->err));
        add_field(d, out, table, m->columns[i]->name, type);
    }
    return PT_OK;
}

static pt_status listing_schema(pt__df *d, const Datafusion__ListingTableScanNode *m, schema *out)
{
    const char *table = pt__df_table_name(d, m->table_name);
    PT_TRY(read_schema(d, "ListingTableScanNode", m->schema, table, m->n_table_partition_cols, out));
    for (size_t i = 0; i < m->n_table_partition_cols; i++) {
        const pt__df_type *type;
        PT_TRY(pt__df_arrow_type(d->arena, m->table_partition_cols[i]->arrow_type, &type, d->err));
        add_field(d, out, table, m->table_partition_cols[i]->name, type);
    }
    return PT_OK;
}

/* ---- what scans share ---- */

/* The scan's columns by name, with ids. */
static pt_status take_columns(pt__df *d, const pt_plan *scan, const schema *s, relation *out)
{
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, s->count);
    for (size_t i = 0; i < s->count; i++) {
        s->columns[i].id = pt__df_new_id(d);
        items[i] = pt__expr_alias(d->arena, pt__df_attribute(d, s->columns[i].name), s->columns[i].id);
    }
    if (s->count == 0)
        return pt__df_project(d, scan, NULL, NULL, 0, out);
    pt_plan_project *made = pt__plan_make(d->arena, PROJECT, project, NULL);
    made->input = scan;
    made->expressions = items;
    made->expression_count = s->count;
    *out = (relation){&made->base, s->columns, s->count};
    return PT_OK;
}

static pt_status apply_filters(pt__df *d, Datafusion__LogicalExprNode *const *filters, size_t count, relation *r)
{
    for (size_t i = 0; i < count; i++) {
        const pt_expr *condition;
        PT_TRY(pt__df_condition(d, r, filters[i], &condition));
        PT_TRY(pt__df_filter(d, condition, r));
    }
    return PT_OK;
}

/* The projection's columns, which it names; all of them when there is none. */
static pt_status pick_columns(pt__df *d, const char *node, const Datafusion__ProjectionColumns *m, relation *r)
{
    if (m == NULL)
        return PT_OK;
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, m->n_columns);
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, m->n_columns);
    for (size_t i = 0; i < m->n_columns; i++) {
        for (size_t k = 0; k < r->count && items[i] == NULL; k++) {
            if (strcmp(r->columns[k].name, m->columns[i]) != 0)
                continue;
            columns[i] = r->columns[k];
            items[i] = pt__df_attribute(d, columns[i].id);
        }
        if (items[i] == NULL)
            return pt__df_bad(d, "%s.projection: there is no column \"%s\"", node, m->columns[i]);
    }
    return pt__df_project(d, r->plan, columns, items, m->n_columns, r);
}

pt_status pt__df_listing_scan(pt__df *d, const Datafusion__ListingTableScanNode *m, relation *out)
{
    schema s = {0};
    const char **paths = pt__arena_array(d->arena, const char *, m->n_paths);
    pt_plan_scan_files *scan = pt__plan_make(d->arena, SCAN_FILES, scan_files, NULL);
    if (m->n_paths == 0)
        return pt__df_bad(d, "ListingTableScanNode.paths is empty");
    PT_TRY(listing_schema(d, m, &s));
    PT_TRY(pt__df_file_format(d, m, &scan->format, &scan->options));
    for (size_t i = 0; i < m->n_paths; i++)
        paths[i] = path_of(d, m->paths[i]);
    scan->options = with_extension(d, m, scan->options);
    scan->paths = paths;
    scan->path_count = m->n_paths;
    scan->schema = pt__type_struct(d->arena, s.fields, s.count);
    PT_TRY(take_columns(d, &scan->base, &s, out));
    PT_TRY(apply_filters(d, m->filters, m->n_filters, out));
    return pick_columns(d, "ListingTableScanNode", m->projection, out);
}

pt_status pt__df_view_scan(pt__df *d, const Datafusion__ViewTableScanNode *m, relation *out)
{
    const char *table = pt__df_table_name(d, m->table_name);
    if (m->input == NULL || table == NULL)
        return pt__df_bad(d, "ViewTableScanNode.%s is missing", m->input == NULL ? "input" : "table_name");
    PT_TRY(pt__df_relation_of(d, m->input, out));
    pt__df_column *columns = pt__arena_array(d->arena, pt__df_column, out->count);
    for (size_t i = 0; i < out->count; i++) {
        columns[i] = out->columns[i];
        columns[i].qualifier = table;
    }
    out->columns = columns;
    return pick_columns(d, "ViewTableScanNode", m->projection, out);
}

pt_status pt__df_empty_scan(pt__df *d, const Datafusion__EmptyTableScanNode *m, relation *out)
{
    schema s = {0};
    PT_TRY(read_schema(d, "EmptyTableScanNode", m->schema, pt__df_table_name(d, m->table_name), 0, &s));
    const pt_expr **items = pt__arena_array(d->arena, const pt_expr *, s.count);
    for (size_t i = 0; i < s.count; i++)
        items[i] = pt__expr_null(d->arena, s.fields[i].type);
    PT_TRY(pt__df_project(d, NULL, s.columns, items, s.count, out));
    PT_TRY(pt__df_filter(d, pt__expr_boolean(d->arena, false), out));
    return pick_columns(d, "EmptyTableScanNode", m->projection, out);
}

/* ---- extensions ---- */

static pt_status translate(pt__df *d, const pt__datafusion_extension *extension, const char *table, relation *out)
{
    const pt_plan *plan = NULL;
    const pt_type *given = extension->schema;
    schema s = {0};
    if (d->options->translate == NULL && table != NULL)
        return pt__df_refuse(d, "CustomTableScanNode: the table %s of a provider that is registered nowhere", table);
    if (d->options->translate == NULL)
        return pt__df_refuse(d, "LogicalExtensionNode: an extension without a translator");
    PT_TRY(d->options->translate(d->options->context, d->arena, extension, &plan, &given, d->err));
    if (plan == NULL || given == NULL || given->id != PT_TYPE_STRUCT)
        return pt_error_set(d->err, PT_INTERNAL, "the translator of a DataFusion extension gave no plan or no schema");
    s.fields = pt__arena_array(d->arena, pt_field, given->field_count);
    s.columns = pt__arena_array(d->arena, pt__df_column, given->field_count);
    for (size_t i = 0; i < given->field_count; i++)
        add_field(d, &s, table, given->fields[i].name, pt__df_from_plan_type(d->arena, given->fields[i].type));
    return take_columns(d, plan, &s, out);
}

pt_status pt__df_custom_scan(pt__df *d, const Datafusion__CustomTableScanNode *m, relation *out)
{
    schema s = {0};
    const char *table = pt__df_table_name(d, m->table_name);
    PT_TRY(read_schema(d, "CustomTableScanNode", m->schema, table, 0, &s));
    pt__datafusion_extension extension = {.table_name = table,
                                          .payload = {m->custom_table_data.data, m->custom_table_data.len},
                                          .schema = pt__type_struct(d->arena, s.fields, s.count)};
    PT_TRY(translate(d, &extension, table, out));
    PT_TRY(apply_filters(d, m->filters, m->n_filters, out));
    return pick_columns(d, "CustomTableScanNode", m->projection, out);
}

static const pt_type *schema_of(pt__df *d, const relation *r)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, r->count);
    for (size_t i = 0; i < r->count; i++)
        fields[i] = (pt_field){
            .name = r->columns[i].name, .type = pt__df_plan_type(d->arena, r->columns[i].type), .nullable = true};
    return pt__type_struct(d->arena, fields, r->count);
}

pt_status pt__df_extension(pt__df *d, const Datafusion__LogicalExtensionNode *m, relation *out)
{
    const pt_plan **inputs = pt__arena_array(d->arena, const pt_plan *, m->n_inputs);
    const pt_type **schemas = pt__arena_array(d->arena, const pt_type *, m->n_inputs);
    for (size_t i = 0; i < m->n_inputs; i++) {
        relation input;
        PT_TRY(pt__df_relation_of(d, m->inputs[i], &input));
        inputs[i] = pt__df_named(d, &input);
        schemas[i] = schema_of(d, &input);
    }
    pt__datafusion_extension extension = {
        .payload = {m->node.data, m->node.len}, .inputs = inputs, .input_schemas = schemas, .input_count = m->n_inputs};
    return translate(d, &extension, NULL, out);
}

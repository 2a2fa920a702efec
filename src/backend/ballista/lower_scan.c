/* Files. Which there are, and what is in them, analysis has found out: the cluster gets each by its name. */
#include "backend/ballista/lowering.h"

#include "base/unconst.h"

#include <string.h>
#include <strings.h>

static const char *file_url(pt__arena *arena, const char *path)
{
    static const char HEX[] = "0123456789ABCDEF";
    if (strncmp(path, "file:", 5) == 0)
        path += 5;
    size_t size = strlen(path);
    char *url = pt__arena_alloc_text(arena, 3 * size + 8);
    memcpy(url, "file://", 7);
    char *end = url + 7;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)path[i];
        bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("/-_.~=", c) != NULL;
        if (is_plain && c != '\0') {
            *end++ = (char)c;
        } else {
            *end++ = '%';
            *end++ = HEX[c >> 4];
            *end++ = HEX[c & 15];
        }
    }
    *end = '\0';
    return url;
}

typedef struct scan {
    pt__bl *bl;
    const pt_plan_scan_files *node;
    const char *relation; /* its name on the cluster */
    const char **names;   /* of the data's columns in the files; NULL: not there */
    pt__bname bare[1];    /* of the only column of rows without any */
} scan;

/* ---- the schema ---- */

/* What the file has, if the names of fields there are known. */
static const pt_field *found_field(const scan *s, const pt_field *field)
{
    const pt_type *found = s->node->files->found_schema;
    if (found == NULL)
        return field;
    for (size_t i = 0; i < found->field_count; i++) {
        if (strcasecmp(found->fields[i].name, field->name) == 0)
            return &found->fields[i];
    }
    return NULL;
}

DatafusionCommon__Schema *pt__bl_schema(pt__arena *arena, size_t most)
{
    DatafusionCommon__Schema *schema = pt__arena_make(arena, DatafusionCommon__Schema);
    datafusion_common__schema__init(schema);
    schema->columns = pt__arena_array(arena, DatafusionCommon__Field *, most + 1);
    return schema;
}

void pt__bl_add_field(pt__arena *arena, DatafusionCommon__Schema *schema, const char *name, pt__btype *type)
{
    DatafusionCommon__Field *field = pt__arena_make(arena, DatafusionCommon__Field);
    datafusion_common__field__init(field);
    field->name = pt__unconst(name);
    field->arrow_type = type;
    field->nullable = true; /* a promise that files may not keep */
    schema->columns[schema->n_columns++] = field;
}

static pt_status check_found(const scan *s, const pt_field *wanted, const pt_field *found, pt_error *err)
{
    if (pt__type_same_kind(wanted->type, found->type))
        return PT_OK;
    return pt__bl_refuse(
        err, s->node->base.origin,
        pt__arena_printf(s->bl->arena, "reading the column %s of another type than the files have", wanted->name));
}

/* Parquet: a field that the files do not have is left out, and NULL above. */
static pt_status parquet_schema(scan *s, DatafusionCommon__Schema *schema, pt_error *err)
{
    const pt_type *data = s->node->files->data_schema;
    for (size_t i = 0; i < data->field_count; i++) {
        const pt_field *found = found_field(s, &data->fields[i]);
        if (found == NULL)
            continue;
        PT_TRY(check_found(s, &data->fields[i], found, err));
        pt__btype *type = pt__btype_of(s->bl->arena, data->fields[i].type);
        if (type == NULL)
            continue; /* refused where it is used */
        if (data->fields[i].type->id == PT_TYPE_INTERVAL_DAY_TIME ||
            data->fields[i].type->id == PT_TYPE_INTERVAL_YEAR_MONTH)
            return pt__bl_refuse(err, s->node->base.origin, "reading intervals from files");
        s->names[i] = found->name;
        pt__bl_add_field(s->bl->arena, schema, found->name, type);
    }
    return PT_OK;
}

/* ---- one reader ---- */

static pt_status refuse_options(const scan *s, const char *const *known, pt_error *err)
{
    const pt_options *options = &s->node->options;
    for (size_t i = 0; i < options->count; i++) {
        bool is_known = false;
        for (size_t k = 0; known[k] != NULL && !is_known; k++)
            is_known = strcasecmp(known[k], options->items[i].key) == 0;
        if (!is_known)
            return pt__bl_refuse(err, s->node->base.origin,
                                 pt__arena_printf(s->bl->arena, "the option %s of a reader", options->items[i].key));
    }
    return PT_OK;
}

static pt_status check_options(const scan *s, pt_error *err)
{
    static const char *const PARQUET[] = {"path",
                                          "mergeSchema",
                                          "inferSchema",
                                          "recursiveFileLookup",
                                          "basePath",
                                          "pathGlobFilter",
                                          "datetimeRebaseMode",
                                          "int96RebaseMode",
                                          "header",
                                          NULL};
    return refuse_options(s, PARQUET, err);
}

static Datafusion__TableReference *table_name(pt__arena *arena, const char *name)
{
    Datafusion__TableReference *reference = pt__arena_make(arena, Datafusion__TableReference);
    datafusion__table_reference__init(reference);
    reference->table_reference_enum_case = DATAFUSION__TABLE_REFERENCE__TABLE_REFERENCE_ENUM_BARE;
    reference->bare = pt__arena_make(arena, Datafusion__BareTableReference);
    datafusion__bare_table_reference__init(reference->bare);
    reference->bare->table = pt__unconst(name);
    return reference;
}

pt__bplan *pt__bl_parquet(pt__bl *bl, const char *relation, char **urls, size_t count, DatafusionCommon__Schema *schema)
{
    Datafusion__ListingTableScanNode *node = pt__arena_make(bl->arena, Datafusion__ListingTableScanNode);
    datafusion__listing_table_scan_node__init(node);
    node->schema = schema;
    node->paths = urls;
    node->n_paths = count;
    if (count == 1 && urls[0][strlen(urls[0]) - 1] == '/')
        node->file_extension = pt__unconst(".parquet"); /* of what is in a folder */
    node->collect_stat = true;
    node->target_partitions = bl->target_partitions; /* 0 would kill the scheduler's planner */
    node->table_name = table_name(bl->arena, relation);
    node->file_format_type_case = DATAFUSION__LISTING_TABLE_SCAN_NODE__FILE_FORMAT_TYPE_PARQUET;
    node->parquet = pt__arena_make(bl->arena, DatafusionCommon__ParquetFormat);
    datafusion_common__parquet_format__init(node->parquet);
    pt__bplan *made = pt__bplan_new(bl->arena);
    made->node.logical_plan_type_case = DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_LISTING_SCAN;
    made->node.listing_scan = node;
    made->depth = 8;
    made->weight = 8 + 3 * schema->n_columns + count;
    return made;
}

/* A scan of the files [first, first + count), without partition columns. */
static pt_status read_files(scan *s, size_t first, size_t count, pt__bplan **out, pt_error *err)
{
    pt__arena *arena = s->bl->arena;
    const pt_file_set *files = s->node->files;
    DatafusionCommon__Schema *schema = pt__bl_schema(arena, files->data_schema->field_count);
    char **urls = pt__arena_array(arena, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        urls[i] = pt__unconst(file_url(arena, files->files[first + i].path));
    PT_TRY(check_options(s, err));
    PT_TRY(parquet_schema(s, schema, err));
    *out = pt__bl_parquet(s->bl, s->relation, urls, count, schema);
    return PT_OK;
}

/* The scan's columns under names of our own; partition values of `file` are constants. Columns of types that there
 * are not have no name. */
static pt_status name_columns(scan *s, const pt__bplan *input, const pt__bname *names, const pt_data_file *file,
                              const pt__bplan **out, pt_error *err)
{
    pt__arena *arena = s->bl->arena;
    const pt_plan *plan = &s->node->base;
    size_t data_count = s->node->files->data_schema->field_count;
    const pt__bx **items = pt__arena_array(arena, const pt__bx *, plan->column_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        pt__btype *type = pt__btype_of(arena, plan->columns[i].type);
        if (type == NULL)
            continue;
        if (i >= data_count)
            items[count] = pt__bx_literal(arena, plan->columns[i].type, &file->partition_values[i - data_count]);
        else if (s->names[i] == NULL)
            items[count] = pt__bx_null(arena, type);
        else
            items[count] = pt__bx_qualified(arena, s->relation, s->names[i]);
        if (items[count++] == NULL)
            return pt__bl_refuse(err, plan->origin, "a partition column of this type");
    }
    if (count == 0) { /* rows alone */
        items[0] = pt__bx_int32(arena, 0);
        names = pt__arena_copy(arena, s->bare, sizeof(s->bare));
        count = 1;
    }
    *out = pt__bplan_project(arena, input, items, names, count);
    return PT_OK;
}

/* ---- partitions ---- */

static bool same_values(const pt_file_set *files, size_t a, size_t b)
{
    const pt_type *type = files->partition_schema;
    for (size_t i = 0; type != NULL && i < type->field_count; i++) {
        if (!pt__value_equal(type->fields[i].type, &files->files[a].partition_values[i],
                             &files->files[b].partition_values[i]))
            return false;
    }
    return true;
}

/* Files of one partition follow each other; each run is a scan, all of them a union. */
static pt_status read_runs(scan *s, const pt__bname *names, const pt__bplan **out, pt_error *err)
{
    const pt_file_set *files = s->node->files;
    pt__list(const pt__bplan *) parts = {0};
    for (size_t first = 0, end = 0; first < files->file_count; first = end) {
        for (end = first + 1; end < files->file_count && same_values(files, first, end);)
            end++;
        pt__bplan *read = NULL;
        const pt__bplan *named = NULL;
        s->relation = pt__bl_new_name(s->bl);
        PT_TRY(read_files(s, first, end - first, &read, err));
        PT_TRY(name_columns(s, read, names, &files->files[first], &named, err));
        pt__list_push(s->bl->arena, &parts, named);
    }
    *out = parts.count == 1 ? parts.items[0] : pt__bplan_union(s->bl->arena, parts.items, parts.count);
    return PT_OK;
}

pt_status pt__bl_scan_files(pt__bl *bl, const pt_plan_scan_files *node, const pt__bplan **out, pt_error *err)
{
    if (node->files == NULL)
        return pt_error_set(err, PT_INTERNAL, "the scan of files has not been analyzed");
    if (node->files->file_count == 0)
        return pt__bl_no_rows(bl, &node->base, out, err);
    if (strcasecmp(node->format, "parquet") != 0)
        return pt__bl_stage(bl, &node->base,
                            pt__arena_printf(bl->arena, "reading files of the format %s", node->format), out, err);
    scan s = {.bl = bl, .node = node};
    s.names = pt__arena_array(bl->arena, const char *, node->files->data_schema->field_count + 1);
    pt__bname *names = pt__arena_array(bl->arena, pt__bname, node->base.column_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < node->base.column_count; i++) {
        const pt_column *column = &node->base.columns[i];
        if (pt__btype_of(bl->arena, column->type) != NULL)
            names[count++] = (pt__bname){pt__bl_bind_own(bl, column), column->type};
    }
    s.bare[0] = (pt__bname){pt__bl_new_name(bl), PT_T(INT)};
    return read_runs(&s, names, out, err);
}

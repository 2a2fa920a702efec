/* Writing: the copy node, with Spark's names of columns and Spark's options. */
#include "backend/ballista/copy.h"

#include "base/unconst.h"

#include <string.h>
#include <strings.h>

static pt_status refuse_option(pt__arena *arena, const pt__ballista_copy *copy, const char *key, pt_error *err)
{
    return pt__bl_refuse(err, NULL, pt__arena_printf(arena, "the option %s of a writer of %s", key, copy->format));
}

/* ---- formats ---- */

static ProtobufCBinaryData one_byte(pt__arena *arena, char c)
{
    uint8_t *byte = pt__arena_alloc(arena, 1);
    byte[0] = (uint8_t)c;
    return (ProtobufCBinaryData){1, byte};
}

static bool is_true(const char *value)
{
    return value != NULL && strcasecmp(value, "true") == 0;
}

static bool is_none(const char *value)
{
    return value == NULL || strcasecmp(value, "none") == 0 || strcasecmp(value, "uncompressed") == 0;
}

/* Options that say nothing about what is written. */
static bool is_indifferent(const char *key)
{
    static const char *const KEYS[] = {"path", "mode", "maxRecordsPerFile", "partitionOverwriteMode"};
    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++) {
        if (strcasecmp(KEYS[i], key) == 0)
            return strcasecmp(key, "maxRecordsPerFile") != 0;
    }
    return false;
}

static pt_status csv_option(pt__arena *arena, const pt__ballista_copy *copy, const pt_option *option,
                            DatafusionCommon__CsvOptions *out, pt_error *err)
{
    const char *value = option->value == NULL ? "" : option->value;
    bool is_one = strlen(value) == 1 && (unsigned char)value[0] < 0x80;
    if (strcasecmp(option->key, "header") == 0)
        out->has_header = one_byte(arena, is_true(value) ? 1 : 0);
    else if ((strcasecmp(option->key, "sep") == 0 || strcasecmp(option->key, "delimiter") == 0) && is_one)
        out->delimiter = one_byte(arena, value[0]);
    else if ((strcasecmp(option->key, "compression") == 0 || strcasecmp(option->key, "codec") == 0) && is_none(value))
        return PT_OK;
    else if (!is_indifferent(option->key))
        return refuse_option(arena, copy, option->key, err);
    return PT_OK;
}

static pt_status csv_options(pt__arena *arena, const pt__ballista_copy *copy, DatafusionCommon__CsvOptions *out,
                             pt_error *err)
{
    datafusion_common__csv_options__init(out);
    out->has_header = one_byte(arena, 0);
    out->delimiter = one_byte(arena, ',');
    out->quote = one_byte(arena, '"');
    out->compression = DATAFUSION_COMMON__COMPRESSION_TYPE_VARIANT__UNCOMPRESSED;
    out->date_format = pt__arena_copy_string(arena, "%Y-%m-%d"); /* one that is not given is taken for an empty one */
    for (size_t i = 0; i < copy->options.count; i++)
        PT_TRY(csv_option(arena, copy, &copy->options.items[i], out, err));
    return PT_OK;
}

static pt_status plain_options(pt__arena *arena, const pt__ballista_copy *copy, pt_error *err)
{
    bool is_parquet = strcasecmp(copy->format, "parquet") == 0;
    for (size_t i = 0; i < copy->options.count; i++) {
        const pt_option *option = &copy->options.items[i];
        bool is_codec = strcasecmp(option->key, "compression") == 0 || strcasecmp(option->key, "codec") == 0;
        /* How Parquet is compressed no reader sees. */
        if (!is_indifferent(option->key) && !(is_codec && (is_parquet || is_none(option->value))))
            return refuse_option(arena, copy, option->key, err);
    }
    return PT_OK;
}

static ProtobufCBinaryData packed(pt__arena *arena, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = pt__arena_alloc(arena, size + 1);
    protobuf_c_message_pack(message, bytes);
    return (ProtobufCBinaryData){size, bytes};
}

/* Parquet with its defaults is no bytes at all. */
static pt_status file_type(pt__arena *arena, const pt__ballista_copy *copy, ProtobufCBinaryData *out, pt_error *err)
{
    *out = (ProtobufCBinaryData){0, NULL};
    Datafusion__FileFormatProto format = DATAFUSION__FILE_FORMAT_PROTO__INIT;
    if (strcasecmp(copy->format, "csv") == 0) {
        DatafusionCommon__CsvOptions csv;
        PT_TRY(csv_options(arena, copy, &csv, err));
        format.kind = DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_CSV;
        format.encoded_file_format = packed(arena, &csv.base);
        *out = packed(arena, &format.base);
        return PT_OK;
    }
    PT_TRY(plain_options(arena, copy, err));
    if (strcasecmp(copy->format, "parquet") == 0)
        return PT_OK;
    if (strcasecmp(copy->format, "json") != 0)
        return pt__bl_refuse(err, NULL, pt__arena_printf(arena, "writing files of the format %s", copy->format));
    DatafusionCommon__JsonOptions json = DATAFUSION_COMMON__JSON_OPTIONS__INIT;
    json.compression = DATAFUSION_COMMON__COMPRESSION_TYPE_VARIANT__UNCOMPRESSED;
    format.kind = DATAFUSION__FILE_FORMAT_KIND__FILE_FORMAT_KIND_JSON;
    format.encoded_file_format = packed(arena, &json.base);
    *out = packed(arena, &format.base);
    return PT_OK;
}

/* ---- columns ---- */

/*
 * What the text formats hold as Spark's do. In CSV an empty text would be written as NULL is, and blanks around a text
 * would stay.
 */
static bool is_spelled_alike(const pt__ballista_copy *copy, const pt_type *type)
{
    bool is_csv = strcasecmp(copy->format, "csv") == 0;
    if (pt__type_is_integral(type) || type->id == PT_TYPE_BOOLEAN || type->id == PT_TYPE_DATE)
        return true;
    return is_csv ? type->id == PT_TYPE_DECIMAL : pt__type_is_string(type);
}

static pt_status check_type(pt__arena *arena, const pt__ballista_copy *copy, const pt_column *column, pt_error *err)
{
    bool is_parquet = strcasecmp(copy->format, "parquet") == 0;
    bool is_bad = is_parquet ? pt__type_is_interval(column->type) || column->type->id == PT_TYPE_VOID
                             : !is_spelled_alike(copy, column->type);
    if (!is_bad)
        return PT_OK;
    return pt__bl_refuse(err, NULL,
                         pt__arena_printf(arena, "writing the type %s to files of the format %s",
                                          pt__type_simple_string(arena, column->type), copy->format));
}

static pt_status check_columns(pt__arena *arena, const pt__ballista_copy *copy, const pt__ballista_lowered *rows,
                               pt_error *err)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        PT_TRY(check_type(arena, copy, &rows->columns[i], err));
        for (size_t k = 0; k < i; k++) {
            if (strcasecmp(rows->columns[i].name, rows->columns[k].name) == 0)
                return pt__bl_refuse(err, NULL, "writing two columns of one name");
        }
    }
    return PT_OK;
}

static const pt_column *find_column(const pt__ballista_lowered *rows, const char *name)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        if (strcasecmp(rows->columns[i].name, name) == 0)
            return &rows->columns[i];
    }
    return NULL;
}

static pt_status partition_names(pt__arena *arena, const pt__ballista_copy *copy, const pt__ballista_lowered *rows,
                                 Datafusion__CopyToNode *node, pt_error *err)
{
    node->partition_by = pt__arena_array(arena, char *, copy->partition_count + 1);
    for (size_t i = 0; i < copy->partition_count; i++) {
        const pt_column *found = find_column(rows, copy->partition_columns[i]);
        if (found == NULL)
            return pt_error_set(err, PT_ANALYSIS, "there is no column %s to partition by", copy->partition_columns[i]);
        if (!pt__type_is_string(found->type) && !pt__type_is_integral(found->type) && found->type->id != PT_TYPE_DATE)
            return pt__bl_refuse(err, NULL, "partitioning written files by a column of such a type");
        node->partition_by[node->n_partition_by++] = pt__unconst(found->name);
    }
    return PT_OK;
}

/* A folder's name: Spark's for NULL and for empty text; what would have to be escaped fails. */
static const pt__bx *folder_name(pt__arena *arena, const pt_column *column)
{
    pt__btype *text = pt__btype_named(arena, "utf8");
    const pt__bx *value = pt__bx_cast(arena, pt__bx_column(arena, column->name), text);
    const pt__bx *is_plain = pt__bx_call2(arena, "regexp_like", value, pt__bx_text(arena, "^[A-Za-z0-9_.-]+$"));
    const pt__bx *is_empty = pt__bx_binary(arena, "Eq", value, pt__bx_text(arena, ""));
    const pt__bx *pairs[] = {is_plain, value, pt__bx_or(arena, pt__bx_is_null(arena, value), is_empty),
                             pt__bx_text(arena, "__HIVE_DEFAULT_PARTITION__")};
    const pt__bx *other = pt__bx_raise(arena, "UNSUPPORTED_FEATURE.NOT_IN_PORTICO",
                                       "{\"feature\":\"a partition value with special characters on a Ballista "
                                       "cluster\"}",
                                       value, text);
    return pt__bx_case(arena, pairs, 2, other);
}

static const pt__bplan *name_folders(pt__arena *arena, const pt__ballista_copy *copy, const pt__ballista_lowered *rows,
                                     const pt__bplan *input)
{
    const pt__bx **items = pt__arena_array(arena, const pt__bx *, rows->column_count);
    for (size_t i = 0; i < rows->column_count; i++) {
        items[i] = pt__bx_column(arena, rows->columns[i].name);
        for (size_t k = 0; k < copy->partition_count; k++) {
            if (strcasecmp(copy->partition_columns[k], rows->columns[i].name) == 0)
                items[i] = folder_name(arena, &rows->columns[i]);
        }
    }
    return pt__bplan_project(arena, input, items, input->names, rows->column_count);
}

pt_status pt__bl_copy_node(pt__arena *arena, const pt__ballista_copy *copy, const pt__ballista_lowered *rows,
                           const pt__bplan *input, const pt__bplan **out, pt_error *err)
{
    Datafusion__CopyToNode *node = pt__arena_make(arena, Datafusion__CopyToNode);
    datafusion__copy_to_node__init(node);
    if (rows->column_count == 0)
        return pt__bl_refuse(err, NULL, "writing rows without columns");
    PT_TRY(check_columns(arena, copy, rows, err));
    PT_TRY(file_type(arena, copy, &node->file_type, err));
    PT_TRY(partition_names(arena, copy, rows, node, err));
    if (copy->partition_count > 0)
        input = name_folders(arena, copy, rows, input);
    node->input = pt__bplan_node(input);
    node->output_url = pt__unconst(copy->url);
    pt__bplan *made = pt__bplan_new(arena);
    made->node.logical_plan_type_case = DATAFUSION__LOGICAL_PLAN_NODE__LOGICAL_PLAN_TYPE_COPY_TO;
    made->node.copy_to = node;
    pt__bplan_holds(made, input, 2);
    *out = made;
    return PT_OK;
}

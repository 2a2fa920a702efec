#include "front/flight_sql/type_info.h"

#include <arrow/flight_sql.pb-c.h>
#include <nanoarrow/nanoarrow.h>
#include <string.h>

typedef struct type_info {
    const char *name;
    int32_t data_type;
    int32_t column_size;
    const char *quote;
    const char *create_params; /* separated by commas */
    bool case_sensitive;
    int32_t is_unsigned;
    int32_t radix;
    int32_t max_scale;
} type_info;

static const type_info TYPES[] = {
#define PT_TYPE_INFO(...) {__VA_ARGS__},
#include "front/flight_sql/type_info.def"
#undef PT_TYPE_INFO
};

/* ---- schema ---- */

static const struct column {
    const char *name;
    enum ArrowType type;
    bool nullable;
} COLUMNS[] = {
    {"type_name", NANOARROW_TYPE_STRING, false},        {"data_type", NANOARROW_TYPE_INT32, false},
    {"column_size", NANOARROW_TYPE_INT32, true},        {"literal_prefix", NANOARROW_TYPE_STRING, true},
    {"literal_suffix", NANOARROW_TYPE_STRING, true},    {"create_params", NANOARROW_TYPE_LIST, true},
    {"nullable", NANOARROW_TYPE_INT32, false},          {"case_sensitive", NANOARROW_TYPE_BOOL, false},
    {"searchable", NANOARROW_TYPE_INT32, false},        {"unsigned_attribute", NANOARROW_TYPE_BOOL, true},
    {"fixed_prec_scale", NANOARROW_TYPE_BOOL, false},   {"auto_increment", NANOARROW_TYPE_BOOL, true},
    {"local_type_name", NANOARROW_TYPE_STRING, true},   {"minimum_scale", NANOARROW_TYPE_INT32, true},
    {"maximum_scale", NANOARROW_TYPE_INT32, true},      {"sql_data_type", NANOARROW_TYPE_INT32, false},
    {"datetime_subcode", NANOARROW_TYPE_INT32, true},   {"num_prec_radix", NANOARROW_TYPE_INT32, true},
    {"interval_precision", NANOARROW_TYPE_INT32, true},
};

enum { COLUMN_COUNT = sizeof(COLUMNS) / sizeof(COLUMNS[0]) };

static ArrowErrorCode set_column(struct ArrowSchema *schema, const struct column *column)
{
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetType(schema, column->type));
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetName(schema, column->name));
    schema->flags = column->nullable ? ARROW_FLAG_NULLABLE : 0;
    if (column->type != NANOARROW_TYPE_LIST)
        return NANOARROW_OK;
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetType(schema->children[0], NANOARROW_TYPE_STRING));
    schema->children[0]->flags = 0;
    return ArrowSchemaSetName(schema->children[0], "item");
}

static ArrowErrorCode fill_schema(struct ArrowSchema *out)
{
    ArrowSchemaInit(out);
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetTypeStruct(out, COLUMN_COUNT));
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        NANOARROW_RETURN_NOT_OK(set_column(out->children[i], &COLUMNS[i]));
    return NANOARROW_OK;
}

pt_status pt__flight_type_info_schema(struct ArrowSchema *out, pt_error *err)
{
    out->release = NULL;
    if (fill_schema(out) == NANOARROW_OK)
        return PT_OK;
    if (out->release != NULL)
        out->release(out);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
}

/* ---- rows ---- */

static ArrowErrorCode append_text(struct ArrowArray *column, const char *text)
{
    return text == NULL ? ArrowArrayAppendNull(column, 1) : ArrowArrayAppendString(column, ArrowCharView(text));
}

static ArrowErrorCode append_number(struct ArrowArray *column, int32_t number)
{
    return number == -1 ? ArrowArrayAppendNull(column, 1) : ArrowArrayAppendInt(column, number);
}

static ArrowErrorCode append_params(struct ArrowArray *column, const char *params)
{
    if (params == NULL)
        return ArrowArrayAppendNull(column, 1);
    while (*params != '\0') {
        size_t size = strcspn(params, ",");
        NANOARROW_RETURN_NOT_OK(
            ArrowArrayAppendString(column->children[0], (struct ArrowStringView){params, (int64_t)size}));
        params += params[size] == ',' ? size + 1 : size;
    }
    return ArrowArrayFinishElement(column);
}

static ArrowErrorCode append_type(struct ArrowArray *rows, const type_info *t)
{
    enum { NULLABLE = 1, SEARCHABLE = 3 };
    struct ArrowArray **c = rows->children;
    bool is_number = t->is_unsigned != -1;
    NANOARROW_RETURN_NOT_OK(append_text(c[0], t->name));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(c[1], t->data_type));
    NANOARROW_RETURN_NOT_OK(append_number(c[2], t->column_size));
    NANOARROW_RETURN_NOT_OK(append_text(c[3], t->quote));
    NANOARROW_RETURN_NOT_OK(append_text(c[4], t->quote));
    NANOARROW_RETURN_NOT_OK(append_params(c[5], t->create_params));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(c[6], NULLABLE));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(c[7], t->case_sensitive));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(c[8], SEARCHABLE));
    NANOARROW_RETURN_NOT_OK(append_number(c[9], t->is_unsigned));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(c[10], 0));
    NANOARROW_RETURN_NOT_OK(append_number(c[11], is_number ? 0 : -1));
    NANOARROW_RETURN_NOT_OK(append_text(c[12], t->name));
    NANOARROW_RETURN_NOT_OK(append_number(c[13], t->max_scale == -1 ? -1 : 0));
    NANOARROW_RETURN_NOT_OK(append_number(c[14], t->max_scale));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendInt(c[15], t->data_type));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendNull(c[16], 1));
    NANOARROW_RETURN_NOT_OK(append_number(c[17], t->radix));
    NANOARROW_RETURN_NOT_OK(ArrowArrayAppendNull(c[18], 1));
    return ArrowArrayFinishElement(rows);
}

static ArrowErrorCode append_types(struct ArrowArray *rows, const int32_t *wanted)
{
    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        if (wanted == NULL || *wanted == TYPES[i].data_type)
            NANOARROW_RETURN_NOT_OK(append_type(rows, &TYPES[i]));
    }
    return ArrowArrayFinishBuildingDefault(rows, NULL);
}

pt_status pt__flight_type_info_rows(pt__arena *arena, const pt__flight_command *command, struct ArrowArrayStream *out,
                                    pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetXdbcTypeInfo *c;
    struct ArrowSchema schema;
    struct ArrowArray rows = {0};
    PT_TRY(pt__flight_command_unpack(arena, command,
                                     &arrow__flight__protocol__sql__command_get_xdbc_type_info__descriptor,
                                     (ProtobufCMessage **)&c, err));
    PT_TRY(pt__flight_type_info_schema(&schema, err));
    const int32_t *wanted = c->_data_type_case != 0 ? &c->data_type : NULL;
    bool built = ArrowArrayInitFromSchema(&rows, &schema, NULL) == NANOARROW_OK &&
                 ArrowArrayStartAppending(&rows) == NANOARROW_OK && append_types(&rows, wanted) == NANOARROW_OK &&
                 ArrowBasicArrayStreamInit(out, &schema, 1) == NANOARROW_OK;
    if (built) {
        ArrowBasicArrayStreamSetArray(out, 0, &rows);
        return PT_OK;
    }
    if (rows.release != NULL)
        rows.release(&rows);
    if (schema.release != NULL)
        schema.release(&schema);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
}

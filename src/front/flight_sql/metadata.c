#include "front/flight_sql/metadata.h"

#include "exec/ipc_writer.h"
#include "front/flight_sql/sql_info.h"
#include "front/flight_sql/table_schema.h"
#include "front/flight_sql/type_info.h"

#include <arrow/flight_sql.pb-c.h>
#include <nanoarrow/nanoarrow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- schemas ---- */

static const struct row {
    const char *command;
    const char *columns;
} ROWS[] = {
#define PT_METADATA(command, columns) {command, columns},
#include "front/flight_sql/metadata.def"
#undef PT_METADATA
};

static const char *columns_of(const pt__flight_command *command)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (pt__flight_command_is(command, ROWS[i].command))
            return ROWS[i].columns;
    }
    return NULL;
}

static size_t count_columns(const char *columns)
{
    size_t count = 1;
    for (; *columns != '\0'; columns++)
        count += *columns == ' ';
    return count;
}

/* "name:format!" */
static ArrowErrorCode set_column(struct ArrowSchema *schema, const char *text, size_t size)
{
    char name[64];
    char format[8];
    const char *colon = memchr(text, ':', size);
    size_t name_size = (size_t)(colon - text);
    size_t format_size = size - name_size - 1;
    bool not_null = text[size - 1] == '!';
    snprintf(name, sizeof(name), "%.*s", (int)name_size, text);
    snprintf(format, sizeof(format), "%.*s", (int)(format_size - not_null), colon + 1);
    ArrowSchemaInit(schema);
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetName(schema, name));
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetFormat(schema, format));
    schema->flags = not_null ? 0 : ARROW_FLAG_NULLABLE;
    return NANOARROW_OK;
}

static ArrowErrorCode fill_schema(struct ArrowSchema *out, const char *columns, bool with_table_schema)
{
    size_t count = count_columns(columns);
    ArrowSchemaInit(out);
    NANOARROW_RETURN_NOT_OK(ArrowSchemaSetTypeStruct(out, (int64_t)(count + with_table_schema)));
    for (size_t i = 0; i < count; i++) {
        size_t size = strcspn(columns, " ");
        out->children[i]->release(out->children[i]);
        NANOARROW_RETURN_NOT_OK(set_column(out->children[i], columns, size));
        columns += columns[size] == ' ' ? size + 1 : size;
    }
    if (!with_table_schema)
        return NANOARROW_OK;
    static const char column[] = "table_schema:z!";
    out->children[count]->release(out->children[count]);
    return set_column(out->children[count], column, sizeof(column) - 1);
}

static pt_status make_schema(const char *columns, bool with_table_schema, struct ArrowSchema *out, pt_error *err)
{
    out->release = NULL;
    if (fill_schema(out, columns, with_table_schema) == NANOARROW_OK)
        return PT_OK;
    if (out->release != NULL)
        out->release(out);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
}

static pt_status includes_schema(pt__arena *arena, const pt__flight_command *command, bool *out, pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetTables *c;
    *out = false;
    if (!pt__flight_command_is(command, "CommandGetTables"))
        return PT_OK;
    PT_TRY(pt__flight_command_unpack(arena, command, &arrow__flight__protocol__sql__command_get_tables__descriptor,
                                     (ProtobufCMessage **)&c, err));
    *out = c->include_schema;
    return PT_OK;
}

static pt_status schema_of(pt__arena *arena, const pt__flight_command *command, struct ArrowSchema *out, pt_error *err)
{
    bool with_table_schema;
    const char *columns = columns_of(command);
    if (pt__flight_command_is(command, "CommandGetSqlInfo"))
        return pt__flight_sql_info_schema(out, err);
    if (pt__flight_command_is(command, "CommandGetXdbcTypeInfo"))
        return pt__flight_type_info_schema(out, err);
    if (columns == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "the command %s is not supported", command->name);
    PT_TRY(includes_schema(arena, command, &with_table_schema, err));
    return make_schema(columns, with_table_schema, out, err);
}

pt_status pt__flight_metadata_schema(pt__arena *arena, const pt__flight_command *command, pt_bytes **out, pt_error *err)
{
    struct ArrowSchema schema;
    PT_TRY(schema_of(arena, command, &schema, err));
    pt_status status = pt__ipc_schema_message(&schema, out, err);
    schema.release(&schema);
    return status;
}

/* ---- the backend's rows under our schema ---- */

typedef struct renamed {
    struct ArrowArrayStream inner;
    struct ArrowSchema schema;
} renamed;

static int renamed_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    renamed *r = stream->private_data;
    return ArrowSchemaDeepCopy(&r->schema, out);
}

static int renamed_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    renamed *r = stream->private_data;
    return r->inner.get_next(&r->inner, out);
}

static const char *renamed_error(struct ArrowArrayStream *stream)
{
    renamed *r = stream->private_data;
    return r->inner.get_last_error(&r->inner);
}

static void renamed_release(struct ArrowArrayStream *stream)
{
    renamed *r = stream->private_data;
    r->inner.release(&r->inner);
    r->schema.release(&r->schema);
    free(r);
    stream->release = NULL;
}

static bool same_columns(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    if (a->n_children != b->n_children)
        return false;
    for (int64_t i = 0; i < a->n_children; i++) {
        if (strcmp(a->children[i]->format, b->children[i]->format) != 0)
            return false;
    }
    return true;
}

/* The rows must have the layout that the backend's contract states. */
static pt_status check_columns(renamed *r, pt_error *err)
{
    struct ArrowSchema schema;
    if (r->inner.get_schema(&r->inner, &schema) != 0) {
        const char *text = r->inner.get_last_error(&r->inner);
        return pt_error_set(err, PT_EXECUTION, "%s", text == NULL ? "the catalog cannot be read" : text);
    }
    bool same = same_columns(&schema, &r->schema);
    schema.release(&schema);
    return same ? PT_OK : pt_error_set(err, PT_INTERNAL, "the backend gives metadata in other columns");
}

static pt_status ask(pt__flight_session *session, const pt_metadata_request *request, const char *columns,
                     struct ArrowArrayStream *out, pt_error *err)
{
    renamed *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for metadata");
    pt_status status = make_schema(columns, false, &r->schema, err);
    if (status == PT_OK)
        status = pt__session_metadata(session->session, request, &r->inner, err);
    *out = (struct ArrowArrayStream){renamed_schema, renamed_next, renamed_error, renamed_release, r};
    if (status == PT_OK) {
        status = check_columns(r, err);
        if (status != PT_OK)
            out->release(out);
        return status;
    }
    if (r->schema.release != NULL)
        r->schema.release(&r->schema);
    free(r);
    out->release = NULL;
    return status;
}

/* ---- commands ---- */

/* A text that may be absent, which is another thing than an empty one. */
#define GIVEN(message, field) ((message)->_##field##_case != 0 ? (message)->field : NULL)
#define UNPACK(message, name)                                                                                          \
    PT_TRY(pt__flight_command_unpack(arena, command, &arrow__flight__protocol__sql__##name##__descriptor,              \
                                     (ProtobufCMessage **)&(message), err))

static pt_status fill_schemas(pt__arena *arena, const pt__flight_command *command, pt_metadata_request *out,
                              pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetDbSchemas *c;
    UNPACK(c, command_get_db_schemas);
    out->kind = PT_METADATA_SCHEMAS;
    out->catalog = GIVEN(c, catalog);
    out->schema_pattern = GIVEN(c, db_schema_filter_pattern);
    return PT_OK;
}

static pt_status fill_tables(pt__arena *arena, const pt__flight_command *command, pt_metadata_request *out,
                             pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetTables *c;
    UNPACK(c, command_get_tables);
    out->kind = PT_METADATA_TABLES;
    out->catalog = GIVEN(c, catalog);
    out->schema_pattern = GIVEN(c, db_schema_filter_pattern);
    out->table_pattern = GIVEN(c, table_name_filter_pattern);
    out->types = (const char *const *)c->table_types;
    out->type_count = c->n_table_types;
    return PT_OK;
}

static pt_status fill_primary_keys(pt__arena *arena, const pt__flight_command *command, pt_metadata_request *out,
                                   pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetPrimaryKeys *c;
    UNPACK(c, command_get_primary_keys);
    out->kind = PT_METADATA_PRIMARY_KEYS;
    out->catalog = GIVEN(c, catalog);
    out->schema = GIVEN(c, db_schema);
    out->table = c->table;
    return PT_OK;
}

static pt_status fill_exported_keys(pt__arena *arena, const pt__flight_command *command, pt_metadata_request *out,
                                    pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetExportedKeys *c;
    UNPACK(c, command_get_exported_keys);
    out->kind = PT_METADATA_FOREIGN_KEYS;
    out->catalog = GIVEN(c, catalog);
    out->schema = GIVEN(c, db_schema);
    out->table = c->table;
    return PT_OK;
}

static pt_status fill_imported_keys(pt__arena *arena, const pt__flight_command *command, pt_metadata_request *out,
                                    pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetImportedKeys *c;
    UNPACK(c, command_get_imported_keys);
    out->kind = PT_METADATA_FOREIGN_KEYS;
    out->foreign_catalog = GIVEN(c, catalog);
    out->foreign_schema = GIVEN(c, db_schema);
    out->foreign_table = c->table;
    return PT_OK;
}

static pt_status fill_cross_reference(pt__arena *arena, const pt__flight_command *command, pt_metadata_request *out,
                                      pt_error *err)
{
    Arrow__Flight__Protocol__Sql__CommandGetCrossReference *c;
    UNPACK(c, command_get_cross_reference);
    out->kind = PT_METADATA_FOREIGN_KEYS;
    out->catalog = GIVEN(c, pk_catalog);
    out->schema = GIVEN(c, pk_db_schema);
    out->table = c->pk_table;
    out->foreign_catalog = GIVEN(c, fk_catalog);
    out->foreign_schema = GIVEN(c, fk_db_schema);
    out->foreign_table = c->fk_table;
    return PT_OK;
}

static pt_status fill_request(pt__arena *arena, const pt__flight_command *command, pt_metadata_request *out,
                              pt_error *err)
{
    if (pt__flight_command_is(command, "CommandGetDbSchemas"))
        return fill_schemas(arena, command, out, err);
    if (pt__flight_command_is(command, "CommandGetTables"))
        return fill_tables(arena, command, out, err);
    if (pt__flight_command_is(command, "CommandGetPrimaryKeys"))
        return fill_primary_keys(arena, command, out, err);
    if (pt__flight_command_is(command, "CommandGetExportedKeys"))
        return fill_exported_keys(arena, command, out, err);
    if (pt__flight_command_is(command, "CommandGetImportedKeys"))
        return fill_imported_keys(arena, command, out, err);
    if (pt__flight_command_is(command, "CommandGetCrossReference"))
        return fill_cross_reference(arena, command, out, err);
    out->kind = pt__flight_command_is(command, "CommandGetCatalogs") ? PT_METADATA_CATALOGS : PT_METADATA_TABLE_TYPES;
    return PT_OK;
}

pt_status pt__flight_metadata_rows(pt__flight_session *session, pt__arena *arena, pt_bytes_view any,
                                   struct ArrowArrayStream *out, pt_error *err)
{
    pt__flight_command command;
    pt_metadata_request request = {.size_bytes = sizeof(request)};
    bool with_table_schema;
    PT_TRY(pt__flight_command_read(arena, any, &command, err));
    if (pt__flight_command_is(&command, "CommandGetSqlInfo"))
        return pt__flight_sql_info_rows(session, arena, &command, out, err);
    if (pt__flight_command_is(&command, "CommandGetXdbcTypeInfo"))
        return pt__flight_type_info_rows(arena, &command, out, err);
    const char *columns = columns_of(&command);
    if (columns == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "the command %s is not supported", command.name);
    PT_TRY(fill_request(arena, &command, &request, err));
    PT_TRY(includes_schema(arena, &command, &with_table_schema, err));
    PT_TRY(ask(session, &request, columns, out, err));
    if (!with_table_schema)
        return PT_OK;
    struct ArrowSchema schema;
    struct ArrowArrayStream plain = *out;
    pt_status status = make_schema(columns, true, &schema, err);
    if (status == PT_OK)
        status = pt__flight_add_table_schemas(session, arena, &plain, &schema, out, err);
    plain.release(&plain);
    return status;
}

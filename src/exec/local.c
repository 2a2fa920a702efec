/* Local relations: rows that a client sent in the plan or uploaded before, as Arrow of the declared types. */
#include "exec/ipc_reader.h"
#include "exec/session_catalog.h"

#include "base/arena_buffer.h"
#include "plan/arrow_schema.h"

#include <nanoarrow/nanoarrow.h>

#include <math.h>
#include <string.h>

/* ---- uploaded blobs ---- */

static void drop_bytes(void *bytes)
{
    pt_bytes_unref(bytes);
}

static pt_status find_blob(pt__session_catalog *c, const char *hash, pt_bytes_view *out, pt_error *err)
{
    const char *name = pt__arena_printf(c->arena, "cache/%s", hash);
    pt_bytes *blob = pt__session_get_artifact(c->session, name);
    if (blob == NULL)
        return pt__raise(err, PT_COND_CANNOT_FIND_CACHED_LOCAL_RELATION, "hash", hash, NULL);
    pt__job_needs(c->job, "the uploaded data", name);
    pt__arena_defer(c->arena, drop_bytes, blob);
    *out = pt_bytes_get_view(blob);
    return PT_OK;
}

/* A base-128 number; false when the bytes end in it. */
static bool read_varint(pt_bytes_view *rest, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && rest->size_bytes > 0; shift += 7) {
        uint8_t byte = *rest->data++;
        rest->size_bytes--;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/*
 * A whole LocalRelation message, as clients before 4.1 upload them: field 1 is the Arrow data, field 2 the schema text,
 * both length-delimited. It is read here because only the session has the bytes.
 */
static pt_status read_message(pt_bytes_view rest, pt_bytes_view *data, pt_bytes_view *schema, pt_error *err)
{
    while (rest.size_bytes > 0) {
        uint64_t tag = 0;
        uint64_t size = 0;
        if (!read_varint(&rest, &tag) || (tag & 7) != 2 || !read_varint(&rest, &size) || size > rest.size_bytes)
            return pt__raise(err, PT_COND_CONNECT_INVALID_PLAN_CANNOT_PARSE, "errorMsg",
                             "the uploaded local relation is malformed", NULL);
        if (tag >> 3 == 1)
            *data = (pt_bytes_view){rest.data, (size_t)size};
        if (tag >> 3 == 2)
            *schema = (pt_bytes_view){rest.data, (size_t)size};
        rest.data += size;
        rest.size_bytes -= (size_t)size;
    }
    return PT_OK;
}

/* ---- schemas ---- */

/* JSON, or DDL; a type that is no struct becomes the only column "value". */
static pt_status read_schema_text(pt__session_catalog *c, pt_bytes_view bytes, const pt_type **out, pt_error *err)
{
    const char *text = pt__arena_copy_text(c->arena, (const char *)bytes.data, bytes.size_bytes);
    pt__sql_options options = pt__session_sql_options(c);
    if (*text == '{' || *text == '"')
        PT_TRY(pt__type_parse_json(c->arena, text, strlen(text), out, err));
    else
        PT_TRY(pt__sql_parse_type(c->arena, (pt_text_view){text, strlen(text)}, &options, out, err));
    if ((*out)->id == PT_TYPE_STRUCT)
        return PT_OK;
    pt_field *field = pt__arena_make(c->arena, pt_field);
    *field = (pt_field){"value", *out, true, NULL};
    *out = pt__type_struct(c->arena, field, 1);
    return PT_OK;
}

static void end_schema(void *object)
{
    struct ArrowSchema *schema = object;
    if (schema->release != NULL)
        schema->release(schema);
}

static pt_status arrow_schema_of(pt__session_catalog *c, const pt_type *type, struct ArrowSchema **out, pt_error *err)
{
    pt_column *columns = pt__arena_array(c->arena, pt_column, type->field_count);
    for (size_t i = 0; i < type->field_count; i++) {
        const pt_field *f = &type->fields[i];
        columns[i] = (pt_column){.name = f->name, .type = f->type, .nullable = f->nullable, .metadata = f->metadata};
    }
    struct ArrowSchema *schema = pt__arena_make(c->arena, struct ArrowSchema);
    const char *zone = c->base.vtable->conf(&c->base, "spark.sql.session.timeZone");
    PT_TRY(pt__arrow_schema(columns, type->field_count, zone, schema, err));
    pt__arena_defer(c->arena, end_schema, schema);
    *out = schema;
    return PT_OK;
}

static pt_status without_rows(pt__session_catalog *c, const pt_type *type, const pt_local_data **out, pt_error *err)
{
    pt_local_data *data = pt__arena_make(c->arena, pt_local_data);
    struct ArrowSchema *schema;
    PT_TRY(arrow_schema_of(c, type, &schema, err));
    data->schema = schema;
    *out = data;
    return PT_OK;
}

/* ---- rows of other types than declared ---- */

static bool is_number(const pt_type *type)
{
    return pt__type_is_integral(type) || type->id == PT_TYPE_FLOAT || type->id == PT_TYPE_DOUBLE;
}

/* Bits of the same layout: nullability, names and lengths of text do not matter. */
static bool same_layout(const pt_type *sent, const pt_type *declared)
{
    if (declared->id == PT_TYPE_UDT)
        return same_layout(sent, declared->element);
    if (pt__type_is_string(sent) && pt__type_is_string(declared))
        return true;
    if (sent->id != declared->id || sent->field_count != declared->field_count)
        return false;
    if (sent->id == PT_TYPE_DECIMAL)
        return sent->precision == declared->precision && sent->scale == declared->scale;
    if (sent->element != NULL && !same_layout(sent->element, declared->element))
        return false;
    if (sent->key != NULL && !same_layout(sent->key, declared->key))
        return false;
    for (size_t i = 0; i < sent->field_count; i++)
        if (!same_layout(sent->fields[i].type, declared->fields[i].type))
            return false;
    return true;
}

typedef struct number {
    bool is_real;
    int64_t integer;
    double real;
} number;

static number get_number(pt_type_id type, const void *values, int64_t at)
{
    switch (type) {
    case PT_TYPE_BYTE: return (number){false, ((const int8_t *)values)[at], 0};
    case PT_TYPE_SHORT: return (number){false, ((const int16_t *)values)[at], 0};
    case PT_TYPE_INT: return (number){false, ((const int32_t *)values)[at], 0};
    case PT_TYPE_LONG: return (number){false, ((const int64_t *)values)[at], 0};
    case PT_TYPE_FLOAT: return (number){true, 0, (double)((const float *)values)[at]};
    default: return (number){true, 0, ((const double *)values)[at]};
    }
}

/* False when the number does not fit. Fractions are only stored as such. */
static bool append_number(struct ArrowBuffer *out, pt_type_id type, number n)
{
    double real = n.is_real ? n.real : (double)n.integer;
    switch (type) {
    case PT_TYPE_BYTE: return n.integer == (int8_t)n.integer && ArrowBufferAppendInt8(out, (int8_t)n.integer) == 0;
    case PT_TYPE_SHORT: return n.integer == (int16_t)n.integer && ArrowBufferAppendInt16(out, (int16_t)n.integer) == 0;
    case PT_TYPE_INT: return n.integer == (int32_t)n.integer && ArrowBufferAppendInt32(out, (int32_t)n.integer) == 0;
    case PT_TYPE_LONG: return ArrowBufferAppendInt64(out, n.integer) == 0;
    case PT_TYPE_FLOAT: return ArrowBufferAppendFloat(out, (float)real) == 0;
    default: return ArrowBufferAppendDouble(out, real) == 0;
    }
}

static bool convert_numbers(struct ArrowArray *column, pt_type_id from, pt_type_id to)
{
    struct ArrowBuffer converted;
    ArrowBufferInit(&converted);
    const uint8_t *validity = column->buffers[0];
    for (int64_t i = 0; i < column->length; i++) {
        bool is_null = validity != NULL && !ArrowBitGet(validity, i);
        number n = is_null ? (number){false, 0, 0} : get_number(from, column->buffers[1], i);
        if (!append_number(&converted, to, n)) {
            ArrowBufferReset(&converted);
            return false;
        }
    }
    ArrowBufferReset(ArrowArrayBuffer(column, 1));
    ArrowBufferMove(&converted, ArrowArrayBuffer(column, 1));
    column->buffers[1] = ArrowArrayBuffer(column, 1)->data;
    return true;
}

static pt_status type_error(pt__session_catalog *c, const pt_field *declared, const pt_type *sent, pt_error *err)
{
    pt__buffer *name = pt__arena_buffer(c->arena);
    pt__append_quoted(name, declared->name);
    const char *quoted = pt__arena_buffer_take(c->arena, name);
    return pt__raise(err, PT_COND_INVALID_COLUMN_OR_FIELD_DATA_TYPE, "name", quoted, "type",
                     pt__arena_printf(c->arena, "\"%s\"", pt__type_sql(c->arena, sent)), "expectedType",
                     pt__arena_printf(c->arena, "\"%s\"", pt__type_sql(c->arena, declared->type)), NULL);
}

static pt_status fit_column(pt__session_catalog *c, const pt_local_data *data, size_t index, const pt_type *sent,
                            const pt_field *declared, pt_error *err)
{
    if (same_layout(sent, declared->type))
        return PT_OK;
    bool keeps_fractions = pt__type_is_integral(sent) || !pt__type_is_integral(declared->type);
    if (!is_number(sent) || !is_number(declared->type) || !keeps_fractions)
        return type_error(c, declared, sent, err);
    for (size_t i = 0; i < data->batch_count; i++)
        if (!convert_numbers(data->batches[i]->children[index], sent->id, declared->type->id))
            return pt__raise(err, PT_COND_CAST_OVERFLOW, "value", declared->name, "sourceType",
                             pt__arena_printf(c->arena, "\"%s\"", pt__type_sql(c->arena, sent)), "targetType",
                             pt__arena_printf(c->arena, "\"%s\"", pt__type_sql(c->arena, declared->type)), NULL);
    return PT_OK;
}

static pt_status fit_nulls(pt__session_catalog *c, const pt_local_data *data, size_t index, const pt_field *declared,
                           pt_error *err)
{
    for (size_t i = 0; i < data->batch_count && !declared->nullable; i++) {
        const struct ArrowArray *column = data->batches[i]->children[index];
        bool has_nulls = column->n_buffers > 0 && column->buffers[0] != NULL &&
                         ArrowBitCountSet(column->buffers[0], 0, column->length) != column->length;
        if (has_nulls)
            return pt__raise(err, PT_COND_NULLABLE_COLUMN_OR_FIELD, "name",
                             pt__arena_printf(c->arena, "`%s`", declared->name), NULL);
    }
    return PT_OK;
}

/* Columns match by position; names, types and nullability become the declared ones. */
static pt_status fit(pt__session_catalog *c, const pt_type *sent, const pt_type *declared, const pt_local_data **rows,
                     pt_error *err)
{
    if (sent->field_count != declared->field_count)
        return pt__raise(err, PT_COND_ASSIGNMENT_ARITY_MISMATCH, "numTarget",
                         pt__arena_printf(c->arena, "%zu", declared->field_count), "numExpr",
                         pt__arena_printf(c->arena, "%zu", sent->field_count), NULL);
    for (size_t i = 0; i < declared->field_count; i++) {
        PT_TRY(fit_column(c, *rows, i, sent->fields[i].type, &declared->fields[i], err));
        PT_TRY(fit_nulls(c, *rows, i, &declared->fields[i], err));
    }
    pt_local_data *fitted = pt__arena_copy(c->arena, *rows, sizeof(**rows));
    struct ArrowSchema *schema;
    PT_TRY(arrow_schema_of(c, declared, &schema, err));
    fitted->schema = schema;
    *rows = fitted;
    return PT_OK;
}

/* ---- all together ---- */

typedef struct local_parts {
    pt_bytes_view *streams;
    size_t stream_count;
    const pt_type *schema; /* declared; NULL: Arrow's */
} local_parts;

static pt_status uploaded_message(pt__session_catalog *c, const pt_plan_local *local, local_parts *out, pt_error *err)
{
    pt_bytes_view blob;
    pt_bytes_view schema = {NULL, 0};
    PT_TRY(find_blob(c, local->cache_hash, &blob, err));
    out->streams = pt__arena_make(c->arena, pt_bytes_view);
    PT_TRY(read_message(blob, &out->streams[0], &schema, err));
    out->stream_count = out->streams[0].size_bytes != 0;
    return schema.size_bytes == 0 ? PT_OK : read_schema_text(c, schema, &out->schema, err);
}

static pt_status uploaded_chunks(pt__session_catalog *c, const pt_plan_local *local, local_parts *out, pt_error *err)
{
    pt_bytes_view schema;
    out->streams = pt__arena_array(c->arena, pt_bytes_view, local->chunk_count);
    for (size_t i = 0; i < local->chunk_count; i++)
        PT_TRY(find_blob(c, local->chunk_hashes[i], &out->streams[i], err));
    out->stream_count = local->chunk_count;
    if (local->schema_hash == NULL)
        return PT_OK;
    PT_TRY(find_blob(c, local->schema_hash, &schema, err));
    return read_schema_text(c, schema, &out->schema, err);
}

static pt_status gather(pt__session_catalog *c, const pt_plan_local *local, local_parts *out, pt_error *err)
{
    *out = (local_parts){.schema = local->schema};
    if (local->cache_hash != NULL)
        return uploaded_message(c, local, out, err);
    if (local->chunk_count != 0)
        return uploaded_chunks(c, local, out, err);
    out->streams = pt__arena_make(c->arena, pt_bytes_view);
    out->streams[0] = local->data;
    out->stream_count = local->data.size_bytes != 0;
    return PT_OK;
}

pt_status pt__session_find_local(pt__session_catalog *c, pt__arena *arena, const pt_plan_local *local,
                                 const pt_type **schema, const pt_local_data **out, pt_error *err)
{
    local_parts parts;
    const pt_type *sent;
    if (local->rows != NULL) { /* made by a command */
        *schema = local->schema;
        *out = local->rows;
        return PT_OK;
    }
    PT_TRY(gather(c, local, &parts, err));
    *schema = parts.schema;
    if (parts.stream_count == 0 && parts.schema == NULL)
        return pt__raise(err, PT_COND_SCHEMA_REQUIRED_FOR_LOCAL_RELATION, NULL);
    if (parts.stream_count == 0)
        return without_rows(c, parts.schema, out, err);
    PT_TRY(pt__ipc_read_streams(arena, parts.streams, parts.stream_count, out, err));
    PT_TRY(pt__arrow_type(arena, (*out)->schema, &sent, err));
    if (sent->id != PT_TYPE_STRUCT) /* columns that look like a variant */
        return pt_error_set(err, PT_INVALID_ARGUMENT, "local rows must have columns");
    if (parts.schema == NULL) {
        *schema = sent;
        return PT_OK;
    }
    return fit(c, sent, parts.schema, out, err);
}

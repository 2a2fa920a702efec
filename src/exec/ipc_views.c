#include "exec/ipc_views.h"

#include "exec/arrow_layout.h"

#include <nanoarrow/ipc/flatcc_generated.h>
#include <nanoarrow/nanoarrow.h>
#include <nanoarrow/nanoarrow_ipc.h>

#include <string.h>

#define ns(name) org_apache_arrow_flatbuf_##name

enum {
    TYPE_TYPE_FIELD = 2, /* of the table Field: the type's tag */
    DEPTH_MAX = 64,
    SIZE_PREFIX_BYTES = 8, /* of a compressed buffer */
    VIEW_BYTES = 16,
    INLINE_BYTES = 12
};

static pt_status malformed(const char *what, pt_error *err)
{
    return pt_error_set(err, PT_BAD_MESSAGE, "malformed Arrow data: %s", what);
}

/* ---- schemas ---- */

static bool is_view_type(uint8_t type)
{
    return type == ns(Type_Utf8View) || type == ns(Type_BinaryView);
}

/* A table begins with the distance back to its vtable, which has the places of its members after two sizes. */
static uint8_t *type_tag(uint8_t *table)
{
    int32_t distance;
    uint16_t place;
    memcpy(&distance, table, sizeof(distance));
    const uint8_t *vtable = table - distance;
    memcpy(&place, vtable + (2 + TYPE_TYPE_FIELD) * sizeof(place), sizeof(place));
    return table + place;
}

/* What neither this decoder nor nanoarrow's reads, by the name that users know; NULL: read. */
static const char *name_of_unread(uint8_t type)
{
    switch (type) {
    case ns(Type_ListView): return "list_view";
    case ns(Type_LargeListView): return "large_list_view";
    case ns(Type_RunEndEncoded): return "run_end_encoded";
    default: return NULL;
    }
}

static pt_status check_type(ns(Field_table_t) field, const char *column, pt_error *err)
{
    const char *name = name_of_unread(ns(Field_type_type)(field));
    if (name == NULL)
        return PT_OK;
    return pt_error_set(err, PT_UNSUPPORTED, "the column \"%s\" has the Arrow type %s, which is not read", column,
                        name);
}

static pt_status take_field(pt__view_fields *fields, uint8_t *base, ns(Field_table_t) field, const char *column,
                            int depth, pt_error *err)
{
    PT_TRY(check_type(field, column, err));
    if (fields->count == PT_VIEW_FIELDS_MAX || depth > DEPTH_MAX)
        return pt_error_set(err, PT_LIMIT, "a result has more than %d columns and parts of them", PT_VIEW_FIELDS_MAX);
    bool is_view = is_view_type(ns(Field_type_type)(field));
    fields->is_view[fields->count++] = is_view;
    fields->has_views = fields->has_views || is_view;
    if (is_view && ns(Field_dictionary_is_present)(field))
        return pt_error_set(err, PT_UNSUPPORTED, "the column \"%s\" is a dictionary of views, which is not read",
                            column);
    if (is_view) {
        uint8_t *tag = type_tag(base + ((const uint8_t *)field - base));
        *tag = *tag == ns(Type_Utf8View) ? ns(Type_Utf8) : ns(Type_Binary);
    }
    ns(Field_vec_t) children = ns(Field_children)(field);
    for (size_t i = 0; i < ns(Field_vec_len)(children); i++)
        PT_TRY(take_field(fields, base, ns(Field_vec_at)(children, i), column, depth + 1, err));
    return PT_OK;
}

/* Errors name the column also for what is within it. */
static pt_status take_column(pt__view_fields *fields, uint8_t *base, ns(Field_table_t) field, pt_error *err)
{
    const char *name = ns(Field_name)(field);
    return take_field(fields, base, field, name == NULL ? "" : name, 0, err);
}

pt_status pt__view_fields_take(pt__view_fields *fields, uint8_t *flatbuffer, pt_error *err)
{
    ns(Message_table_t) message = ns(Message_as_root)(flatbuffer);
    fields->count = 0;
    fields->has_views = false;
    if (ns(Message_header_type)(message) != ns(MessageHeader_Schema))
        return PT_OK;
    ns(Field_vec_t) all = ns(Schema_fields)((ns(Schema_table_t))ns(Message_header)(message));
    for (size_t i = 0; i < ns(Field_vec_len)(all); i++)
        PT_TRY(take_column(fields, flatbuffer, ns(Field_vec_at)(all, i), err));
    return PT_OK;
}

/* ---- buffers of a body ---- */

typedef struct batch_reader {
    const pt__view_fields *fields;
    pt_bytes *owner;
    pt_bytes_view body;
    ns(FieldNode_vec_t) nodes;
    ns(Buffer_vec_t) buffers;
    flatbuffers_int64_vec_t variadic;
    ArrowIpcDecompressFunction decompress; /* NULL: as they are */
    size_t node;
    size_t buffer;
    size_t view;
    size_t field;
    int64_t spelled_left; /* bytes that views may still become */
    pt_error *err;
} batch_reader;

static void unref_owner(struct ArrowBufferAllocator *allocator, uint8_t *data, int64_t size)
{
    (void)data;
    (void)size;
    pt_bytes_unref(allocator->private_data);
}

static void share(const batch_reader *r, pt_bytes_view view, struct ArrowBuffer *out)
{
    ArrowBufferInit(out);
    if (view.size_bytes == 0)
        return;
    ArrowBufferSetAllocator(out, ArrowBufferDeallocator(unref_owner, pt_bytes_ref(r->owner)));
    out->data = (uint8_t *)view.data;
    out->size_bytes = (int64_t)view.size_bytes;
    out->capacity_bytes = out->size_bytes;
}

/* A compressed buffer begins with its size as it was, -1 for one that is not compressed. */
static pt_status inflate(const batch_reader *r, pt_bytes_view view, struct ArrowBuffer *out)
{
    enum { RATIO_MAX = 1 << 16 }; /* zstd packs zeros about so tightly */
    int64_t size;
    struct ArrowBufferView packed;
    if (view.size_bytes < SIZE_PREFIX_BYTES)
        return malformed("a compressed buffer", r->err);
    memcpy(&size, view.data, sizeof(size));
    packed.data.as_uint8 = view.data + SIZE_PREFIX_BYTES;
    packed.size_bytes = (int64_t)view.size_bytes - SIZE_PREFIX_BYTES;
    if (size == -1) {
        share(r, (pt_bytes_view){packed.data.as_uint8, (size_t)packed.size_bytes}, out);
        return PT_OK;
    }
    ArrowBufferInit(out);
    if (size < 0 || size / RATIO_MAX > packed.size_bytes)
        return malformed("the size of a compressed buffer", r->err);
    if (size > 0 && ArrowBufferResize(out, size, 0) != NANOARROW_OK)
        return pt_error_set(r->err, PT_NO_MEMORY, "no memory for a result");
    if (size > 0 && r->decompress(packed, out->data, size, NULL) != NANOARROW_OK) {
        ArrowBufferReset(out);
        return malformed("a compressed buffer", r->err);
    }
    return PT_OK;
}

static pt_status next_buffer(batch_reader *r, struct ArrowBuffer *out)
{
    ArrowBufferInit(out);
    if (r->buffer >= ns(Buffer_vec_len)(r->buffers))
        return malformed("a buffer is missing", r->err);
    ns(Buffer_struct_t) place = ns(Buffer_vec_at)(r->buffers, r->buffer++);
    int64_t offset = ns(Buffer_offset)(place);
    int64_t length = ns(Buffer_length)(place);
    if (offset < 0 || length < 0 || (uint64_t)offset > r->body.size_bytes ||
        (uint64_t)length > r->body.size_bytes - (uint64_t)offset || offset % 8 != 0)
        return malformed("a buffer outside of the body", r->err);
    pt_bytes_view view = {r->body.data + offset, (size_t)length};
    if (r->decompress != NULL && length != 0)
        return inflate(r, view, out);
    share(r, view, out);
    return PT_OK;
}

static pt_status set_buffer(batch_reader *r, struct ArrowArray *array, int64_t index)
{
    struct ArrowBuffer buffer;
    PT_TRY(next_buffer(r, &buffer));
    if (ArrowArraySetBuffer(array, index, &buffer) == NANOARROW_OK)
        return PT_OK;
    ArrowBufferReset(&buffer);
    return pt_error_set(r->err, PT_NO_MEMORY, "no memory for a result");
}

static pt_status set_validity(batch_reader *r, struct ArrowArray *array)
{
    struct ArrowBuffer buffer;
    PT_TRY(next_buffer(r, &buffer));
    if (array->null_count == 0 || buffer.size_bytes == 0) {
        ArrowBufferReset(&buffer);
        return PT_OK;
    }
    struct ArrowBitmap bitmap;
    ArrowBitmapInit(&bitmap);
    bitmap.buffer = buffer;
    ArrowArraySetValidityBitmap(array, &bitmap);
    return PT_OK;
}

/* ---- views ---- */

typedef struct views {
    struct ArrowBuffer entries;
    struct ArrowBuffer *parts;
    size_t part_count;
    int64_t length;
} views;

static bool is_valid(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *bits = array->buffers[0];
    return bits == NULL || (bits[row / 8] >> (row % 8) & 1) != 0;
}

/* Where the text of an entry is; NULL when it points beyond what there is. */
static const uint8_t *text_at(const views *v, int64_t row, int32_t *size)
{
    const uint8_t *entry = v->entries.data + row * VIEW_BYTES;
    int32_t place[2]; /* part, offset */
    memcpy(size, entry, sizeof(*size));
    if (*size >= 0 && *size <= INLINE_BYTES)
        return entry + 4;
    memcpy(place, entry + 8, sizeof(place));
    if (*size < 0 || place[0] < 0 || (size_t)place[0] >= v->part_count || place[1] < 0 ||
        (int64_t)place[1] + *size > v->parts[place[0]].size_bytes)
        return NULL;
    return v->parts[place[0]].data + place[1];
}

static pt_status too_large(const batch_reader *r)
{
    return pt_error_set(r->err, PT_LIMIT, "a batch has more than %lld MiB of text, spelled out",
                        (long long)(r->fields->limit_bytes >> 20));
}

/* Many views may show the same bytes, hence the limit. */
static pt_status sum_sizes(batch_reader *r, const views *v, const struct ArrowArray *array, int64_t *total)
{
    *total = 0;
    for (int64_t row = 0; row < v->length; row++) {
        int32_t size = 0;
        if (is_valid(array, row) && text_at(v, row, &size) == NULL)
            return malformed("a view that points nowhere", r->err);
        *total += size;
        if (*total > r->spelled_left)
            return too_large(r);
    }
    r->spelled_left -= *total;
    return *total <= INT32_MAX ? PT_OK : pt_error_set(r->err, PT_LIMIT, "a column has more than 2 GiB in one batch");
}

static pt_status spell_out(batch_reader *r, const views *v, struct ArrowArray *array)
{
    int64_t total = 0;
    struct ArrowBuffer *offsets = ArrowArrayBuffer(array, 1);
    struct ArrowBuffer *data = ArrowArrayBuffer(array, 2);
    PT_TRY(sum_sizes(r, v, array, &total));
    if (ArrowBufferReserve(offsets, (v->length + 1) * 4) != NANOARROW_OK ||
        ArrowBufferReserve(data, total) != NANOARROW_OK)
        return pt_error_set(r->err, PT_NO_MEMORY, "no memory for a result");
    ArrowBufferAppendUnsafe(offsets, &(int32_t){0}, 4);
    for (int64_t row = 0; row < v->length; row++) {
        int32_t size = 0;
        if (is_valid(array, row)) {
            const uint8_t *text = text_at(v, row, &size);
            ArrowBufferAppendUnsafe(data, text, size);
        }
        ArrowBufferAppendUnsafe(offsets, &(int32_t){(int32_t)data->size_bytes}, 4);
    }
    return PT_OK;
}

static pt_status next_part_count(batch_reader *r, size_t *out)
{
    if (r->view >= flatbuffers_int64_vec_len(r->variadic))
        return malformed("the number of a column's parts is missing", r->err);
    int64_t count = flatbuffers_int64_vec_at(r->variadic, r->view++);
    if (count < 0 || (uint64_t)count > ns(Buffer_vec_len)(r->buffers))
        return malformed("the number of a column's parts", r->err);
    *out = (size_t)count;
    return PT_OK;
}

static pt_status read_views(batch_reader *r, views *v, size_t part_count)
{
    PT_TRY(next_buffer(r, &v->entries));
    if (v->entries.size_bytes / VIEW_BYTES < v->length)
        return malformed("a column of views is cut off", r->err);
    v->parts = ArrowMalloc((int64_t)((part_count + 1) * sizeof(*v->parts)));
    if (v->parts == NULL)
        return pt_error_set(r->err, PT_NO_MEMORY, "no memory for a result");
    for (; v->part_count < part_count; v->part_count++)
        PT_TRY(next_buffer(r, &v->parts[v->part_count]));
    return PT_OK;
}

static pt_status decode_views(batch_reader *r, struct ArrowArray *array)
{
    views v = {.length = array->length};
    size_t part_count = 0;
    ArrowBufferInit(&v.entries);
    PT_TRY(next_part_count(r, &part_count));
    PT_TRY(set_validity(r, array));
    if (array->buffers[0] != NULL && ArrowArrayBuffer(array, 0)->size_bytes < (array->length + 7) / 8)
        return malformed("a validity bitmap is cut off", r->err);
    pt_status status = read_views(r, &v, part_count);
    if (status == PT_OK)
        status = spell_out(r, &v, array);
    ArrowBufferReset(&v.entries);
    for (size_t i = 0; i < v.part_count; i++)
        ArrowBufferReset(&v.parts[i]);
    ArrowFree(v.parts);
    return status;
}

/* ---- columns ---- */

static pt_status decode_plain(batch_reader *r, const struct ArrowSchema *schema, struct ArrowArray *array)
{
    pt__layout layout = pt__arrow_layout(schema);
    switch (layout.kind) {
    case PT_LAYOUT_NULL: return PT_OK;
    case PT_LAYOUT_STRUCT:
    case PT_LAYOUT_FIXED_LIST: return set_validity(r, array);
    case PT_LAYOUT_FIXED:
    case PT_LAYOUT_LIST: PT_TRY(set_validity(r, array)); return set_buffer(r, array, 1);
    case PT_LAYOUT_BYTES:
        PT_TRY(set_validity(r, array));
        PT_TRY(set_buffer(r, array, 1));
        return set_buffer(r, array, 2);
    case PT_LAYOUT_DENSE_UNION: PT_TRY(set_buffer(r, array, 0)); return set_buffer(r, array, 1);
    case PT_LAYOUT_SPARSE_UNION: return set_buffer(r, array, 0);
    case PT_LAYOUT_UNKNOWN: break;
    }
    return pt_error_set(r->err, PT_UNSUPPORTED, "a column of the format \"%s\" beside views is not read",
                        schema->format);
}

static pt_status decode_column(batch_reader *r, const struct ArrowSchema *schema, struct ArrowArray *array)
{
    if (r->node >= ns(FieldNode_vec_len)(r->nodes) || r->field >= r->fields->count)
        return malformed("a column is missing", r->err);
    ns(FieldNode_struct_t) node = ns(FieldNode_vec_at)(r->nodes, r->node++);
    array->length = ns(FieldNode_length)(node);
    array->null_count = ns(FieldNode_null_count)(node);
    bool is_view = r->fields->is_view[r->field++];
    PT_TRY(is_view ? decode_views(r, array) : decode_plain(r, schema, array));
    array->null_count = ns(FieldNode_null_count)(node); /* a bitmap makes it unknown */
    for (int64_t i = 0; i < schema->n_children; i++)
        PT_TRY(decode_column(r, schema->children[i], array->children[i]));
    return PT_OK;
}

static pt_status find_codec(batch_reader *r, ns(RecordBatch_table_t) batch)
{
    if (!ns(RecordBatch_compression_is_present)(batch))
        return PT_OK;
    switch (ns(BodyCompression_codec)(ns(RecordBatch_compression)(batch))) {
    case ns(CompressionType_LZ4_FRAME): r->decompress = ArrowIpcGetLZ4DecompressionFunction(); break;
    case ns(CompressionType_ZSTD): r->decompress = ArrowIpcGetZstdDecompressionFunction(); break;
    default: break;
    }
    return r->decompress != NULL ? PT_OK : pt_error_set(r->err, PT_UNSUPPORTED, "rows in an unknown compression");
}

static pt_status decode_rows(batch_reader *r, const struct ArrowSchema *schema, struct ArrowArray *out)
{
    struct ArrowError reason;
    for (int64_t i = 0; i < schema->n_children; i++)
        PT_TRY(decode_column(r, schema->children[i], out->children[i]));
    if (ArrowArrayFinishBuilding(out, NANOARROW_VALIDATION_LEVEL_FULL, &reason) != NANOARROW_OK)
        return malformed(reason.message, r->err);
    return PT_OK;
}

pt_status pt__view_batch_decode(const pt__view_fields *fields, const struct ArrowSchema *schema,
                                const uint8_t *flatbuffer, pt_bytes *owner, pt_bytes_view body, struct ArrowArray *out,
                                pt_error *err)
{
    ns(Message_table_t) message = ns(Message_as_root)(flatbuffer);
    ns(RecordBatch_table_t) batch = ns(Message_header)(message);
    batch_reader r = {.fields = fields, .owner = owner, .body = body, .err = err};
    r.spelled_left = fields->limit_bytes == 0 ? INT64_MAX : fields->limit_bytes;
    r.nodes = ns(RecordBatch_nodes)(batch);
    r.buffers = ns(RecordBatch_buffers)(batch);
    r.variadic = ns(RecordBatch_variadicBufferCounts)(batch);
    PT_TRY(find_codec(&r, batch));
    if (ArrowArrayInitFromSchema(out, schema, NULL) != NANOARROW_OK)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a result");
    out->length = ns(RecordBatch_length)(batch);
    out->null_count = 0;
    pt_status status = decode_rows(&r, schema, out);
    if (status != PT_OK) {
        out->release(out);
        out->release = NULL;
    }
    return status;
}

#include "exec/ipc_reader.h"

#include "base/list.h"
#include "base/utf8.h"
#include "exec/arrow_layout.h"
#include "exec/ipc_check.h"

#include <nanoarrow/nanoarrow_ipc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 8, FRAME_BYTES = 8, NESTING_MAX = 64 };

/* ---- messages ---- */

typedef struct message_source {
    struct ArrowIpcDecoder decoder;
    pt_bytes_view rest; /* what follows the message at hand */
    pt_bytes_view body;
    struct ArrowError reason;
} message_source;

static pt_status malformed(pt_error *err, const char *what, const char *reason)
{
    return pt_error_set(err, PT_INVALID_ARGUMENT, "malformed Arrow data: %s%s%s", what, *reason == '\0' ? "" : ": ",
                        reason);
}

static struct ArrowBufferView buffer_view(pt_bytes_view view)
{
    struct ArrowBufferView out;
    out.data.data = view.data;
    out.size_bytes = (int64_t)view.size_bytes;
    return out;
}

static bool init_source(message_source *source, pt_bytes_view bytes)
{
    memset(source, 0, sizeof(*source));
    source->rest = bytes;
    return ArrowIpcDecoderInit(&source->decoder) == NANOARROW_OK;
}

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The frame before a header: a mark and the header's size. Size 0 ends the stream. */
static pt_status read_frame(const message_source *source, bool *at_end, pt_error *err)
{
    pt_bytes_view rest = source->rest;
    *at_end = rest.size_bytes == 0;
    if (*at_end)
        return PT_OK;
    if (rest.size_bytes < FRAME_BYTES || read_u32(rest.data) != 0xffffffffU)
        return malformed(err, "a message frame", "");
    uint32_t size = read_u32(rest.data + 4);
    *at_end = size == 0;
    if (size > INT32_MAX - FRAME_BYTES || size > rest.size_bytes - FRAME_BYTES)
        return malformed(err, "a message header that is cut off", "");
    return PT_OK;
}

static bool header_is_complete(message_source *source)
{
    pt_bytes_view flatbuffer = {source->rest.data + FRAME_BYTES, read_u32(source->rest.data + 4)};
    snprintf(source->reason.message, sizeof(source->reason.message), "a part that the format asks for is missing");
    return pt__ipc_message_is_complete(flatbuffer);
}

static pt_status verify_header(message_source *source, pt_error *err)
{
    struct ArrowBufferView view = buffer_view(source->rest);
    if (ArrowIpcDecoderVerifyHeader(&source->decoder, view, &source->reason) != NANOARROW_OK ||
        !header_is_complete(source))
        return malformed(err, "a message header", source->reason.message);
    return PT_OK;
}

static pt_status step_over(message_source *source, pt_error *err)
{
    size_t header = (size_t)source->decoder.header_size_bytes;
    int64_t body = source->decoder.body_size_bytes;
    if (body < 0 || header > source->rest.size_bytes || (uint64_t)body > source->rest.size_bytes - header)
        return malformed(err, "a message body that is cut off", "");
    source->body = (pt_bytes_view){source->rest.data + header, (size_t)body};
    source->rest.data += header + (size_t)body;
    source->rest.size_bytes -= header + (size_t)body;
    return PT_OK;
}

/* Steps to the next message; `*at_end` when the stream is over: by its mark, or because the bytes are. */
static pt_status next_message(message_source *source, bool *at_end, pt_error *err)
{
    PT_TRY(read_frame(source, at_end, err));
    if (*at_end)
        return PT_OK;
    PT_TRY(verify_header(source, err));
    if (ArrowIpcDecoderDecodeHeader(&source->decoder, buffer_view(source->rest), &source->reason) != NANOARROW_OK)
        return malformed(err, "a message header", source->reason.message);
    return step_over(source, err);
}

/* ---- checks that the decoder does not make ---- */

static int64_t offset_at(const struct ArrowArray *array, pt__layout layout, int64_t i)
{
    return layout.bits == 64 ? ((const int64_t *)array->buffers[1])[i] : ((const int32_t *)array->buffers[1])[i];
}

static bool text_is_valid(const struct ArrowArray *array, pt__layout layout)
{
    if (array->length == 0)
        return true;
    const char *text = array->buffers[2];
    int64_t first = offset_at(array, layout, 0);
    int64_t last = offset_at(array, layout, array->length);
    if (last == first || pt__utf8_is_ascii(text + first, (size_t)(last - first)))
        return true;
    if (!pt__utf8_valid(text + first, (size_t)(last - first)))
        return false;
    for (int64_t i = 1; i < array->length; i++) { /* well-formed as a whole: look for values that start inside */
        int64_t at = offset_at(array, layout, i);
        if (at < last && ((unsigned char)text[at] & 0xc0) == 0x80)
            return false;
    }
    return true;
}

static bool is_aligned(const struct ArrowArray *array, pt__layout layout)
{
    if (layout.kind != PT_LAYOUT_FIXED && layout.kind != PT_LAYOUT_BYTES && layout.kind != PT_LAYOUT_LIST)
        return true;
    size_t unit = layout.bits >= 64 ? 8 : layout.bits <= 8 ? 1 : (size_t)layout.bits / 8;
    return (uintptr_t)array->buffers[1] % unit == 0;
}

static pt_status check_array(const struct ArrowSchema *schema, const struct ArrowArray *array, pt_error *err)
{
    pt__layout layout = pt__arrow_layout(schema);
    if (layout.kind == PT_LAYOUT_UNKNOWN)
        return PT_OK; /* refused by type later */
    if (!is_aligned(array, layout))
        return malformed(err, "a buffer that is not aligned", "");
    bool is_text = strcmp(schema->format, "u") == 0 || strcmp(schema->format, "U") == 0;
    if (is_text && !text_is_valid(array, layout))
        return malformed(err, "text that is not UTF-8 in column", schema->name == NULL ? "" : schema->name);
    for (int64_t i = 0; i < schema->n_children; i++)
        PT_TRY(check_array(schema->children[i], array->children[i], err));
    return PT_OK;
}

pt_status pt__ipc_check_rows(const struct ArrowSchema *schema, const struct ArrowArray *rows, pt_error *err)
{
    return check_array(schema, rows, err);
}

/* ---- 64-bit offsets become 32-bit ones ---- */

static bool shrink_offsets(struct ArrowArray *array)
{
    const int64_t *wide = array->buffers[1];
    int64_t count = array->length == 0 ? 0 : array->length + 1;
    if (count > 0 && wide[count - 1] > INT32_MAX)
        return false;
    struct ArrowBuffer narrow;
    ArrowBufferInit(&narrow);
    if (ArrowBufferReserve(&narrow, (count == 0 ? 1 : count) * 4) != NANOARROW_OK)
        return false;
    for (int64_t i = 0; i < count; i++)
        ArrowBufferAppendUnsafe(&narrow, &(int32_t){(int32_t)wide[i]}, 4);
    ArrowBufferReset(ArrowArrayBuffer(array, 1));
    ArrowBufferMove(&narrow, ArrowArrayBuffer(array, 1));
    array->buffers[1] = ArrowArrayBuffer(array, 1)->data;
    return true;
}

static const char *narrow_format(const char *format)
{
    if (strcmp(format, "U") == 0)
        return "u";
    if (strcmp(format, "Z") == 0)
        return "z";
    return strcmp(format, "+L") == 0 ? "+l" : NULL;
}

static pt_status narrow_array(const struct ArrowSchema *schema, struct ArrowArray *array, pt_error *err)
{
    if (narrow_format(schema->format) != NULL && !shrink_offsets(array))
        return pt_error_set(err, PT_LIMIT, "a column of local rows has more than 2 GiB in one batch");
    for (int64_t i = 0; i < schema->n_children; i++)
        PT_TRY(narrow_array(schema->children[i], array->children[i], err));
    return PT_OK;
}

static bool narrow_schema(struct ArrowSchema *schema)
{
    const char *format = narrow_format(schema->format);
    if (format != NULL && ArrowSchemaSetFormat(schema, format) != NANOARROW_OK)
        return false;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (!narrow_schema(schema->children[i]))
            return false;
    return true;
}

/* ---- streams of clients ---- */

typedef struct stream_reader {
    pt__arena *arena;
    message_source *source;    /* of the stream at hand */
    struct ArrowSchema wide;   /* as sent */
    struct ArrowSchema narrow; /* as handed out */
    pt__list(const struct ArrowArray *) batches;
    int64_t row_count;
    pt_error *err;
} stream_reader;

static void end_schema(void *object)
{
    struct ArrowSchema *schema = object;
    if (schema->release != NULL)
        schema->release(schema);
}

static void end_array(void *object)
{
    struct ArrowArray *array = object;
    if (array->release != NULL)
        array->release(array);
}

/* Deferred rather than called, as an exhausted arena leaves the reading by a jump. */
static void end_decoder(void *object)
{
    ArrowIpcDecoderReset(object);
}

static bool too_deep(const struct ArrowSchema *schema, int depth)
{
    if (depth > NESTING_MAX)
        return true;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (too_deep(schema->children[i], depth + 1))
            return true;
    return false;
}

static pt_status check_schema(stream_reader *r, const struct ArrowSchema *sent)
{
    if (too_deep(sent, 0))
        return malformed(r->err, "types nested too deeply", "");
    for (int64_t i = 0; i < sent->n_children; i++)
        if (sent->children[i]->dictionary != NULL)
            return pt_error_set(r->err, PT_UNSUPPORTED, "the column %s is dictionary-encoded, which is not read",
                                sent->children[i]->name);
    return PT_OK;
}

static bool same_formats(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    if (strcmp(a->format, b->format) != 0 || a->n_children != b->n_children)
        return false;
    for (int64_t i = 0; i < a->n_children; i++)
        if (!same_formats(a->children[i], b->children[i]))
            return false;
    return true;
}

/* The first stream's schema is kept; those of later ones must agree with it. */
static pt_status take_schema(stream_reader *r)
{
    struct ArrowSchema sent;
    if (ArrowIpcDecoderDecodeSchema(&r->source->decoder, &sent, &r->source->reason) != NANOARROW_OK)
        return malformed(r->err, "a schema", r->source->reason.message);
    pt_status status = check_schema(r, &sent);
    bool is_first = r->wide.release == NULL;
    if (status == PT_OK && !is_first && !same_formats(&sent, &r->wide))
        status = malformed(r->err, "a part whose columns differ from those of the first", "");
    if (status == PT_OK && is_first)
        ArrowSchemaMove(&sent, &r->wide);
    if (sent.release != NULL)
        sent.release(&sent);
    PT_TRY(status);
    if (ArrowIpcDecoderSetSchema(&r->source->decoder, &r->wide, &r->source->reason) != NANOARROW_OK)
        return malformed(r->err, "a schema", r->source->reason.message);
    if (!is_first)
        return PT_OK;
    if (ArrowSchemaDeepCopy(&r->wide, &r->narrow) != NANOARROW_OK || !narrow_schema(&r->narrow))
        return pt_error_set(r->err, PT_NO_MEMORY, "no memory for a schema");
    return PT_OK;
}

static void keep_bytes(struct ArrowBufferAllocator *allocator, uint8_t *data, int64_t size)
{
    (void)allocator;
    (void)data;
    (void)size;
}

/* The body as a buffer to share, without copying it. */
static pt_status share_body(stream_reader *r, struct ArrowBuffer *out)
{
    pt_bytes_view body = r->source->body;
    struct ArrowBuffer buffer;
    ArrowBufferInit(&buffer);
    ArrowBufferSetAllocator(&buffer, ArrowBufferDeallocator(keep_bytes, NULL));
    buffer.data = (uint8_t *)body.data;
    buffer.size_bytes = (int64_t)body.size_bytes;
    buffer.capacity_bytes = buffer.size_bytes;
    if (ArrowSharedBufferInit(out, &buffer) == NANOARROW_OK)
        return PT_OK;
    return pt_error_set(r->err, PT_NO_MEMORY, "no memory for local rows");
}

static pt_status decode_batch(stream_reader *r, struct ArrowArray *out)
{
    struct ArrowBuffer shared;
    if (r->wide.release == NULL)
        return malformed(r->err, "rows before a schema", "");
    if (r->source->decoder.codec != NANOARROW_IPC_COMPRESSION_TYPE_NONE) /* no client of Spark compresses them */
        return pt_error_set(r->err, PT_UNSUPPORTED, "compressed Arrow data is not read");
    PT_TRY(share_body(r, &shared));
    int code = ArrowIpcDecoderDecodeArrayFromShared(&r->source->decoder, &shared, -1, out,
                                                    NANOARROW_VALIDATION_LEVEL_FULL, &r->source->reason);
    ArrowBufferReset(&shared);
    if (code != NANOARROW_OK) {
        out->release = NULL;
        return malformed(r->err, "rows", r->source->reason.message);
    }
    PT_TRY(narrow_array(&r->wide, out, r->err));
    return check_array(&r->narrow, out, r->err);
}

static pt_status take_batch(stream_reader *r)
{
    struct ArrowArray *batch = pt__arena_make(r->arena, struct ArrowArray);
    pt__arena_defer(r->arena, end_array, batch);
    PT_TRY(decode_batch(r, batch));
    r->row_count += batch->length;
    const struct ArrowArray *kept = batch;
    pt__list_push(r->arena, &r->batches, kept);
    return PT_OK;
}

static pt_status take_message(stream_reader *r)
{
    switch (r->source->decoder.message_type) {
    case NANOARROW_IPC_MESSAGE_TYPE_SCHEMA: return take_schema(r);
    case NANOARROW_IPC_MESSAGE_TYPE_RECORD_BATCH: return take_batch(r);
    default: return malformed(r->err, "a message that is neither schema nor rows", "");
    }
}

static pt_status read_stream(stream_reader *r, pt_bytes_view bytes)
{
    if ((uintptr_t)bytes.data % ALIGNMENT != 0) /* all that follows is aligned within the stream */
        bytes.data = pt__arena_copy(r->arena, bytes.data, bytes.size_bytes);
    r->source = pt__arena_make(r->arena, message_source);
    if (!init_source(r->source, bytes))
        return pt_error_set(r->err, PT_NO_MEMORY, "no memory to read local rows");
    pt__arena_defer(r->arena, end_decoder, &r->source->decoder);
    bool at_end = false;
    pt_status status = next_message(r->source, &at_end, r->err);
    while (status == PT_OK && !at_end) {
        status = take_message(r);
        if (status == PT_OK)
            status = next_message(r->source, &at_end, r->err);
    }
    return status;
}

pt_status pt__ipc_read_streams(pt__arena *arena, const pt_bytes_view *streams, size_t count, const pt_local_data **out,
                               pt_error *err)
{
    stream_reader *r = pt__arena_make(arena, stream_reader);
    r->arena = arena;
    r->err = err;
    pt__arena_defer(arena, end_schema, &r->wide);
    pt__arena_defer(arena, end_schema, &r->narrow);
    for (size_t i = 0; i < count; i++)
        PT_TRY(read_stream(r, streams[i]));
    if (r->wide.release == NULL)
        return malformed(err, "no schema", "");
    pt_local_data *data = pt__arena_make(arena, pt_local_data);
    data->schema = &r->narrow;
    data->batches = r->batches.items;
    data->batch_count = r->batches.count;
    data->row_count = r->row_count;
    *out = data;
    return PT_OK;
}

/* ---- batches of our own ---- */

struct pt__ipc_reader {
    message_source source;
    struct ArrowSchema schema;
};

static pt_status start_reader(pt__ipc_reader *reader, pt_error *err)
{
    bool at_end;
    message_source *source = &reader->source;
    PT_TRY(next_message(source, &at_end, err));
    if (at_end || source->decoder.message_type != NANOARROW_IPC_MESSAGE_TYPE_SCHEMA ||
        ArrowIpcDecoderDecodeSchema(&source->decoder, &reader->schema, &source->reason) != NANOARROW_OK ||
        ArrowIpcDecoderSetSchema(&source->decoder, &reader->schema, &source->reason) != NANOARROW_OK)
        return malformed(err, "a schema", source->reason.message);
    return PT_OK;
}

pt_status pt__ipc_reader_new(pt_bytes_view schema_message, pt__ipc_reader **out, pt_error *err)
{
    pt__ipc_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL || !init_source(&reader->source, schema_message)) {
        free(reader);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read a result");
    }
    pt_status status = start_reader(reader, err);
    if (status == PT_OK)
        *out = reader;
    else
        pt__ipc_reader_free(reader);
    return status;
}

void pt__ipc_reader_free(pt__ipc_reader *reader)
{
    if (reader == NULL)
        return;
    ArrowIpcDecoderReset(&reader->source.decoder);
    if (reader->schema.release != NULL)
        reader->schema.release(&reader->schema);
    free(reader);
}

pt_status pt__ipc_reader_schema(pt__ipc_reader *reader, struct ArrowSchema *out, pt_error *err)
{
    if (ArrowSchemaDeepCopy(&reader->schema, out) == NANOARROW_OK)
        return PT_OK;
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a schema");
}

static bool gather(const pt__spool_entry *entry, struct ArrowBuffer *out)
{
    struct ArrowBuffer bytes;
    ArrowBufferInit(&bytes);
    if (ArrowBufferReserve(&bytes, (int64_t)entry->body_bytes) != NANOARROW_OK)
        return false;
    for (size_t i = 0; i < entry->body_count; i++)
        ArrowBufferAppendUnsafe(&bytes, entry->body[i].view.data, (int64_t)entry->body[i].view.size_bytes);
    if (ArrowSharedBufferInit(out, &bytes) == NANOARROW_OK)
        return true;
    ArrowBufferReset(&bytes);
    return false;
}

pt_status pt__ipc_reader_entry(pt__ipc_reader *reader, const pt__spool_entry *entry, struct ArrowArray *out,
                               pt_error *err)
{
    message_source *source = &reader->source;
    struct ArrowBufferView header = buffer_view(pt_bytes_get_view(entry->header));
    struct ArrowBuffer body;
    if (ArrowIpcDecoderVerifyHeader(&source->decoder, header, &source->reason) != NANOARROW_OK ||
        ArrowIpcDecoderDecodeHeader(&source->decoder, header, &source->reason) != NANOARROW_OK)
        return pt_error_set(err, PT_INTERNAL, "a batch header is malformed: %s", source->reason.message);
    if (!gather(entry, &body))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read a result");
    int code = ArrowIpcDecoderDecodeArrayFromShared(&source->decoder, &body, -1, out,
                                                    NANOARROW_VALIDATION_LEVEL_DEFAULT, &source->reason);
    ArrowBufferReset(&body);
    if (code == NANOARROW_OK)
        return PT_OK;
    return pt_error_set(err, PT_INTERNAL, "a batch is malformed: %s", source->reason.message);
}

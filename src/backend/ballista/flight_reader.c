#include "backend/ballista/flight_reader.h"

#include "backend/ballista/batch_counts.h"
#include "base/buffer.h"
#include "exec/ipc_check.h"
#include "exec/ipc_views.h"
#include "wire/proto.h"

#include <nanoarrow/nanoarrow_ipc.h>

#include <stdlib.h>
#include <string.h>

enum { HEADER_FIELD = 2, BODY_FIELD = 1000, ALIGNMENT = 8, FRAME_BYTES = 8 };

struct pt__flight_reader {
    struct ArrowIpcDecoder decoder;
    struct ArrowSchema schema;
    struct ArrowIpcDictionaryEncodings encodings;
    struct ArrowIpcDictionaries dictionaries;
    bool has_dictionaries;
    pt__view_fields views;
    pt__buffer header; /* of the message at hand, in its frame */
    struct ArrowError reason;
};

static pt_status malformed(const pt__flight_reader *reader, const char *what, pt_error *err)
{
    return pt_error_set(err, PT_BAD_MESSAGE, "an executor's answer is malformed: %s%s%s", what,
                        reader->reason.message[0] == '\0' ? "" : ": ", reader->reason.message);
}

pt_status pt__flight_reader_new(pt__flight_reader **out, pt_error *err)
{
    pt__flight_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL || ArrowIpcDecoderInit(&reader->decoder) != NANOARROW_OK) {
        free(reader);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read a result");
    }
    ArrowIpcDictionaryEncodingsInit(&reader->encodings);
    *out = reader;
    return PT_OK;
}

void pt__flight_reader_free(pt__flight_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->has_dictionaries)
        ArrowIpcDictionariesReset(&reader->dictionaries);
    ArrowIpcDictionaryEncodingsReset(&reader->encodings);
    ArrowIpcDecoderReset(&reader->decoder);
    if (reader->schema.release != NULL)
        reader->schema.release(&reader->schema);
    pt__buffer_deinit(&reader->header);
    free(reader);
}

const struct ArrowSchema *pt__flight_reader_schema(const pt__flight_reader *reader)
{
    return reader->schema.release == NULL ? NULL : &reader->schema;
}

/* ---- the header ---- */

/* The frame that an IPC stream has and Flight leaves out: a mark, and the header's size. */
static bool frame_header(pt__flight_reader *reader, pt_bytes_view header)
{
    static const uint8_t zeros[ALIGNMENT];
    size_t padding = (ALIGNMENT - header.size_bytes % ALIGNMENT) % ALIGNMENT;
    uint32_t size = (uint32_t)(header.size_bytes + padding);
    uint8_t frame[FRAME_BYTES] = {
        0xff, 0xff, 0xff, 0xff, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
    pt__buffer_reset(&reader->header);
    pt__buffer_append(&reader->header, frame, sizeof(frame));
    pt__buffer_append(&reader->header, header.data, header.size_bytes);
    pt__buffer_append(&reader->header, zeros, padding);
    return !reader->header.failed;
}

static pt_status decode_header(pt__flight_reader *reader, pt_bytes_view header, pt_error *err)
{
    if (header.size_bytes == 0 || header.size_bytes > INT32_MAX - 2 * FRAME_BYTES)
        return malformed(reader, "a header", err);
    if (!frame_header(reader, header))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a header");
    struct ArrowBufferView view;
    view.data.as_uint8 = reader->header.data;
    view.size_bytes = (int64_t)reader->header.size_bytes;
    pt_bytes_view flatbuffer = {reader->header.data + FRAME_BYTES, reader->header.size_bytes - FRAME_BYTES};
    if (ArrowIpcDecoderVerifyHeader(&reader->decoder, view, &reader->reason) != NANOARROW_OK ||
        !pt__ipc_message_is_complete(flatbuffer))
        return malformed(reader, "a header", err);
    /* Columns of views have as many buffers as they like, which the decoder would not have. */
    if (reader->views.has_views && reader->decoder.message_type == NANOARROW_IPC_MESSAGE_TYPE_RECORD_BATCH)
        return PT_OK;
    if (ArrowIpcDecoderDecodeHeader(&reader->decoder, view, &reader->reason) != NANOARROW_OK)
        return malformed(reader, "a header", err);
    if (reader->decoder.message_type == NANOARROW_IPC_MESSAGE_TYPE_SCHEMA && reader->schema.release == NULL)
        return pt__view_fields_take(&reader->views, reader->header.data + FRAME_BYTES, err);
    return PT_OK;
}

/* ---- the body ---- */

static void unref_body(struct ArrowBufferAllocator *allocator, uint8_t *data, int64_t size)
{
    (void)data;
    (void)size;
    pt_bytes_unref(allocator->private_data);
}

/* Columns lie within the body as they must; so the body has to do so as well. */
static pt_bytes *align_body(pt_bytes *take_message, pt_bytes_view *body)
{
    if ((uintptr_t)body->data % ALIGNMENT == 0)
        return take_message;
    pt_bytes *copy = pt_bytes_copy(*body);
    pt_bytes_unref(take_message);
    if (copy != NULL)
        *body = pt_bytes_get_view(copy);
    return copy;
}

/* The body as a buffer that columns share. */
static bool share_body(pt_bytes *owner, pt_bytes_view body, struct ArrowBuffer *out)
{
    struct ArrowBuffer buffer;
    ArrowBufferInit(&buffer);
    ArrowBufferSetAllocator(&buffer, ArrowBufferDeallocator(unref_body, pt_bytes_ref(owner)));
    buffer.data = (uint8_t *)body.data;
    buffer.size_bytes = (int64_t)body.size_bytes;
    buffer.capacity_bytes = buffer.size_bytes;
    if (ArrowSharedBufferInit(out, &buffer) == NANOARROW_OK)
        return true;
    ArrowBufferReset(&buffer);
    return false;
}

static pt_status need_schema(const pt__flight_reader *reader, pt_error *err)
{
    return reader->schema.release != NULL ? PT_OK : malformed(reader, "rows before a schema", err);
}

static pt_status decode_shared(pt__flight_reader *reader, struct ArrowBuffer *body, struct ArrowArray *out,
                               pt_error *err)
{
    PT_TRY(need_schema(reader, err));
    if (ArrowIpcDecoderDecodeArrayFromSharedWithDictionaries(&reader->decoder, body, -1, &reader->dictionaries, out,
                                                             NANOARROW_VALIDATION_LEVEL_FULL,
                                                             &reader->reason) == NANOARROW_OK)
        return PT_OK;
    out->release = NULL;
    return malformed(reader, "rows", err);
}

static pt_status decode_rows(pt__flight_reader *reader, pt_bytes *owner, pt_bytes_view body, struct ArrowArray *out,
                             pt_error *err)
{
    struct ArrowBuffer shared;
    PT_TRY(need_schema(reader, err));
    bool has_dictionaries = reader->encodings.encodings.size_bytes != 0;
    if (!has_dictionaries || reader->views.has_views)
        return pt__view_batch_decode(&reader->views, &reader->schema, reader->header.data + FRAME_BYTES, owner, body,
                                     out, err);
    if (!pt__batch_counts_fit(reader->header.data + FRAME_BYTES, &reader->schema, &reader->encodings))
        return malformed(reader, "rows of other columns", err);
    if (!share_body(owner, body, &shared))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
    pt_status status = decode_shared(reader, &shared, out, err);
    ArrowBufferReset(&shared);
    return status;
}

static pt_status decode_dictionary(pt__flight_reader *reader, pt_bytes *owner, pt_bytes_view body, pt_error *err)
{
    struct ArrowBuffer shared;
    PT_TRY(need_schema(reader, err));
    if (!pt__batch_counts_fit(reader->header.data + FRAME_BYTES, &reader->schema, &reader->encodings))
        return malformed(reader, "a dictionary of other values", err);
    if (!share_body(owner, body, &shared))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
    int code = ArrowIpcDecoderDecodeDictionaryFromShared(&reader->decoder, &shared, NANOARROW_VALIDATION_LEVEL_FULL,
                                                         &reader->dictionaries, &reader->reason);
    ArrowBufferReset(&shared);
    return code == NANOARROW_OK ? PT_OK : malformed(reader, "a dictionary", err);
}

static pt_status decode_schema(pt__flight_reader *reader, pt_error *err)
{
    if (reader->schema.release != NULL)
        return malformed(reader, "a second schema", err);
    if (ArrowIpcDecoderDecodeSchemaWithDictionaries(&reader->decoder, &reader->schema, &reader->encodings,
                                                    &reader->reason) != NANOARROW_OK) {
        reader->schema.release = NULL;
        return malformed(reader, "a schema", err);
    }
    if (ArrowIpcDecoderSetSchemaWithDictionaries(&reader->decoder, &reader->schema, &reader->encodings,
                                                 &reader->reason) != NANOARROW_OK ||
        ArrowIpcDictionariesInit(&reader->dictionaries, &reader->encodings, &reader->reason) != NANOARROW_OK)
        return malformed(reader, "a schema", err);
    reader->has_dictionaries = true;
    return PT_OK;
}

static pt_status decode_body(pt__flight_reader *reader, pt_bytes *owner, pt_bytes_view body, struct ArrowArray *out,
                             pt_error *err)
{
    switch (reader->decoder.message_type) {
    case NANOARROW_IPC_MESSAGE_TYPE_SCHEMA: return decode_schema(reader, err);
    case NANOARROW_IPC_MESSAGE_TYPE_RECORD_BATCH: return decode_rows(reader, owner, body, out, err);
    case NANOARROW_IPC_MESSAGE_TYPE_DICTIONARY_BATCH: return decode_dictionary(reader, owner, body, err);
    default: return malformed(reader, "a message that is neither schema nor rows", err);
    }
}

/* ---- FlightData ---- */

static pt_status read_fields(const pt__flight_reader *reader, pt_bytes_view rest, pt_bytes_view *header,
                             pt_bytes_view *body, pt_error *err)
{
    for (;;) {
        pt__proto_field field;
        switch (pt__proto_next(&rest, &field)) {
        case PT_PROTO_END: return PT_OK;
        case PT_PROTO_MALFORMED: return malformed(reader, "FlightData", err);
        case PT_PROTO_FIELD: break;
        }
        if (field.wire_type == PT_PROTO_BYTES && field.number == HEADER_FIELD)
            *header = field.bytes;
        else if (field.wire_type == PT_PROTO_BYTES && field.number == BODY_FIELD)
            *body = field.bytes;
    }
}

static pt_status read_header(pt__flight_reader *reader, const pt_bytes *message, pt_bytes_view *body, pt_error *err)
{
    pt_bytes_view header = {NULL, 0};
    reader->reason.message[0] = '\0';
    PT_TRY(read_fields(reader, pt_bytes_get_view(message), &header, body, err));
    PT_TRY(decode_header(reader, header, err));
    if (reader->decoder.body_size_bytes < 0 || (uint64_t)reader->decoder.body_size_bytes > body->size_bytes)
        return malformed(reader, "a body that is cut off", err);
    const pt_bytes_view flatbuffer = {reader->header.data + FRAME_BYTES, reader->header.size_bytes - FRAME_BYTES};
    return pt__ipc_body_fits(flatbuffer, *body) ? PT_OK : malformed(reader, "a buffer outside of the body", err);
}

pt_status pt__flight_reader_feed(pt__flight_reader *reader, pt_bytes *take_message, struct ArrowArray *out,
                                 pt_error *err)
{
    pt_bytes_view body = {NULL, 0};
    out->release = NULL;
    pt_status status = read_header(reader, take_message, &body, err);
    if (status != PT_OK) {
        pt_bytes_unref(take_message);
        return status;
    }
    pt_bytes *owner = align_body(take_message, &body);
    if (owner == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for rows");
    status = decode_body(reader, owner, body, out, err);
    pt_bytes_unref(owner);
    return status;
}

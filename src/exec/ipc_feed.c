#include "exec/ipc_feed.h"

#include "base/buffer.h"
#include "base/unconst.h"
#include "exec/ipc_check.h"
#include "exec/ipc_reader.h"
#include "exec/ipc_views.h"

#include <nanoarrow/nanoarrow_ipc.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT_BYTES = 8,
    PREFIX_BYTES = 8,
    SPELLED_BYTES_MAX = 128 << 20 /* texts of a batch of views; plain ones are as large as a message may be */
};

struct pt__ipc_feed {
    struct ArrowIpcDecoder decoder;
    struct ArrowIpcDictionaries dictionaries;
    struct ArrowSchema schema;
    struct ArrowError reason;
    pt__buffer header; /* of the message at hand, with its prefix */
    pt__view_fields views;
};

pt_status pt__ipc_feed_new(pt__ipc_feed **out, pt_error *err)
{
    pt__ipc_feed *feed = calloc(1, sizeof(*feed));
    if (feed == NULL || ArrowIpcDecoderInit(&feed->decoder) != NANOARROW_OK) {
        free(feed);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read rows");
    }
    pt__buffer_init(&feed->header);
    feed->views.limit_bytes = SPELLED_BYTES_MAX;
    *out = feed;
    return PT_OK;
}

void pt__ipc_feed_free(pt__ipc_feed *feed)
{
    if (feed == NULL)
        return;
    ArrowIpcDecoderReset(&feed->decoder);
    if (feed->dictionaries.private_data != NULL)
        ArrowIpcDictionariesReset(&feed->dictionaries);
    if (feed->schema.release != NULL)
        feed->schema.release(&feed->schema);
    pt__buffer_deinit(&feed->header);
    free(feed);
}

const struct ArrowSchema *pt__ipc_feed_schema(const pt__ipc_feed *feed)
{
    return feed->schema.release == NULL ? NULL : &feed->schema;
}

static pt_status malformed(pt_error *err, const char *what, const char *reason)
{
    return pt_error_set(err, PT_INVALID_ARGUMENT, "malformed Arrow data: %s%s%s", what, *reason == '\0' ? "" : ": ",
                        reason);
}

/* ---- headers ---- */

/* As the decoder wants it: behind a mark and its size, at a multiple of 8. */
static bool frame(pt__ipc_feed *feed, pt_bytes_view flatbuffer)
{
    static const uint8_t zeros[ALIGNMENT_BYTES];
    size_t padding = (ALIGNMENT_BYTES - flatbuffer.size_bytes % ALIGNMENT_BYTES) % ALIGNMENT_BYTES;
    uint32_t size = (uint32_t)(flatbuffer.size_bytes + padding);
    uint8_t prefix[PREFIX_BYTES] = {
        0xFF, 0xFF, 0xFF, 0xFF, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
    pt__buffer_reset(&feed->header);
    pt__buffer_append(&feed->header, prefix, sizeof(prefix));
    pt__buffer_append(&feed->header, flatbuffer.data, flatbuffer.size_bytes);
    pt__buffer_append(&feed->header, zeros, padding);
    return !feed->header.failed;
}

static pt_status verify_header(pt__ipc_feed *feed, pt_bytes_view framed, pt_error *err)
{
    struct ArrowBufferView view = {.data.data = framed.data, .size_bytes = (int64_t)framed.size_bytes};
    pt_bytes_view inner = {framed.data + PREFIX_BYTES, framed.size_bytes - PREFIX_BYTES};
    if (ArrowIpcDecoderVerifyHeader(&feed->decoder, view, &feed->reason) != NANOARROW_OK)
        return malformed(err, "a message header", feed->reason.message);
    if (!pt__ipc_message_is_complete(inner))
        return malformed(err, "a message header", "a part that the format asks for is missing");
    if (pt__ipc_message_is_compressed(inner))
        return pt_error_set(err, PT_UNSUPPORTED, "compressed Arrow data is not read");
    int64_t wanted = feed->decoder.body_size_bytes;
    return wanted < 0 ? malformed(err, "a message body that is cut off", "") : PT_OK;
}

/* Columns of views have as many buffers as they like, which the decoder would not have. */
static bool is_of_views(const pt__ipc_feed *feed)
{
    return feed->views.has_views && feed->decoder.message_type == NANOARROW_IPC_MESSAGE_TYPE_RECORD_BATCH;
}

static pt_status decode_header(pt__ipc_feed *feed, pt_bytes_view flatbuffer, size_t body_bytes, pt_error *err)
{
    if (flatbuffer.size_bytes > INT32_MAX - PREFIX_BYTES - ALIGNMENT_BYTES)
        return malformed(err, "a message header that is too large", "");
    if (!frame(feed, flatbuffer))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read rows");
    pt_bytes_view framed = pt__buffer_view(&feed->header);
    PT_TRY(verify_header(feed, framed, err));
    if ((uint64_t)feed->decoder.body_size_bytes > body_bytes)
        return malformed(err, "a message body that is cut off", "");
    if (is_of_views(feed))
        return PT_OK;
    if (feed->decoder.message_type == NANOARROW_IPC_MESSAGE_TYPE_SCHEMA && feed->schema.release == NULL)
        PT_TRY(pt__view_fields_take(&feed->views, feed->header.data + PREFIX_BYTES, err));
    struct ArrowBufferView view = {.data.data = framed.data, .size_bytes = (int64_t)framed.size_bytes};
    if (ArrowIpcDecoderDecodeHeader(&feed->decoder, view, &feed->reason) != NANOARROW_OK)
        return malformed(err, "a message header", feed->reason.message);
    return PT_OK;
}

static pt_status take_schema(pt__ipc_feed *feed, pt_error *err)
{
    struct ArrowIpcDictionaryEncodings encodings;
    if (feed->schema.release != NULL)
        return malformed(err, "a second schema", "");
    if (ArrowIpcDecoderDecodeSchemaWithDictionaries(&feed->decoder, &feed->schema, &encodings, &feed->reason) !=
        NANOARROW_OK) {
        feed->schema.release = NULL;
        return malformed(err, "a schema", feed->reason.message);
    }
    if (feed->views.has_views && encodings.encodings.size_bytes != 0) {
        ArrowIpcDictionaryEncodingsReset(&encodings);
        return pt_error_set(err, PT_UNSUPPORTED, "columns of views beside columns of dictionaries are not read");
    }
    bool ok = ArrowIpcDictionariesInit(&feed->dictionaries, &encodings, &feed->reason) == NANOARROW_OK;
    if (!ok)
        feed->dictionaries.private_data = NULL;
    ok = ok && ArrowIpcDecoderSetSchemaWithDictionaries(&feed->decoder, &feed->schema, &encodings, &feed->reason) ==
                   NANOARROW_OK;
    ArrowIpcDictionaryEncodingsReset(&encodings);
    return ok ? PT_OK : malformed(err, "a schema", feed->reason.message);
}

/* ---- bodies ---- */

static void release_owner(struct ArrowBufferAllocator *allocator, uint8_t *data, int64_t size)
{
    (void)data;
    (void)size;
    pt_bytes_unref(allocator->private_data);
}

static bool refer_to(pt_bytes *owner, pt_bytes_view body, struct ArrowBuffer *out)
{
    ArrowBufferInit(out);
    if (body.size_bytes == 0)
        return true;
    if ((uintptr_t)body.data % ALIGNMENT_BYTES != 0)
        return ArrowBufferAppend(out, body.data, (int64_t)body.size_bytes) == NANOARROW_OK;
    out->data = pt__unconst(body.data);
    out->size_bytes = out->capacity_bytes = (int64_t)body.size_bytes;
    out->allocator = ArrowBufferDeallocator(release_owner, pt_bytes_ref(owner));
    return true;
}

static bool share(pt_bytes *owner, pt_bytes_view body, struct ArrowBuffer *out)
{
    struct ArrowBuffer buffer;
    if (refer_to(owner, body, &buffer) && ArrowSharedBufferInit(out, &buffer) == NANOARROW_OK)
        return true;
    ArrowBufferReset(&buffer);
    return false;
}

static pt_status take_rows(pt__ipc_feed *feed, struct ArrowBuffer *body, struct ArrowArray *out, pt_error *err)
{
    int code = ArrowIpcDecoderDecodeArrayFromSharedWithDictionaries(&feed->decoder, body, -1, &feed->dictionaries, out,
                                                                    NANOARROW_VALIDATION_LEVEL_FULL, &feed->reason);
    if (code != NANOARROW_OK) {
        out->release = NULL;
        return malformed(err, "rows", feed->reason.message);
    }
    pt_status status = pt__ipc_check_rows(&feed->schema, out, err);
    if (status != PT_OK)
        out->release(out);
    return status;
}

/* Texts become plain ones. */
static pt_status take_views(pt__ipc_feed *feed, pt_bytes *owner, pt_bytes_view body, struct ArrowArray *out,
                            pt_error *err)
{
    pt_bytes *aligned = NULL;
    if ((uintptr_t)body.data % ALIGNMENT_BYTES != 0) {
        aligned = pt_bytes_copy(body);
        if (aligned == NULL)
            return pt_error_set(err, PT_NO_MEMORY, "no memory to read rows");
        body = pt_bytes_get_view(aligned);
    }
    pt_status status = pt__view_batch_decode(&feed->views, &feed->schema, feed->header.data + PREFIX_BYTES,
                                             aligned == NULL ? owner : aligned, body, out, err);
    pt_bytes_unref(aligned);
    if (status != PT_OK)
        return status;
    status = pt__ipc_check_rows(&feed->schema, out, err);
    if (status != PT_OK)
        out->release(out);
    return status;
}

static pt_status take_dictionary(pt__ipc_feed *feed, struct ArrowBuffer *body, pt_error *err)
{
    if (ArrowIpcDecoderDecodeDictionaryFromShared(&feed->decoder, body, NANOARROW_VALIDATION_LEVEL_FULL,
                                                  &feed->dictionaries, &feed->reason) == NANOARROW_OK)
        return PT_OK;
    return malformed(err, "a dictionary", feed->reason.message);
}

/* Of the message whose header has been decoded. */
static pt_status take_body(pt__ipc_feed *feed, pt_bytes *owner, pt_bytes_view body, struct ArrowArray *out,
                           pt_error *err)
{
    struct ArrowBuffer shared;
    enum ArrowIpcMessageType kind = feed->decoder.message_type;
    if (kind == NANOARROW_IPC_MESSAGE_TYPE_SCHEMA)
        return take_schema(feed, err);
    if (kind != NANOARROW_IPC_MESSAGE_TYPE_RECORD_BATCH && kind != NANOARROW_IPC_MESSAGE_TYPE_DICTIONARY_BATCH)
        return malformed(err, "a message that is neither schema nor rows", "");
    if (feed->schema.release == NULL)
        return malformed(err, "rows before a schema", "");
    if (is_of_views(feed))
        return take_views(feed, owner, body, out, err);
    if (!share(owner, body, &shared))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to read rows");
    pt_status status = kind == NANOARROW_IPC_MESSAGE_TYPE_RECORD_BATCH ? take_rows(feed, &shared, out, err)
                                                                       : take_dictionary(feed, &shared, err);
    ArrowBufferReset(&shared);
    return status;
}

pt_status pt__ipc_feed_take(pt__ipc_feed *feed, pt_bytes_view flatbuffer, pt_bytes *owner, pt_bytes_view body,
                            struct ArrowArray *out, pt_error *err)
{
    out->release = NULL;
    PT_TRY(decode_header(feed, flatbuffer, body.size_bytes, err));
    return take_body(feed, owner, body, out, err);
}

/* ---- whole streams ---- */

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Cuts the header of the next message off; size 0 ends the stream. */
static pt_status read_frame(pt_bytes_view *rest, pt_bytes_view *flatbuffer, pt_error *err)
{
    *flatbuffer = (pt_bytes_view){NULL, 0};
    if (rest->size_bytes == 0)
        return PT_OK;
    if (rest->size_bytes < PREFIX_BYTES || read_u32(rest->data) != 0xffffffffU)
        return malformed(err, "a message frame", "");
    uint32_t size = read_u32(rest->data + 4);
    if (size > rest->size_bytes - PREFIX_BYTES)
        return malformed(err, "a message header that is cut off", "");
    *flatbuffer = (pt_bytes_view){rest->data + PREFIX_BYTES, size};
    rest->data += PREFIX_BYTES + size;
    rest->size_bytes -= PREFIX_BYTES + size;
    return PT_OK;
}

pt_status pt__ipc_feed_take_next(pt__ipc_feed *feed, pt_bytes *owner, pt_bytes_view *rest, bool *at_end,
                                 struct ArrowArray *out, pt_error *err)
{
    pt_bytes_view flatbuffer;
    out->release = NULL;
    PT_TRY(read_frame(rest, &flatbuffer, err));
    *at_end = flatbuffer.size_bytes == 0;
    if (*at_end)
        return PT_OK;
    PT_TRY(decode_header(feed, flatbuffer, rest->size_bytes, err));
    pt_bytes_view body = {rest->data, (size_t)feed->decoder.body_size_bytes};
    rest->data += body.size_bytes;
    rest->size_bytes -= body.size_bytes;
    return take_body(feed, owner, body, out, err);
}

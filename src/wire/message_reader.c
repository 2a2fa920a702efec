#include "wire/message_reader.h"

#include <string.h>

enum {
    KEPT_BYTES = 16384, /* a larger buffer is given back after its message */
    ALIGNMENT_BYTES = 8,
    TRUSTED_BYTES = 1024 * 1024 /* up to this an announced size is reserved before its bytes are here */
};

void pt__message_reader_deinit(pt__message_reader *reader)
{
    pt__buffer_deinit(&reader->body);
    pt__buffer_deinit(&reader->inflated);
}

bool pt__message_reader_is_between(const pt__message_reader *reader)
{
    return reader->prefix_size_bytes == 0;
}

size_t pt__message_reader_held_bytes(const pt__message_reader *reader)
{
    return reader->body.capacity_bytes;
}

static uint32_t announced_size(const pt__message_reader *reader)
{
    const uint8_t *p = reader->prefix;
    return (uint32_t)p[1] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 8 | p[4];
}

static void forget(pt__buffer *buffer)
{
    if (buffer->capacity_bytes > KEPT_BYTES)
        pt__buffer_deinit(buffer);
    else
        pt__buffer_reset(buffer);
}

static void take(pt_bytes_view *input, size_t count)
{
    input->data += count;
    input->size_bytes -= count;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static pt_status check_prefix(const pt__message_reader *reader, pt_error *err)
{
    if (reader->prefix[0] > 1)
        return pt_error_set(err, PT_BAD_MESSAGE, "a gRPC message starts with %u, which is no compression flag",
                            reader->prefix[0]);
    if (reader->prefix[0] == 1 && reader->encoding == PT_ENCODING_IDENTITY)
        return pt_error_set(err, PT_BAD_MESSAGE, "a message is compressed, but the call has no grpc-encoding");
    if (announced_size(reader) > reader->limit_bytes)
        return pt_error_set(err, PT_LIMIT, "a message of %u bytes is larger than the limit of %llu bytes",
                            announced_size(reader), (unsigned long long)reader->limit_bytes);
    return PT_OK;
}

static pt_status read_prefix(pt__message_reader *reader, pt_bytes_view *input, pt_error *err)
{
    if (reader->prefix_size_bytes == PT_MESSAGE_PREFIX_BYTES)
        return PT_OK;
    if (reader->prefix_size_bytes == 0) {
        forget(&reader->body);
        forget(&reader->inflated);
    }
    size_t count = smaller(PT_MESSAGE_PREFIX_BYTES - reader->prefix_size_bytes, input->size_bytes);
    if (count == 0)
        return PT_NEED_MORE;
    memcpy(reader->prefix + reader->prefix_size_bytes, input->data, count);
    reader->prefix_size_bytes += count;
    take(input, count);
    return reader->prefix_size_bytes < PT_MESSAGE_PREFIX_BYTES ? PT_NEED_MORE : check_prefix(reader, err);
}

/* Before a message that is kept, so that it ends at a multiple of it. */
static size_t padding_of(size_t size_bytes)
{
    return (ALIGNMENT_BYTES - size_bytes % ALIGNMENT_BYTES) % ALIGNMENT_BYTES;
}

static void pad(pt__buffer *body, size_t size_bytes)
{
    static const uint8_t zeros[ALIGNMENT_BYTES];
    pt__buffer_append(body, zeros, padding_of(size_bytes));
}

/* A message that lies in the input whole is not copied. */
static pt_status read_body(pt__message_reader *reader, pt_bytes_view *input, pt_bytes_view *body, pt_error *err)
{
    size_t size = announced_size(reader);
    if (reader->body.size_bytes == 0 && input->size_bytes >= size) {
        *body = (pt_bytes_view){input->data, size};
        take(input, size);
        return PT_OK;
    }
    size_t padding = padding_of(size);
    if (reader->body.size_bytes == 0) {
        if (size > TRUSTED_BYTES && reader->body.data == NULL)
            pt__spare_lend(reader->spare, &reader->body);
        pt__buffer_reserve(&reader->body, smaller(size + padding, TRUSTED_BYTES));
        pad(&reader->body, size);
    }
    size_t count = smaller(size + padding - reader->body.size_bytes, input->size_bytes);
    pt__buffer_append(&reader->body, input->data, count);
    take(input, count);
    if (reader->body.failed)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a message of %zu bytes", size);
    *body = (pt_bytes_view){reader->body.data + padding, reader->body.size_bytes - padding};
    return body->size_bytes < size ? PT_NEED_MORE : PT_OK;
}

pt_status pt__message_reader_next(pt__message_reader *reader, pt_bytes_view *input, pt_bytes_view *message,
                                  pt_error *err)
{
    PT_TRY(read_prefix(reader, input, err));
    pt_bytes_view body = {NULL, 0};
    PT_TRY(read_body(reader, input, &body, err));
    reader->prefix_size_bytes = 0;
    if (reader->prefix[0] == 0) {
        *message = body;
        return PT_OK;
    }
    PT_TRY(pt__decompress(reader->encoding, body, reader->limit_bytes, &reader->inflated, err));
    *message = pt__buffer_view(&reader->inflated);
    return PT_OK;
}

/* Small messages have no use for memory that comes back. */
static pt_bytes *take_body(pt__message_reader *reader)
{
    if (reader->body.size_bytes <= TRUSTED_BYTES)
        return pt__buffer_take(&reader->body);
    return pt__spare_take(reader->spare, &reader->body);
}

pt_bytes *pt__message_reader_keep(pt__message_reader *reader, pt_bytes_view *message)
{
    const pt__buffer *body = &reader->body;
    if (body->size_bytes != 0 && message->data >= body->data && message->data < body->data + body->size_bytes)
        return take_body(reader);
    pt__buffer copy = PT_BUFFER_INIT;
    size_t padding = padding_of(message->size_bytes);
    pt__buffer_reserve(&copy, message->size_bytes + ALIGNMENT_BYTES);
    pad(&copy, message->size_bytes);
    pt__buffer_append(&copy, message->data, message->size_bytes);
    pt_bytes *owner = pt__buffer_take(&copy);
    if (owner != NULL)
        *message = (pt_bytes_view){pt_bytes_get_view(owner).data + padding, message->size_bytes};
    return owner;
}

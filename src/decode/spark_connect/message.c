#include "decode/spark_connect/message.h"

#include "base/buffer.h"
#include "base/condition.h"
#include "base/utf8.h"

#include <stdalign.h>
#include <string.h>
#include <zstd.h>

/* ---- checking ---- */

typedef struct level {
    const ProtobufCMessageDescriptor *descriptor;
    const uint8_t *end;
} level;

typedef struct checker {
    const uint8_t *next;
    int depth; /* index of the innermost level */
    pt_error *err;
    level levels[PT_CONNECT_DEPTH_MAX + 1];
} checker;

static pt_status malformed(checker *c, const char *what)
{
    return pt_error_set(c->err, PT_BAD_MESSAGE, "malformed %s message: %s", c->levels[c->depth].descriptor->name, what);
}

static bool read_varint(checker *c, uint64_t *out)
{
    const uint8_t *end = c->levels[c->depth].end;
    *out = 0;
    for (unsigned shift = 0; shift < 70 && c->next != end; shift += 7) {
        uint8_t byte = *c->next++;
        if (shift < 64)
            *out |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static pt_status skip(checker *c, uint64_t size)
{
    if (size > (uint64_t)(c->levels[c->depth].end - c->next))
        return malformed(c, "a field ends behind its message");
    c->next += size;
    return PT_OK;
}

static pt_status enter(checker *c, const ProtobufCMessageDescriptor *descriptor, const uint8_t *end)
{
    if (c->depth == PT_CONNECT_DEPTH_MAX)
        return pt_error_set(c->err, PT_LIMIT,
                            "the message nests deeper than %d levels; build the plan in smaller steps, for instance "
                            "through a temporary view or a checkpoint",
                            PT_CONNECT_DEPTH_MAX);
    c->levels[++c->depth] = (level){descriptor, end};
    return PT_OK;
}

/* A field with a length: text, bytes, a message or packed numbers. */
static pt_status check_sized(checker *c, uint32_t number)
{
    uint64_t size;
    if (!read_varint(c, &size))
        return malformed(c, "a length is cut off");
    if (size > (uint64_t)(c->levels[c->depth].end - c->next))
        return malformed(c, "a field ends behind its message");
    const ProtobufCMessageDescriptor *descriptor = c->levels[c->depth].descriptor;
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(descriptor, number);
    if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE)
        return enter(c, field->descriptor, c->next + size);
    if (field != NULL && field->type == PROTOBUF_C_TYPE_STRING && !pt__utf8_valid((const char *)c->next, size))
        return pt_error_set(c->err, PT_BAD_MESSAGE, "field %s.%s is not UTF-8", descriptor->name, field->name);
    return skip(c, size);
}

/* Spec: Protocol Buffers encoding, record tags and wire types. */
static pt_status check_field(checker *c)
{
    uint64_t tag;
    uint64_t ignored;
    if (!read_varint(c, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF)
        return malformed(c, "there is no such field");
    switch (tag & 7) {
    case 0: return read_varint(c, &ignored) ? PT_OK : malformed(c, "a number is cut off");
    case 1: return skip(c, 8);
    case 2: return check_sized(c, (uint32_t)(tag >> 3));
    case 5: return skip(c, 4);
    default: return malformed(c, "there is no such wire type");
    }
}

pt_status pt__connect_check(const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire, pt_error *err)
{
    checker c;
    c.next = wire.data;
    c.depth = 0;
    c.err = err;
    c.levels[0] = (level){descriptor, wire.data + wire.size_bytes};
    for (;;) {
        while (c.next == c.levels[c.depth].end) {
            if (c.depth == 0)
                return PT_OK;
            c.depth--;
        }
        PT_TRY(check_field(&c));
    }
}

/* ---- unpacking ---- */

/* Stands before each block, so that the length of text can be told. */
typedef struct block_head {
    alignas(max_align_t) size_t size_bytes;
} block_head;

static void *allocate(void *arena, size_t size_bytes)
{
    block_head *head = pt__arena_alloc(arena, sizeof(block_head) + size_bytes);
    head->size_bytes = size_bytes;
    return head + 1;
}

static void keep(void *arena, void *block)
{
    (void)arena; /* blocks go with their arena */
    (void)block;
}

size_t pt__connect_text_bytes(const char *text)
{
    if (text == NULL || text == protobuf_c_empty_string)
        return 0;
    return ((const block_head *)(const void *)text)[-1].size_bytes - 1;
}

pt_status pt__connect_unpack(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire,
                             ProtobufCMessage **out, pt_error *err)
{
    ProtobufCAllocator allocator = {allocate, keep, arena};
    PT_TRY(pt__connect_check(descriptor, wire, err));
    /* An empty message may come as a NULL view. */
    const uint8_t *data = wire.data == NULL ? (const uint8_t *)"" : wire.data;
    ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, &allocator, wire.size_bytes, data);
    if (message == NULL)
        return pt_error_set(err, PT_BAD_MESSAGE, "malformed %s message: a field has another type", descriptor->name);
    *out = message;
    return PT_OK;
}

/* ---- compressed plans ---- */

static pt_status cannot_parse(pt_error *err, const char *message)
{
    return pt__raise(err, PT_COND_CONNECT_INVALID_PLAN_CANNOT_PARSE, "errorMsg", message, NULL);
}

static void close_buffer(void *buffer)
{
    pt__buffer_deinit(buffer);
}

static void free_stream(void *stream)
{
    ZSTD_freeDStream(stream);
}

/* Inflates frame after frame; the buffer is the arena's to free. */
static pt_status inflate(pt__arena *arena, ProtobufCBinaryData data, pt__buffer *out, pt_error *err)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (stream == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to inflate the plan");
    pt__arena_defer(arena, free_stream, stream);
    ZSTD_inBuffer input = {data.data, data.len, 0};
    size_t state = 1;
    while (input.pos < input.size || state != 0) {
        size_t before = input.pos;
        if (!pt__buffer_reserve(out, ZSTD_DStreamOutSize()))
            return pt_error_set(err, PT_NO_MEMORY, "no memory to inflate the plan");
        ZSTD_outBuffer output = {out->data + out->size_bytes, out->capacity_bytes - out->size_bytes, 0};
        state = ZSTD_decompressStream(stream, &output, &input);
        if (ZSTD_isError(state))
            return cannot_parse(err, "the compressed plan is no zstd frame");
        out->size_bytes += output.pos;
        if (out->size_bytes > PT_CONNECT_INFLATED_MAX)
            return cannot_parse(err, "the inflated plan is larger than 512 MiB");
        if (output.pos == 0 && input.pos == before)
            return cannot_parse(err, "the compressed plan is cut off");
    }
    return PT_OK;
}

static pt_status unpack_inflated(pt__arena *arena, Spark__Connect__Plan__CompressedOperation__OpType type,
                                 pt_bytes_view wire, Spark__Connect__Plan *plan, pt_error *err)
{
    bool is_command = type == SPARK__CONNECT__PLAN__COMPRESSED_OPERATION__OP_TYPE__OP_TYPE_COMMAND;
    if (!is_command && type != SPARK__CONNECT__PLAN__COMPRESSED_OPERATION__OP_TYPE__OP_TYPE_RELATION)
        return cannot_parse(err, "the compressed plan is neither a relation nor a command");
    pt_error detail = PT_ERROR_INIT;
    ProtobufCMessage *message = NULL;
    pt_status status = pt__connect_unpack(
        arena, is_command ? &spark__connect__command__descriptor : &spark__connect__relation__descriptor, wire,
        &message, &detail);
    if (status != PT_OK) {
        status = cannot_parse(err, pt_error_full_message(&detail));
        pt_error_clear(&detail);
        return status;
    }
    if (is_command) {
        plan->op_type_case = SPARK__CONNECT__PLAN__OP_TYPE_COMMAND;
        plan->command = (Spark__Connect__Command *)message;
    } else {
        plan->op_type_case = SPARK__CONNECT__PLAN__OP_TYPE_ROOT;
        plan->root = (Spark__Connect__Relation *)message;
    }
    return PT_OK;
}

pt_status pt__connect_inflate_plan(pt__arena *arena, const Spark__Connect__Plan *plan, const Spark__Connect__Plan **out,
                                   pt_error *err)
{
    *out = plan;
    if (plan->op_type_case != SPARK__CONNECT__PLAN__OP_TYPE_COMPRESSED_OPERATION)
        return PT_OK;
    const Spark__Connect__Plan__CompressedOperation *operation = plan->compressed_operation;
    if (operation->compression_codec != SPARK__CONNECT__COMPRESSION_CODEC__COMPRESSION_CODEC_ZSTD)
        return cannot_parse(err, "the codec of the compressed plan is not zstd");
    pt__buffer *inflated = pt__arena_make(arena, pt__buffer);
    pt__arena_defer(arena, close_buffer, inflated);
    PT_TRY(inflate(arena, operation->data, inflated, err));
    Spark__Connect__Plan *unpacked = pt__arena_make(arena, Spark__Connect__Plan);
    spark__connect__plan__init(unpacked);
    PT_TRY(unpack_inflated(arena, operation->op_type, pt__buffer_view(inflated), unpacked, err));
    pt__buffer_deinit(inflated); /* now rather than with the arena: it may be large */
    *out = unpacked;
    return PT_OK;
}

#include "decode/spark_connect/message.h"

#include "base/buffer.h"
#include "base/condition.h"

#include <zstd.h>

pt_status pt__connect_check(const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire, pt_error *err)
{
    return pt__protobuf_check(descriptor, wire, err);
}

size_t pt__connect_text_bytes(const char *text)
{
    return pt__protobuf_text_bytes(text);
}

pt_status pt__connect_unpack(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire,
                             ProtobufCMessage **out, pt_error *err)
{
    return pt__protobuf_unpack(arena, descriptor, wire, out, err);
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

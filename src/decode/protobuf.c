#include "decode/protobuf.h"

#include "base/utf8.h"

#include <stdalign.h>

/* ---- checking ---- */

typedef struct level {
    const ProtobufCMessageDescriptor *descriptor;
    const uint8_t *end;
} level;

typedef struct checker {
    const uint8_t *next;
    int depth; /* index of the innermost level */
    pt_error *err;
    level levels[PT_PROTOBUF_DEPTH_MAX + 1];
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
    if (c->depth == PT_PROTOBUF_DEPTH_MAX)
        return pt_error_set(c->err, PT_LIMIT,
                            "the message nests deeper than %d levels; build the plan in smaller steps, for instance "
                            "through a temporary view or a checkpoint",
                            PT_PROTOBUF_DEPTH_MAX);
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

pt_status pt__protobuf_check(const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire, pt_error *err)
{
    checker c;
    if (wire.size_bytes == 0)
        return PT_OK; /* and there may be no data at all */
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

size_t pt__protobuf_text_bytes(const char *text)
{
    if (text == NULL || text == protobuf_c_empty_string)
        return 0;
    return ((const block_head *)(const void *)text)[-1].size_bytes - 1;
}

pt_status pt__protobuf_unpack(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire,
                              ProtobufCMessage **out, pt_error *err)
{
    ProtobufCAllocator allocator = {allocate, keep, arena};
    PT_TRY(pt__protobuf_check(descriptor, wire, err));
    /* An empty message may come as a NULL view. */
    const uint8_t *data = wire.data == NULL ? (const uint8_t *)"" : wire.data;
    ProtobufCMessage *message = protobuf_c_message_unpack(descriptor, &allocator, wire.size_bytes, data);
    if (message == NULL)
        return pt_error_set(err, PT_BAD_MESSAGE, "malformed %s message: a field has another type", descriptor->name);
    *out = message;
    return PT_OK;
}

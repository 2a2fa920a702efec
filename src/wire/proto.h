/**
 * Protobuf at the level of its wire format: for messages whose large fields are to be looked at or sent in place.
 *
 * Spec: protobuf.dev, "Encoding".
 */
#ifndef PT_WIRE_PROTO_H
#define PT_WIRE_PROTO_H

#include "base/buffer.h"

typedef enum pt__proto_wire_type {
    PT_PROTO_VARINT = 0,
    PT_PROTO_FIXED64 = 1,
    PT_PROTO_BYTES = 2,
    PT_PROTO_FIXED32 = 5
} pt__proto_wire_type;

/** One field; views point into the message. */
typedef struct pt__proto_field {
    uint32_t number;
    pt__proto_wire_type wire_type;
    uint64_t integer;    /* VARINT, FIXED64, FIXED32 */
    pt_bytes_view bytes; /* BYTES: strings, bytes, messages */
} pt__proto_field;

typedef enum pt__proto_state { PT_PROTO_FIELD, PT_PROTO_END, PT_PROTO_MALFORMED } pt__proto_state;

/** Takes the next field off `rest`. Groups count as malformed. */
pt__proto_state pt__proto_next(pt_bytes_view *rest, pt__proto_field *out);

/** The first field of type BYTES with that number; empty when there is none. */
pt_bytes_view pt__proto_find_bytes(pt_bytes_view message, uint32_t number);

size_t pt__proto_varint_size(uint64_t value);

/* Appending fields; empty strings and zero are written too. */
void pt__proto_append_varint(pt__buffer *out, uint64_t value);
void pt__proto_append_tag(pt__buffer *out, uint32_t number, pt__proto_wire_type wire_type);
void pt__proto_append_integer(pt__buffer *out, uint32_t number, uint64_t value);
void pt__proto_append_bytes(pt__buffer *out, uint32_t number, pt_bytes_view value);
void pt__proto_append_string(pt__buffer *out, uint32_t number, const char *value);
/** Tag and length of a field whose `size_bytes` bytes follow elsewhere. */
void pt__proto_append_header(pt__buffer *out, uint32_t number, size_t size_bytes);

#endif

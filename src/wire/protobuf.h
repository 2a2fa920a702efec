/**
 * Protobuf's wire format, read field by field. For whole messages there is generated code.
 *
 * Spec: protobuf.dev, "Encoding".
 */
#ifndef PT_WIRE_PROTOBUF_H
#define PT_WIRE_PROTOBUF_H

#include <portico/bytes.h>

#include <stdbool.h>

typedef struct pt__field {
    uint32_t number;
    uint64_t value;      /* of varint and fixed fields */
    pt_bytes_view bytes; /* of length-delimited fields; empty otherwise */
    bool is_bytes;
} pt__field;

/**
 * Takes the next field off `*input`; views point into it. False at the end, and at bytes that are malformed
 * (then `input` is not empty). Groups count as malformed.
 */
bool pt__protobuf_next(pt_bytes_view *input, pt__field *field);

/** The first length-delimited field of that number; empty when absent. */
pt_bytes_view pt__protobuf_find_bytes(pt_bytes_view message, uint32_t number);

#endif

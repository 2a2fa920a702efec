/**
 * Protocol Buffers messages of peers: checked, then unpacked into an arena.
 *
 * Neither protobuf-c nor the decoders above it bound nesting or look at the encoding of text, so every message of a
 * peer goes through pt__protobuf_check first.
 *
 * Threads: any. Stack: pt__protobuf_unpack recurses; with PT_PROTOBUF_DEPTH_MAX levels it needs about 2 MiB, under the
 * address sanitizer about 4 MiB.
 */
#ifndef PT_DECODE_PROTOBUF_H
#define PT_DECODE_PROTOBUF_H

#include "base/arena.h"

#include <portico/error.h>
#include <protobuf-c/protobuf-c.h>

enum { PT_PROTOBUF_DEPTH_MAX = 1024 /* messages within messages, as the reference server of Spark Connect allows */ };

/**
 * Reads the wire form without unpacking it: that it is well-formed, nests at most PT_PROTOBUF_DEPTH_MAX messages
 * below the outermost, and that text fields are UTF-8.
 * Errors: PT_LIMIT for nesting, PT_BAD_MESSAGE for the rest.
 */
pt_status pt__protobuf_check(const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire, pt_error *err);

/**
 * Checks and unpacks. `*out` and all below it lives in `arena`; nothing is to be freed. `wire` is not kept.
 * Errors: those of pt__protobuf_check.
 *
 *     Substrait__Plan *plan;
 *     PT_TRY(pt__protobuf_unpack(arena, &substrait__plan__descriptor, wire, (ProtobufCMessage **)&plan, err));
 */
pt_status pt__protobuf_unpack(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire,
                              ProtobufCMessage **out, pt_error *err);

/**
 * Bytes of a text field of a message that pt__protobuf_unpack made. Only this knows of NULs within the text, which
 * the C string does not show.
 */
size_t pt__protobuf_text_bytes(const char *text);

#endif

/**
 * Messages of Spark Connect: checked and unpacked as decode/protobuf.h says, inflated where they are compressed.
 */
#ifndef PT_DECODE_SPARK_CONNECT_MESSAGE_H
#define PT_DECODE_SPARK_CONNECT_MESSAGE_H

#include "decode/protobuf.h"

#include <spark/connect/base.pb-c.h>

enum {
    PT_CONNECT_DEPTH_MAX = PT_PROTOBUF_DEPTH_MAX, /* messages within messages */
    PT_CONNECT_INFLATED_MAX = 512 << 20           /* bytes of an inflated plan */
};

/**
 * Reads the wire form without unpacking it: that it is well-formed, nests at most PT_CONNECT_DEPTH_MAX messages
 * below the outermost, and that text fields are UTF-8.
 * Errors: PT_LIMIT for nesting, PT_BAD_MESSAGE for the rest.
 */
pt_status pt__connect_check(const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire, pt_error *err);

/**
 * Checks and unpacks. `*out` and all below it lives in `arena`; nothing is to be freed. `wire` is not kept.
 * Errors: those of pt__connect_check.
 *
 *     Spark__Connect__ExecutePlanRequest *request;
 *     PT_TRY(pt__connect_unpack(arena, &spark__connect__execute_plan_request__descriptor, wire,
 *                               (ProtobufCMessage **)&request, err));
 */
pt_status pt__connect_unpack(pt__arena *arena, const ProtobufCMessageDescriptor *descriptor, pt_bytes_view wire,
                             ProtobufCMessage **out, pt_error *err);

/**
 * Bytes of a text field of a message that pt__connect_unpack made. Only this knows of NULs within the text, which
 * the C string does not show.
 */
size_t pt__connect_text_bytes(const char *text);

/**
 * Sets `*out` to `plan`, or to what its compressed_operation holds.
 * Errors: PT_BAD_PLAN with CONNECT_INVALID_PLAN.CANNOT_PARSE, upon which clients send the plan uncompressed.
 */
pt_status pt__connect_inflate_plan(pt__arena *arena, const Spark__Connect__Plan *plan, const Spark__Connect__Plan **out,
                                   pt_error *err);

#endif

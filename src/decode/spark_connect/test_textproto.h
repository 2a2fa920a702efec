/**
 * Messages from text, for tests: the text format of Protocol Buffers, encoded by protobuf-c's descriptors.
 *
 *     filter { input { range { end: 3 step: 1 } } condition { literal { boolean: true } } }
 */
#ifndef PT_DECODE_SPARK_CONNECT_TEST_TEXTPROTO_H
#define PT_DECODE_SPARK_CONNECT_TEST_TEXTPROTO_H

#include "base/buffer.h"

#include <protobuf-c/protobuf-c.h>

/** Appends the wire form; false, with the offset of the fault, when the text does not fit the descriptor. */
bool pt__test_textproto(const ProtobufCMessageDescriptor *descriptor, const char *text, pt__buffer *out, size_t *fault);

#endif

/**
 * What the services of the wire itself answer: messages of protobuf-c.
 */
#ifndef PT_WIRE_REPLY_H
#define PT_WIRE_REPLY_H

#include <portico/call.h>

#include <protobuf-c/protobuf-c.h>

/** Packs and sends one message. Without memory the call ends with RESOURCE_EXHAUSTED. */
void pt__reply_message(pt_call *call, const ProtobufCMessage *message);

void pt__reply_finish(pt_call *call, pt_grpc_code code, const char *text);

#endif

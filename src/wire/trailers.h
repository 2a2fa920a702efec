/**
 * Trailers: how a call's status is written.
 *
 * Spec: gRPC over HTTP/2, "Responses": grpc-status, grpc-message (percent-encoded), grpc-status-details-bin.
 */
#ifndef PT_WIRE_TRAILERS_H
#define PT_WIRE_TRAILERS_H

#include "base/buffer.h"

#include <portico/call.h>

typedef struct pt__trailers {
    pt_grpc_code code;
    pt__buffer message; /* encoded; empty: left out */
    pt__buffer details; /* encoded; empty: left out */
} pt__trailers;

void pt__trailers_deinit(pt__trailers *trailers);

/** Encodes within the budget. False when memory is exhausted; the code then stands alone. */
bool pt__trailers_encode(pt__trailers *trailers, const pt_call_status *status);

#endif

/**
 * The grpc-timeout header: up to eight digits and a unit.
 * Spec: gRPC over HTTP/2, "Timeout".
 */
#ifndef PT_WIRE_TIMEOUT_H
#define PT_WIRE_TIMEOUT_H

#include <portico/bytes.h>

#include <stdbool.h>

/** Rounds up to whole milliseconds; false when `text` has another form. */
bool pt__timeout_parse(pt_bytes_view text, uint64_t *out_ms);

#endif

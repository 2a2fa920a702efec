/**
 * Spans of OpenTelemetry, and W3C trace context.
 *
 * Spec: W3C Trace Context, "traceparent"; OpenTelemetry protocol, JSON over HTTP.
 */
#ifndef PT_WRAP_SPAN_H
#define PT_WRAP_SPAN_H

#include "base/buffer.h"

#include <stdint.h>

enum { PT_TRACEPARENT_TEXT_BYTES = 56, PT_SPAN_TEXT_BYTES = 128 };

typedef struct pt__span {
    uint8_t trace_id[16];
    uint8_t span_id[8];
    uint8_t parent_id[8];
    bool has_parent;
    bool is_sampled;
    const char *name;  /* static */
    uint64_t start_ns; /* since 1970 */
    uint64_t end_ns;
    int64_t rows; /* -1: not counted */
    int64_t batches;
    bool has_failed;
    char user[PT_SPAN_TEXT_BYTES]; /* texts are cut; "" is left out */
    char session_id[PT_SPAN_TEXT_BYTES];
    char job_id[PT_SPAN_TEXT_BYTES];
    char kind[PT_SPAN_TEXT_BYTES];    /* of the plan, or the format of the query */
    char detail[PT_SPAN_TEXT_BYTES];  /* what wrappers decided */
    char failure[PT_SPAN_TEXT_BYTES]; /* condition or text of the error */
} pt__span;

/** Starts now; a child of `traceparent` when that is well formed, else the root of a new, sampled trace. */
void pt__span_start(pt__span *span, const char *name, const char *traceparent);
void pt__span_end(pt__span *span);

/** The context that the span's own children are given. */
void pt__span_traceparent(const pt__span *span, char out[PT_TRACEPARENT_TEXT_BYTES]);

/** Copies, cut at the end to what fits. */
void pt__span_set(char text[PT_SPAN_TEXT_BYTES], const char *value);

/** An export request of some spans. */
void pt__spans_append_json(pt__buffer *out, const char *service, const pt__span *spans, size_t count);

#endif

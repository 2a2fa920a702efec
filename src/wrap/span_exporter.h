/**
 * Sends spans to a collector in batches, on a thread of its own that ends when there is nothing to send.
 *
 * Threads: any.
 */
#ifndef PT_WRAP_SPAN_EXPORTER_H
#define PT_WRAP_SPAN_EXPORTER_H

#include "wrap/span.h"

#include <portico/backend.h>

typedef struct pt__span_exporter pt__span_exporter;

/** Reads "trace.*" of the configuration. */
pt_status pt__span_exporter_new(const pt_config *config, const pt_env *env, pt__span_exporter **out, pt_error *err);

/** Sends what is left, for a few seconds at most. NULL is allowed. */
void pt__span_exporter_free(pt__span_exporter *exporter);

/** Never waits: a span that finds the queue full is dropped and counted. */
void pt__span_exporter_add(pt__span_exporter *exporter, const pt__span *span);

#endif

/**
 * An Arrow array that several readers get, each as an array of its own over the same buffers.
 *
 * Threads: any.
 */
#ifndef PT_WRAP_SHARED_BATCH_H
#define PT_WRAP_SHARED_BATCH_H

#include <portico/arrow.h>

#include <stdbool.h>

typedef struct pt__shared_batch pt__shared_batch;

/** Moves from `take_array`, success or failure; NULL without memory. */
pt__shared_batch *pt__shared_batch_new(struct ArrowArray *take_array);
pt__shared_batch *pt__shared_batch_ref(pt__shared_batch *batch);
void pt__shared_batch_unref(pt__shared_batch *batch);

const struct ArrowArray *pt__shared_batch_get(const pt__shared_batch *batch);

/** A new array that keeps the batch until it is released; children may be moved out of it. False without memory. */
bool pt__shared_batch_export(pt__shared_batch *batch, struct ArrowArray *out);

#endif

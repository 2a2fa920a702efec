/**
 * Arrow IPC messages of results: headers are built here, bodies refer to the buffers of the array.
 *
 * Spec: Arrow columnar format, "Encapsulated message format" and "RecordBatch message".
 */
#ifndef PT_EXEC_IPC_WRITER_H
#define PT_EXEC_IPC_WRITER_H

#include "exec/spool.h"

#include <portico/arrow.h>

/** The Schema message with its frame; a new reference. */
pt_status pt__ipc_schema_message(const struct ArrowSchema *schema, pt_bytes **out, pt_error *err);

/**
 * An array of rows whose buffers entries share. `release` runs when the last entry made from it is gone.
 * Ownership: `array` is moved from, success or failure.
 */
typedef struct pt__shared_array pt__shared_array;
pt__shared_array *pt__shared_array_new(struct ArrowArray *take_array);
/** Rows that stay another's: entries copy their bytes. `array` must live as long as the result. */
pt__shared_array *pt__shared_array_borrow(const struct ArrowArray *array);
void pt__shared_array_unref(pt__shared_array *shared);
const struct ArrowArray *pt__shared_array_get(const pt__shared_array *shared);

/**
 * Rows `first` to `first + count` of a struct array as a BATCH entry with its own reference to the array.
 * Errors: PT_INTERNAL naming a layout that results must not have; PT_NO_MEMORY.
 */
pt_status pt__ipc_batch(const struct ArrowSchema *schema, pt__shared_array *shared, int64_t first, int64_t count,
                        pt__spool_entry **out, pt_error *err);

/** How many bytes the rows take in a body, roughly. */
uint64_t pt__ipc_body_bytes(const struct ArrowSchema *schema, const struct ArrowArray *array);

#endif

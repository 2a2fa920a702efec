/**
 * Whether a message of rows or of a dictionary has the nodes and buffers that its columns want: nanoarrow's decoder of
 * dictionaries takes that for granted.
 */
#ifndef PT_BACKEND_BALLISTA_BATCH_COUNTS_H
#define PT_BACKEND_BALLISTA_BATCH_COUNTS_H

#include <nanoarrow/nanoarrow_ipc.h>

#include <stdbool.h>
#include <stdint.h>

/** `flatbuffer` is a Message that is complete, of rows or of a dictionary; `schema` is that of the rows. */
bool pt__batch_counts_fit(const uint8_t *flatbuffer, const struct ArrowSchema *schema,
                          const struct ArrowIpcDictionaryEncodings *encodings);

#endif

/**
 * The output of one job as a file that outlives it: an Arrow IPC stream, behind whose end an index tells where in the
 * spool each batch and each note stood. It is called NAME.part while the job writes, NAME once it is sealed.
 *
 * Layout: schema message, batches, end of stream, index (fields of protobuf's wire format), size of the index and its
 *         digest (8 bytes each, little-endian), 8 bytes mark. Readers of Arrow streams stop before the index.
 * Threads: one appends and seals, any read what was appended.
 * Spec:    Arrow columnar format, "IPC Streaming Format".
 */
#ifndef PT_EXEC_OUTPUT_FILE_H
#define PT_EXEC_OUTPUT_FILE_H

#include "exec/spool.h"

typedef struct pt__output pt__output;

/** Begins the file of that name in the folder. Errors: PT_IO naming the file. */
pt_status pt__output_create(const char *folder, const char *name, pt__output **out, pt_error *err);

/** The schema of the batches; before the first of them. */
pt_status pt__output_set_schema(pt__output *output, pt_bytes *schema_message, pt_error *err);

/** Notes stay in memory until the file is sealed. */
pt_status pt__output_append(pt__output *output, const pt__spool_entry *entry, pt_error *err);

/** Writes the index and what is still in caches, then gives the file its name, so that it is there as a whole. */
pt_status pt__output_seal(pt__output *output, pt_error *err);

/** Opens a sealed file. Errors: PT_NOT_FOUND when there is none; PT_IO, also when it is damaged. */
pt_status pt__output_open(const char *folder, const char *name, pt__output **out, pt_error *err);

/** As pt__output_open, of an open file; takes `take_fd`, success or failure. `name` is for errors. */
pt_status pt__output_open_fd(int take_fd, const char *name, pt__output **out, pt_error *err);

/** A file that was not sealed is removed. NULL is allowed. */
void pt__output_free(pt__output *output);

uint64_t pt__output_entry_count(pt__output *output);
uint64_t pt__output_batch_count(pt__output *output);
uint64_t pt__output_size_bytes(pt__output *output);

/** Position of the batch-th batch among all entries; the number of entries when there are no more. */
uint64_t pt__output_batch_position(pt__output *output, uint64_t batch);

/** Whether the entry at `index` is a batch, and its rows. */
bool pt__output_is_batch(pt__output *output, uint64_t index, int64_t *row_count);

/** A reference, or NULL when there are no batches. */
pt_bytes *pt__output_schema(pt__output *output);

/** The entry at `index`, read from the file; a reference of the caller's. */
pt_status pt__output_read(pt__output *output, uint64_t index, pt__spool_entry **out, pt_error *err);

/** Removes the file of that name, sealed or not; there may be none. */
void pt__output_remove(const char *folder, const char *name);

#endif

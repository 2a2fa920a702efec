/**
 * Reading Arrow IPC: streams that clients send (untrusted: everything is checked) and batches of our own spool.
 *
 * Arrays refer to the given bytes where these are aligned; text with 64-bit offsets becomes text with 32-bit ones, so
 * that arrays have the layout of pt__arrow_schema.
 *
 * Spec: Arrow columnar format, "IPC Streaming Format". Compressed bodies are refused.
 */
#ifndef PT_EXEC_IPC_READER_H
#define PT_EXEC_IPC_READER_H

#include "base/arena.h"
#include "exec/spool.h"
#include "plan/table.h"

#include <portico/arrow.h>

/**
 * Reads whole streams, one after the other, all of one schema, as rows of a local relation.
 *
 * Ownership: everything lives in `arena`, whose end releases the arrays; the bytes must live as long.
 * Errors:    PT_INVALID_ARGUMENT saying what is malformed; the text is for a client.
 */
pt_status pt__ipc_read_streams(pt__arena *arena, const pt_bytes_view *streams, size_t count, const pt_local_data **out,
                               pt_error *err);

/**
 * What the decoder does not check of the rows that it gives: alignment, and that text is UTF-8. Errors:
 * PT_INVALID_ARGUMENT.
 */
pt_status pt__ipc_check_rows(const struct ArrowSchema *schema, const struct ArrowArray *rows, pt_error *err);

/** Decodes batches of one schema, given as a framed schema message. */
typedef struct pt__ipc_reader pt__ipc_reader;
pt_status pt__ipc_reader_new(pt_bytes_view schema_message, pt__ipc_reader **out, pt_error *err);
void pt__ipc_reader_free(pt__ipc_reader *reader);

/** A copy; `*out` is the caller's to release. */
pt_status pt__ipc_reader_schema(pt__ipc_reader *reader, struct ArrowSchema *out, pt_error *err);

/** The rows of a BATCH entry; `*out` is the caller's to release. Its bytes are copied. */
pt_status pt__ipc_reader_entry(pt__ipc_reader *reader, const pt__spool_entry *entry, struct ArrowArray *out,
                               pt_error *err);

#endif

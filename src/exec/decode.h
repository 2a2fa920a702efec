/**
 * The host's registry of decoders and translators, and decoding for a session.
 */
#ifndef PT_EXEC_DECODE_H
#define PT_EXEC_DECODE_H

#include "decode/options.h"
#include "exec/session.h"

/** What decoders need to know of a session: its configuration of SQL and the host's translators. Copied into `arena`. */
pt__decode_options pt__session_decode_options(pt_session *session, pt__arena *arena);

/**
 * Decodes a query for a session by the decoder of its format. The plan lives as long as `arena`; payload and options
 * may go.
 *
 * Errors:  PT_UNSUPPORTED for a format that has no decoder, listing those there are; the decoder's.
 * Threads: a worker; the caller guards the arena.
 */
pt_status pt__session_decode(pt_session *session, pt__arena *arena, const pt_encoded_query *query, const pt_plan **out,
                             pt_error *err);

/** PT_UNSUPPORTED, listing those there are, when no decoder has the format. */
pt_status pt__host_check_format(pt_host *host, const char *format, pt_error *err);

#endif

/**
 * Where an error arose, in the words in which Spark shows it to people.
 */
#ifndef PT_FRONT_SPARK_CONNECT_ERROR_CONTEXT_H
#define PT_FRONT_SPARK_CONNECT_ERROR_CONTEXT_H

#include "base/buffer.h"

#include <portico/error.h>

/** 1-based line and 0-based position in it of the context's first character. */
void pt__connect_context_position(const pt_error_context *context, int32_t *line, int32_t *position);

/** "== SQL (line 1, position 8) ==", the lines concerned and carets below the fragment; DataFrames: call and site. */
void pt__connect_append_context(pt__buffer *out, const pt_error_context *context);

/** " (line 1, pos 7)", the whole statement and a mark below the place: what follows the message of a syntax error. */
void pt__connect_append_syntax_place(pt__buffer *out, const pt_error_context *context);

#endif

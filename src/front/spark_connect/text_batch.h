/**
 * A result of one row and one text column, made here and not by an engine.
 */
#ifndef PT_FRONT_SPARK_CONNECT_TEXT_BATCH_H
#define PT_FRONT_SPARK_CONNECT_TEXT_BATCH_H

#include "base/buffer.h"

#include <portico/error.h>

/** Appends the arrow_batch field of an ExecutePlanResponse with the text in a not-null column of that name. */
pt_status pt__connect_append_text_batch(pt__buffer *out, const char *column, const pt__buffer *text, pt_error *err);

#endif

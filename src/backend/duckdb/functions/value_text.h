/** Values as they are spelled in error messages: as literals of Spark's SQL. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_VALUE_TEXT_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_VALUE_TEXT_H

#include "backend/duckdb/functions/call.h"
#include "base/timezone.h"

/** `'abc'`, quotes inside escaped. */
void pt__append_text_literal(pt__buffer *out, pt_text_view text);

/** `300`, `300L`, `1.0E10D`, `1.5BD`, `TIMESTAMP '2020-01-01 00:00:00'`. */
void pt__append_number_literal(pt__buffer *out, const pt__fn_column *column, idx_t row);

/** A value of any type as a cast to text gives it; instants are shown in the zone. */
void pt__append_cast_text(pt__buffer *out, const pt__zone *zone, const pt__fn_column *column, idx_t row);

/** In ANSI mode raises CAST_INVALID_INPUT for text that is no `target` ("\"INT\""). Always false. */
bool pt__fn_reject_cast(pt__fn_call *call, pt_text_view text, const char *target);

#endif

/** Values of Spark types as to_json and to_csv spell them. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TYPED_VALUE_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TYPED_VALUE_H

#include "backend/duckdb/functions/typed_text.h"

/** A date, or a timestamp with or without zone, by the reader's patterns or as ISO 8601. */
void pt__typed_format_time(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                           const pt__fn_column *column, idx_t row);
/** A day-time or year-month interval: INTERVAL '1' DAY. */
void pt__typed_format_interval(pt__buffer *out, const pt_type *type, const pt__fn_column *column, idx_t row);

/** JSON: null for NULL. `column` holds DuckDB's form of the Spark type. */
void pt__typed_append_json(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type,
                           const pt__fn_column *column, idx_t row);

#endif

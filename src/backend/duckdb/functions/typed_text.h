/**
 * Values of Spark types read from JSON and CSV, written as JSON that DuckDB casts to its own types.
 *
 * The C API fixes a function's result type when it is registered, so from_json gives text: every field present, dates
 * and times spelled as DuckDB reads them, decimals as strings, binary as \xHH within strings (the lowering casts those
 * fields to VARCHAR first). Field names are those that the lowering gives to DuckDB.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_TYPED_TEXT_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_TYPED_TEXT_H

#include "backend/duckdb/functions/call.h"
#include "backend/duckdb/functions/time_pattern.h"
#include "base/json.h"
#include "plan/type.h"

/** The schema and options of a call; they are the same in every row. */
typedef struct pt__typed_reader {
    pt__arena *arena;
    const pt_type *type;
    const pt__json *options; /* an object; keys in lower case */
    const pt__zone *zone;
    pt__zones *zones;
    const pt__time_pattern *date; /* NULL: as casts read them */
    const pt__time_pattern *timestamp;
    const pt__time_pattern *timestamp_ntz;
    const char *corrupt_field; /* takes a record that does not fit */
    bool fails_fast;
    bool is_bad; /* set where a value did not fit its type */
} pt__typed_reader;

/**
 * The reader of a call whose columns `schema`, `schema + 1` and `schema + 2` hold the type as Spark's JSON, the options
 * as a JSON object, and the session time zone. Patterns are for parsing or for formatting. Kept in the call's state.
 * NULL: after failing the call.
 */
pt__typed_reader *pt__typed_reader_of(pt__fn_call *call, size_t schema, bool parsing);

/** An option's text; `fallback` when it is not given. */
const char *pt__typed_option(const pt__typed_reader *reader, const char *name, const char *fallback);
bool pt__typed_flag(const pt__typed_reader *reader, const char *name, bool fallback);

/** Appends a date, timestamp, decimal or text value for `text`; false (and nothing appended) when it does not fit. */
bool pt__typed_append_text(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type, pt_text_view text);
/** A number of a decimal type; false when it is none, or too large. */
bool pt__typed_append_decimal(pt__buffer *out, const pt_type *type, pt_text_view text);
void pt__typed_append_double(pt__buffer *out, const pt_type *type, double value);
void pt__typed_append_timestamp(pt__buffer *out, int64_t micros, bool is_instant);
/** Bytes as \xHH in a JSON string. */
void pt__typed_append_bytes(pt__buffer *out, const uint8_t *bytes, size_t size_bytes);
/** `"name":` of a field, as DuckDB knows it. */
void pt__typed_append_name(pt__buffer *out, const pt__typed_reader *reader, const pt_type *type, size_t ordinal);

/** Raises MALFORMED_RECORD_IN_PARSING. Always false. */
bool pt__typed_fail_record(pt__fn_call *call, pt_text_view record);

#endif

/** What JSON functions keep from row to row. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_JSON_STATE_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_JSON_STATE_H

#include "backend/duckdb/functions/call.h"
#include "base/loose_json.h"

/** The call's own document, empty at first; NULL without memory. */
pt__loose_json *pt__json_of_call(pt__fn_call *call);

/** Reads the text of a row; false when it is no JSON, or after failing the call. */
bool pt__json_read_row(pt__fn_call *call, size_t column, idx_t row, unsigned allowed, pt__loose_json **json);

/** What get_json_object and json_tuple forgive. */
enum { PT__JSON_LENIENT = PT_LOOSE_SINGLE_QUOTES | PT_LOOSE_CONTROL_CHARACTERS };

#endif

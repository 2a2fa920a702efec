/** Time zones as arguments of functions. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_ZONES_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_ZONES_H

#include "backend/duckdb/functions/call.h"
#include "base/timezone.h"

/** The cache slot that pt__fn_zone uses. */
enum { PT__FN_ZONE_SLOT = PT__FN_CACHES - 1 };

/** The zone named by a row of a text column; NULL after raising INVALID_TIMEZONE. */
const pt__zone *pt__fn_zone(pt__fn_call *call, size_t column, idx_t row);

#endif

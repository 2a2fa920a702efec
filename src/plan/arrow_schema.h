/**
 * The Arrow layout of each type in results: what backends must deliver and frontends send.
 *
 * boolean b, byte … long c s i l, float f, double g, decimal d:p,s (128 bit), string u, binary z, date tdD,
 * timestamp tsu:<zone>, timestamp_ntz tsu:, day-time interval tDu, year-month tiM, calendar tin, array +l (child
 * "element"), map +m (child "entries" of "key", "value"), struct +s, void n, variant +s (binary "value", "metadata"),
 * time ttn.
 *
 * Source: Spark Connect, Arrow types of results.
 */
#ifndef PT_PLAN_ARROW_SCHEMA_H
#define PT_PLAN_ARROW_SCHEMA_H

#include "plan/plan.h"

#include <portico/arrow.h>

/**
 * Fills `*out` with a struct schema of the columns, names and nullability included; `*out` is the caller's to
 * release. `time_zone` names the zone of timestamps.
 */
pt_status pt__arrow_schema(const pt_column *columns, size_t column_count, const char *time_zone,
                           struct ArrowSchema *out, pt_error *err);

/** The type that an Arrow field of a client means; PT_UNSUPPORTED with UNSUPPORTED_ARROWTYPE for what Spark refuses. */
pt_status pt__arrow_type(pt__arena *arena, const struct ArrowSchema *schema, const pt_type **out, pt_error *err);

#endif

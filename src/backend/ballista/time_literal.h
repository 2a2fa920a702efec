/**
 * Dates and timestamps that a query writes as text.
 */
#ifndef PT_BACKEND_BALLISTA_TIME_LITERAL_H
#define PT_BACKEND_BALLISTA_TIME_LITERAL_H

#include "base/arena.h"
#include "plan/expr.h"

/**
 * Reads a full date, or a full date and time of day, as a value of the type (date, timestamp, timestamp_ntz).
 * `time_zone` is the session's. False: of another form, which may be right for all that.
 */
bool pt__time_literal(pt__arena *arena, const char *text, const pt_type *type, const char *time_zone, pt_value *out);

#endif

/**
 * A value of an Arrow array as DataFrame.show() prints it, which is not CAST AS STRING: nested nulls are NULL and
 * binary is hexadecimal.
 */
#ifndef PT_FRONT_SPARK_CONNECT_CELL_H
#define PT_FRONT_SPARK_CONNECT_CELL_H

#include "base/timezone.h"
#include "plan/type.h"

#include <portico/arrow.h>

/**
 * Appends row `row` of the array, which has the layout that plan/arrow_schema.h gives for `type`. `zone` is that of
 * timestamps.
 * Errors: PT_UNSUPPORTED naming the type.
 */
pt_status pt__cell_append(pt__buffer *out, const pt_type *type, const struct ArrowArray *array, int64_t row,
                          const pt__zone *zone, pt_error *err);

#endif

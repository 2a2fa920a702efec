/**
 * The copy node over lowered rows whose columns have Spark's names.
 */
#ifndef PT_BACKEND_BALLISTA_COPY_H
#define PT_BACKEND_BALLISTA_COPY_H

#include "backend/ballista/lowering.h"

/** Refuses by name what the files would hold otherwise than Spark's. */
pt_status pt__bl_copy_node(pt__arena *arena, const pt__ballista_copy *copy, const pt__ballista_lowered *rows,
                           const pt__bplan *input, const pt__bplan **out, pt_error *err);

#endif

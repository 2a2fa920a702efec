/**
 * Whole numbers that constants say: a literal, a cast of one, and sums, differences and products of those. What a type
 * depends on must be known before the engine computes anything: the scale of round(), the step of a window.
 */
#ifndef PT_ANALYZE_CONSTANT_H
#define PT_ANALYZE_CONSTANT_H

#include "plan/expr.h"

/** False when it is no such constant, NULL, or beyond 64 bits. */
bool pt__constant_integer(const pt_expr *expr, int64_t *out);

#endif

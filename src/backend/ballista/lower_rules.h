/**
 * Rules: calls that a template of functions.def cannot say, a row of lower_rules.def each.
 */
#ifndef PT_BACKEND_BALLISTA_LOWER_RULES_H
#define PT_BACKEND_BALLISTA_LOWER_RULES_H

#include "backend/ballista/lowering.h"

#define PT_BL_LOWERING(name)                                                                                           \
    pt_status pt__bl_rule_##name(pt__bl *bl, const pt_expr_call *call, const pt__bx *const *x, const pt__bx **out,     \
                                 pt_error *err)

#define PT_BL_RULE(name) PT_BL_LOWERING(name);
#include "backend/ballista/lower_rules.def"
#undef PT_BL_RULE

/** A timestamp as one of the session's zone: its fields are local. */
const pt__bx *pt__bl_local_time(pt__bl *bl, const pt__bx *x);

/** At least that many bits hold every value that the expression has, the sign not counted; 63 at most. */
int pt__bl_bits(const pt_expr *expr);

bool pt__bl_fails_to_null(const pt_expr_call *call);

/** Divides decimals rounding half up; `zero` is what a divisor of 0 gives. */
const pt__bx *pt__bl_divide_decimals(pt__bl *bl, const pt__bx *a, const pt_type *a_type, const pt__bx *b,
                                     const pt_type *b_type, const pt_type *result, bool to_null);

#endif

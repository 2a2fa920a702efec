/**
 * The text form of plans: one node a line, children indented by two spaces. For tests, logs and EXPLAIN.
 *
 * The form is total: two plans with the same text are the same but for origins and bytes of local relations,
 * which are shown by size and hash. Members at their default (NULL, empty, false, 0) are left out.
 *
 *     filter #1 condition=>(a, 1)
 *       scan_table #0 name=t
 *
 * Expressions: `a@3` attribute of plan 3, `<2>` third column of the inputs (`<^2>` of the query around), `a#5` resolved column 5, `f(x, y)` calls and operators, `1`, `2L`, `1.5D`,
 * `'x'`, `19724:date` literals. A resolved expression carries its type, and `?` when it may be NULL: `+(a#5, 1):int?`.
 */
#ifndef PT_PLAN_TEXT_H
#define PT_PLAN_TEXT_H

#include "plan/plan.h"

void pt__plan_append_text(pt__buffer *out, const pt_plan *plan);
void pt__expr_append_text(pt__buffer *out, const pt_expr *expr);

/** A value as in literals but without its type: `1`, `'x'`, `[1, null]`; dates and times are their numbers. */
void pt__value_append_text(pt__buffer *out, const pt_type *type, const pt_value *value);

/** The text in `arena`. */
const char *pt__plan_text(pt__arena *arena, const pt_plan *plan);
const char *pt__expr_text(pt__arena *arena, const pt_expr *expr);

#endif

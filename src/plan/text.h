/**
 * The text form of plans: one node a line, children indented by two spaces. For tests, logs and EXPLAIN.
 *
 * The form is total: two plans with the same text are the same but for origins and bytes of local relations,
 * which are shown by size and hash.
 */
#ifndef PT_PLAN_TEXT_H
#define PT_PLAN_TEXT_H

#include "plan/plan.h"

void pt__plan_append_text(pt__buffer *out, const pt_plan *plan);
void pt__expr_append_text(pt__buffer *out, const pt_expr *expr);

#endif

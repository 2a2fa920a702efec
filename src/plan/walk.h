/**
 * Walking and mapping relations and commands; those of expressions are in expr.h.
 *
 * All of these look one level down: a pass recurses by calling them again from its visit or map function.
 */
#ifndef PT_PLAN_WALK_H
#define PT_PLAN_WALK_H

#include "plan/plan.h"

/** Calls visit(context, child) for each plan directly below until one returns false; false then. */
bool pt__plan_each_child(const pt_plan *plan, bool (*visit)(void *context, const pt_plan *child), void *context);

/** The same for each expression that the node itself holds. Plans of subqueries lie below those expressions. */
bool pt__plan_each_expr(const pt_plan *plan, bool (*visit)(void *context, const pt_expr *expr), void *context);

/**
 * A copy of `plan` with the plans and expressions directly below it mapped; `plan` itself when none changed. Either
 * function may be NULL.
 */
const pt_plan *pt__plan_map_children(pt__arena *arena, const pt_plan *plan,
                                     const pt_plan *(*map_plan)(void *context, const pt_plan *child),
                                     const pt_expr *(*map_expr)(void *context, const pt_expr *expr), void *context);

/** Structural equality, ignoring plan ids of nodes and origins: what finds a cached relation again. */
bool pt__plan_equal(const pt_plan *a, const pt_plan *b);

#endif

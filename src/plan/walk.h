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

/** What pt__plan_rewrite calls for each node after those below it; either function may be NULL. */
typedef struct pt__rewriter {
    const pt_plan *(*plan)(void *context, const pt_plan *plan);
    const pt_expr *(*expr)(void *context, const pt_expr *expr);
    void *context;
} pt__rewriter;

/** The whole tree mapped from its leaves up, plans of sub-queries and parameters of lambdas included. */
const pt_plan *pt__plan_rewrite(pt__arena *arena, const pt_plan *plan, const pt__rewriter *rewriter);
const pt_expr *pt__expr_rewrite(pt__arena *arena, const pt_expr *expr, const pt__rewriter *rewriter);

/**
 * A copy of a tree before analysis that shares nothing with it: what a session keeps of a request. Columns and what
 * analysis found are left out.
 */
const pt_plan *pt__plan_copy(pt__arena *arena, const pt_plan *plan);
const pt_expr *pt__expr_copy(pt__arena *arena, const pt_expr *expr);

/** Structural equality, ignoring plan ids of nodes and origins: what finds a cached relation again. */
bool pt__plan_equal(const pt_plan *a, const pt_plan *b);

#endif

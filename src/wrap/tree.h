/**
 * Walking whole analyzed trees: every relation, command and expression, those of subqueries among them.
 */
#ifndef PT_WRAP_TREE_H
#define PT_WRAP_TREE_H

#include "plan/plan.h"

/** Either may be NULL; false ends the walk. A node is visited before what lies below it. */
typedef struct pt__tree_visitor {
    bool (*plan)(void *context, const pt_plan *plan, uint32_t depth);
    bool (*expr)(void *context, const pt_expr *expr, uint32_t depth);
    void *context;
} pt__tree_visitor;

/** False when a visit did. `depth` of the root is 1. */
bool pt__tree_walk(const pt_plan *plan, const pt__tree_visitor *visitor);
bool pt__tree_walk_expr(const pt_expr *expr, const pt__tree_visitor *visitor);

#endif

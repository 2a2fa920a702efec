/**
 * Plans of DataFusion that go to a cluster as they came: what a stock scheduler would not survive is refused.
 */
#ifndef PT_BACKEND_BALLISTA_PLAN_GUARD_H
#define PT_BACKEND_BALLISTA_PLAN_GUARD_H

#include <portico/bytes.h>
#include <portico/error.h>

enum {
    PT_PLAN_GUARD_DEPTH_MAX = 100,    /* messages within each other: what a scheduler decodes */
    PT_PLAN_GUARD_OPERANDS_MAX = 1000 /* of one expression: a scheduler recurses over them, until its stack ends */
};

/**
 * `plan` is a LogicalPlanNode. Errors: PT_LIMIT for nesting and operands, PT_BAD_PLAN for scans that make a scheduler
 * hang, PT_BAD_MESSAGE for what is malformed.
 */
pt_status pt__datafusion_check_plan(pt_bytes_view plan, pt_error *err);

#endif

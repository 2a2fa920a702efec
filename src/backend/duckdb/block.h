/**
 * Block: one SELECT under construction. Relations add clauses to it as long as the order in which SQL evaluates
 * them is the plan's; then the block is wrapped: it becomes a subquery in the FROM of a new one.
 */
#ifndef PT_BACKEND_DUCKDB_BLOCK_H
#define PT_BACKEND_DUCKDB_BLOCK_H

#include "backend/duckdb/lower.h"

typedef struct pt__block {
    const char *from; /* NULL: one row */
    bool from_is_join;
    pt__list(const char *) where;
    bool is_aggregated;
    const char *group; /* after GROUP BY; NULL with is_aggregated: all rows are one group */
    bool has_window;
    const char *order;
    const char *limit;
    const char *offset;
} pt__block;

/** Lowers a relation into a new block; its columns are bound. */
pt_status pt__lower_relation(pt__lower *lower, const pt_plan *plan, pt__block *out, pt_error *err);

/** Appends the SELECT with these columns, each named c<id>; columns that nothing uses are left out if `used_only`. */
void pt__put_select(pt__lower *lower, const pt__block *block, const pt_column *columns, size_t count, bool used_only);

/** Makes the block a subquery of a new one and binds the columns to it. */
void pt__block_wrap(pt__lower *lower, pt__block *block, const pt_column *columns, size_t count);

/** A block over `from`, a FROM item. */
pt__block pt__block_from(const char *from);

/** The whole statement of a relation, all its columns by position, as text. */
pt_status pt__lower_select_text(pt__lower *lower, const pt_plan *plan, const char **out, pt_error *err);

/* Stacks of aggregates (lower_stack.c). */

/** Below an aggregate: makes what `plan` was lowered to a WITH clause of the statement when a stack gets high. PT_LIMIT. */
pt_status pt__lower_cut_stack(pt__lower *lower, const pt_plan *plan, pt__block *block, pt_error *err);
pt_status pt__lower_check_stack(const pt_expr_subquery *subquery, pt_error *err);
/** What was cut off, before the statement that refers to it. */
void pt__put_hoisted(pt__lower *lower);

/* What an expression is about to be used for. */
typedef enum pt__use { PT_USE_PROJECT, PT_USE_FILTER, PT_USE_AGGREGATE, PT_USE_SORT, PT_USE_JOIN } pt__use;

/** Whether the columns that `expr` refers to must be computed in a subquery first. */
bool pt__must_wrap(pt__lower *lower, const pt_expr *expr, pt__use use);

/** Whether a node of the kind lies in the expression. */
bool pt__expr_has(const pt_expr *expr, pt_expr_kind kind);

/** Whether a call in it gives another answer each time. */
bool pt__expr_is_volatile(const pt_expr *expr);

/** Counts references to columns of the whole plan in the bindings' `uses`. */
void pt__count_uses(pt__lower *lower, const pt_plan *plan);

/* Relations with a file of their own. */
pt_status pt__lower_join(pt__lower *lower, const pt_plan_join *join, pt__block *out, pt_error *err);
pt_status pt__lower_aggregate(pt__lower *lower, const pt_plan_aggregate *aggregate, pt__block *out, pt_error *err);
pt_status pt__lower_generate(pt__lower *lower, const pt_plan_generate *generate, pt__block *out, pt_error *err);
pt_status pt__lower_sample(pt__lower *lower, const pt_plan_sample *sample, pt__block *out, pt_error *err);
pt_status pt__lower_set_operation(pt__lower *lower, const pt_plan_set_operation *set, pt__block *out, pt_error *err);
pt_status pt__lower_with(pt__lower *lower, const pt_plan_with *with, pt__block *out, pt_error *err);
pt_status pt__lower_reference(pt__lower *lower, const pt_plan_reference *reference, pt__block *out, pt_error *err);
pt_status pt__lower_scan_table(pt__lower *lower, const pt_plan_scan_table *scan, pt__block *out, pt_error *err);
pt_status pt__lower_scan_files(pt__lower *lower, const pt_plan_scan_files *scan, pt__block *out, pt_error *err);
pt_status pt__lower_local(pt__lower *lower, const pt_plan_local *local, pt__block *out, pt_error *err);
pt_status pt__lower_cached(pt__lower *lower, const pt_plan_cached *cached, pt__block *out, pt_error *err);

#endif

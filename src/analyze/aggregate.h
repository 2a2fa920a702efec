/**
 * Taking aggregates apart: output expressions over rows become expressions over groups.
 */
#ifndef PT_ANALYZE_AGGREGATE_H
#define PT_ANALYZE_AGGREGATE_H

#include "analyze/analyzer.h"

typedef struct pt__aggregation {
    pt__analyzer *a;
    const pt_plan *input;
    const pt_expr *const *grouping; /* analyzed over the input */
    size_t grouping_count;
    const pt_column *grouping_columns;
    const pt_grouping_set *sets;
    size_t set_count;
    pt__list(const pt_expr *) aggregates;
    pt__list(pt_column) aggregate_columns;
    pt_column grouping_id;  /* id 0: not asked for */
    const pt_expr *outside; /* a column that is neither grouped nor aggregated: the error's */
    pt_status status;
    pt_error *err;
} pt__aggregation;

void pt__aggregation_init(pt__aggregation *g, pt__analyzer *a, const pt_plan *input, const pt_expr *const *grouping,
                          size_t grouping_count, const pt_grouping_set *sets, size_t set_count);

/** Starts from an analyzed AGGREGATE, keeping its columns; more aggregates may follow. */
void pt__aggregation_resume(pt__aggregation *g, pt__analyzer *a, const pt_plan_aggregate *node);

/** The expression over the groups' columns. Errors: MISSING_AGGREGATION and relatives. */
pt_status pt__aggregation_rewrite(pt__aggregation *g, const pt_expr *expr, const pt_expr **out, pt_error *err);

const pt_plan *pt__aggregation_finish(pt__aggregation *g);

#endif

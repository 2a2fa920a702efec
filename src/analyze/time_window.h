/**
 * window(…) in select lists and GROUP BY; for files of src/analyze.
 */
#ifndef PT_ANALYZE_TIME_WINDOW_H
#define PT_ANALYZE_TIME_WINDOW_H

#include "analyze/analyzer.h"

typedef struct pt__expr_list {
    const pt_expr *const *items;
    size_t count;
} pt__expr_list;

/**
 * When unresolved expressions of the lists call window(…): replaces the calls by a column that the input is given.
 * Stars of such lists are expanded.
 * Errors: of the call's arguments; two different calls.
 */
pt_status pt__take_time_windows(pt__analyzer *a, const pt_plan **input, pt__expr_list *lists, size_t list_count,
                                pt_error *err);

#endif

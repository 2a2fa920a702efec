/**
 * DataFusion's functions: what rows of functions.def consist of.
 */
#ifndef PT_DECODE_DATAFUSION_FUNCTIONS_H
#define PT_DECODE_DATAFUSION_FUNCTIONS_H

#include "decode/datafusion/internal.h"

typedef enum pt__df_result {
    PT_DF_RESULT_FIRST,
    PT_DF_RESULT_FLOAT,
    PT_DF_RESULT_BOOLEAN,
    PT_DF_RESULT_INT32,
    PT_DF_RESULT_INT64,
    PT_DF_RESULT_UINT64,
    PT_DF_RESULT_FLOAT64,
    PT_DF_RESULT_STRING,
    PT_DF_RESULT_BINARY,
    PT_DF_RESULT_DATE,
    PT_DF_RESULT_NOW
} pt__df_result;

/** What all kinds of functions have; handlers follow in their own tables. */
typedef struct pt__df_function {
    const char *name;
    size_t fewest;
    size_t most;
    const char *types;
    const char *plan;
    pt__df_result result;
} pt__df_function;

/** Count and types of the arguments; `arguments` are cast in place. */
pt_status pt__df_check_arguments(pt__df *d, const pt__df_function *function, pt__df_value *arguments, size_t count);

const pt__df_type *pt__df_result_type(pt__df *d, const pt__df_function *function, const pt__df_type *first);

/** `call` in the type that DataFusion's function has: cast where the plan's numbers are of another type. */
pt__df_value pt__df_give_result(pt__df *d, const pt__df_function *function, const pt__df_type *first,
                                const pt_expr *call);

/** Where and over what a window function runs; aggregates have none of it. */
typedef struct pt__df_over {
    const pt_expr *const *partition;
    size_t partition_count;
    const pt_expr *const *order;
    size_t order_count;
    pt_frame_unit unit;
    pt_frame_bound lower;
    pt_frame_bound upper;
} pt__df_over;

/** A call of an aggregate, decoded but for its function. */
typedef struct pt__df_aggregation {
    const char *name;
    pt__df_value *arguments;
    size_t count;
    bool is_distinct;
    bool ignore_nulls;
    const pt_expr *filter;       /* NULL none */
    const pt_expr *const *order; /* of the rows that go in */
    const pt__df_type *const *order_types;
    size_t order_count;
    const pt__df_over *over; /* NULL: no window function */
} pt__df_aggregation;

pt_status pt__df_aggregation_of(pt__df *d, pt__df_aggregation *a, pt__df_value *out);

#endif

/** States and functions of the families of aggregates.def. */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_AGG_STATES_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_AGG_STATES_H

#include "backend/duckdb/functions/aggregate.h"

typedef enum pt__moments_option {
    PT__KURTOSIS,
    PT__SKEWNESS,
    PT__STDDEV_POP,
    PT__STDDEV_SAMP,
    PT__VAR_POP,
    PT__VAR_SAMP
} pt__moments_option;

typedef struct pt__moments_state {
    double count;
    double mean;
    double m2;
    double m3;
    double m4;
} pt__moments_state;

typedef enum pt__pairs_option {
    PT__CORR,
    PT__COVAR_POP,
    PT__COVAR_SAMP,
    PT__REGR_AVGX,
    PT__REGR_AVGY,
    PT__REGR_INTERCEPT,
    PT__REGR_R2,
    PT__REGR_SLOPE,
    PT__REGR_SXX,
    PT__REGR_SXY,
    PT__REGR_SYY
} pt__pairs_option;

/** Of the first and the second argument. */
typedef struct pt__pairs_state {
    double count;
    double x_mean;
    double y_mean;
    double xy; /* sum of products of the deviations */
    double xx;
    double yy;
} pt__pairs_state;

typedef enum pt__percentile_option { PT__PERCENTILE_CONT, PT__PERCENTILE_DISC } pt__percentile_option;

typedef struct pt__percentile_state {
    pt__agg_array values;      /* of struct { double value; int64_t frequency; } */
    pt__agg_array percentages; /* of double */
    bool is_sorted;
} pt__percentile_state;

/** A quantile summary by Greenwald and Khanna, with a buffer of values not in it yet. */
typedef struct pt__digest_state {
    pt__agg_array percentages; /* of double */
    pt__agg_array samples;     /* of struct sample in agg_digest.c */
    pt__agg_array buffer;      /* of double */
    int64_t count;             /* of values in `samples` */
    double relative_error;
} pt__digest_state;

/** A histogram of bins that move, by Ben-Haim and Tom-Tov. */
typedef struct pt__histogram_state {
    pt__agg_array bins; /* of struct bin in agg_histogram.c, by place */
    int32_t bin_count;
    uint64_t random; /* 0: not begun */
} pt__histogram_state;

/** HyperLogLog++ registers. */
typedef struct pt__distinct_state {
    uint8_t *registers; /* 2^precision; NULL: no value yet */
    int32_t precision;
} pt__distinct_state;

typedef struct pt__count_min_state {
    int64_t *cells; /* depth rows of `width`; NULL: no value yet */
    int64_t total;
    int32_t depth;
    int32_t width;
    int64_t seed;
} pt__count_min_state;

typedef enum pt__bitmap_option { PT__BITMAP_AND, PT__BITMAP_CONSTRUCT, PT__BITMAP_OR } pt__bitmap_option;
enum { PT__BITMAP_BYTES = 4096 };

typedef struct pt__bitmap_state {
    uint8_t *bits; /* PT__BITMAP_BYTES; NULL: no value yet */
    bool has_bad_position;
    int64_t bad_position;
} pt__bitmap_state;

#define FAMILY(family)                                                                                                 \
    bool pt__##family##_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row);              \
    bool pt__##family##_merge(void *state, const void *other, const pt__agg_row *row);                                 \
    bool pt__##family##_finish(void *state, pt__agg_result *result, idx_t at);                                         \
    void pt__##family##_end(void *state);
#include "backend/duckdb/functions/agg_families.def"
#undef FAMILY

#endif

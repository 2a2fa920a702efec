/*
 * Approximate count of distinct values.
 *
 * Source: Heule, Nunkesser and Hall, "HyperLogLog in practice": 64-bit hashes, linear counting below a threshold for
 * each precision. Above it the estimator of Ertl, "New cardinality estimation algorithms for HyperLogLog sketches",
 * stands in for the paper's tables of biases: within the promised error, but not Spark's digits.
 */
#include "backend/duckdb/functions/agg_states.h"

#include <math.h>
#include <stdlib.h>

enum { PRECISION_MIN = 4, PRECISION_MAX = 18 };

static int32_t precision_for(double relative_deviation)
{
    int32_t precision = (int32_t)ceil(2.0 * log(1.106 / relative_deviation) / log(2.0));
    return precision < PRECISION_MIN ? PRECISION_MIN : precision > 24 ? 24 : precision;
}

static bool begin(pt__distinct_state *s, int32_t precision)
{
    if (s->registers != NULL)
        return true;
    s->precision = precision;
    s->registers = calloc((size_t)1 << precision, 1);
    return s->registers != NULL;
}

bool pt__distinct_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    (void)row;
    pt__distinct_state *s = state;
    if (s->registers == NULL && !begin(s, precision_for(((const double *)columns[1].data)[at])))
        return false;
    uint64_t hash = (uint64_t)((const int64_t *)columns[0].data)[at];
    size_t index = (size_t)(hash >> (64 - s->precision));
    uint64_t rest = (hash << s->precision) | (UINT64_C(1) << (s->precision - 1));
    uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);
    if (rank > s->registers[index])
        s->registers[index] = rank;
    return true;
}

bool pt__distinct_merge(void *state, const void *other, const pt__agg_row *row)
{
    (void)row;
    pt__distinct_state *a = state;
    const pt__distinct_state *b = other;
    if (b->registers == NULL)
        return true;
    if (!begin(a, b->precision))
        return false;
    for (size_t i = 0; i < (size_t)1 << a->precision; i++)
        if (b->registers[i] > a->registers[i])
            a->registers[i] = b->registers[i];
    return true;
}

/* Up to which estimate linear counting is better, by precision from 4 on. */
static const double THRESHOLDS[] = {10,   20,   40,    80,    220,   400,    900,   1800,
                                    3100, 6500, 11500, 20000, 50000, 120000, 350000};

static double sigma(double x)
{
    double y = 1;
    double z = x;
    double before;
    if (x == 1)
        return INFINITY;
    do {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    } while (z != before);
    return z;
}

static double tau(double x)
{
    double y = 1;
    double z = 1 - x;
    double before;
    if (x == 0 || x == 1)
        return 0;
    do {
        x = sqrt(x);
        before = z;
        y *= 0.5;
        z -= (1 - x) * (1 - x) * y;
    } while (z != before);
    return z / 3;
}

static double estimate(const pt__distinct_state *s)
{
    size_t counts[66] = {0};
    size_t size = (size_t)1 << s->precision;
    int q = 64 - s->precision;
    for (size_t i = 0; i < size; i++)
        counts[s->registers[i]]++;
    double m = (double)size;
    double z = m * tau(1 - (double)counts[q + 1] / m);
    for (int k = q; k >= 1; k--)
        z = 0.5 * (z + (double)counts[k]);
    z += m * sigma((double)counts[0] / m);
    return m * m / (2 * log(2.0) * z);
}

bool pt__distinct_finish(void *state, pt__agg_result *result, idx_t at)
{
    const pt__distinct_state *s = state;
    size_t empty = 0;
    PT__AGG_OUT(result, int64_t)[at] = 0;
    if (s->registers == NULL)
        return true;
    for (size_t i = 0; i < (size_t)1 << s->precision; i++)
        empty += s->registers[i] == 0;
    double m = (double)((size_t)1 << s->precision);
    double linear = empty == 0 ? INFINITY : m * log(m / (double)empty);
    double limit = s->precision <= PRECISION_MAX ? THRESHOLDS[s->precision - PRECISION_MIN] : m / 2;
    PT__AGG_OUT(result, int64_t)[at] = llround(linear <= limit ? linear : estimate(s));
    return true;
}

void pt__distinct_end(void *state)
{
    pt__distinct_state *s = state;
    free(s->registers);
    *s = (pt__distinct_state){0};
}

/*
 * Moments of one and two columns, kept around the running mean.
 *
 * Source: the updating formulas of Welford, Chan, Golub, LeVeque and Pébay, in the order of operations that Spark has,
 * so that the last digits agree.
 */
#include "backend/duckdb/functions/agg_states.h"

#include <math.h>

static double double_at(const pt__fn_column *columns, size_t index, idx_t at)
{
    return ((const double *)columns[index].data)[at];
}

bool pt__moments_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    (void)row;
    pt__moments_state *s = state;
    double delta = double_at(columns, 0, at) - s->mean;
    s->count += 1;
    double step = delta / s->count;
    s->mean += step;
    s->m2 += delta * (delta - step);
    double delta2 = delta * delta;
    double step2 = step * step;
    s->m3 = s->m3 - 3.0 * step * s->m2 + delta * (delta2 - step2);
    s->m4 = s->m4 - 4.0 * step * s->m3 - 6.0 * step2 * s->m2 + delta * (delta * delta2 - step * step2);
    return true;
}

bool pt__moments_merge(void *state, const void *other, const pt__agg_row *row)
{
    (void)row;
    pt__moments_state *a = state;
    const pt__moments_state *b = other;
    if (b->count == 0)
        return true;
    double n1 = a->count;
    double n2 = b->count;
    double n = n1 + n2;
    double delta = b->mean - a->mean;
    double step = delta / n;
    double m2 = a->m2 + b->m2 + delta * step * n1 * n2;
    double m3 = a->m3 + b->m3 + step * step * delta * n1 * n2 * (n1 - n2) + 3.0 * step * (n1 * b->m2 - n2 * a->m2);
    double m4 = a->m4 + b->m4 + step * step * step * delta * n1 * n2 * (n1 * n1 - n1 * n2 + n2 * n2) +
                6.0 * step * step * (n1 * n1 * b->m2 + n2 * n2 * a->m2) + 4.0 * step * (n1 * b->m3 - n2 * a->m3);
    *a = (pt__moments_state){n, a->mean + step * n2, m2, m3, m4};
    return true;
}

static double moments_value(const pt__moments_state *s, int option)
{
    switch ((pt__moments_option)option) {
    case PT__KURTOSIS: return s->count * s->m4 / (s->m2 * s->m2) - 3.0;
    case PT__SKEWNESS: return sqrt(s->count) * s->m3 / sqrt(s->m2 * s->m2 * s->m2);
    case PT__STDDEV_POP: return sqrt(s->m2 / s->count);
    case PT__STDDEV_SAMP: return sqrt(s->m2 / (s->count - 1));
    case PT__VAR_POP: return s->m2 / s->count;
    case PT__VAR_SAMP: return s->m2 / (s->count - 1);
    }
    return 0;
}

bool pt__moments_finish(void *state, pt__agg_result *result, idx_t at)
{
    const pt__moments_state *s = state;
    int option = result->row->option;
    bool is_sample = option == PT__STDDEV_SAMP || option == PT__VAR_SAMP;
    bool is_shape = option == PT__KURTOSIS || option == PT__SKEWNESS;
    if (s->count == 0 || (is_sample && s->count == 1) || (is_shape && s->m2 == 0))
        return false;
    PT__AGG_OUT(result, double)[at] = moments_value(s, option);
    return true;
}

void pt__moments_end(void *state)
{
    (void)state;
}

/* ---- pairs ---- */

/* The same but for the last digits; Spark has one in correlations, the other in variances. */
static double square_term(double delta, double step, double rest, bool is_correlation)
{
    return is_correlation ? delta * rest : delta * (delta - step);
}

bool pt__pairs_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    bool is_correlation = row->option == PT__CORR || row->option == PT__REGR_R2;
    pt__pairs_state *s = state;
    double x = double_at(columns, 0, at);
    double y = double_at(columns, 1, at);
    double dx = x - s->x_mean;
    double dy = y - s->y_mean;
    s->count += 1;
    s->x_mean += dx / s->count;
    s->y_mean += dy / s->count;
    s->xy += row->option == PT__REGR_SLOPE || row->option == PT__REGR_INTERCEPT ? dy * (x - s->x_mean)
                                                                                : dx * (y - s->y_mean);
    s->xx += square_term(dx, dx / s->count, x - s->x_mean, is_correlation);
    s->yy += square_term(dy, dy / s->count, y - s->y_mean, is_correlation);
    return true;
}

bool pt__pairs_merge(void *state, const void *other, const pt__agg_row *row)
{
    (void)row;
    pt__pairs_state *a = state;
    const pt__pairs_state *b = other;
    if (b->count == 0)
        return true;
    double n = a->count + b->count;
    double dx = b->x_mean - a->x_mean;
    double dy = b->y_mean - a->y_mean;
    double dx_step = dx / n;
    double dy_step = dy / n;
    a->xy += b->xy + dx * dy_step * a->count * b->count;
    a->xx += b->xx + dx * dx_step * a->count * b->count;
    a->yy += b->yy + dy * dy_step * a->count * b->count;
    a->x_mean += dx_step * b->count;
    a->y_mean += dy_step * b->count;
    a->count = n;
    return true;
}

/* In regression the first argument is the dependent variable. */
static double pairs_value(const pt__pairs_state *s, int option)
{
    switch ((pt__pairs_option)option) {
    case PT__CORR: return s->xy / sqrt(s->xx * s->yy);
    case PT__COVAR_POP: return s->xy / s->count;
    case PT__COVAR_SAMP: return s->xy / (s->count - 1);
    case PT__REGR_AVGX: return s->y_mean;
    case PT__REGR_AVGY: return s->x_mean;
    case PT__REGR_INTERCEPT: return s->x_mean - s->xy / s->yy * s->y_mean;
    case PT__REGR_R2: return s->xx == 0 ? 1.0 : s->xy * s->xy / s->xx / s->yy;
    case PT__REGR_SLOPE: return s->xy / s->yy;
    case PT__REGR_SXX: return s->yy;
    case PT__REGR_SXY: return s->xy;
    case PT__REGR_SYY: return s->xx;
    }
    return 0;
}

/* The independent variable must vary. */
static bool divides_by_yy(int option)
{
    return option == PT__REGR_INTERCEPT || option == PT__REGR_R2 || option == PT__REGR_SLOPE;
}

bool pt__pairs_finish(void *state, pt__agg_result *result, idx_t at)
{
    const pt__pairs_state *s = state;
    int option = result->row->option;
    bool needs_two = option == PT__CORR || option == PT__COVAR_SAMP;
    if (s->count == 0 || (needs_two && s->count == 1) || (divides_by_yy(option) && s->yy == 0))
        return false;
    if (option == PT__CORR && s->xx * s->yy == 0)
        return pt__agg_raise(result, PT_COND_DIVIDE_BY_ZERO, "config", PT__ANSI_CONFIG, NULL);
    PT__AGG_OUT(result, double)[at] = pairs_value(s, option);
    return true;
}

void pt__pairs_end(void *state)
{
    (void)state;
}

/* Division and remainder of floating point numbers, and functions of the mathematical library. */
#include "backend/duckdb/functions/kernels.h"

#include <math.h>

static bool divide(pt__fn_call *call, double a, double b, double *out)
{
    *out = a / b;
    return b != 0 || pt__fn_reject(call, PT_COND_DIVIDE_BY_ZERO, "config", PT__ANSI_CONFIG, NULL);
}

void pt__fn_divide_double(pt__fn_call *call)
{
    const double *a = PT__FN_IN(call, 0, double);
    const double *b = PT__FN_IN(call, 1, double);
    PT__FN_EACH(call, r, divide(call, a[r], b[r], &PT__FN_OUT(call, double)[r]));
}

static bool check_divisor(pt__fn_call *call, bool is_zero)
{
    return !is_zero || pt__fn_reject(call, PT_COND_REMAINDER_BY_ZERO, "config", PT__ANSI_CONFIG, NULL);
}

static double pmod_of(double a, double b)
{
    double rest = fmod(a, b);
    return rest < 0 ? fmod(rest + b, b) : rest;
}

static float pmodf_of(float a, float b)
{
    float rest = fmodf(a, b);
    return rest < 0 ? fmodf(rest + b, b) : rest;
}

// NOLINTBEGIN(bugprone-macro-parentheses): arguments are types and parts of names
#define DEFINE_REMAINDER(name, type, function)                                                                         \
    static bool name(pt__fn_call *call, type a, type b, type *out)                                                     \
    {                                                                                                                  \
        if (!check_divisor(call, b == 0))                                                                              \
            return false;                                                                                              \
        *out = function(a, b);                                                                                         \
        return true;                                                                                                   \
    }                                                                                                                  \
    void pt__fn_##name(pt__fn_call *call)                                                                              \
    {                                                                                                                  \
        const type *a = PT__FN_IN(call, 0, type);                                                                      \
        const type *b = PT__FN_IN(call, 1, type);                                                                      \
        PT__FN_EACH(call, r, name(call, a[r], b[r], &PT__FN_OUT(call, type)[r]));                                      \
    }
DEFINE_REMAINDER(remainder_double, double, fmod)
DEFINE_REMAINDER(remainder_float, float, fmodf)
DEFINE_REMAINDER(pmod_double, double, pmod_of)
DEFINE_REMAINDER(pmod_float, float, pmodf_of)
// NOLINTEND(bugprone-macro-parentheses)

/* One argument. */

static double secant(double x)
{
    return 1 / cos(x);
}

static double cosecant(double x)
{
    return 1 / sin(x);
}

static double cotangent(double x)
{
    return 1 / tan(x);
}

static double signum(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

/** Exact for cubes, which the library's for doubles is not. */
static double cube_root(double x)
{
    return (double)cbrtl((long double)x);
}

/** Java's, whose rounding differs from the library's. */
static double inverse_sinh(double x)
{
    return x == -INFINITY ? x : log(x + sqrt(x * x + 1));
}

static double inverse_cosh(double x)
{
    return log(x + sqrt(x * x - 1));
}

static double inverse_tanh(double x)
{
    return 0.5 * (log1p(x) - log1p(-x));
}

typedef double (*unary_function)(double x);

static const unary_function UNARY[] = {
#define PT__MATH(name, function) function,
#include "backend/duckdb/functions/math.def"
#undef PT__MATH
};

static bool apply_unary(unary_function function, double x, double *out)
{
    *out = function(x);
    return true;
}

void pt__fn_math(pt__fn_call *call)
{
    unary_function function = UNARY[call->row->option];
    PT__FN_EACH(call, r, apply_unary(function, PT__FN_IN(call, 0, double)[r], &PT__FN_OUT(call, double)[r]));
}

/* Logarithms: NULL outside their domain. */

/* As Spark computes it: the last digit may differ from log2(). */
static double log_to_2(double x)
{
    return log(x) / log(2);
}

static const unary_function LOGARITHMS[] = {log, log10, log_to_2, log1p};

static bool logarithm(unary_function function, double x, double smallest, double *out)
{
    *out = function(x);
    return !(x <= smallest);
}

void pt__fn_logarithm(pt__fn_call *call)
{
    unary_function function = LOGARITHMS[call->row->option];
    double smallest = function == log1p ? -1 : 0;
    PT__FN_EACH(call, r, logarithm(function, PT__FN_IN(call, 0, double)[r], smallest, &PT__FN_OUT(call, double)[r]));
}

static bool logarithm_base(double base, double x, double *out)
{
    *out = log(x) / log(base);
    return !(base <= 0) && !(x <= 0);
}

void pt__fn_logarithm_base(pt__fn_call *call)
{
    const double *bases = PT__FN_IN(call, 0, double);
    PT__FN_EACH(call, r, logarithm_base(bases[r], PT__FN_IN(call, 1, double)[r], &PT__FN_OUT(call, double)[r]));
}

void pt__fn_hypot(pt__fn_call *call)
{
    const double *x = PT__FN_IN(call, 0, double);
    const double *y = PT__FN_IN(call, 1, double);
    for (idx_t r = 0; r < call->row_count; r++)
        PT__FN_OUT(call, double)[r] = hypot(x[r], y[r]);
}

static bool width_bucket(double value, double low, double high, int64_t buckets, int64_t *out)
{
    if (buckets <= 0 || buckets == INT64_MAX || isnan(value) || low == high || !isfinite(low) || !isfinite(high))
        return false;
    double lower = fmin(low, high);
    double upper = fmax(low, high);
    bool ascending = low < high;
    if (value < lower || (!ascending && value == lower))
        *out = ascending ? 0 : buckets + 1;
    else if (value > upper || (ascending && value == upper))
        *out = ascending ? buckets + 1 : 0;
    else
        *out = (int64_t)((double)buckets * (ascending ? value - lower : upper - value) / (upper - lower)) + 1;
    return true;
}

void pt__fn_width_bucket(pt__fn_call *call)
{
    PT__FN_EACH(call, r,
                width_bucket(PT__FN_IN(call, 0, double)[r], PT__FN_IN(call, 1, double)[r],
                             PT__FN_IN(call, 2, double)[r], PT__FN_IN(call, 3, int64_t)[r],
                             &PT__FN_OUT(call, int64_t)[r]));
}

/** 20! is the largest that fits. */
static bool factorial(int32_t n, int64_t *out)
{
    if (n < 0 || n > 20)
        return false;
    *out = 1;
    for (int32_t i = 2; i <= n; i++)
        *out *= i;
    return true;
}

void pt__fn_factorial(pt__fn_call *call)
{
    PT__FN_EACH(call, r, factorial(PT__FN_IN(call, 0, int32_t)[r], &PT__FN_OUT(call, int64_t)[r]));
}

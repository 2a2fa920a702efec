/*
 * Approximate percentiles.
 *
 * Source: Greenwald and Khanna, "Space-efficient online computation of quantile summaries", with the buffer sizes and
 * thresholds that Spark has, so that the answers agree.
 */
#include "backend/duckdb/functions/agg_percentages.h"
#include "backend/duckdb/functions/agg_states.h"

#include <math.h>
#include <stdlib.h>

enum { BUFFER_MAX = 50000, SAMPLES_MAX = 10000 };

typedef struct sample {
    double value;
    int64_t gap;   /* ranks between the one before and this */
    int64_t delta; /* by how much the rank may be larger */
} sample;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return (isnan(x) != 0) - (isnan(y) != 0);
    return (x > y) - (x < y);
}

/* Merges the buffer, sorted, into the samples. */
static bool flush(pt__digest_state *s)
{
    double *values = s->buffer.items;
    const sample *old = s->samples.items;
    size_t taken = 0;
    pt__agg_array merged = {0};
    if (s->buffer.count == 0)
        return true;
    if (!pt__agg_array_reserve(&merged, s->samples.count + s->buffer.count, sizeof(sample)))
        return false;
    sample *out = merged.items;
    qsort(values, s->buffer.count, sizeof(double), compare_doubles);
    for (size_t i = 0; i < s->buffer.count; i++) {
        while (taken < s->samples.count && old[taken].value <= values[i])
            out[merged.count++] = old[taken++];
        s->count++;
        bool is_end = merged.count == 0 || (taken == s->samples.count && i + 1 == s->buffer.count);
        int64_t delta = is_end ? 0 : (int64_t)floor(2 * s->relative_error * (double)s->count);
        out[merged.count++] = (sample){values[i], 1, delta};
    }
    while (taken < s->samples.count)
        out[merged.count++] = old[taken++];
    free(s->samples.items);
    s->samples = merged;
    s->buffer.count = 0;
    return true;
}

/* Joins neighbours, from the last on, as far as the error allows; the smallest stays. */
static void compress(pt__agg_array *samples, double threshold)
{
    sample *items = samples->items;
    size_t count = samples->count;
    if (count == 0)
        return;
    size_t out = count; /* kept ones move to the end */
    sample first = items[0];
    sample head = items[count - 1];
    for (size_t i = count - 1; i-- > 1;) {
        if ((double)(items[i].gap + head.gap + head.delta) < threshold) {
            head.gap += items[i].gap;
        } else {
            items[--out] = head;
            head = items[i];
        }
    }
    items[--out] = head;
    if (first.value <= head.value && count > 1)
        items[--out] = first;
    samples->count = count - out;
    memmove(items, items + out, samples->count * sizeof(sample));
}

static bool settle(pt__digest_state *s)
{
    if (!flush(s))
        return false;
    compress(&s->samples, 2 * s->relative_error * (double)s->count);
    return true;
}

bool pt__digest_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    (void)row;
    pt__digest_state *s = state;
    s->relative_error = 1.0 / ((const int32_t *)columns[2].data)[at];
    if (!pt__agg_take_percentages(&s->percentages, &columns[1], at) ||
        !pt__agg_array_reserve(&s->buffer, 1, sizeof(double)))
        return false;
    ((double *)s->buffer.items)[s->buffer.count++] = ((const double *)columns[0].data)[at];
    if (s->buffer.count < BUFFER_MAX)
        return true;
    if (!flush(s))
        return false;
    if (s->samples.count >= SAMPLES_MAX)
        compress(&s->samples, 2 * s->relative_error * (double)s->count);
    return true;
}

static bool append_buffer(pt__digest_state *to, const pt__digest_state *from)
{
    if (!pt__agg_array_reserve(&to->buffer, from->buffer.count, sizeof(double)))
        return false;
    if (from->buffer.count > 0)
        memcpy((double *)to->buffer.items + to->buffer.count, from->buffer.items, from->buffer.count * sizeof(double));
    to->buffer.count += from->buffer.count;
    return true;
}

/* Two lists of samples become one; each side's ranks are uncertain by the other's error, too. */
static bool merge_samples(pt__digest_state *a, const pt__digest_state *b)
{
    int64_t a_delta = (int64_t)floor(2 * b->relative_error * (double)b->count);
    int64_t b_delta = (int64_t)floor(2 * a->relative_error * (double)a->count);
    const sample *x = a->samples.items;
    const sample *y = b->samples.items;
    size_t i = 0;
    size_t k = 0;
    pt__agg_array merged = {0};
    if (!pt__agg_array_reserve(&merged, a->samples.count + b->samples.count, sizeof(sample)))
        return false;
    sample *out = merged.items;
    while (i < a->samples.count && k < b->samples.count) {
        bool first = x[i].value < y[k].value;
        sample taken = first ? x[i++] : y[k++];
        taken.delta += first ? (k > 0 ? a_delta : 0) : (i > 0 ? b_delta : 0);
        out[merged.count++] = taken;
    }
    while (i < a->samples.count)
        out[merged.count++] = x[i++];
    while (k < b->samples.count)
        out[merged.count++] = y[k++];
    free(a->samples.items);
    a->samples = merged;
    a->count += b->count;
    compress(&a->samples, 2 * a->relative_error * (double)a->count);
    return true;
}

bool pt__digest_merge(void *state, const void *other, const pt__agg_row *row)
{
    (void)row;
    pt__digest_state *a = state;
    const pt__digest_state *b = other;
    if (b->buffer.count == 0 && b->samples.count == 0)
        return true;
    if (a->percentages.count == 0 && !pt__agg_array_copy(&a->percentages, &b->percentages, sizeof(double)))
        return false;
    a->relative_error = b->relative_error;
    if (b->samples.count > 0) {
        if (!flush(a))
            return false;
        if (a->samples.count == 0) {
            a->count = b->count;
            if (!pt__agg_array_copy(&a->samples, &b->samples, sizeof(sample)))
                return false;
        } else if (!merge_samples(a, b)) {
            return false;
        }
    }
    if (!append_buffer(a, b))
        return false;
    return a->buffer.count < BUFFER_MAX || flush(a);
}

/* ---- the answer ---- */

static double largest_error(const pt__digest_state *s)
{
    const sample *items = s->samples.items;
    int64_t largest = 0;
    for (size_t i = 0; i < s->samples.count; i++)
        if (items[i].gap + items[i].delta > largest)
            largest = items[i].gap + items[i].delta;
    return (double)largest / 2;
}

static double look_up(const pt__digest_state *s, double percentage, double error)
{
    const sample *items = s->samples.items;
    size_t last = s->samples.count - 1;
    if (percentage <= s->relative_error || last == 0)
        return items[0].value;
    if (percentage >= 1 - s->relative_error)
        return items[last].value;
    double rank = ceil(percentage * (double)s->count);
    int64_t at_least = items[0].gap;
    for (size_t i = 0; i < last; at_least += items[++i].gap) {
        double at_most = (double)(at_least + items[i].delta);
        if (at_most - error <= rank && rank <= (double)at_least + error)
            return items[i].value;
    }
    return items[last].value;
}

bool pt__digest_finish(void *state, pt__agg_result *result, idx_t at)
{
    pt__digest_state *s = state;
    double *out;
    if (!settle(s))
        return pt__agg_fail_memory(result);
    if (s->samples.count == 0 || !pt__agg_put_doubles(result, at, s->percentages.count, &out))
        return false;
    double error = largest_error(s);
    for (size_t i = 0; i < s->percentages.count; i++)
        out[i] = look_up(s, ((const double *)s->percentages.items)[i], error);
    return true;
}

void pt__digest_end(void *state)
{
    pt__digest_state *s = state;
    free(s->percentages.items);
    free(s->samples.items);
    free(s->buffer.items);
    *s = (pt__digest_state){0};
}

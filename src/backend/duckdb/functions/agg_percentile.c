/* Exact percentiles. */
#include "backend/duckdb/functions/agg_percentages.h"
#include "backend/duckdb/functions/agg_states.h"

#include <math.h>
#include <stdlib.h>

typedef struct weighted {
    double value;
    int64_t frequency;
} weighted;

bool pt__agg_take_percentages(pt__agg_array *out, const pt__fn_column *column, idx_t at)
{
    if (out->count > 0)
        return true;
    duckdb_list_entry entry = ((const duckdb_list_entry *)column->data)[at];
    const double *items = duckdb_vector_get_data(duckdb_list_vector_get_child(column->vector));
    if (!pt__agg_array_reserve(out, entry.length, sizeof(double)))
        return false;
    memcpy(out->items, items + entry.offset, entry.length * sizeof(double));
    out->count = entry.length;
    return true;
}

bool pt__percentile_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    (void)row;
    pt__percentile_state *s = state;
    int64_t frequency = ((const int64_t *)columns[2].data)[at];
    if (frequency == 0)
        return true;
    if (!pt__agg_take_percentages(&s->percentages, &columns[1], at) ||
        !pt__agg_array_reserve(&s->values, 1, sizeof(weighted)))
        return false;
    ((weighted *)s->values.items)[s->values.count++] = (weighted){((const double *)columns[0].data)[at], frequency};
    s->is_sorted = false;
    return true;
}

bool pt__percentile_merge(void *state, const void *other, const pt__agg_row *row)
{
    (void)row;
    pt__percentile_state *a = state;
    const pt__percentile_state *b = other;
    if (b->values.count == 0)
        return true;
    if (a->percentages.count == 0 && !pt__agg_array_copy(&a->percentages, &b->percentages, sizeof(double)))
        return false;
    if (!pt__agg_array_reserve(&a->values, b->values.count, sizeof(weighted)))
        return false;
    memcpy((weighted *)a->values.items + a->values.count, b->values.items, b->values.count * sizeof(weighted));
    a->values.count += b->values.count;
    a->is_sorted = false;
    return true;
}

static int compare_values(const void *a, const void *b)
{
    double x = ((const weighted *)a)->value;
    double y = ((const weighted *)b)->value;
    if (isnan(x) || isnan(y))
        return (isnan(x) != 0) - (isnan(y) != 0);
    return (x > y) - (x < y);
}

/* The value at a position of the sorted rows, counted from 0. */
static double value_at(const pt__percentile_state *s, int64_t position)
{
    const weighted *items = s->values.items;
    size_t i = 0;
    for (int64_t seen = items[0].frequency; seen <= position && i + 1 < s->values.count; seen += items[i].frequency)
        i++;
    return items[i].value;
}

static double percentile(const pt__percentile_state *s, int64_t total, double percentage)
{
    double position = (double)(total - 1) * percentage;
    double below = floor(position);
    double above = ceil(position);
    double lower = value_at(s, (int64_t)below);
    if (above == below)
        return lower;
    double higher = value_at(s, (int64_t)above);
    return lower == higher ? lower : (above - position) * lower + (position - below) * higher;
}

static double discrete(const pt__percentile_state *s, int64_t total, double percentage)
{
    int64_t rank = (int64_t)ceil((double)total * percentage);
    return value_at(s, rank > 0 ? rank - 1 : 0);
}

bool pt__percentile_finish(void *state, pt__agg_result *result, idx_t at)
{
    pt__percentile_state *s = state;
    int64_t total = 0;
    double *out;
    if (s->values.count == 0)
        return false;
    if (!s->is_sorted)
        qsort(s->values.items, s->values.count, sizeof(weighted), compare_values);
    s->is_sorted = true;
    for (size_t i = 0; i < s->values.count; i++) {
        int64_t frequency = ((const weighted *)s->values.items)[i].frequency;
        if (frequency < 0)
            return pt__agg_raise(result, PT_COND_NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION, "frequencyExpression",
                                 "frequency", "negativeValue", "a negative number", NULL);
        total += frequency;
    }
    if (!pt__agg_put_doubles(result, at, s->percentages.count, &out))
        return false;
    for (size_t i = 0; i < s->percentages.count; i++) {
        double wanted = ((const double *)s->percentages.items)[i];
        out[i] = result->row->option == PT__PERCENTILE_DISC ? discrete(s, total, wanted) : percentile(s, total, wanted);
    }
    return true;
}

void pt__percentile_end(void *state)
{
    pt__percentile_state *s = state;
    free(s->values.items);
    free(s->percentages.items);
    *s = (pt__percentile_state){0};
}

/*
 * Histograms whose bins move with the data.
 *
 * Source: Ben-Haim and Tom-Tov, "A streaming parallel decision tree algorithm"; ties between the closest bins are
 * broken by the random numbers of java.util.Random seeded with 31183, as Hive and Spark do.
 */
#include "backend/duckdb/functions/agg_states.h"

#include <stdlib.h>

typedef struct bin {
    double place;
    double height;
} bin;

static const uint64_t RANDOM_MASK = (UINT64_C(1) << 48) - 1;

static uint32_t next_bits(pt__histogram_state *s, int bits)
{
    s->random = (s->random * UINT64_C(0x5DEECE66D) + 0xB) & RANDOM_MASK;
    return (uint32_t)(s->random >> (48 - bits));
}

static double next_double(pt__histogram_state *s)
{
    uint64_t high = (uint64_t)next_bits(s, 26) << 27;
    return (double)(high + next_bits(s, 27)) / (double)(UINT64_C(1) << 53);
}

static void begin(pt__histogram_state *s, int32_t bin_count)
{
    if (s->random != 0)
        return;
    s->random = (UINT64_C(31183) ^ UINT64_C(0x5DEECE66D)) & RANDOM_MASK;
    s->bin_count = bin_count;
}

/* The two closest bins become one at their weighted mean. */
static void join_closest(pt__histogram_state *s)
{
    bin *bins = s->bins.items;
    double smallest = bins[1].place - bins[0].place;
    size_t at = 0;
    int ties = 1;
    for (size_t i = 1; i + 1 < s->bins.count; i++) {
        double gap = bins[i + 1].place - bins[i].place;
        if (gap < smallest) {
            smallest = gap;
            at = i;
            ties = 1;
        } else if (gap == smallest && next_double(s) <= 1.0 / ++ties) {
            at = i;
        }
    }
    double height = bins[at].height + bins[at + 1].height;
    bins[at].place *= bins[at].height / height;
    bins[at].place += bins[at + 1].place / height * bins[at + 1].height;
    bins[at].height = height;
    memmove(&bins[at + 1], &bins[at + 2], (s->bins.count - at - 2) * sizeof(bin));
    s->bins.count--;
}

static bool add_value(pt__histogram_state *s, double value, double height)
{
    bin *bins = s->bins.items;
    size_t low = 0;
    size_t high = s->bins.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (bins[middle].place < value)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->bins.count && bins[low].place == value) {
        bins[low].height += height;
        return true;
    }
    if (!pt__agg_array_reserve(&s->bins, 1, sizeof(bin)))
        return false;
    bins = s->bins.items;
    memmove(&bins[low + 1], &bins[low], (s->bins.count - low) * sizeof(bin));
    bins[low] = (bin){value, height};
    s->bins.count++;
    while (s->bins.count > (size_t)s->bin_count && s->bins.count > 1)
        join_closest(s);
    return true;
}

bool pt__histogram_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    (void)row;
    pt__histogram_state *s = state;
    begin(s, ((const int32_t *)columns[1].data)[at]);
    return add_value(s, ((const double *)columns[0].data)[at], 1);
}

bool pt__histogram_merge(void *state, const void *other, const pt__agg_row *row)
{
    (void)row;
    pt__histogram_state *a = state;
    const pt__histogram_state *b = other;
    if (b->bins.count == 0)
        return true;
    begin(a, b->bin_count);
    for (size_t i = 0; i < b->bins.count; i++) {
        const bin *from = (const bin *)b->bins.items + i;
        if (!add_value(a, from->place, from->height))
            return false;
    }
    return true;
}

bool pt__histogram_finish(void *state, pt__agg_result *result, idx_t at)
{
    const pt__histogram_state *s = state;
    double *out;
    if (s->bins.count == 0 || !pt__agg_put_doubles(result, at, 2 * s->bins.count, &out))
        return false;
    memcpy(out, s->bins.items, s->bins.count * sizeof(bin));
    return true;
}

void pt__histogram_end(void *state)
{
    pt__histogram_state *s = state;
    free(s->bins.items);
    *s = (pt__histogram_state){0};
}

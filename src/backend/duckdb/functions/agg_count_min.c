/*
 * Count-min sketches in Spark's serialized form.
 *
 * Source: Cormode and Muthukrishnan, "An improved data stream summary: the count-min sketch"; hashes, seeds and the
 * layout of bytes are those of Spark's CountMinSketch, version 1.
 */
#include "backend/duckdb/functions/agg_states.h"
#include "backend/duckdb/functions/hash.h"

#include <math.h>
#include <stdlib.h>

/* The multipliers of the rows: java.util.Random(seed).nextInt(2147483647). */
static int64_t next_multiplier(uint64_t *random)
{
    for (;;) {
        *random = (*random * UINT64_C(0x5DEECE66D) + 0xB) & ((UINT64_C(1) << 48) - 1);
        uint32_t bits = (uint32_t)(*random >> 17);
        if (bits != INT32_MAX) /* the only value that is no fair remainder */
            return bits;
    }
}

static uint64_t seeded(int64_t seed)
{
    return ((uint64_t)seed ^ UINT64_C(0x5DEECE66D)) & ((UINT64_C(1) << 48) - 1);
}

static bool begin(pt__count_min_state *s, double error, double confidence, int64_t seed)
{
    if (s->cells != NULL)
        return true;
    s->width = (int32_t)ceil(2 / error);
    s->depth = (int32_t)ceil(-log(1 - confidence) / log(2));
    s->seed = seed;
    s->cells = calloc((size_t)s->width * (size_t)s->depth, sizeof(*s->cells));
    return s->cells != NULL;
}

static void count_number(pt__count_min_state *s, int64_t value)
{
    uint64_t random = seeded(s->seed);
    for (int32_t i = 0; i < s->depth; i++) {
        int64_t hash = (int64_t)((uint64_t)next_multiplier(&random) * (uint64_t)value);
        hash = (int64_t)((uint64_t)hash + (uint64_t)(hash >> 32));
        hash &= INT32_MAX;
        s->cells[(int64_t)i * s->width + (int32_t)hash % s->width]++;
    }
}

static void count_bytes(pt__count_min_state *s, pt_text_view bytes)
{
    int32_t first = (int32_t)pt__murmur3.of_bytes(bytes, 0);
    int32_t second = (int32_t)pt__murmur3.of_bytes(bytes, (uint32_t)first);
    for (int32_t i = 0; i < s->depth; i++) {
        int32_t hash = (int32_t)((uint32_t)first + (uint32_t)i * (uint32_t)second);
        s->cells[(int64_t)i * s->width + abs(hash % s->width)]++;
    }
}

bool pt__count_min_add(void *state, const pt__fn_column *columns, idx_t at, const pt__agg_row *row)
{
    pt__count_min_state *s = state;
    if (!begin(s, ((const double *)columns[1].data)[at], ((const double *)columns[2].data)[at],
               ((const int64_t *)columns[3].data)[at]))
        return false;
    s->total++;
    if (row->option == 0)
        count_number(s, ((const int64_t *)columns[0].data)[at]);
    else
        count_bytes(s, pt__fn_string((const duckdb_string_t *)columns[0].data + at));
    return true;
}

bool pt__count_min_merge(void *state, const void *other, const pt__agg_row *row)
{
    (void)row;
    pt__count_min_state *a = state;
    const pt__count_min_state *b = other;
    if (b->cells == NULL)
        return true;
    size_t count = (size_t)b->width * (size_t)b->depth;
    if (a->cells == NULL) {
        *a = *b;
        a->cells = calloc(count, sizeof(*a->cells));
        if (a->cells != NULL)
            memcpy(a->cells, b->cells, count * sizeof(*a->cells));
        return a->cells != NULL;
    }
    for (size_t i = 0; i < count; i++)
        a->cells[i] += b->cells[i];
    a->total += b->total;
    return true;
}

static void append_big_endian(pt__buffer *out, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        pt__buffer_append_byte(out, (uint8_t)(value >> (8 * i)));
}

bool pt__count_min_finish(void *state, pt__agg_result *result, idx_t at)
{
    const pt__count_min_state *s = state;
    pt__buffer out = PT_BUFFER_INIT;
    if (s->cells == NULL)
        return false;
    append_big_endian(&out, 1, 4);
    append_big_endian(&out, (uint64_t)s->total, 8);
    append_big_endian(&out, (uint64_t)s->depth, 4);
    append_big_endian(&out, (uint64_t)s->width, 4);
    uint64_t random = seeded(s->seed);
    for (int32_t i = 0; i < s->depth; i++)
        append_big_endian(&out, (uint64_t)next_multiplier(&random), 8);
    for (int64_t i = 0; i < (int64_t)s->depth * s->width; i++)
        append_big_endian(&out, (uint64_t)s->cells[i], 8);
    if (!out.failed)
        pt__agg_put_bytes(result, at, out.data, out.size_bytes);
    bool ok = !out.failed || pt__agg_fail_memory(result);
    pt__buffer_deinit(&out);
    return ok;
}

void pt__count_min_end(void *state)
{
    pt__count_min_state *s = state;
    free(s->cells);
    *s = (pt__count_min_state){0};
}

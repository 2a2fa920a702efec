/*
 * shuffle(): positions for list_select.
 *
 * Source: a seeded shuffle gives Spark's order for one partition: the inside-out shuffle by the Mersenne Twister
 * MT19937, seeded by array with the two halves of the seed, going on from row to row.
 */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "backend/duckdb/functions/nested.h"

#include <stdlib.h>
#include <time.h>

enum { WORDS = 624, MIDDLE = 397 };

typedef struct twister {
    uint32_t words[WORDS];
    int next;
} twister;

static void seed_by_number(twister *t, uint32_t seed)
{
    t->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++)
        t->words[i] = UINT32_C(1812433253) * (t->words[i - 1] ^ (t->words[i - 1] >> 30)) + i;
    t->next = WORDS;
}

static uint32_t stirred(const uint32_t *words, int i, uint32_t factor)
{
    return words[i] ^ ((words[i - 1] ^ (words[i - 1] >> 30)) * factor);
}

static void seed_twister(twister *t, uint64_t seed)
{
    const uint32_t key[2] = {(uint32_t)(seed >> 32), (uint32_t)seed};
    int i = 1;
    seed_by_number(t, 19650218);
    for (int k = 0; k < WORDS; k++) {
        t->words[i] = stirred(t->words, i, 1664525) + key[k % 2] + (uint32_t)(k % 2);
        if (++i == WORDS) {
            t->words[0] = t->words[WORDS - 1];
            i = 1;
        }
    }
    for (int k = 1; k < WORDS; k++) {
        t->words[i] = stirred(t->words, i, 1566083941) - (uint32_t)i;
        if (++i == WORDS) {
            t->words[0] = t->words[WORDS - 1];
            i = 1;
        }
    }
    t->words[0] = UINT32_C(0x80000000);
}

static void refill(twister *t)
{
    for (int i = 0; i < WORDS; i++) {
        uint32_t y = (t->words[i] & UINT32_C(0x80000000)) | (t->words[(i + 1) % WORDS] & UINT32_C(0x7FFFFFFF));
        t->words[i] = t->words[(i + MIDDLE) % WORDS] ^ (y >> 1) ^ ((y & 1) != 0 ? UINT32_C(0x9908B0DF) : 0);
    }
    t->next = 0;
}

static uint32_t next_bits(twister *t)
{
    if (t->next == WORDS)
        refill(t);
    uint32_t y = t->words[t->next++];
    y ^= y >> 11;
    y ^= (y << 7) & UINT32_C(0x9D2C5680);
    y ^= (y << 15) & UINT32_C(0xEFC60000);
    return (y ^ (y >> 18)) >> 1;
}

/* Evenly below `limit`, which is at least 1. */
static uint32_t next_below(twister *t, uint32_t limit)
{
    if ((limit & (limit - 1)) == 0)
        return (uint32_t)(((uint64_t)limit * next_bits(t)) >> 31);
    for (;;) {
        uint32_t bits = next_bits(t);
        uint32_t value = bits % limit;
        if ((uint64_t)bits - value + (limit - 1) < UINT64_C(0x80000000))
            return value;
    }
}

static twister *twister_of(pt__fn_call *call, idx_t row)
{
    if (call->state->extra == NULL) {
        twister *made = malloc(sizeof(*made));
        if (made == NULL)
            return NULL;
        uint64_t seed = call->column_count > 1 ? (uint64_t)PT__FN_IN(call, 1, int64_t)[row]
                                               : (uint64_t)time(NULL) * 1000003 ^ (uint64_t)(uintptr_t)made;
        seed_twister(made, seed);
        call->state->extra = made;
        call->state->free_extra = free;
    }
    return call->state->extra;
}

static bool pick_shuffled(pt__fn_call *call, pt__list_out *out, idx_t row)
{
    idx_t length = pt__fn_list_entry(&call->columns[0], row).length;
    twister *t = twister_of(call, row);
    idx_t first;
    if (t == NULL)
        return pt__fn_fail_memory(call);
    pt__list_out_begin(out);
    if (!pt__list_out_grow(out, length, &first))
        return false;
    int64_t *picked = PT__LIST_OUT(out, int64_t) + first;
    for (idx_t i = 0; i < length; i++) {
        uint32_t k = next_below(t, (uint32_t)i + 1);
        picked[i] = picked[k];
        picked[k] = (int64_t)i + 1;
    }
    return pt__list_out_end(out, row);
}

void pt__fn_pick_shuffled(pt__fn_call *call)
{
    pt__list_out out;
    pt__list_out_open(&out, call);
    PT__FN_EACH(call, r, pick_shuffled(call, &out, r));
    pt__list_out_close(&out);
}

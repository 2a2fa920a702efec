/* rand, randn, randstr, uuid with a seed: the generators of Spark, each thread a partition of its own. */
#include "backend/duckdb/functions/kernels.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* XORShift, its seed hashed by Murmur3 twice. */

typedef struct xorshift {
    int64_t seed_argument;
    uint64_t state;
    double next_gaussian;
    bool has_gaussian;
} xorshift;

static uint32_t rotate(uint32_t value, int bits)
{
    return value << bits | value >> (32 - bits);
}

/** Of the eight bytes of `value`, most significant first, read as two little-endian words. */
static uint32_t murmur(uint64_t value, uint32_t hash)
{
    const uint32_t words[2] = {__builtin_bswap32((uint32_t)(value >> 32)), __builtin_bswap32((uint32_t)value)};
    for (int i = 0; i < 2; i++) {
        uint32_t word = rotate(words[i] * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
        hash = rotate(hash ^ word, 13) * 5 + UINT32_C(0xe6546b64);
    }
    hash ^= 8;
    hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
    hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
    return hash ^ hash >> 16;
}

static uint64_t hash_seed(int64_t seed)
{
    uint32_t low = murmur((uint64_t)seed, UINT32_C(0x3c074a61));
    uint32_t high = murmur((uint64_t)seed, low);
    return (uint64_t)high << 32 | low;
}

static uint32_t next_bits(xorshift *x, int bits)
{
    uint64_t state = x->state ^ x->state << 21;
    state ^= state >> 35;
    state ^= state << 4;
    x->state = state;
    return (uint32_t)(state & ((UINT64_C(1) << bits) - 1));
}

static double next_double(xorshift *x)
{
    uint64_t high = next_bits(x, 26);
    return (double)((high << 27) + next_bits(x, 27)) * 0x1p-53;
}

/** The polar method, which makes two at a time. */
static double next_gaussian(xorshift *x)
{
    if (x->has_gaussian) {
        x->has_gaussian = false;
        return x->next_gaussian;
    }
    double u;
    double v;
    double size;
    do {
        u = 2 * next_double(x) - 1;
        v = 2 * next_double(x) - 1;
        size = u * u + v * v;
    } while (size >= 1 || size == 0);
    double factor = sqrt(-2 * log(size) / size);
    x->next_gaussian = v * factor;
    x->has_gaussian = true;
    return u * factor;
}

/** The generator of this thread; the seed of a call is the same for all its rows. NULL after failing the call. */
static xorshift *need_generator(pt__fn_call *call, int64_t seed)
{
    xorshift *x = call->state->extra;
    if (x != NULL && x->seed_argument == seed)
        return x;
    if (x == NULL)
        x = call->state->extra = malloc(sizeof(*x));
    if (x == NULL)
        return (pt__fn_fail_memory(call), NULL);
    call->state->free_extra = free;
    *x = (xorshift){.seed_argument = seed, .state = hash_seed(seed + (int64_t)call->state->partition)};
    return x;
}

static bool put_random(pt__fn_call *call, idx_t row, int64_t seed)
{
    xorshift *x = need_generator(call, seed);
    if (x != NULL)
        PT__FN_OUT(call, double)[row] = call->row->option == 1 ? next_gaussian(x) : next_double(x);
    return x != NULL;
}

/** A NULL seed counts as 0. */
void pt__fn_rand(pt__fn_call *call)
{
    const int64_t *seeds = PT__FN_IN(call, 0, int64_t);
    const uint64_t *validity = call->columns[0].validity;
    PT__FN_EACH(call, r, put_random(call, r, pt__fn_bit(validity, r) ? seeds[r] : 0));
}

/* randstr(length, seed). */

enum { LETTERS = 62 };

static bool randstr(pt__fn_call *call, idx_t row)
{
    int32_t length = PT__FN_IN(call, 0, int32_t)[row];
    xorshift *x = need_generator(call, PT__FN_IN(call, 1, int64_t)[row]);
    pt__buffer *out = &call->state->scratch;
    if (x == NULL)
        return false;
    pt__buffer_reset(out);
    for (int32_t i = 0; i < length; i++) {
        int choice = abs((int32_t)next_bits(x, 32) % LETTERS);
        pt__buffer_append_byte(out, (uint8_t) "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[choice]);
    }
    return pt__fn_put_buffer(call, row, out);
}

void pt__fn_randstr(pt__fn_call *call)
{
    PT__FN_EACH(call, r, randstr(call, r));
}

/* uuid(seed): version 4 from a Mersenne Twister. */

enum { TWISTER_WORDS = 624, TWISTER_MIDDLE = 397 };

typedef struct twister {
    int64_t seed_argument;
    uint32_t words[TWISTER_WORDS];
    size_t next;
} twister;

static void seed_by_number(twister *t, uint32_t seed)
{
    t->words[0] = seed;
    for (uint32_t i = 1; i < TWISTER_WORDS; i++)
        t->words[i] = UINT32_C(1812433253) * (t->words[i - 1] ^ t->words[i - 1] >> 30) + i;
    t->next = TWISTER_WORDS;
}

/** By the high and the low half of the seed. */
static void seed_by_halves(twister *t, int64_t seed)
{
    const uint32_t halves[2] = {(uint32_t)((uint64_t)seed >> 32), (uint32_t)seed};
    size_t i = 1;
    seed_by_number(t, 19650218);
    for (size_t k = 0; k < TWISTER_WORDS; k++) {
        uint32_t before = t->words[i - 1];
        t->words[i] = (t->words[i] ^ (before ^ before >> 30) * UINT32_C(1664525)) + halves[k % 2] + (uint32_t)(k % 2);
        if (++i == TWISTER_WORDS) {
            t->words[0] = t->words[TWISTER_WORDS - 1];
            i = 1;
        }
    }
    for (size_t k = 1; k < TWISTER_WORDS; k++) {
        uint32_t before = t->words[i - 1];
        t->words[i] = (t->words[i] ^ (before ^ before >> 30) * UINT32_C(1566083941)) - (uint32_t)i;
        if (++i == TWISTER_WORDS) {
            t->words[0] = t->words[TWISTER_WORDS - 1];
            i = 1;
        }
    }
    t->words[0] = UINT32_C(0x80000000);
}

static void twist(twister *t)
{
    for (size_t i = 0; i < TWISTER_WORDS; i++) {
        uint32_t joined =
            (t->words[i] & UINT32_C(0x80000000)) | (t->words[(i + 1) % TWISTER_WORDS] & UINT32_C(0x7fffffff));
        t->words[i] = t->words[(i + TWISTER_MIDDLE) % TWISTER_WORDS] ^ joined >> 1 ^
                      ((joined & 1) != 0 ? UINT32_C(0x9908b0df) : 0);
    }
    t->next = 0;
}

static uint32_t next_word(twister *t)
{
    if (t->next == TWISTER_WORDS)
        twist(t);
    uint32_t word = t->words[t->next++];
    word ^= word >> 11;
    word ^= word << 7 & UINT32_C(0x9d2c5680);
    word ^= word << 15 & UINT32_C(0xefc60000);
    return word ^ word >> 18;
}

static uint64_t next_long(twister *t)
{
    uint64_t high = next_word(t);
    return high << 32 | next_word(t);
}

static twister *need_twister(pt__fn_call *call, int64_t seed)
{
    twister *t = call->state->extra;
    if (t != NULL && t->seed_argument == seed)
        return t;
    if (t == NULL)
        t = call->state->extra = malloc(sizeof(*t));
    if (t == NULL)
        return (pt__fn_fail_memory(call), NULL);
    call->state->free_extra = free;
    t->seed_argument = seed;
    seed_by_halves(t, seed + (int64_t)call->state->partition);
    return t;
}

static bool uuid(pt__fn_call *call, idx_t row)
{
    char text[40];
    twister *t = need_twister(call, PT__FN_IN(call, 0, int64_t)[row]);
    if (t == NULL)
        return false;
    uint64_t high = (next_long(t) & UINT64_C(0xffffffffffff0fff)) | UINT64_C(0x4000);
    uint64_t low = (next_long(t) | UINT64_C(0x8000000000000000)) & UINT64_C(0xbfffffffffffffff);
    int size = snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx", (uint32_t)(high >> 32),
                        (uint32_t)(high >> 16) & 0xffff, (uint32_t)high & 0xffff, (uint32_t)(low >> 48),
                        (unsigned long long)(low & UINT64_C(0xffffffffffff)));
    pt__fn_put_text(call, row, text, (size_t)size);
    return true;
}

void pt__fn_uuid(pt__fn_call *call)
{
    PT__FN_EACH(call, r, uuid(call, r));
}

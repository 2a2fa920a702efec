#include "backend/duckdb/functions/hash.h"

#include <string.h>

/* Murmur3. */

static uint32_t rotate32(uint32_t value, int bits)
{
    return value << bits | value >> (32 - bits);
}

static uint32_t mix(uint32_t hash, uint32_t word)
{
    word *= UINT32_C(0xcc9e2d51);
    word = rotate32(word, 15);
    word *= UINT32_C(0x1b873593);
    return rotate32(hash ^ word, 13) * 5 + UINT32_C(0xe6546b64);
}

static uint32_t finish(uint32_t hash, uint32_t length)
{
    hash ^= length;
    hash ^= hash >> 16;
    hash *= UINT32_C(0x85ebca6b);
    hash ^= hash >> 13;
    hash *= UINT32_C(0xc2b2ae35);
    return hash ^ hash >> 16;
}

static uint64_t murmur_int(int32_t value, uint64_t seed)
{
    return finish(mix((uint32_t)seed, (uint32_t)value), 4);
}

static uint64_t murmur_long(int64_t value, uint64_t seed)
{
    uint32_t hash = mix((uint32_t)seed, (uint32_t)value);
    return finish(mix(hash, (uint32_t)((uint64_t)value >> 32)), 8);
}

/** Each of the last bytes is mixed as a word of its own, with its sign. */
static uint64_t murmur_bytes(pt_text_view bytes, uint64_t seed)
{
    uint32_t hash = (uint32_t)seed;
    size_t at = 0;
    for (; at + 4 <= bytes.size_bytes; at += 4) {
        uint32_t word;
        memcpy(&word, bytes.data + at, 4);
        hash = mix(hash, word);
    }
    for (; at < bytes.size_bytes; at++)
        hash = mix(hash, (uint32_t)(int32_t)(signed char)bytes.data[at]);
    return finish(hash, (uint32_t)bytes.size_bytes);
}

const pt__hash_functions pt__murmur3 = {murmur_int, murmur_long, murmur_bytes};

/* XXH64. */

static const uint64_t PRIME_1 = UINT64_C(0x9E3779B185EBCA87);
static const uint64_t PRIME_2 = UINT64_C(0xC2B2AE3D27D4EB4F);
static const uint64_t PRIME_3 = UINT64_C(0x165667B19E3779F9);
static const uint64_t PRIME_4 = UINT64_C(0x85EBCA77C2B2AE63);
static const uint64_t PRIME_5 = UINT64_C(0x27D4EB2F165667C5);

static uint64_t rotate64(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t avalanche(uint64_t hash)
{
    hash ^= hash >> 33;
    hash *= PRIME_2;
    hash ^= hash >> 29;
    hash *= PRIME_3;
    return hash ^ hash >> 32;
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash ^= rotate64(word * PRIME_2, 31) * PRIME_1;
    return rotate64(hash, 27) * PRIME_1 + PRIME_4;
}

static uint64_t mix_half(uint64_t hash, uint32_t half)
{
    hash ^= half * PRIME_1;
    return rotate64(hash, 23) * PRIME_2 + PRIME_3;
}

static uint64_t xxh_int(int32_t value, uint64_t seed)
{
    return avalanche(mix_half(seed + PRIME_5 + 4, (uint32_t)value));
}

static uint64_t xxh_long(int64_t value, uint64_t seed)
{
    return avalanche(mix_word(seed + PRIME_5 + 8, (uint64_t)value));
}

static uint64_t read_word(const char *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word;
}

static uint64_t round_lane(uint64_t lane, uint64_t word)
{
    return rotate64(lane + word * PRIME_2, 31) * PRIME_1;
}

/** The whole stripes of 32 bytes; `*data` steps over them. */
static uint64_t hash_stripes(const char **data, const char *end, uint64_t seed)
{
    uint64_t lanes[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
    for (; end - *data >= 32; *data += 32)
        for (int i = 0; i < 4; i++)
            lanes[i] = round_lane(lanes[i], read_word(*data + 8 * i));
    uint64_t hash = rotate64(lanes[0], 1) + rotate64(lanes[1], 7) + rotate64(lanes[2], 12) + rotate64(lanes[3], 18);
    for (int i = 0; i < 4; i++)
        hash = (hash ^ round_lane(0, lanes[i])) * PRIME_1 + PRIME_4;
    return hash;
}

static uint64_t xxh_bytes(pt_text_view bytes, uint64_t seed)
{
    const char *at = bytes.data;
    const char *end = at + bytes.size_bytes;
    uint64_t hash = bytes.size_bytes >= 32 ? hash_stripes(&at, end, seed) : seed + PRIME_5;
    hash += bytes.size_bytes;
    for (; end - at >= 8; at += 8)
        hash = mix_word(hash, read_word(at));
    if (end - at >= 4) {
        uint32_t half;
        memcpy(&half, at, sizeof(half));
        hash = mix_half(hash, half);
        at += 4;
    }
    for (; at < end; at++)
        hash = rotate64(hash ^ (unsigned char)*at * PRIME_5, 11) * PRIME_1;
    return avalanche(hash);
}

const pt__hash_functions pt__xxh64 = {xxh_int, xxh_long, xxh_bytes};

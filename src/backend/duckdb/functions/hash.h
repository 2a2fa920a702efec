/**
 * Spark's hash functions: Murmur3 (x86, 32 bits, with Spark's own treatment of the last bytes) and XXH64.
 *
 * Both are functions of a value and a seed; the hash of several values is the seed of the next.
 */
#ifndef PT_BACKEND_DUCKDB_FUNCTIONS_HASH_H
#define PT_BACKEND_DUCKDB_FUNCTIONS_HASH_H

#include <portico/bytes.h>

typedef struct pt__hash_functions {
    uint64_t (*of_int)(int32_t value, uint64_t seed);
    uint64_t (*of_long)(int64_t value, uint64_t seed);
    uint64_t (*of_bytes)(pt_text_view bytes, uint64_t seed);
} pt__hash_functions;

extern const pt__hash_functions pt__murmur3; /* results and seeds have 32 bits */
extern const pt__hash_functions pt__xxh64;

#endif

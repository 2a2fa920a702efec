/**
 * Limits of a connection: the named numbers of limits.def, read from a configuration.
 */
#ifndef PT_WIRE_LIMITS_H
#define PT_WIRE_LIMITS_H

#include <portico/config.h>

typedef struct pt__limits {
#define PT_LIMIT(field, key, kind, value, reason) uint64_t field;
#include "wire/limits.def"
#undef PT_LIMIT
    bool compress_answers; /* "http2.response-compression" = "gzip" */
} pt__limits;

/** Defaults where `config` (may be NULL) has no value. Errors: PT_INVALID_ARGUMENT naming the key. */
pt_status pt__limits_read(const pt_config *config, pt__limits *out, pt_error *err);

#endif

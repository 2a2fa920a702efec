/**
 * Limits of a host, its sessions and jobs: the named numbers of limits.def, read from a configuration.
 */
#ifndef PT_EXEC_LIMITS_H
#define PT_EXEC_LIMITS_H

#include <portico/config.h>

typedef struct pt__host_limits {
#define PT_LIMIT(field, key, kind, value, reason) uint64_t field;
#include "exec/limits.def"
#include "exec/token_limits.def"
#undef PT_LIMIT
} pt__host_limits;

/** Defaults where `config` (may be NULL) has no value. Errors: PT_INVALID_ARGUMENT naming the key. */
pt_status pt__host_limits_read(const pt_config *config, pt__host_limits *out, pt_error *err);

#endif

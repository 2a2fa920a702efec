/** Limits of signing in: the named numbers of limits.def, read from a configuration. */
#ifndef PT_AUTH_LIMITS_H
#define PT_AUTH_LIMITS_H

#include "base/limit.h"

typedef struct pt__auth_limits {
#define PT_LIMIT(field, key, kind, value, reason) uint64_t field;
#include "auth/limits.def"
#undef PT_LIMIT
} pt__auth_limits;

/** Errors: PT_INVALID_ARGUMENT naming the key. */
pt_status pt__auth_limits_read(const pt_config *config, pt__auth_limits *out, pt_error *err);

#endif

/**
 * Limits are rows of a .def table, PT_LIMIT(field, key, kind, value, reason): wire/limits.def, exec/limits.def. Each
 * may be changed in the configuration under its key; this reads one row.
 */
#ifndef PT_BASE_LIMIT_H
#define PT_BASE_LIMIT_H

#include <portico/config.h>

/** COUNT is a number from 1 to INT32_MAX; SIZE is in bytes, "64MiB"; TIME is in milliseconds, "30s". */
typedef enum pt__limit_kind { PT_LIMIT_COUNT, PT_LIMIT_SIZE, PT_LIMIT_TIME } pt__limit_kind;

/** `fallback` where `config` (may be NULL) does not have `key`. Errors: PT_INVALID_ARGUMENT naming the key. */
pt_status pt__limit_read(const pt_config *config, const char *key, pt__limit_kind kind, uint64_t fallback,
                         uint64_t *out, pt_error *err);

#endif

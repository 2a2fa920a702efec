#include "base/limit.h"

#include <stdint.h>

static pt_status read_count(const pt_config *config, const char *key, int64_t fallback, uint64_t *out, pt_error *err)
{
    int64_t value;
    PT_TRY(pt_config_integer(config, key, fallback, &value, err));
    if (value < 1 || value > INT32_MAX)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = %lld is not between 1 and %d", key, (long long)value,
                            INT32_MAX);
    *out = (uint64_t)value;
    return PT_OK;
}

pt_status pt__limit_read(const pt_config *config, const char *key, pt__limit_kind kind, uint64_t fallback,
                         uint64_t *out, pt_error *err)
{
    switch (kind) {
    case PT_LIMIT_COUNT: return read_count(config, key, (int64_t)fallback, out, err);
    case PT_LIMIT_SIZE: return pt_config_size(config, key, fallback, out, err);
    case PT_LIMIT_TIME: return pt_config_duration(config, key, fallback, out, err);
    }
    return pt_error_set(err, PT_INTERNAL, "%s is a limit of an unknown kind", key);
}

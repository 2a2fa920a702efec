#include "wire/limits.h"

#include <string.h>

typedef enum limit_kind { COUNT, SIZE, TIME } limit_kind;

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

static pt_status read_limit(const pt_config *config, const char *key, limit_kind kind, uint64_t fallback, uint64_t *out,
                            pt_error *err)
{
    switch (kind) {
    case COUNT: return read_count(config, key, (int64_t)fallback, out, err);
    case SIZE: return pt_config_size(config, key, fallback, out, err);
    case TIME: return pt_config_duration(config, key, fallback, out, err);
    }
    return PT_INTERNAL;
}

static pt_status read_compression(const pt_config *config, bool *out, pt_error *err)
{
    const char *key = "http2.response-compression";
    const char *value = pt_config_string(config, key, "identity");
    *out = strcmp(value, "gzip") == 0;
    if (!*out && strcmp(value, "identity") != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = \"%s\" is neither identity nor gzip", key, value);
    return PT_OK;
}

pt_status pt__limits_read(const pt_config *config, pt__limits *out, pt_error *err)
{
#define PT_LIMIT(field, key, kind, value, reason) PT_TRY(read_limit(config, key, kind, value, &out->field, err));
#include "wire/limits.def"
#undef PT_LIMIT
    return read_compression(config, &out->compress_answers, err);
}

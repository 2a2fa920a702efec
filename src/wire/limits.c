#include "wire/limits.h"

#include "base/limit.h"

#include <string.h>

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
#define PT_LIMIT(field, key, kind, value, reason)                                                                      \
    PT_TRY(pt__limit_read(config, key, PT_LIMIT_##kind, value, &out->field, err));
#include "wire/limits.def"
#undef PT_LIMIT
    return read_compression(config, &out->compress_answers, err);
}

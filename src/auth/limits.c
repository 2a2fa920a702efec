#include "auth/limits.h"

pt_status pt__auth_limits_read(const pt_config *config, pt__auth_limits *out, pt_error *err)
{
#define PT_LIMIT(field, key, kind, value, reason)                                                                      \
    PT_TRY(pt__limit_read(config, key, PT_LIMIT_##kind, value, &out->field, err));
#include "auth/limits.def"
#undef PT_LIMIT
    return PT_OK;
}

#include "server/security.h"

pt_status pt__security_open_tls(const pt_config *config, pt__tls_context **out, pt_error *err)
{
    const char *certificate = pt_config_string(config, "tls-cert", NULL);
    const char *key = pt_config_string(config, "tls-key", NULL);
    const char *client_ca = pt_config_string(config, "tls-client-ca", NULL);
    if (certificate == NULL && key == NULL && client_ca == NULL)
        return PT_OK;
    if (certificate == NULL || key == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "TLS needs both --tls-cert and --tls-key");
    return pt__tls_context_new(certificate, key, client_ca, out, err);
}

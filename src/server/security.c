#include "server/security.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TOKEN_BYTES_MAX = 4096 };

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

static pt_text_view trim(pt_text_view text)
{
    while (text.size_bytes > 0 && isspace((unsigned char)text.data[0])) {
        text.data++;
        text.size_bytes--;
    }
    while (text.size_bytes > 0 && isspace((unsigned char)text.data[text.size_bytes - 1]))
        text.size_bytes--;
    return text;
}

static pt_status read_token(const char *path, pt__token **out, pt_error *err)
{
    char content[TOKEN_BYTES_MAX + 1];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return pt_error_set(err, PT_IO, "cannot read the token from %s: %s", path, strerror(errno));
    size_t size = fread(content, 1, sizeof(content), file);
    fclose(file);
    if (size > TOKEN_BYTES_MAX)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the token in %s is longer than %d bytes", path, TOKEN_BYTES_MAX);
    return pt__token_new(trim((pt_text_view){content, size}), out, err);
}

pt_status pt__security_open_token(const pt_config *config, pt__token **out, pt_error *err)
{
    const char *path = pt_config_string(config, "token", NULL);
    const char *value = pt_config_string(config, "token-value", NULL);
    if (path != NULL && value != NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "give either --token or --token-value");
    if (path != NULL)
        return read_token(path, out, err);
    return value == NULL ? PT_OK : pt__token_new((pt_text_view){value, strlen(value)}, out, err);
}

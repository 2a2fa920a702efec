#include "wire/token.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <strings.h>

static const char scheme[] = "Bearer ";

struct pt__token {
    uint8_t digest[SHA256_DIGEST_LENGTH];
    pt_authenticator authenticator;
};

/* Digests have one length, so that comparing them tells nothing about the token's. */
static bool is_token(const pt__token *token, pt_bytes_view value)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256(value.data, value.size_bytes, digest);
    return CRYPTO_memcmp(digest, token->digest, sizeof(digest)) == 0;
}

static bool header_has_token(const pt__token *token, pt_call *call, const char *key)
{
    pt_bytes_view value;
    size_t scheme_size = sizeof(scheme) - 1;
    if (!pt_call_metadata(call, key, &value) || value.size_bytes < scheme_size ||
        strncasecmp((const char *)value.data, scheme, scheme_size) != 0)
        return false;
    return is_token(token, (pt_bytes_view){value.data + scheme_size, value.size_bytes - scheme_size});
}

static pt_status authenticate(void *context, pt_call *call, pt_principal *out, pt_error *err)
{
    const pt__token *token = context;
    if (!header_has_token(token, call, "authorization") && !header_has_token(token, call, "authentication"))
        return pt_error_set(err, PT_UNAUTHENTICATED, "the call carries no valid bearer token");
    *out = (pt_principal){"token", true};
    return PT_OK;
}

pt_status pt__token_new(pt_text_view value, pt__token **out, pt_error *err)
{
    if (value.size_bytes == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the bearer token is empty");
    pt__token *token = calloc(1, sizeof(*token));
    if (token == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for the bearer token");
    SHA256((const uint8_t *)value.data, value.size_bytes, token->digest);
    token->authenticator = (pt_authenticator){authenticate, token};
    *out = token;
    return PT_OK;
}

void pt__token_free(pt__token *token)
{
    free(token);
}

const pt_authenticator *pt__token_authenticator(const pt__token *token)
{
    return &token->authenticator;
}

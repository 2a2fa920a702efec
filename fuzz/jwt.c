/* Web tokens, key sets and hashes of passwords, which come from callers and from files: the first byte says which. */
#include "auth/jwt.h"
#include "auth/password.h"

enum { NOW_S = 1700000000 };

/* A valid key of the curve P-256 (the base point of FIPS 186-4), so that signatures are looked at. */
static const char key_set[] =
    "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY\","
    "\"y\":\"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU\"}]}";

static void check_token(pt_text_view token)
{
    char principal[PT_PRINCIPAL_BYTES_MAX + 1];
    int64_t expires_s;
    pt__jwt_rules rules = {.principal = "sub", .issuer = "i", .audience = "a"};
    if (pt__keys_read_jwks((pt_text_view){key_set, sizeof(key_set) - 1}, &rules.keys, NULL) != PT_OK)
        return;
    pt__jwt_check(&rules, token, NOW_S, principal, &expires_s, NULL);
    pt__keys_free(rules.keys);
}

static void read_keys(pt_text_view text, pt_status (*read)(pt_text_view text, pt__keys **out, pt_error *err))
{
    pt__keys *keys = NULL;
    pt_error err = PT_ERROR_INIT;
    if (read(text, &keys, &err) == PT_OK)
        pt__keys_verify(keys, PT_SIGNATURE_ES256, NULL, text, (pt_bytes_view){(const uint8_t *)text.data, 64});
    pt__keys_free(keys);
    pt_error_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pt__password_hash hash;
    if (size < 65)
        return 0;
    pt_text_view text = {(const char *)data + 1, size - 1};
    switch (data[0] % 4) {
    case 0: check_token(text); break;
    case 1: read_keys(text, pt__keys_read_jwks); break;
    case 2: read_keys(text, pt__keys_read_pem); break;
    case 3: pt__password_hash_parse(text, &hash, NULL); break;
    }
    return 0;
}

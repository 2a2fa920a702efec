#include "auth/keys.h"

#include "auth/base64url.h"
#include "base/json.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

enum { RSA_BITS_MIN = 2048, RSA_BITS_MAX = 16384, COORDINATE_BYTES = 32, DOCUMENT_LIMIT_BYTES = 64 << 20 };

typedef struct key {
    EVP_PKEY *public_key;
    pt__signature kind;
    char *id; /* NULL: it has no name */
} key;

struct pt__keys {
    key items[PT_KEYS_MAX];
    size_t count;
    bool have_names;
};

void pt__keys_free(pt__keys *keys)
{
    if (keys == NULL)
        return;
    for (size_t i = 0; i < keys->count; i++) {
        EVP_PKEY_free(keys->items[i].public_key);
        free(keys->items[i].id);
    }
    free(keys);
}

static bool is_p256(const EVP_PKEY *public_key)
{
    char name[64];
    size_t size;
    return EVP_PKEY_get_group_name(public_key, name, sizeof(name), &size) == 1 &&
           (strcmp(name, "prime256v1") == 0 || strcmp(name, "P-256") == 0);
}

static pt_status kind_of(const EVP_PKEY *public_key, pt__signature *kind, pt_error *err)
{
    int bits = EVP_PKEY_get_bits(public_key);
    if (EVP_PKEY_is_a(public_key, "RSA")) {
        *kind = PT_SIGNATURE_RS256;
        if (bits < RSA_BITS_MIN || bits > RSA_BITS_MAX)
            return pt_error_set(err, PT_INVALID_ARGUMENT, "an RSA key has %d bits; %d to %d are taken", bits,
                                RSA_BITS_MIN, RSA_BITS_MAX);
        return PT_OK;
    }
    *kind = PT_SIGNATURE_ES256;
    if (EVP_PKEY_is_a(public_key, "EC") && is_p256(public_key))
        return PT_OK;
    return pt_error_set(err, PT_INVALID_ARGUMENT, "a key is neither RSA (RS256) nor of the curve P-256 (ES256)");
}

/* Takes the key, success or failure. `id` may be NULL. */
static pt_status add_key(pt__keys *keys, EVP_PKEY *take_key, const char *id, pt_error *err)
{
    key added = {.public_key = take_key, .id = id == NULL ? NULL : strdup(id)};
    pt_status status = kind_of(take_key, &added.kind, err);
    if (status == PT_OK && keys->count == PT_KEYS_MAX)
        status = pt_error_set(err, PT_INVALID_ARGUMENT, "there are more than %d keys", PT_KEYS_MAX);
    if (status == PT_OK && id != NULL && added.id == NULL)
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for a key");
    if (status == PT_OK) {
        keys->items[keys->count++] = added;
        keys->have_names = keys->have_names || id != NULL;
        return PT_OK;
    }
    EVP_PKEY_free(take_key);
    free(added.id);
    return status;
}

/* ---- PEM ---- */

/* The key of the next block, which the caller frees; NULL at the end, or with *err set. */
static EVP_PKEY *read_block(BIO *bio, pt_error *err)
{
    char *name = NULL;
    char *header = NULL;
    unsigned char *data = NULL;
    long size = 0;
    EVP_PKEY *found = NULL;
    if (PEM_read_bio(bio, &name, &header, &data, &size) != 1) {
        if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
            pt_error_set(err, PT_INVALID_ARGUMENT, "a block in PEM format is damaged");
        ERR_clear_error();
        return NULL;
    }
    const unsigned char *at = data;
    if (strcmp(name, "PUBLIC KEY") == 0) {
        found = d2i_PUBKEY(NULL, &at, size);
    } else if (strcmp(name, "CERTIFICATE") == 0) {
        X509 *certificate = d2i_X509(NULL, &at, size);
        found = certificate == NULL ? NULL : X509_get_pubkey(certificate);
        X509_free(certificate);
    } else {
        pt_error_set(err, PT_INVALID_ARGUMENT, "a block of \"%.40s\" is neither a public key nor a certificate", name);
    }
    if (found == NULL && (err == NULL || err->status == PT_OK))
        pt_error_set(err, PT_INVALID_ARGUMENT, "a public key in PEM format cannot be read");
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(data);
    ERR_clear_error();
    return found;
}

static pt_status read_blocks(pt__keys *keys, BIO *bio, pt_error *err)
{
    for (;;) {
        pt_error problem = PT_ERROR_INIT;
        EVP_PKEY *public_key = read_block(bio, &problem);
        if (problem.status != PT_OK) {
            pt_status status = problem.status;
            EVP_PKEY_free(public_key);
            if (err != NULL)
                pt_error_move(err, &problem);
            pt_error_clear(&problem);
            return status;
        }
        if (public_key == NULL)
            break;
        PT_TRY(add_key(keys, public_key, NULL, err));
    }
    if (keys->count == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "there is no public key in PEM format");
    return PT_OK;
}

pt_status pt__keys_read_pem(pt_text_view text, pt__keys **out, pt_error *err)
{
    pt__keys *keys = calloc(1, sizeof(*keys));
    BIO *bio = text.size_bytes > INT_MAX ? NULL : BIO_new_mem_buf(text.data, (int)text.size_bytes);
    pt_status status = keys == NULL || bio == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for keys")
                                                   : read_blocks(keys, bio, err);
    BIO_free(bio);
    if (status == PT_OK)
        *out = keys;
    else
        pt__keys_free(keys);
    return status;
}

/* ---- JWK ---- */

static bool decode(const pt__json *object, const char *name, pt__buffer *out)
{
    const pt__json *member = pt__json_get(object, name);
    return member != NULL && member->kind == PT_JSON_STRING && member->text_bytes != 0 &&
           pt__base64url_decode(out, (pt_text_view){member->text, member->text_bytes});
}

static EVP_PKEY *make_key(const char *type, OSSL_PARAM_BLD *builder)
{
    EVP_PKEY *made = NULL;
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (parameters == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        made = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    ERR_clear_error();
    return made;
}

static EVP_PKEY *rsa_key(const pt__json *jwk)
{
    pt__buffer n = PT_BUFFER_INIT;
    pt__buffer e = PT_BUFFER_INIT;
    EVP_PKEY *made = NULL;
    if (decode(jwk, "n", &n) && decode(jwk, "e", &e) && n.size_bytes <= RSA_BITS_MAX / 8 && e.size_bytes <= 8) {
        BIGNUM *modulus = BN_bin2bn(n.data, (int)n.size_bytes, NULL);
        BIGNUM *exponent = BN_bin2bn(e.data, (int)e.size_bytes, NULL);
        OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
        if (modulus != NULL && exponent != NULL && builder != NULL &&
            OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
            OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
            made = make_key("RSA", builder);
        OSSL_PARAM_BLD_free(builder);
        BN_free(modulus);
        BN_free(exponent);
    }
    pt__buffer_deinit(&n);
    pt__buffer_deinit(&e);
    return made;
}

static EVP_PKEY *p256_key(const pt__json *jwk)
{
    pt__buffer point = PT_BUFFER_INIT; /* SEC 1 section 2.3.3: 4, x, y */
    EVP_PKEY *made = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    pt__buffer_append_byte(&point, 4);
    if (builder != NULL && decode(jwk, "x", &point) && point.size_bytes == 1 + COORDINATE_BYTES &&
        decode(jwk, "y", &point) && point.size_bytes == 1 + 2 * COORDINATE_BYTES &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point.data, point.size_bytes) == 1)
        made = make_key("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    pt__buffer_deinit(&point);
    return made;
}

static bool is_for(const pt__json *jwk, const char *type, const char *algorithm)
{
    return strcmp(pt__json_get_string(jwk, "kty", ""), type) == 0 &&
           strcmp(pt__json_get_string(jwk, "alg", algorithm), algorithm) == 0 &&
           strcmp(pt__json_get_string(jwk, "use", "sig"), "sig") == 0;
}

static pt_status add_jwk(pt__keys *keys, const pt__json *jwk, pt_error *err)
{
    EVP_PKEY *made;
    if (is_for(jwk, "RSA", "RS256"))
        made = rsa_key(jwk);
    else if (is_for(jwk, "EC", "ES256") && strcmp(pt__json_get_string(jwk, "crv", ""), "P-256") == 0)
        made = p256_key(jwk);
    else
        return PT_OK;
    if (made == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the key \"%.60s\" of the set is no valid key",
                            pt__json_get_string(jwk, "kid", ""));
    return add_key(keys, made, pt__json_get_string(jwk, "kid", NULL), err);
}

static pt_status add_all(pt__keys *keys, const pt__json *document, pt_error *err)
{
    const pt__json *list = pt__json_get(document, "keys");
    if (list == NULL || list->kind != PT_JSON_ARRAY)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "there is no list \"keys\": it is no JWK set");
    for (size_t i = 0; i < list->count; i++)
        PT_TRY(add_jwk(keys, &list->items[i], err));
    if (keys->count == 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the JWK set has no key for RS256 or ES256");
    return PT_OK;
}

static pt_status parse_guarded(pt__arena *arena, pt_text_view text, const pt__json **document, pt_error *err)
{
    if (PT_ARENA_GUARD(arena))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a JWK set");
    pt_status status = pt__json_parse(arena, text.data, text.size_bytes, document, err);
    pt__arena_unguard(arena);
    return status;
}

pt_status pt__keys_read_jwks(pt_text_view text, pt__keys **out, pt_error *err)
{
    const pt__json *document = NULL;
    pt__keys *keys = calloc(1, sizeof(*keys));
    pt__arena *arena = pt__arena_new(DOCUMENT_LIMIT_BYTES);
    pt_status status = keys == NULL || arena == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for keys")
                                                     : parse_guarded(arena, text, &document, err);
    if (status == PT_OK)
        status = add_all(keys, document, err);
    pt__arena_free(arena);
    if (status == PT_OK)
        *out = keys;
    else
        pt__keys_free(keys);
    return status;
}

/* ---- signatures ---- */

/* RFC 7518 section 3.4: r and s, 32 bytes each; OpenSSL wants them in DER. NULL: not that. */
static unsigned char *to_der(pt_bytes_view signature, size_t *size)
{
    unsigned char *der = NULL;
    if (signature.size_bytes != 2 * COORDINATE_BYTES)
        return NULL;
    ECDSA_SIG *parts = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature.data, COORDINATE_BYTES, NULL);
    BIGNUM *s = BN_bin2bn(signature.data + COORDINATE_BYTES, COORDINATE_BYTES, NULL);
    if (parts == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(parts, r, s) != 1) {
        BN_free(r);
        BN_free(s);
    } else {
        int length = i2d_ECDSA_SIG(parts, &der);
        *size = length < 0 ? 0 : (size_t)length;
    }
    ECDSA_SIG_free(parts);
    return der;
}

static bool verify_with(EVP_PKEY *public_key, pt_text_view text, const unsigned char *signature, size_t size)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool valid = context != NULL && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, public_key) == 1 &&
                 EVP_DigestVerify(context, signature, size, (const unsigned char *)text.data, text.size_bytes) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return valid;
}

static bool verify_by(const key *k, pt_text_view text, pt_bytes_view signature)
{
    if (k->kind == PT_SIGNATURE_RS256)
        return verify_with(k->public_key, text, signature.data, signature.size_bytes);
    size_t size = 0;
    unsigned char *der = to_der(signature, &size);
    bool valid = der != NULL && verify_with(k->public_key, text, der, size);
    OPENSSL_free(der);
    return valid;
}

bool pt__keys_verify(const pt__keys *keys, pt__signature kind, const char *key_id, pt_text_view text,
                     pt_bytes_view signature)
{
    for (size_t i = 0; i < keys->count; i++) {
        const key *k = &keys->items[i];
        bool is_named = k->id != NULL && key_id != NULL && strcmp(k->id, key_id) == 0;
        if (k->kind == kind && (key_id == NULL || !keys->have_names || is_named) && verify_by(k, text, signature))
            return true;
    }
    return false;
}

#include "auth/jwt.h"

#include "base/buffer.h"
#include "base/test.h"
#include "wire/base64.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 1700000000 };

typedef struct fixture {
    EVP_PKEY *rsa;
    EVP_PKEY *p256;
    char *pem; /* both public keys */
    pt__jwt_rules rules;
    char token[4096];
} fixture;

static char *public_pem(EVP_PKEY *first, EVP_PKEY *second)
{
    char *data = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PUBKEY(bio, first);
    PEM_write_bio_PUBKEY(bio, second);
    long size = BIO_get_mem_data(bio, &data);
    char *copy = calloc(1, (size_t)size + 1);
    if (copy != NULL)
        memcpy(copy, data, (size_t)size);
    BIO_free(bio);
    return copy;
}

static void open_fixture(fixture *f)
{
    *f = (fixture){.rsa = EVP_RSA_gen(2048), .p256 = EVP_EC_gen("P-256")};
    PT_REQUIRE(f->rsa != NULL && f->p256 != NULL);
    f->pem = public_pem(f->rsa, f->p256);
    f->rules = (pt__jwt_rules){.issuer = "https://issuer", .audience = "portico", .principal = "sub", .leeway_s = 10};
    PT_REQUIRE(pt__keys_read_pem((pt_text_view){f->pem, strlen(f->pem)}, &f->rules.keys, NULL) == PT_OK);
}

static void close_fixture(fixture *f)
{
    pt__keys_free(f->rules.keys);
    EVP_PKEY_free(f->rsa);
    EVP_PKEY_free(f->p256);
    free(f->pem);
}

/* ---- making tokens ---- */

static void append_url(pt__buffer *out, const void *data, size_t size)
{
    size_t start = out->size_bytes;
    pt__base64_encode(out, (pt_bytes_view){data, size});
    for (size_t i = start; i < out->size_bytes; i++)
        out->data[i] = out->data[i] == '+' ? '-' : out->data[i] == '/' ? '_' : out->data[i];
}

static size_t sign_digest(EVP_PKEY *key, const pt__buffer *text, unsigned char *out, size_t max)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t size = max;
    PT_CHECK(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1);
    PT_CHECK(EVP_DigestSign(context, out, &size, text->data, text->size_bytes) == 1);
    EVP_MD_CTX_free(context);
    return size;
}

static size_t to_r_and_s(unsigned char *signature, size_t size)
{
    const unsigned char *at = signature;
    ECDSA_SIG *parts = d2i_ECDSA_SIG(NULL, &at, (long)size);
    BN_bn2binpad(ECDSA_SIG_get0_r(parts), signature, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(parts), signature + 32, 32);
    ECDSA_SIG_free(parts);
    return 64;
}

/* A token with that header and claims, signed by `key`; NULL: an empty signature. */
static pt_text_view make(fixture *f, EVP_PKEY *key, const char *header, const char *claims)
{
    unsigned char signature[512];
    pt__buffer text = PT_BUFFER_INIT;
    append_url(&text, header, strlen(header));
    pt__buffer_append_byte(&text, '.');
    append_url(&text, claims, strlen(claims));
    size_t size = key == NULL ? 0 : sign_digest(key, &text, signature, sizeof(signature));
    if (key != NULL && EVP_PKEY_is_a(key, "EC"))
        size = to_r_and_s(signature, size);
    pt__buffer_append_byte(&text, '.');
    append_url(&text, signature, size);
    snprintf(f->token, sizeof(f->token), "%s", pt__buffer_string(&text));
    pt__buffer_deinit(&text);
    return (pt_text_view){f->token, strlen(f->token)};
}

#define RS256 "{\"alg\":\"RS256\",\"typ\":\"JWT\"}"
#define ES256 "{\"alg\":\"ES256\"}"
#define REST "\"iss\":\"https://issuer\",\"aud\":\"portico\",\"exp\":1700000100}"
#define CLAIMS "{\"sub\":\"ann\"," REST

static const char *name_in(fixture *f, pt_text_view token)
{
    static const char nobody[] = "";
    char principal[PT_PRINCIPAL_BYTES_MAX + 1];
    int64_t expires_s;
    pt_error err = PT_ERROR_INIT;
    pt_status status = pt__jwt_check(&f->rules, token, NOW, principal, &expires_s, &err);
    PT_CHECK(status == PT_OK || status == PT_UNAUTHENTICATED);
    PT_CHECK_EQ(status, err.status);
    snprintf(f->token, sizeof(f->token), "%s", status == PT_OK ? principal : nobody);
    pt_error_clear(&err);
    return f->token;
}

/* ---- tests ---- */

PT_TEST(jwt_of_either_algorithm_names_its_subject)
{
    fixture f;
    open_fixture(&f);
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, RS256, CLAIMS)), "ann");
    PT_CHECK_STR(name_in(&f, make(&f, f.p256, ES256, CLAIMS)), "ann");
    f.rules.principal = "email";
    PT_CHECK_STR(name_in(&f, make(&f, f.p256, ES256, "{\"email\":\"a@b\"," REST)), "a@b");
    close_fixture(&f);
}

PT_TEST(jwt_without_a_signature_of_ours_is_refused)
{
    fixture f;
    open_fixture(&f);
    EVP_PKEY *other = EVP_RSA_gen(2048);
    PT_CHECK_STR(name_in(&f, make(&f, NULL, "{\"alg\":\"none\"}", CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, NULL, "{\"alg\":\"None\"}", CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, NULL, RS256, CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, NULL, ES256, CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, other, RS256, CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, ES256, CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, f.p256, RS256, CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, "{}", CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, "{\"alg\":\"RS256\",\"crit\":[\"b64\"]}", CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, "{\"alg\":\"none\",\"alg\":\"RS256\"}", CLAIMS)), "");
    EVP_PKEY_free(other);
    close_fixture(&f);
}

/* The public key, taken for a secret, signs nothing: RFC 8725 section 2.1. */
PT_TEST(jwt_does_not_take_a_public_key_for_a_secret)
{
    fixture f;
    unsigned char digest[32];
    open_fixture(&f);
    pt__buffer text = PT_BUFFER_INIT;
    static const char header[] = "{\"alg\":\"HS256\"}";
    append_url(&text, header, strlen(header));
    pt__buffer_append_byte(&text, '.');
    append_url(&text, CLAIMS, strlen(CLAIMS));
    HMAC(EVP_sha256(), f.pem, (int)strlen(f.pem), text.data, text.size_bytes, digest, NULL);
    pt__buffer_append_byte(&text, '.');
    append_url(&text, digest, sizeof(digest));
    PT_CHECK_STR(name_in(&f, (pt_text_view){(char *)text.data, text.size_bytes}), "");
    pt__buffer_deinit(&text);
    close_fixture(&f);
}

PT_TEST(jwt_with_other_claims_is_refused)
{
    static const char *const wrong[] = {
        "{}",
        "[]",
        "{\"sub\":\"ann\"",
        "{\"sub\":\"ann\",\"iss\":\"https://issuer\",\"aud\":\"portico\"}",
        "{\"sub\":\"ann\",\"iss\":\"https://issuer\",\"aud\":\"portico\",\"exp\":1699999980}",
        "{\"sub\":\"ann\",\"iss\":\"https://issuer\",\"aud\":\"portico\",\"exp\":\"1700000100\"}",
        "{\"sub\":\"ann\",\"iss\":\"https://issuer\",\"aud\":\"portico\",\"exp\":1e999}",
        "{\"sub\":\"ann\",\"iss\":\"https://other\",\"aud\":\"portico\",\"exp\":1700000100}",
        "{\"sub\":\"ann\",\"aud\":\"portico\",\"exp\":1700000100}",
        "{\"sub\":\"ann\",\"iss\":\"https://issuer\",\"aud\":\"others\",\"exp\":1700000100}",
        "{\"sub\":\"ann\",\"iss\":\"https://issuer\",\"aud\":[],\"exp\":1700000100}",
        "{\"sub\":\"ann\",\"iss\":\"https://issuer\",\"exp\":1700000100}",
        "{" REST,
        "{\"sub\":\"\"," REST,
        "{\"sub\":7," REST,
        "{\"sub\":\"ann\\u0000root\"," REST,
        "{\"sub\":\"ann\\nroot\"," REST,
        "{\"sub\":\"root\",\"sub\":\"ann\"," REST,
        "{\"sub\":\"ann\",\"nbf\":1700000020," REST,
        "{\"sub\":\"ann\",\"nbf\":\"soon\"," REST,
    };
    fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        PT_CHECK_STR(name_in(&f, make(&f, f.p256, ES256, wrong[i])), "");
    static const char several[] = "{\"sub\":\"ann\",\"nbf\":1700000009.5,\"iss\":\"https://"
                                  "issuer\",\"aud\":[\"x\",\"portico\"],\"exp\":1699999991}";
    PT_CHECK_STR(name_in(&f, make(&f, f.p256, ES256, several)), "ann");
    close_fixture(&f);
}

PT_TEST(jwt_that_is_none_is_refused)
{
    static const char *const wrong[] = {"",    ".",     "..",       "...",
                                        "a.b", "a.b.c", "e30.e30.", "eyJhbGciOiJSUzI1NiJ9.e30=.AA"};
    fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        PT_CHECK_STR(name_in(&f, (pt_text_view){wrong[i], strlen(wrong[i])}), "");
    pt_text_view good = make(&f, f.p256, ES256, CLAIMS);
    f.token[good.size_bytes - 2] = f.token[good.size_bytes - 2] == 'A' ? 'B' : 'A';
    PT_CHECK_STR(name_in(&f, good), "");
    close_fixture(&f);
}

/* ---- key sets ---- */

static void append_number(pt__buffer *out, EVP_PKEY *key, const char *name, int size)
{
    unsigned char bytes[512];
    BIGNUM *number = NULL;
    PT_REQUIRE(EVP_PKEY_get_bn_param(key, name, &number) == 1);
    int written = BN_bn2binpad(number, bytes, size == 0 ? BN_num_bytes(number) : size);
    append_url(out, bytes, (size_t)written);
    BN_free(number);
}

/* Both keys as a set, with names. */
static void make_set(fixture *f, pt__buffer *out)
{
    pt__buffer_append_string(out,
                             "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"},{\"kty\":\"RSA\",\"kid\":\"r\",\"e\":\"");
    append_number(out, f->rsa, OSSL_PKEY_PARAM_RSA_E, 0);
    pt__buffer_append_string(out, "\",\"n\":\"");
    append_number(out, f->rsa, OSSL_PKEY_PARAM_RSA_N, 0);
    pt__buffer_append_string(out, "\"},{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"e\",\"use\":\"sig\",\"x\":\"");
    append_number(out, f->p256, OSSL_PKEY_PARAM_EC_PUB_X, 32);
    pt__buffer_append_string(out, "\",\"y\":\"");
    append_number(out, f->p256, OSSL_PKEY_PARAM_EC_PUB_Y, 32);
    pt__buffer_append_string(out, "\"}]}");
}

PT_TEST(jwt_finds_its_key_in_a_set_by_name)
{
    fixture f;
    pt__buffer set = PT_BUFFER_INIT;
    open_fixture(&f);
    make_set(&f, &set);
    pt__keys_free(f.rules.keys);
    PT_REQUIRE(pt__keys_read_jwks((pt_text_view){(char *)set.data, set.size_bytes}, &f.rules.keys, NULL) == PT_OK);
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, RS256, CLAIMS)), "ann");
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, "{\"alg\":\"RS256\",\"kid\":\"r\"}", CLAIMS)), "ann");
    PT_CHECK_STR(name_in(&f, make(&f, f.p256, "{\"alg\":\"ES256\",\"kid\":\"e\"}", CLAIMS)), "ann");
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, "{\"alg\":\"RS256\",\"kid\":\"e\"}", CLAIMS)), "");
    PT_CHECK_STR(name_in(&f, make(&f, f.rsa, "{\"alg\":\"RS256\",\"kid\":\"gone\"}", CLAIMS)), "");
    pt__buffer_deinit(&set);
    close_fixture(&f);
}

/* 32 bytes of zeros, which are on no curve. */
#define NO_COORDINATE "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

PT_TEST(keys_that_are_none_are_refused)
{
    static const char *const wrong[] = {
        "",
        "[]",
        "{}",
        "{\"keys\":{}}",
        "{\"keys\":[]}",
        "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}",
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AAAA\",\"e\":\"AQAB\"}]}",
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"not+url\",\"e\":\"AQAB\"}]}",
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AAAA\",\"y\":\"AAAA\"}]}",
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" NO_COORDINATE "\",\"y\":\"" NO_COORDINATE "\"}]}",
    };
    pt__keys *keys;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        PT_CHECK_EQ(pt__keys_read_jwks((pt_text_view){wrong[i], strlen(wrong[i])}, &keys, NULL), PT_INVALID_ARGUMENT);
    EVP_PKEY *small = EVP_RSA_gen(1024);
    EVP_PKEY *curve = EVP_EC_gen("P-384");
    char *text = public_pem(small, small);
    PT_CHECK_EQ(pt__keys_read_pem((pt_text_view){text, strlen(text)}, &keys, NULL), PT_INVALID_ARGUMENT);
    free(text);
    text = public_pem(curve, curve);
    PT_CHECK_EQ(pt__keys_read_pem((pt_text_view){text, strlen(text)}, &keys, NULL), PT_INVALID_ARGUMENT);
    text[40] = '!';
    PT_CHECK_EQ(pt__keys_read_pem((pt_text_view){text, strlen(text)}, &keys, NULL), PT_INVALID_ARGUMENT);
    PT_CHECK_EQ(pt__keys_read_pem((pt_text_view){"no key", 6}, &keys, NULL), PT_INVALID_ARGUMENT);
    free(text);
    EVP_PKEY_free(small);
    EVP_PKEY_free(curve);
}

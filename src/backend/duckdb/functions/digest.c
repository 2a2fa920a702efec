/* Checksums, digests and encryption of bytes. */
#include "backend/duckdb/functions/kernels.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <zlib.h>

static bool crc_of(pt_text_view bytes, int64_t *out)
{
    *out = (int64_t)crc32_z(0, (const Bytef *)bytes.data, bytes.size_bytes);
    return true;
}

void pt__fn_crc32(pt__fn_call *call)
{
    PT__FN_EACH(call, r, crc_of(pt__fn_text(call, 0, r), &PT__FN_OUT(call, int64_t)[r]));
}

/* Digests as hexadecimal text. */

/* One context serves all rows: OpenSSL looks an algorithm up whenever a context changes to it. */
static bool put_digest(pt__fn_call *call, idx_t row, EVP_MD_CTX *context, const EVP_MD *algorithm)
{
    static const char HEX[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    char text[EVP_MAX_MD_SIZE * 2];
    unsigned size = 0;
    pt_text_view bytes = pt__fn_text(call, 0, row);
    if (context == NULL || EVP_DigestInit_ex(context, algorithm, NULL) != 1 ||
        EVP_DigestUpdate(context, bytes.data, bytes.size_bytes) != 1 || EVP_DigestFinal_ex(context, digest, &size) != 1)
        return pt__fn_fail_memory(call);
    for (unsigned i = 0; i < size; i++) {
        text[2 * i] = HEX[digest[i] >> 4];
        text[2 * i + 1] = HEX[digest[i] & 15];
    }
    pt__fn_put_text(call, row, text, 2 * (size_t)size);
    return true;
}

static bool sha2(pt__fn_call *call, idx_t row, EVP_MD_CTX *context)
{
    switch (PT__FN_IN(call, 1, int32_t)[row]) {
    case 224: return put_digest(call, row, context, EVP_sha224());
    case 0:
    case 256: return put_digest(call, row, context, EVP_sha256());
    case 384: return put_digest(call, row, context, EVP_sha384());
    case 512: return put_digest(call, row, context, EVP_sha512());
    default: return false;
    }
}

static void sha2_rows(pt__fn_call *call, EVP_MD_CTX *context)
{
    PT__FN_EACH(call, r, sha2(call, r, context));
}

void pt__fn_sha2(pt__fn_call *call)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    sha2_rows(call, context);
    EVP_MD_CTX_free(context);
}

static void digest_rows(pt__fn_call *call, EVP_MD_CTX *context, const EVP_MD *algorithm)
{
    PT__FN_EACH(call, r, put_digest(call, r, context, algorithm));
}

static void put_digests(pt__fn_call *call, const EVP_MD *algorithm)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    digest_rows(call, context, algorithm);
    EVP_MD_CTX_free(context);
}

void pt__fn_sha1(pt__fn_call *call)
{
    put_digests(call, EVP_sha1());
}

void pt__fn_md5(pt__fn_call *call)
{
    put_digests(call, EVP_md5());
}

/* AES: (value, key, mode, padding, iv, additional data); results begin with the initialization vector. */

enum { GCM_IV_BYTES = 12, GCM_TAG_BYTES = 16, CBC_IV_BYTES = 16, BLOCK_BYTES = 16 };

typedef struct aes_job {
    bool encrypt;
    bool gcm;
    const EVP_CIPHER *cipher;
    size_t iv_bytes;
    pt_text_view value;
    pt_text_view key;
    pt_text_view iv;
    pt_text_view aad;
} aes_job;

#define AES_NAME "`aes_encrypt`/`aes_decrypt`"

static bool aes_problem(pt__fn_call *call, const char *detail)
{
    return pt__fn_reject(call, PT_COND_INVALID_PARAMETER_VALUE_AES_CRYPTO_ERROR, "parameter", "`expr`, `key`",
                         "functionName", AES_NAME, "detailMessage", detail, NULL);
}

static bool is_name(pt_text_view text, const char *name)
{
    return strlen(name) == text.size_bytes && strncasecmp(name, text.data, text.size_bytes) == 0;
}

static bool raise_mode(pt__fn_call *call, pt_text_view mode, pt_text_view padding)
{
    char mode_text[32];
    char padding_text[32];
    snprintf(mode_text, sizeof(mode_text), "%.*s", (int)mode.size_bytes, mode.data);
    snprintf(padding_text, sizeof(padding_text), "%.*s", (int)padding.size_bytes, padding.data);
    return pt__fn_reject(call, PT_COND_UNSUPPORTED_FEATURE_AES_MODE, "mode", mode_text, "padding", padding_text,
                         "functionName", AES_NAME, NULL);
}

static const EVP_CIPHER *find_cipher(size_t key_bytes, bool gcm, bool cbc)
{
    switch (key_bytes) {
    case 16: return gcm ? EVP_aes_128_gcm() : cbc ? EVP_aes_128_cbc() : EVP_aes_128_ecb();
    case 24: return gcm ? EVP_aes_192_gcm() : cbc ? EVP_aes_192_cbc() : EVP_aes_192_ecb();
    case 32: return gcm ? EVP_aes_256_gcm() : cbc ? EVP_aes_256_cbc() : EVP_aes_256_ecb();
    default: return NULL;
    }
}

static bool choose_cipher(pt__fn_call *call, aes_job *job, pt_text_view mode, pt_text_view padding)
{
    bool cbc = is_name(mode, "CBC");
    bool usual = is_name(padding, "DEFAULT");
    char length[24];
    job->gcm = is_name(mode, "GCM");
    if (!(job->gcm && (usual || is_name(padding, "NONE"))) &&
        !((cbc || is_name(mode, "ECB")) && (usual || is_name(padding, "PKCS"))))
        return raise_mode(call, mode, padding);
    job->iv_bytes = job->gcm ? GCM_IV_BYTES : cbc ? CBC_IV_BYTES : 0;
    job->cipher = find_cipher(job->key.size_bytes, job->gcm, cbc);
    if (job->cipher != NULL)
        return true;
    snprintf(length, sizeof(length), "%zu", job->key.size_bytes);
    return pt__fn_reject(call, PT_COND_INVALID_PARAMETER_VALUE_AES_KEY_LENGTH, "parameter", "`key`", "functionName",
                         AES_NAME, "actualLength", length, NULL);
}

/** The bytes after the vector; appends to `out`. False: OpenSSL refused. */
static bool run_cipher(EVP_CIPHER_CTX *context, const aes_job *job, const unsigned char *iv, pt__buffer *out)
{
    int size;
    int last = 0;
    unsigned char tag[GCM_TAG_BYTES];
    pt_text_view value = job->value;
    if (!job->encrypt && job->gcm)
        value.size_bytes -= GCM_TAG_BYTES;
    if (EVP_CipherInit_ex(context, job->cipher, NULL, (const unsigned char *)job->key.data, iv, job->encrypt) != 1 ||
        !pt__buffer_reserve(out, value.size_bytes + 2 * BLOCK_BYTES))
        return false;
    if (job->gcm && job->aad.size_bytes > 0 &&
        EVP_CipherUpdate(context, NULL, &size, (const unsigned char *)job->aad.data, (int)job->aad.size_bytes) != 1)
        return false;
    unsigned char *into = out->data + out->size_bytes;
    if (EVP_CipherUpdate(context, into, &size, (const unsigned char *)value.data, (int)value.size_bytes) != 1)
        return false;
    if (!job->encrypt && job->gcm) {
        memcpy(tag, value.data + value.size_bytes, sizeof(tag));
        if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, GCM_TAG_BYTES, tag) != 1)
            return false;
    }
    if (EVP_CipherFinal_ex(context, into + size, &last) != 1)
        return false;
    out->size_bytes += (size_t)(size + last);
    if (!job->encrypt || !job->gcm)
        return true;
    if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, GCM_TAG_BYTES, tag) != 1)
        return false;
    pt__buffer_append(out, tag, sizeof(tag));
    return true;
}

/** Takes the vector from the value, the argument or chance; it is written in front of what is encrypted. */
static bool choose_vector(aes_job *job, unsigned char iv[CBC_IV_BYTES], pt__buffer *out)
{
    if (!job->encrypt) {
        size_t least = job->iv_bytes + (job->gcm ? GCM_TAG_BYTES : 0);
        if (job->value.size_bytes < least)
            return false;
        memcpy(iv, job->value.data, job->iv_bytes);
        job->value = (pt_text_view){job->value.data + job->iv_bytes, job->value.size_bytes - job->iv_bytes};
        return true;
    }
    if (job->iv.size_bytes > 0 && job->iv.size_bytes != job->iv_bytes)
        return false;
    if (job->iv.size_bytes > 0)
        memcpy(iv, job->iv.data, job->iv_bytes);
    else if (job->iv_bytes > 0 && RAND_bytes(iv, (int)job->iv_bytes) != 1)
        return false;
    pt__buffer_append(out, iv, job->iv_bytes);
    return true;
}

static bool aes(pt__fn_call *call, idx_t row)
{
    unsigned char iv[CBC_IV_BYTES];
    aes_job job = {.encrypt = call->row->option == 1,
                   .value = pt__fn_text(call, 0, row),
                   .key = pt__fn_text(call, 1, row),
                   .iv = pt__fn_text(call, 4, row),
                   .aad = pt__fn_text(call, 5, row)};
    if (!choose_cipher(call, &job, pt__fn_text(call, 2, row), pt__fn_text(call, 3, row)))
        return false;
    pt__buffer *out = &call->state->scratch;
    pt__buffer_reset(out);
    if (!choose_vector(&job, iv, out))
        return aes_problem(call, "Invalid buffer arguments");
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    bool ok = context != NULL && run_cipher(context, &job, iv, out);
    EVP_CIPHER_CTX_free(context);
    return ok ? pt__fn_put_buffer(call, row, out) : aes_problem(call, "Tag mismatch or bad padding");
}

void pt__fn_aes(pt__fn_call *call)
{
    PT__FN_EACH(call, r, aes(call, r));
}

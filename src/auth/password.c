#include "auth/password.h"

#include "base/buffer.h"
#include "wire/base64.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { COST_LOG2 = 14, BLOCK = 8, LANES = 1, SALT_BYTES = 16 }; /* of new hashes */
enum { COST_LOG2_MIN = 10, COST_LOG2_MAX = 20, BLOCK_MAX = 32, LANES_MAX = 16 };
static const uint64_t memory_max_bytes = 1u << 30;

static uint64_t memory_bytes(const pt__password_hash *hash)
{
    return (UINT64_C(128) * hash->block << hash->cost_log2) + UINT64_C(128) * hash->block * (hash->lanes + 2);
}

static bool compute(const pt__password_hash *hash, pt_text_view password, uint8_t out[PT_HASH_BYTES])
{
    return EVP_PBE_scrypt(password.data, password.size_bytes, hash->salt, hash->salt_bytes,
                          UINT64_C(1) << hash->cost_log2, hash->block, hash->lanes, memory_bytes(hash) + (1u << 20),
                          out, PT_HASH_BYTES) == 1;
}

bool pt__password_matches(const pt__password_hash *hash, pt_text_view password)
{
    uint8_t computed[PT_HASH_BYTES];
    bool matches = compute(hash, password, computed) && CRYPTO_memcmp(computed, hash->hash, sizeof(computed)) == 0;
    OPENSSL_cleanse(computed, sizeof(computed));
    return matches;
}

void pt__password_hash_dummy(pt__password_hash *out)
{
    *out = (pt__password_hash){.cost_log2 = COST_LOG2, .block = BLOCK, .lanes = LANES, .salt_bytes = SALT_BYTES};
    while (getrandom(out->hash, sizeof(out->hash), 0) != (ssize_t)sizeof(out->hash))
        continue;
}

/* ---- reading ---- */

/* The text up to the next `end`, which is skipped. */
static pt_text_view take_part(pt_text_view *rest, char end)
{
    const char *at = memchr(rest->data, end, rest->size_bytes);
    size_t size = at == NULL ? rest->size_bytes : (size_t)(at - rest->data);
    size_t skipped = size + (at != NULL);
    pt_text_view part = {rest->data, size};
    *rest = (pt_text_view){rest->data + skipped, rest->size_bytes - skipped};
    return part;
}

static bool is(pt_text_view text, const char *word)
{
    return text.size_bytes == strlen(word) && memcmp(text.data, word, text.size_bytes) == 0;
}

static bool take_number(pt_text_view *rest, const char *name, unsigned least, unsigned most, unsigned *out)
{
    pt_text_view value = take_part(rest, ',');
    if (!is(take_part(&value, '='), name) || value.size_bytes == 0 || value.size_bytes > 3)
        return false;
    unsigned number = 0;
    for (size_t i = 0; i < value.size_bytes; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return false;
        number = number * 10 + (unsigned)(value.data[i] - '0');
    }
    *out = number;
    return number >= least && number <= most;
}

static bool read_bytes(pt_text_view text, uint8_t *out, size_t max, size_t *size_bytes)
{
    pt__buffer bytes = PT_BUFFER_INIT;
    bool fits = pt__base64_decode(&bytes, text) && bytes.size_bytes <= max;
    if (fits && bytes.size_bytes != 0)
        memcpy(out, bytes.data, bytes.size_bytes);
    *size_bytes = bytes.size_bytes;
    pt__buffer_deinit(&bytes);
    return fits;
}

pt_status pt__password_hash_parse(pt_text_view text, pt__password_hash *out, pt_error *err)
{
    pt__password_hash hash = {0};
    size_t hash_bytes;
    if (take_part(&text, '$').size_bytes != 0 || !is(take_part(&text, '$'), "scrypt"))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "a password's hash begins with $scrypt$");
    pt_text_view costs = take_part(&text, '$');
    if (!take_number(&costs, "ln", COST_LOG2_MIN, COST_LOG2_MAX, &hash.cost_log2) ||
        !take_number(&costs, "r", 1, BLOCK_MAX, &hash.block) || !take_number(&costs, "p", 1, LANES_MAX, &hash.lanes) ||
        costs.size_bytes != 0)
        return pt_error_set(err, PT_INVALID_ARGUMENT,
                            "the costs of a password's hash are ln=10..20,r=1..32,p=1..16, as in ln=14,r=8,p=1");
    if (memory_bytes(&hash) > memory_max_bytes)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "a password's hash needs more than 1 GiB of memory");
    if (!read_bytes(take_part(&text, '$'), hash.salt, sizeof(hash.salt), &hash.salt_bytes) || hash.salt_bytes < 8)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the salt of a password's hash is 8 to %d bytes in base64",
                            PT_SALT_BYTES_MAX);
    if (!read_bytes(text, hash.hash, sizeof(hash.hash), &hash_bytes) || hash_bytes != sizeof(hash.hash))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the end of a password's hash is %d bytes in base64",
                            PT_HASH_BYTES);
    *out = hash;
    return PT_OK;
}

/* ---- writing ---- */

pt_status pt_password_hash(pt_text_view password, char out[PT_PASSWORD_HASH_BYTES], pt_error *err)
{
    pt__password_hash hash;
    pt__buffer text = PT_BUFFER_INIT;
    if (password.size_bytes > PT_PASSWORD_BYTES_MAX)
        return pt_error_set(err, PT_LIMIT, "a password has %d bytes at most", PT_PASSWORD_BYTES_MAX);
    pt__password_hash_dummy(&hash);
    while (getrandom(hash.salt, SALT_BYTES, 0) != SALT_BYTES)
        continue;
    if (!compute(&hash, password, hash.hash))
        return pt_error_set(err, PT_NO_MEMORY, "no memory to hash a password");
    pt__buffer_printf(&text, "$scrypt$ln=%u,r=%u,p=%u$", hash.cost_log2, hash.block, hash.lanes);
    pt__base64_encode(&text, (pt_bytes_view){hash.salt, hash.salt_bytes});
    pt__buffer_append_byte(&text, '$');
    pt__base64_encode(&text, (pt_bytes_view){hash.hash, sizeof(hash.hash)});
    bool failed = text.failed;
    snprintf(out, PT_PASSWORD_HASH_BYTES, "%s", pt__buffer_string(&text));
    pt__buffer_deinit(&text);
    return failed ? pt_error_set(err, PT_NO_MEMORY, "no memory to hash a password") : PT_OK;
}

#include "auth/known.h"

#include "base/map.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SECRET_BYTES = 32, DIGEST_BYTES = 32, ENTRIES_MAX = 10000 };

typedef struct entry {
    int64_t until;
    char principal[];
} entry;

struct pt__known {
    uint8_t secret[SECRET_BYTES];
    pthread_mutex_t lock;
    pt__map entries; /* owned */
};

pt__known *pt__known_new(void)
{
    pt__known *known = calloc(1, sizeof(*known));
    if (known == NULL)
        return NULL;
    while (getrandom(known->secret, sizeof(known->secret), 0) != SECRET_BYTES)
        continue;
    pthread_mutex_init(&known->lock, NULL);
    return known;
}

void pt__known_clear(pt__known *known)
{
    const char *key;
    void *value;
    pthread_mutex_lock(&known->lock);
    for (size_t at = 0; pt__map_next(&known->entries, &at, &key, &value);)
        free(value);
    pt__map_deinit(&known->entries);
    pthread_mutex_unlock(&known->lock);
}

void pt__known_free(pt__known *known)
{
    if (known == NULL)
        return;
    pt__known_clear(known);
    pthread_mutex_destroy(&known->lock);
    OPENSSL_cleanse(known->secret, sizeof(known->secret));
    free(known);
}

/* The parts are told apart by the size of the first. A digest that cannot be made is random, and so never found. */
void pt__known_key(const pt__known *known, pt_text_view first, pt_text_view second, char out[PT_KNOWN_KEY_BYTES])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    uint64_t size = first.size_bytes;
    uint8_t inner[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool made = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 &&
                EVP_DigestUpdate(context, known->secret, sizeof(known->secret)) == 1 &&
                EVP_DigestUpdate(context, &size, sizeof(size)) == 1 &&
                EVP_DigestUpdate(context, first.data, first.size_bytes) == 1 &&
                EVP_DigestUpdate(context, second.data, second.size_bytes) == 1 &&
                EVP_DigestFinal_ex(context, inner, NULL) == 1 &&
                HMAC(EVP_sha256(), known->secret, SECRET_BYTES, inner, DIGEST_BYTES, digest, NULL) != NULL;
    EVP_MD_CTX_free(context);
    while (!made && getrandom(digest, DIGEST_BYTES, 0) != DIGEST_BYTES)
        continue;
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

bool pt__known_find(pt__known *known, const char *key, int64_t now, char principal[PT_PRINCIPAL_BYTES_MAX + 1])
{
    pthread_mutex_lock(&known->lock);
    entry *found = pt__map_get(&known->entries, key);
    bool is_good = found != NULL && found->until > now;
    if (is_good)
        snprintf(principal, PT_PRINCIPAL_BYTES_MAX + 1, "%s", found->principal);
    else if (found != NULL)
        free(pt__map_remove(&known->entries, key));
    pthread_mutex_unlock(&known->lock);
    return is_good;
}

static void drop_old(pt__known *known, int64_t now)
{
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&known->entries, &at, &key, &value);) {
        const entry *e = value;
        if (e->until <= now)
            free(pt__map_remove(&known->entries, key));
    }
}

void pt__known_add(pt__known *known, const char *key, const char *principal, int64_t now, int64_t until)
{
    size_t size = strlen(principal) + 1;
    entry *added = malloc(sizeof(*added) + size);
    void *old = NULL;
    if (added == NULL)
        return;
    added->until = until;
    memcpy(added->principal, principal, size);
    pthread_mutex_lock(&known->lock);
    if (known->entries.live_count >= ENTRIES_MAX)
        drop_old(known, now);
    bool has_room = known->entries.live_count < ENTRIES_MAX;
    bool kept = has_room && pt__map_set(&known->entries, key, added, &old);
    pthread_mutex_unlock(&known->lock);
    free(old);
    if (!kept)
        free(added);
}

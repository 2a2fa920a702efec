#include "exec/tokens.h"

#include "base/map.h"
#include "exec/state.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { KEY_BYTES = 2 * SHA256_DIGEST_LENGTH + 1 };

typedef struct given {
    char *principal;
    uint64_t expires_ms;
    uint64_t number; /* grows with each token */
} given;

struct pt__tokens {
    pthread_mutex_t lock;
    pt__map by_digest; /* given, owned */
    pt__map counts;    /* by principal: how many it has, as a number in the pointer's place */
    uint64_t last_number;
};

static void write_hex(const uint8_t *bytes, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void make_key(pt_text_view token, char out[KEY_BYTES])
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256((const uint8_t *)token.data, token.size_bytes, digest);
    write_hex(digest, sizeof(digest), out);
}

static void make_token(char out[PT_TOKEN_BYTES])
{
    uint8_t bytes[(PT_TOKEN_BYTES - 1) / 2];
    while (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        continue;
    write_hex(bytes, sizeof(bytes), out);
}

pt__tokens *pt__tokens_new(void)
{
    pt__tokens *tokens = calloc(1, sizeof(*tokens));
    if (tokens != NULL)
        pthread_mutex_init(&tokens->lock, NULL);
    return tokens;
}

static void free_given(given *g)
{
    if (g != NULL)
        free(g->principal);
    free(g);
}

void pt__tokens_free(pt__tokens *tokens)
{
    const char *key;
    void *value;
    if (tokens == NULL)
        return;
    for (size_t at = 0; pt__map_next(&tokens->by_digest, &at, &key, &value);)
        free_given(value);
    pt__map_deinit(&tokens->by_digest);
    pt__map_deinit(&tokens->counts);
    pthread_mutex_destroy(&tokens->lock);
    free(tokens);
}

/* ---- under the lock ---- */

static uintptr_t count_of(const pt__tokens *tokens, const char *principal)
{
    return (uintptr_t)pt__map_get(&tokens->counts, principal);
}

static bool set_count(pt__tokens *tokens, const char *principal, uintptr_t count)
{
    if (count != 0)
        return pt__map_set(&tokens->counts, principal, (void *)count, NULL); /* NOLINT: a number */
    pt__map_remove(&tokens->counts, principal);
    return true;
}

static void drop(pt__tokens *tokens, const char *key)
{
    given *g = pt__map_remove(&tokens->by_digest, key);
    if (g != NULL)
        set_count(tokens, g->principal, count_of(tokens, g->principal) - 1);
    free_given(g);
}

/* The principal's oldest one, and on the way whatever has expired. */
static void make_room(pt__tokens *tokens, const char *principal, uint64_t now_ms)
{
    char oldest_key[KEY_BYTES] = "";
    uint64_t oldest = UINT64_MAX;
    const char *key;
    void *value;
    for (size_t at = 0; pt__map_next(&tokens->by_digest, &at, &key, &value);) {
        const given *g = value;
        if (strcmp(g->principal, principal) != 0 || (g->number >= oldest && g->expires_ms > now_ms))
            continue;
        oldest = g->expires_ms <= now_ms ? 0 : g->number;
        snprintf(oldest_key, sizeof(oldest_key), "%s", key);
    }
    drop(tokens, oldest_key);
}

static bool add(pt__tokens *tokens, const char *key, given *take_given)
{
    if (!pt__map_set(&tokens->by_digest, key, take_given, NULL)) {
        free_given(take_given);
        return false;
    }
    if (set_count(tokens, take_given->principal, count_of(tokens, take_given->principal) + 1))
        return true;
    pt__map_remove(&tokens->by_digest, key);
    free_given(take_given);
    return false;
}

/* ---- public ---- */

pt_status pt__host_issue_token(pt_host *host, const char *principal, char out[PT_TOKEN_BYTES], pt_error *err)
{
    char key[KEY_BYTES];
    pt__tokens *tokens = host->tokens;
    uint64_t now_ms = pt__host_now_ms(host);
    given *g = calloc(1, sizeof(*g));
    char *copy = strdup(principal);
    make_token(out);
    make_key((pt_text_view){out, PT_TOKEN_BYTES - 1}, key);
    bool added = false;
    if (g != NULL && copy != NULL) {
        pthread_mutex_lock(&tokens->lock);
        if (count_of(tokens, principal) >= host->limits.max_tokens)
            make_room(tokens, principal, now_ms);
        *g = (given){copy, now_ms + host->limits.token_lifetime_ms, ++tokens->last_number};
        added = add(tokens, key, g);
        pthread_mutex_unlock(&tokens->lock);
    } else {
        free(g);
        free(copy);
    }
    return added ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a token");
}

pt_status pt__host_find_token(pt_host *host, pt_text_view token, char **principal, pt_error *err)
{
    char key[KEY_BYTES];
    pt__tokens *tokens = host->tokens;
    uint64_t now_ms = pt__host_now_ms(host);
    make_key(token, key);
    char *copy = NULL;
    pthread_mutex_lock(&tokens->lock);
    const given *g = pt__map_get(&tokens->by_digest, key);
    bool found = g != NULL && g->expires_ms > now_ms;
    if (found)
        copy = strdup(g->principal);
    else if (g != NULL)
        drop(tokens, key);
    pthread_mutex_unlock(&tokens->lock);
    if (!found)
        return pt_error_set(err, PT_NOT_FOUND, "the token is unknown, was revoked, or has expired");
    *principal = copy;
    return copy != NULL ? PT_OK : pt_error_set(err, PT_NO_MEMORY, "no memory for a name");
}

void pt__host_revoke_token(pt_host *host, pt_text_view token)
{
    char key[KEY_BYTES];
    make_key(token, key);
    pthread_mutex_lock(&host->tokens->lock);
    drop(host->tokens, key);
    pthread_mutex_unlock(&host->tokens->lock);
}
